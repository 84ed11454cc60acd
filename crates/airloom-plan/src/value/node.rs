//! One node of a plan.

use super::{Kind, PlanId};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;

/// One node: what it does, what it reads, the columns it makes, and what is known of its rows.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub kind: Kind,
    /// What it reads.
    pub inputs: Vec<PlanId>,
    /// The columns it makes, in order.
    pub columns: Vec<Column>,
    /// What is known of its rows.
    pub properties: Properties,
    /// The nodes of the program that it computes. Empty in a plan that came from elsewhere.
    pub origin: Vec<NodeId>,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name, unique among its fellows.
    pub name: Name,
    /// Its type.
    pub ty: TyId,
}

/// What is known of the rows of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Properties {
    /// How they are spread over partitions.
    pub partitioning: Partitioning,
    /// What is known of their order.
    pub order: Order,
    /// How many there are expected to be, where something is known of the data.
    pub rows: Option<f64>,
    /// How many bytes a row takes, about.
    pub row_bytes: f32,
    /// What computing them may do besides giving them.
    pub effect: Effect,
}

/// How rows are spread over partitions. Only an exchange changes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partitioning {
    /// One partition.
    Single,
    /// Partition `p` is the `p`-th contiguous piece of the relation.
    Contiguous,
    /// Rows with equal keys are in one partition.
    Hash,
    /// Every reader sees all rows.
    Broadcast,
}

impl Partitioning {
    /// All of them, with their words.
    pub const ALL: [(Partitioning, &'static str); 4] = [
        (Partitioning::Single, "single"),
        (Partitioning::Contiguous, "contiguous"),
        (Partitioning::Hash, "hash"),
        (Partitioning::Broadcast, "broadcast"),
    ];
}

/// What is known of the order of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The order of the relation: within partitions, and from one partition to the next.
    Exact,
    /// Rows carry their positions, and stand in their order within each partition.
    ByPosition,
    /// The order is not observed.
    Free,
}

impl Order {
    /// All of them, with their words.
    pub const ALL: [(Order, &'static str); 3] = [(Order::Exact, "exact"), (Order::ByPosition, "by-position"), (Order::Free, "free")];
}
