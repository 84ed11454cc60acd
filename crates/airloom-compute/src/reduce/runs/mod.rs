//! Reductions of runs of elements: arrays, lists, and rows of groups that are stored together.

mod first_last;
mod min_max;
mod moments;
mod numbers;
mod quantile;
mod sum;

pub(crate) use numbers::{Number, Numbers};

use crate::data::native::{Width, by_width};
use crate::data::values_to_array;
use airloom_ir::attrs::{Attr, AttrType, Skip};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::formula::{kurtosis, skewness};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, AsArray};
use std::ops::Range;
use std::sync::Arc;

/// A reduction of each of several runs of elements, such as the lists of a column or the rows of groups that are stored together; `level` is which quantile,
/// where it is one. Nothing where there is no loop for it, or one of them raises: then the oracle must do it.
pub fn reduce_runs(
    types: &Types,
    op: Reduce,
    attrs: &[Attr],
    element: TyId,
    result: TyId,
    level: Option<f64>,
    items: &ArrayRef,
    runs: impl Iterator<Item = Range<usize>>,
) -> Option<ArrayRef> {
    let reduce = RunReduction { op, attrs, types, element, level }.over(items)?;
    let results: Option<Vec<Value>> = runs.map(reduce).collect();
    Some(values_to_array(types, result, &results?))
}

/// What reduces a run of elements; nothing where the oracle must.
pub(crate) type RunReducer<'a> = Box<dyn Fn(Range<usize>) -> Option<Value> + 'a>;

/// A reduction of elements of one type.
#[derive(Clone, Copy)]
pub(crate) struct RunReduction<'a> {
    pub(crate) op: Reduce,
    pub(crate) attrs: &'a [Attr],
    pub(crate) types: &'a Types,
    pub(crate) element: TyId,
    /// Which quantile, where it is one.
    pub(crate) level: Option<f64>,
}

impl<'a> RunReduction<'a> {
    /// An attribute by its position in the op table.
    pub(crate) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    /// The axes that go; only `arr.nth` has an attribute before them.
    pub(crate) fn axes(&self) -> Arc<[i64]> {
        self.attr(usize::from(self.op == Reduce::Nth))
    }

    pub(crate) fn skip(&self) -> Skip {
        self.attr(usize::from(self.op == Reduce::Nth) + 1)
    }

    /// The reduction of runs of an array.
    pub(crate) fn over(&self, items: &ArrayRef) -> Option<RunReducer<'a>> {
        let skip = self.skip();
        match self.op {
            Reduce::Count | Reduce::First | Reduce::Last | Reduce::Nth | Reduce::List => return first_last::reducer(*self, skip, items),
            Reduce::CountDistinct => return first_last::distinct(*self, skip, items),
            _ => (),
        }
        match self.types.plain(self.element) {
            Ty::Bool => self.of_truths(skip, items),
            Ty::Str => min_max::of_bytes(*self, skip, items.as_string_view_opt()?.clone()),
            Ty::Bytes => min_max::of_bytes(*self, skip, items.as_binary_view_opt()?.clone()),
            ty => by_width!(Width::of(ty)?, N => self.of_numbers(Numbers::<N>::of(items, skip)?)),
        }
    }

    fn of_numbers<N: Number>(&self, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
        match self.op {
            Reduce::Sum => sum::sum(*self, numbers),
            Reduce::Product => sum::product(*self, numbers),
            Reduce::Mean => moments::mean(*self, numbers),
            Reduce::Var => moments::variance(*self, numbers, |x| x),
            Reduce::Std => moments::variance(*self, numbers, f64::sqrt),
            Reduce::Skew => moments::of_all(*self, numbers, 3, skewness),
            Reduce::Kurt => moments::of_all(*self, numbers, 4, kurtosis),
            Reduce::Median => quantile::median(*self, numbers),
            Reduce::Quantile => quantile::quantile(*self, numbers),
            Reduce::Min => min_max::least(numbers),
            Reduce::Max => min_max::greatest(numbers),
            Reduce::ArgMin => min_max::position(numbers, std::cmp::Ordering::Less),
            Reduce::ArgMax => min_max::position(numbers, std::cmp::Ordering::Greater),
            _ => None,
        }
    }

    /// BoolAgg values: counted as numbers where they are added up.
    fn of_truths(&self, skip: Skip, items: &ArrayRef) -> Option<RunReducer<'a>> {
        let truths = items.as_boolean_opt()?;
        match self.op {
            Reduce::Any => Some(first_last::decided_by(true, skip, truths.clone())),
            Reduce::All => Some(first_last::decided_by(false, skip, truths.clone())),
            Reduce::Min | Reduce::Max | Reduce::ArgMin | Reduce::ArgMax => {
                let reduce = self.of_numbers(Numbers::of_truths(truths, skip))?;
                let position = matches!(self.op, Reduce::ArgMin | Reduce::ArgMax);
                Some(Box::new(move |range| {
                    reduce(range).map(|value| match value {
                        Value::Int(number) if !position => Value::Bool(number != 0),
                        other => other,
                    })
                }))
            }
            _ => self.of_numbers(Numbers::of_truths(truths, skip)),
        }
    }

    /// A float of the type of the result.
    pub(crate) fn rounded(&self, x: f64) -> Value {
        if matches!(self.types.plain(self.element), Ty::F32) { Value::F32(x as f32) } else { Value::F64(x) }
    }
}
