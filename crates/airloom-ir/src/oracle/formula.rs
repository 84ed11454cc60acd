//! The formulas of ops that hold for more than one backend: an op has one definition, and a backend that computes it over buffers calls what is here.
//!
//! What is here knows neither values nor graphs: numbers, text and extents go in and come out. What does not fit raises as the op does; how an op treats nulls stays with [`super::apply`].

pub use super::array::{
    Blocks, Contraction, advance, blocks, broadcast_steps, contraction, elements, extent, joined, places, position, reshaped, show,
    slice_positions, strides,
};
pub use super::cast::{decimal_to_single, float_to_decimal};
pub use super::control::turns;
pub use super::hash::{HASH_PRIMES, HashState};
pub use super::number::{Float, PHILOX_ROUNDS, PHILOX_STEPS, PHILOX_TIMES, Picked, random_bits, ten_to};
pub use super::pairwise::{PAIRWISE_BLOCK, pairwise, pairwise_half};
pub use super::reduce::{DECIMAL_LIMIT, ExactSum, decimal_to_float, interpolated, kurtosis, kurtosis_of, skewness, skewness_of};
pub use super::relation::drawn;
pub use super::sequence::{Decay, DecayCov, Pairs, Weights, one_beside_the_other, window_between, window_bounds};
pub use super::temporal::{
    Civil, DAY_NANOS, DAY_SECONDS, Length, civil_to_days, day_in_month, day_of_year, days_in_month, days_of, days_to_civil, iso_week,
    weekday,
};
pub use super::text::{LikePiece, like, like_pieces};
