//! The engine: sources, threads and memory, and programs that run with them.

use crate::blocks::{Relations, Runner};
use crate::build::{Builder, Sources, TableSource};
use crate::operators;
use crate::run::{ChargingPool, Options, Shared, Trace};
use airloom_compute::data::{Cancel, Datum, Failure, Host, NoHost, Relation, RunContext};
use airloom_io::failure::from_datafusion;
use airloom_io::metrics::Watched;
use airloom_io::sink::{Target, Written};
use airloom_io::source::Table;
use airloom_io::sql::{SqlSource, text_of};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Locations;
use airloom_ir::types::{Ty, TyId};
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::stage::Stage;
use airloom_plan::explain::{Counts, Known, PhysicalPlan, explain};
use airloom_plan::lower::{Catalog, lower};
use airloom_plan::value::{BlockId, Plan, PlanId, Query};
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion_execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use tracing::{Instrument, debug_span, info_span};

/// Runs programs.
pub struct Engine {
    options: Options,
    environment: Arc<RuntimeEnv>,
    /// Whether the thread that asks does all the work.
    alone: bool,
    threads: Mutex<Option<(u32, Arc<Runtime>)>>,
    sources: RwLock<BTreeMap<String, Source>>,
    host: RwLock<Arc<dyn Host>>,
}

#[derive(Clone)]
enum Source {
    Table(Arc<dyn Table>),
    Datum(Datum),
}

/// The stages of rules that make a program better for the engine: all but the last, which makes loops of maps for a compiler of loops. The engine computes
/// maps over whole columns.
pub fn stages() -> Vec<Stage> {
    Stage::ALL.into_iter().filter(|&stage| stage != Stage::Fuse).collect()
}

/// How often a waiting thread looks whether the run was cancelled.
const LOOK: Duration = Duration::from_millis(10);

impl Engine {
    /// An engine; its threads start with its first run.
    pub fn new(options: Options) -> Result<Engine, Failure> {
        Engine::made(options, false)
    }

    /// An engine without threads: whoever asks it to run a program works on it until it is done, and cannot be stopped. For programs that take less time than
    /// handing them over does.
    pub fn alone(options: Options) -> Result<Engine, Failure> {
        Engine::made(options, true)
    }

