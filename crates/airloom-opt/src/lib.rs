//! The rules of airloom: patterns, stages, the driver and the facts rules may use.
//!
//! A rule says a fact about a program; a stage is a set of rules with a weight that each firing lowers, so that it ends. `facts` are what is known of a node (order,
//! ranges, rows), `generate` makes random programs, and `check` holds rules against the oracle on awkward values. It uses `airloom-ir` alone, and knows no
//! buffers, threads, files or backend. Begin with `driver.rs`, which runs a stage, and a table of rules in `rules/<stage>/`.
//!
//! Rules are values. An embedder adds its own while running, and checks them against the oracle:
//!
//! ```
//! use airloom_ir::text;
//! use airloom_opt::{check::check, driver::Options, registry::Registry, rule::Rule, stage::Stage};
//!
//! let doc = "A text once is that text, and as long.";
//! let rule = Rule::text(Stage::Simplify, "len-of-repeat-once", doc, "str.len{unit: ?u}(str.repeat(?s:text!, 1))", "str.len{unit: ?u}(?s)", None)?;
//! check(&rule, 200, 7)?;
//!
//! let mut registry = Registry::standard();
//! registry.add(rule)?;
//! let mut module = text::parse("func @f(s: str) -> i64 { return str.len(str.repeat(s, 1)) }").expect("a valid program");
//! let outcome = registry.run(&mut module, &Options::everything()).expect("rules that keep their promises");
//! assert_eq!(outcome.trace.len(), 1);
//! # Ok::<(), airloom_opt::rule::RuleError>(())
//! ```
#![forbid(unsafe_code)]

pub mod check;
pub mod context;
pub mod driver;
pub mod facts;
pub mod generate;
pub mod literals;
pub mod matching;
pub mod registry;
pub mod rule;
pub mod rules;
pub mod stage;
