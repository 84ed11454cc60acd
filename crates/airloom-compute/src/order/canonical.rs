//! Keys in the form in which equal ones have equal bits.

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::kernels::arity::unary;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use std::sync::Arc;

/// Zeros of both signs are equal to us, and NaN is greater than every number whatever its sign.
pub fn canonical(key: &ArrayRef) -> ArrayRef {
    match key.data_type() {
        DataType::Float64 => {
            let floats = key.as_primitive::<Float64Type>();
            Arc::new(unary::<_, _, Float64Type>(floats, |x| if x.is_nan() { f64::NAN } else { x + 0.0 }))
        }
        DataType::Float32 => {
            let floats = key.as_primitive::<Float32Type>();
            Arc::new(unary::<_, _, Float32Type>(floats, |x| if x.is_nan() { f32::NAN } else { x + 0.0 }))
        }
        _ => key.clone(),
    }
}
