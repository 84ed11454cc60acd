//! `loom bisect`.

use crate::arguments::Arguments;
use crate::say;
use airloom::bisect::{Verdict, bisect};
use airloom_ir::text::{print_node, value_to_text};
use airloom_ir::value::Value;

pub(crate) fn main(words: &[String]) -> Result<bool, String> {
    let mut arguments = Arguments::parse("bisect", words)?;
    let place = arguments.place()?;
    let values = arguments.values(place)?;
    let verdict = bisect(&mut arguments.session, place, &values, &arguments.options, None);
    let graph = &arguments.session.module().graph;
    let ty = graph.ty_id(graph.result_of(arguments.session.module().functions[place].lambda));
    let show = |answer: &Result<Value, String>| match answer {
        Ok(value) => value_to_text(graph.types(), ty, value),
        Err(message) => message.clone(),
    };
    match verdict {
        Verdict::Fine { firings } => {
            say(&format!("the answer is the same with all {firings} firings\n"));
            Ok(true)
        }
        Verdict::Broken(message) => {
            say(&format!("{message}\n"));
            Ok(false)
        }
        Verdict::Guilty { rule, firing, before, after, outcome } => {
            say(&format!("`{rule}` changes the answer, at firing {firing}\n"));
            if let Some(fired) = outcome.trace.get(firing as usize - 1) {
                let places: Vec<String> = fired.places.iter().map(ToString::to_string).collect();
                say(&format!("  at {}\n", if places.is_empty() { "a node made by another rule".into() } else { places.join(", ") }));
                say(&format!("  {}\n  → {}\n", print_node(graph, fired.before), print_node(graph, fired.after)));
            }
            say(&format!("expected {}\nfound    {}\n", show(&before), show(&after)));
            Ok(false)
        }
    }
}
