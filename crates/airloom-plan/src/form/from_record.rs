//! Records to nodes and steps. Nothing in them is believed: what a plan must be besides, the verifier says.

use super::functions::op_of;
use super::item::{Fields, Record};
use crate::value::{
    Aggregate, Apply, Asof, BlockId, HashBuild, HashProbe, Interpret, KeyFacts, Kind, PartitionKeys, Phase, Pivot, PlanId, Query, Scan,
    StepKind, Window,
};
use airloom_ir::attrs::{Attr, AttrShape, AttrType};
use airloom_ir::graph::{Graph, NodeId};

type Found<T> = Result<T, String>;

/// A word of a closed list as what it stands for.
fn attr<T: AttrType>(fields: &mut Fields, name: &str) -> Found<T> {
    let word = fields.text(name)?;
    let AttrShape::Word(words) = T::SHAPE else { unreachable!("only words are read as words") };
    let at = words.iter().position(|known| *known == word);
    let value = at.and_then(|at| T::from_attr(&Attr::Word(at as u8)));
    value.ok_or_else(|| format!("`{name}` of `{}` is `{word}`, expected {}", fields.word(), T::SHAPE.describe()))
}

/// What is known of keys.
fn key_facts(fields: &mut Fields) -> Found<KeyFacts> {
    Ok(KeyFacts {
        ranges: fields.optional_ranges("ranges")?.unwrap_or_default(),
        determinants: fields.optional_ints("determinants")?.map(positions).transpose()?,
        not_null: fields.optional_ints("not_null")?.map(positions).transpose()?.unwrap_or_default(),
        dense: fields.optional_flag("dense")?.unwrap_or_default(),
    })
}

fn positions(ints: Vec<i64>) -> Found<Vec<usize>> {
    ints.into_iter().map(|at| usize::try_from(at).map_err(|_| format!("a position is {at}"))).collect()
}

fn one<T: Copy>(found: &[T], what: &str) -> Found<T> {
    match found {
        [only] => Ok(*only),
        other => Err(format!("expected one {what}, found {}", other.len())),
    }
}

