//! From the nodes of a plan to trees for people. What one operator does together is one line: filters and projections that follow one another, a join with its
//! build side and the exchange below it, the phases of a group.

use super::detail::{columns, detail};
use super::node::{Counts, NativeCode, Partition, PhysicalPlan, PlanNode};
use super::text::{bytes, number};
use crate::value::{FilterUse, Kind, Node, Partitioning, Phase, Plan, PlanId, Scan, Slot, SlotId, SlotSource, StepKind};
use airloom_ir::attrs::Side;
use airloom_ir::graph::NodeId;
use std::collections::BTreeSet;

/// What is known of a plan from elsewhere.
pub trait Known {
    /// What the rows of a source are read from, such as `parquet`; `None` where it is not given.
    fn source(&self, name: &str) -> Option<String>;

    /// What a node did, where it has run.
    fn counts(&self, id: PlanId) -> Option<Counts>;

    /// What each partition of a scan of files reads; nothing for other nodes.
    fn partitions(&self, id: PlanId) -> Vec<Partition>;

    /// Whether native code computes what a node computes of rows; `None` where it computes nothing, or there is no compiler.
    fn native(&self, id: PlanId) -> Option<NativeCode>;
}

/// A plan for people.
pub fn explain(plan: &Plan, known: &dyn Known) -> PhysicalPlan {
    let mut trees = Trees { plan, known, slots: &[], readers: plan.readers(), shown: BTreeSet::new() };
    let mut parts = Vec::new();
    for block in &plan.blocks {
        for step in &block.steps {
            if let StepKind::Relation(root) = step.kind {
                trees.slots = &block.slots;
                parts.push(trees.node(root));
            }
        }
    }
    PhysicalPlan { parts, span: None }
}

struct Trees<'a> {
    plan: &'a Plan,
    known: &'a dyn Known,
    /// The slots of the block whose nodes are shown.
    slots: &'a [Slot],
    readers: Vec<usize>,
    /// Nodes that have been shown: one that several read is shown with what it reads once.
    shown: BTreeSet<PlanId>,
}

