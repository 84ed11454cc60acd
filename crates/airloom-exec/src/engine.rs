//! The engine: threads and memory, and plans that run with them.

mod output;

use crate::blocks::{Executable, Relations, Runner};
use crate::build::{Builder, Sources, TableSource, Trace, native_code, planned_partitions};
use crate::exchange;
use crate::options::ExecOptions;
use crate::run::{Catalog, Run, Schedule, Source, compute_inline};
pub use crate::schedule::panic_text;
use crate::schedule::{LOOK, Process, try_hold};
use airloom_compute::body::Compiler;
use airloom_compute::data::critical_path::{CriticalPath, followed};
use airloom_compute::data::{Datum, Failure, Native, Relation, RunContext};
use airloom_io::failure::from_datafusion;
use airloom_io::metrics::Watched;
use airloom_io::sql::{SqlSource, text_of};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::types::{Ty, TyId};
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::stage::Stage;
use airloom_plan::explain::{Counts, Known, NativeCode, Partition, PhysicalPlan, explain};
use airloom_plan::lower::{Catalog as QueryCatalog, lower};
use airloom_plan::value::{BlockId, Kind, Plan, PlanId, Query, Scan, StepKind};
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use tracing::{Instrument, debug_span, info_span};

/// Runs programs. It holds nothing of a run, and may do several at once: they share its threads and its memory budget.
pub struct Engine {
    options: ExecOptions,
    compiler: Option<Arc<dyn Compiler>>,
    process: Mutex<Option<Arc<Process>>>,
}

/// The stages of rules that make a program better for the engine. Loops are fused where a program is of arrays alone: the reductions of groups and windows are
/// brought up to date batch by batch, which a loop over all elements of a group is not.
pub fn stages(graph: &Graph) -> Vec<Stage> {
    let relations = graph.ids().any(|id| matches!(graph.op(id), Op::Relation(_)));
    Stage::ALL.into_iter().filter(|&stage| stage != Stage::Fuse || !relations).collect()
}

impl Engine {
    /// An engine; its threads start with its first run.
    pub fn new(options: ExecOptions) -> Result<Engine, Failure> {
        options.check().map_err(Failure::Program)?;
        Ok(Engine { options, compiler: None, process: Mutex::new(None) })
    }

    /// An engine that asks a compiler for kernels of the bodies of its plans.
    pub fn with_compiler(self, compiler: Arc<dyn Compiler>) -> Engine {
        Engine { compiler: Some(compiler), ..self }
    }

    /// How it runs.
    pub fn options(&self) -> &ExecOptions {
        &self.options
    }

    /// The plan of a function of a program over these sources. Nothing is computed and no source is read.
    pub fn lower(&self, graph: &Arc<Graph>, function: NodeId, statistics: Statistics, sources: &Catalog) -> Result<Plan, Failure> {
        let _entered = debug_span!("plan").entered();
        caught(|| Ok(lower(graph, function, &mut Facts::new(statistics), &Databases { sources })))
    }

    /// A plan made ready to run, as often as it is asked for.
    pub fn executable(&self, plan: Plan) -> Arc<Executable> {
        Arc::new(Executable::new(plan, self.compiler.clone()))
    }

    /// The result of a function of a program for these arguments.
    pub fn run(
        &self,
        graph: impl Into<Arc<Graph>>,
        function: NodeId,
        args: &[Datum],
        statistics: Statistics,
        run: &Run,
    ) -> Result<Datum, Failure> {
        let plan = self.lower(&graph.into(), function, statistics, &run.sources)?;
        self.execute(&self.executable(plan), args, run, None)
    }

    /// The result of a plan for these arguments. The operators are recorded in `trace`.
    pub fn execute(&self, plan: &Arc<Executable>, args: &[Datum], run: &Run, trace: Option<&Trace>) -> Result<Datum, Failure> {
        let mut options = self.options.clone();
        if run.schedule == Schedule::Inline {
            options.threads = 1;
        }
        let context = Arc::new(RunContext::new(run.host.clone(), run.cancel.clone(), options.steps, options.native));
        let options = Arc::new(options);
        let running = Running { process: self.process()?, run, plan, context: &context, options: &options, trace };
        let result = caught(|| Runner::new(plan, &context, options.threads, &running).call(BlockId::new(0), args))?;
        self.deliver(result, run)
    }

