//! The same work on all processors (feature `parallel`, by rayon) or on one: the results are the same.

#[cfg(feature = "parallel")]
pub use rayon::join;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// How many threads there are.
pub fn count() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    return 1;
}

/// What `f` makes of the numbers from 0 to `count`, in their order.
pub fn each<T: Send>(count: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map(f).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(f).collect();
}

/// Hands every row of `width` numbers to `f` with its number, until one answers no. Whether none did.
pub fn rows(values: &mut [f64], width: usize, f: impl Fn(usize, &mut [f64]) -> bool + Send + Sync) -> bool {
    #[cfg(feature = "parallel")]
    return values.par_chunks_mut(width.max(1)).enumerate().all(|(row, target)| f(row, target));
    #[cfg(not(feature = "parallel"))]
    return values.chunks_mut(width.max(1)).enumerate().all(|(row, target)| f(row, target));
}

/// Both, one after the other.
#[cfg(not(feature = "parallel"))]
pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Runs `f` on so many threads; on all processors where no number is given.
pub fn on<R: Send>(threads: Option<usize>, f: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    #[cfg(feature = "parallel")]
    if let Some(threads) = threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(std::io::Error::other)?;
        return Ok(pool.install(f));
    }
    let _ = threads;
    Ok(f())
}
