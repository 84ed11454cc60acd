//! A function that is ready to be given data.

use super::error::Error;
use super::session::{Session, locked};
use super::shape::Shape;
use crate::backend::Backend;
use crate::data::Datum;
use crate::host::Host;
use airloom_compute::data::Cancel;
use airloom_exec::place::Placed;
use airloom_exec::run::{Catalog, Output, Run, Schedule, Source, is_inline};
use airloom_exec::schedule::try_hold;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use std::sync::{Arc, OnceLock};
use tracing::field::Empty;
use tracing::info_span;

/// A function of a program, ready to be given data. How it is computed depends on those: it is planned when it first runs over data of their kind.
///
/// ```
/// use airloom::data::Datum;
/// use airloom::ir::value::Value;
/// use airloom::{Bindings, Cancel, RunOptions, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::from_environment()?)?;
/// let text = "func @more(x: i64) -> i64 { return add(x, source \"step\": i64) }";
/// let more = session.prepare(&session.parse(text, None)?, "more")?;
/// for step in [1, 10] {
///     let mut bindings = Bindings::new(vec![Datum::Value(Value::int(41))]);
///     bindings.sources.insert("step", airloom::source::Source::Datum(Datum::Value(Value::int(step))));
///     let result = more.run(bindings, &RunOptions::until(&Cancel::default()))?;
///     assert!(matches!(result, Datum::Value(value) if value == Value::int(41 + step as i128)));
/// }
/// # Ok::<(), airloom::Error>(())
/// ```
pub struct Prepared {
    pub(super) session: Session,
    program: Arc<Module>,
    /// The names of the sources that it reads, each once.
    sources: Vec<Name>,
    /// The program as it is planned: as it is written, and without its literals.
    written: OnceLock<Shape>,
    hoisted: OnceLock<Shape>,
}

/// What a run is given.
pub struct Bindings {
    /// The arguments, in the physical form of their types.
    pub args: Vec<Datum>,
    /// Sources of the run's own: they come before those of the session.
    pub sources: Catalog,
    /// Whether the tables among them are known to hold no nulls where the program says that there are none. Where it is not known, it is looked at in each run.
    pub checked: bool,
    /// The functions that `host.call` names; those of the session where there are none.
    pub host: Option<Arc<dyn Host>>,
    /// Backends that hold something of this run: they are asked before those of the session, each time anew.
    pub backends: Vec<Arc<dyn Backend>>,
}

impl Bindings {
    /// Arguments, and nothing else.
    pub fn new(args: Vec<Datum>) -> Bindings {
        Bindings { args, sources: Catalog::default(), checked: false, host: None, backends: Vec::new() }
    }
}

/// How a run is done.
pub struct RunOptions {
    /// How it may be stopped. One that is done inline goes on to its end, which is soon.
    pub cancel: Cancel,
    /// Whether it is computed on the oracle, which defines what programs mean and is slow.
    pub oracle: bool,
    /// Where it is computed; [`Prepared::schedule`] decides where this is `None`.
    pub schedule: Option<Schedule>,
    /// Where the rows of its result go; they are the result itself where this is `None`.
    pub output: Option<Arc<Output>>,
}

impl RunOptions {
    /// A run on the engine, which `cancel` may stop.
    pub fn until(cancel: &Cancel) -> RunOptions {
        RunOptions { cancel: cancel.clone(), oracle: false, schedule: None, output: None }
    }
}

impl Prepared {
    pub(super) fn new(session: Session, program: Module) -> Prepared {
        let graph = &program.graph;
        let mut sources: Vec<Name> = graph.ids().filter_map(|id| graph.as_source(id)).map(|source| source.name).collect();
        sources.sort_unstable();
        sources.dedup();
        Prepared { session, program: Arc::new(program), sources, written: OnceLock::new(), hoisted: OnceLock::new() }
    }

    /// The program as it was written: of the function, and what it needs.
    pub fn program(&self) -> &Arc<Module> {
        &self.program
    }

    /// The function, in its program.
    pub fn function(&self) -> NodeId {
        self.program.functions[0].lambda
    }

    /// The names of the sources that it reads.
    pub fn sources(&self) -> &[Name] {
        &self.sources
    }

