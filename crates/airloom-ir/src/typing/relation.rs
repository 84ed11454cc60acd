//! Type rules of relations.

use super::{Infer, ROWS};
use crate::attrs::{JoinHow, SortKey};
use crate::name::Name;
use crate::types::{Dim, Field, Fields, Ty, TyId};
use crate::typing::core::no_field;
use std::sync::Arc;

type Rule = Result<TyId, String>;

/// Fields one after the other, or an error that says what to do about a duplicate name.
fn joined(left: &Fields, right: &Fields) -> Result<Fields, String> {
    left.concat(right).map_err(|name| format!("both sides have a field `{name}`; hint: rename one with `rel.project` first"))
}

fn nullable_fields(cx: &mut Infer<'_>, fields: &Fields) -> Fields {
    let list = fields.iter().map(|f| Field { name: f.name.clone(), ty: cx.types.option(f.ty) }).collect();
    Fields::new(list).expect("the names are those of valid fields")
}

pub(crate) fn project(cx: &mut Infer<'_>) -> Rule {
    let fields = cx.result_fields(0, "row")?;
    cx.types.rel(fields)
}

pub(crate) fn filter(cx: &mut Infer<'_>) -> Rule {
    cx.result_truth(0, "predicate")?;
    Ok(cx.args[0])
}

pub(crate) fn group(cx: &mut Infer<'_>) -> Rule {
    let fields = joined(&cx.result_fields(0, "keys")?, &cx.result_fields(1, "aggregates")?)?;
    cx.types.rel(fields)
}

/// Keys of two sides must agree, field by field, but for `?` and names.
fn keys_agree(cx: &Infer<'_>, left: &Fields, right: &Fields) -> Result<(), String> {
    if left.len() != right.len() {
        return Err(format!("the left has {} key fields and the right {}", left.len(), right.len()));
    }
    for (l, r) in left.iter().zip(right.iter()) {
        if cx.types.strip(l.ty) != cx.types.strip(r.ty) {
            return Err(format!(
                "the key `{}` is `{}` on the left and `{}` on the right; hint: `cast` one of them",
                l.name,
                cx.show(l.ty),
                cx.show(r.ty)
            ));
        }
    }
    Ok(())
}

pub(crate) fn join(cx: &mut Infer<'_>) -> Rule {
    let (left, right) = (cx.rel(0)?, cx.rel(1)?);
    let (left_keys, right_keys) = (cx.result_fields(0, "left_keys")?, cx.result_fields(1, "right_keys")?);
    keys_agree(cx, &left_keys, &right_keys)?;
    cx.result_truth(2, "predicate")?;
    let how: JoinHow = cx.attr(0);
    if how == JoinHow::Cross && !left_keys.is_empty() {
        return Err("a `cross` join has no keys; hint: use `inner`".into());
    }
    let fields = match how {
        JoinHow::Semi | JoinHow::Anti => return Ok(cx.args[0]),
        JoinHow::Inner | JoinHow::Cross => joined(&left, &right)?,
        JoinHow::Left => joined(&left, &nullable_fields(cx, &right))?,
        JoinHow::Right => joined(&nullable_fields(cx, &left), &right)?,
        JoinHow::Outer => joined(&nullable_fields(cx, &left), &nullable_fields(cx, &right))?,
    };
    cx.types.rel(fields)
}

