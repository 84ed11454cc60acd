//! Programs explained: what the rules make of them, and how the engine runs them.

use crate::errors::program_error;
use crate::function::Function;
use crate::interrupt::interruptible;
use crate::rules::lending;
use crate::run::{Asked, bind, prepare, read_arguments, read_hosts, read_sources};
use crate::session::RunOptions;
use airloom::Cancel;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// What is wanted of an explanation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

/// What the rules make of a function, and its physical plan; with `analyze` it is run, and the plan says what each node did. As text, or the plan alone as JSON.
#[pyfunction]
#[pyo3(name = "explain")]
#[allow(clippy::too_many_arguments, reason = "what Python calls it with, one by one")]
pub(crate) fn explain_function(
    py: Python<'_>,
    function: &Function,
    args: &Bound<'_, PyTuple>,
    sources: &Bound<'_, PyDict>,
    hosts: &Bound<'_, PyDict>,
    options: RunOptions,
    run_it: bool,
    format: &str,
) -> PyResult<String> {
    let format = match format {
        "text" => Format::Text,
        "json" => Format::Json,
        other => return Err(program_error(py, format!("`format` is `{other}`, expected `text` or `json`"))),
    };
    let prepared = prepare(py, function, &options)?;
    let program = prepared.program();
    // Without arguments the plan is explained for made-up ones.
    let given = run_it || !args.is_empty();
    let args = if given { read_arguments(py, function, program, prepared.function(), args)? } else { Vec::new() };
    let asked = if run_it { Asked::Run } else { Asked::Explain };
    let sources = read_sources(&prepared, sources, asked)?;
    let hosts = read_hosts(py, program, function, hosts)?;
    let cancel = Cancel::default();
    let own = cancel.clone();
    let bindings = bind(args, sources, &hosts, &cancel);
    let explain = move || {
        if !run_it && format == Format::Text {
            let explanation = prepared.explain(bindings, options.oracle)?;
            return Ok(explanation.stages + explanation.placed.as_deref().unwrap_or_default());
        }
        let plan = if run_it { prepared.analyze(bindings, &own)?.1 } else { prepared.physical_plan(bindings)? };
        Ok(if format == Format::Json { plan.to_json() } else { plan.to_string() })
    };
    interruptible(py, &cancel, move || lending(&hosts, explain))
}
