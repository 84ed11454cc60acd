//! Bodies said in SQL.
//!
//! Only what means the same there and here is said. Arithmetic is not: integers that overflow wrap here, become floats in SQLite and raise in PostgreSQL, and
//! a NaN is null in SQLite and equal to itself in PostgreSQL.

use super::{Dialect, SqlParameter};
use airloom_ir::attrs::NullMatch;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::logic::Logic;
use airloom_ir::types::{IntTy, Ty};
use airloom_ir::value::Value;

/// Bodies are said as deep as this: deeper ones come from programs, not from people, and are run here.
const DEPTH: usize = 64;

/// The most values that are said in all: one that others share is said anew for each of them.
const VALUES: usize = 40_000;

/// A column of a subquery, where it is called `c` and its number.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: Name,
    /// Whether it compares as its type does.
    pub(crate) plain: bool,
    /// No value is farther from zero than this, where it is known of an integer.
    pub(crate) bound: Option<u128>,
}

/// What a parameter of a body is bound to.
#[derive(Clone, Debug)]
pub(crate) enum Binding<'a> {
    /// A row of a subquery.
    Row(&'a str, &'a [Column]),
    /// Something from outside.
    Outside(NodeId),
}

/// A value said in SQL.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) plain: bool,
    pub(crate) bound: Option<u128>,
}

impl Said {
    fn new(text: String) -> Option<Said> {
        Some(Said { text, plain: true, bound: None })
    }
}

/// Says bodies, and collects the values that go beside the text.
pub(crate) struct Speaker<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) dialect: Dialect,
    pub(crate) ordered_text: bool,
    pub(crate) parameters: Vec<SqlParameter>,
    said: usize,
}

