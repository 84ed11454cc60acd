//! The reference engine: programs run on the oracle, which defines what they mean.

use crate::engine::{Engine, Job, Source};
use crate::errors::Error;
use airloom_exec::data::Datum;
use airloom_exec::data::values::array_to_values;
use airloom_exec::relation::Relation;
use airloom_ir::module::Locations;
use airloom_ir::name::Name;
use airloom_ir::oracle::{Limits, Oracle, Raised, Source as OracleSource};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use pyo3::PyErr;
use std::cell::RefCell;
use std::sync::Arc;

/// As much as is asked of it: whoever waits can interrupt it.
const LIMITS: Limits = Limits { steps: u64::MAX };

/// Runs programs on the oracle.
pub(crate) struct Reference;

impl Engine for Reference {
    fn run(&self, job: Job) -> Result<Datum, Error> {
        let module = &job.module;
        let types = module.graph.types();
        let params = module.graph.params_of(job.function).to_vec();
        let args: Vec<Value> = params.iter().zip(&job.args).map(|(&ty, datum)| datum.to_value(types, ty)).collect();
        let raised: RefCell<Option<PyErr>> = RefCell::new(None);
        let host = |name: &str, args: &[Value]| {
            let function = job.hosts.get(name).ok_or_else(|| "there is no Python function of this name; hint: `hosts=`".to_string())?;
            function.call_values(args).map_err(|error| keep(error, &raised))
        };
        let mut oracle = Oracle::new(&module.graph, LIMITS).with_host(&host).with_stop(job.cancel.flag());
        for (name, source) in &job.sources {
            oracle = oracle.with_source(name, to_oracle(types, source));
        }
        let result = oracle.call(job.function, &args);
        match result {
            Ok(value) => Ok(Datum::from_value(types, module.graph.ty_id(module.graph.result_of(job.function)), &value)),
            Err(_) if job.cancel.is_cancelled() => Err(Error::Cancelled),
            Err(raised_here) => {
                let told = told(&module.locations, &raised_here);
                Err(Error::Raised(told, raised.take()))
            }
        }
    }
}

/// What a Python function raised, kept as it is; the oracle is told of it in words.
fn keep(error: PyErr, raised: &RefCell<Option<PyErr>>) -> String {
    let text = error.to_string();
    *raised.borrow_mut() = Some(error);
    text
}

fn to_oracle(types: &Types, source: &Source) -> OracleSource {
    let columns: Vec<Name> = source.columns.iter().map(|(name, _)| name.clone()).collect();
    let value = match &source.data {
        Datum::Table(relation) => Value::rel(columns.len(), rows(types, &source.columns, relation)),
        other => other.to_value(types, source.ty),
    };
    OracleSource { columns, value }
}

fn rows(types: &Types, fields: &[(Name, TyId)], relation: &Relation) -> Vec<Arc<[Value]>> {
    let mut rows = Vec::new();
    for batch in relation.batches.iter() {
        let columns: Vec<Vec<Value>> = fields.iter().zip(batch.columns()).map(|((_, ty), c)| array_to_values(types, *ty, c)).collect();
        rows.extend((0..batch.num_rows()).map(|at| columns.iter().map(|c| c[at].clone()).collect()));
    }
    rows
}

/// What a program raised, with the line of the user's that it was raised for.
pub(crate) fn told(locations: &Locations, raised: &Raised) -> String {
    let places = raised.node.map(|n| locations.of(n)).unwrap_or_default();
    let place = places.first().map(|p| format!(" ({p})")).unwrap_or_default();
    format!("{}{place}", raised.message)
}
