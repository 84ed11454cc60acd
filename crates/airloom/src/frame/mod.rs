//! Frames: tables that are described first and computed when asked. Each step adds to a graph; nothing runs before [`Frame::collect`].

mod aggregate;
mod choice;
mod expression;
mod group;
mod join;
mod lazy;
mod literal;
mod lower;
mod output;
mod sort;
mod temporal;
mod text;

pub use aggregate::len;
pub use choice::{Then, When, coalesce, when};
pub use expression::{Expr, col, lit, null};
pub use group::Grouped;
pub use lazy::Frame;
pub use literal::Literal;
pub use sort::{Direction, Sort};
pub use text::concat_text;
