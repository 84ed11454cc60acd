//! Text to plans. A plan that was read is verified before anybody sees it.

use super::item::{numbered, read, slot, string, ty};
use super::split::{bracketed, split, split_once};
use crate::form::{Record, kind_of, step_of};
use crate::value::{Block, Column, Node, Order, Partitioning, Plan, PlanId, Properties, Slot, SlotId, SlotSource, Step};
use crate::verify::verify;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Location;
use airloom_ir::name::Name;
use airloom_ir::text::parse_value;
use std::sync::Arc;

/// The plan of a text, or what is wrong with it and on which line.
pub fn parse(text: &str) -> Result<Plan, String> {
    let start = text.lines().position(|line| line.trim() == "plan {").ok_or("expected a line `plan {`")?;
    let program: String = text.lines().take(start).map(|line| format!("{line}\n")).collect();
    let module = airloom_ir::text::parse(&program).map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
    let mut functions = Vec::new();
    for number in 0..module.functions.len() {
        let name = format!("p{number}");
        functions.push(module.function(&name).ok_or_else(|| format!("there is no function `@{name}` among {}", module.functions.len()))?);
    }
    let mut parser =
        Parser { graph: module.graph, functions, blocks: Vec::new(), nodes: Vec::new(), lines: Vec::new(), filters: 0, open: None };
    let mut ended = false;
    for (at, line) in text.lines().enumerate().skip(start + 1) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        if ended {
            return Err(format!("line {}: expected nothing after the plan, found `{line}`", at + 1));
        }
        ended = parser.line(line).map_err(|message| format!("line {}: {message}", at + 1))?;
    }
    if !ended {
        return Err("expected `}` at the end of the plan".into());
    }
    let Parser { graph, blocks, nodes, lines, filters, .. } = parser;
    let lines = if lines.iter().all(Vec::is_empty) { Vec::new() } else { lines };
    let plan = Plan { graph: Arc::new(graph), blocks, nodes: nodes.into(), filters, lines };
    verify(&plan)?;
    Ok(plan)
}

struct Parser {
    graph: Graph,
    functions: Vec<NodeId>,
    blocks: Vec<Block>,
    nodes: Vec<Node>,
    lines: Vec<Vec<Location>>,
    filters: u32,
    /// The block whose lines are being read.
    open: Option<(Vec<Slot>, Vec<Step>, Option<SlotId>)>,
}

impl Parser {
    /// Reads a line; whether it ends the plan.
    fn line(&mut self, line: &str) -> Result<bool, String> {
        if self.open.is_some() {
            return self.in_block(line).map(|()| false);
        }
        if line == "}" {
            return Ok(true);
        }
        if let Some(count) = line.strip_prefix("filters ") {
            self.filters = count.parse().map_err(|_| format!("expected a count of filters, found `{count}`"))?;
            return Ok(false);
        }
        if let Some(head) = line.strip_prefix("block ") {
            let number = head.strip_suffix('{').map(str::trim).ok_or("expected `{` at the end of the line")?;
            expect_number(number, 'b', self.blocks.len())?;
            self.open = Some((Vec::new(), Vec::new(), None));
            return Ok(false);
        }
        let (number, node) = split_once(line, '=').ok_or_else(|| format!("expected a block or a node, found `{line}`"))?;
        expect_number(number, 'n', self.nodes.len())?;
        self.node(node)?;
        Ok(false)
    }

    fn in_block(&mut self, line: &str) -> Result<(), String> {
        let Some((mut slots, mut steps, result)) = self.open.take() else { return Ok(()) };
        if line == "}" {
            let result = result.ok_or("expected `return` before the end of the block")?;
            self.blocks.push(Block { slots, steps, result });
            return Ok(());
        }
        if let Some(result) = line.strip_prefix("return ") {
            self.open = Some((slots, steps, Some(slot(result.trim())?)));
            return Ok(());
        }
        let (head, source) = split_once(line, '=').ok_or_else(|| format!("expected a slot, found `{line}`"))?;
        let (number, text) = split_once(head, ':').ok_or_else(|| format!("expected a slot and its type, found `{head}`"))?;
        expect_number(number, 's', slots.len())?;
        let own = ty(self.graph.types_mut(), text)?;
        let source = if let Some(number) = source.strip_prefix("argument ") {
            SlotSource::Argument(number.parse().map_err(|_| format!("expected the number of an argument, found `{number}`"))?)
        } else if let Some(number) = source.strip_prefix("placeholder ") {
            SlotSource::Placeholder(number.parse().map_err(|_| format!("expected the number of a placeholder, found `{number}`"))?)
        } else if let Some(value) = source.strip_prefix("literal ") {
            SlotSource::Literal(parse_value(self.graph.types(), own, value).map_err(|error| error.message)?)
        } else {
            let record = self.record(source)?;
            let kind = step_of(record, &self.graph, &self.functions)?;
            steps.push(Step { slot: SlotId::new(slots.len()), kind, origin: None });
            SlotSource::Step
        };
        slots.push(Slot { ty: own, source });
        self.open = Some((slots, steps, result));
        Ok(())
    }

