//! Programs that are done in a moment: they are run where they are asked for, since handing them to other threads would take longer.

use crate::engine::{RunOptions, Source};
use crate::{backends, rules};
use airloom_compute::data::Datum;
use airloom_ir::module::Module;
use std::collections::BTreeMap;

/// A program of more nodes may take a while to plan, and may be deep: threads of Python have small stacks.
const NODES: usize = 400;

/// How many pairs of rows, triples and so on, joins may have to look at.
const ROWS: u64 = 1 << 14;

/// Whether a program takes so little time that nobody could wish to stop it: it reads few rows, and none of its ops makes much of little, goes on for as long as
/// a condition holds, or calls Python.
pub(crate) fn is_momentary(module: &Module, sources: &BTreeMap<String, Source>, args: &[Datum], options: &RunOptions) -> bool {
    let graph = &module.graph;
    if options.oracle || graph.len() > NODES || !backends::none() || rules::any_added() {
        return false;
    }
    let mut rows: u64 = 1;
    let mut count = |more: u64| {
        rows = rows.saturating_mul(more.max(1));
        rows <= ROWS
    };
    let few_given = args.iter().all(|arg| match arg {
        Datum::Value(_) | Datum::Token => true,
        Datum::Table(table) => count(table.rows() as u64),
        Datum::Array(_) | Datum::Parts(_) | Datum::Function(_) => false,
    });
    // Each node that reads a source may stand on a side of a join.
    let few_read = graph.ids().filter_map(|id| graph.as_source(id)).all(|read| {
        let source = sources.get(read.name.as_str());
        let rows = source.and_then(|source| match (&source.table, &source.data) {
            (Some(table), _) if table.is_in_memory() => table.rows(),
            (None, Datum::Table(rows)) => Some(rows.rows() as u64),
            (None, Datum::Value(_)) => Some(1),
            _ => None,
        });
        rows.is_some_and(&mut count)
    });
    few_given && few_read && graph.ids().all(|id| is_quick(graph.op(id).name()))
}

/// Whether an op takes time and room by what it is given.
fn is_quick(op: &str) -> bool {
    let (family, name) = op.split_once('.').unwrap_or(("", op));
    match family {
        "" => name != "hole",
        "dt" | "list" => true,
        "str" => !matches!(name, "repeat" | "pad" | "zfill"),
        "rel" => !matches!(name, "asof" | "explode" | "pivot" | "sample"),
        "arr" => !matches!(name, "fill" | "iota" | "broadcast"),
        _ => op == "seq.if",
    }
}
