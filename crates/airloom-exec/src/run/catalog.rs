//! The sources of a run.

use airloom_compute::data::{Datum, SourceError};
use airloom_io::source::Table;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::types::{Ty, TyId};
use airloom_opt::facts::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a source has to give.
#[derive(Clone)]
pub enum Source {
    /// A table, which is read as far as the program asks.
    Table(Arc<dyn Table>),
    /// What is in memory already, in the physical form of its type: rows, an array or a value.
    Datum(Datum),
}

impl Source {
    /// How many rows are read of it; none where that is not known, or where they are not in memory.
    pub fn rows_in_memory(&self) -> Option<u64> {
        match self {
            Source::Table(table) if table.is_in_memory() => table.rows(),
            Source::Datum(Datum::Table(rows)) => Some(rows.rows() as u64),
            Source::Datum(Datum::Value(_)) => Some(1),
            _ => None,
        }
    }
}

/// The sources that a run reads, by name.
#[derive(Clone, Default)]
pub struct Catalog {
    sources: BTreeMap<Name, Source>,
}

impl Catalog {
    /// Adds a source, in place of the one that has the name.
    pub fn insert(&mut self, name: &str, source: Source) {
        self.sources.insert(Name::new(name), source);
    }

    /// Adds a table, in place of the source that has the name.
    pub fn insert_table(&mut self, name: &str, table: Arc<dyn Table>) {
        self.insert(name, Source::Table(table));
    }

    /// The source of a name.
    pub fn get(&self, name: &str) -> Option<&Source> {
        self.sources.get(name)
    }

    /// Whether a table is one of a database, which may compute a part of a program itself.
    pub fn has_database(&self) -> bool {
        self.sources.values().any(|source| matches!(source, Source::Table(table) if table.clone().sql().is_some()))
    }

    /// What is known of the tables that a program reads: of the columns it reads.
    pub fn statistics(&self, graph: &Graph, roots: &[NodeId]) -> Result<Statistics, SourceError> {
        let mut wanted: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for id in graph.post_order(roots) {
            if let (Some(source), Ty::Rel(fields)) = (graph.as_source(id), graph.ty(id)) {
                wanted.entry(source.name).or_default().extend(fields.names().cloned());
            }
        }
        let mut statistics = Statistics::default();
        for (name, columns) in wanted {
            let Some(Source::Table(table)) = self.get(&name) else { continue };
            let schema = table.schema();
            let places: Vec<usize> = columns.iter().filter_map(|c| schema.index_of(c).ok()).collect();
            statistics.tables.insert(name, table.statistics(&places)?);
        }
        Ok(statistics)
    }
}

/// The columns that a program asks of a source of rows: one node may ask for some, and another for others.
pub fn source_fields(graph: &Graph, name: &str) -> Vec<(Name, TyId)> {
    let mut fields: Vec<(Name, TyId)> = Vec::new();
    for source in graph.ids().filter_map(|id| graph.as_source(id)).filter(|source| source.name.as_str() == name) {
        let Ty::Rel(own) = graph.types().get(source.ty) else { continue };
        for field in own.iter() {
            if !fields.iter().any(|(known, _)| *known == field.name) {
                fields.push((field.name.clone(), field.ty));
            }
        }
    }
    fields
}
