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

/// The right rows that can be matched, by their keys and in order of what they are matched on.
pub struct AsofTable {
    asof: Asof,
    lines: Lines,
}

/// Lines of values of the type that they are compared in.
enum Lines {
    Integer(LinesOf<i64>),
    /// Integers that do not fit 64 bits with a sign.
    Wide(LinesOf<i128>),
    F32(LinesOf<f32>),
    F64(LinesOf<f64>),
}

/// Where the last row of each key was found. Rows of the left are often in order themselves: the next search begins there.
#[derive(Default)]
pub struct AsofPlaces(Vec<u32>);

impl AsofTable {
    /// Of right rows: what each is matched on, and the number of its key.
    pub fn new(asof: &Asof, ty: &Ty, on: &ArrayRef, keys: &[u32]) -> AsofTable {
        let lines = match on.data_type() {
            DataType::Float32 => Lines::F32(LinesOf::new(on, on.as_primitive::<Float32Type>().values(), keys)),
            DataType::Float64 => Lines::F64(LinesOf::new(on, on.as_primitive::<Float64Type>().values(), keys)),
            _ if is_wide(ty) => Lines::Wide(LinesOf::new(on, &integers::<i128>(on, ty), keys)),
            _ => Lines::Integer(LinesOf::new(on, &integers::<i64>(on, ty), keys)),
        };
        AsofTable { asof: asof.clone(), lines }
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        match &self.lines {
            Lines::Integer(lines) => lines.size(),
            Lines::Wide(lines) => lines.size(),
            Lines::F32(lines) => lines.size(),
            Lines::F64(lines) => lines.size(),
        }
    }

    /// The first and the last row of the first key, in the order of what rows are matched on.
    pub fn ends(&self) -> Option<(u32, u32)> {
        match &self.lines {
            Lines::Integer(lines) => lines.ends_of_first(),
            Lines::Wide(lines) => lines.ends_of_first(),
            Lines::F32(lines) => lines.ends_of_first(),
            Lines::F64(lines) => lines.ends_of_first(),
        }
    }

    /// The right row of each left one; the key of a left row may be one that no right row has.
    pub fn matches(&self, ty: &Ty, on: &ArrayRef, keys: &[u32], places: &mut AsofPlaces) -> UInt32Array {
        let (tolerance, left) = (&self.asof.tolerance, Left { on, keys });
        match &self.lines {
            Lines::F32(lines) => {
                let tolerance = if let Value::F32(x) = tolerance { Some(*x) } else { None };
                self.asof.nearest(lines, &left, on.as_primitive::<Float32Type>().values(), tolerance, places)
            }
            Lines::F64(lines) => {
                let tolerance = if let Value::F64(x) = tolerance { Some(*x) } else { None };
                self.asof.nearest(lines, &left, on.as_primitive::<Float64Type>().values(), tolerance, places)
            }
            Lines::Wide(lines) => self.asof.nearest(lines, &left, &integers::<i128>(on, ty), integer(tolerance), places),
            Lines::Integer(lines) => self.asof.nearest(lines, &left, &integers::<i64>(on, ty), integer(tolerance), places),
        }
    }
}

/// Left rows: what each is matched on, and the number of its key.
struct Left<'a> {
    on: &'a ArrayRef,
    keys: &'a [u32],
}

