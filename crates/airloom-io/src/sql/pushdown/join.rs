//! Joins.

use super::{Built, Key, Pushdown, select};
use airloom_ir::attrs::{JoinHow, NullMatch, Side};
use airloom_ir::graph::NodeId;
use airloom_ir::types::Ty;

impl Pushdown<'_, '_> {
    pub(super) fn join(&mut self, node: NodeId, depth: usize) -> Option<Built> {
        let graph = self.speaker.graph;
        let join = graph.as_join(node)?;
        if join.major != Side::Left || !matches!(join.how, JoinHow::Inner | JoinHow::Left | JoinHow::Semi | JoinHow::Anti) {
            return None;
        }
        let left = self.relation(join.left, depth)?;
        let right = self.relation(join.right, depth)?;
        let mut conditions = self.equal_keys(&join.left_keys, &join.right_keys, (&left, &right), &join.captures, join.nulls)?;
        let bindings = self.bindings(&[("l", &left), ("r", &right)], &join.captures);
        let predicate = self.speaker.value(graph.result_of(join.predicate), &bindings)?;
        conditions.push(predicate.text);
        let on = conditions.join(" AND ");
        let (from_left, from_right) = (format!("({}) AS l", left.text), format!("({}) AS r", right.text));
        let mut selected = left.columns_as_they_are("l");
        if join.how.is_test() {
            selected.extend(left.order_columns("l", 0));
            let not = if join.how == JoinHow::Anti { "NOT " } else { "" };
            let text = format!("{} WHERE {not}EXISTS (SELECT 1 FROM {from_right} WHERE {on})", select(&selected, &from_left));
            return Some(Built { text, ..left });
        }
        let width = left.columns.len();
        selected.extend((0..right.columns.len()).map(|at| format!("r.c{at} AS c{}", width + at)));
        let mut order = Vec::new();
        // Where the left rows are in no order, there is none to keep; matches of one row are in the order of the right, where it has one.
        if left.ordered {
            selected.extend(left.order_columns("l", 0));
            selected.extend(right.order_columns("r", left.order.len()));
            order = left.order.iter().chain(&right.order).map(|key| Key { place: false, ..*key }).collect();
        }
        let word = if join.how == JoinHow::Left { "LEFT JOIN" } else { "INNER JOIN" };
        let text = select(&selected, &format!("{from_left} {word} {from_right} ON {on}"));
        let columns = left.columns.into_iter().chain(right.columns).collect();
        Some(Built { text, columns, order, ordered: left.ordered, rows: None })
    }

    fn equal_keys(
        &mut self,
        left_keys: &NodeId,
        right_keys: &NodeId,
        sides: (&Built, &Built),
        captures: &[NodeId],
        nulls: NullMatch,
    ) -> Option<Vec<String>> {
        let graph = self.speaker.graph;
        let left_bindings = self.bindings(&[("l", sides.0)], captures);
        let left = self.speaker.row(graph.result_of(*left_keys), &left_bindings)?;
        let right_bindings = self.bindings(&[("r", sides.1)], captures);
        let right = self.speaker.row(graph.result_of(*right_keys), &right_bindings)?;
        let Ty::Struct(fields) = graph.ty(graph.result_of(*left_keys)) else { return None };
        let dialect = self.speaker.dialect;
        let sign = if nulls == NullMatch::Never { "=" } else { dialect.same() };
        let mut conditions = Vec::new();
        for (((_, left, _), (_, right, _)), field) in left.iter().zip(&right).zip(fields.iter()) {
            let ty = graph.types().plain(field.ty);
            // NaN finds NaN here, and zeros each other.
            if !dialect.groups(ty) || !left.plain || !right.plain {
                return None;
            }
            let left = if *ty == Ty::Str { dialect.by_bytes(&left.text) } else { left.text.clone() };
            conditions.push(format!("{left} {sign} {}", right.text));
        }
        Some(conditions)
    }
}
