//! Runs on the oracle, which defines what programs mean.

use super::error::Error;
use super::plans::Plan;
use super::session::Inner;
use crate::backend::{Backend, OracleBackend};
use crate::data::Datum;
use airloom_exec::place::{Placed, place};
use airloom_exec::run::{Catalog, Run, Source, source_fields};
use airloom_ir::graph::Graph;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::oracle::Limits;
use airloom_ir::types::{TyId, Types};
use airloom_opt::facts::Statistics;
use std::collections::BTreeMap;
use std::sync::Arc;

/// As much as is asked of it: whoever waits can stop it.
const LIMITS: Limits = Limits { steps: u64::MAX };

impl Inner {
    /// A plan placed for one run: on backends of its own, and on the oracle in place of the engine where that is asked for.
    pub(super) fn place_anew(&self, plan: &Plan, own: &[Arc<dyn Backend>], oracle: bool) -> Result<Placed, Error> {
        let backends: Vec<Arc<dyn Backend>> = own.iter().chain(self.common.backends().iter()).cloned().collect();
        let oracle: Option<Arc<dyn Backend>> = if oracle { Some(Arc::new(OracleBackend::new(LIMITS))) } else { None };
        let placed = place(plan.placed.program().clone(), plan.function, &backends, oracle.as_ref(), plan.placed.statistics().clone());
        placed.map_err(|error| self.to_error(error, plan.placed.program()))
    }

    /// Reads the tables that a program asks for as a whole: the oracle takes rows.
    pub(super) fn read_for_oracle(&self, program: &Module, run: &mut Run) -> Result<(), Error> {
        let graph = &program.graph;
        let mut tables: Vec<Name> = graph.ids().filter_map(|id| graph.as_source(id)).map(|source| source.name).collect();
        tables.sort_unstable();
        tables.dedup();
        tables.retain(|name| matches!(run.sources.get(name), Some(Source::Table(_))));
        for name in tables {
            let rows = self.whole(graph, &name, &run.sources)?;
            run.sources.insert(&name, Source::Datum(rows));
        }
        Ok(())
    }

    /// All rows of the columns that a program asks of a table.
    fn whole(&self, asking: &Graph, name: &Name, sources: &Catalog) -> Result<Datum, Error> {
        let broken = |message: String| Error::broken(format!("invariant `a table can be read as a whole`: {message}"));
        let mut graph = Graph::new();
        let mut known = BTreeMap::new();
        let mut own = |ty: TyId| graph.types_mut().import(asking.types(), ty, &mut known);
        let fields: Vec<(Name, TyId)> = source_fields(asking, name).into_iter().map(|(name, ty)| (name, own(ty))).collect();
        let fields = Types::fields(fields).map_err(broken)?;
        let ty = graph.types_mut().rel(fields).map_err(broken)?;
        let rows = graph.source(name.clone(), ty).map_err(|e| broken(e.to_string()))?;
        let function = graph.function(&[], rows).map_err(|e| broken(e.to_string()))?;
        let run = Run::over(sources.clone());
        self.engine.run(graph, function, &[], Statistics::default(), &run).map_err(|error| self.to_error(error, &Module::default()))
    }
}
