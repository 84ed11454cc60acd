//! Facts of a relation from those of its inputs.

use super::columns::{ColumnFacts, RelFacts, Rows};
use super::dependencies::{JoinedSide, Renamed, joined};
use super::estimate::selectivity;
use super::statistics::Statistics;
use airloom_ir::attrs::{EmptyList, JoinHow, Keep, NullMatch, Side, SortKey};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;
use airloom_ir::types::{Fields, Ty};
use airloom_ir::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known of a relation. `inputs` are the facts of those arguments that are relations, in order.
pub(super) fn relation(graph: &Graph, id: NodeId, inputs: &[Arc<RelFacts>], statistics: &Statistics) -> RelFacts {
    match graph.op(id) {
        Op::Core(Core::Source) => source(graph, id, statistics),
        Op::Relation(op) => relational(graph, id, op, inputs).unwrap_or_default(),
        _ => RelFacts::default(),
    }
}

fn source(graph: &Graph, id: NodeId, statistics: &Statistics) -> RelFacts {
    let (Some(source), Ty::Rel(fields)) = (graph.as_source(id), graph.ty(id)) else { return RelFacts::default() };
    let Some(table) = statistics.tables.get(&source.name) else { return RelFacts::default() };
    let mut facts = RelFacts { rows: table.rows.map_or_else(Rows::default, Rows::exactly), ..RelFacts::default() };
    let has = |name: &Name| fields.contains(name);
    facts.unique = table.unique.iter().filter(|key| key.iter().all(has)).map(|key| key.iter().cloned().collect()).collect();
    facts.order = table.sorted.iter().take_while(|(name, _)| has(name)).cloned().collect();
    for (name, column) in table.columns.iter().filter(|(name, _)| has(name)) {
        let known = ColumnFacts {
            distinct: column.distinct.map(|d| d as f64),
            no_nulls: column.nulls == Some(0),
            min: column.min.clone(),
            max: column.max.clone(),
        };
        facts.columns.insert(name.clone(), known);
    }
    facts
}

