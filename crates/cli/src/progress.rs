//! A sign of life on a terminal, for what takes longer than a second.

use dalembert::verbs::Observer;
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
}

impl Observer for Progress {
    fn progress(&mut self, share: f64, stage: &str) {
        self.share(stage, share);
    }

    fn cancelled(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Progress {
    /// Something begins.
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
        Self { bar, _waiting, stop: None }
    }

    /// Something begins that Ctrl-C stops before its end: what it has is kept.
    pub fn stoppable(what: &'static str) -> Self {
        let mut progress = Self::start(what);
        progress.stop = Some(crate::signals::stop_flag());
        progress
    }

    /// What is being done now, and how much of it is done, from 0 to 1; NaN where nobody knows.
    pub fn share(&self, what: &str, done: f64) {
        let percent = if done.is_nan() { String::new() } else { format!(", {:.0} %", 100.0 * done.clamp(0.0, 1.0)) };
        self.bar.set_message(format!("{what}{percent}"));
    }

    /// Something else on standard error, above it.
    pub fn beside(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// It is done.
    pub fn end(self) {}
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
