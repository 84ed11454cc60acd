//! A program to bytes.

use super::cursor::{write_bytes, write_signed, write_varint};
use super::{MAGIC, VERSION, tag};
use crate::attrs::Attr;
use crate::graph::NodeId;
use crate::module::Module;
use crate::types::{Dim, Fields, IntTy, TimeUnit, Ty, TyId, Types};
use crate::value::Value;
use std::collections::BTreeMap;

/// The bytes of what a program's functions are made of. Hints and locations stay behind: they change nothing of what a node is.
pub fn encode(module: &Module) -> Vec<u8> {
    let graph = &module.graph;
    let mut writer = Writer::new(graph.types());
    let mut nodes = Vec::new();
    let mut numbers: BTreeMap<NodeId, u64> = BTreeMap::new();
    for id in graph.post_order(&module.roots()) {
        let node = graph.node(id);
        let name = writer.text(node.op().name());
        write_varint(&mut nodes, name);
        for attr in node.attrs() {
            writer.attr(&mut nodes, attr);
        }
        write_varint(&mut nodes, node.args().len() as u64);
        let number = numbers.len() as u64;
        for arg in node.args() {
            // Distances are small where numbers grow.
            write_varint(&mut nodes, number - numbers[arg]);
        }
        numbers.insert(id, number);
    }
    let mut functions = Vec::new();
    for function in &module.functions {
        let name = writer.text(&function.name);
        write_varint(&mut functions, name);
        write_varint(&mut functions, numbers[&function.lambda]);
    }
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    write_varint(&mut out, writer.texts.len() as u64);
    for text in &writer.text_list {
        write_bytes(&mut out, text.as_bytes());
    }
    write_varint(&mut out, writer.numbered.len() as u64);
    out.extend(&writer.type_bytes);
    write_varint(&mut out, numbers.len() as u64);
    out.extend(nodes);
    write_varint(&mut out, module.functions.len() as u64);
    out.extend(functions);
    out
}

