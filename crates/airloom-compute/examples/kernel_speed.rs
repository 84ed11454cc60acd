//! How fast the most used kernels are, in batches that stay in the second-level cache, and beside them Arrow's kernels, where it has one of the same meaning or
//! nearly so: `cargo run --release -p airloom-compute --example kernel_speed`.
#![allow(clippy::print_stdout, reason = "the figures are what this program is for")]

use airloom_compute::data::{Vector, values_to_array};
use airloom_compute::functions::{KernelCall, apply};
use airloom_ir::attrs::{Attr, Attrs};
use airloom_ir::graph::{Args, Graph};
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::{TimeUnit, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, Datum, Scalar};
use arrow::compute::kernels::{cast, cmp, comparison, numeric, temporal, zip};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use std::sync::Arc;
use std::time::Instant;

const LANES: usize = 16_384;

struct Bench {
    graph: Graph,
}

impl Bench {
    /// Runs an op and prints how many bytes of its arguments it takes in a second, and how many Arrow's kernel does.
    fn run(&mut self, title: &str, name: &str, attrs: &[Attr], args: &[(TyId, Vector)]) {
        let arg_types: Vec<TyId> = args.iter().map(|(ty, _)| *ty).collect();
        let rows: Vec<Vector> = args.iter().map(|(_, row)| row.clone()).collect();
        let params = self.graph.params(&arg_types).expect("parameters of known types are well typed");
        let op = Op::from_name(name).expect("an op of the table");
        let attrs: Attrs = attrs.iter().cloned().collect();
        let node = self.graph.make(op, attrs.clone(), &Args::from_slice(&params)).expect("the op takes these types");
        let call = KernelCall {
            types: self.graph.types(),
            op,
            attrs: &attrs,
            args: &rows,
            arg_types: &arg_types,
            ty: self.graph.ty_id(node),
            rows: LANES,
        };
        let bytes: usize = rows.iter().map(bytes_of).sum();
        let ours = best(|| drop(std::hint::black_box(apply(&call).expect("nothing raises here"))));
        let speed = |time: f64| bytes as f64 / time / 1e9;
        let arrays: Vec<Argument> = args.iter().map(|(ty, vector)| Argument::of(self.graph.types(), *ty, vector)).collect();
        let theirs = match arrows(name, &attrs, &arrays) {
            Ok(_) => format!("{:8.2} GB/s", speed(best(|| drop(std::hint::black_box(arrows(name, &attrs, &arrays)))))),
            Err(_) => "       -".into(),
        };
        println!("{title:44} {:8.2} GB/s {:8.2} ns/row   arrow {theirs}", speed(ours), ours * 1e9 / LANES as f64);
    }
}

/// The least time of a run.
fn best(run: impl Fn()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..7 {
        let (start, mut rounds) = (Instant::now(), 0);
        while start.elapsed().as_millis() < 30 {
            run();
            rounds += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(rounds));
    }
    best
}

/// An argument of Arrow's kernels.
enum Argument {
    Column(ArrayRef),
    Constant(Scalar<ArrayRef>),
}

impl Argument {
    fn of(types: &Types, ty: TyId, vector: &Vector) -> Argument {
        match vector {
            Vector::Constant(value) => Argument::Constant(Scalar::new(values_to_array(types, ty, std::slice::from_ref(value)))),
            _ => Argument::Column(vector.to_array(types, ty, LANES)),
        }
    }

    fn datum(&self) -> &dyn Datum {
        match self {
            Argument::Column(array) => array,
            Argument::Constant(scalar) => scalar,
        }
    }
}