    /// A record that makes up a whole text.
    fn record(&mut self, text: &str) -> Result<Record, String> {
        match self.leading_record(text)? {
            (record, "") => Ok(record),
            (_, rest) => Err(format!("expected nothing more, found `{rest}`")),
        }
    }

    /// A record with which a text begins, and what follows.
    fn leading_record<'t>(&mut self, text: &'t str) -> Result<(Record, &'t str), String> {
        let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let mut record = Record { word: word.to_string(), fields: Vec::new() };
        if !rest.starts_with('{') {
            return Ok((record, rest.trim_start()));
        }
        let (inner, rest) = bracketed(rest, '{', '}').ok_or("expected `}`")?;
        for field in split(inner, ',') {
            let (name, value) = split_once(field, ':').ok_or_else(|| format!("expected a name and an item, found `{field}`"))?;
            record.fields.push((name.to_string(), read(self.graph.types_mut(), name, value)?));
        }
        Ok((record, rest))
    }

    fn node(&mut self, text: &str) -> Result<(), String> {
        let (record, mut rest) = self.leading_record(text)?;
        let kind = kind_of(record, &self.graph, &self.functions)?;
        let mut inputs = Vec::new();
        if let Some((inner, after)) = bracketed(rest, '(', ')') {
            inputs = split(inner, ',').into_iter().map(|input| numbered(input, 'n').map(PlanId::new)).collect::<Result<_, _>>()?;
            rest = after;
        }
        let rest = rest.strip_prefix("->").map(str::trim_start).ok_or_else(|| format!("expected `->` and columns, found `{rest}`"))?;
        let (inner, rest) = bracketed(rest, '{', '}').ok_or_else(|| format!("expected columns in braces, found `{rest}`"))?;
        let mut columns = Vec::new();
        for column in split(inner, ',') {
            let (name, text) = split_once(column, ':').ok_or_else(|| format!("expected a column and its type, found `{column}`"))?;
            let name = if name.starts_with('"') { string(name)? } else { Name::new(name) };
            columns.push(Column { name, ty: ty(self.graph.types_mut(), text)? });
        }
        let (properties, lines) = properties(rest)?;
        self.nodes.push(Node { kind, inputs, columns, properties, origin: Vec::new() });
        self.lines.push(lines);
        Ok(())
    }
}

fn expect_number(text: &str, letter: char, expected: usize) -> Result<(), String> {
    match numbered(text, letter)? {
        found if found == expected => Ok(()),
        _ => Err(format!("expected `{letter}{expected}`, found `{text}`")),
    }
}

fn properties(text: &str) -> Result<(Properties, Vec<Location>), String> {
    let (text, lines) = match text.split_once(" lines ") {
        Some((text, lines)) => (text, locations(lines)?),
        None => (text, Vec::new()),
    };
    let mut words = text.split_whitespace();
    let partitioning = words.next().and_then(|word| Partitioning::ALL.iter().find(|(_, known)| *known == word));
    let order = words.next().and_then(|word| Order::ALL.iter().find(|(_, known)| *known == word));
    let (Some((partitioning, _)), Some((order, _))) = (partitioning, order) else {
        return Err(format!("expected a partitioning and an order, found `{text}`"));
    };
    let mut found = Properties { partitioning: *partitioning, order: *order, rows: None, row_bytes: 0.0, effect: Effect::Pure };
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<f64>().ok()).filter(|number| number.is_finite() && *number >= 0.0);
    while let Some(word) = words.next() {
        match word {
            "rows" => found.rows = Some(number(words.next()).ok_or("expected how many rows")?),
            "width" => found.row_bytes = number(words.next()).ok_or("expected how many bytes")? as f32,
            "may-raise" => found.effect = Effect::Raises,
            "effectful" => found.effect = Effect::Effectful,
            other => return Err(format!("there is no property `{other}`")),
        }
    }
    Ok((found, lines))
}

/// The places `file:line` or `line n`.
fn locations(text: &str) -> Result<Vec<Location>, String> {
    let (inner, _) = bracketed(text.trim(), '[', ']').ok_or_else(|| format!("expected lines in brackets, found `{text}`"))?;
    let location = |text: &str| {
        let told = string(text)?;
        let place = match told.strip_prefix("line ") {
            Some(line) => line.parse().ok().map(|line| Location { file: None, line }),
            None => told.rsplit_once(':').and_then(|(file, line)| Some(Location { file: Some(Name::new(file)), line: line.parse().ok()? })),
        };
        place.ok_or_else(|| format!("expected a place such as `file:1`, found `{told}`"))
    };
    split(inner, ',').into_iter().map(location).collect()
}
