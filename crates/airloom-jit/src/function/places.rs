//! Which arrays of a loop's state stay where they are: those that each turn hands on as it was given them, stored to or not. The others change places.

use super::emit::Writer;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;

/// Where an array comes from: a parameter of the body, or an item of one.
type Origin = (i64, Option<usize>);

impl Writer<'_> {
    /// Whether the item of a loop's state is the same array after a turn. `state` is the number of the body's parameter, and `at` the item, where the state is a tuple.
    pub(super) fn stays(&self, body: NodeId, state: i64, at: Option<usize>) -> bool {
        let result = self.graph.result_of(body);
        let origin = match at {
            Some(at) => self.item(result, at),
            None => self.origin(result),
        };
        origin == Some((state, at))
    }

    /// The origin of an array. Recursive, as deep as branches and loops nest.
    fn origin(&self, mut node: NodeId) -> Option<Origin> {
        let graph = self.graph;
        loop {
            if let Some(param) = graph.as_param(node) {
                return Some((param.number, None));
            }
            let op = graph.op(node);
            let parts = op.def().parts(graph.args(node))?;
            node = match op {
                Op::Array(Array::Put) => parts.fixed[0],
                Op::Control(Control::Check) => parts.fixed[1],
                Op::Core(Core::Item) => return self.item(parts.fixed[0], graph.as_item(node)?.number as usize),
                Op::Control(Control::For) if self.stays(parts.bodies[0], 1, None) => parts.fixed[0],
                Op::Control(Control::While) if self.stays(parts.bodies[1], 0, None) => parts.fixed[0],
                _ => return None,
            };
        }
    }

    /// The origin of an item of a tuple.
    fn item(&self, tuple: NodeId, at: usize) -> Option<Origin> {
        let graph = self.graph;
        if let Some(param) = graph.as_param(tuple) {
            return Some((param.number, Some(at)));
        }
        let op = graph.op(tuple);
        let parts = op.def().parts(graph.args(tuple))?;
        match op {
            Op::Control(Control::Check) => self.item(parts.fixed[1], at),
            Op::Core(Core::Tuple) => self.origin(*parts.tail.get(at)?),
            Op::Control(Control::For) if self.stays(parts.bodies[0], 1, Some(at)) => self.item(parts.fixed[0], at),
            Op::Control(Control::While) if self.stays(parts.bodies[1], 0, Some(at)) => self.item(parts.fixed[0], at),
            Op::Control(Control::If) => {
                let origin = |body: NodeId| match self.item(graph.result_of(body), at)? {
                    (param, None) => self.origin(*parts.tail.get(param as usize)?),
                    _ => None,
                };
                let (then, otherwise) = (origin(parts.bodies[0])?, origin(parts.bodies[1])?);
                (then == otherwise).then_some(then)
            }
            _ => None,
        }
    }
}