fn relational(graph: &Graph, id: NodeId, op: Relation, inputs: &[Arc<RelFacts>]) -> Option<RelFacts> {
    let first = inputs.first();
    Some(match op {
        Relation::Project => project(graph, id, first?),
        Relation::Filter => {
            let filter = graph.as_filter(id)?;
            let share = selectivity(graph, graph.result_of(filter.predicate), first?);
            let mut facts = RelFacts { rows: first?.rows.part(share), ..first?.as_ref().clone() };
            not_null_after(graph, graph.result_of(filter.predicate), &mut facts);
            facts
        }
        Relation::Group => group(graph, id, first?)?,
        Relation::Join => join(graph, id, inputs.first()?, inputs.get(1)?)?,
        Relation::Asof => {
            let mut facts = first?.as_ref().clone();
            facts.columns.extend(inputs.get(1)?.columns.iter().map(|(n, c)| (n.clone(), ColumnFacts { no_nulls: false, ..c.clone() })));
            facts
        }
        Relation::Sort => {
            let sort = graph.as_sort(id)?;
            RelFacts { order: sort_order(graph, sort.keys, &sort.by), ..first?.as_ref().clone() }
        }
        Relation::Slice => {
            let slice = graph.as_slice(id)?;
            let most = graph.const_int(slice.length).and_then(|n| u64::try_from(n).ok());
            RelFacts { rows: at_most(first?.rows, most), ..first?.as_ref().clone() }
        }
        Relation::Top => {
            let top = graph.as_top(id)?;
            let most = graph.const_int(top.count).and_then(|n| u64::try_from(n).ok());
            RelFacts { rows: at_most(first?.rows, most), order: sort_order(graph, top.keys, &top.by), ..first?.as_ref().clone() }
        }
        Relation::Concat => {
            let rows = inputs.iter().fold(Rows::exactly(0), |sum, f| Rows {
                least: sum.least.saturating_add(f.rows.least),
                most: sum.most.zip(f.rows.most).map(|(a, b)| a.saturating_add(b)),
                estimate: sum.estimate + f.rows.estimate,
            });
            RelFacts { rows, columns: widest(inputs), ..RelFacts::default() }
        }
        Relation::Distinct => {
            let distinct = graph.as_distinct(id)?;
            let mut facts = first?.as_ref().clone();
            let keys = row_columns(graph, distinct.keys);
            let estimate = distinct_rows(first?, keys.values());
            facts.rows = Rows { least: u64::from(facts.rows.least > 0 && distinct.keep != Keep::None), most: facts.rows.most, estimate };
            if let Some(columns) = all_columns(graph, distinct.keys) {
                facts.unique.push(columns);
            }
            facts
        }
        Relation::Window => first?.as_ref().clone(),
        Relation::Number => {
            let number = graph.as_number(id)?;
            let mut facts = first?.as_ref().clone();
            facts.unique.push(BTreeSet::from([number.name.clone()]));
            // Numbers wrap; but no relation has enough rows for that when they begin in the lower half.
            if facts.order.is_empty() && number.start <= i64::MAX / 2 {
                facts.order.push((number.name, SortKey { descending: false, nulls_first: false }));
            }
            facts
        }
        Relation::Explode => {
            let explode = graph.as_explode(id)?;
            let mut facts = RelFacts { unique: Vec::new(), ..first?.as_ref().clone() };
            facts.rows = Rows {
                least: if explode.empty == EmptyList::Null { facts.rows.least } else { 0 },
                most: None,
                estimate: facts.rows.estimate * 4.0,
            };
            facts.columns.retain(|name, _| !explode.columns.contains(name));
            facts.dependencies.retain(|d| d.by.iter().chain(&d.columns).all(|name| !explode.columns.contains(name)));
            facts.order.truncate(facts.order.iter().take_while(|(n, _)| !explode.columns.contains(n)).count());
            facts
        }
        Relation::Unordered => RelFacts { order: Vec::new(), ..first?.as_ref().clone() },
        Relation::Sample => {
            let sample = graph.as_sample(id)?;
            let most = graph.const_int(sample.count).and_then(|n| u64::try_from(n).ok());
            let facts = RelFacts { rows: at_most(first?.rows, most), ..first?.as_ref().clone() };
            if sample.replace { RelFacts { unique: Vec::new(), order: Vec::new(), ..facts } } else { facts }
        }
        Relation::Unpivot | Relation::Pivot | Relation::Columns | Relation::Pack | Relation::Rows => RelFacts::default(),
    })
}

fn at_most(rows: Rows, most: Option<u64>) -> Rows {
    let limit = most.map_or(f64::INFINITY, |m| m as f64);
    Rows { least: 0, most: [rows.most, most].into_iter().flatten().min(), estimate: rows.estimate.min(limit) }
}

/// What holds of a column in every part holds of it in all of them together.
fn widest(inputs: &[Arc<RelFacts>]) -> BTreeMap<Name, ColumnFacts> {
    let Some((first, rest)) = inputs.split_first() else { return BTreeMap::new() };
    let mut columns = first.columns.clone();
    for (name, column) in &mut columns {
        let no_nulls = rest.iter().all(|f| f.columns.get(name).is_some_and(|c| c.no_nulls));
        *column = ColumnFacts { no_nulls: column.no_nulls && no_nulls, ..ColumnFacts::default() };
    }
    columns
}

/// The input column that each field of a row body is, for those that are one.
pub(crate) fn row_columns(graph: &Graph, lambda: NodeId) -> BTreeMap<Name, Name> {
    let is_row = |id: NodeId| graph.as_param(id).is_some_and(|p| p.number == 0);
    let result = graph.result_of(lambda);
    if is_row(result) {
        return names_of(graph, result).into_iter().map(|name| (name.clone(), name)).collect();
    }
    let Some(row) = graph.as_row(result) else { return BTreeMap::new() };
    let column = |id: NodeId| graph.as_get(id).filter(|get| is_row(get.record)).map(|get| get.field);
    row.names.iter().zip(&row.values).filter_map(|(name, &value)| Some((name.clone(), column(value)?))).collect()
}

/// The input columns of a row body, where every field is one.
pub fn all_columns(graph: &Graph, lambda: NodeId) -> Option<BTreeSet<Name>> {
    let columns = row_columns(graph, lambda);
    (columns.len() == names_of(graph, graph.result_of(lambda)).len()).then(|| columns.into_values().collect())
}

