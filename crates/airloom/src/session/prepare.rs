//! From a program to its plan: rules, twice over where what is known of the data changes what they do.

use super::door::{Inner, locked};
use super::error::Error;
use super::part::part;
use super::plans::Plan;
use airloom_compute::data::Failure as EngineError;
use airloom_exec::place::{Backend, EngineBackend, place};
use airloom_io::source::Table;
use airloom_ir::binary;
use airloom_ir::graph::NodeId;
use airloom_ir::module::{Location, Module};
use airloom_ir::name::Name;
use airloom_ir::types::{Ty, TyId};
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use airloom_opt::registry::Registry;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::field::Empty;
use tracing::{debug, info_span};

/// A program after all rules, before it is placed.
struct Rewritten {
    module: Module,
    function: NodeId,
    statistics: Statistics,
}

impl Inner {
    /// The plan of a program of one function: one that was made before, where the program and the tables it reads are the same; and whether it was.
    pub(super) fn prepare(&self, program: &Module) -> Result<(Arc<Plan>, bool), Error> {
        let (generation, registry) = self.registry();
        let backends = self.backends();
        let key = self.key(program, generation, backends.len());
        if let Some(plan) = locked(&self.plans).find(&key) {
            return Ok((plan, true));
        }
        let rewritten = self.rewritten_if_asked(program, &registry)?;
        let plan = Arc::new(self.placed(rewritten, &backends)?);
        locked(&self.plans).keep(key, plan.clone());
        Ok((plan, false))
    }

    /// Equal programs over the same tables under the same rules have equal keys. Lines are a part of it, since errors name them; and so is how many backends
    /// there are, since none is ever taken away.
    fn key(&self, program: &Module, generation: u64, backends: usize) -> Vec<u8> {
        let mut key = binary::encode(program);
        key.extend(generation.to_le_bytes());
        key.extend(backends.to_le_bytes());
        let sources = locked(&self.sources);
        for id in program.graph.ids() {
            if let Some(source) = program.graph.as_source(id) {
                key.extend(sources.versions.get(source.name.as_str()).copied().unwrap_or(0).to_le_bytes());
            }
            for place in program.locations.of(id) {
                key.extend(place.to_string().into_bytes());
            }
            key.push(0);
        }
        key
    }

    fn placed(&self, rewritten: Rewritten, backends: &[Arc<dyn Backend>]) -> Result<Plan, Error> {
        let Rewritten { module, function, statistics } = rewritten;
        let engine: Arc<dyn Backend> = Arc::new(EngineBackend::new(self.engine.clone(), statistics.clone()));
        let module = Arc::new(module);
        let placed = place(module.clone(), function, backends, &engine).map_err(|error| self.told(error, &module))?;
        Ok(Plan { placed, function, statistics })
    }

    fn rewritten_if_asked(&self, program: &Module, registry: &Registry) -> Result<Rewritten, Error> {
        let function = program.functions[0].lambda;
        if !self.options.optimize {
            self.check_sources(program)?;
            return Ok(Rewritten { module: program.clone(), function, statistics: Statistics::default() });
        }
        match self.guarded(program, || self.optimized(program, registry)) {
            Err(Error::Broken { message, report }) if !self.options.strict => {
                let place = report.map_or_else(String::new, |path| format!("; the program that shows it is in {}", path.display()));
                locked(&self.fallbacks).push(format!("ran as it was written: {message}{place}"));
                Ok(Rewritten { module: program.clone(), function, statistics: Statistics::default() })
            }
            other => other,
        }
    }

    /// Without statistics first, which tells which columns of the sources are read at all; then with what is known of those.
    fn optimized(&self, program: &Module, registry: &Registry) -> Result<Rewritten, Error> {
        let first = self.rewritten(program, registry, Statistics::default())?;
        self.check_sources(&first.module)?;
        let graph = &first.module.graph;
        // Joins and sorts are what statistics change; without them looking at every value does not pay.
        let pays = |id: NodeId| matches!(graph.op(id).name(), "rel.join" | "rel.sort" | "rel.top" | "rel.distinct");
        if !graph.ids().any(pays) {
            return Ok(first);
        }
        let statistics = self.engine.statistics(graph, &[first.function]).map_err(|error| self.told(error, program))?;
        self.rewritten(program, registry, statistics)
    }

