//! Arrays cut into the cells that are reduced.

use super::elements::spread;
use super::shape::room;
use crate::data::NdArray;
use airloom_ir::oracle::formula::strides;
use arrow::array::{Array, ArrayRef};
use std::ops::Range;

/// Elements that are stored cell by cell.
pub(super) struct Cells {
    /// The elements of the first cell, then those of the second, each in row-major order.
    pub(super) items: ArrayRef,
    /// The extents of the axes left over; nothing where there are none.
    pub(super) shape: Option<Vec<usize>>,
    /// How many elements each cell has.
    each: usize,
}

impl Cells {
    /// The cells along these axes, all where none is named. Where the last axes go, the elements are stored cell by cell already.
    pub(super) fn of(array: &NdArray, axes: &[i64]) -> Option<Cells> {
        let goes = |axis: &usize| axes.is_empty() || axes.contains(&(*axis as i64));
        let (gone, left): (Vec<usize>, Vec<usize>) = (0..array.shape.len()).partition(goes);
        if left.is_empty() {
            return Some(Cells { items: array.items.clone(), shape: None, each: array.items.len() });
        }
        let shape: Vec<usize> = left.iter().map(|&axis| array.shape[axis]).collect();
        room(&shape).ok()?;
        let size = array.items.len();
        let each = if size == 0 { 0 } else { gone.iter().map(|&axis| array.shape[axis]).product() };
        if size == 0 {
            return Some(Cells { items: array.items.clone(), shape: Some(shape), each });
        }
        let steps = strides(&array.shape);
        let order = || left.iter().chain(&gone);
        let moved: Vec<usize> = order().map(|&axis| array.shape[axis]).collect();
        let steps: Vec<usize> = order().map(|&axis| steps[axis]).collect();
        Some(Cells { items: spread(&array.items, &moved, &steps, size)?, shape: Some(shape), each })
    }

    /// How many cells there are.
    pub(super) fn count(&self) -> usize {
        self.shape.as_ref().map_or(1, |shape| shape.iter().product())
    }

    /// The range of each cell.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let each = self.each;
        (0..self.count()).map(move |cell| cell * each..(cell + 1) * each)
    }
}
