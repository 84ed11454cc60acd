//! Operators in which the order of rows is made, counted or kept.

use super::{Builder, Built};
use crate::operators::{self, BoundBody, Draw, FilterStep, Output, Sorting};
use airloom_compute::data::Failure;
use airloom_ir::attrs::SortKey;
use airloom_ir::oracle::Raised;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_plan::value::{Body, Node, PlanId, SlotId};
use arrow::datatypes::{Field, Schema};
use std::sync::Arc;

impl Builder<'_> {
    pub(super) fn sort(&mut self, id: PlanId, node: &Node, keys: &Body, by: &[SortKey], fetch: Option<SlotId>) -> Result<Built, Failure> {
        let fetch = fetch.map(|slot| self.count(node, slot)).transpose()?.map(|count| count.unwrap_or(0));
        let columns = &self.plan.node(node.inputs[0]).columns;
        let (mut body, key_types) = self.row_body(keys, columns);
        let input = self.input_of(node).clone();
        // The rows with their keys behind them; afterwards the keys are dropped.
        let own = columns.len();
        let mut fields: Vec<Field> = input.schema.fields().iter().map(|field| field.as_ref().clone()).collect();
        for (at, &ty) in key_types.iter().enumerate() {
            let data_type = airloom_compute::data::type_to_arrow(self.plan.graph.types(), ty).expect("invariant `columns hold values`");
            fields.push(Field::new(format!("key {at}"), data_type, true));
        }
        let copies = body.outputs.iter().map(|output| if let Output::Column(at) = output { Some(*at) } else { None }).collect();
        let mut outputs: Vec<Output> = (0..own).map(Output::Column).collect();
        outputs.append(&mut body.outputs);
        let mut types = vec![TyId::BOOL; own];
        types.extend(&key_types);
        let (schema, kept) = (Arc::new(Schema::new(fields)), input.schema.clone());
        let body = BoundBody { outputs, ..body };
        let keyed = Built { steps: input.steps, ..input };
        let computes = keyed.computes.clone();
        let mut keyed = keyed.with_step(id, FilterStep::Project { body, types, schema: schema.clone() }, schema);
        // What makes the keys is a part of the sort.
        keyed.computes = computes;
        let keyed = self.seal(keyed);
        let sorting = Sorting { copies, ..self.sorting(keyed.schema(), kept, own, key_types, by.to_vec()) };
        let sorted = operators::sorted(keyed, sorting, fetch)?;
        Ok(self.operator(id, sorted))
    }

    pub(super) fn limit(&mut self, id: PlanId, node: &Node, offset: SlotId, count: SlotId, stops_early: bool) -> Result<Built, Failure> {
        let offset = self.integer(offset)?.unwrap_or(0);
        let count = self.count(node, count)?;
        let input = self.sealed(node.inputs[0]);
        Ok(self.operator(id, operators::slice(self.options, input, offset, count, stops_early)))
    }

    pub(super) fn sample(&mut self, id: PlanId, node: &Node, count: SlotId, key: SlotId, replace: bool) -> Result<Built, Failure> {
        let number = |value: Value| match value {
            Value::Int(number) => Ok(number),
            other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected an integer, found {other:?}"))),
        };
        let (count, key) = (number(self.value(count))?, number(self.value(key))? as u64);
        let (input, node) = (self.sealed(node.inputs[0]), self.origin(node));
        let operator = operators::sample(self.options, input, Draw { count, key, replace, node });
        Ok(self.operator(id, operator))
    }

    /// An integer, or null.
    fn integer(&self, slot: SlotId) -> Result<Option<i64>, Failure> {
        match self.value(slot) {
            Value::Int(number) => Ok(Some(number as i64)),
            Value::Null => Ok(None),
            other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a count, found {other:?}"))),
        }
    }

    /// A number of rows, or null for all of them.
    fn count(&self, node: &Node, slot: SlotId) -> Result<Option<usize>, Failure> {
        let Some(rows) = self.integer(slot)? else { return Ok(None) };
        match usize::try_from(rows) {
            Ok(rows) => Ok(Some(rows)),
            Err(_) => {
                let raised = Raised::new(format!("the number of rows must not be negative, found {rows}"));
                Err(Raised { node: self.origin(node), ..raised }.into())
            }
        }
    }
}
