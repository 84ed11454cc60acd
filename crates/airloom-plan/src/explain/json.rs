//! A physical plan as JSON, for programs that read it.

use super::node::{NativeCode, Partition, PhysicalPlan, PlanNode};
use std::fmt::Write;
use std::time::Duration;

impl PhysicalPlan {
    /// One JSON object: `{"parts": […], "span_ns": …}`, with a node and its `inputs` as nested objects. Times are in nanoseconds; what is not known is left out.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\"parts\": [");
        for (at, part) in self.parts.iter().enumerate() {
            separate(&mut out, at);
            node_to_json(&mut out, part);
        }
        out.push(']');
        if let Some(span) = self.span {
            write!(out, ", \"span_ns\": {}", nanos(span)).expect("a text takes more text");
        }
        out.push('}');
        out
    }
}

/// Recursive, but only as deep as plans nest.
fn node_to_json(out: &mut String, node: &PlanNode) {
    out.push_str("{\"op\": ");
    text_to_json(out, &node.op);
    out.push_str(", \"detail\": ");
    text_to_json(out, &node.detail);
    let nodes: Vec<String> = node.nodes.iter().map(|id| id.index().to_string()).collect();
    write!(out, ", \"nodes\": [{}], \"places\": [", nodes.join(", ")).expect("a text takes more text");
    for (at, place) in node.places.iter().enumerate() {
        separate(out, at);
        text_to_json(out, place);
    }
    out.push_str("], \"partitioning\": ");
    text_to_json(out, &node.partitioning);
    let mut number = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            write!(out, ", \"{name}\": {value}").expect("a text takes more text");
        }
    };
    number("estimated_rows", node.estimated_rows);
    if let Some(counts) = &node.counts {
        number("rows", Some(counts.rows));
        number("rows_read", counts.rows_read);
        number("batches", Some(counts.batches));
        number("bytes", Some(counts.bytes));
        number("time_ns", Some(nanos(counts.time)));
        number("span_ns", Some(nanos(counts.span)));
        number("spilled_bytes", Some(counts.spilled_bytes));
        number("spilled_files", Some(counts.spilled_files));
        number("folded_rows", counts.folded_rows);
        number("peak_memory", counts.peak_memory);
    }
    match &node.native {
        None => (),
        Some(NativeCode::Compiled) => out.push_str(", \"native\": true"),
        Some(NativeCode::Partly(reason)) => {
            out.push_str(", \"native\": true, \"interpreted\": ");
            text_to_json(out, reason);
        }
        Some(NativeCode::Interpreted(reason)) => {
            out.push_str(", \"native\": false, \"interpreted\": ");
            text_to_json(out, reason);
        }
    }
    out.push_str(", \"columns\": {");
    for (at, (name, ty)) in node.columns.iter().enumerate() {
        separate(out, at);
        text_to_json(out, name);
        out.push_str(": ");
        text_to_json(out, ty);
    }
    out.push('}');
    if !node.partitions.is_empty() {
        out.push_str(", \"partitions\": [");
        for (at, Partition { files, row_groups, rows, bytes }) in node.partitions.iter().enumerate() {
            separate(out, at);
            write!(out, "{{\"files\": {files}, \"row_groups\": {row_groups}, \"rows\": {rows}, \"bytes\": {bytes}}}")
                .expect("a text takes more text");
        }
        out.push(']');
    }
    out.push_str(", \"inputs\": [");
    for (at, input) in node.inputs.iter().enumerate() {
        separate(out, at);
        node_to_json(out, input);
    }
    out.push_str("]}");
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn separate(out: &mut String, at: usize) {
    if at > 0 {
        out.push_str(", ");
    }
}

fn text_to_json(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => write!(out, "\\u{:04x}", control as u32).expect("a text takes more text"),
            other => out.push(other),
        }
    }
    out.push('"');
}
