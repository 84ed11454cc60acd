//! Rows of two frames, side by side.

use super::expression::Expr;
use super::lazy::{Frame, key_row, row_of, shown};
use crate::session::Error;
use airloom_ir::attrs::{JoinHow, NullMatch, Side};
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::types::Ty;

impl Frame {
    /// The pairs of rows that are equal in their keys, which null never is. The order is that of the left rows, then that of the right.
    ///
    /// A key of the same name on both sides is once in the result; another column of the right whose name is taken has `_right` added to it.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// use airloom::{JoinHow, col};
    ///
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let best = sales(&session)?.group_by(["city"]).agg([col("price").max()])?;
    /// let both = sales(&session)?.join(&best, JoinHow::Inner, ["city"], ["city"])?;
    /// assert_eq!(both.columns(), ["city", "day", "amount", "price", "price_right"]);
    /// assert_eq!(both.count()?, 4);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn join<'a>(
        mut self,
        other: &Frame,
        how: JoinHow,
        left_on: impl IntoIterator<Item = &'a str>,
        right_on: impl IntoIterator<Item = &'a str>,
    ) -> Result<Frame, Error> {
        let (left_on, right_on): (Vec<&str>, Vec<&str>) = (left_on.into_iter().collect(), right_on.into_iter().collect());
        let filters = how.is_test();
        let (left_columns, right_columns) = (self.columns(), other.columns());
        // A key that has one name on both sides is once in the result.
        let shared = |name: &str| left_on.iter().zip(&right_on).any(|(left, right)| left == right && *right == name);
        let renamed = |name: &str| match left_columns.iter().any(|left| left == name) {
            true if shared(name) => format!(" {name}"),
            true => format!("{name}_right"),
            false => name.to_string(),
        };
        let clash = !filters && right_columns.iter().any(|name| renamed(name) != *name);
        let right = match clash {
            true => other.clone().project(|fields| fields.names().map(|n| Expr::from(n.as_str()).alias(&renamed(n))).collect())?,
            false => other.clone(),
        };
        let right_keys: Vec<Expr> = right_on
            .iter()
            .map(|name| match clash && right_columns.iter().any(|known| known == name) {
                true => Expr::from(renamed(name)).alias(name),
                false => Expr::from(*name),
            })
            .collect();
        let left_keys: Vec<Expr> = left_on.iter().map(|name| Expr::from(*name)).collect();
        let second = self.import(&right)?;
        let joined = self.step(|graph, first, fields| {
            let Ty::Rel(others) = graph.ty(second).clone() else { return Err("invariant `a frame is a relation`".into()) };
            let (left, right) = (row_of(graph, &fields)?, row_of(graph, &others)?);
            let left_key = key_row(graph, &fields, left, left_keys.iter())?;
            let right_key = key_row(graph, &others, right, right_keys.iter())?;
            let (one, two) = (row_of(graph, &fields)?, row_of(graph, &others)?);
            let always = graph.truth(true);
            let bodies: [(&[_], _); 3] = [(&[left], left_key), (&[right], right_key), (&[one, two], always)];
            let closed = graph.close_all(&bodies, &[]).map_err(shown)?;
            let [a, b, c] = [closed.bodies[0], closed.bodies[1], closed.bodies[2]];
            let made = BuildRelation::join(graph, first, second, a, b, c, &closed.captures, how, NullMatch::Never, Side::Left);
            made.map_err(|error| error.message)
        })?;
        if !clash {
            return Ok(joined);
        }
        joined.project(|_| {
            let key = |name: &String| {
                let (left, right) = (Expr::from(name), Expr::from(format!(" {name}")));
                let value = match how {
                    JoinHow::Right => right,
                    JoinHow::Outer => left.fill_null(right),
                    _ => left,
                };
                value.alias(name)
            };
            let lefts = left_columns.iter().map(|name| if shared(name) { key(name) } else { Expr::from(name) });
            let rights = right_columns.iter().filter(|name| !shared(name)).map(|name| Expr::from(renamed(name)));
            lefts.chain(rights).collect()
        })
    }
}
