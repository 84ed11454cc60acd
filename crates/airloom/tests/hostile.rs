//! Hostile input: a million random or mutated texts and binaries crash or hang neither the parser nor the decoder, and programs may be very deep and very wide.
#![expect(clippy::print_stdout, reason = "the count of inputs is part of the test's result")]

use airloom::program::Program;
use airloom_ir::module::Module;
use airloom_ir::oracle::Limits;
use airloom_ir::value::Value;
use airloom_ir::{binary, text, verify};
use airloom_opt::driver::Options;
use airloom_opt::generate::{self, Draw};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many inputs each of the two readers gets.
const INPUTS: u64 = 500_000;
/// How many threads share them.
const THREADS: u64 = 2;
/// No input may take longer: they are a few hundred bytes each.
const PATIENCE: Duration = Duration::from_secs(5);

/// Functions of the filetests, one text each, and a few random programs.
fn seeds() -> Vec<String> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests"), &mut files);
    files.sort();
    let mut seeds: Vec<String> = Vec::new();
    for file in files {
        for part in file.split("\nfunc ").skip(1) {
            let code: Vec<&str> = part.lines().take_while(|l| !l.starts_with(';')).filter(|l| !l.starts_with("test ")).collect();
            if (1..600).contains(&code.join("\n").len()) {
                seeds.push(format!("func {}", code.join("\n")));
            }
        }
    }
    seeds.extend((0..40).map(|seed| text::print(&generate::relational(seed).module)));
    assert!(seeds.len() > 500, "there are filetests to begin with, found {}", seeds.len());
    seeds
}

fn collect(path: &Path, out: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "air") {
            out.extend(std::fs::read_to_string(path));
        }
    }
}

/// Bytes changed at one to four positions: flipped, left out, put in, repeated, or crossed with another seed.
fn mutated(bytes: &[u8], other: &[u8], draw: &mut Draw) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "(",
        ")",
        "{",
        "}",
        "|",
        "[",
        "]",
        "rel.filter",
        "99999999999999999999",
        "\"",
        "null: ",
        "?",
        "arr<f64; ",
        "return ",
        "\u{0}",
        "@f",
    ];
    let mut out = bytes.to_vec();
    for _ in 0..1 + draw.below(4) {
        let at = draw.below(out.len() + 1);
        let end = (at + draw.below(12)).min(out.len());
        match draw.below(6) {
            0 if at < out.len() => out[at] ^= 1 << draw.below(8),
            1 => drop(out.drain(at..end)),
            2 => drop(out.splice(at..at, draw.pick(&WORDS).bytes())),
            3 => {
                let part = out[at..end].to_vec();
                let times = 1 + draw.below(4);
                drop(out.splice(at..at, part.repeat(times)));
            }
            4 if !other.is_empty() => {
                let from = draw.below(other.len());
                drop(out.splice(at.., other[from..].iter().copied()));
            }
            _ => out.insert(at, draw.number() as u8),
        }
    }
    out.truncate(4096);
    out
}

/// Runs `read` on inputs made of `seeds`, and fails with the input that made it panic or dawdle.
fn bombard(seeds: &[Vec<u8>], what: &str, read: impl Fn(&[u8]) -> bool + Sync) {
    let accepted: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let read = &read;
                scope.spawn(move || {
                    let mut draw = Draw::new(1000 + thread);
                    let mut accepted = 0;
                    for number in 0..INPUTS / THREADS {
                        let (seed, other) = (draw.pick(seeds).clone(), draw.pick(seeds).clone());
                        let input = if number % 20 == 0 {
                            (0..draw.below(64)).map(|_| draw.number() as u8).collect()
                        } else {
                            mutated(&seed, &other, &mut draw)
                        };
                        let start = Instant::now();
                        let result = catch_unwind(AssertUnwindSafe(|| read(&input)));
                        let shown = String::from_utf8_lossy(&input);
                        assert!(result.is_ok(), "{what} panicked on {input:?}\n{shown}");
                        assert!(start.elapsed() < PATIENCE, "{what} took {:?} on {input:?}\n{shown}", start.elapsed());
                        accepted += u64::from(result.unwrap_or(false));
                    }
                    accepted
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("no worker panics")).sum()
    });
    println!("{what}: {INPUTS} inputs, {accepted} of them valid programs, no crash and no hang");
    assert!(accepted > INPUTS / 1000, "mutations leave some programs valid, so that what follows the reader is reached: {accepted}");
}

#[test]
fn the_parser_survives_half_a_million_inputs() {
    let seeds: Vec<Vec<u8>> = seeds().into_iter().map(String::into_bytes).collect();
    bombard(&seeds, "the parser", |input| match text::parse(&String::from_utf8_lossy(input)) {
        Ok(module) => {
            let printed = text::print(&module);
            assert!(text::parse(&printed).is_ok(), "what was printed parses:\n{printed}");
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal says why");
            false
        }
    });
}

#[test]
fn the_decoder_survives_half_a_million_inputs() {
    let seeds: Vec<Vec<u8>> = seeds().iter().filter_map(|s| text::parse(s).ok()).map(|module| binary::encode(&module)).collect();
    bombard(&seeds, "the decoder", |input| match binary::decode(input) {
        Ok(module) => {
            assert_eq!(verify::verify(&module), Vec::new(), "what was decoded is valid");
            true
        }
        Err(_) => false,
    });
}

