//! The oracle as a backend: it takes everything, slowly, and is right by definition.

use super::backend::{Backend, Compiled, Refusal};
use crate::run::{Run, Source, source_fields};
use airloom_compute::data::values::array_to_values;
use airloom_compute::data::{Datum, Failure};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::oracle::{Limits, Oracle, Source as OracleSource};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::sync::Arc;

/// The oracle. It calls the host of the run, and where it runs whole programs it reads the run's sources, which must be in memory: it knows no tables.
#[derive(Clone)]
pub struct OracleBackend {
    limits: Limits,
}

impl OracleBackend {
    /// What the oracle is called.
    pub const NAME: &str = "oracle";

    /// An oracle that works for so long.
    pub fn new(limits: Limits) -> OracleBackend {
        OracleBackend { limits }
    }
}

impl Backend for OracleBackend {
    fn name(&self) -> &str {
        OracleBackend::NAME
    }

    fn supports(&self, _: &Module, _: NodeId) -> Result<Result<(), Refusal>, Failure> {
        Ok(Ok(()))
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        let graph = &program.graph;
        let mut sources: Vec<Name> =
            graph.post_order(&[function]).into_iter().filter_map(|id| graph.as_source(id)).map(|s| s.name).collect();
        sources.sort_unstable();
        sources.dedup();
        Ok(Arc::new(OraclePart { limits: self.limits, program: program.clone(), function, sources }))
    }
}

/// A function for the oracle.
struct OraclePart {
    limits: Limits,
    program: Arc<Module>,
    function: NodeId,
    /// The names of the sources that it reads: none where others run parts of the program too.
    sources: Vec<Name>,
}

impl Compiled for OraclePart {
    fn run(&self, inputs: Vec<Datum>, run: &Run) -> Result<Datum, Failure> {
        let (graph, types) = (&self.program.graph, self.program.graph.types());
        let params = graph.params_of(self.function);
        let args: Vec<Value> = inputs.iter().zip(params).map(|(datum, &ty)| datum.to_value(types, ty)).collect();
        let host = |name: &str, args: &[Value]| run.host.value(name, args);
        let mut oracle = Oracle::new(graph, self.limits).with_host(&host).with_stop(run.cancel.flag());
        for name in &self.sources {
            if let Some(source) = run.sources.get(name).and_then(|source| to_oracle(graph, name, source)) {
                oracle = oracle.with_source(name, source);
            }
        }
        match oracle.call(self.function, &args) {
            Ok(value) => Ok(Datum::from_value(types, graph.ty_id(graph.result_of(self.function)), &value)),
            Err(_) if run.cancel.is_cancelled() => Err(Failure::Cancelled),
            Err(raised) => Err(raised.into()),
        }
    }
}

/// A source with the columns that a program asks of it; none where it is a table, or has other columns.
fn to_oracle(graph: &Graph, name: &Name, source: &Source) -> Option<OracleSource> {
    let types = graph.types();
    match source {
        Source::Table(_) => None,
        Source::Datum(Datum::Table(relation)) => {
            let fields = source_fields(graph, name);
            let places = fields.iter().map(|(name, _)| relation.schema.index_of(name).ok()).collect::<Option<Vec<usize>>>()?;
            let mut rows: Vec<Arc<[Value]>> = Vec::with_capacity(relation.rows());
            for batch in relation.batches.iter() {
                let column = |(field, &at): (&(Name, TyId), &usize)| array_to_values(types, field.1, batch.column(at));
                let columns: Vec<Vec<Value>> = fields.iter().zip(&places).map(column).collect();
                rows.extend((0..batch.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect()));
            }
            Some(OracleSource { value: Value::rel(fields.len(), rows), columns: fields.into_iter().map(|(name, _)| name).collect() })
        }
        Source::Datum(datum) => {
            let ty = graph.ids().filter_map(|id| graph.as_source(id)).find(|source| source.name == *name)?.ty;
            Some(OracleSource { columns: Vec::new(), value: datum.to_value(types, ty) })
        }
    }
}
