//! A tree of inner joins taken apart.

use crate::context::Cx;
use crate::rules::bodies::{Read, conjuncts, fields, holds_floats, map_fields, read, row_slot, written_out};
use crate::stage::stands_as_written;
use airloom_ir::attrs::{Effect, JoinHow, NanOrder, NullMatch, Side};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::BuildLogic;
use airloom_ir::types::TyId;
use std::collections::BTreeMap;

/// The most leaves a cluster may have: sets of them are bits of a word.
pub(super) const MAX_LEAVES: usize = 64;

/// A set of leaves, by bits.
pub(super) type Set = u64;

/// A cluster of inner joins.
pub(super) struct Cluster {
    /// What is joined, from left to right.
    pub(super) leaves: Vec<NodeId>,
    /// A row of all fields of all leaves: what the conditions are written over.
    pub(super) whole: NodeId,
    /// Equalities between two sides.
    pub(super) edges: Vec<Edge>,
    /// Everything else that must hold.
    pub(super) predicates: Vec<(NodeId, Set)>,
    /// The order of rows: leaves by whose row numbers they are sorted, the first first.
    pub(super) order: Vec<usize>,
    /// The tree as it is.
    pub(super) tree: Tree,
    /// Whether the order was chosen already: then there is no better one.
    pub(super) chosen: bool,
    /// Which leaf has a field.
    owner: BTreeMap<Name, usize>,
}

/// An equality of keys: as keys compare, so that NaN equals itself and null nothing.
pub(super) struct Edge {
    pub(super) left: (NodeId, Set),
    pub(super) right: (NodeId, Set),
}

/// A tree over leaves.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(usize),
    Join(Box<Tree>, Box<Tree>),
}

impl Tree {
    /// The leaves in it.
    pub(super) fn set(&self) -> Set {
        match self {
            Tree::Leaf(at) => 1 << at,
            Tree::Join(left, right) => left.set() | right.set(),
        }
    }
}

/// How deep a tree of joins may be to be looked at: trees are walked by recursion.
const MAX_DEPTH: usize = 64;

impl Cluster {
    /// The cluster whose top is `join`; nothing where it has fewer than three leaves, or where anything in it may raise.
    pub(super) fn collect(cx: &mut Cx<'_>, join: NodeId) -> Option<Cluster> {
        let mut leaves = Vec::new();
        let (tree, order) = shape(cx, join, &mut leaves, 0)?;
        if leaves.len() < 3 {
            return None;
        }
        let mut owner = BTreeMap::new();
        let mut all: Vec<(Name, TyId)> = Vec::new();
        for (at, &leaf) in leaves.iter().enumerate() {
            for field in fields(cx, leaf)?.iter() {
                owner.insert(field.name.clone(), at);
                all.push((field.name.clone(), field.ty));
            }
        }
        let ty = cx.row_type(all)?;
        let whole = cx.slot(40, ty)?;
        let mut cluster = Cluster { leaves, whole, edges: Vec::new(), predicates: Vec::new(), order, tree, chosen: true, owner };
        cluster.conditions(cx, join)?;
        Some(cluster)
    }

    /// The leaves whose fields an expression over the whole row reads.
    pub(super) fn reads(&self, cx: &Cx<'_>, expression: NodeId) -> Option<Set> {
        match read(cx, expression, self.whole) {
            Read::Some(names) => {
                names.iter().map(|n| self.owner.get(n).map(|&at| 1 << at)).try_fold(0, |set, bit: Option<Set>| Some(set | bit?))
            }
            Read::All => None,
        }
    }

    /// What the joins from `top` down ask for, over the whole row.
    fn conditions(&mut self, cx: &mut Cx<'_>, top: NodeId) -> Option<()> {
        let mut stack = vec![top];
        while let Some(id) = stack.pop() {
            if self.leaves.contains(&id) {
                continue;
            }
            let join = cx.as_join(id)?;
            self.chosen &= !stands_as_written(cx, id);
            let (left, right) = (row_slot(cx, 41, join.left)?, row_slot(cx, 42, join.right)?);
            let left_keys = cx.open(join.left_keys, &[left], &join.captures)?;
            let right_keys = cx.open(join.right_keys, &[right], &join.captures)?;
            let predicate = cx.open(join.predicate, &[left, right], &join.captures)?;
            let (left_keys, right_keys) = (written_out(cx, left_keys)?, written_out(cx, right_keys)?);
            for (l, r) in left_keys.values.iter().zip(&right_keys.values) {
                let (l, r) = (self.lift(cx, *l, left)?, self.lift(cx, *r, right)?);
                let (a, b) = (self.reads(cx, l)?, self.reads(cx, r)?);
                if a == 0 || b == 0 {
                    // A key that reads nothing of its side, such as a constant, is a condition on the other side only.
                    let equal = if a == 0 { equal(cx, r, l)? } else { equal(cx, l, r)? };
                    self.predicates.push((equal, a | b));
                } else {
                    self.edges.push(Edge { left: (l, a), right: (r, b) });
                }
            }
            for one in conjuncts(cx, predicate) {
                let lifted = self.lift(cx, one, left)?;
                let lifted = self.lift(cx, lifted, right)?;
                let set = self.reads(cx, lifted)?;
                self.predicates.push((lifted, set));
            }
            stack.extend([join.right, join.left]);
        }
        Some(())
    }

    /// An expression over a row of one join as one over the whole row.
    fn lift(&self, cx: &mut Cx<'_>, expression: NodeId, row: NodeId) -> Option<NodeId> {
        let whole = self.whole;
        map_fields(cx, expression, row, &mut |graph, name| graph.get(whole, name.clone()).map(Some))
    }
}

/// Whether two keys are equal, as keys compare: NaN equals itself, and null nothing.
pub(super) fn equal(cx: &mut Cx<'_>, left: NodeId, right: NodeId) -> Option<NodeId> {
    let nan = if holds_floats(cx.types(), cx.ty_id(left)) { NanOrder::Total } else { NanOrder::Ieee };
    cx.eq(left, right, nan)
}

/// The tree at `id`, and the leaves by whose rows its rows are ordered.
fn shape(cx: &mut Cx<'_>, id: NodeId, leaves: &mut Vec<NodeId>, depth: usize) -> Option<(Tree, Vec<usize>)> {
    let inner = |cx: &Cx<'_>| {
        let join = cx.as_join(id)?;
        let is_inner = matches!(join.how, JoinHow::Inner | JoinHow::Cross) && join.nulls == NullMatch::Never;
        let pure = [join.left_keys, join.right_keys, join.predicate].iter().all(|&b| cx.effect(b) == Effect::Pure);
        let mine = depth == 0 || cx.uses(id) <= 1;
        (is_inner && pure && mine && depth < MAX_DEPTH).then_some(join)
    };
    match inner(cx) {
        Some(join) => {
            let (left, mut first) = shape(cx, join.left, leaves, depth + 1)?;
            let (right, mut second) = shape(cx, join.right, leaves, depth + 1)?;
            if join.major == Side::Right {
                std::mem::swap(&mut first, &mut second);
            }
            first.append(&mut second);
            Some((Tree::Join(Box::new(left), Box::new(right)), first))
        }
        None if depth == 0 || leaves.len() >= MAX_LEAVES => None,
        None => {
            leaves.push(id);
            let at = leaves.len() - 1;
            Some((Tree::Leaf(at), vec![at]))
        }
    }
}