impl Trees<'_> {
    /// The line of a node and those below it. Streams of operators nest only so deep: lowering cuts deeper programs into steps.
    fn node(&mut self, id: PlanId) -> PlanNode {
        let id = self.through(id);
        let node = self.plan.node(id);
        let mut together = vec![id];
        if is_row_step(&node.kind) {
            // Steps over rows, as many as follow one another and nothing else reads.
            let mut at = self.through(node.inputs[0]);
            while is_row_step(&self.plan.node(at).kind) && self.readers[at.index()] == 1 {
                together.push(at);
                at = self.through(self.plan.node(at).inputs[0]);
            }
            together.reverse();
        }
        let again = !self.shown.insert(id);
        let (op, detail) = self.words(id, &together);
        let counts = if again { None } else { self.known.counts(id) };
        let detail = match counts.and_then(|counts| counts.rows_read) {
            Some(read) => format!("{detail}; {} rows read", number(read)),
            None if again => format!("as above: {detail}"),
            None => detail,
        };
        let detail = match counts.and_then(|counts| counts.folded_rows) {
            Some(rows) => format!("{detail}; {} rows reduced by native code", number(rows)),
            None => detail,
        };
        let partitions = if again { Vec::new() } else { self.known.partitions(id) };
        let detail = if partitions.is_empty() { detail } else { format!("{detail}; {}", divided(&partitions)) };
        let bottom = self.plan.node(together[0]);
        let inputs: Vec<PlanId> = if again { Vec::new() } else { bottom.inputs.clone() };
        let mut nodes: Vec<NodeId> = Vec::new();
        for origin in together.iter().flat_map(|&id| &self.plan.node(id).origin) {
            if !nodes.contains(origin) {
                nodes.push(*origin);
            }
        }
        let lines = together.iter().filter_map(|id| self.plan.lines.get(id.index())).flatten();
        let mut places: Vec<String> = lines.map(ToString::to_string).collect();
        places.sort();
        places.dedup();
        let partitioning =
            Partitioning::ALL.iter().find(|(known, _)| *known == node.properties.partitioning).expect("`ALL` holds every one").1;
        PlanNode {
            op,
            detail: detail.trim_end_matches([':', ' ']).to_string(),
            nodes,
            places,
            estimated_rows: node.properties.rows.map(|rows| rows as u64),
            partitioning: partitioning.to_string(),
            columns: node
                .columns
                .iter()
                .map(|column| (column.name.to_string(), self.plan.graph.types().show(column.ty).to_string()))
                .collect(),
            partitions,
            counts,
            native: if again { None } else { together.iter().filter_map(|&id| self.known.native(id)).reduce(both) },
            inputs: inputs.into_iter().map(|input| self.node(input)).collect(),
        }
    }

    /// The node that an operator is shown for: exchanges, build sides and partial phases are parts of what reads them.
    fn through(&self, id: PlanId) -> PlanId {
        let mut at = id;
        loop {
            let node = self.plan.node(at);
            at = match &node.kind {
                Kind::Gather | Kind::Broadcast | Kind::HashPartition(_) | Kind::OrderedMerge | Kind::HashBuild(_) => node.inputs[0],
                Kind::Aggregate(aggregate) if aggregate.phase == Phase::Partial => node.inputs[0],
                _ => return at,
            };
        }
    }

    /// What a node is called, and what there is to say of it.
    fn words(&self, id: PlanId, together: &[PlanId]) -> (String, String) {
        let node = self.plan.node(id);
        let said = |node: &Node| node.origin.last().and_then(|&origin| detail(&self.plan.graph, origin));
        let (word, more) = match &node.kind {
            Kind::Scan(scan) => return ("scan".into(), self.scan(node, scan)),
            Kind::Query(query) => {
                let kind = query.sources.first().and_then(|name| self.known.source(name));
                return ("scan".into(), kind.map_or_else(|| query.text.clone(), |kind| format!("{kind}: {}", query.text)));
            }
            Kind::Input(slot) => return ("memory".into(), self.input(node, *slot)),
            kind if is_row_step(kind) => return self.rows(together),
            Kind::HashProbe(probe) => {
                let side = if probe.probe == Side::Left { "right" } else { "left" };
                let order = if probe.restores_order { "; its rows are put in the order of the build side" } else { "" };
                ("join", format!("the {side} side, second here, is the build side{order}"))
            }
            Kind::Aggregate(aggregate) => ("group", if aggregate.known.dense { "looked up by value".to_string() } else { String::new() }),
            Kind::SortRuns { fetch, .. } => (if fetch.is_some() { "top" } else { "sort" }, String::new()),
            Kind::Unnest { columns, .. } => ("explode", columns.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")),
            Kind::Unpivot { columns, .. } => ("unpivot", columns.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")),
            Kind::Limit { .. } => ("slice", String::new()),
            Kind::GroupApply { .. } => ("groups", String::new()),
            Kind::AsofJoin(_) => ("asof", String::new()),
            Kind::RowNumber { start, .. } => ("number", format!("from {start}")),
            Kind::Position { .. } => ("position", "for the order of rows".to_string()),
            Kind::Materialize => return ("materialize".into(), "read several times".into()),
            Kind::Interpret(_) => ("oracle", String::new()),
            kind => (kind.word(), String::new()),
        };
        let all: Vec<String> = said(node).into_iter().chain([more]).filter(|part| !part.is_empty()).collect();
        (word.into(), all.join("; "))
    }

    /// Filters and projections that follow one another, each kind once.
    fn rows(&self, together: &[PlanId]) -> (String, String) {
        let (mut words, mut details): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for &id in together {
            let node = self.plan.node(id);
            let word = match &node.kind {
                Kind::Filter(_) => "filter",
                Kind::Project(_) => "project",
                Kind::DynamicFilter(uses) => {
                    details.push(only(uses));
                    continue;
                }
                _ => continue,
            };
            details.extend(node.origin.last().and_then(|&origin| detail(&self.plan.graph, origin)));
            if words.last() != Some(&word) {
                words.push(word);
            }
        }
        if details.is_empty() {
            let last = together.last().expect("there is a step");
            return ("select".into(), columns(&self.plan.node(*last).columns));
        }
        (if words.is_empty() { "select".into() } else { words.join(", ") }, details.join("; "))
    }

    fn scan(&self, node: &Node, scan: &Scan) -> String {
        let kind = self.known.source(&scan.source);
        let filter = node.origin.iter().find(|&&id| self.plan.graph.as_filter(id).is_some());
        let filter =
            filter.and_then(|&id| detail(&self.plan.graph, id)).map_or_else(String::new, |filter| format!("; only where {filter}"));
        let dynamic = if scan.dynamic.is_empty() { String::new() } else { format!("; {}", only(&scan.dynamic)) };
        let missing = if kind.is_none() { "; its rows are not given" } else { "" };
        let kind = kind.map_or_else(String::new, |kind| format!("{kind} "));
        format!("{kind}`{}`: {}{filter}{dynamic}{missing}", scan.source, columns(&node.columns))
    }

    /// Rows that are in memory already: those of an argument, or of what was computed before.
    fn input(&self, node: &Node, slot: SlotId) -> String {
        let number = node.origin.iter().find_map(|&id| self.plan.graph.as_param(id)).map(|param| param.number);
        let argument = number.or_else(|| {
            let SlotSource::Argument(number) = self.slots.get(slot.index())?.source else { return None };
            i64::try_from(number).ok()
        });
        let name = argument.map(|number| format!("argument {}", number.saturating_add(1)));
        [name, Some(columns(&node.columns))].into_iter().flatten().collect::<Vec<_>>().join(": ")
    }
}

/// Of two steps of one operator: that of which less is compiled.
fn both(one: NativeCode, other: NativeCode) -> NativeCode {
    let less = |code: &NativeCode| match code {
        NativeCode::Interpreted(_) => 0,
        NativeCode::Partly(_) => 1,
        NativeCode::Compiled => 2,
    };
    if less(&one) <= less(&other) { one } else { other }
}

/// Partitions in words: `3 partitions of about 1.5 MiB`.
fn divided(partitions: &[Partition]) -> String {
    let size = partitions.iter().map(|partition| partition.bytes).sum::<u64>() / partitions.len() as u64;
    match partitions.len() {
        1 => format!("1 partition of {}", bytes(size)),
        count => format!("{} partitions of about {}", number(count as u64), bytes(size)),
    }
}

/// What dynamic filters keep.
fn only(uses: &[FilterUse]) -> String {
    let names: Vec<&str> = uses.iter().map(|used| used.column.as_str()).collect();
    format!("only {} that joins above have", names.join(", "))
}

/// Whether a node is a step over single rows, which is fused with those beside it.
fn is_row_step(kind: &Kind) -> bool {
    matches!(kind, Kind::Filter(_) | Kind::Project(_) | Kind::Select | Kind::DynamicFilter(_))
}
