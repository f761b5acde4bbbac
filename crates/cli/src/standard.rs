//! Whether there is a standard output. Rust opens `/dev/null` in the place of one that is closed (`>&-`), before `main`: what is
//! written there would be lost without an error.

use std::io;

/// An error where standard output was closed when the program began.
pub fn require_output() -> io::Result<()> {
    /// EBADF, the error of writing there.
    const CLOSED: i32 = 9;
    if early::was_closed() { Err(io::Error::from_raw_os_error(CLOSED)) } else { Ok(()) }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // a look at the descriptor before Rust's own start
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);
    const STANDARD_OUTPUT: i32 = 1;
    /// Flags of a descriptor, which only one that is open has.
    const F_GETFD: i32 = 1;

    unsafe extern "C" {
        fn fcntl(descriptor: i32, command: i32, ...) -> i32;
    }

    extern "C" fn look() {
        // SAFETY: asks for flags and changes nothing; it may be called at any time.
        CLOSED.store(unsafe { fcntl(STANDARD_OUTPUT, F_GETFD) } < 0, Ordering::Relaxed);
    }

    // SAFETY: functions of this section are called before `main`, and this one needs nothing of Rust's start.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    pub fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod early {
    pub fn was_closed() -> bool {
        false
    }
}
