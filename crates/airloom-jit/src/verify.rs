//! Compiled code beside the interpreter: what they compute must be the same, to the bit.

use crate::kernel::Body;
use airloom_compute::body::{Exit, Program, slice};
use airloom_compute::data::{RunContext, Selection, Vector};
use airloom_ir::oracle::Stop;

/// Computes the rows that code has computed once more, without it.
///
/// # Panics
/// Where anything differs, with the text of the body.
pub(crate) fn compare(
    body: &Body,
    plain: &Program,
    context: &RunContext,
    given: &[Vector],
    rows: &Selection,
    made: &[Vector],
    done: usize,
) -> Result<(), Exit> {
    let before: Vec<Vector> = given.iter().map(|vector| slice(&rows.vector(vector), 0, done)).collect();
    let expected = match plain.run(context, &before, &Selection::All(done)) {
        Ok(expected) => expected,
        Err(Stop::Raised(raised)) => {
            panic!(
                "invariant `a kernel computes what the interpreter does`: of {done} rows one raises `{}`\n{}",
                raised.message, body.lowered.shape
            )
        }
        Err(stop) => return Err(Exit::Stop(stop)),
    };
    let types = body.graph.types();
    for (at, (made, expected)) in made.iter().zip(&expected).enumerate() {
        let ty = body.graph.ty_id(body.roots[at]);
        for row in 0..done {
            let (found, wanted) = (made.value(types, ty, row), expected.value(types, ty, row));
            assert!(
                found == wanted,
                "invariant `a kernel computes what the interpreter does`: root {at}, row {row}: found {found:?}, expected {wanted:?}\n{}",
                body.lowered.shape
            );
        }
    }
    Ok(())
}