impl<'g> Speaker<'g> {
    /// For bodies of one graph.
    pub(crate) fn new(graph: &'g Graph, dialect: Dialect, ordered_text: bool) -> Speaker<'g> {
        Speaker { graph, dialect, ordered_text, parameters: Vec::new(), said: 0 }
    }

    fn ty(&self, node: NodeId) -> &Ty {
        self.graph.types().plain(self.graph.ty_id(node))
    }

    /// The value of a node, where it can be said.
    pub(crate) fn value(&mut self, node: NodeId, bindings: &[Binding<'_>]) -> Option<Said> {
        self.at_depth(node, bindings, DEPTH)
    }

    fn at_depth(&mut self, node: NodeId, bindings: &[Binding<'_>], depth: usize) -> Option<Said> {
        let depth = depth.checked_sub(1)?;
        self.said += 1;
        if self.said > VALUES {
            return None;
        }
        match self.graph.op(node) {
            Op::Core(Core::Const) => self.constant(node),
            Op::Core(Core::Param) => match binding(self.graph, node, bindings)? {
                Binding::Outside(outside) => self.constant(outside),
                Binding::Row(..) => None,
            },
            Op::Core(Core::Get) => {
                let get = self.graph.as_get(node)?;
                let Binding::Row(alias, columns) = binding(self.graph, get.record, bindings)? else { return None };
                let at = columns.iter().position(|column| column.name == get.field)?;
                Some(Said { text: format!("{alias}.c{at}"), plain: columns[at].plain, bound: columns[at].bound })
            }
            Op::Logic(logic) => self.logic(logic, node, bindings, depth),
            _ => None,
        }
    }

    /// A constant goes beside the text, never into it.
    fn constant(&mut self, node: NodeId) -> Option<Said> {
        let value = self.graph.const_value(node)?.clone();
        let ty = self.ty(node).clone();
        let sent = match (&value, &ty) {
            (Value::Null | Value::Bool(_), Ty::Bool) | (Value::Null | Value::Str(_), Ty::Str) => true,
            (Value::Null, Ty::Int(_) | Ty::F64) => true,
            (Value::Int(number), Ty::Int(_)) => IntTy::I64.holds(*number),
            (Value::Int(_) | Value::Null, Ty::Date) => self.dialect == Dialect::Postgres,
            (Value::F64(number), Ty::F64) => !number.is_nan(),
            _ => false,
        };
        if !sent {
            return None;
        }
        let text = self.dialect.parameter(self.parameters.len(), &ty)?;
        self.parameters.push(SqlParameter(value));
        Said::new(text)
    }

    fn logic(&mut self, logic: Logic, node: NodeId, bindings: &[Binding<'_>], depth: usize) -> Option<Said> {
        let args = self.graph.args(node).to_vec();
        let sign = match logic {
            Logic::Eq => "=",
            Logic::Ne => "<>",
            Logic::Lt => "<",
            Logic::Le => "<=",
            Logic::Gt => ">",
            Logic::Ge => ">=",
            Logic::Same => self.dialect.same(),
            _ => "",
        };
        if !sign.is_empty() {
            return self.comparison(logic, sign, (args[0], args[1]), bindings, depth);
        }
        if logic == Logic::IsIn {
            return self.is_in(node, bindings, depth);
        }
        let said = args.iter().map(|arg| self.at_depth(*arg, bindings, depth)).collect::<Option<Vec<_>>>()?;
        let texts: Vec<&str> = said.iter().map(|said| said.text.as_str()).collect();
        match (logic, texts.as_slice()) {
            (Logic::And, [a, b]) => Said::new(format!("({a} AND {b})")),
            (Logic::Or, [a, b]) => Said::new(format!("({a} OR {b})")),
            (Logic::Not, [a]) => Said::new(format!("(NOT {a})")),
            (Logic::IsNull, [a]) => Said::new(format!("({a} IS NULL)")),
            (Logic::IsTrue, [a]) => Said::new(format!("({a} IS TRUE)")),
            (Logic::Coalesce, values) if values.len() > 1 => {
                let plain = said.iter().all(|said| said.plain);
                Some(Said { text: format!("COALESCE({})", values.join(", ")), plain, bound: None })
            }
            (Logic::Select, [condition, then, otherwise]) => {
                let plain = said[1].plain && said[2].plain;
                Some(Said { text: format!("(CASE WHEN {condition} THEN {then} ELSE {otherwise} END)"), plain, bound: None })
            }
            _ => None,
        }
    }

    fn comparison(&mut self, logic: Logic, sign: &str, sides: (NodeId, NodeId), bindings: &[Binding<'_>], depth: usize) -> Option<Said> {
        let ty = self.ty(sides.0).clone();
        let equality = matches!(logic, Logic::Eq | Logic::Ne | Logic::Same);
        if ty != *self.ty(sides.1) || !self.dialect.compares(&ty) || (ty == Ty::Str && !equality && !self.ordered_text) {
            return None;
        }
        let left = self.at_depth(sides.0, bindings, depth)?;
        let right = self.at_depth(sides.1, bindings, depth)?;
        if !left.plain || !right.plain {
            return None;
        }
        let left = if ty == Ty::Str { self.dialect.by_bytes(&left.text) } else { left.text };
        Said::new(format!("({left} {sign} {})", right.text))
    }

    fn is_in(&mut self, node: NodeId, bindings: &[Binding<'_>], depth: usize) -> Option<Said> {
        let is_in = self.graph.as_is_in(node)?;
        let ty = self.ty(is_in.value).clone();
        let items_fit = is_in.items.iter().all(|item| *self.ty(*item) == ty);
        if is_in.nulls != NullMatch::Never || !items_fit || is_in.items.is_empty() || !self.dialect.compares(&ty) {
            return None;
        }
        let value = self.at_depth(is_in.value, bindings, depth)?;
        let items = is_in.items.iter().map(|item| self.at_depth(*item, bindings, depth)).collect::<Option<Vec<_>>>()?;
        if !value.plain || items.iter().any(|item| !item.plain) {
            return None;
        }
        let value = if ty == Ty::Str { self.dialect.by_bytes(&value.text) } else { value.text };
        let items: Vec<String> = items.into_iter().map(|item| item.text).collect();
        Said::new(format!("({value} IN ({}))", items.join(", ")))
    }

    /// The fields of a row that a body makes, by name.
    pub(crate) fn row(&mut self, node: NodeId, bindings: &[Binding<'_>]) -> Option<Vec<(Name, Said, NodeId)>> {
        self.row_at_depth(node, bindings, DEPTH)
    }

    fn row_at_depth(&mut self, node: NodeId, bindings: &[Binding<'_>], depth: usize) -> Option<Vec<(Name, Said, NodeId)>> {
        let depth = depth.checked_sub(1)?;
        if let Some(row) = self.graph.as_row(node) {
            let fields = row.names.iter().zip(&row.values).map(|(name, value)| Some((name.clone(), self.value(*value, bindings)?, *value)));
            return fields.collect();
        }
        if let Some(with) = self.graph.as_with(node) {
            let mut fields = self.row_at_depth(with.base, bindings, depth)?;
            for change in self.row_at_depth(with.changes, bindings, depth)? {
                match fields.iter_mut().find(|field| field.0 == change.0) {
                    Some(field) => *field = change,
                    None => fields.push(change),
                }
            }
            return Some(fields);
        }
        if let Some(pick) = self.graph.as_pick(node) {
            let fields = self.row_at_depth(pick.record, bindings, depth)?;
            return pick.names.iter().map(|name| fields.iter().find(|field| field.0 == *name).cloned()).collect();
        }
        if let Some(without) = self.graph.as_without(node) {
            let fields = self.row_at_depth(without.record, bindings, depth)?;
            return Some(fields.into_iter().filter(|field| !without.names.contains(&field.0)).collect());
        }
        let Binding::Row(alias, columns) = binding(self.graph, node, bindings)? else { return None };
        let said = |(at, column): (usize, &Column)| {
            let said = Said { text: format!("{alias}.c{at}"), plain: column.plain, bound: column.bound };
            (column.name.clone(), said, node)
        };
        Some(columns.iter().enumerate().map(said).collect())
    }
}

/// What a parameter is bound to.
pub(crate) fn binding<'a>(graph: &Graph, node: NodeId, bindings: &[Binding<'a>]) -> Option<Binding<'a>> {
    let param = graph.as_param(node)?;
    bindings.get(usize::try_from(param.number).ok()?).cloned()
}
