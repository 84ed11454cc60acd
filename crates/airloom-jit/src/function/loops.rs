//! Branches and loops. Arrays are not passed round: what is in memory is their version, and each form sees to it that it ends with the version it says.

use super::emit::{Why, Writer, kind_of_count};
use super::value::Val;
use crate::llvm::{Block, Builder, Value};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::types::Ty;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// How often a loop turns, and from where by which step.
pub(super) struct Turns {
    pub(super) start: Value,
    pub(super) step: Value,
    /// As a number without sign.
    pub(super) count: Value,
    by_one: bool,
}

impl Turns {
    /// The numbers up to one that is not negative.
    pub(super) fn up_to(b: &Builder, count: Value) -> Turns {
        Turns { start: b.number(0), step: b.number(1), count, by_one: true }
    }
}

/// A loop that counts its turns from zero, and turns at least once.
pub(super) struct Counted {
    /// The number of the turn: it meets the next one where the turn ends.
    pub(super) turn: Value,
    /// Where the loop was come from, where each turn begins, and where the code after it does.
    pub(super) before: Block,
    pub(super) head: Block,
    pub(super) end: Block,
}

impl Counted {
    /// What is written next is the turn.
    pub(super) fn begin(b: &Builder) -> Counted {
        let (before, head, end) = (b.here(), b.block(), b.block());
        b.go(head);
        b.enter(head);
        let turn = b.phi(b.int_type(64));
        b.meet(turn, b.number(0), before);
        Counted { turn, before, head, end }
    }
}

