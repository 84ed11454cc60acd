//! `loom run`.

use crate::arguments::Arguments;
use crate::say;
use airloom_ir::text::value_to_text;

pub(crate) fn main(words: &[String]) -> Result<bool, String> {
    let mut arguments = Arguments::parse("run", words)?;
    let place = arguments.place()?;
    let values = arguments.values(place)?;
    let written = arguments.session.module().functions[place].lambda;
    let function = match arguments.optimize {
        true => arguments.session.optimize(&arguments.options).map_err(|e| e.to_string())?.roots[place],
        false => written,
    };
    let value = arguments.session.run(function, &values, None).map_err(|e| e.to_string())?;
    let graph = &arguments.session.module().graph;
    let ty = graph.ty_id(graph.result_of(function));
    match airloom::table::show(graph.types(), ty, &value) {
        Some(table) => say(&table),
        None => say(&format!("{}\n", value_to_text(graph.types(), ty, &value))),
    }
    Ok(true)
}
