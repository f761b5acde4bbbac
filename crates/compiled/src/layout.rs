//! Where the numbers of a batch are: every component of the states has a first number and a distance to the next state's. Columns, rows
//! and views of either are all of this form.
//!
//! Here and nowhere else numbers are reached by pointers: those who make [`BatchComponents`] answer for them.

use crate::LayoutError;
use crate::real::Float;

/// One component of all states. `stride` numbers lie between a state and the next. Those of inputs are only read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<T> {
    pub first: *mut T,
    pub stride: isize,
}

impl<T> Component<T> {
    /// The components of rows of so many numbers.
    pub fn row(first: *mut T, width: usize) -> impl Iterator<Item = Self> {
        (0..width).map(move |k| Self { first: first.wrapping_add(k), stride: width as isize })
    }

    /// The same from a later state on.
    pub fn from(self, state: usize) -> Self {
        Self { first: self.first.wrapping_offset(state as isize * self.stride), ..self }
    }
}

// SAFETY: threads that share it work on different states, of arrays that the caller holds for the whole call.
#[allow(unsafe_code)]
unsafe impl<T> Send for Component<T> {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl<T> Sync for Component<T> {}

/// All components of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchComponents<'a, T> {
    inputs: &'a [Component<T>],
    outputs: &'a [Component<T>],
}

impl<'a, T: Float> BatchComponents<'a, T> {
    /// # Safety
    /// For as long as they are used, every number of every state that is asked for is there, and nobody else uses the outputs.
    #[allow(unsafe_code)]
    pub unsafe fn new(inputs: &'a [Component<T>], outputs: &'a [Component<T>]) -> Self {
        Self { inputs, outputs }
    }

