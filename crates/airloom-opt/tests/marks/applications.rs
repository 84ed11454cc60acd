//! Applications of ops: every node that a function of a filetest, or a random program, computes outside of bodies, with its arguments and its result.

use airloom_ir::attrs::{Attr, Attrs};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::{Distribution, Given, Make, Op, OpDef};
use airloom_ir::oracle::{Limits, Oracle, Raised, Source, Stop};
use airloom_ir::text;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_opt::generate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the ops' filetests.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/ops")
}

/// One application of an op.
pub(crate) struct Application<'a> {
    pub(crate) graph: &'a Graph,
    sources: &'a BTreeMap<String, Source>,
    pub(crate) node: NodeId,
    /// In the order the node holds them; bodies are functions.
    pub(crate) args: Vec<Value>,
    pub(crate) result: Result<Value, Stop>,
    /// Where it is from, for messages.
    pub(crate) from: &'a str,
}

impl Application<'_> {
    pub(crate) fn def(&self) -> &'static OpDef {
        self.graph.op(self.node).def()
    }

    pub(crate) fn attrs(&self) -> &[Attr] {
        self.graph.node(self.node).attrs()
    }

    pub(crate) fn attr(&self, name: &str) -> Option<&Attr> {
        self.def().attr_position(name).map(|at| &self.attrs()[at])
    }

    /// What the op table says of the node.
    pub(crate) fn claim(&self) -> Distribution {
        let args: Vec<TyId> = self.graph.args(self.node).iter().map(|&arg| self.graph.ty_id(arg)).collect();
        self.def().distribution_of(&Given { attrs: self.attrs(), types: self.graph.types(), args: &args })
    }

    /// The positions of the arguments with these names.
    pub(crate) fn positions(&self, names: &[&str]) -> Vec<usize> {
        names.iter().flat_map(|name| self.def().positions(name, self.args.len())).collect()
    }

    /// What the node makes of other arguments.
    pub(crate) fn apply(&self, args: &[Value]) -> Result<Value, Stop> {
        self.oracle(self.graph).apply(self.node, args)
    }

    /// What the node makes of its arguments with some of them replaced.
    pub(crate) fn with(&self, replaced: impl IntoIterator<Item = (usize, Value)>) -> Result<Value, Stop> {
        let mut args = self.args.clone();
        for (at, value) in replaced {
            args[at] = value;
        }
        self.apply(&args)
    }

    /// What a body makes of its own arguments.
    pub(crate) fn body(&self, number: usize, own: &[Value]) -> Result<Value, Stop> {
        let def = self.def();
        let parts = def.parts(self.graph.args(self.node)).expect("a node has the arguments its op takes");
        let captures = &self.args[def.args.len() + def.bodies.len()..];
        let args: Vec<Value> = own.iter().chain(captures).cloned().collect();
        self.oracle(self.graph).call(parts.bodies[number], &args)
    }

    /// What another function makes of these arguments.
    pub(crate) fn call(&self, function: &Made, args: &[Value]) -> Result<Value, Stop> {
        self.oracle(&function.graph).call(function.function, args)
    }

    /// The function that applies an op to one parameter of a type.
    pub(crate) fn unary(&self, op: impl Into<Op>, attrs: Attrs, ty: impl FnOnce(&mut Graph) -> TyId) -> Made {
        let mut graph = self.graph.clone();
        let ty = ty(&mut graph);
        let param = graph.param(0, ty).expect("a parameter");
        let result = graph.make(op.into(), attrs, &[param]).unwrap_or_else(|error| panic!("{}: {error}", self.from));
        let function = graph.lambda(result, [ty].into()).expect("a function");
        Made { graph, function }
    }

    fn oracle<'g>(&self, graph: &'g Graph) -> Oracle<'g> {
        let mut oracle = Oracle::new(graph, Limits::EXAMPLES).with_host(&host);
        for (name, source) in self.sources {
            oracle = oracle.with_source(name, source.clone());
        }
        oracle
    }
}

