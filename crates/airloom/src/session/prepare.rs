//! From a program to its plan: rules, twice over where what is known of the data changes what they do.

use super::error::Error;
use super::part::part;
use super::plans::{Circumstances, Entry, Key, Plan, Settings};
use super::prepared::{Own, Prepared};
use super::rules::Rules;
use super::session::{Inner, locked};
use super::statistics::gather;
use super::template::Template;
use crate::backend::Backend;
use crate::source::Table;
use airloom_compute::data::Failure;
use airloom_exec::place::place;
use airloom_exec::run::{Catalog, Run, Schedule, Source, source_fields};
use airloom_exec::schedule::try_hold;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::{Location, Module};
use airloom_ir::name::Name;
use airloom_ir::oracle::Raised;
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use std::sync::Arc;
use tracing::field::Empty;
use tracing::{debug, info_span};

/// A program after all rules, before it is placed.
pub(super) struct Rewritten {
    pub(super) program: Arc<Module>,
    function: NodeId,
    statistics: Statistics,
}

impl Inner {
    /// The plan of a program for a run: one that was made before, where the program is the same and the same is known of its data; and whether it was.
    pub(super) fn plan(&self, prepared: &Prepared, own: &Own, run: &Run) -> Result<(Arc<Plan>, bool), Error> {
        let (program, common) = (prepared.program(), &self.common);
        if !own.checked {
            let mut brought = own.brought(prepared);
            brought.try_for_each(|name| check_nulls(program, name, &run.sources))?;
        }
        let backends = common.backends();
        if !self.options.optimize {
            self.check_registered(program, own, run)?;
            return Ok((Arc::new(self.placed(as_written(program), &backends)?), false));
        }
        // Over a few rows every plan is good, and one that depends on nothing but the program is found again when they change.
        let statistics = match run.schedule {
            Schedule::Inline => Statistics::default(),
            Schedule::Pool => gather(&program.graph, &run.sources, own.brought(prepared))?,
        };
        let rules = common.rules();
        let settings = Settings {
            versions: own.tables.iter().map(|(_, version)| *version).collect(),
            looked_at: run.schedule == Schedule::Pool && !own.tables.is_empty(),
            generation: rules.generation,
            without_rules: self.options.without_rules.clone(),
            fuel: self.options.fuel,
            checks: self.options.checks,
            strict: self.options.strict,
            backends: backends.len(),
        };
        let shape = prepared.shape(self.hoists(&rules, &backends, run));
        let key = Key::new(shape, Circumstances { statistics, settings });
        let found = try_hold(&common.plans).and_then(|mut plans| plans.find(&key));
        if let Some(plan) = found.and_then(|entry| entry.plan(&shape.values, &self.engine)) {
            return Ok((plan, true));
        }
        let known = run.host.functions();
        let planned = shape.planned();
        let rewritten = self.rewritten_or_as_written(&planned, &rules, key.statistics().clone(), own, run)?;
        let (template, plan) = if shape.values.is_empty() {
            (None, self.placed(rewritten, &backends)?)
        } else {
            let template = self.template(rewritten, run)?;
            let plan = template.bind(&shape.values, &self.engine);
            (Some(template), plan)
        };
        let plan = Arc::new(plan);
        // A rule that calls a function of its own gives it to the host of this run only.
        if run.host.functions() == known {
            let entry = Entry::new(key, planned, template, plan.clone());
            let gone = try_hold(&common.plans).map(|mut plans| plans.keep(entry));
            drop(gone);
        }
        Ok((plan, false))
    }

    /// Whether literals are taken out of a program before it is planned. Rules and backends of an embedder may look at them, and a database is asked by a text that has them.
    pub(super) fn hoists(&self, rules: &Rules, backends: &[Arc<dyn Backend>], run: &Run) -> bool {
        rules.added.is_empty() && backends.is_empty() && !run.sources.has_database()
    }

    fn template(&self, rewritten: Rewritten, run: &Run) -> Result<Template, Error> {
        let Rewritten { program, function, statistics } = rewritten;
        let plan = self.engine.lower(&Arc::new(program.graph.clone()), function, statistics.clone(), &run.sources);
        let plan = plan.map_err(|error| self.to_error(error, &program))?;
        Ok(Template { program, function, statistics: Arc::new(statistics), plan })
    }

    fn placed(&self, rewritten: Rewritten, backends: &[Arc<dyn Backend>]) -> Result<Plan, Error> {
        let Rewritten { program, function, statistics } = rewritten;
        let placed = place(program.clone(), function, backends, None, statistics).map_err(|error| self.to_error(error, &program))?;
        Ok(Plan { function, placed })
    }

