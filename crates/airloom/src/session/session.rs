//! The session itself: what it is made of, and the short ways to run a program.

use super::error::Error;
use super::options::SessionOptions;
use super::part::part;
use super::plans::{PlanCounts, Plans};
use super::prepared::{Bindings, Prepared, RunOptions};
use super::rules::Rules;
use super::sources::Sources;
use crate::backend::{Backend, Refused};
use crate::data::{Datum, Relation};
use crate::host::{Host, NoHost};
use crate::sink::{Target, Written};
use airloom_compute::body::Compiler;
use airloom_compute::data::{Cancel, Native};
use airloom_exec::engine::Engine;
use airloom_exec::run::Output;
use airloom_exec::schedule::try_hold;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::text;
use airloom_ir::value::Value;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// Sources, threads and memory, and the programs that run with them. Its clones are the same session, and may run at once on several threads.
///
/// ```
/// use airloom::{Session, SessionOptions};
/// use airloom::ir::value::Value;
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
    pub(crate) common: Arc<Common>,
}

/// What a session shares with those that differ from it in their options.
pub(crate) struct Common {
    /// What compiles bodies.
    compiler: Option<Arc<dyn Compiler>>,
    pub(super) rules: RwLock<Rules>,
    /// What is asked to run parts of programs before the engine does, in order.
    pub(super) backends: RwLock<Vec<Arc<dyn Backend>>>,
    /// The functions that programs call where a run brings none of its own.
    host: RwLock<Arc<dyn Host>>,
    /// What backends refused of the program that ran last.
    pub(super) refused: Mutex<Vec<Refused>>,
    pub(super) sources: Mutex<Sources>,
    pub(super) plans: Mutex<Plans>,
    pub(super) fallbacks: Mutex<Vec<String>>,
}

/// An engine that runs as these options say.
fn engine(options: &SessionOptions, compiler: Option<&Arc<dyn Compiler>>) -> Result<Arc<Engine>, Error> {
    let wanted = options.check()?;
    if compiler.is_none() && matches!(options.native, Native::Always | Native::Verify) {
        let native = options.native.word();
        return Err(Error::Program(format!("`native` is `{native}`, expected `off` or `auto`: the `Session` has no compiler")));
    }
    let engine = Engine::new(wanted).map_err(|error| Error::Program(error.to_string()))?;
    Ok(Arc::new(match compiler {
        Some(compiler) => engine.with_compiler(compiler.clone()),
        None => engine,
    }))
}

