//! Every array op over awkward elements, shapes and bodies: the engine against the oracle, errors included.

mod awkward;
#[path = "arrays/reductions.rs"]
mod reductions;

use airloom_compute::array::{Bodies, apply, datum_to_value, value_to_datum};
use airloom_compute::data::{Datum, Failure, NdArray, Vector};
use airloom_ir::attrs::{Attr, AttrShape, Attrs, SortKey};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::core::Core;
use airloom_ir::ops::{self, AttrDef, Make, Op, OpDef};
use airloom_ir::oracle::{Limits, Oracle, Stop};
use airloom_ir::text;
use airloom_ir::types::{Dim, Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_opt::check::{themes, value};
use airloom_opt::generate::{self, Draw};
use arrow::array::Array;
use awkward::{attributes, over_rubbish};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const FAMILIES: [&str; 4] = ["array", "reduce", "sequence", "control"];
const LIMITS: Limits = Limits { steps: 1_000_000 };

/// Programs whose bodies are combiners that are known and not known, that raise, that capture, and that have states of several parts.
const PROGRAMS: &str = r#"
func @map_one(a: arr<f64?; ?, ?>) -> arr<bool?; ?, ?> { return arr.map(a) |x| gt(x, 1.0) }
func @map_two(a: arr<i64; ?>, b: arr<i64; ?>, k: i64) -> arr<i64; ?> { return arr.map(a, b) [k] |x, y, k| add(mul(x, y), k) }
func @map_raises(a: arr<i64; ?>, b: arr<i64; ?>) -> arr<i64; ?> { return arr.map(a, b) |x, y| floordiv(x, y) }
func @map_text(a: arr<str?; ?>) -> arr<str?; ?> { return arr.map(a) |x| str.concat(x, "!") }
func @tabulate(n: i64, m: i64, k: f64) -> arr<f64; ?, ?> { return par.tabulate(n, m) [k] |i, j, k| add(mul(cast{to: f64}(i), k), cast{to: f64}(j)) }
func @tabulate_raises(a: arr<f64?; ?>, n: i64) -> arr<f64?; ?> { return par.tabulate(n) [a] |i, a| arr.at(a, i) }
func @tabulate_structs(n: i64) -> arr<{i: i64, odd: bool}; ?> { return par.tabulate(n) |i| {i: i, odd: eq(floormod(i, 2), 1)} }
func @sum(start: f64, a: arr<f64; ?>) -> f64 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| add(s, x) }
func @product(start: i64, a: arr<i64; ?>) -> i64 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| mul(s, x) }
func @checked(start: i64, a: arr<i64; ?>) -> i64 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| add{overflow: raise}(s, x) }
func @least(start: f64, a: arr<f64; ?>) -> f64 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| least(s, x) }
func @least_number(start: f64, a: arr<f64; ?>) -> f64 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| least{nan: ignore}(s, x) }
func @greatest(start: f32, a: arr<f32; ?>) -> f32 { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| greatest(s, x) }
func @every(start: bool, a: arr<bool; ?>) -> bool { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| and(s, x) }
func @some(start: bool, a: arr<bool; ?>) -> bool { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| or(s, x) }
func @maybe(start: i64?, a: arr<i64?; ?>) -> i64? { n = arr.dim(a) return par.reduce(start, n) [a] |i, a| arr.at(a, i) |s, x, a| add(s, x) }
func @two_axes(start: i64, n: i64, m: i64) -> i64 { return par.reduce(start, n, m) |i, j| sub(mul(i, 7), j) |s, x| sub(x, s) }
func @pairs(a: arr<f64; ?>) -> (f64, i64) {
  n = arr.dim(a)
  return par.reduce((0.0, 0), n) [a] |i, a| (arr.at(a, i), i) |s, x, a| (add(item{number: 0}(s), item{number: 0}(x)), add(item{number: 1}(s), item{number: 1}(x)))
}
func @scan_sum(start: f64, a: arr<f64; ?>) -> arr<f64; ?> { n = arr.dim(a) return par.scan(start, n) [a] |i, a| arr.at(a, i) |s, x, a| add(s, x) }
func @scan_last(a: arr<f64?; ?>) -> arr<f64?; ?> { n = arr.dim(a) return par.scan(null: f64?, n) [a] |i, a| arr.at(a, i) |s, x, a| coalesce(x, s) }
func @scan_raises(a: arr<i64; ?>) -> arr<i64; ?> { n = arr.dim(a) return par.scan(100, n) [a] |i, a| arr.at(a, i) |s, x, a| floordiv(s, x) }
func @scan_extent(start: i64, n: i64) -> arr<i64; ?> { return par.scan(start, n) |i| i |s, x| mul(s, x) }
func @counts(start: arr<i64; ?>, p: arr<i64; ?>) -> arr<i64; ?> { n = arr.dim(p) return par.scatter(start, n) [p] |i, p| arr.at(p, i) |i, p| 1 |old, new, p| add(old, new) }
func @spread(start: arr<f64; ?>, v: arr<f64; ?>) -> arr<f64; ?> { n = arr.dim(v) return par.scatter(start, n) [v] |i, v| floormod(i, 3) |i, v| arr.at(v, i) |old, new, v| greatest(old, new) }
func @spread_last(start: arr<str?; ?>, v: arr<str?; ?>) -> arr<str?; ?> { n = arr.dim(v) return par.scatter(start, n) [v] |i, v| floormod(i, 3) |i, v| arr.at(v, i) |old, new, v| new }
func @spread_raises(start: arr<i64; ?>, v: arr<i64; ?>) -> arr<i64; ?> { n = arr.dim(v) return par.scatter(start, n) [v] |i, v| floormod(arr.at(v, i), 4) |i, v| floordiv(12, arr.at(v, i)) |old, new, v| add(old, new) }
func @compact(a: arr<i64?; ?>) -> arr<i64?; ?> { n = arr.dim(a) return par.compact(n) [a] |i, a| ne(arr.at(a, i), 0) |i, a| floordiv(12, arr.at(a, i)) }
func @compact_raises(a: arr<i64; ?>) -> arr<i64; ?> { n = arr.dim(a) return par.compact(n) [a] |i, a| gt(floordiv(7, arr.at(a, i)), 0) |i, a| arr.at(a, i) }
func @compact_texts(a: arr<str; ?>) -> arr<str; ?> { n = arr.dim(a) return par.compact(n) [a] |i, a| str.contains(arr.at(a, i), "a") |i, a| arr.at(a, i) }
func @branch(c: bool?, a: arr<i64; ?>) -> arr<i64; ?> { return seq.if(c) [a] |a| arr.cumsum(a) |a| a }
func @steps(n: i64) -> (i64, i64) {
  return seq.while((floormod(n, 50), 0)) |s| gt(item{number: 0}(s), 0) |s| (sub(item{number: 0}(s), 1), add(item{number: 1}(s), item{number: 0}(s)))
}
func @arrays_in_state(a: arr<f64; ?>) -> (i64, arr<f64; ?>) {
  return seq.while((0, a)) |s| lt(item{number: 0}(s), 3) |s| (add(item{number: 0}(s), 1), arr.map(item{number: 1}(s)) |x| mul(x, 2.0))
}
func @turns(a: arr<f64; ?>, k: i64) -> (f64, arr<f64; ?>) {
  return seq.for((0.0, a), 0, arr.dim(a), sub(floormod(k, 5), 1)) |i, s| (add(item{number: 0}(s), arr.at(item{number: 1}(s), i)), arr.put(item{number: 1}(s), item{number: 0}(s), i))
}
func @turns_back(n: i64, k: i64) -> i64 { return seq.for(1, floormod(n, 40), -3, -2) [k] |i, s, k| sub(mul(s, 3), floordiv(i, floormod(k, 3))) }
func @rows_of_rows(n: i64) -> arr<i64; ?> { return par.tabulate(n) |i| arr.sum(par.tabulate(add(i, 1)) [i] |j, i| mul(i, j)) }
"#;

