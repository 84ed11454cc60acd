//! From a body of the graph to its shape: structs and tuples are taken apart, calls and branches are put in place, and what is left computes single values.

use crate::beside::Beside;
use crate::kind::Kind;
use crate::shape::{FoldOf, Node, Shape, Slot, What};
use crate::support::supports;
use airloom_compute::body::{FoldInput, FoldSpec};
use airloom_compute::reduce::{Fold, FoldKind};
use airloom_ir::attrs::{Attr, Effect, Skip};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_plan::bodies::params;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A body, ready to be compiled, and what its inputs and results are.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) shape: Arc<Shape>,
    /// What each input of the shape is.
    pub(crate) inputs: Vec<Input>,
    /// The results of the body, root by root.
    pub(crate) results: Vec<Made>,
    /// What the interpreter computes beside it, and why there is no code for that.
    pub(crate) beside: Vec<Beside>,
    pub(crate) reasons: Vec<String>,
}

/// Where an input comes from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Input {
    /// A part of what is given: a number, and the parts of parts that lead to it.
    Given { given: usize, path: Vec<usize>, ty: TyId },
    /// A literal.
    Literal { value: Value, kind: Kind },
    /// What the interpreter computes before: a root of one of the functions that it computes parts of.
    Beside { of: usize, root: usize, ty: TyId },
}

/// What a root is made of.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// A result of the shape.
    Result { number: usize, ty: TyId },
    /// A part of what is given, as it is.
    Given { given: usize, path: Vec<usize> },
    /// What the interpreter computes.
    Beside { of: usize, root: usize },
    /// The same value in every row.
    Literal(Value),
    /// A struct or tuple.
    Row(Vec<Made>),
}

/// A value while a body is lowered.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Slot(Slot, TyId),
    Given {
        given: usize,
        path: Vec<usize>,
        ty: TyId,
    },
    Literal(Value, TyId),
    Row(Vec<Tree>),
    /// A node of one of the functions that the interpreter computes parts of.
    Beside {
        of: usize,
        node: NodeId,
        ty: TyId,
    },
}

impl Tree {
    /// The type of a single value.
    fn ty(&self) -> Option<TyId> {
        match self {
            Tree::Slot(_, ty) | Tree::Given { ty, .. } | Tree::Literal(_, ty) | Tree::Beside { ty, .. } => Some(*ty),
            Tree::Row(_) => None,
        }
    }
}

/// Most bodies have a few nodes. One with more than this takes long to compile, and seldom fits into registers.
const MOST_NODES: usize = 500;

/// The shape of the roots of a body, or why it has none.
pub(crate) fn lower(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> Result<Lowered, String> {
    let mut lowering = Lowering::new(graph);
    let trees: Vec<Tree> =
        given.iter().enumerate().map(|(at, &id)| Tree::Given { given: at, path: Vec::new(), ty: graph.ty_id(id) }).collect();
    let made = lowering.body(given, &trees, roots)?;
    let results = made.iter().map(|tree| lowering.result(tree)).collect::<Vec<Made>>();
    let Lowering { mut shape, inputs, beside, mut reasons, .. } = lowering;
    if shape.results.is_empty() && (shape.nodes.is_empty() || !reasons.is_empty()) {
        return Err(if reasons.is_empty() { "nothing is computed".into() } else { reasons.remove(0) });
    }
    shape.inputs = inputs.len();
    shape.beside = !reasons.is_empty();
    Ok(Lowered { shape: Arc::new(shape), inputs, results, beside, reasons })
}

/// A fold, ready to be compiled.
#[derive(Debug)]
pub(crate) struct LoweredFold {
    pub(crate) shape: Shape,
    /// What each input of the shape is.
    pub(crate) inputs: Vec<Input>,
    /// For each fold that was asked for, which of the shape's sums are its sum and its count.
    pub(crate) folds: Vec<FoldedBy>,
    /// What the interpreter computes beside it, and why there is no code for that.
    pub(crate) beside: Vec<Beside>,
    pub(crate) reasons: Vec<String>,
}

/// Which sums of a shape a fold is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldedBy {
    pub(crate) sum: Option<usize>,
    pub(crate) count: usize,
}

