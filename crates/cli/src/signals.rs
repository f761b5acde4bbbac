//! Ctrl-C and SIGTERM: a run ends and leaves nothing half done. A verb that can stop by itself does, and writes what it has.

use crate::failure::{Failure, say};
use crate::temporary;
use std::sync::atomic::{AtomicBool, Ordering};

/// As shells have it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;
/// 128 + SIGPIPE.
pub const BROKEN_PIPE: u8 = 141;

static STOPPING: AtomicBool = AtomicBool::new(false);
static STOPS_BY_ITSELF: AtomicBool = AtomicBool::new(false);

pub fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        let is_first = !STOPPING.swap(true, Ordering::Relaxed);
        if is_first && STOPS_BY_ITSELF.load(Ordering::Relaxed) {
            return;
        }
        say("interrupted");
        temporary::abandon(INTERRUPTED.into());
    })
    .map_err(|error| Failure::new("cannot watch for Ctrl-C").because(error))
}

/// A flag that the first signal raises, for a verb that looks at it; the second one ends the program at once.
pub fn stop_flag() -> &'static AtomicBool {
    STOPS_BY_ITSELF.store(true, Ordering::Relaxed);
    &STOPPING
}
