//! What the ops on relations mean.

mod asof;
mod group;
mod join;
mod pivot;
mod reshape;
mod rows;
mod sample;
mod window;

pub use sample::drawn;

use super::call::Call;
use super::stop::Stop;
use crate::ops::relation::Relation;
use crate::value::Value;

pub(super) fn apply(op: Relation, call: &Call<'_>) -> Result<Value, Stop> {
    match op {
        Relation::Project => rows::project(call),
        Relation::Filter => rows::filter(call),
        Relation::Group => group::group(call),
        Relation::Join => join::join(call),
        Relation::Asof => asof::asof(call),
        Relation::Sort => rows::sort(call),
        Relation::Slice => rows::slice(call),
        Relation::Top => rows::top(call),
        Relation::Concat => rows::concat(call),
        Relation::Distinct => group::distinct(call),
        Relation::Window => window::window(call),
        Relation::Explode => reshape::explode(call),
        Relation::Unpivot => pivot::unpivot(call),
        Relation::Pivot => pivot::pivot(call),
        Relation::Number => rows::number(call),
        Relation::Sample => sample::sample(call),
        Relation::Unordered => Ok(call.args[0].clone()),
        Relation::Columns => reshape::columns(call),
        Relation::Pack => reshape::pack(call),
        Relation::Rows => Ok(Value::Int(call.table(0).rows.len() as i128)),
    }
}
