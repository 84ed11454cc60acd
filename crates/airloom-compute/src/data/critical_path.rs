//! The critical path of a run: the longest chain of work that must be done one after the other. Its length is the span of the run.
//!
//! Each task of a run that is watched carries the path that led to where it is: the processor time of its own work and of what it waited for, by operator. A task
//! that begins others hands its path to them, and one that waits for others goes on from the longest of all. So a machine of two cores shows what
//! sixty-four would have to wait for. Runs that are not watched carry nothing.

use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// An operator of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorId(u64);

impl OperatorId {
    /// One that no other operator has.
    pub fn new() -> OperatorId {
        static LAST: AtomicU64 = AtomicU64::new(0);
        OperatorId(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// The longest chain of work up to some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    length: Duration,
    operators: BTreeMap<OperatorId, Duration>,
}

impl CriticalPath {
    /// How long it is.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// How much of it is the work of an operator.
    pub fn of(&self, operator: OperatorId) -> Duration {
        self.operators.get(&operator).copied().unwrap_or_default()
    }

    /// This path, and then another one.
    pub fn then(mut self, other: &CriticalPath) -> CriticalPath {
        other.operators.iter().for_each(|(&operator, &time)| self.add(operator, time));
        self
    }

    fn add(&mut self, operator: OperatorId, time: Duration) {
        self.length += time;
        *self.operators.entry(operator).or_default() += time;
    }
}

/// Where the work of a thread is.
struct Here {
    path: CriticalPath,
    operator: OperatorId,
    /// The processor time of the thread up to which the path is known.
    known: Duration,
}

impl Here {
    fn new(path: CriticalPath) -> Here {
        Here { path, operator: OperatorId::default(), known: processor_time() }
    }

    fn catch_up(&mut self) {
        let now = processor_time();
        self.path.add(self.operator, now.saturating_sub(self.known));
        self.known = now;
    }
}

thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

/// The processor time that this thread has taken.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Whether the work of this thread is watched.
pub fn is_watched() -> bool {
    HERE.with_borrow(Option::is_some)
}

/// Whose work this thread does, where it is watched.
pub fn operator() -> OperatorId {
    HERE.with_borrow(|here| here.as_ref().map(|here| here.operator).unwrap_or_default())
}

/// The path up to here, where the work of this thread is watched.
pub fn here() -> Option<CriticalPath> {
    HERE.with_borrow_mut(|here| {
        let here = here.as_mut()?;
        here.catch_up();
        Some(here.path.clone())
    })
}

/// What this thread does from here on comes after the end of a path, too.
pub fn wait_for(other: Option<&CriticalPath>) {
    let Some(other) = other else { return };
    HERE.with_borrow_mut(|here| {
        let Some(here) = here else { return };
        here.catch_up();
        if other.length > here.path.length {
            here.path = other.clone();
        }
    });
}

/// What this thread does from here on comes after the end of a path, and of nothing else.
pub fn begin_at(path: Option<&CriticalPath>) {
    let Some(path) = path else { return };
    HERE.with_borrow_mut(|here| {
        let operator = here.as_ref().map(|here| here.operator).unwrap_or_default();
        *here = Some(Here { operator, ..Here::new(path.clone()) });
    });
}

/// Work of an operator.
pub fn of_operator<T>(operator: OperatorId, work: impl FnOnce() -> T) -> T {
    let enter = |operator: OperatorId| {
        HERE.with_borrow_mut(|here| {
            let here = here.as_mut()?;
            here.catch_up();
            Some(std::mem::replace(&mut here.operator, operator))
        })
    };
    let before = enter(operator);
    let made = work();
    before.map(enter);
    made
}

/// Work that follows a path, which then has it as well. Where there is no path, it is only done.
pub fn along<T>(path: &mut Option<CriticalPath>, work: impl FnOnce() -> T) -> T {
    let Some(begun) = path.take() else { return work() };
    let outside = HERE.replace(Some(Here::new(begun)));
    let made = work();
    *path = here();
    HERE.set(outside.map(|outside| Here { known: processor_time(), ..outside }));
    made
}

/// A task that follows a path; it gives the path at its end beside its result.
pub fn followed<F: Future>(path: Option<CriticalPath>, work: F) -> Followed<F> {
    Followed { path, work: Box::pin(work) }
}

/// Such a task.
pub struct Followed<F> {
    path: Option<CriticalPath>,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Followed<F> {
    type Output = (F::Output, Option<CriticalPath>);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Followed { path, work } = self.get_mut();
        along(path, || work.as_mut().poll(context)).map(|made| (made, path.take()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(operator: u64, millis: u64) -> CriticalPath {
        let mut path = CriticalPath::default();
        path.add(OperatorId(operator), Duration::from_millis(millis));
        path
    }

    fn work() {
        let until = processor_time() + Duration::from_millis(2);
        while processor_time() < until {
            std::hint::black_box(0);
        }
    }

    #[test]
    fn work_is_added_to_its_operator_and_to_no_other_path() {
        let (mut outer, mut inner) = (Some(CriticalPath::default()), Some(path(1, 100)));
        along(&mut outer, || {
            of_operator(OperatorId(2), work);
            along(&mut inner, || of_operator(OperatorId(3), work));
        });
        let (outer, inner) = (outer.expect("it is watched"), inner.expect("it is watched"));
        assert!(outer.of(OperatorId(2)) >= Duration::from_millis(2) && outer.of(OperatorId(3)) == Duration::ZERO);
        assert!(inner.of(OperatorId(1)) == Duration::from_millis(100) && inner.of(OperatorId(3)) >= Duration::from_millis(2));
        assert!(!is_watched());
    }

    #[test]
    fn who_waits_goes_on_from_the_longest_path() {
        let mut own = Some(path(1, 10));
        along(&mut own, || {
            wait_for(Some(&path(2, 5)));
            wait_for(Some(&path(3, 50)));
        });
        let own = own.expect("it is watched");
        assert_eq!((own.of(OperatorId(1)), own.of(OperatorId(3))), (Duration::ZERO, Duration::from_millis(50)));
    }

    #[test]
    fn what_is_not_watched_has_no_path() {
        let mut none = None;
        along(&mut none, || {
            wait_for(Some(&path(1, 5)));
            assert_eq!(here(), None);
        });
        assert_eq!(none, None);
    }
}
