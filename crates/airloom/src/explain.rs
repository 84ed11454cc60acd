//! What happened to a program: each stage that changed it, and the rules that fired, on which of the user's lines.

use crate::program::{Error, Program};
use airloom_ir::text::{print_function, print_node};
use airloom_opt::driver::{Options, Stopped};

/// The explanation of one function as text.
pub fn explain(session: &mut Program, place: usize, options: &Options) -> Result<String, Error> {
    let outcome = session.optimize(options)?;
    let module = session.module();
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
    Ok(out)
}
