//! The largest cylinder and box about the robot's axis in which every position is usable.

use super::reach::{stretched, without_gap};
use crate::Vec3;
use crate::delta::{Branch, Delta, Pose};
use crate::limits::JointLimits;
use crate::robot::UsableRegion;
use crate::robot::map::{Reason, first_limit};
use crate::threads;

/// What a position must fulfil to be usable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usable {
    /// Where the elbows point.
    pub branch: Branch,
    /// Joint ranges and ball angles count.
    pub limits: Option<[JointLimits; 3]>,
    /// Least type-1 margin of every arm.
    pub transmission: f64,
    /// Least type-2 margin.
    pub determinant: f64,
}

impl Default for Usable {
    /// Elbows out; margins of 0.1: forces grow to at most about ten times the load.
    fn default() -> Self {
        Self { branch: Branch::Out, limits: None, transmission: 0.1, determinant: 0.1 }
    }
}

/// Why there is no usable region: what is in the way on the axis.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "no cylinder about the axis is usable with the elbows {}: of {heights} heights {reached} are reached, with type-1 \
     margins of at most {:.3} where {} is needed and type-2 margins of at most {:.3} where {} is needed; {} within the limits{}",
    match branch { Branch::Out => "out", Branch::In => "in" },
    transmission, needed[0], determinant, needed[1],
    if *within == *reached { String::from("all are") } else { format!("{within} are") },
    limit.map_or(String::new(), |reason| format!(" ({})", Reason::text(reason.code())))
)]
#[allow(missing_docs)] // the text says it
pub struct NotUsable {
    pub branch: Branch,
    /// Type-1 and type-2 margin.
    pub needed: [f64; 2],
    pub heights: usize,
    pub reached: usize,
    pub within: usize,
    pub transmission: f64,
    pub determinant: f64,
    /// That is exceeded most often.
    pub limit: Option<Reason>,
}

impl Usable {
    /// Heights that are enough for a region known to about a percent of its volume: one number, so that everybody who asks
    /// gets the same answer.
    pub const LAYERS: usize = 120;

    /// Whether a position is usable.
    pub fn at(&self, robot: &Delta<f64>, position: Vec3<f64>) -> bool {
        self.side(robot, position).is_some()
    }

    /// On which side of the type-2 singularities a usable position is: no motion goes from one to the other.
    fn side(&self, robot: &Delta<f64>, position: Vec3<f64>) -> Option<bool> {
        let pose = robot.at_position(position, self.branch).ok()?;
        let determinant = pose.rod_determinant();
        let clear = pose.transmission_margins().iter().all(|margin| margin.abs() >= self.transmission)
            && determinant.abs() >= self.determinant
            && self.limits.is_none_or(|limits| limited(&pose, &limits).is_none());
        clear.then_some(determinant > 0.0)
    }

    /// What is in the way on the axis.
    fn missing(&self, robot: &Delta<f64>, heights: impl ExactSizeIterator<Item = f64>) -> NotUsable {
        let mut found = NotUsable {
            branch: self.branch,
            needed: [self.transmission, self.determinant],
            heights: heights.len(),
            reached: 0,
            within: 0,
            transmission: 0.0,
            determinant: 0.0,
            limit: None,
        };
        let mut limits = [0; Reason::COUNT];
        let poses = heights.filter_map(|z| robot.at_position(Vec3::new(0.0, 0.0, z), self.branch).ok());
        for pose in poses {
            found.reached += 1;
            let least = pose.transmission_margins().iter().fold(f64::INFINITY, |m, margin| m.min(margin.abs()));
            found.transmission = found.transmission.max(least);
            found.determinant = found.determinant.max(pose.rod_determinant().abs());
            match self.limits.and_then(|limits| limited(&pose, &limits)) {
                None => found.within += 1,
                Some(reason) => {
                    limits[reason.code()] += 1;
                    if found.limit.is_none_or(|most| limits[reason.code()] > limits[most.code()]) {
                        found.limit = Some(reason);
                    }
                }
            }
        }
        found
    }
}

/// The cylinder and the square box about the z axis with the largest volume, from `layers` heights and 120 directions at
/// each: between them nothing is tested but that no type-2 singularity is passed.
pub fn usable(
    robot: &Delta<f64>,
    what: &Usable,
    [lowest, highest]: [f64; 2],
    layers: usize,
) -> Result<UsableRegion, NotUsable> {
    const DIRECTIONS: u32 = 120;
    let layers = layers.max(2);
    let height = |k: usize| lowest + (highest - lowest) * (k as f64 + 0.5) / layers as f64;
    let farthest = stretched(robot).into_iter().fold(0.0, f64::max);
    let sides: Vec<Option<bool>> = (0..layers).map(|k| what.side(robot, Vec3::new(0.0, 0.0, height(k)))).collect();
    // Of each layer: radius of the disc and half side of the square that are usable throughout.
    let sizes: Vec<(f64, f64)> = threads::each(layers, |k| {
        let z = height(k);
        if sides[k].is_none() {
            return (0.0, 0.0);
        }
        let (mut disc, mut square) = (f64::INFINITY, f64::INFINITY);
        for direction in 0..DIRECTIONS {
            let (sin, cos) = (f64::from(direction) / f64::from(DIRECTIONS) * std::f64::consts::TAU).sin_cos();
            let same = |r: f64| what.side(robot, Vec3::new(r * cos, r * sin, z)) == sides[k];
            let free = without_gap(same, farthest);
            disc = disc.min(free);
            square = square.min(free * cos.abs().max(sin.abs()));
        }
        (disc, square)
    });
    let best = |size: &dyn Fn(usize) -> f64| {
        let mut best = (0.0, 0.0, [0, 0]);
        for first in 0..layers {
            let mut least = f64::INFINITY;
            for last in (first..layers).take_while(|&last| sides[last] == sides[first]) {
                least = least.min(size(last));
                let volume = least * least * (height(last) - height(first));
                if volume > best.0 {
                    best = (volume, least, [first, last]);
                }
            }
        }
        (best.0 > 0.0).then_some((best.1, best.2.map(height)))
    };
    match (best(&|k| sizes[k].0), best(&|k| sizes[k].1)) {
        (Some((cylinder_radius, cylinder)), Some((box_half_side, box_heights))) => {
            Ok(UsableRegion { cylinder_radius, cylinder, box_half_side, box_heights })
        }
        _ => Err(what.missing(robot, (0..layers).map(height))),
    }
}

/// The first limit that a pose exceeds.
fn limited(pose: &Pose<'_, f64>, limits: &[JointLimits; 3]) -> Option<Reason> {
    first_limit(|i| limits[i], &pose.joints(), Some(&pose.ball_angles()), Reason::JointRange)
}
