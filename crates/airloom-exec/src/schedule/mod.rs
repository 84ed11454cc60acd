//! Work on the threads of a run: tasks in order, and results that are computed once.

mod once;
mod tasks;

pub use once::Once;
pub use tasks::Tasks;
