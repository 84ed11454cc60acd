//! Indices that are sums of multiples of a loop's own indices: what is read by them stands at fixed strides.

use airloom_ir::attrs::{AttrType, Overflow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::number::Number;
use airloom_ir::value::Value;

/// How deep the arithmetic of an index is looked into. Deeper ones are computed.
const DEPTH: usize = 16;

/// A constant, and a step for each index of the loop.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    pub(super) constant: i128,
    pub(super) steps: Vec<i128>,
}

/// Where numbers of a body come from.
pub(super) struct Numbers<'a> {
    pub(super) graph: &'a Graph,
    /// The indices of the loop.
    pub(super) indices: &'a [NodeId],
    /// What is the same in the whole loop.
    pub(super) known: &'a dyn Fn(NodeId) -> Option<i64>,
}

impl Numbers<'_> {
    /// A node as a sum of multiples of the indices; `None` where it is not one, or is not seen to be.
    pub(super) fn affine(&self, node: NodeId) -> Option<Affine> {
        self.looked_into(node, DEPTH)
    }

    fn looked_into(&self, node: NodeId, depth: usize) -> Option<Affine> {
        let constant = |constant: i128| Affine { constant, steps: vec![0; self.indices.len()] };
        if let Some(axis) = self.indices.iter().position(|&index| index == node) {
            let mut found = constant(0);
            found.steps[axis] = 1;
            return Some(found);
        }
        if let Some(number) = (self.known)(node) {
            return Some(constant(i128::from(number)));
        }
        if let Some(Value::Int(number)) = self.graph.const_value(node) {
            return Some(constant(*number));
        }
        let wraps = self.graph.node(node).attrs().first().and_then(Overflow::from_attr) == Some(Overflow::Wrap);
        let (&[left, right], true, true) = (self.graph.args(node), wraps, depth > 0) else { return None };
        let Op::Number(op @ (Number::Add | Number::Sub | Number::Mul)) = self.graph.op(node) else { return None };
        let (left, right) = (self.looked_into(left, depth - 1)?, self.looked_into(right, depth - 1)?);
        match op {
            Number::Add => left.plus(&right, 1),
            Number::Sub => left.plus(&right, -1),
            _ if right.is_constant() => left.times(right.constant),
            _ if left.is_constant() => right.times(left.constant),
            _ => None,
        }
    }
}

impl Affine {
    fn is_constant(&self) -> bool {
        self.steps.iter().all(|&step| step == 0)
    }

    pub(super) fn plus(&self, other: &Affine, times: i128) -> Option<Affine> {
        let sum = |x: i128, y: i128| y.checked_mul(times).and_then(|y| x.checked_add(y));
        let steps: Option<Vec<i128>> = self.steps.iter().zip(&other.steps).map(|(&x, &y)| sum(x, y)).collect();
        Some(Affine { constant: sum(self.constant, other.constant)?, steps: steps? })
    }

    pub(super) fn times(&self, factor: i128) -> Option<Affine> {
        let steps: Option<Vec<i128>> = self.steps.iter().map(|step| step.checked_mul(factor)).collect();
        Some(Affine { constant: self.constant.checked_mul(factor)?, steps: steps? })
    }

    /// As a position of an axis, counted from its beginning, where it is one at every index of a loop over `shape`, which has indices. The arithmetic of indices wraps,
    /// which does not matter where the result is in the array.
    pub(super) fn within(&self, shape: &[usize], extent: usize) -> Option<Affine> {
        let (mut least, mut most) = (self.constant, self.constant);
        for (&step, &count) in self.steps.iter().zip(shape) {
            let end = step.checked_mul(count as i128 - 1)?;
            (least, most) = (least.checked_add(end.min(0))?, most.checked_add(end.max(0))?);
        }
        let extent = extent as i128;
        match (least, most) {
            (0.., _) if most < extent => Some(self.clone()),
            (_, ..0) if least >= -extent => Some(Affine { constant: self.constant + extent, steps: self.steps.clone() }),
            _ => None,
        }
    }
}