/// Everything that is done with a program, and how long it took.
fn whole_way(program: &str, args: &[Value]) -> Duration {
    let start = Instant::now();
    let module: Module = text::parse(program).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let printed = text::print(&module);
    let again = text::parse(&printed).unwrap_or_else(|errors| panic!("what was printed parses: {}", errors[0]));
    let mut graph = module.graph.clone();
    assert_eq!(graph.import(&again.graph, &again.roots()).expect("the same types"), module.roots(), "printed and parsed to the same ids");
    assert!(binary::decode(&binary::encode(&module)).is_ok(), "what was encoded decodes");
    let written = module.functions[0].lambda;
    let mut session = Program::new(module).with_limits(Limits { steps: u64::MAX });
    let outcome = session.optimize(&Options::everything()).expect("the rules keep their promises");
    let expected = session.run(written, args, None).expect("it runs");
    let found = session.run(outcome.roots[0], args, None).expect("it runs optimised");
    assert_eq!(found, expected);
    start.elapsed()
}

/// How much longer four times the size may take: about four times, and never the sixteen times that a quadratic step would.
const GROWTH: u32 = 9;

fn grows_linearly(what: &str, size: usize, measure: impl Fn(usize) -> Duration) {
    // The smaller one also warms up the allocator; the best of two tries stands for a quiet machine.
    let best = |size: usize| measure(size).min(measure(size));
    let (quarter, full) = (best(size / 4), best(size));
    println!("{what}: {size} in {full:?}, a quarter of it in {quarter:?}");
    assert!(full < quarter * GROWTH + Duration::from_millis(300), "{what}: {size} took {full:?}, a quarter of it {quarter:?}");
}

/// A big stack would hide what this is about: tests run with two megabytes, and so does this.
#[test]
fn a_hundred_thousand_nested_nodes_are_no_trouble() {
    let nested = |depth: usize| format!("func @f(x: i64) -> i64 {{ return {}x{} }}", "sub(1, ".repeat(depth), ")".repeat(depth));
    grows_linearly("nested calls", 100_000, |size| whole_way(&nested(size), &[Value::int(7)]));
    let chained = |length: usize| {
        let steps: Vec<String> = (1..=length).map(|i| format!("  v{i} = add(v{}, x)\n", i - 1)).collect();
        format!("func @f(x: i64) -> i64 {{\n  v0 = mul(x, 3)\n{}  return v{length}\n}}", steps.concat())
    };
    grows_linearly("statements", 100_000, |size| whole_way(&chained(size), &[Value::int(7)]));
    let table = Value::rel(1, vec![[Value::int(1)].into(), [Value::int(50)].into()]);
    let filters = |count: usize| {
        let steps: Vec<String> = (1..=count).map(|i| format!("  t{i} = rel.filter(t{}) |r| ne(r.a, {})\n", i - 1, i + 1000)).collect();
        format!("func @f(t0: rel{{a: i64}}) -> rel{{a: i64}} {{\n{}  return t{count}\n}}", steps.concat())
    };
    grows_linearly("filters", 100_000, |size| whole_way(&filters(size), std::slice::from_ref(&table)));
    let projects = |count: usize| {
        let steps: Vec<String> = (1..=count).map(|i| format!("  t{i} = rel.project(t{}) |r| {{a: bitxor(r.a, {i})}}\n", i - 1)).collect();
        format!("func @f(t0: rel{{a: i64}}) -> rel{{a: i64}} {{\n{}  return t{count}\n}}", steps.concat())
    };
    grows_linearly("projections", 100_000, |size| whole_way(&projects(size), std::slice::from_ref(&table)));
}

#[test]
fn bodies_nest_as_deep_as_they_may_and_no_deeper() {
    let nested = |depth: usize| {
        let open: String = (0..depth).map(|_| "par.reduce(0, 1) |i| ").collect();
        format!("func @f() -> i64 {{ return {open}i{} }}", " |s, e| add(s, e)".repeat(depth))
    };
    assert!(whole_way(&nested(60), &[]) < PATIENCE);
    let refused = text::parse(&nested(5000)).err().map(|errors| errors[0].message.clone()).unwrap_or_default();
    assert!(refused.contains("nest deeper"), "found: {refused}");
}

#[test]
fn ten_thousand_columns_are_no_trouble() {
    let program = |width: usize| {
        let types: Vec<String> = (0..width).map(|i| format!("c{i}: i64")).collect();
        let types = types.join(", ");
        let sums: Vec<String> = (0..width).map(|i| format!("c{i}: add(r.c{i}, r.c{})", (i + 1) % width)).collect();
        format!(
            "func @f(t: rel{{{types}}}) -> rel{{{types}, d: i64}} {{\n  p = rel.project(t) |r| {{{}}}\n  s = rel.sort{{by: [asc.last]}}(p) |r| {{k: r.c1}}\n  \
             q = rel.filter(s) |r| ge(r.c0, 0)\n  return rel.project(q) |r| with(r, {{d: mul(r.c2, r.c3)}})\n}}",
            sums.join(", ")
        )
    };
    // The rows must fit both widths, so the width is part of the arguments.
    let measure = |width: usize| {
        let rows = (0..3).map(|row| (0..width).map(|i| Value::int((i + row) as i64)).collect()).collect();
        whole_way(&program(width), &[Value::rel(width, rows)])
    };
    grows_linearly("columns", 10_000, measure);
}
