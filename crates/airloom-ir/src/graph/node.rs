//! One node.

use crate::attrs::{Attr, Attrs, Effect};
use crate::hash::hash_of;
use crate::ops::Op;
use crate::types::TyId;
use smallvec::SmallVec;
use std::num::NonZeroU32;

/// The arguments of a node: few, as a rule.
pub type Args = SmallVec<[NodeId; 4]>;

/// A node of one graph, valid for as long as the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    #[inline]
    pub(crate) fn new(index: usize) -> NodeId {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        NodeId(number.expect("a graph is bounded far below the range of its ids"))
    }

    /// Its position in the graph: side tables are vectors by it.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// An op with its attributes and arguments, and what is known of it without looking further.
#[derive(Clone, Debug)]
pub struct Node {
    pub(super) op: Op,
    pub(super) effect: Effect,
    pub(super) open: bool,
    pub(super) holes: bool,
    pub(super) depth: u8,
    pub(super) ty: TyId,
    pub(super) args: Args,
    pub(super) attrs: Attrs,
}

impl Node {
    /// Which op it is.
    #[inline]
    pub fn op(&self) -> Op {
        self.op
    }

    /// Its attributes, in the order of the op table.
    #[inline]
    pub fn attrs(&self) -> &[Attr] {
        &self.attrs
    }

    /// Its arguments: the only place where a node holds others.
    #[inline]
    pub fn args(&self) -> &[NodeId] {
        &self.args
    }

    /// Its type.
    #[inline]
    pub fn ty(&self) -> TyId {
        self.ty
    }

    /// What computing it may do, everything below it included.
    #[inline]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Whether it mentions a parameter of the body it is in.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether it mentions a parameter of an unfinished body.
    #[inline]
    pub fn has_holes(&self) -> bool {
        self.holes
    }

    /// How deep bodies nest in it.
    pub fn body_depth(&self) -> u8 {
        self.depth
    }

    #[cfg(test)]
    pub(crate) fn set_type(&mut self, ty: TyId) {
        self.ty = ty;
    }

    #[cfg(test)]
    pub(crate) fn set_argument(&mut self, at: usize, id: NodeId) {
        self.args[at] = id;
    }

    #[cfg(test)]
    pub(crate) fn set_effect(&mut self, effect: Effect) {
        self.effect = effect;
    }

    #[cfg(test)]
    pub(crate) fn set_open(&mut self, open: bool) {
        self.open = open;
    }

    #[cfg(test)]
    pub(crate) fn set_attribute(&mut self, at: usize, attr: Attr) {
        self.attrs[at] = attr;
    }

    pub(super) fn key_hash(&self) -> u64 {
        hash_of(&(self.op, self.attrs.as_slice(), self.args.as_slice()))
    }
}
