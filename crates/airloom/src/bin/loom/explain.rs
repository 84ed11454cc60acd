//! `loom explain`.

use crate::arguments::Arguments;
use crate::say;

pub(crate) fn main(words: &[String]) -> Result<bool, String> {
    let mut arguments = Arguments::parse("explain", words)?;
    let places: Vec<usize> = match &arguments.function {
        Some(_) => vec![arguments.place()?],
        None => (0..arguments.session.module().functions.len()).collect(),
    };
    let (engine, sources) = airloom::explain::engine_of(&arguments.session)?;
    for place in places {
        let text = airloom::explain::explain(&mut arguments.session, place, &arguments.options, &engine, &sources);
        say(&text.map_err(|e| e.to_string())?);
    }
    Ok(true)
}
