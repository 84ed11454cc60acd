//! Programs explained: what the rules make of them, and how they are run.

use super::error::Error;
use super::prepared::{Bindings, Prepared, RunOptions, or_cancelled};
use super::session::{Session, locked};
use crate::data::Datum;
use crate::explain;
use crate::program::{Error as ProgramError, Program};
use airloom_compute::data::Cancel;
use airloom_exec::run::Schedule;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_opt::facts::{Statistics, TableStatistics};
use airloom_opt::registry::Registry;
use airloom_plan::explain::PhysicalPlan;
use airloom_plan::value::Plan;
use std::fmt;
use std::sync::Arc;
use tracing::field::Empty;
use tracing::info_span;

/// What becomes of a function.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Stage by stage, which rules fire where, and its physical plan.
    pub stages: String,
    /// What was known of the sources.
    pub statistics: Statistics,
    /// Which backend runs which part, where there are backends.
    pub placed: Option<String>,
    /// What ran otherwise than it should have, and why.
    pub fallbacks: Vec<String>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stages)?;
        f.write_str(&known(&self.statistics))?;
        if let Some(placed) = &self.placed {
            f.write_str(placed)?;
        }
        self.fallbacks.iter().try_for_each(|fallback| writeln!(f, "fallback: {fallback}"))
    }
}

impl Prepared {
    /// What the rules make of it where nothing is known of its data: the program of the one function.
    pub fn optimized(&self) -> Result<Arc<Module>, Error> {
        let inner = &self.session.inner;
        if !inner.options.optimize {
            return Ok(self.program().clone());
        }
        inner.guarded(self.program(), || Ok(inner.rewritten(self.program(), &inner.common.rules(), Statistics::default())?.program))
    }

    /// What becomes of it over this data: stage by stage, which rules fire where, and how it is run in the end, on the engine or on the oracle. Sources may be missing.
    pub fn explain(&self, bindings: Bindings, oracle: bool) -> Result<Explanation, Error> {
        let inner = &self.session.inner;
        inner.guarded(self.program(), || {
            let (run, own) = self.bound(bindings, &RunOptions::until(&Cancel::default()), Schedule::Pool);
            let (plan, _) = inner.plan(self, &own, &run)?;
            let rules = inner.common.rules();
            let hoists = inner.options.optimize && inner.hoists(&rules, &inner.common.backends(), &run);
            let mut written =
                Program::new(Module::clone(&self.shape(hoists).planned())).with_registry(Registry::clone(&*inner.registry(&rules)?));
            let mut options = inner.driver_options(plan.placed.statistics().clone(), &self.program().graph);
            if !inner.options.optimize {
                options.stages.clear();
            }
            let stages = explain::explain(&mut written, 0, &options, &inner.engine, &run.sources).map_err(|error| match error {
                ProgramError::Broken(broken) => rules.to_error(&broken),
                other => Error::Program(other.to_string()),
            })?;
            let placed = match own.backends.is_empty() {
                true if inner.common.backends().is_empty() => None,
                true => Some(format!("\nplaced:\n\n{}", plan.placed)),
                false => Some(format!("\nplaced:\n\n{}", inner.place_anew(&plan, &own.backends, oracle)?)),
            };
            let (statistics, fallbacks) = (plan.placed.statistics().clone(), locked(&inner.common.fallbacks).clone());
            Ok(Explanation { stages, statistics, placed, fallbacks })
        })
    }

    /// How the engine would run it, as if there were no other backends: a tree of nodes, with the lines that they come from. Nothing is computed and no source is read;
    /// sources may be missing.
    pub fn physical_plan(&self, bindings: Bindings) -> Result<PhysicalPlan, Error> {
        let inner = &self.session.inner;
        inner.guarded(self.program(), || {
            let (run, own) = self.bound(bindings, &RunOptions::until(&Cancel::default()), Schedule::Pool);
            let (plan, _) = inner.plan(self, &own, &run)?;
            let (placed, program) = (&plan.placed, plan.placed.program());
            let lowered = placed.plan(plan.function, &inner.engine, &run).map_err(|error| inner.to_error(error, program))?;
            Ok(inner.engine.describe(&Plan::clone(&lowered).with_lines(&program.locations), &run.sources))
        })
    }

    /// The result, and how the engine computed it, all of it: what each node made, and what that took.
    pub fn analyze(&self, bindings: Bindings, cancel: &Cancel) -> Result<(Datum, PhysicalPlan), Error> {
        let inner = &self.session.inner;
        let span = info_span!("run", function = self.name(), cached = Empty).entered();
        let ran = inner.guarded(self.program(), || {
            let (run, own) = self.bound(bindings, &RunOptions::until(cancel), Schedule::Pool);
            let (plan, cached) = inner.plan(self, &own, &run)?;
            span.record("cached", cached);
            let (placed, program) = (&plan.placed, plan.placed.program());
            let lowered = placed.plan(plan.function, &inner.engine, &run).map_err(|error| inner.to_error(error, program))?;
            let lowered = inner.engine.executable(Plan::clone(&lowered).with_lines(&program.locations));
            inner.engine.analyze(&lowered, &own.args, &run).map_err(|error| inner.to_error(error, program))
        });
        or_cancelled(ran, cancel)
    }
}

impl Session {
    /// What becomes of a function, stage by stage, which rules fire where, and how it is run in the end; and with backends of an embedder, which of them runs which part.
    ///
    /// ```
    /// use airloom::{Session, SessionOptions};
    ///
    /// let session = Session::new(SessionOptions::from_environment()?)?;
    /// let module = session.parse("func @same(x: i64) -> i64 { return mul(x, 1) }", Some("same.air"))?;
    /// let text = session.explain(&module, "same")?;
    /// assert!(text.contains("nothing more fires") && text.contains("physical plan:"), "{text}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn explain(&self, module: &Module, function: &str) -> Result<String, Error> {
        self.prepare(module, function)?.explain(Bindings::new(Vec::new()), false).map(|explanation| explanation.to_string())
    }

    /// How the engine runs a function, as if there were no other backends: a tree of nodes, with the lines that they come from. Nothing is computed and no source is read.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let text = "func @large(t: rel{x: i64}) -> rel{x: i64} { return rel.filter(t) |r| gt(r.x, 3) }";
    /// let plan = session.physical_plan(&session.parse(text, None)?, "large")?;
    /// assert_eq!((plan.parts[0].op.as_str(), plan.parts[0].detail.as_str()), ("filter", "x > 3"));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn physical_plan(&self, module: &Module, function: &str) -> Result<PhysicalPlan, Error> {
        self.prepare(module, function)?.physical_plan(Bindings::new(Vec::new()))
    }

    /// The result of a function, and how the engine ran it, all of it: what each node made, and what that took.
    pub fn analyze(&self, module: &Module, function: &str, args: &[Datum], cancel: &Cancel) -> Result<(Datum, PhysicalPlan), Error> {
        self.prepare(module, function)?.analyze(Bindings::new(args.to_vec()), cancel)
    }
}

/// What was known of the sources, for people.
fn known(statistics: &Statistics) -> String {
    let line = |(name, table): (&Name, &TableStatistics)| {
        let rows = table.rows.map_or_else(|| "an unknown number of".to_string(), |rows| rows.to_string());
        format!("source `{name}`: {rows} rows\n")
    };
    statistics.tables.iter().map(line).collect()
}