    /// The first inputs and results, if all others follow them side by side in every state.
    pub fn rows(&self) -> Option<[Component<T>; 2]> {
        let first_of = |all: &[Component<T>]| {
            let first = *all.first()?;
            let follows = |(k, x): (usize, &Component<T>)| {
                x.first == first.first.wrapping_add(k) && x.stride == first.stride && x.stride != 1
            };
            all.iter().enumerate().all(follows).then_some(first)
        };
        Some([first_of(self.inputs)?, first_of(self.outputs)?])
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

/// Whether views of so many numbers may meet: first addresses and strides, in numbers. Exact where the strides are the same; others that
/// are interleaved count as meeting if they would when they went on.
fn may_meet(count: usize, [(a, s), (b, t)]: [(isize, isize); 2]) -> bool {
    let ends = |first: isize, stride: isize| {
        let last = first + (count as isize - 1) * stride;
        (first.min(last), first.max(last))
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(a, s), ends(b, t));
    if a_high < b_low || b_high < a_low {
        return false;
    }
    let (mut divisor, mut rest) = (s, t);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    if divisor == 0 { a == b } else { (b - a) % divisor == 0 }
}

/// Refuses views of outputs that overlap one another, themselves or inputs.
pub(crate) fn overlap<T>(
    states: usize,
    inputs: &[(*const T, isize)],
    outputs: &[(*mut T, isize)],
) -> Result<(), LayoutError> {
    let view = |first: *const T, stride: isize| ((first.addr() / size_of::<T>()) as isize, stride);
    let outputs: Vec<_> = outputs.iter().map(|&(first, stride)| view(first, stride)).collect();
    let inputs: Vec<_> = inputs.iter().map(|&(first, stride)| view(first, stride)).collect();
    for (output, &written) in outputs.iter().enumerate().filter(|_| states > 0) {
        let mut earlier = outputs[..output].iter().map(|&other| ("output", other)).enumerate();
        let meets = |(_, (_, other)): &(usize, (&str, _))| may_meet(states, [written, *other]);
        let mut read = inputs.iter().map(|&other| ("input", other)).enumerate();
        let itself = (written.1 == 0 && states > 1).then_some((output, ("output", written)));
        if let Some((other, (what, _))) = itself.or_else(|| earlier.find(meets)).or_else(|| read.find(meets)) {
            return Err(LayoutError::Overlap { output, what, other });
        }
    }
    Ok(())
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

/// Columns of a tile, of inputs or of results, and the way from the components of a batch to them or back. What lies in columns already is
/// used where it is.
#[derive(Clone, Debug)]
struct TileColumns<T, const N: usize> {
    tile: Vec<[T; N]>,
    /// Where code reads or writes.
    columns: Vec<*mut T>,
    /// What does not lie in columns.
    blocks: Vec<AdjacentComponents>,
    /// Whether columns of the batch are copied one after the other, since the nearest cache cannot hold all at once.
    crowded: bool,
}

impl<T: Float, const N: usize> TileColumns<T, N> {
    fn new(count: usize) -> Self {
        Self {
            tile: vec![[T::default(); N]; count],
            columns: vec![std::ptr::null_mut(); count],
            blocks: Vec::with_capacity(count),
            crowded: false,
        }
    }

    /// What of a batch does not lie in columns, and whether more than `most` columns fall into a set of the nearest cache.
    fn look_at(&mut self, components: &[Component<T>], most: u8) {
        self.blocks.clear();
        let mut taken = [0_u8; SETS];
        let mut next = None;
        for (k, &Component { first, stride }) in components.iter().enumerate() {
            if stride == 1 {
                let set = &mut taken[first as usize / LINE % SETS];
                *set = set.saturating_add(1);
            } else {
                match self.blocks.last_mut() {
                    Some(block) if next == Some((first, stride)) => block.width += 1,
                    _ => self.blocks.push(AdjacentComponents { from: k, width: 1 }),
                }
            }
            next = (stride != 1).then_some((first.wrapping_add(1), stride));
        }
        self.crowded = taken.iter().any(|&columns| columns > most);
    }

    /// Where code reads or writes the states from `start` on. Code that takes more states than there are (`whole` is no) uses the tile.
    fn point(&mut self, components: &[Component<T>], start: usize, whole: bool) -> *const *mut T {
        for ((column, tile), component) in self.columns.iter_mut().zip(&mut self.tile).zip(components) {
            let there = whole && component.stride == 1 && !self.crowded;
            *column = if there { component.from(start).first } else { tile.as_mut_ptr() };
        }
        self.columns.as_ptr()
    }

    /// Moves whole vectors of states into the tile, or out of it.
    ///
    /// # Safety
    /// All numbers of these states are there, at most N of them; the processor has AVX2.
    #[allow(unsafe_code)]
    unsafe fn transfer(&mut self, components: &[Component<T>], start: usize, count: usize, inward: bool) {
        if self.crowded {
            for (tile, column) in self.tile.iter_mut().zip(components).filter(|(_, column)| column.stride == 1) {
                let (there, here) = (column.from(start).first, tile.as_mut_ptr());
                let (from, to) = if inward { (there, here) } else { (here, there) };
                // SAFETY: as the caller promises, and the tile has room for N.
                unsafe { copy(from, to, count) };
            }
        }
        for block in &self.blocks {
            let Component { first, stride } = components[block.from].from(start);
            let tile = self.tile.as_flattened_mut()[block.from * N..].as_mut_ptr();
            let ((from, from_stride), (to, to_stride)) = match inward {
                true => ((first, stride), (tile, N as isize)),
                false => ((tile, N as isize), (first, stride)),
            };
            // SAFETY: all numbers of the block of these states are there, and the tile has N of each.
            unsafe { transpose(from, from_stride, to, to_stride, [block.width, count], inward) };
        }
    }
}

/// Inputs and results of a tile.
#[derive(Clone, Debug)]
pub(crate) struct TileBuffers<T, const N: usize> {
    inputs: TileColumns<T, N>,
    outputs: TileColumns<T, N>,
}

// SAFETY: the pointers are set anew for every tile by the thread that uses them.
#[allow(unsafe_code)]
unsafe impl<T: Send, const N: usize> Send for TileBuffers<T, N> {}
// SAFETY: as above; shared, nothing can be done with them.
#[allow(unsafe_code)]
unsafe impl<T: Sync, const N: usize> Sync for TileBuffers<T, N> {}

impl<T: Float, const N: usize> TileBuffers<T, N> {
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self { inputs: TileColumns::new(inputs), outputs: TileColumns::new(outputs) }
    }

    /// Prepares for a batch.
    pub fn look_at(&mut self, ends: &BatchComponents<'_, T>) {
        self.inputs.look_at(ends.inputs, READ);
        self.outputs.look_at(ends.outputs, WRITTEN);
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
        work: impl FnOnce(*const *mut T, *const *mut T),
    ) {
        let read = self.inputs.point(ends.inputs, start, whole);
        let write = self.outputs.point(ends.outputs, start, whole);
        if whole {
            // SAFETY: those who made the batch answer for its numbers.
            unsafe { self.inputs.transfer(ends.inputs, start, count, true) };
            work(read, write);
            // SAFETY: as above.
            unsafe { self.outputs.transfer(ends.outputs, start, count, false) };
        } else {
            for (input, tile) in self.inputs.tile.iter_mut().enumerate() {
                ends.read(input, start, count, tile);
            }
            work(read, write);
            for (output, tile) in self.outputs.tile.iter().enumerate() {
                ends.write(output, start, &tile[..count]);
            }
        }
    }
}

/// Components and states that are moved at once, in registers.
const BLOCK: usize = 4;

/// So many numbers of a column, a multiple of [`BLOCK`], in registers: a call for some lines of the cache would take as long as they do.
///
/// # Safety
/// There are so many numbers and there is room for them; the processor has AVX2.
#[allow(unsafe_code)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn copy<T: Float>(from: *const T, to: *mut T, count: usize) {
    for k in (0..count).step_by(BLOCK) {
        // SAFETY: as the caller promises.
        unsafe { to.add(k).cast::<[T; BLOCK]>().write_unaligned(from.add(k).cast::<[T; BLOCK]>().read_unaligned()) };
    }
}

/// Components of states, side by side in each state, into columns (`inward`), or the other way round: what is at (row, column) goes to
/// (column, row), where rows are so far from one another. Whole blocks of states.
///
/// # Safety
/// There are so many numbers and there is room for them; the processor has AVX2.
#[allow(unsafe_code)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn transpose<T: Float>(
    from: *const T,
    from_stride: isize,
    to: *mut T,
    to_stride: isize,
    [width, count]: [usize; 2],
    inward: bool,
) {
    // From a component to the next, and from a state to the next.
    let (component, state) =
        if inward { ([1, to_stride], [from_stride, 1]) } else { ([from_stride, 1], [1, to_stride]) };
    let size = if width < BLOCK { 1 } else { BLOCK };
    for c in (0..width).step_by(size).map(|c| c.min(width - size) as isize) {
        // SAFETY: as the caller promises: there are so many components and states from these on.
        unsafe {
            let (mut row, mut column) = (from.offset(c * component[0]), to.offset(c * component[1]));
            for _ in 0..count / size {
                match size {
                    1 => column.write(row.read()),
                    _ => transpose_block(row, from_stride, column, to_stride),
                }
                row = row.wrapping_offset(size as isize * state[0]);
                column = column.wrapping_offset(size as isize * state[1]);
            }
        }
    }
}