#[test]
fn every_array_op_is_as_the_oracle_says() {
    let tally = Tally::default();
    let mut draw = Draw::new(23);
    tally.plain_ops(&mut draw);
    tally.programs(&mut draw);
    tally.rolling(&mut draw);
    tally.windows(&mut draw);
    for seed in 0..3_000 {
        let case = generate::arrays(seed);
        let function = case.module.functions[0].lambda;
        tally.compare(&Arc::new(case.module.graph.clone()), function, &case.args, "a random program");
    }
    let known: BTreeSet<&str> = ops::all().filter(|def| FAMILIES.contains(&def.family)).map(|def| def.name).collect();
    let seen: BTreeSet<&str> = tally.seen.borrow().keys().copied().collect();
    let missing: Vec<_> = known.difference(&seen).collect();
    assert!(missing.is_empty(), "no case could be made of {missing:?}");
    assert!(tally.cases.get() > 10_000 && tally.raised.get() > 100, "too few cases: {tally:?}");
    #[allow(clippy::print_stderr, reason = "the figures of the run are what the reader of a test log looks for")]
    {
        let (ops, combinations) = (known.len(), tally.combinations.get());
        eprintln!(
            "{ops} ops, {combinations} combinations of types and attributes, {} cases ({} raised)",
            tally.cases.get(),
            tally.raised.get()
        );
    }
}

