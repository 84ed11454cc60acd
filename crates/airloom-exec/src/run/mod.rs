//! Running: what all parts of one run share, and what can stop it.

mod at_once;
mod cancel;
mod error;
mod host;
mod options;
mod pool;
mod reads;
mod shared;

pub use cancel::Cancel;
pub use error::{Error, raised_to_datafusion};
pub use host::{Host, NoHost};
pub use options::Options;
pub use reads::reads_sources;
pub use shared::Shared;

pub(crate) use at_once::{at_once, cores};
pub(crate) use pool::ChargingPool;
