//! Progress bars on a terminal, plain lines elsewhere, and a clean stop on Ctrl-C.

use crate::checkpoint::Checkpoint;
use indicatif::{ProgressBar, ProgressStyle};
use orff::error::said;
use orff::learn::OWN_UNITS;
use orff::watch::Watch;
use orff::{Error, Result};
use std::collections::HashSet;
use std::io::{IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);

/// Ctrl-C asks the running task to stop. One that waits for input, or is deep in a factorisation, is ended after two
/// seconds, or at a second Ctrl-C; files appear under their names only when they are whole, so nothing is lost.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if !STOP.swap(true, Ordering::Relaxed) {
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_secs(2));
                tell("orff: interrupted");
                std::process::exit(1);
            });
        } else {
            std::process::exit(1);
        }
    });
}

/// Whether the user asked to stop.
pub fn interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// A line for the user. One who does not listen any more is no reason to stop.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A choice of a learner that does not know that its inputs are metres.
pub fn in_metres(line: &str) -> String {
    line.replace(OWN_UNITS, "in metres")
}

/// Standard output, named where it fails.
pub fn stdout() -> Named {
    Named(std::io::stdout().lock())
}

/// Standard output whose errors say so. Their kind is kept: a closed pipe is no failure.
pub struct Named(StdoutLock<'static>);

impl Named {
    fn named<T>(done: std::io::Result<T>) -> std::io::Result<T> {
        done.map_err(|e| std::io::Error::new(e.kind(), format!("standard output: {}", said(&e))))
    }
}

impl Write for Named {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Self::named(self.0.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Self::named(self.0.flush())
    }
}

/// Megabytes that the process has now, where the operating system says so. Of the program's code about half is in memory at the
/// end of a fit (as seen), though not all of that yet.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |field: &str| -> f64 {
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0.0) * 1024.0 / 1e6
    };
    of("RssAnon") + of("RssFile").max(0.5 * (of("VmExe") + of("VmLib")))
}

/// Tells the user what is going on.
pub struct Progress<'a> {
    quiet: bool,
    bytes: Box<dyn Fn() -> (u64, Option<u64>) + Send + 'a>,
    bar: Option<ProgressBar>,
    stage: String,
    done: u64,
    told: Instant,
    said: HashSet<String>,
    hushed: bool,
    metres: bool,
    held: f64,
    checkpoint: Option<Checkpoint>,
}

impl<'a> Progress<'a> {
    /// `bytes` tells how much of the source has been read, and of how much.
    pub fn new(quiet: bool, bytes: impl Fn() -> (u64, Option<u64>) + Send + 'a) -> Self {
        let bytes = Box::new(bytes);
        let (stage, told, said) = (String::new(), Instant::now(), HashSet::new());
        let held = resident().round();
        Progress {
            quiet,
            bytes,
            bar: None,
            stage,
            done: 0,
            told,
            said,
            hushed: false,
            metres: false,
            held,
            checkpoint: None,
        }
    }

    /// Whether choices are kept silent, as for all folds but the first.
    pub fn hush(&mut self, hushed: bool) {
        self.hushed = hushed;
    }

    /// Whether the inputs are projected: lengths are then said in metres.
    pub fn metres(&mut self, metres: bool) {
        self.metres = metres;
    }

    /// Iterations are kept, and go on from what was kept.
    pub fn checkpoint(&mut self, checkpoint: Option<Checkpoint>) {
        self.checkpoint = checkpoint;
    }

    /// What the current stage counts.
    fn unit(&self) -> &'static str {
        match self.stage.as_str() {
            "choose" | "solve" => "steps",
            "measure" => "draws",
            _ => "rows",
        }
    }

    /// Ends the bar of the last stage.
    pub fn close(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.close();
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.write();
        }
    }
}

impl Watch for Progress<'_> {
    fn held(&self) -> f64 {
        self.held
    }

    fn keep(&mut self, unknowns: &[f64]) {
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.keep(unknowns);
        }
    }

    fn kept(&mut self, count: usize) -> Option<Vec<f64>> {
        let checkpoint = self.checkpoint.as_mut()?;
        let kept = checkpoint.take(count)?;
        let line = format!("goes on from {}", checkpoint.path().display());
        self.say(&line);
        Some(kept)
    }

    fn stage(&mut self, name: &str) {
        self.close();
        self.stage = name.into();
        self.done = 0;
        self.told = Instant::now();
        if self.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = match (self.bytes)() {
            (_, Some(total))
                if matches!(name, "count" | "sample" | "fit" | "leave-one-out" | "predict" | "score") =>
            {
                let style = "{prefix:>14} {bar:32} {percent:>3} %  {msg}  {eta} left";
                ProgressBar::new(total).with_style(ProgressStyle::with_template(style).expect("a valid template"))
            }
            _ => {
                let style = "{prefix:>14} {spinner}  {msg}  {elapsed}";
                ProgressBar::new_spinner().with_style(ProgressStyle::with_template(style).expect("a valid template"))
            }
        };
        bar.set_prefix(name.to_string());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.bar = Some(bar);
    }

    fn advance(&mut self, done: u64) -> Result<()> {
        if interrupted() {
            self.close();
            return Err(Error::Interrupted);
        }
        self.done += done;
        if let Some(bar) = &self.bar {
            bar.set_position((self.bytes)().0);
            bar.set_message(format!("{} {}", self.done, self.unit()));
        } else if !self.quiet && self.told.elapsed() > Duration::from_secs(10) {
            tell(&format!("{}: {} {}", self.stage, self.done, self.unit()));
            self.told = Instant::now();
        }
        Ok(())
    }

    /// What was said once is not said again.
    fn say(&mut self, line: &str) {
        if self.quiet || self.hushed || !self.said.insert(line.to_string()) {
            return;
        }
        let line = if self.metres { in_metres(line) } else { line.into() };
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(&line)),
            None => tell(&line),
        }
    }
}
