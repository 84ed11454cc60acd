//! What a rule works with: the graph to read and to add to, and what is known of it.

use crate::facts::Facts;
use airloom_ir::attrs::{Attrs, Effect};
use airloom_ir::graph::{Args, Closed, Graph, NodeId, TypeError};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::TyId;
use std::collections::BTreeSet;
use std::ops::Deref;

/// A rule's context. Reading goes to the graph; every builder gives `Option<NodeId>`, and a node that is refused ends the rule and is reported by its name.
pub struct Cx<'a> {
    graph: &'a mut Graph,
    facts: &'a mut Facts,
    /// How many nodes read each node, when the stage began.
    uses: &'a [u32],
    pub(crate) refused: Option<TypeError>,
    /// What the bodies that were opened captured: computed outside them, and so captured again when they are closed.
    outside: Vec<NodeId>,
}

impl Deref for Cx<'_> {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        self.graph
    }
}

impl Make for Cx<'_> {
    type Made = Option<NodeId>;

    fn make(&mut self, op: Op, attrs: Attrs, args: &[NodeId]) -> Option<NodeId> {
        let made = self.graph.make(op, attrs, args);
        self.note(made)
    }
}

impl<'a> Cx<'a> {
    pub(crate) fn new(graph: &'a mut Graph, facts: &'a mut Facts, uses: &'a [u32]) -> Cx<'a> {
        Cx { graph, facts, uses, refused: None, outside: Vec::new() }
    }

    fn note<T>(&mut self, made: Result<T, TypeError>) -> Option<T> {
        match made {
            Ok(made) => Some(made),
            Err(error) => {
                self.refused.get_or_insert(error);
                None
            }
        }
    }

    /// How many nodes read a node. It may decide whether a rewrite pays, never whether it is right: it is as old as the stage.
    pub fn uses(&self, id: NodeId) -> u32 {
        self.uses.get(id.index()).copied().unwrap_or(1)
    }

    /// What is known of nodes.
    pub fn facts(&mut self) -> (&mut Facts, &Graph) {
        (self.facts, self.graph)
    }

    /// The graph itself, to add to, for code that handles refusals.
    pub fn graph_mut(&mut self) -> &mut Graph {
        self.graph
    }

    /// A placeholder for a body's parameter while a rule rewrites it. The same slot of the same type is the same node each time; a rule uses a slot for one
    /// body at a time.
    pub fn slot(&mut self, slot: u8, ty: TyId) -> Option<NodeId> {
        // Numbers from here on are not handed out by `fresh_hole`.
        self.hole((1 << 40) + i64::from(slot), ty)
    }

    /// A body opened: its result with `own` in place of its own parameters, and what it captures in place of the others. What replaces `own` belongs to the
    /// body that is being written; what is computed outside of it, as the arguments of a call are, goes with the captures.
    pub fn open(&mut self, body: NodeId, own: &[NodeId], captures: &[NodeId]) -> Option<NodeId> {
        let graph = &self.graph;
        self.outside.extend(captures.iter().filter(|&&id| !graph.node(id).has_holes()));
        let args: Args = own.iter().chain(captures).copied().collect();
        let made = self.graph.apply(body, &args);
        self.note(made)
    }

    /// Says that a node is computed outside the body that is being written: it is captured as it is.
    pub fn keep_outside(&mut self, id: NodeId) {
        self.outside.push(id);
    }

    /// A body closed over `holes`, with what it captures.
    pub fn close(&mut self, holes: &[NodeId], result: NodeId) -> Option<(NodeId, Args)> {
        let made = self.graph.close_around(holes, &self.outside, result);
        self.note(made)
    }

    /// The bodies of one op, closed over one list of captures.
    pub fn close_all(&mut self, bodies: &[(&[NodeId], NodeId)]) -> Option<Closed> {
        let made = self.graph.close_all(bodies, &self.outside);
        self.note(made)
    }

    /// Whether something that may raise was outside the bodies that were opened and is not computed for `made`: a body that does not read what it captures, or what
    /// it is given, would be rid of its error by being opened.
    pub(crate) fn loses_an_effect(&self, made: NodeId) -> bool {
        let mut raising = self.outside.iter().filter(|&&id| self.effect(id) != Effect::Pure).peekable();
        if raising.peek().is_none() {
            return false;
        }
        let kept: BTreeSet<NodeId> = self.block_order(&[made]).into_iter().collect();
        raising.any(|id| !kept.contains(id))
    }

    /// A row type from names and types.
    pub fn row_type(&mut self, fields: Vec<(airloom_ir::name::Name, TyId)>) -> Option<TyId> {
        self.graph.types_mut().row_of(fields).ok()
    }
}
