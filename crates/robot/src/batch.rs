//! Many states at once: sweeps, Monte Carlo, learning data.
//!
//! The states come as columns, one slice per component, and are computed by [`crate::robot::Model::torques`] and
//! [`crate::robot::Model::accelerations`]. A formula is the same `f64` formula as for one state, run in loops over tiles of 32 states that the compiler
//! turns into vector instructions; which ones is decided when the program runs, and every choice gives the same bits, because
//! none fuses or reorders an operation.
//!
//! Nothing is checked per state: a state out of reach comes out as NaN, never as a number.

use crate::array::{from_fn, map};
use dalembert_compiled::wide::{Kernel, widest};

/// States per tile: enough to fill the widest vectors several times, few enough to stay in the first cache.
pub(crate) const TILE: usize = 32;

/// A column of a tile.
pub(crate) type Lane = [f64; TILE];

/// Columns that do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum ColumnsError {
    #[error("{found} columns are given, but {expected} are needed")]
    Number { expected: usize, found: usize },
    #[error("columns of different lengths: {expected} and {found} rows")]
    Length { expected: usize, found: usize },
    #[error("this model computes one state at a time")]
    NotOffered,
}

/// What is computed of many states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyOf {
    /// Inverse dynamics.
    Torques,
    /// Forward dynamics.
    Accelerations,
}

/// Groups of columns: positions, velocities, accelerations, and so on.
pub type Groups<'a, const G: usize> = [&'a [&'a [f64]]; G];

/// A formula that turns `G` groups of `N` columns into `O` columns, tile by tile. A trait and no closure, because it has to be inlined into the
/// code for each width of vectors.
pub(crate) trait Formula<const G: usize, const N: usize, const O: usize> {
    /// What is kept between the stages of a tile.
    type Scratch;

    /// Room for it.
    fn scratch(&self) -> Self::Scratch;

    /// One tile. It has to be inlined always.
    fn tile(&self, input: &[[&Lane; N]; G], output: &mut [Lane; O], scratch: &mut Self::Scratch);
}

/// `G` groups of `N` columns.
type Columns<'a, const G: usize, const N: usize> = [[&'a [f64]; N]; G];

/// The columns, where there are as many as needed and all of the same length; and that length.
fn checked<'a, const G: usize, const N: usize, const O: usize>(
    input: Groups<'a, G>,
    output: &[&mut [f64]],
) -> Result<(Columns<'a, G, N>, usize), ColumnsError> {
    for (found, expected) in input.iter().map(|group| (group.len(), N)).chain([(output.len(), O)]) {
        if found != expected {
            return Err(ColumnsError::Number { expected, found });
        }
    }
    let rows = output.first().map_or(0, |column| column.len());
    let lengths = input.iter().flat_map(|group| group.iter().map(|c| c.len())).chain(output.iter().map(|c| c.len()));
    match lengths.into_iter().find(|&length| length != rows) {
        Some(found) => Err(ColumnsError::Length { expected: rows, found }),
        None => Ok((map(input, |group| from_fn(|k| group[k])), rows)),
    }
}

/// All rows, one after the other, by a formula that is not worth tiles.
pub(crate) fn one_by_one<const G: usize, const N: usize, const O: usize>(
    input: Groups<'_, G>,
    output: &mut [&mut [f64]],
    mut formula: impl FnMut([[f64; N]; G]) -> [f64; O],
) -> Result<(), ColumnsError> {
    let (input, rows) = checked::<G, N, O>(input, output)?;
    for i in 0..rows {
        let result = formula(map(input, |group| map(group, |column| column[i])));
        output.iter_mut().zip(result).for_each(|(column, value)| column[i] = value);
    }
    Ok(())
}

/// All rows, tile by tile, with the widest vectors that the processor has.
pub(crate) fn tiles<const G: usize, const N: usize, const O: usize>(
    formula: &impl Formula<G, N, O>,
    input: Groups<'_, G>,
    output: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    let (input, rows) = checked::<G, N, O>(input, output)?;
    widest(Tiles::<_, G, N, O> { formula, input, output, rows });
    Ok(())
}

struct Tiles<'a, 'o, F, const G: usize, const N: usize, const O: usize> {
    formula: &'a F,
    input: Columns<'a, G, N>,
    output: &'a mut [&'o mut [f64]],
    rows: usize,
}

impl<F: Formula<G, N, O>, const G: usize, const N: usize, const O: usize> Kernel for Tiles<'_, '_, F, G, N, O> {
    #[inline(always)]
    fn run(self) {
        let Self { formula, input, output, rows } = self;
        // What is left over, padded to a tile with its last row.
        let rest = rows % TILE;
        let padded: [[Lane; N]; G] = map(input, |group| {
            map(group, |column| {
                let tail = &column[rows - rest..];
                from_fn(|i| tail.get(i).or(tail.last()).copied().unwrap_or(0.0))
            })
        });
        // Local, so that the compiler sees that nothing else points at them; or it would not vectorise.
        let mut scratch = formula.scratch();
        let mut results = [[0.0; TILE]; O];
        for start in (0..rows).step_by(TILE) {
            let tile: [[&Lane; N]; G] =
                from_fn(|group| from_fn(|k| input[group][k][start..].first_chunk().unwrap_or(&padded[group][k])));
            formula.tile(&tile, &mut results, &mut scratch);
            let count = TILE.min(rows - start);
            for k in 0..O {
                output[k][start..start + count].copy_from_slice(&results[k][..count]);
            }
        }
    }
}
