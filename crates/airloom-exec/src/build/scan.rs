//! Scans of sources, and queries that databases compute.

use super::rows::select;
use super::scan_predicates::{DynamicFilterPredicate, tests};
use super::{Builder, Built, TableSource, pruning};
use crate::operators::{self, DynamicFilterProbe, FilterStep};
use crate::options::ExecOptions;
use airloom_compute::data::{Failure, schema_of, widens};
use airloom_compute::keys::DynamicFilter;
use airloom_io::source::sql::{SqlTable, query_from};
use airloom_io::source::{Division, PartitionSize, ScanPredicate, ScanSpec, Table};
use airloom_ir::graph::NodeId;
use airloom_ir::types::Ty;
use airloom_plan::bodies::reads;
use airloom_plan::explain::Partition;
use airloom_plan::value::{Node, PlanId, Query, Scan};
use arrow::datatypes::{Field, Schema};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::utils::collect_columns;
use std::sync::Arc;

/// What is asked of a reader besides columns. Columns are positions among those that are read.
struct Asked {
    /// Rows for which this is not true may be left out.
    predicate: Option<Arc<dyn PhysicalExpr>>,
    /// Nor is a row wanted that one of these does not want.
    tests: Vec<Arc<dyn ScanPredicate>>,
    /// The columns that are wanted for more than the tests.
    kept: Vec<usize>,
}

impl Builder<'_> {
    pub(super) fn scan(&mut self, id: PlanId, node: &Node, scan: &Scan) -> Result<Built, Failure> {
        let table = match self.sources.table(&scan.source)? {
            TableSource::Table(table) => table,
            TableSource::Rows(relation) => {
                let fields = self.source_fields(scan);
                let names: Vec<&str> = scan.reads.iter().map(|&at| fields.field(at).name().as_str()).collect();
                if let Some(missing) = names.iter().find(|name| relation.schema.index_of(name).is_err()) {
                    return Err(missing_column(&scan.source, missing, &relation.schema));
                }
                let rows = self.rows(&relation, names.into_iter())?;
                let built = self.operator(id, rows);
                return Ok(self.filtered(id, node, scan, built));
            }
            TableSource::Other => {
                let expected = self.plan.graph.types().show(scan.ty);
                return Err(Failure::Program(format!("the data of source `{}` is not of its type `{expected}`", scan.source)));
            }
        };
        self.table(id, node, scan, &table)
    }

    /// The columns that the program gives a source, in their physical types.
    fn source_fields(&self, scan: &Scan) -> Schema {
        let types = self.plan.graph.types();
        let Ty::Rel(fields) = types.get(scan.ty) else { panic!("invariant `a scan reads a relation`") };
        schema_of(types, fields).as_ref().clone()
    }

    fn table(&mut self, id: PlanId, node: &Node, scan: &Scan, table: &Arc<dyn Table>) -> Result<Built, Failure> {
        let (graph, wanted, schema) = (self.plan.graph.clone(), self.source_fields(scan), table.schema());
        let mut positions = Vec::with_capacity(scan.reads.len());
        let mut fields = Vec::with_capacity(scan.reads.len());
        for &at in &scan.reads {
            let field = wanted.field(at);
            let position = schema.index_of(field.name()).map_err(|_| missing_column(&scan.source, field.name(), &schema))?;
            let found = schema.field(position).data_type();
            if found != field.data_type() && !widens(found, field.data_type()) {
                let (column, expected) = (field.name(), field.data_type());
                return Err(Failure::Program(format!("column `{column}` of source `{}` is `{found}`, expected `{expected}`", scan.source)));
            }
            positions.push(position);
            fields.push(field.clone());
        }
        let mut asked = Asked { predicate: None, tests: Vec::new(), kept: (0..scan.reads.len()).collect() };
        let mut exact = scan.filter.is_none();
        // A table in memory applies no tests: making them ready would be for nothing.
        if let Some(filter) = scan.filter.as_ref().filter(|_| !table.is_in_memory()) {
            let captures = self.captures(filter);
            asked.predicate = pruning::predicate(&graph, filter.function, &captures, &scan.reads);
            (asked.tests, exact) = tests(&graph, self.plan.programs(), self.context, filter.function, &captures, &scan.reads);
            if exact {
                asked.kept.retain(|&at| node.columns.iter().any(|column| column.name.as_str() == fields[at].name()));
            }
        }
        let read = Schema::new(fields.clone());
        let filters = self.filters_of(&scan.dynamic, &read);
        let test = |(column, filter): &(usize, Arc<DynamicFilter>)| {
            Arc::new(DynamicFilterPredicate::new(*column, filter.clone())) as Arc<dyn ScanPredicate>
        };
        asked.tests.extend(filters.iter().map(test));
        let plain = scan_spec(positions, self.options);
        let (request, fits) = fitting(plain, asked, &schema, &fields);
        let read = table.scan(&request)?;
        if read.tested {
            fields = request.kept.iter().map(|&at| fields[at].clone()).collect();
        }
        let rows = operators::widened(read.plan.clone(), Arc::new(Schema::new(fields)));
        self.operators.computed.push((vec![id], read.plan));
        let built = Built::new(rows);
        Ok(match read.tested && fits {
            // The reader applied everything.
            true if exact => built,
            true => self.with_filter(id, node, scan, built),
            false => self.filtered(id, node, scan, built),
        })
    }

    /// Rows that a reader gave as they are, without those that the scan drops.
    fn filtered(&mut self, id: PlanId, node: &Node, scan: &Scan, mut built: Built) -> Built {
        if !scan.dynamic.is_empty() {
            let filters = self.filters_of(&scan.dynamic, &built.schema);
            let step = FilterStep::DynamicFilter(DynamicFilterProbe::new(&built.schema, filters));
            let schema = built.schema.clone();
            built = built.with_step(id, step, schema);
        }
        self.with_filter(id, node, scan, built)
    }

    fn with_filter(&mut self, id: PlanId, node: &Node, scan: &Scan, mut built: Built) -> Built {
        if let Some(filter) = &scan.filter {
            let schema = built.schema.clone();
            let positions = |roots: &[NodeId]| {
                let row = self.row_of(filter.function, 0);
                let mut positions = vec![None; row.len()];
                for at in reads(&self.plan.graph, roots, 0) {
                    positions[at] = schema.index_of(&row.get(at).expect("a field of the row").name).ok();
                }
                positions
            };
            let step = self.filter_step(filter, positions);
            built = built.with_step(id, step, schema);
        }
        let names = || node.columns.iter().map(|column| column.name.as_str());
        if built.schema.fields().iter().map(|field| field.name().as_str()).eq(names()) {
            return built;
        }
        let positions: Vec<usize> = names().map(|name| built.schema.index_of(name).expect("invariant `what is wanted is read`")).collect();
        select(built, id, &positions)
    }

    pub(super) fn query(&mut self, id: PlanId, node: &Node, query: &Query) -> Result<Built, Failure> {
        let mut tables: Vec<Arc<SqlTable>> = Vec::with_capacity(query.sources.len());
        for name in &query.sources {
            match self.sources.table(name)? {
                TableSource::Table(table) => tables.extend(table.sql()),
                _ => return Err(Failure::Program(format!("source `{name}` is no table of a database"))),
            }
        }
        if tables.len() != query.sources.len() {
            return Err(Failure::Program(format!("the tables of the query `{}` are not all in a database", query.text)));
        }
        let query = query_from(&tables, &query.text, &query.parameters, self.schema(&node.columns))
            .ok_or_else(|| Failure::Bug("invariant `a query reads a table`".into()))?;
        let rows = query.scan(self.options.morsel_rows).plan;
        Ok(self.operator(id, rows))
    }
}

