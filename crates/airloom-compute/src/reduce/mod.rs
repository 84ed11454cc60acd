//! Reductions: a state for each group, brought up to date batch by batch. Whole columns and arrays are one group, lists and cells of arrays are groups whose
//! elements follow one another, windows are such groups that overlap.
//!
//! [`ReductionSpec::state`] is the table of all of them. What has no state of its own is buffered, and computed of all elements of a group at once.

mod bool_agg;
mod buffered;
mod count;
mod decimal_sum;
mod distinct;
mod distinct_numbers;
mod first_last;
mod fold;
mod groups;
mod lanes;
mod min_max;
mod moves;
mod neutral;
pub(crate) mod runs;
mod sum;
mod variance;

use fold::ordered_to_float;
pub use fold::{COLUMN_LANES, Fold, FoldKind, Folded, FoldedSums, GROUP_LANES, GROUP_ROWS, LANE_GROUPS, MOST_GROUPS};
pub use groups::Groups;
pub use moves::Moves;
pub(crate) use runs::{Number, Numbers, RunReduction};

use crate::data::{Cancel, evenly, parallel_map};
use crate::keys::{EMPTY, Hashing};
use airloom_ir::attrs::{Attr, AttrType, Skip};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::Stop;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_plan::bodies::reassoc;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::concat;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// Groups of about this many rows in all are worked on in one go: they fit a cache.
const CHUNK: usize = 1 << 16;

/// The state of one reduction for all groups.
pub trait Reduction: Send + Sync + Any {
    /// Takes in the values of a batch, of whose rows the groups are given. There are `count` groups by now.
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop>;

    /// Takes in groups of the state of later rows. There are `count` groups by now.
    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop>;

    /// Takes in what a [`ReductionSpec::fold`] has come to over a batch. There are `count` groups by now.
    ///
    /// # Panics
    /// Where its reduction has no fold.
    fn take_folded(&mut self, _: &Folded, _: usize) {
        panic!("invariant `a fold is of its reduction`: it has none")
    }

    /// The sums of floats so far, of `count` groups, where a fold of many groups goes on from them.
    fn sums_so_far(&mut self, _: usize) -> Option<&[f64]> {
        None
    }

    /// The result for each of `count` groups, made on up to `threads` threads.
    fn finish(&mut self, count: usize, threads: usize) -> Result<ArrayRef, Stop>;

    /// How many bytes it takes.
    fn size(&self) -> usize;
}

/// What a reduction is, made from a node.
#[derive(Clone, Debug)]
pub struct ReductionSpec {
    /// The node.
    pub node: NodeId,
    /// Which one.
    pub op: Reduce,
    /// Its attributes.
    pub attrs: Vec<Attr>,
    /// The type of its elements.
    pub element: TyId,
    /// The type of its results.
    pub ty: TyId,
    /// Arguments after the array.
    pub rest: Vec<Value>,
    /// Their types, the array's first.
    pub arg_types: Vec<TyId>,
}

impl ReductionSpec {
    /// What a node reduces by; `rest` are the values of its arguments after the array.
    pub fn of_node(graph: &Graph, node: NodeId, element: TyId, rest: Vec<Value>) -> Option<ReductionSpec> {
        let Op::Reduce(op) = graph.op(node) else { return None };
        // Of arrays of which some axes are left, it is what each element is.
        let ty = match graph.ty(node) {
            Ty::Arr(element, _) => *element,
            _ => graph.ty_id(node),
        };
        let arg_types = graph.args(node).iter().map(|&arg| graph.ty_id(arg)).collect();
        Some(ReductionSpec { node, op, attrs: graph.node(node).attrs().to_vec(), element, ty, rest, arg_types })
    }

    /// The axes that go; only `arr.nth` has an attribute before them.
    pub(crate) fn axes(&self) -> Arc<[i64]> {
        self.attr(usize::from(self.op == Reduce::Nth))
    }

    /// Which elements are passed over.
    pub(crate) fn skip(&self) -> Skip {
        self.attr(usize::from(self.op == Reduce::Nth) + 1)
    }

    fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    /// Whether it has a state that is smaller than its elements.
    fn has_state(&self, types: &Types) -> bool {
        match (self.op, types.plain(self.element)) {
            (Reduce::Count | Reduce::CountDistinct | Reduce::First | Reduce::Last | Reduce::Any | Reduce::All, _) => true,
            (Reduce::Sum, Ty::Decimal { .. } | Ty::Bool | Ty::Int(_) | Ty::Duration(_) | Ty::F32 | Ty::F64) => true,
            (Reduce::Mean, Ty::Decimal { precision, .. }) => *precision <= 28,
            (Reduce::Mean, Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool) => true,
            (Reduce::Var | Reduce::Std, Ty::F64) => reassoc(self.op, &self.attrs),
            (Reduce::Min | Reduce::Max, ty) => min_max::has_state(ty),
            _ => false,
        }
    }