    fn made(options: Options, alone: bool) -> Result<Engine, Failure> {
        options.check().map_err(Failure::Program)?;
        // Three eighths are for what nobody counts: pages being decoded, rows being merged, batches on their way from one operator to the next.
        let pool = TrackConsumersPool::new(FairSpillPool::new(options.memory / 8 * 5), NonZeroUsize::new(3).expect("three is not zero"));
        let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Directories(vec![options.spill_folder.clone()]));
        let pool = Arc::new(ChargingPool::new(pool));
        let environment = RuntimeEnvBuilder::new()
            .with_memory_pool(pool)
            .with_disk_manager_builder(disk)
            .build_arc()
            .map_err(|error| from_datafusion(&error))?;
        let host: Arc<dyn Host> = Arc::new(NoHost);
        Ok(Engine { options, environment, alone, threads: Mutex::new(None), sources: RwLock::default(), host: RwLock::new(host) })
    }

    /// How it runs.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether it has no threads of its own.
    pub fn is_alone(&self) -> bool {
        self.alone
    }

    /// Gives it the rows of a source.
    pub fn register(&self, name: &str, table: Arc<dyn Table>) {
        self.sources.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_string(), Source::Table(table));
    }

    /// Gives it a source that is already in memory: rows, an array or a value.
    pub fn register_datum(&self, name: &str, datum: Datum) {
        self.sources.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_string(), Source::Datum(datum));
    }

    /// Takes a source away; what it held is freed once no run reads it.
    pub fn forget(&self, name: &str) {
        self.sources.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Gives it the functions of the host.
    pub fn set_host(&self, host: Arc<dyn Host>) {
        *self.host.write().unwrap_or_else(PoisonError::into_inner) = host;
    }

    fn source(&self, name: &str) -> Result<Source, Failure> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.get(name).cloned().ok_or_else(|| Failure::Program(format!("there is no source `{name}`")))
    }

    /// What is known of the sources that a program reads: of the columns it reads.
    pub fn statistics(&self, graph: &Graph, roots: &[NodeId]) -> Result<Statistics, Failure> {
        let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in graph.post_order(roots) {
            if let (Some(source), Ty::Rel(fields)) = (graph.as_source(id), graph.ty(id)) {
                let columns = wanted.entry(source.name.as_str().to_string()).or_default();
                columns.extend(fields.names().map(|n| n.as_str().to_string()));
            }
        }
        let mut statistics = Statistics::default();
        for (name, mut columns) in wanted {
            let Ok(Source::Table(table)) = self.source(&name) else { continue };
            columns.sort();
            columns.dedup();
            let schema = table.schema();
            let places: Vec<usize> = columns.iter().filter_map(|c| schema.index_of(c).ok()).collect();
            statistics.tables.insert(airloom_ir::name::Name::new(&name), table.statistics(&places)?);
        }
        Ok(statistics)
    }

    /// The plan of a function of a program. Nothing is computed and no source is read.
    pub fn lower(&self, graph: &Arc<Graph>, function: NodeId, statistics: Statistics) -> Plan {
        let _entered = debug_span!("plan").entered();
        lower(graph, function, &mut Facts::new(statistics), &Databases { engine: self })
    }

    /// The result of a function of a program for these arguments.
    pub fn run(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        cancel: &Cancel,
    ) -> Result<Datum, Failure> {
        let plan = caught(|| Ok(self.lower(&graph.into(), function, statistics)))?;
        self.execute(&Arc::new(plan), args, cancel, None)
    }

    /// The result of a plan for these arguments. A trace is told which operators there were.
    pub fn execute(&self, plan: &Arc<Plan>, args: &[Datum], cancel: &Cancel, trace: Option<&Trace>) -> Result<Datum, Failure> {
        let host = self.host.read().unwrap_or_else(PoisonError::into_inner).clone();
        let context = Arc::new(RunContext::new(host, cancel.clone(), self.options.steps));
        let shared = Arc::new(Shared { graph: plan.graph.clone(), context, options: Arc::new(self.options.clone()) });
        let running = Running { engine: self, plan, shared: &shared, trace };
        caught(|| Runner::new(plan, &shared, &running).call(BlockId::new(0), args))
    }

    /// How a function of a program is run. Nothing is computed, no source is read and no function of the host is called.
    pub fn explain(&self, graph: &Arc<Graph>, function: NodeId, statistics: Statistics, locations: &Locations) -> Result<PhysicalPlan, Failure> {
        caught(|| Ok(self.describe(&self.lower(graph, function, statistics).with_lines(locations), &Trace::default())))
    }

    /// A plan for people, with what its nodes did in a run.
    pub fn describe(&self, plan: &Plan, trace: &Trace) -> PhysicalPlan {
        explain(plan, &Described { engine: self, counts: trace.counts() })
    }

    /// Writes the rows of a relation: all of them, or nothing.
    pub fn write(&self, relation: &Relation, target: &Target, cancel: &Cancel) -> Result<Written, Failure> {
        let rows = operators::batches(&relation.schema, &relation.batches, self.options.threads, self.options.morsel_rows);
        let (runtime, context) = (self.runtime()?, self.context(false));
        let span = info_span!("write", url = target.url, rows = relation.rows());
        let written = runtime.block_on(
            async {
                let mut writing = Box::pin(airloom_io::sink::write(rows, context, target));
                loop {
                    tokio::select! {
                        done = &mut writing => return Some(done),
                        () = tokio::time::sleep(LOOK) => {
                            if cancel.is_cancelled() {
                                return None;
                            }
                        }
                    }
                }
            }
            .instrument(span),
        );
        match written {
            None => Err(Failure::Cancelled),
            Some(written) => written,
        }
    }

    /// The threads; begun anew in a forked process, which has inherited none.
    fn runtime(&self) -> Result<Arc<Runtime>, Failure> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        match threads.as_ref() {
            Some((owner, runtime)) if *owner == process => return Ok(runtime.clone()),
            // The threads of the parent are not here to be joined: their handles are left alone.
            Some(_) => std::mem::forget(threads.take()),
            None => (),
        }
        let mut builder = match self.alone {
            true => tokio::runtime::Builder::new_current_thread(),
            false => tokio::runtime::Builder::new_multi_thread(),
        };
        let built = builder.worker_threads(self.options.threads).thread_name("airloom").enable_all().build();
        let runtime = Arc::new(built.map_err(|e| Failure::world(format!("cannot start threads: {e}")))?);
        *threads = Some((process, runtime.clone()));
        Ok(runtime)
    }

    fn context(&self, watched: bool) -> Arc<TaskContext> {
        let mut config = SessionConfig::new().with_batch_size(self.options.morsel_rows).with_target_partitions(self.options.threads);
        if watched {
            config = config.with_extension(Arc::new(Watched));
        }
        Arc::new(TaskContext::new(
            None,
            "airloom".into(),
            config,
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            self.environment.clone(),
        ))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((owner, runtime)) = threads.take() {
            if owner != std::process::id() {
                std::mem::forget(runtime);
            } else if let Ok(runtime) = Arc::try_unwrap(runtime) {
                // Spilled files go with the last task that holds them: a moment is given to those that are just ending. Code of another runtime must not wait.
                if tokio::runtime::Handle::try_current().is_ok() {
                    runtime.shutdown_background();
                } else {
                    runtime.shutdown_timeout(Duration::from_secs(2));
                }
            }
        }
    }
}

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".into())
}