pub(crate) fn asof(cx: &mut Infer<'_>) -> Rule {
    let (left, right) = (cx.rel(0)?, cx.rel(1)?);
    let on = cx.types.strip(cx.results[0]);
    if on != cx.types.strip(cx.results[1]) {
        return Err(format!("the left is matched on `{}` and the right on `{}`", cx.show(cx.results[0]), cx.show(cx.results[1])));
    }
    let distance = match *cx.types.get(on) {
        Ty::Int(_) | Ty::F32 | Ty::F64 => on,
        Ty::Timestamp { unit, .. } => cx.types.duration(unit),
        Ty::Date => TyId::I64,
        _ => return Err(format!("an as-of join matches on numbers, dates or timestamps, not `{}`", cx.show(on))),
    };
    let distance = cx.types.option(distance);
    if cx.types.option(cx.args[2]) != distance {
        return cx.wrong(2, &format!("`{}`", cx.show(distance)));
    }
    keys_agree(cx, &cx.result_fields(2, "left_by")?, &cx.result_fields(3, "right_by")?)?;
    let fields = joined(&left, &nullable_fields(cx, &right))?;
    cx.types.rel(fields)
}

fn sort_keys(cx: &Infer<'_>, which: usize, what: &str, by: &[SortKey]) -> Result<(), String> {
    let keys = cx.result_fields(which, what)?;
    if keys.len() != by.len() {
        return Err(format!("{} keys, but `by` says how to order {}", keys.len(), by.len()));
    }
    cx.sortable(&keys)
}

pub(crate) fn sort(cx: &mut Infer<'_>) -> Rule {
    let by: Arc<[SortKey]> = cx.attr(0);
    sort_keys(cx, 0, "keys", &by)?;
    Ok(cx.args[0])
}

pub(crate) fn slice(cx: &mut Infer<'_>) -> Rule {
    cx.rel(0)?;
    cx.want(1, TyId::I64)?;
    cx.want_maybe(2, TyId::I64)?;
    Ok(cx.args[0])
}

pub(crate) fn top(cx: &mut Infer<'_>) -> Rule {
    cx.want(1, TyId::I64)?;
    sort(cx)
}

pub(crate) fn concat(cx: &mut Infer<'_>) -> Rule {
    if !cx.args.is_empty() {
        cx.rel(0)?;
    }
    cx.all_same()
}

pub(crate) fn distinct(cx: &mut Infer<'_>) -> Rule {
    cx.result_fields(0, "keys")?;
    Ok(cx.args[0])
}

pub(crate) fn window(cx: &mut Infer<'_>) -> Rule {
    let input = cx.rel(0)?;
    cx.result_fields(0, "partition")?;
    let by: Arc<[SortKey]> = cx.attr(0);
    sort_keys(cx, 1, "order", &by)?;
    // The columns of another partition have the same named extent, but not the same length.
    let rows = Dim::Named(ROWS.into());
    if cx.captures.iter().any(|&t| matches!(cx.types.get(t), Ty::Arr(_, dims) if dims.contains(&rows))) {
        return Err(format!("its bodies may not capture an array of `{ROWS}` elements, which are those of another partition"));
    }
    let columns = column_fields(cx, cx.results[2], &rows, "the body `columns` must return")?;
    let fields = joined(&input, &columns)?;
    cx.types.rel(fields)
}

/// The fields of a relation made from a struct of arrays of this extent.
fn column_fields(cx: &Infer<'_>, ty: TyId, extent: &Dim, what: &str) -> Result<Fields, String> {
    let Ty::Struct(fields) = cx.types.get(ty) else { return Err(format!("{what} a struct of arrays, not `{}`", cx.show(ty))) };
    let mut list = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        match cx.types.get(field.ty) {
            Ty::Arr(element, dims) if dims.len() == 1 && (*extent == Dim::Any || dims[0] == *extent) => {
                list.push(Field { name: field.name.clone(), ty: *element });
            }
            _ => {
                let extent = if *extent == Dim::Any { "one axis".to_string() } else { format!("`{ROWS}` elements") };
                return Err(format!("{what} arrays of {extent}, but `{}` is `{}`", field.name, cx.show(field.ty)));
            }
        }
    }
    Ok(Fields::new(list).expect("the names are those of valid fields"))
}

fn known_columns(names: &[Name], fields: &Fields) -> Result<(), String> {
    for (i, name) in names.iter().enumerate() {
        if !fields.contains(name) {
            return Err(no_field(name, fields));
        }
        if names[..i].contains(name) {
            return Err(format!("duplicate column `{name}`"));
        }
    }
    Ok(())
}