    /// Whether a state keeps something of every row, or of every distinct value: then a group takes as much as its rows do.
    pub fn keeps_rows(&self, types: &Types) -> bool {
        let ordered = matches!(
            (self.op, types.plain(self.element)),
            (Reduce::Sum, Ty::F32 | Ty::F64) | (Reduce::Mean, Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool)
        ) && !reassoc(self.op, &self.attrs);
        ordered || self.op == Reduce::CountDistinct || !self.has_state(types)
    }

    /// Whether a state is merged at a cost of the groups that are moved, whatever the others are.
    pub fn merges_by_group(&self, types: &Types) -> bool {
        !self.keeps_rows(types) && !matches!(self.op, Reduce::First | Reduce::Last)
    }

    /// A fresh state. `later` says that rows of earlier partitions will be put before its own, so that sums of floats, whose order matters, keep their terms.
    pub fn state(&self, graph: &Arc<Graph>, hashing: Hashing, cancel: &Cancel, later: bool) -> Box<dyn Reduction> {
        let (types, skip) = (graph.types(), self.skip());
        if !self.has_state(types) {
            return Box::new(buffered::Buffered::new(self.clone(), graph.clone(), cancel.clone()));
        }
        match (self.op, types.plain(self.element)) {
            (Reduce::Count, _) => Box::new(count::Count::new(skip)),
            (Reduce::CountDistinct, _) => match distinct_numbers::DistinctNumbers::new(graph, self.element, skip) {
                Some(numbers) => Box::new(numbers),
                None => Box::new(distinct::Distinct::new(graph.clone(), hashing, self.element, skip)),
            },
            (Reduce::Sum | Reduce::Mean, Ty::Decimal { .. }) => Box::new(decimal_sum::DecimalSum::new(self, types, skip)),
            (Reduce::Sum, Ty::Bool | Ty::Int(_) | Ty::Duration(_)) => Box::new(sum::WholeSum::new(self, types, skip)),
            (Reduce::Sum | Reduce::Mean, _) => Box::new(sum::FloatSum::new(self, types, skip, later && !reassoc(self.op, &self.attrs))),
            (Reduce::Var | Reduce::Std, _) => Box::new(variance::Variance::new(self, skip)),
            (Reduce::Min | Reduce::Max, _) => min_max::state(self, types, skip),
            (Reduce::First, _) => Box::new(first_last::FirstLast::first(skip, self.element, graph.clone())),
            (Reduce::Last, _) => Box::new(first_last::FirstLast::last(skip, self.element, graph.clone())),
            (Reduce::Any, _) => Box::new(bool_agg::BoolAgg::new(true, skip)),
            (Reduce::All, _) => Box::new(bool_agg::BoolAgg::new(false, skip)),
            (op, ty) => panic!("invariant `what has a state is in the table`: `{op:?}` of {ty:?}"),
        }
    }

    /// The result for each run of elements, made on up to `threads` threads. `None` where there is no loop for it, or where one raises: then the oracle must do it.
    pub fn reduce_runs(&self, graph: &Arc<Graph>, items: &ArrayRef, runs: &[Range<usize>], threads: usize) -> Option<ArrayRef> {
        if threads == 1 || runs.len() <= 1 {
            return self.runs_reduced(graph, items, runs, threads);
        }
        let rows: Vec<usize> = runs.iter().map(ExactSizeIterator::len).collect();
        by_ranges(&rows, threads, |range, threads| self.runs_reduced(graph, items, &runs[range], threads).ok_or(())).ok()
    }

    /// Whether groups whose rows lie among each other are reduced as they are: a state goes from row to row.
    pub fn goes_by_row(&self, types: &Types) -> bool {
        self.has_state(types) && self.op != Reduce::CountDistinct
    }

    /// The result for each of `count` groups, given the group of each element. `None` where it raises: then the oracle must do it.
    pub fn reduce_groups(&self, graph: &Arc<Graph>, items: &ArrayRef, groups: &[u32], count: usize) -> Option<ArrayRef> {
        let mut state = self.state(graph, Hashing::Mixed, &Cancel::default(), false);
        state.update(Groups::Each(groups), items, count).ok()?;
        state.finish(count, 1).ok()
    }

