//! Where bytes go: a file that has no name yet, or an upload that is not complete yet.

use crate::failure::store_error;
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use object_store::path::Path as StorePath;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinSet;

/// How many parts of an upload are under way at once.
const UPLOADS: usize = 4;
/// How many bytes a part has: all but the last have as many, which some stores ask for.
const PART: usize = 8 << 20;

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
    upload: Box<dyn MultipartUpload>,
    /// Bytes of the next part.
    waiting: Vec<u8>,
    under_way: JoinSet<object_store::Result<()>>,
    url: String,
    written: u64,
    complete: bool,
}

impl RemoteOutput {
    fn failed(&self, error: &object_store::Error) -> SourceError {
        store_error("write", &self.url, error)
    }

    /// Sends a part off, once there is room for it.
    async fn send(&mut self, part: Vec<u8>) -> Result<(), SourceError> {
        self.wait_for(UPLOADS - 1).await?;
        self.under_way.spawn(self.upload.put_part(part.into()));
        Ok(())
    }

    /// Waits until no more than `parts` parts are under way.
    async fn wait_for(&mut self, parts: usize) -> Result<(), SourceError> {
        while self.under_way.len() > parts {
            match self.under_way.join_next().await {
                Some(Ok(sent)) => sent.map_err(|error| self.failed(&error))?,
                Some(Err(error)) => return Err(SourceError::broken(format!("a part could not be sent to its end: {error}"))),
                None => (),
            }
        }
        Ok(())
    }
}

impl Output {
    /// A new file of this machine, in a directory that exists.
    pub(crate) fn local(path: &Path) -> Result<Output, SourceError> {
        let file = File::options().write(true).create_new(true).open(path).map_err(|error| SourceError::io("write", path, &error))?;
        Ok(Output::Local(LocalOutput { file, path: path.to_path_buf(), written: 0, complete: false }))
    }

    /// A new object.
    pub(crate) async fn remote(store: &Arc<dyn ObjectStore>, path: &StorePath, url: String) -> Result<Output, SourceError> {
        // Not to be stopped halfway: an upload that the store has begun, and whose name is not known here, could not be given up.
        let upload = wait(async { store.put_multipart(path).await.map_err(|error| store_error("write", &url, &error)) })?;
        Ok(Output::Remote(RemoteOutput { upload, waiting: Vec::new(), under_way: JoinSet::new(), url, written: 0, complete: false }))
    }

    pub(crate) async fn write(&mut self, bytes: Vec<u8>) -> Result<(), SourceError> {
        match self {
            Output::Local(output) => {
                output.file.write_all(&bytes).map_err(|error| SourceError::io("write", &output.path, &error))?;
                output.written += bytes.len() as u64;
            }
            Output::Remote(output) => {
                output.written += bytes.len() as u64;
                output.waiting.extend(bytes);
                while output.waiting.len() >= PART {
                    let rest = output.waiting.split_off(PART);
                    let part = std::mem::replace(&mut output.waiting, rest);
                    output.send(part).await?;
                }
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
                let last = std::mem::take(&mut output.waiting);
                if !last.is_empty() {
                    output.send(last).await?;
                }
                output.wait_for(0).await?;
                output.upload.complete().await.map_err(|error| output.failed(&error))?;
                output.complete = true;
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
        if !self.complete {
            self.under_way.abort_all();
            // Whether this works is not reported: the error that led here is.
            let given_up = self.upload.abort();
            let _ = wait(async move { given_up.await.map_err(|error| SourceError::world(error.to_string())) });
        }
    }
}
