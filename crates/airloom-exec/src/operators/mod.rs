//! Operators of our own inside DataFusion's plans.
//!
//! One promise holds for every plan the engine makes: partition `p` is the `p`-th contiguous piece of the relation, so that the partitions one after the
//! other are its rows in order.

mod asof;
mod batches;
mod coalesced;
mod compact;
mod concat;
mod conjunction;
mod explode;
mod filter_project;
mod group;
mod group_apply;
mod group_body;
mod join;
mod number;
mod rank;
mod sample;
mod single_partition;
mod slice;
mod sort;
mod unpivot;
mod widened;
mod window;

pub use asof::{AsofJoin, AsofSide};
pub use batches::batches;
use coalesced::coalesced;
pub use concat::concat;
pub use conjunction::{Condition, Conjunction, Cost};
pub use explode::Explode;
pub use filter_project::{BoundBody, FilterProject, FilterStep, Output};
pub use group::{AggregateInputs, FoldGiven, Group, GroupFold, GroupInputs, InputColumn};
pub use group_apply::{Emit, GroupApply, Stay};
pub use group_body::{GroupBody, GroupColumns};
pub use join::{DynamicFilterProbe, Join, JoinKind, JoinSide, Predicate, Shape};
pub use number::{number, number_in_place, positions};
pub use sample::{Draw, sample};
pub use single_partition::single_partition;
pub use slice::slice;
pub use sort::{Sorting, sorted};
pub use unpivot::{Unpivot, Unpivoted};
pub use widened::widened;
pub use window::{Cut, Window};
