//! The edge of the engine: sources that programs read, and sinks that results are written to.
//!
//! A [`source::Table`] knows its columns, what is known of them without reading (statistics), and how to read some of them in contiguous pieces; a
//! [`sink::write`] runs a plan and writes its rows whole or not at all. Files, object stores, Arrow in memory, SQLite and PostgreSQL are here.
//!
//! It may use the graph, its facts, the columns and failures of `airloom-compute`, and DataFusion's readers and streams; it knows no operator, no memory budget and
//! no planner. `sql` goes from a graph to the text of a query, and knows nothing but the graph. `failure` takes failures through DataFusion's streams and back,
//! `metrics` counts what passes in a stream.
//!
//! Begin with `source/table.rs`, then a format: `source/parquet/`, `source/csv/`, `sink/parquet.rs`.

pub mod failure;
pub mod metrics;
pub mod sink;
pub mod source;
pub mod sql;