/// Does something in which a panic is a failure.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::Bug(panic_text(payload.as_ref()))))
}

/// The databases among the sources, which compute what their SQL says exactly.
struct Databases<'a> {
    engine: &'a Engine,
}

impl Catalog for Databases<'_> {
    fn query(&self, graph: &Graph, relation: NodeId) -> Option<Query> {
        let table = |name: &str| match self.engine.source(name) {
            Ok(Source::Table(table)) => table.sql(),
            _ => None,
        };
        let said = text_of(graph, relation, &|name| table(name).map(|table| table as Arc<dyn SqlSource>))?;
        let parameters = said.parameters.into_iter().map(|parameter| parameter.0).collect();
        Some(Query { sources: said.sources, text: said.text, parameters })
    }
}

/// What is known of a plan besides itself.
struct Described<'a> {
    engine: &'a Engine,
    counts: BTreeMap<PlanId, Counts>,
}

impl Known for Described<'_> {
    fn source(&self, name: &str) -> Option<String> {
        match self.engine.source(name).ok()? {
            Source::Table(table) => Some(table.kind().to_string()),
            Source::Datum(_) => Some("memory".into()),
        }
    }

    fn counts(&self, id: PlanId) -> Option<Counts> {
        self.counts.get(&id).copied()
    }
}

/// One run: what a plan sees of the engine.
struct Running<'a> {
    engine: &'a Engine,
    plan: &'a Arc<Plan>,
    shared: &'a Arc<Shared>,
    trace: Option<&'a Trace>,
}

impl Sources for Running<'_> {
    fn table(&self, name: &str) -> Result<TableSource, Failure> {
        Ok(match self.engine.source(name)? {
            Source::Table(table) => TableSource::Table(table),
            Source::Datum(Datum::Table(relation)) => TableSource::Rows(relation),
            Source::Datum(_) => TableSource::Other,
        })
    }
}

impl Relations for Running<'_> {
    fn rows(&self, block: BlockId, slots: &[Option<Datum>], root: PlanId) -> Result<Relation, Failure> {
        let (plan, operators) = Builder::new(self.plan, block, slots, self.shared, self).build(root)?;
        if let Some(trace) = self.trace {
            trace.add(operators);
        }
        self.collect(plan)
    }

    fn source(&self, name: &str, ty: TyId) -> Result<Datum, Failure> {
        match self.engine.source(name)? {
            Source::Datum(datum) => Ok(datum),
            Source::Table(_) => {
                Err(Failure::Program(format!("source `{name}` is a relation, expected `{}`", self.shared.graph.types().show(ty))))
            }
        }
    }
}

impl Running<'_> {
    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure> {
        let (schema, watch) = (plan.schema(), self.trace.is_some());
        let (runtime, context, cancel) = (self.engine.runtime()?, self.engine.context(watch), self.shared.context.cancel.clone());
        let span = info_span!("execute", plan = plan.name(), partitions = plan.output_partitioning().partition_count());
        if self.engine.alone {
            let rows =
                on_this_thread(&runtime, operators::collect(&plan, &context).instrument(span)).map_err(|error| from_datafusion(&error))?;
            return Ok(Relation { schema, batches: rows.into() });
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = async move {
            let rows = operators::collect(&plan, &context).await;
            sender.send(rows).ok();
        };
        let mut work = AbortOnDrop(runtime.spawn(work.instrument(span)));
        // This thread keeps the time itself: while all the others compute, none of them would wake it.
        let rows = loop {
            match receiver.recv_timeout(LOOK) {
                Ok(rows) => break rows.map_err(|error| from_datafusion(&error))?,
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(Failure::Cancelled),
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(match runtime.block_on(&mut work.0) {
                        Err(joined) if joined.is_panic() => Failure::Bug(panic_text(joined.into_panic().as_ref())),
                        Err(joined) => Failure::Bug(joined.to_string()),
                        Ok(()) => Failure::Bug("invariant `work that ends says what it found`".into()),
                    });
                }
            }
        };
        Ok(Relation { schema, batches: rows.into() })
    }
}

/// Does work to its end. A thread of another runtime may not wait in one, so that has it done by a thread of its own.
fn on_this_thread<T: Send>(runtime: &Runtime, work: impl Future<Output = T> + Send) -> T {
    if tokio::runtime::Handle::try_current().is_err() {
        return runtime.block_on(work);
    }
    std::thread::scope(|scope| match scope.spawn(|| runtime.block_on(work)).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// A task that ends with whoever waits for it.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
