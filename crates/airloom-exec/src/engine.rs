//! The engine: threads and memory, and programs that run with them.

use crate::data::Datum;
use crate::eval::{Evaluator, World};
use crate::explain::{Watch, missing};
use crate::operators;
use crate::plan::{Planned, Wanted};
use crate::relation::Relation;
use crate::run::{Cancel, Catalog, Error, LOOK, NoHost, Options, Process, Run, Schedule, Shared, Source, compute_inline, try_hold};
use crate::sink::{SinkError, Target, Written};
use crate::source::sql::{SqlHandle, query_of};
use crate::source::{Scan, ScanRequest};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::{Ty, TyId};
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::stage::Stage;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_physical_expr::utils::collect_columns;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use tracing::{Instrument, info_span};

/// Runs programs. It holds nothing of a run, and may do several at once: they share its threads and its memory budget.
pub struct Engine {
    options: Options,
    process: Mutex<Option<Arc<Process>>>,
}

/// The stages of rules that make a program better for the engine: all but the last, which makes loops of maps for a compiler of loops. The engine computes
/// maps over whole columns.
pub fn stages() -> Vec<Stage> {
    Stage::ALL.into_iter().filter(|&stage| stage != Stage::Fuse).collect()
}

/// How many steps loops may take where nothing is computed: they would go by rows that are not there.
const STEPS_WITHOUT_ROWS: u64 = 100_000;

impl Engine {
    /// An engine; its threads start with its first run.
    pub fn new(options: Options) -> Result<Engine, Error> {
        options.check().map_err(Error::Program)?;
        Ok(Engine { options, process: Mutex::new(None) })
    }

    /// How it runs.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The result of a function of a program for these arguments.
    pub fn run(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        run: &Run,
    ) -> Result<Datum, Error> {
        self.evaluate(graph.into(), function, args, statistics, run, None)
    }

    /// As [`Engine::run`], for somebody who watches. Where nothing is computed, the host is not asked and loops end soon.
    pub(crate) fn evaluate(
        &self,
        graph: Arc<Graph>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        run: &Run,
        watch: Option<Arc<Watch>>,
    ) -> Result<Datum, Error> {
        let (mut host, mut options) = (run.host.clone(), self.options.clone());
        if watch.as_ref().is_some_and(|watch| watch.dry) {
            (host, options.steps) = (Arc::new(NoHost), STEPS_WITHOUT_ROWS);
        }
        if run.schedule == Schedule::Inline {
            options.threads = 1;
        }
        let shared = Arc::new(Shared::new(graph, host, run.cancel.clone(), options, watch));
        let world = Running { process: self.process()?, sources: &run.sources, schedule: run.schedule, shared: shared.clone() };
        let run = || Evaluator::new(&shared, &world, Facts::new(statistics)).call(function, args);
        std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| Err(Error::Broken(panic_text(payload.as_ref()))))
    }

    /// Writes the rows of a relation: all of them, or nothing.
    pub fn write(&self, relation: &Relation, target: &Target, cancel: &Cancel) -> Result<Written, Error> {
        let rows = operators::batches(&relation.schema, &relation.batches, self.options.threads, self.options.morsel_rows);
        let process = self.process()?;
        let (runtime, context) = (process.threads(self.options.threads)?, context(&process, &self.options, None));
        let span = info_span!("write", url = target.url, rows = relation.rows());
        let written = runtime.block_on(
            async {
                let mut writing = Box::pin(crate::sink::write(rows, context, target));
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
            None => Err(Error::Cancelled),
            Some(Ok(written)) => Ok(written),
            Some(Err(SinkError::Plan(error))) => Err((*error).into()),
            Some(Err(SinkError::Sink(error))) => Err(error.into()),
        }
    }

    /// What it has in this process; a forked one begins anew.
    fn process(&self) -> Result<Arc<Process>, Error> {
        // Where a thread that the fork left behind has the lock, this run has threads and memory of its own.
        let Some(mut held) = try_hold(&self.process) else { return Ok(Arc::new(Process::new(&self.options)?)) };
        if let Some(process) = held.as_ref().filter(|process| process.is_own()) {
            return Ok(process.clone());
        }
        let process = Arc::new(Process::new(&self.options)?);
        *held = Some(process.clone());
        Ok(process)
    }
}

fn context(process: &Process, options: &Options, watch: Option<&Arc<Watch>>) -> Arc<TaskContext> {
    let mut config = SessionConfig::new().with_batch_size(options.morsel_rows).with_target_partitions(options.threads);
    if watch.is_some() {
        config = config.with_extension(Arc::new(operators::Watched));
    }
    let environment = process.environment().clone();
    let (scalars, higher_order, aggregates, windows) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
    Arc::new(TaskContext::new(None, "airloom".into(), config, scalars, higher_order, aggregates, windows, environment))
}

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".into())
}

