//! Random groups and aggregates whose rows are folded by compiled code from the first batch on: each batch is compared with the interpreter, and results with those of an
//! engine without a compiler and with the oracle.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

use airloom_compute::data::{Datum, Native};
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Run};
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_jit::LlvmCompiler;
use airloom_opt::facts::Statistics;
use airloom_opt::generate::Draw;
use std::sync::Arc;

const PROGRAMS: usize = 200;
const LIMITS: Limits = Limits { steps: 100_000_000 };
/// The columns of every table beside its keys, and whether they may be null.
const COLUMNS: [(&str, &str); 18] = [
    ("a", "decimal(15, 2)"),
    ("b", "decimal(15, 2)"),
    ("c", "decimal(15, 2)?"),
    ("x", "f64"),
    ("y", "f64"),
    ("z", "f64?"),
    ("i", "i64"),
    ("j", "i64?"),
    ("n", "i32"),
    ("u", "u8?"),
    ("t", "bool"),
    ("d", "duration(ns)?"),
    ("f", "f32?"),
    ("o", "bool?"),
    ("e", "date"),
    ("s", "timestamp(us)?"),
    ("v", "u64"),
    ("h", "time"),
];
const MAPS: [(&str, &[&str], &str); 13] = [
    ("price", &["a", "b"], "mul(p, sub(\"1.00\": decimal(15, 2), q))"),
    ("charge", &["a", "b", "c"], "mul(mul(p, sub(\"1.00\": decimal(15, 2), q)), r)"),
    ("difference", &["a", "c"], "sub(p, q)"),
    ("line", &["x", "y"], "add(mul(p, 2.5), q)"),
    ("ratio", &["x", "z"], "div(p, q)"),
    ("scaled", &["i", "n"], "add(mul(p, 3), cast{to: i64}(q))"),
    ("share", &["i", "j"], "floordiv(p, q)"),
    ("sign", &["x", "z"], "mul(p, sub(q, q))"),
    ("less", &["x", "z"], "lt(p, q)"),
    // What is interpreted before code adds it up.
    ("chosen", &["k", "x"], "select(eq(p, \"a\"), mul(q, 2.5), 0.0)"),
    ("length", &["long", "i"], "add(mul(str.len(p), 3), q)"),
    ("begins", &["long", "z"], "and(str.starts(p, \"a te\"), lt(q, 1.0))"),
    ("upper", &["l", "a"], "select(eq(str.case{to: upper}(p), \"B\"), q, \"1.00\": decimal(15, 2))"),
];
const FILTERS: [&str; 9] = [
    "",
    "gt(r.a, \"0.05\": decimal(15, 2))",
    "lt(r.i, 2)",
    "and(ne(r.j, 0), gt(r.n, -2: i32))",
    "r.t",
    "eq(r.n, 1: i32)",
    // Conditions of text, of which the others leave few rows, many, or none.
    "and(str.contains(r.long, \"text\"), lt(r.wide, 9))",
    "and(and(eq(r.l, \"é\"), str.starts(r.long, \"s\")), and(gt(r.wide, 20), ne(r.j, 0)))",
    "and(lt(r.wide, 0), str.ends(r.long, \"holds\"))",
];
const KEYS: [&str; 8] = [
    "{}",
    "{k: r.k}",
    "{k: r.k, l: r.l}",
    "{m: r.m}",
    "{n: r.n, t: r.t}",
    "{long: r.long, k: r.k}",
    "{wide: r.wide}",
    "{wide: r.wide, k: r.k}",
];

