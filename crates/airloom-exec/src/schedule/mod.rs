//! The threads of a process, and work on them: tasks in order, and results that are computed once.

mod lock;
mod once;
mod process;
mod tasks;

pub use lock::try_hold;
pub use once::Once;
pub(crate) use process::{LOOK, Process};
pub use tasks::TaskSet;
