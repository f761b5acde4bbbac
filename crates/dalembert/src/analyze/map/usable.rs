//! The largest cylinder and box about the robot's axis in which every position is usable.

use super::Reason;
use crate::Vec3;
use crate::analyze::reach::{stretched, without_gap};
use crate::delta::{Branch, Delta, Limits};
use rayon::prelude::*;

/// What a position must fulfil to be usable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usable {
    /// Joint ranges and ball angles count.
    pub limits: Option<[Limits; 3]>,
    /// Least type-1 margin of every arm.
    pub transmission: f64,
    /// Least type-2 margin.
    pub determinant: f64,
}

impl Default for Usable {
    /// Margins of 0.1: forces grow to at most about ten times the load.
    fn default() -> Self {
        Self { limits: None, transmission: 0.1, determinant: 0.1 }
    }
}

/// The largest regions found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workspace {
    /// Radius of the cylinder, m.
    pub cylinder_radius: f64,
    /// Its lower and upper end, m.
    pub cylinder: [f64; 2],
    /// Half the side of the box's square base along x and y, m.
    pub box_half_side: f64,
    /// Its lower and upper end, m.
    pub box_heights: [f64; 2],
}

impl Usable {
    /// Whether a position is usable.
    pub fn at(&self, robot: &Delta<f64>, position: Vec3<f64>) -> bool {
        let Ok(pose) = robot.at_position(position, Branch::Out) else { return false };
        pose.transmission_margins().0.iter().all(|margin| margin.abs() >= self.transmission)
            && pose.rod_determinant().abs() >= self.determinant
            && self.limits.is_none_or(|limits| Reason::limited(&pose, &limits).is_none())
    }
}

/// The cylinder and the square box about the z axis with the largest volume, from `layers` heights and 120 directions at
/// each: between them nothing is tested.
pub fn usable(robot: &Delta<f64>, what: &Usable, [lowest, highest]: [f64; 2], layers: usize) -> Option<Workspace> {
    const DIRECTIONS: u32 = 120;
    let layers = layers.max(2);
    let height = |k: usize| lowest + (highest - lowest) * (k as f64 + 0.5) / layers as f64;
    let farthest = stretched(robot).into_iter().fold(0.0, f64::max);
    // Of each layer: radius of the disc and half side of the square that are usable throughout.
    let sizes: Vec<(f64, f64)> = (0..layers)
        .into_par_iter()
        .map(|k| {
            let z = height(k);
            let (mut disc, mut square) = (f64::INFINITY, f64::INFINITY);
            for direction in 0..DIRECTIONS {
                let (sin, cos) = (f64::from(direction) / f64::from(DIRECTIONS) * std::f64::consts::TAU).sin_cos();
                let free = without_gap(|r| what.at(robot, Vec3::new(r * cos, r * sin, z)), farthest);
                disc = disc.min(free);
                square = square.min(free * cos.abs().max(sin.abs()));
            }
            (disc, square)
        })
        .collect();
    let best = |size: &dyn Fn(usize) -> f64| {
        let mut best = (0.0, 0.0, [0, 0]);
        for first in 0..layers {
            let mut least = f64::INFINITY;
            for last in first..layers {
                least = least.min(size(last));
                let volume = least * least * (height(last) - height(first));
                if volume > best.0 {
                    best = (volume, least, [first, last]);
                }
            }
        }
        (best.0 > 0.0).then_some((best.1, best.2.map(height)))
    };
    let (cylinder_radius, cylinder) = best(&|k| sizes[k].0)?;
    let (box_half_side, box_heights) = best(&|k| sizes[k].1)?;
    Some(Workspace { cylinder_radius, cylinder, box_half_side, box_heights })
}
