//! Programs explained: planned without being run, or run and watched.

use super::node::PhysicalPlan;
use super::placeholder::placeholder;
use super::watch::Watch;
use crate::data::Datum;
use crate::engine::Engine;
use crate::run::{Catalog, Error, Run};
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
        sources: &Catalog,
    ) -> Result<PhysicalPlan, Error> {
        let graph = graph.into();
        let made_up: Option<Vec<Datum>> = graph.params_of(function).iter().map(|&ty| placeholder(graph.types(), ty)).collect();
        let Some(args) = args.map(<[Datum]>::to_vec).or(made_up) else {
            return Ok(PhysicalPlan { parts: Vec::new(), complete: false });
        };
        let (watch, told) = (Arc::new(Watch::dry()), graph.clone());
        let ended = self.evaluate(graph, function, &args, statistics, &Run::over(sources.clone()), Some(watch.clone()));
        match ended {
            Err(error @ (Error::Program(_) | Error::World(_))) => Err(error),
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
        run: &Run,
    ) -> Result<(Datum, PhysicalPlan), Error> {
        let (watch, graph) = (Arc::new(Watch::running()), graph.into());
        let told = graph.clone();
        let result = self.evaluate(graph, function, args, statistics, run, Some(watch.clone()))?;
        Ok((result, watch.physical_plan(&told, true)))
    }
}
