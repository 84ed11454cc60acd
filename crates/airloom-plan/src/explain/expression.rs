//! Bodies in words: `amount * price > 10`.

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::text::value_to_text;
use airloom_ir::types::Ty;

/// What is deeper than this is left out.
const DEPTH: usize = 12;

/// What a parameter of a body stands for.
#[derive(Clone)]
enum Binding {
    /// A row, or the columns of a group: its fields go by their names.
    Row,
    /// A node from outside the body.
    Outside(NodeId),
    /// Something that has been said.
    Said(String),
}

/// Says the nodes of a body.
pub(super) struct Words<'a> {
    graph: &'a Graph,
    bindings: Vec<Binding>,
}

impl<'a> Words<'a> {
    /// For a body of `rows` rows, and what it captures.
    pub(super) fn new(graph: &'a Graph, rows: usize, captures: &[NodeId]) -> Words<'a> {
        let rows = std::iter::repeat_n(Binding::Row, rows);
        Words { graph, bindings: rows.chain(captures.iter().map(|&id| Binding::Outside(id))).collect() }
    }

    /// A value.
    pub(super) fn value(&self, id: NodeId) -> String {
        self.said(id, DEPTH).0
    }

    /// The fields of a row: a column that stays as it is by its name, others with what they are.
    pub(super) fn row(&self, id: NodeId) -> String {
        let Ty::Struct(fields) = self.graph.types().plain(self.graph.ty_id(id)) else { return self.value(id) };
        let field = |name: &Name| {
            let (value, name) = (self.field(id, name), shown(name));
            if value == name { value } else { format!("{name} = {value}") }
        };
        fields.names().map(field).collect::<Vec<_>>().join(", ")
    }

    /// One field of a row, seen through what only takes rows apart and puts them together.
    pub(super) fn field(&self, row: NodeId, name: &Name) -> String {
        let graph = self.graph;
        let mut at = row;
        loop {
            if let Some(made) = graph.as_row(at) {
                let value = made.names.iter().zip(&made.values).find(|(known, _)| *known == name);
                return value.map_or_else(|| shown(name), |(_, &value)| self.value(value));
            }
            at = match (graph.as_with(at), graph.as_pick(at), graph.as_without(at)) {
                (Some(with), ..) => {
                    let changed = matches!(graph.types().plain(graph.ty_id(with.changes)), Ty::Struct(fields) if fields.contains(name));
                    if changed { with.changes } else { with.base }
                }
                (_, Some(pick), _) => pick.record,
                (.., Some(without)) => without.record,
                _ => return shown(name),
            };
        }
    }

    /// The text of a node, and how tightly it binds.
    fn said(&self, id: NodeId, depth: usize) -> (String, u8) {
        let graph = self.graph;
        let Some(depth) = depth.checked_sub(1) else { return ("…".into(), 9) };
        if let Some(value) = graph.const_value(id) {
            let text = value_to_text(graph.types(), graph.ty_id(id), value);
            // Decimals and dates are quoted in programs, as text is; to people they are plain.
            let quoted = matches!(graph.types().plain(graph.ty_id(id)), Ty::Str | Ty::Bytes | Ty::Category { .. });
            return (if quoted { text } else { text.trim_matches('"').to_string() }, 9);
        }
        if let Some(param) = graph.as_param(id) {
            return (self.param(param.number, depth), 9);
        }
        if let Some(get) = graph.as_get(id) {
            let row = graph.as_param(get.record).and_then(|p| self.bindings.get(usize::try_from(p.number).ok()?));
            let text = if matches!(row, Some(Binding::Row)) {
                shown(&get.field)
            } else {
                format!("{}.{}", self.tight(get.record, 9, depth), shown(&get.field))
            };
            return (text, 9);
        }
        if let Some(map) = graph.as_arr_map(id) {
            let arrays: &[NodeId] = if graph.op(map.arrays) == Op::Core(Core::Tuple) { graph.args(map.arrays) } else { &[map.arrays] };
            let given = arrays.iter().chain(map.captures.iter()).map(|&arg| Binding::Said(self.tight(arg, 9, depth)));
            let inner = Words { graph, bindings: given.collect() };
            return inner.said(graph.result_of(map.element), depth);
        }
        if let Some((sign, binds)) = infix(graph.op(id)) {
            let args = graph.args(id);
            // On the right of a difference, another one was put in parentheses; of truths the order of doing is all one.
            let right = if binds < 3 { binds } else { binds + 1 };
            return (format!("{} {sign} {}", self.tight(args[0], binds, depth), self.tight(args[1], right, depth)), binds);
        }
        let args: Vec<NodeId> = graph.args(id).iter().copied().filter(|&arg| graph.op(arg) != Op::Core(Core::Lambda)).collect();
        match (graph.op(id), args.as_slice()) {
            (Op::Logic(Logic::Not), [arg]) => match graph.op(*arg) {
                Op::Logic(Logic::IsNull) => (format!("{} is not null", self.tight(graph.args(*arg)[0], 4, depth)), 3),
                _ => (format!("not {}", self.tight(*arg, 3, depth)), 3),
            },
            (Op::Logic(Logic::IsNull), [arg]) => (format!("{} is null", self.tight(*arg, 4, depth)), 3),
            (Op::Number(Number::Neg), [arg]) => (format!("-{}", self.tight(*arg, 9, depth)), 6),
            (Op::Logic(Logic::Cast), [arg, ..]) => (format!("{} as {}", self.tight(*arg, 9, depth), graph.show_ty(id)), 6),
            (op, args) => {
                let name = op.name().rsplit('.').next().unwrap_or_default();
                let args: Vec<String> = args.iter().map(|&arg| self.said(arg, depth).0).collect();
                (format!("{name}({})", args.join(", ")), 9)
            }
        }
    }

    /// The text of a node, in parentheses where it binds less tightly than what is round it.
    fn tight(&self, id: NodeId, binds: u8, depth: usize) -> String {
        let (text, own) = self.said(id, depth);
        if own < binds { format!("({text})") } else { text }
    }

    fn param(&self, number: i64, depth: usize) -> String {
        match usize::try_from(number).ok().and_then(|number| self.bindings.get(number)) {
            Some(Binding::Said(text)) => text.clone(),
            // What stands outside may itself be a parameter, of another body than this.
            Some(Binding::Outside(id)) => Words { graph: self.graph, bindings: Vec::new() }.said(*id, depth).0,
            Some(Binding::Row) => "row".into(),
            None => format!("argument {}", number.saturating_add(1)),
        }
    }
}

/// The sign of an op that stands between its arguments, and how tightly it binds.
fn infix(op: Op) -> Option<(&'static str, u8)> {
    Some(match op {
        Op::Logic(Logic::Or) => ("or", 1),
        Op::Logic(Logic::And) => ("and", 2),
        Op::Logic(Logic::Eq) => ("=", 3),
        Op::Logic(Logic::Ne) => ("!=", 3),
        Op::Logic(Logic::Lt) => ("<", 3),
        Op::Logic(Logic::Le) => ("<=", 3),
        Op::Logic(Logic::Gt) => (">", 3),
        Op::Logic(Logic::Ge) => (">=", 3),
        Op::Logic(Logic::Same) => ("is", 3),
        Op::Number(Number::Add) => ("+", 4),
        Op::Number(Number::Sub) => ("-", 4),
        Op::Number(Number::Mul) => ("*", 5),
        Op::Number(Number::Div) => ("/", 5),
        Op::Number(Number::FloorDiv) => ("//", 5),
        Op::Number(Number::FloorMod) => ("%", 5),
        _ => return None,
    })
}

/// The name of a column. Those that rules and frames make up begin with a space, so that no user's is like them.
fn shown(name: &Name) -> String {
    name.strip_prefix(' ').map_or_else(|| name.to_string(), |rest| format!("#{rest}"))
}
