//! One function of a program, on its own.

use airloom_ir::graph::NodeId;
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;

/// What a function needs of its program: running it neither holds the program nor adds to it.
pub(super) fn part(module: &Module, name: &str, function: NodeId) -> Module {
    let compacted = module.graph.compact(&[function]);
    let mut own = Module { graph: compacted.graph, ..Module::default() };
    for (&old, &new) in &compacted.moved {
        for place in module.locations.of(old) {
            own.locations.add(new, place.clone());
        }
        if let Some(called) = module.hints.node(old) {
            own.hints.name_node(new, called.clone());
        }
        let params: Vec<Name> = (0..).map_while(|number| module.hints.param(old, number).cloned()).collect();
        if !params.is_empty() {
            own.hints.name_params(new, params);
        }
    }
    own.functions.push(Function { name: Name::new(name), lambda: compacted.moved[&function] });
    own
}
