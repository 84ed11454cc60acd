//! What nodes do.

use super::{BlockId, Body, FilterId, KeyFacts, SlotId};
use airloom_ir::attrs::{AsofDirection, EmptyList, JoinHow, Keep, Side, SortKey};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::sync::Arc;

/// What a node does with the rows of its inputs.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Reads columns of a source, without the rows that its filter does not let through.
    Scan(Scan),
    /// Lets a database compute a relation of its tables.
    Query(Query),
    /// Reads rows that a step has computed, or an argument.
    Input(SlotId),
    /// Keeps the rows for which the body is true.
    Filter(Body),
    /// Makes each of its columns, by name, from the row that the body makes.
    Project(Body),
    /// Keeps its columns, by name.
    Select,
    /// Drops rows whose keys are on no build side of these filters. It only saves work: dropping none is right too.
    DynamicFilter(Vec<FilterUse>),
    /// Pairs rows of the probe side (the first input) with those of a hash table (the second).
    HashProbe(HashProbe),
    /// One row for each element of lists.
    Unnest {
        /// The list columns.
        columns: Arc<[Name]>,
        /// What becomes of an empty list.
        empty: EmptyList,
    },
    /// One row for each row and each of these columns.
    Unpivot {
        /// The columns.
        columns: Arc<[Name]>,
        /// The column that says which it was.
        variable: Name,
        /// The column that holds its value.
        value: Name,
    },
    /// The rows of a range of positions.
    Limit {
        /// The first; counted from the end where negative.
        offset: SlotId,
        /// How many; all that follow where null.
        count: SlotId,
        /// Whether rows after the last one need not be computed: none of them may raise.
        stops_early: bool,
    },
    /// The rows of one input after those of the other.
    Concat,
    /// The build side of a join: its rows in a hash table by key.
    HashBuild(HashBuild),
    /// Groups by key, and reductions of them.
    Aggregate(Aggregate),
    /// Of rows with equal keys the first, the last, or those that have no equal.
    Distinct {
        /// Makes the keys.
        keys: Body,
        /// Which.
        keep: Keep,
        /// What is known of the keys.
        known: KeyFacts,
    },
    /// Each partition sorted; with a fetch, only its first rows.
    SortRuns {
        /// Makes the keys.
        keys: Body,
        /// How they are ordered.
        by: Arc<[SortKey]>,
        /// How many rows are wanted.
        fetch: Option<SlotId>,
    },
    /// Columns computed over the rows of each key, which stay where they are.
    Window(Window),
    /// One row for each key, and one column for each name.
    Pivot(Pivot),
    /// One row for each key, made by a body that is more than reductions.
    GroupApply {
        /// Makes the keys.
        keys: Body,
        /// Makes the row of a group from its columns.
        aggregates: Body,
        /// The block of that, for groups that are computed one by one.
        block: BlockId,
    },
    /// For each row of the first input the nearest of the second.
    AsofJoin(Asof),
    /// Rows drawn by a key.
    Sample {
        /// How many.
        count: SlotId,
        /// The key.
        key: SlotId,
        /// Whether a row may be drawn again.
        replace: bool,
    },
    /// Rows with their number as a last column.
    RowNumber {
        /// What the column is called.
        name: Name,
        /// The first number.
        start: i64,
    },
    /// Rows with their position as a last column: a number that rises as rows follow one another, with gaps.
    Position {
        /// What the column is called.
        name: Name,
    },
    /// Rows that several read: computed once.
    Materialize,
    /// A relation computed by the interpreter from all rows of its inputs.
    Interpret(Interpret),
    /// Brings all partitions together, one after the other.
    Gather,
    /// Gives every reader all rows.
    Broadcast,
    /// Brings rows with equal keys together, with their positions.
    HashPartition(PartitionKeys),
    /// Puts rows of sorted partitions in order, and cuts them into contiguous partitions.
    OrderedMerge,
}

/// What rows are partitioned by.
#[derive(Clone, PartialEq, Debug)]
pub enum PartitionKeys {
    /// What a body makes of each.
    Body(Body),
    /// Columns: the keys of groups.
    Columns(Vec<Name>),
}

/// A scan of a source.
#[derive(Clone, PartialEq, Debug)]
pub struct Scan {
    /// The source.
    pub source: Name,
    /// The type the program gives it.
    pub ty: TyId,
    /// What it reads, by the positions of fields in that type.
    pub reads: Vec<usize>,
    /// Keeps the rows for which this is true.
    pub filter: Option<Body>,
    /// Drops rows whose keys are on no build side of these.
    pub dynamic: Vec<FilterUse>,
}