/// The shape of folds, or why they have none.
pub(crate) fn lower_fold(graph: &Graph, spec: &FoldSpec) -> Result<LoweredFold, String> {
    let mut lowering = Lowering::new(graph);
    let (mut trees, mut next): (Vec<Tree>, usize) = (Vec::new(), 0);
    let mut given = |ty: TyId| {
        next += 1;
        Tree::Given { given: next - 1, path: Vec::new(), ty }
    };
    for input in &spec.inputs {
        let tree = match input {
            FoldInput::Column(ty) => given(*ty),
            FoldInput::Map { function, inputs } => {
                let captured = graph.params_of(*function)[inputs.len()..].iter().map(|&ty| given(ty));
                let args: Vec<Tree> = inputs.iter().map(|&at| trees[at].clone()).chain(captured).collect();
                lowering.body(&params(graph, *function), &args, &[graph.result_of(*function)])?.remove(0)
            }
        };
        trees.push(tree);
    }
    let folds = spec.folds.iter().map(|(fold, of)| lowering.fold(*fold, &trees[*of])).collect::<Result<Vec<_>, String>>()?;
    let Lowering { mut shape, inputs, beside, reasons, .. } = lowering;
    // How many bits decimals have is measured on what is given.
    if inputs.iter().any(|input| matches!(input, Input::Beside { ty, .. } if matches!(graph.types().plain(*ty), Ty::Decimal { .. }))) {
        return Err(reasons.into_iter().next().unwrap_or_default());
    }
    shape.inputs = inputs.len();
    shape.beside = !reasons.is_empty();
    shape.bounds = vec![None; inputs.len()];
    Ok(LoweredFold { shape, inputs, folds, beside, reasons })
}

struct Lowering<'a> {
    graph: &'a Graph,
    shape: Shape,
    inputs: Vec<Input>,
    known: HashMap<Node, Slot>,
    beside: Vec<Beside>,
    /// Why there is no code for what the interpreter computes.
    reasons: Vec<String>,
}

