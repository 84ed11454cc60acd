//! One relation with everything below it: first, from the top, what is read of each relation and whether its order is observed; then, from the bottom, the nodes.

use super::blocks::BlockBuilder;
use super::build::{Lowered, NewNode};
use super::compared::unseen_numbers;
use super::dynamic_filters::{DynamicFilters, place_dynamic_filters};
use super::shared_scans::{SharedScans, share_scans};
use super::{asof, group, join, ordered, over_keys, scan};
use crate::bodies::{ColumnSet, Origin, all, fields_of, origin, raising};
use crate::value::{Argument, Body, Column, FilterUse, Interpret, Kind, PlanId, Query};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;
use airloom_ir::types::Ty;
use std::collections::{BTreeMap, BTreeSet};

/// A plan deeper than this is computed in parts: streams of operators call one another, and a stack has an end.
const MAX_DEPTH: usize = 100;

/// The relations that are lowered together.
pub(super) struct Relations<'b, 'l, 'a> {
    pub(super) block: &'b mut BlockBuilder<'l, 'a>,
    /// What is read of each relation.
    pub(super) needed: BTreeMap<NodeId, ColumnSet>,
    /// How many relations read each.
    pub(super) uses: BTreeMap<NodeId, usize>,
    /// The relations whose order is observed.
    pub(super) ordered: BTreeSet<NodeId>,
    /// The filter over a source that nothing else reads: the scan applies it.
    pub(super) filters: BTreeMap<NodeId, NodeId>,
    /// The filters that scans apply.
    pub(super) applied: BTreeSet<NodeId>,
    /// The numberings whose numbers only put rows in order.
    pub(super) unseen_numbers: BTreeSet<NodeId>,
    pub(super) dynamic: DynamicFilters,
    /// The scans whose rows are kept for several readers.
    pub(super) shared: SharedScans,
    /// The relations that a database computes: the largest that it can.
    pub(super) queries: BTreeMap<NodeId, Query>,
    /// The relations of which all sources have known statistics.
    known: BTreeMap<NodeId, bool>,
}

/// Lowers a relation, with all its columns in their order, into the block that needs its rows.
pub(super) fn lower_relation(block: &mut BlockBuilder<'_, '_>, root: NodeId) -> PlanId {
    let mut relations = Relations {
        block,
        needed: BTreeMap::new(),
        uses: BTreeMap::new(),
        ordered: BTreeSet::new(),
        filters: BTreeMap::new(),
        applied: BTreeSet::new(),
        unseen_numbers: BTreeSet::new(),
        dynamic: DynamicFilters::default(),
        shared: SharedScans::default(),
        queries: BTreeMap::new(),
        known: BTreeMap::new(),
    };
    relations.lower(root)
}

