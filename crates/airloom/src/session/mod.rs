//! A session: sources, threads and memory, and the programs that run with them.

mod backends;
mod door;
mod error;
mod explain;
mod options;
mod part;
mod plans;
mod prepare;
mod read;
mod report;
mod sources;

pub use door::Session;
pub use error::Error;
pub use options::SessionOptions;
pub use plans::PlanCounts;
pub use read::Paths;

pub(crate) use sources::Kept;
