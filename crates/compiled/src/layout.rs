//! Where the numbers of a batch are: every component of the states has a first number and a distance to the next state's. Columns, rows
//! and views of either are all of this form.
//!
//! Here and nowhere else numbers are reached by pointers: those who make [`BatchComponents`] answer for them.

use crate::real::Float;
use std::ops::Range;

/// One component of all states. `stride` numbers lie between a state and the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<P> {
    pub first: P,
    pub stride: isize,
}

impl<T> Component<*const T> {
    /// The same from a later state on.
    pub fn from(self, state: usize) -> Self {
        Self { first: self.first.wrapping_offset(state as isize * self.stride), ..self }
    }
}

impl<T> Component<*mut T> {
    /// The same from a later state on.
    pub fn from(self, state: usize) -> Self {
        Self { first: self.first.wrapping_offset(state as isize * self.stride), ..self }
    }
}

// SAFETY: threads that share it work on different states, of arrays that the caller holds for the whole call.
#[allow(unsafe_code)]
unsafe impl<P> Send for Component<P> {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl<P> Sync for Component<P> {}

/// All components of a batch.
#[derive(Debug)]
pub(crate) struct BatchComponents<'a, T> {
    inputs: &'a [Component<*const T>],
    outputs: &'a [Component<*mut T>],
}

impl<T> Clone for BatchComponents<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BatchComponents<'_, T> {}

impl<'a, T: Float> BatchComponents<'a, T> {
    /// # Safety
    /// For as long as they are used, every number of every state that is asked for is there, and nobody else uses the outputs.
    #[allow(unsafe_code)]
    pub unsafe fn new(inputs: &'a [Component<*const T>], outputs: &'a [Component<*mut T>]) -> Self {
        Self { inputs, outputs }
    }

    /// The first inputs and results, if all others follow them side by side in every state.
    pub fn rows(&self) -> Option<(Component<*const T>, Component<*mut T>)> {
        let (inputs, outputs) = (self.inputs.first()?, self.outputs.first()?);
        let follows = |first: usize, stride: isize, (k, (place, other)): (usize, (usize, isize))| {
            place == first.wrapping_add(k * size_of::<T>()) && other == stride && stride != 1
        };
        let places = |x: &Component<*const T>| (x.first as usize, x.stride);
        let results = |x: &Component<*mut T>| (x.first as usize, x.stride);
        let side_by_side = self
            .inputs
            .iter()
            .map(places)
            .enumerate()
            .all(|x| follows(inputs.first as usize, inputs.stride, x))
            && self.outputs.iter().map(results).enumerate().all(|x| follows(outputs.first as usize, outputs.stride, x));
        side_by_side.then_some((*inputs, *outputs))
    }

    /// The numbers of an input of so many states. A tile that is not full goes on with its last state.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn read<const N: usize>(&self, input: usize, start: usize, count: usize, lane: &mut [T; N]) {
        let Component { first, stride } = self.inputs[input];
        // SAFETY: states from `start` on, `count` of them, are there.
        unsafe {
            let first = first.offset(start as isize * stride);
            if stride == 1 && count == N {
                *lane = first.cast::<[T; N]>().read_unaligned();
            } else {
                for (i, x) in lane.iter_mut().enumerate() {
                    *x = first.offset(i.min(count - 1) as isize * stride).read();
                }
            }
        }
    }

    /// Writes an output of the states from `start` on.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn write(&self, output: usize, start: usize, numbers: &[T]) {
        let Component { first, stride } = self.outputs[output];
        for (i, &number) in numbers.iter().enumerate() {
            // SAFETY: as many states as there are numbers.
            unsafe { first.offset((start + i) as isize * stride).write(number) };
        }
    }
}

/// Bytes of a line of the cache, and sets of the nearest cache, on processors since 2010. Columns whose distance is a multiple of both
/// fall into the same set.
const LINE: usize = 64;
const SETS: usize = 64;
/// How many columns of inputs and of results may do so, measured: what is read is read again soon, what is written is not.
const READ: u8 = 12;
const WRITTEN: u8 = 6;

/// Components next to one another in every state, with one stride.
#[derive(Clone, Copy, Debug)]
struct AdjacentComponents {
    from: usize,
    width: usize,
}

/// Columns of a tile, and the way from the ends of a batch to them and back. What lies in columns already is used where it is.
#[derive(Clone, Debug)]
pub(crate) struct TileBuffers<T, const N: usize> {
    inputs: Vec<[T; N]>,
    outputs: Vec<[T; N]>,
    /// Where code reads and writes.
    read: Vec<*const T>,
    write: Vec<*mut T>,
    /// What does not lie in columns.
    gathered: Vec<AdjacentComponents>,
    scattered: Vec<AdjacentComponents>,
    /// Whether columns of inputs are read before the tile, one after the other, and those of results written after it.
    crowded: [bool; 2],
}

