//! The little of LLVM that kernels need, behind a safe face: IR is built with [`Builder`], made into an object by [`Machine`], and loaded by [`Loader`].

mod blocks;
mod builder;
mod loader;
mod machine;

pub(crate) use blocks::{Block, Scope};
pub(crate) use builder::{Builder, Compare, Leave, Module, Value};
pub(crate) use loader::{Loaded, Loader};
pub(crate) use machine::{Machine, cpu};
