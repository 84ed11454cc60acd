//! One scan for all that read a source, where the keys of one join drop most of its rows and the others want none of those.
//!
//! A query that compares rows with an aggregate of their group reads a table twice: once for the aggregates, once for the rows. Both are wanted for few keys only, those of
//! a build side. The aggregates are joined with it first, so that what the second reading is joined with has no other keys than the first. Then the rows of these keys
//! are read once, with the columns of both, and kept:
//!
//! ```text
//! group(lineitem) ⋈ part = small;  lineitem ⋈ small     →     kept = rows of lineitem with a key of part;  group(kept) ⋈ part = small;  kept ⋈ small
//! ```

use super::build::{Lowered, NewNode};
use super::join;
use super::relation::{Relations, inputs};
use crate::bodies::{ColumnSet, Origin, fields_of, origin};
use crate::value::{Column, FilterId, FilterUse, Kind, PlanId, Scan};
use airloom_ir::attrs::{JoinHow, NullMatch};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;
use std::collections::BTreeMap;

/// Rows are kept where a join has keys for at most one in this many of the values of its column.
const FEW_KEYS: f64 = 8.0;

/// The scans of one plan whose rows are kept for several readers.
#[derive(Default)]
pub(super) struct SharedScans {
    scans: Vec<SharedScan>,
    /// For each source the scan that reads it.
    of_source: BTreeMap<NodeId, usize>,
}

struct SharedScan {
    /// The source, by its node with the most columns.
    source: NodeId,
    /// The fields of it that somebody reads.
    reads: ColumnSet,
    /// The filter that drops rows for all readers.
    used: FilterUse,
    /// What keeps its rows, once that is made.
    kept: Option<PlanId>,
}

/// A relation that reads a source, by the input that does.
struct Reader {
    source: NodeId,
    edge: (NodeId, usize),
    /// The keys that drop rows on the way into it.
    keys: Vec<(Name, Key)>,
}

/// A key of a join, by number, whose build side publishes it.
#[derive(Clone, Copy)]
struct Key {
    join: NodeId,
    number: usize,
    filter: FilterId,
}

/// Finds sources that may be read once for all their readers.
pub(super) fn share_scans(relations: &mut Relations<'_, '_, '_>, order: &[NodeId]) -> SharedScans {
    let mut shared = SharedScans::default();
    for readers in readers_by_name(relations, order).into_values().filter(|readers| readers.len() > 1) {
        let Some((column, key)) = common_key(relations, &readers) else { continue };
        let Some(source) = widest(relations.graph(), &readers) else { continue };
        let fields = fields_of(relations.graph(), source);
        let mut reads = ColumnSet::new();
        for reader in &readers {
            let own = fields_of(relations.graph(), reader.source);
            let names = relations.wanted(reader.source).into_iter().filter_map(|at| Some(&own.get(at)?.name));
            reads.extend(names.filter_map(|name| fields.position(name)));
            shared.of_source.insert(reader.source, shared.scans.len());
            // The scan applies this one for all.
            for uses in [relations.dynamic.of_source.get_mut(&reader.source), relations.dynamic.of_edge.get_mut(&reader.edge)] {
                uses.into_iter().for_each(|uses| uses.retain(|(_, filter)| *filter != key.filter));
            }
        }
        reads.extend(fields.position(&column));
        if readers.iter().any(|reader| !relations.order_unobserved(reader.source)) {
            relations.ordered.insert(source);
        }
        shared.scans.push(SharedScan { source, reads, used: FilterUse { filter: key.filter, column }, kept: None });
    }
    shared
}

