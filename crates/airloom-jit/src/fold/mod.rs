//! Folds as kernels: vectors and groups in, sums out.

mod narrow;

use crate::beside::{self, BesidePrograms};
use crate::cache::cache;
use crate::code::{Code, Column, RowGroups};
use crate::kernel::{WORTH_COMPILING, of_array, scalar, there};
use crate::kind::{Kind, Repr};
use crate::lower::{FoldedBy, Input, LoweredFold};
use crate::shape::{FoldOf, Form, Grouping, Shape, Variant, What};
use airloom_compute::arrow::array::AsArray;
use airloom_compute::arrow::datatypes::Decimal64Type;
use airloom_compute::body::{FoldGroups, FoldKernel, FoldTotals};
use airloom_compute::data::{Native, RunContext, Selection, Vector};
use airloom_compute::reduce::{Folded, FoldedSums};
use airloom_ir::graph::Graph;
use airloom_ir::value::Value;
use narrow::narrowed;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A fold that LLVM compiles.
pub(crate) struct FoldBody {
    graph: Arc<Graph>,
    lowered: LoweredFold,
    /// The kind of each input, as the program says.
    kinds: Vec<Kind>,
    /// What the interpreter computes before the code runs.
    beside: BesidePrograms,
    /// What code is asked for now, and what it relies on.
    now: RwLock<Option<Arc<Assumed>>>,
    /// Whether it may be given rows that are left out.
    leaves_out: AtomicBool,
    /// How often it may still be wrong about a batch before it is given up. Batches that it folds give some of it back.
    patience: AtomicI32,
}

/// A shape that relies on how many bits inputs have.
struct Assumed {
    bits: Vec<Option<u32>>,
    shape: Arc<Shape>,
    rows: u128,
}

const PATIENCE: i32 = 8;

/// Bits are counted in steps of this many, so that values that are a little larger need no other code.
const STEP: u32 = 8;

impl FoldBody {
    /// A fold that is compiled when it has run for a while.
    pub(crate) fn new(graph: &Arc<Graph>, lowered: LoweredFold) -> FoldBody {
        let mut kinds = vec![Kind::Bool; lowered.shape.inputs];
        for node in &lowered.shape.nodes {
            if let What::Input(number) = node.what {
                kinds[number] = node.kind;
            }
        }
        let floats = lowered.shape.folds.iter().any(|fold| matches!(fold, FoldOf::Floats { .. }));
        let leaves_out = AtomicBool::new(!floats);
        let beside = BesidePrograms::new(&lowered.beside);
        FoldBody { graph: graph.clone(), lowered, kinds, beside, leaves_out, now: RwLock::default(), patience: AtomicI32::new(PATIENCE) }
    }
}

/// What code is run for a batch.
struct Batch<'a> {
    given: Vec<&'a Vector>,
    assumed: Arc<Assumed>,
    code: Arc<Code>,
    columns: Vec<Column>,
}