/// The columns that a sort's keys are, as far as they are columns.
pub(crate) fn sort_order(graph: &Graph, keys: NodeId, by: &[SortKey]) -> Vec<(Name, SortKey)> {
    let columns = row_columns(graph, keys);
    names_of(graph, graph.result_of(keys)).iter().zip(by).map_while(|(name, &key)| columns.get(name).map(|c| (c.clone(), key))).collect()
}

/// The names of a struct's fields, in order.
fn names_of(graph: &Graph, record: NodeId) -> Vec<Name> {
    match graph.ty(record) {
        Ty::Struct(fields) => fields.names().cloned().collect(),
        _ => Vec::new(),
    }
}

fn project(graph: &Graph, id: NodeId, input: &RelFacts) -> RelFacts {
    let Some(project) = graph.as_project(id) else { return RelFacts::default() };
    let columns = row_columns(graph, project.row);
    // An input column may have several names; any of them will do.
    let renamed: BTreeMap<&Name, &Name> = columns.iter().map(|(new, old)| (old, new)).collect();
    let mut facts = RelFacts { rows: input.rows, ..RelFacts::default() };
    let left = Renamed::new(input, &renamed);
    (facts.unique, facts.dependencies) = (left.unique(), left.dependencies());
    facts.order = input.order.iter().map_while(|(c, key)| renamed.get(c).map(|n| ((*n).clone(), *key))).collect();
    facts.columns = columns.iter().filter_map(|(new, old)| Some((new.clone(), input.columns.get(old)?.clone()))).collect();
    facts
}

/// A column that the predicate compares is not null in the rows it lets through.
fn not_null_after(graph: &Graph, predicate: NodeId, facts: &mut RelFacts) {
    let mut stack = vec![predicate];
    while let Some(id) = stack.pop() {
        if let Some(and) = graph.as_and(id) {
            stack.extend([and.left, and.right]);
            continue;
        }
        let comparison = matches!(graph.op(id), Op::Logic(op) if op <= airloom_ir::ops::logic::Logic::Ge);
        if !comparison {
            continue;
        }
        for &arg in graph.args(id) {
            if let Some(get) = graph.as_get(arg)
                && graph.as_param(get.record).is_some_and(|p| p.number == 0)
            {
                facts.columns.entry(get.field).or_default().no_nulls = true;
            }
        }
    }
}

/// How many distinct combinations of columns there are, about.
fn distinct_rows<'a>(input: &RelFacts, columns: impl Iterator<Item = &'a Name>) -> f64 {
    let product: f64 = columns.map(|c| input.distinct(c)).product();
    product.min(input.rows.estimate).max(1.0)
}

fn group(graph: &Graph, id: NodeId, input: &RelFacts) -> Option<RelFacts> {
    let group = graph.as_group(id)?;
    let Ty::Struct(keys) = graph.ty(graph.result_of(group.keys)) else { return None };
    let names: BTreeSet<Name> = keys.names().cloned().collect();
    let columns = row_columns(graph, group.keys);
    let mut facts = RelFacts { unique: vec![names.clone()], ..RelFacts::default() };
    facts.rows = if names.is_empty() {
        Rows::exactly(1)
    } else {
        let known = distinct_rows(input, columns.values());
        let unknown = if columns.len() < names.len() { (input.rows.estimate / 10.0).max(1.0) } else { known };
        Rows {
            least: u64::from(input.rows.least > 0),
            most: input.rows.most,
            estimate: known.max(unknown).min(input.rows.estimate.max(1.0)),
        }
    };
    facts.columns = columns.iter().filter_map(|(new, old)| Some((new.clone(), input.columns.get(old)?.clone()))).collect();
    // Counts are not far from the number of rows of a group, each of which many groups have.
    let usual = 2.0 * input.rows.estimate / facts.rows.estimate.max(1.0);
    let is_count = |id: NodeId| graph.as_arr_count(id).is_some() || graph.as_arr_nunique(id).is_some();
    if let Some(made) = graph.as_row(graph.result_of(group.aggregates)) {
        let counts = made.names.iter().zip(&made.values).filter(|(_, value)| is_count(**value));
        facts
            .columns
            .extend(counts.map(|(name, _)| (name.clone(), ColumnFacts { distinct: Some(usual.max(2.0)), ..ColumnFacts::default() })));
    }
    // Groups come in the order of their first rows: rows sorted by the keys give groups sorted by them.
    let renamed: BTreeMap<&Name, &Name> = columns.iter().map(|(new, old)| (old, new)).collect();
    let order: Vec<(Name, SortKey)> = input.order.iter().map_while(|(c, key)| renamed.get(c).map(|n| ((*n).clone(), *key))).collect();
    facts.order = order;
    // Of the keys some may determine others.
    facts.dependencies = Renamed::new(input, &renamed).dependencies();
    Some(facts)
}

