//! The engine: sources, threads and memory, and programs that run with them.

mod explain;

use crate::eval::{Evaluator, World};
use crate::exchange::collect;
use crate::explain::{Watch, missing};
use crate::memory::ChargingPool;
use crate::operators;
use crate::options::ExecOptions;
use crate::plan::{Planned, Shared, Wanted};
use airloom_compute::data::{Cancel, Datum, Failure, Host, NoHost, Relation, RunContext};
use airloom_io::failure::from_datafusion;
use airloom_io::metrics::Watched;
use airloom_io::sink::{Target, Written};
use airloom_io::source::sql::query_of;
use airloom_io::source::{Scan, ScanRequest, Table};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::{Ty, TyId};
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::stage::Stage;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion_execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion_physical_expr::utils::collect_columns;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use tracing::{Instrument, info_span};

/// Runs programs.
pub struct Engine {
    options: ExecOptions,
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

/// How many steps loops may take where nothing is computed: they would go by rows that are not there.
const STEPS_WITHOUT_ROWS: u64 = 100_000;

impl Engine {
    /// An engine; its threads start with its first run.
    pub fn new(options: ExecOptions) -> Result<Engine, Failure> {
        Engine::made(options, false)
    }

    /// An engine without threads: whoever asks it to run a program works on it until it is done, and cannot be stopped. For programs that take less time than
    /// handing them over does.
    pub fn alone(options: ExecOptions) -> Result<Engine, Failure> {
        Engine::made(options, true)
    }