/// What a lock guards, whatever became of who held it before: all of it is whole between two statements.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common {
    pub(super) fn host(&self) -> Arc<dyn Host> {
        self.host.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    /// A session; its threads start with its first run.
    pub fn new(options: SessionOptions) -> Result<Session, Error> {
        Session::begin(options, None)
    }

    /// A session that has bodies compiled, when the option `native` says.
    pub fn with_compiler(options: SessionOptions, compiler: Arc<dyn Compiler>) -> Result<Session, Error> {
        Session::begin(options, Some(compiler))
    }

    fn begin(options: SessionOptions, compiler: Option<Arc<dyn Compiler>>) -> Result<Session, Error> {
        let engine = engine(&options, compiler.as_ref())?;
        let common = Common {
            compiler,
            rules: RwLock::new(Rules::standard()),
            backends: RwLock::default(),
            host: RwLock::new(Arc::new(NoHost)),
            refused: Mutex::default(),
            sources: Mutex::default(),
            plans: Mutex::new(Plans::new(options.plans)),
            fallbacks: Mutex::default(),
        };
        Ok(Session { inner: Arc::new(Inner { options, engine, common: Arc::new(common) }) })
    }

    /// A session with other options, and with the same sources, rules, backends and plans. Where threads, memory and spilling are as they were, it has the same
    /// threads and the same memory budget too.
    ///
    /// ```
    /// use airloom::{Session, SessionOptions};
    ///
    /// let session = Session::new(SessionOptions { threads: 2, ..SessionOptions::from_environment()? })?;
    /// let alone = session.with_options(SessionOptions { threads: 1, ..session.options().clone() })?;
    /// let module = session.parse("func @one() -> i64 { return 1 }", None)?;
    /// session.run(&module, "one", &[])?;
    /// alone.run(&module, "one", &[])?;
    /// assert_eq!((alone.plans().misses, alone.plans().hits), (1, 1));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn with_options(&self, options: SessionOptions) -> Result<Session, Error> {
        let wanted = options.check()?;
        let engine = match *self.inner.engine.options() == wanted {
            true => self.inner.engine.clone(),
            false => engine(&options, self.inner.common.compiler.as_ref())?,
        };
        Ok(Session { inner: Arc::new(Inner { options, engine, common: self.inner.common.clone() }) })
    }

    /// How it works.
    pub fn options(&self) -> &SessionOptions {
        &self.inner.options
    }

    /// Gives programs the functions of the host that `host.call` names, where a run brings none of its own.
    pub fn set_host(&self, host: Arc<dyn Host>) {
        *self.inner.common.host.write().unwrap_or_else(PoisonError::into_inner) = host;
    }

    /// The program of a text; `file` is what errors call it.
    pub fn parse(&self, program: &str, file: Option<&str>) -> Result<Module, Error> {
        text::parse_file(program, file.map(Into::into)).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Error::Program(lines.join("\n"))
        })
    }

    /// A function of a program, ready to be given data.
    pub fn prepare(&self, module: &Module, function: &str) -> Result<Prepared, Error> {
        Ok(self.prepare_function(module, function, found(module, function)?))
    }

    /// As [`Session::prepare`], of a function that is known by its node.
    pub fn prepare_function(&self, module: &Module, name: &str, function: NodeId) -> Prepared {
        Prepared::new(self.clone(), part(module, name, function))
    }

    /// The result of a function of a program for plain values.
    pub fn run(&self, module: &Module, function: &str, args: &[Value]) -> Result<Value, Error> {
        let prepared = self.prepare(module, function)?;
        let graph = &prepared.program().graph;
        let params = graph.params_of(prepared.function());
        if params.len() != args.len() {
            let (expected, found) = (params.len(), args.len());
            return Err(Error::Program(format!("`@{function}` takes {expected} arguments, found {found}")));
        }
        let types = graph.types();
        let mut scratch = graph.clone();
        for (at, (value, &ty)) in args.iter().zip(params).enumerate() {
            // A constant is refused where the value is not one of the type.
            if types.is_value(ty) && scratch.constant(value.clone(), ty).is_err() {
                return Err(Error::Program(format!("argument {at} of `@{function}` is not a value of `{}`", types.show(ty))));
            }
        }
        let args = args.iter().zip(params).map(|(value, &ty)| Datum::from_value(types, ty, value)).collect();
        let datum = prepared.run(Bindings::new(args), &RunOptions::until(&Cancel::default()))?;
        Ok(datum.to_value(types, graph.ty_id(graph.result_of(prepared.function()))))
    }

    /// The result of a function of a program for data of the engine. It ends soon after `cancel` says so.
    pub fn call(&self, module: &Module, function: &str, args: &[Datum], cancel: &Cancel) -> Result<Datum, Error> {
        self.prepare(module, function)?.run(Bindings::new(args.to_vec()), &RunOptions::until(cancel))
    }

    /// The rows of a function without parameters.
    pub(crate) fn rows(&self, module: &Module, name: &str, lambda: NodeId, cancel: &Cancel) -> Result<Relation, Error> {
        match self.prepare_function(module, name, lambda).run(Bindings::new(Vec::new()), &RunOptions::until(cancel))? {
            Datum::Table(relation) => Ok(relation),
            _ => Err(Error::broken("invariant `a frame is a relation`")),
        }
    }

    /// Writes the rows of a function without parameters as they are computed: all of them, or nothing.
    pub(crate) fn write(&self, module: &Module, name: &str, lambda: NodeId, target: &Target, cancel: &Cancel) -> Result<Written, Error> {
        let output = Arc::new(Output::Files { target: target.clone(), written: OnceLock::new() });
        let options = RunOptions { output: Some(output.clone()), ..RunOptions::until(cancel) };
        self.prepare_function(module, name, lambda).run(Bindings::new(Vec::new()), &options)?;
        match output.as_ref() {
            Output::Files { written, .. } => written.get().cloned(),
            Output::Batches(_) => None,
        }
        .ok_or_else(|| Error::broken("invariant `what was run was written`"))
    }

    /// How often plans were found and made.
    pub fn plans(&self) -> PlanCounts {
        try_hold(&self.inner.common.plans).map_or(PlanCounts { hits: 0, misses: 0, kept: 0 }, |plans| plans.counts())
    }

    /// What ran otherwise than it should have, and why: always empty where the session is strict.
    pub fn fallbacks(&self) -> Vec<String> {
        locked(&self.inner.common.fallbacks).clone()
    }
}

fn found(module: &Module, function: &str) -> Result<NodeId, Error> {
    module.function(function).ok_or_else(|| {
        let known: Vec<String> = module.functions.iter().map(|f| format!("`@{}`", f.name)).collect();
        Error::Program(format!("there is no function `@{function}`; there are: {}", known.join(", ")))
    })
}
