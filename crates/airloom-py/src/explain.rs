//! Programs explained: what the rules make of them, and how the engine runs them.

use crate::engine::{Job, RunOptions, analyze, physical_plan, placement};
use crate::errors::{Error, program_error};
use crate::function::Function;
use crate::interrupt::interruptible;
use crate::native::with_sources;
use crate::plans::Plan;
use crate::rules;
use crate::run::{Asked, driver_options, part, planned, read_arguments, read_hosts, read_sources, statistics};
use airloom_compute::data::Cancel;
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
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
    let (module, lambda) = part(function)?;
    // Without arguments the plan is told for made-up ones.
    let data = if run_it || !args.is_empty() { read_arguments(py, function, &module, lambda, args)? } else { Vec::new() };
    let asked = if run_it { Asked::Run } else { Asked::Explain };
    let sources = read_sources(&module, sources, &options, asked)?;
    let hosts = read_hosts(py, &module, function, hosts)?;
    let cancel = Cancel::default();
    let own = cancel.clone();
    interruptible(py, &cancel, move || {
        let statistics = if options.optimize { statistics(&module, &sources)? } else { Statistics::default() };
        if !run_it && format == Format::Text {
            let mut driver = Options { statistics: statistics.clone(), ..driver_options(&options) };
            if !options.optimize {
                driver.stages.clear();
            }
            let rules = with_sources(&options, false, &sources, |engine| {
                rules::explain(module.clone(), &driver, &options.without_rules, &hosts, engine)
            })?;
            let Plan { module, function, graph } = planned(&module, lambda, &options, &statistics, &hosts)?;
            let job = Job { module, function, graph, alone: false, args: data, sources, statistics, hosts, options, cancel: own };
            return Ok(rules + &placement(&job)?);
        }
        let Plan { module, function, graph } = planned(&module, lambda, &options, &statistics, &hosts)?;
        let job = Job { module, function, graph, alone: false, args: data, sources, statistics, hosts, options, cancel: own };
        let plan = if run_it { analyze(&job)? } else { physical_plan(&job)? };
        let plan = plan.with_places(&|node| job.module.locations.of(node).first().map(ToString::to_string));
        Ok::<String, Error>(if format == Format::Json { plan.to_json() } else { plan.to_string() })
    })
}
