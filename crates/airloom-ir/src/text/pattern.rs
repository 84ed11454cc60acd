//! Patterns: expressions with variables, in the notation of the text form. Rules are written in them.
//!
//! `?x` matches any node, `?x:int` for one of a class of types, `?x:int!` for one that is never null, `..?c` for the arguments that are left. On the left of a
//! rule an attribute that is not mentioned may be anything, and `{overflow: ?o}` binds one. A literal matches the constant of that value, whatever its type;
//! on the right it has the type of the whole, or that of the variable named after it, without its `?`: `0: ?x`.

use super::lexer::{Cursor, Token};
use super::{SyntaxError, literal, types};
use crate::attrs::{Attr, AttrShape};
use crate::name::Name;
use crate::ops::Op;
use crate::types::{Ty, TyId, Types};

pub use super::literal::Raw;

/// How deep a pattern may nest: rules are small, and matching recurses over them.
const MAX_DEPTH: u32 = 32;

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// `?x:class`.
    Var(Name, Class),
    /// `..?rest`: the arguments that are left; last in a call.
    Rest(Name),
    /// A constant of this value. The name is the variable whose type it has, on the right of a rule.
    Literal(Raw, Option<Name>),
    /// `op{attrs}(args)`. Bodies are arguments like others, as nodes hold them.
    Call(Op, Vec<(usize, AttrPattern)>, Vec<Pattern>),
}

/// A pattern for an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrPattern {
    /// Exactly this.
    Is(Attr),
    /// Bound to a variable.
    Var(Name),
}

/// What a variable may match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// By its type.
    pub kind: ClassKind,
    /// Never null.
    pub sure: bool,
}

/// Classes of types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ClassKind {
    /// Every type.
    Any,
    /// Every type of column.
    Value,
    /// `bool`.
    Bool,
    /// Integers.
    Int,
    /// `f32`, `f64`.
    Float,
    /// Decimals.
    Decimal,
    /// Integers, floats and decimals.
    Number,
    /// `str`.
    Text,
    /// Dates, times, timestamps, durations.
    Time,
    /// Lists.
    List,
    /// Relations.
    Rel,
    /// Arrays.
    Arr,
    /// A constant of any type.
    Const,
}

impl ClassKind {
    /// All of them, with their words.
    pub const ALL: [(ClassKind, &'static str); 13] = [
        (ClassKind::Any, "any"),
        (ClassKind::Value, "value"),
        (ClassKind::Bool, "bool"),
        (ClassKind::Int, "int"),
        (ClassKind::Float, "float"),
        (ClassKind::Decimal, "decimal"),
        (ClassKind::Number, "number"),
        (ClassKind::Text, "text"),
        (ClassKind::Time, "time"),
        (ClassKind::List, "list"),
        (ClassKind::Rel, "rel"),
        (ClassKind::Arr, "arr"),
        (ClassKind::Const, "const"),
    ];

    /// Whether values of a type belong to it. `Const` is asked of the node, not of its type.
    pub fn admits(self, types: &Types, ty: TyId) -> bool {
        let plain = types.plain(ty);
        match self {
            ClassKind::Any | ClassKind::Const => true,
            ClassKind::Value => types.is_value(ty),
            ClassKind::Bool => *plain == Ty::Bool,
            ClassKind::Int => matches!(plain, Ty::Int(_)),
            ClassKind::Float => matches!(plain, Ty::F32 | Ty::F64),
            ClassKind::Decimal => matches!(plain, Ty::Decimal { .. }),
            ClassKind::Number => matches!(plain, Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. }),
            ClassKind::Text => *plain == Ty::Str,
            ClassKind::Time => matches!(plain, Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_)),
            ClassKind::List => matches!(plain, Ty::List(_)),
            ClassKind::Rel => matches!(plain, Ty::Rel(_)),
            ClassKind::Arr => matches!(plain, Ty::Arr(..)),
        }
    }
}

