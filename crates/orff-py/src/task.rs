//! Long computations on behalf of a Python thread.
//!
//! The work runs on a thread of a pool while the calling thread, detached from the interpreter, waits; twenty times a
//! second it looks for signals and passes progress on. After Ctrl-C the work is asked to stop; when it cannot at once
//! (deep in a factorisation) the caller leaves it behind, with its threads: it owns all it reads, and ends at its next
//! step.

use crate::raise::{in_python, raise};
use orff::params::Param;
use orff::watch::Watch;
use orff::{Error, Result};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Between two looks for signals.
const GLANCE: Duration = Duration::from_millis(50);
/// How long an interrupted computation may take to stop before it is left behind.
const GRACE: Duration = Duration::from_millis(500);

/// What panics speak of when there is no room for a matrix.
const NO_MEMORY: [&str; 3] = ["AllocError", "CapacityOverflow", "capacity overflow"];

/// Panics for want of memory become MemoryErrors: their traces say nothing more.
pub fn hush_memory() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !no_memory(words(info.payload())) {
            before(info);
        }
    }));
}

fn no_memory(words: &str) -> bool {
    NO_MEMORY.iter().any(|word| words.contains(word))
}

/// The pools of this process: process, number of threads, pool.
static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

/// A pool of so many threads. Threads do not survive a fork, so a child makes its own pools. The lock is only taken
/// while attached to the interpreter, which a fork from Python is too: no child inherits it locked.
fn pool(_attached: Python<'_>, threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let (process, threads) = (std::process::id(), threads.unwrap_or_else(default_threads));
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    // the parent's pools would wait for threads that are not here: they are forgotten, not dropped
    let old: Vec<_> = pools.extract_if(.., |(of, ..)| *of != process).collect();
    std::mem::forget(old);
    if let Some((.., pool)) = pools.iter().find(|(_, n, _)| *n == threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|k| format!("orff-{k}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(format!("n_jobs: {e}")))?;
    let pool = Arc::new(pool);
    pools.push((process, threads, pool.clone()));
    Ok(pool)
}

/// Later calls make themselves another pool than this one, whose threads end with their work.
fn leave(_attached: Python<'_>, pool: &Arc<ThreadPool>) {
    POOLS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(.., other)| !Arc::ptr_eq(other, pool));
}

/// All processors, or as many as OMP_NUM_THREADS says: joblib's workers share the machine by it.
fn default_threads() -> usize {
    let given = std::env::var("OMP_NUM_THREADS").ok().and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > 0);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    given.map_or(all, |n| n.min(all))
}

/// What the work and the waiting thread share.
struct Shared<T> {
    stop: AtomicBool,
    state: Mutex<State<T>>,
    ended: Condvar,
}

struct State<T> {
    outcome: Option<std::thread::Result<Result<T>>>,
    news: News,
}

/// What happened since the caller last looked.
#[derive(Default)]
struct News {
    stage: String,
    done: u64,
    said: Vec<String>,
    fresh: bool,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Told<T>(Arc<Shared<T>>);

impl<T: Send> Watch for Told<T> {
    fn stage(&mut self, name: &str) {
        let news = &mut self.0.lock().news;
        (news.stage, news.done, news.fresh) = (name.into(), 0, true);
    }

    fn advance(&mut self, done: u64) -> Result<()> {
        if self.0.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let news = &mut self.0.lock().news;
        (news.done, news.fresh) = (news.done + done, true);
        Ok(())
    }

    fn say(&mut self, line: &str) {
        let news = &mut self.0.lock().news;
        news.said.push(line.into());
        news.fresh = true;
    }
}

/// Passes news on to `tell(stage, done, said)`.
fn pass<T>(py: Python<'_>, spec: &[Param], shared: &Shared<T>, tell: Option<&Py<PyAny>>) -> PyResult<()> {
    let Some(tell) = tell else { return Ok(()) };
    let (stage, done, said) = {
        let news = &mut shared.lock().news;
        if !std::mem::take(&mut news.fresh) {
            return Ok(());
        }
        (news.stage.clone(), news.done, std::mem::take(&mut news.said))
    };
    let said: Vec<String> = said.iter().map(|line| in_python(line, spec)).collect();
    tell.call1(py, (stage, done, said)).map(drop)
}

/// Runs `work` and waits for it. Errors name parameters as `spec` does; panics are RuntimeErrors, or
/// MemoryErrors where a matrix found no room.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    spec: &[Param],
    threads: Option<usize>,
    tell: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn Watch) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let state = Mutex::new(State { outcome: None, news: News::default() });
    let shared = Arc::new(Shared { stop: AtomicBool::new(false), state, ended: Condvar::new() });
    let theirs = shared.clone();
    let pool = pool(py, threads)?;
    pool.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut Told(theirs.clone()))));
        theirs.lock().outcome = Some(outcome);
        theirs.ended.notify_all();
    });
    let wait = |time: Duration| {
        let state = shared.ended.wait_timeout_while(shared.lock(), time, |s| s.outcome.is_none());
        state.unwrap_or_else(PoisonError::into_inner).0.outcome.take()
    };
    let outcome = py.detach(|| {
        loop {
            if let Some(outcome) = wait(GLANCE) {
                return Ok(outcome);
            }
            let looked =
                Python::attach(|py| py.check_signals().and_then(|()| pass(py, spec, &shared, tell.as_ref())));
            if let Err(error) = looked {
                shared.stop.store(true, Ordering::Relaxed);
                let left = wait(GRACE).is_none();
                return Err((error, left));
            }
        }
    });
    let outcome = outcome.map_err(|(error, left)| {
        if left {
            leave(py, &pool);
        }
        error
    })?;
    pass(py, spec, &shared, tell.as_ref())?;
    match outcome {
        Ok(result) => result.map_err(|error| raise(py, error, spec)),
        Err(panic) if no_memory(words(&*panic)) => {
            let (_, layout) = words(&*panic).split_once("size: ").unwrap_or_default();
            let size: String = layout.chars().take_while(char::is_ascii_digit).collect();
            let more = if size.is_empty() { String::new() } else { format!(" for {size} bytes more") };
            let said = format!("orff ran out of memory: no room{more}, ask for fewer features or rows");
            Err(PyMemoryError::new_err(said))
        }
        Err(panic) => Err(PyRuntimeError::new_err(format!("orff failed, please report it: {}", words(&*panic)))),
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}
