//! The Python extension: `airloom._native`. Everything that users see is in the package `airloom` around it.
//!
//! It builds graphs node by node for Python, takes rules, backends and host functions that Python writes, and runs programs on a session. It is the only crate
//! that knows Python. Exceptions of host functions travel with what a run raised, and come back as they were. Begin with `graph.rs` and `run.rs`.

mod allocator;
mod arguments;
mod array;
mod attributes;
mod backends;
mod batches;
mod build;
mod capsule;
mod checking;
mod column;
mod column_to_numpy;
mod column_to_strings;
mod cores;
mod csv;
mod errors;
mod explain;
mod fetched;
mod function;
mod given;
mod graph;
mod hosts;
mod interrupt;
mod json;
mod location;
mod matched;
mod node;
mod numpy_to_column;
mod op_table;
mod operators;
mod physical;
mod prepared;
mod python_host;
mod read_values;
#[cfg(feature = "native")]
mod region;
#[cfg(feature = "native")]
mod region_arguments;
mod region_graph;
#[cfg(feature = "native")]
mod region_results;
mod rules;
mod run;
mod scalars;
mod session;
mod stored;
mod streaming;
mod table;
mod types;
mod writing;

/// The native half of the package `airloom`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        Ok(())
    }

    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::backends::{list_backends, list_refusals, register_backend, remove_backend};
    #[pymodule_export]
    use crate::batches::{Batches, stream};
    #[pymodule_export]
    use crate::build::{build, constant, inline};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::csv::read_csv;
    #[pymodule_export]
    use crate::explain::explain_function;
    #[pymodule_export]
    use crate::fetched::Fetched;
    #[pymodule_export]
    use crate::function::{Function, make_function};
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::hosts::host_call;
    #[pymodule_export]
    use crate::json::read_json;
    #[pymodule_export]
    use crate::location::at_one_place;
    #[pymodule_export]
    use crate::matched::Match;
    #[pymodule_export]
    use crate::node::{Node, load_node};
    #[pymodule_export]
    use crate::op_table::op_table;
    #[pymodule_export]
    use crate::prepared::Prepared;
    #[cfg(feature = "native")]
    #[pymodule_export]
    use crate::region::{Kernel, Region, code_on_disk, keep_code_in, name_code_for_perf, register_loops, register_object_mode};
    #[pymodule_export]
    use crate::region_graph::RegionGraph;
    #[pymodule_export]
    use crate::rules::{add_python_rule, add_rule, check_rule, list_rules, list_stages, remove_rule};
    #[pymodule_export]
    use crate::run::{optimize, run};
    #[pymodule_export]
    use crate::session::plan_cache;
    #[pymodule_export]
    use crate::stored::{Stored, read_sql, scan_ipc, scan_parquet};
    #[pymodule_export]
    use crate::streaming::{ParquetStream, stream_parquet};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::types::Type;
    #[pymodule_export]
    use crate::writing::{write_json, write_lines, write_parquet};
}