pub(crate) fn explode(cx: &mut Infer<'_>) -> Rule {
    let fields = cx.rel(0)?;
    let names: Arc<[Name]> = cx.attr(0);
    known_columns(&names, &fields)?;
    if names.is_empty() {
        return Err("names no column to explode".into());
    }
    let mut list = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        let mut ty = field.ty;
        if names.contains(&field.name) {
            let Ty::List(element) = *cx.types.get(cx.types.strip(ty)) else {
                return Err(format!("the column `{}` must hold lists, not `{}`", field.name, cx.show(ty)));
            };
            ty = if cx.attr::<crate::attrs::EmptyList>(1) == crate::attrs::EmptyList::Null { cx.types.option(element) } else { element };
        }
        list.push((field.name.clone(), ty));
    }
    cx.types.rel_of(list)
}

pub(crate) fn unpivot(cx: &mut Infer<'_>) -> Rule {
    let fields = cx.rel(0)?;
    let names: Arc<[Name]> = cx.attr(0);
    known_columns(&names, &fields)?;
    let mut tys = names.iter().filter_map(|n| fields.ty(n));
    let first = tys.next().ok_or("names no column to unpivot")?;
    if let Some(other) = tys.find(|&t| t != first) {
        return Err(format!("the columns must have one type, but there are `{}` and `{}`", cx.show(first), cx.show(other)));
    }
    let mut list: Vec<(Name, TyId)> = fields.iter().filter(|f| !names.contains(&f.name)).map(|f| (f.name.clone(), f.ty)).collect();
    list.push((cx.attr(1), TyId::STR));
    list.push((cx.attr(2), first));
    cx.types.rel_of(list)
}

pub(crate) fn pivot(cx: &mut Infer<'_>) -> Rule {
    let keys = cx.result_fields(0, "keys")?;
    if !matches!(cx.types.plain(cx.results[1]), Ty::Str) {
        return Err(format!("the body `on` must return text, not `{}`", cx.show(cx.results[1])));
    }
    let value = cx.result_value(2, "aggregate")?;
    let value = cx.types.option(value);
    let names: Arc<[Name]> = cx.attr(0);
    let mut list: Vec<(Name, TyId)> = keys.iter().map(|f| (f.name.clone(), f.ty)).collect();
    list.extend(names.iter().map(|n| (n.clone(), value)));
    cx.types.rel_of(list)
}

pub(crate) fn number(cx: &mut Infer<'_>) -> Rule {
    let fields = cx.rel(0)?;
    let mut list: Vec<(Name, TyId)> = fields.iter().map(|f| (f.name.clone(), f.ty)).collect();
    list.push((cx.attr(0), TyId::I64));
    cx.types.rel_of(list)
}

pub(crate) fn sample(cx: &mut Infer<'_>) -> Rule {
    cx.rel(0)?;
    cx.want(1, TyId::I64)?;
    cx.want(2, TyId::U64)?;
    Ok(cx.args[0])
}

pub(crate) fn unordered(cx: &mut Infer<'_>) -> Rule {
    cx.rel(0)?;
    Ok(cx.args[0])
}

pub(crate) fn columns(cx: &mut Infer<'_>) -> Rule {
    let fields = cx.rel(0)?;
    let mut list = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        list.push((field.name.clone(), cx.types.arr(field.ty, vec![Dim::Any])?));
    }
    cx.types.row_of(list)
}

pub(crate) fn pack(cx: &mut Infer<'_>) -> Rule {
    let fields = column_fields(cx, cx.args[0], &Dim::Any, "takes")?;
    cx.types.rel(fields)
}

pub(crate) fn rows(cx: &mut Infer<'_>) -> Rule {
    cx.rel(0)?;
    Ok(TyId::I64)
}