/// More rows than a chunk has.
#[test]
fn chunks_follow_one_another() {
    const LONG: &str = r#"
func @tabulate(n: i64, m: i64) -> arr<i64; ?, ?> { return par.tabulate(n, m) |i, j| sub(mul(i, i), j) }
func @map(n: i64, m: i64) -> arr<i64; ?> { return arr.map(arr.iota(mul(n, m))) [m] |x, m| mul(x, m) }
func @sum(n: i64, m: i64) -> f64 { return par.reduce(0.1, n, m) |i, j| div(cast{to: f64}(j), cast{to: f64}(add(i, 3))) |s, x| add(s, x) }
func @scan(n: i64, m: i64) -> arr<f64; ?> { return par.scan(0.1, mul(n, m)) |i| div(1.0, cast{to: f64}(add(i, 3))) |s, x| add(s, x) }
func @slow_scan(n: i64, m: i64) -> arr<i64; ?> { return par.scan(1, mul(n, m)) |i| i |s, x| sub(x, s) }
func @scatter(n: i64, m: i64) -> arr<i64; ?> { return par.scatter(arr.fill(0, 7), mul(n, m)) |i| floormod(i, 7) |i| mul(i, i) |old, new| add(old, new) }
func @compact(n: i64, m: i64) -> arr<i64; ?> { return par.compact(mul(n, m)) |i| eq(floormod(i, 3), 1) |i| mul(i, 2) }
func @raises(n: i64, m: i64) -> i64 { return par.reduce(0, mul(n, m)) |i| floordiv(1, sub(i, 20000)) |s, x| add{overflow: raise}(s, 1000000000000000) }
func @columns(n: i64, m: i64) -> arr<f64; ?> { return arr.sum{axes: [0]}(par.tabulate(n, m) |i, j| div(cast{to: f64}(i), cast{to: f64}(add(j, 3)))) }
func @turned(n: i64, m: i64) -> arr<i64; ?, ?> { return arr.transpose{axes: [1, 0]}(par.tabulate(n, m) |i, j| sub(mul(i, i), j)) }
"#;
    let module = text::parse(LONG).unwrap_or_else(|error| panic!("the programs of this test do not parse: {error:?}"));
    let tally = Tally { limits: Cell::new(Limits { steps: 10_000_000 }), ..Tally::default() };
    for function in &module.functions {
        for (n, m) in [(3, 16_384), (1, 16_384), (16_385, 1), (190, 173), (0, 5)] {
            tally.compare(&Arc::new(module.graph.clone()), function.lambda, &[Value::int(n), Value::int(m)], &function.name);
        }
    }
}

/// What was tried.
#[derive(Debug)]
struct Tally {
    limits: Cell<Limits>,
    seen: RefCell<BTreeMap<&'static str, usize>>,
    combinations: Cell<usize>,
    cases: Cell<usize>,
    raised: Cell<usize>,
}

impl Default for Tally {
    fn default() -> Tally {
        let (combinations, cases, raised) = Default::default();
        Tally { limits: Cell::new(LIMITS), seen: RefCell::default(), combinations, cases, raised }
    }
}

/// A program over the engine's arrays: array ops by the engine, everything else by the oracle.
struct Program<'a> {
    graph: &'a Arc<Graph>,
    tally: &'a Tally,
}