/// The kind of a node that a record says.
pub(crate) fn kind_of(record: Record, graph: &Graph, functions: &[NodeId]) -> Found<Kind> {
    let word = record.word.clone();
    let mut fields = Fields::new(record);
    let f = &mut fields;
    let kind = match word.as_str() {
        "scan" => Kind::Scan(Scan {
            source: f.name("source")?,
            ty: f.ty("type")?,
            reads: positions(f.ints("reads")?)?,
            filter: f.optional_body("filter", functions)?,
            dynamic: f.optional_uses("dynamic")?.unwrap_or_default(),
        }),
        "query" => {
            let (sources, text) = (f.names("sources")?, f.name("text")?.to_string());
            Kind::Query(Query { sources, text, parameters: f.values("parameters")? })
        }
        "input" => Kind::Input(f.slot("slot")?),
        "filter" => Kind::Filter(f.body("body", functions)?),
        "project" => Kind::Project(f.body("body", functions)?),
        "hash-partition" => Kind::HashPartition(match f.optional_body("keys", functions)? {
            Some(body) => PartitionKeys::Body(body),
            None => PartitionKeys::Columns(f.names("columns")?),
        }),
        "select" => Kind::Select,
        "concat" => Kind::Concat,
        "materialize" => Kind::Materialize,
        "gather" => Kind::Gather,
        "broadcast" => Kind::Broadcast,
        "ordered-merge" => Kind::OrderedMerge,
        "dynamic-filter" => Kind::DynamicFilter(f.uses("dynamic")?),
        "hash-probe" => Kind::HashProbe(HashProbe {
            keys: f.body("keys", functions)?,
            how: attr(f, "how")?,
            probe: attr(f, "probe")?,
            residual: f.optional_body("residual", functions)?,
            restores_order: f.optional_flag("restores_order")?.unwrap_or_default(),
        }),
        "unnest" => Kind::Unnest { columns: f.names("columns")?.into(), empty: attr(f, "empty")? },
        "unpivot" => Kind::Unpivot { columns: f.names("columns")?.into(), variable: f.name("variable")?, value: f.name("value")? },
        "limit" => Kind::Limit { offset: f.slot("offset")?, count: f.slot("count")?, stops_early: f.flag("stops_early")? },
        "hash-build" => Kind::HashBuild(HashBuild {
            keys: f.body("keys", functions)?,
            key_types: f.types("key_types")?,
            nulls_equal: f.flag("nulls_equal")?,
            publishes: f.optional_published("publishes")?.unwrap_or_default(),
        }),
        "aggregate" => Kind::Aggregate(Aggregate {
            phase: f.one_of("phase", &Phase::ALL)?,
            keys: f.body("keys", functions)?,
            aggregates: f.body("aggregates", functions)?,
            known: key_facts(f)?,
        }),
        "distinct" => Kind::Distinct { keys: f.body("keys", functions)?, keep: attr(f, "keep")?, known: key_facts(f)? },
        "sort-runs" => Kind::SortRuns { keys: f.body("keys", functions)?, by: f.sort("by")?.into(), fetch: f.optional_slot("fetch")? },
        "window" => Kind::Window(Window {
            keys: f.body("keys", functions)?,
            order: f.body("order", functions)?,
            by: f.sort("by")?.into(),
            columns: f.body("columns", functions)?,
            block: one(&f.blocks("block")?, "block")?,
        }),
        "pivot" => Kind::Pivot(Pivot {
            keys: f.body("keys", functions)?,
            on: f.body("on", functions)?,
            aggregate: f.body("aggregate", functions)?,
            block: one(&f.blocks("block")?, "block")?,
            names: f.names("names")?.into(),
        }),
        "group-apply" => Kind::GroupApply {
            keys: f.body("keys", functions)?,
            aggregates: f.body("aggregates", functions)?,
            block: one(&f.blocks("block")?, "block")?,
        },
        "asof-join" => Kind::AsofJoin(Asof {
            left_on: f.body("left_on", functions)?,
            right_on: f.body("right_on", functions)?,
            left_by: f.body("left_by", functions)?,
            right_by: f.body("right_by", functions)?,
            direction: attr(f, "direction")?,
            exact: f.flag("exact")?,
            tolerance: f.slot("tolerance")?,
        }),
        "sample" => Kind::Sample { count: f.slot("count")?, key: f.slot("key")?, replace: f.flag("replace")? },
        "position" => Kind::Position { name: f.name("name")? },
        "row-number" => Kind::RowNumber { name: f.name("name")?, start: f.int("start")? },
        "interpret" => {
            let function = f.body("op", functions)?.function;
            Kind::Interpret(Interpret { node: op_of(graph, function)?, arguments: f.arguments("arguments")? })
        }
        other => return Err(format!("there is no node `{other}`")),
    };
    fields.end()?;
    Ok(kind)
}

/// The step that a record says.
pub(crate) fn step_of(record: Record, graph: &Graph, functions: &[NodeId]) -> Found<StepKind> {
    let word = record.word.clone();
    let mut fields = Fields::new(record);
    let f = &mut fields;
    let only_node = |f: &mut Fields, name: &str| -> Found<PlanId> { one(&f.nodes(name)?, "node") };
    let only_block = |f: &mut Fields| -> Found<BlockId> { one(&f.blocks("block")?, "block") };
    let step = match word.as_str() {
        "relation" => StepKind::Relation(only_node(f, "node")?),
        "apply" => {
            let body = f.body("op", functions)?;
            let blocks = f.optional_blocks("blocks")?.unwrap_or_default();
            StepKind::Apply(Apply { node: op_of(graph, body.function)?, arguments: body.captures, blocks })
        }
        "call" => StepKind::Call { block: only_block(f)?, arguments: f.slots("arguments")? },
        "call-value" => StepKind::CallValue { function: f.slot("function")?, arguments: f.slots("arguments")? },
        "function" => StepKind::Function { function: f.body("function", functions)?.function, block: only_block(f)? },
        "source" => StepKind::Source(f.name("source")?),
        "provide" => {
            let name = f.name("source")?;
            let rows = f.optional_nodes("rows")?.map(|nodes| one(&nodes, "node")).transpose()?;
            StepKind::Provide { name, rows }
        }
        other => return Err(format!("there is no step `{other}`")),
    };
    fields.end()?;
    Ok(step)
}
