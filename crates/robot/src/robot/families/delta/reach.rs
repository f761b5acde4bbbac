//! Where the platform can go, by geometry alone.

use crate::Vec3;
use crate::delta::{Branch, Delta};

/// The reach about the vertical axis through the base centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Lowest height on the axis, m.
    pub lowest: f64,
    /// Highest height on the axis below the base, m.
    pub highest: f64,
    /// The centre pose: on the axis, halfway between the two, m.
    pub center: Vec3<f64>,
    /// Radius of the largest horizontal disc about the centre that is reached everywhere, m.
    pub radius: f64,
}

impl Reach {
    /// The reach of a robot.
    ///
    /// On the axis arm i sees the platform at distance r = √(R² + z²) and reaches |L_A − L_B| ≤ r ≤ L_A + L_B.
    pub fn of(robot: &Delta<f64>) -> Self {
        let (mut near, mut far) = (0.0_f64, f64::INFINITY);
        for arm in &robot.parameters().arms {
            let (la, lb, radius) = (arm.upper_arm.length, arm.forearm.length, arm.radius());
            far = far.min((la + lb) * (la + lb) - radius * radius);
            near = near.max((la - lb) * (la - lb) - radius * radius);
        }
        let (lowest, highest) = (-far.max(0.0).sqrt(), -near.sqrt());
        let center = Vec3::new(0.0, 0.0, 0.5 * (lowest + highest));
        Self { lowest, highest, center, radius: disc(robot, center) }
    }

    /// The same as the reach of the tool point, about the vertical axis through it.
    pub fn of_tool(self, robot: &Delta<f64>) -> Self {
        let tool = robot.parameters().tool;
        let (lowest, highest) = (self.lowest + tool[2], self.highest + tool[2]);
        Self { lowest, highest, center: self.center + tool, ..self }
    }
}

/// How far each arm is from the axis when it is stretched: no platform is farther out, m.
pub(super) fn stretched(robot: &Delta<f64>) -> [f64; 3] {
    robot.parameters().arms.map(|arm| arm.radius().abs() + arm.upper_arm.length + arm.forearm.length)
}

/// How far from 0 to `farthest` something holds without a gap: marches outward, then bisects.
pub(in crate::robot::families) fn without_gap(holds: impl Fn(f64) -> bool, farthest: f64) -> f64 {
    const STEPS: u32 = 100;
    let step = |i: u32| farthest * f64::from(i) / f64::from(STEPS);
    let Some(first) = (0..=STEPS).find(|&i| !holds(step(i))) else { return farthest };
    if first == 0 {
        return 0.0;
    }
    let (mut good, mut bad) = (step(first - 1), step(first));
    for _ in 0..40 {
        let middle = 0.5 * (good + bad);
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// The radius that is reached in all of many directions.
fn disc(robot: &Delta<f64>, center: Vec3<f64>) -> f64 {
    const DIRECTIONS: u32 = 180;
    let farthest = stretched(robot).into_iter().fold(0.0, f64::max);
    let free = |k: u32| {
        let angle = f64::from(k) / f64::from(DIRECTIONS) * core::f64::consts::TAU;
        let reached = |r: f64| {
            let offset = Vec3::new(r * angle.cos(), r * angle.sin(), 0.0);
            robot.at_position(center + offset, Branch::Out).is_ok()
        };
        without_gap(reached, farthest)
    };
    (0..DIRECTIONS).map(free).fold(farthest, f64::min)
}
