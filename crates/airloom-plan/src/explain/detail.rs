//! What there is to say of a relation of the program: its keys, columns and predicates, one line of it.

use super::expression::Words;
use crate::value::Column;
use airloom_ir::attrs::{JoinHow, SortKey};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

/// The names of columns.
pub(super) fn columns(columns: &[Column]) -> String {
    if columns.is_empty() {
        return "no columns".into();
    }
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// What a relation does, beyond its name; nothing where that says it all.
pub(super) fn detail(graph: &Graph, id: NodeId) -> Option<String> {
    if let Some(filter) = graph.as_filter(id) {
        return Some(Words::new(graph, 1, &filter.captures).value(graph.result_of(filter.predicate)));
    }
    if let Some(project) = graph.as_project(id) {
        return Some(Words::new(graph, 1, &project.captures).row(graph.result_of(project.row)));
    }
    if let Some(group) = graph.as_group(id) {
        let words = Words::new(graph, 1, &group.captures);
        let (keys, made) = (words.row(graph.result_of(group.keys)), words.row(graph.result_of(group.aggregates)));
        let keys = if keys.is_empty() { "all rows".to_string() } else { format!("by {keys}") };
        return Some(if made.is_empty() { keys } else { format!("{keys}: {made}") });
    }
    if let Some(join) = graph.as_join(id) {
        return Some(join_words(graph, join.how, (join.left_keys, join.right_keys), join.predicate, &join.captures));
    }
    if let Some(sort) = graph.as_sort(id) {
        return Some(sorted(graph, sort.keys, &sort.captures, &sort.by));
    }
    if let Some(top) = graph.as_top(id) {
        let count = Words::new(graph, 0, &[]).value(top.count);
        return Some(format!("{}; the first {count}", sorted(graph, top.keys, &top.captures, &top.by)));
    }
    if let Some(slice) = graph.as_slice(id) {
        let words = Words::new(graph, 0, &[]);
        let count = if graph.const_value(slice.length) == Some(&Value::Null) { "all".to_string() } else { words.value(slice.length) };
        return Some(format!("{count} rows from row {} on", words.value(slice.offset)));
    }
    if let Some(distinct) = graph.as_distinct(id) {
        return Some(format!("by {}", Words::new(graph, 1, &distinct.captures).row(graph.result_of(distinct.keys))));
    }
    if let Some(window) = graph.as_window(id) {
        let words = Words::new(graph, 1, &window.captures);
        let parts = [("by", window.partition), ("in the order of", window.order), ("adds", window.columns)];
        let said = parts.iter().map(|(word, body)| (word, words.row(graph.result_of(*body)))).filter(|(_, row)| !row.is_empty());
        return Some(said.map(|(word, row)| format!("{word} {row}")).collect::<Vec<_>>().join("; "));
    }
    None
}

fn join_words(graph: &Graph, how: JoinHow, keys: (NodeId, NodeId), predicate: NodeId, captures: &[NodeId]) -> String {
    let how = how.word();
    let (left, right) = (fields(graph, keys.0), fields(graph, keys.1));
    let mut conditions: Vec<String> = left.iter().zip(&right).map(|(left, right)| format!("{left} = {right}")).collect();
    let predicate = graph.result_of(predicate);
    if graph.const_value(predicate) != Some(&Value::Bool(true)) {
        conditions.push(Words::new(graph, 2, captures).value(predicate));
    }
    if conditions.is_empty() { format!("{how}, every pair") } else { format!("{how}, {}", conditions.join(" and ")) }
}

/// The values of a row that keys make.
fn fields(graph: &Graph, lambda: NodeId) -> Vec<String> {
    let result = graph.result_of(lambda);
    let words = Words::new(graph, 1, &[]);
    match graph.types().plain(graph.ty_id(result)) {
        Ty::Struct(fields) => fields.names().map(|name| words.field(result, name)).collect(),
        _ => Vec::new(),
    }
}

fn sorted(graph: &Graph, keys: NodeId, captures: &[NodeId], by: &[SortKey]) -> String {
    let result = graph.result_of(keys);
    let words = Words::new(graph, 1, captures);
    let Ty::Struct(fields) = graph.types().plain(graph.ty_id(result)) else { return String::new() };
    let keys = fields.names().zip(by).map(|(name, key)| {
        let direction = if key.descending { " falling" } else { "" };
        let nulls = if key.nulls_first { ", nulls first" } else { "" };
        format!("{}{direction}{nulls}", words.field(result, name))
    });
    format!("by {}", keys.collect::<Vec<_>>().join(", "))
}
