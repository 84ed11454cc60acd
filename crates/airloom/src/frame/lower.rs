//! Expressions as nodes: names become columns, literals take types, and numbers of different types meet.

use super::aggregate::Aggregate;
use super::expression::{Call, Expr, Step};
use super::literal::Literal;
use airloom_ir::attrs::{CastMode, NanOrder, NullMatch, Overflow, RegexAnchor, Rounding, Skip, StepMode, TextSide, TextUnit, ZeroDivide};
use airloom_ir::graph::{Graph, NodeId, TypeError};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::BuildLogic;
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::ops::reduce::BuildReduce;
use airloom_ir::ops::temporal::BuildTemporal;
use airloom_ir::ops::text::BuildText;
use airloom_ir::text::parse_type;
use airloom_ir::types::{Fields, Ty, TyId, Types};
use std::cell::Cell;
use std::sync::Arc;

/// What the columns of an expression are columns of.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// A row.
    Row(NodeId),
    /// A group, whose columns are arrays.
    Group(NodeId),
}

/// What is on the stack: a literal has no type before it meets the other operand.
enum Operand {
    Node(NodeId),
    Literal(Literal),
}

/// An expression on its way into a graph.
struct Lowering<'a> {
    graph: &'a mut Graph,
    fields: &'a Fields,
    scope: Scope,
    /// Whether what was said of a step names a column.
    named: Cell<bool>,
}

/// The node of an expression over columns of these fields.
pub(super) fn lower(graph: &mut Graph, fields: &Fields, scope: Scope, expression: &Expr) -> Result<NodeId, String> {
    let mut lowering = Lowering { graph, fields, scope, named: Cell::new(false) };
    let mut stack: Vec<Operand> = Vec::new();
    for step in &expression.steps {
        let args = stack.split_off(stack.len() - step.takes());
        lowering.named.set(matches!(step, Step::Column(_) | Step::Reduced(..)));
        let made = lowering.step(step, args).map_err(|message| {
            let read = read_columns(lowering.graph.types(), fields, expression);
            // What names a column itself needs no list of them.
            if read.is_empty() || lowering.named.get() { message } else { before_hint(&message, &format!("; it reads {read}")) }
        })?;
        stack.push(made);
    }
    let last = stack.pop().expect("invariant `an expression leaves one value`");
    lowering.node(last)
}

/// A column that is not there, with the one that may have been meant.
pub(super) fn no_column(name: &str, fields: &Fields) -> String {
    let known: Vec<String> = fields.names().take(20).map(|known| format!("`{known}`")).collect();
    let more = if fields.len() > known.len() { ", …" } else { "" };
    let near = fields.names().min_by_key(|known| distance(name, known)).filter(|known| distance(name, known) <= 1 + name.len() / 4);
    let hint = near.map(|near| format!("\n\nhint: did you mean `{near}`?")).unwrap_or_default();
    format!("there is no column `{name}`; there are: {}{more}{hint}", known.join(", "))
}

/// A message with something more to say before its hint.
pub(super) fn before_hint(message: &str, more: &str) -> String {
    match message.split_once("\n\n") {
        Some((message, hint)) => format!("{message}{more}\n\n{hint}"),
        None => format!("{message}{more}"),
    }
}

/// How many letters differ.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

fn read_columns(types: &Types, fields: &Fields, expression: &Expr) -> String {
    let mut names: Vec<&str> = Vec::new();
    for step in &expression.steps {
        if let Step::Column(name) | Step::Reduced(_, name) = step
            && !names.contains(&name.as_str())
            && names.len() < 5
        {
            names.push(name);
        }
    }
    let shown = names.iter().filter_map(|name| fields.ty(name).map(|ty| format!("`{name}`, which is `{}`", types.show(ty))));
    shown.collect::<Vec<_>>().join(", and ")
}

/// The type in which numbers of two types meet, if there is one.
fn wider(types: &Types, left: TyId, right: TyId) -> Option<TyId> {
    match (types.get(left), types.get(right)) {
        _ if left == right => Some(left),
        (Ty::Int(a), Ty::Int(b)) if a.holds(b.lowest()) && a.holds(b.highest()) => Some(left),
        (Ty::Int(a), Ty::Int(b)) if b.holds(a.lowest()) && b.holds(a.highest()) => Some(right),
        (Ty::Int(a), Ty::Int(b)) if a.bits() < 64 && b.bits() < 64 => Some(TyId::I64),
        (Ty::Int(_), Ty::F32 | Ty::F64) | (Ty::F32 | Ty::F64, Ty::Int(_)) | (Ty::F32, Ty::F64) | (Ty::F64, Ty::F32) => Some(TyId::F64),
        _ => None,
    }
}

