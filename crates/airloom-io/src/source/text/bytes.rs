//! The bytes of files, by range.

use crate::failure::store_error;
use crate::source::listing::Listing;
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use object_store::ObjectStoreExt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

/// The bytes of one file.
#[derive(Clone, Debug)]
pub(crate) enum FileBytes {
    /// Of this machine: read when asked for.
    Local {
        /// Where it is.
        path: PathBuf,
        /// Open once, and read at any position by any thread.
        file: Arc<File>,
        /// How long it was when it was found.
        size: u64,
    },
    /// Of an object store: fetched once, since it must be looked through as a whole before anything else.
    Fetched {
        /// Where it came from.
        url: String,
        /// What came.
        bytes: Arc<Vec<u8>>,
    },
}

impl FileBytes {
    /// The bytes of every file of a listing.
    pub(crate) fn of(listing: &Listing) -> Result<Vec<FileBytes>, SourceError> {
        if listing.local {
            let open = |file: &crate::source::listing::File| {
                let path = PathBuf::from(&file.url);
                let opened = File::open(&path).map_err(|error| SourceError::io("open", &path, &error))?;
                Ok(FileBytes::Local { path, file: Arc::new(opened), size: file.meta.size })
            };
            return listing.files.iter().map(open).collect();
        }
        wait(async {
            let mut all = Vec::new();
            for file in &listing.files {
                let failed = |error: object_store::Error| store_error("read", &file.url, &error);
                let got = listing.store.get(&file.meta.location).await.map_err(failed)?;
                let bytes = Arc::new(got.bytes().await.map_err(failed)?.to_vec());
                all.push(FileBytes::Fetched { url: file.url.clone(), bytes });
            }
            Ok(all)
        })
    }

    pub(crate) fn size(&self) -> u64 {
        match self {
            FileBytes::Local { size, .. } => *size,
            FileBytes::Fetched { bytes, .. } => bytes.len() as u64,
        }
    }

    /// What to call the file.
    pub(crate) fn name(&self) -> String {
        match self {
            FileBytes::Local { path, .. } => path.display().to_string(),
            FileBytes::Fetched { url, .. } => url.clone(),
        }
    }

    /// The bytes from `start` to `end`, put at the end of `into`.
    pub(crate) fn read(&self, start: u64, end: u64, into: &mut Vec<u8>) -> Result<(), SourceError> {
        let before = into.len();
        into.resize(before + (end - start) as usize, 0);
        self.read_at(start, &mut into[before..])
    }

    /// The bytes from `start` on, as many as there is room for.
    pub(crate) fn read_at(&self, start: u64, into: &mut [u8]) -> Result<(), SourceError> {
        match self {
            FileBytes::Local { path, file, .. } => file.read_exact_at(into, start).map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => {
                    SourceError::world(format!("`{}` has become shorter while it was read", path.display()))
                }
                _ => SourceError::io("read", path, &error),
            }),
            FileBytes::Fetched { bytes, .. } => {
                into.copy_from_slice(&bytes[start as usize..start as usize + into.len()]);
                Ok(())
            }
        }
    }
}
