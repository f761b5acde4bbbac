//! The `f64` edge: margins become errors, and the platform of joints is proved to be the one that is meant.

use super::forward::NewtonStep;
use super::{Chain, Guide, LegParameters, Moving, Parallel, ParallelParameters, Pose};
use crate::algebra::{Mat3, Vec3};
use crate::array::map;
use crate::delta::Branch;
use crate::parameter::{ParameterError, PartKind};
use crate::spatial::{Frame, Metres, Twist, shorter};
use thiserror::Error;

/// Below this the rods' determinant ([`Pose::determinant`]) or a transmission margin counts as singular: forces would grow past
/// 1e9 times the load, and nine of the sixteen digits would be gone.
pub const SINGULAR: f64 = 1e-9;

/// w² above this share of its scale is in reach beyond any doubt of rounding.
const NEAR_THE_EDGE: f64 = 1e-9;

/// Kantorovich's bound proves convergence up to ½.
const PROVED: f64 = 0.5;

/// The smallest part of the way from home to joints that is tried at once.
const SMALLEST_PART: f64 = 1.0 / 1_048_576.0;

const TURN: f64 = core::f64::consts::TAU;

/// Newton's steps after a proved one until nothing is left but rounding: from ½ every one squares what is left.
const LAST_STEPS: usize = 6;

/// Why a pose or a motion was refused. Legs are numbered from 1, as the columns `q1` … are.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)] // of the fields: the texts name them
pub enum ParallelError {
    /// The platform joint is too far from (or, `too_close`, inside of) what the leg can reach: by how many metres the rod would have to be
    /// longer (or shorter).
    #[error("out of reach of leg {leg}: its rod would have to be {} m {}", Metres(*distance), shorter(*too_close))]
    OutOfReach { leg: usize, distance: f64, too_close: bool },
    /// The platform joint lies on the motor axis, or at the strut's joint on the base: the joint is undetermined.
    #[error("the platform joint of leg {leg} lies on its motor axis or base joint: its joint is undetermined")]
    OnMotorAxis { leg: usize },
    /// The motor has no lever (type 1). The margin is w/(|C′| L).
    #[error(
        "singular (type 1): the motor of leg {leg} cannot move its rod along (margin {margin:.2e}, least {SINGULAR:.0e})"
    )]
    LegSingular { leg: usize, margin: f64 },
    /// The rods do not hold the platform (type 2). The margin is the determinant of their directions and moments.
    #[error("singular (type 2): the legs do not hold the platform (margin {margin:.2e}, least {SINGULAR:.0e})")]
    PlatformSingular { margin: f64 },
    /// Between home and this pose the legs do not hold the platform (type 2): its joints mean a platform on home's side. The margins, here and at
    /// home.
    #[error(
        "beyond a singular pose (type 2): between home and here the legs do not hold the platform (margin {margin:.2e}, at home {home:.2e})"
    )]
    OtherSide { margin: f64, home: f64 },
    /// The joints of this platform mean another one: that to which they lead from home, whose place is given, m.
    #[error(
        "the joints of this platform mean another one: from home they lead to ({:.6}, {:.6}, {:.6}) m", place[0], place[1], place[2]
    )]
    OtherAssembly { place: [f64; 3] },
    /// On the straight way of the joints from home the platform cannot be followed to these joints: the part of the way to which it was followed, what is left
    /// there of the squares of the rods' lengths, as a share, and the margin of the rods there.
    #[error("the platform cannot be followed from home to these joints: after {:.1} % of the way the legs' margin is {margin:.2e} (residual {residual:.1e})", 100.0 * part)]
    NoAssembly { part: f64, residual: f64, margin: f64 },
    /// The frame of the platform is not a rotation.
    #[error("the platform's axes are not perpendicular unit vectors: off by {error:.1e}")]
    NotARotation { error: f64 },
    /// A platform with three legs does not turn.
    #[error("a platform with three legs does not turn")]
    DoesNotTurn,
    /// An input is NaN or infinite; components from 1.
    #[error("{what}[{component}] is {value}, not a finite number")]
    NotFinite { what: &'static str, component: usize, value: f64 },
}

