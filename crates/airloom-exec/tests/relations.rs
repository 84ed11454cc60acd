//! Relations over awkward rows: the engine against the oracle, rows, order and errors included, on one thread and on three, in morsels of one, two and many rows.

use airloom_compute::data::Datum;
use airloom_compute::data::Native;
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Run};
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_opt::facts::Statistics;
use airloom_opt::generate::Draw;

const LIMITS: Limits = Limits { steps: 10_000_000 };

const WINDOWS: &str = r#"
func @running(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, n: i64, total: i64, c: i64, most: f64?} {
  return rel.window(t) |r| {k: r.k} |r| {} |c| {n: arr.row_number(c.v), total: arr.cumsum(c.v), c: arr.cumcount(c.x), most: arr.cummax{skip: null}(c.x)}
}
func @ordered(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, n: i64, total: f64?} {
  return rel.window{by: [desc.last, asc.first, asc.last]}(t) |r| {j: r.j} |r| {x: r.x, k: r.k, s: r.s} |c| {n: arr.row_number(c.v), total: arr.cumsum(c.x)}
}
func @by_two(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, r: f64?, was: str?, then: i64} {
  return rel.window{by: [asc.last]}(t) |r| {k: r.k, j: r.j} |r| {v: r.v} |c| {r: arr.rank{method: average}(c.x), was: arr.shift(c.s, 1, null: str?), then: arr.shift(c.v, -2, 7)}
}
func @filled(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, a: f64?, b: str?, d: f64?} {
  return rel.window(t) |r| {s: r.s} |r| {} |c| {a: arr.fill_forward(c.x), b: arr.fill_backward{limit: 1}(c.k), d: arr.rolling(c.x, 2) |w| arr.sum(w)}
}
func @shares(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, part: f64?, all: i64} {
  return rel.window(t) |r| {j: r.j} |r| {} |c| {
    total = arr.sum{skip: null}(c.x)
    count = add(arr.count{skip: none}(c.v), 1)
    return {part: arr.map(c.x) [total] |x, total| div(x, total), all: arr.map(c.v) [count] |v, count| mul(v, count)}
  }
}
func @raises(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, q: i64, p: i64} {
  return rel.window{by: [asc.last]}(t) |r| {k: r.k} |r| {s: r.s} |c| {
    least = arr.count{skip: none}(c.v)
    return {q: arr.map(c.v) [least] |v, n| floordiv(n, v), p: arr.map(c.v) |v| add{overflow: raise}(v, 9223372036854775806)}
  }
}
func @raising_key(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, n: i64} {
  return rel.window{by: [asc.last]}(t) |r| {k: floordiv(3, r.v)} |r| {s: r.s} |c| {n: arr.row_number(c.v)}
}
func @inner(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, below: i64?} {
  return rel.window(t) |r| {k: r.k} |r| {} |c| {
    all = c.v
    return {below: arr.map(c.v) [all] |v, all| arr.max(arr.map(all) [v] |a, v| sub(a, v))}
  }
}
func @sorted(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, o: f64?, p: str} {
  return rel.window(t) |r| {k: r.k} |r| {} |c| {o: arr.sort{by: [asc.last]}(c.x), p: arr.cummax(c.s)}
}
func @one_key(t: rel{f: f32, d: date, v: i64, u: u8}) -> rel{f: f32, d: date, v: i64, u: u8, a: i64, b: i64, c: i64, e: i64} {
  a = rel.window{by: [desc.last]}(t) |r| {} |r| {f: r.f} |c| {a: arr.row_number(c.v)}
  b = rel.window{by: [asc.last]}(a) |r| {u: r.u} |r| {f: r.f} |c| {b: arr.row_number(c.v)}
  c = rel.window{by: [desc.first]}(b) |r| {u: r.u} |r| {d: r.d} |c| {c: arr.row_number(c.v)}
  return rel.window{by: [asc.first]}(c) |r| {f: r.f} |r| {v: r.v} |c| {e: arr.row_number(c.v)}
}
func @few_read(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{n: i64, s: str} {
  w = rel.window{by: [asc.last]}(t) |r| {k: r.k} |r| {v: r.v} |c| {n: arr.row_number(c.v)}
  return rel.project(w) |r| {n: r.n, s: r.s}
}
func @captured(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}, n: i64) -> rel{k: str?, j: f64?, v: i64, x: f64?, s: str, w: i64, z: i64} {
  return rel.window(t) [n] |r, n| {k: floormod(r.v, n)} |r, n| {} |c, n| {w: arr.map(c.v) [n] |x, n| mul(x, n), z: arr.ntile(c.v, n)}
}
"#;