/// What the partitions of a scan of these columns would read, before a filter rules any of it out; none where the table does not say.
pub fn planned_partitions(table: &Arc<dyn Table>, columns: Vec<usize>, options: &ExecOptions) -> Option<Vec<Partition>> {
    let sizes = table.partitions(&scan_spec(columns, options)).ok()?;
    Some(sizes.into_iter().map(partition).collect())
}

/// What a partition reads, to be shown.
pub(super) fn partition(size: PartitionSize) -> Partition {
    Partition { files: size.files, row_groups: size.row_groups, rows: size.rows, bytes: size.bytes }
}

/// A request for all rows of these columns, divided as the options say.
fn scan_spec(columns: Vec<usize>, options: &ExecOptions) -> ScanSpec {
    let partitions = Division { count: options.threads, bytes: options.partition_bytes };
    ScanSpec { partitions, ..ScanSpec::of(columns, options.threads, options.morsel_rows) }
}

/// A request with as much of the filter as can be pushed down to the reader, and whether that is the whole filter. A column that is widened is compared in its
/// own type: what reads such a column is not for the reader.
fn fitting(plain: ScanSpec, asked: Asked, schema: &Schema, fields: &[Field]) -> (ScanSpec, bool) {
    let same = |at: usize| schema.field(plain.columns[at]).data_type() == fields[at].data_type();
    let predicate = asked.predicate.filter(|predicate| collect_columns(predicate).iter().all(|column| same(column.index())));
    let (tests, others): (Vec<_>, Vec<_>) = asked.tests.into_iter().partition(|test| test.columns().iter().all(|&at| same(at)));
    if others.iter().any(|test| !test.is_optional()) {
        return (ScanSpec { predicate, ..plain }, false);
    }
    (ScanSpec { predicate, tests, kept: asked.kept, ..plain }, true)
}

fn missing_column(source: &str, column: &str, schema: &Schema) -> Failure {
    let names: Vec<String> = schema.fields().iter().map(|field| format!("`{}`", field.name())).collect();
    Failure::Program(format!("source `{source}` has no column `{column}`: it has {}", names.join(", ")))
}
