//! One program on the oracle, with the data of its sources and the rules it is optimised with.

use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::{Host, Limits, Oracle, Source, Stop};
use airloom_ir::text;
use airloom_ir::value::Value;
use airloom_opt::driver::{Broken, Options, Outcome};
use airloom_opt::registry::Registry;
use std::fmt;

/// One program with everything it runs with. It runs on the oracle.
pub struct Program {
    module: Module,
    registry: Registry,
    sources: Vec<(String, Source)>,
    limits: Limits,
}

/// What went wrong, in the three kinds.
#[derive(Clone, Debug)]
pub enum Error {
    /// The program is wrong.
    Program(Vec<String>),
    /// The program raised while running.
    Raised(String),
    /// A rule is broken.
    Broken(Broken),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(errors) => f.write_str(&errors.join("\n")),
            Error::Raised(message) => f.write_str(message),
            Error::Broken(broken) => write!(f, "{broken}\n\nhint: this is a bug in the rule; leave it out until it is mended"),
        }
    }
}

impl std::error::Error for Error {}

impl Program {
    /// A program with the standard rules.
    pub fn new(module: Module) -> Program {
        Program { module, registry: Registry::standard(), sources: Vec::new(), limits: Limits::EXAMPLES }
    }

    /// The program of a text.
    pub fn parse(program: &str, file: Option<&str>) -> Result<Program, Error> {
        let module = text::parse_file(program, file.map(Into::into));
        module.map(Program::new).map_err(|errors| Error::Program(errors.iter().map(ToString::to_string).collect()))
    }

    /// With other rules.
    pub fn with_registry(mut self, registry: Registry) -> Program {
        self.registry = registry;
        self
    }

    /// With the data of a source.
    pub fn with_source(mut self, name: &str, source: Source) -> Program {
        self.sources.push((name.to_string(), source));
        self
    }

    /// With other limits.
    pub fn with_limits(mut self, limits: Limits) -> Program {
        self.limits = limits;
        self
    }

    /// The program.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The data of its sources, by their names.
    pub fn sources(&self) -> &[(String, Source)] {
        &self.sources
    }

    /// The rules.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Optimises; the functions stay as they were written, and the outcome says what they became.
    pub fn optimize(&mut self, options: &Options) -> Result<Outcome, Error> {
        self.registry.run(&mut self.module, options).map_err(Error::Broken)
    }

    /// Runs a function on the oracle.
    pub fn run(&self, function: NodeId, args: &[Value], host: Option<Host<'_>>) -> Result<Value, Error> {
        let mut oracle = Oracle::new(&self.module.graph, self.limits);
        for (name, source) in &self.sources {
            oracle = oracle.with_source(name, source.clone());
        }
        if let Some(host) = host {
            oracle = oracle.with_host(host);
        }
        oracle.call(function, args).map_err(|stop| {
            let Stop::Raised(raised) = stop else { return Error::Raised(stop.to_string()) };
            let places = raised.node.map(|n| self.module.locations.of(n)).unwrap_or_default();
            let place = places.first().map(|p| format!(" ({p})")).unwrap_or_default();
            Error::Raised(format!("{}{place}", raised.message))
        })
    }
}
