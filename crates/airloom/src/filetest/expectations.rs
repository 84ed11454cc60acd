//! Errors on their lines, and round trips.

use super::Outcome;
use super::directives::Directives;
use airloom_ir::module::Module;
use airloom_ir::{binary, text};

/// Every `; error:` has its error, and every error its `; error:`.
pub(super) fn errors(directives: &Directives, source: &str, outcome: &mut Outcome) {
    let mut expected: Vec<(usize, &str)> = Vec::new();
    for (at, line) in source.lines().enumerate() {
        if let Some((_, part)) = line.split_once("; error:") {
            expected.push((at + 1, part.trim()));
        }
    }
    if expected.is_empty() {
        outcome.failures.push("the file expects no error".into());
    }
    let found = text::parse(&directives.program).err().unwrap_or_default();
    for (line, part) in &expected {
        outcome.checked += 1;
        let here: Vec<&str> = found.iter().filter(|e| e.line as usize == *line).map(|e| e.message.as_str()).collect();
        if !here.iter().any(|message| message.contains(part)) {
            outcome.failures.push(format!("line {line}: expected an error with `{part}`, found {here:?}"));
        }
    }
    for error in &found {
        if !expected.iter().any(|(line, part)| *line == error.line as usize && error.message.contains(part)) {
            outcome.failures.push(format!("line {}: an error nobody expected: {}", error.line, error.message));
        }
    }
}

/// What is printed, or encoded, comes back to the same ids.
pub(super) fn roundtrip(module: &Module, outcome: &mut Outcome) {
    let printed = text::print(module);
    match text::parse(&printed) {
        Ok(again) => {
            compare(module, &again, "printed and parsed", outcome);
            let second = text::print(&again);
            if second != printed {
                outcome.failures.push(format!("printing what was printed differs:\n{printed}\n---\n{second}"));
            }
        }
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            outcome.failures.push(format!("what was printed does not parse:\n{}\n{printed}", errors.join("\n")));
        }
    }
    match binary::decode(&binary::encode(module)) {
        Ok(again) => compare(module, &again, "encoded and decoded", outcome),
        Err(error) => outcome.failures.push(format!("what was encoded does not decode: {error}")),
    }
}

fn compare(module: &Module, again: &Module, how: &str, outcome: &mut Outcome) {
    outcome.checked += 1;
    let mut graph = module.graph.clone();
    match graph.import(&again.graph, &again.roots()) {
        Ok(roots) if roots == module.roots() => (),
        Ok(_) => outcome.failures.push(format!("{how}, the program has other ids:\n{}", text::print(again))),
        Err(error) => outcome.failures.push(format!("{how}, the program is refused: {error}")),
    }
}
