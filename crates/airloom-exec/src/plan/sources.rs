//! Which nodes read sources.

use airloom_ir::graph::Graph;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;

/// For each node, whether it or anything below it, bodies included, is a source.
pub fn reads_sources(graph: &Graph) -> Vec<bool> {
    let mut reads = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        reads.push(graph.op(id) == Op::Core(Core::Source) || graph.args(id).iter().any(|arg| reads[arg.index()]));
    }
    reads
}
