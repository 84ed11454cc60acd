//! Bodies over batches: a row body over the rows of a batch, an element body over the elements of an array.
//!
//! [`Programs`] makes [`Program`]s; each is a chain of [`Kernel`]s that hand over at the row they cannot compute: what a [`Compiler`] made, the interpreter, the
//! oracle. Rows that are only added up are computed and added by a [`FoldKernel`], where there is one.

mod branch;
mod check;
mod fold;
mod interpreter;
mod kernel;
mod list_reduction;
mod program;
mod records;
mod row_by_row;
mod select;

pub use fold::{FoldGroups, FoldInput, FoldKernel, FoldSpec, FoldTotals};
use interpreter::Interpreter;
pub use kernel::{Compiler, Deopt, Exit, HowComputed, Kernel};
pub use program::{BoundProgram, Program, Programs};
pub use records::part as vector_part;
pub use select::slice;
