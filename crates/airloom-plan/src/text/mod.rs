//! The text form of plans: the form of tests and dumps. It prints and parses to the same plan.
//!
//! First come the functions that bodies are, in the language of programs, then the plan: a line for each slot, step and node.
//!
//! ```text
//! func @p0(r: {a: i64}) -> bool {
//!   return gt(r.a, 1)
//! }
//!
//! plan {
//!   block b0 {
//!     s0: rel{a: i64} = relation{node: [n0]}
//!     return s0
//!   }
//!   n0 = scan{source: "t", type: rel{a: i64}, reads: [0], filter: @p0} -> {a: i64} contiguous exact
//! }
//! ```

mod item;
mod parse;
mod print;
mod split;

pub use parse::parse;
pub use print::print;
