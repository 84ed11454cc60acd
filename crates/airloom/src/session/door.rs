//! The one door: programs and frames in, answers and explanations out.

use super::error::Error;
use super::options::SessionOptions;
use super::part::part;
use super::plans::{Plan, PlanCounts, Plans};
use super::sources::Sources;
use airloom_compute::data::{Cancel, Datum, Host, Relation};
use airloom_exec::engine::Engine;
use airloom_exec::place::{Backend, Refused};
use airloom_io::sink::{Target, Written};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::text;
use airloom_ir::value::Value;
use airloom_opt::registry::Registry;
use airloom_opt::rule::Rule;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use tracing::field::Empty;
use tracing::info_span;

/// Sources, threads and memory, and the programs that run with them. Its clones are the same session, and may run at once on several threads.
///
/// ```
/// use airloom::{Session, SessionOptions};
/// use airloom_ir::value::Value;
///
/// let session = Session::new(SessionOptions::from_environment()?)?;
/// let module = session.parse("func @twice(x: i64) -> i64 { return add(x, mul(x, 1)) }", None)?;
/// assert_eq!(session.run(&module, "twice", &[Value::int(21)])?, Value::int(42));
/// # Ok::<(), airloom::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    pub(crate) inner: Arc<Inner>,
}

/// What the clones of a session share.
pub(crate) struct Inner {
    pub(super) options: SessionOptions,
    pub(super) engine: Arc<Engine>,
    /// The rules, and how often they were changed.
    registry: RwLock<(u64, Arc<Registry>)>,
    /// What is asked to run parts of programs before the engine does, in order.
    pub(super) backends: RwLock<Vec<Arc<dyn Backend>>>,
    /// What they refused of the program that ran last.
    pub(super) refused: Mutex<Vec<Refused>>,
    pub(super) sources: Mutex<Sources>,
    pub(super) plans: Mutex<Plans>,
    pub(super) fallbacks: Mutex<Vec<String>>,
}

/// What a lock guards, whatever became of who held it before: all of it is whole between two statements.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(super) fn registry(&self) -> (u64, Arc<Registry>) {
        self.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The standard rules, which are many and the same for every session.
fn standard() -> Arc<Registry> {
    static STANDARD: OnceLock<Arc<Registry>> = OnceLock::new();
    STANDARD.get_or_init(|| Arc::new(Registry::standard())).clone()
}

impl Session {
    /// A session; its threads start with its first run.
    pub fn new(options: SessionOptions) -> Result<Session, Error> {
        let engine = Engine::new(options.check()?).map_err(|error| Error::World(error.to_string()))?;
        let inner = Inner {
            plans: Mutex::new(Plans::new(options.plans)),
            options,
            engine: Arc::new(engine),
            registry: RwLock::new((0, standard())),
            backends: RwLock::default(),
            refused: Mutex::default(),
            sources: Mutex::default(),
            fallbacks: Mutex::default(),
        };
        Ok(Session { inner: Arc::new(inner) })
    }

    /// How it works.
    pub fn options(&self) -> &SessionOptions {
        &self.inner.options
    }

