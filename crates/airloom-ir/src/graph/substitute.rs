//! Parameters replaced by arguments, and functions composed.

use super::{Graph, NodeId, TypeError};
use crate::hash::Table;
use crate::ops::Make;
use crate::ops::core::BuildCore;
use crate::types::TyId;

impl Graph {
    /// `root` rebuilt from its leaves: where `replace` gives a node, that one is taken instead and is not looked into. Each node once, without recursion.
    pub fn rebuild(
        &mut self,
        root: NodeId,
        replace: &mut dyn FnMut(&mut Graph, NodeId) -> Result<Option<NodeId>, TypeError>,
    ) -> Result<NodeId, TypeError> {
        let mut done: Table<NodeId, NodeId> = Table::default();
        let mut stack = vec![(root, false)];
        while let Some((id, entered)) = stack.pop() {
            if done.contains_key(&id) {
                continue;
            }
            if entered {
                let args: super::Args = self.args(id).iter().map(|a| done[a]).collect();
                let made = if args.as_slice() == self.args(id) {
                    id
                } else {
                    let node = self.node(id);
                    let (op, attrs) = (node.op(), node.attrs.clone());
                    self.make(op, attrs, &args)?
                };
                done.insert(id, made);
            } else if let Some(made) = replace(self, id)? {
                done.insert(id, made);
            } else {
                stack.push((id, true));
                stack.extend(self.args(id).iter().rev().map(|&a| (a, false)));
            }
        }
        Ok(done[&root])
    }

    /// `body` with each parameter replaced by the argument of its number. The arguments may have other types than the parameters had, where
    /// everything that reads them still types: a row with fewer fields, for one.
    pub fn subst(&mut self, body: NodeId, with: &[NodeId]) -> Result<NodeId, TypeError> {
        self.rebuild(body, &mut |graph, id| {
            if !graph.node(id).is_open() {
                return Ok(Some(id));
            }
            let Some(param) = graph.as_param(id) else { return Ok(None) };
            let found = usize::try_from(param.number).ok().and_then(|n| with.get(n)).copied();
            found.map(Some).ok_or_else(|| TypeError {
                op: graph.op(id),
                message: format!("parameter {} has no argument: {} were given", param.number, with.len()),
            })
        })
    }

    /// The result of a function for these arguments, written out.
    pub fn apply(&mut self, lambda: NodeId, args: &[NodeId]) -> Result<NodeId, TypeError> {
        let result = self.result_of(lambda);
        self.subst(result, args)
    }

    /// `|x, outer captures…, inner captures…| outer(inner(x))`: the outer function of one parameter besides its captures, after the inner function,
    /// whose own parameters stay in front. `inner_own` is how many of the inner's parameters are its own, not captures.
    pub fn compose(&mut self, outer: NodeId, inner: NodeId, inner_own: usize) -> Result<NodeId, TypeError> {
        let inner_params = self.params_of(inner).to_vec();
        let outer_captured = self.params_of(outer)[1..].to_vec();
        let params: Vec<TyId> =
            inner_params[..inner_own].iter().chain(&outer_captured).chain(&inner_params[inner_own..]).copied().collect();
        let places: Vec<NodeId> = self.params(&params)?;
        let inner_args: Vec<NodeId> = places[..inner_own].iter().chain(&places[inner_own + outer_captured.len()..]).copied().collect();
        let value = self.apply(inner, &inner_args)?;
        let outer_args: Vec<NodeId> =
            std::iter::once(value).chain(places[inner_own..inner_own + outer_captured.len()].iter().copied()).collect();
        let result = self.apply(outer, &outer_args)?;
        self.lambda(result, params.into())
    }

    /// The parameters of a body with these types.
    pub fn params(&mut self, types: &[TyId]) -> Result<Vec<NodeId>, TypeError> {
        types.iter().enumerate().map(|(i, &ty)| self.param(i as i64, ty)).collect()
    }
}
