//! Every scalar op over every admissible combination of awkward types: the kernels against the oracle, row by row, errors included.

mod awkward;

use airloom_compute::data::{Vector, type_to_arrow, values_to_array};
use airloom_compute::functions::{KernelCall, apply};
use airloom_ir::attrs::{Attr, AttrShape, Attrs};
use airloom_ir::graph::{Args, Graph};
use airloom_ir::name::Name;
use airloom_ir::ops::nested::Nested;
use airloom_ir::ops::{self, AttrDef, Make, Op, OpDef};
use airloom_ir::oracle::{self, Call, Stop};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_opt::check::{themes, value};
use airloom_opt::generate::Draw;
use arrow::array::Array;
use awkward::{attributes, over_rubbish};
use std::collections::BTreeSet;

const FAMILIES: [&str; 5] = ["number", "logic", "text", "temporal", "nested"];
const LANES: [usize; 6] = [0, 1, 7, 64, 65, 1000];

/// Texts that are read as something else, or are patterns; and long ones, which do not fit in a view.
const TEXTS: [&str; 46] = [
    "20200229",
    "2020-02-29 23:59:59",
    "2020-2-9",
    "0000-01-01",
    "2262-04-12",
    "2020-02-29 24:00:00",
    "12",
    " 7 ",
    "-1",
    "+5",
    "300",
    "99999999999999999999",
    "1.5",
    "-0.25",
    "1e3",
    "nan",
    "inf",
    "true",
    "2020-02-29",
    "2019-02-29",
    "12:30:00",
    "2020-02-29T12:30:00",
    "2020-02-29T12:30:00Z",
    "a+",
    "(a)(b)?",
    "[",
    "a|ab",
    "^b",
    r"\d+",
    r"(?x) a #",
    "%a%b%",
    "a%",
    "%b",
    "a\\",
    "low",
    "high",
    "abcdefghijklmnop",
    "abcdefghijklmnoq",
    "bbbbbbbbbbbbbbbbbbbbbbbbb",
    "  abababababababab  ",
    "ααααααααααααααα",
    "a,b,,c,dddddddddddddddddddd",
    "--5",
    "The Quick Brown Fox Jumps",
    "$1-${2}$$",
    "x  y\tz\u{1c}w  ",
];

#[test]
fn every_scalar_op_is_as_the_oracle_says() {
    let mut draw = Draw::new(17);
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let (mut combinations, mut batches, mut rows, mut raised, mut covered) = (0usize, 0usize, 0usize, 0usize, 0usize);
    for def in ops::all().filter(|def| FAMILIES.contains(&def.family)) {
        let mut graph = Graph::new();
        let cases = admissible(&mut graph, def);
        if cases.is_empty() {
            missing.insert(def.name);
            continue;
        }
        covered += 1;
        // Fewer rounds for ops that have very many combinations.
        let rounds = (6_000 / cases.len()).clamp(3, 60);
        for (types, attrs) in &cases {
            combinations += 1;
            for _ in 0..rounds {
                let batch = Batch::draw(&mut graph, def, types, attrs, &mut draw);
                let Some(batch) = batch else { continue };
                batches += 1;
                rows += batch.rows;
                raised += usize::from(batch.check(graph.types()));
            }
        }
    }
    assert!(missing.is_empty(), "no case could be made of {missing:?}");
    let known = ops::all().filter(|def| FAMILIES.contains(&def.family)).count();
    assert_eq!(covered, known);
    assert!(raised > 100 && batches > 10_000, "too few cases: {batches}, of which {raised} raised");
    #[allow(clippy::print_stderr, reason = "the figures of the run are what the reader of a test log looks for")]
    {
        eprintln!("{covered} ops, {combinations} combinations of types and attributes, {batches} batches ({raised} raised), {rows} rows");
    }
}

/// The argument types and attributes with which an op is well typed.
fn admissible(graph: &mut Graph, def: &'static OpDef) -> Vec<(Vec<TyId>, Attrs)> {
    let pool = pool(graph.types_mut());
    let counts: Vec<usize> = if def.rest.is_some() { (0..3).map(|more| def.args.len() + more).collect() } else { vec![def.args.len()] };
    let mut found = Vec::new();
    for count in counts {
        for types in combinations(&pool, count) {
            for attrs in attributes(def, |spec| choices(spec, &pool)) {
                let params = graph.params(&types).expect("parameters of known types are well typed");
                if graph.make(def.op, attrs.clone(), &Args::from_slice(&params)).is_ok() {
                    found.push((types.clone(), attrs));
                }
            }
        }
    }
    // A choice of those that have very many, evenly spaced.
    let step = found.len().div_ceil(2_500).max(1);
    found.into_iter().step_by(step).collect()
}

