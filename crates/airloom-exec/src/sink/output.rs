//! Where bytes go: a file that has no name yet, or an upload that is not complete yet.

use crate::source::SourceError;
use crate::source::wait::wait;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many parts of an upload are under way at once.
const UPLOADS: usize = 4;

/// Takes the bytes of one file. Dropped before it is complete, it leaves nothing behind.
pub(crate) enum Output {
    /// A file of this machine.
    Local(LocalOutput),
    /// An object of a store, of which nothing is seen before all of it is there.
    Remote(RemoteOutput),
}

pub(crate) struct LocalOutput {
    file: File,
    path: PathBuf,
    written: u64,
    complete: bool,
}

pub(crate) struct RemoteOutput {
    upload: Option<WriteMultipart>,
    url: String,
    written: u64,
}

impl Output {
    /// A new file of this machine, in a directory that exists.
    pub(crate) fn local(path: &Path) -> Result<Output, SourceError> {
        let file = File::options().write(true).create_new(true).open(path).map_err(|error| SourceError::io("write", path, &error))?;
        Ok(Output::Local(LocalOutput { file, path: path.to_path_buf(), written: 0, complete: false }))
    }

    /// A new object.
    pub(crate) async fn remote(store: &Arc<dyn ObjectStore>, path: &StorePath, url: String) -> Result<Output, SourceError> {
        let upload = store.put_multipart(path).await.map_err(|error| SourceError::store("write", &url, &error))?;
        Ok(Output::Remote(RemoteOutput { upload: Some(WriteMultipart::new(upload)), url, written: 0 }))
    }

    pub(crate) async fn write(&mut self, bytes: Vec<u8>) -> Result<(), SourceError> {
        match self {
            Output::Local(output) => {
                output.file.write_all(&bytes).map_err(|error| SourceError::io("write", &output.path, &error))?;
                output.written += bytes.len() as u64;
            }
            Output::Remote(output) => {
                let upload = output.upload.as_mut().ok_or_else(|| SourceError::broken("an upload was written to after its end"))?;
                upload.wait_for_capacity(UPLOADS).await.map_err(|error| SourceError::store("write", &output.url, &error))?;
                output.written += bytes.len() as u64;
                upload.write(&bytes);
            }
        }
        Ok(())
    }

    /// All bytes are there, and will be after a loss of power. How many they are.
    pub(crate) async fn complete(mut self) -> Result<u64, SourceError> {
        match &mut self {
            Output::Local(output) => {
                output.file.sync_all().map_err(|error| SourceError::io("write", &output.path, &error))?;
                output.complete = true;
                Ok(output.written)
            }
            Output::Remote(output) => {
                let upload = output.upload.take().ok_or_else(|| SourceError::broken("an upload was ended twice"))?;
                upload.finish().await.map_err(|error| SourceError::store("write", &output.url, &error))?;
                Ok(output.written)
            }
        }
    }
}

impl Drop for LocalOutput {
    fn drop(&mut self) {
        if !self.complete {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Drop for RemoteOutput {
    fn drop(&mut self) {
        if let Some(upload) = self.upload.take() {
            // Nobody is told whether this works: the error that led here is the one to tell.
            let _ = wait(async move { upload.abort().await.map_err(|error| SourceError::world(error.to_string())) });
        }
    }
}