#[test]
fn folded_rows_come_to_what_the_interpreter_and_the_oracle_say() {
    let mut draw = Draw::new(41);
    let (mut cases, mut raised) = (0, 0);
    for number in 0..PROGRAMS {
        let (program, exact) = program(&mut draw);
        let module = text::parse(&program).unwrap_or_else(|error| panic!("{program} does not parse: {error:?}"));
        let (graph, function) = (&module.graph, module.functions[0].lambda);
        let (types, params) = (graph.types(), graph.params_of(function));
        for (rows, large) in [(0, 0), (1, 0), (90, 0), (700, 0), (700, 3)] {
            let table = table(types, params[0], rows, large, &mut draw);
            let run = |engine: &Engine| {
                let data = vec![Datum::from_value(types, params[0], &table)];
                let found = engine.run(graph.clone(), function, &data, Statistics::default(), &Run::over(Catalog::default()));
                found.map(|datum| datum.to_value(types, graph.ty_id(graph.result_of(function)))).map_err(|failure| failure.to_string())
            };
            let expected = Oracle::new(graph, LIMITS).call(function, std::slice::from_ref(&table)).map_err(|error| error.to_string());
            for (threads, morsel_rows) in [(1, 64), (3, 7), (1, 1000)] {
                let [off, always, verified] =
                    [Native::Off, Native::Always, Native::Verify].map(|native| run(&engine(threads, morsel_rows, native)));
                let what = || format!("program {number}, {rows} rows, {threads} threads, morsels of {morsel_rows}:\n{program}");
                assert_eq!(bits(&off), bits(&verified), "compiled or not, {}", what());
                assert_eq!(bits(&off), bits(&always), "compiled from the first row, {}", what());
                // Sums of floats may be added in any order: only without them is the oracle's the one result. It hears the rows of one group after the other.
                match (&verified, &expected) {
                    (Ok(_), Ok(_)) if exact => assert_eq!(bits(&verified), bits(&expected), "beside the oracle, {}", what()),
                    (found, expected) => assert_eq!(found.is_ok(), expected.is_ok(), "{found:?}, expected {expected:?}, {}", what()),
                }
                cases += 1;
                raised += usize::from(expected.is_err());
            }
        }
    }
    let counts = LlvmCompiler::counts();
    println!("{PROGRAMS} programs, {cases} runs ({raised} raised); {counts:?}");
    assert!(counts.compiled > PROGRAMS as u64 && counts.failed == 0 && raised > 10, "{counts:?}, {raised} raised");
}

/// What tells two results apart, which NaN a NaN is left aside.
fn bits(result: &Result<Value, String>) -> String {
    format!("{result:?}")
}

fn engine(threads: usize, morsel_rows: usize, native: Native) -> Engine {
    let options = Options {
        threads,
        memory: 1 << 30,
        morsel_rows,
        spill_folder: std::env::temp_dir(),
        // Rows go into groups after the first few.
        parts_rows: 16,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: LIMITS.steps,
        native,
    };
    Engine::new(options).expect("options that hold").with_compiler(Arc::new(LlvmCompiler))
}

