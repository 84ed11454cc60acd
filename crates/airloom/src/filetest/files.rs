//! Tables of filetests in files, so that reading them is tested as well.

use crate::data::{Datum, Relation};
use crate::sink::{Format, Layout, Output, Overwrite, ParquetWriting, Target};
use crate::source::{FileOptions, ParquetTable, Table};
use airloom_exec::engine::Engine;
use airloom_exec::run::{Catalog, Run};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// How many rows a row group has: few, so that there are several.
const GROUP: usize = 3;

/// Writes a table below a folder and opens it. `None` where a file has other types for it, such as where it has no columns.
pub fn in_a_file(engine: &Engine, relation: &Relation, folder: &Path) -> Option<Arc<dyn Table>> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let path = folder.join(format!("{}.parquet", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let url = path.to_str()?.to_string();
    let target = Target {
        url: url.clone(),
        format: Format::Parquet(ParquetWriting { row_group_rows: GROUP, ..ParquetWriting::plain() }),
        layout: Layout::OneFile,
        partition_by: Vec::new(),
        overwrite: Overwrite::Refuse,
        store: Vec::new(),
    };
    let output = Some(Arc::new(Output::Files { target, written: OnceLock::new() }));
    engine.deliver(Datum::Table(relation.clone()), &Run { output, ..Run::over(Catalog::default()) }).ok()?;
    let table = ParquetTable::open(&[url], &FileOptions::plain()).ok()?;
    let found = table.schema();
    let same = found.fields().iter().map(|field| field.data_type()).eq(relation.schema.fields().iter().map(|field| field.data_type()));
    same.then(|| Arc::new(table) as Arc<dyn Table>)
}