/// The readers of sources, by the names of those. A filter over a source is the scan's own, which can use it to skip data: such readers are not among them.
fn readers_by_name(relations: &Relations<'_, '_, '_>, order: &[NodeId]) -> BTreeMap<Name, Vec<Reader>> {
    let graph = relations.graph();
    let mut keys: BTreeMap<FilterId, Key> = BTreeMap::new();
    for (&join, published) in &relations.dynamic.of_join {
        keys.extend(published.iter().map(|&(number, filter)| (filter, Key { join, number, filter })));
    }
    let mut readers: BTreeMap<Name, Vec<Reader>> = BTreeMap::new();
    let mut filtered: Vec<Name> = Vec::new();
    for &id in order {
        if relations.block.known(id).is_some() || relations.queries.contains_key(&id) {
            continue;
        }
        for (number, source) in inputs(graph, id).into_iter().enumerate() {
            if graph.op(source) != Op::Core(Core::Source) || relations.block.known(source).is_some() {
                continue;
            }
            let name = graph.as_source(source).expect("it is one").name;
            if graph.op(id) == Op::Relation(Relation::Filter) {
                filtered.push(name);
                continue;
            }
            let (edge, own) = ((id, number), fields_of(graph, source));
            let uses = [relations.dynamic.of_source.get(&source), relations.dynamic.of_edge.get(&edge)];
            let uses = uses.into_iter().flatten().flatten();
            let keys = uses.filter_map(|(field, filter)| Some((own.get(*field)?.name.clone(), *keys.get(filter)?))).collect();
            readers.entry(name).or_default().push(Reader { source, edge, keys });
        }
    }
    readers.retain(|name, _| !filtered.contains(name));
    readers
}

/// A key of few values that drops rows for one reader, and whose values the keys of all other readers are among, in the same column.
fn common_key(relations: &mut Relations<'_, '_, '_>, readers: &[Reader]) -> Option<(Name, Key)> {
    let candidates = readers.iter().flat_map(|reader| &reader.keys);
    let mut candidates: Vec<(Name, Key)> = candidates.map(|(column, key)| (column.clone(), *key)).collect();
    candidates.retain(|(column, key)| {
        let within = |relations: &mut Relations<'_, '_, '_>, reader: &Reader| {
            let mut own = reader.keys.iter().filter(|(name, _)| name == column);
            own.any(|(_, other)| other.filter == key.filter || is_within(relations, *other, *key))
        };
        readers.iter().all(|reader| within(relations, reader)) && is_selective(relations, readers[0].source, column, *key)
    });
    candidates.into_iter().next()
}

/// Whether a build side has few of the values of a column.
fn is_selective(relations: &mut Relations<'_, '_, '_>, source: NodeId, column: &Name, key: Key) -> bool {
    let build = build_side(relations, key.join).relation;
    let graph = relations.graph();
    let facts = &mut relations.block.lowering.facts;
    facts.relation(graph, build).rows.estimate * FEW_KEYS <= facts.relation(graph, source).distinct(column)
}

/// The build side of a join.
struct BuildSide {
    relation: NodeId,
    /// The body of its keys.
    keys: NodeId,
    is_left: bool,
}

fn build_side(relations: &mut Relations<'_, '_, '_>, id: NodeId) -> BuildSide {
    let is_left = !join::probe_side(relations, id).is_left();
    let join = relations.graph().as_join(id).expect("it is one");
    let (relation, keys) = if is_left { (join.left, join.left_keys) } else { (join.right, join.right_keys) };
    BuildSide { relation, keys, is_left }
}

/// The field that a body passes on as one of its own, by number.
fn passed_on(graph: &Graph, body: NodeId, number: usize) -> Option<usize> {
    let result = graph.result_of(body);
    match origin(graph, result, &fields_of(graph, result).get(number)?.name) {
        Origin::Field(field) => Some(field),
        _ => None,
    }
}

/// Whether all values of one key are values of another, since its build side reads the join of the other: that join comes first, and has published its keys when the
/// first row is asked for.
fn is_within(relations: &mut Relations<'_, '_, '_>, key: Key, of: Key) -> bool {
    let graph = relations.graph();
    let nulls = |join: NodeId| graph.as_join(join).expect("it is one").nulls == NullMatch::Equal;
    if nulls(key.join) && !nulls(of.join) {
        return false;
    }
    let build = build_side(relations, key.join);
    let Some(mut field) = passed_on(graph, build.keys, key.number) else { return false };
    let mut at = build.relation;
    loop {
        if at == of.join {
            return gives_only(relations, of, field);
        }
        match field_below(graph, at, field) {
            Some(below) => (at, field) = below,
            None => return false,
        }
    }
}

/// Whether a field of what a join makes has no other values than a key of its build side.
fn gives_only(relations: &mut Relations<'_, '_, '_>, key: Key, field: usize) -> bool {
    let graph = relations.graph();
    let join = graph.as_join(key.join).expect("it is one");
    let build = build_side(relations, key.join);
    let left_width = fields_of(graph, join.left).len();
    let is_of_left = field < left_width;
    let own = if is_of_left { field } else { field - left_width };
    if is_of_left == build.is_left {
        return passed_on(graph, build.keys, key.number) == Some(own);
    }
    // What was looked up is among the keys where only rows with a match are made.
    let keys = if is_of_left { join.left_keys } else { join.right_keys };
    matches!(join.how, JoinHow::Inner | JoinHow::Semi) && passed_on(graph, keys, key.number) == Some(own)
}