/// At most this many unique sets of the rows of a join are unions of one of each side.
const MOST_UNIONS: usize = 8;

fn join(graph: &Graph, id: NodeId, left: &RelFacts, right: &RelFacts) -> Option<RelFacts> {
    let join = graph.as_join(id)?;
    let (left_keys, right_keys) = (row_columns(graph, join.left_keys), row_columns(graph, join.right_keys));
    let (Ty::Struct(left_fields), Ty::Struct(right_fields)) =
        (graph.ty(graph.result_of(join.left_keys)), graph.ty(graph.result_of(join.right_keys)))
    else {
        return None;
    };
    let keys_of = |keys: NodeId| all_columns(graph, keys);
    let right_once = keys_of(join.right_keys).is_some_and(|k| right.is_unique(&k));
    let left_once = keys_of(join.left_keys).is_some_and(|k| left.is_unique(&k));
    let distinct = |facts: &RelFacts, keys: &BTreeMap<Name, Name>, name: &Name| {
        keys.get(name).map_or(facts.rows.estimate / 10.0, |c| facts.distinct(c)).max(1.0)
    };
    // Of several keys there are no more combinations than rows; and where a side has each only once, the other finds one of its rows.
    let all = |facts: &RelFacts, keys: &BTreeMap<Name, Name>, fields: &Fields| {
        fields.names().map(|name| distinct(facts, keys, name)).product::<f64>().min(facts.rows.estimate).max(1.0)
    };
    let combinations = match (left_fields.len(), left_once, right_once) {
        (0 | 1, ..) | (_, false, false) | (_, true, true) => all(left, &left_keys, left_fields).max(all(right, &right_keys, right_fields)),
        (_, true, false) => all(left, &left_keys, left_fields),
        (_, false, true) => all(right, &right_keys, right_fields),
    };
    let mut pairs = left.rows.estimate * right.rows.estimate / combinations;
    let tested = !matches!(graph.const_value(graph.result_of(join.predicate)), Some(Value::Bool(true)));
    if tested {
        pairs *= 0.3;
    }
    // The share of the left rows that meet a right one: as if the keys of the right were some of those of the left.
    let met = left_fields.names().zip(right_fields.names()).fold(1.0f64, |met, (l, r)| {
        let distinct = |facts: &RelFacts, keys: &BTreeMap<Name, Name>, name: &Name| keys.get(name).map(|c| facts.distinct(c));
        match (distinct(left, &left_keys, l), distinct(right, &right_keys, r)) {
            (Some(left), Some(right)) => met.min(right / left.max(1.0)),
            _ => met.min(0.5),
        }
    });
    let mut facts = RelFacts::default();
    let (l, r) = (left.rows, right.rows);
    let product = l.most.zip(r.most).map(|(a, b)| a.saturating_mul(b));
    facts.rows = match join.how {
        JoinHow::Semi => l.part(met.clamp(0.01, 1.0)),
        JoinHow::Anti => l.part((1.0 - met).clamp(0.05, 0.95)),
        JoinHow::Inner => Rows {
            least: 0,
            most: if right_once {
                l.most
            } else if left_once {
                r.most
            } else {
                product
            },
            estimate: pairs,
        },
        JoinHow::Cross => Rows { least: 0, most: product, estimate: pairs },
        JoinHow::Left => Rows { least: l.least, most: if right_once { l.most } else { None }, estimate: pairs.max(l.estimate) },
        JoinHow::Right => Rows { least: r.least, most: if left_once { r.most } else { None }, estimate: pairs.max(r.estimate) },
        JoinHow::Outer => Rows { least: l.least.max(r.least), most: None, estimate: pairs.max(l.estimate).max(r.estimate) },
    };
    let keeps_left = matches!(join.how, JoinHow::Inner | JoinHow::Cross | JoinHow::Left | JoinHow::Semi | JoinHow::Anti);
    let keeps_right = matches!(join.how, JoinHow::Inner | JoinHow::Cross | JoinHow::Right);
    let filters_only = join.how.is_test();
    if filters_only || (right_once && keeps_left) {
        facts.unique.extend(left.unique.iter().cloned());
    }
    if left_once && keeps_right {
        facts.unique.extend(right.unique.iter().cloned());
    }
    // What is unique by itself says more than together with columns of the other side. So a chain of joins has few sets, though each union would double them.
    if facts.unique.is_empty() && keeps_left && keeps_right {
        let unions = left.unique.iter().flat_map(|own| right.unique.iter().map(move |other| own.union(other).cloned().collect()));
        facts.unique = unions.take(MOST_UNIONS).collect();
    }
    let columns = |side: NodeId| match graph.ty(side) {
        Ty::Rel(fields) => fields.names().cloned().collect(),
        _ => BTreeSet::new(),
    };
    let in_order = |keys: &BTreeMap<Name, Name>, fields: &Fields| fields.names().map(|name| keys.get(name).cloned()).collect();
    let left_side = JoinedSide { facts: left, columns: columns(join.left), keys: in_order(&left_keys, left_fields), once: left_once };
    let right_side = JoinedSide { facts: right, columns: columns(join.right), keys: in_order(&right_keys, right_fields), once: right_once };
    facts.dependencies = joined(join.how, tested, &left_side, &right_side);
    facts.order = match (join.how, join.major) {
        (JoinHow::Semi | JoinHow::Anti, _) => left.order.clone(),
        (JoinHow::Inner | JoinHow::Cross | JoinHow::Left, Side::Left) => left.order.clone(),
        (JoinHow::Inner | JoinHow::Cross | JoinHow::Right, Side::Right) => right.order.clone(),
        _ => Vec::new(),
    };
    let side = |from: &RelFacts, kept: bool| -> Vec<(Name, ColumnFacts)> {
        from.columns.iter().map(|(n, c)| (n.clone(), ColumnFacts { no_nulls: c.no_nulls && kept, ..c.clone() })).collect()
    };
    facts.columns.extend(side(left, keeps_left));
    if !filters_only {
        facts.columns.extend(side(right, keeps_right));
    }
    if matches!(join.how, JoinHow::Inner | JoinHow::Semi) {
        let nulls_match = join.nulls == NullMatch::Equal;
        for (own, other) in left_side.keys.iter().flatten().zip(right_side.keys.iter().flatten()) {
            matched_key(facts.columns.entry(own.clone()).or_default(), right.columns.get(other), nulls_match);
            if !filters_only {
                matched_key(facts.columns.entry(other.clone()).or_default(), left.columns.get(own), nulls_match);
            }
        }
    }
    Some(facts)
}

/// A key that has a partner lies in its range as well; and it is not null, where nulls have no partner.
fn matched_key(column: &mut ColumnFacts, partner: Option<&ColumnFacts>, nulls_match: bool) {
    column.no_nulls |= !nulls_match;
    let Some(partner) = partner else { return };
    let narrower = |own: &Option<Value>, other: &Option<Value>, pick: fn(i128, i128) -> i128| match (own, other) {
        (Some(Value::Int(own)), Some(Value::Int(other))) => Some(Value::Int(pick(*own, *other))),
        (None, Some(Value::Int(other))) => Some(Value::Int(*other)),
        _ => own.clone(),
    };
    let (min, max) = (narrower(&column.min, &partner.min, i128::max), narrower(&column.max, &partner.max, i128::min));
    // Keys of ranges that do not meet have no partner: there is nothing to be said of no rows.
    if !matches!((&min, &max), (Some(Value::Int(min)), Some(Value::Int(max))) if min > max) {
        (column.min, column.max) = (min, max);
    }
}