impl Program<'_> {
    fn run(&self, result: NodeId, params: &[Datum]) -> Result<Datum, Failure> {
        let (graph, types) = (self.graph, self.graph.types());
        let mut known: BTreeMap<NodeId, Datum> = BTreeMap::new();
        for id in graph.block_order(&[result]) {
            let (op, def) = (graph.op(id), graph.op(id).def());
            let get = |ids: &[NodeId]| ids.iter().map(|id| known[id].clone()).collect::<Vec<Datum>>();
            let datum = match op {
                Op::Core(Core::Lambda) => Datum::Function(id),
                Op::Core(Core::Param) => params[graph.as_param(id).expect("it is one").number as usize].clone(),
                _ if FAMILIES.contains(&def.family) => {
                    *self.tally.seen.borrow_mut().entry(def.name).or_default() += 1;
                    let parts = def.parts(graph.args(id)).expect("a node has the arguments its op takes");
                    let (own, captures) = if parts.bodies.is_empty() { (graph.args(id), &[][..]) } else { (parts.fixed, parts.tail) };
                    let found = apply(graph, id, &get(own), parts.bodies, &get(captures), self)?;
                    if let Datum::Array(array) = &found {
                        array.items.to_data().validate_full().expect("an array of the engine is well formed");
                        assert_eq!(array.items.len(), array.shape.iter().product::<usize>());
                    }
                    found
                }
                _ => {
                    let values: Vec<Value> =
                        graph.args(id).iter().map(|&arg| datum_to_value(types, graph.ty_id(arg), &known[&arg])).collect();
                    value_to_datum(types, graph.ty_id(id), Oracle::new(graph, self.tally.limits.get()).apply(id, &values)?)
                }
            };
            known.insert(id, datum);
        }
        Ok(known.remove(&result).expect("the result is the last"))
    }
}

