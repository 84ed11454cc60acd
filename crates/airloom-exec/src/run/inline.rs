//! Inline runs: programs over a few rows are computed by the thread that asks for them, since handing them to other threads would take longer.

use airloom_compute::data::{Datum, Failure};
use airloom_ir::graph::Graph;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::runtime::{Builder, Handle, Runtime};

/// A program of more nodes may take a while to plan, and may be deep: threads of Python have small stacks.
const NODES: usize = 400;

/// How many pairs of rows, triples and so on, joins may have to look at.
const ROWS: u64 = 1 << 14;

/// How many values a program may compute that looks at every row only for itself, or reduces them: a millisecond or two, which is what other threads would
/// have to save.
const VALUES: u64 = 1 << 20;

/// Whether a program takes so little time that there is no need to cancel it: it reads few rows, and none of its ops makes much of little, goes on for as long
/// as a condition holds, or calls the host. `rows` says how many rows a source has in memory.
pub fn is_inline(graph: &Graph, args: &[Datum], rows: &dyn Fn(&str) -> Option<u64>) -> bool {
    if graph.len() > NODES {
        return false;
    }
    let (mut pairs, mut sum): (u64, u64) = (1, 0);
    let mut count = |more: u64| {
        pairs = pairs.saturating_mul(more.max(1));
        sum = sum.saturating_add(more);
    };
    for arg in args {
        match arg {
            Datum::Value(_) | Datum::Token => (),
            Datum::Table(table) => count(table.rows() as u64),
            Datum::Array(_) | Datum::Parts(_) | Datum::Function(_) => return false,
        }
    }
    // Each node that reads a source may be a side of a join.
    for source in graph.ids().filter_map(|id| graph.as_source(id)) {
        match rows(&source.name) {
            Some(more) => count(more),
            None => return false,
        }
    }
    let all = |is: fn(&str) -> bool| graph.ids().all(|id| is(graph.op(id).name()));
    let few = pairs <= ROWS || (sum.saturating_mul(graph.len() as u64) <= VALUES && all(is_linear));
    few && all(is_quick)
}

/// Whether an op looks at each row once, and at nothing that takes long.
fn is_linear(op: &str) -> bool {
    match op.split_once('.') {
        Some(("rel", name)) => matches!(name, "filter" | "project" | "rows" | "columns" | "slice" | "group"),
        Some(("arr", name)) => {
            matches!(name, "map" | "dim" | "sum" | "mean" | "min" | "max" | "count" | "var" | "std" | "any" | "all" | "first" | "last")
        }
        Some((family, _)) => family == "dt",
        None => true,
    }
}

/// Whether an op takes time and memory by what it is given.
fn is_quick(op: &str) -> bool {
    let (family, name) = op.split_once('.').unwrap_or(("", op));
    match family {
        "" => name != "hole",
        "dt" | "list" => true,
        "str" => !matches!(name, "repeat" | "pad" | "zfill"),
        "rel" => !matches!(name, "asof" | "explode" | "pivot" | "sample"),
        "arr" => !matches!(name, "fill" | "iota" | "broadcast"),
        _ => op == "seq.if",
    }
}

/// Computes something on this thread, which starts no other for it. A thread that is at work for another runtime may not wait in one: a thread is started then.
pub(crate) fn compute<T: Send>(work: impl Future<Output = T> + Send) -> Result<T, Failure> {
    if Handle::try_current().is_err() {
        return Ok(runtime()?.block_on(work));
    }
    std::thread::scope(|scope| match scope.spawn(|| runtime().map(|runtime| runtime.block_on(work))).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

thread_local! {
    /// The runtime of inline runs on this thread: no two threads wait for each other.
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// A runtime, and the process that it was made in.
struct Own {
    process: u32,
    runtime: Rc<Runtime>,
}

impl Drop for Own {
    fn drop(&mut self) {
        // A forked process has none of the threads that dropping it may wait for.
        if self.process != std::process::id() {
            std::mem::forget(self.runtime.clone());
        }
    }
}

fn runtime() -> Result<Rc<Runtime>, Failure> {
    let process = std::process::id();
    OWN.with_borrow_mut(|own| {
        if let Some(own) = own.as_ref().filter(|own| own.process == process) {
            return Ok(own.runtime.clone());
        }
        let built = Builder::new_current_thread().enable_all().build();
        let runtime = Rc::new(built.map_err(|e| Failure::world(format!("cannot wait for events: {e}")))?);
        *own = Some(Own { process, runtime: runtime.clone() });
        Ok(runtime)
    })
}