    fn runs_reduced(&self, graph: &Arc<Graph>, items: &ArrayRef, runs: &[Range<usize>], threads: usize) -> Option<ArrayRef> {
        if !self.has_state(graph.types()) {
            return buffered::of_runs(self, graph.types(), items, runs, threads);
        }
        let mut state = self.state(graph, Hashing::Mixed, &Cancel::default(), false);
        state.update(Groups::Runs(runs), items, runs.len()).ok()?;
        state.finish(runs.len(), threads).ok()
    }

    /// What the oracle makes of the elements of one group.
    pub(crate) fn oracle(&self, types: &Types, items: Vec<Value>) -> Result<Value, Stop> {
        let args: Vec<Value> = std::iter::once(Value::arr(items)).chain(self.rest.iter().cloned()).collect();
        let call = airloom_ir::oracle::Call::plain(types, &self.attrs, &args, &self.arg_types, self.ty);
        airloom_ir::oracle::apply(Op::Reduce(self.op), &call).map_err(|stop| stop.at(self.node))
    }
}

/// What `reduce` makes of ranges of groups, one after the other, given how many rows each group has. It is told how many threads one range may use.
fn by_ranges<E: Send>(
    rows: &[usize],
    threads: usize,
    reduce: impl Fn(Range<usize>, usize) -> Result<ArrayRef, E> + Sync,
) -> Result<ArrayRef, E> {
    // A group without rows is some work, too.
    let weights: Vec<usize> = rows.iter().map(|rows| rows + 1).collect();
    let ranges = evenly(&weights, (weights.iter().sum::<usize>() / CHUNK).max(1));
    let each = threads.div_ceil(ranges.len());
    let made = parallel_map(threads, ranges.len(), || (), |(), at| reduce(ranges[at].clone(), each))?;
    let made: Vec<&dyn Array> = made.iter().map(AsRef::as_ref).collect();
    Ok(concat(&made).expect("results of one type, and a group at least"))
}

/// Which elements a reduction passes over, and which of the others are null.
pub(super) struct Taken {
    /// Elements taken in; `None` is all.
    pub(super) mask: Option<BooleanArray>,
    /// Elements not passed over that are null: they make the result null.
    pub(super) poison: Option<NullBuffer>,
}

impl Taken {
    /// Whether every element is taken, and none is null.
    pub(super) fn is_everything(&self) -> bool {
        self.mask.is_none() && self.poison.is_none()
    }
}

/// What `skip` leaves of the values of a batch.
pub(super) fn taken(skip: Skip, values: &ArrayRef) -> Taken {
    let nulls = values.nulls().filter(|n| n.null_count() > 0);
    let not_nan = if matches!(skip, Skip::Nan | Skip::All) { without_nan(values) } else { None };
    let valid = nulls.map(|n| BooleanArray::new(n.inner().clone(), None));
    let both = match (valid, not_nan) {
        (Some(a), Some(b)) => Some(BooleanArray::new(a.values() & b.values(), None)),
        (a, b) => a.or(b),
    };
    let poison = if matches!(skip, Skip::Null | Skip::All) { None } else { nulls.cloned() };
    Taken { mask: both, poison }
}

/// True where `skip` does not pass an element over, null or not; `None` where it passes none over.
pub(super) fn not_skipped(skip: Skip, values: &ArrayRef) -> Option<BooleanBuffer> {
    match skip {
        Skip::None => None,
        Skip::Null => values.nulls().filter(|n| n.null_count() > 0).map(|n| n.inner().clone()),
        Skip::All => taken(Skip::All, values).mask.map(|m| m.values().clone()),
        Skip::Nan => taken(Skip::All, values).mask.map(|m| match values.nulls() {
            Some(nulls) => m.values() | &!nulls.inner(),
            None => m.values().clone(),
        }),
    }
}

/// True where a float is not NaN; `None` where none is.
fn without_nan(values: &ArrayRef) -> Option<BooleanArray> {
    // Whether there is any is found out without a branch, and mostly there is none.
    match values.data_type() {
        DataType::Float64 => {
            let floats = values.as_primitive::<Float64Type>().values();
            let any = floats.iter().fold(false, |any, x| any | x.is_nan());
            any.then(|| BooleanArray::new(BooleanBuffer::collect_bool(floats.len(), |row| !floats[row].is_nan()), None))
        }
        DataType::Float32 => {
            let floats = values.as_primitive::<Float32Type>().values();
            let any = floats.iter().fold(false, |any, x| any | x.is_nan());
            any.then(|| BooleanArray::new(BooleanBuffer::collect_bool(floats.len(), |row| !floats[row].is_nan()), None))
        }
        _ => None,
    }
}