/// The platform of joints, and how it was found.
#[derive(Clone, Copy, Debug)]
pub struct AssembledPose<'r, const N: usize> {
    /// The pose.
    pub pose: Pose<'r, f64, N>,
    /// Kantorovich's bound of the hardest part of the way; at most ½: that it is the platform that is reached from home is
    /// proved.
    pub bound: f64,
    /// Parts of the way.
    pub parts: usize,
    /// Newton's steps in all.
    pub steps: usize,
    /// What is left of the squares of the rods' lengths, as a share.
    pub residual: f64,
}

/// The way of the joints from home, up to the first step of Newton's method at its end.
struct Approach {
    /// The platform from which the step starts.
    near: Frame<f64>,
    step: NewtonStep,
    bound: f64,
    parts: usize,
    steps: usize,
}

fn finite<const M: usize>(what: &'static str, v: [f64; M]) -> Result<(), ParallelError> {
    match v.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(ParallelError::NotFinite { what, component: i + 1, value: v[i] }),
        None => Ok(()),
    }
}

impl<const N: usize> Parallel<f64, N> {
    /// The robot with these parameters, if there can be such a robot.
    pub fn try_new(parameters: ParallelParameters<f64, N>) -> Result<Self, ParameterError> {
        check_parameters(&parameters)?;
        let mut robot = Self::new(parameters);
        robot.home_margin = robot.check_home()?;
        Ok(robot)
    }