    /// The result of a plan for these arguments, and what its nodes did.
    pub fn analyze(&self, plan: &Arc<Executable>, args: &[Datum], run: &Run) -> Result<(Datum, PhysicalPlan), Failure> {
        let trace = Trace::default();
        let result = self.execute(plan, args, run, Some(&trace))?;
        let described = explain(
            plan,
            &Described {
                plan,
                sources: &run.sources,
                options: &self.options,
                compiler: self.compiler.as_deref(),
                ran: Some(Ran { counts: trace.counts(plan), partitions: trace.partitions() }),
            },
        );
        Ok((result, PhysicalPlan { span: Some(trace.span()), ..described }))
    }

    /// A plan for people. Nothing is computed and no source is read.
    pub fn describe(&self, plan: &Plan, sources: &Catalog) -> PhysicalPlan {
        explain(plan, &Described { plan, sources, options: &self.options, compiler: self.compiler.as_deref(), ran: None })
    }

    /// What it has in this process; a forked one begins anew.
    fn process(&self) -> Result<Arc<Process>, Failure> {
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

fn context(process: &Process, options: &ExecOptions, watched: bool) -> Arc<TaskContext> {
    let mut config = SessionConfig::new().with_batch_size(options.morsel_rows).with_target_partitions(options.threads);
    if watched {
        config = config.with_extension(Arc::new(Watched));
    }
    let environment = process.environment().clone();
    let (scalars, higher_order, aggregates, windows) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
    Arc::new(TaskContext::new(None, "airloom".into(), config, scalars, higher_order, aggregates, windows, environment))
}

/// Does something in which a panic is a failure.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::Bug(panic_text(payload.as_ref()))))
}

/// The databases among the sources, which compute what their SQL says exactly.
struct Databases<'a> {
    sources: &'a Catalog,
}

impl QueryCatalog for Databases<'_> {
    fn query(&self, graph: &Graph, relation: NodeId) -> Option<Query> {
        let table = |name: &str| match self.sources.get(name)? {
            Source::Table(table) => table.clone().sql(),
            Source::Datum(_) => None,
        };
        let said = text_of(graph, relation, &|name| table(name).map(|table| table as Arc<dyn SqlSource>))?;
        let parameters = said.parameters.into_iter().map(|parameter| parameter.0).collect();
        Some(Query { sources: said.sources, text: said.text, parameters })
    }
}

/// What is known of a plan besides itself.
struct Described<'a> {
    plan: &'a Plan,
    sources: &'a Catalog,
    options: &'a ExecOptions,
    compiler: Option<&'a dyn Compiler>,
    /// Where it has run.
    ran: Option<Ran>,
}

/// What nodes of a plan did in a run.
struct Ran {
    counts: BTreeMap<PlanId, Counts>,
    /// What each partition of a scan read.
    partitions: BTreeMap<PlanId, Vec<Partition>>,
}

impl Described<'_> {
    /// What the partitions of a scan would read, before its filter rules any of it out.
    fn planned(&self, scan: &Scan) -> Option<Vec<Partition>> {
        let (Source::Table(table), Ty::Rel(fields)) = (self.sources.get(&scan.source)?, self.plan.graph.types().get(scan.ty)) else {
            return None;
        };
        let schema = table.schema();
        let names: Vec<_> = fields.names().collect();
        let columns = scan.reads.iter().map(|&at| schema.index_of(names.get(at)?.as_str()).ok()).collect::<Option<Vec<usize>>>()?;
        planned_partitions(table, columns, self.options)
    }
}

impl Known for Described<'_> {
    fn source(&self, name: &str) -> Option<String> {
        match self.sources.get(name)? {
            Source::Table(table) => Some(table.kind().to_string()),
            Source::Datum(_) => Some("memory".into()),
        }
    }

    fn counts(&self, id: PlanId) -> Option<Counts> {
        self.ran.as_ref()?.counts.get(&id).copied()
    }

    fn partitions(&self, id: PlanId) -> Vec<Partition> {
        let partitions = match (&self.ran, &self.plan.node(id).kind) {
            (Some(ran), _) => ran.partitions.get(&id).cloned(),
            (None, Kind::Scan(scan)) => self.planned(scan),
            _ => None,
        };
        partitions.unwrap_or_default()
    }

    fn native(&self, id: PlanId) -> Option<NativeCode> {
        let compiler = self.compiler.filter(|_| self.options.native != Native::Off)?;
        native_code(self.plan, id, compiler)
    }
}

