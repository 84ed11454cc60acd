//! The reference engine: programs run on the oracle, which defines what they mean.

use crate::engine::{Job, Source};
use airloom_compute::data::values::array_to_values;
use airloom_compute::data::{Datum, Host, Relation};
use airloom_exec::place::{Backend, OracleBackend};
use airloom_ir::name::Name;
use airloom_ir::oracle::{Limits, Source as OracleSource};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// As much as is asked of it: whoever waits can interrupt it.
const LIMITS: Limits = Limits { steps: u64::MAX };

/// The oracle with the sources of a job.
pub(crate) fn oracle(job: &Job, host: Arc<dyn Host>) -> Arc<dyn Backend> {
    let types = job.module.graph.types();
    let with = |oracle: OracleBackend, (name, source): (&String, &Source)| oracle.with_source(name, to_oracle(types, source));
    Arc::new(job.sources.iter().fold(OracleBackend::new(host, LIMITS), with))
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