impl Bodies for Program<'_> {
    fn rows(&self, body: NodeId, own: &[Vector], captures: &[Datum], rows: usize) -> Result<Vector, Failure> {
        let (types, result) = (self.graph.types(), self.graph.result_of(body));
        let params = self.graph.params_of(body);
        let ty = self.graph.ty_id(result);
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut args: Vec<Datum> =
                own.iter().zip(params).map(|(own, &ty)| value_to_datum(types, ty, own.value(types, ty, row))).collect();
            args.extend_from_slice(captures);
            values.push(datum_to_value(types, ty, &self.run(result, &args)?));
        }
        Ok(Vector::from_values(types, ty, &values))
    }

    fn once(&self, body: NodeId, own: &[Datum], captures: &[Datum]) -> Result<Datum, Failure> {
        self.run(self.graph.result_of(body), &[own, captures].concat())
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Tally {
    /// One function for these arguments, by the engine and by the oracle.
    fn compare(&self, graph: &Arc<Graph>, function: NodeId, args: &[Value], what: &str) {
        let types = graph.types();
        let params = graph.params_of(function);
        let expected = Oracle::new(graph, self.limits.get()).call(function, args);
        // What is too long for the oracle would take the engine years.
        if expected.as_ref().is_err_and(|stop| matches!(stop, Stop::OutOfSteps(_))) {
            return;
        }
        let data: Vec<Datum> =
            params.iter().zip(args).map(|(&ty, value)| value_to_datum(types, ty, value.clone())).map(disturbed).collect();
        let result = graph.result_of(function);
        let found = Program { graph, tally: self }.run(result, &data);
        self.cases.set(self.cases.get() + 1);
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                let found = datum_to_value(types, graph.ty_id(result), &found);
                assert_eq!(found, expected, "{what} of {args:?}");
            }
            (Err(expected), Err(found)) => {
                self.raised.set(self.raised.get() + 1);
                assert_eq!(found.to_string(), expected.to_string(), "{what} of {args:?}");
            }
            (expected, found) => panic!("{what} of {args:?}: expected {expected:?}, found {found:?}"),
        }
    }

    fn programs(&self, draw: &mut Draw) {
        let module = text::parse(PROGRAMS).unwrap_or_else(|error| panic!("the programs of this test do not parse: {error:?}"));
        for function in &module.functions {
            self.combinations.set(self.combinations.get() + 1);
            for _ in 0..150 {
                let shape = shape(2, draw);
                let args: Vec<Value> =
                    module.graph.params_of(function.lambda).iter().map(|&ty| awkward(module.graph.types(), ty, &shape, draw)).collect();
                self.compare(&Arc::new(module.graph.clone()), function.lambda, &args, &function.name);
            }
        }
    }

    /// Windows of every reduction there is, for a few types of elements.
    fn rolling(&self, draw: &mut Draw) {
        let reductions = [
            "sum", "product", "mean", "min", "max", "count", "nunique", "first", "last", "var", "std", "skew", "kurt", "median", "argmin",
            "list", "any",
        ];
        for reduction in reductions {
            for element in ["f64", "f64?", "i64?", "u8", "f32?", "decimal(12, 2)?", "str?", "date?", "bool?"] {
                for (skip, closed, centred, least) in
                    [("none", "right", "false", 1), ("all", "both", "true", 0), ("null", "left", "false", 2), ("nan", "neither", "true", 1)]
                {
                    let body = format!(
                        "arr.rolling{{min_count: {least}, centred: {centred}, closed: {closed}}}(a, width) |w| arr.{reduction}{{skip: {skip}}}(w)"
                    );
                    // The type of the result is found by asking for a wrong one.
                    let Some(program) = well_typed(&format!("a: arr<{element}; ?>, width: i64"), &body) else { continue };
                    let module = text::parse(&program).expect("it has been parsed before");
                    self.combinations.set(self.combinations.get() + 1);
                    let function = module.functions[0].lambda;
                    for _ in 0..40 {
                        let shape = shape(1, draw);
                        let array = awkward(module.graph.types(), module.graph.params_of(function)[0], &shape, draw);
                        let width = Value::int(*draw.pick(&[0i64, 1, 2, 3, 5, 100, i64::MAX, -1]));
                        self.compare(&Arc::new(module.graph.clone()), function, &[array, width], &program);
                    }
                }
            }
        }
    }

    /// Windows between positions that go forward, back and out of the array.
    fn windows(&self, draw: &mut Draw) {
        for reduction in ["sum", "mean", "min", "max", "count", "first", "median", "var", "list"] {
            for element in ["f64", "f64?", "i64?", "u8", "str?", "date?"] {
                for (skip, least) in [("none", 1), ("all", 0), ("null", 2)] {
                    let body = format!("arr.windows{{min_count: {least}}}(a, starts, ends) |w| arr.{reduction}{{skip: {skip}}}(w)");
                    let parameters = format!("a: arr<{element}; ?>, starts: arr<i64; ?>, ends: arr<i64; ?>");
                    let Some(program) = well_typed(&parameters, &body) else { continue };
                    let module = text::parse(&program).expect("it has been parsed before");
                    self.combinations.set(self.combinations.get() + 1);
                    let function = module.functions[0].lambda;
                    for _ in 0..20 {
                        let array = awkward(module.graph.types(), module.graph.params_of(function)[0], &shape(1, draw), draw);
                        let count = *draw.pick(&[0usize, 1, 2, 5]);
                        let mut places =
                            || Value::arr((0..count).map(|_| Value::int(*draw.pick(&[0i64, 1, 2, 3, -1, i64::MAX, i64::MIN]))).collect());
                        let (starts, ends) = (places(), places());
                        self.compare(&Arc::new(module.graph.clone()), function, &[array, starts, ends], &program);
                    }
                }
            }
        }
    }

    /// Ops without bodies, with every combination of types and attributes that is well typed.
    fn plain_ops(&self, draw: &mut Draw) {
        for def in ops::all().filter(|def| FAMILIES.contains(&def.family) && def.bodies.is_empty()) {
            let mut graph = Graph::new();
            let cases = admissible(&mut graph, def);
            let rounds = (8_000 / cases.len().max(1)).clamp(2, 60);
            let mut functions = Vec::with_capacity(cases.len());
            for (types, attrs) in cases {
                self.combinations.set(self.combinations.get() + 1);
                let params = graph.params(&types).expect("parameters of known types are well typed");
                let node = graph.make(def.op, attrs, &Args::from_slice(&params)).expect("it was made before");
                let lambda =
                    airloom_ir::ops::core::BuildCore::lambda(&mut graph, node, types.clone().into()).expect("only parameters are open");
                functions.push((types, lambda));
            }
            let graph = Arc::new(graph);
            for (types, lambda) in functions {
                for _ in 0..rounds {
                    let axes = types.iter().map(|&ty| axes(graph.types(), ty)).max().unwrap_or(0);
                    let shape = shape(axes, draw);
                    let args: Vec<Value> = types.iter().map(|&ty| awkward(graph.types(), ty, &shape, draw)).collect();
                    let args = if def.name == "arr.reshape" { reshaped(args, draw) } else { args };
                    self.compare(&graph, lambda, &args, def.name);
                }
            }
        }
    }
}