    /// The pose with the platform at a frame: inverse kinematics on the usual branches. What lies beyond a type-2 singularity, seen
    /// from home, is refused: its joints mean another platform.
    #[inline]
    pub fn at_tool(&self, tool: Frame<f64>) -> Result<Pose<'_, f64, N>, ParallelError> {
        self.at_tool_on(tool, self.branches())
    }

    /// The same on other branches.
    #[inline]
    pub fn at_tool_on(&self, tool: Frame<f64>, branches: [Branch; N]) -> Result<Pose<'_, f64, N>, ParallelError> {
        finite("position", tool.origin.0)?;
        if Self::TURNS {
            let error = tool.rotation.off_orthonormal();
            if error.is_nan() || error > 1e-9 || tool.rotation.determinant() <= 0.0 {
                return Err(ParallelError::NotARotation { error });
            }
        } else if tool.rotation != Mat3::diagonal(1.0) {
            return Err(ParallelError::DoesNotTurn);
        }
        let pose = self.pose_unchecked(tool, branches);
        pose.check_reach()?;
        let margin = pose.check_regular()?;
        if margin * self.home_margin < 0.0 {
            return Err(ParallelError::OtherSide { margin, home: self.home_margin });
        }
        Ok(pose)
    }

    /// Refuses a pose whose joints mean another platform ([`Parallel::at_joints`]). Where a platform turns, several on home's side have the same
    /// joints.
    pub fn check_assembly(&self, pose: &Pose<'_, f64, N>) -> Result<(), ParallelError> {
        /// Of the distance within which there is one platform only: more than rounding, less than between two platforms.
        const SAME: f64 = 1.05;
        let q = pose.joints();
        let Approach { near, step, .. } = self.approach(q)?;
        let apart = near.rotation - pose.tool.rotation;
        // |R − R′| = 2√2 sin(θ/2) for turns that are θ apart.
        let squares: f64 = (0..3).map(|i| apart[i].norm_squared()).sum();
        let turn = libm::asin(libm::sqrt(squares / 8.0).min(1.0)) * 2.0 * step.lever;
        let distance = libm::sqrt((near.origin - pose.tool.origin).norm_squared() + turn * turn);
        // Kantorovich: within 2η of where the step starts there is one platform, that which the method goes to.
        if distance <= SAME * 2.0 * step.length + 1e-9 * step.lever {
            return Ok(());
        }
        let place = self.at_joints(q)?.pose.tool.origin.0;
        Err(ParallelError::OtherAssembly { place })
    }

    /// The pose with the joints at `q`: of all platforms that they allow the one that is reached from home while the joints go
    /// there straight and steadily, arms by less than half a turn. Every part of the way is so short that Kantorovich's bound
    /// proves it.
    pub fn at_joints(&self, q: [f64; N]) -> Result<AssembledPose<'_, N>, ParallelError> {
        let Approach { step, bound, parts, steps, .. } = self.approach(q)?;
        // At the end of the way steps are taken until they are rounding.
        let tool = self.refined(q, step.next, LAST_STEPS);
        let pose = self.pose_of_both(tool, q);
        pose.check_regular()?;
        let steps = steps + LAST_STEPS;
        Ok(AssembledPose { pose, bound, parts, steps, residual: self.relative_misfit(tool, q) })
    }

    /// The platform after further steps.
    fn refined(&self, q: [f64; N], near: Frame<f64>, steps: usize) -> Frame<f64> {
        let next = (0..steps).fold(near, |near, _| self.corrected(near, q));
        Frame { rotation: super::forward::orthonormal(next.rotation), origin: next.origin }
    }

    /// The way from home to joints, up to the first step at its end.
    fn approach(&self, q: [f64; N]) -> Result<Approach, ParallelError> {
        finite("q", q)?;
        let home = self.pose_unchecked(self.home(), self.branches());
        let mut start = home.joints();
        for (start, (q, leg)) in start.iter_mut().zip(q.iter().zip(&self.legs)) {
            if let Guide::Circle { .. } = leg.guide {
                // Whole turns of an arm are no way.
                *start += TURN * libm::round((q - *start) / TURN);
            }
        }
        let (mut near, mut done, mut part) = (self.home(), 0.0_f64, 1.0);
        let (mut bound, mut parts, mut steps) = (0.0_f64, 0, 0);
        loop {
            let to = (done + part).min(1.0);
            let there: [f64; N] =
                crate::array::from_fn(|i| if to == 1.0 { q[i] } else { start[i] + (q[i] - start[i]) * to });
            let step = self.step(near, there);
            // About as far as the bound allows, which grows as the part does.
            let allowed = 0.9 * PROVED / step.bound;
            if step.bound.is_nan() || step.bound > PROVED {
                part = (to - done) * allowed.max(0.125);
                if part < SMALLEST_PART {
                    let (pose, residual) = (self.pose_of_both(near, there), self.relative_misfit(near, there));
                    return Err(ParallelError::NoAssembly { part: done, residual, margin: pose.determinant() });
                }
                continue;
            }
            (bound, parts, steps) = (bound.max(step.bound), parts + 1, steps + 1);
            if to == 1.0 {
                return Ok(Approach { near, step, bound, parts, steps });
            }
            // On the way one more step is near enough.
            near = self.refined(there, step.next, 1);
            steps += 1;
            part = (to - done) * allowed.min(4.0);
            done = to;
        }
    }

    /// At home every leg must reach the platform and hold it: by which margin it does.
    fn check_home(&self) -> Result<f64, ParameterError> {
        let parameters = self.parameters();
        let error = match self.at_tool(parameters.home) {
            Ok(pose) => return Ok(pose.determinant()),
            Err(error) => error,
        };
        let (field, leg, value, must) = match error {
            ParallelError::OutOfReach { leg, distance, .. } => {
                let field = match parameters.legs[leg - 1].chain {
                    Chain::Strut { .. } => "base",
                    _ => "rod.length",
                };
                (
                    field,
                    Some(leg),
                    distance,
                    "such that the leg reaches the platform at home; it is off by that many metres",
                )
            }
            ParallelError::LegSingular { leg, margin } => {
                ("base", Some(leg), margin, "such that the motor moves its rod at home, by a margin of at least 1e-9")
            }
            ParallelError::OnMotorAxis { leg } => {
                ("base", Some(leg), 0.0, "away from the leg's joint on the platform at home")
            }
            ParallelError::PlatformSingular { margin } => (
                "home.position",
                None,
                margin,
                "a pose in which the legs hold the platform, by a margin of at least 1e-9 (some arrangements hold it nowhere)",
            ),
            ParallelError::NotARotation { error } => ("home.rpy", None, error, "a rotation"),
            ParallelError::NotFinite { value, .. } => ("home.position", None, value, "a finite number"),
            _ => ("home.position", None, 0.0, "a pose of the platform"),
        };
        // Numbers that overflow on the way are no margin: the largest of home is the one to look at.
        if !value.is_finite() {
            let Vec3(home) = parameters.home.origin;
            let largest = home.into_iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
            let must = "near enough for numbers to be computed with, as all lengths of the legs";
            return PartKind::Leg.ensure(false, "home.position", None, largest, must).map(|()| f64::NAN);
        }
        PartKind::Leg.ensure(false, field, leg, value, must).map(|()| f64::NAN)
    }
}

