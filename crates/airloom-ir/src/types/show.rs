//! Types as text.

use super::{Dim, Fields, Ty, TyId, Types};
use crate::text::quote;
use std::fmt::Write;

impl Types {
    /// The text of a type, as the parser reads it. Types nest at most [`super::MAX_TYPE_DEPTH`] deep, so this may recurse.
    pub fn show(&self, id: TyId) -> String {
        let mut out = String::new();
        self.write(id, &mut out);
        out
    }

    fn write(&self, id: TyId, out: &mut String) {
        match self.get(id) {
            Ty::Bool => out.push_str("bool"),
            Ty::Int(int) => out.push_str(int.name()),
            Ty::F32 => out.push_str("f32"),
            Ty::F64 => out.push_str("f64"),
            Ty::Decimal { precision, scale } => push(out, format_args!("decimal({precision}, {scale})")),
            Ty::Str => out.push_str("str"),
            Ty::Bytes => out.push_str("bytes"),
            Ty::Date => out.push_str("date"),
            Ty::Time => out.push_str("time"),
            Ty::Timestamp { unit, zone: None } => push(out, format_args!("timestamp({})", unit.name())),
            Ty::Timestamp { unit, zone: Some(zone) } => push(out, format_args!("timestamp({}, {})", unit.name(), quote::string(zone))),
            Ty::Duration(unit) => push(out, format_args!("duration({})", unit.name())),
            Ty::Dict(value) => {
                out.push_str("dict<");
                self.write(*value, out);
                out.push('>');
            }
            Ty::Category { names, ordered } => {
                out.push_str("category(");
                if *ordered {
                    out.push_str(if names.is_empty() { "ordered" } else { "ordered, " });
                }
                for (i, name) in names.iter().enumerate() {
                    push(out, format_args!("{}{}", if i > 0 { ", " } else { "" }, quote::string(name)));
                }
                out.push(')');
            }
            Ty::List(element) => {
                out.push_str("list<");
                self.write(*element, out);
                out.push('>');
            }
            Ty::Struct(fields) => self.write_fields(fields, out),
            Ty::Rel(fields) => {
                out.push_str("rel");
                self.write_fields(fields, out);
            }
            Ty::Arr(element, dims) => {
                out.push_str("arr<");
                self.write(*element, out);
                for (i, dim) in dims.iter().enumerate() {
                    out.push_str(if i == 0 { "; " } else { ", " });
                    match dim {
                        Dim::Fixed(n) => push(out, format_args!("{n}")),
                        Dim::Named(name) => out.push_str(&quote::name(name)),
                        Dim::Any => out.push('?'),
                    }
                }
                out.push('>');
            }
            Ty::Tuple(parts) => {
                out.push('(');
                self.write_list(parts, out);
                out.push_str(if parts.len() == 1 { ",)" } else { ")" });
            }
            Ty::Fn(params, result) => {
                out.push_str("fn(");
                self.write_list(params, out);
                out.push_str(") -> ");
                self.write(*result, out);
            }
            Ty::Token => out.push_str("token"),
            Ty::Option(inner) => {
                self.write(*inner, out);
                out.push('?');
            }
        }
    }

    fn write_fields(&self, fields: &Fields, out: &mut String) {
        out.push('{');
        for (i, field) in fields.iter().enumerate() {
            push(out, format_args!("{}{}: ", if i > 0 { ", " } else { "" }, quote::name(&field.name)));
            self.write(field.ty, out);
        }
        out.push('}');
    }

    fn write_list(&self, parts: &[TyId], out: &mut String) {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(*part, out);
        }
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes every text");
}