impl FoldKernel for FoldBody {
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection, groups: FoldGroups<'_>, count: usize) -> Option<Vec<Folded>> {
        let leaves_out = matches!(groups, FoldGroups::Some(_) | FoldGroups::Masked(_));
        if self.waits(context, rows, count > 1) {
            return None;
        }
        let compacted = self.beside.compacted(given, rows);
        let (given, rows) = compacted.as_ref().map_or((given, rows), |(given, rows)| (given.as_slice(), rows));
        let mask;
        let (grouping, groups) = match groups {
            // Floats of one group have the lanes of a column.
            FoldGroups::Each(groups) if count > 1 => (Grouping::Few, RowGroups::Each(groups)),
            FoldGroups::Some(groups) => (Grouping::Few, RowGroups::Each(groups)),
            FoldGroups::Masked(bits) => {
                mask = bits.sliced();
                (Grouping::Masked, RowGroups::Mask(&mask))
            }
            FoldGroups::One | FoldGroups::Each(_) => (Grouping::One, RowGroups::One),
        };
        let batch = self.batch(context, given, rows, grouping, count)?;
        let begun = self.begun(grouping, if grouping.is_one() { 1 } else { count + 1 });
        let sums = self.folded(&batch, rows, groups, count, begun, leaves_out)?;
        let of = |by: &FoldedBy| folded(&self.lowered.shape, *by, &sums, grouping, count, rows.len());
        Some(self.lowered.folds.iter().map(of).collect())
    }

    fn begin(&self, so_far: &[Option<&[f64]>], count: usize) -> FoldTotals {
        let mut words = self.begun(Grouping::Many, count);
        let folds = &self.lowered.shape.folds;
        for (by, so_far) in self.lowered.folds.iter().zip(so_far) {
            if let (Some(at), Some(floats)) = (by.sum.filter(|&sum| matches!(folds[sum], FoldOf::Floats { .. })), so_far) {
                words.chunks_mut(folds.len()).zip(*floats).for_each(|(words, float)| words[at] = float.to_bits());
            }
        }
        FoldTotals { words, groups: count, largest: 0 }
    }

    fn run_many(
        &self,
        context: &RunContext,
        given: &[Vector],
        rows: &Selection,
        groups: &[u32],
        count: usize,
        totals: &mut FoldTotals,
    ) -> bool {
        if self.waits(context, rows, true) {
            return false;
        }
        let compacted = self.beside.compacted(given, rows);
        let (given, rows) = compacted.as_ref().map_or((given, rows), |(given, rows)| (given.as_slice(), rows));
        let Some(batch) = self.batch(context, given, rows, Grouping::Many, count) else { return false };
        let largest = totals.largest + rows.len() as u128 * (i64::MAX as u128 / batch.assumed.rows + 1);
        if largest > i64::MAX as u128 {
            return false;
        }
        // Behind the groups there were is one that is not read.
        let mut begun = totals.words[..totals.groups * self.lowered.shape.folds.len()].to_vec();
        begun.extend(self.begun(Grouping::Many, count + 1 - totals.groups));
        let Some(words) = self.folded(&batch, rows, RowGroups::Each(groups), count, begun, false) else { return false };
        *totals = FoldTotals { words, groups: count, largest };
        true
    }

    fn finish(&self, totals: &FoldTotals) -> Vec<Folded> {
        let of = |by: &FoldedBy| folded(&self.lowered.shape, *by, &totals.words, Grouping::Many, totals.groups, 0);
        self.lowered.folds.iter().map(of).collect()
    }

    fn leaves_out(&self, context: &RunContext, several: bool) -> bool {
        if !self.leaves_out.load(Ordering::Relaxed) || self.patience.load(Ordering::Relaxed) <= 0 {
            return false;
        }
        match context.native {
            Native::Off => false,
            Native::Auto => {
                let known = self.now.read().unwrap_or_else(PoisonError::into_inner);
                known.as_ref().is_none_or(|assumed| assumed.shape.fold_pays(several))
            }
            Native::Always | Native::Verify => true,
        }
    }
}

impl FoldBody {
    /// Whether a batch is the interpreter's, whatever there is in it.
    fn waits(&self, context: &RunContext, rows: &Selection, several: bool) -> bool {
        if context.native == Native::Off || rows.is_empty() || self.patience.load(Ordering::Relaxed) <= 0 {
            return true;
        }
        context.native == Native::Auto && (!self.lowered.shape.fold_works(several) || !self.beside.is_worth(rows.len()))
    }