/// The program that returns an expression, with the type that it has; nothing where it has none.
fn well_typed(params: &str, body: &str) -> Option<String> {
    for result in ["f64?", "f32?", "i64?", "u64?", "decimal(38, 2)?", "decimal(12, 2)?", "u8?", "str?", "date?", "bool?"] {
        for list in [result.to_string(), format!("list<{}>?", result.trim_end_matches('?')), format!("list<{result}>?")] {
            let program = format!("func @f({params}) -> arr<{list}; ?> {{ return {body} }}");
            if text::parse(&program).is_ok() {
                return Some(program);
            }
        }
    }
    None
}

fn axes(types: &Types, ty: TyId) -> usize {
    if let Ty::Arr(_, dims) = types.get(ty) { dims.len() } else { 0 }
}

/// Elements over rubbish where they are null, and now and then in the middle of a longer array.
fn disturbed(datum: Datum) -> Datum {
    match datum {
        Datum::Array(array) if array.items.len() % 3 == 1 => {
            let items: [&dyn Array; 3] = [&array.items.slice(0, 1), &array.items, &array.items];
            let items = over_rubbish(arrow::compute::concat(&items).expect("arrays of one type"));
            Datum::Array(NdArray { items: items.slice(1, array.items.len()), shape: array.shape })
        }
        Datum::Array(array) => Datum::Array(NdArray { items: over_rubbish(array.items), shape: array.shape }),
        other => other,
    }
}

fn shape(axes: usize, draw: &mut Draw) -> Vec<usize> {
    if axes == 1 {
        return vec![*draw.pick(&[0, 1, 2, 3, 7, 30, 64, 130])];
    }
    (0..axes).map(|_| *draw.pick(&[0, 1, 2, 3, 3, 4, 5])).collect()
}

/// Extents that an array can be brought to, most of the time.
fn reshaped(mut args: Vec<Value>, draw: &mut Draw) -> Vec<Value> {
    let Value::Arr(array) = &args[0] else { return args };
    let size = array.items.len() as i64;
    if draw.chance(80) {
        let last = args.len() - 1;
        let divisors: Vec<i64> = (1..=size.max(1)).filter(|d| size % d == 0).collect();
        let first = *draw.pick(&divisors);
        for (at, arg) in args.iter_mut().enumerate().skip(1) {
            *arg = Value::int(match (at, last) {
                (1, 1) => size,
                (1, _) => first,
                (at, last) if at == last => {
                    if draw.chance(50) {
                        -1
                    } else {
                        size / first
                    }
                }
                _ => 1,
            });
        }
    }
    args
}

/// A value of a type. Arrays have the first extents of the shape, most of the time; integers are small, most of the time.
fn awkward(types: &Types, ty: TyId, shape: &[usize], draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Arr(element, dims) => {
            let same = draw.chance(85);
            let shape: Vec<usize> = dims
                .iter()
                .enumerate()
                .map(|(axis, dim)| match dim {
                    Dim::Fixed(extent) => *extent as usize,
                    _ => shape.get(axis).copied().filter(|_| same).unwrap_or_else(|| draw.below(4)),
                })
                .collect();
            let nulls = *draw.pick(&[0, 20, 80]);
            let small = draw.chance(50);
            let items = (0..shape.iter().product()).map(|_| match types.get(*element) {
                Ty::Option(_) if draw.chance(nulls) => Value::Null,
                Ty::Option(inner) => item(types, *inner, small, draw),
                _ => item(types, *element, small, draw),
            });
            Value::nd(shape, items.collect())
        }
        Ty::Int(_) if draw.chance(85) => Value::int(draw.below(8) as i64 - if ty == TyId::I64 { 2 } else { 0 }),
        Ty::Int(int) => Value::Int(*draw.pick(&[int.lowest(), int.highest(), 0, 1])),
        Ty::Option(inner) if !draw.chance(30) => awkward(types, *inner, shape, draw),
        Ty::F64 if draw.chance(60) => Value::F64(*draw.pick(&[0.0, 0.25, 0.5, 0.3, 1.0, 0.99])),
        _ => value(types, ty, draw),
    }
}

fn item(types: &Types, ty: TyId, small: bool, draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Int(_) if small => Value::int(draw.below(5) as i64),
        Ty::F64 if small => Value::F64(draw.below(9) as f64 / 4.0),
        Ty::Str if small => Value::str(draw.pick::<&str>(&["a", "b", "abcdefghijklmnop", "abcdefghijklmnoq", ""])),
        _ => value(types, ty, draw),
    }
}

