//! Elements of a buffer at fixed strides, in the order of a loop.

use super::elements::gather;
use crate::data::values::value_at;
use crate::data::{NdArray, Vector};
use airloom_ir::types::{TyId, Types};
use arrow::array::{Array, ArrayDataBuilder, ArrayRef, make_array};
use arrow::buffer::Buffer;
use arrow::datatypes::ArrowNativeType;

use super::affine::Affine;
use airloom_ir::oracle::formula::strides;

/// The elements that a loop reads of one array. Axes of the loop that follow one another in the buffer are one axis here.
pub(super) struct Strided {
    items: ArrayRef,
    /// Where the first is.
    base: isize,
    shape: Vec<usize>,
    steps: Vec<isize>,
}

impl Strided {
    /// What a loop over `shape`, which has indices, reads of an array by these indices; `None` where one is outside it.
    pub(super) fn new(array: &NdArray, shape: &[usize], indices: &[Affine]) -> Option<Strided> {
        let mut place = Affine { constant: 0, steps: vec![0; shape.len()] };
        for ((index, &extent), stride) in indices.iter().zip(&array.shape).zip(strides(&array.shape)) {
            place = place.plus(&index.within(shape, extent)?, stride as i128)?;
        }
        let steps: Option<Vec<isize>> = place.steps.iter().map(|&step| isize::try_from(step).ok()).collect();
        let mut merged: Vec<(usize, isize)> = Vec::new();
        for (&count, step) in shape.iter().zip(steps?) {
            match merged.last_mut() {
                _ if count == 1 => (),
                Some((outer, outer_step)) if *outer_step == step * count as isize => (*outer, *outer_step) = (*outer * count, step),
                _ => merged.push((count, step)),
            }
        }
        let (shape, steps) = merged.into_iter().unzip();
        Some(Strided { items: array.items.clone(), base: isize::try_from(place.constant).ok()?, shape, steps })
    }

    /// The elements of `count` positions of the loop from `from` on.
    pub(super) fn read(&self, types: &Types, element: TyId, from: usize, count: usize) -> Option<Vector> {
        let at = |start: isize| value_at(types, element, &self.items, start as usize);
        Some(match (self.shape.as_slice(), self.steps.as_slice()) {
            ([], _) | ([_], [0]) => Vector::Constant(at(self.base)),
            ([_], [1]) => Vector::Flat(self.items.slice(self.base as usize + from, count)),
            _ => Vector::Flat(self.copied(from, count)?),
        })
    }

    fn copied(&self, from: usize, count: usize) -> Option<ArrayRef> {
        let width = if self.items.null_count() == 0 { self.items.data_type().primitive_width() } else { None };
        match width {
            Some(1) => self.numbers::<u8>(from, count),
            Some(2) => self.numbers::<u16>(from, count),
            Some(4) => self.numbers::<u32>(from, count),
            Some(8) => self.numbers::<u64>(from, count),
            _ => {
                let mut places = Vec::with_capacity(count);
                self.each_run(from, count, |start, step, run| places.extend((0..run as isize).map(|at| (start + at * step) as usize)));
                gather(&self.items, places.into_iter())
            }
        }
    }

    /// Elements of the width of `N`, whatever they mean.
    fn numbers<N: ArrowNativeType>(&self, from: usize, count: usize) -> Option<ArrayRef> {
        let data = self.items.to_data();
        let source = &data.buffer::<N>(0)[..self.items.len()];
        let mut numbers: Vec<N> = Vec::with_capacity(count);
        self.each_run(from, count, |start, step, run| match step {
            0 => numbers.resize(numbers.len() + run, source[start as usize]),
            1 => numbers.extend_from_slice(&source[start as usize..start as usize + run]),
            step if step > 0 => numbers.extend(source[start as usize..].iter().step_by(step as usize).take(run)),
            step => numbers.extend(source[..=start as usize].iter().rev().step_by(step.unsigned_abs()).take(run)),
        });
        let made = ArrayDataBuilder::new(data.data_type().clone()).len(count).add_buffer(Buffer::from_vec(numbers)).build();
        made.ok().map(make_array)
    }

    /// The runs along the last axis: where each begins, how far apart its elements are, and how many it has.
    fn each_run(&self, from: usize, count: usize, mut run: impl FnMut(isize, isize, usize)) {
        let Some((&last, outer)) = self.shape.split_last() else { return };
        let last_step = self.steps[outer.len()];
        let (mut left, mut within, mut row) = (count, from % last, from / last);
        while left > 0 {
            let (mut start, mut rest) = (self.base + within as isize * last_step, row);
            for (&extent, &step) in outer.iter().zip(&self.steps).rev() {
                start += (rest % extent) as isize * step;
                rest /= extent;
            }
            let length = left.min(last - within);
            run(start, last_step, length);
            (left, within, row) = (left - length, 0, row + 1);
        }
    }
}
