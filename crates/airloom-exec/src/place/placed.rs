//! A placed program: its parts, and their run.

use super::ask::assignment;
use super::backend::{Backend, Compiled, Refused};
use super::fits::fits;
use super::regions::{Assignment, Regions};
use super::write::{Written, write};
use crate::blocks::Executable;
use crate::engine::Engine;
use crate::run::Run;
use airloom_compute::data::{Datum, Failure};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Module;
use airloom_ir::text::print_function;
use airloom_opt::facts::Statistics;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What the engine is called beside the backends.
pub const ENGINE: &str = "engine";

/// A program in parts, each on its backend or on the engine. It holds no engine: the one that runs it is given with each run.
pub struct Placed {
    /// The program; made when it is first asked for, where its plan was bound to literals.
    program: OnceLock<Arc<Module>>,
    /// The program before it was bound.
    unbound: Option<Arc<Module>>,
    /// The graph of the program for the engine, copied when a part of its own first runs.
    graph: OnceLock<Arc<Graph>>,
    /// What is known of the sources that the program reads.
    statistics: Arc<Statistics>,
    arguments: usize,
    /// In the order they run. The last gives the result.
    parts: Vec<Part>,
    refused: Vec<Refused>,
}

/// A part of a program that one backend runs.
struct Part {
    /// The backend that runs it; `None` where the engine does.
    backend: Option<Arc<dyn Backend>>,
    function: NodeId,
    inputs: Vec<Input>,
    /// The parts that are not read after this one.
    frees: Vec<usize>,
    /// Whether its result is checked: the engine, and the oracle where it runs instead, give what they should.
    checked: bool,
    compiled: OnceLock<Arc<dyn Compiled>>,
    /// The engine's plan of it, where it is run by the engine.
    plan: OnceLock<Arc<Executable>>,
}

/// Where an input of a part comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// An argument of the program, by number from 0.
    Argument(usize),
    /// The result of an earlier part, by number from 0.
    Part(usize),
}

/// Cuts a function of a program into the largest parts that the backends support, those that come first being preferred. `rest` takes what is left, unasked; the
/// engine where there is none.
pub fn place(
    program: Arc<Module>,
    function: NodeId,
    backends: &[Arc<dyn Backend>],
    rest: Option<&Arc<dyn Backend>>,
    statistics: Statistics,
) -> Result<Placed, Failure> {
    let arguments = program.graph.params_of(function).len();
    let mut refused = Vec::new();
    let assignment = if backends.is_empty() { Assignment::new() } else { assignment(&program, function, backends, &mut refused)? };
    if assignment.is_empty() {
        let whole = Part::whole(function, arguments, rest.cloned(), OnceLock::new());
        return Ok(Placed::new(program, statistics, arguments, vec![whole], refused));
    }
    let mut module = Arc::unwrap_or_clone(program);
    let cut = Regions::new(&module.graph, module.graph.result_of(function), &assignment);
    let written = write(&mut module, function, &cut, &assignment);
    let written = written.map_err(|error| Failure::Bug(format!("invariant `a part of a program is one`: {error}")))?;
    let mut last_readers: Vec<usize> = vec![0; written.len()];
    for (number, part) in written.iter().enumerate() {
        part.read().for_each(|read| last_readers[read] = number);
    }
    let part = |(number, part): (usize, Written)| Part {
        backend: part.taker.map(|taker| &backends[taker]).or(rest).cloned(),
        function: part.function,
        frees: part.read().filter(|&read| last_readers[read] == number).collect(),
        checked: part.taker.is_some(),
        compiled: OnceLock::new(),
        plan: OnceLock::new(),
        inputs: part.inputs,
    };
    let parts = written.into_iter().enumerate().map(part).collect();
    Ok(Placed::new(Arc::new(module), statistics, arguments, parts, refused))
}

impl Placed {
    fn new(program: Arc<Module>, statistics: Statistics, arguments: usize, parts: Vec<Part>, refused: Vec<Refused>) -> Placed {
        let (program, statistics) = (OnceLock::from(program), Arc::new(statistics));
        Placed { program, unbound: None, graph: OnceLock::new(), statistics, arguments, parts, refused }
    }

    /// The whole of a program on the engine, by a plan that was bound to literals; `unbound` is the program before that.
    pub fn bound(unbound: Arc<Module>, function: NodeId, statistics: Arc<Statistics>, plan: Arc<Executable>) -> Placed {
        let arguments = plan.graph.params_of(function).len();
        let (graph, whole) = (OnceLock::from(plan.graph.clone()), Part::whole(function, arguments, None, OnceLock::from(plan)));
        Placed { program: OnceLock::new(), unbound: Some(unbound), graph, statistics, arguments, parts: vec![whole], refused: Vec::new() }
    }