    fn made(options: ExecOptions, alone: bool) -> Result<Engine, Failure> {
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
    pub fn options(&self) -> &ExecOptions {
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

    /// The result of a function of a program for these arguments.
    pub fn run(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        cancel: &Cancel,
    ) -> Result<Datum, Failure> {
        self.evaluate(graph.into(), function, args, statistics, cancel, None)
    }

    /// As [`Engine::run`], for somebody who watches. Where nothing is computed, the host is not asked and loops end soon.
    pub(crate) fn evaluate(
        &self,
        graph: Arc<Graph>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        cancel: &Cancel,
        watch: Option<Arc<Watch>>,
    ) -> Result<Datum, Failure> {
        let (mut host, mut options) = (self.host.read().unwrap_or_else(PoisonError::into_inner).clone(), self.options.clone());
        if watch.as_ref().is_some_and(|watch| watch.dry) {
            (host, options.steps) = (Arc::new(NoHost), STEPS_WITHOUT_ROWS);
        }
        let context = Arc::new(RunContext::new(host, cancel.clone(), options.steps));
        let shared = Arc::new(Shared { graph, context, options: Arc::new(options), watch });
        let world = Running { engine: self, shared: shared.clone() };
        let run = || Evaluator::new(&shared, &world, Facts::new(statistics)).call(function, args);
        std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| Err(Failure::Bug(panic_text(payload.as_ref()))))
    }

    /// Writes the rows of a relation: all of them, or nothing.
    pub fn write(&self, relation: &Relation, target: &Target, cancel: &Cancel) -> Result<Written, Failure> {
        let rows = operators::batches(&relation.schema, &relation.batches, self.options.threads, self.options.morsel_rows);
        let (runtime, context) = (self.runtime()?, self.context(None));
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

    fn context(&self, watch: Option<&Arc<Watch>>) -> Arc<TaskContext> {
        let mut config = SessionConfig::new().with_batch_size(self.options.morsel_rows).with_target_partitions(self.options.threads);
        if watch.is_some() {
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

/// One run: what a program sees of the engine.
struct Running<'a> {
    engine: &'a Engine,
    shared: Arc<Shared>,
}

impl World for Running<'_> {
    fn scan(&self, shared: &Arc<Shared>, node: NodeId, asked: Wanted) -> Result<Scan, Failure> {
        let graph = &shared.graph;
        let (Some(view), Ty::Rel(fields)) = (graph.as_source(node), graph.ty(node)) else {
            return Err(Failure::Bug("invariant `only sources are scanned`".into()));
        };
        let name = view.name.as_str();
        let wanted = airloom_compute::data::schema_of(graph.types(), fields);
        let dry = shared.watch.as_ref().is_some_and(|watch| watch.dry);
        let source = match self.engine.source(name) {
            Err(_) if dry => {
                let plan = missing(Arc::new(wanted.project(&asked.columns).expect("columns of the source")));
                return Ok(Scan { plan, filtered: false, tested: false });
            }
            source => source?,
        };
        match source {
            Source::Table(table) => {
                let schema = table.schema();
                let mut places = Vec::with_capacity(asked.columns.len());
                let mut fields = Vec::with_capacity(asked.columns.len());
                for &at in &asked.columns {
                    let field = wanted.field(at);
                    let place = schema.index_of(field.name()).map_err(|_| missing_column(name, field.name(), &schema))?;
                    let found = schema.field(place).data_type();
                    if found != field.data_type() && !widens(found, field.data_type()) {
                        let (column, expected) = (field.name(), field.data_type());
                        return Err(Failure::Program(format!("column `{column}` of source `{name}` is `{found}`, expected `{expected}`")));
                    }
                    places.push(place);
                    fields.push(field.clone());
                }
                let plain = ScanRequest::of(places, self.engine.options.threads, self.engine.options.morsel_rows);
                let (request, fits) = fitting(plain, asked, &schema, &fields);
                let scan = table.scan(&request)?;
                if let Some(watch) = &shared.watch {
                    watch.computes(&scan.plan, &[node], table.rows());
                }
                if scan.tested {
                    fields = request.kept.iter().map(|&at| fields[at].clone()).collect();
                }
                let plan = operators::widened(scan.plan, Arc::new(Schema::new(fields)));
                Ok(Scan { plan, tested: scan.tested && fits, ..scan })
            }
            Source::Datum(Datum::Table(relation)) => {
                let places: Result<Vec<usize>, Failure> = asked
                    .columns
                    .iter()
                    .map(|&at| {
                        let field = wanted.field(at);
                        relation.schema.index_of(field.name()).map_err(|_| missing_column(name, field.name(), &relation.schema))
                    })
                    .collect();
                let places = places?;
                let batches: Vec<_> = relation.batches.iter().map(|b| b.project(&places).expect("columns of the relation")).collect();
                let schema = Arc::new(relation.schema.project(&places).expect("columns of the relation"));
                let planned = Planned::new(
                    operators::batches(&schema, &batches, self.engine.options.threads, self.engine.options.morsel_rows),
                    asked.columns,
                    1,
                );
                Ok(Scan { plan: planned.seal(&self.shared), filtered: false, tested: false })
            }
            Source::Datum(_) => {
                Err(Failure::Program(format!("the data of source `{name}` is not of its type `{}`", graph.types().show(graph.ty_id(node)))))
            }
        }
    }

    fn query(&self, shared: &Arc<Shared>, node: NodeId) -> Option<Arc<dyn ExecutionPlan>> {
        let table = |name: &str| match self.engine.source(name) {
            Ok(Source::Table(table)) => table.sql(),
            _ => None,
        };
        Some(query_of(&shared.graph, node, &table)?.scan(self.engine.options.morsel_rows).plan)
    }

    fn datum(&self, name: &str, ty: TyId) -> Result<Datum, Failure> {
        match self.engine.source(name)? {
            Source::Datum(datum) => Ok(datum),
            Source::Table(_) => {
                Err(Failure::Program(format!("source `{name}` is a relation, expected `{}`", self.shared.graph.types().show(ty))))
            }
        }
    }

    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure> {
        let (schema, watch) = (plan.schema(), self.shared.watch.as_ref());
        if let Some(watch) = watch {
            watch.plan(&plan);
            if watch.dry {
                return Ok(Relation { schema, batches: Arc::from([]) });
            }
        }
        let (runtime, context, cancel) = (self.engine.runtime()?, self.engine.context(watch), self.shared.context.cancel.clone());
        let span = info_span!("execute", plan = plan.name(), partitions = plan.output_partitioning().partition_count());
        if self.engine.alone {
            let rows = on_this_thread(&runtime, collect(&plan, &context).instrument(span)).map_err(|error| from_datafusion(&error))?;
            return Ok(Relation { schema, batches: rows.into() });
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = async move {
            let rows = collect(&plan, &context).await;
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

/// A request with as much of what is asked as the reader can be told, and whether that is all that must hold. A column that is widened is compared in its own type:
/// what reads such a column is not for the reader.
fn fitting(plain: ScanRequest, asked: Wanted, schema: &Schema, fields: &[Field]) -> (ScanRequest, bool) {
    let same = |at: usize| schema.field(plain.columns[at]).data_type() == fields[at].data_type();
    let predicate = asked.predicate.filter(|predicate| collect_columns(predicate).iter().all(|column| same(column.index())));
    let (tests, others): (Vec<_>, Vec<_>) = asked.tests.into_iter().partition(|test| test.columns().iter().all(|&at| same(at)));
    if others.iter().any(|test| !test.is_optional()) {
        return (ScanRequest { predicate, ..plain }, false);
    }
    (ScanRequest { predicate, tests, kept: asked.kept, ..plain }, true)
}

/// Whether every number of one type is one of the other: a program may ask for the wider one.
pub fn widens(from: &DataType, to: &DataType) -> bool {
    let width = |data: &DataType| match data {
        DataType::Int8 => Some((8, true)),
        DataType::Int16 => Some((16, true)),
        DataType::Int32 => Some((32, true)),
        DataType::Int64 => Some((64, true)),
        DataType::UInt8 => Some((8, false)),
        DataType::UInt16 => Some((16, false)),
        DataType::UInt32 => Some((32, false)),
        DataType::UInt64 => Some((64, false)),
        _ => None,
    };
    match (width(from), width(to)) {
        (Some((from, signed)), Some((to, also))) => from < to && (signed == also || also),
        _ => false,
    }
}

fn missing_column(source: &str, column: &str, schema: &arrow::datatypes::Schema) -> Failure {
    let names: Vec<String> = schema.fields().iter().map(|f| format!("`{}`", f.name())).collect();
    Failure::Program(format!("source `{source}` has no column `{column}`: it has {}", names.join(", ")))
}
