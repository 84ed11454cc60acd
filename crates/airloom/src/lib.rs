//! Airloom's one door: programs in, answers and explanations out.
//!
//! ```
//! use airloom::session::Session;
//! use airloom_ir::value::Value;
//! use airloom_opt::driver::Options;
//!
//! let mut session = Session::parse("func @twice(x: i64) -> i64 { return add(x, mul(x, 1)) }", None)?;
//! let optimised = session.optimize(&Options::everything())?.roots[0];
//! assert_eq!(session.run(optimised, &[Value::int(21)], None)?, Value::int(42));
//! # Ok::<(), airloom::session::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod bisect;
pub mod csv;
pub mod explain;
pub mod filetest;
pub mod manual;
pub mod options;
pub mod reduce;
pub mod session;
pub mod statistics;
pub mod table;
