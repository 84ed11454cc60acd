//! Running results in which what is older counts less.

use crate::array::call::ArrayCall;
use crate::data::{Datum, Failure};
use airloom_ir::oracle::formula::{Decay, DecayCov, Weights, one_beside_the_other};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::datatypes::Float64Type;
use std::sync::Arc;

pub(super) fn decay(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Failure> {
    let steps = call.array(1).items;
    one_beside_the_other(items.len(), steps.len())?;
    let mut decay = Decay::new(weights(call), call.attr(2));
    let steps = steps.as_primitive::<Float64Type>();
    let made: Float64Array = floats(items).zip(steps).map(|(item, step)| decay.next(item, step.unwrap_or(f64::NAN))).collect();
    Ok(Arc::new(made))
}

pub(super) fn decay_cov(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Failure> {
    let others = call.array(1).items;
    one_beside_the_other(items.len(), others.len())?;
    let mut decay = DecayCov::new(weights(call), call.attr(2));
    let made: Float64Array = floats(items).zip(floats(&others)).map(|(x, y)| decay.next(x.zip(y))).collect();
    Ok(Arc::new(made))
}

fn floats(items: &ArrayRef) -> impl Iterator<Item = Option<f64>> + '_ {
    items.as_primitive::<Float64Type>().iter()
}

fn weights(call: &ArrayCall<'_>) -> Weights {
    let alpha = if let Datum::Value(Value::F64(alpha)) = &call.args[2] { *alpha } else { f64::NAN };
    Weights { alpha, adjust: call.attr(0), ignore_nulls: call.attr(1) }
}
