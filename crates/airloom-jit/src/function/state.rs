//! The state of a loop. Single values are phis; an array that stays where it is has a version of its own inside; one that changes places is another object inside, whose address and
//! extents are phis. An array that has become such an object is not to be read under its old name, which a new version sees to.

use super::Layout;
use super::emit::{Writer, size};
use super::value::{Object, Val};
use crate::llvm::{Block, Value};
use airloom_ir::graph::NodeId;

/// The state inside of a loop.
pub(super) struct Inside {
    pub(super) state: Val,
    phis: Vec<Value>,
    /// For each array: the object it is inside, and its phis where it changes places.
    arrays: Vec<(usize, Option<Vec<Value>>)>,
}

impl Writer<'_> {
    /// Which arrays of a state change places, in order.
    pub(super) fn moving(&self, state: &Val, body: NodeId, param: i64) -> Vec<bool> {
        match state {
            Val::Tuple(parts) => {
                let arrays = parts.iter().enumerate().filter(|(_, part)| matches!(part, Val::Array { .. }));
                arrays.map(|(at, _)| !self.stays(body, param, Some(at))).collect()
            }
            Val::Array { .. } => vec![!self.stays(body, param, None)],
            Val::Scalar(..) => Vec::new(),
        }
    }

    /// Takes the arrays of a state into a loop. Their old versions are not read again.
    pub(super) fn taken(&mut self, state: &Val, moving: &[bool]) -> Result<(), String> {
        let arrays = state.arrays();
        self.apart(&arrays)?;
        if arrays.len() != moving.len() {
            return Err("an array is deep in the state of a loop".into());
        }
        for (&(object, version), &moves) in arrays.iter().zip(moving) {
            self.is_current(object, version)?;
            self.objects[object].current = self.version();
            if moves {
                self.moved(object);
            }
        }
        Ok(())
    }

    /// That no array is there twice.
    pub(super) fn apart(&self, arrays: &[(usize, u32)]) -> Result<(), String> {
        let twice = arrays.iter().enumerate().any(|(at, (object, _))| arrays[..at].iter().any(|(other, _)| other == object));
        if twice { Err("an array is in the state of a loop twice".into()) } else { Ok(()) }
    }

    /// Notes that an array is known by another name from here on, by which it may be stored to.
    fn moved(&mut self, object: usize) {
        self.objects[object].current = self.version();
        if let Some(param) = self.objects[object].param {
            self.written.insert(param);
        }
    }

    /// What an object is made of, as code has it.
    fn parts(&self, object: usize) -> Vec<Value> {
        let Object { pointer, identity, extents, strides, .. } = &self.objects[object];
        [*pointer, *identity].into_iter().chain(extents.iter().copied()).chain(strides.iter().copied()).collect()
    }

    /// An object like another one, whose parts are phis.
    fn like(&mut self, other: usize, is_made: bool) -> ((usize, u32), Vec<Value>) {
        let b = self.builder;
        let parts = self.parts(other);
        let phis: Vec<Value> = (0..parts.len()).map(|at| b.phi(if at == 0 { b.pointer_type() } else { b.int_type(64) })).collect();
        let Object { kind, layout, ref extents, .. } = self.objects[other];
        let axes = extents.len();
        let (extents, mut strides) = (phis[2..2 + axes].to_vec(), phis[2 + axes..].to_vec());
        let bytes = b.number(size(kind) as i64);
        match layout {
            Layout::Rows => strides[axes - 1] = bytes,
            Layout::Columns => strides[0] = bytes,
            Layout::Strided => (),
        }
        let object =
            Object { pointer: phis[0], extents, strides, kind, layout, current: 0, identity: phis[1], param: None, is_made, scope: None };
        let Val::Array { object, version } = self.object(object) else { unreachable!("an object is an array") };
        ((object, version), phis)
    }

    /// One of several objects, by where one comes from. They are not read again.
    pub(super) fn meeting(&mut self, from: &[(usize, Block)], is_made: bool) -> Result<(usize, u32), String> {
        let (found, phis) = self.like(from[0].0, is_made);
        for &(object, block) in from {
            self.suits(found.0, object)?;
            for (&phi, part) in phis.iter().zip(self.parts(object)) {
                self.builder.meet(phi, part, block);
            }
        }
        for &(object, _) in from {
            self.moved(object);
        }
        Ok(found)
    }

    /// That an object can stand in another's place.
    fn suits(&self, place: usize, object: usize) -> Result<(), String> {
        let (x, y) = (&self.objects[place], &self.objects[object]);
        if x.kind != y.kind || x.extents.len() != y.extents.len() || x.layout != y.layout || (x.is_made && !y.is_made) {
            return Err("an array takes the place of one of another kind".into());
        }
        Ok(())
    }

    /// The state inside of a loop, at its head.
    pub(super) fn inside(&mut self, state: &Val, moving: &[bool], before: Block) -> Inside {
        let b = self.builder;
        let mut phis = Vec::new();
        for (value, kind) in state.leaves() {
            let phi = b.phi(b.scalar_type(kind.repr()));
            b.meet(phi, value, before);
            phis.push(phi);
        }
        let given = state.arrays();
        let all_made = given.iter().zip(moving).all(|(&(object, _), &moves)| !moves || self.objects[object].is_made);
        let (mut arrays, mut named) = (Vec::new(), Vec::new());
        for (&(object, _), &moves) in given.iter().zip(moving) {
            if !moves {
                named.push((object, self.objects[object].current));
                arrays.push((object, None));
                continue;
            }
            let (found, own) = self.like(object, all_made);
            for (&phi, part) in own.iter().zip(self.parts(object)) {
                b.meet(phi, part, before);
            }
            named.push(found);
            arrays.push((found.0, Some(own)));
        }
        let state = state.with(&mut phis.clone().into_iter(), &mut named.into_iter());
        Inside { state, phis, arrays }
    }

    /// Ends a turn: the state goes round. The arrays that stay are what is in memory, and nothing else was stored to.
    pub(super) fn turned(&mut self, inside: &Inside, before: &[u32], next: &Val, mark: Option<Value>) -> Result<(), String> {
        let arrays = next.arrays();
        self.apart(&arrays)?;
        for (&(object, version), (place, phis)) in arrays.iter().zip(&inside.arrays) {
            self.is_current(object, version)?;
            match phis {
                None if object != *place => return Err("a loop changes places of arrays".into()),
                None => (),
                Some(_) => self.suits(*place, object)?,
            }
        }
        let owned = |at: usize| inside.arrays.iter().any(|(object, _)| *object == at);
        let stored = self.versions_now().iter().zip(before).enumerate().any(|(at, (now, before))| now != before && !owned(at));
        let foreign = arrays.iter().any(|&(object, _)| object < before.len() && !owned(object));
        if stored || foreign {
            return Err("a loop stores to an array that is not in its state".into());
        }
        if let Some(mark) = mark {
            let kept: Vec<Value> = arrays
                .iter()
                .zip(&inside.arrays)
                .filter(|(_, (_, phis))| phis.is_some())
                .map(|(&(object, _), _)| self.objects[object].identity)
                .collect();
            self.release(mark, &kept);
        }
        let (b, here) = (self.builder, self.builder.here());
        for (&phi, (value, _)) in inside.phis.iter().zip(next.leaves()) {
            b.meet(phi, value, here);
        }
        for (&(object, _), (_, phis)) in arrays.iter().zip(&inside.arrays) {
            for (&phi, part) in phis.iter().flatten().zip(self.parts(object)) {
                b.meet(phi, part, here);
            }
        }
        Ok(())
    }

    /// The state after a loop that is left at its head.
    pub(super) fn after(&mut self, inside: &Inside) -> Val {
        let mut arrays = Vec::new();
        for &(object, _) in &inside.arrays {
            self.objects[object].current = self.version();
            arrays.push((object, self.objects[object].current));
        }
        inside.state.with(&mut inside.phis.clone().into_iter(), &mut arrays.into_iter())
    }

    /// The state where several ways meet: before a loop that does not turn, and after those that do.
    pub(super) fn met(&mut self, ends: &[(Val, Block)], moving: &[bool]) -> Result<Val, String> {
        let b = self.builder;
        let mut phis = Vec::new();
        for (at, (_, kind)) in ends[0].0.leaves().into_iter().enumerate() {
            let phi = b.phi(b.scalar_type(kind.repr()));
            for (state, from) in ends {
                b.meet(phi, state.leaves()[at].0, *from);
            }
            phis.push(phi);
        }
        let mut arrays = Vec::new();
        for (at, &moves) in moving.iter().enumerate() {
            let own: Vec<(usize, Block)> = ends.iter().map(|(state, from)| (state.arrays()[at].0, *from)).collect();
            if moves {
                let is_made = own.iter().all(|&(object, _)| self.objects[object].is_made);
                arrays.push(self.meeting(&own, is_made)?);
            } else {
                self.objects[own[0].0].current = self.version();
                arrays.push((own[0].0, self.objects[own[0].0].current));
            }
        }
        Ok(ends[0].0.with(&mut phis.into_iter(), &mut arrays.into_iter()))
    }
}