/// The same kind of state.
pub(super) fn same_kind<T: Reduction>(other: &dyn Reduction) -> &T {
    let other: &dyn Any = other;
    other.downcast_ref().expect("states of one reduction are of one kind")
}

/// For each group how many elements were taken, and whether one of them was null.
#[derive(Default)]
pub(super) struct ValidCounts {
    pub(super) counts: Vec<u64>,
    pub(super) null_seen: Vec<bool>,
}

impl ValidCounts {
    pub(super) fn size(&self) -> usize {
        self.counts.len() * 8 + self.null_seen.len()
    }

    /// Counts elements that were counted elsewhere.
    pub(super) fn count_folded(&mut self, folded: &Folded, count: usize) {
        self.counts.resize(count, 0);
        self.counts.iter_mut().zip(&folded.counts).for_each(|(seen, more)| *seen += more);
    }

    /// Counts every element of `rows` rows.
    pub(super) fn count_all(&mut self, groups: Groups<'_>, rows: usize, count: usize) {
        self.counts.resize(count, 0);
        match groups {
            Groups::Each(groups) if count <= lanes::FEW => {
                lanes::add_in_lanes(groups, groups, &mut self.counts, 0, |sum, _| *sum += 1, |sum, more| *sum += more);
            }
            Groups::Each(groups) => groups.iter().for_each(|&group| self.counts[group as usize] += 1),
            other => {
                let runs = other.runs(rows).expect("all rows of a group follow one another");
                runs.for_each(|(group, run)| self.counts[group] += run.len() as u64);
            }
        }
    }

    /// Notes the groups that hold a null which is not passed over.
    pub(super) fn note_nulls(&mut self, groups: Groups<'_>, taken: &Taken, count: usize) {
        if let Some(poison) = &taken.poison {
            self.null_seen.resize(count, false);
            groups.for_each(poison.len(), |row, group| self.null_seen[group] |= poison.is_null(row));
        }
    }

    /// Calls `take` for every element taken of `rows` rows, and says whether it is its group's first.
    pub(super) fn each(&mut self, groups: Groups<'_>, rows: usize, taken: &Taken, count: usize, mut take: impl FnMut(usize, usize, bool)) {
        self.counts.resize(count, 0);
        self.note_nulls(groups, taken, count);
        let counts = &mut self.counts;
        let mut one = |row: usize, group: usize| {
            let seen = &mut counts[group];
            *seen += 1;
            take(row, group, *seen == 1);
        };
        match &taken.mask {
            None => groups.for_each(rows, one),
            Some(mask) => groups.for_each(rows, |row, group| {
                if mask.value(row) {
                    one(row, group);
                }
            }),
        }
    }

    pub(super) fn merge(&mut self, other: &ValidCounts, moves: Moves<'_>, count: usize) {
        if !other.counts.is_empty() {
            self.counts.resize(count, 0);
            moves.of(&other.counts).for_each(|(place, more)| self.counts[place] += more);
        }
        if !other.null_seen.is_empty() {
            self.null_seen.resize(count, false);
            moves.of(&other.null_seen).for_each(|(place, bad)| self.null_seen[place] |= bad);
        }
    }

    /// Which groups have a result: those with at least `least` elements and no null among them.
    pub(super) fn nulls(&mut self, least: i64, count: usize) -> Option<NullBuffer> {
        if least <= 0 && self.null_seen.is_empty() {
            return None;
        }
        self.counts.resize(count, 0);
        let null_seen = |group: usize| self.null_seen.get(group).copied().unwrap_or(false);
        let has = |group: usize| i128::from(self.counts[group]) >= i128::from(least) && !null_seen(group);
        if (0..count).all(has) { None } else { Some(NullBuffer::from_iter((0..count).map(has))) }
    }
}

/// Rows of groups with the numbers these have elsewhere, without those of groups that are left out.
pub(super) fn left_in(groups: &[u32], values: &ArrayRef, places: &[u32]) -> (Vec<u32>, ArrayRef) {
    let moved: Vec<u32> = groups.iter().map(|&group| places.get(group as usize).copied().unwrap_or(EMPTY)).collect();
    if !moved.contains(&EMPTY) {
        return (moved, values.clone());
    }
    let mask: BooleanArray = moved.iter().map(|&place| Some(place != EMPTY)).collect();
    let values = arrow::compute::filter(values, &mask).expect("a mask as long as the values");
    (moved.into_iter().filter(|&place| place != EMPTY).collect(), values)
}
