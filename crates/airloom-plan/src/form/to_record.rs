//! Nodes and steps to records.

use super::functions::Functions;
use super::item::{Item, Record};
use crate::value::{Body, KeyFacts, Kind, PartitionKeys, Phase, SlotId, StepKind};
use airloom_ir::attrs::Attr;
use airloom_ir::attrs::AttrType;
use airloom_ir::graph::TypeError;
use airloom_ir::name::Name;

struct Writer<'f> {
    functions: &'f mut Functions,
    fields: Vec<(String, Item)>,
}

impl Writer<'_> {
    fn put(&mut self, name: &str, item: Item) {
        self.fields.push((name.to_string(), item));
    }

    fn body(&mut self, name: &str, body: &Body) {
        let number = self.functions.number(body.function);
        self.put(name, Item::Body(number, body.captures.clone()));
    }

    fn names(&mut self, name: &str, names: &[Name]) {
        self.put(name, Item::Names(names.to_vec()));
    }

    fn word(&mut self, name: &str, word: &str) {
        self.put(name, Item::Word(word.to_string()));
    }

    fn slot(&mut self, name: &str, slot: SlotId) {
        self.put(name, Item::Slot(slot));
    }
}

/// The word of an attribute that is one of a closed list.
pub(super) fn attr_word<T: AttrType + Copy>(value: T) -> &'static str {
    match (T::SHAPE, value.to_attr()) {
        (airloom_ir::attrs::AttrShape::Word(words), Attr::Word(at)) => words[usize::from(at)],
        _ => unreachable!("only words are written as words"),
    }
}

/// What is known of keys, as far as anything is.
fn key_facts(w: &mut Writer<'_>, known: &KeyFacts) {
    if !known.ranges.is_empty() {
        w.put("ranges", Item::Ranges(known.ranges.clone()));
    }
    let positions = |keys: &[usize]| Item::Ints(keys.iter().map(|&at| at as i64).collect());
    if let Some(determinants) = &known.determinants {
        w.put("determinants", positions(determinants));
    }
    if !known.not_null.is_empty() {
        w.put("not_null", positions(&known.not_null));
    }
    if known.dense {
        w.put("dense", Item::Flag(true));
    }
}

