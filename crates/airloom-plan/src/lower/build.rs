//! Nodes appended to a plan, with what is known of their rows.

use super::relation::Relations;
use crate::value::{Body, Column, Kind, Node, Order, PartitionKeys, Partitioning, PlanId, Properties};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::NodeId;
use airloom_ir::types::{Ty, TyId, Types};

/// A relation on its way to a plan: a node, and which fields of the relation its columns are.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub(super) node: PlanId,
    /// For each column the position of its field in the relation's type.
    pub(super) fields: Vec<usize>,
    /// How many operators are stacked up to it.
    pub(super) depth: usize,
}

/// A node that is about to be appended.
pub(super) struct NewNode<'i> {
    /// The relation that it is a part of.
    pub(super) relation: NodeId,
    pub(super) kind: Kind,
    pub(super) inputs: &'i [PlanId],
    pub(super) columns: Vec<Column>,
}

impl Relations<'_, '_, '_> {
    /// Appends a node.
    pub(super) fn push(&mut self, new: NewNode<'_>) -> PlanId {
        let NewNode { relation, kind, inputs, columns } = new;
        let properties = self.properties(relation, &kind, inputs, &columns);
        let id = PlanId::new(self.block.lowering.nodes.len());
        let node = Node { kind, inputs: inputs.to_vec(), columns, properties, origin: vec![relation] };
        self.block.lowering.nodes.push(node);
        id
    }

    /// Appends a node with the columns of its one input.
    pub(super) fn push_same(&mut self, relation: NodeId, kind: Kind, input: PlanId) -> PlanId {
        let columns = self.columns(input).to_vec();
        self.push(NewNode { relation, kind, inputs: &[input], columns })
    }

    /// Rows with equal keys brought together, or all rows where there are no keys.
    pub(super) fn partition(&mut self, relation: NodeId, keys: &Body, input: PlanId) -> PlanId {
        let graph = self.graph();
        let none = crate::bodies::fields_of(graph, graph.result_of(keys.function)).is_empty();
        self.push_same(relation, if none { Kind::Gather } else { Kind::HashPartition(PartitionKeys::Body(keys.clone())) }, input)
    }

    /// One of the nodes made so far.
    pub(super) fn made(&self, node: PlanId) -> &Node {
        &self.block.lowering.nodes[node.index()]
    }

    /// What comes of partitioned rows, in contiguous partitions again where its order is observed.
    pub(super) fn merged(&mut self, relation: NodeId, input: PlanId) -> PlanId {
        if self.order_unobserved(relation) { input } else { self.push_same(relation, Kind::OrderedMerge, input) }
    }

    pub(super) fn columns(&self, node: PlanId) -> &[Column] {
        &self.block.lowering.nodes[node.index()].columns
    }

    fn properties(&mut self, relation: NodeId, kind: &Kind, inputs: &[PlanId], columns: &[Column]) -> Properties {
        let graph = self.graph();
        let below: Vec<Properties> = inputs.iter().map(|input| self.block.lowering.nodes[input.index()].properties).collect();
        let (partitioning, order) = spread(kind, &below, !self.order_unobserved(relation));
        Properties {
            partitioning,
            order,
            rows: self.estimate(relation),
            // The sum of nothing is `-0.0`.
            row_bytes: columns.iter().map(|column| width(graph.types(), column.ty)).sum::<f32>() + 0.0,
            effect: kind.bodies().iter().map(|body| graph.effect(graph.result_of(body.function))).max().unwrap_or(Effect::Pure),
        }
    }
}

/// How the rows of a node are spread, and what is known of their order.
pub(crate) fn spread(kind: &Kind, inputs: &[Properties], observed: bool) -> (Partitioning, Order) {
    let order = if observed { Order::Exact } else { Order::Free };
    let first = inputs.first().map_or(Partitioning::Contiguous, |input| input.partitioning);
    let below = inputs.first().map_or(order, |input| input.order);
    match kind {
        Kind::Scan(_) | Kind::Input(_) | Kind::Concat => (Partitioning::Contiguous, order),
        Kind::Query(_) | Kind::Gather => (Partitioning::Single, below),
        Kind::Broadcast => (Partitioning::Broadcast, below),
        Kind::HashPartition(_) => (Partitioning::Hash, if observed { Order::ByPosition } else { Order::Free }),
        Kind::OrderedMerge => (Partitioning::Contiguous, order),
        Kind::HashProbe(probe) if probe.restores_order => (first, Order::ByPosition),
        // The rows of a test that builds on the left are those of the table, in their order, whatever the order of what probes it.
        Kind::HashProbe(probe) if probe.gives_build_rows() => (first, inputs.get(1).map_or(order, |build| build.order)),
        // Rows are given out by what they are grouped or compared by: their positions travel with them.
        _ => (first, below),
    }
}

/// About how many bytes a value takes.
fn width(types: &Types, ty: TyId) -> f32 {
    match types.plain(ty) {
        Ty::Bool => 0.125,
        Ty::Int(int) => int.bits() as f32 / 8.0,
        Ty::F32 | Ty::Date => 4.0,
        Ty::F64 | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_) => 8.0,
        Ty::Decimal { precision, .. } => {
            if *precision > 18 {
                16.0
            } else {
                8.0
            }
        }
        Ty::Dict(_) | Ty::Category { .. } => 4.0,
        Ty::Str | Ty::Bytes => 24.0,
        // Types nest at most so deep: this may recurse.
        Ty::Struct(fields) => fields.iter().map(|field| width(types, field.ty)).sum(),
        _ => 32.0,
    }
}
