//! `; statistics "name" = {…}` lines: what a file says is known of its sources.

use super::Outcome;
use crate::statistics::{enter, entry};
use airloom_ir::module::Module;
use airloom_opt::facts::Statistics;

/// What the lines of a file say; one that is wrong is a failure.
pub(super) fn read(module: &Module, source: &str, outcome: &mut Outcome) -> Statistics {
    let mut statistics = Statistics::default();
    for (at, line) in source.lines().enumerate() {
        let Some(rest) = line.trim().strip_prefix(';').and_then(|comment| comment.trim().strip_prefix("statistics ")) else { continue };
        let entered = entry(module, rest).and_then(|(name, table)| {
            let is_read = module.graph.ids().any(|id| module.graph.as_source(id).is_some_and(|s| s.name == name));
            if is_read { enter(&mut statistics, name, table) } else { Err(format!("no function reads a source `{name}`")) }
        });
        if let Err(message) = entered {
            outcome.failures.push(format!("line {}: {message}", at + 1));
        }
    }
    statistics
}
