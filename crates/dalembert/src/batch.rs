//! Many states at once: sweeps, Monte Carlo, learning data.
//!
//! The states come as columns, one slice per component. The formula is the same `f64` formula as for one state, run
//! in loops over tiles of 32 states that the compiler turns into vector instructions; which ones is decided when the
//! program runs, and every choice gives the same bits, because none fuses or reorders an operation.
//!
//! Nothing is checked per state: a state out of reach comes out as NaN, never as a number.

use crate::Vec3;
use crate::algebra::three;
use crate::delta::symmetric::{POSE_LEN, Symmetric, SymmetricPose};
use crate::delta::{Branch, Delta};
use std::array::from_fn;

/// States per tile: enough to fill the widest vectors several times, few enough to stay in the first cache.
const TILE: usize = 32;

/// Three columns of numbers, one per component.
pub type Columns<'a> = [&'a [f64]; 3];

/// Columns that are written.
pub type ColumnsMut<'a> = [&'a mut [f64]; 3];

/// Columns of different lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("columns of different lengths: {expected} and {found} rows")]
pub struct LengthMismatch {
    /// Length of the first column.
    pub expected: usize,
    /// Another length.
    pub found: usize,
}

/// Torques for many Cartesian states, friction included: [`crate::delta::Moving::torque`] for each row.
pub fn torque(
    robot: &Delta<f64>,
    position: Columns<'_>,
    velocity: Columns<'_>,
    acceleration: Columns<'_>,
    torque: ColumnsMut<'_>,
) -> Result<(), LengthMismatch> {
    run(robot, Task::Torque, [position, velocity, acceleration], torque)
}

/// Platform accelerations for many states and torques: [`crate::delta::Moving::acceleration`] for each row.
pub fn acceleration(
    robot: &Delta<f64>,
    position: Columns<'_>,
    velocity: Columns<'_>,
    torque: Columns<'_>,
    acceleration: ColumnsMut<'_>,
) -> Result<(), LengthMismatch> {
    run(robot, Task::Acceleration, [position, velocity, torque], acceleration)
}

/// The formula for symmetric robots, where it is the whole story: it knows neither friction nor damping.
pub fn fast_path(robot: &Delta<f64>) -> Option<Symmetric<f64>> {
    let frictionless =
        robot.parameters().arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none());
    robot.symmetric().filter(|_| frictionless)
}

#[derive(Clone, Copy)]
enum Task {
    Torque,
    Acceleration,
}

fn run(robot: &Delta<f64>, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) -> Result<(), LengthMismatch> {
    let rows = input[0][0].len();
    let lengths = input.iter().flatten().map(|c| c.len()).chain(output.iter().map(|c| c.len()));
    if let Some(found) = lengths.into_iter().find(|&length| length != rows) {
        return Err(LengthMismatch { expected: rows, found });
    }
    match fast_path(robot) {
        Some(symmetric) => tiles(&Fast(symmetric), task, input, output),
        None => tiles(&General(*robot), task, input, output),
    }
    Ok(())
}

/// A column of a tile.
type Lane = [f64; TILE];

/// A tile of states: position, velocity and acceleration or torque, one column per component.
type Tile<'a> = [[&'a Lane; 3]; 3];

/// Where the poses of a tile are kept between the two stages.
type Scratch = [Lane; POSE_LEN];

/// Something that computes a tile.
trait Kernel {
    fn tile(&self, task: Task, input: &Tile<'_>, output: &mut [Lane; 3], scratch: &mut Scratch);
}

/// Any robot: the readable formula.
struct General(Delta<f64>);

/// A symmetric robot.
struct Fast(Symmetric<f64>);

#[inline(always)]
fn row(columns: &[&Lane; 3], i: usize) -> Vec3<f64> {
    Vec3([columns[0][i], columns[1][i], columns[2][i]])
}

#[inline(always)]
fn store(output: &mut [Lane; 3], i: usize, result: [f64; 3]) {
    [output[0][i], output[1][i], output[2][i]] = result;
}

impl Kernel for General {
    #[inline(always)]
    fn tile(&self, task: Task, input: &Tile<'_>, output: &mut [Lane; 3], _: &mut Scratch) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            let moving = self.0.pose_unchecked(row(position, i), Branch::Out).moving(row(velocity, i));
            let result = match task {
                Task::Torque => moving.torque(row(third, i)),
                Task::Acceleration => moving.acceleration(row(third, i).0).0,
            };
            store(output, i, result);
        }
    }
}

impl Kernel for Fast {
    #[inline(always)]
    fn tile(&self, task: Task, input: &Tile<'_>, output: &mut [Lane; 3], scratch: &mut Scratch) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            let pose = self.0.pose(row(position, i)).to_array();
            for k in 0..POSE_LEN {
                scratch[k][i] = pose[k];
            }
        }
        // Plain loops: a closure per row would be a call per row.
        match task {
            Task::Torque => {
                for i in 0..TILE {
                    let pose = SymmetricPose::from_array(from_fn(|k| scratch[k][i]));
                    store(output, i, self.0.torque_at(&pose, row(velocity, i), row(third, i)));
                }
            }
            Task::Acceleration => {
                for i in 0..TILE {
                    let pose = SymmetricPose::from_array(from_fn(|k| scratch[k][i]));
                    store(output, i, self.0.acceleration_at(&pose, row(velocity, i), row(third, i).0).0);
                }
            }
        }
    }
}

/// All rows, tile by tile.
#[inline(always)]
fn all_tiles(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
    let rows = input[0][0].len();
    // What is left over, padded to a tile with its last row.
    let rest = rows % TILE;
    let padded: [[Lane; 3]; 3] = three(|group| {
        three(|k| {
            let tail = &input[group][k][rows - rest..];
            from_fn(|i| tail.get(i).or(tail.last()).copied().unwrap_or(0.0))
        })
    });
    // Local, so that the compiler sees that nothing else points at them; or it would not vectorise.
    let mut scratch = [[0.0; TILE]; POSE_LEN];
    let mut results = [[0.0; TILE]; 3];
    for start in (0..rows).step_by(TILE) {
        let tile: Tile<'_> =
            three(|group| three(|k| input[group][k][start..].first_chunk().unwrap_or(&padded[group][k])));
        kernel.tile(task, &tile, &mut results, &mut scratch);
        let count = TILE.min(rows - start);
        for k in 0..3 {
            output[k][start..start + count].copy_from_slice(&results[k][..count]);
        }
    }
}

fn tiles(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
    widest(Tiles { kernel, task, input, output });
}

struct Tiles<'a, K> {
    kernel: &'a K,
    task: Task,
    input: [Columns<'a>; 3],
    output: ColumnsMut<'a>,
}

impl<K: Kernel> Work for Tiles<'_, K> {
    #[inline(always)]
    fn run(self) {
        all_tiles(self.kernel, self.task, self.input, self.output);
    }
}

/// Something to compute that is compiled once for each width of vectors. `run` has to be inlined always.
pub(crate) trait Work {
    /// Does it.
    fn run(self);
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn widest(work: impl Work) {
    work.run();
}

/// Does the work with the widest vectors that the processor has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn widest(work: impl Work) {
    // Only wider registers are asked for, never fused multiply–adds: those would change the bits.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn wide_512(work: impl Work) {
        work.run();
    }
    #[target_feature(enable = "avx2")]
    fn wide_256(work: impl Work) {
        work.run();
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
    {
        // SAFETY: the processor has just said that it has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            wide_512(work)
        }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            wide_256(work)
        }
    } else {
        work.run();
    }
}
