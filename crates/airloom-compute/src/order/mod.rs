//! The order of rows: keys as numbers, runs of sorted rows and their merge, and the nearest row in time.

mod asof;
mod canonical;
mod codes;
mod cuts;
mod parts;
mod ranges;
mod runs;

pub use asof::{Asof, AsofPlaces, AsofRanges, AsofTable};
pub use canonical::canonical;
pub use codes::Codes;
pub use cuts::Cuts;
pub use parts::GroupLayout;
pub use ranges::Ranges;
pub use runs::{Comparison, Place, Run, Unsorted};
