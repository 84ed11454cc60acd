//! A file of text read as a whole, at once and into memory, as pandas reads it: to the bit, and on every core.
//!
//! Records are separated and their fields made columns of in one go, piece by piece: each piece begins with the first line that begins in it. That is a guess,
//! since a quoted field may hold line ends; where a piece does not begin where the one before it ends, it is read again.

mod arrays;
mod convert;
mod gather;
mod instant;
mod missing;
mod number;
mod records;
mod scan;
mod unify;
mod window;

pub use arrays::{ReadAs, ReadColumn, read_whole};
pub use convert::Kind;
pub use gather::{Request, Wanted};
pub use missing::{Missing, Truths};
pub use number::Digits;
pub(super) use number::{Whole, whole};
pub use records::Dialect;