/// The argument types and attributes with which an op is well typed.
fn admissible(graph: &mut Graph, def: &'static OpDef) -> Vec<(Vec<TyId>, Attrs)> {
    let types = graph.types_mut();
    let elements = elements(types);
    let mut arrays = Vec::new();
    for &element in &elements {
        for axes in 1..=3 {
            // Of the more unusual elements there are arrays of one axis only.
            if axes == 1 || [TyId::F64, TyId::I64, TyId::STR, TyId::BOOL].contains(&types.strip(element)) {
                arrays.push(types.arr(element, vec![Dim::Any; axes]).expect("arrays of values are well formed"));
            }
        }
    }
    let (maybe, indices) = (types.option(TyId::I64), types.arr(TyId::I64, vec![Dim::Any]).expect("it is an array type"));
    let counts: Vec<usize> = if def.rest.is_some() { (0..4).map(|more| def.args.len() + more).collect() } else { vec![def.args.len()] };
    let mut found = Vec::new();
    for count in counts {
        let firsts: Vec<TyId> = arrays.iter().chain(&elements).copied().collect();
        let mut combinations: Vec<Vec<TyId>> = if count == 0 { vec![Vec::new()] } else { firsts.iter().map(|&ty| vec![ty]).collect() };
        for _ in 1..count {
            let longer = combinations.iter().flat_map(|types_so_far| {
                let element = match graph.types().get(types_so_far[0]) {
                    Ty::Arr(element, _) => *element,
                    _ => types_so_far[0],
                };
                let stripped = graph.types().strip(element);
                // The rest of an op is all of one type: that of the first, or counts.
                let next: BTreeSet<TyId> = match (def.rest, def.args.len()) {
                    (Some(_), 0) => [types_so_far[0]].into(),
                    (Some(_), _) => [TyId::I64].into(),
                    (None, _) => [types_so_far[0], TyId::I64, maybe, TyId::F64, element, stripped, indices].into(),
                };
                next.into_iter().map(|ty| [types_so_far.as_slice(), &[ty]].concat()).collect::<Vec<_>>()
            });
            combinations = longer.collect();
        }
        let attributes = attributes(def, |spec| choices(spec, &elements));
        for types in combinations {
            let params = graph.params(&types).expect("parameters of known types are well typed");
            for attrs in &attributes {
                if graph.make(def.op, attrs.clone(), &Args::from_slice(&params)).is_ok() {
                    found.push((types.clone(), attrs.clone()));
                }
            }
        }
    }
    let step = found.len().div_ceil(1_500).max(1);
    found.into_iter().step_by(step).collect()
}

fn elements(types: &mut Types) -> Vec<TyId> {
    let mut elements = Vec::new();
    for ty in themes(types) {
        if types.is_value(ty) {
            elements.extend([ty, types.option(ty)]);
        }
    }
    let mut seen = BTreeSet::new();
    elements.retain(|&ty| seen.insert(ty));
    elements
}

fn choices(spec: &AttrDef, elements: &[TyId]) -> Vec<Attr> {
    match (spec.shape, spec.name) {
        (AttrShape::Word(words), _) => (0..words.len()).map(|at| Attr::Word(at as u8)).collect(),
        (AttrShape::Bool, "reassoc") => vec![Attr::Bool(false)],
        (AttrShape::Bool, _) => vec![Attr::Bool(false), Attr::Bool(true)],
        (AttrShape::Int, "axis") => [0, 1, 2].map(Attr::Int).to_vec(),
        (AttrShape::Int, _) => [0, 1, 2, -1].map(Attr::Int).to_vec(),
        (AttrShape::Ty, _) => elements.iter().map(|&ty| Attr::Ty(ty)).collect(),
        (AttrShape::Ints, _) => {
            let choices: [&[i64]; 11] = [&[], &[0], &[1], &[2], &[0, 1], &[1, 0], &[0, 2], &[1, 2], &[0, 1, 2], &[2, 0, 1], &[2, 1, 0]];
            choices.into_iter().map(|axes| Attr::Ints(Arc::from(axes))).collect()
        }
        (AttrShape::Sort, _) => SortKey::ALL.iter().map(|(key, _)| Attr::Sort(Arc::from([*key]))).collect(),
        (AttrShape::Name, _) => vec![Attr::Name("what is checked does not hold".into())],
        other => panic!("the tests know no attribute like {other:?}"),
    }
}
