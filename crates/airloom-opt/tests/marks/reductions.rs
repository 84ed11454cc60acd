//! Partial results of reductions, combined as is declared.

use crate::applications::{Application, Made};
use crate::moments;
use crate::pieces::{Rows, cut, rows, ways};
use airloom_ir::attrs::{Attr, AttrType, Attrs, Skip};
use airloom_ir::ops::Combine;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::{Dim, Ty, TyId};
use airloom_ir::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// Reduces the pieces in every way of cutting and combines them. Gives how many ways were tried.
pub(crate) fn check(application: &Application<'_>, combine: Combine) -> Result<usize, String> {
    let Rows::Of(count) = rows([&application.args[0]]) else { return Ok(0) };
    if combine == Combine::Sum {
        return sums(application, count);
    }
    let Some(reduction) = Reduction::of(application) else { return Ok(0) };
    let mut tried = 0;
    for way in ways(count) {
        let Some(found) = reduction.combined(combine, &way) else { continue };
        let found = found.map_err(|message| format!("cut at {way:?}: {message}"))?;
        let Ok(whole) = &application.result else { return Err(format!("the whole raises, the pieces make {found:?}")) };
        let close = combine == Combine::Moments || application.attr("reassoc") == Some(&Attr::Bool(true));
        let is_right = |(whole, found): (&Value, &Value)| whole == found || close && moments::close(whole, found);
        let whole = cells(whole);
        if whole.len() != found.len() || !whole.iter().zip(&found).all(is_right) {
            return Err(format!("cut at {way:?}: the whole is {whole:?}, combined it is {found:?}"));
        }
        tried += 1;
    }
    Ok(tried)
}

fn sums(application: &Application<'_>, count: usize) -> Result<usize, String> {
    let ways = ways(count);
    for way in &ways {
        let mut total: Vec<i128> = Vec::new();
        for piece in way {
            let found = application.with([(0, cut(&application.args[0], piece.clone()))]).map_err(|stop| stop.to_string())?;
            let found: Option<Vec<i128>> =
                cells(&found).iter().map(|cell| if let Value::Int(number) = cell { Some(*number) } else { None }).collect();
            let found = found.ok_or("a partial result is no number")?;
            total = if total.is_empty() {
                found
            } else {
                total
                    .iter()
                    .zip(found) // What is counted is small; what a false claim adds up may not be.
                    .map(|(a, b)| a.wrapping_add(b))
                    .collect()
            };
        }
        let whole = application.result.as_ref().map_err(|stop| stop.to_string())?;
        if !cells(whole).into_iter().eq(total.iter().map(|&number| Value::Int(number))) {
            return Err(format!("cut at {way:?}: the whole is {whole:?}, the sum is {total:?}"));
        }
    }
    Ok(ways.len())
}

/// What a result has: the elements of an array, or itself.
fn cells(value: &Value) -> Vec<Value> {
    match value {
        Value::Arr(array) => array.items.clone(),
        other => vec![other.clone()],
    }
}

/// A reduction of an array over axes of which the first is one, with the functions that combining takes.
struct Reduction<'a> {
    application: &'a Application<'a>,
    skip: Skip,
    axes: Vec<usize>,
    /// How many elements of each cell are not passed over.
    count: Made,
    /// The reduction with `min_count: 0`.
    plain: Made,
    /// The reduction of partial results: an array of one axis, nothing passed over.
    again: Made,
    /// The reduction of elements: an array of one axis, nothing passed over.
    elements: Made,
}