/// Four rows of four numbers as four columns.
///
/// # Safety
/// As above.
#[allow(unsafe_code)]
#[cfg(not(target_arch = "x86_64"))]
unsafe fn transpose_block<T: Float>(from: *const T, from_stride: isize, to: *mut T, to_stride: isize) {
    for (i, j) in (0..BLOCK as isize).flat_map(|i| (0..BLOCK as isize).map(move |j| (i, j))) {
        // SAFETY: as the caller promises.
        unsafe { to.offset(j * to_stride + i).write(from.offset(i * from_stride + j).read()) };
    }
}

/// Four rows of four numbers as four columns.
///
/// # Safety
/// As above.
#[allow(unsafe_code)]
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn transpose_block<T: Float>(from: *const T, from_stride: isize, to: *mut T, to_stride: isize) {
    use std::arch::x86_64::*;
    // SAFETY: as the caller promises; the numbers are `f32` or else `f64`.
    unsafe {
        if T::SINGLE {
            let (row, column) = (from.cast::<f32>(), to.cast::<f32>());
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| _mm_loadu_ps(row.offset(i * from_stride)));
            let (low, low_2) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (high, high_2) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            _mm_storeu_ps(column, _mm_movelh_ps(low, low_2));
            _mm_storeu_ps(column.offset(to_stride), _mm_movehl_ps(low_2, low));
            _mm_storeu_ps(column.offset(2 * to_stride), _mm_movelh_ps(high, high_2));
            _mm_storeu_ps(column.offset(3 * to_stride), _mm_movehl_ps(high_2, high));
        } else {
            for part in [0, 2] {
                let (row, column) = (from.cast::<f64>().offset(part), to.cast::<f64>().offset(part * to_stride));
                // Two numbers of one row, and two of the row after the next behind them.
                let [a, b] = [0, 1].map(|i| {
                    let low = _mm256_castpd128_pd256(_mm_loadu_pd(row.offset(i * from_stride)));
                    _mm256_insertf128_pd::<1>(low, _mm_loadu_pd(row.offset((i + 2) * from_stride)))
                });
                _mm256_storeu_pd(column, _mm256_unpacklo_pd(a, b));
                _mm256_storeu_pd(column.offset(to_stride), _mm256_unpackhi_pd(a, b));
            }
        }
    }
}
