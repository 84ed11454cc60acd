//! Operators of our own inside DataFusion's plans.
//!
//! One promise holds for every plan the engine makes: partition `p` is the `p`-th contiguous piece of the relation, so that the partitions one after the
//! other are its rows in order.

mod batches;
mod coalesced;
mod compact;
mod concat;
mod explode;
mod group;
mod join;
mod keyed;
mod number;
mod parts;
mod rows;
mod slice;
mod sort;
mod unpivot;
mod whole;
mod widened;

pub use batches::batches;
use coalesced::coalesced;
pub use concat::concat;
pub use explode::Explode;
pub use group::{Group, GroupInputs, ValueStep, ValueSteps};
pub use join::{Join, JoinKind, JoinSide, Partners, Predicate, Shape};
pub use keyed::{Keyed, OneFor};
pub use number::number;
pub use parts::{PartBody, PartColumns};
pub use rows::{Output, RowBody, Rows, Step};
pub use slice::slice;
pub use sort::{Sorting, sorted};
pub use unpivot::{Unpivot, Unpivoted};
pub use whole::whole;
pub use widened::widened;
