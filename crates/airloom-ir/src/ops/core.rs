//! Constants, parameters, functions, rows and sources: what every program is made of.

use super::ops;
use crate::attrs::Effect;
use crate::name::Name;
use crate::types::TyId;
use crate::typing::core as rule;
use crate::value::Value;
use std::sync::Arc;

ops! {
    /// Constants, parameters, functions, rows and sources: what every program is made of.
    family Core BuildCore "core";

    /// A constant. Written as a literal: `1`, `2.5`, `"text"`, `true`, `null: f64?`, `"2020-02-29": date`.
    Const constant as_const "const" () {value: Value, ty: TyId} -> rule::constant;

    /// A parameter of the innermost body or function, by number. Written by its name in the body's or function's head.
    Param param as_param "param" () {number: i64, ty: TyId} -> rule::param;

    /// A parameter whose body is still being written. Never in a finished program: closing a body replaces it.
    Hole hole as_hole "hole" () {number: i64, ty: TyId} -> rule::param;

    /// A closed function: it sees its parameters and nothing else. Written as a body `|x| add(x, 1)`, or at the top as `func @f(x: i64) …`.
    Lambda lambda as_lambda "lambda" (result) {params: Arc<[TyId]>} -> rule::lambda;

    /// The result of a function for these arguments.
    Call call as_call "call" (function; ..args) -> rule::call;

    /// Several values as one. Written `(a, b)`; with one part, `(a,)`.
    Tuple tuple as_tuple "tuple" (; ..parts) -> rule::tuple;

    /// One part of a tuple, by number from 0. Written `t.0`.
    Item item as_item "item" (tuple) {number: i64} -> rule::item;

    /// A row, or any struct, from its fields. Written `{a: x, b: y}`.
    Row row as_row "row" (; ..values) {names: Arc<[Name]>} -> rule::row;

    /// A field of a struct. Written `r.a`. A field of a null struct is null.
    Get get as_get "get" (record) {field: Name} -> rule::get;

    /// The fields of `base` with those of `changes` put in: a field of the same name is replaced where it stands, a new one is added at the end.
    /// So `rel.project(t) |r| with(r, {c: add(r.a, 1)})` adds a column without naming the others.
    With with as_with "with" (base, changes) -> rule::with;

    /// Only these fields of a struct, in this order.
    Pick pick as_pick "pick" (record) {names: Arc<[Name]>} -> rule::pick;

    /// A struct without these fields.
    Without without as_without "without" (record) {names: Arc<[Name]>} -> rule::without;

    /// Data that the session owns under this name: the graph holds the name and the type, never the data.
    Source source as_source "source" () {name: Name, ty: TyId} -> rule::source;

    /// The beginning of an order of effects.
    Token token as_token "token" () -> rule::token;

    /// A function of the host (Python, for one), by the name the session knows it under. Where its effect is `effectful` the first argument is a
    /// token, and the result is a tuple of the next token and the value.
    Host host as_host "host.call" (; ..args) {name: Name, ty: TyId, effect: Effect = Effect::Effectful} -> rule::host, raises_by(rule::host_effect);
}