impl<'a> Relations<'_, '_, 'a> {
    pub(super) fn graph(&self) -> &'a Graph {
        self.block.lowering.graph
    }

    fn lower(&mut self, root: NodeId) -> PlanId {
        let graph = self.graph();
        let width = fields_of(graph, root).len();
        let order = self.order(root);
        self.needed.insert(root, all(width));
        self.ordered.insert(root);
        for &id in order.iter().rev() {
            self.need(id);
        }
        self.unseen_numbers = unseen_numbers(self, &order);
        self.dynamic = place_dynamic_filters(self, &order);
        self.shared = share_scans(self, &order);
        let mut made: BTreeMap<NodeId, Lowered> = BTreeMap::new();
        for &id in &order {
            let mut lowered = self.node(id, &made);
            if lowered.depth > MAX_DEPTH && id != root {
                lowered = self.cut(id, lowered);
            }
            if self.uses.get(&id).copied().unwrap_or(0) > 1 && !self.is_cheap(id) {
                lowered.node = self.push_same(id, Kind::Materialize, lowered.node);
                lowered.depth += 1;
            }
            made.insert(id, lowered);
        }
        let lowered = made.remove(&root).expect("the root comes last");
        self.arranged(root, lowered, &all(width)).node
    }

    /// The relations below a root that are lowered with it, inputs first.
    fn order(&mut self, root: NodeId) -> Vec<NodeId> {
        let graph = self.graph();
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if ready {
                order.push(id);
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            stack.push((id, true));
            // What a step has computed is read again.
            if self.block.known(id).is_some() {
                continue;
            }
            // A source alone is read as any other.
            let query = matches!(graph.op(id), Op::Relation(_)).then(|| self.block.lowering.catalog.query(graph, id)).flatten();
            if let Some(query) = query {
                self.queries.insert(id, query);
                continue;
            }
            for input in inputs(graph, id) {
                *self.uses.entry(input).or_default() += 1;
                if graph.op(id) == Op::Relation(Relation::Filter) {
                    self.filters.insert(input, id);
                }
                stack.push((input, false));
            }
        }
        order
    }

    /// Whether one relation reads another, and no more.
    pub(super) fn is_read_once(&self, id: NodeId) -> bool {
        self.uses.get(&id) == Some(&1)
    }

    /// Whether the order of a relation is not observed.
    pub(super) fn order_unobserved(&self, id: NodeId) -> bool {
        !self.ordered.contains(&id)
    }

    /// What is read of a relation.
    pub(super) fn wanted(&self, id: NodeId) -> ColumnSet {
        self.needed.get(&id).cloned().unwrap_or_default()
    }

    /// A body with what it captures.
    pub(super) fn body(&mut self, function: NodeId, captures: &[NodeId]) -> Body {
        Body { function, captures: self.block.slots(captures) }
    }

    /// Fields of a relation as columns.
    pub(super) fn fields(&self, relation: NodeId, fields: impl IntoIterator<Item = usize>) -> Vec<Column> {
        let of = fields_of(self.graph(), relation);
        let column = |at: usize| {
            let field = of.get(at).expect("a field of the relation");
            Column { name: field.name.clone(), ty: field.ty }
        };
        fields.into_iter().map(column).collect()
    }

    fn node(&mut self, id: NodeId, made: &BTreeMap<NodeId, Lowered>) -> Lowered {
        let graph = self.graph();
        let wanted = self.wanted(id);
        if let Some(query) = self.queries.remove(&id) {
            let width = fields_of(graph, id).len();
            let columns = self.fields(id, 0..width);
            let node = self.push(NewNode { relation: id, kind: Kind::Query(query), inputs: &[], columns });
            return Lowered { node, fields: (0..width).collect(), depth: 1 };
        }
        let is_read = self.block.known(id).is_some();
        match graph.op(id) {
            Op::Relation(op) if !is_read => {
                let inputs = inputs(graph, id).into_iter().enumerate();
                let inputs = inputs.map(|(number, input)| self.filtered((id, number), made[&input].clone())).collect();
                self.relation(id, op, inputs, wanted)
            }
            Op::Core(Core::Source) if !is_read => self.shared_scan(id, &wanted).unwrap_or_else(|| scan::scan(self, id, wanted)),
            _ => {
                let slot = self.block.slot(id);
                let width = fields_of(graph, id).len();
                let columns = self.fields(id, 0..width);
                let node = self.push(NewNode { relation: id, kind: Kind::Input(slot), inputs: &[], columns });
                self.arranged(id, Lowered { node, fields: (0..width).collect(), depth: 1 }, &wanted)
            }
        }
    }

    /// A relation computed by a step of its own, and read from there.
    fn cut(&mut self, id: NodeId, lowered: Lowered) -> Lowered {
        let columns = self.columns(lowered.node).to_vec();
        // Only the columns that are read are computed: the slot is not the relation's own.
        let slot = self.block.part(id, lowered.node);
        let node = self.push(NewNode { relation: id, kind: Kind::Input(slot), inputs: &[], columns });
        Lowered { node, depth: 0, ..lowered }
    }

    /// An input of a relation, without rows whose keys are on no build side further on.
    fn filtered(&mut self, edge: (NodeId, usize), input: Lowered) -> Lowered {
        let uses = self.dynamic.of_edge.remove(&edge).unwrap_or_default();
        let names = self.columns(input.node);
        let column = |field: usize| input.fields.iter().position(|&own| own == field).map(|at| names[at].name.clone());
        let uses: Vec<FilterUse> =
            uses.into_iter().filter_map(|(field, filter)| Some(FilterUse { filter, column: column(field)? })).collect();
        if uses.is_empty() {
            return input;
        }
        self.dynamic.used.extend(uses.iter().map(|used| used.filter));
        let node = self.push_same(edge.0, Kind::DynamicFilter(uses), input.node);
        Lowered { node, ..input }
    }

    fn relation(&mut self, id: NodeId, op: Relation, mut inputs: Vec<Lowered>, wanted: ColumnSet) -> Lowered {
        let graph = self.graph();
        let mut take = || inputs.pop().expect("it has as many inputs as its op takes");
        match op {
            Relation::Filter if self.applied.contains(&id) => take(),
            Relation::Filter => {
                let filter = graph.as_filter(id).expect("it is one");
                let (input, body) = (take(), self.body(filter.predicate, &filter.captures));
                let node = self.push_same(id, Kind::Filter(body), input.node);
                Lowered { node, ..input }
            }
            Relation::Project => {
                let project = graph.as_project(id).expect("it is one");
                let (input, body) = (take(), self.body(project.row, &project.captures));
                // A column that nobody reads is still computed where that may raise.
                let fields: ColumnSet = wanted.into_iter().chain(raising(graph, project.row)).collect();
                let columns = self.fields(id, fields.iter().copied());
                let node = self.push(NewNode { relation: id, kind: Kind::Project(body), inputs: &[input.node], columns });
                Lowered { node, fields: fields.into_iter().collect(), depth: input.depth }
            }
            Relation::Unordered => take(),
            Relation::Concat => ordered::concat(self, id, inputs, &wanted),
            Relation::Group => group::group(self, id, take(), &wanted),
            Relation::Join => {
                let right = take();
                join::join(self, id, take(), right, &wanted)
            }
            Relation::Sort if self.order_unobserved(id) && graph.effect(graph.as_sort(id).expect("it is one").keys) == Effect::Pure => {
                self.arranged(id, take(), &wanted)
            }
            Relation::Sort | Relation::Top => ordered::sort(self, id, take()),
            Relation::Slice => ordered::limit(self, id, take()),
            Relation::Number => ordered::row_number(self, id, take(), &wanted),
            Relation::Distinct => over_keys::distinct(self, id, take()),
            Relation::Window => over_keys::window(self, id, take(), &wanted),
            Relation::Pivot => over_keys::pivot(self, id, take(), &wanted),
            Relation::Asof => {
                let right = take();
                asof::asof(self, id, take(), right)
            }
            Relation::Explode => ordered::unnest(self, id, take()),
            Relation::Unpivot => ordered::unpivot(self, id, take(), &wanted),
            Relation::Sample => ordered::sample(self, id, take()),
            Relation::Columns | Relation::Pack | Relation::Rows => {
                panic!("invariant `what is no relation of rows is a step`: {}", graph.op(id).name())
            }
        }
    }

    /// A relation that only the interpreter can compute, from all rows of its inputs.
    pub(super) fn interpret(&mut self, id: NodeId, lowered: Vec<Lowered>, wanted: &ColumnSet) -> Lowered {
        let graph = self.graph();
        let relations = inputs(graph, id);
        let depth = lowered.iter().map(|input| input.depth).max().unwrap_or(0) + 1;
        let mut gathered = Vec::with_capacity(lowered.len());
        for (input, &relation) in lowered.into_iter().zip(&relations) {
            let whole = self.arranged(id, input, &all(fields_of(graph, relation).len()));
            gathered.push(self.push_same(id, Kind::Gather, whole.node));
        }
        let argument = |this: &mut Self, arg: NodeId| match relations.iter().position(|&relation| relation == arg) {
            Some(number) => Argument::Input(number),
            None if graph.op(arg) == Op::Core(Core::Lambda) => Argument::Body,
            None => Argument::Slot(this.block.slot(arg)),
        };
        let arguments = graph.args(id).iter().map(|&arg| argument(self, arg)).collect();
        let width = fields_of(graph, id).len();
        let columns = self.fields(id, 0..width);
        let kind = Kind::Interpret(Interpret { node: id, arguments });
        let node = self.push(NewNode { relation: id, kind, inputs: &gathered, columns });
        let node = self.merged(id, node);
        self.arranged(id, Lowered { node, fields: (0..width).collect(), depth }, wanted)
    }

    /// Exactly these fields, in their order.
    pub(super) fn arranged(&mut self, relation: NodeId, lowered: Lowered, wanted: &ColumnSet) -> Lowered {
        if lowered.fields.iter().eq(wanted.iter()) {
            return lowered;
        }
        let names = self.columns(lowered.node);
        let at = |field: &usize| lowered.fields.iter().position(|own| own == field).expect("invariant `what is wanted is there`");
        let columns = wanted.iter().map(|field| names[at(field)].clone()).collect();
        let node = self.push(NewNode { relation, kind: Kind::Select, inputs: &[lowered.node], columns });
        Lowered { node, fields: wanted.iter().copied().collect(), depth: lowered.depth }
    }

    /// Whether computing a relation twice costs no more than keeping it.
    fn is_cheap(&self, id: NodeId) -> bool {
        let graph = self.graph();
        let mut at = id;
        loop {
            if self.block.known(at).is_some() {
                return true;
            }
            match graph.op(at) {
                Op::Relation(Relation::Unordered) => at = graph.args(at)[0],
                Op::Relation(Relation::Project) => {
                    let project = graph.as_project(at).expect("it is one");
                    let result = graph.result_of(project.row);
                    if !fields_of(graph, result).names().all(|name| matches!(origin(graph, result, name), Origin::Field(_))) {
                        return false;
                    }
                    at = project.input;
                }
                Op::Relation(_) => return false,
                _ => return true,
            }
        }
    }

    /// How many rows a relation is expected to have, where the rows of all it is made from are known.
    pub(super) fn estimate(&mut self, id: NodeId) -> Option<f64> {
        let graph = self.graph();
        let mut stack = vec![id];
        while let Some(&at) = stack.last() {
            if self.known.contains_key(&at) {
                stack.pop();
                continue;
            }
            let below: Vec<NodeId> = match graph.op(at) {
                Op::Relation(_) => graph.args(at).iter().copied().filter(|&arg| matches!(graph.ty(arg), Ty::Rel(_))).collect(),
                _ => Vec::new(),
            };
            let open: Vec<NodeId> = below.iter().copied().filter(|arg| !self.known.contains_key(arg)).collect();
            if !open.is_empty() {
                stack.extend(open);
                continue;
            }
            let known = match (graph.op(at), graph.as_source(at)) {
                (_, Some(source)) => {
                    let tables = &self.block.lowering.facts.statistics().tables;
                    tables.get(&source.name).is_some_and(|table| table.rows.is_some())
                }
                (Op::Relation(_), _) => below.iter().all(|arg| self.known[arg]),
                _ => false,
            };
            self.known.insert(at, known);
            stack.pop();
        }
        self.known[&id].then(|| self.block.lowering.facts.relation(graph, id).rows.estimate.round())
    }
}

/// The inputs of a relation that are relations.
pub(super) fn inputs(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let Op::Relation(op) = graph.op(id) else { return Vec::new() };
    if matches!(op, Relation::Pack | Relation::Columns | Relation::Rows) {
        return Vec::new();
    }
    let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
    let own = if op == Relation::Concat { parts.tail } else { parts.fixed };
    own.iter().copied().filter(|&a| matches!(graph.ty(a), Ty::Rel(_))).collect()
}