impl<'r, const N: usize> Pose<'r, f64, N> {
    /// Refuses a pose out of reach.
    #[inline]
    fn check_reach(&self) -> Result<(), ParallelError> {
        for i in 0..N {
            let (leg, pose) = (&self.robot.legs[i], &self.legs[i]);
            let from_base = self.tool.origin + pose.lever - self.robot.parameters().legs[i].base;
            let length = leg.length;
            let out = |distance, too_close| Err(ParallelError::OutOfReach { leg: i + 1, distance, too_close });
            match leg.guide {
                Guide::Circle { u, v, length: a, .. } => {
                    if pose.discriminant > NEAR_THE_EDGE * (a * length) * (a * length) {
                        continue;
                    }
                    let r = libm::hypot(from_base.dot(u), from_base.dot(v)) / a;
                    let across = libm::sqrt((from_base.norm_squared() - r * r).max(0.0));
                    let (nearest, farthest) = (libm::hypot(r - a, across), libm::hypot(r + a, across));
                    if length < nearest {
                        return out(nearest - length, false);
                    }
                    if length > farthest {
                        return out(length - farthest, true);
                    }
                    if r <= 1e-12 * a {
                        return Err(ParallelError::OnMotorAxis { leg: i + 1 });
                    }
                }
                Guide::Line { d } => {
                    let along = from_base.dot(d);
                    let across = libm::sqrt((from_base.norm_squared() - along * along).max(0.0));
                    if pose.discriminant <= NEAR_THE_EDGE * length * length && across > length {
                        return out(across - length, false);
                    }
                }
                Guide::Strut { .. } => {
                    if pose.transmission.is_nan() || pose.transmission <= 1e-12 {
                        return Err(ParallelError::OnMotorAxis { leg: i + 1 });
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses a singular pose; the type-2 margin.
    #[inline]
    fn check_regular(&self) -> Result<f64, ParallelError> {
        for (i, &margin) in self.transmission_margins().iter().enumerate() {
            // NaN counts as singular: it cannot be compared.
            if margin.is_nan() || margin.abs() < SINGULAR {
                return Err(ParallelError::LegSingular { leg: i + 1, margin });
            }
        }
        let margin = self.determinant();
        if margin.is_nan() || margin.abs() < SINGULAR {
            return Err(ParallelError::PlatformSingular { margin });
        }
        Ok(margin)
    }

    /// The branch of each leg.
    pub fn branches(&self) -> [Branch; N] {
        map(self.legs, |leg| if leg.transmission < 0.0 { Branch::In } else { Branch::Out })
    }

    /// Angle between each rod or strut and its direction at home, seen from the platform, rad: what the ball joint on the platform
    /// has to swing when its socket looks along the leg at home.
    pub fn platform_swings(&self) -> [f64; N] {
        let home = self.robot.pose_unchecked(self.robot.home(), self.robot.branches());
        let seen = |pose: &Pose<'_, f64, N>, i: usize| pose.tool.rotation.transpose() * pose.legs[i].rod;
        crate::array::from_fn(|i| angle_between(seen(self, i), seen(&home, i)))
    }

    /// The same seen from the base end: from the arm or carriage, or from the base.
    pub fn base_swings(&self) -> [f64; N] {
        let home = self.robot.pose_unchecked(self.robot.home(), self.robot.branches());
        crate::array::from_fn(|i| angle_between(self.seen_from_near(i), home.seen_from_near(i)))
    }

    /// The rod in the axes of what carries its near end.
    fn seen_from_near(&self, i: usize) -> Vec3<f64> {
        let leg = &self.legs[i];
        match self.robot.parameters().legs[i].chain {
            Chain::Rotary { axis, length, .. } => {
                let (along, across) = (-leg.curvature, leg.tangent);
                Vec3([leg.rod.dot(along) / length, leg.rod.dot(across) / length, leg.rod.dot(axis)])
            }
            _ => leg.rod,
        }
    }

    /// The least distance of the lines of any two legs between their joints, m, and which two (from 1): what is left between
    /// two rods of some thickness.
    pub fn least_distance(&self) -> (f64, [usize; 2]) {
        let mut least = (f64::INFINITY, [1, 2]);
        for i in 0..N {
            for k in i + 1..N {
                let distance = segment_distance(self.near(i), self.legs[i].rod, self.near(k), self.legs[k].rod);
                if distance < least.0 {
                    least = (distance, [i + 1, k + 1]);
                }
            }
        }
        least
    }

    /// Kinematics with a velocity that is checked to be finite.
    pub fn try_moving(self, velocity: Twist<f64>) -> Result<Moving<'r, f64, N>, ParallelError> {
        finite("velocity", velocity.components())?;
        if !Parallel::<f64, N>::TURNS && velocity.angular != Vec3::zero() {
            return Err(ParallelError::DoesNotTurn);
        }
        Ok(self.moving(velocity))
    }
}

fn angle_between(a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    libm::atan2(libm::sqrt(a.cross(b).norm_squared()), a.dot(b))
}

/// Between the segments p + s u and q + t v with s, t in [0, 1].
fn segment_distance(p: Vec3<f64>, u: Vec3<f64>, q: Vec3<f64>, v: Vec3<f64>) -> f64 {
    let (w, a, b, c) = (p - q, u.norm_squared(), u.dot(v), v.norm_squared());
    let (d, e) = (u.dot(w), v.dot(w));
    let denominator = a * c - b * b;
    let s = if denominator > 1e-30 { ((b * e - c * d) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let t = if c > 0.0 { ((b * s + e) / c).clamp(0.0, 1.0) } else { 0.0 };
    // With t at an end the best s is another one.
    let s = if a > 0.0 { ((b * t - d) / a).clamp(0.0, 1.0) } else { 0.0 };
    libm::sqrt((w + u * s - v * t).norm_squared())
}

/// Signs, finiteness, directions and centres.
fn check_parameters<const N: usize>(p: &ParallelParameters<f64, N>) -> Result<(), ParameterError> {
    let check = |ok, field, leg, value, must| PartKind::Leg.ensure(ok, field, leg, value, must);
    PartKind::Leg.ensure_each(|visit| { *p }.visit(visit))?;
    let is_unit = |v: Vec3<f64>| (v.norm_squared() - 1.0).abs() < 1e-9;
    let mut moved = p.platform.mass + p.payload.mass;
    for (i, LegParameters { chain, .. }) in p.legs.iter().enumerate() {
        let leg = Some(i + 1);
        let rod = match *chain {
            Chain::Rotary { axis, zero, rod, .. } => {
                check(is_unit(axis), "axis", leg, axis.norm_squared(), "a unit vector (squared length 1)")?;
                check(is_unit(zero), "zero", leg, zero.norm_squared(), "a unit vector (squared length 1)")?;
                let off = axis.dot(zero);
                check(off.abs() < 1e-9, "zero", leg, off, "perpendicular to the axis (their product 0)")?;
                rod
            }
            Chain::Slider { direction, rod, .. } => {
                let square = direction.norm_squared();
                check(is_unit(direction), "direction", leg, square, "a unit vector (squared length 1)")?;
                rod
            }
            Chain::Strut { piston, .. } => {
                moved += piston.mass;
                continue;
            }
        };
        moved += rod.mass;
        let inside = (0.0..=rod.length).contains(&rod.center_of_mass);
        check(inside, "rod.center_of_mass", leg, rod.center_of_mass, "between 0 and the rod's length")?;
    }
    // Something has to be moved: without mass at the platform its acceleration is undetermined.
    check(moved > 0.0, "platform.mass", None, p.platform.mass, "positive where legs and payload have no mass")?;
    if N > 3 {
        for (body, field) in [(&p.platform, "platform.inertia"), (&p.payload, "payload.inertia")] {
            let least = least_minor(body.inertia.full());
            check(least >= -1e-12, field, None, least, "a tensor of inertia (no principal minor negative)")?;
        }
    }
    Ok(())
}

/// The least of the principal minors of a symmetric matrix, each as a share of what it would be without the entries off the
/// diagonal.
fn least_minor(m: Mat3<f64>) -> f64 {
    let [a, b, c] = [m[0][0], m[1][1], m[2][2]];
    let share = |minor: f64, full: f64| if full > 0.0 { minor / full } else { minor };
    let minors = [
        a,
        b,
        c,
        share(a * b - m[0][1] * m[0][1], a * b),
        share(b * c - m[1][2] * m[1][2], b * c),
        share(a * c - m[0][2] * m[0][2], a * c),
        share(m.determinant(), a * b * c),
    ];
    minors.into_iter().fold(f64::INFINITY, f64::min)
}
