//! Items of records as text.

use super::split::{bracketed, split, split_once};
use crate::form::Item;
use crate::value::{Argument, BlockId, FilterId, FilterUse, PlanId, Published, SlotId};
use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
use airloom_ir::text::{parse_type, parse_value, quote, value_to_text};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use std::fmt::Display;

/// The text of an item.
pub(super) fn show(types: &Types, item: &Item) -> String {
    match item {
        Item::Body(number, captures) if captures.is_empty() => format!("@p{number}"),
        Item::Body(number, captures) => format!("@p{number}{}", list(captures)),
        Item::Slot(slot) => slot.to_string(),
        Item::Slots(slots) => format!("({})", joined(slots)),
        Item::Blocks(blocks) => list(blocks),
        Item::Nodes(nodes) => list(nodes),
        Item::Name(name) => quote::string(name),
        Item::Names(names) => list(&names.iter().map(|name| quote::string(name)).collect::<Vec<_>>()),
        Item::Int(number) => number.to_string(),
        Item::Ints(numbers) => list(numbers),
        Item::Flag(flag) => flag.to_string(),
        Item::Word(word) => word.clone(),
        Item::Sort(keys) => list(&keys.iter().map(|key| key.word()).collect::<Vec<_>>()),
        Item::Type(ty) => types.show(*ty),
        Item::Types(tys) => list(&tys.iter().map(|&ty| types.show(ty)).collect::<Vec<_>>()),
        Item::Uses(uses) => {
            list(&uses.iter().map(|used| format!("{} on {}", used.filter, quote::string(&used.column))).collect::<Vec<_>>())
        }
        Item::Published(keys) => list(&keys.iter().map(|key| format!("{} as {}", key.key, key.filter)).collect::<Vec<_>>()),
        Item::Arguments(arguments) => list(&arguments.iter().map(argument).collect::<Vec<_>>()),
        Item::Ranges(ranges) => list(&ranges.iter().map(range).collect::<Vec<_>>()),
        Item::Values(values) => list(&values.iter().map(|value| typed(types, value)).collect::<Vec<_>>()),
    }
}

fn joined<T: Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn list<T: Display>(items: &[T]) -> String {
    format!("[{}]", joined(items))
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Input(number) => format!("input {number}"),
        Argument::Slot(slot) => slot.to_string(),
        Argument::Body => "body".into(),
    }
}

fn range(range: &Option<(i64, i64)>) -> String {
    range.map_or_else(|| "?".into(), |(min, max)| format!("{min}..{max}"))
}

/// The types that parameters of queries have, with their words.
const VALUE_TYPES: [(TyId, &str); 4] = [(TyId::BOOL, "bool"), (TyId::I64, "i64"), (TyId::F64, "f64"), (TyId::STR, "str")];

fn typed(types: &Types, value: &Value) -> String {
    let ty = match value {
        Value::Bool(_) => TyId::BOOL,
        Value::Int(_) => TyId::I64,
        Value::F64(_) => TyId::F64,
        Value::Str(_) => TyId::STR,
        _ => return "null".into(),
    };
    let word = VALUE_TYPES.iter().find(|(known, _)| *known == ty).expect("one of them").1;
    format!("{word} {}", value_to_text(types, ty, value))
}

type Found<T> = Result<T, String>;

