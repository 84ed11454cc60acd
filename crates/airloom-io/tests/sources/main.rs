//! Sources: what is read is what was written, in order, and what is said of it is true.

mod csv;
mod ipc;
mod json;
mod memory;
mod parquet;
mod parquet_decoder;
mod parquet_pruning;
mod remote;
mod sql_postgres;
mod sql_programs;
mod sql_pushdown;
mod sql_sqlite;
mod support;
