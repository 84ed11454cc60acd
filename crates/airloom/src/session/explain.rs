//! Programs explained: what the rules make of them, and how they are run.

use super::door::{Session, found, locked};
use super::error::Error;
use super::part::part;
use super::prepare::place_of;
use crate::explain;
use crate::program::{Error as ProgramError, Program};
use airloom_compute::data::{Cancel, Datum};
use airloom_exec::explain::PhysicalPlan;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_opt::facts::{Statistics, TableStatistics};
use airloom_opt::registry::Registry;
use tracing::field::Empty;
use tracing::info_span;

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
        let program = part(module, function, found(module, function)?);
        let inner = &self.inner;
        inner.guarded(&program, || {
            let (plan, _) = inner.prepare(&program)?;
            let (_, registry) = inner.registry();
            let mut told = Program::new(program.clone()).with_registry(Registry::clone(&registry));
            let mut options = inner.driver_options(plan.statistics.clone());
            if !inner.options.optimize {
                options.stages.clear();
            }
            let mut out = explain::explain(&mut told, 0, &options, &inner.engine).map_err(|error| match error {
                ProgramError::Program(lines) => Error::Program(lines.join("\n")),
                other => Error::broken(other.to_string()),
            })?;
            out.push_str(&known(&plan.statistics));
            if !inner.backends().is_empty() {
                out.push_str(&format!("\nplaced:\n\n{}", plan.placed));
            }
            for fallback in locked(&inner.fallbacks).iter() {
                out.push_str(&format!("fallback: {fallback}\n"));
            }
            Ok(out)
        })
    }

    /// How the engine runs a function, as if there were no other backends: a tree of nodes, with the lines that they come from. Nothing is computed; arguments are made up.
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
        let program = part(module, function, found(module, function)?);
        let inner = &self.inner;
        inner.guarded(&program, || {
            let (plan, _) = inner.prepare(&program)?;
            let program = plan.placed.program();
            let explained = inner.engine.explain(program.graph.clone(), plan.function, None, plan.statistics.clone());
            Ok(located(explained.map_err(|error| inner.told(error, program))?, program))
        })
    }

    /// The result of a function, and how the engine ran it, all of it: what each node made, and what that took.
    pub fn analyze(&self, module: &Module, function: &str, args: &[Datum], cancel: &Cancel) -> Result<(Datum, PhysicalPlan), Error> {
        let program = part(module, function, found(module, function)?);
        let inner = &self.inner;
        let span = info_span!("run", function, cached = Empty).entered();
        let ran = inner.guarded(&program, || {
            let (plan, cached) = inner.prepare(&program)?;
            span.record("cached", cached);
            let program = plan.placed.program();
            let ran = inner.engine.analyze(program.graph.clone(), plan.function, args, plan.statistics.clone(), cancel);
            let (datum, explained) = ran.map_err(|error| inner.told(error, program))?;
            Ok((datum, located(explained, program)))
        });
        ran.map_err(|error| if cancel.is_cancelled() { Error::Cancelled } else { error })
    }
}

fn located(plan: PhysicalPlan, module: &Module) -> PhysicalPlan {
    plan.with_places(&|node| place_of(module, node).map(ToString::to_string))
}

/// What was known of the sources, for people.
fn known(statistics: &Statistics) -> String {
    let line = |(name, table): (&Name, &TableStatistics)| {
        let rows = table.rows.map_or_else(|| "an unknown number of".to_string(), |rows| rows.to_string());
        format!("source `{name}`: {rows} rows\n")
    };
    statistics.tables.iter().map(line).collect()
}
