//! What the interpreter computes for a kernel before it runs: nodes of a body that have no kernel, such as those of text. The code reads what they come to as it reads columns.

use crate::code::Column;
use crate::kernel::of_array;
use crate::kind::Kind;
use crate::lower::Tree;
use crate::shape::Form;
use airloom_compute::arrow::buffer::BooleanBuffer;
use airloom_compute::body::{Program, Programs};
use airloom_compute::data::{RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::TyId;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Nodes of one function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Beside {
    /// Parameters of the function, and which of what a kernel is given each is.
    params: Vec<(NodeId, usize)>,
    roots: Vec<NodeId>,
}

impl Beside {
    /// None yet, of a function whose parameters are these.
    pub(crate) fn new(params: &[NodeId], trees: &[Tree]) -> Beside {
        let given = |(&param, tree): (&NodeId, &Tree)| match tree {
            Tree::Given { given, path, .. } if path.is_empty() => Some((param, *given)),
            _ => None,
        };
        Beside { params: params.iter().zip(trees).filter_map(given).collect(), roots: Vec::new() }
    }

    /// Whether a node depends on nothing but what is given as it is.
    pub(crate) fn computes(&self, graph: &Graph, id: NodeId) -> bool {
        let params = self.ids();
        graph.block_order_above(&params, &[id]).into_iter().all(|id| graph.as_param(id).is_none() || params.contains(&id))
    }

    /// The number of a node among the roots.
    pub(crate) fn root(&mut self, node: NodeId) -> usize {
        self.roots.iter().position(|&known| known == node).unwrap_or_else(|| {
            self.roots.push(node);
            self.roots.len() - 1
        })
    }

    fn ids(&self) -> Vec<NodeId> {
        self.params.iter().map(|&(id, _)| id).collect()
    }
}

/// From how many rows on the interpreter computes parts for code: before, it computes all.
const WORTH: u64 = 1 << 17;

/// The same, ready to be computed.
pub(crate) struct BesidePrograms {
    functions: Vec<(Beside, OnceLock<Arc<Program>>)>,
    /// How many rows have come so far.
    rows: AtomicU64,
}

impl BesidePrograms {
    pub(crate) fn new(beside: &[Beside]) -> BesidePrograms {
        BesidePrograms { functions: beside.iter().map(|beside| (beside.clone(), OnceLock::new())).collect(), rows: AtomicU64::new(0) }
    }

    /// Whether nothing is computed beside the code.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.iter().all(|(beside, _)| beside.roots.is_empty())
    }

    /// Whether there have been rows enough, these included, for code to be asked for.
    pub(crate) fn is_worth(&self, rows: usize) -> bool {
        self.is_empty() || self.rows.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64 >= WORTH
    }

    /// The rows that code computes: selected ones alone, where the interpreter computes some of what it reads.
    pub(crate) fn compacted(&self, given: &[Vector], rows: &Selection) -> Option<(Vec<Vector>, Selection)> {
        let some = !self.is_empty() && !rows.is_all();
        some.then(|| (given.iter().map(|vector| rows.vector(vector)).collect(), Selection::All(rows.len())))
    }

    /// The vectors of all roots, function by function, over `rows` rows; `None` where a row raises.
    pub(crate) fn run(&self, graph: &Arc<Graph>, context: &RunContext, given: &[Vector], rows: usize) -> Option<Vec<Vec<Vector>>> {
        let one = |(beside, program): &(Beside, OnceLock<Arc<Program>>)| {
            if beside.roots.is_empty() {
                return Some(Vec::new());
            }
            let program = program.get_or_init(|| Programs::new(graph, None).of_nodes(&beside.ids(), &beside.roots));
            let given: Vec<Vector> = beside.params.iter().map(|&(_, at)| given[at].clone()).collect();
            program.run(context, &given, &Selection::All(rows)).ok()
        };
        self.functions.iter().map(one).collect()
    }
}

/// How code is given what the interpreter has computed: by its type alone, so that code is looked for before it is computed.
pub(crate) fn form(graph: &Graph, ty: TyId) -> Form {
    if graph.types().nullable(ty) { Form::Nullable } else { Form::Values }
}

/// What the interpreter has computed, in that form.
pub(crate) fn column(graph: &Graph, ty: TyId, vector: &Vector, rows: usize) -> Option<Column> {
    let types = graph.types();
    let (found, mut column) = of_array(types, ty, Kind::of(types.plain(ty))?, &vector.to_array(types, ty, rows))?;
    if found == Form::Values && form(graph, ty) == Form::Nullable {
        column.valid = Some(BooleanBuffer::new_set(rows).into_inner());
    }
    Some(column)
}