/// One run: what a plan sees of the engine.
struct Running<'a> {
    process: Arc<Process>,
    run: &'a Run,
    plan: &'a Arc<Executable>,
    context: &'a Arc<RunContext>,
    options: &'a Arc<ExecOptions>,
    trace: Option<&'a Trace>,
}

impl Running<'_> {
    fn named(&self, name: &str) -> Result<&Source, Failure> {
        self.run.sources.get(name).ok_or_else(|| Failure::Program(format!("there is no source `{name}`")))
    }
}

impl Sources for Running<'_> {
    fn table(&self, name: &str) -> Result<TableSource, Failure> {
        Ok(match self.named(name)? {
            Source::Table(table) => TableSource::Table(table.clone()),
            Source::Datum(Datum::Table(relation)) => TableSource::Rows(relation.clone()),
            Source::Datum(_) => TableSource::Other,
        })
    }
}

impl Relations for Running<'_> {
    fn rows(&self, block: BlockId, slots: &[Datum], root: PlanId) -> Result<Relation, Failure> {
        let (operator, operators) = Builder::new(self.plan, block, slots, self.context, self.options, self).build(root)?;
        if let Some(trace) = self.trace {
            trace.add(operators);
        }
        if let Some(output) = self.run.output.as_ref().filter(|_| self.is_streamed(block, slots, root)) {
            let (schema, context) = (operator.schema(), context(&self.process, self.options, self.trace.is_some()));
            output::stream(output, operator, &self.process, self.options.threads, context, &self.run.cancel)?;
            return Ok(Relation { schema, batches: Arc::default() });
        }
        self.collect(operator)
    }

    fn source(&self, name: &str, ty: TyId) -> Result<Datum, Failure> {
        match self.named(name)? {
            Source::Datum(datum) => Ok(datum.clone()),
            Source::Table(_) => {
                Err(Failure::Program(format!("source `{name}` is a relation, expected `{}`", self.plan.graph.types().show(ty))))
            }
        }
    }
}

impl Running<'_> {
    /// Whether rows are the result, and nothing else of the program reads them: then they need not be held.
    fn is_streamed(&self, block: BlockId, filled: &[Datum], root: PlanId) -> bool {
        let main = self.plan.block(BlockId::new(0));
        let last = matches!(main.steps.last(), Some(step) if matches!(step.kind, StepKind::Relation(id) if id == root));
        let result = main.result.index() == filled.len() && main.slots.len() == filled.len() + 1;
        self.run.schedule == Schedule::Pool && block == BlockId::new(0) && last && result
    }

    /// Adds to the critical path of a run that is watched.
    fn follow(&self, path: Option<&CriticalPath>) {
        if let (Some(trace), Some(path)) = (self.trace, path) {
            trace.follow(path);
        }
    }

    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure> {
        let schema = plan.schema();
        let (context, cancel) = (context(&self.process, self.options, self.trace.is_some()), self.run.cancel.clone());
        let begun = self.trace.map(|_| CriticalPath::default());
        let span = info_span!("execute", plan = plan.name(), partitions = plan.output_partitioning().partition_count());
        if self.run.schedule == Schedule::Inline {
            let (rows, path) = compute_inline(followed(begun, exchange::collect(&plan, &context)).instrument(span))?;
            self.follow(path.as_ref());
            let rows = rows.map_err(|error| from_datafusion(&error))?;
            return Ok(Relation { schema, batches: rows.into() });
        }
        let runtime = self.process.threads(self.options.threads)?;
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = async move {
            let rows = followed(begun, exchange::collect(&plan, &context)).await;
            sender.send(rows).ok();
        };
        let mut work = AbortOnDrop(runtime.spawn(work.instrument(span)));
        // This thread keeps the time itself: while all the others compute, none of them would wake it.
        let rows = loop {
            match receiver.recv_timeout(LOOK) {
                Ok((rows, path)) => {
                    self.follow(path.as_ref());
                    break rows.map_err(|error| from_datafusion(&error))?;
                }
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

/// A task that ends with whoever waits for it.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
