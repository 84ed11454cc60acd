//! What holds for all turns of an innermost loop, looked at before it: indices that are within their axis at the first turn and at the last are so in between, where they are sums
//! and multiples of the loop's number, and integers that fit at both ends fit in between.

use super::emit::{Writer, kind_of_count};
use super::loops::Turns;
use super::value::Val;
use crate::emit::single;
use crate::llvm::Value;
use airloom_ir::attrs::{Attr, AttrType, Overflow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::number::Number;
use airloom_ir::types::TyId;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A node by the branches that lead to it: equal branches are one node.
type Place = (Vec<(NodeId, usize)>, NodeId);

/// An index that is known to be within its axis.
#[derive(Clone, Copy)]
pub(super) struct Within {
    /// It may count from the end.
    pub(super) may_be_negative: bool,
}

/// What is known in a loop.
#[derive(Default)]
pub(super) struct Known {
    indices: HashMap<(Place, usize), Within>,
    fits: HashSet<Place>,
    path: Vec<(NodeId, usize)>,
}

impl Known {
    /// Goes into a branch.
    pub(super) fn enter(&mut self, branch: NodeId, which: usize) {
        self.path.push((branch, which));
    }

    /// Comes out of it.
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// What is known of an index of an access.
    pub(super) fn within(&self, access: NodeId, axis: usize) -> Option<Within> {
        if self.indices.is_empty() { None } else { self.indices.get(&((self.path.clone(), access), axis)).copied() }
    }

    /// Whether a node fits its type in all turns.
    pub(super) fn fits(&self, node: NodeId) -> bool {
        !self.fits.is_empty() && self.fits.contains(&(self.path.clone(), node))
    }
}

/// A number of type `i64` that is a sum of multiples of the loop's number.
enum Affine {
    /// The loop's number.
    Turn,
    /// The same in all turns.
    Fixed(Value),
    Math(Number, Rc<Affine>, Rc<Affine>),
}

impl Affine {
    fn is_fixed(&self) -> bool {
        match self {
            Affine::Turn => false,
            Affine::Fixed(_) => true,
            Affine::Math(_, x, y) => x.is_fixed() && y.is_fixed(),
        }
    }
}

/// What is known of a value before the loop.
#[derive(Clone)]
enum Seen {
    Number(Rc<Affine>),
    Array(usize),
    Tuple(Vec<Seen>),
    Nothing,
}

/// What must hold at both ends.
struct Wanted {
    number: Rc<Affine>,
    place: Place,
    /// The axis and its extent, where it is an index.
    index: Option<(usize, Value)>,
}

/// More than this many conditions are not worth looking at.
const MOST: usize = 48;

impl Writer<'_> {
    /// Whether all that the body of a loop wants holds in all turns, and what is known then.
    pub(super) fn foreseen(&mut self, body: NodeId, turns: &Turns, state: &[Val], captures: &[Val]) -> Option<(Value, Known)> {
        let mut args = vec![Seen::Number(Rc::new(Affine::Turn))];
        args.extend(state.iter().map(of_state));
        args.extend(captures.iter().map(of_capture));
        let mut wanted = Vec::new();
        self.look(body, &args, &mut Vec::new(), &mut wanted);
        if wanted.is_empty() || wanted.len() > MOST {
            return None;
        }
        let b = self.builder;
        let last = b.math(LLVMOpcode::LLVMSub, turns.count, b.number(1));
        let last = b.math(LLVMOpcode::LLVMAdd, turns.start, b.math(LLVMOpcode::LLVMMul, last, turns.step));
        let (mut holds, mut known) = (b.mask(true), Known::default());
        for want in wanted {
            let (first, first_misfit) = self.at_turn(&want.number, turns.start);
            let (last, last_misfit) = self.at_turn(&want.number, last);
            holds = b.and(holds, b.not(b.or(first_misfit, last_misfit)));
            let Some((axis, extent)) = want.index else {
                known.fits.insert(want.place);
                continue;
            };
            let fixed = want.number.is_fixed();
            for end in [first, last] {
                let position = match fixed {
                    true => {
                        let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, end, b.number(0));
                        b.select(negative, b.math(LLVMOpcode::LLVMAdd, end, extent), end)
                    }
                    false => end,
                };
                holds = b.and(holds, self.ints(LLVMIntPredicate::LLVMIntULT, position, extent));
            }
            known.indices.insert((want.place, axis), Within { may_be_negative: fixed });
        }
        Some((holds, known))
    }

    /// A number in one turn, and whether it, or anything on the way, does not fit.
    fn at_turn(&self, number: &Affine, turn: Value) -> (Value, Value) {
        let b = self.builder;
        match number {
            Affine::Turn => (turn, b.mask(false)),
            Affine::Fixed(value) => (*value, b.mask(false)),
            Affine::Math(op, x, y) => {
                let ((x, x_misfit), (y, y_misfit)) = (self.at_turn(x, turn), self.at_turn(y, turn));
                let kind = kind_of_count();
                let attrs: Vec<Attr> = vec![Overflow::Raise.to_attr()];
                let (value, raised) = single(b, Op::Number(*op), &attrs, &[(x, kind), (y, kind)], kind);
                let misfit = b.or(x_misfit, y_misfit);
                (value, raised.map_or(misfit, |raised| b.or(misfit, raised)))
            }
        }
    }

    /// Goes through a body, branches included, and notes what it wants. Recursive, as deep as branches nest.
    fn look(&self, body: NodeId, args: &[Seen], path: &mut Vec<(NodeId, usize)>, wanted: &mut Vec<Wanted>) -> Seen {
        let graph = self.graph;
        let mut made: HashMap<NodeId, Seen> = HashMap::new();
        for (id, _) in self.schedule.of(graph, body) {
            let op = graph.op(id);
            let Some(parts) = op.def().parts(graph.args(id)) else { continue };
            let read = |id: &NodeId| self.seen(*id, args, &made);
            let seen = match op {
                Op::Core(Core::Tuple) => Seen::Tuple(parts.tail.iter().map(read).collect()),
                Op::Core(Core::Item) => match (read(&parts.fixed[0]), graph.as_item(id)) {
                    (Seen::Tuple(parts), Some(item)) => parts[item.number as usize].clone(),
                    _ => Seen::Nothing,
                },
                Op::Number(op @ (Number::Add | Number::Sub | Number::Mul | Number::Neg)) if graph.ty_id(id) == TyId::I64 => {
                    let found = self.math(op, &parts.fixed.iter().map(read).collect::<Vec<_>>());
                    let raises = graph.node(id).attrs().first().and_then(Overflow::from_attr) == Some(Overflow::Raise);
                    if let (Some(number), true) = (&found, raises) {
                        wanted.push(Wanted { number: number.clone(), place: (path.clone(), id), index: None });
                    }
                    found.map_or(Seen::Nothing, Seen::Number)
                }
                Op::Array(Array::Dim) => match (read(&parts.fixed[0]), graph.as_arr_dim(id)) {
                    (Seen::Array(object), Some(dim)) => {
                        Seen::Number(Rc::new(Affine::Fixed(self.objects[object].extents[dim.axis as usize])))
                    }
                    _ => Seen::Nothing,
                },
                Op::Array(Array::At | Array::Put) => {
                    let array = read(&parts.fixed[0]);
                    if let Seen::Array(object) = array {
                        for (axis, index) in parts.tail.iter().enumerate() {
                            if let Seen::Number(number) = read(index) {
                                let index = Some((axis, self.objects[object].extents[axis]));
                                wanted.push(Wanted { number, place: (path.clone(), id), index });
                            }
                        }
                    }
                    if op == Op::Array(Array::Put) { array } else { Seen::Nothing }
                }
                Op::Control(Control::Check) => read(&parts.fixed[1]),
                Op::Control(Control::If) => {
                    let captures: Vec<Seen> = parts.tail.iter().map(read).collect();
                    let mut ends = Vec::new();
                    for (which, &body) in parts.bodies.iter().enumerate() {
                        path.push((id, which));
                        ends.push(self.look(body, &captures, path, wanted));
                        path.pop();
                    }
                    both(&ends[0], &ends[1])
                }
                _ => Seen::Nothing,
            };
            made.insert(id, seen);
        }
        self.seen(graph.result_of(body), args, &made)
    }

    fn seen(&self, id: NodeId, args: &[Seen], made: &HashMap<NodeId, Seen>) -> Seen {
        if let Some(found) = made.get(&id) {
            return found.clone();
        }
        if let Some(param) = self.graph.as_param(id) {
            return args.get(param.number as usize).cloned().unwrap_or(Seen::Nothing);
        }
        match self.graph.const_int(id) {
            Some(value) if self.graph.ty_id(id) == TyId::I64 => Seen::Number(Rc::new(Affine::Fixed(self.builder.number(value)))),
            _ => Seen::Nothing,
        }
    }

    fn math(&self, op: Number, args: &[Seen]) -> Option<Rc<Affine>> {
        let number = |at: usize| if let Seen::Number(number) = args.get(at)? { Some(number.clone()) } else { None };
        let x = number(0)?;
        let (op, x, y) = match op {
            Number::Neg => (Number::Sub, Rc::new(Affine::Fixed(self.builder.number(0))), x),
            _ => (op, x, number(1)?),
        };
        // The product of two numbers that both change is not between its ends.
        let straight = op != Number::Mul || x.is_fixed() || y.is_fixed();
        straight.then(|| Rc::new(Affine::Math(op, x, y)))
    }
}

fn of_capture(value: &Val) -> Seen {
    match value {
        Val::Scalar(value, kind) if *kind == kind_of_count() => Seen::Number(Rc::new(Affine::Fixed(*value))),
        Val::Scalar(..) => Seen::Nothing,
        Val::Array { object, .. } => Seen::Array(*object),
        Val::Tuple(parts) => Seen::Tuple(parts.iter().map(of_capture).collect()),
    }
}

/// What changes from turn to turn is not known.
fn of_state(value: &Val) -> Seen {
    match value {
        Val::Scalar(..) => Seen::Nothing,
        Val::Array { object, .. } => Seen::Array(*object),
        Val::Tuple(parts) => Seen::Tuple(parts.iter().map(of_state).collect()),
    }
}

/// What is known of the result of a branch.
fn both(then: &Seen, otherwise: &Seen) -> Seen {
    match (then, otherwise) {
        (Seen::Array(x), Seen::Array(y)) if x == y => Seen::Array(*x),
        (Seen::Tuple(x), Seen::Tuple(y)) if x.len() == y.len() => Seen::Tuple(x.iter().zip(y).map(|(x, y)| both(x, y)).collect()),
        _ => Seen::Nothing,
    }
}
