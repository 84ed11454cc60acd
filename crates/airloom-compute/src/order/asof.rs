//! Joins by the nearest key: which right row belongs to each left one.

use crate::data::native::{Native, Width, as_wide, by_whole_width};
use crate::keys::by_group;
use airloom_ir::attrs::AsofDirection;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use std::cmp::Ordering;

/// How rows are matched.
#[derive(Clone, Debug)]
pub struct Asof {
    /// Where matches are looked for.
    pub direction: AsofDirection,
    /// Whether equal values match.
    pub exact: bool,
    /// How far apart a match may be; null for any distance.
    pub tolerance: Value,
}

/// One side: what each row is matched on, and the number of its key.
pub struct AsofSide<'a> {
    /// What rows are matched on.
    pub on: &'a ArrayRef,
    /// The number of each row's key.
    pub keys: &'a [u32],
}

impl Asof {
    /// The right row of each left one.
    pub fn matches(&self, ty: &Ty, left: &AsofSide<'_>, right: &AsofSide<'_>) -> UInt32Array {
        match left.on.data_type() {
            DataType::Float32 => {
                let values = |side: &AsofSide<'_>| side.on.as_primitive::<Float32Type>().values().to_vec();
                let tolerance = if let Value::F32(x) = self.tolerance { Some(x) } else { None };
                self.nearest(left, right, &values(left), &values(right), tolerance)
            }
            DataType::Float64 => {
                let values = |side: &AsofSide<'_>| side.on.as_primitive::<Float64Type>().values().to_vec();
                let tolerance = if let Value::F64(x) = self.tolerance { Some(x) } else { None };
                self.nearest(left, right, &values(left), &values(right), tolerance)
            }
            _ => {
                let tolerance = if let Value::Int(x) = self.tolerance { Some(x) } else { None };
                self.nearest(left, right, &whole(left.on, ty), &whole(right.on, ty), tolerance)
            }
        }
    }

    fn nearest<N: On>(&self, left: &AsofSide<'_>, right: &AsofSide<'_>, lefts: &[N], rights: &[N], tolerance: Option<N>) -> UInt32Array {
        let lines = Lines::of(right, rights);
        // Rows of the left are often in order themselves: the search begins where the last one of the same key ended.
        let mut near: Vec<usize> = vec![0; lines.ends.len()];
        let found = |(row, &on): (usize, &N)| -> Option<u32> {
            let key = left.keys[row] as usize;
            if left.on.is_null(row) || on.is_nan() || key >= lines.ends.len() {
                return None;
            }
            let line = lines.line(key);
            let equal = first_where(line, near[key], |x| x.order(on).is_ge());
            near[key] = equal;
            let after = equal + first_where(&line[equal..], 0, |x| x.order(on).is_gt());
            // Where equal ones do not match, what lies behind ends before them and what lies ahead begins after them.
            let (behind, ahead) = if self.exact { (after, equal) } else { (equal, after) };
            let (back, fore) = (behind.checked_sub(1), (ahead < line.len()).then_some(ahead));
            let at = match (self.direction, back, fore) {
                (AsofDirection::Backward, found, _) | (AsofDirection::Forward, _, found) => found?,
                (AsofDirection::Nearest, Some(back), Some(fore)) => {
                    let nearer = line[fore].distance(on) < on.distance(line[back]);
                    if nearer { fore } else { back }
                }
                (AsofDirection::Nearest, back, fore) => back.or(fore)?,
            };
            let is_near = tolerance.is_none_or(|tolerance| on.distance(line[at]) <= tolerance);
            is_near.then(|| lines.rows[lines.start(key) + at])
        };
        lefts.iter().enumerate().map(found).collect()
    }
}

/// The right rows that can be matched, by their keys and in order of what they are matched on.
struct Lines<N> {
    rows: Vec<u32>,
    on: Vec<N>,
    ends: Vec<usize>,
}

impl<N: On> Lines<N> {
    fn of(side: &AsofSide<'_>, on: &[N]) -> Lines<N> {
        let count = side.keys.iter().max().map_or(0, |&key| key as usize + 1);
        let placed: Vec<u32> = (0..on.len() as u32).filter(|&row| side.on.is_valid(row as usize) && !on[row as usize].is_nan()).collect();
        let keys: Vec<u32> = placed.iter().map(|&row| side.keys[row as usize]).collect();
        let (order, ends) = by_group(&keys, count);
        let mut rows: Vec<u32> = order.values().iter().map(|&at| placed[at as usize]).collect();
        let mut start = 0;
        for &end in &ends {
            rows[start..end].sort_by(|&a, &b| on[a as usize].order(on[b as usize]));
            start = end;
        }
        Lines { on: rows.iter().map(|&row| on[row as usize]).collect(), rows, ends }
    }

    fn start(&self, key: usize) -> usize {
        if key == 0 { 0 } else { self.ends[key - 1] }
    }

    fn line(&self, key: usize) -> &[N] {
        &self.on[self.start(key)..self.ends[key]]
    }
}

/// The first position of a line at which something holds that holds from there on, looked for from a position near it.
fn first_where<N: Copy>(line: &[N], near: usize, holds: impl Fn(N) -> bool) -> usize {
    let near = near.min(line.len());
    let mut step = 1;
    if near > 0 && holds(line[near - 1]) {
        // It lies before: steps grow until one leads too far.
        let mut high = near - 1;
        loop {
            let low = high.saturating_sub(step);
            if low == high || !holds(line[low]) {
                return low + line[low..high].partition_point(|&x| !holds(x));
            }
            (high, step) = (low, step * 2);
        }
    }
    let mut low = near;
    loop {
        let high = low.saturating_add(step).min(line.len());
        if high == line.len() || holds(line[high]) {
            return low + line[low..high].partition_point(|&x| !holds(x));
        }
        (low, step) = (high, step * 2);
    }
}

/// Integers, whatever their width.
fn whole(on: &ArrayRef, ty: &Ty) -> Vec<i128> {
    let width = Width::of(ty).expect("invariant `values have their node's type`: rows are matched on numbers");
    by_whole_width!(
        width,
        N => N::numbers(on).expect("numbers of the type's width").iter().map(|&x| as_wide(x)).collect(),
        unreachable!("floats are matched in their own type")
    )
}

/// A value that rows are matched on.
trait On: Copy + PartialOrd {
    fn is_nan(self) -> bool;
    fn distance(self, other: Self) -> Self;

    /// The order of values that are not NaN: zeros of both signs are equal.
    fn order(self, other: Self) -> Ordering {
        self.partial_cmp(&other).unwrap_or(Ordering::Equal)
    }
}

impl On for i128 {
    fn is_nan(self) -> bool {
        false
    }

    fn distance(self, other: i128) -> i128 {
        (self - other).abs()
    }
}

/// Distances of floats are taken in their own type. Equal infinities are no distance apart, though their difference is NaN.
macro_rules! floats {
    ($($float:ty),*) => {$(
        impl On for $float {
            fn is_nan(self) -> bool {
                <$float>::is_nan(self)
            }

            fn distance(self, other: $float) -> $float {
                if self == other { 0.0 } else { (self - other).abs() }
            }
        }
    )*};
}

floats!(f32, f64);
