//! Values of fixed width: their order, their equality, and themselves as values of the graph.

use airloom_ir::value::Value;
use std::cmp::Ordering;

/// A value as it is stored in a buffer.
pub(crate) trait Cell: Copy + Send + Sync + 'static {
    /// The order of a sort: NaN is the maximum and equals itself, zeros are equal.
    fn order(self, other: Self) -> Ordering;
    /// Bits by which values that are the same are equal, and others not.
    fn bits(self) -> u128;
    /// As an integer, where it is one.
    fn whole(self) -> Option<i128>;
    /// Whether it is a NaN.
    fn is_nan(self) -> bool;
    /// As a value of the graph.
    fn value(self) -> Value;
}

macro_rules! whole_cell {
    ($($native:ty),+) => { $(
        impl Cell for $native {
            fn order(self, other: Self) -> Ordering {
                self.cmp(&other)
            }
            fn bits(self) -> u128 {
                self as i128 as u128
            }
            fn whole(self) -> Option<i128> {
                Some(self as i128)
            }
            fn is_nan(self) -> bool {
                false
            }
            fn value(self) -> Value {
                Value::Int(self as i128)
            }
        }
    )+ };
}

whole_cell!(i8, i16, i32, i64, u8, u16, u32, u64, i128);

macro_rules! float_cell {
    ($native:ty, $variant:ident) => {
        impl Cell for $native {
            fn order(self, other: Self) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
            fn bits(self) -> u128 {
                // Adding zero turns `-0.0` into `0.0`, which are the same.
                u128::from(if self.is_nan() { <$native>::NAN.to_bits() } else { (self + 0.0).to_bits() })
            }
            fn whole(self) -> Option<i128> {
                None
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn value(self) -> Value {
                Value::$variant(self)
            }
        }
    };
}

float_cell!(f32, F32);
float_cell!(f64, F64);