/// A node's kind as a record.
pub(crate) fn kind_record(kind: &Kind, functions: &mut Functions) -> Result<Record, TypeError> {
    let mut writer = Writer { functions, fields: Vec::new() };
    let w = &mut writer;
    match kind {
        Kind::Scan(scan) => {
            w.put("source", Item::Name(scan.source.clone()));
            w.put("type", Item::Type(scan.ty));
            w.put("reads", Item::Ints(scan.reads.iter().map(|&at| at as i64).collect()));
            if let Some(filter) = &scan.filter {
                w.body("filter", filter);
            }
            if !scan.dynamic.is_empty() {
                w.put("dynamic", Item::Uses(scan.dynamic.clone()));
            }
        }
        Kind::Query(query) => {
            w.names("sources", &query.sources);
            w.put("text", Item::Name(Name::new(&query.text)));
            w.put("parameters", Item::Values(query.parameters.clone()));
        }
        Kind::Input(slot) => w.slot("slot", *slot),
        Kind::Filter(body) | Kind::Project(body) => w.body("body", body),
        Kind::HashPartition(PartitionKeys::Body(body)) => w.body("keys", body),
        Kind::HashPartition(PartitionKeys::Columns(names)) => w.names("columns", names),
        Kind::Select | Kind::Concat | Kind::Materialize | Kind::Gather | Kind::Broadcast | Kind::OrderedMerge => (),
        Kind::DynamicFilter(uses) => w.put("dynamic", Item::Uses(uses.clone())),
        Kind::HashProbe(probe) => {
            w.word("how", attr_word(probe.how));
            w.word("probe", attr_word(probe.probe));
            w.body("keys", &probe.keys);
            if let Some(residual) = &probe.residual {
                w.body("residual", residual);
            }
            if probe.restores_order {
                w.put("restores_order", Item::Flag(true));
            }
        }
        Kind::Unnest { columns, empty } => {
            w.names("columns", columns);
            w.word("empty", attr_word(*empty));
        }
        Kind::Unpivot { columns, variable, value } => {
            w.names("columns", columns);
            w.put("variable", Item::Name(variable.clone()));
            w.put("value", Item::Name(value.clone()));
        }
        Kind::Limit { offset, count, stops_early } => {
            w.slot("offset", *offset);
            w.slot("count", *count);
            w.put("stops_early", Item::Flag(*stops_early));
        }
        Kind::HashBuild(build) => {
            w.body("keys", &build.keys);
            w.put("key_types", Item::Types(build.key_types.clone()));
            w.put("nulls_equal", Item::Flag(build.nulls_equal));
            if !build.publishes.is_empty() {
                w.put("publishes", Item::Published(build.publishes.clone()));
            }
        }
        Kind::Aggregate(aggregate) => {
            let phase = Phase::ALL.iter().find(|(phase, _)| *phase == aggregate.phase).expect("`ALL` holds every phase").1;
            w.word("phase", phase);
            w.body("keys", &aggregate.keys);
            w.body("aggregates", &aggregate.aggregates);
            key_facts(w, &aggregate.known);
        }
        Kind::Distinct { keys, keep, known } => {
            w.body("keys", keys);
            w.word("keep", attr_word(*keep));
            key_facts(w, known);
        }
        Kind::SortRuns { keys, by, fetch } => {
            w.body("keys", keys);
            w.put("by", Item::Sort(by.to_vec()));
            if let Some(fetch) = fetch {
                w.slot("fetch", *fetch);
            }
        }
        Kind::Window(window) => {
            w.body("keys", &window.keys);
            w.body("order", &window.order);
            w.put("by", Item::Sort(window.by.to_vec()));
            w.body("columns", &window.columns);
            w.put("block", Item::Blocks(vec![window.block]));
        }
        Kind::Pivot(pivot) => {
            w.body("keys", &pivot.keys);
            w.body("on", &pivot.on);
            w.body("aggregate", &pivot.aggregate);
            w.put("block", Item::Blocks(vec![pivot.block]));
            w.names("names", &pivot.names);
        }
        Kind::GroupApply { keys, aggregates, block } => {
            w.body("keys", keys);
            w.body("aggregates", aggregates);
            w.put("block", Item::Blocks(vec![*block]));
        }
        Kind::AsofJoin(asof) => {
            w.body("left_on", &asof.left_on);
            w.body("right_on", &asof.right_on);
            w.body("left_by", &asof.left_by);
            w.body("right_by", &asof.right_by);
            w.word("direction", attr_word(asof.direction));
            w.put("exact", Item::Flag(asof.exact));
            w.slot("tolerance", asof.tolerance);
        }
        Kind::Sample { count, key, replace } => {
            w.slot("count", *count);
            w.slot("key", *key);
            w.put("replace", Item::Flag(*replace));
        }
        Kind::Position { name } => w.put("name", Item::Name(name.clone())),
        Kind::RowNumber { name, start } => {
            w.put("name", Item::Name(name.clone()));
            w.put("start", Item::Int(*start));
        }
        Kind::Interpret(interpret) => {
            let number = interpret.number(w.functions)?;
            w.put("op", Item::Body(number, Vec::new()));
            w.put("arguments", Item::Arguments(interpret.arguments.clone()));
        }
    }
    Ok(Record { word: kind.word().to_string(), fields: writer.fields })
}

/// A step as a record.
pub(crate) fn step_record(step: &StepKind, functions: &mut Functions) -> Result<Record, TypeError> {
    let mut writer = Writer { functions, fields: Vec::new() };
    let w = &mut writer;
    let word = match step {
        StepKind::Relation(root) => {
            w.put("node", Item::Nodes(vec![*root]));
            "relation"
        }
        StepKind::Apply(apply) => {
            let number = apply.number(w.functions)?;
            w.put("op", Item::Body(number, apply.arguments.clone()));
            if !apply.blocks.is_empty() {
                w.put("blocks", Item::Blocks(apply.blocks.clone()));
            }
            "apply"
        }
        StepKind::Call { block, arguments } => {
            w.put("block", Item::Blocks(vec![*block]));
            w.put("arguments", Item::Slots(arguments.clone()));
            "call"
        }
        StepKind::CallValue { function, arguments } => {
            w.slot("function", *function);
            w.put("arguments", Item::Slots(arguments.clone()));
            "call-value"
        }
        StepKind::Function { function, block } => {
            let number = w.functions.number(*function);
            w.put("function", Item::Body(number, Vec::new()));
            w.put("block", Item::Blocks(vec![*block]));
            "function"
        }
        StepKind::Source(name) => {
            w.put("source", Item::Name(name.clone()));
            "source"
        }
        StepKind::Provide { name, rows } => {
            w.put("source", Item::Name(name.clone()));
            if let Some(rows) = rows {
                w.put("rows", Item::Nodes(vec![*rows]));
            }
            "provide"
        }
    };
    Ok(Record { word: word.to_string(), fields: writer.fields })
}
