//! Which columns of which tables are looked at before a program is planned: those by which the rules may decide something.

use super::error::Error;
use super::relevance::names_that_matter;
use airloom_compute::arrow::datatypes::DataType;
use airloom_exec::run::{Catalog, Source, source_fields};
use airloom_ir::graph::Graph;
use airloom_ir::name::Name;
use airloom_opt::facts::Statistics;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// So few rows are looked at in less time than it takes to find out whether to.
const FEW: u64 = 1 << 14;

/// What is known of the columns that a program reads of these tables, as far as it may change its plan. A table is looked at once, whoever asks.
pub(super) fn gather<'a>(graph: &Graph, sources: &Catalog, names: impl Iterator<Item = &'a Name>) -> Result<Statistics, Error> {
    let mut statistics = Statistics::default();
    // Joins and sorts are what statistics change; groups take the range of keys that are integers. Without them looking at every value does not pay.
    let has = |ops: &[&str]| graph.ids().any(|id| ops.contains(&graph.op(id).name()));
    let joins = has(&["rel.join", "rel.sort", "rel.distinct", "rel.top"]);
    if !joins && !has(&["rel.group"]) {
        return Ok(statistics);
    }
    let matter: OnceCell<Option<BTreeSet<Name>>> = OnceCell::new();
    for name in names {
        let Some(Source::Table(table)) = sources.get(name) else { continue };
        let schema = table.schema();
        let pays = |name: &Name, place: usize| {
            let data_type = schema.field(place).data_type();
            if !joins && *data_type != DataType::Int64 {
                return false;
            }
            table.rows().is_some_and(|rows| rows <= FEW)
                || (joins && !takes_long(data_type))
                || matter.get_or_init(|| names_that_matter(graph)).as_ref().is_none_or(|names| names.contains(name))
        };
        let fields = source_fields(graph, name);
        let places = fields.iter().filter_map(|(name, _)| schema.index_of(name).ok().filter(|&place| pays(name, place)));
        let places: Vec<usize> = places.collect();
        statistics.tables.insert(name.clone(), table.statistics(&places)?);
    }
    Ok(statistics)
}

/// Whether looking at values of a type takes long, for what is seldom of use.
fn takes_long(data_type: &DataType) -> bool {
    !data_type.is_integer() && !data_type.is_temporal() && !data_type.is_decimal() && *data_type != DataType::Boolean
}