    fn rewritten(&self, program: &Module, registry: &Registry, statistics: Statistics) -> Result<Rewritten, Error> {
        let span = info_span!("optimize", tables = statistics.tables.len(), firings = Empty).entered();
        let mut module = program.clone();
        let options = self.driver_options(statistics.clone());
        let outcome = registry.run(&mut module, &options).map_err(|broken| Error::broken(broken.to_string()))?;
        span.record("firings", outcome.trace.len());
        for (stage, _) in &outcome.stages {
            debug!(stage = stage.name(), firings = outcome.trace.iter().filter(|fire| fire.stage == *stage).count());
        }
        let module = part(&module, program.functions[0].name.as_str(), outcome.roots[0]);
        Ok(Rewritten { function: module.functions[0].lambda, module, statistics })
    }

    pub(super) fn driver_options(&self, statistics: Statistics) -> Options {
        Options { fuel: self.options.fuel, checks: self.options.checks, statistics, stages: airloom_exec::engine::stages() }
    }

    /// Tables must be there, and hold no nulls where the program says that there are none.
    fn check_sources(&self, program: &Module) -> Result<(), Error> {
        let graph = &program.graph;
        let mut wanted: BTreeMap<Name, Vec<(Name, TyId)>> = BTreeMap::new();
        for id in graph.ids() {
            if let (Some(source), Ty::Rel(fields)) = (graph.as_source(id), graph.ty(id)) {
                wanted.entry(source.name).or_default().extend(fields.iter().map(|f| (f.name.clone(), f.ty)));
            }
        }
        for (name, columns) in wanted {
            let registered = locked(&self.sources).registered.get(name.as_str()).cloned();
            let Some(kept) = registered else { continue };
            for (column, ty) in columns {
                if !graph.types().nullable(ty) && may_hold_nulls(kept.table.as_ref(), &column)? {
                    let ty = graph.types().show(ty);
                    let hint = format!("hint: write the type of `{column}` as `{ty}?`");
                    return Err(Error::Program(format!("column `{column}` of source `{name}` may hold nulls, expected `{ty}`\n\n{hint}")));
                }
            }
        }
        Ok(())
    }

    /// An error of the engine, with the place in the user's file where there is one.
    pub(super) fn told(&self, error: EngineError, program: &Module) -> Error {
        match error {
            EngineError::Program(message) => Error::Program(message),
            EngineError::Raised(raised) => {
                let place = raised.node.and_then(|node| place_of(program, node));
                let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
                Error::Raised(format!("{}{place}", raised.message))
            }
            EngineError::Source(error) => error.into(),
            EngineError::Memory(message) => {
                // Who else held how much follows, and is of no use to who did not write the operators.
                let first = message.split(" with top memory consumers").next().unwrap_or_default();
                let first = first.lines().next().unwrap_or_default().replacen("Additional", "additional", 1);
                let budget = self.options.memory;
                let hint = "hint: raise `memory`, or read fewer rows or columns";
                Error::Memory(format!("the memory budget of {budget} bytes is too small, where nothing can be spilled: {first}\n\n{hint}"))
            }
            EngineError::Cancelled => Error::Cancelled,
            stopped @ EngineError::OutOfSteps(_) => Error::Raised(stopped.to_string()),
            EngineError::Bug(message) => Error::broken(message),
        }
    }
}

/// Where a node was written. Rules that rewrite a body make nodes of no place of their own: those stand where the nearest node round them does.
pub(super) fn place_of(program: &Module, node: NodeId) -> Option<&Location> {
    let graph = &program.graph;
    let mut round = vec![false; graph.len()];
    *round.get_mut(node.index())? = true;
    for id in graph.ids().skip(node.index()) {
        round[id.index()] |= graph.args(id).iter().any(|arg| round[arg.index()]);
        if round[id.index()]
            && let Some(place) = program.locations.of(id).first()
        {
            return Some(place);
        }
    }
    None
}

/// Whether a column may hold nulls: where neither its type nor what is known of it says otherwise.
fn may_hold_nulls(table: &dyn Table, column: &str) -> Result<bool, Error> {
    let schema = table.schema();
    let Ok(place) = schema.index_of(column) else { return Ok(false) };
    if !schema.field(place).is_nullable() {
        return Ok(false);
    }
    let known = table.statistics(&[place])?;
    Ok(known.columns.get(column).and_then(|c| c.nulls) != Some(0))
}
