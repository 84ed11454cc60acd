//! Plans to text.

use super::item::show;
use crate::form::{Functions, Record, kind_record, step_record};
use crate::pipeline::pipelines;
use crate::value::{Column, Node, Order, Partitioning, Plan, SlotSource};
use airloom_ir::attrs::Effect;
use airloom_ir::module::Hints;
use airloom_ir::text::{print_function, quote, value_to_text};
use airloom_ir::types::Types;
use std::fmt::Write;

/// The text of a plan. Its pipelines, which follow from its nodes, are comments.
pub fn print(plan: &Plan) -> String {
    let mut functions = Functions::new(&plan.graph);
    let mut body = String::from("plan {\n");
    if plan.filters > 0 {
        line(&mut body, 1, &format!("filters {}", plan.filters));
    }
    for (number, block) in plan.blocks.iter().enumerate() {
        line(&mut body, 1, &format!("block b{number} {{"));
        let mut steps = block.steps.iter();
        let types = plan.graph.types();
        for (number, slot) in block.slots.iter().enumerate() {
            let ty = types.show(slot.ty);
            let source = match &slot.source {
                SlotSource::Argument(number) => format!("argument {number}"),
                SlotSource::Literal(value) => format!("literal {}", value_to_text(types, slot.ty, value)),
                SlotSource::Placeholder(number) => format!("placeholder {number}"),
                SlotSource::Step => {
                    let step = steps.next().expect("invariant `steps fill slots in their order`");
                    record(types, &step_record(&step.kind, &mut functions).expect("invariant `a node types as it did`"))
                }
            };
            line(&mut body, 2, &format!("s{number}: {ty} = {source}"));
        }
        line(&mut body, 2, &format!("return {}", block.result));
        line(&mut body, 1, "}");
    }
    for (number, node) in plan.nodes.iter().enumerate() {
        let kind = kind_record(&node.kind, &mut functions).expect("invariant `a node types as it did`");
        let lines = plan.lines.get(number).map_or(&[][..], Vec::as_slice);
        let lines: Vec<String> = lines.iter().map(|line| quote::string(&line.to_string())).collect();
        let lines = if lines.is_empty() { String::new() } else { format!(" lines [{}]", lines.join(", ")) };
        line(&mut body, 1, &format!("n{number} = {}{lines}", shown(plan.graph.types(), node, &kind)));
    }
    for (number, pipeline) in pipelines(plan).iter().enumerate() {
        line(&mut body, 1, &format!("; pipeline {number}: {pipeline}"));
    }
    body.push_str("}\n");
    let mut text = String::new();
    for (number, &function) in functions.list.iter().enumerate() {
        text.push_str(&print_function(&functions.graph, &Hints::default(), &format!("p{number}"), function));
        text.push('\n');
    }
    text + &body
}

fn line(out: &mut String, depth: usize, text: &str) {
    writeln!(out, "{}{text}", "  ".repeat(depth)).expect("a text takes more text");
}

fn shown(types: &Types, node: &Node, kind: &Record) -> String {
    let inputs = match node.inputs.as_slice() {
        [] => String::new(),
        inputs => format!("({})", inputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let properties = &node.properties;
    let partitioning = Partitioning::ALL.iter().find(|(known, _)| *known == properties.partitioning).expect("`ALL` holds every one").1;
    let order = Order::ALL.iter().find(|(known, _)| *known == properties.order).expect("`ALL` holds every one").1;
    let rows = properties.rows.map_or_else(String::new, |rows| format!(" rows {rows}"));
    let effect = match properties.effect {
        Effect::Pure => "",
        Effect::Raises => " may-raise",
        Effect::Effectful => " effectful",
    };
    let columns = columns(types, &node.columns);
    format!("{}{inputs} -> {columns} {partitioning} {order}{rows} width {}{effect}", record(types, kind), properties.row_bytes)
}

fn columns(types: &Types, columns: &[Column]) -> String {
    let column = |column: &Column| format!("{}: {}", quote::name(&column.name), types.show(column.ty));
    format!("{{{}}}", columns.iter().map(column).collect::<Vec<_>>().join(", "))
}

fn record(types: &Types, record: &Record) -> String {
    if record.fields.is_empty() {
        return record.word.clone();
    }
    let fields: Vec<String> = record.fields.iter().map(|(name, item)| format!("{name}: {}", show(types, item))).collect();
    format!("{}{{{}}}", record.word, fields.join(", "))
}