const GROUPS: &str = r#"
func @moments(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, a: f64?, b: f64?, c: f64?, d: f64?, e: f64?, f: i64?, g: list<str>, h: f64?} {
  return rel.group(t) |r| {k: r.k} |g| {
    a: arr.var(g.x), b: arr.std{skip: null}(g.x), c: arr.skew{skip: all}(g.x), d: arr.median{skip: null}(g.x), e: arr.quantile{skip: null}(g.x, 0.3),
    f: arr.argmin{skip: null}(g.x), g: arr.list(g.s), h: arr.nth{number: 1}(g.x)
  }
}
func @running(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{j: f64?, peak: i64?, n: i64} {
  return rel.group(t) |r| {j: r.j} |g| {peak: arr.max(arr.cumsum(g.v)), n: arr.count{skip: none}(arr.unique(g.s))}
}
func @gaps(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, s: str, gap: i64} {
  return rel.group(t) |r| {k: r.k, s: r.s} |g| {gap: arr.sum(arr.map(g.v, arr.shift(g.v, 1, 0)) |a, b| sub(a, b))}
}
func @around(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, off: f64} {
  return rel.group(t) |r| {k: r.k} |g| {
    mean = arr.mean{skip: null}(g.x)
    return {off: arr.sum{skip: null}(arr.map(g.x) [mean] |x, mean| abs(sub(x, mean)))}
  }
}
func @raises(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, q: i64} {
  return rel.group(t) |r| {k: r.k} |g| {q: arr.sum(arr.map(arr.cumsum(g.v)) |v| floordiv(12, v))}
}
func @whole(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{n: i64?} { return rel.group(t) |r| {} |g| {n: arr.last(arr.cumsum(g.v))} }
func @without(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, n: i64} {
  return rel.group(t) |r| {k: r.k} |g| {n: rel.rows(rel.pack({v: g.v}))}
}
"#;

const PIVOTS: &str = r#"
func @sums(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{j: f64?, a: i64?, "é": i64?, b: i64?} { return rel.pivot{names: ["a", "é", "b"]}(t) |r| {j: r.j} |r| r.k |g| arr.sum(g.v) }
func @texts(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{a: str?, b: str?} { return rel.pivot{names: ["a", "b"]}(t) |r| {} |r| r.s |g| arr.max(arr.cummax(g.s)) }
func @computed(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}, n: i64) -> rel{m: i64, a: i64?, b: i64?} {
  return rel.pivot{names: ["a", "b"]}(t) [n] |r, n| {m: floormod(r.v, n)} |r, n| r.s |g, n| add(floordiv(arr.sum(g.v), n), arr.count{skip: none}(g.x))
}
func @no_names(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?} { return rel.pivot{names: []}(t) |r| {k: r.k} |r| r.s |g| arr.sum(g.v) }
func @raises(t: rel{k: str?, j: f64?, v: i64, x: f64?, s: str}) -> rel{k: str?, b: i64?, a: i64?} {
  return rel.pivot{names: ["b", "a"]}(t) |r| {k: r.k} |r| r.s |g| floordiv(1, arr.sum(g.v))
}
func @unpivot(t: rel{k: str?, a: f64?, v: i64, b: f64?}) -> rel{k: str?, v: i64, name: str, value: f64?} { return rel.unpivot{columns: ["b", "a"], variable: "name", value: "value"}(t) }
func @names(t: rel{k: str?, a: f64?, v: i64, b: f64?}) -> rel{name: str, v: i64} {
  u = rel.unpivot{columns: ["a", "b"], variable: "name", value: "value"}(t)
  return rel.project(u) |r| {name: r.name, v: r.v}
}
func @one(t: rel{k: str?, v: i64}) -> rel{v: i64, name: str, k: str?} { return rel.unpivot{columns: ["k"], variable: "name", value: "k"}(t) }
func @explode(t: rel{i: i64, l: list<i64?>?, s: str}) -> rel{i: i64, l: i64?, s: str} { return rel.explode{columns: ["l"]}(t) }
func @drop(t: rel{i: i64, l: list<str>?, s: str}) -> rel{i: i64, l: str, s: str} { return rel.explode{columns: ["l"], empty: drop}(t) }
func @both(t: rel{x: list<f64?>, i: str, y: list<str>?}) -> rel{x: f64?, i: str, y: str?} { return rel.explode{columns: ["y", "x"]}(t) }
func @count(t: rel{i: i64, l: list<i64?>?, s: str}) -> i64 { return rel.rows(rel.explode{columns: ["l"]}(t)) }
func @sample(t: rel{k: str?, v: i64}, n: i64, key: u64) -> rel{k: str?, v: i64} { return rel.sample(t, n, key) }
func @draws(t: rel{k: str?, v: i64}, n: i64, key: u64) -> rel{k: str?, v: i64} { return rel.sample{replace: true}(t, n, key) }
"#;

/// As-of joins on every kind of value, in every direction.
fn asofs() -> String {
    let mut programs = String::new();
    for (on, within) in [
        ("i64?", "i64?"),
        ("f64?", "f64?"),
        ("f32", "f32?"),
        ("u8", "u8?"),
        ("u64", "u64?"),
        ("date", "i64?"),
        ("timestamp(ns)?", "duration(ns)?"),
    ] {
        for direction in ["backward", "forward", "nearest"] {
            for exact in ["true", "false"] {
                for by in [("{}", "{}"), ("{k: x.k}", "{k: y.m}")] {
                    programs.push_str(&format!(
                        "func @f{}(l: rel{{k: str?, t: {on}, v: i64}}, r: rel{{m: str?, u: {on}, w: str}}, within: {within}) -> rel{{k: str?, t: {on}, v: i64, m: str?, u: {}, w: str?}} {{
  return rel.asof{{direction: {direction}, exact: {exact}}}(l, r, within) |x| x.t |y| y.u |x| {} |y| {}
}}\n",
                        programs.len(),
                        if on.ends_with('?') { on.to_string() } else { format!("{on}?") },
                        by.0,
                        by.1
                    ));
                }
            }
        }
    }
    programs
}

fn cell(types: &Types, ty: TyId, draw: &mut Draw) -> Value {
    if types.nullable(ty) && draw.chance(20) {
        return Value::Null;
    }
    match types.plain(ty) {
        Ty::Bool => Value::Bool(draw.chance(50)),
        Ty::Int(int) if !int.signed() => Value::int(draw.below(6) as i64),
        Ty::Int(_) if draw.chance(3) => Value::int(*draw.pick(&[i64::MIN, i64::MAX, 0])),
        Ty::Int(_) | Ty::Date | Ty::Timestamp { .. } | Ty::Duration(_) => Value::int(draw.below(7) as i64 - 2),
        Ty::F32 => Value::F32(*draw.pick(&[0.0, -0.0, 1.5, -2.0, f32::NAN, f32::INFINITY, 3.0])),
        Ty::F64 => Value::F64(*draw.pick(&[0.0, -0.0, 1.5, -2.0, f64::NAN, f64::NEG_INFINITY, 0.1, 3.0])),
        Ty::Str => {
            Value::str(draw.pick::<&str>(&["", "a", "b", "é", "a text longer than a view holds", "another of these long texts 日本"]))
        }
        Ty::List(element) => Value::List((0..draw.below(4)).map(|_| cell(types, *element, draw)).collect()),
        Ty::Rel(fields) => {
            let rows = *draw.pick(&[0, 1, 2, 3, 7, 20]);
            let row = |draw: &mut Draw| fields.iter().map(|field| cell(types, field.ty, draw)).collect();
            Value::rel(fields.len(), (0..rows).map(|_| row(draw)).collect())
        }
        other => panic!("no cell of {other:?}"),
    }
}

fn engines() -> Vec<Engine> {
    let options = |threads: usize, morsel_rows: usize, always_spill: bool| Options {
        threads,
        memory: 1 << 30,
        morsel_rows,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill,
        partition_bytes: None,
        equal_hashes: false,
        steps: LIMITS.steps,
        native: Native::Off,
    };
    [(1, 1, false), (1, 1000, false), (3, 1, false), (3, 2, false), (3, 1000, false), (1, 1000, true), (3, 2, true)]
        .into_iter()
        .map(|(threads, rows, spill)| Engine::new(options(threads, rows, spill)).expect("options that hold"))
        .collect()
}

fn compare(programs: &str, times: usize, seed: u64) {
    let module = text::parse(programs).unwrap_or_else(|error| panic!("the programs of this test do not parse: {error:?}"));
    let (engines, mut draw, graph) = (engines(), Draw::new(seed), &module.graph);
    let types = graph.types();
    let (mut cases, mut raised) = (0, 0);
    for function in &module.functions {
        for _ in 0..times {
            let params = graph.params_of(function.lambda);
            let args: Vec<Value> = params.iter().map(|&ty| cell(types, ty, &mut draw)).collect();
            let expected = Oracle::new(graph, LIMITS).call(function.lambda, &args);
            for engine in &engines {
                let data: Vec<Datum> = params.iter().zip(&args).map(|(&ty, value)| Datum::from_value(types, ty, value)).collect();
                let found = engine.run(graph.clone(), function.lambda, &data, Statistics::default(), &Run::over(Catalog::default()));
                cases += 1;
                let what = || format!("@{} with {:?} of {args:?}", function.name, engine.options());
                match (&expected, found) {
                    (Ok(expected), Ok(found)) => {
                        assert_eq!(&found.to_value(types, graph.ty_id(graph.result_of(function.lambda))), expected, "{}", what());
                    }
                    (Err(expected), Err(airloom_compute::data::Failure::Raised(found))) => {
                        raised += 1;
                        // Of several rows on disk that raise, one of the first part is heard.
                        if !engine.options().always_spill {
                            assert_eq!(found.message, expected.to_string(), "{}", what());
                        }
                    }
                    (expected, found) => panic!("{}: expected {expected:?}, found {found:?}", what()),
                }
            }
        }
    }
    #[allow(clippy::print_stderr, reason = "the figures of the run are what the reader of a test log looks for")]
    {
        eprintln!("{} programs, {cases} cases ({raised} raised)", module.functions.len());
    }
}

#[test]
fn windows_are_as_the_oracle_says() {
    compare(WINDOWS, 60, 1);
}

#[test]
fn groups_are_as_the_oracle_says() {
    compare(GROUPS, 60, 2);
}

#[test]
fn reshaped_relations_are_as_the_oracle_says() {
    compare(PIVOTS, 60, 3);
}

#[test]
fn asof_joins_are_as_the_oracle_says() {
    compare(&asofs(), 12, 4);
}
