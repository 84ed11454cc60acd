//! Branches and loops. Arrays are not passed round: what is in memory is their version, and each form sees to it that it ends with the version it says.

use super::emit::{Why, Writer};
use super::value::Val;
use crate::kind::Kind;
use crate::llvm::{Block, Value};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::control::Control;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// How often a loop turns, and from where by which step.
pub(super) struct Turns {
    pub(super) start: Value,
    pub(super) step: Value,
    /// As a number without sign.
    pub(super) count: Value,
    by_one: bool,
}

impl Writer<'_> {
    pub(super) fn branch(&mut self, id: NodeId, condition: Value, bodies: &[NodeId], captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        if bodies.iter().any(|&body| self.stores(body)) {
            self.flag();
        }
        let blocks = [b.block(), b.block()];
        let end = b.block();
        b.go_if(condition, blocks[0], blocks[1]);
        let before: Vec<u32> = self.versions_now();
        let mut ends: Vec<(Val, Block, Vec<u32>)> = Vec::new();
        for (which, &body) in bodies.iter().enumerate() {
            b.enter(blocks[which]);
            for (object, &version) in self.objects.iter_mut().zip(&before) {
                object.current = version;
            }
            self.known.enter(id, which);
            let made = self.body(body, captures);
            self.known.leave();
            let made = made?;
            for (object, version) in made.arrays() {
                self.is_current(object, version)?;
            }
            ends.push((made, b.here(), self.versions_now()));
            b.go(end);
        }
        b.enter(end);
        let objects = |made: &Val| made.arrays().into_iter().map(|(object, _)| object).collect::<Vec<_>>();
        if objects(&ends[0].0) != objects(&ends[1].0) {
            return Err("the branches give different arrays".into());
        }
        for object in 0..self.objects.len() {
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
        Ok(ends[0].0.with(&mut met.into_iter(), &|object| self.objects[object].current))
    }

    pub(super) fn repeated(&mut self, state: &Val, bodies: &[NodeId], captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        if self.stores(bodies[1]) {
            self.flag();
        }
        let owned = self.begin(state)?;
        let (before, head) = (b.here(), b.block());
        b.go(head);
        b.enter(head);
        let (phis, inside) = self.phis(state, before);
        let with_state = |state: &Val| [std::slice::from_ref(state), captures].concat();
        let versions = self.versions_now();
        let (condition, _) = self.body(bodies[0], &with_state(&inside))?.scalar()?;
        if self.versions_now() != versions {
            return Err("the test of a loop stores".into());
        }
        let (step, end) = (b.block(), b.block());
        b.go_if(condition, step, end);
        b.enter(step);
        let next = self.body(bodies[1], &with_state(&inside))?;
        self.turned(&owned, &versions, &next)?;
        for (&phi, (value, _)) in phis.iter().zip(next.leaves()) {
            b.meet(phi, value, b.here());
        }
        b.go(head);
        b.enter(end);
        self.begin(state).map(|_| ())?;
        Ok(inside.with(&mut phis.into_iter(), &|object| self.objects[object].current))
    }

    pub(super) fn counted(&mut self, place: u32, fixed: &[Val], step: NodeId, body: NodeId, captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        if self.stores(body) {
            self.flag();
        }
        let (start, stop, by) = (fixed[1].scalar()?.0, fixed[2].scalar()?.0, fixed[3].scalar()?.0);
        let state = &fixed[0];
        let turns = self.turns(place, start, stop, by, self.graph.const_int(step));
        let owned = self.begin(state)?;
        let (some, end) = (b.block(), b.block());
        let mut ends = vec![(state.leaves(), b.here())];
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntNE, turns.count, b.number(0)), some, end);
        b.enter(some);
        let versions = self.versions_now();
        // What holds for all turns is looked at before the first, and the loop is written a second time for it.
        if !self.loops(body)
            && let Some((holds, known)) = self.foreseen(body, &turns, state, captures)
        {
            let (with, without) = (b.block(), b.block());
            b.go_if(holds, with, without);
            b.enter(with);
            let outer = std::mem::replace(&mut self.known, known);
            let made = self.loop_of(&turns, state, body, captures, &owned, &versions);
            self.known = outer;
            ends.push((made?, b.here()));
            b.go(end);
            b.enter(without);
            for (object, &version) in self.objects.iter_mut().zip(&versions) {
                object.current = version;
            }
        }
        let outer = std::mem::take(&mut self.known);
        let made = self.loop_of(&turns, state, body, captures, &owned, &versions);
        self.known = outer;
        ends.push((made?, b.here()));
        b.go(end);
        b.enter(end);
        let mut met = Vec::new();
        for (at, &(_, kind)) in ends[0].0.iter().enumerate() {
            let phi = b.phi(b.scalar_type(kind.repr()));
            for (leaves, from) in &ends {
                b.meet(phi, leaves[at].0, *from);
            }
            met.push(phi);
        }
        for &object in &owned {
            self.objects[object].current = self.version();
        }
        Ok(state.with(&mut met.into_iter(), &|object| self.objects[object].current))
    }

    /// The turns of a loop that turns at least once: the state after them.
    fn loop_of(
        &mut self,
        turns: &Turns,
        state: &Val,
        body: NodeId,
        captures: &[Val],
        owned: &[usize],
        versions: &[u32],
    ) -> Result<Vec<(Value, Kind)>, String> {
        let b = self.builder;
        let (before, head, end) = (b.here(), b.block(), b.block());
        b.go(head);
        b.enter(head);
        let turn = b.phi(b.int_type(64));
        b.meet(turn, b.number(0), before);
        let (phis, inside) = self.phis(state, before);
        let number = match turns.by_one {
            true => b.fitting(LLVMOpcode::LLVMAdd, turns.start, turn),
            false => b.math(LLVMOpcode::LLVMAdd, turns.start, b.math(LLVMOpcode::LLVMMul, turn, turns.step)),
        };
        let count = super::emit::kind_of_count();
        let next = self.body(body, &[&[Val::Scalar(number, count), inside], captures].concat())?;
        self.turned(owned, versions, &next)?;
        let after = b.math(LLVMOpcode::LLVMAdd, turn, b.number(1));
        b.meet(turn, after, b.here());
        for (&phi, (value, _)) in phis.iter().zip(next.leaves()) {
            b.meet(phi, value, b.here());
        }
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntULT, after, turns.count), head, end);
        b.enter(end);
        Ok(next.leaves())
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

    /// The phis of a state's single values, and the state inside the loop.
    fn phis(&mut self, state: &Val, before: Block) -> (Vec<Value>, Val) {
        let b = self.builder;
        let mut phis = Vec::new();
        for (value, kind) in state.leaves() {
            let phi = b.phi(b.scalar_type(kind.repr()));
            b.meet(phi, value, before);
            phis.push(phi);
        }
        let inside = state.with(&mut phis.clone().into_iter(), &|object| self.objects[object].current);
        (phis, inside)
    }

    /// Takes the arrays of a state into a loop, where they have a version of their own: which they are.
    fn begin(&mut self, state: &Val) -> Result<Vec<usize>, String> {
        let mut owned = Vec::new();
        for (object, _) in state.arrays() {
            if owned.contains(&object) {
                return Err("an array is in the state of a loop twice".into());
            }
            owned.push(object);
            self.objects[object].current = self.version();
        }
        Ok(owned)
    }

    /// What holds at the end of a turn: the arrays of the state are what is in memory, and no other array was stored to.
    fn turned(&self, owned: &[usize], before: &[u32], next: &Val) -> Result<(), String> {
        let arrays = next.arrays();
        if arrays.iter().map(|(object, _)| *object).ne(owned.iter().copied()) {
            return Err("a loop changes places of arrays".into());
        }
        for (object, version) in arrays {
            self.is_current(object, version)?;
        }
        let stored =
            self.versions_now().iter().zip(before).enumerate().any(|(object, (now, before))| now != before && !owned.contains(&object));
        if stored { Err("a loop stores to an array that is not in its state".into()) } else { Ok(()) }
    }

    fn versions_now(&self) -> Vec<u32> {
        self.objects.iter().map(|object| object.current).collect()
    }

    /// Whether a body stores.
    fn stores(&self, body: NodeId) -> bool {
        self.holds(body, &|op| op == Op::Array(Array::Put))
    }

    /// Whether a body has a loop.
    fn loops(&self, body: NodeId) -> bool {
        self.holds(body, &|op| matches!(op, Op::Control(Control::For | Control::While)))
    }

    fn holds(&self, body: NodeId, is: &dyn Fn(Op) -> bool) -> bool {
        self.graph.post_order(&[body]).into_iter().any(|id| is(self.graph.op(id)))
    }
}
