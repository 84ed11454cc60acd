//! Types from text.

use super::SyntaxError;
use super::lexer::{Cursor, Token};
use crate::name::Name;
use crate::types::{Dim, IntTy, MAX_TYPE_DEPTH, TimeUnit, Ty, TyId, Types};

/// A type. Nesting is bounded, so this may recurse.
pub(super) fn parse(cursor: &mut Cursor, types: &mut Types) -> Result<TyId, SyntaxError> {
    parse_at(cursor, types, 0)
}

fn parse_at(cursor: &mut Cursor, types: &mut Types, depth: u8) -> Result<TyId, SyntaxError> {
    let place = cursor.place();
    if depth > MAX_TYPE_DEPTH {
        return Err(cursor.error_at(place, format!("the type nests deeper than {MAX_TYPE_DEPTH}")));
    }
    let mut ty = without_mark(cursor, types, depth)?;
    while matches!(cursor.peek(), Token::Question(name) if name.is_empty()) {
        cursor.skip();
        ty = types.intern(Ty::Option(ty)).map_err(|m| cursor.error_at(place, m))?;
    }
    Ok(ty)
}

fn without_mark(cursor: &mut Cursor, types: &mut Types, depth: u8) -> Result<TyId, SyntaxError> {
    let place = cursor.place();
    if cursor.is('{') {
        let fields = fields(cursor, types, depth)?;
        return types.row_of(fields).map_err(|m| cursor.error_at(place, m));
    }
    if cursor.take('(') {
        let parts = list(cursor, ')', |c| parse_at(c, types, depth + 1))?;
        return types.tuple(parts).map_err(|m| cursor.error_at(place, m));
    }
    let word = cursor.word("a type")?;
    if let Some(int) = IntTy::ALL.iter().find(|t| t.name() == word) {
        return Ok(types.int(*int));
    }
    let ty = match word.as_str() {
        "bool" => Ty::Bool,
        "f32" => Ty::F32,
        "f64" => Ty::F64,
        "str" => Ty::Str,
        "bytes" => Ty::Bytes,
        "date" => Ty::Date,
        "time" => Ty::Time,
        "token" => Ty::Token,
        "decimal" => {
            cursor.expect('(')?;
            let precision = small(cursor, "a precision from 1 to 38")?;
            cursor.expect(',')?;
            let scale = small(cursor, "a scale from 0 to the precision")?;
            cursor.expect(')')?;
            Ty::Decimal { precision, scale }
        }
        "timestamp" => {
            cursor.expect('(')?;
            let unit = unit(cursor)?;
            let zone = if cursor.take(',') { Some(text(cursor, "a time zone in quotes")?) } else { None };
            cursor.expect(')')?;
            Ty::Timestamp { unit, zone }
        }
        "duration" => {
            cursor.expect('(')?;
            let unit = unit(cursor)?;
            cursor.expect(')')?;
            Ty::Duration(unit)
        }
        "dict" => Ty::Dict(angle(cursor, types, depth)?),
        "list" => Ty::List(angle(cursor, types, depth)?),
        "category" => {
            cursor.expect('(')?;
            let ordered = cursor.is_word("ordered");
            if ordered {
                cursor.skip();
                if !cursor.is(')') {
                    cursor.expect(',')?;
                }
            }
            let names = list(cursor, ')', |c| text(c, "a category in quotes"))?;
            Ty::Category { names: names.into(), ordered }
        }
        "rel" => {
            let fields = fields(cursor, types, depth)?;
            return types.rel_of(fields).map_err(|m| cursor.error_at(place, m));
        }
        "arr" => {
            cursor.expect('<')?;
            let element = parse_at(cursor, types, depth + 1)?;
            return array(cursor, types, element, place);
        }
        "fn" => {
            cursor.expect('(')?;
            let params = list(cursor, ')', |c| parse_at(c, types, depth + 1))?;
            if cursor.next() != Token::Arrow {
                return Err(cursor.error_at(place, "expected `->` after the parameters of a function type".into()));
            }
            let result = parse_at(cursor, types, depth + 1)?;
            Ty::Fn(params, result)
        }
        other => return Err(cursor.error_at(place, format!("expected a type, found `{other}`"))),
    };
    types.intern(ty).map_err(|m| cursor.error_at(place, m))
}

/// The extents, after a `;`: the lexer knows that between `<` and `>` on one line it begins no comment.
fn array(cursor: &mut Cursor, types: &mut Types, element: TyId, place: super::lexer::Place) -> Result<TyId, SyntaxError> {
    cursor.expect(';')?;
    let mut dims = Vec::new();
    loop {
        dims.push(match cursor.peek().clone() {
            Token::Int(n) => {
                cursor.skip();
                Dim::Fixed(u64::try_from(n).map_err(|_| cursor.error_at(place, format!("an extent cannot be {n}")))?)
            }
            Token::Question(name) if name.is_empty() => {
                cursor.skip();
                Dim::Any
            }
            _ => Dim::Named(cursor.name("an extent: a number, a name or `?`")?),
        });
        if cursor.take('>') {
            return types.arr(element, dims).map_err(|m| cursor.error_at(place, m));
        }
        cursor.expect(',')?;
    }
}

fn fields(cursor: &mut Cursor, types: &mut Types, depth: u8) -> Result<Vec<(Name, TyId)>, SyntaxError> {
    cursor.expect('{')?;
    list(cursor, '}', |c| {
        let name = c.name("a field's name")?;
        c.expect(':')?;
        Ok((name, parse_at(c, types, depth + 1)?))
    })
}

fn angle(cursor: &mut Cursor, types: &mut Types, depth: u8) -> Result<TyId, SyntaxError> {
    cursor.expect('<')?;
    let ty = parse_at(cursor, types, depth + 1)?;
    cursor.expect('>')?;
    Ok(ty)
}

/// Things between commas up to a closing sign; a comma may come after the last.
pub(super) fn list<T>(
    cursor: &mut Cursor,
    close: char,
    mut one: impl FnMut(&mut Cursor) -> Result<T, SyntaxError>,
) -> Result<Vec<T>, SyntaxError> {
    let mut items = Vec::new();
    loop {
        if cursor.take(close) {
            return Ok(items);
        }
        items.push(one(cursor)?);
        if !cursor.take(',') {
            cursor.expect(close)?;
            return Ok(items);
        }
    }
}

pub(super) fn text(cursor: &mut Cursor, what: &str) -> Result<Name, SyntaxError> {
    match cursor.peek() {
        Token::Text(t) => {
            let name = Name::new(t);
            cursor.skip();
            Ok(name)
        }
        _ => Err(cursor.expected(what)),
    }
}

fn small(cursor: &mut Cursor, what: &str) -> Result<u8, SyntaxError> {
    match *cursor.peek() {
        Token::Int(n) if (0..=255).contains(&n) => {
            cursor.skip();
            Ok(n as u8)
        }
        _ => Err(cursor.expected(what)),
    }
}

fn unit(cursor: &mut Cursor) -> Result<TimeUnit, SyntaxError> {
    let found = match cursor.peek() {
        Token::Word(w) => TimeUnit::ALL.into_iter().find(|u| u.name() == w),
        _ => None,
    };
    let unit = found.ok_or_else(|| cursor.expected("a unit: `s`, `ms`, `us` or `ns`"))?;
    cursor.skip();
    Ok(unit)
}
