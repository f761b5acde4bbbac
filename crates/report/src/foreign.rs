//! Readers of other crates: what panics in them is an error of the file that they read.

use std::cell::Cell;
#[cfg(feature = "parquet")]
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread becomes an error of a file: a panic hook need not report it.
pub fn is_contained() -> bool {
    CONTAINED.get()
}

/// Runs a reader of another crate on this thread. Whoever gets the error does not use what it has left.
#[cfg(feature = "parquet")]
pub(crate) fn contained<T>(format: &str, read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let before = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    CONTAINED.set(before);
    result.unwrap_or_else(|panic| {
        let text = text_of(&*panic);
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("not a {format} file, or a broken one: {text}")))
    })
}

#[cfg(feature = "parquet")]
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("its reader fails")
}
