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
//! A program in the text form runs as well, and so does one that was built with the builders of [`ir`]:
//!
//! ```
//! use airloom::ir::value::Value;
//! use airloom::{Session, SessionOptions};
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

/// The examples of the page on Rust are run as they are written there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
mod page {}

pub use airloom_compute::arrow;
pub use airloom_compute::body::Compiler;
pub use airloom_compute::data::{Cancel, Native, WorldError};
pub use airloom_exec::run::Schedule;
pub use airloom_ir as ir;
pub use airloom_ir::attrs::{DateStep, JoinHow};
pub use airloom_opt as opt;
pub use airloom_plan as plan;
pub use airloom_plan::explain::PhysicalPlan;
pub use frame::{Direction, Expr, Frame, Sort, coalesce, col, concat_text, len, lit, null, when};
pub use session::{Bindings, Error, Explanation, Paths, PlanCounts, Prepared, RunOptions, Session, SessionOptions};

/// Data in the physical form in which the engine holds it, and what that is for each type.
pub mod data {
    pub use airloom_compute::data::values::array_to_values;
    pub use airloom_compute::data::{
        Datum, FloatExceptions, NdArray, Relation, Vector, arrow_to_type, batch_size, parallel_map, schema_of, type_to_arrow,
        values_to_array, widens,
    };
}

/// Tables: in memory, in files and in databases.
pub mod source {
    pub use airloom_compute::data::{ErrorKind, SourceError};
    pub use airloom_exec::run::{Catalog, Source, source_fields};
    pub use airloom_io::source::sql::SqlTable;
    pub use airloom_io::source::{CsvOptions, CsvTable, FileOptions, IpcTable, JsonTable, MemoryColumn, MemoryTable, ParquetTable, Table};

    /// Files of text, read as a whole as pandas reads them.
    pub mod csv {
        pub use airloom_io::source::csv::whole::{Kind, ReadAs, ReadColumn, Request, Wanted, read_whole};
        pub use airloom_io::source::csv::{Dialect, Digits, Missing, Rounding, Truths};
    }

    /// Files of JSON, read as a whole as pandas reads them.
    pub mod json {
        pub use airloom_io::source::json::whole::{Records, RecordsAs, read_records};
    }
}

/// Files to write to.
pub mod sink {
    pub use airloom_exec::run::{Output, TakeBatch};
    pub use airloom_io::sink::{
        CsvWriting, Format, IpcWriting, JsonDocument, JsonField, JsonKind, JsonPart, Layout, LineColumn, LineKind, LineStyle, Lines,
        Overwrite, ParquetColumns, ParquetCompression, ParquetLayout, ParquetWriting, Positional, Stopped, Target, Unwritten, Written,
        in_order,
    };
}

/// What runs parts of programs beside the engine.
pub mod backend {
    pub use airloom_compute::data::Failure;
    pub use airloom_exec::place::{Backend, Compiled, ENGINE, OracleBackend, Refusal, Refused};
    pub use airloom_exec::run::Run;
}

/// Functions of the host, which programs call.
pub mod host {
    pub use airloom_compute::data::{Host, NoHost, of_host};
    pub use airloom_ir::oracle::{Cause, Raised, Stop};
}

/// What an embedder needs that runs work of its own beside a session.
pub mod embed {
    pub use airloom_exec::engine::panic_text;
    pub use airloom_exec::schedule::try_hold;
}