struct Writer<'a> {
    types: &'a Types,
    texts: BTreeMap<String, u64>,
    text_list: Vec<String>,
    numbered: BTreeMap<TyId, u64>,
    type_bytes: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn new(types: &'a Types) -> Writer<'a> {
        Writer { types, texts: BTreeMap::new(), text_list: Vec::new(), numbered: BTreeMap::new(), type_bytes: Vec::new() }
    }

    fn text(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.texts.get(text) {
            return number;
        }
        let number = self.texts.len() as u64;
        self.texts.insert(text.to_string(), number);
        self.text_list.push(text.to_string());
        number
    }

    /// The number of a type; its parts get theirs first. Types nest at most so deep, so this may recurse.
    fn ty(&mut self, id: TyId) -> u64 {
        if let Some(&number) = self.numbered.get(&id) {
            return number;
        }
        let mut out = Vec::new();
        match self.types.get(id).clone() {
            Ty::Bool => out.push(tag::BOOL),
            Ty::Int(int) => out.extend([tag::INT, place(&IntTy::ALL, int)]),
            Ty::F32 => out.push(tag::F32),
            Ty::F64 => out.push(tag::F64),
            Ty::Decimal { precision, scale } => out.extend([tag::DECIMAL, precision, scale]),
            Ty::Str => out.push(tag::STR),
            Ty::Bytes => out.push(tag::BYTES),
            Ty::Date => out.push(tag::DATE),
            Ty::Time => out.push(tag::TIME),
            Ty::Timestamp { unit, zone } => {
                out.extend([tag::TIMESTAMP, place(&TimeUnit::ALL, unit), u8::from(zone.is_some())]);
                if let Some(zone) = zone {
                    let zone = self.text(&zone);
                    write_varint(&mut out, zone);
                }
            }
            Ty::Duration(unit) => out.extend([tag::DURATION, place(&TimeUnit::ALL, unit)]),
            Ty::Dict(inner) => self.part(&mut out, tag::DICT, inner),
            Ty::Category { names, ordered } => {
                out.extend([tag::CATEGORY, u8::from(ordered)]);
                write_varint(&mut out, names.len() as u64);
                for name in names.iter() {
                    let name = self.text(name);
                    write_varint(&mut out, name);
                }
            }
            Ty::List(inner) => self.part(&mut out, tag::LIST, inner),
            Ty::Struct(fields) => self.fields(&mut out, tag::STRUCT, &fields),
            Ty::Rel(fields) => self.fields(&mut out, tag::REL, &fields),
            Ty::Arr(inner, dims) => {
                self.part(&mut out, tag::ARR, inner);
                write_varint(&mut out, dims.len() as u64);
                for dim in dims {
                    match dim {
                        Dim::Any => out.push(0),
                        Dim::Fixed(n) => {
                            out.push(1);
                            write_varint(&mut out, n);
                        }
                        Dim::Named(name) => {
                            out.push(2);
                            let name = self.text(&name);
                            write_varint(&mut out, name);
                        }
                    }
                }
            }
            Ty::Tuple(parts) => {
                out.push(tag::TUPLE);
                self.list(&mut out, &parts);
            }
            Ty::Fn(params, result) => {
                out.push(tag::FN);
                self.list(&mut out, &params);
                let result = self.ty(result);
                write_varint(&mut out, result);
            }
            Ty::Token => out.push(tag::TOKEN),
            Ty::Option(inner) => self.part(&mut out, tag::OPTION, inner),
        }
        let number = self.numbered.len() as u64;
        self.numbered.insert(id, number);
        self.type_bytes.extend(out);
        number
    }

    fn part(&mut self, out: &mut Vec<u8>, tag: u8, inner: TyId) {
        out.push(tag);
        let inner = self.ty(inner);
        write_varint(out, inner);
    }

    fn list(&mut self, out: &mut Vec<u8>, parts: &[TyId]) {
        write_varint(out, parts.len() as u64);
        for &part in parts {
            let part = self.ty(part);
            write_varint(out, part);
        }
    }

    fn fields(&mut self, out: &mut Vec<u8>, tag: u8, fields: &Fields) {
        out.push(tag);
        write_varint(out, fields.len() as u64);
        for field in fields.iter() {
            let (name, ty) = (self.text(&field.name), self.ty(field.ty));
            write_varint(out, name);
            write_varint(out, ty);
        }
    }

    /// An attribute; its shape is known from the op, so only its content is written.
    fn attr(&mut self, out: &mut Vec<u8>, attr: &Attr) {
        match attr {
            Attr::Bool(b) => out.push(u8::from(*b)),
            Attr::Int(i) => write_signed(out, i128::from(*i)),
            Attr::Name(name) => {
                let name = self.text(name);
                write_varint(out, name);
            }
            Attr::Names(names) => {
                write_varint(out, names.len() as u64);
                for name in names.iter() {
                    let name = self.text(name);
                    write_varint(out, name);
                }
            }
            Attr::Ints(ints) => {
                write_varint(out, ints.len() as u64);
                ints.iter().for_each(|&i| write_signed(out, i128::from(i)));
            }
            Attr::Word(at) => out.push(*at),
            Attr::Sort(keys) => {
                write_varint(out, keys.len() as u64);
                out.extend(keys.iter().map(|k| u8::from(k.descending) | u8::from(k.nulls_first) << 1));
            }
            Attr::Ty(ty) => {
                let ty = self.ty(*ty);
                write_varint(out, ty);
            }
            Attr::Tys(tys) => self.list(out, tys),
            Attr::Value(value) => write_value(out, value),
        }
    }
}

/// A constant; those nest at most as deep as types.
fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(tag::NULL),
        Value::Bool(b) => out.extend([tag::BOOL, u8::from(*b)]),
        Value::Int(i) => {
            out.push(tag::INT);
            write_signed(out, *i);
        }
        Value::F32(x) => {
            out.push(tag::F32);
            out.extend(x.to_bits().to_le_bytes());
        }
        Value::F64(x) => {
            out.push(tag::F64);
            out.extend(x.to_bits().to_le_bytes());
        }
        Value::Str(s) => {
            out.push(tag::STR);
            write_bytes(out, s.as_bytes());
        }
        Value::Bytes(b) => {
            out.push(tag::BYTES);
            write_bytes(out, b);
        }
        Value::List(items) | Value::Struct(items) => {
            out.push(if matches!(value, Value::List(_)) { tag::LIST } else { tag::STRUCT });
            write_varint(out, items.len() as u64);
            items.iter().for_each(|item| write_value(out, item));
        }
        Value::Tuple(_) | Value::Rel(_) | Value::Arr(_) | Value::Func(_) | Value::Token => unreachable!("constants are values of columns"),
    }
}

fn place<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|t| *t == one).expect("the list holds all of them") as u8
}
