//! One function of a program, on its own.

use airloom_ir::graph::NodeId;
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;

/// What a function needs of its program: running it neither holds the program nor adds to it.
pub(super) fn part(module: &Module, name: &str, function: NodeId) -> Module {
    let mut own = module.compact(&[function]);
    let lambda = own.graph.ids().last().expect("a compacted graph holds its root");
    own.functions = vec![Function { name: Name::new(name), lambda }];
    own
}
