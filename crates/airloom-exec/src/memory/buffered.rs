//! Spill files that are written some rows at a time.

use bytes::Bytes;
use datafusion_common::Result;
use datafusion_execution::{SpillFile, SpillWriter};
use futures::Stream;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

/// How many bytes are written at once: a batch is many small pieces, and each would be a call of the system. A writer of parts has one buffer for each of them.
const BYTES: usize = 1 << 15;

/// A file whose writers put small pieces together.
pub(super) struct BufferedFile(pub(super) Arc<dyn SpillFile>);

impl SpillFile for BufferedFile {
    fn path(&self) -> Option<&Path> {
        self.0.path()
    }

    fn size(&self) -> Option<u64> {
        self.0.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        self.0.read_stream()
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Buffered(BufWriter::with_capacity(BYTES, self.0.open_writer()?))))
    }
}

/// One of them.
struct Buffered(BufWriter<Box<dyn SpillWriter>>);

impl Write for Buffered {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl SpillWriter for Buffered {
    fn finish(&mut self) -> Result<()> {
        self.0.flush()?;
        self.0.get_mut().finish()
    }
}
