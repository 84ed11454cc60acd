//! Plans to bytes.

use super::{MAGIC, VERSION, tag};
use crate::form::{Functions, Item, Record, kind_record, step_record};
use crate::value::{Argument, Order, Partitioning, Plan, SlotSource};
use airloom_ir::attrs::Effect;
use airloom_ir::binary;
use airloom_ir::binary::cursor::{write_bytes, write_varint};
use airloom_ir::graph::NodeId;
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::collections::BTreeMap;

/// The bytes of a plan. Which nodes of the program it computes stays behind; the lines of the user's program go along.
pub fn encode(plan: &Plan) -> Vec<u8> {
    let mut writer = Writer { functions: Functions::new(&plan.graph), types: Vec::new(), numbers: BTreeMap::new(), values: Vec::new() };
    let mut out = Vec::new();
    write_varint(&mut out, u64::from(plan.filters));
    write_varint(&mut out, plan.blocks.len() as u64);
    for block in &plan.blocks {
        let mut steps = block.steps.iter();
        write_varint(&mut out, block.slots.len() as u64);
        for slot in &block.slots {
            let ty = writer.ty(slot.ty);
            write_varint(&mut out, ty);
            match &slot.source {
                SlotSource::Argument(number) => {
                    out.push(0);
                    write_varint(&mut out, *number as u64);
                }
                SlotSource::Literal(value) => {
                    out.push(1);
                    let value = writer.value(value, slot.ty);
                    write_varint(&mut out, value);
                }
                SlotSource::Placeholder(number) => {
                    out.push(3);
                    write_varint(&mut out, *number as u64);
                }
                SlotSource::Step => {
                    out.push(2);
                    let step = steps.next().expect("invariant `steps fill slots in their order`");
                    let record = step_record(&step.kind, &mut writer.functions).expect("invariant `a node types as it did`");
                    writer.record(&mut out, &record);
                }
            }
        }
        write_varint(&mut out, block.result.index() as u64);
    }
    write_varint(&mut out, plan.nodes.len() as u64);
    for (number, node) in plan.nodes.iter().enumerate() {
        let record = kind_record(&node.kind, &mut writer.functions).expect("invariant `a node types as it did`");
        writer.record(&mut out, &record);
        numbers(&mut out, node.inputs.iter().map(|input| input.index() as u64));
        write_varint(&mut out, node.columns.len() as u64);
        for column in &node.columns {
            write_bytes(&mut out, column.name.as_bytes());
            let ty = writer.ty(column.ty);
            write_varint(&mut out, ty);
        }
        let properties = &node.properties;
        out.push(Partitioning::ALL.iter().position(|(known, _)| *known == properties.partitioning).expect("`ALL` holds every one") as u8);
        out.push(Order::ALL.iter().position(|(known, _)| *known == properties.order).expect("`ALL` holds every one") as u8);
        out.push(match properties.effect {
            Effect::Pure => 0,
            Effect::Raises => 1,
            Effect::Effectful => 2,
        });
        out.extend(properties.rows.unwrap_or(-1.0).to_le_bytes());
        out.extend(properties.row_bytes.to_le_bytes());
        let lines = plan.lines.get(number).map_or(&[][..], Vec::as_slice);
        write_varint(&mut out, lines.len() as u64);
        for line in lines {
            write_bytes(&mut out, line.file.as_deref().unwrap_or_default().as_bytes());
            write_varint(&mut out, u64::from(line.line));
        }
    }
    let program = writer.program();
    let mut all = MAGIC.to_vec();
    all.push(VERSION);
    write_varint(&mut all, program.len() as u64);
    all.extend(program);
    all.extend(out);
    all
}

struct Writer {
    functions: Functions,
    /// Types and constants in the order of their numbers.
    types: Vec<TyId>,
    numbers: BTreeMap<TyId, u64>,
    values: Vec<NodeId>,
}

impl Writer {
    fn ty(&mut self, ty: TyId) -> u64 {
        *self.numbers.entry(ty).or_insert_with(|| {
            self.types.push(ty);
            self.types.len() as u64 - 1
        })
    }

    fn value(&mut self, value: &Value, ty: TyId) -> u64 {
        let made = self.functions.graph.constant(value.clone(), ty).expect("invariant `values have their slot's type`");
        self.values.push(made);
        self.values.len() as u64 - 1
    }

    /// The functions in the binary form of programs: first one whose parameters have the types, and one that gives the constants.
    fn program(self) -> Vec<u8> {
        let Functions { mut graph, list, .. } = self.functions;
        let nothing = graph.truth(true);
        let types = graph.lambda(nothing, self.types.into()).expect("invariant `parameters have types`");
        let values =
            graph.tuple(&self.values).and_then(|values| graph.lambda(values, [].into())).expect("invariant `constants are values`");
        let function = |(name, lambda): (String, NodeId)| Function { name: Name::new(&name), lambda };
        let first = [("types".to_string(), types), ("values".to_string(), values)];
        let rest = list.into_iter().enumerate().map(|(number, function)| (format!("p{number}"), function));
        let functions = first.into_iter().chain(rest).map(function).collect();
        binary::encode(&Module { graph, functions, ..Module::default() })
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) {
        write_bytes(out, record.word.as_bytes());
        write_varint(out, record.fields.len() as u64);
        for (name, item) in &record.fields {
            write_bytes(out, name.as_bytes());
            self.item(out, item);
        }
    }

