//! Type rules of the core.

use super::Infer;
use crate::attrs::{AttrType, Effect};
use crate::name::Name;
use crate::ops::Given;
use crate::types::{Field, Fields, Ty, TyId, Types};
use crate::value::Value;
use std::sync::Arc;

type Rule = Result<TyId, String>;

pub(crate) fn constant(cx: &mut Infer<'_>) -> Rule {
    let (value, ty): (Value, TyId) = (cx.attr(0), cx.attr(1));
    if fits(cx.types, &value, ty) { Ok(ty) } else { Err(format!("the literal is not a value of `{}`", cx.show(ty))) }
}

/// Whether a value is one of a type. Types nest at most so deep, so this may recurse.
pub(crate) fn fits(types: &Types, value: &Value, ty: TyId) -> bool {
    match (types.get(ty), value) {
        (Ty::Option(_), Value::Null) => true,
        (Ty::Option(inner), _) => fits(types, value, *inner),
        (Ty::Bool, Value::Bool(_)) | (Ty::F32, Value::F32(_)) | (Ty::F64, Value::F64(_)) => true,
        (Ty::Int(int), Value::Int(i)) => int.holds(*i),
        (Ty::Decimal { precision, .. }, Value::Int(i)) => i.unsigned_abs() < 10u128.pow(u32::from(*precision)),
        (Ty::Str, Value::Str(_)) | (Ty::Bytes, Value::Bytes(_)) => true,
        (Ty::Date, Value::Int(days)) => i32::try_from(*days).is_ok(),
        (Ty::Time, Value::Int(nanos)) => (0..86_400_000_000_000).contains(nanos),
        (Ty::Timestamp { .. } | Ty::Duration(_), Value::Int(count)) => i64::try_from(*count).is_ok(),
        (Ty::Dict(inner), _) => fits(types, value, *inner),
        (Ty::Category { names, .. }, Value::Int(at)) => usize::try_from(*at).is_ok_and(|at| at < names.len()),
        (Ty::List(element), Value::List(items)) => items.iter().all(|v| fits(types, v, *element)),
        (Ty::Struct(fields), Value::Struct(values)) => {
            fields.len() == values.len() && fields.iter().zip(values.iter()).all(|(f, v)| fits(types, v, f.ty))
        }
        _ => false,
    }
}

pub(crate) fn placeholder(cx: &mut Infer<'_>) -> Rule {
    if cx.attr::<i64>(0) < 0 { Err("a placeholder has a number from 0".into()) } else { Ok(cx.attr(1)) }
}

pub(crate) fn param(cx: &mut Infer<'_>) -> Rule {
    if cx.attr::<i64>(0) < 0 { Err("a parameter has a number from 0".into()) } else { Ok(cx.attr(1)) }
}

pub(crate) fn lambda(cx: &mut Infer<'_>) -> Rule {
    let params: Arc<[TyId]> = cx.attr(0);
    cx.types.func(params.to_vec(), cx.args[0])
}

pub(crate) fn call(cx: &mut Infer<'_>) -> Rule {
    let Ty::Fn(params, result) = cx.types.get(cx.args[0]).clone() else { return cx.wrong(0, "a function") };
    if params != cx.args[1..] {
        let list = |tys: &[TyId]| tys.iter().map(|&t| cx.show(t)).collect::<Vec<_>>().join(", ");
        return Err(format!("the function takes ({}), but is given ({})", list(&params), list(&cx.args[1..])));
    }
    Ok(result)
}

pub(crate) fn tuple(cx: &mut Infer<'_>) -> Rule {
    let parts = cx.args.to_vec();
    cx.types.tuple(parts)
}

pub(crate) fn item(cx: &mut Infer<'_>) -> Rule {
    let Ty::Tuple(parts) = cx.types.get(cx.args[0]) else { return cx.wrong(0, "a tuple") };
    let number: i64 = cx.attr(0);
    let found = usize::try_from(number).ok().and_then(|n| parts.get(n));
    found.copied().ok_or_else(|| format!("a tuple of {} has no item {number}", parts.len()))
}

pub(crate) fn row(cx: &mut Infer<'_>) -> Rule {
    let names: Arc<[Name]> = cx.attr(0);
    if names.len() != cx.args.len() {
        return Err(format!("{} names for {} values", names.len(), cx.args.len()));
    }
    let fields = names.iter().cloned().zip(cx.args.iter().copied()).collect();
    cx.types.row_of(fields)
}

