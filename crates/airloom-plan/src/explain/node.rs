//! A plan for people, as data.

use airloom_ir::graph::NodeId;
use std::time::Duration;

/// How a program is run: a tree for each relation that is computed on its own, in the order in which they are. It prints as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhysicalPlan {
    /// The trees.
    pub parts: Vec<PlanNode>,
    /// How long the run would have taken had every task of it a core of its own, where it has run: what must be done one after the other.
    pub span: Option<Duration>,
}

/// One node of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanNode {
    /// What it does: `scan`, `filter`, `join`, ….
    pub op: String,
    /// With what: columns, keys, predicates, the text of a query.
    pub detail: String,
    /// The nodes of the program that it computes.
    pub nodes: Vec<NodeId>,
    /// Where those were written.
    pub places: Vec<String>,
    /// How many rows it was expected to make, where something is known of the data.
    pub estimated_rows: Option<u64>,
    /// How its rows are spread over partitions: `contiguous`, `single`, `hash`.
    pub partitioning: String,
    /// The columns that it makes: names and types.
    pub columns: Vec<(String, String)>,
    /// What each partition of a scan of files reads; as it was, where it has run.
    pub partitions: Vec<Partition>,
    /// What it did, where it has run.
    pub counts: Option<Counts>,
    /// Whether native code computes it, where it computes something of rows and there is a compiler.
    pub native: Option<NativeCode>,
    /// What it reads.
    pub inputs: Vec<PlanNode>,
}

/// Whether native code computes what a node computes of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeCode {
    /// It does, once there are rows enough.
    Compiled,
    /// It does, but for parts that the interpreter computes before, for this reason.
    Partly(String),
    /// The interpreter does, for this reason.
    Interpreted(String),
}

/// What one partition of a scan of files reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Of how many files.
    pub files: u64,
    /// How many of their row groups.
    pub row_groups: u64,
    /// How many rows they have.
    pub rows: u64,
    /// How many bytes they take in the files.
    pub bytes: u64,
}

/// What a node of a plan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The rows that it made.
    pub rows: u64,
    /// The rows that a scan read, where it dropped some of them.
    pub rows_read: Option<u64>,
    /// The batches that they came in.
    pub batches: u64,
    /// Their bytes in memory.
    pub bytes: u64,
    /// The time that processors spent on it, all of them together, without what its inputs took: its work.
    pub time: Duration,
    /// How much of the span of the run is its.
    pub span: Duration,
    /// Bytes that were written to disk because they did not fit in memory.
    pub spilled_bytes: u64,
    /// The files that they were written to.
    pub spilled_files: u64,
    /// The rows that native code reduced, where it did: they were never written as columns.
    pub folded_rows: Option<u64>,
    /// The most memory that it held at once, where it holds rows; of partitions that work at different times, the sum.
    pub peak_memory: Option<u64>,
}

impl PhysicalPlan {
    /// Each node of all trees, a node before its inputs.
    pub fn nodes(&self) -> Vec<&PlanNode> {
        let mut found = Vec::new();
        let mut stack: Vec<&PlanNode> = self.parts.iter().rev().collect();
        while let Some(node) = stack.pop() {
            found.push(node);
            stack.extend(node.inputs.iter().rev());
        }
        found
    }

    /// The time that processors spent on all nodes together.
    pub fn work(&self) -> Duration {
        self.nodes().iter().filter_map(|node| node.counts).map(|counts| counts.time).sum()
    }
}