/// What Arrow's kernel for an op gives, where it has one.
fn arrows(name: &str, attrs: &[Attr], args: &[Argument]) -> Result<ArrayRef, ArrowError> {
    let other = || Err(ArrowError::NotYetImplemented(name.into()));
    let at = |at: usize| args[at].datum();
    let truths = |made: Result<arrow::array::BooleanArray, ArrowError>| made.map(|made| Arc::new(made) as ArrayRef);
    let Argument::Column(first) = &args[0] else { return other() };
    match name {
        "lt" => truths(cmp::lt(at(0), at(1))),
        "le" => truths(cmp::lt_eq(at(0), at(1))),
        "ge" => truths(cmp::gt_eq(at(0), at(1))),
        "eq" => truths(cmp::eq(at(0), at(1))),
        "add" if attrs == [Attr::Word(0)] => numeric::add_wrapping(at(0), at(1)),
        "add" => numeric::add(at(0), at(1)),
        "mul" => numeric::mul_wrapping(at(0), at(1)),
        "select" => zip::zip(first.as_boolean(), at(1), at(2)),
        "cast" if attrs[0] == Attr::Ty(TyId::F64) => cast::cast(first, &DataType::Float64),
        "cast" if attrs[0] == Attr::Ty(TyId::I32) => cast::cast(first, &DataType::Int32),
        "cast" if attrs[0] == Attr::Ty(TyId::STR) => cast::cast(first, &DataType::Utf8View),
        "dt.part" if attrs == [Attr::Word(0)] => temporal::date_part(first, temporal::DatePart::Year),
        "dt.part" => temporal::date_part(first, temporal::DatePart::Hour),
        "str.starts" => truths(comparison::starts_with(at(0), at(1))),
        "str.contains" => truths(comparison::contains(at(0), at(1))),
        "str.like" => truths(comparison::like(at(0), at(1))),
        "str.matches" => {
            let Argument::Constant(pattern) = &args[1] else { return other() };
            let pattern = pattern.get().0.as_string_view().value(0);
            truths(comparison::regexp_is_match_scalar(first.as_string_view(), pattern, None))
        }
        _ => other(),
    }
}

fn bytes_of(row: &Vector) -> usize {
    match row {
        Vector::Flat(array) => match arrow::array::AsArray::as_string_view_opt(array) {
            Some(texts) => (0..texts.len()).map(|at| texts.value(at).len()).sum(),
            None => array.to_data().buffers().iter().map(|buffer| buffer.len().min(LANES * 16)).sum(),
        },
        _ => 0,
    }
}

