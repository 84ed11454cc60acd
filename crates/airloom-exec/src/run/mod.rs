//! Running: what all parts of one run share, and what can stop it.

mod options;
mod pool;
mod shared;
mod trace;

pub use options::Options;
pub use shared::Shared;
pub use trace::Trace;

pub(crate) use pool::ChargingPool;
