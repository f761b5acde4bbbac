//! Many states at once: sweeps, Monte Carlo, learning data.
//!
//! The states come as columns, one slice per component. The formula is the same `f64` formula as for one state, run
//! in loops over tiles of 32 states that the compiler turns into vector instructions; which ones is decided when the
//! program runs, and every choice gives the same bits, because none fuses or reorders an operation.
//!
//! Nothing is checked per state: a state out of reach comes out as NaN, never as a number.

use crate::Vec3;
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
    let frictionless =
        robot.parameters().arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none());
    match robot.symmetric().filter(|_| frictionless) {
        Some(symmetric) => tiles(&Fast(symmetric), task, input, output),
        None => tiles(&General(*robot), task, input, output),
    }
    Ok(())
}

/// One tile of states, structure of arrays.
type Tile = [[[f64; TILE]; 3]; 3];

/// Something that computes a tile.
trait Kernel {
    fn tile(&self, task: Task, input: &Tile, output: &mut [[f64; TILE]; 3]);
}

/// Any robot: the readable formula.
struct General(Delta<f64>);

/// A symmetric robot.
struct Fast(Symmetric<f64>);

#[inline(always)]
fn row(tile: &[[f64; TILE]; 3], lane: usize) -> Vec3<f64> {
    Vec3(from_fn(|k| tile[k][lane]))
}

impl Kernel for General {
    #[inline(always)]
    fn tile(&self, task: Task, input: &Tile, output: &mut [[f64; TILE]; 3]) {
        for lane in 0..TILE {
            let moving = self.0.pose_unchecked(row(&input[0], lane), Branch::Out).moving(row(&input[1], lane));
            let third = row(&input[2], lane);
            let result = match task {
                Task::Torque => moving.torque(third),
                Task::Acceleration => moving.acceleration(third),
            };
            for k in 0..3 {
                output[k][lane] = result[k];
            }
        }
    }
}

impl Kernel for Fast {
    #[inline(always)]
    fn tile(&self, task: Task, input: &Tile, output: &mut [[f64; TILE]; 3]) {
        let mut poses = [[0.0; TILE]; POSE_LEN];
        for lane in 0..TILE {
            let pose = self.0.pose(row(&input[0], lane)).to_array();
            for k in 0..POSE_LEN {
                poses[k][lane] = pose[k];
            }
        }
        let pose = |lane: usize| SymmetricPose::from_array(from_fn(|k| poses[k][lane]));
        match task {
            Task::Torque => {
                for lane in 0..TILE {
                    let result = self.0.torque_at(&pose(lane), row(&input[1], lane), row(&input[2], lane));
                    for k in 0..3 {
                        output[k][lane] = result[k];
                    }
                }
            }
            Task::Acceleration => {
                for lane in 0..TILE {
                    let result = self.0.acceleration_at(&pose(lane), row(&input[1], lane), row(&input[2], lane));
                    for k in 0..3 {
                        output[k][lane] = result[k];
                    }
                }
            }
        }
    }
}

/// All rows, tile by tile; the last tile is padded with its last row.
#[inline(always)]
fn all_tiles(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], mut output: ColumnsMut<'_>) {
    let rows = input[0][0].len();
    let mut results = [[0.0; TILE]; 3];
    for start in (0..rows).step_by(TILE) {
        let count = TILE.min(rows - start);
        let mut tile: Tile = [[[0.0; TILE]; 3]; 3];
        for (group, columns) in tile.iter_mut().zip(&input) {
            for (lanes, column) in group.iter_mut().zip(columns) {
                lanes[..count].copy_from_slice(&column[start..start + count]);
                lanes[count..].fill(column[start + count - 1]);
            }
        }
        kernel.tile(task, &tile, &mut results);
        for (column, result) in output.iter_mut().zip(&results) {
            column[start..start + count].copy_from_slice(&result[..count]);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn tiles(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
    all_tiles(kernel, task, input, output);
}

#[cfg(target_arch = "x86_64")]
fn tiles(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
    // Only wider registers are asked for, never fused multiply–adds: those would change the bits.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn wide_512(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
        all_tiles(kernel, task, input, output);
    }
    #[target_feature(enable = "avx2")]
    fn wide_256(kernel: &impl Kernel, task: Task, input: [Columns<'_>; 3], output: ColumnsMut<'_>) {
        all_tiles(kernel, task, input, output);
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
    {
        // SAFETY: the processor has just said that it has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            wide_512(kernel, task, input, output)
        }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            wide_256(kernel, task, input, output)
        }
    } else {
        all_tiles(kernel, task, input, output);
    }
}