    /// The program as it is planned, where literals are taken out of it or not.
    pub(super) fn shape(&self, hoists: bool) -> &Shape {
        match hoists {
            true => self.hoisted.get_or_init(|| Shape::hoisted(&self.program)),
            false => self.written.get_or_init(|| Shape::written(&self.program)),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.program.functions[0].name
    }

    /// Whether a run on the engine is done inline, by the thread that asks for it: where it takes less time than handing it to others would. A run that rules,
    /// backends or functions of an embedder take part in may take any time.
    pub fn schedule(&self, bindings: &Bindings) -> Schedule {
        let common = &self.session.inner.common;
        let own = |name: &str| match bindings.sources.get(name) {
            Some(source) => source.rows_in_memory(),
            None => common.table(name).and_then(|table| Source::Table(table).rows_in_memory()),
        };
        let inline = bindings.backends.is_empty() && is_inline(&self.program.graph, &bindings.args, &own);
        if inline && common.backends().is_empty() && common.rules().added.is_empty() { Schedule::Inline } else { Schedule::Pool }
    }

    /// Plans it for data of this kind without running it, so that a run need not; whether there was a plan already.
    ///
    /// ```
    /// # use airloom::{Bindings, Session, SessionOptions};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let above = |literal: i64| {
    ///     let text = format!("func @above(t: rel{{x: i64}}) -> rel{{x: i64}} {{ return rel.filter(t) |r| gt(r.x, {literal}) }}");
    ///     session.prepare(&session.parse(&text, None)?, "above")?.plan(Bindings::new(Vec::new()))
    /// };
    /// assert!(!above(300)?);
    /// assert!(above(700)?, "programs that differ in a literal have one plan");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn plan(&self, bindings: Bindings) -> Result<bool, Error> {
        let inner = &self.session.inner;
        inner.guarded(&self.program, || {
            let (run, own) = self.bound(bindings, &RunOptions::until(&Cancel::default()), Schedule::Pool);
            inner.plan(self, &own, &run).map(|(_, cached)| cached)
        })
    }

    /// The result for this data.
    pub fn run(&self, bindings: Bindings, options: &RunOptions) -> Result<Datum, Error> {
        let inner = &self.session.inner;
        let span = info_span!("run", function = self.name(), cached = Empty).entered();
        let ran = inner.guarded(&self.program, || {
            let schedule = match (options.schedule, options.oracle) {
                (Some(schedule), _) => schedule,
                (None, true) => Schedule::Pool,
                (None, false) => self.schedule(&bindings),
            };
            let (mut run, own) = self.bound(bindings, options, schedule);
            let (plan, cached) = inner.plan(self, &own, &run)?;
            span.record("cached", cached);
            let anew;
            let placed = if options.oracle || !own.backends.is_empty() {
                anew = inner.place_anew(&plan, &own.backends, options.oracle)?;
                &anew
            } else {
                &plan.placed
            };
            if options.oracle {
                inner.read_for_oracle(placed.program(), &mut run)?;
            }
            let ran = placed.run(&own.args, &inner.engine, &run);
            // Only now: a backend may have run programs of its own.
            self.tell_refusals(placed);
            ran.map_err(|error| inner.to_error(error, placed.program()))
        });
        or_cancelled(ran, &options.cancel)
    }

    /// What the engine is given, with the tables of the session below those of the run; and what is left for others.
    pub(super) fn bound(&self, bindings: Bindings, options: &RunOptions, schedule: Schedule) -> (Run, Own) {
        let common = &self.session.inner.common;
        let Bindings { args, mut sources, checked, host, backends } = bindings;
        let mut tables = Vec::new();
        let missing: Vec<&Name> = self.sources.iter().filter(|name| sources.get(name).is_none()).collect();
        if !missing.is_empty() {
            let held = locked(&common.sources);
            for name in missing {
                if let Some((version, table)) = held.tables.get(name.as_str()) {
                    tables.push((name.clone(), *version));
                    sources.insert_table(name, table.clone());
                }
            }
        }
        let host = host.unwrap_or_else(|| common.host());
        (
            Run { sources, host, cancel: options.cancel.clone(), schedule, output: options.output.clone() },
            Own { args, tables, checked, backends },
        )
    }

    fn tell_refusals(&self, placed: &Placed) {
        if let Some(mut refused) = try_hold(&self.session.inner.common.refused) {
            *refused = placed.refused().to_vec();
        }
    }
}

/// What of the bindings is not for the engine.
pub(super) struct Own {
    pub(super) args: Vec<Datum>,
    /// The tables that are the session's, and their versions.
    pub(super) tables: Vec<(Name, u64)>,
    pub(super) checked: bool,
    pub(super) backends: Vec<Arc<dyn Backend>>,
}

impl Own {
    /// The sources of a program that the run brings, which the session has not.
    pub(super) fn brought<'a>(&'a self, prepared: &'a Prepared) -> impl Iterator<Item = &'a Name> {
        prepared.sources.iter().filter(|name| self.tables.iter().all(|(own, _)| own != *name))
    }
}

/// What is torn down on the way out of a run that was cancelled may fail in ways of its own.
pub(super) fn or_cancelled<T>(ran: Result<T, Error>, cancel: &Cancel) -> Result<T, Error> {
    ran.map_err(|error| if cancel.is_cancelled() { Error::Cancelled } else { error })
}
