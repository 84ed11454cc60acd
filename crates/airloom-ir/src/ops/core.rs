//! Constants, parameters, functions, rows and sources: what every program is made of.

use super::marks::Aliasing::{Holds, Outside, View};
use super::marks::Distribution::{Leaf, Rowwise, Single};
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
    Const constant as_const "const" () {value: Value, ty: TyId} -> rule::constant, spreads(Leaf), aliases(Outside);

    /// A constant whose value is given when a plan is bound: a literal that was taken out of a program, so that programs that differ in it alone have one plan. Never in
    /// a program that runs: binding replaces it.
    Placeholder placeholder as_placeholder "placeholder" () {number: i64, ty: TyId} -> rule::placeholder, spreads(Leaf), aliases(Outside);

    /// A parameter of the innermost body or function, by number. Written by its name in the body's or function's head.
    Param param as_param "param" () {number: i64, ty: TyId} -> rule::param, spreads(Leaf), aliases(Outside);

    /// A parameter whose body is still being written. Never in a finished program: closing a body replaces it.
    Hole hole as_hole "hole" () {number: i64, ty: TyId} -> rule::param, spreads(Leaf), aliases(Outside);

    /// A closed function: it sees its parameters and nothing else. Written as a body `|x| add(x, 1)`, or at the top as `func @f(x: i64) …`.
    Lambda lambda as_lambda "lambda" (result) {params: Arc<[TyId]>} -> rule::lambda, spreads(Leaf), aliases(Outside);

    /// The result of a function for these arguments.
    Call call as_call "call" (function; ..args) -> rule::call, spreads(Single), aliases(Holds(&["args"]));

    /// Several values as one. Written `(a, b)`; with one part, `(a,)`.
    Tuple tuple as_tuple "tuple" (; ..parts) -> rule::tuple, spreads(Rowwise(&["parts"])), aliases(View(&["parts"]));

    /// One part of a tuple, by number from 0. Written `t.0`.
    Item item as_item "item" (tuple) {number: i64} -> rule::item, spreads(Rowwise(&["tuple"])), aliases(View(&["tuple"]));

    /// A row, or any struct, from its fields. Written `{a: x, b: y}`.
    Row row as_row "row" (; ..values) {names: Arc<[Name]>} -> rule::row, spreads(Rowwise(&["values"])), aliases(View(&["values"]));

    /// A field of a struct. Written `r.a`. A field of a null struct is null.
    Get get as_get "get" (record) {field: Name} -> rule::get, spreads(Rowwise(&["record"])), aliases(View(&["record"]));

    /// The fields of `base` with those of `changes` put in: a field of the same name is replaced where it stands, a new one is added at the end.
    /// So `rel.project(t) |r| with(r, {c: add(r.a, 1)})` adds a column without naming the others.
    With with as_with "with" (base, changes) -> rule::with, spreads(Rowwise(&["base", "changes"])), aliases(View(&["base", "changes"]));

    /// Only these fields of a struct, in this order.
    Pick pick as_pick "pick" (record) {names: Arc<[Name]>} -> rule::pick, spreads(Rowwise(&["record"])), aliases(View(&["record"]));

    /// A struct without these fields.
    Without without as_without "without" (record) {names: Arc<[Name]>} -> rule::without, spreads(Rowwise(&["record"])), aliases(View(&["record"]));

    /// Data that the session owns under this name: the graph holds the name and the type, never the data.
    Source source as_source "source" () {name: Name, ty: TyId} -> rule::source, spreads(Leaf), aliases(Outside);

    /// The beginning of an order of effects.
    Token token as_token "token" () -> rule::token, spreads(Leaf), aliases(Outside);

    /// A function of the host (Python, for one), by the name the session knows it under. Where its effect is `effectful` the first argument is a
    /// token, and the result is a tuple of the next token and the value.
    Host host as_host "host.call" (; ..args) {name: Name, ty: TyId, effect: Effect = Effect::Effectful} -> rule::host, spreads(Single), aliases(Outside), raises_by(rule::host_effect);
}
