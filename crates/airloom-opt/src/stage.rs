//! Stages: rules that run together, and the weight by which each stage is sure to end.

use crate::rules::bodies::times_read;
use airloom_ir::attrs::JoinHow;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::ops::relation::Relation;
use airloom_ir::ops::text::Text;
use airloom_ir::ops::{array::Array, control::Control, sequence::Sequence};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use std::collections::BTreeMap;

/// The stages, in the order they run. A stage runs its own rules and those of `simplify`, since moving a filter makes `{c: x}.c` appear.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// What front ends say, in the words of the small core: constants to the right, rows written out.
    Normalize,
    /// Scalar algebra, to the bit.
    Simplify,
    /// Filters, projections and slices moved to where they cost least; what is not used taken away.
    Relational,
    /// The order of joins, from statistics.
    Joins,
    /// Columns that are not read, taken away down to the sources.
    Columns,
    /// Array algebra.
    Array,
    /// Maps into what reads them.
    Fuse,
}

/// What every firing must lower, compared from the left. The size is always among them, after what simplifications do not raise, so that they may run in
/// every stage.
pub type Weight = [u64; 5];

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Normalize, Stage::Simplify, Stage::Relational, Stage::Joins, Stage::Columns, Stage::Array, Stage::Fuse];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Normalize => "normalize",
            Stage::Simplify => "simplify",
            Stage::Relational => "relational",
            Stage::Joins => "joins",
            Stage::Columns => "columns",
            Stage::Array => "array",
            Stage::Fuse => "fuse",
        }
    }

    /// The stage of this name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|s| s.name() == name)
    }

    /// What is lowered in it, in a line, for the manual.
    pub fn measure(self) -> &'static str {
        match self {
            Stage::Normalize => {
                "how many calls and rows are written the long way, then the size, then how many constants stand on the left"
            }
            Stage::Simplify => "the size, dear ops counting more",
            Stage::Relational => "work that could be gone, then how far filters, tests and slices stand above their sources, then the size",
            Stage::Joins => "how many joins stand where they were written, then the size",
            Stage::Columns => "how many columns are computed, or flow through joins, sorts, groups and sources, then the size",
            Stage::Array => "how many array ops there are, then the size",
            Stage::Fuse => "how many arrays are written to memory, then the size",
        }
    }

    /// The weight of a node from the weights of its arguments: every part rises with the same part of any argument, so what lowers a node lowers all above it.
    ///
    /// What bodies capture is apart from that in the stages about relations: it adds no more than that it is captured. It is computed once, whoever captures it: a
    /// filter that is taken apart and moved to both sides of a join does not make the join it captures the result of two. A firing in what is captured lowers that.
    pub(crate) fn weigh(self, graph: &Graph, id: NodeId, args: &[Weight]) -> Weight {
        let mut weight: Weight = [0; 5];
        let apart = matches!(self, Stage::Relational | Stage::Joins | Stage::Columns);
        let inputs = if apart { not_captured(graph, id) } else { args.len() };
        for arg in &args[..inputs] {
            for (sum, part) in weight.iter_mut().zip(arg) {
                *sum = sum.saturating_add(*part);
            }
        }
        weight[4] = weight[4].saturating_add((args.len() - inputs) as u64);
        let own = self.own(graph, id, args);
        for (sum, part) in weight.iter_mut().zip(own) {
            *sum = sum.saturating_add(part);
        }
        weight
    }

    /// The weight of everything a node is made of.
    pub(crate) fn weight(self, graph: &Graph, root: NodeId) -> Weight {
        let mut weights: BTreeMap<NodeId, Weight> = BTreeMap::new();
        for id in graph.post_order(&[root]) {
            let parts: Vec<Weight> = graph.args(id).iter().map(|a| weights[a]).collect();
            weights.insert(id, self.weigh(graph, id, &parts));
        }
        weights[&root]
    }

    fn own(self, graph: &Graph, id: NodeId, args: &[Weight]) -> Weight {
        let size = size(graph, id);
        match self {
            Stage::Normalize => {
                let [calls, records, constants] = longhand(graph, id, args);
                // After the size, which moving a constant to the right does not change, and which a simplification lowers wherever it leaves its constants.
                [calls, records, 0, size, constants]
            }
            Stage::Simplify => [0, 0, 0, 0, size],
            Stage::Relational => relational(graph, id, args, size),
            Stage::Joins => [u64::from(stands_as_written(graph, id)), 0, 0, 0, size],
            Stage::Columns => [width(graph, id), 0, 0, 0, size],
            Stage::Array => [array_ops(graph, id), 0, 0, 0, size],
            Stage::Fuse => [arrays_made(graph, id), 0, 0, 0, size],
        }
    }
}