/// The text of a program, and whether it has no sum of floats.
fn program(draw: &mut Draw) -> (String, bool) {
    let columns: Vec<String> = COLUMNS.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let row = format!("rel{{k: str, l: str, long: str?, m: i64, wide: i64, {}}}", columns.join(", "));
    let (mut lines, mut results, mut exact) = (Vec::new(), Vec::new(), true);
    for number in 0..1 + draw.below(5) {
        let (of, ty) = if draw.chance(50) {
            let (name, ty) = *draw.pick(&COLUMNS);
            (format!("g.{name}"), ty)
        } else {
            let (name, inputs, body) = *draw.pick(&MAPS);
            let (given, params) = (
                inputs.iter().map(|input| format!("g.{input}")).collect::<Vec<_>>().join(", "),
                ["p", "q", "r"][..inputs.len()].join(", "),
            );
            lines.push(format!("    {name}{number} = arr.map({given}) |{params}| {body}\n"));
            let ty = match name {
                "line" | "ratio" | "sign" | "chosen" => "f64?",
                "less" | "begins" => "bool?",
                "scaled" | "share" | "length" => "i64?",
                _ => "decimal?",
            };
            (format!("{name}{number}"), ty)
        };
        let skip = *draw.pick(&["none", "null", "nan", "all"]);
        let of_type = |names: &[&str]| names.iter().any(|name| ty.starts_with(name));
        let (float, no_mean) = (of_type(&["f64"]), of_type(&["bool", "duration", "f32", "date", "time"]));
        let op = match draw.below(6) {
            0 => "count",
            1 if no_mean => "count",
            1 => "mean",
            2 => "min",
            3 => "max",
            4 if of_type(&["bool"]) => *draw.pick(&["any", "all"]),
            _ if of_type(&["f32", "date", "time"]) => "max",
            _ => "sum",
        };
        let whole_mean = op == "mean" && !ty.starts_with("decimal");
        exact &= !["sum", "mean"].contains(&op) || !(float || whole_mean);
        let attrs = match op {
            "count" | "min" | "max" | "any" | "all" => format!("{{skip: {skip}}}"),
            "mean" => format!("{{skip: {skip}, reassoc: true}}"),
            _ => format!("{{skip: {skip}, min_count: {}, reassoc: true}}", draw.below(3)),
        };
        lines.push(format!("    v{number} = arr.{op}{attrs}({of})\n"));
        results.push(format!("v{number}: v{number}"));
    }
    let filter = *draw.pick(&FILTERS);
    let kept = if filter.is_empty() { "t".to_string() } else { format!("rel.filter(t) |r| {filter}") };
    let keys = *draw.pick(&KEYS);
    let body = format!(
        "func @f(t: {row}) {{\n  kept = {kept}\n  return rel.group(kept) |r| {keys} |g| {{\n{}    return {{{}}}\n  }}\n}}\n",
        lines.concat(),
        results.join(", ")
    );
    (body, exact)
}

fn table(types: &Types, ty: TyId, rows: usize, large: u64, draw: &mut Draw) -> Value {
    let Ty::Rel(fields) = types.get(ty) else { panic!("a table") };
    let nulls = *draw.pick(&[0, 0, 10, 100]);
    let nan = *draw.pick(&[0, 0, 5]);
    let cell = |name: &str, ty: TyId, draw: &mut Draw| {
        if types.nullable(ty) && draw.chance(nulls) {
            return Value::Null;
        }
        match (name, types.plain(ty)) {
            ("long", _) => Value::str(draw.pick::<&str>(&["a text longer than a view holds", "short"])),
            (_, Ty::Str) => Value::str(draw.pick::<&str>(&["a", "b", "", "é"])),
            (_, Ty::Bool) => Value::Bool(draw.chance(80)),
            (_, Ty::Decimal { .. }) if draw.chance(large) => Value::Int(*draw.pick(&[999_999_999_999_999, -999_999_999_999_999])),
            (_, Ty::Decimal { .. }) => Value::int(draw.below(100_000) as i64 - 2_000),
            ("wide", _) => Value::int(draw.below(150) as i64),
            ("v", _) => Value::Int(*draw.pick(&[0, 1, i128::from(i64::MAX), i128::from(i64::MAX) + 1, i128::from(u64::MAX)])),
            ("h", _) => Value::int(draw.below(86_400) as i64),
            (_, Ty::F64) if draw.chance(nan) => Value::F64(f64::NAN),
            (_, Ty::F32) if draw.chance(nan) => Value::F32(f32::NAN),
            (_, Ty::F32) => Value::F32(*draw.pick(&[0.1, -0.0, 0.0, f32::INFINITY, -2.0, f32::MIN_POSITIVE, 3.0])),
            (_, Ty::F64) => Value::F64(*draw.pick(&[0.1, -0.0, 0.0, 1.5, -2.0, 0.3, 1e17, 3.0])),
            (_, Ty::Int(int)) if !int.signed() => Value::int(draw.below(256) as i64),
            (_, Ty::Int(_)) if draw.chance(large) => Value::int(*draw.pick(&[i64::from(i32::MAX), i64::from(i32::MIN)])),
            _ => Value::int(draw.below(7) as i64 - 3),
        }
    };
    let row = |draw: &mut Draw| fields.iter().map(|field| cell(&field.name, field.ty, draw)).collect();
    Value::rel(fields.len(), (0..rows).map(|_| row(draw)).collect())
}
