//! Programs explained: planned without being run, or run and watched.

use super::Engine;
use crate::explain::{PhysicalPlan, Watch, placeholder};
use airloom_compute::data::{Cancel, Datum, Failure};
use airloom_ir::graph::{Graph, NodeId};
use airloom_opt::facts::Statistics;
use std::sync::Arc;

impl Engine {
    /// How a function of a program would be run. Nothing is computed and no function of the host is called: every relation is taken to have no rows, so that what
    /// comes after the first may be missing. Arguments that are not given are made up.
    pub fn explain(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: Option<&[Datum]>,
        statistics: Statistics,
    ) -> Result<PhysicalPlan, Failure> {
        let graph = graph.into();
        let made_up: Option<Vec<Datum>> = graph.params_of(function).iter().map(|&ty| placeholder(graph.types(), ty)).collect();
        let Some(args) = args.map(<[Datum]>::to_vec).or(made_up) else {
            return Ok(PhysicalPlan { parts: Vec::new(), complete: false });
        };
        let (watch, told) = (Arc::new(Watch::dry()), graph.clone());
        let ended = self.evaluate(graph, function, &args, statistics, &Cancel::default(), Some(watch.clone()));
        match ended {
            Err(error @ (Failure::Program(_) | Failure::Source(_))) => Err(error),
            ended => Ok(watch.physical_plan(&told, ended.is_ok())),
        }
    }

    /// The result of a function of a program, and how it was run.
    pub fn analyze(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        cancel: &Cancel,
    ) -> Result<(Datum, PhysicalPlan), Failure> {
        let (watch, graph) = (Arc::new(Watch::running()), graph.into());
        let told = graph.clone();
        let result = self.evaluate(graph, function, args, statistics, cancel, Some(watch.clone()))?;
        Ok((result, watch.physical_plan(&told, true)))
    }
}
