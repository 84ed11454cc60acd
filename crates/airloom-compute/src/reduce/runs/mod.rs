//! Reductions that see all elements of a group, which follow one another.

mod moments;
mod nth;
mod numbers;
mod order_statistic;
mod position;
mod product;
mod quantile;

pub(crate) use numbers::{Number, Numbers};

use crate::data::native::{Width, by_width};
use airloom_ir::attrs::{Attr, AttrType, Skip};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::formula::{kurtosis, skewness};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, AsArray};
use std::ops::Range;

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
    /// On how many threads one run may be worked on.
    pub(crate) threads: usize,
}

impl<'a> RunReduction<'a> {
    /// An attribute by its position in the op table.
    pub(crate) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    pub(crate) fn skip(&self) -> Skip {
        self.attr(usize::from(self.op == Reduce::Nth) + 1)
    }

    /// The reduction of runs of an array.
    pub(crate) fn over(&self, items: &ArrayRef) -> Option<RunReducer<'a>> {
        let skip = self.skip();
        match self.op {
            Reduce::Nth | Reduce::List => return Some(nth::reducer(*self, skip, items)),
            _ => (),
        }
        match self.types.plain(self.element) {
            Ty::Bool => self.of_numbers(Numbers::of_truths(items.as_boolean_opt()?, skip)),
            Ty::Str => position::of_bytes(*self, skip, items.as_string_view_opt()?.clone()),
            Ty::Bytes => position::of_bytes(*self, skip, items.as_binary_view_opt()?.clone()),
            ty => by_width!(Width::of(ty)?, N => self.of_numbers(Numbers::<N>::of(items, skip)?)),
        }
    }

    fn of_numbers<N: Number>(&self, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
        match self.op {
            Reduce::Product => product::product(*self, numbers),
            Reduce::Mean => moments::mean(*self, numbers),
            Reduce::Var => moments::variance(*self, numbers, |x| x),
            Reduce::Std => moments::variance(*self, numbers, f64::sqrt),
            Reduce::Skew => moments::of_all(*self, numbers, 3, skewness),
            Reduce::Kurt => moments::of_all(*self, numbers, 4, kurtosis),
            Reduce::Median => quantile::median(*self, numbers),
            Reduce::Quantile => quantile::quantile(*self, numbers),
            Reduce::ArgMin => position::position(numbers, std::cmp::Ordering::Less),
            Reduce::ArgMax => position::position(numbers, std::cmp::Ordering::Greater),
            _ => None,
        }
    }

    /// A float of the type of the result.
    pub(crate) fn rounded(&self, x: f64) -> Value {
        if matches!(self.types.plain(self.element), Ty::F32) { Value::F32(x as f32) } else { Value::F64(x) }
    }
}