/// How many of a node's arguments, from the first, are not captured by its bodies.
fn not_captured(graph: &Graph, id: NodeId) -> usize {
    let def = graph.op(id).def();
    if def.bodies.is_empty() { graph.args(id).len() } else { def.args.len() + def.bodies.len() }
}

/// What a node adds to the size: leaves little, dear ops much.
fn size(graph: &Graph, id: NodeId) -> u64 {
    match graph.op(id) {
        Op::Core(Core::Const | Core::Placeholder | Core::Param | Core::Hole | Core::Token) => 1,
        Op::Core(Core::Lambda | Core::Get | Core::Item) => 1,
        Op::Core(Core::Source) => 2,
        Op::Number(Number::Div | Number::FloorDiv | Number::FloorMod | Number::TruncDiv | Number::TruncMod) => 8,
        Op::Number(Number::Mul) => 4,
        Op::Number(Number::Pow) => 24,
        Op::Number(Number::Exp | Number::Log | Number::Sin | Number::Cos | Number::Tan | Number::Sqrt | Number::Atan2 | Number::Hypot) => {
            16
        }
        Op::Text(Text::Like | Text::Matches) => 24,
        Op::Text(_) | Op::Temporal(_) => 16,
        Op::Logic(Logic::IsIn) => 3,
        Op::Logic(Logic::Cast | Logic::Select) => 3,
        Op::Relation(Relation::Group | Relation::Window | Relation::Pivot) => 40,
        Op::Relation(Relation::Join) => match graph.as_join(id).map(|j| j.how) {
            Some(JoinHow::Cross) => 120,
            Some(JoinHow::Semi | JoinHow::Anti) => 40,
            _ => 80,
        },
        Op::Relation(Relation::Asof | Relation::Sort | Relation::Distinct) => 40,
        Op::Relation(Relation::Top) => 30,
        Op::Relation(_) => 10,
        _ => 2,
    }
}

/// Calls, structs said by what is changed or left out, and constants on the left of an op that commutes. What is written out is repeated as often as it is
/// read, with the calls and structs in it.
fn longhand(graph: &Graph, id: NodeId, args: &[Weight]) -> [u64; 3] {
    let is_const = |id: NodeId| graph.is_constant(id);
    let mirrors = |op: Op| op.def().commutative || matches!(op, Op::Logic(Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge));
    let sum = |part: usize, times: &dyn Fn(usize) -> u64| {
        args.iter().enumerate().map(|(at, w)| w[part].saturating_mul(times(at))).fold(0, u64::saturating_add)
    };
    match graph.op(id) {
        Op::Core(Core::Call) => {
            let function = graph.args(id)[0];
            let known = graph.op(function) == Op::Core(Core::Lambda);
            let reads = if known { times_read(graph, graph.result_of(function)) } else { BTreeMap::new() };
            let times = |at: usize| reads.get(&(at as i64 - 1)).map_or(0, |&n| u64::from(n));
            [sum(0, &times).saturating_add(1), 0, 0]
        }
        Op::Core(Core::With | Core::Pick | Core::Without) => {
            let fields = match graph.types().get(graph.types().strip(graph.ty_id(id))) {
                Ty::Struct(fields) => fields.len() as u64,
                _ => 0,
            };
            [sum(0, &|_| fields), sum(1, &|_| fields).saturating_add(1), 0]
        }
        op if mirrors(op) => match graph.args(id) {
            &[left, right] if is_const(left) && !is_const(right) => [0, 0, 1],
            _ => [0; 3],
        },
        _ => [0; 3],
    }
}

