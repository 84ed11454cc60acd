//! Programs said in SQL.
//!
//! Every relation becomes a subquery whose columns are called `c0`, `c1`, …, and whose order, which SQL does not keep, is in further columns `o0`, `o1`, …:
//! they begin with the positions of rows in their table, go through everything above, and are what the whole is sorted by at the end.

mod group;
mod join;

use super::expression::{Binding, Column, Said, Speaker};
use super::{Dialect, SqlSource, SqlText};
use airloom_ir::attrs::SortKey;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_ir::types::Ty;
use std::sync::Arc;

/// Relations are said as deep as this.
const DEPTH: usize = 64;
/// A relation that others share is said anew for each of them: this many may be said in all.
const RELATIONS: usize = 128;
/// Databases join only this many tables.
const TABLES: usize = 32;
/// What databases take in one query, each more than this: columns, and values beside the text.
const COLUMNS: usize = 1000;
const PARAMETERS: usize = 30_000;

/// The query that gives the rows of a relation, in their order, where all of it can be said in the SQL of the one database whose tables it reads, with exactly the
/// meaning that it has here.
pub fn text_of(graph: &Graph, node: NodeId, tables: &dyn Fn(&str) -> Option<Arc<dyn SqlSource>>) -> Option<SqlText> {
    let first = first_table(graph, node, tables)?;
    let dialect = first.dialect();
    let speaker = Speaker::new(graph, dialect, first.ordered_text());
    let mut pushdown = Pushdown { speaker, tables, first, sources: Vec::new(), relations: 0, order_unobserved: false };
    let built = pushdown.relation(node, DEPTH)?;
    let Pushdown { speaker, sources, .. } = pushdown;
    if built.columns.len() > COLUMNS || speaker.parameters.len() > PARAMETERS {
        return None;
    }
    let columns: Vec<String> = (0..built.columns.len()).map(|at| format!("q.c{at}")).collect();
    let selected = if columns.is_empty() { "1".to_string() } else { columns.join(", ") };
    let mut text = format!("SELECT {selected} FROM ({}) AS q", built.text);
    text.push_str(&built.order_by("q", dialect));
    Some(SqlText { text, parameters: speaker.parameters, sources })
}

/// The table that a relation reads first: all others must be of the same database.
fn first_table(graph: &Graph, node: NodeId, tables: &dyn Fn(&str) -> Option<Arc<dyn SqlSource>>) -> Option<Arc<dyn SqlSource>> {
    let mut at = node;
    for _ in 0..=DEPTH {
        if let Some(source) = graph.as_source(at) {
            return tables(&source.name);
        }
        at = matches!(graph.op(at), Op::Relation(_)).then(|| graph.args(at).first().copied()).flatten()?;
    }
    None
}

/// A relation said in SQL.
struct Built {
    text: String,
    columns: Vec<Column>,
    /// What rows are ordered by; nothing where their order is not observed.
    order: Vec<Key>,
    ordered: bool,
    /// No more rows than this, where it is known.
    rows: Option<u64>,
}

/// One of the columns `o0`, `o1`, ….
#[derive(Clone, Copy, Debug)]
struct Key {
    by: SortKey,
    text: bool,
    /// Whether it alone identifies rows, ascending: the position of a row.
    place: bool,
}

impl Key {
    const PLACE: Key = Key { by: SortKey { descending: false, nulls_first: false }, text: false, place: true };
}

impl Built {
    fn order_by(&self, alias: &str, dialect: Dialect) -> String {
        if self.order.is_empty() {
            return String::new();
        }
        let keys = self.order.iter().enumerate().map(|(at, key)| {
            let column = format!("{alias}.o{at}");
            let column = if key.text { dialect.by_bytes(&column) } else { column };
            let direction = if key.by.descending { "DESC" } else { "ASC" };
            let nulls = if key.by.nulls_first { "FIRST" } else { "LAST" };
            format!("{column} {direction} NULLS {nulls}")
        });
        format!(" ORDER BY {}", keys.collect::<Vec<_>>().join(", "))
    }

    /// Its order columns under other numbers.
    fn order_columns(&self, alias: &str, from: usize) -> Vec<String> {
        (0..self.order.len()).map(|at| format!("{alias}.o{at} AS o{}", from + at)).collect()
    }

