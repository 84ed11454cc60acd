//! Where and how the functions of filetests are run.

use super::deopt::RandomDeopts;
use super::files::in_a_file;
use super::plans::through_forms;
use super::runs::test_host;
use super::share::{Share, SharingOracle};
use crate::backend::{Backend, Failure, Run};
use crate::data::Datum;
use crate::host::{Host, Stop};
use crate::program::{Error, Program};
use crate::source::{Catalog, Source as TableSource};
use airloom_compute::body::Compiler;
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as EngineOptions;
use airloom_exec::place::place;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::{Limits, Source};
use airloom_ir::types::{Ty, Types};
use airloom_ir::value::Value;
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// One way to run the suite.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// What it is called.
    pub name: String,
    /// How the engine runs; without it the oracle does.
    pub engine: Option<EngineOptions>,
    /// How much of a program the oracle runs beside the engine.
    pub oracle: Share,
    /// Which rules fire.
    pub rules: Rules,
    /// Where the engine's tables are written as Parquet files, from which it reads them; without it they are in memory.
    pub files: Option<PathBuf>,
    /// Whether plans go through their text and their bytes before they run.
    pub forms: bool,
    /// Whether literals are taken out of programs before they are optimised and planned, and plans bound to them.
    pub hoisted: bool,
    /// Who computes bodies.
    pub kernels: Kernels,
}

/// Who computes bodies before the interpreter does.
#[derive(Clone)]
pub enum Kernels {
    /// Nobody.
    Interpreted,
    /// Kernels that hand over at random rows, by this seed.
    Deopts(u64),
    /// What a compiler makes, when the engine's options say.
    Compiled(Arc<dyn Compiler>),
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernels::Interpreted => f.write_str("Interpreted"),
            Kernels::Deopts(seed) => write!(f, "Deopts({seed})"),
            Kernels::Compiled(_) => f.write_str("Compiled"),
        }
    }
}

/// How much is optimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// All of it.
    Everything,
    /// Nothing.
    Nothing,
    /// This many firings.
    Fuel(u64),
}

impl Configuration {
    /// On the oracle, with all rules.
    pub fn oracle() -> Configuration {
        Configuration {
            name: "oracle".into(),
            engine: None,
            oracle: Share::Everything,
            rules: Rules::Everything,
            files: None,
            forms: false,
            hoisted: false,
            kernels: Kernels::Interpreted,
        }
    }

    pub(super) fn optimizing(&self, statistics: &Statistics) -> Options {
        let all = Options { checks: true, statistics: statistics.clone(), ..Options::everything() };
        match self.rules {
            Rules::Everything => all,
            Rules::Nothing => Options { stages: Vec::new(), ..all },
            Rules::Fuel(fuel) => Options { fuel, ..all },
        }
    }
}

/// What runs a file's functions.
pub(super) enum Runner {
    Oracle(Program),
    Engine { session: Program, backends: Vec<Arc<dyn Backend>>, engine: Box<Engine>, run: Run, statistics: Statistics, forms: bool },
}

struct TestHost;

impl Host for TestHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        test_host(name, args)
    }
}

impl Runner {
    pub(super) fn new(configuration: &Configuration, session: Program, sources: &[(String, Source)]) -> Result<Runner, String> {
        let Some(options) = &configuration.engine else {
            let with = |session: Program, (name, source): &(String, Source)| session.with_source(name, source.clone());
            return Ok(Runner::Oracle(sources.iter().fold(session, with)));
        };
        let mut engine = Engine::new(options.clone()).map_err(|e| e.to_string())?;
        match &configuration.kernels {
            Kernels::Interpreted => (),
            Kernels::Deopts(seed) => engine = engine.with_compiler(Arc::new(RandomDeopts { seed: *seed })),
            Kernels::Compiled(compiler) => engine = engine.with_compiler(compiler.clone()),
        }
        let mut run = Run { host: Arc::new(TestHost), ..Run::over(Catalog::default()) };
        let graph = &session.module().graph;
        for (name, source) in sources {
            // A function may ask for some columns only: the data has the type of the source that asks for most.
            let width = |id: NodeId| if let Ty::Rel(fields) = graph.ty(id) { fields.len() } else { 0 };
            let of = graph.ids().filter(|&id| graph.as_source(id).is_some_and(|s| s.name.as_str() == name)).max_by_key(|&id| width(id));
            let of = of.ok_or_else(|| format!("no function reads a source `{name}`"))?;
            let datum = Datum::from_value(graph.types(), graph.ty_id(of), &source.value);
            let table = match (&configuration.files, &datum) {
                (Some(folder), Datum::Table(relation)) => in_a_file(&engine, relation, folder),
                _ => None,
            };
            run.sources.insert(name, table.map_or(TableSource::Datum(datum), TableSource::Table));
        }
        let sources: Vec<NodeId> = graph.ids().filter(|&id| graph.as_source(id).is_some()).collect();
        let statistics = run.sources.statistics(graph, &sources).map_err(|e| e.to_string())?;
        let oracle = SharingOracle::new(configuration.oracle, Limits { steps: options.steps });
        let backends: Vec<Arc<dyn Backend>> = if configuration.oracle == Share::Nothing { Vec::new() } else { vec![Arc::new(oracle)] };
        Ok(Runner::Engine { session, backends, engine: Box::new(engine), run, statistics, forms: configuration.forms })
    }

    pub(super) fn module(&self) -> &Module {
        match self {
            Runner::Oracle(session) | Runner::Engine { session, .. } => session.module(),
        }
    }

    pub(super) fn run(&self, function: NodeId, args: &[Value]) -> Result<Value, Error> {
        match self {
            Runner::Oracle(session) => session.run(function, args, Some(&test_host)),
            Runner::Engine { session, backends, engine, run, statistics, forms } => {
                let graph = &session.module().graph;
                let types: &Types = graph.types();
                let args: Vec<Datum> = args.iter().zip(graph.params_of(function)).map(|(v, &ty)| Datum::from_value(types, ty, v)).collect();
                let made = if *forms {
                    let plan = engine.lower(&Arc::new(graph.clone()), function, statistics.clone(), &run.sources);
                    let plan = plan.and_then(|plan| through_forms(&plan).map_err(Failure::Bug));
                    plan.and_then(|plan| engine.execute(&engine.executable(plan), &args, run, None))
                } else if !graph.expected().is_empty() {
                    let plan = engine.lower(&Arc::new(graph.clone()), function, statistics.clone(), &run.sources);
                    plan.and_then(|plan| engine.execute(&engine.executable(plan.bind_expected()), &args, run, None))
                } else {
                    let placed = place(Arc::new(session.module().clone()), function, backends, None, statistics.clone());
                    placed.and_then(|placed| placed.run(&args, engine, run))
                };
                let ty = graph.ty_id(graph.result_of(function));
                made.map(|datum| datum.to_value(types, ty)).map_err(|error| match error {
                    Failure::Raised(raised) => Error::Raised(raised.message),
                    stopped @ Failure::OutOfSteps(_) => Error::Raised(stopped.to_string()),
                    other => Error::Raised(format!("{other:?}")),
                })
            }
        }
    }
}