/// What a projection somewhere below makes of a column, and that projection's input: through everything that passes columns on as they are.
fn computed_below(graph: &Graph, relation: NodeId, column: &Name) -> Option<(NodeId, NodeId)> {
    let mut at = relation;
    for _ in 0..64 {
        at = match graph.op(at) {
            Op::Relation(Relation::Project) => {
                let project = graph.as_project(at)?;
                let row = graph.as_row(graph.result_of(project.row))?;
                let place = row.names.iter().position(|n| n == column)?;
                return Some((row.values[place], project.input));
            }
            Op::Relation(Relation::Group) => {
                let group = graph.as_group(at)?;
                let row = graph.as_row(graph.result_of(group.keys))?;
                let place = row.names.iter().position(|n| n == column)?;
                return Some((row.values[place], group.input));
            }
            Op::Relation(Relation::Join) => {
                let join = graph.as_join(at)?;
                let Ty::Rel(left) = graph.ty(join.left) else { return None };
                if left.contains(column) { join.left } else { join.right }
            }
            // Whatever else has relations below passes the columns of its first on, or makes new ones that the lookup does not find there.
            Op::Relation(_) => match graph.args(at).first() {
                Some(&below) if matches!(graph.ty(below), Ty::Rel(fields) if fields.contains(column)) => below,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// How many conjuncts a predicate has over its input, columns that projections below make of conjuncts counted as such: so that moving the filter below
/// them does not change the count.
fn conjuncts(graph: &Graph, predicate: NodeId, inputs: &[NodeId]) -> u64 {
    let mut count = 0;
    let mut stack: Vec<(NodeId, Args)> = vec![(predicate, inputs.into())];
    while let Some((id, inputs)) = stack.pop() {
        if count >= 1000 {
            break;
        }
        if let Some(and) = graph.as_and(id) {
            stack.extend([(and.left, inputs.clone()), (and.right, inputs)]);
            continue;
        }
        let column = || {
            let get = graph.as_get(id)?;
            let param = graph.as_param(get.record)?;
            let &input = inputs.get(usize::try_from(param.number).ok()?)?;
            computed_below(graph, input, &get.field)
        };
        match column() {
            Some((value, below)) => stack.push((value, Args::from_slice(&[below]))),
            None => count += 1,
        }
    }
    count
}

/// What a relation counts for among those that others can be moved below. The mark that gives an order up counts for less: filters go below it, but a test of rows, which
/// it goes below itself, is no higher for it.
const RELATION: u64 = 1 << 20;
const MARK: u64 = 1;

/// For the relational stage: `[avoidable work, filters' height, slices' height, relations, size]`. A filter's height is the number of other relational
/// nodes below it, once for each conjunct; so moving one below a join pays even where a part of it stays above.
fn relational(graph: &Graph, id: NodeId, args: &[Weight], size: u64) -> Weight {
    let is_rel = matches!(graph.ty(id), Ty::Rel(_));
    // The fourth part counts the relational nodes that filters and slices can be moved below.
    let below: u64 = graph
        .args(id)
        .iter()
        .zip(args)
        .take(not_captured(graph, id))
        .filter(|(a, _)| matches!(graph.ty(**a), Ty::Rel(_)))
        .map(|(_, w)| w[3])
        .fold(0, u64::saturating_add);
    match graph.op(id) {
        Op::Relation(Relation::Filter) => {
            let count = graph.as_filter(id).map_or(1, |f| conjuncts(graph, graph.result_of(f.predicate), &[f.input]));
            [0, count.saturating_mul(below.max(1)), 0, 0, size]
        }
        Op::Relation(Relation::Slice) => [0, 0, below.max(1), 0, size],
        Op::Relation(Relation::Unordered) => [0, 0, below.max(1), MARK, size],
        // A sort is work that a rule may find needless; a join of every pair, work that a key may spare; pairs, where one side is not read.
        Op::Relation(Relation::Sort) => [4 + u64::from(!order_given_up(graph, graph.args(id)[0])), 0, 0, RELATION, size],
        Op::Relation(Relation::Top) => [2 + u64::from(!order_given_up(graph, graph.args(id)[0])), 0, below.max(1), RELATION, size],
        Op::Relation(Relation::Group) => [u64::from(!order_given_up(graph, graph.args(id)[0])), 0, 0, RELATION, size],
        Op::Relation(Relation::Distinct) => [4, 0, 0, RELATION, size],
        Op::Relation(Relation::Join) => match graph.as_join(id) {
            Some(join) => {
                let keys = match graph.ty(graph.result_of(join.left_keys)) {
                    Ty::Struct(fields) => fields.len() as u64,
                    _ => 0,
                };
                let kind = match join.how {
                    JoinHow::Semi | JoinHow::Anti => 2,
                    JoinHow::Inner => 4,
                    JoinHow::Left | JoinHow::Right => 5,
                    JoinHow::Outer => 6,
                    JoinHow::Cross => 7,
                };
                let predicate = graph.result_of(join.predicate);
                let residual = if graph.const_value(predicate) == Some(&Value::Bool(true)) {
                    0
                } else {
                    conjuncts(graph, predicate, &[join.left, join.right])
                };
                // A test of rows goes below what makes them, as a filter does; marks go below the test. What it matches rows with need not be in order.
                let tests = join.how.is_test();
                let test = if tests { (args[0][3] / RELATION).max(1) } else { 0 };
                let ordered = tests && !order_given_up(graph, join.right);
                let below = if tests { below - below % RELATION } else { below };
                // A predicate that becomes a key, or goes into a side, leaves here; one that comes from a filter above was counted there, higher.
                [
                    kind * 2 + u64::from(keys == 0) + u64::from(ordered),
                    residual.saturating_mul(below.max(1)).saturating_add(test),
                    0,
                    RELATION,
                    size,
                ]
            }
            None => [0, 0, 0, RELATION, size],
        },
        _ if is_rel => [0, 0, 0, RELATION, size],
        _ => [0, 0, 0, 0, size],
    }
}

/// Whether the order of a relation was given up already: a mark is below it, and what is between does not mind.
pub(crate) fn order_given_up(graph: &Graph, relation: NodeId) -> bool {
    let mut at = relation;
    // Plans are not deeper than this between a sort and its joins; one that is keeps its order.
    for _ in 0..64 {
        at = match graph.op(at) {
            Op::Relation(Relation::Project | Relation::Filter) => graph.args(at)[0],
            Op::Relation(Relation::Join) if graph.as_join(at).is_some_and(|join| join.how.is_test()) => graph.args(at)[0],
            Op::Relation(Relation::Group) if crate::rules::order_free_group(graph, at) => graph.args(at)[0],
            Op::Relation(Relation::Unordered) => return true,
            _ => return false,
        };
    }
    false
}

/// Whether a join is where it was written. The keys of one whose position was chosen are called `j0`, `j1` and so on; one without keys may be anywhere.
pub(crate) fn stands_as_written(graph: &Graph, join: NodeId) -> bool {
    let keys = graph.as_join(join).map(|join| graph.ty(graph.result_of(join.left_keys)));
    match keys {
        Some(Ty::Struct(fields)) => fields.names().enumerate().any(|(at, name)| name.as_str() != chosen_key(at)),
        _ => false,
    }
}

/// What a key of a join whose position was chosen is called.
pub(crate) fn chosen_key(number: usize) -> String {
    format!("j{number}")
}

/// Columns that flow through a node which is neither a projection nor a filter, and those that projections compute.
fn width(graph: &Graph, id: NodeId) -> u64 {
    match (graph.op(id), graph.ty(id)) {
        (Op::Relation(Relation::Project), _) => graph.as_project(id).map_or(0, |p| crate::rules::computed(graph, p.row)),
        (Op::Relation(Relation::Filter), _) => 0,
        (_, Ty::Rel(fields)) => fields.len() as u64,
        _ => 0,
    }
}

fn array_ops(graph: &Graph, id: NodeId) -> u64 {
    match graph.op(id) {
        Op::Array(Array::Dim) => 0,
        Op::Array(_) | Op::Sequence(_) => 1,
        _ => 0,
    }
}

fn arrays_made(graph: &Graph, id: NodeId) -> u64 {
    match graph.op(id) {
        Op::Array(Array::Map | Array::Broadcast | Array::Fill | Array::Iota | Array::Slice) => 1,
        Op::Control(Control::Tabulate | Control::Compact | Control::Scan) => 1,
        Op::Sequence(Sequence::Shift) => 1,
        _ => 0,
    }
}
