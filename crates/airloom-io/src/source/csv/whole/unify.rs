//! What the columns of all pieces are together.

use super::convert::{Kind, Strings, Values};
use super::request::{Columns, Gather, Request};
use crate::source::csv::missing::Truths;
use crate::source::csv::number::{Digits, Whole, float, whole};
use crate::source::csv::timestamp::Form;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Whole,
    Unsigned,
    Float,
    Truth { missing: bool },
    Text,
    Timestamp(Form),
}

/// The columns of all pieces, each of one class, and how many rows there are.
pub(super) struct Unified {
    pub(super) rows: usize,
    /// Where the next record begins, or the file ends.
    pub(super) end: u64,
    pub(super) classes: Vec<Class>,
    pub(super) pieces: Vec<Columns>,
}

/// Reads a file as a whole.
pub(super) fn read(request: &Request) -> Result<Unified, String> {
    let gather = Gather::new(request)?;
    let (mut pieces, end) = gather.pieces()?;
    pieces.retain(|piece| piece.rows > 0);
    let rows = pieces.iter().map(|piece| piece.rows).sum();
    let classes = (0..request.columns.len()).map(|at| class_of(request, at, &pieces, rows)).collect::<Result<Vec<_>, _>>()?;
    as_text(&gather, &classes, &mut pieces)?;
    for (at, class) in classes.iter().enumerate() {
        let column = &request.columns[at];
        if *class == Class::Text && column.kind == Kind::Any {
            let parts: Vec<&Strings> = pieces.iter().filter_map(|piece| strings(&piece.made[at])).collect();
            let chunk = request.chunk.unwrap_or(usize::MAX);
            if parts.len() != pieces.len() || !is_text_throughout(&parts, chunk, request.digits, &request.truths) {
                return Err("a column of mixed types".into());
            }
        }
    }
    if !gather.unchanged() {
        return Err("the file changed while it was read".into());
    }
    Ok(Unified { rows, end, classes, pieces })
}

fn strings(values: &Values) -> Option<&Strings> {
    match values {
        Values::Text(strings) => Some(strings),
        _ => None,
    }
}

/// What a column is, by what it is in each piece. Refused where pandas would decide by pieces of its own.
fn class_of(request: &Request, at: usize, pieces: &[Columns], rows: usize) -> Result<Class, String> {
    let several = request.chunk.is_some_and(|chunk| rows > chunk);
    let (mut whole, mut negative, mut unsigned, mut float, mut truth, mut text, mut nothing, mut hole, mut long) =
        (false, false, false, false, false, false, false, false, false);
    let mut form = None;
    for piece in pieces {
        match &piece.made[at] {
            Values::Nothing => nothing = true,
            Values::Whole(values) => (whole, negative) = (true, negative || values.iter().any(|value| *value < 0)),
            Values::Unsigned(_) => unsigned = true,
            Values::Float { long: is_long, .. } => (float, long) = (true, long || *is_long),
            Values::Truth { missing, .. } => (truth, hole) = (true, hole || *missing),
            Values::Text(_) => text = true,
            Values::Timestamp { form: None, .. } => {}
            Values::Timestamp { form: Some(found), .. } if form.is_none_or(|form| form == *found) => form = Some(*found),
            Values::Timestamp { .. } => text = true,
            Values::Other(reason) => return Err((*reason).into()),
        }
    }
    let kind = request.columns[at].kind;
    let number = whole || unsigned || float;
    if kind == Kind::Timestamp {
        return Ok(match form {
            Some(form) if !text => Class::Timestamp(form),
            _ => Class::Text,
        });
    }
    if text || kind == Kind::Text || (number && truth) {
        return Ok(Class::Text);
    }
    if truth {
        let missing = hole || nothing;
        if missing && several {
            return Err("booleans with some missing, in several parts".into());
        }
        return Ok(Class::Truth { missing });
    }
    if long || (unsigned && (float || nothing || negative || several)) {
        return Err("integers that are too long".into());
    }
    if unsigned {
        return Ok(Class::Unsigned);
    }
    if float || nothing || kind == Kind::Float {
        let numbers = request.columns[at].missing.map_or(&[][..], |at| &request.missing[at].numbers);
        let known = |value: &i64| numbers.contains(&(*value as f64));
        if !numbers.is_empty() && pieces.iter().any(|piece| matches!(&piece.made[at], Values::Whole(values) if values.iter().any(known))) {
            return Err("numbers that stand for what is missing, in a column that is partly whole".into());
        }
        return Ok(Class::Float);
    }
    Ok(Class::Whole)
}

/// Reads columns that are text as such in the pieces in which they seemed something else.
fn as_text(gather: &Gather<'_>, classes: &[Class], pieces: &mut [Columns]) -> Result<(), String> {
    let is_other = |piece: &Columns, at: usize| classes[at] == Class::Text && strings(&piece.made[at]).is_none();
    let mut wrong: Vec<(usize, Vec<usize>)> = Vec::new();
    for (number, piece) in pieces.iter_mut().enumerate() {
        let rows = piece.rows;
        let mut columns = Vec::new();
        for at in 0..classes.len() {
            if is_other(piece, at) && matches!(piece.made[at], Values::Nothing) {
                piece.made[at] = Values::Text(Strings::nothing(rows));
            } else if is_other(piece, at) {
                columns.push(at);
            }
        }
        if !columns.is_empty() {
            wrong.push((number, columns));
        }
    }
    let work: Vec<(&Columns, Vec<usize>)> = wrong.iter().map(|(number, columns)| (&pieces[*number], columns.clone())).collect();
    let read = gather.reread(&work)?;
    for ((number, columns), found) in wrong.into_iter().zip(read) {
        for (at, values) in columns.into_iter().zip(found) {
            if let Values::Other(reason) = values {
                return Err(reason.into());
            }
            pieces[number].made[at] = values;
        }
    }
    Ok(())
}

/// Whether pandas takes each part of `chunk` rows for text: it looks for integers, then for floats, then for booleans, and is text where none fits all.
fn is_text_throughout(parts: &[&Strings], chunk: usize, digits: Digits, truths: &Truths) -> bool {
    let rows: usize = parts.iter().map(|part| part.ends.len() - 1).sum();
    let (mut part, mut before) = (0, 0);
    let mut start = 0;
    while start < rows {
        let end = start.saturating_add(chunk).min(rows);
        let (mut whole_so_far, mut no_float, mut no_truth) = (true, false, false);
        let mut row = start;
        while row < end && !(no_float && no_truth) {
            while row - before >= parts[part].ends.len() - 1 {
                before += parts[part].ends.len() - 1;
                part += 1;
            }
            if let Some(text) = parts[part].get(row - before) {
                if whole_so_far {
                    match whole(text, digits) {
                        Whole::Signed(_) => {}
                        // What is too long is tried in other ways, which depend on what comes after it.
                        Whole::Unsigned(_) | Whole::Long => return false,
                        Whole::None => whole_so_far = false,
                    }
                }
                no_float |= float(text, digits).is_none();
                no_truth |= truths.read(text).is_none();
            }
            row += 1;
        }
        if !(no_float && no_truth) {
            return false;
        }
        start = end;
    }
    true
}