    fn rewritten_or_as_written(
        &self,
        program: &Arc<Module>,
        rules: &Rules,
        statistics: Statistics,
        own: &Own,
        run: &Run,
    ) -> Result<Rewritten, Error> {
        match self.guarded(program, || self.optimized(program, rules, statistics, own, run)) {
            Err(Error::Broken { message, report }) if !self.options.strict => {
                let place = report.map_or_else(String::new, |path| format!("; the program that shows it is in {}", path.display()));
                locked(&self.common.fallbacks).push(format!("ran as it was written: {message}{place}"));
                Ok(as_written(program))
            }
            other => other,
        }
    }

    /// First without the statistics of the session's own tables, which shows which of their columns are read at all; then with what is known of those. The
    /// tables that a run brings have the columns that it asks for.
    fn optimized(&self, program: &Arc<Module>, rules: &Rules, statistics: Statistics, own: &Own, run: &Run) -> Result<Rewritten, Error> {
        let first = self.rewritten(program, rules, statistics)?;
        self.check_registered(&first.program, own, run)?;
        if own.tables.is_empty() || run.schedule == Schedule::Inline {
            return Ok(first);
        }
        let mut statistics = gather(&first.program.graph, &run.sources, own.tables.iter().map(|(name, _)| name))?;
        if statistics.tables.is_empty() {
            return Ok(first);
        }
        statistics.tables.extend(first.statistics.tables);
        self.rewritten(program, rules, statistics)
    }

    /// What the rules make of a program of one function.
    pub(super) fn rewritten(&self, program: &Module, rules: &Rules, statistics: Statistics) -> Result<Rewritten, Error> {
        let span = info_span!("optimize", tables = statistics.tables.len(), firings = Empty).entered();
        let registry = self.registry(rules)?;
        let mut module = program.clone();
        let options = self.driver_options(statistics.clone(), &program.graph);
        let outcome = registry.run(&mut module, &options).map_err(|broken| rules.to_error(&broken))?;
        span.record("firings", outcome.trace.len());
        for (stage, _) in &outcome.stages {
            debug!(stage = stage.name(), firings = outcome.trace.iter().filter(|fire| fire.stage == *stage).count());
        }
        let module = part(&module, program.functions[0].name.as_str(), outcome.roots[0]);
        Ok(Rewritten { function: module.functions[0].lambda, program: Arc::new(module), statistics })
    }

    pub(super) fn driver_options(&self, statistics: Statistics, graph: &Graph) -> Options {
        Options { fuel: self.options.fuel, checks: self.options.checks, statistics, stages: airloom_exec::engine::stages(graph) }
    }

    /// Registered tables must hold no nulls where the program says that there are none; the types of others are made of the tables.
    fn check_registered(&self, program: &Module, own: &Own, run: &Run) -> Result<(), Error> {
        for (name, _) in &own.tables {
            let registered = locked(&self.common.sources).registered.contains_key(name.as_str());
            if registered {
                check_nulls(program, name, &run.sources)?;
            }
        }
        Ok(())
    }

    /// An error of the engine, with the location in the user's file where there is one.
    pub(super) fn to_error(&self, error: Failure, program: &Module) -> Error {
        match error {
            Failure::Program(message) => Error::Program(message),
            Failure::Raised(raised) => {
                let place = raised.node.and_then(|node| place_of(program, node));
                let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
                Error::Raised(Raised { message: format!("{}{place}", raised.message), ..raised })
            }
            Failure::Source(error) => error.into(),
            Failure::Memory(message) => {
                let budget = self.options.memory;
                let hint = "hint: allow more memory, or read fewer rows or columns";
                Error::Memory(format!(
                    "the memory budget of {budget} bytes is too small, where nothing can be spilled: {message}\n\n{hint}"
                ))
            }
            Failure::Cancelled => Error::Cancelled,
            Failure::OutOfSteps(_) => Error::Raised(Raised::new(error.to_string())),
            Failure::Bug(message) => Error::broken(message),
        }
    }
}

fn as_written(program: &Arc<Module>) -> Rewritten {
    Rewritten { program: program.clone(), function: program.functions[0].lambda, statistics: Statistics::default() }
}

/// Where a node was written, or the nearest one that reads it and was written somewhere.
pub(super) fn place_of(program: &Module, node: NodeId) -> Option<&Location> {
    let nearest = program.locations.nearest(&program.graph);
    program.locations.of((*nearest.get(node.index())?)?).first()
}

/// Checks that a table holds no nulls where the program says that there are none.
fn check_nulls(program: &Module, name: &Name, sources: &Catalog) -> Result<(), Error> {
    let Some(Source::Table(table)) = sources.get(name) else { return Ok(()) };
    let types = program.graph.types();
    for (column, ty) in source_fields(&program.graph, name) {
        if !types.nullable(ty) && may_hold_nulls(table.as_ref(), &column)? {
            let ty = types.show(ty);
            let hint = format!("hint: write the type of `{column}` as `{ty}?`");
            return Err(Error::Program(format!("column `{column}` of source `{name}` may hold nulls, expected `{ty}`\n\n{hint}")));
        }
    }
    Ok(())
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
