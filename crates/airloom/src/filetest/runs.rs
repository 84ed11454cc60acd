//! `; run:` lines: functions computed on the oracle, or on the engine, as written and optimised.

use super::Outcome;
use super::configuration::{Configuration, Runner};
use crate::program::{Error, Program};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_ir::oracle::{Raised, Source, Stop};
use airloom_ir::text::{self, Raw};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::{Table, Value};
use airloom_opt::facts::Statistics;
use airloom_opt::literals::hoistable;
use std::sync::Arc;

/// What a `; run:` line says.
struct Run {
    line: usize,
    function: String,
    args: Vec<Raw>,
    expected: Expected,
}

enum Expected {
    Value(String),
    Raises(String),
}

/// The host functions that filetests may call.
pub(crate) fn test_host(name: &str, args: &[Value]) -> Result<Value, Stop> {
    let raised = |message: &str| Stop::from(Raised::new(message));
    match name {
        "echo" => args.first().cloned().ok_or_else(|| raised("takes an argument, found none")),
        "fail" => Err(raised("asked to fail")),
        other => Err(raised(&format!("there is no host function `{other}` in tests"))),
    }
}

/// Checks every `; run:` line under a configuration.
pub(super) fn check(module: &Module, source: &str, statistics: &Statistics, configuration: &Configuration, outcome: &mut Outcome) {
    let mut module = module.clone();
    if configuration.hoisted {
        module.graph = module.graph.hoist(&hoistable(&module.graph)).0;
    }
    let module = &module;
    let mut session = Program::new(module.clone());
    let mut runs = Vec::new();
    let mut sources: Vec<(String, Source)> = Vec::new();
    for (at, line) in source.lines().enumerate() {
        let Some(comment) = line.trim().strip_prefix(';').map(str::trim) else { continue };
        let result = if let Some(rest) = comment.strip_prefix("source ") {
            source_line(module, rest).map(|(name, source)| sources.push((name, source)))
        } else if let Some(rest) = comment.strip_prefix("run:") {
            parse_run(at + 1, rest.trim()).map(|run| runs.push(run))
        } else {
            continue;
        };
        if let Err(message) = result {
            outcome.failures.push(format!("line {}: {message}", at + 1));
        }
    }
    if runs.is_empty() {
        outcome.failures.push("`test run` without a `; run:` line".into());
    }
    let optimized = match session.optimize(&configuration.optimizing(statistics)) {
        Ok(optimized) => optimized.roots,
        Err(error) => {
            outcome.failures.push(error.to_string());
            return;
        }
    };
    let runner = match Runner::new(configuration, session, &sources) {
        Ok(runner) => runner,
        Err(message) => {
            outcome.failures.push(message);
            return;
        }
    };
    for run in runs {
        outcome.checked += 1;
        if let Err(message) = one(&runner, &run, &optimized) {
            outcome.failures.push(format!("line {}: {message}", run.line));
        }
    }
}

fn source_line(module: &Module, rest: &str) -> Result<(String, Source), String> {
    let (name, value) = rest.split_once('=').ok_or("expected `; source \"name\" = value`")?;
    let name = name.trim().trim_matches('"').to_string();
    let types = module.graph.types();
    let width = |ty: TyId| match types.get(ty) {
        Ty::Rel(fields) => fields.len(),
        _ => 0,
    };
    // A function may ask for some columns only: the data has those of the one that asks for most.
    let of = module.graph.ids().filter_map(|id| module.graph.as_source(id).filter(|s| s.name.as_str() == name)).max_by_key(|s| width(s.ty));
    let of = of.ok_or_else(|| format!("no function reads a source `{name}`"))?;
    let value = text::parse_value(types, of.ty, value.trim()).map_err(|e| e.to_string())?;
    let columns = match types.get(of.ty) {
        Ty::Rel(fields) => fields.names().cloned().collect(),
        _ => Vec::new(),
    };
    Ok((name, Source { columns, value }))
}

fn parse_run(line: usize, rest: &str) -> Result<Run, String> {
    let rest = rest.strip_prefix('@').ok_or("expected `; run: @f(…) == …`")?;
    let open = rest.find('(').ok_or("expected `(` after the function's name")?;
    let (args, after) = text::parse_raw_arguments(&rest[open..]).map_err(|e| e.to_string())?;
    let after = after.trim();
    let expected = if let Some(value) = after.strip_prefix("==") {
        Expected::Value(value.trim().to_string())
    } else if let Some(part) = after.strip_prefix("raises") {
        Expected::Raises(part.trim().trim_matches('"').to_string())
    } else {
        return Err(format!("expected `== value` or `raises \"…\"`, found `{after}`"));
    };
    Ok(Run { line, function: rest[..open].to_string(), args, expected })
}

fn one(runner: &Runner, run: &Run, optimized: &[NodeId]) -> Result<(), String> {
    let module = runner.module();
    let place = module.functions.iter().position(|f| f.name.as_str() == run.function);
    let place = place.ok_or_else(|| format!("there is no function `@{}`", run.function))?;
    let function = module.functions[place].lambda;
    let (graph, types) = (&module.graph, module.graph.types());
    let params = graph.params_of(function);
    if params.len() != run.args.len() {
        return Err(format!("`@{}` takes {} arguments, found {}", run.function, params.len(), run.args.len()));
    }
    let args: Result<Vec<Value>, String> = params.iter().zip(&run.args).map(|(&ty, raw)| text::raw_to_value(types, ty, raw)).collect();
    let args = args?;
    let ty = graph.ty_id(graph.result_of(function));
    let as_bag = graph.post_order(&[function]).iter().any(|&id| graph.op(id) == Op::Relation(Relation::Unordered));
    for (how, which) in [("as written", function), ("optimised", optimized[place])] {
        let found = runner.run(which, &args);
        match (&run.expected, found) {
            (Expected::Value(expected), Ok(found)) => {
                let expected = text::parse_value(types, ty, expected).map_err(|e| format!("in the expected value: {e}"))?;
                if bag(&found, as_bag) != bag(&expected, as_bag) {
                    return Err(format!(
                        "{how}, expected {}, found {}",
                        text::value_to_text(types, ty, &expected),
                        text::value_to_text(types, ty, &found)
                    ));
                }
            }
            (Expected::Raises(part), Err(Error::Raised(message))) if message.contains(part.as_str()) => (),
            (Expected::Raises(part), Err(error)) => return Err(format!("{how}, expected an error with `{part}`, found: {error}")),
            (Expected::Raises(part), Ok(found)) => {
                return Err(format!("{how}, expected an error with `{part}`, found {}", text::value_to_text(types, ty, &found)));
            }
            (Expected::Value(_), Err(error)) => return Err(format!("{how}, it raised: {error}")),
        }
    }
    Ok(())
}

/// Rows in a canonical order, where none is promised.
fn bag(value: &Value, as_bag: bool) -> Value {
    match value {
        Value::Rel(table) if as_bag => {
            let mut rows = table.rows.clone();
            rows.sort_by_cached_key(|row| format!("{row:?}"));
            Value::Rel(Arc::new(Table { width: table.width, rows }))
        }
        other => other.clone(),
    }
}
