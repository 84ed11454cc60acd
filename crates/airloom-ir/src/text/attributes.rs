//! Attributes from text and to text.

use super::SyntaxError;
use super::lexer::{Cursor, Token};
use super::types::list;
use super::{literal, quote, types};
use crate::attrs::{Attr, AttrShape, Attrs, SortKey};
use crate::ops::OpDef;
use crate::types::{TyId, Types};

/// The attributes after an op's name, the defaults filled in.
pub(super) fn parse(cursor: &mut Cursor, table: &mut Types, def: &OpDef) -> Result<Attrs, SyntaxError> {
    let place = cursor.place();
    let mut found: Vec<Option<Attr>> = vec![None; def.attrs.len()];
    if cursor.take('{') {
        let mut raws = Vec::new();
        while !cursor.take('}') {
            let place = cursor.place();
            let name = cursor.word("an attribute's name")?;
            let Some(at) = def.attr_position(&name) else {
                let known: Vec<&str> = def.attrs.iter().map(|a| a.name).collect();
                let hint = if known.is_empty() { "it has none".to_string() } else { format!("it has {}", known.join(", ")) };
                return Err(cursor.error_at(place, format!("`{}` has no attribute `{name}`: {hint}", def.name)));
            };
            cursor.expect(':')?;
            if found[at].is_some() {
                return Err(cursor.error_at(place, format!("duplicate attribute `{name}`")));
            }
            // A constant is read by its type, which may come after it.
            if def.attrs[at].shape == AttrShape::Value {
                raws.push((at, cursor.place(), literal::parse(cursor)?));
            } else {
                found[at] = Some(one(cursor, table, def.attrs[at].shape)?);
            }
            if !cursor.take(',') && !cursor.is('}') {
                return Err(cursor.expected("`,` or `}`"));
            }
        }
        let ty = found.iter().flatten().find_map(|a| if let Attr::Ty(ty) = a { Some(*ty) } else { None });
        for (at, place, raw) in raws {
            let ty = ty.ok_or_else(|| cursor.error_at(place, "a constant needs its type beside it".into()))?;
            found[at] = Some(Attr::Value(literal::raw_to_value(table, ty, &raw).map_err(|m| cursor.error_at(place, m))?));
        }
    }
    found
        .into_iter()
        .zip(def.attrs)
        .map(|(attr, spec)| match (attr, spec.default) {
            (Some(attr), _) => Ok(attr),
            (None, Some(default)) => Ok(default()),
            (None, None) => {
                Err(cursor.error_at(place, format!("`{}` needs the attribute `{}`: {}", def.name, spec.name, spec.shape.describe())))
            }
        })
        .collect()
}

fn one(cursor: &mut Cursor, table: &mut Types, shape: AttrShape) -> Result<Attr, SyntaxError> {
    let wrong = |cursor: &Cursor| cursor.expected(&shape.describe());
    Ok(match shape {
        AttrShape::Bool => match cursor.peek() {
            Token::Word(w) if w == "true" || w == "false" => {
                let attr = Attr::Bool(w == "true");
                cursor.skip();
                attr
            }
            _ => return Err(wrong(cursor)),
        },
        AttrShape::Int => Attr::Int(int(cursor, shape)?),
        AttrShape::Name => Attr::Name(types::text(cursor, &shape.describe())?),
        AttrShape::Names => {
            cursor.expect('[')?;
            Attr::Names(list(cursor, ']', |c| types::text(c, "a quoted name"))?.into())
        }
        AttrShape::Ints => {
            cursor.expect('[')?;
            Attr::Ints(list(cursor, ']', |c| int(c, AttrShape::Int))?.into())
        }
        AttrShape::Word(words) => {
            let at = match cursor.peek() {
                Token::Word(w) => words.iter().position(|word| word == w),
                _ => None,
            };
            let at = at.ok_or_else(|| wrong(cursor))?;
            cursor.skip();
            Attr::Word(at as u8)
        }
        AttrShape::Sort => {
            cursor.expect('[')?;
            Attr::Sort(list(cursor, ']', sort_key)?.into())
        }
        AttrShape::Ty => Attr::Ty(types::parse(cursor, table)?),
        AttrShape::Tys => {
            cursor.expect('[')?;
            Attr::Tys(list(cursor, ']', |c| types::parse(c, table))?.into())
        }
        AttrShape::Value => unreachable!("constants are read after their type"),
    })
}

fn int(cursor: &mut Cursor, shape: AttrShape) -> Result<i64, SyntaxError> {
    match *cursor.peek() {
        Token::Int(n) if i64::try_from(n).is_ok() => {
            cursor.skip();
            Ok(n as i64)
        }
        _ => Err(cursor.expected(&shape.describe())),
    }
}

fn sort_key(cursor: &mut Cursor) -> Result<SortKey, SyntaxError> {
    let place = cursor.place();
    let direction = cursor.word("`asc` or `desc`")?;
    cursor.expect('.')?;
    let nulls = cursor.word("`first` or `last`")?;
    let word = format!("{direction}.{nulls}");
    SortKey::from_word(&word).ok_or_else(|| {
        cursor.error_at(place, format!("`{word}` is no sort key: expected one of asc.last, asc.first, desc.last, desc.first"))
    })
}

/// The attributes that are not at their defaults, in braces; nothing where there are none.
pub(super) fn show(table: &Types, def: &OpDef, attrs: &[Attr]) -> String {
    let ty = attrs.iter().find_map(|a| if let Attr::Ty(ty) = a { Some(*ty) } else { None });
    let shown: Vec<String> = attrs
        .iter()
        .zip(def.attrs)
        .filter(|(attr, spec)| spec.default.is_none_or(|default| default() != **attr))
        .map(|(attr, spec)| format!("{}: {}", spec.name, show_one(table, attr, spec.shape, ty)))
        .collect();
    if shown.is_empty() { String::new() } else { format!("{{{}}}", shown.join(", ")) }
}

fn show_one(table: &Types, attr: &Attr, shape: AttrShape, ty: Option<TyId>) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
    match (attr, shape) {
        (Attr::Bool(b), _) => b.to_string(),
        (Attr::Int(i), _) => i.to_string(),
        (Attr::Name(n), _) => quote::string(n),
        (Attr::Names(names), _) => list(names.iter().map(|n| quote::string(n)).collect()),
        (Attr::Ints(ints), _) => list(ints.iter().map(i64::to_string).collect()),
        (Attr::Word(at), AttrShape::Word(words)) => words[*at as usize].to_string(),
        (Attr::Word(at), _) => at.to_string(),
        (Attr::Sort(keys), _) => list(keys.iter().map(|k| k.word().to_string()).collect()),
        (Attr::Ty(ty), _) => table.show(*ty),
        (Attr::Tys(tys), _) => list(tys.iter().map(|t| table.show(*t)).collect()),
        (Attr::Value(value), _) => ty.map_or_else(|| "null".to_string(), |ty| literal::value_to_text(table, ty, value)),
    }
}
