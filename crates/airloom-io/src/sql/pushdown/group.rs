//! Groups, and distinct rows.

use super::{Built, Key, Pushdown, select};
use crate::sql::Dialect;
use crate::sql::expression::Column;
use airloom_ir::attrs::{Keep, Skip};
use airloom_ir::graph::NodeId;
use airloom_ir::types::{IntTy, Ty, TyId};

impl Pushdown<'_, '_> {
    pub(super) fn group(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let graph = self.speaker.graph;
        let group = graph.as_group(node)?;
        // The reductions that are said come to the same in any order, and one group comes first in any.
        let one = matches!(graph.ty(graph.result_of(group.keys)), Ty::Struct(fields) if fields.is_empty());
        let input = if one { self.in_any_order(group.input, depth)? } else { self.relation(group.input, depth)? };
        let keys = self.body_row(group.keys, &[&input], &group.captures)?;
        let Ty::Struct(key_fields) = graph.ty(graph.result_of(group.keys)) else { return None };
        let Ty::Rel(input_fields) = graph.ty(group.input) else { return None };
        // Groups come in the order of their first rows, which is known where one column is the position of a row.
        let placed = matches!(input.order.as_slice(), [Key { place: true, .. }]);
        if !keys.is_empty() && input.ordered && !placed {
            return None;
        }
        let (mut selected, mut by, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for ((name, said, _), field) in keys.iter().zip(key_fields.iter()) {
            let ty = graph.types().plain(field.ty);
            if !self.speaker.dialect.groups(ty) || !said.plain {
                return None;
            }
            let key = if *ty == Ty::Str { self.speaker.dialect.by_bytes(&said.text) } else { said.text.clone() };
            selected.push(format!("{key} AS c{}", columns.len()));
            by.push(key);
            columns.push(Column { name: name.clone(), plain: true, bound: said.bound });
        }
        let aggregates = graph.as_row(graph.result_of(group.aggregates))?;
        for (name, value) in aggregates.names.iter().zip(&aggregates.values) {
            let text = self.aggregate(*value, &input, |name| input_fields.ty(name))?;
            selected.push(format!("{text} AS c{}", columns.len()));
            columns.push(Column { name: name.clone(), plain: true, bound: None });
        }
        let mut order = Vec::new();
        if placed && !keys.is_empty() {
            selected.push("MIN(t.o0) AS o0".to_string());
            order.push(Key::PLACE);
        }
        let mut text = select(&selected, &format!("({}) AS t", input.text));
        if !by.is_empty() {
            text.push_str(&format!(" GROUP BY {}", by.join(", ")));
        }
        // One row is in order whatever its order is.
        let ordered = keys.is_empty() || input.ordered;
        Some(Built { text, columns, order, ordered, rows: input.rows.map(|rows| rows.max(1)) })
    }

    /// A reduction of a column of the group.
    fn aggregate(&self, node: NodeId, input: &Built, ty_of: impl Fn(&str) -> Option<TyId>) -> Option<String> {
        let graph = self.speaker.graph;
        let (array, skip, kind) = if let Some(sum) = graph.as_arr_sum(node) {
            (sum.array, sum.skip, (sum.min_count == 0 && sum.axes.is_empty()).then_some("sum")?)
        } else if let Some(mean) = graph.as_arr_mean(node) {
            (mean.array, mean.skip, mean.axes.is_empty().then_some("mean")?)
        } else if let Some(least) = graph.as_arr_min(node) {
            (least.array, least.skip, least.axes.is_empty().then_some("MIN")?)
        } else if let Some(greatest) = graph.as_arr_max(node) {
            (greatest.array, greatest.skip, greatest.axes.is_empty().then_some("MAX")?)
        } else {
            let count = graph.as_arr_count(node)?;
            (count.array, count.skip, count.axes.is_empty().then_some("count")?)
        };
        let get = graph.as_get(array)?;
        (graph.as_param(get.record)?.number == 0).then_some(())?;
        let at = input.columns.iter().position(|column| column.name == get.field)?;
        let ty = ty_of(&get.field)?;
        let (plain, nullable) = (graph.types().plain(ty), graph.types().nullable(ty));
        let column = format!("t.c{at}");
        let dialect = self.speaker.dialect;
        // A null that is not passed over makes the result null, which SQL's aggregates never do.
        let skips_nulls = matches!(skip, Skip::Null | Skip::All);
        if kind != "count" && nullable && !skips_nulls {
            return None;
        }
        match (kind, plain) {
            ("count", Ty::F64 | Ty::F32) if dialect == Dialect::Postgres => None,
            ("count", _) if skips_nulls => Some(format!("COUNT({column})")),
            ("count", _) => Some("COUNT(*)".to_string()),
            ("sum", Ty::Int(int)) => self.sum_fits(*int, input, at, 1 << 63).then(|| format!("COALESCE(SUM({column}), 0)")),
            // Both are exact below 2^53, so that one division rounds the same here and there.
            ("mean", Ty::Int(int)) if dialect == Dialect::Sqlite => {
                self.sum_fits(*int, input, at, 1 << 53).then(|| format!("CAST(SUM({column}) AS REAL) / COUNT({column})"))
            }
            ("MIN" | "MAX", Ty::Str) if input.columns[at].plain && self.speaker.ordered_text => {
                Some(format!("{kind}({})", dialect.by_bytes(&column)))
            }
            ("MIN" | "MAX", Ty::Int(_) | Ty::Date | Ty::Timestamp { .. }) => Some(format!("{kind}({column})")),
            _ => None,
        }
    }

    /// Whether no sum of the column can reach a limit: here it would wrap, there it would raise or become a float.
    fn sum_fits(&self, int: IntTy, input: &Built, column: usize, limit: u128) -> bool {
        // PostgreSQL adds up short numbers in 64 bits, which no table has rows enough to fill.
        if self.speaker.dialect == Dialect::Postgres && limit == 1 << 63 {
            return matches!(int, IntTy::I16 | IntTy::I32);
        }
        let most = input.rows.zip(input.columns[column].bound).map(|(rows, bound)| u128::from(rows).saturating_mul(bound));
        most.is_some_and(|most| most < limit)
    }

    pub(super) fn distinct(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let graph = self.speaker.graph;
        let distinct = graph.as_distinct(node)?;
        let input = self.relation(distinct.input, depth)?;
        let keys = self.body_row(distinct.keys, &[&input], &distinct.captures)?;
        let Ty::Rel(fields) = graph.ty(node) else { return None };
        let placed = matches!(input.order.as_slice(), [Key { place: true, .. }]);
        let every = |at: usize| keys.iter().any(|(_, said, _)| said.text == format!("t.c{at}"));
        // Rows that agree in all columns are the same row, so that any of them may stay.
        if distinct.keep != Keep::First || (input.ordered && !placed) || !(0..input.columns.len()).all(every) || input.columns.is_empty() {
            return None;
        }
        let dialect = self.speaker.dialect;
        let mut by = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let ty = graph.types().plain(field.ty);
            if !dialect.groups(ty) || !input.columns[at].plain {
                return None;
            }
            let column = format!("t.c{at}");
            by.push(if *ty == Ty::Str { dialect.by_bytes(&column) } else { column });
        }
        let mut selected: Vec<String> = by.iter().enumerate().map(|(at, key)| format!("{key} AS c{at}")).collect();
        if placed {
            selected.push("MIN(t.o0) AS o0".to_string());
        }
        let text = format!("{} GROUP BY {}", select(&selected, &format!("({}) AS t", input.text)), by.join(", "));
        Some(Built { text, ..input })
    }
}
