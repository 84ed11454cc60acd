//! What is known of relations: rows, keys, order, nulls, ranges, from the statistics of sources and through the ops.

use airloom_ir::attrs::SortKey;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::text;
use airloom_ir::value::Value;
use airloom_opt::facts::{ColumnStatistics, Facts, RelFacts, Statistics, TableStatistics, aggregates_cannot_raise};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const RISING: SortKey = SortKey { descending: false, nulls_first: false };

/// A table of a hundred rows: `id` is unique and rising from 1, `k` has ten values, `v` is 0 to 50 with nulls.
fn statistics() -> Statistics {
    let column = |distinct, nulls, min, max| ColumnStatistics {
        distinct: Some(distinct),
        nulls: Some(nulls),
        min: Some(Value::Int(min)),
        max: Some(Value::Int(max)),
    };
    let table = TableStatistics {
        rows: Some(100),
        columns: BTreeMap::from([
            ("id".into(), column(100, 0, 1, 100)),
            ("k".into(), column(10, 0, 1, 10)),
            ("v".into(), column(50, 7, 0, 50)),
        ]),
        unique: vec![vec!["id".into()]],
        sorted: vec![("id".into(), RISING)],
    };
    Statistics { tables: BTreeMap::from([("t".into(), table)]) }
}

/// The facts of what `@f` returns; `body` is the part after the source.
fn facts(body: &str) -> Arc<RelFacts> {
    let program = format!(
        "func @f() {{\n  t = source \"t\": rel{{id: i64, k: i64?, v: i64?}}\n  u = source \"u\": rel{{x: i64}}\n  return {body}\n}}"
    );
    let module: Module = text::parse(&program).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let result: NodeId = module.graph.result_of(module.functions[0].lambda);
    Facts::new(statistics()).relation(&module.graph, result)
}

fn key(names: &[&str]) -> BTreeSet<Name> {
    names.iter().map(|n| Name::new(n)).collect()
}

#[test]
fn a_source_has_what_its_statistics_say() {
    let known = facts("t");
    assert_eq!((known.rows.least, known.rows.most), (100, Some(100)));
    assert!(known.is_unique(&key(&["id"])) && known.is_unique(&key(&["id", "k"])) && !known.is_unique(&key(&["k"])));
    assert!(known.is_sorted(&[("id".into(), RISING)]) && !known.is_sorted(&[("k".into(), RISING)]));
    assert!(known.columns["k"].no_nulls && !known.columns["v"].no_nulls, "`k` may be null by its type, but is not");
    assert_eq!((known.columns["v"].min.clone(), known.columns["v"].max.clone()), (Some(Value::Int(0)), Some(Value::Int(50))));
    let unknown = facts("u");
    assert_eq!((unknown.rows.least, unknown.rows.most), (0, None));
    assert!(unknown.unique.is_empty() && unknown.order.is_empty());
}

#[test]
fn a_filter_keeps_keys_and_order_and_estimates_from_ranges() {
    let known = facts("rel.filter(t) |r| gt(r.v, 40)");
    assert_eq!((known.rows.least, known.rows.most), (0, Some(100)));
    assert!((known.rows.estimate - 20.0).abs() < 1.0, "a fifth of the range of `v` is above 40: {}", known.rows.estimate);
    assert!(known.is_unique(&key(&["id"])) && known.is_sorted(&[("id".into(), RISING)]));
    assert!(known.columns["v"].no_nulls, "what is greater than 40 is not null");
}

#[test]
fn a_projection_renames_facts_and_drops_those_of_columns_it_drops() {
    let known = facts("rel.project(t) |r| {key: r.id, twice: mul(r.v, 2)}");
    assert!(known.is_unique(&key(&["key"])) && known.is_sorted(&[("key".into(), RISING)]));
    assert!(!known.columns.contains_key("twice"), "nothing is known of what is computed");
    assert!(facts("rel.project(t) |r| {v: r.v}").unique.is_empty());
}

#[test]
fn a_group_is_unique_in_its_keys() {
    let known = facts("rel.group(t) |r| {k: r.k} |g| {n: arr.count(g.v)}");
    assert!(known.is_unique(&key(&["k"])));
    assert!((known.rows.estimate - 10.0).abs() < 0.5, "ten keys: {}", known.rows.estimate);
    let whole = facts("rel.group(t) |r| {} |g| {n: arr.count(g.v)}");
    assert_eq!((whole.rows.least, whole.rows.most), (1, Some(1)));
    assert!(whole.is_unique(&key(&[])), "of one row no two agree in anything");
}

#[test]
fn sorts_slices_and_numbers_add_what_they_make() {
    let sorted = facts("rel.sort{by: [desc.first]}(t) |r| {v: r.v}");
    assert!(
        sorted.is_sorted(&[("v".into(), SortKey { descending: true, nulls_first: true })]) && !sorted.is_sorted(&[("id".into(), RISING)])
    );
    assert_eq!(facts("rel.slice(t, 0, 7)").rows.most, Some(7));
    assert_eq!(facts("rel.concat(t, t)").rows.most, Some(200));
    assert!(facts("rel.concat(t, t)").unique.is_empty(), "twice the same rows are not unique");
    assert!(facts("rel.number{name: \"i\"}(t)").is_unique(&key(&["i"])));
    assert!(facts("rel.unordered(t)").order.is_empty());
}

