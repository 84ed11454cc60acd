//! A placed program: its parts, and their run.

use super::ask::takers;
use super::backend::{Backend, Compiled, Refused};
use super::cut::{Cut, Takers};
use super::fits::fits;
use super::write::{Written, write};
use airloom_compute::data::{Cancel, Datum, Failure};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::text::print_function;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A program in parts, each on its backend.
pub struct Placed {
    program: Arc<Module>,
    arguments: usize,
    parts: Vec<Part>,
    refused: Vec<Refused>,
}

/// A part of a program that one backend runs.
pub struct Part {
    backend: Arc<dyn Backend>,
    function: NodeId,
    inputs: Vec<Input>,
    /// The parts that nobody reads after this one.
    frees: Vec<usize>,
    /// Whether what it gives is looked at: the engine's own is what it should be.
    checked: bool,
    compiled: OnceLock<Arc<dyn Compiled>>,
}

/// Where an input of a part comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// An argument of the program, by number from 0.
    Argument(usize),
    /// The result of an earlier part, by number from 0.
    Part(usize),
}

/// Cuts a function of a program into the largest parts that the backends support, those that come first being preferred; `rest` takes what is left, unasked.
pub fn place(program: Arc<Module>, function: NodeId, backends: &[Arc<dyn Backend>], rest: &Arc<dyn Backend>) -> Result<Placed, Failure> {
    let arguments = program.graph.params_of(function).len();
    let mut refused = Vec::new();
    let takers = if backends.is_empty() { Takers::new() } else { takers(&program, function, backends, &mut refused)? };
    if takers.is_empty() {
        let inputs = (0..arguments).map(Input::Argument).collect();
        let whole = Part { backend: rest.clone(), function, inputs, frees: Vec::new(), checked: false, compiled: OnceLock::new() };
        return Ok(Placed { program, arguments, parts: vec![whole], refused });
    }
    let mut module = Arc::unwrap_or_clone(program);
    let cut = Cut::new(&module.graph, module.graph.result_of(function), &takers);
    let written = write(&mut module, function, &cut, &takers);
    let written = written.map_err(|error| Failure::Bug(format!("invariant `a part of a program is one`: {error}")))?;
    let mut last_readers: Vec<usize> = vec![0; written.len()];
    for (number, part) in written.iter().enumerate() {
        part.read().for_each(|read| last_readers[read] = number);
    }
    let part = |(number, part): (usize, Written)| Part {
        backend: part.taker.map_or(rest, |taker| &backends[taker]).clone(),
        function: part.function,
        frees: part.read().filter(|&read| last_readers[read] == number).collect(),
        checked: part.taker.is_some(),
        compiled: OnceLock::new(),
        inputs: part.inputs,
    };
    let parts = written.into_iter().enumerate().map(part).collect();
    Ok(Placed { program: Arc::new(module), arguments, parts, refused })
}

impl Placed {
    /// The program: with the functions of its parts, where there are several.
    pub fn program(&self) -> &Module {
        &self.program
    }

    /// The parts, in the order they run. The last gives the result.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What backends did not take, and why.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The result for these arguments. Every part is made ready before the first one runs.
    pub fn run(&self, args: &[Datum], cancel: &Cancel) -> Result<Datum, Failure> {
        if args.len() != self.arguments {
            return Err(Failure::Program(format!("the function takes {} arguments, found {}", self.arguments, args.len())));
        }
        let ready: Vec<&Arc<dyn Compiled>> = self.parts.iter().map(|part| part.ready(&self.program)).collect::<Result<_, Failure>>()?;
        let mut made: Vec<Option<Datum>> = Vec::with_capacity(self.parts.len());
        for (part, compiled) in self.parts.iter().zip(ready) {
            cancel.check()?;
            let input = |input: &Input| match *input {
                Input::Argument(number) => args[number].clone(),
                Input::Part(number) => made[number].clone().expect("invariant `a part is kept while somebody reads it`"),
            };
            let inputs = part.inputs.iter().map(input).collect();
            // Held by nobody else, the last reader can use it up.
            part.frees.iter().for_each(|&number| made[number] = None);
            let datum = compiled.run(inputs, cancel)?;
            part.check(&self.program, &datum)?;
            made.push(Some(datum));
        }
        Ok(made.pop().flatten().expect("a program has a part"))
    }
}

impl Part {
    /// Who runs it.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// What it computes: a function of the placed program.
    pub fn function(&self) -> NodeId {
        self.function
    }

    /// What its parameters are given.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    fn ready(&self, program: &Arc<Module>) -> Result<&Arc<dyn Compiled>, Failure> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = self.backend.compile(program, self.function)?;
        Ok(self.compiled.get_or_init(|| compiled))
    }

    fn check(&self, program: &Module, datum: &Datum) -> Result<(), Failure> {
        let graph = &program.graph;
        let ty = graph.ty_id(graph.result_of(self.function));
        if !self.checked || fits(graph.types(), ty, datum) {
            return Ok(());
        }
        let (name, expected) = (self.backend.name(), graph.types().show(ty));
        Err(Failure::Program(format!("backend `{name}` gave what is not in the physical form of `{expected}`")))
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.parts.iter().enumerate() {
            let text = print_function(&self.program.graph, &self.program.hints, &format!("part_{}", number + 1), part.function);
            write!(f, "on `{}`:\n\n{text}\n", part.backend.name())?;
        }
        self.refused.iter().try_for_each(|refused| writeln!(f, "{refused}"))
    }
}