// SAFETY: the pointers are set anew for every tile by the thread that uses them.
#[allow(unsafe_code)]
unsafe impl<T: Send, const N: usize> Send for TileBuffers<T, N> {}
// SAFETY: as above; shared, nothing can be done with them.
#[allow(unsafe_code)]
unsafe impl<T: Sync, const N: usize> Sync for TileBuffers<T, N> {}

impl<T: Float, const N: usize> TileBuffers<T, N> {
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self {
            inputs: vec![[T::default(); N]; inputs],
            outputs: vec![[T::default(); N]; outputs],
            read: vec![std::ptr::null(); inputs],
            write: vec![std::ptr::null_mut(); outputs],
            gathered: Vec::with_capacity(inputs),
            scattered: Vec::with_capacity(outputs),
            crowded: [false; 2],
        }
    }

    /// What of a batch does not lie in columns.
    pub fn look_at(&mut self, ends: &BatchComponents<'_, T>) {
        blocks(ends.inputs.iter().map(|x| (x.first as usize, x.stride)), size_of::<T>(), &mut self.gathered);
        blocks(ends.outputs.iter().map(|x| (x.first as usize, x.stride)), size_of::<T>(), &mut self.scattered);
        self.crowded = [
            crowded(ends.inputs.iter().map(|end| (end.first as usize, end.stride)), READ),
            crowded(ends.outputs.iter().map(|end| (end.first as usize, end.stride)), WRITTEN),
        ];
    }

    /// Gets so many states, hands addresses of columns of inputs and of results to `work`, and puts what it wrote where it belongs. Code
    /// that takes more states than there are (`whole` is no) gets and writes columns of the tile.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[allow(unsafe_code)]
    pub unsafe fn through(
        &mut self,
        ends: &BatchComponents<'_, T>,
        start: usize,
        count: usize,
        whole: bool,
        work: impl FnOnce(*const *const T, *const *mut T),
    ) {
        for ((read, tile), end) in self.read.iter_mut().zip(&self.inputs).zip(ends.inputs) {
            let there = whole && end.stride == 1 && !self.crowded[0];
            *read = if there { end.first.wrapping_add(start) } else { tile.as_ptr() };
        }
        for ((write, tile), end) in self.write.iter_mut().zip(&mut self.outputs).zip(ends.outputs) {
            let there = whole && end.stride == 1 && !self.crowded[1];
            *write = if there { end.first.wrapping_add(start) } else { tile.as_mut_ptr() };
        }
        if whole {
            if self.crowded[0] {
                for (tile, end) in self.inputs.iter_mut().zip(ends.inputs).filter(|(_, end)| end.stride == 1) {
                    // SAFETY: all numbers of these states are there, and the tile has room for N.
                    unsafe { copy(end.first.wrapping_add(start), tile.as_mut_ptr(), count) };
                }
            }
            for block in &self.gathered {
                let Component { first, stride } = ends.inputs[block.from];
                // SAFETY: all numbers of the block of these states are there, and the tile has N of each.
                unsafe {
                    let first = first.offset(start as isize * stride);
                    let tile = self.inputs.as_flattened_mut()[block.from * N..].as_mut_ptr();
                    gather(first, stride, block.width, count, tile, N);
                }
            }
        } else {
            for (input, tile) in self.inputs.iter_mut().enumerate() {
                ends.read(input, start, count, tile);
            }
        }
        work(self.read.as_ptr(), self.write.as_ptr());
        if whole {
            if self.crowded[1] {
                for (tile, end) in self.outputs.iter().zip(ends.outputs).filter(|(_, end)| end.stride == 1) {
                    // SAFETY: all numbers of these states are there, and the tile has N.
                    unsafe { copy(tile.as_ptr(), end.first.wrapping_add(start), count) };
                }
            }
            for block in &self.scattered {
                let Component { first, stride } = ends.outputs[block.from];
                // SAFETY: as above.
                unsafe {
                    let first = first.offset(start as isize * stride);
                    let tile = self.outputs.as_flattened()[block.from * N..].as_ptr();
                    scatter(tile, N, block.width, count, first, stride);
                }
            }
        } else {
            for (output, tile) in self.outputs.iter().enumerate() {
                ends.write(output, start, &tile[..count]);
            }
        }
    }
}