    /// Adds a rule to those that programs are optimised with.
    ///
    /// ```
    /// use airloom::{Session, SessionOptions};
    /// use airloom_opt::{rule::Rule, stage::Stage};
    ///
    /// let session = Session::new(SessionOptions::from_environment()?)?;
    /// let doc = "A text once is that text.";
    /// let rule = Rule::text(Stage::Simplify, "repeat-once-more", doc, "str.repeat(?s:text!, 1)", "?s", None).unwrap();
    /// session.add_rule(rule.clone())?;
    /// assert!(session.add_rule(rule).is_err(), "there is one of this name now");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn add_rule(&self, rule: Rule) -> Result<(), Error> {
        let mut held = self.inner.registry.write().unwrap_or_else(PoisonError::into_inner);
        let mut registry = Registry::clone(&held.1);
        registry.add(rule).map_err(|error| Error::Program(error.to_string()))?;
        *held = (held.0 + 1, Arc::new(registry));
        Ok(())
    }

    /// Gives programs the functions of the host that `host.call` names.
    pub fn set_host(&self, host: Arc<dyn Host>) {
        self.inner.engine.set_host(host);
    }

    /// The program of a text; `file` is what errors call it.
    pub fn parse(&self, program: &str, file: Option<&str>) -> Result<Module, Error> {
        text::parse_file(program, file.map(Into::into)).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Error::Program(lines.join("\n"))
        })
    }

    /// The result of a function of a program for plain values.
    pub fn run(&self, module: &Module, function: &str, args: &[Value]) -> Result<Value, Error> {
        let lambda = found(module, function)?;
        let params = module.graph.params_of(lambda);
        if params.len() != args.len() {
            let (expected, found) = (params.len(), args.len());
            return Err(Error::Program(format!("`@{function}` takes {expected} arguments, found {found}")));
        }
        let types = module.graph.types();
        let mut scratch = module.graph.clone();
        for (at, (value, &ty)) in args.iter().zip(params).enumerate() {
            // A constant is refused where the value is not one of the type.
            if types.is_value(ty) && scratch.constant(value.clone(), ty).is_err() {
                return Err(Error::Program(format!("argument {at} of `@{function}` is not a value of `{}`", types.show(ty))));
            }
        }
        let args: Vec<Datum> = args.iter().zip(params).map(|(value, &ty)| Datum::from_value(types, ty, value)).collect();
        let (plan, datum) = self.compute(module, function, lambda, &args, &Cancel::default())?;
        let graph = &plan.placed.program().graph;
        Ok(datum.to_value(graph.types(), graph.ty_id(graph.result_of(plan.function))))
    }

    /// The result of a function of a program for data of the engine. It ends soon after `cancel` says so.
    pub fn call(&self, module: &Module, function: &str, args: &[Datum], cancel: &Cancel) -> Result<Datum, Error> {
        let lambda = found(module, function)?;
        self.compute(module, function, lambda, args, cancel).map(|(_, datum)| datum)
    }

    pub(super) fn compute(
        &self,
        module: &Module,
        name: &str,
        lambda: NodeId,
        args: &[Datum],
        cancel: &Cancel,
    ) -> Result<(Arc<Plan>, Datum), Error> {
        let program = part(module, name, lambda);
        let inner = &self.inner;
        let span = info_span!("run", function = name, cached = Empty).entered();
        let ran = inner.guarded(&program, || {
            let (plan, cached) = inner.prepare(&program)?;
            span.record("cached", cached);
            *locked(&inner.refused) = plan.placed.refused().to_vec();
            let ran = plan.placed.run(args, cancel);
            ran.map(|datum| (plan.clone(), datum)).map_err(|error| inner.told(error, plan.placed.program()))
        });
        // What is torn down on the way out may fail in ways of its own.
        ran.map_err(|error| if cancel.is_cancelled() { Error::Cancelled } else { error })
    }

    /// The rows of a function without parameters.
    pub(crate) fn rows(&self, module: &Module, name: &str, lambda: NodeId, cancel: &Cancel) -> Result<Relation, Error> {
        match self.compute(module, name, lambda, &[], cancel)?.1 {
            Datum::Table(relation) => Ok(relation),
            _ => Err(Error::broken("invariant `a frame is a relation`")),
        }
    }

    /// Writes rows: all of them, or nothing.
    pub(crate) fn write(&self, program: &Module, rows: &Relation, target: &Target, cancel: &Cancel) -> Result<Written, Error> {
        let inner = &self.inner;
        inner.guarded(program, || inner.engine.write(rows, target, cancel).map_err(|error| inner.told(error, program)))
    }

    /// How often plans were found and made.
    pub fn plans(&self) -> PlanCounts {
        locked(&self.inner.plans).counts()
    }

    /// What ran otherwise than it should have, and why: always empty where the session is strict.
    pub fn fallbacks(&self) -> Vec<String> {
        locked(&self.inner.fallbacks).clone()
    }
}

pub(super) fn found(module: &Module, function: &str) -> Result<NodeId, Error> {
    module.function(function).ok_or_else(|| {
        let known: Vec<String> = module.functions.iter().map(|f| format!("`@{}`", f.name)).collect();
        Error::Program(format!("there is no function `@{function}`; there are: {}", known.join(", ")))
    })
}
