//! Answers do not depend on how rows are cut, on how many workers there are, on whether rows are spilled, or on what their keys hash to: bit for bit, over tables of more than one split of 256 Ki rows.

use airloom_compute::data::{Datum, Failure, Native, Relation, record_batch, schema_of};
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Run};
use airloom_ir::module::Module;
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text;
use airloom_ir::types::{Ty, Types};
use airloom_opt::facts::Statistics;
use airloom_opt::generate::Draw;
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use arrow::compute::concat_batches;
use std::sync::Arc;

/// Each breaks the pipeline in another way. `few` has some ten values, `many` about as many as there are rows, and all rows have the same `one`; `x` are floats whose sums depend on the order of their terms.
const PROGRAMS: &str = r#"
func @groups_by_few(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, a: f64, b: f64?, c: f64?, d: i64, e: i64, f: f64?} {
  return rel.group(t) |r| {few: r.few} |g| {
    a: arr.sum{skip: null}(g.x), b: arr.var{skip: null}(g.x), c: arr.median{skip: null}(g.x), d: arr.nunique{skip: null}(g.many), e: arr.sum(g.many), f: arr.first{skip: none}(g.x)
  }
}
func @groups_by_many(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{many: i64, a: f64, b: f64?, c: i64} {
  return rel.group(t) |r| {many: r.many} |g| {a: arr.sum{skip: null}(g.x), b: arr.median{skip: null}(g.x), c: arr.nunique{skip: null}(g.text)}
}
func @groups_by_text(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{text: str?, few: i64?, a: f64?, b: i64?} {
  return rel.group(t) |r| {text: r.text, few: r.few} |g| {a: arr.mean{skip: null}(g.x), b: arr.max(g.many)}
}
func @one_group(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{one: i64, a: f64, b: f64?, c: i64, d: str?} {
  return rel.group(t) |r| {one: r.one} |g| {a: arr.sum{skip: null}(g.x), b: arr.quantile{skip: null}(g.x, 0.3), c: arr.nunique{skip: null}(g.many), d: arr.min{skip: null}(g.text)}
}
func @distinct(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.distinct(t) |r| {text: r.text, few: r.few} }
func @distinct_last(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.distinct{keep: last}(t) |r| {many: r.many} }
func @sorted(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.sort{by: [desc.last, asc.first]}(t) |r| {text: r.text, x: r.x} }
func @sorted_by_few(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.sort{by: [asc.first]}(t) |r| {few: r.few} }
func @sorted_by_one(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.sort{by: [asc.last]}(t) |r| {one: r.one} }
func @top(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} { return rel.slice(rel.sort{by: [desc.last]}(t) |r| {x: r.x}, 5, 100) }
func @joined(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, m: i64, y: f64?} {
  right = rel.project(rel.filter(t) |r| eq(floormod(r.many, 3), 0)) |r| {m: r.many, y: r.x}
  return rel.join(t, right) |l| {k: l.many} |r| {k: r.m} |l, r| true
}
func @joined_by_text(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, u: str?, n: f64?} {
  right = rel.group(rel.filter(t) |r| eq(floormod(r.many, 2), 0)) |r| {u: r.text} |g| {n: arr.sum{skip: null}(g.x)}
  return rel.join{how: left}(t, right) |l| {k: l.text} |r| {k: r.u} |l, r| true
}
func @kept(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?} {
  right = rel.project(rel.filter(t) |r| eq(floormod(r.many, 5), 0)) |r| {u: r.text, f: r.few}
  return rel.join{how: semi}(t, right) |l| {a: l.text, b: l.few} |r| {a: r.u, b: r.f} |l, r| true
}
func @running(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, a: i64, b: f64?, c: i64?, d: i64, e: i64, p: i64, r: i64, m: i64} {
  return rel.window(t) |r| {few: r.few} |r| {} |c| {
    a: arr.cumsum(c.many), b: arr.cummax{skip: null}(c.x), c: arr.cummin(c.few), d: arr.row_number(c.many), e: arr.cumcount{skip: null}(c.x), p: arr.cumprod(c.many), r: arr.cumsum{reverse: true}(c.many),
    m: arr.map(arr.cumsum(arr.map(c.many) |v| add{overflow: wrap}(v, 1))) |v| mul{overflow: wrap}(v, 3)
  }
}
func @running_floats(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, a: f64?, b: f64?} {
  return rel.window(t) |r| {few: r.few} |r| {} |c| {a: arr.cumsum{skip: null}(c.x), b: arr.cumsum(c.x)}
}
func @running_by_text(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, a: i64, b: f64?, s: f64?} {
  return rel.window(t) |r| {text: r.text} |r| {} |c| {a: arr.cumsum(c.many), b: arr.fill_forward(c.x), s: arr.shift(c.x, 1, null: f64?)}
}
func @ranked(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, a: f64?, b: i64} {
  return rel.window{by: [asc.last]}(t) |r| {few: r.few} |r| {x: r.x} |c| {a: arr.rank{method: average}(c.x), b: arr.row_number(c.many)}
}
func @over_all(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, a: f64?, b: i64, c: f64?} {
  return rel.window(t) |r| {} |r| {} |c| {a: arr.cumsum{skip: null}(c.x), b: arr.shift(c.many, 1, 0), c: arr.rolling(c.x, 3) |w| arr.sum(w)}
}
func @nearest_before(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, m: i64?, y: f64?} {
  right = rel.project(rel.filter(t) |r| eq(floormod(r.many, 3), 0)) |r| {m: r.many, y: r.x}
  return rel.asof{direction: backward, exact: true}(t, right, null: i64?) |l| l.many |r| r.m |l| {} |r| {}
}
func @nearest_in_order(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, m: i64?, y: f64?} {
  right = rel.project(rel.filter(t) |r| eq(floormod(r.many, 3), 0)) |r| {m: r.many, y: r.x}
  left = rel.sort{by: [asc.last]}(t) |r| {many: r.many}
  return rel.asof{direction: nearest, exact: false}(left, right, null: i64?) |l| l.many |r| r.m |l| {} |r| {}
}
func @nearest_half_in_order(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, m: i64?, y: f64?} {
  right = rel.project(rel.filter(t) |r| eq(floormod(r.many, 3), 0)) |r| {m: r.many, y: r.x}
  left = rel.concat(rel.sort{by: [asc.last]}(t) |r| {many: r.many}, t)
  return rel.asof{direction: forward, exact: true}(left, right, null: i64?) |l| l.many |r| r.m |l| {} |r| {}
}
func @numbered(t: rel{few: i64?, many: i64, one: i64, text: str?, x: f64?}) -> rel{few: i64?, many: i64, one: i64, text: str?, x: f64?, i: i64} {
  return rel.number{name: "i"}(rel.filter(t) |r| eq(floormod(r.many, 7), 1))
}
"#;

/// Rows of a table, the same each time.
fn table(types: &Types, ty: airloom_ir::types::TyId, rows: usize) -> Relation {
    let mut draw = Draw::new(11);
    let mut some = |of: u64| draw.below(of as usize) as i64;
    let few = Int64Array::from_iter((0..rows).map(|_| Some(some(11)).filter(|&key| key > 0)));
    let many = Int64Array::from_iter_values((0..rows).map(|_| some(rows.max(1) as u64)));
    let text = StringViewArray::from_iter((0..rows).map(|_| match some(900) {
        0 => None,
        number if number % 3 == 0 => Some(format!("a text that no view has room for: {number}")),
        number => Some(number.to_string()),
    }));
    let x = Float64Array::from_iter((0..rows).map(|_| match some(50) {
        0 => None,
        1 => Some(-0.0),
        2 => Some(f64::NAN),
        3 => Some(1e17),
        _ => Some(some(1 << 30) as f64 / 1e5 - 4000.0),
    }));
    let one = Int64Array::from_value(7, rows);
    let columns: Vec<ArrayRef> = vec![Arc::new(few), Arc::new(many), Arc::new(one), Arc::new(text), Arc::new(x)];
    let Ty::Rel(fields) = types.get(ty) else { panic!("the programs of this test read a relation") };
    let schema = schema_of(types, fields);
    Relation { batches: Arc::from([record_batch(&schema, columns, rows)]), schema }
}

/// One way to run a program.
fn way(threads: usize, morsel_rows: usize, parts_rows: usize) -> Options {
    Options {
        threads,
        memory: 1 << 30,
        morsel_rows,
        spill_folder: std::env::temp_dir(),
        parts_rows,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: 10_000_000,
        native: Native::Off,
    }
}

fn run(programs: &Module, function: usize, data: &Relation, options: &Options) -> Result<Datum, Failure> {
    let engine = Engine::new(options.clone()).expect("options that hold");
    let root = programs.functions[function].lambda;
    engine.run(programs.graph.clone(), root, &[Datum::Table(data.clone())], Statistics::default(), &Run::over(Catalog::default()))
}

/// The rows as one batch, to be compared by their bits.
fn bits(found: Result<Datum, Failure>, what: &dyn Fn() -> String) -> RecordBatch {
    match found {
        Ok(Datum::Table(rows)) => concat_batches(&rows.schema, rows.batches.iter()).expect("batches of one schema"),
        Ok(_) => panic!("{}: not a relation", what()),
        Err(failure) => panic!("{}: {failure:?}", what()),
    }
}

/// Runs all programs over a table of `rows` rows in all ways, each beside the first.
fn compare(rows: usize, ways: &[Options], with_oracle: bool) {
    let programs = text::parse(PROGRAMS).unwrap_or_else(|error| panic!("the programs of this test do not parse: {error:?}"));
    let graph = &programs.graph;
    for (function, named) in programs.functions.iter().enumerate() {
        let data = table(graph.types(), graph.params_of(named.lambda)[0], rows);
        let result = graph.ty_id(graph.result_of(named.lambda));
        let mut expected: Option<RecordBatch> = None;
        for options in ways {
            let what = || format!("@{} over {rows} rows with {options:?}", named.name);
            let found = bits(run(&programs, function, &data, options), &what);
            match &expected {
                Some(expected) => assert!(found == *expected, "{}: other bits than with {:?}", what(), ways[0]),
                None if with_oracle => {
                    let given = data.to_value(graph.types(), graph.params_of(named.lambda)[0]);
                    let meant =
                        Oracle::new(graph, Limits { steps: 1 << 40 }).call(named.lambda, &[given]).expect("the programs raise nothing");
                    let relation = Relation { schema: found.schema(), batches: Arc::from([found.clone()]) };
                    assert_eq!(relation.to_value(graph.types(), result), meant, "{}", what());
                }
                None => (),
            }
            expected.get_or_insert(found);
        }
    }
}

#[test]
fn few_rows_in_splits_of_one_and_of_seven() {
    let mut ways = vec![way(1, 1 << 18, Options::PARTS_ROWS)];
    for (threads, morsel_rows, parts_rows) in [(1, 1, 1), (3, 7, 64), (16, 1, 16), (64, 7, 100)] {
        let plain = way(threads, morsel_rows, parts_rows);
        ways.push(Options { always_spill: true, ..plain.clone() });
        ways.push(Options { equal_hashes: true, ..plain.clone() });
        ways.push(Options { equal_hashes: true, always_spill: true, ..plain.clone() });
        ways.push(plain);
    }
    compare(500, &ways, true);
}

#[test]
fn many_rows_in_splits_of_sixteen_and_of_256_ki() {
    let mut ways = vec![way(1, 1 << 18, Options::PARTS_ROWS)];
    for (threads, morsel_rows, parts_rows) in
        [(2, 1 << 14, 1 << 14), (5, 1 << 14, 1 << 16), (64, 1 << 14, 1 << 14), (64, 1 << 18, Options::PARTS_ROWS)]
    {
        ways.push(way(threads, morsel_rows, parts_rows));
    }
    ways.push(Options { always_spill: true, ..way(2, 1 << 14, 1 << 14) });
    ways.push(Options { always_spill: true, ..way(64, 1 << 18, Options::PARTS_ROWS) });
    compare(270_000, &ways, false);
}
