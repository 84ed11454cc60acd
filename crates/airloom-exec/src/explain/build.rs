//! From DataFusion's plans and what planning noted of them to nodes for people.

use super::detail::{columns, detail};
use super::node::{Counts, PlanNode};
use super::watch::{Note, place};
use crate::adapter::OperatorExec;
use crate::exchange::FIRST_ERROR;
use crate::operators::only_partners;
use airloom_io::metrics::PEAK_MEMORY;
use airloom_io::source::PiecesExec;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use datafusion_physical_plan::metrics::{MetricValue, MetricsSet};
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A sort is several of DataFusion's nodes below this one of ours, and what makes its keys: they are one to people.
const SORTED: &str = "Keep";

/// Makes nodes.
pub(super) struct Builder<'a> {
    graph: &'a Graph,
    notes: &'a HashMap<usize, Note>,
    /// Whether the plans have run.
    ran: bool,
    /// Plans that have been shown: one that several read is shown with what it reads once.
    shown: HashSet<usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(graph: &'a Graph, notes: &'a HashMap<usize, Note>, ran: bool) -> Builder<'a> {
        Builder { graph, notes, ran, shown: HashSet::new() }
    }

    /// The node of a plan. Plans nest only so deep: the planner cuts those of deeper programs.
    pub(super) fn node(&mut self, plan: &Arc<dyn ExecutionPlan>) -> PlanNode {
        let note = self.notes.get(&place(plan)).cloned().unwrap_or_default();
        // What several read is told where it is first: it counts for all of them.
        let again = !self.shown.insert(place(plan));
        let mut bottom = plan.clone();
        let mut counts = counted(plan);
        if plan.name() == SORTED {
            let mut merged = false;
            while let Some(input) = bottom.children().first().filter(|input| self.is_part_of_sort(input)).map(|&input| input.clone()) {
                merged |= input.is::<SortPreservingMergeExec>();
                add_part_of_sort(&mut counts, &input, merged);
                bottom = input;
            }
        }
        let (op, detail) = self.words(plan, &note);
        let detail = if again { format!("as above: {detail}") } else { detail };
        let inputs: Vec<Arc<dyn ExecutionPlan>> = if again { Vec::new() } else { bottom.children().into_iter().cloned().collect() };
        PlanNode {
            op,
            detail: detail.trim_end_matches([':', ' ']).to_string(),
            nodes: note.nodes,
            places: Vec::new(),
            estimated_rows: note.estimate,
            partitions: plan.output_partitioning().partition_count(),
            counts: (self.ran && !again).then_some(counts),
            inputs: inputs.iter().map(|input| self.node(input)).collect(),
        }
    }

    fn is_part_of_sort(&self, plan: &Arc<dyn ExecutionPlan>) -> bool {
        let no_relation = self.notes.get(&place(plan)).is_none_or(|note| note.nodes.is_empty());
        let ours = matches!(plan.name(), "SortKeys" | FIRST_ERROR) || (plan.name() == "Rows" && no_relation);
        plan.is::<SortPreservingMergeExec>() || plan.is::<SortExec>() || ours
    }

    /// What a plan is called, and what there is to say of it.
    fn words(&self, plan: &Arc<dyn ExecutionPlan>, note: &Note) -> (String, String) {
        if let Some(scan) = plan.downcast_ref::<PiecesExec>() {
            return ("scan".into(), self.scan(scan, plan, note));
        }
        let Some(exec) = plan.downcast_ref::<OperatorExec>() else { return (plan.name().to_string(), String::new()) };
        let described = exec.describe();
        let details: Vec<String> = note.nodes.iter().filter_map(|&id| detail(self.graph, id)).collect();
        match plan.name() {
            // A join whose smaller side was gathered, though its order is looked at.
            SORTED | "Sort" if note.nodes.iter().any(|&id| self.graph.as_join(id).is_some()) => {
                ("sort".into(), "by the places of the gathered rows".into())
            }
            SORTED => {
                let top = note.nodes.iter().any(|&id| self.graph.op(id) == Op::Relation(Relation::Top));
                (if top { "top" } else { "sort" }.into(), details.join("; "))
            }
            "Rows" if details.is_empty() && described.is_empty() => ("select".into(), columns(&plan.schema())),
            "Rows" => {
                let all: Vec<String> = [described].into_iter().filter(|said| !said.is_empty()).chain(details).collect();
                (self.row_words(&note.nodes), all.join("; "))
            }
            "Memory" => ("memory".into(), self.memory(plan, note, described)),
            "Missing" => (
                "scan".into(),
                format!("`{}`: {}; {described}", self.source_name(&note.nodes).unwrap_or_default(), columns(&plan.schema())),
            ),
            name => {
                let all: Vec<String> = details.into_iter().chain([described]).filter(|part| !part.is_empty()).collect();
                (name.to_lowercase(), all.join("; "))
            }
        }
    }

    /// Filters and projections that follow one another, each kind once.
    fn row_words(&self, nodes: &[NodeId]) -> String {
        let mut words: Vec<&str> = Vec::new();
        for &id in nodes {
            let word = match self.graph.op(id) {
                Op::Relation(Relation::Filter) => "filter",
                Op::Relation(Relation::Project) => "project",
                _ => continue,
            };
            if words.last() != Some(&word) {
                words.push(word);
            }
        }
        if words.is_empty() { "select".into() } else { words.join(", ") }
    }

    fn scan(&self, scan: &PiecesExec, plan: &Arc<dyn ExecutionPlan>, note: &Note) -> String {
        if let Some(query) = scan.query() {
            return format!("{}: {query}", scan.kind());
        }
        let name = self.source_name(&note.nodes).map_or_else(String::new, |name| format!(" `{name}`"));
        // A filter that its reader applies has become a part of the scan.
        let kept = note.nodes.iter().find(|&&id| self.graph.as_filter(id).is_some()).and_then(|&id| detail(self.graph, id));
        let predicate = match (kept, &note.predicate) {
            (Some(kept), _) => format!("; only where {kept}"),
            (None, Some(predicate)) => format!("; skips what is not {predicate}"),
            (None, None) => String::new(),
        };
        let learned = match scan.learned().as_slice() {
            [] => String::new(),
            columns => format!("; {}", only_partners(columns)),
        };
        format!("{}{name}: {}{predicate}{learned}", scan.kind(), columns(&plan.schema()))
    }

    /// Rows that are in memory already: those of a source, of an argument, or of what was computed before.
    fn memory(&self, plan: &Arc<dyn ExecutionPlan>, note: &Note, described: String) -> String {
        let argument =
            note.nodes.iter().find_map(|&id| self.graph.as_param(id)).map(|param| format!("argument {}", param.number.saturating_add(1)));
        let name = self.source_name(&note.nodes).map(|name| format!("`{name}`")).or(argument);
        let parts = [name, self.ran.then_some(described), Some(columns(&plan.schema()))];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    fn source_name(&self, nodes: &[NodeId]) -> Option<String> {
        nodes.iter().find_map(|&id| self.graph.as_source(id)).map(|source| source.name.to_string())
    }
}