fn main() {
    let mut graph = Graph::new();
    let types = graph.types_mut();
    let money = types.decimal(15, 2).expect("it is a decimal type");
    let micro = types.timestamp(TimeUnit::Micro, None).expect("no zone");
    let maybe = types.option(TyId::I64);
    let column = |ty: TyId, make: &dyn Fn(usize) -> Value| {
        let values: Vec<Value> = (0..LANES).map(make).collect();
        (ty, Vector::Flat(values_to_array(types, ty, &values)))
    };
    let mix = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let ints = column(TyId::I64, &|at| Value::int((mix(at) % 1_000_000) as i64));
    let others = column(TyId::I64, &|at| Value::int((mix(at + 7) % 1_000_000) as i64));
    let holes = column(maybe, &|at| if at % 5 == 0 { Value::Null } else { Value::int(at as i64) });
    let floats = column(TyId::F64, &|at| Value::F64(mix(at) as f64 / 1e3));
    let prices = column(money, &|at| Value::int((mix(at) % 10_000_000) as i64));
    let days = column(TyId::DATE, &|at| Value::int((mix(at) % 20_000) as i32));
    let stamps = column(micro, &|at| Value::int((mix(at) % 1_700_000_000_000_000) as i64));
    let truths = column(TyId::BOOL, &|at| Value::Bool(mix(at) % 3 == 0));
    let words = ["special", "requests", "carefully", "final", "deposits", "quickly", "packages", "ironic", "accounts", "sleep"];
    let comments = column(TyId::STR, &|at| {
        let text: Vec<&str> = (0..7).map(|k| words[mix(at * 7 + k) as usize % words.len()]).collect();
        Value::str(&text.join(" "))
    });
    let modes = column(TyId::STR, &|at| Value::str(["AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB", "REG AIR"][mix(at) as usize % 7]));
    let one = |ty: TyId, value: Value| (ty, Vector::Constant(value));
    let (int, text) = (one(TyId::I64, Value::int(500_000)), |text: &str| one(TyId::STR, Value::str(text)));
    let word = |at: u8| Attr::Word(at);
    let mut bench = Bench { graph };

    bench.run("lt(i64, constant)", "lt", &[word(0)], &[ints.clone(), int.clone()]);
    bench.run("lt(i64?, constant)", "lt", &[word(0)], &[holes.clone(), (maybe, int.1.clone())]);
    bench.run("eq(i64, i64)", "eq", &[word(0)], &[ints.clone(), others.clone()]);
    bench.run("le(f64, constant)", "le", &[word(0)], &[floats.clone(), one(TyId::F64, Value::F64(5e5))]);
    bench.run("ge(date, constant)", "ge", &[word(0)], &[days.clone(), one(TyId::DATE, Value::int(9_000))]);
    bench.run("add(i64, i64) wrapping", "add", &[word(0)], &[ints.clone(), others.clone()]);
    bench.run("add(i64, i64) raising", "add", &[word(1)], &[ints.clone(), others.clone()]);
    bench.run("mul(f64, f64)", "mul", &[word(0)], &[floats.clone(), floats.clone()]);
    bench.run("mul(decimal(15, 2), decimal(15, 2))", "mul", &[word(0)], &[prices.clone(), prices.clone()]);
    bench.run("add(decimal(15, 2), decimal(15, 2))", "add", &[word(0)], &[prices.clone(), prices.clone()]);
    bench.run("floordiv(i64, constant)", "floordiv", &[word(0)], &[ints.clone(), one(TyId::I64, Value::int(1_000))]);
    bench.run("floor(f64)", "floor", &[], std::slice::from_ref(&floats));
    bench.run("sqrt(f64)", "sqrt", &[], std::slice::from_ref(&floats));
    bench.run("select(bool, i64, i64)", "select", &[], &[truths.clone(), ints.clone(), others.clone()]);
    bench.run("coalesce(i64?, constant)", "coalesce", &[], &[holes.clone(), int.clone()]);
    bench.run(
        "is_in(i64, 4 constants)",
        "is_in",
        &[word(0)],
        &[ints.clone(), int.clone(), one(TyId::I64, Value::int(1)), one(TyId::I64, Value::int(2)), one(TyId::I64, Value::int(3))],
    );
    bench.run("cast(i64 to f64)", "cast", &[Attr::Ty(TyId::F64), word(0)], std::slice::from_ref(&ints));
    bench.run("cast(i64 to i32)", "cast", &[Attr::Ty(TyId::I32), word(0)], std::slice::from_ref(&ints));
    bench.run("cast(decimal(15, 2) to f64)", "cast", &[Attr::Ty(TyId::F64), word(0)], std::slice::from_ref(&prices));
    bench.run("cast(i64 to str)", "cast", &[Attr::Ty(TyId::STR), word(0)], std::slice::from_ref(&ints));
    bench.run("hash(i64)", "hash", &[Attr::Int(0)], std::slice::from_ref(&ints));
    bench.run("dt.part(date, year)", "dt.part", &[word(0)], std::slice::from_ref(&days));
    bench.run("dt.part(timestamp, hour)", "dt.part", &[word(9)], std::slice::from_ref(&stamps));
    bench.run("dt.step(timestamp, day)", "dt.step", &[word(4), Attr::Int(1), word(0)], std::slice::from_ref(&stamps));
    bench.run("eq(str, short constant)", "eq", &[word(0)], &[modes.clone(), text("RAIL")]);
    bench.run("lt(str, constant)", "lt", &[word(0)], &[comments.clone(), text("packages")]);
    bench.run("eq(str, str)", "eq", &[word(0)], &[comments.clone(), comments.clone()]);
    bench.run("str.starts(str, constant)", "str.starts", &[], &[comments.clone(), text("spec")]);
    bench.run("str.contains(str, constant)", "str.contains", &[], &[comments.clone(), text("sleep ironic")]);
    bench.run("str.like(str, '%special%requests%')", "str.like", &[], &[comments.clone(), text("%special%requests%")]);
    bench.run("str.matches(str, 'special.*requests')", "str.matches", &[word(0)], &[comments.clone(), text("special.*requests")]);
    bench.run("str.case(str, upper)", "str.case", &[word(0)], std::slice::from_ref(&comments));
    bench.run(
        "str.slice(str, 0, 20)",
        "str.slice",
        &[],
        &[comments.clone(), one(TyId::I64, Value::int(0)), one(TyId::I64, Value::int(20))],
    );
    bench.run("str.concat(str, str)", "str.concat", &[], &[comments.clone(), modes.clone()]);
    bench.run("str.len(str)", "str.len", &[word(0)], std::slice::from_ref(&comments));
}