impl<'a> Reduction<'a> {
    fn of(application: &'a Application<'a>) -> Option<Reduction<'a>> {
        let op = application.graph.op(application.node);
        let Value::Arr(array) = &application.args[0] else { return None };
        let skip = application.attr("skip").and_then(Skip::from_attr)?;
        let axes: Arc<[i64]> = application.attr("axes").and_then(AttrType::from_attr)?;
        let ty = application.graph.ty_id(application.graph.args(application.node)[0]);
        let Ty::Arr(element, _) = application.graph.types().get(ty) else { return None };
        let element = *element;
        let node = application.graph.node(application.node);
        let result = match application.graph.types().get(node.ty()) {
            Ty::Arr(element, _) => *element,
            _ => node.ty(),
        };
        let with = |changes: &[(&str, Attr)]| -> Attrs {
            let mut attrs: Attrs = node.attrs().into();
            for (name, attr) in changes {
                if let Some(at) = application.def().attr_position(name) {
                    attrs[at] = attr.clone();
                }
            }
            attrs
        };
        let line = |element: TyId| {
            move |graph: &mut airloom_ir::graph::Graph| graph.types_mut().arr(element, vec![Dim::Any]).expect("an array type")
        };
        let all = with(&[("min_count", Attr::Int(0)), ("axes", Attr::Ints(Arc::from([]))), ("skip", Skip::None.to_attr())]);
        // Lists are not reduced again: they are concatenated.
        let partial = if op == Reduce::List.into() { element } else { result };
        Some(Reduction {
            application,
            skip,
            axes: (0..array.shape.len()).filter(|&axis| axes.is_empty() || axes.contains(&(axis as i64))).collect(),
            count: application.unary(Reduce::Count, [Attr::Ints(axes), skip.to_attr()].into_iter().collect(), |_| ty),
            plain: application.unary(op, with(&[("min_count", Attr::Int(0))]), |_| ty),
            again: application.unary(op, all.clone(), line(partial)),
            elements: application.unary(op, all, line(element)),
        })
    }

    /// The cells of the combined result; `None` where the declaration does not speak of such elements.
    fn combined(&self, combine: Combine, way: &[Range<usize>]) -> Option<Result<Vec<Value>, String>> {
        let pieces: Vec<Value> = way.iter().map(|piece| cut(&self.application.args[0], piece.clone())).collect();
        let run =
            |function: &Made, value: &Value| self.application.call(function, std::slice::from_ref(value)).map_err(|stop| stop.to_string());
        let counts: Result<Vec<Vec<Value>>, String> = pieces.iter().map(|piece| Ok(cells(&run(&self.count, piece)?))).collect();
        let counts = match counts {
            Ok(counts) => counts,
            Err(message) => return Some(Err(message)),
        };
        let takes = |piece: usize, cell: usize| counts[piece][cell] != Value::Int(0);
        let results = |function: Option<&Made>| -> Result<Vec<Vec<Value>>, String> {
            let one = |piece: &Value| match function {
                Some(function) => run(function, piece),
                None => self.application.with([(0, piece.clone())]).map_err(|stop| stop.to_string()),
            };
            pieces.iter().map(|piece| Ok(cells(&one(piece)?))).collect()
        };
        let by_cell =
            |partial: &[Vec<Value>], make: &dyn Fn(usize, Vec<(usize, Value)>) -> Result<Value, String>| -> Result<Vec<Value>, String> {
                let of = |cell: usize| {
                    let taken: Vec<(usize, Value)> =
                        (0..pieces.len()).filter(|&piece| takes(piece, cell)).map(|piece| (piece, partial[piece][cell].clone())).collect();
                    if taken.is_empty() { Ok(partial[0][cell].clone()) } else { make(cell, taken) }
                };
                (0..partial[0].len()).map(of).collect()
            };
        let again = |taken: Vec<(usize, Value)>| run(&self.again, &Value::arr(taken.into_iter().map(|(_, value)| value).collect()));
        Some(match combine {
            Combine::Again => results(None).and_then(|partial| by_cell(&partial, &|_, taken| again(taken))),
            Combine::Append => results(None).and_then(|partial| by_cell(&partial, &|_, taken| appended(&taken))),
            Combine::Position => results(None).and_then(|partial| by_cell(&partial, &|cell, taken| self.position(&pieces, cell, &taken))),
            Combine::State => {
                // A partial sum of decimals may have no room in the type of the sum, nor any other state of the oracle.
                let partial = results(Some(&self.plain)).ok()?;
                let least = match self.application.attr("min_count") {
                    Some(Attr::Int(least)) => *least,
                    _ => return None,
                };
                let total = |cell: usize| counts.iter().map(|of| if let Value::Int(n) = of[cell] { n } else { 0 }).sum::<i128>();
                let made = by_cell(&partial, &|_, taken| again(taken)).ok()?;
                Ok(made
                    .into_iter()
                    .enumerate()
                    .map(|(cell, value)| if total(cell) < i128::from(least) { Value::Null } else { value })
                    .collect())
            }
            Combine::Moments => {
                let ty = self.application.graph.ty_id(self.application.graph.args(self.application.node)[0]);
                let Ty::Arr(element, _) = self.application.graph.types().get(ty) else { return None };
                let ty = self.application.graph.types().plain(*element);
                let by_piece: Vec<Vec<Vec<Value>>> = pieces.iter().map(|piece| self.cells_of(piece)).collect();
                let cell = |cell: usize| moments::merged(self.application, self.skip, ty, by_piece.iter().map(|of| of[cell].as_slice()));
                Ok((0..by_piece[0].len()).map(cell).collect::<Option<Vec<Value>>>()?)
            }
            Combine::Sum => Err("counts are added elsewhere".into()),
        })
    }

    /// Positions are moved by the elements of the cell before their piece; the op compares the elements at them.
    fn position(&self, pieces: &[Value], cell: usize, taken: &[(usize, Value)]) -> Result<Value, String> {
        let by_piece: Vec<Vec<Value>> = pieces.iter().map(|piece| self.cells_of(piece).swap_remove(cell)).collect();
        let before = |piece: usize| by_piece[..piece].iter().map(Vec::len).sum::<usize>();
        let mut elements = Vec::new();
        let mut positions = Vec::new();
        for (piece, position) in taken {
            let Value::Int(position) = position else { return Ok(Value::Null) };
            let position = usize::try_from(*position).map_err(|_| "a position is not negative")?;
            elements.push(by_piece[*piece].get(position).cloned().ok_or("a position is inside its piece")?);
            positions.push(before(*piece) + position);
        }
        let chosen = self.application.call(&self.elements, &[Value::arr(elements)]).map_err(|stop| stop.to_string())?;
        match chosen {
            Value::Int(which) => Ok(Value::int(positions[which as usize] as i128)),
            other => Ok(other),
        }
    }

    /// The elements of each cell, in row-major order.
    fn cells_of(&self, array: &Value) -> Vec<Vec<Value>> {
        let Value::Arr(array) = array else { return Vec::new() };
        let left: Vec<usize> = (0..array.shape.len()).filter(|axis| !self.axes.contains(axis)).collect();
        let count: usize = left.iter().map(|&axis| array.shape[axis]).product();
        let mut found = vec![Vec::new(); count];
        for (number, item) in array.items.iter().enumerate() {
            let place = |axis: usize| number / array.shape[axis + 1..].iter().product::<usize>() % array.shape[axis];
            let cell = left.iter().fold(0, |cell, &axis| cell * array.shape[axis] + place(axis));
            found[cell].push(item.clone());
        }
        found
    }
}

fn appended(taken: &[(usize, Value)]) -> Result<Value, String> {
    let mut all = Vec::new();
    for (_, list) in taken {
        let Value::List(items) = list else { return Err("a partial result is no list".into()) };
        all.extend(items.iter().cloned());
    }
    Ok(Value::List(all.into()))
}
