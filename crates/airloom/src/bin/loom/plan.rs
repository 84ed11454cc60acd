//! `loom plan`.

use crate::arguments::Arguments;
use crate::say;
use std::sync::Arc;

pub(crate) fn main(words: &[String]) -> Result<bool, String> {
    let mut arguments = Arguments::parse("plan", words)?;
    let places: Vec<usize> = match &arguments.function {
        Some(_) => vec![arguments.place()?],
        None => (0..arguments.session.module().functions.len()).collect(),
    };
    let (engine, sources) = airloom::explain::engine_of(&arguments.session)?;
    let optimized = arguments.session.optimize(&arguments.options).map_err(|error| error.to_string())?;
    let graph = Arc::new(arguments.session.module().graph.clone());
    for place in places {
        let statistics = arguments.options.statistics.clone();
        let plan = engine.lower(&graph, optimized.roots[place], statistics, &sources).map_err(|error| error.to_string())?;
        say(&airloom::plan::text::print(&plan));
    }
    Ok(true)
}
