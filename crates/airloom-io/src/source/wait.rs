//! Waiting for something asynchronous where the caller is not.

use airloom_compute::data::SourceError;
use std::future::Future;

/// Runs a future to its end and gives its result. A thread of its own does it, so that the caller may itself be a task of some runtime.
pub(crate) fn wait<T: Send>(future: impl Future<Output = Result<T, SourceError>> + Send) -> Result<T, SourceError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|error| SourceError::world(format!("cannot start a runtime: {error}")))?.block_on(future)
        });
        // What waits is a reader, and readers panic on bytes that no writer would write.
        thread.join().unwrap_or_else(|_| Err(SourceError::world("what was read is damaged: it cannot be decoded")))
    })
}
