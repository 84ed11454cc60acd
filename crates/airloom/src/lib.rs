//! Airloom's one door: programs and frames in, answers and explanations out.
//!
//! A [`Session`] has sources, threads and a memory budget. A [`Frame`] is a table that is described first and computed when asked:
//!
//! ```
//! # use airloom::doc::sales;
//! use airloom::{Direction, JoinHow, Session, SessionOptions, col, lit};
//!
//! let session = Session::new(SessionOptions::from_environment()?)?;
//! let sales = sales(&session)?;
//! let totals = sales
//!     .clone()
//!     .filter(col("day").ge(lit("2024-01-01")))?
//!     .group_by(["city"])
//!     .agg([(col("amount") * col("price")).sum().alias("total"), col("price").mean().alias("mean")])?
//!     .sort(["total".desc()])?
//!     .limit(10)?;
//! let best = sales.join(&totals, JoinHow::Inner, ["city"], ["city"])?;
//! println!("{}", best.explain()?);
//! for batch in best.collect()? {
//!     assert_eq!(batch.num_columns(), 6);
//! }
//! # Ok::<(), airloom::Error>(())
//! ```
//!
//! A program in the text form runs as well, and so does one that was built with the builders of `airloom-ir`:
//!
//! ```
//! use airloom::{Session, SessionOptions};
//! use airloom_ir::value::Value;
//!
//! let session = Session::new(SessionOptions::from_environment()?)?;
//! let module = session.parse("func @twice(x: i64) -> i64 { return add(x, mul(x, 1)) }", None)?;
//! assert_eq!(session.run(&module, "twice", &[Value::int(21)])?, Value::int(42));
//! # Ok::<(), airloom::Error>(())
//! ```
//!
//! [`program::Program`] runs programs on the oracle instead: filetests, `loom bisect` and `loom reduce` go by it.
#![forbid(unsafe_code)]

pub mod bisect;
pub mod csv;
#[doc(hidden)]
pub mod doc;
pub mod explain;
pub mod filetest;
pub mod frame;
pub mod manual;
pub mod options;
pub mod program;
pub mod reduce;
pub mod session;
pub mod statistics;
pub mod table;

/// The examples of the page on Rust are run as they stand there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
mod page {}

pub use airloom_compute as compute;
pub use airloom_compute::arrow;
pub use airloom_compute::data::Cancel;
pub use airloom_exec as exec;
pub use airloom_exec::explain::PhysicalPlan;
pub use airloom_io as io;
pub use airloom_ir::attrs::{DateStep, JoinHow};
pub use frame::{Direction, Expr, Frame, Sort, coalesce, col, concat_text, len, lit, null, when};
pub use session::{Error, Session, SessionOptions};
