//! A sign of life on a terminal, for what takes longer than a second.

use crate::failure::say;
use dalembert::verbs::{Finding, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Shows what is being done, on standard error and only if that is a terminal. It vanishes at the end.
pub struct Progress {
    bar: ProgressBar,
    /// Dropped at the end, which wakes the thread that waits to show the bar.
    _waiting: Sender<()>,
    /// Raised by Ctrl-C, for a verb that stops by itself.
    stop: Option<&'static AtomicBool>,
    /// How results are computed is reported.
    verbose: bool,
}

impl Observer for Progress {
    fn progress(&mut self, share: f64, stage: &str) {
        let percent = if share.is_nan() { String::new() } else { format!(", {:.0} %", 100.0 * share.clamp(0.0, 1.0)) };
        self.bar.set_message(format!("{stage}{percent}"));
    }

    fn found(&mut self, finding: &Finding) {
        match finding.code.as_ref() {
            "row-skipped" => self.bar.suspend(|| say(&format!("skipped: {}", finding.message))),
            _ if self.verbose => self.bar.suspend(|| say(&finding.message)),
            _ => {}
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Progress {
    pub fn start(what: &'static str) -> Self {
        const PATIENCE: Duration = Duration::from_secs(1);
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(what);
        // A template that is wrong leaves another style.
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(style);
        let (_waiting, end) = channel::<()>();
        if io::stderr().is_terminal() {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(100));
                }
            });
        }
        Self { bar, _waiting, stop: None, verbose: false }
    }

    /// Something begins that Ctrl-C stops before its end: what it has is kept.
    pub fn stoppable(what: &'static str) -> Self {
        let mut progress = Self::start(what);
        progress.stop = Some(crate::signals::stop_flag());
        progress
    }

    /// Says on standard error how results are computed, if that is asked for.
    pub fn verbose(mut self, verbose: bool) -> Self {
        self.verbose = verbose;
        self
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
