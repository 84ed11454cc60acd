//! The graph: one append-only, hash-consed arena of typed, immutable nodes.
//!
//! Equal programs have equal ids; "did it change?" is `id != id`. Nothing here takes a node away or alters one.

mod close;
mod compact;
mod import;
mod node;
mod placeholders;
mod substitute;
mod walk;

pub use close::Closed;
pub use compact::Compacted;
pub use node::{Args, Node, NodeId};

use crate::attrs::{Attr, Attrs, Effect};
use crate::hash::hash_of;
use crate::ops::core::{BuildCore, Core};
use crate::ops::{Given, Make, Op};
use crate::types::{Ty, TyId, Types};
use crate::typing;
use crate::value::Value;
use hashbrown::HashTable;
use std::fmt;
use std::sync::Arc;

/// How deep bodies may nest in bodies. Walks may recurse this far and no farther.
pub const MAX_BODY_DEPTH: u8 = 100;

/// Why a node was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError {
    /// The op that was asked for.
    pub op: Op,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.op.name(), self.message)
    }
}

impl std::error::Error for TypeError {}

/// The arena.
#[derive(Clone, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    table: HashTable<NodeId>,
    /// Copied when one of several graphs that share it gets a type that it does not have.
    types: Arc<Types>,
    holes: i64,
    /// What the placeholders stood for in the program that they were taken out of: estimates look at it, and nothing else.
    expected: Arc<[Value]>,
}

impl Make for Graph {
    type Made = Result<NodeId, TypeError>;

