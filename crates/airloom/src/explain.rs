//! What happened to a program: each stage that changed it, the rules that fired, on which of the user's lines, and how it is run.

use crate::data::Datum;
use crate::program::{Error, Program};
use crate::session::SessionOptions;
use crate::source::{Catalog, Source};
use airloom_exec::engine::Engine;
use airloom_ir::text::{print_function, print_node};
use airloom_opt::driver::{Options, Stopped};
use std::sync::Arc;

/// The explanation of one function as text; `engine` adds how it would run it over these sources. Placeholders are shown as the literals that they stand for.
pub fn explain(session: &mut Program, place: usize, options: &Options, engine: &Engine, sources: &Catalog) -> Result<String, Error> {
    let outcome = session.optimize(options)?;
    let mut module = session.module().clone();
    module.graph = module.graph.bind_expected();
    let function = &module.functions[place];
    let show = |lambda| print_function(&module.graph, &module.hints, &function.name, lambda);
    let mut out = format!("as written:\n\n{}", show(function.lambda));
    let mut before = function.lambda;
    let mut shown = 0;
    for (stage, roots) in &outcome.stages {
        let fired: Vec<_> = outcome.trace.iter().filter(|f| f.stage == *stage).collect();
        if roots[place] == before {
            continue;
        }
        before = roots[place];
        shown += fired.len();
        out.push_str(&format!("\nafter `{}`:\n\n{}\nrules that fired:\n", stage.name(), show(before)));
        for fire in fired {
            let places: Vec<String> = fire.places.iter().map(ToString::to_string).collect();
            let places = if places.is_empty() { String::new() } else { format!("  ({})", places.join(", ")) };
            out.push_str(&format!("  {:<28} {}{places}\n", fire.rule, print_node(&module.graph, fire.before)));
            out.push_str(&format!("  {:<28} {}\n", "→", print_node(&module.graph, fire.after)));
        }
    }
    if shown == 0 {
        out.push_str("\nno rule changes it\n");
    }
    match &outcome.stopped {
        Stopped::AtNormalForm => out.push_str(&format!("\n{} firings; nothing more fires\n", outcome.trace.len())),
        Stopped::OutOfFuel(last) => {
            let last = last.as_ref().map_or_else(String::new, |l| format!("; the last was `{l}`"));
            out.push_str(&format!("\nstopped: the fuel of {} firings is spent{last}\n", outcome.trace.len()));
        }
    }
    match engine.lower(&Arc::new(module.graph.clone()), outcome.roots[place], options.statistics.clone(), sources) {
        Ok(plan) => out.push_str(&format!("\nphysical plan:\n\n{}", engine.describe(&plan, sources))),
        Err(error) => out.push_str(&format!("\nthere is no physical plan: {error}\n")),
    }
    Ok(out)
}

/// An engine as the environment says, and the sources of a program.
pub fn engine_of(program: &Program) -> Result<(Engine, Catalog), String> {
    let options = SessionOptions::from_environment().and_then(|options| options.check()).map_err(|error| error.to_string())?;
    let engine = Engine::new(options).map_err(|error| error.to_string())?;
    let graph = &program.module().graph;
    let mut sources = Catalog::default();
    for (name, source) in program.sources() {
        let found = graph.ids().find(|&id| graph.as_source(id).is_some_and(|found| found.name.as_str() == name));
        if let Some(id) = found {
            sources.insert(name, Source::Datum(Datum::from_value(graph.types(), graph.ty_id(id), &source.value)));
        }
    }
    Ok((engine, sources))
}