    fn columns_as_they_are(&self, alias: &str) -> Vec<String> {
        (0..self.columns.len()).map(|at| format!("{alias}.c{at} AS c{at}")).collect()
    }
}

struct Pushdown<'g, 't> {
    speaker: Speaker<'g>,
    tables: &'t dyn Fn(&str) -> Option<Arc<dyn SqlSource>>,
    /// The table that is read first, of whose database all are.
    first: Arc<dyn SqlSource>,
    /// The tables that have been said.
    sources: Vec<Name>,
    /// How many relations have been said.
    relations: usize,
    /// Whether the order is not observed of what is said: a view or a query has none that could be said.
    order_unobserved: bool,
}

impl Pushdown<'_, '_> {
    fn relation(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let depth = depth.checked_sub(1)?;
        self.relations += 1;
        if self.relations > RELATIONS {
            return None;
        }
        let graph = self.speaker.graph;
        if graph.as_source(node).is_some() {
            return self.source(node);
        }
        let Op::Relation(relation) = graph.op(node) else { return None };
        match relation {
            Relation::Project => self.project(node, depth),
            Relation::Filter => self.filter(node, depth),
            Relation::Group => self.group(node, depth),
            Relation::Join => self.join(node, depth),
            Relation::Sort => {
                let sort = graph.as_sort(node)?;
                let input = self.relation(sort.input, depth)?;
                self.sorted(&input, sort.keys, &sort.captures, &sort.by)
            }
            Relation::Top => {
                let top = graph.as_top(node)?;
                let count = u64::try_from(graph.const_int(top.count)?).ok()?;
                let input = self.relation(top.input, depth)?;
                let sorted = self.sorted(&input, top.keys, &top.captures, &top.by)?;
                self.limited(&sorted, Some(count), 0)
            }
            Relation::Slice => self.slice(node, depth),
            Relation::Distinct => self.distinct(node, depth),
            Relation::Unordered => {
                let input = self.in_any_order(graph.as_unordered(node)?.input, depth)?;
                let columns = input.columns_as_they_are("t");
                let text = select(&columns, &format!("({}) AS t", input.text));
                Some(Built { text, order: Vec::new(), ordered: false, ..input })
            }
            _ => None,
        }
    }

    /// A relation whose order is not observed.
    fn in_any_order(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let before = std::mem::replace(&mut self.order_unobserved, true);
        let built = self.relation(node, depth);
        self.order_unobserved = before;
        built
    }

    fn source(&mut self, node: NodeId) -> Option<Built> {
        let graph = self.speaker.graph;
        let source = graph.as_source(node)?;
        let table = (self.tables)(&source.name)?;
        self.sources.push(source.name.clone());
        let of = |table: &dyn SqlSource| (table.dialect(), table.address().to_string(), table.ordered_text());
        if of(&*table) != of(&*self.first) || self.sources.len() > TABLES || (table.order().is_empty() && !self.order_unobserved) {
            return None;
        }
        let Ty::Rel(fields) = graph.ty(node) else { return None };
        let mut selected = Vec::new();
        let mut columns = Vec::new();
        for field in fields.iter() {
            let column = table.column(field.name.as_str(), graph.types(), field.ty)?;
            selected.push(format!("{} AS c{}", column.select, columns.len()));
            columns.push(Column { name: field.name.clone(), plain: column.plain, bound: column.bound });
        }
        let order: Vec<Key> = match table.order() {
            [_] => vec![Key::PLACE],
            several => several.iter().map(|_| Key { place: false, ..Key::PLACE }).collect(),
        };
        selected.extend(table.order().iter().enumerate().map(|(at, key)| format!("{key} AS o{at}")));
        let text = select(&selected, table.name());
        Some(Built { text, columns, ordered: !order.is_empty(), order, rows: table.rows() })
    }

    fn project(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let project = self.speaker.graph.as_project(node)?;
        let input = self.relation(project.input, depth)?;
        let fields = self.body_row(project.row, &[&input], &project.captures)?;
        let mut selected: Vec<String> = fields.iter().enumerate().map(|(at, (_, said, _))| format!("{} AS c{at}", said.text)).collect();
        selected.extend(input.order_columns("t", 0));
        let columns = fields.into_iter().map(|(name, said, _)| Column { name, plain: said.plain, bound: said.bound }).collect();
        let text = select(&selected, &format!("({}) AS t", input.text));
        Some(Built { text, columns, ..input })
    }