#[test]
fn joins_keep_keys_only_where_the_other_side_has_one_row() {
    let lookup = facts("rel.join(u, t) |l| {k: l.x} |r| {k: r.id} |l, r| true");
    assert!(!lookup.is_unique(&key(&["x"])), "nothing says that `x` is unique");
    let left = facts("rel.join{how: left}(rel.project(t) |r| {a: r.id, b: r.k}, t) |l| {k: l.b} |r| {k: r.id} |l, r| true");
    assert!(left.is_unique(&key(&["a"])), "each left row finds at most one");
    assert_eq!(left.rows.most, Some(100));
    assert!(left.is_sorted(&[("a".into(), RISING)]), "rows come in the order of the left");
    assert!(!left.columns["id"].no_nulls, "a left row without a match has null there");
    let many = facts("rel.join(rel.project(t) |r| {a: r.id, b: r.k}, t) |l| {k: l.b} |r| {k: r.k} |l, r| true");
    assert!(!many.is_unique(&key(&["a"])) && many.is_unique(&key(&["a", "id"])));
    assert!((many.rows.estimate - 1000.0).abs() < 1.0, "a hundred by a hundred by a tenth: {}", many.rows.estimate);
    let semi = facts("rel.join{how: semi}(t, u) |l| {k: l.id} |r| {k: r.x} |l, r| true");
    assert!(semi.is_unique(&key(&["id"])) && semi.is_sorted(&[("id".into(), RISING)]));
}

#[test]
fn keys_that_have_a_partner_are_in_its_range_and_not_null() {
    let range =
        |known: &RelFacts, name: &str| (known.columns[name].min.clone(), known.columns[name].max.clone(), known.columns[name].no_nulls);
    let ints = |min, max, no_nulls| (Some(Value::Int(min)), Some(Value::Int(max)), no_nulls);
    let known = facts("rel.join(rel.project(t) |r| {v: r.v}, rel.project(t) |r| {k: r.k}) |l| {j: l.v} |r| {j: r.k} |l, r| true");
    assert_eq!((range(&known, "v"), range(&known, "k")), (ints(1, 10, true), ints(1, 10, true)));
    let known = facts("rel.join(u, rel.project(t) |r| {id: r.id}) |l| {j: l.x} |r| {j: r.id} |l, r| true");
    assert_eq!(range(&known, "x"), ints(1, 100, true), "of `u` nothing is known");
    // Of a test only the rows of the left side are left; the right side's key may have the name of another column.
    let known = facts(
        "rel.join{how: semi}(rel.project(t) |r| {v: r.v, k: r.k}, rel.project(t) |r| {k: r.id}) |l| {j: l.v} |r| {j: r.k} |l, r| true",
    );
    assert_eq!((range(&known, "v"), range(&known, "k")), (ints(1, 50, true), ints(1, 10, true)));
    // Nulls that match nulls stay, and so do rows without a partner.
    let known =
        facts("rel.join{nulls: equal}(rel.project(t) |r| {v: r.v}, rel.project(t) |r| {k: r.k}) |l| {j: l.v} |r| {j: r.k} |l, r| true");
    assert_eq!(range(&known, "v"), ints(1, 10, false));
    let known =
        facts("rel.join{how: left}(rel.project(t) |r| {v: r.v}, rel.project(t) |r| {k: r.k}) |l| {j: l.v} |r| {j: r.k} |l, r| true");
    assert_eq!((range(&known, "v"), range(&known, "k")), (ints(0, 50, false), ints(1, 10, false)));
    let known =
        facts("rel.join(rel.project(t) |r| {id: r.id}, rel.project(t) |r| {v: r.v}) |l| {j: l.id} |r| {j: add(r.v, 200)} |l, r| true");
    assert_eq!(range(&known, "id"), ints(1, 100, true), "the other key is no column; `id` has no nulls by itself");
}

#[test]
fn only_sums_of_columns_are_bounded_by_the_number_of_rows() {
    let cannot_raise = |sum: &str| {
        let program = format!(
            "func @f() {{\n  t = source \"t\": rel{{id: i64, k: i64?, v: decimal(38, 0)?}}\n  return rel.group(t) |r| {{k: r.k}} |g| {{s: {sum}}}\n}}"
        );
        let module: Module = text::parse(&program).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let graph = &module.graph;
        let group = graph.as_group(graph.result_of(module.functions[0].lambda)).expect("it returns one");
        let rows = Facts::new(statistics()).relation(graph, group.input);
        aggregates_cannot_raise(graph, group.aggregates, &rows)
    };
    assert!(cannot_raise("arr.sum(g.v)"), "a hundred numbers of at most 50");
    assert!(!cannot_raise("arr.sum(arr.concat(g.v, g.v))"), "an array may have more elements than there are rows");
}

#[test]
fn a_chain_of_joins_has_as_many_unique_sets_as_joins_at_most() {
    let joined = (0..12).fold("rel.project(t) |r| {id: r.id}".to_owned(), |chain, number| {
        format!(
            "rel.join{{how: inner}}({chain}, rel.project(t) |r| {{x{number}: r.id}}) |l| {{k: l.id}} |r| {{k: r.x{number}}} |l, r| true"
        )
    });
    let known = facts(&joined);
    assert!(known.is_unique(&key(&["id"])) && known.is_unique(&key(&["x11"])));
    assert!(known.unique.len() <= 13 && known.dependencies.len() <= 200, "{} and {}", known.unique.len(), known.dependencies.len());
}