impl Asof {
    fn nearest<N: On>(
        &self,
        lines: &LinesOf<N>,
        left: &Left<'_>,
        lefts: &[N],
        tolerance: Option<N::Distance>,
        places: &mut AsofPlaces,
    ) -> UInt32Array {
        places.0.resize(lines.ends.len(), 0);
        let found = |(row, &on): (usize, &N)| -> Option<u32> {
            let key = left.keys[row] as usize;
            if left.on.is_null(row) || on.is_nan() || key >= lines.ends.len() {
                return None;
            }
            let line = lines.line(key);
            let equal = first_where(line, places.0[key] as usize, |x| x.order(on).is_ge());
            places.0[key] = equal as u32;
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

struct LinesOf<N> {
    rows: Vec<u32>,
    on: Vec<N>,
    ends: Vec<usize>,
}

impl<N: On> LinesOf<N> {
    fn new(array: &ArrayRef, on: &[N], keys: &[u32]) -> LinesOf<N> {
        let count = keys.iter().max().map_or(0, |&key| key as usize + 1);
        let placed: Vec<u32> = (0..on.len() as u32).filter(|&row| array.is_valid(row as usize) && !on[row as usize].is_nan()).collect();
        let (mut rows, ends) = if count <= 1 {
            let end = placed.len();
            (placed, vec![end; count])
        } else {
            let keys: Vec<u32> = placed.iter().map(|&row| keys[row as usize]).collect();
            let (order, ends) = by_group(&keys, count);
            (order.values().iter().map(|&at| placed[at as usize]).collect(), ends)
        };
        let mut start = 0;
        for &end in &ends {
            rows[start..end].sort_by(|&a, &b| on[a as usize].order(on[b as usize]));
            start = end;
        }
        LinesOf { on: rows.iter().map(|&row| on[row as usize]).collect(), rows, ends }
    }

    fn size(&self) -> usize {
        self.rows.len() * (4 + size_of::<N>()) + self.ends.len() * 8
    }

    fn ends_of_first(&self) -> Option<(u32, u32)> {
        let first = self.rows.get(..*self.ends.first()?)?;
        Some((*first.first()?, *first.last()?))
    }

    fn start(&self, key: usize) -> usize {
        if key == 0 { 0 } else { self.ends[key - 1] }
    }

    fn line(&self, key: usize) -> &[N] {
        &self.on[self.start(key)..self.ends[key]]
    }
}

/// Ranges of what rows are matched on, of about as many rows each, by a sample of them. Equal values are in one range.
pub struct AsofRanges(AsofTable);

impl AsofRanges {
    /// By a sample of what rows are matched on.
    pub fn new(ty: &Ty, sample: &ArrayRef) -> AsofRanges {
        let asof = Asof { direction: AsofDirection::Backward, exact: true, tolerance: Value::Null };
        AsofRanges(AsofTable::new(&asof, ty, sample, &vec![0; sample.len()]))
    }

    /// Which of `count` ranges each row is in; the first one where it cannot be matched.
    pub fn parts(&self, ty: &Ty, on: &ArrayRef, count: usize) -> Vec<u8> {
        match &self.0.lines {
            Lines::Integer(lines) => lines.parts(on, &integers::<i64>(on, ty), count),
            Lines::Wide(lines) => lines.parts(on, &integers::<i128>(on, ty), count),
            Lines::F32(lines) => lines.parts(on, on.as_primitive::<Float32Type>().values(), count),
            Lines::F64(lines) => lines.parts(on, on.as_primitive::<Float64Type>().values(), count),
        }
    }
}

impl<N: On> LinesOf<N> {
    /// The part of each value: as many of the sample are before it.
    fn parts(&self, array: &ArrayRef, on: &[N], count: usize) -> Vec<u8> {
        let part = |(row, &on): (usize, &N)| {
            if array.is_null(row) || on.is_nan() || self.on.is_empty() {
                return 0;
            }
            let before = self.on.partition_point(|x| x.order(on).is_lt());
            (before * count / self.on.len()).min(count - 1) as u8
        };
        on.iter().enumerate().map(part).collect()
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

/// Whether integers of a type need more than 64 bits with a sign.
fn is_wide(ty: &Ty) -> bool {
    matches!(Width::of(ty), Some(Width::I128 | Width::U64))
}

/// A tolerance of integers.
fn integer(tolerance: &Value) -> Option<i128> {
    if let Value::Int(x) = tolerance { Some(*x) } else { None }
}

/// Integers, whatever their width, as those that hold them.
fn integers<W: TryFrom<i128> + Default>(on: &ArrayRef, ty: &Ty) -> Vec<W> {
    let width = Width::of(ty).expect("invariant `values have their node's type`: rows are matched on numbers");
    let fits = |x: i128| W::try_from(x).unwrap_or_default();
    by_whole_width!(
        width,
        N => N::numbers(on).expect("numbers of the type's width").iter().map(|&x| fits(as_wide(x))).collect(),
        unreachable!("floats are matched in their own type")
    )
}

/// A value that rows are matched on.
trait On: Copy + PartialOrd {
    /// How far apart two of them are.
    type Distance: Copy + PartialOrd;
    fn is_nan(self) -> bool;
    fn distance(self, other: Self) -> Self::Distance;

    /// The order of values that are not NaN: zeros of both signs are equal.
    fn order(self, other: Self) -> Ordering {
        self.partial_cmp(&other).unwrap_or(Ordering::Equal)
    }
}

impl On for i64 {
    type Distance = i128;

    fn is_nan(self) -> bool {
        false
    }

    fn distance(self, other: i64) -> i128 {
        (i128::from(self) - i128::from(other)).abs()
    }
}

impl On for i128 {
    type Distance = i128;

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
            type Distance = $float;

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
