//! The threads of a process, and work on them: tasks in order, and results that are computed once.

mod lock;
mod once;
mod process;
mod tasks;

pub use lock::try_hold;
pub use once::Once;
pub(crate) use process::{LOOK, Process};
pub use tasks::{TaskSet, claimed};

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".into())
}