    /// The code for a batch, and its inputs; `None` where there is none.
    fn batch<'a>(
        &self,
        context: &RunContext,
        given: &'a [Vector],
        rows: &Selection,
        grouping: Grouping,
        count: usize,
    ) -> Option<Batch<'a>> {
        let whole = given;
        let given: Vec<&Vector> = self.lowered.inputs.iter().map(|input| self.vector(input, given)).collect::<Option<_>>()?;
        let assumed = self.assumed(&given)?;
        if assumed.rows < rows.len() as u128 {
            return None;
        }
        let (forms, columns): (Vec<Form>, Vec<Option<Column>>) =
            self.inputs(&assumed.shape, &given).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let several = !grouping.is_one() && count > 1;
        let variant = Variant { forms, selected: !rows.is_all(), grouping };
        let code = match context.native {
            Native::Off => None,
            Native::Auto if !assumed.shape.fold_pays(several) => None,
            Native::Auto => cache().later(&assumed.shape, &variant, rows.len(), if self.beside.is_empty() { WORTH_COMPILING } else { 1 }),
            Native::Always | Native::Verify => cache().now(&assumed.shape, &variant),
        }?;
        let beside = self.beside.run(&self.graph, context, whole, rows.len())?;
        let columns = self.lowered.inputs.iter().zip(columns).map(|(input, column)| match input {
            Input::Beside { of, root, ty } => beside::column(&self.graph, *ty, &beside[*of][*root], rows.len()),
            Input::Given { .. } | Input::Literal { .. } => column,
        });
        let columns: Vec<Column> = columns.collect::<Option<_>>()?;
        Some(Batch { given, assumed, code, columns })
    }

    /// Runs the code of a batch, and learns from rows that it does not compute.
    fn folded(
        &self,
        batch: &Batch<'_>,
        rows: &Selection,
        groups: RowGroups<'_>,
        count: usize,
        begun: Vec<u64>,
        leaves_out: bool,
    ) -> Option<Vec<u64>> {
        let numbers = rows.numbers();
        let sums = batch.code.fold(&batch.columns, numbers.as_deref(), groups, count, rows.len(), begun);
        if sums.is_some() {
            if self.patience.load(Ordering::Relaxed) < PATIENCE {
                self.patience.fetch_add(1, Ordering::Relaxed);
            }
        } else if leaves_out {
            self.leaves_out.store(false, Ordering::Relaxed);
        } else {
            self.patience.fetch_sub(2, Ordering::Relaxed);
            self.assume(self.bits(&batch.given, &batch.assumed.bits));
        }
        sums
    }

    /// The sums of some groups before any row.
    fn begun(&self, grouping: Grouping, groups: usize) -> Vec<u64> {
        let (folds, places) = (&self.lowered.shape.folds, grouping.lanes() * groups);
        if grouping.is_one() {
            return folds.iter().flat_map(|fold| std::iter::repeat_n(fold.nothing() as u64, places)).collect();
        }
        let one: Vec<u64> = folds.iter().map(|fold| fold.nothing() as u64).collect();
        one.repeat(places)
    }

    /// The vector of an input; a literal has none of its own, and what the interpreter computes comes later.
    fn vector<'a>(&self, input: &Input, given: &'a [Vector]) -> Option<&'a Vector> {
        match input {
            Input::Given { given: number, path, .. } if path.is_empty() => given.get(*number),
            Input::Given { .. } => None,
            Input::Literal { .. } | Input::Beside { .. } => Some(&ELSEWHERE),
        }
    }

    /// The inputs as they are given in this batch, in the widths of a shape.
    fn inputs(&self, shape: &Shape, given: &[&Vector]) -> impl Iterator<Item = Option<(Form, Option<Column>)>> {
        let mut kinds = self.kinds.clone();
        for node in &shape.nodes {
            if let What::Input(number) = node.what {
                kinds[number] = node.kind;
            }
        }
        let types = self.graph.types();
        self.lowered
            .inputs
            .iter()
            .zip(given)
            .zip(kinds)
            .map(|((input, vector), kind)| match (input, *vector) {
                (Input::Beside { ty, .. }, _) => Some((beside::form(&self.graph, *ty), None)),
                (Input::Literal { value, .. }, _) => scalar(value, kind).and_then(there),
                (Input::Given { .. }, Vector::Constant(value)) => scalar(value, kind).and_then(there),
                (Input::Given { ty, .. }, Vector::Flat(array)) => of_array(types, *ty, kind, array).and_then(there),
                (Input::Given { .. }, Vector::Row(_)) => None,
            })
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// What code may rely on: what it did before, or else what holds of this batch.
    fn assumed(&self, given: &[&Vector]) -> Option<Arc<Assumed>> {
        let known = self.now.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.or_else(|| {
            self.assume(self.bits(given, &vec![None; given.len()]));
            self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    fn assume(&self, bits: Vec<Option<u32>>) {
        let made = narrowed(&self.lowered.shape, &bits);
        if made.is_none() {
            self.patience.store(0, Ordering::Relaxed);
        }
        let assumed = made.map(|made| Arc::new(Assumed { bits, shape: Arc::new(made.shape), rows: made.rows }));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = assumed;
    }

    /// How many bits decimals have, in this batch and as was assumed before.
    fn bits(&self, given: &[&Vector], before: &[Option<u32>]) -> Vec<Option<u32>> {
        let steps = |largest: u128| (u128::BITS - largest.leading_zeros()).next_multiple_of(STEP);
        let one = |((input, vector), (kind, before)): ((&Input, &&Vector), (&Kind, &Option<u32>))| {
            if !matches!(kind, Kind::Decimal { .. }) {
                return None;
            }
            let largest = match (input, *vector) {
                (Input::Literal { value: Value::Int(value), .. }, _) | (_, Vector::Constant(Value::Int(value))) => value.unsigned_abs(),
                (_, Vector::Flat(array)) if kind.repr() == Repr::I64 => {
                    let values = array.as_primitive_opt::<Decimal64Type>().map_or(&[][..], |values| values.values());
                    values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0).into()
                }
                // Wider columns are not read: nothing is narrow with as many bits.
                (_, Vector::Flat(_)) => u128::from(u64::MAX),
                _ => 0,
            };
            Some(steps(largest).max(before.unwrap_or(0)))
        };
        self.lowered.inputs.iter().zip(given).zip(self.kinds.iter().zip(before)).map(one).collect()
    }
}

/// Stands for what is not given among vectors: it is not looked at.
static ELSEWHERE: Vector = Vector::Constant(Value::Null);

/// What a fold is, of the sums of all.
fn folded(shape: &Shape, by: FoldedBy, sums: &[u64], grouping: Grouping, count: usize, rows: usize) -> Folded {
    let (folds, lanes) = (shape.folds.len(), grouping.lanes());
    let word = |fold: usize, group: usize, lane: usize| match grouping {
        Grouping::One | Grouping::Masked => sums[fold * lanes + lane],
        Grouping::Few | Grouping::Many => sums[(group * lanes + lane) * folds + fold],
    };
    let groups = if grouping.is_one() { 1 } else { count };
    let total = |fold: usize| -> Vec<u64> {
        (0..groups).map(|group| (0..lanes).fold(0u64, |sum, lane| sum.wrapping_add(word(fold, group, lane)))).collect()
    };
    let counts = match shape.folds[by.count] {
        FoldOf::Rows if grouping == Grouping::One => vec![rows as u64],
        _ => total(by.count),
    };
    let sums = match by.sum.map(|sum| (sum, shape.folds[sum])) {
        None => FoldedSums::None,
        Some((sum, FoldOf::Extreme { least, .. })) => {
            let better = |one: i64, other: i64| if least { one.min(other) } else { one.max(other) };
            let of = |group: usize| (0..lanes).map(|lane| word(sum, group, lane) as i64).reduce(better).unwrap_or_default();
            FoldedSums::Extremes((0..groups).map(of).collect())
        }
        Some((sum, FoldOf::Floats { .. })) if grouping == Grouping::Many => {
            FoldedSums::SoFar((0..groups).map(|group| f64::from_bits(word(sum, group, 0))).collect())
        }
        Some((sum, FoldOf::Floats { .. })) => {
            let lane = |lane: usize| (0..groups).map(|group| f64::from_bits(word(sum, group, lane))).collect();
            FoldedSums::Floats((0..lanes).map(lane).collect())
        }
        Some((sum, _)) => FoldedSums::Integers(total(sum).into_iter().map(|sum| sum as i64).collect()),
    };
    Folded { counts, sums }
}
