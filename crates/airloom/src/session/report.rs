//! Bugs are caught here, once, and leave a program that shows them.

use super::error::Error;
use super::session::Inner;
use airloom_exec::engine::panic_text;
use airloom_ir::module::Module;
use airloom_ir::text;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the reports of this process.
static REPORTS: AtomicU64 = AtomicU64::new(1);

impl Inner {
    /// Does some work on a program. What unwinds out of it is a bug: the program is written to a file, which the error names.
    pub(super) fn guarded<T>(&self, program: &Module, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Error::broken(panic_text(payload.as_ref()))));
        done.map_err(|error| match error {
            Error::Broken { message, report: None } => Error::Broken { report: self.report(program, &message), message },
            other => other,
        })
    }

    /// Writes a program that shows a bug; nothing where that is not possible either.
    fn report(&self, program: &Module, message: &str) -> Option<PathBuf> {
        // The printer may be what is broken.
        let text = catch_unwind(AssertUnwindSafe(|| text::print(program))).ok()?;
        let name = format!("broken-{}-{}.air", std::process::id(), REPORTS.fetch_add(1, Ordering::Relaxed));
        let path = self.options.reports.join(name);
        let message: Vec<String> = message.lines().map(|line| format!("; {line}\n")).collect();
        let header = format!("{}; {:?}\n\n", message.concat(), self.options);
        std::fs::create_dir_all(&self.options.reports).ok()?;
        std::fs::write(&path, header + &text).ok()?;
        Some(path)
    }
}
