//! Footers: what the files say of themselves.

use crate::failure::store_error;
use crate::source::listing::{File, Listing, Partitions};
use crate::source::schema::physical_type;
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use arrow::compute::can_cast_types;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::DataFusionError;
use datafusion_datasource_parquet::metadata::DFParquetMetadata;
use datafusion_execution::cache::cache_manager::FileMetadataCache;
use datafusion_execution::cache::default_cache::DefaultCache;
use futures::{FutureExt, StreamExt, TryStreamExt};
use object_store::ObjectStore;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Type as Stored;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// How many footers are asked for at a time.
const AT_ONCE: usize = 16;
/// The footer is read together with what is before it, in the hope that it is no longer than this.
const TAIL_BYTES: usize = 64 << 10;

/// What one file says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Footer {
    pub(crate) metadata: Arc<ParquetMetaData>,
    /// The types in which its columns are decoded: the engine's, as far as the decoder can.
    pub(crate) reader_schema: SchemaRef,
}

impl Footer {
    pub(crate) fn rows(&self) -> u64 {
        self.metadata.row_groups().iter().map(|group| group.num_rows().max(0) as u64).sum()
    }
}

/// Reads the footer of every file, once: scans find them in the cache.
pub(crate) fn read_all(listing: &Listing) -> Result<(Vec<Footer>, Arc<FileMetadataCache>), SourceError> {
    let cache: Arc<FileMetadataCache> = Arc::new(DefaultCache::new(usize::MAX));
    let reads = listing.files.iter().map(|file| {
        // Bytes that no writer would write may make the decoder panic.
        let read = AssertUnwindSafe(read(listing.store.as_ref(), file, &cache)).catch_unwind();
        read.map(|footer| {
            footer.unwrap_or_else(|_| Err(SourceError::world(format!("`{}` is damaged: its footer cannot be decoded", file.url))))
        })
    });
    let reads: Vec<_> = reads.map(FutureExt::boxed).collect();
    let footers = wait(async move { futures::stream::iter(reads).buffered(AT_ONCE).try_collect::<Vec<_>>().await })?;
    Ok((footers, cache))
}

async fn read(store: &dyn ObjectStore, file: &File, cache: &Arc<FileMetadataCache>) -> Result<Footer, SourceError> {
    // The shortest file there is has the magic number twice and the length of an empty footer.
    if file.meta.size < 12 {
        return Err(SourceError::world(format!("`{}` is not a Parquet file: it has {} bytes", file.url, file.meta.size)));
    }
    let metadata = DFParquetMetadata::new(store, &file.meta)
        .with_metadata_size_hint(Some(TAIL_BYTES))
        .with_file_metadata_cache(Some(Arc::clone(cache)))
        .with_page_index_policy(Some(PageIndexPolicy::Skip))
        .fetch_metadata()
        .await
        .map_err(|error| footer_error(file, &error))?;
    let unreadable = |error: &dyn std::fmt::Display| SourceError::world(format!("the schema of `{}` cannot be read: {error}", file.url));
    let plain = ArrowReaderMetadata::try_new(Arc::clone(&metadata), ArrowReaderOptions::new()).map_err(|error| unreadable(&error))?;
    let wanted = Arc::new(decoded_schema(plain.schema(), &metadata));
    let options = ArrowReaderOptions::new().with_schema(Arc::clone(&wanted));
    // Where the decoder does not know the way, it decodes as it likes and the scan converts.
    let reader_schema = match ArrowReaderMetadata::try_new(Arc::clone(&metadata), options) {
        Ok(hinted) => Arc::clone(hinted.schema()),
        Err(_) => Arc::clone(plain.schema()),
    };
    Ok(Footer { metadata, reader_schema })
}

fn footer_error(file: &File, error: &DataFusionError) -> SourceError {
    match error {
        DataFusionError::ObjectStore(error) => store_error("read", &file.url, error),
        other => SourceError::world(format!("`{}` is not a whole Parquet file: {}", file.url, other.strip_backtrace())),
    }
}

/// The types to decode columns in, so that nothing need be converted after: views for text and bytes, 64 bits for decimals that fit them.
fn decoded_schema(plain: &Schema, metadata: &ParquetMetaData) -> Schema {
    let descriptor = metadata.file_metadata().schema_descr();
    let stored = |name: &str| {
        let leaves = descriptor.columns().iter().filter(|leaf| leaf.path().parts().first().is_some_and(|first| first == name));
        leaves.map(|leaf| leaf.physical_type()).next()
    };
    let fields = plain.fields().iter().map(|field| {
        let decoded = match (physical_type(field.data_type()), field.data_type()) {
            (Ok(DataType::Utf8View), _) => DataType::Utf8View,
            (Ok(DataType::BinaryView), DataType::FixedSizeBinary(_)) => field.data_type().clone(),
            (Ok(DataType::BinaryView), _) => DataType::BinaryView,
            // Digits written as bytes of any length are decoded into 128 bits only.
            (Ok(narrow @ DataType::Decimal64(..)), _) if stored(field.name()) != Some(Stored::BYTE_ARRAY) => narrow,
            (Ok(plain), DataType::Dictionary(..)) => plain,
            _ => field.data_type().clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(decoded))
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), plain.metadata().clone())
}

/// The columns of all files: those of the first, then what others add. A column that a file lacks is null in its rows.
pub(crate) fn common_schema(listing: &Listing, footers: &[Footer], partitions: &Partitions) -> Result<SchemaRef, SourceError> {
    let mut fields: Vec<Field> = Vec::new();
    for (file, footer) in listing.files.iter().zip(footers) {
        let mut names = std::collections::BTreeSet::new();
        for field in footer.reader_schema.fields() {
            if !names.insert(field.name()) {
                return Err(SourceError::user(format!("two columns of `{}` are called `{}`", file.url, field.name())));
            }
            // What the directory says goes before what the file says.
            if partitions.fields.iter().any(|partition| partition.name() == field.name()) {
                continue;
            }
            let physical = physical_type(field.data_type())
                .and_then(|physical| match can_cast_types(field.data_type(), &physical) {
                    true => Ok(physical),
                    false => Err("no way is known to convert it".to_string()),
                })
                .map_err(|reason| {
                    let (name, found) = (field.name(), field.data_type());
                    SourceError::refused(format!(
                        "column `{name}` of `{}` has the type `{found}`, which cannot be read: {reason}",
                        file.url
                    ))
                })?;
            let nullable = field.is_nullable() || *field.data_type() == DataType::Null;
            match fields.iter_mut().find(|known| known.name() == field.name()) {
                None => fields.push(Field::new(field.name(), physical, nullable)),
                Some(known) if *known.data_type() == physical => known.set_nullable(known.is_nullable() || nullable),
                Some(known) => {
                    return Err(SourceError::user(format!(
                        "column `{}` is `{physical}` in `{}` and `{}` in files before it: the files of one table have one type for each column",
                        field.name(),
                        file.url,
                        known.data_type()
                    )));
                }
            }
        }
    }
    for field in &mut fields {
        if footers.iter().any(|footer| footer.reader_schema.field_with_name(field.name()).is_err()) {
            field.set_nullable(true);
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}