fn refused(error: TypeError) -> String {
    error.to_string()
}

impl Lowering<'_> {
    fn step(&mut self, step: &Step, args: Vec<Operand>) -> Result<Operand, String> {
        let made = match step {
            Step::Literal(literal) => return Ok(Operand::Literal(literal.clone())),
            Step::Column(name) => self.column(name)?,
            Step::Call(call) => self.call(call, args)?,
            Step::Reduced(aggregate, name) => self.reduced(*aggregate, name)?,
            Step::Aggregate(_) => {
                return Err(
                    "an aggregate stands where each row has a value of its own\n\nhint: use `group_by(…).agg(…)` or `aggregate(…)`".into(),
                );
            }
        };
        Ok(Operand::Node(made))
    }

    fn column(&mut self, name: &str) -> Result<NodeId, String> {
        if !self.fields.contains(name) {
            return Err(no_column(name, self.fields));
        }
        match self.scope {
            Scope::Row(row) => self.graph.get(row, Name::new(name)).map_err(refused),
            Scope::Group(_) => {
                let hint = format!("hint: say which of its values is meant, as in `col(\"{name}\").first()`");
                Err(format!("the column `{name}` has many values in a group, and stands outside of an aggregate\n\n{hint}"))
            }
        }
    }

    fn reduced(&mut self, aggregate: Aggregate, name: &str) -> Result<NodeId, String> {
        let Scope::Group(group) = self.scope else { return Err("invariant `only groups are reduced`".into()) };
        if !self.fields.contains(name) {
            return Err(no_column(name, self.fields));
        }
        let graph = &mut *self.graph;
        let array = graph.get(group, Name::new(name)).map_err(refused)?;
        let all = || Arc::from([]);
        let made = match aggregate {
            Aggregate::Sum => graph.arr_sum(array, all(), Skip::Null, 0, false),
            Aggregate::Mean => graph.arr_mean(array, all(), Skip::Null, false),
            Aggregate::Least => graph.arr_min(array, all(), Skip::Null),
            Aggregate::Greatest => graph.arr_max(array, all(), Skip::Null),
            Aggregate::Count => graph.arr_count(array, all(), Skip::Null),
            Aggregate::Rows => graph.arr_count(array, all(), Skip::None),
            Aggregate::Distinct => graph.arr_nunique(array, all(), Skip::Null),
            Aggregate::First => graph.arr_first(array, all(), Skip::None),
            Aggregate::Last => graph.arr_last(array, all(), Skip::None),
            Aggregate::Deviation => graph.arr_std(array, all(), Skip::Null, 1, false),
            Aggregate::Variance => graph.arr_var(array, all(), Skip::Null, 1, false),
            Aggregate::Median => graph.arr_median(array, all(), Skip::Null),
            Aggregate::Any => graph.arr_any(array, all(), Skip::Null),
            Aggregate::All => graph.arr_all(array, all(), Skip::Null),
        };
        made.map_err(refused)
    }

    /// The node of an operand, in the type it has by itself.
    fn node(&mut self, operand: Operand) -> Result<NodeId, String> {
        match operand {
            Operand::Node(node) => Ok(node),
            Operand::Literal(literal) => {
                let ty = literal.own_type(self.graph.types_mut());
                let value = literal.value(self.graph.types(), ty).expect("a literal is a value of its own type");
                self.graph.constant(value, ty).map_err(refused)
            }
        }
    }

    fn nodes(&mut self, args: Vec<Operand>) -> Result<Vec<NodeId>, String> {
        args.into_iter().map(|arg| self.node(arg)).collect()
    }

    /// The nodes of operands that must have one type: numbers meet in the wider one, and literals are of it.
    fn together(&mut self, what: &str, args: Vec<Operand>) -> Result<Vec<NodeId>, String> {
        let types = self.graph.types();
        let of = |operand: &Operand| match operand {
            Operand::Node(node) => Some(types.strip(self.graph.ty_id(*node))),
            Operand::Literal(_) => None,
        };
        let own = |operand: &Operand| match operand {
            Operand::Literal(Literal::Truth(_)) => Some(TyId::BOOL),
            Operand::Literal(Literal::Whole(_)) => Some(TyId::I64),
            Operand::Literal(Literal::Float(_)) => Some(TyId::F64),
            Operand::Literal(Literal::Text(_)) => Some(TyId::STR),
            _ => None,
        };
        let first = args.iter().find_map(of).or_else(|| args.iter().find_map(own)).unwrap_or(TyId::BOOL);
        let mut common = args.iter().filter_map(of).fold(first, |common, ty| wider(types, common, ty).unwrap_or(common));
        for operand in &args {
            if let (Operand::Literal(literal), Some(ty)) = (operand, own(operand))
                && literal.value(types, common).is_none()
            {
                common = wider(types, common, ty).unwrap_or(common);
            }
        }
        let fits = |operand: &Operand| match operand {
            Operand::Node(_) => of(operand).is_some_and(|ty| wider(types, ty, common) == Some(common)),
            Operand::Literal(literal) => literal.value(types, common).is_some(),
        };
        if let Some(wrong) = args.iter().find(|operand| !fits(operand)) {
            let beside = args.iter().find(|operand| of(operand) == Some(common)).unwrap_or(&args[0]);
            let (beside, wrong) = (self.describe(beside), self.describe(wrong));
            return Err(format!("{what} takes values of one type, but found {beside} and {wrong}\n\nhint: `cast` one of them"));
        }
        args.into_iter().map(|operand| self.converted(operand, common)).collect()
    }

    fn converted(&mut self, operand: Operand, ty: TyId) -> Result<NodeId, String> {
        match operand {
            Operand::Node(node) if self.graph.types().strip(self.graph.ty_id(node)) == ty => Ok(node),
            Operand::Node(node) => self.graph.cast(node, ty, CastMode::Strict).map_err(refused),
            Operand::Literal(literal) => {
                let value = literal.value(self.graph.types(), ty).expect("it was seen to be one");
                let ty = self.graph.types_mut().with_null(ty, literal == Literal::Null);
                self.graph.constant(value, ty).map_err(refused)
            }
        }
    }

    fn describe(&self, operand: &Operand) -> String {
        match operand {
            Operand::Literal(literal) => format!("the literal `{literal}`"),
            Operand::Node(node) => {
                let ty = self.graph.show_ty(*node);
                match (self.graph.as_get(*node), self.scope) {
                    (Some(get), Scope::Row(row)) if get.record == row => {
                        self.named.set(true);
                        format!("the column `{}`, which is `{ty}`", get.field)
                    }
                    _ => format!("`{ty}`"),
                }
            }
        }
    }

    /// As a float, where it is none.
    fn float(&mut self, node: NodeId) -> Result<NodeId, String> {
        let graph = &mut *self.graph;
        match graph.types().plain(graph.ty_id(node)) {
            Ty::Int(_) | Ty::Decimal { .. } => graph.cast(node, TyId::F64, CastMode::Strict).map_err(refused),
            _ => Ok(node),
        }
    }

    fn call(&mut self, call: &Call, args: Vec<Operand>) -> Result<NodeId, String> {
        match call {
            Call::Add | Call::Subtract | Call::Multiply | Call::Divide | Call::FloorDivide | Call::Remainder | Call::Power => {
                self.arithmetic(call, args)
            }
            Call::Equal | Call::Differ | Call::Less | Call::LessOrEqual | Call::Greater | Call::GreaterOrEqual => self.compared(call, args),
            Call::And | Call::Or | Call::Coalesce(_) | Call::IsIn(_) | Call::Choose => self.logic(call, args),
            Call::ConcatText(_) | Call::Contains | Call::Starts | Call::Ends | Call::Like | Call::Matches | Call::Replace => {
                self.text(call, args)
            }
            _ => self.unary(call, args),
        }
    }

    fn arithmetic(&mut self, call: &Call, args: Vec<Operand>) -> Result<NodeId, String> {
        let nodes = self.together("arithmetic", args)?;
        let (mut left, mut right) = (nodes[0], nodes[1]);
        if *call == Call::Divide {
            (left, right) = (self.float(left)?, self.float(right)?);
        }
        let graph = &mut *self.graph;
        let is_time = matches!(graph.types().plain(graph.ty_id(left)), Ty::Date | Ty::Timestamp { .. });
        let made = match call {
            Call::Add => graph.add(left, right, Overflow::Wrap),
            Call::Subtract if is_time => graph.dt_since(left, right, Overflow::Raise),
            Call::Subtract => graph.sub(left, right, Overflow::Wrap),
            Call::Multiply => graph.mul(left, right, Overflow::Wrap),
            Call::Divide => graph.div(left, right),
            Call::FloorDivide => graph.floordiv(left, right, ZeroDivide::Raise),
            Call::Remainder => graph.floormod(left, right, ZeroDivide::Raise),
            _ => graph.pow(left, right, Overflow::Wrap),
        };
        made.map_err(refused)
    }

    fn compared(&mut self, call: &Call, args: Vec<Operand>) -> Result<NodeId, String> {
        let nodes = self.together("a comparison", args)?;
        let (left, right, graph) = (nodes[0], nodes[1], &mut *self.graph);
        let made = match call {
            Call::Equal => graph.eq(left, right, NanOrder::Ieee),
            Call::Differ => graph.ne(left, right, NanOrder::Ieee),
            Call::Less => graph.lt(left, right, NanOrder::Ieee),
            Call::LessOrEqual => graph.le(left, right, NanOrder::Ieee),
            Call::Greater => graph.gt(left, right, NanOrder::Ieee),
            _ => graph.ge(left, right, NanOrder::Ieee),
        };
        made.map_err(refused)
    }

    fn logic(&mut self, call: &Call, mut args: Vec<Operand>) -> Result<NodeId, String> {
        let made = match call {
            Call::Choose => {
                let condition = args.remove(0);
                let condition = self.node(condition)?;
                let nodes = self.together("a choice", args)?;
                self.graph.select(condition, nodes[0], nodes[1])
            }
            Call::Coalesce(_) => {
                let nodes = self.together("`coalesce`", args)?;
                self.graph.coalesce(&nodes)
            }
            Call::IsIn(_) => {
                let nodes = self.together("`is_in`", args)?;
                self.graph.is_in(nodes[0], &nodes[1..], NullMatch::Never)
            }
            _ => {
                let nodes = self.nodes(args)?;
                if *call == Call::And { self.graph.and(nodes[0], nodes[1]) } else { self.graph.or(nodes[0], nodes[1]) }
            }
        };
        made.map_err(refused)
    }

    fn text(&mut self, call: &Call, args: Vec<Operand>) -> Result<NodeId, String> {
        let nodes = self.nodes(args)?;
        let graph = &mut *self.graph;
        let made = match call {
            Call::ConcatText(_) => graph.str_concat(&nodes),
            Call::Contains => graph.str_contains(nodes[0], nodes[1]),
            Call::Starts => graph.str_starts(nodes[0], nodes[1]),
            Call::Ends => graph.str_ends(nodes[0], nodes[1]),
            Call::Like => graph.str_like(nodes[0], nodes[1]),
            Call::Matches => graph.str_matches(nodes[0], nodes[1], RegexAnchor::Search),
            _ => {
                let every = graph.int(-1);
                graph.str_replace(nodes[0], nodes[1], nodes[2], every)
            }
        };
        made.map_err(refused)
    }

    fn unary(&mut self, call: &Call, args: Vec<Operand>) -> Result<NodeId, String> {
        let mut value = self.nodes(args)?[0];
        if matches!(call, Call::SquareRoot | Call::Exponential | Call::Logarithm) {
            value = self.float(value)?;
        }
        let graph = &mut *self.graph;
        let made = match call {
            Call::Negate => graph.neg(value, Overflow::Wrap),
            Call::Not => graph.not(value),
            Call::Absolute => graph.abs(value, Overflow::Wrap),
            Call::Floor => graph.floor(value),
            Call::Ceiling => graph.ceil(value),
            Call::Round(digits) => graph.round(value, *digits, Rounding::HalfEven),
            Call::SquareRoot => graph.sqrt(value),
            Call::Exponential => graph.exp(value),
            Call::Logarithm => graph.log(value),
            Call::IsNull => graph.is_null(value),
            Call::Cast(to, mode) => {
                let to = parse_type(graph.types_mut(), to).map_err(|error| format!("`{to}` is not a type: {}", error.message))?;
                let to = graph.types().strip(to);
                graph.cast(value, to, *mode)
            }
            Call::Case(to) => graph.str_case(value, *to),
            Call::Length => graph.str_len(value, TextUnit::Chars),
            Call::Strip => {
                let space = graph.text("");
                graph.str_strip(value, space, TextSide::Both)
            }
            Call::Slice(start, stop) => {
                let (start, stop) = (graph.int(*start), graph.int(*stop));
                graph.str_slice(value, start, stop)
            }
            Call::Part(part) => graph.dt_part(value, *part),
            Call::Step(unit) => graph.dt_step(value, *unit, 1, StepMode::Floor),
            Call::Date => graph.dt_date(value),
            other => return Err(format!("invariant `every call is lowered`: `{other:?}`")),
        };
        made.map_err(refused)
    }
}