/// The field of an input whose values, or some of them, a field of a relation has.
fn field_below(graph: &Graph, at: NodeId, field: usize) -> Option<(NodeId, usize)> {
    let Op::Relation(op) = graph.op(at) else { return None };
    match op {
        Relation::Unordered
        | Relation::Filter
        | Relation::Sort
        | Relation::Top
        | Relation::Slice
        | Relation::Distinct
        | Relation::Sample => Some((*inputs(graph, at).first()?, field)),
        Relation::Number => {
            let input = graph.as_number(at)?.input;
            (field < fields_of(graph, input).len()).then_some((input, field))
        }
        Relation::Project => {
            let project = graph.as_project(at)?;
            Some((project.input, passed_on(graph, project.row, field)?))
        }
        Relation::Group => {
            let group = graph.as_group(at)?;
            Some((group.input, passed_on(graph, group.keys, field)?))
        }
        Relation::Join => {
            let join = graph.as_join(at)?;
            let width = fields_of(graph, join.left).len();
            match (field < width, join.how) {
                (true, JoinHow::Inner | JoinHow::Cross | JoinHow::Left | JoinHow::Semi | JoinHow::Anti) => Some((join.left, field)),
                (false, JoinHow::Inner | JoinHow::Cross | JoinHow::Right) => Some((join.right, field - width)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Of the nodes of one source the one with all columns of the others, if there is one.
fn widest(graph: &Graph, readers: &[Reader]) -> Option<NodeId> {
    let source = readers.iter().map(|reader| reader.source).max_by_key(|&source| fields_of(graph, source).len())?;
    let all = fields_of(graph, source);
    let has = |name: &Name, ty| all.position(name).and_then(|at| all.get(at)).is_some_and(|field| field.ty == ty);
    let within = |reader: &Reader| fields_of(graph, reader.source).iter().all(|field| has(&field.name, field.ty));
    readers.iter().all(within).then_some(source)
}

impl Relations<'_, '_, '_> {
    /// What is wanted of a source whose rows are kept for several readers, if it is one.
    pub(super) fn shared_scan(&mut self, source: NodeId, wanted: &ColumnSet) -> Option<Lowered> {
        let at = *self.shared.of_source.get(&source)?;
        let kept = match self.shared.scans[at].kept {
            Some(kept) => kept,
            None => {
                let kept = self.keep(at);
                self.shared.scans[at].kept = Some(kept);
                kept
            }
        };
        let columns: Vec<Column> = self.fields(source, wanted.iter().copied());
        let mut node = kept;
        if self.columns(kept) != columns {
            node = self.push(NewNode { relation: source, kind: Kind::Select, inputs: &[kept], columns });
        }
        let names = fields_of(self.graph(), source);
        let others = self.dynamic.of_source.remove(&source).unwrap_or_default();
        let others = others.into_iter().filter(|(field, _)| wanted.contains(field));
        let others: Vec<FilterUse> =
            others.map(|(field, filter)| FilterUse { filter, column: names.get(field).expect("a field").name.clone() }).collect();
        if !others.is_empty() {
            self.dynamic.used.extend(others.iter().map(|used| used.filter));
            node = self.push_same(source, Kind::DynamicFilter(others), node);
        }
        Some(Lowered { node, fields: wanted.iter().copied().collect(), depth: 2 })
    }

    /// The scan with all that its readers want, and what keeps its rows.
    fn keep(&mut self, at: usize) -> PlanId {
        let graph = self.graph();
        let shared = &self.shared.scans[at];
        let (source, used, reads) = (shared.source, shared.used.clone(), shared.reads.iter().copied().collect::<Vec<_>>());
        self.dynamic.used.insert(used.filter);
        let columns = self.fields(source, reads.iter().copied());
        let name = graph.as_source(source).expect("it is one").name;
        let kind = Kind::Scan(Scan { source: name, ty: graph.ty_id(source), reads, filter: None, dynamic: vec![used] });
        let scan = self.push(NewNode { relation: source, kind, inputs: &[], columns });
        self.push_same(source, Kind::Materialize, scan)
    }
}
