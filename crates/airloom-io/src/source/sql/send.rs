//! The rows of a query on their way to who reads them.

use super::columns::Rows;
use super::query::{Sender, SqlQuery};
use crate::failure::to_datafusion;
use airloom_compute::data::SourceError;

/// Runs a query on a thread of its own, which sends the error that ends it.
pub(super) fn on_thread(
    name: &str,
    sender: Sender,
    run: impl FnOnce(&Sender) -> Result<(), SourceError> + Send + 'static,
) -> Result<(), SourceError> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
        if let Err(error) = run(&sender) {
            // A reader that is gone gets no error.
            sender.blocking_send(Err(to_datafusion(error))).ok();
        }
    });
    thread.map(|_| ()).map_err(|error| SourceError::world(format!("cannot start a thread: {error}")))
}

/// Sends rows in batches, until there are no more or the receiver is gone. `next` pushes the values of the next row, where there is one.
pub(super) fn send_rows(
    query: &SqlQuery,
    batch_rows: usize,
    sender: &Sender,
    mut next: impl FnMut(&mut Rows) -> Result<bool, SourceError>,
) -> Result<(), SourceError> {
    let mut rows = Rows::new(&query.schema)?;
    let mut wanted = true;
    while wanted && next(&mut rows)? {
        rows.end_row();
        if rows.len() >= batch_rows {
            wanted = sender.blocking_send(Ok(rows.batch()?)).is_ok();
        }
    }
    if wanted && rows.len() > 0 {
        // These are the last: whether anybody took them changes nothing.
        sender.blocking_send(Ok(rows.batch()?)).ok();
    }
    Ok(())
}
