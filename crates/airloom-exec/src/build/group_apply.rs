//! Operators over all rows of each key: windows, pivots, groups made by a body.

use super::{Builder, Built};
use crate::operators::{BoundBody, Cut, Emit, GroupApply, GroupBody, GroupColumns, Stay, Window as WholeWindow};
use airloom_compute::body::vector_part;
use airloom_compute::data::{Datum, Failure, record_batch};
use airloom_compute::keys::GroupTable;
use airloom_compute::order::GroupLayout;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::{TyId, Types};
use airloom_plan::bodies::{fields_of, reads};
use airloom_plan::value::{BlockId, Body, Column, Node, Order, Pivot, PlanId, Window};
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::take;
use std::collections::HashMap;

/// A failure of a node, where it is known and the failure does not say already of which.
fn located(failure: Failure, origin: Option<NodeId>) -> Failure {
    match origin {
        Some(node) => failure.at(node),
        None => failure,
    }
}

/// What a body makes of rows, as columns.
pub(super) fn made(types: &Types, body: &BoundBody, tys: &[TyId], rows: &RecordBatch) -> Result<Vec<ArrayRef>, Failure> {
    let vectors = body.run(rows)?;
    Ok(vectors.iter().zip(tys).map(|(vector, &ty)| vector.to_array(types, ty, rows.num_rows())).collect())
}

/// A body over the columns of parts, and where each field it sees is found among the columns of its input.
struct OverGroups {
    body: GroupBody,
    fields: Vec<Option<usize>>,
}

impl OverGroups {
    fn columns(&self, rows: &RecordBatch, parts: &GroupLayout) -> GroupColumns {
        self.fields.iter().map(|position| position.map(|at| parts.together(rows.column(at)))).collect()
    }
}

