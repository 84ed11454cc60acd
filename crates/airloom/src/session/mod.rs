//! A session: sources, threads and memory, and the programs that run with them.

mod backends;
mod error;
mod explain;
mod options;
mod oracle;
mod part;
mod plans;
mod positions;
mod prepare;
mod prepared;
mod read;
mod relevance;
mod report;
mod rules;
#[expect(clippy::module_inception, reason = "the session itself, beside what it is made of")]
mod session;
mod shape;
mod sources;
mod statistics;
mod template;

pub use error::Error;
pub use explain::Explanation;
pub use options::SessionOptions;
pub use plans::PlanCounts;
pub use prepared::{Bindings, Prepared, RunOptions};
pub use read::Paths;
pub use session::Session;

pub(crate) use sources::Kept;