/// A relation that a database computes.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The tables that it reads.
    pub sources: Vec<Name>,
    /// The text that is sent.
    pub text: String,
    /// The values of its parameters.
    pub parameters: Vec<Value>,
}

/// A column that a dynamic filter is applied to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterUse {
    /// The filter.
    pub filter: FilterId,
    /// The column.
    pub column: Name,
}

/// A key that a build side publishes as a dynamic filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Published {
    /// The number of the key.
    pub key: usize,
    /// The filter.
    pub filter: FilterId,
}

/// The build side of a join.
#[derive(Clone, PartialEq, Debug)]
pub struct HashBuild {
    /// Makes the keys.
    pub keys: Body,
    /// The types of the keys, nullable where either side's are.
    pub key_types: Vec<TyId>,
    /// Whether a null equals a null.
    pub nulls_equal: bool,
    /// The keys that it publishes.
    pub publishes: Vec<Published>,
}

/// The probe of a join.
#[derive(Clone, PartialEq, Debug)]
pub struct HashProbe {
    /// Makes the keys.
    pub keys: Body,
    /// Which rows are made.
    pub how: JoinHow,
    /// Which side of the program's join probes.
    pub probe: Side,
    /// What else must hold of a pair: a body over the left row and the right row.
    pub residual: Option<Body>,
    /// Whether rows carry the positions of their build rows, to be put in order above: the build side is the one whose order counts.
    pub restores_order: bool,
}

impl HashProbe {
    /// Whether it gives rows of the hash table alone: those of a semi or anti join whose left side is in it.
    pub fn gives_build_rows(&self) -> bool {
        self.how.is_test() && self.probe == Side::Right
    }
}

/// Which part of grouping a node does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Groups of one partition's rows, to be merged.
    Partial,
    /// Merges partial groups.
    Final,
    /// All of it: the terms of some reduction must be taken in the order of rows.
    Single,
}

impl Phase {
    /// All of them, with their words.
    pub const ALL: [(Phase, &'static str); 3] = [(Phase::Partial, "partial"), (Phase::Final, "final"), (Phase::Single, "single")];
}

/// Grouping.
#[derive(Clone, PartialEq, Debug)]
pub struct Aggregate {
    /// Which part of it.
    pub phase: Phase,
    /// Makes the keys.
    pub keys: Body,
    /// Makes the row of a group from its columns: [`crate::bodies::split_aggregates`] takes it apart.
    pub aggregates: Body,
    /// What is known of the keys.
    pub known: KeyFacts,
}

/// A window.
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// Makes the keys.
    pub keys: Body,
    /// Makes what rows of a key are ordered by.
    pub order: Body,
    /// How.
    pub by: Arc<[SortKey]>,
    /// Makes the new columns from those of the rows of a key.
    pub columns: Body,
    /// The block of that, for keys that are computed one by one.
    pub block: BlockId,
}

/// A pivot.
#[derive(Clone, PartialEq, Debug)]
pub struct Pivot {
    /// Makes the keys.
    pub keys: Body,
    /// Says which column a row belongs to.
    pub on: Body,
    /// Makes the value of a cell from the columns of its rows.
    pub aggregate: Body,
    /// The block of that, for cells that are computed one by one.
    pub block: BlockId,
    /// The columns.
    pub names: Arc<[Name]>,
}

/// An as-of join.
#[derive(Clone, PartialEq, Debug)]
pub struct Asof {
    /// What left rows are compared by.
    pub left_on: Body,
    /// What right rows are compared by.
    pub right_on: Body,
    /// Makes the left keys.
    pub left_by: Body,
    /// Makes the right keys.
    pub right_by: Body,
    /// Where the nearest is looked for.
    pub direction: AsofDirection,
    /// Whether equal ones match.
    pub exact: bool,
    /// How far away a match may be; null for any distance.
    pub tolerance: SlotId,
}

/// A relation for the interpreter.
#[derive(Clone, PartialEq, Debug)]
pub struct Interpret {
    /// The node of the graph that it is.
    pub node: NodeId,
    /// What its arguments are.
    pub arguments: Vec<Argument>,
}

/// An argument of a relation for the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The rows of an input, by number.
    Input(usize),
    /// A value.
    Slot(SlotId),
    /// A body, which is in the graph.
    Body,
}