/// The item of a field from its text.
pub(super) fn read(types: &mut Types, name: &str, text: &str) -> Found<Item> {
    if text.starts_with('@') {
        return body(text);
    }
    Ok(match name {
        "slot" | "offset" | "count" | "fetch" | "tolerance" | "key" | "function" => Item::Slot(slot(text)?),
        "arguments" if text.starts_with('(') => {
            let (inner, _) = bracketed(text, '(', ')').ok_or_else(|| format!("expected slots in parentheses, found `{text}`"))?;
            Item::Slots(split(inner, ',').into_iter().map(slot).collect::<Found<_>>()?)
        }
        "arguments" => Item::Arguments(items(text, read_argument)?),
        "block" | "blocks" => Item::Blocks(items(text, |text| numbered(text, 'b').map(BlockId::new))?),
        "node" | "rows" => Item::Nodes(items(text, |text| numbered(text, 'n').map(PlanId::new))?),
        "source" | "text" | "name" | "variable" | "value" => Item::Name(string(text)?),
        "sources" | "names" | "columns" => Item::Names(items(text, string)?),
        "start" => Item::Int(integer(text)?),
        "reads" | "determinants" | "not_null" => Item::Ints(items(text, integer)?),
        "nulls_equal" | "stops_early" | "exact" | "replace" | "dense" | "restores_order" => match text {
            "true" => Item::Flag(true),
            "false" => Item::Flag(false),
            other => return Err(format!("expected `true` or `false`, found `{other}`")),
        },
        "phase" | "how" | "probe" | "empty" | "keep" | "direction" => Item::Word(text.to_string()),
        "by" => Item::Sort(items(text, |text| SortKey::from_word(text).ok_or_else(|| format!("there is no sort key `{text}`")))?),
        "type" => Item::Type(ty(types, text)?),
        "key_types" => Item::Types(items(text, |text| ty(types, text))?),
        "dynamic" => Item::Uses(items(text, |text| {
            let (filter, column) = text.split_once(" on ").ok_or_else(|| format!("expected `f0 on \"column\"`, found `{text}`"))?;
            Ok(FilterUse { filter: FilterId::new(numbered(filter.trim(), 'f')?), column: string(column.trim())? })
        })?),
        "publishes" => Item::Published(items(text, |text| {
            let (key, filter) = text.split_once(" as ").ok_or_else(|| format!("expected `0 as f0`, found `{text}`"))?;
            let key = usize::try_from(integer(key.trim())?).map_err(|_| "the number of a key is negative".to_string())?;
            Ok(Published { key, filter: FilterId::new(numbered(filter.trim(), 'f')?) })
        })?),
        "ranges" => Item::Ranges(items(text, read_range)?),
        "parameters" => Item::Values(items(text, |text| read_typed(types, text))?),
        other => return Err(format!("there is no item `{other}`")),
    })
}

/// Slots of a body's captures.
fn body(text: &str) -> Found<Item> {
    let (name, rest) = match text.find('[') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let number = name.strip_prefix("@p").and_then(|number| number.trim().parse().ok());
    let number = number.ok_or_else(|| format!("expected a function such as `@p0`, found `{name}`"))?;
    Ok(Item::Body(number, if rest.is_empty() { Vec::new() } else { items(rest, slot)? }))
}

fn items<T>(text: &str, mut one: impl FnMut(&str) -> Found<T>) -> Found<Vec<T>> {
    match bracketed(text, '[', ']') {
        Some((inner, "")) => split(inner, ',').into_iter().map(&mut one).collect(),
        _ => Err(format!("expected a list in brackets, found `{text}`")),
    }
}

/// The number after a letter, as in `n3`. Plans are far smaller than its bound.
pub(super) fn numbered(text: &str, letter: char) -> Found<usize> {
    let number = text.strip_prefix(letter).and_then(|number| number.parse::<u32>().ok()).filter(|&number| number < u32::MAX);
    number.map(|number| number as usize).ok_or_else(|| format!("expected `{letter}` and a number, found `{text}`"))
}

pub(super) fn slot(text: &str) -> Found<SlotId> {
    numbered(text, 's').map(SlotId::new)
}

fn integer(text: &str) -> Found<i64> {
    text.parse().map_err(|_| format!("expected an integer, found `{text}`"))
}

pub(super) fn ty(types: &mut Types, text: &str) -> Found<TyId> {
    parse_type(types, text).map_err(|error| format!("`{text}`: {}", error.message))
}

/// A quoted text.
pub(super) fn string(text: &str) -> Found<Name> {
    match parse_value(&Types::default(), TyId::STR, text) {
        Ok(Value::Str(found)) => Ok(Name::new(&found)),
        _ => Err(format!("expected a quoted text, found `{text}`")),
    }
}

fn read_argument(text: &str) -> Found<Argument> {
    match text.split_once(' ') {
        None if text == "body" => Ok(Argument::Body),
        None => slot(text).map(Argument::Slot),
        Some(("input", number)) => number.parse().map(Argument::Input).map_err(|_| format!("expected `input 0`, found `{text}`")),
        Some(_) => Err(format!("expected an input, a slot or `body`, found `{text}`")),
    }
}

fn read_range(text: &str) -> Found<Option<(i64, i64)>> {
    if text == "?" {
        return Ok(None);
    }
    let (min, max) = text.split_once("..").ok_or_else(|| format!("expected `0..9`, found `{text}`"))?;
    Ok(Some((integer(min)?, integer(max)?)))
}

fn read_typed(types: &Types, text: &str) -> Found<Value> {
    if text == "null" {
        return Ok(Value::Null);
    }
    let (word, value) = split_once(text, ' ').ok_or_else(|| format!("expected a type and a value, found `{text}`"))?;
    let ty = VALUE_TYPES.iter().find(|(_, known)| *known == word).ok_or_else(|| format!("there is no parameter of type `{word}`"))?.0;
    parse_value(types, ty, value).map_err(|error| error.message)
}
