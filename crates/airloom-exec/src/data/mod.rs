//! Data in memory: how values of the graph's types stand in Arrow buffers.

mod compact;
pub mod lane;
pub mod nd;
pub mod types;
pub mod values;

pub use compact::{array_bytes, compacted};
pub use lane::Lane;
pub use nd::{Datum, NdArray};
pub use types::{arrow_to_type, fields_of, schema_of, type_to_arrow};
pub use values::{value_at, values_to_array};
