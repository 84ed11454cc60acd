//! Bodies closed: what they need from outside becomes captures.

use super::{Args, Graph, NodeId, TypeError};
use crate::attrs::Effect;
use crate::hash::Table;
use crate::ops::Op;
use crate::ops::core::{BuildCore, Core};
use crate::types::TyId;

impl Graph {
    /// Closes a body written with `holes`: they become its parameters, and the largest parts that mention none of them become captures, so that what does
    /// not change in a loop is computed outside it. Constants, functions and rows stay inside. A part that may raise is not moved out, since the body may never
    /// run; what it is made of is captured instead.
    pub fn close(&mut self, holes: &[NodeId], body: NodeId) -> Result<(NodeId, Args), TypeError> {
        self.close_around(holes, &[], body)
    }

    /// As [`Graph::close`], with nodes that are captured whole whatever they may do: those that were captures before the body was taken apart, and so are computed
    /// outside it already.
    pub fn close_around(&mut self, holes: &[NodeId], outside: &[NodeId], body: NodeId) -> Result<(NodeId, Args), TypeError> {
        let mentions = self.mentions(holes, body);
        let mut params: Vec<TyId> = holes.iter().map(|&h| self.ty_id(h)).collect();
        let mut captures = Args::new();
        let mut places: Table<NodeId, NodeId> = Table::default();
        for (i, &hole) in holes.iter().enumerate() {
            let place = self.param(i as i64, self.ty_id(hole))?;
            places.insert(hole, place);
        }
        let result = self.rebuild(body, &mut |graph, id| {
            if let Some(&place) = places.get(&id) {
                return Ok(Some(place));
            }
            if mentions.get(&id).copied().unwrap_or(false) {
                return Ok(None);
            }
            match graph.op(id) {
                Op::Core(Core::Const | Core::Placeholder | Core::Lambda) => return Ok(Some(id)),
                // A row costs nothing to make, and is better seen where it is used; what it is made of is moved out.
                Op::Core(Core::Row | Core::Tuple) if !outside.contains(&id) => return Ok(None),
                // Not moved out where it might raise, unless there is nothing below it to move instead.
                _ if graph.effect(id) != Effect::Pure && !graph.args(id).is_empty() && !outside.contains(&id) => return Ok(None),
                _ => (),
            }
            let place = graph.param(params.len() as i64, graph.ty_id(id))?;
            params.push(graph.ty_id(id));
            captures.push(id);
            places.insert(id, place);
            Ok(Some(place))
        })?;
        let lambda = self.lambda(result, params.into())?;
        Ok((lambda, captures))
    }

    /// A function of the program, written with `holes`: nothing is outside it to be captured, so everything stays inside.
    pub fn function(&mut self, holes: &[NodeId], result: NodeId) -> Result<NodeId, TypeError> {
        let params: Vec<TyId> = holes.iter().map(|&h| self.ty_id(h)).collect();
        let places = self.params(&params)?;
        let result = self.rebuild(result, &mut |graph, id| {
            let place = holes.iter().position(|&h| h == id).map(|at| places[at]);
            Ok(place.or_else(|| (!graph.node(id).has_holes()).then_some(id)))
        })?;
        self.lambda(result, params.into())
    }

    /// A body of these parameter types, written by a closure, with what it captures.
    pub fn body(
        &mut self,
        params: &[TyId],
        write: impl FnOnce(&mut Graph, &[NodeId]) -> Result<NodeId, TypeError>,
    ) -> Result<(NodeId, Args), TypeError> {
        let holes: Vec<NodeId> = params.iter().map(|&ty| self.fresh_hole(ty)).collect();
        let result = write(self, &holes)?;
        self.close(&holes, result)
    }

    /// Which nodes below `root` mention one of `holes`.
    fn mentions(&self, holes: &[NodeId], root: NodeId) -> Table<NodeId, bool> {
        let mut mentions: Table<NodeId, bool> = Table::default();
        let mut stack = vec![(root, false)];
        while let Some((id, entered)) = stack.pop() {
            if mentions.contains_key(&id) || !self.node(id).has_holes() {
                continue;
            }
            if holes.contains(&id) {
                mentions.insert(id, true);
            } else if entered {
                let any = self.args(id).iter().any(|a| mentions.get(a).copied().unwrap_or(false));
                mentions.insert(id, any);
            } else {
                stack.push((id, true));
                stack.extend(self.args(id).iter().map(|&a| (a, false)));
            }
        }
        mentions
    }
}

/// Several bodies of one op, which share what they capture.
pub struct Closed {
    /// The bodies, in order.
    pub bodies: Vec<NodeId>,
    /// What they capture together.
    pub captures: Args,
}

impl Graph {
    /// Closes the bodies of one op, each written with holes of its own, over one list of captures; `outside` as for [`Graph::close_around`].
    pub fn close_all(&mut self, bodies: &[(&[NodeId], NodeId)], outside: &[NodeId]) -> Result<Closed, TypeError> {
        let mut closed = Vec::with_capacity(bodies.len());
        let mut captures = Args::new();
        for &(holes, body) in bodies {
            let (lambda, own) = self.close_around(holes, outside, body)?;
            for &capture in &own {
                if !captures.contains(&capture) {
                    captures.push(capture);
                }
            }
            closed.push((lambda, own, holes.len()));
        }
        let mut lambdas = Vec::with_capacity(bodies.len());
        for (lambda, own, count) in closed {
            lambdas.push(if own == captures { lambda } else { self.recapture(lambda, &own, count, &captures)? });
        }
        Ok(Closed { bodies: lambdas, captures })
    }

    /// A body over another list of captures, of which its own are a part.
    fn recapture(&mut self, lambda: NodeId, own: &[NodeId], count: usize, captures: &[NodeId]) -> Result<NodeId, TypeError> {
        let mut params = self.params_of(lambda)[..count].to_vec();
        params.extend(captures.iter().map(|&c| self.ty_id(c)));
        let places = self.params(&params)?;
        let place_of = |capture: &NodeId| captures.iter().position(|c| c == capture).expect("its own captures are among them");
        let args: Vec<NodeId> = places[..count].iter().copied().chain(own.iter().map(|c| places[count + place_of(c)])).collect();
        let result = self.apply(lambda, &args)?;
        self.lambda(result, params.into())
    }
}
