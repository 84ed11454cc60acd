//! A file of text read as a whole, at once and into memory, as pandas reads it: to the bit, and on every core.

mod arrays;
mod convert;
mod request;
mod skip;
mod unify;

pub use arrays::{ReadAs, ReadColumn, read_whole};
pub use convert::Kind;
pub use request::{Request, Wanted};
