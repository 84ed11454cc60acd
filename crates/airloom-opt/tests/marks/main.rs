//! The marks of ops are true: every claim about cutting and about memory is tried on the oracle, on what the filetests of ops run and on random programs.
#![expect(clippy::print_stdout, reason = "how much was tried is part of the test's result")]

mod aliasing;
mod applications;
mod distribution;
mod folds;
mod keys;
mod moments;
mod pieces;
mod reductions;
mod sorting;

use airloom_ir::ops::{self, Aliasing, CAPTURES, Combine, Distribution, DistributionRule, KeyOrder, Need, OpDef};
use airloom_opt::generate;
use applications::{Application, folder, of_case, of_file};
use std::collections::BTreeMap;

/// How many random programs of each kind are tried.
const PROGRAMS: u64 = 1500;

#[derive(Default)]
struct Tally {
    tried: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

impl Tally {
    fn visit(&mut self, application: &Application<'_>) {
        let name = application.def().name;
        match distribution::check(application, application.claim()) {
            Ok(tried) => *self.tried.entry(name).or_default() += tried,
            Err(message) => self.failures.push(message),
        }
        if let Err(message) = aliasing::check(application, application.def().aliasing) {
            self.failures.push(format!("{}: `{name}`: {message}", application.from));
        }
    }

    fn assert_true(&self) {
        let shown = self.failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.failures.is_empty(), "{} claims are false:\n{shown}", self.failures.len());
    }
}

fn file_of(def: &OpDef) -> std::path::PathBuf {
    folder().join(def.family).join(format!("{}.air", def.name))
}

/// Whether an op may be cut at all, by any of its attributes.
fn may_be_cut(def: &OpDef) -> bool {
    !matches!(def.distribution, DistributionRule::Is(Distribution::Single | Distribution::Leaf))
}

#[test]
fn claims_hold_for_the_filetests_of_ops() {
    let mut tally = Tally::default();
    for def in ops::all().filter(|def| def.name != "hole") {
        of_file(&file_of(def), |application| tally.visit(application));
    }
    println!("{} ways of cutting {} ops", tally.tried.values().sum::<usize>(), tally.tried.len());
    tally.assert_true();
    let untried: Vec<&str> =
        ops::all().filter(|def| may_be_cut(def) && tally.tried.get(def.name).is_none_or(|&n| n == 0)).map(|def| def.name).collect();
    assert!(untried.is_empty(), "no filetest has rows enough to cut for {untried:?}");
}

#[test]
fn claims_hold_for_random_programs() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        of_case(&generate::relational(seed), &format!("relational {seed}"), |application| tally.visit(application));
        of_case(&generate::arrays(seed), &format!("arrays {seed}"), |application| tally.visit(application));
    }
    println!("{} ways of cutting {} ops", tally.tried.values().sum::<usize>(), tally.tried.len());
    tally.assert_true();
}

#[test]
fn marks_name_arguments_that_there_are() {
    for def in ops::all() {
        let fixed = match def.distribution {
            DistributionRule::Is(distribution) => distribution,
            DistributionRule::By { .. } => Distribution::Single,
        };
        for name in def.aliasing.shares().iter().chain(fixed.names()) {
            let known = def.args.contains(name) || def.rest == Some(*name) || *name == CAPTURES && !def.bodies.is_empty();
            assert!(known, "`{}` has no argument `{name}`", def.name);
        }
    }
}

/// Claims that are false, each with an op whose filetest shows it.
const FALSE_DISTRIBUTIONS: &[(&str, Distribution)] = &[
    ("rel.concat", Distribution::Rowwise(&["inputs"])),
    ("rel.group", Distribution::Rowwise(&["input"])),
    ("rel.number", Distribution::Rowwise(&["input"])),
    ("rel.sort", Distribution::Rowwise(&["input"])),
    ("rel.sort", Distribution::Ordered(Need::Counts)),
    ("rel.filter", Distribution::Ordered(Need::Counts)),
    ("rel.rows", Distribution::Scalar),
    ("rel.sort", Distribution::ByKey(KeyOrder::First)),
    ("rel.slice", Distribution::Reduces(Combine::Again)),
    ("arr.reshape", Distribution::Rowwise(&["array"])),
    ("arr.take", Distribution::Rowwise(&["array"])),
    ("arr.slice", Distribution::Rowwise(&["array"])),
    ("arr.concat", Distribution::Rowwise(&["arrays"])),
    ("arr.cumsum", Distribution::Rowwise(&["array"])),
    ("arr.cumsum", Distribution::Ordered(Need::After(&["array"]))),
    ("arr.fill_backward", Distribution::Ordered(Need::Before(&["array"]))),
    ("arr.fill_forward", Distribution::Ordered(Need::Counts)),
    ("rel.slice", Distribution::Ordered(Need::Neighbours("offset"))),
    ("arr.median", Distribution::ByKey(KeyOrder::Sum)),
    ("arr.min", Distribution::Reduces(Combine::Append)),
    ("arr.mean", Distribution::Reduces(Combine::Again)),
    ("arr.count", Distribution::Reduces(Combine::Again)),
    ("arr.nunique", Distribution::Reduces(Combine::Sum)),
    ("arr.argmin", Distribution::Reduces(Combine::Again)),
    ("arr.sum", Distribution::Reduces(Combine::Sum)),
    ("arr.last", Distribution::Ordered(Need::Sorting)),
    ("arr.argsort", Distribution::Rowwise(&["array"])),
    ("arr.rank", Distribution::Rowwise(&["array"])),
    ("par.scan", Distribution::Indices("extent")),
    ("add", Distribution::Leaf),
];

const FALSE_ALIASINGS: &[(&str, Aliasing)] = &[
    ("get", Aliasing::Fresh),
    ("rel.filter", Aliasing::Fresh),
    ("rel.join", Aliasing::View(&["left"])),
    ("rel.group", Aliasing::View(&["input"])),
    ("rel.sort", Aliasing::Same("input")),
    ("arr.shift", Aliasing::View(&["array"])),
    ("arr.cumsum", Aliasing::View(&["array"])),
    ("str.case", Aliasing::View(&["text"])),
    ("arr.map", Aliasing::View(&["arrays"])),
    ("coalesce", Aliasing::Fresh),
];

#[test]
fn false_claims_are_found() {
    let mut missed = Vec::new();
    let mut try_one = |name: &str, said: String, is_false: &dyn Fn(&Application<'_>) -> bool| {
        let def = ops::all().find(|def| def.name == name).expect("an op that there is");
        let mut found = false;
        of_file(&file_of(def), |application| found |= application.def().name == name && is_false(application));
        if !found {
            missed.push(format!("`{name}` is not {said}"));
        }
    };
    for (name, claim) in FALSE_DISTRIBUTIONS {
        try_one(name, format!("{claim:?}"), &|application| distribution::check(application, *claim).is_err());
    }
    for (name, claim) in FALSE_ALIASINGS {
        try_one(name, format!("{claim:?}"), &|application| aliasing::check(application, *claim).is_err());
    }
    assert!(missed.is_empty(), "claims that are false and were not found: {missed:?}");
}