fn pool(types: &mut Types) -> Vec<TyId> {
    let mut pool: Vec<TyId> = themes(types).into_iter().filter(|&ty| types.is_value(ty)).collect();
    let more = [types.decimal(12, 2), types.decimal(18, 4), types.decimal(15, 2), types.list(TyId::F64), types.decimal(19, 0)];
    pool.extend(more.into_iter().map(|ty| ty.expect("the types of this list are well formed")));
    let mut seen = BTreeSet::new();
    pool.retain(|&ty| seen.insert(ty));
    pool
}

fn combinations(pool: &[TyId], count: usize) -> Vec<Vec<TyId>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all: Vec<Vec<TyId>> = pool.iter().map(|&ty| vec![ty]).collect();
    for at in 1..count {
        let mut longer = Vec::new();
        for types in all {
            let mut next: Vec<TyId> =
                if at == 1 && count == 2 { pool.to_vec() } else { vec![types[0], TyId::I64, TyId::STR, types[at - 1]] };
            next.sort();
            next.dedup();
            longer.extend(next.into_iter().map(|ty| [types.as_slice(), &[ty]].concat()));
        }
        all = longer;
    }
    all
}

fn choices(spec: &AttrDef, pool: &[TyId]) -> Vec<Attr> {
    let names = |names: &[&str]| names.iter().map(|name| Attr::Name(Name::new(name))).collect();
    match (spec.shape, spec.name) {
        (AttrShape::Word(words), _) => (0..words.len()).map(|at| Attr::Word(at as u8)).collect(),
        (AttrShape::Bool, _) => vec![Attr::Bool(false), Attr::Bool(true)],
        (AttrShape::Int, "every") => [1, 2, 7, i64::MAX].map(Attr::Int).to_vec(),
        (AttrShape::Int, _) => [0, 1, 2, -1, -2, 40, i64::MIN].map(Attr::Int).to_vec(),
        (AttrShape::Ty, _) => pool.iter().map(|&ty| Attr::Ty(ty)).collect(),
        (AttrShape::Name, "zone") => names(&["UTC", "Europe/Paris", "America/New_York", "+05:30"]),
        (AttrShape::Name, "format") => names(&["%Y-%m-%d", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y%m%d", "%F %T", "%d.%m.%Y %%", "%b %Y"]),
        (AttrShape::Name, _) => names(&["", "d", ".2f", ">5s"]),
        other => panic!("the tests know no attribute like {other:?}"),
    }
}

/// One batch of rows for an op, and what the oracle makes of each.
struct Batch<'a> {
    def: &'static OpDef,
    attrs: &'a Attrs,
    args: Vec<Vector>,
    arg_types: Vec<TyId>,
    ty: TyId,
    rows: usize,
    expected: Result<Vec<Value>, Stop>,
}

impl<'a> Batch<'a> {
    fn draw(graph: &mut Graph, def: &'static OpDef, plain: &[TyId], attrs: &'a Attrs, draw: &mut Draw) -> Option<Batch<'a>> {
        let nullable = *draw.pick(&[0, 40, 100]);
        let arg_types: Vec<TyId> = plain.iter().map(|&ty| if draw.chance(nullable) { graph.types_mut().option(ty) } else { ty }).collect();
        let params = graph.params(&arg_types).expect("parameters of known types are well typed");
        let node = graph.make(def.op, attrs.clone(), &Args::from_slice(&params)).ok()?;
        let (ty, types) = (graph.ty_id(node), graph.types());
        let nulls = *draw.pick(&[0, 10, 80]);
        let one = |ty: TyId, draw: &mut Draw| awkward(types, ty, nulls, draw);
        let constants: Vec<Option<Value>> = arg_types.iter().map(|&ty| if draw.chance(25) { Some(one(ty, draw)) } else { None }).collect();
        let (rows, tame) = (*draw.pick(&LANES), draw.chance(70));
        let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(rows); arg_types.len()];
        let mut expected = Ok(Vec::with_capacity(rows));
        for _ in 0..rows {
            // In tame rounds what raises is drawn again, so that whole batches do not raise.
            let mut row = Vec::new();
            let mut result = Ok(Value::Null);
            for _ in 0..if tame { 12 } else { 1 } {
                row = constants.iter().zip(&arg_types).map(|(constant, &ty)| constant.clone().unwrap_or_else(|| one(ty, draw))).collect();
                result = oracle::apply(def.op, &Call::plain(types, attrs, &row, &arg_types, ty));
                if result.is_ok() {
                    break;
                }
            }
            row.into_iter().zip(&mut columns).for_each(|(value, column)| column.push(value));
            if let Ok(so_far) = &mut expected {
                match result {
                    Ok(value) => so_far.push(value),
                    Err(raised) => expected = Err(raised),
                }
            }
        }
        let args = columns.iter().zip(&constants).zip(&arg_types).map(|((column, constant), &ty)| match constant {
            Some(value) => Vector::Constant(value.clone()),
            None => many(types, ty, column, draw),
        });
        let args = args.collect();
        Some(Batch { def, attrs, args, arg_types, ty, rows, expected })
    }

    /// Whether it raised, as it should.
    fn check(&self, types: &Types) -> bool {
        let call = KernelCall {
            types,
            op: self.def.op,
            attrs: self.attrs,
            args: &self.args,
            arg_types: &self.arg_types,
            ty: self.ty,
            rows: self.rows,
        };
        let found = apply(&call);
        match (&self.expected, found) {
            (Ok(expected), Ok(found)) => {
                let column = if self.def.op == Op::Nested(Nested::Array) { types.strip(self.arg_types[0]) } else { self.ty };
                if let Vector::Flat(array) = &found {
                    assert_eq!(array.len(), self.rows, "{}", self.show(types));
                    assert_eq!(Some(array.data_type()), type_to_arrow(types, column).as_ref(), "{}", self.show(types));
                    array.to_data().validate_full().unwrap_or_else(|error| panic!("{}: {error}", self.show(types)));
                }
                for (row, expected) in expected.iter().enumerate() {
                    let found = match &found {
                        Vector::Constant(value) => value.clone(),
                        found => found.value(types, column, row),
                    };
                    let expected = match (expected, &found) {
                        (Value::Arr(array), Value::List(_)) => Value::List(array.items.as_slice().into()),
                        (expected, _) => expected.clone(),
                    };
                    if found != expected {
                        let args: Vec<Value> = self.args.iter().zip(&self.arg_types).map(|(arg, &ty)| arg.value(types, ty, row)).collect();
                        panic!("{}: row {row} of {args:?} is {found:?}, expected {expected:?}", self.show(types));
                    }
                }
                false
            }
            (Err(expected), Err(found)) => {
                assert_eq!(expected.to_string(), found.to_string(), "{}", self.show(types));
                true
            }
            (expected, found) => panic!("{}: expected {expected:?}, found {found:?}", self.show(types)),
        }
    }

    fn show(&self, types: &Types) -> String {
        let args: Vec<String> = self
            .args
            .iter()
            .zip(&self.arg_types)
            .map(|(arg, &ty)| format!("{} {}", if matches!(arg, Vector::Constant(_)) { "one" } else { "many" }, types.show(ty)))
            .collect();
        format!("{}{:?}({}) of {} rows as {}", self.def.name, self.attrs, args.join(", "), self.rows, types.show(self.ty))
    }
}

