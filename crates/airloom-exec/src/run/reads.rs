//! What programs read of sources.

use airloom_ir::graph::Graph;
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Ty, TyId};

/// For each node, whether it or anything below it, bodies included, is a source.
pub fn reads_sources(graph: &Graph) -> Vec<bool> {
    let mut reads = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        reads.push(graph.op(id) == Op::Core(Core::Source) || graph.args(id).iter().any(|arg| reads[arg.index()]));
    }
    reads
}

/// The columns that a program asks of a source of rows: one node may ask for some, and another for others.
pub fn source_fields(graph: &Graph, name: &str) -> Vec<(Name, TyId)> {
    let mut fields: Vec<(Name, TyId)> = Vec::new();
    for source in graph.ids().filter_map(|id| graph.as_source(id)).filter(|source| source.name.as_str() == name) {
        let Ty::Rel(own) = graph.types().get(source.ty) else { continue };
        for field in own.iter() {
            if !fields.iter().any(|(known, _)| *known == field.name) {
                fields.push((field.name.clone(), field.ty));
            }
        }
    }
    fields
}