    fn make(&mut self, op: Op, attrs: Attrs, args: &[NodeId]) -> Result<NodeId, TypeError> {
        let hash = hash_of(&(op, attrs.as_slice(), args));
        let found = self.table.find(hash, |&id| {
            let node = &self.nodes[id.index()];
            node.op == op && node.args.as_slice() == args && node.attrs == attrs
        });
        if let Some(&id) = found {
            return Ok(id);
        }
        let node = self.check(op, attrs, args).map_err(|message| TypeError { op, message })?;
        let id = NodeId::new(self.nodes.len());
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, id, |&id| nodes[id.index()].key_hash());
        Ok(id)
    }
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Everything a node must be before it may exist.
    fn check(&mut self, op: Op, attrs: Attrs, args: &[NodeId]) -> Result<Node, String> {
        let def = op.def();
        if self.nodes.len() >= (u32::MAX / 2) as usize {
            return Err("the graph is full".into());
        }
        if let Some(stranger) = args.iter().find(|a| a.index() >= self.nodes.len()) {
            return Err(format!("node {} is not in this graph", stranger.index()));
        }
        typing::check_attrs(&self.types, def, &attrs)?;
        let tys: ArgTypes = args.iter().map(|&a| self.ty_id(a)).collect();
        let ty = typing::infer(Arc::make_mut(&mut self.types), def, &attrs, &tys)?;
        let mut node = Node {
            op,
            args: Args::from_slice(args),
            ty,
            effect: def.effect_of(&Given { attrs: &attrs, types: &self.types, args: &tys }),
            open: false,
            holes: false,
            depth: 0,
            attrs,
        };
        for &arg in args {
            let arg = &self.nodes[arg.index()];
            node.effect = node.effect.max(arg.effect);
            node.open |= arg.open;
            node.holes |= arg.holes;
            node.depth = node.depth.max(arg.depth);
        }
        match op {
            Op::Core(Core::Param) => node.open = true,
            Op::Core(Core::Hole) => node.holes = true,
            Op::Core(Core::Lambda) => {
                self.check_closed(&node)?;
                node.open = false;
                node.depth += 1;
                if node.depth > MAX_BODY_DEPTH {
                    return Err(format!("bodies nest deeper than {MAX_BODY_DEPTH}"));
                }
            }
            _ => (),
        }
        Ok(node)
    }

    /// A body sees its parameters and nothing else.
    fn check_closed(&self, lambda: &Node) -> Result<(), String> {
        if lambda.holes {
            return Err("the body is not closed: a parameter of an unfinished body is left in it".into());
        }
        let Some(Attr::Tys(params)) = lambda.attrs.first() else { return Err("the parameter types are missing".into()) };
        let mut wrong = None;
        self.visit_open(lambda.args[0], |id| {
            if let Some(param) = self.as_param(id) {
                match usize::try_from(param.number).ok().and_then(|n| params.get(n)) {
                    None => wrong = Some(format!("the body is not closed: it reads parameter {} of {}", param.number, params.len())),
                    Some(&ty) if ty != param.ty => {
                        wrong = Some(format!(
                            "parameter {} is `{}` where it is read and `{}` where it is declared",
                            param.number,
                            self.types.show(param.ty),
                            self.types.show(ty)
                        ));
                    }
                    Some(_) => (),
                }
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    /// A node.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Which op a node is.
    #[inline]
    pub fn op(&self, id: NodeId) -> Op {
        self.node(id).op
    }

    /// The arguments of a node.
    #[inline]
    pub fn args(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).args
    }

    /// The type of a node.
    #[inline]
    pub fn ty(&self, id: NodeId) -> &Ty {
        self.types.get(self.node(id).ty)
    }

    /// The id of the type of a node.
    #[inline]
    pub fn ty_id(&self, id: NodeId) -> TyId {
        self.node(id).ty
    }

    /// What computing a node may do besides giving its value, everything below it included.
    #[inline]
    pub fn effect(&self, id: NodeId) -> Effect {
        self.node(id).effect
    }

    /// How many nodes there are. Ids are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every node, children before parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// Its types.
    #[inline]
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Its types, to add one.
    pub fn types_mut(&mut self) -> &mut Types {
        Arc::make_mut(&mut self.types)
    }

    /// The text of a node's type.
    pub fn show_ty(&self, id: NodeId) -> String {
        self.types.show(self.ty_id(id))
    }

    /// A parameter whose body is being written; [`Graph::close`] ends it.
    pub fn fresh_hole(&mut self, ty: TyId) -> NodeId {
        self.holes += 1;
        self.hole(self.holes, ty).expect("a hole of a known type is always well typed")
    }

    /// An integer of type `i64`.
    pub fn int(&mut self, value: i64) -> NodeId {
        self.constant(Value::Int(value.into()), TyId::I64).expect("an `i64` holds it")
    }

    /// A number of type `f64`.
    pub fn float(&mut self, value: f64) -> NodeId {
        self.constant(Value::F64(value), TyId::F64).expect("an `f64` holds it")
    }

    /// `true` or `false`.
    pub fn truth(&mut self, value: bool) -> NodeId {
        self.constant(Value::Bool(value), TyId::BOOL).expect("a `bool` holds it")
    }

    /// A text.
    pub fn text(&mut self, value: &str) -> NodeId {
        self.constant(Value::str(value), TyId::STR).expect("a `str` holds it")
    }

    /// The constant that a node is.
    #[inline]
    pub fn const_value(&self, id: NodeId) -> Option<&Value> {
        match (self.op(id), self.node(id).attrs.first()) {
            (Op::Core(Core::Const), Some(Attr::Value(value))) => Some(value),
            _ => None,
        }
    }

    /// The integer that a node is, if it is a constant one.
    pub fn const_int(&self, id: NodeId) -> Option<i64> {
        match self.const_value(id)? {
            Value::Int(i) => i64::try_from(*i).ok(),
            _ => None,
        }
    }

    /// What a function computes: the result in its parameters.
    pub fn result_of(&self, lambda: NodeId) -> NodeId {
        self.args(lambda)[0]
    }

    /// The parameter types of a function.
    pub fn params_of(&self, lambda: NodeId) -> &[TyId] {
        match self.node(lambda).attrs.first() {
            Some(Attr::Tys(params)) if self.op(lambda) == Op::Core(Core::Lambda) => params,
            _ => &[],
        }
    }
}

#[cfg(test)]
impl Graph {
    /// Changes a node as nothing else can, so that the verifier has something to find.
    pub(crate) fn tamper(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        change(&mut self.nodes[id.index()]);
    }

    /// Adds a node without looking at it.
    pub(crate) fn smuggle(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }
}

type ArgTypes = smallvec::SmallVec<[TyId; 6]>;