impl Kind {
    /// Its word in the text form.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Scan(_) => "scan",
            Kind::Query(_) => "query",
            Kind::Input(_) => "input",
            Kind::Filter(_) => "filter",
            Kind::Project(_) => "project",
            Kind::Select => "select",
            Kind::DynamicFilter(_) => "dynamic-filter",
            Kind::HashProbe(_) => "hash-probe",
            Kind::Unnest { .. } => "unnest",
            Kind::Unpivot { .. } => "unpivot",
            Kind::Limit { .. } => "limit",
            Kind::Concat => "concat",
            Kind::HashBuild(_) => "hash-build",
            Kind::Aggregate(_) => "aggregate",
            Kind::Distinct { .. } => "distinct",
            Kind::SortRuns { .. } => "sort-runs",
            Kind::Window(_) => "window",
            Kind::Pivot(_) => "pivot",
            Kind::GroupApply { .. } => "group-apply",
            Kind::AsofJoin(_) => "asof-join",
            Kind::Sample { .. } => "sample",
            Kind::RowNumber { .. } => "row-number",
            Kind::Position { .. } => "position",
            Kind::Materialize => "materialize",
            Kind::Interpret(_) => "interpret",
            Kind::Gather => "gather",
            Kind::Broadcast => "broadcast",
            Kind::HashPartition(_) => "hash-partition",
            Kind::OrderedMerge => "ordered-merge",
        }
    }

    /// Whether it changes how rows are spread over partitions.
    pub fn is_exchange(&self) -> bool {
        matches!(self, Kind::Gather | Kind::Broadcast | Kind::HashPartition(_) | Kind::OrderedMerge)
    }

    /// Whether it needs all rows of an input before it gives the first of its own: a pipeline ends there.
    pub fn is_breaker(&self) -> bool {
        match self {
            Kind::Scan(_) | Kind::Query(_) | Kind::Input(_) => false,
            Kind::Filter(_) | Kind::Project(_) | Kind::Select | Kind::DynamicFilter(_) | Kind::HashProbe(_) => false,
            Kind::Unnest { .. } | Kind::Unpivot { .. } | Kind::Limit { .. } | Kind::Concat => false,
            Kind::RowNumber { .. } | Kind::Position { .. } => false,
            Kind::Gather | Kind::Broadcast | Kind::HashPartition(_) | Kind::OrderedMerge => true,
            Kind::HashBuild(_) | Kind::Aggregate(_) | Kind::Distinct { .. } | Kind::SortRuns { .. } => true,
            Kind::Window(_) | Kind::Pivot(_) | Kind::GroupApply { .. } | Kind::AsofJoin(_) | Kind::Sample { .. } => true,
            Kind::Materialize | Kind::Interpret(_) => true,
        }
    }

    /// Its bodies.
    pub fn bodies(&self) -> Vec<&Body> {
        match self {
            Kind::Scan(scan) => scan.filter.iter().collect(),
            Kind::Filter(body) | Kind::Project(body) | Kind::HashPartition(PartitionKeys::Body(body)) => vec![body],
            Kind::HashProbe(probe) => std::iter::once(&probe.keys).chain(&probe.residual).collect(),
            Kind::HashBuild(build) => vec![&build.keys],
            Kind::Aggregate(aggregate) => vec![&aggregate.keys, &aggregate.aggregates],
            Kind::Distinct { keys, .. } | Kind::SortRuns { keys, .. } => vec![keys],
            Kind::Window(window) => vec![&window.keys, &window.order, &window.columns],
            Kind::Pivot(pivot) => vec![&pivot.keys, &pivot.on, &pivot.aggregate],
            Kind::GroupApply { keys, aggregates, .. } => vec![keys, aggregates],
            Kind::AsofJoin(asof) => vec![&asof.left_on, &asof.right_on, &asof.left_by, &asof.right_by],
            _ => Vec::new(),
        }
    }

    /// The slots that it reads, besides what its bodies capture.
    pub fn slots(&self) -> Vec<SlotId> {
        match self {
            Kind::Input(slot) => vec![*slot],
            Kind::Limit { offset, count, .. } => vec![*offset, *count],
            Kind::SortRuns { fetch, .. } => fetch.iter().copied().collect(),
            Kind::AsofJoin(asof) => vec![asof.tolerance],
            Kind::Sample { count, key, .. } => vec![*count, *key],
            Kind::Interpret(interpret) => interpret
                .arguments
                .iter()
                .filter_map(|argument| if let Argument::Slot(slot) = argument { Some(*slot) } else { None })
                .collect(),
            _ => Vec::new(),
        }
    }
}
