//! A plan before it is bound to literals.

use super::plans::Plan;
use airloom_exec::engine::Engine;
use airloom_exec::place::Placed;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::value::Value;
use airloom_opt::facts::Statistics;
use airloom_plan::value::Plan as EnginePlan;
use std::sync::Arc;

/// What the rules and the engine made of a program with placeholders.
pub(super) struct Template {
    pub(super) program: Arc<Module>,
    /// What it computes as a whole: a function of the program.
    pub(super) function: NodeId,
    pub(super) statistics: Arc<Statistics>,
    /// How the engine runs it.
    pub(super) plan: EnginePlan,
}

impl Template {
    /// The plan for these literals.
    pub(super) fn bind(&self, literals: &[Value], engine: &Engine) -> Plan {
        let graph = Arc::new(self.plan.graph.bind(literals));
        let plan = engine.executable(self.plan.bind(graph, literals));
        let placed = Placed::bound(self.program.clone(), self.function, self.statistics.clone(), plan);
        Plan { function: self.function, placed }
    }
}