/// Whether more columns fall into a set of the nearest cache than it can hold.
fn crowded(components: impl Iterator<Item = (usize, isize)>, most: u8) -> bool {
    let mut taken = [0_u8; SETS];
    for (first, _) in components.filter(|(_, stride)| *stride == 1) {
        let set = &mut taken[first / LINE % SETS];
        *set = set.saturating_add(1);
    }
    taken.iter().any(|&columns| columns > most)
}

/// Components that follow one another and are no columns.
fn blocks(components: impl Iterator<Item = (usize, isize)>, size: usize, blocks: &mut Vec<AdjacentComponents>) {
    blocks.clear();
    let mut before = None;
    for (k, (first, stride)) in components.enumerate() {
        if stride != 1 {
            match (before, blocks.last_mut()) {
                (Some(last), Some(block)) if last == (first.wrapping_sub(size), stride) => block.width += 1,
                _ => blocks.push(AdjacentComponents { from: k, width: 1 }),
            }
        }
        before = (stride != 1).then_some((first, stride));
    }
}

/// So many numbers of a column, in registers: a call for some lines of the cache would take as long as they do.
///
/// # Safety
/// There are so many numbers and there is room for them; the processor has AVX2.
#[allow(unsafe_code)]
unsafe fn copy<T: Float>(from: *const T, to: *mut T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    if !T::SINGLE && count.is_multiple_of(4) {
        // SAFETY: as the caller promises; the numbers are `f64`.
        return unsafe { fours::copy(from.cast(), to.cast(), count) };
    }
    // SAFETY: as the caller promises.
    unsafe { from.copy_to_nonoverlapping(to, count) };
}

/// Components of states, side by side in each, into columns that are `apart`.
///
/// # Safety
/// There are `width` numbers at each of `count` states and room for them; the processor has AVX2.
#[allow(unsafe_code)]
unsafe fn gather<T: Float>(from: *const T, stride: isize, width: usize, count: usize, to: *mut T, apart: usize) {
    #[cfg(target_arch = "x86_64")]
    if width >= 4 {
        // SAFETY: as the caller promises; the numbers are `f32` or else `f64`.
        return unsafe {
            if T::SINGLE {
                fours::gather_single(from.cast(), stride, width, count, to.cast(), apart);
            } else {
                fours::gather(from.cast(), stride, width, count, to.cast(), apart);
            }
        };
    }
    // SAFETY: as the caller promises.
    unsafe { gather_each(from, stride, width, 0..count, to, apart) };
}

/// Number by number.
///
/// # Safety
/// As above.
#[allow(unsafe_code)]
unsafe fn gather_each<T>(from: *const T, stride: isize, width: usize, states: Range<usize>, to: *mut T, apart: usize) {
    for k in states {
        for c in 0..width {
            // SAFETY: as the caller promises.
            unsafe { to.add(c * apart + k).write(from.offset(k as isize * stride).add(c).read()) };
        }
    }
}

/// The other way round.
///
/// # Safety
/// As above.
#[allow(unsafe_code)]
unsafe fn scatter<T: Float>(from: *const T, apart: usize, width: usize, count: usize, to: *mut T, stride: isize) {
    #[cfg(target_arch = "x86_64")]
    if width >= 4 {
        // SAFETY: as the caller promises; the numbers are `f32` or else `f64`.
        return unsafe {
            if T::SINGLE {
                fours::scatter_single(from.cast(), apart, width, count, to.cast(), stride);
            } else {
                fours::scatter(from.cast(), apart, width, count, to.cast(), stride);
            }
        };
    }
    // SAFETY: as the caller promises.
    unsafe { scatter_each(from, apart, width, 0..count, to, stride) };
}

/// Number by number.
///
/// # Safety
/// As above.
#[allow(unsafe_code)]
unsafe fn scatter_each<T>(from: *const T, apart: usize, width: usize, states: Range<usize>, to: *mut T, stride: isize) {
    for k in states {
        for c in 0..width {
            // SAFETY: as the caller promises.
            unsafe { to.offset(k as isize * stride).add(c).write(from.add(c * apart + k).read()) };
        }
    }
}

/// The first components of blocks of N; the last may overlap the one before: it is read or written twice.
#[cfg(target_arch = "x86_64")]
pub(crate) fn starts<const N: usize>(width: usize) -> impl Iterator<Item = usize> {
    (0..width).step_by(N).map(move |c| c.min(width - N))
}