/// The pattern of a text.
pub fn parse_pattern(text: &str) -> Result<Pattern, SyntaxError> {
    let mut cursor = Cursor::new(text, None)?;
    let pattern = parse(&mut cursor, 0)?;
    cursor.end()?;
    Ok(pattern)
}

fn parse(cursor: &mut Cursor, depth: u32) -> Result<Pattern, SyntaxError> {
    let place = cursor.place();
    if depth > MAX_DEPTH {
        return Err(cursor.error_at(place, format!("the pattern nests deeper than {MAX_DEPTH}")));
    }
    match cursor.peek().clone() {
        Token::Question(name) if !name.is_empty() => {
            cursor.skip();
            let mut class = Class { kind: ClassKind::Any, sure: false };
            if cursor.take(':') {
                let place = cursor.place();
                let word = cursor.word("a class of types")?;
                let known = || ClassKind::ALL.map(|(_, w)| w).join(", ");
                let found = ClassKind::ALL.into_iter().find(|(_, w)| *w == word);
                class.kind = found.ok_or_else(|| cursor.error_at(place, format!("there is no class `{word}`; there are: {}", known())))?.0;
                class.sure = cursor.take('!');
            }
            Ok(Pattern::Var(Name::new(&name), class))
        }
        Token::Sign('.') => {
            cursor.skip();
            cursor.expect('.')?;
            match cursor.next() {
                Token::Question(name) if !name.is_empty() => Ok(Pattern::Rest(Name::new(&name))),
                _ => Err(cursor.error_at(place, "expected a variable after `..`".into())),
            }
        }
        token if literal::starts(&token) => {
            let raw = literal::parse(cursor)?;
            let mut like = None;
            if cursor.take(':') {
                match cursor.next() {
                    Token::Question(name) if !name.is_empty() => like = Some(Name::new(&name)),
                    _ => return Err(cursor.error_at(place, "expected a variable after `:`: a literal has the type of one".into())),
                }
            }
            Ok(Pattern::Literal(raw, like))
        }
        Token::Word(word) => {
            cursor.skip();
            let mut name = word;
            if cursor.take('.') {
                name = format!("{name}.{}", cursor.word("the rest of an op's name")?);
            }
            let op = Op::from_name(&name).ok_or_else(|| cursor.error_at(place, format!("there is no op `{name}`")))?;
            let attrs = attributes(cursor, op)?;
            cursor.expect('(')?;
            let args = types::list(cursor, ')', |c| parse(c, depth + 1))?;
            Ok(Pattern::Call(op, attrs, args))
        }
        _ => Err(cursor.expected("a variable, a literal or an op")),
    }
}

fn attributes(cursor: &mut Cursor, op: Op) -> Result<Vec<(usize, AttrPattern)>, SyntaxError> {
    let mut attrs = Vec::new();
    if !cursor.take('{') {
        return Ok(attrs);
    }
    loop {
        let place = cursor.place();
        let name = cursor.word("an attribute's name")?;
        let at =
            op.def().attr_position(&name).ok_or_else(|| cursor.error_at(place, format!("`{}` has no attribute `{name}`", op.name())))?;
        cursor.expect(':')?;
        let pattern = match (cursor.peek().clone(), op.def().attrs[at].shape) {
            (Token::Question(name), _) if !name.is_empty() => AttrPattern::Var(Name::new(&name)),
            (Token::Word(word), AttrShape::Word(words)) if words.contains(&word.as_str()) => {
                AttrPattern::Is(Attr::Word(words.iter().position(|w| *w == word).expect("it is among them") as u8))
            }
            (Token::Word(word), AttrShape::Bool) if word == "true" || word == "false" => AttrPattern::Is(Attr::Bool(word == "true")),
            (Token::Int(n), AttrShape::Int) if i64::try_from(n).is_ok() => AttrPattern::Is(Attr::Int(n as i64)),
            (_, shape) => return Err(cursor.expected(&format!("a variable or {}", shape.describe()))),
        };
        cursor.skip();
        attrs.push((at, pattern));
        if cursor.take('}') {
            return Ok(attrs);
        }
        cursor.expect(',')?;
    }
}