fn record(cx: &Infer<'_>, at: usize) -> Result<Fields, String> {
    match cx.types.get(cx.types.strip(cx.args[at])) {
        Ty::Struct(fields) => Ok(fields.clone()),
        _ => cx.wrong(at, "a struct"),
    }
}

/// What to say of a field that is not there, with the nearest name there is.
pub(crate) fn no_field(name: &str, fields: &Fields) -> String {
    let near = fields.names().min_by_key(|n| distance(name, n)).filter(|n| distance(name, n) <= 2);
    let known: Vec<&str> = fields.names().take(12).map(Name::as_str).collect();
    let more = if fields.len() > known.len() { ", …" } else { "" };
    match near {
        Some(near) => format!("there is no field `{name}`; hint: did you mean `{near}`?"),
        None => format!("there is no field `{name}`; there are: {}{more}", known.join(", ")),
    }
}

/// How many letters differ, by Levenshtein's count; names longer than 64 letters are simply far.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 || a.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let kept = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

pub(crate) fn get(cx: &mut Infer<'_>) -> Rule {
    let fields = record(cx, 0)?;
    let name: Name = cx.attr(0);
    let ty = fields.ty(&name).ok_or_else(|| no_field(&name, &fields))?;
    let nullable = cx.types.nullable(cx.args[0]);
    Ok(cx.types.with_null(ty, nullable))
}

pub(crate) fn with(cx: &mut Infer<'_>) -> Rule {
    let (base, changes) = (record(cx, 0)?, record(cx, 1)?);
    if cx.types.nullable(cx.args[0]) || cx.types.nullable(cx.args[1]) {
        return Err("takes structs that cannot be null".into());
    }
    let replaced = base.iter().map(|f| Field { name: f.name.clone(), ty: changes.ty(&f.name).unwrap_or(f.ty) });
    let added = changes.iter().filter(|f| !base.contains(&f.name)).cloned();
    let fields = Fields::new(replaced.chain(added).collect()).map_err(|n| format!("duplicate field `{n}`"))?;
    cx.types.row(fields)
}

pub(crate) fn pick(cx: &mut Infer<'_>) -> Rule {
    let fields = record(cx, 0)?;
    let names: Arc<[Name]> = cx.attr(0);
    let mut picked = Vec::with_capacity(names.len());
    for name in names.iter() {
        picked.push((name.clone(), fields.ty(name).ok_or_else(|| no_field(name, &fields))?));
    }
    let nullable = cx.types.nullable(cx.args[0]);
    let ty = cx.types.row_of(picked)?;
    Ok(cx.types.with_null(ty, nullable))
}

pub(crate) fn without(cx: &mut Infer<'_>) -> Rule {
    let fields = record(cx, 0)?;
    let names: Arc<[Name]> = cx.attr(0);
    let mut gone: Vec<&Name> = names.iter().collect();
    gone.sort();
    if let Some(name) = names.iter().find(|n| !fields.contains(n)) {
        return Err(no_field(name, &fields));
    }
    let left = fields.iter().filter(|f| gone.binary_search(&&f.name).is_err()).cloned().collect();
    let left = Fields::new(left).map_err(|n| format!("duplicate field `{n}`"))?;
    let nullable = cx.types.nullable(cx.args[0]);
    let ty = cx.types.row(left)?;
    Ok(cx.types.with_null(ty, nullable))
}

pub(crate) fn source(cx: &mut Infer<'_>) -> Rule {
    let ty: TyId = cx.attr(1);
    match cx.types.get(ty) {
        Ty::Fn(..) | Ty::Tuple(_) | Ty::Token => Err(format!("a source cannot be `{}`", cx.show(ty))),
        _ => Ok(ty),
    }
}

pub(crate) fn token(_: &mut Infer<'_>) -> Rule {
    Ok(TyId::TOKEN)
}

pub(crate) fn host(cx: &mut Infer<'_>) -> Rule {
    let ty: TyId = cx.attr(1);
    let tokens = cx.args.iter().filter(|&&t| t == TyId::TOKEN).count();
    if cx.attr::<Effect>(2) != Effect::Effectful {
        return if tokens == 0 { Ok(ty) } else { Err("takes a token only where its effect is `effectful`".into()) };
    }
    if cx.args.first() != Some(&TyId::TOKEN) || tokens != 1 {
        return Err("must take one token, as its first argument, since its effect is `effectful`".into());
    }
    cx.types.tuple(vec![TyId::TOKEN, ty])
}

pub(crate) fn host_effect(given: &Given<'_>) -> Effect {
    given.attrs.get(2).and_then(Effect::from_attr).unwrap_or(Effect::Effectful)
}