/// Four components of four states at once, transposed in registers.
#[cfg(target_arch = "x86_64")]
mod fours {
    use super::starts;
    use std::arch::x86_64::{
        __m128, __m256d, _mm_loadu_pd, _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_storeu_ps, _mm_unpackhi_ps,
        _mm_unpacklo_ps, _mm256_castpd128_pd256, _mm256_insertf128_pd, _mm256_loadu_pd, _mm256_storeu_pd,
        _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    };

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn copy(from: *const f64, to: *mut f64, count: usize) {
        for k in (0..count).step_by(4) {
            // SAFETY: as the caller promises.
            unsafe { _mm256_storeu_pd(to.add(k), _mm256_loadu_pd(from.add(k))) };
        }
    }

    /// Two numbers of one place, and two of another behind them.
    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    unsafe fn pairs(low: *const f64, high: *const f64) -> __m256d {
        // SAFETY: as the caller promises.
        unsafe { _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high)) }
    }

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn gather(from: *const f64, stride: isize, width: usize, count: usize, to: *mut f64, apart: usize) {
        let whole = count / 4 * 4;
        for c in starts::<4>(width) {
            // SAFETY: rows k to k + 3 have the components c to c + 3, and the columns have room.
            unsafe {
                let (mut row, mut column) = (from.add(c), to.add(c * apart));
                for _ in 0..whole / 4 {
                    for part in [0, 2] {
                        let row = row.add(part);
                        let (a, b) =
                            (pairs(row, row.offset(2 * stride)), pairs(row.offset(stride), row.offset(3 * stride)));
                        _mm256_storeu_pd(column.add(part * apart), _mm256_unpacklo_pd(a, b));
                        _mm256_storeu_pd(column.add((part + 1) * apart), _mm256_unpackhi_pd(a, b));
                    }
                    row = row.wrapping_offset(4 * stride);
                    column = column.add(4);
                }
            }
        }
        // SAFETY: as above; what is left.
        unsafe { super::gather_each(from, stride, width, whole..count, to, apart) };
    }

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn scatter(from: *const f64, apart: usize, width: usize, count: usize, to: *mut f64, stride: isize) {
        let whole = count / 4 * 4;
        for c in starts::<4>(width) {
            // SAFETY: as above.
            unsafe {
                let (mut column, mut row) = (from.add(c * apart), to.add(c));
                for _ in 0..whole / 4 {
                    for part in [0, 2] {
                        let column = column.add(part);
                        let a = pairs(column, column.add(2 * apart));
                        let b = pairs(column.add(apart), column.add(3 * apart));
                        let row = row.offset(part as isize * stride);
                        _mm256_storeu_pd(row, _mm256_unpacklo_pd(a, b));
                        _mm256_storeu_pd(row.offset(stride), _mm256_unpackhi_pd(a, b));
                    }
                    column = column.add(4);
                    row = row.wrapping_offset(4 * stride);
                }
            }
        }
        // SAFETY: as above; what is left.
        unsafe { super::scatter_each(from, apart, width, whole..count, to, stride) };
    }

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn gather_single(
        from: *const f32,
        stride: isize,
        width: usize,
        count: usize,
        to: *mut f32,
        apart: usize,
    ) {
        let whole = count / 4 * 4;
        for k in (0..whole).step_by(4) {
            for c in starts::<4>(width) {
                // SAFETY: as above.
                unsafe {
                    let row = |j: usize| _mm_loadu_ps(from.offset((k + j) as isize * stride).add(c));
                    let columns = transposed([row(0), row(1), row(2), row(3)]);
                    for (j, column) in columns.into_iter().enumerate() {
                        _mm_storeu_ps(to.add((c + j) * apart + k), column);
                    }
                }
            }
        }
        // SAFETY: as above; what is left.
        unsafe { super::gather_each(from, stride, width, whole..count, to, apart) };
    }

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn scatter_single(
        from: *const f32,
        apart: usize,
        width: usize,
        count: usize,
        to: *mut f32,
        stride: isize,
    ) {
        let whole = count / 4 * 4;
        for k in (0..whole).step_by(4) {
            for c in starts::<4>(width) {
                // SAFETY: as above.
                unsafe {
                    let column = |j: usize| _mm_loadu_ps(from.add((c + j) * apart + k));
                    let rows = transposed([column(0), column(1), column(2), column(3)]);
                    for (j, row) in rows.into_iter().enumerate() {
                        _mm_storeu_ps(to.offset((k + j) as isize * stride).add(c), row);
                    }
                }
            }
        }
        // SAFETY: as above; what is left.
        unsafe { super::scatter_each(from, apart, width, whole..count, to, stride) };
    }

    #[target_feature(enable = "avx2")]
    fn transposed([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
        let (low, low_2) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (high, high_2) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [_mm_movelh_ps(low, low_2), _mm_movehl_ps(low_2, low), _mm_movelh_ps(high, high_2), _mm_movehl_ps(high_2, high)]
    }
}