    fn filter(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let filter = self.speaker.graph.as_filter(node)?;
        let input = self.relation(filter.input, depth)?;
        let condition = self.body_value(filter.predicate, &[&input], &filter.captures)?;
        let mut selected = input.columns_as_they_are("t");
        selected.extend(input.order_columns("t", 0));
        let text = format!("{} WHERE {}", select(&selected, &format!("({}) AS t", input.text)), condition.text);
        Some(Built { text, ..input })
    }

    fn sorted(&mut self, input: &Built, keys: NodeId, captures: &[NodeId], by: &[SortKey]) -> Option<Built> {
        let graph = self.speaker.graph;
        let said = self.body_row(keys, &[input], captures)?;
        let Ty::Struct(fields) = graph.ty(graph.result_of(keys)) else { return None };
        // Rows with equal keys stay in their order, so there must be one.
        if !input.ordered {
            return None;
        }
        let mut selected = input.columns_as_they_are("t");
        let mut order = Vec::new();
        for (((_, said, _), field), by) in said.iter().zip(fields.iter()).zip(by) {
            let ty = graph.types().plain(field.ty);
            if !self.speaker.dialect.sorts(ty) || !said.plain || (*ty == Ty::Str && !self.speaker.ordered_text) {
                return None;
            }
            selected.push(format!("{} AS o{}", said.text, order.len()));
            order.push(Key { by: *by, text: *ty == Ty::Str, place: false });
        }
        selected.extend(input.order_columns("t", order.len()));
        order.extend(input.order.iter().map(|key| Key { place: false, ..*key }));
        let text = select(&selected, &format!("({}) AS t", input.text));
        Some(Built { text, columns: input.columns.clone(), order, ordered: true, rows: input.rows })
    }

    fn slice(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let graph = self.speaker.graph;
        let slice = graph.as_slice(node)?;
        let offset = u64::try_from(graph.const_int(slice.offset)?).ok()?;
        let length = match graph.const_value(slice.length)? {
            airloom_ir::value::Value::Null => None,
            _ => Some(u64::try_from(graph.const_int(slice.length)?).ok()?),
        };
        let input = self.relation(slice.input, depth)?;
        self.limited(&input, length, offset)
    }

    fn limited(&mut self, input: &Built, length: Option<u64>, offset: u64) -> Option<Built> {
        // Which rows are the first is only said where there is an order.
        if !input.ordered || offset > i64::MAX as u64 || length.is_some_and(|length| length > i64::MAX as u64) {
            return None;
        }
        let mut selected = input.columns_as_they_are("t");
        selected.extend(input.order_columns("t", 0));
        let dialect = self.speaker.dialect;
        let limit = length.map_or(dialect.no_limit().to_string(), |length| length.to_string());
        let text = format!(
            "{}{} LIMIT {limit} OFFSET {offset}",
            select(&selected, &format!("({}) AS t", input.text)),
            input.order_by("t", dialect)
        );
        let rows = [input.rows, length].into_iter().flatten().min();
        Some(Built { text, columns: input.columns.clone(), order: input.order.clone(), ordered: true, rows })
    }

    fn bindings<'a>(&self, rows: &[(&'a str, &'a Built)], captures: &[NodeId]) -> Vec<Binding<'a>> {
        let rows = rows.iter().map(|(alias, built)| Binding::Row(alias, &built.columns));
        rows.chain(captures.iter().map(|capture| Binding::Outside(*capture))).collect()
    }

    fn body_value(&mut self, body: NodeId, inputs: &[&Built; 1], captures: &[NodeId]) -> Option<Said> {
        let bindings = self.bindings(&[("t", inputs[0])], captures);
        self.speaker.value(self.speaker.graph.result_of(body), &bindings)
    }

    fn body_row(&mut self, body: NodeId, inputs: &[&Built; 1], captures: &[NodeId]) -> Option<Vec<(Name, Said, NodeId)>> {
        let bindings = self.bindings(&[("t", inputs[0])], captures);
        self.speaker.row(self.speaker.graph.result_of(body), &bindings)
    }
}

fn select(columns: &[String], from: &str) -> String {
    // A table without columns still has rows.
    let columns = if columns.is_empty() { "1".to_string() } else { columns.join(", ") };
    format!("SELECT {columns} FROM {from}")
}