impl Builder<'_> {
    fn over_groups(&self, body: &Body, block: BlockId, columns: &[Column]) -> OverGroups {
        let graph = &self.plan.graph;
        let captures: Vec<Datum> = body.captures.iter().map(|&slot| self.datum(slot)).collect();
        let mut fields = self.positions(body.function, 0, columns);
        // Only what the body reads is brought together by parts.
        let read = reads(graph, &[graph.result_of(body.function)], 0);
        fields.iter_mut().enumerate().filter(|(at, _)| !read.contains(at)).for_each(|(_, position)| *position = None);
        let body = GroupBody {
            plan: self.plan.clone(),
            context: self.context.clone(),
            threads: self.options.threads,
            block,
            body: body.function,
            captures,
        };
        OverGroups { body, fields }
    }

    fn over_keys(&mut self, id: PlanId, node: &Node, keyed: GroupApply) -> Built {
        let (schema, input) = (self.schema(&node.columns), self.sealed(node.inputs[0]));
        let operator =
            keyed.over(&self.plan.graph, &self.context.cancel, self.options, input, schema, node.properties.order != Order::Free);
        self.operator(id, operator)
    }

    pub(super) fn group_apply(&mut self, id: PlanId, node: &Node, keys: &Body, aggregates: &Body, block: BlockId) -> Built {
        let graph = self.plan.graph.clone();
        let columns = &self.plan.node(node.inputs[0]).columns;
        let over = self.over_groups(aggregates, block, columns);
        let (keys, key_types) = self.row_body(keys, columns);
        let aggregate_types: Vec<TyId> = fields_of(&graph, graph.result_of(aggregates.function)).iter().map(|field| field.ty).collect();
        let made_schema = self.schema(&node.columns);
        let make = move |rows: &RecordBatch, table: &GroupTable, groups: &[u32], _: usize| {
            let (types, count) = (graph.types(), table.len());
            let parts = GroupLayout::of(groups, count);
            let row = over.body.values(&over.columns(rows, &parts), &parts.ends)?;
            let aggregates = aggregate_types.iter().enumerate().map(|(at, &ty)| vector_part(&row, at).to_array(types, ty, count));
            Ok(record_batch(&made_schema, table.keys(types).into_iter().chain(aggregates).collect(), count))
        };
        self.over_keys(id, node, GroupApply { name: "Groups", keys, key_types, emit: Emit::Key, stay: Stay::Nowhere, make: Box::new(make) })
    }

    pub(super) fn window(&mut self, id: PlanId, node: &Node, window: &Window) -> Built {
        let graph = self.plan.graph.clone();
        let columns = &self.plan.node(node.inputs[0]).columns;
        let (order, order_types) = self.row_body(&window.order, columns);
        let (keys, key_types) = self.row_body(&window.keys, columns);
        let over = self.over_groups(&window.columns, window.block, columns);
        if key_types.is_empty()
            && window.by.is_empty()
            && let Some(cut) = Cut::of(&graph, window.columns.function, &over.body.captures)
        {
            let (schema, input, origin) = (self.schema(&node.columns), self.sealed(node.inputs[0]), self.origin(node));
            let whole = WholeWindow { body: over.body, fields: over.fields, cut, origin };
            return self.operator(id, whole.over(self.options, input, schema));
        }
        let (made_schema, by, origin) = (self.schema(&node.columns), window.by.clone(), self.origin(node));
        let stay = match by.is_empty() {
            true if over.body.goes_in_pieces() => Stay::InPieces,
            true if over.body.goes_in_place() => Stay::InPlace,
            _ => Stay::Nowhere,
        };
        let parts_rows = self.options.parts_rows;
        let make = move |rows: &RecordBatch, table: &GroupTable, of_rows: &[u32], threads: usize| {
            let with =
                |added: Vec<ArrayRef>| record_batch(&made_schema, rows.columns().iter().cloned().chain(added).collect(), rows.num_rows());
            if stay != Stay::Nowhere {
                let columns = over.fields.iter().map(|position| position.map(|at| rows.column(at).clone())).collect();
                // What groups come to is kept for each piece: pieces have several rows of each.
                let piece = parts_rows.max(4 * table.len());
                if let Some(added) = over.body.columns_in_place(&columns, of_rows, table.len(), threads, piece) {
                    return Ok(with(added));
                }
            }
            let order = made(graph.types(), &order, &order_types, rows)?;
            let count = if rows.num_rows() == 0 { 0 } else { table.len() };
            let parts = GroupLayout::of(of_rows, count).sorted(graph.types(), &order, &order_types, &by)?;
            let added = over.body.columns(&over.columns(rows, &parts), &parts.ends);
            Ok(with(parts.apart(added.map_err(|failure| located(failure, origin))?)))
        };
        self.over_keys(id, node, GroupApply { name: "Window", keys, key_types, emit: Emit::Row, stay, make: Box::new(make) })
    }

    pub(super) fn pivot(&mut self, id: PlanId, node: &Node, pivot: &Pivot) -> Built {
        let graph = self.plan.graph.clone();
        let columns = &self.plan.node(node.inputs[0]).columns;
        let on = self.value_body(&pivot.on, columns);
        let on_type = graph.ty_id(graph.result_of(pivot.on.function));
        let (keys, key_types) = self.row_body(&pivot.keys, columns);
        let over = self.over_groups(&pivot.aggregate, pivot.block, columns);
        let value_type = graph.ty_id(graph.result_of(pivot.aggregate.function));
        let (made_schema, names) = (self.schema(&node.columns), pivot.names.clone());
        let make = move |rows: &RecordBatch, table: &GroupTable, groups: &[u32], _: usize| {
            let types = graph.types();
            let on = made(types, &on, &[on_type], rows)?.pop().expect("a body has a result");
            let cells = Cells::of(groups, table.len(), &on, &names);
            let values = over.body.values(&over.columns(rows, &cells.parts), &cells.parts.ends)?;
            let values = values.to_array(types, value_type, cells.parts.ends.len());
            let column = |name: usize| -> ArrayRef {
                let places: UInt32Array = (0..table.len()).map(|group| cells.places[group * names.len() + name]).collect();
                take(&values, &places, None).expect("cells there are")
            };
            let columns = table.keys(types).into_iter().chain((0..names.len()).map(column)).collect();
            Ok(record_batch(&made_schema, columns, table.len()))
        };
        self.over_keys(id, node, GroupApply { name: "Pivot", keys, key_types, emit: Emit::Key, stay: Stay::Nowhere, make: Box::new(make) })
    }
}

/// The rows of each cell of a pivot, of those that have any: group by group, and within one in the order of names.
struct Cells {
    parts: GroupLayout,
    /// The part of each cell.
    places: Vec<Option<u32>>,
}

impl Cells {
    fn of(groups: &[u32], count: usize, on: &ArrayRef, names: &[Name]) -> Cells {
        let numbers: HashMap<&str, usize> = names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let on = on.as_string_view();
        let mut sizes = vec![0usize; count * names.len()];
        let mut kept: Vec<(u32, usize)> = Vec::with_capacity(groups.len());
        for (row, &group) in groups.iter().enumerate().filter(|(row, _)| on.is_valid(*row)) {
            if let Some(number) = numbers.get(on.value(row)) {
                let cell = group as usize * names.len() + number;
                sizes[cell] += 1;
                kept.push((row as u32, cell));
            }
        }
        let (mut ends, mut places, mut starts, mut sum) = (Vec::new(), vec![None; sizes.len()], vec![0; sizes.len()], 0);
        for (cell, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
            places[cell] = Some(ends.len() as u32);
            starts[cell] = sum;
            sum += size;
            ends.push(sum);
        }
        let mut rows = vec![0u32; sum];
        for (row, cell) in kept {
            rows[starts[cell]] = row;
            starts[cell] += 1;
        }
        Cells { parts: GroupLayout::new(rows.into(), ends), places }
    }
}