/// A function that a check has written, in a graph of its own.
pub(crate) struct Made {
    pub(crate) graph: Graph,
    pub(crate) function: NodeId,
}

fn host(name: &str, args: &[Value]) -> Result<Value, Stop> {
    match name {
        "echo" => args.first().cloned().ok_or_else(|| Raised::new("takes an argument, found none").into()),
        other => Err(Raised::new(format!("`{other}` fails")).into()),
    }
}

/// Every application that the runs of a filetest make.
pub(crate) fn of_file(path: &Path, mut visit: impl FnMut(&Application<'_>)) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let program: String = text.lines().map(|line| if line.starts_with("test ") { "\n".into() } else { format!("{line}\n") }).collect();
    let module = text::parse(&program).unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
    let (graph, types) = (&module.graph, module.graph.types());
    let mut sources = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("; source ")) {
        let (name, value) = line.split_once('=').expect("`; source \"name\" = value`");
        let name = name.trim().trim_matches('"');
        let width = |ty: TyId| if let Ty::Rel(fields) = types.get(ty) { fields.len() } else { 0 };
        let read = graph.ids().filter_map(|id| graph.as_source(id)).filter(|source| source.name.as_str() == name);
        let ty = read.max_by_key(|source| width(source.ty)).expect("a source that is read").ty;
        let columns = if let Ty::Rel(fields) = types.get(ty) { fields.names().cloned().collect() } else { Vec::new() };
        let value = text::parse_value(types, ty, value.trim()).expect("a value of the source's type");
        sources.insert(name.to_string(), Source { columns, value });
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("; run: @")) {
        let open = line.find('(').expect("arguments");
        let (raw, _) = text::parse_raw_arguments(&line[open..]).expect("arguments that can be read");
        let function = module.functions.iter().find(|f| f.name.as_str() == &line[..open]).expect("a function that is there").lambda;
        let params = graph.params_of(function);
        let args: Result<Vec<Value>, String> = params.iter().zip(&raw).map(|(&ty, raw)| text::raw_to_value(types, ty, raw)).collect();
        let from = format!("{}: @{line}", path.file_name().unwrap_or_default().to_string_lossy());
        run(graph, &sources, function, &args.expect("arguments of the function's types"), &from, &mut visit);
    }
}

/// Joins of joins may have thousands of rows: all ways of cutting those would take minutes, and say no more than those of a few hundred.
const MOST_ROWS: usize = 400;

fn is_small(value: &Value) -> bool {
    !matches!(value, Value::Rel(table) if table.rows.len() > MOST_ROWS)
}

/// Every application that a random program makes of relations of few rows.
pub(crate) fn of_case(case: &generate::Case, from: &str, mut visit: impl FnMut(&Application<'_>)) {
    let function = case.module.functions[0].lambda;
    let mut small = |application: &Application<'_>| {
        if application.args.iter().all(is_small) {
            visit(application);
        }
    };
    run(&case.module.graph, &BTreeMap::new(), function, &case.args, from, &mut small);
}

fn run(
    graph: &Graph,
    sources: &BTreeMap<String, Source>,
    function: NodeId,
    params: &[Value],
    from: &str,
    visit: &mut impl FnMut(&Application<'_>),
) {
    let mut values: BTreeMap<NodeId, Value> = BTreeMap::new();
    for id in graph.block_order(&[graph.result_of(function)]) {
        let value = match graph.op(id) {
            Op::Core(Core::Lambda) => Value::Func(id),
            Op::Core(Core::Param) => params[graph.as_param(id).expect("it is one").number as usize].clone(),
            _ => {
                let args: Vec<Value> = graph.args(id).iter().map(|arg| values[arg].clone()).collect();
                let mut application = Application { graph, sources, node: id, args, result: Ok(Value::Null), from };
                application.result = application.apply(&application.args);
                visit(&application);
                let Ok(value) = application.result else { return };
                value
            }
        };
        values.insert(id, value);
    }
}
