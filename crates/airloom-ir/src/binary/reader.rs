//! Bytes to a program. Nothing in them is believed: every node goes through `make`, and every length is checked against the bytes that are left.

use super::cursor::{Cursor, Read};
use super::{DecodeError, MAGIC, VERSION, tag};
use crate::attrs::{Attr, AttrShape, Attrs, SortKey};
use crate::graph::NodeId;
use crate::module::{Function, Module};
use crate::name::Name;
use crate::ops::{Make, Op};
use crate::types::{Dim, IntTy, TimeUnit, Ty, TyId, Types};
use crate::value::Value;

/// How deep constants may nest.
const MAX_VALUE_DEPTH: u32 = 64;

/// The program of some bytes, or why they are none.
pub fn decode(bytes: &[u8]) -> Result<Module, DecodeError> {
    let mut reader = Reader { cursor: Cursor::new(bytes), texts: Vec::new(), types: Vec::new() };
    reader.module().map_err(|message| DecodeError { offset: reader.cursor.offset(), message })
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    texts: Vec<Name>,
    types: Vec<TyId>,
}

impl Reader<'_> {
    fn module(&mut self) -> Read<Module> {
        if self.cursor.take(4)? != MAGIC {
            return Err("this is not a binary program: it does not begin with `AIRB`".into());
        }
        let version = self.cursor.byte()?;
        if version != VERSION {
            return Err(format!("the program has version {version}, expected {VERSION}"));
        }
        for _ in 0..self.cursor.length(1)? {
            self.texts.push(Name::new(self.cursor.string()?));
        }
        let mut module = Module::default();
        for _ in 0..self.cursor.length(1)? {
            let ty = self.ty(module.graph.types_mut())?;
            self.types.push(ty);
        }
        let mut nodes: Vec<NodeId> = Vec::new();
        for _ in 0..self.cursor.length(2)? {
            let id = self.node(&mut module, &nodes)?;
            nodes.push(id);
        }
        for _ in 0..self.cursor.length(2)? {
            let name = self.text()?;
            let number = self.cursor.varint()?;
            let lambda = usize::try_from(number).ok().and_then(|n| nodes.get(n)).copied();
            let lambda = lambda.ok_or_else(|| format!("function `@{name}` is node {number} of {}", nodes.len()))?;
            module.functions.push(Function { name, lambda });
        }
        self.cursor.end()?;
        match crate::verify::verify(&module).into_iter().next() {
            Some(finding) => Err(finding.message),
            None => Ok(module),
        }
    }

    fn node(&mut self, module: &mut Module, nodes: &[NodeId]) -> Read<NodeId> {
        let name = self.text()?;
        let op = Op::from_name(&name).ok_or_else(|| format!("there is no op `{name}`"))?;
        let mut attrs = Attrs::new();
        for spec in op.def().attrs {
            attrs.push(self.attr(spec.shape)?);
        }
        let mut args = crate::graph::Args::new();
        for _ in 0..self.cursor.length(1)? {
            let back = self.cursor.varint()?;
            let place = (nodes.len() as u64).checked_sub(back).filter(|_| back > 0);
            let place = place.ok_or_else(|| format!("an argument of `{name}` is {back} nodes back from node {}", nodes.len()))?;
            args.push(nodes[place as usize]);
        }
        module.graph.make(op, attrs, &args).map_err(|e| e.to_string())
    }

    fn attr(&mut self, shape: AttrShape) -> Read<Attr> {
        Ok(match shape {
            AttrShape::Bool => Attr::Bool(self.cursor.flag()?),
            AttrShape::Int => Attr::Int(self.cursor.int()?),
            AttrShape::Name => Attr::Name(self.text()?),
            AttrShape::Names => Attr::Names(self.list(|r| r.text())?.into()),
            AttrShape::Ints => Attr::Ints(self.list(|r| r.cursor.int())?.into()),
            AttrShape::Word(words) => {
                let at = self.cursor.byte()?;
                if usize::from(at) >= words.len() {
                    return Err(format!("there is no word {at} among {}", words.len()));
                }
                Attr::Word(at)
            }
            AttrShape::Sort => Attr::Sort(
                self.list(|r| match r.cursor.byte()? {
                    bits @ 0..=3 => Ok(SortKey { descending: bits & 1 != 0, nulls_first: bits & 2 != 0 }),
                    other => Err(format!("there is no sort key {other}")),
                })?
                .into(),
            ),
            AttrShape::Ty => Attr::Ty(self.ty_ref()?),
            AttrShape::Tys => Attr::Tys(self.list(|r| r.ty_ref())?.into()),
            AttrShape::Value => Attr::Value(self.value(0)?),
        })
    }

    fn value(&mut self, depth: u32) -> Read<Value> {
        if depth > MAX_VALUE_DEPTH {
            return Err(format!("a constant nests deeper than {MAX_VALUE_DEPTH}"));
        }
        Ok(match self.cursor.byte()? {
            tag::NULL => Value::Null,
            tag::BOOL => Value::Bool(self.cursor.flag()?),
            tag::INT => Value::Int(self.cursor.signed()?),
            tag::F32 => Value::F32(f32::from_bits(u32::from_le_bytes(self.cursor.array()?))),
            tag::F64 => Value::F64(f64::from_bits(u64::from_le_bytes(self.cursor.array()?))),
            tag::STR => Value::str(self.cursor.string()?),
            tag::BYTES => Value::Bytes(self.cursor.bytes()?.into()),
            tag::LIST => Value::List(self.list(|r| r.value(depth + 1))?.into()),
            tag::STRUCT => Value::Struct(self.list(|r| r.value(depth + 1))?.into()),
            other => return Err(format!("there is no constant of kind {other}")),
        })
    }

    fn ty(&mut self, types: &mut Types) -> Read<TyId> {
        let ty = match self.cursor.byte()? {
            tag::BOOL => Ty::Bool,
            tag::INT => Ty::Int(self.cursor.one_of(&IntTy::ALL)?),
            tag::F32 => Ty::F32,
            tag::F64 => Ty::F64,
            tag::DECIMAL => Ty::Decimal { precision: self.cursor.byte()?, scale: self.cursor.byte()? },
            tag::STR => Ty::Str,
            tag::BYTES => Ty::Bytes,
            tag::DATE => Ty::Date,
            tag::TIME => Ty::Time,
            tag::TIMESTAMP => {
                let unit = self.cursor.one_of(&TimeUnit::ALL)?;
                Ty::Timestamp { unit, zone: if self.cursor.flag()? { Some(self.text()?) } else { None } }
            }
            tag::DURATION => Ty::Duration(self.cursor.one_of(&TimeUnit::ALL)?),
            tag::DICT => Ty::Dict(self.ty_ref()?),
            tag::CATEGORY => Ty::Category { ordered: self.cursor.flag()?, names: self.list(|r| r.text())?.into() },
            tag::LIST => Ty::List(self.ty_ref()?),
            tag::STRUCT => {
                let fields = self.list(|r| Ok((r.text()?, r.ty_ref()?)))?;
                Ty::Struct(Types::fields(fields)?)
            }
            tag::REL => {
                let fields = self.list(|r| Ok((r.text()?, r.ty_ref()?)))?;
                Ty::Rel(Types::fields(fields)?)
            }
            tag::ARR => {
                let element = self.ty_ref()?;
                let dims = self.list(|r| {
                    Ok(match r.cursor.byte()? {
                        0 => Dim::Any,
                        1 => Dim::Fixed(r.cursor.varint()?),
                        2 => Dim::Named(r.text()?),
                        other => return Err(format!("there is no extent of kind {other}")),
                    })
                })?;
                return types.arr(element, dims);
            }
            tag::TUPLE => Ty::Tuple(self.list(|r| r.ty_ref())?),
            tag::FN => Ty::Fn(self.list(|r| r.ty_ref())?, self.ty_ref()?),
            tag::TOKEN => Ty::Token,
            tag::OPTION => Ty::Option(self.ty_ref()?),
            other => return Err(format!("there is no type of kind {other}")),
        };
        types.intern(ty)
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.cursor.length(1)?;
        (0..count).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> Read<Name> {
        let number = self.cursor.varint()?;
        let found = usize::try_from(number).ok().and_then(|n| self.texts.get(n)).cloned();
        found.ok_or_else(|| format!("there is no text {number} among {}", self.texts.len()))
    }

    fn ty_ref(&mut self) -> Read<TyId> {
        let number = self.cursor.varint()?;
        let found = usize::try_from(number).ok().and_then(|n| self.types.get(n)).copied();
        found.ok_or_else(|| format!("there is no type {number} among {}", self.types.len()))
    }
}
