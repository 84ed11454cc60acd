//! Computing over Arrow data: columns, scalar functions, keys, reductions, order, bodies of rows and arrays.
//!
//! Everything here takes buffers and gives buffers, on the thread that calls it, or on as many as the caller says. It knows the types, ops and oracle of
//! `airloom-ir`, what plans say of bodies and keys, and Arrow; it knows no DataFusion, no async runtime, no file and no memory budget: operators, which have these, call it batch by batch.
//!
//! The oracle defines every op. What is here is the same over whole buffers, and never words an error of its own where the oracle has one.
//!
//! Modules use only those before them: `data`, `functions`, `keys`, `reduce`, `order`, `body`, `array`. Begin with `data::Vector`, which everything is computed on,
//! and `body::Program`, which runs a body of the program over it; `functions::apply` is one scalar op, `array::apply` one array op.

pub mod array;
pub mod body;
pub mod data;
pub mod functions;
pub mod keys;
pub mod order;
pub mod reduce;

/// The Arrow that rows are made of, so that who gives rows has the same.
pub use arrow;
