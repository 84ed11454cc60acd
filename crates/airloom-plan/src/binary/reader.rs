//! Bytes to plans. Nothing in them is believed: a length is checked against the bytes that are left, and the plan is verified.

use super::{MAGIC, VERSION, tag};
use crate::form::{Item, Record, kind_of, step_of};
use crate::value::{
    Argument, Block, BlockId, Column, FilterId, FilterUse, Node, Order, Partitioning, Plan, PlanId, Properties, Published, Slot, SlotId,
    SlotSource, Step,
};
use crate::verify::verify;
use airloom_ir::attrs::{Effect, SortKey};
use airloom_ir::binary::cursor::{Cursor, Read};
use airloom_ir::binary::{self, DecodeError};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Location;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::sync::Arc;

/// The plan of some bytes, or why they are none.
pub fn decode(bytes: &[u8]) -> Result<Plan, DecodeError> {
    let mut reader = Reader { cursor: Cursor::new(bytes), types: Vec::new(), values: Vec::new(), functions: Vec::new() };
    let plan = reader.plan().map_err(|message| DecodeError { offset: reader.cursor.offset(), message })?;
    verify(&plan).map_err(|message| DecodeError { offset: bytes.len(), message })?;
    Ok(plan)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    types: Vec<TyId>,
    values: Vec<Value>,
    functions: Vec<NodeId>,
}