    fn item(&mut self, out: &mut Vec<u8>, item: &Item) {
        match item {
            Item::Body(number, captures) => {
                out.push(tag::BODY);
                write_varint(out, *number as u64);
                numbers(out, captures.iter().map(|slot| slot.index() as u64));
            }
            Item::Slot(slot) => {
                out.push(tag::SLOT);
                write_varint(out, slot.index() as u64);
            }
            Item::Slots(slots) => {
                out.push(tag::SLOTS);
                numbers(out, slots.iter().map(|slot| slot.index() as u64));
            }
            Item::Blocks(blocks) => {
                out.push(tag::BLOCKS);
                numbers(out, blocks.iter().map(|block| block.index() as u64));
            }
            Item::Nodes(nodes) => {
                out.push(tag::NODES);
                numbers(out, nodes.iter().map(|node| node.index() as u64));
            }
            Item::Name(name) => {
                out.push(tag::NAME);
                write_bytes(out, name.as_bytes());
            }
            Item::Names(names) => {
                out.push(tag::NAMES);
                write_varint(out, names.len() as u64);
                names.iter().for_each(|name| write_bytes(out, name.as_bytes()));
            }
            Item::Int(number) => {
                out.push(tag::INT);
                out.extend(number.to_le_bytes());
            }
            Item::Ints(ints) => {
                out.push(tag::INTS);
                write_varint(out, ints.len() as u64);
                ints.iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            Item::Flag(flag) => out.extend([tag::FLAG, u8::from(*flag)]),
            Item::Word(word) => {
                out.push(tag::WORD);
                write_bytes(out, word.as_bytes());
            }
            Item::Sort(keys) => {
                out.push(tag::SORT);
                write_varint(out, keys.len() as u64);
                out.extend(keys.iter().map(|key| u8::from(key.descending) | u8::from(key.nulls_first) << 1));
            }
            Item::Type(ty) => {
                out.push(tag::TYPE);
                let ty = self.ty(*ty);
                write_varint(out, ty);
            }
            Item::Types(types) => {
                out.push(tag::TYPES);
                let types: Vec<u64> = types.iter().map(|&ty| self.ty(ty)).collect();
                numbers(out, types.into_iter());
            }
            Item::Uses(uses) => {
                out.push(tag::USES);
                write_varint(out, uses.len() as u64);
                for used in uses {
                    write_varint(out, used.filter.index() as u64);
                    write_bytes(out, used.column.as_bytes());
                }
            }
            Item::Published(keys) => {
                out.push(tag::PUBLISHED);
                write_varint(out, keys.len() as u64);
                for key in keys {
                    write_varint(out, key.key as u64);
                    write_varint(out, key.filter.index() as u64);
                }
            }
            Item::Arguments(arguments) => {
                out.push(tag::ARGUMENTS);
                write_varint(out, arguments.len() as u64);
                for argument in arguments {
                    let (kind, number) = match argument {
                        Argument::Input(number) => (0, *number),
                        Argument::Slot(slot) => (1, slot.index()),
                        Argument::Body => (2, 0),
                    };
                    out.push(kind);
                    write_varint(out, number as u64);
                }
            }
            Item::Ranges(ranges) => {
                out.push(tag::RANGES);
                write_varint(out, ranges.len() as u64);
                for range in ranges {
                    out.push(u8::from(range.is_some()));
                    if let Some((min, max)) = range {
                        out.extend(min.to_le_bytes());
                        out.extend(max.to_le_bytes());
                    }
                }
            }
            Item::Values(values) => {
                out.push(tag::VALUES);
                let values: Vec<u64> = values.iter().map(|value| self.parameter(value)).collect();
                numbers(out, values.into_iter());
            }
        }
    }

    /// A parameter of a query, in a type that holds it.
    fn parameter(&mut self, value: &Value) -> u64 {
        let ty = match value {
            Value::Bool(_) => TyId::BOOL,
            Value::Int(_) => TyId::I64,
            Value::F64(_) => TyId::F64,
            Value::Str(_) => TyId::STR,
            _ => return self.null(),
        };
        self.value(value, ty)
    }

    fn null(&mut self) -> u64 {
        let ty = self.functions.graph.types_mut().option(TyId::I64);
        self.value(&Value::Null, ty)
    }
}

fn numbers(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u64>) {
    write_varint(out, numbers.len() as u64);
    numbers.for_each(|number| write_varint(out, number));
}
