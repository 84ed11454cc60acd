//! Running: what all parts of one run share, and what can stop it.

mod options;
mod pool;
mod reads;
mod shared;

pub use options::Options;
pub use reads::reads_sources;
pub use shared::Shared;

pub(crate) use pool::ChargingPool;
