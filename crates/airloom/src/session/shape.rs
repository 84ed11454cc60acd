//! A program as plans are kept for it: without the literals that a plan need not know.

use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::value::Value;
use airloom_opt::literals::hoistable;
use std::sync::Arc;

/// A program, and which of its constants are bound to its plan rather than planned for.
pub(super) struct Shape {
    program: Arc<Module>,
    /// The constants, in the order of the graph.
    literals: Vec<NodeId>,
    /// Their values.
    pub(super) values: Arc<[Value]>,
    /// A hash of all but the constants.
    pub(super) hash: u64,
}

impl Shape {
    /// A program as it is written.
    pub(super) fn written(program: &Arc<Module>) -> Shape {
        Shape { program: program.clone(), literals: Vec::new(), values: Arc::default(), hash: program.graph.shape_hash() }
    }

    /// A program without its literals, but for those that rules look for.
    pub(super) fn hoisted(program: &Arc<Module>) -> Shape {
        let literals = hoistable(&program.graph);
        let value = |&id: &NodeId| program.graph.const_value(id).expect("invariant `what is hoisted is a constant`").clone();
        Shape { values: literals.iter().map(value).collect(), literals, ..Shape::written(program) }
    }

    /// The program as it is written.
    pub(super) fn program(&self) -> &Arc<Module> {
        &self.program
    }

    /// The program as it is planned, with placeholders for its literals.
    pub(super) fn planned(&self) -> Arc<Module> {
        if self.literals.is_empty() {
            return self.program.clone();
        }
        let Module { graph, functions, locations, hints } = &*self.program;
        let (functions, locations, hints) = (functions.clone(), locations.clone(), hints.clone());
        Arc::new(Module { graph: graph.hoist(&self.literals).0, functions, locations, hints })
    }

    /// Whether a program with placeholders is what this one is planned as, with the same lines and names.
    pub(super) fn is_planned_as(&self, planned: &Module) -> bool {
        planned.graph.is_hoisted_from(&self.program.graph, &self.literals)
            && planned.locations == self.program.locations
            && planned.hints == self.program.hints
            && planned.functions == self.program.functions
    }

    /// Whether a node is one of the literals.
    pub(super) fn is_literal(&self, id: NodeId) -> bool {
        self.literals.binary_search(&id).is_ok()
    }
}