impl Writer<'_> {
    pub(super) fn branch(&mut self, id: NodeId, condition: Value, bodies: &[NodeId], captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let blocks = [b.block(), b.block()];
        let end = b.block();
        b.go_if(condition, blocks[0], blocks[1]);
        let (before, flagged) = (self.versions_now(), self.flagged);
        let mut ends: Vec<(Val, Block, Vec<u32>, bool)> = Vec::new();
        for (which, &body) in bodies.iter().enumerate() {
            b.enter(blocks[which]);
            for (object, &version) in self.objects.iter_mut().zip(&before) {
                object.current = version;
            }
            self.flagged = flagged;
            self.known.enter(id, which);
            let made = self.body(body, captures);
            self.known.leave();
            let made = made?;
            for (object, version) in made.arrays() {
                self.is_current(object, version)?;
            }
            ends.push((made, b.here(), self.versions_now(), self.flagged));
            b.go(end);
        }
        b.enter(end);
        self.flagged = ends[0].3 && ends[1].3;
        for object in 0..before.len() {
            self.objects[object].current = match ends[0].2[object] == ends[1].2[object] {
                true => ends[0].2[object],
                false => self.version(),
            };
        }
        let (then, otherwise) = (ends[0].0.leaves(), ends[1].0.leaves());
        let mut met = Vec::with_capacity(then.len());
        for (&(x, kind), &(y, _)) in then.iter().zip(&otherwise) {
            let phi = b.phi(b.scalar_type(kind.repr()));
            b.meet(phi, x, ends[0].1);
            b.meet(phi, y, ends[1].1);
            met.push(phi);
        }
        let (first, second) = (ends[0].0.arrays(), ends[1].0.arrays());
        let mut arrays = Vec::with_capacity(first.len());
        for (&(x, _), &(y, _)) in first.iter().zip(&second) {
            if x == y {
                arrays.push((x, self.objects[x].current));
                continue;
            }
            let is_made = self.objects[x].is_made && self.objects[y].is_made;
            arrays.push(self.meeting(&[(x, ends[0].1), (y, ends[1].1)], is_made)?);
        }
        self.apart(&first)?;
        self.apart(&second)?;
        Ok(ends[0].0.with(&mut met.into_iter(), &mut arrays.into_iter()))
    }

    pub(super) fn repeated(&mut self, state: &Val, bodies: &[NodeId], captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let moving = self.moving(state, bodies[1], 0);
        self.flag_for(state, bodies[1]);
        let flagged = self.flagged;
        let mark = bodies.iter().any(|&body| self.makes(body)).then(|| self.mark());
        self.taken(state, &moving)?;
        let (before, head) = (b.here(), b.block());
        b.go(head);
        b.enter(head);
        let inside = self.inside(state, &moving, before);
        let with_state = |state: &Val| [std::slice::from_ref(state), captures].concat();
        let versions = self.versions_now();
        let (condition, _) = self.body(bodies[0], &with_state(&inside.state))?.scalar()?;
        if self.versions_now()[..versions.len()] != versions[..] {
            return Err("the test of a loop stores".into());
        }
        let (step, end) = (b.block(), b.block());
        b.go_if(condition, step, end);
        b.enter(step);
        let next = self.body(bodies[1], &with_state(&inside.state))?;
        self.turned(&inside, &versions, &next, mark)?;
        b.go(head);
        b.enter(end);
        self.flagged = flagged;
        Ok(self.after(&inside))
    }

    pub(super) fn counted(&mut self, place: u32, fixed: &[Val], step: NodeId, body: NodeId, captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let (start, stop, by) = (fixed[1].scalar()?.0, fixed[2].scalar()?.0, fixed[3].scalar()?.0);
        let state = &fixed[0];
        let moving = self.moving(state, body, 1);
        self.flag_for(state, body);
        let flagged = self.flagged;
        let turns = self.turns(place, start, stop, by, self.graph.const_int(step));
        self.taken(state, &moving)?;
        let mark = self.makes(body).then(|| self.mark());
        let (some, end) = (b.block(), b.block());
        let mut ends = vec![(state.clone(), b.here())];
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntNE, turns.count, b.number(0)), some, end);
        b.enter(some);
        let versions = self.versions_now();
        // What holds for all turns is looked at before the first, and the loop is written a second time for it.
        if !self.loops(body)
            && !moving.contains(&true)
            && let Some((holds, known)) = self.foreseen(body, &turns, std::slice::from_ref(state), captures)
        {
            let (with, without) = (b.block(), b.block());
            b.go_if(holds, with, without);
            b.enter(with);
            let outer = std::mem::replace(&mut self.known, known);
            let made = self.loop_of(&turns, state, &moving, body, captures, mark);
            self.known = outer;
            ends.push((made?, b.here()));
            b.go(end);
            b.enter(without);
            for (object, &version) in self.objects.iter_mut().zip(&versions) {
                object.current = version;
            }
        }
        let outer = std::mem::take(&mut self.known);
        let made = self.loop_of(&turns, state, &moving, body, captures, mark);
        self.known = outer;
        ends.push((made?, b.here()));
        b.go(end);
        b.enter(end);
        self.flagged = flagged;
        self.met(&ends, &moving)
    }

    /// The turns of a loop that turns at least once: the state after them.
    fn loop_of(
        &mut self,
        turns: &Turns,
        state: &Val,
        moving: &[bool],
        body: NodeId,
        captures: &[Val],
        mark: Option<Value>,
    ) -> Result<Val, String> {
        let b = self.builder;
        let Counted { turn, before, head, end } = Counted::begin(b);
        let inside = self.inside(state, moving, before);
        let versions = self.versions_now();
        let number = match turns.by_one {
            true => b.fitting(LLVMOpcode::LLVMAdd, turns.start, turn),
            false => b.math(LLVMOpcode::LLVMAdd, turns.start, b.math(LLVMOpcode::LLVMMul, turn, turns.step)),
        };
        let next = self.body(body, &[&[Val::Scalar(number, kind_of_count()), inside.state.clone()], captures].concat())?;
        self.turned(&inside, &versions, &next, mark)?;
        let after = b.math(LLVMOpcode::LLVMAdd, turn, b.number(1));
        b.meet(turn, after, b.here());
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntULT, after, turns.count), head, end);
        b.enter(end);
        Ok(next)
    }

    /// How often `range(start, stop, step)` turns; a step of zero raises.
    fn turns(&mut self, place: u32, start: Value, stop: Value, step: Value, known: Option<i64>) -> Turns {
        let b = self.builder;
        let math = |op: LLVMOpcode, x: Value, y: Value| b.math(op, x, y);
        let (zero, one) = (b.number(0), b.number(1));
        if known.is_none_or(|step| step == 0) {
            self.raise_if(self.ints(LLVMIntPredicate::LLVMIntEQ, step, zero), place, Why::Number, [zero, zero, zero]);
        }
        let up = || {
            let span = math(LLVMOpcode::LLVMSub, stop, start);
            let count = match known {
                Some(1) => span,
                _ => math(LLVMOpcode::LLVMAdd, math(LLVMOpcode::LLVMUDiv, math(LLVMOpcode::LLVMSub, span, one), step), one),
            };
            b.select(self.ints(LLVMIntPredicate::LLVMIntSLT, start, stop), count, zero)
        };
        let down = || {
            let (span, by) = (math(LLVMOpcode::LLVMSub, start, stop), math(LLVMOpcode::LLVMSub, zero, step));
            let count = math(LLVMOpcode::LLVMAdd, math(LLVMOpcode::LLVMUDiv, math(LLVMOpcode::LLVMSub, span, one), by), one);
            b.select(self.ints(LLVMIntPredicate::LLVMIntSGT, start, stop), count, zero)
        };
        let count = match known {
            Some(1..) => up(),
            Some(_) => down(),
            None => b.select(self.ints(LLVMIntPredicate::LLVMIntSGT, step, zero), up(), down()),
        };
        Turns { start, step, count, by_one: known == Some(1) }
    }

    pub(super) fn versions_now(&self) -> Vec<u32> {
        self.objects.iter().map(|object| object.current).collect()
    }

    /// Whether a body stores.
    fn stores(&self, body: NodeId) -> bool {
        self.holds(body, &|op| op == Op::Array(Array::Put))
    }

    /// Whether a body makes arrays.
    fn makes(&self, body: NodeId) -> bool {
        let graph = self.graph;
        graph.post_order(&[body]).into_iter().any(|id| match graph.op(id) {
            Op::Array(Array::Fill) => true,
            // A product makes room for its result, whatever that is.
            Op::Core(Core::Host) => {
                matches!(graph.types().get(graph.ty_id(id)), Ty::Arr(..))
                    || graph.as_host(id).is_some_and(|host| host.name.to_string().starts_with("numpy.matmul"))
            }
            _ => false,
        })
    }

    /// Notes, before a loop, that it may store where the caller sees it.
    fn flag_for(&mut self, state: &Val, body: NodeId) {
        if self.stores(body) && state.arrays().iter().any(|&(object, _)| !self.objects[object].is_made) {
            self.flag();
        }
    }

    /// Whether a body has a loop.
    fn loops(&self, body: NodeId) -> bool {
        self.holds(body, &|op| matches!(op, Op::Control(Control::For | Control::While)))
    }

    fn holds(&self, body: NodeId, is: &dyn Fn(Op) -> bool) -> bool {
        self.graph.post_order(&[body]).into_iter().any(|id| is(self.graph.op(id)))
    }
}
