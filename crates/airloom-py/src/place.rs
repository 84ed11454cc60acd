//! Placing: the largest parts of a program that a backend of Python's supports are given to it; what they give back is a source to the rest.

use crate::backends::{Backend, Refused, keep_refusals};
use crate::engine::{Engine, Job, Source};
use crate::errors::Error;
use airloom_exec::data::Datum;
use airloom_ir::attrs::Attr;
use airloom_ir::graph::{NodeId, TypeError};
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::{Ty, TyId, Types};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A part of a program that a backend runs.
struct Fragment {
    backend: Arc<dyn Backend>,
    /// The part, as a function of what it reads.
    function: NodeId,
    /// What it reads, as a function of the program's arguments.
    inputs: NodeId,
    /// What its result is called where the rest of the program reads it.
    name: String,
}

/// Runs a job: first what backends take, from the leaves on, then the rest.
pub(crate) fn run(engine: &dyn Engine, mut job: Job) -> Result<Datum, Error> {
    if job.backends.is_empty() {
        return engine.run(job);
    }
    for fragment in place(&mut job)? {
        let inputs = match engine.run(job.part(fragment.inputs))? {
            Datum::Parts(parts) => parts.to_vec(),
            Datum::Value(airloom_ir::value::Value::Tuple(values)) => values.iter().cloned().map(Datum::Value).collect(),
            other => vec![other],
        };
        let data = fragment.backend.run(&job.module, fragment.function, inputs)?;
        let graph = &job.module.graph;
        let ty = graph.ty_id(graph.result_of(fragment.function));
        job.sources.insert(fragment.name, Source { columns: columns(graph.types(), ty), ty, data, table: None });
    }
    engine.run(job)
}

fn columns(types: &Types, ty: TyId) -> Vec<(Name, TyId)> {
    match types.get(ty) {
        Ty::Rel(fields) => fields.iter().map(|f| (f.name.clone(), f.ty)).collect(),
        _ => Vec::new(),
    }
}

/// Rewrites the job's function so that it reads what backends give, and says what to give to them, in order.
fn place(job: &mut Job) -> Result<Vec<Fragment>, Error> {
    let mut fragments = Vec::new();
    let mut refused = Vec::new();
    for backend in job.backends.clone() {
        place_on(job, &backend, &mut fragments, &mut refused)?;
    }
    keep_refusals(refused);
    Ok(fragments)
}

fn place_on(job: &mut Job, backend: &Arc<dyn Backend>, fragments: &mut Vec<Fragment>, refused: &mut Vec<Refused>) -> Result<(), Error> {
    let result = job.module.graph.result_of(job.function);
    let mut supported = BTreeSet::new();
    for id in job.module.graph.block_order(&[result]) {
        if is_leaf(&job.module, id) {
            continue;
        }
        match backend.supports(&mut job.module, id)? {
            Ok(()) => {
                supported.insert(id);
            }
            Err(refusal) => refused.push(Refused {
                refusal,
                op: job.module.graph.op(id).name(),
                place: job.module.locations.of(id).first().map(ToString::to_string),
            }),
        }
    }
    if supported.is_empty() {
        return Ok(());
    }
    let made = rewrite(job, result, &supported, backend, fragments);
    job.function = made.map_err(|e| Error::Broken(format!("a part of the program cannot be given to `{}`: {e}", backend.name())))?;
    Ok(())
}

/// What no backend is asked about: constants, parameters and functions are inputs, or stand in what uses them; what another backend gives is there already.
fn is_leaf(module: &Module, id: NodeId) -> bool {
    matches!(module.graph.op(id), Op::Core(Core::Const | Core::Param | Core::Lambda | Core::Token | Core::Source))
}

fn rewrite(
    job: &mut Job,
    result: NodeId,
    supported: &BTreeSet<NodeId>,
    backend: &Arc<dyn Backend>,
    fragments: &mut Vec<Fragment>,
) -> Result<NodeId, TypeError> {
    let module = &mut job.module;
    let roots = fragment_roots(module, result, supported);
    let params: Arc<[TyId]> = module.graph.params_of(job.function).into();
    let mut done: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in module.graph.block_order(&[result]) {
        if module.graph.op(id) == Op::Core(Core::Lambda) {
            done.insert(id, id);
            continue;
        }
        let made = if roots.contains(&id) {
            let (function, inputs) = fragment(module, id, supported)?;
            let inputs: Vec<NodeId> = inputs.iter().map(|i| done.get(i).copied().unwrap_or(*i)).collect();
            let inputs = module.graph.tuple(&inputs)?;
            let inputs = module.graph.lambda(inputs, params.clone())?;
            let name = format!("{} {}", backend.name(), fragments.len());
            let attrs = [Attr::Name(Name::new(&name)), Attr::Ty(module.graph.ty_id(id))];
            fragments.push(Fragment { backend: backend.clone(), function, inputs, name });
            module.graph.make(Op::Core(Core::Source), attrs.into_iter().collect(), &[])?
        } else {
            let args: Vec<NodeId> = module.graph.args(id).iter().map(|a| done.get(a).copied().unwrap_or(*a)).collect();
            let (op, attrs) = (module.graph.op(id), module.graph.node(id).attrs().into());
            module.graph.make(op, attrs, &args)?
        };
        module.locations.inherit(id, made);
        done.insert(id, made);
    }
    module.graph.lambda(done[&result], params)
}

/// The supported nodes that something not supported reads, and the result: one below another that is supported is a part of its fragment.
fn fragment_roots(module: &Module, result: NodeId, supported: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut roots = BTreeSet::new();
    if supported.contains(&result) {
        roots.insert(result);
    }
    for id in module.graph.block_order(&[result]) {
        if !supported.contains(&id) && module.graph.op(id) != Op::Core(Core::Lambda) {
            roots.extend(module.graph.args(id).iter().filter(|a| supported.contains(a)));
        }
    }
    roots
}

/// A function of what a fragment reads, and those inputs.
fn fragment(module: &mut Module, root: NodeId, supported: &BTreeSet<NodeId>) -> Result<(NodeId, Vec<NodeId>), TypeError> {
    let mut inputs: Vec<NodeId> = Vec::new();
    let mut holes: Vec<NodeId> = Vec::new();
    let result = module.graph.rebuild(root, &mut |graph, id| {
        if supported.contains(&id) {
            return Ok(None);
        }
        if matches!(graph.op(id), Op::Core(Core::Const | Core::Lambda)) {
            return Ok(Some(id));
        }
        let hole = match inputs.iter().position(|i| *i == id) {
            Some(at) => holes[at],
            None => {
                inputs.push(id);
                holes.push(graph.fresh_hole(graph.ty_id(id)));
                holes[holes.len() - 1]
            }
        };
        Ok(Some(hole))
    })?;
    let function = module.graph.function(&holes, result)?;
    Ok((function, inputs))
}