/// What a plan counted.
fn counted(plan: &Arc<dyn ExecutionPlan>) -> Counts {
    let metrics = match plan.downcast_ref::<PiecesExec>() {
        Some(scan) => scan.counted(),
        None => plan.metrics().unwrap_or_default(),
    };
    let sum = |wanted: fn(&MetricValue) -> bool| metrics.sum(|metric| wanted(metric.value())).map_or(0, |value| value.as_usize() as u64);
    Counts {
        rows: metrics.output_rows().unwrap_or(0) as u64,
        batches: sum(|value| matches!(value, MetricValue::OutputBatches(_))),
        bytes: sum(|value| matches!(value, MetricValue::OutputBytes(_))),
        time: time(&metrics),
        spilled_bytes: metrics.spilled_bytes().unwrap_or(0) as u64,
        spilled_files: metrics.spill_count().unwrap_or(0) as u64,
        peak_memory: metrics.sum_by_name(PEAK_MEMORY).map(|value| value.as_usize() as u64).filter(|&bytes| bytes > 0),
    }
}

fn time(metrics: &MetricsSet) -> Duration {
    Duration::from_nanos(metrics.elapsed_compute().unwrap_or(0) as u64)
}

/// Adds what a part of a sort did. DataFusion's own parts work inside our node above them, which counts their time, but for those that a merge begins: they have
/// tasks of their own.
fn add_part_of_sort(counts: &mut Counts, part: &Arc<dyn ExecutionPlan>, merged: bool) {
    let own = counted(part);
    counts.spilled_bytes += own.spilled_bytes;
    counts.spilled_files += own.spilled_files;
    if part.is::<OperatorExec>() || (merged && part.is::<SortExec>()) {
        counts.time += own.time;
    }
}