    /// The program: with the functions of its parts, where there are several.
    pub fn program(&self) -> &Arc<Module> {
        self.program.get_or_init(|| {
            let unbound = self.unbound.as_ref().expect("invariant `a program is there, or is bound`");
            let (functions, locations, hints) = (unbound.functions.clone(), unbound.locations.clone(), unbound.hints.clone());
            Arc::new(Module { graph: Graph::clone(self.graph()), functions, locations, hints })
        })
    }

    /// The graph of the program, as the engine holds it.
    pub fn graph(&self) -> &Arc<Graph> {
        self.graph.get_or_init(|| Arc::new(self.program().graph.clone()))
    }

    /// What is known of the sources that the program reads.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What backends did not take, and why.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The engine's plan of the whole program, as if there were no other backends.
    pub fn plan(&self, function: NodeId, engine: &Engine, run: &Run) -> Result<Arc<Executable>, Failure> {
        match self.parts.as_slice() {
            [part] if part.backend.is_none() => self.plan_of(part, engine, run),
            _ => {
                engine.lower(self.graph(), function, Statistics::clone(&self.statistics), &run.sources).map(|plan| engine.executable(plan))
            }
        }
    }

    /// The plan of a part of the engine's, made when it is first asked for. What a database computes depends on its tables: such a plan is made for each run.
    fn plan_of(&self, part: &Part, engine: &Engine, run: &Run) -> Result<Arc<Executable>, Failure> {
        if let Some(plan) = part.plan.get() {
            return Ok(plan.clone());
        }
        let plan = engine.executable(engine.lower(self.graph(), part.function, Statistics::clone(&self.statistics), &run.sources)?);
        Ok(if run.sources.has_database() { plan } else { part.plan.get_or_init(|| plan).clone() })
    }

    /// The result for these arguments. Every part is made ready before the first one runs.
    pub fn run(&self, args: &[Datum], engine: &Engine, run: &Run) -> Result<Datum, Failure> {
        if args.len() != self.arguments {
            return Err(Failure::Program(format!("the function takes {} arguments, found {}", self.arguments, args.len())));
        }
        if let [part] = self.parts.as_slice()
            && part.backend.is_none()
        {
            return engine.execute(&self.plan_of(part, engine, run)?, args, run, None);
        }
        let ready = self.parts.iter().map(|part| part.ready(self.program())).collect::<Result<Vec<_>, Failure>>()?;
        let (mut made, held): (Vec<Option<Datum>>, Run) = (Vec::with_capacity(self.parts.len()), run.held());
        for (part, compiled) in self.parts.iter().zip(ready) {
            run.cancel.check()?;
            let input = |input: &Input| match *input {
                Input::Argument(number) => args[number].clone(),
                Input::Part(number) => made[number].clone().expect("invariant `a part is kept while somebody reads it`"),
            };
            let inputs: Vec<Datum> = part.inputs.iter().map(input).collect();
            // With no other reference left, the last reader can use it up.
            part.frees.iter().for_each(|&number| made[number] = None);
            let datum = match compiled {
                Some(compiled) => compiled.run(inputs, &held)?,
                None => engine.execute(&self.plan_of(part, engine, run)?, &inputs, &held, None)?,
            };
            part.check(self.program(), &datum)?;
            made.push(Some(datum));
        }
        engine.deliver(made.pop().flatten().expect("a program has a part"), run)
    }
}

impl Part {
    /// The whole of a function.
    fn whole(function: NodeId, arguments: usize, backend: Option<Arc<dyn Backend>>, plan: OnceLock<Arc<Executable>>) -> Part {
        let inputs = (0..arguments).map(Input::Argument).collect();
        Part { backend, function, inputs, frees: Vec::new(), checked: false, compiled: OnceLock::new(), plan }
    }

    /// The name of who runs it.
    fn backend(&self) -> &str {
        self.backend.as_ref().map_or(ENGINE, |backend| backend.name())
    }

    /// What its backend has made of it; nothing where the engine runs it, which makes its plan when it runs: that depends on the data.
    fn ready(&self, program: &Arc<Module>) -> Result<Option<&Arc<dyn Compiled>>, Failure> {
        let Some(backend) = &self.backend else { return Ok(None) };
        if let Some(compiled) = self.compiled.get() {
            return Ok(Some(compiled));
        }
        let compiled = backend.compile(program, self.function)?;
        Ok(Some(self.compiled.get_or_init(|| compiled)))
    }

    fn check(&self, program: &Module, datum: &Datum) -> Result<(), Failure> {
        let graph = &program.graph;
        let ty = graph.ty_id(graph.result_of(self.function));
        if !self.checked || fits(graph.types(), ty, datum) {
            return Ok(());
        }
        let (name, expected) = (self.backend(), graph.types().show(ty));
        Err(Failure::Program(format!("backend `{name}` gave what is not in the physical form of `{expected}`")))
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.parts.iter().enumerate() {
            let text = print_function(&self.program().graph, &self.program().hints, &format!("part_{}", number + 1), part.function);
            write!(f, "on `{}`:\n\n{text}\n", part.backend())?;
        }
        self.refused.iter().try_for_each(|refused| writeln!(f, "{refused}"))
    }
}