/// A vector from its values: sliced out of a longer array, now and then; a struct without nulls part by part, now and then.
fn many(types: &Types, ty: TyId, column: &[Value], draw: &mut Draw) -> Vector {
    if let Ty::Struct(fields) = types.get(ty)
        && draw.chance(50)
    {
        let part = |at: usize| {
            column.iter().map(|v| if let Value::Struct(parts) = v { parts[at].clone() } else { Value::Null }).collect::<Vec<_>>()
        };
        return Vector::Row(
            fields.iter().enumerate().map(|(at, field)| Vector::Flat(values_to_array(types, field.ty, &part(at)))).collect(),
        );
    }
    if draw.chance(50) {
        return Vector::Flat(over_rubbish(values_to_array(types, ty, column)));
    }
    let (before, after) = (draw.below(70), draw.below(5));
    let longer: Vec<Value> = (0..before).map(|_| awkward(types, ty, 20, draw)).collect();
    let longer = [longer.as_slice(), column, &(0..after).map(|_| awkward(types, ty, 20, draw)).collect::<Vec<_>>()].concat();
    Vector::Flat(over_rubbish(values_to_array(types, ty, &longer)).slice(before, column.len()))
}

/// A value of a type, null so often where it may be.
fn awkward(types: &Types, ty: TyId, nulls: u64, draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Option(_) if draw.chance(nulls) => Value::Null,
        Ty::Option(inner) => awkward(types, *inner, nulls, draw),
        Ty::Str | Ty::Dict(TyId::STR) if draw.chance(50) => Value::str(draw.pick::<&str>(&TEXTS)),
        Ty::Decimal { precision, .. } if draw.chance(50) => {
            let most = 10i128.pow(u32::from(*precision).min(20));
            Value::Int(i128::from(draw.number()) % most * if draw.chance(50) { -1 } else { 1 })
        }
        Ty::Timestamp { unit, .. } if draw.chance(40) => {
            Value::Int((i128::from(draw.number()) % 8_000_000_000 - 4_000_000_000) * i128::from(unit.per_second()))
        }
        Ty::Date if draw.chance(50) => Value::Int(i128::from(draw.number()) % 200_000 - 100_000),
        _ => value(types, ty, draw),
    }
}
