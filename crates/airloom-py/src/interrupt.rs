//! Work that Ctrl-C stops: it runs on a thread of its own, while this one listens for signals.

use crate::errors::Error;
use airloom::embed::{panic_text, try_hold};
use airloom::{Cancel, Error as AirloomError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often signals are looked for.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// How long work that was cancelled is waited for. Python code that does not end cannot be stopped; it is left behind.
const PATIENCE: Duration = Duration::from_secs(2);
/// Enough for programs whose bodies nest as deep as they may.
const STACK: usize = 64 << 20;

/// Runs `work` without holding Python's lock, until it ends or a signal handler raises; then what that raised is the error.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let task: Task = Box::new(move || {
        let answer = caught(work);
        // Where the caller was interrupted, the receiver is gone.
        Box::new(move || drop(sender.send(answer)))
    });
    give(task).map_err(|e| unstarted(py, &e))?;
    let mut interrupted: Option<PyErr> = None;
    loop {
        let wait = if interrupted.is_some() { PATIENCE } else { POLL };
        let answer;
        (answer, receiver) = py.detach(move || (receiver.recv_timeout(wait), receiver));
        match (answer, interrupted) {
            (_, Some(error)) => return Err(error),
            (Ok(answer), None) => return answer.map_err(|e| e.into_py(py)),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(Error::broken("its thread ended".into()).into_py(py)),
            (Err(RecvTimeoutError::Timeout), None) => {
                interrupted = py.check_signals().err();
                if interrupted.is_some() {
                    cancel.cancel();
                }
            }
        }
    }
}

/// Begins `work` on a thread of its own, and does not wait for it: `tell` is given what came of it, a panic included, on that thread.
pub(crate) fn begin<T: 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    tell: impl FnOnce(Result<T, Error>) + Send + 'static,
) -> PyResult<()> {
    let task: Task = Box::new(move || {
        tell(caught(work));
        Box::new(|| ())
    });
    give(task).map_err(|e| unstarted(py, &e))
}

/// What came of work in which a panic is an error.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::broken(panic_text(panic.as_ref()))))
}

fn unstarted(py: Python<'_>, error: &std::io::Error) -> PyErr {
    Error::from(AirloomError::World(format!("cannot start a thread: {error}").into())).into_py(py)
}

/// Work for a thread. What it gives back sends the answer, when the thread can be asked again.
type Task = Box<dyn FnOnce() -> Box<dyn FnOnce() + Send> + Send>;

/// Threads that wait for work, and the process they are of: one that was forked has none of its parent's.
static IDLE: Mutex<(u32, Vec<Sender<Task>>)> = Mutex::new((0, Vec::new()));

/// Gives a task to a thread that waits, or to a new one.
fn give(task: Task) -> std::io::Result<()> {
    let process = std::process::id();
    let waiting = try_hold(&IDLE).and_then(|mut idle| {
        if idle.0 != process {
            *idle = (process, Vec::new());
        }
        idle.1.pop()
    });
    let task = match waiting {
        None => task,
        Some(thread) => match thread.send(task) {
            Ok(()) => return Ok(()),
            Err(returned) => returned.0,
        },
    };
    let (sender, receiver) = channel::<Task>();
    let own = sender.clone();
    std::thread::Builder::new().name("airloom-run".into()).stack_size(STACK).spawn(move || {
        for task in receiver {
            let tell = task();
            let waits = try_hold(&IDLE).map(|mut idle| idle.1.push(own.clone())).is_some();
            tell();
            if !waits {
                return;
            }
        }
    })?;
    // A thread that has just started waits for its first task.
    sender.send(task).map_err(|_| std::io::Error::other("it ended at once"))
}