impl<'a> Lowering<'a> {
    fn new(graph: &'a Graph) -> Lowering<'a> {
        let (shape, inputs, known) = (Shape::default(), Vec::new(), HashMap::new());
        Lowering { graph, shape, inputs, known, beside: Vec::new(), reasons: Vec::new() }
    }

    /// The roots of a body, from what it is given. A node that has no kernel is the interpreter's, which computes it before the code runs.
    fn body(&mut self, given: &[NodeId], trees: &[Tree], roots: &[NodeId]) -> Result<Vec<Tree>, String> {
        let graph = self.graph;
        self.beside.push(Beside::new(given, trees));
        let mut made: BTreeMap<NodeId, Tree> = given.iter().copied().zip(trees.iter().cloned()).collect();
        for id in graph.block_order_above(given, roots) {
            if made.contains_key(&id) || graph.op(id) == Op::Core(Core::Lambda) {
                continue;
            }
            let before = (self.shape.nodes.len(), self.inputs.len());
            let tree = match self.node(id, &made, None) {
                Ok(tree) => tree,
                Err(reason) => {
                    self.forget_after(before);
                    self.left_to_the_interpreter(id, &reason)?
                }
            };
            made.insert(id, tree);
            if self.shape.nodes.len() > MOST_NODES {
                return Err(format!("the body has more than {MOST_NODES} nodes"));
            }
        }
        Ok(roots.iter().map(|id| made[id].clone()).collect())
    }

    /// A node of the last body that the interpreter computes, for a reason; or that reason, where it does not depend on what is given alone.
    fn left_to_the_interpreter(&mut self, id: NodeId, reason: &str) -> Result<Tree, String> {
        let of = self.beside.len() - 1;
        if !self.beside[of].computes(self.graph, id) {
            return Err(reason.into());
        }
        if !self.reasons.iter().any(|known| known == reason) {
            self.reasons.push(reason.into());
        }
        Ok(Tree::Beside { of, node: id, ty: self.graph.ty_id(id) })
    }

    /// Takes back nodes and inputs beyond some.
    fn forget_after(&mut self, (nodes, inputs): (usize, usize)) {
        self.shape.nodes.truncate(nodes);
        self.inputs.truncate(inputs);
        self.known.retain(|_, slot| *slot < nodes);
    }

    /// The roots of a function that a body calls, from what it is given. Every node of it is lowered, read or not: it may raise. Recursive, as deep as functions nest.
    fn nodes(&mut self, given: &[NodeId], trees: &[Tree], roots: &[NodeId], guard: Option<Slot>) -> Result<Vec<Tree>, String> {
        let graph = self.graph;
        let mut made: BTreeMap<NodeId, Tree> = given.iter().copied().zip(trees.iter().cloned()).collect();
        for id in graph.block_order_above(given, roots) {
            if made.contains_key(&id) || graph.op(id) == Op::Core(Core::Lambda) {
                continue;
            }
            let tree = self.node(id, &made, guard)?;
            made.insert(id, tree);
            if self.shape.nodes.len() > MOST_NODES {
                return Err(format!("the body has more than {MOST_NODES} nodes"));
            }
        }
        Ok(roots.iter().map(|id| made[id].clone()).collect())
    }

    fn node(&mut self, id: NodeId, made: &BTreeMap<NodeId, Tree>, guard: Option<Slot>) -> Result<Tree, String> {
        let graph = self.graph;
        let (op, ty) = (graph.op(id), graph.ty_id(id));
        let parts = op.def().parts(graph.args(id)).expect("invariant `a node has the arguments its op takes`");
        let arg = |arg: &NodeId| made.get(arg).cloned().expect("invariant `arguments come first`");
        match op {
            Op::Core(Core::Const) => Ok(Tree::Literal(graph.const_value(id).expect("it is one").clone(), ty)),
            Op::Core(Core::Tuple | Core::Row) => Ok(Tree::Row(parts.tail.iter().map(arg).collect())),
            Op::Core(Core::Item) => {
                let number = graph.as_item(id).expect("it is one").number as usize;
                part(&arg(&parts.fixed[0]), number, ty)
            }
            Op::Core(Core::Get) => {
                let field = graph.as_get(id).expect("it is one").field;
                let at = self.position(parts.fixed[0], &field);
                part(&arg(&parts.fixed[0]), at, ty)
            }
            Op::Core(Core::With | Core::Pick | Core::Without) => self.rebuilt(id, parts.fixed, made),
            Op::Core(Core::Call) => {
                let function = parts.fixed[0];
                if graph.op(function) != Op::Core(Core::Lambda) {
                    return Err("a function that is not known is called".into());
                }
                let args: Vec<Tree> = parts.tail.iter().map(arg).collect();
                let mut result = self.nodes(&params(graph, function), &args, &[graph.result_of(function)], guard)?;
                Ok(result.remove(0))
            }
            Op::Control(Control::Check) => {
                // The interpreter knows the message.
                let what = What::Apply(op, Vec::new());
                let condition = self.slot(&arg(&parts.fixed[0]))?;
                self.add(Node { what, args: vec![condition], kind: Kind::Bool, guard });
                Ok(arg(&parts.fixed[1]))
            }
            Op::Control(Control::If) => self.branch(parts.fixed, parts.bodies, parts.tail, ty, made, guard),
            Op::Number(_) | Op::Logic(_) | Op::Temporal(_) => {
                let args: Vec<NodeId> = parts.fixed.iter().chain(parts.tail).copied().collect();
                let trees: Vec<Tree> = args.iter().map(arg).collect();
                self.scalar(id, &trees, guard)
            }
            other => Err(format!("`{}` has no kernel", other.def().name)),
        }
    }

    fn scalar(&mut self, id: NodeId, trees: &[Tree], guard: Option<Slot>) -> Result<Tree, String> {
        let graph = self.graph;
        let (op, ty) = (graph.op(id), graph.ty_id(id));
        let kind = self.kind(ty)?;
        // A literal divisor or width is part of the code: dividing by a known number is multiplying.
        let fixed =
            matches!(op, Op::Number(Number::FloorDiv | Number::FloorMod | Number::TruncDiv | Number::TruncMod | Number::Shl | Number::Shr));
        let mut args = Vec::with_capacity(trees.len());
        for (at, tree) in trees.iter().enumerate() {
            let slot = if fixed && at == 1 { self.fixed_slot(tree) } else { self.slot(tree) };
            // The op is what people look for.
            let of = |_| tree.ty().map_or_else(String::new, |ty| format!(" of `{}`", graph.types().show(graph.types().strip(ty))));
            args.push(slot.map_err(|reason| format!("`{}`{} has no kernel", op.def().name, of(reason)))?);
        }
        let kinds: Vec<Kind> = args.iter().map(|&arg| self.shape.nodes[arg].kind).collect();
        let mut attrs: Vec<Attr> = graph.node(id).attrs().to_vec();
        if op == Op::Logic(Logic::Cast) {
            attrs.remove(0);
        }
        supports(op, &attrs, &kinds, kind)?;
        let guard = guard.filter(|_| graph.effect(id) != Effect::Pure);
        Ok(Tree::Slot(self.add(Node { what: What::Apply(op, attrs), args, kind, guard }), ty))
    }

    /// Both branches of a choice: each raises only in rows that take it.
    fn branch(
        &mut self,
        fixed: &[NodeId],
        bodies: &[NodeId],
        captured: &[NodeId],
        ty: TyId,
        made: &BTreeMap<NodeId, Tree>,
        guard: Option<Slot>,
    ) -> Result<Tree, String> {
        let graph = self.graph;
        let condition = self.slot(&made[&fixed[0]])?;
        let captures: Vec<Tree> = captured.iter().map(|id| made[id].clone()).collect();
        let truth = |op: Logic, args: Vec<Slot>| Node { what: What::Apply(Op::Logic(op), Vec::new()), args, kind: Kind::Bool, guard: None };
        let taken = self.add(truth(Logic::IsTrue, vec![condition]));
        let not_taken = self.add(truth(Logic::Not, vec![taken]));
        let mut branches = Vec::with_capacity(2);
        for (&body, own) in bodies.iter().zip([taken, not_taken]) {
            let guard = match guard {
                Some(outer) => self.add(truth(Logic::And, vec![outer, own])),
                None => own,
            };
            branches.extend(self.nodes(&params(graph, body), &captures, &[graph.result_of(body)], Some(guard))?);
        }
        self.chosen(taken, &branches[0], &branches[1], ty)
    }

    fn chosen(&mut self, taken: Slot, then: &Tree, otherwise: &Tree, ty: TyId) -> Result<Tree, String> {
        let types = self.graph.types();
        let parts: Option<Vec<TyId>> = match types.get(ty) {
            Ty::Tuple(tys) => Some(tys.to_vec()),
            Ty::Struct(fields) => Some(fields.iter().map(|field| field.ty).collect()),
            _ => None,
        };
        if let Some(tys) = parts {
            let chosen = tys.iter().enumerate().map(|(at, &ty)| self.chosen(taken, &part(then, at, ty)?, &part(otherwise, at, ty)?, ty));
            return chosen.collect::<Result<Vec<Tree>, String>>().map(Tree::Row);
        }
        let kind = self.kind(ty)?;
        let args = vec![taken, self.slot(then)?, self.slot(otherwise)?];
        Ok(Tree::Slot(self.add(Node { what: What::Apply(Op::Logic(Logic::Select), Vec::new()), args, kind, guard: None }), ty))
    }

    fn rebuilt(&mut self, id: NodeId, fixed: &[NodeId], made: &BTreeMap<NodeId, Tree>) -> Result<Tree, String> {
        let graph = self.graph;
        let types = graph.types();
        if fixed.iter().any(|&arg| types.nullable(graph.ty_id(arg))) {
            return Err("a struct that may be null is changed".into());
        }
        let Ty::Struct(fields) = types.plain(graph.ty_id(id)) else { return Err("a struct was expected".into()) };
        let pick = |name: &str, ty: TyId| {
            // The last that has the field: changes come after what is changed.
            let of = fixed.iter().rev().find(|&&arg| matches!(types.plain(graph.ty_id(arg)), Ty::Struct(fields) if fields.contains(name)));
            let of = *of.expect("invariant `a field of the result is of an argument`");
            part(&made[&of], self.position(of, name), ty)
        };
        Ok(Tree::Row(fields.iter().map(|field| pick(field.name.as_str(), field.ty)).collect::<Result<_, String>>()?))
    }

    fn position(&self, record: NodeId, field: &str) -> usize {
        match self.graph.types().plain(self.graph.ty_id(record)) {
            Ty::Struct(fields) => fields.position(field).expect("the type rule found the field"),
            other => panic!("invariant `values have their node's type`: expected a struct, found {other:?}"),
        }
    }

    fn kind(&self, ty: TyId) -> Result<Kind, String> {
        let types = self.graph.types();
        Kind::of(types.plain(ty)).ok_or_else(|| format!("`{}` is not of a fixed width", types.show(types.strip(ty))))
    }

    /// The node of a single value. Literals become inputs, so that the code does not depend on them.
    fn slot(&mut self, tree: &Tree) -> Result<Slot, String> {
        let (input, kind) = match tree {
            Tree::Slot(slot, _) => return Ok(*slot),
            Tree::Row(_) => return Err("a struct is used as a value".into()),
            Tree::Given { given, path, ty } => (Input::Given { given: *given, path: path.clone(), ty: *ty }, self.kind(*ty)?),
            Tree::Literal(Value::Null, _) => return self.fixed_slot(tree),
            Tree::Literal(value, ty) => {
                let kind = self.kind(*ty)?;
                (Input::Literal { value: value.clone(), kind }, kind)
            }
            Tree::Beside { of, node, ty } => {
                let kind = self.kind(*ty)?;
                (Input::Beside { of: *of, root: self.beside[*of].root(*node), ty: *ty }, kind)
            }
        };
        let number = self.inputs.iter().position(|known| *known == input).unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        });
        Ok(self.add(Node { what: What::Input(number), args: Vec::new(), kind, guard: None }))
    }

    /// The node of a single value that the code is made for where it is a literal.
    fn fixed_slot(&mut self, tree: &Tree) -> Result<Slot, String> {
        let Tree::Literal(value, ty) = tree else { return self.slot(tree) };
        let kind = self.kind(*ty)?;
        Ok(self.add(Node { what: What::Literal(value.clone()), args: Vec::new(), kind, guard: None }))
    }

    fn add(&mut self, node: Node) -> Slot {
        let nodes = &mut self.shape.nodes;
        *self.known.entry(node).or_insert_with_key(|node| {
            nodes.push(node.clone());
            nodes.len() - 1
        })
    }

    /// What of a shape is added up for a fold.
    fn fold(&mut self, fold: Fold, tree: &Tree) -> Result<FoldedBy, String> {
        let rows = |lowering: &mut Self| lowering.added_up(FoldOf::Rows);
        if fold == (Fold { kind: FoldKind::Count, skip: Skip::None }) {
            return Ok(FoldedBy { sum: None, count: rows(self) });
        }
        let slot = self.slot(tree)?;
        let (kind, ty) = (self.shape.nodes[slot].kind, tree.ty());
        let skip_nan = kind.is_float() && matches!(fold.skip, Skip::Nan | Skip::All);
        let skip_null = matches!(fold.skip, Skip::Null | Skip::All);
        let sum = match fold.kind {
            FoldKind::Count => None,
            FoldKind::Integers => Some(FoldOf::Integers { slot, skip_null }),
            FoldKind::Floats => Some(FoldOf::Floats { slot, skip_nan }),
            FoldKind::Least | FoldKind::Greatest => {
                Some(FoldOf::Extreme { slot, least: fold.kind == FoldKind::Least, skip_nan, skip_null })
            }
        };
        // Where every element is taken, all folds share one count.
        let all = fold.kind == FoldKind::Floats || !(skip_nan || ty.is_none_or(|ty| self.graph.types().nullable(ty)));
        let sum = sum.map(|sum| self.added_up(sum));
        let count = if all { rows(self) } else { self.added_up(FoldOf::Present { slot, skip_nan, skip_null }) };
        Ok(FoldedBy { sum, count })
    }

    fn added_up(&mut self, what: FoldOf) -> usize {
        let folds = &mut self.shape.folds;
        folds.iter().position(|known| *known == what).unwrap_or_else(|| {
            folds.push(what);
            folds.len() - 1
        })
    }

    fn result(&mut self, tree: &Tree) -> Made {
        match tree {
            Tree::Slot(slot, ty) => {
                let results = &mut self.shape.results;
                let number = results.iter().position(|known| known == slot).unwrap_or_else(|| {
                    results.push(*slot);
                    results.len() - 1
                });
                Made::Result { number, ty: *ty }
            }
            Tree::Given { given, path, .. } => Made::Given { given: *given, path: path.clone() },
            Tree::Beside { of, node, .. } => Made::Beside { of: *of, root: self.beside[*of].root(*node) },
            Tree::Literal(value, _) => Made::Literal(value.clone()),
            Tree::Row(parts) => Made::Row(parts.iter().map(|part| self.result(part)).collect()),
        }
    }
}

/// A part of a struct or tuple, of this type.
fn part(tree: &Tree, at: usize, ty: TyId) -> Result<Tree, String> {
    Ok(match tree {
        Tree::Row(parts) => parts[at].clone(),
        Tree::Given { given, path, .. } => {
            let path = path.iter().copied().chain([at]).collect();
            Tree::Given { given: *given, path, ty }
        }
        Tree::Literal(Value::Struct(parts) | Value::Tuple(parts), _) => Tree::Literal(parts[at].clone(), ty),
        Tree::Literal(..) => Tree::Literal(Value::Null, ty),
        Tree::Beside { .. } => return Err("a part is taken of what the interpreter computes".into()),
        Tree::Slot(..) => panic!("invariant `values have their node's type`: a single value has no parts"),
    })
}