/// One run: what a program sees of the engine.
struct Running<'a> {
    process: Arc<Process>,
    sources: &'a Catalog,
    schedule: Schedule,
    shared: Arc<Shared>,
}

impl Running<'_> {
    fn source(&self, name: &str) -> Result<&Source, Error> {
        self.sources.get(name).ok_or_else(|| Error::Program(format!("there is no source `{name}`")))
    }
}

impl World for Running<'_> {
    fn scan(&self, shared: &Arc<Shared>, node: NodeId, asked: Wanted) -> Result<Scan, Error> {
        let graph = &shared.graph;
        let (Some(view), Ty::Rel(fields)) = (graph.as_source(node), graph.ty(node)) else {
            return Err(Error::Broken("invariant `only sources are scanned`".into()));
        };
        let name = view.name.as_str();
        let wanted = crate::data::schema_of(graph.types(), fields);
        let dry = shared.watch.as_ref().is_some_and(|watch| watch.dry);
        let source = match self.source(name) {
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
                        return Err(Error::Program(format!("column `{column}` of source `{name}` is `{found}`, expected `{expected}`")));
                    }
                    places.push(place);
                    fields.push(field.clone());
                }
                let plain = ScanRequest::of(places, self.shared.options.threads, self.shared.options.morsel_rows);
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
                let places: Result<Vec<usize>, Error> = asked
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
                    operators::batches(&schema, &batches, self.shared.options.threads, self.shared.options.morsel_rows),
                    asked.columns,
                    1,
                );
                Ok(Scan { plan: planned.seal(&self.shared), filtered: false, tested: false })
            }
            Source::Datum(_) => {
                Err(Error::Program(format!("the data of source `{name}` is not of its type `{}`", graph.types().show(graph.ty_id(node)))))
            }
        }
    }

    fn query(&self, shared: &Arc<Shared>, node: NodeId) -> Option<Arc<dyn ExecutionPlan>> {
        let table = |name: &str| match self.source(name) {
            Ok(Source::Table(table)) => table.clone().sql().map(|table| SqlHandle { table }),
            _ => None,
        };
        Some(query_of(&shared.graph, node, &table)?.scan(self.shared.options.morsel_rows).plan)
    }

    fn datum(&self, name: &str, ty: TyId) -> Result<Datum, Error> {
        match self.source(name)? {
            Source::Datum(datum) => Ok(datum.clone()),
            Source::Table(_) => {
                Err(Error::Program(format!("source `{name}` is a relation, expected `{}`", self.shared.graph.types().show(ty))))
            }
        }
    }

    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Error> {
        let (schema, watch) = (plan.schema(), self.shared.watch.as_ref());
        if let Some(watch) = watch {
            watch.plan(&plan);
            if watch.dry {
                return Ok(Relation { schema, batches: Arc::from([]) });
            }
        }
        let (context, cancel) = (context(&self.process, &self.shared.options, watch), self.shared.cancel.clone());
        let span = info_span!("execute", plan = plan.name(), partitions = plan.output_partitioning().partition_count());
        if self.schedule == Schedule::Inline {
            let rows = compute_inline(operators::collect(&plan, &context).instrument(span))??;
            return Ok(Relation { schema, batches: rows.into() });
        }
        let runtime = self.process.threads(self.shared.options.threads)?;
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = async move {
            let rows = operators::collect(&plan, &context).await;
            sender.send(rows).ok();
        };
        let mut work = AbortOnDrop(runtime.spawn(work.instrument(span)));
        // This thread keeps the time itself: while all the others compute, none of them would wake it.
        let rows = loop {
            match receiver.recv_timeout(LOOK) {
                Ok(rows) => break rows?,
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(Error::Cancelled),
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(match runtime.block_on(&mut work.0) {
                        Err(joined) if joined.is_panic() => Error::Broken(panic_text(joined.into_panic().as_ref())),
                        Err(joined) => Error::Broken(joined.to_string()),
                        Ok(()) => Error::Broken("invariant `work that ends says what it found`".into()),
                    });
                }
            }
        };
        Ok(Relation { schema, batches: rows.into() })
    }
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

fn missing_column(source: &str, column: &str, schema: &arrow::datatypes::Schema) -> Error {
    let names: Vec<String> = schema.fields().iter().map(|f| format!("`{}`", f.name())).collect();
    Error::Program(format!("source `{source}` has no column `{column}`: it has {}", names.join(", ")))
}
