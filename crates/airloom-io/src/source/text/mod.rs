//! Tables in files of text: each cut into pieces of whole records, which are decoded side by side.

mod bytes;
mod table;

pub(crate) use bytes::FileBytes;
pub(crate) use table::{Decode, Piece, TextTable};