impl Reader<'_> {
    fn plan(&mut self) -> Read<Plan> {
        if self.cursor.take(4)? != MAGIC {
            return Err("this is not a binary plan: it does not begin with `AIRP`".into());
        }
        let version = self.cursor.byte()?;
        if version != VERSION {
            return Err(format!("the plan has version {version}, expected {VERSION}"));
        }
        let module = binary::decode(self.cursor.bytes()?).map_err(|error| format!("in the program of the plan, {error}"))?;
        let mut functions = module.functions.iter().map(|function| function.lambda);
        let (Some(types), Some(values)) = (functions.next(), functions.next()) else {
            return Err("the program of the plan has no types or no values".into());
        };
        self.functions = functions.collect();
        let graph = module.graph;
        self.types = graph.params_of(types).to_vec();
        let constants = graph.args(values).first().map_or(&[][..], |&tuple| graph.args(tuple));
        let value = |&id: &NodeId| graph.const_value(id).cloned().ok_or_else(|| "a value of the plan is no constant".to_string());
        self.values = constants.iter().map(value).collect::<Read<_>>()?;
        let filters = self.number()?;
        let mut blocks = Vec::new();
        for _ in 0..self.cursor.length(2)? {
            blocks.push(self.block(&graph)?);
        }
        let (mut nodes, mut lines) = (Vec::new(), Vec::new());
        for _ in 0..self.cursor.length(8)? {
            let (node, own) = self.node(&graph)?;
            nodes.push(node);
            lines.push(own);
        }
        self.cursor.end()?;
        let lines = if lines.iter().all(Vec::is_empty) { Vec::new() } else { lines };
        Ok(Plan { graph: Arc::new(graph), blocks, nodes: nodes.into(), filters: filters as u32, lines })
    }

    fn block(&mut self, graph: &Graph) -> Read<Block> {
        let (mut slots, mut steps) = (Vec::new(), Vec::new());
        for number in 0..self.cursor.length(2)? {
            let ty = self.ty()?;
            let source = match self.cursor.byte()? {
                0 => SlotSource::Argument(self.number()?),
                1 => SlotSource::Literal(self.value()?),
                2 => {
                    let record = self.record()?;
                    let kind = step_of(record, graph, &self.functions)?;
                    steps.push(Step { slot: SlotId::new(number), kind, origin: None });
                    SlotSource::Step
                }
                3 => SlotSource::Placeholder(self.number()?),
                other => return Err(format!("there is no slot of kind {other}")),
            };
            slots.push(Slot { ty, source });
        }
        Ok(Block { slots, steps, result: SlotId::new(self.number()?) })
    }

    fn node(&mut self, graph: &Graph) -> Read<(Node, Vec<Location>)> {
        let record = self.record()?;
        let kind = kind_of(record, graph, &self.functions)?;
        let inputs = self.list(|r| r.number().map(PlanId::new))?;
        let columns = self.list(|r| Ok(Column { name: r.text()?, ty: r.ty()? }))?;
        let (partitioning, order) = (self.cursor.one_of(&Partitioning::ALL)?.0, self.cursor.one_of(&Order::ALL)?.0);
        let effect = match self.cursor.byte()? {
            0 => Effect::Pure,
            1 => Effect::Raises,
            2 => Effect::Effectful,
            other => return Err(format!("there is no effect {other}")),
        };
        let (rows, row_bytes) = (f64::from_le_bytes(self.cursor.array()?), f32::from_le_bytes(self.cursor.array()?));
        if !rows.is_finite() || !row_bytes.is_finite() || row_bytes < 0.0 {
            return Err("an estimate is no number".into());
        }
        let lines = self.list(|r| {
            let file = r.text()?;
            let line = u32::try_from(r.number()?).map_err(|_| "a line is too far down".to_string())?;
            Ok(Location { file: Some(file).filter(|file| !file.is_empty()), line })
        })?;
        let properties = Properties { partitioning, order, rows: (rows >= 0.0).then_some(rows), row_bytes, effect };
        Ok((Node { kind, inputs, columns, properties, origin: Vec::new() }, lines))
    }

    fn record(&mut self) -> Read<Record> {
        let word = self.text()?.to_string();
        let fields = self.list(|r| Ok((r.text()?.to_string(), r.item()?)))?;
        Ok(Record { word, fields })
    }

    fn item(&mut self) -> Read<Item> {
        Ok(match self.cursor.byte()? {
            tag::BODY => Item::Body(self.number()?, self.list(|r| r.number().map(SlotId::new))?),
            tag::SLOT => Item::Slot(SlotId::new(self.number()?)),
            tag::SLOTS => Item::Slots(self.list(|r| r.number().map(SlotId::new))?),
            tag::BLOCKS => Item::Blocks(self.list(|r| r.number().map(BlockId::new))?),
            tag::NODES => Item::Nodes(self.list(|r| r.number().map(PlanId::new))?),
            tag::NAME => Item::Name(self.text()?),
            tag::NAMES => Item::Names(self.list(|r| r.text())?),
            tag::INT => Item::Int(i64::from_le_bytes(self.cursor.array()?)),
            tag::INTS => Item::Ints(self.list(|r| r.cursor.array().map(i64::from_le_bytes))?),
            tag::FLAG => Item::Flag(self.cursor.flag()?),
            tag::WORD => Item::Word(self.text()?.to_string()),
            tag::SORT => Item::Sort(self.list(|r| match r.cursor.byte()? {
                bits @ 0..=3 => Ok(SortKey { descending: bits & 1 != 0, nulls_first: bits & 2 != 0 }),
                other => Err(format!("there is no sort key {other}")),
            })?),
            tag::TYPE => Item::Type(self.ty()?),
            tag::TYPES => Item::Types(self.list(|r| r.ty())?),
            tag::USES => Item::Uses(self.list(|r| Ok(FilterUse { filter: FilterId::new(r.number()?), column: r.text()? }))?),
            tag::PUBLISHED => Item::Published(self.list(|r| Ok(Published { key: r.number()?, filter: FilterId::new(r.number()?) }))?),
            tag::ARGUMENTS => Item::Arguments(self.list(|r| {
                let (kind, number) = (r.cursor.byte()?, r.number()?);
                match kind {
                    0 => Ok(Argument::Input(number)),
                    1 => Ok(Argument::Slot(SlotId::new(number))),
                    2 => Ok(Argument::Body),
                    other => Err(format!("there is no argument of kind {other}")),
                }
            })?),
            tag::RANGES => Item::Ranges(self.list(|r| match r.cursor.flag()? {
                true => Ok(Some((i64::from_le_bytes(r.cursor.array()?), i64::from_le_bytes(r.cursor.array()?)))),
                false => Ok(None),
            })?),
            tag::VALUES => Item::Values(self.list(|r| r.value())?),
            other => return Err(format!("there is no item of kind {other}")),
        })
    }

    /// A number that ids can have.
    fn number(&mut self) -> Read<usize> {
        let number = self.cursor.varint()?;
        if number >= u64::from(u32::MAX) { Err(format!("{number} is beyond the ids of plans")) } else { Ok(number as usize) }
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.cursor.length(1)?;
        (0..count).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> Read<Name> {
        self.cursor.string().map(Name::new)
    }

    fn ty(&mut self) -> Read<TyId> {
        let number = self.number()?;
        self.types.get(number).copied().ok_or_else(|| format!("there is no type {number} among {}", self.types.len()))
    }

    fn value(&mut self) -> Read<Value> {
        let number = self.number()?;
        self.values.get(number).cloned().ok_or_else(|| format!("there is no value {number} among {}", self.values.len()))
    }
}
