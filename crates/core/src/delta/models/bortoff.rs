//! The model `bortoff`: S. A. Bortoff, *Object-oriented modeling and control of Delta robots*, IEEE CCTA 2018
//! (MERL TR2018-126), equations (1)–(16), (27)–(32) and the Appendix.
//!
//! Nine coordinates: for each arm the motor angle φ₁ and the two angles φ₂, φ₃ of its forearm. Each arm carries its
//! share of the platform; six constraint forces λ hold the three arm tips together.
//!
//! | paper | here |
//! | --- | --- |
//! | x₁, x₂, x₃ (x₃ **down**, arm in x₂–x₃) | `local`: (tangential, radial, down) of each arm; x₂ is the azimuth |
//! | `ψ(φ)` (4), `dψ` (Appendix) | `SingleArm::psi`, `SingleArm::gradient` |
//! | `m`, `c1…c6` (Appendix) | `SingleArm::mass`, `SingleArm::coriolis` |
//! | `G` (Appendix) | `SingleArm::gravity`, with the gravity vector instead of (0, 0, g) |
//! | `M3` | a third of the platform mass |
//! | `h` (10), `λ` (15) | [`NineAngles::residual`], [`ConstraintForces`] |
//!
//! Corrected (`crates/papers/errata.md`, §4): (4) lacks `l0 − l3` in its second row (the Appendix has it); (1), (5) need the
//! total mass where Table I says a third; (12), (15): Hᵀλ for λᵀH; (30), (31) lack the rotations of arms 2 and 3.
//! Generalised: any three azimuths, per-arm lengths and masses, centres of mass of the driven arms beside their lines.

use super::super::{ArmParameters, KinematicsError, Model, Moving, Parameters, Pose};
use crate::algebra::{Mat3, Vec3};
use crate::array::{from_fn, map};
use crate::scalar::Scalar;

/// One arm on its own, (1)–(8), with its share of the platform at the tip: a part of which robots are composed.
/// The constants have the paper's names.
#[derive(Clone, Copy, Debug)]
pub struct SingleArm<S> {
    /// l₀ − l₃.
    offset: S,
    l1: S,
    l2: S,
    /// J₁ + m₁ l_c1² + l₁²(m₂ + m₃).
    first: S,
    /// l₁(l_c2 m₂ + l₂ m₃).
    coupling: S,
    /// J₂ + m₂ l_c2² + m₃ l₂².
    second: S,
    /// l_c1 m₁ + l₁(m₂ + m₃).
    weight_1: S,
    /// Not in the paper: the first moment of an arm whose centre of mass is beside its line.
    beside: Option<S>,
    /// l_c2 m₂ + l₂ m₃.
    weight_2: S,
    cos: S,
    sin: S,
}

/// Sines and cosines of the three angles of an arm.
#[derive(Clone, Copy, Debug)]
struct SinesAndCosines<S> {
    s1: S,
    c1: S,
    s2: S,
    c2: S,
    s3: S,
    c3: S,
}

impl<S: Scalar> SinesAndCosines<S> {
    fn new(phi: Vec3<S>) -> Self {
        let [(s1, c1), (s2, c2), (s3, c3)] = map(phi.0, S::sin_cos);
        Self { s1, c1, s2, c2, s3, c3 }
    }
}

impl SingleArm<f64> {
    /// The same arm for another scalar.
    pub fn lift<T: Scalar>(&self) -> SingleArm<T> {
        let lift = T::from_f64;
        SingleArm {
            offset: lift(self.offset),
            l1: lift(self.l1),
            l2: lift(self.l2),
            first: lift(self.first),
            coupling: lift(self.coupling),
            second: lift(self.second),
            weight_1: lift(self.weight_1),
            beside: self.beside.map(lift),
            weight_2: lift(self.weight_2),
            cos: lift(self.cos),
            sin: lift(self.sin),
        }
    }
}

impl<S: Scalar> SingleArm<S> {
    /// The arm with the mass `m3` at its tip, without the motor's rotor.
    pub fn new(arm: &ArmParameters<S>, m3: S) -> Self {
        let (l1, l2) = (arm.upper_arm.length, arm.forearm.length);
        let (m2, lc2) = (arm.forearm.mass, arm.forearm.center_of_mass);
        let weight_2 = lc2 * m2 + l2 * m3;
        Self {
            offset: arm.radius(),
            l1,
            l2,
            first: arm.arm_axis_inertia() + l1.square() * (m2 + m3),
            coupling: l1 * weight_2,
            second: arm.forearm.inertia + m2 * lc2.square() + m3 * l2.square(),
            weight_1: arm.arm_moment() + l1 * (m2 + m3),
            beside: arm.arm_offset_moment(),
            weight_2,
            cos: arm.azimuth.cos,
            sin: arm.azimuth.sin,
        }
    }

    /// The tip in the base frame at the angles φ, m.
    pub fn tip(&self, phi: Vec3<S>) -> Vec3<S> {
        self.world(self.psi(&SinesAndCosines::new(phi)))
    }

    /// The elbow in the base frame, m; as in all of the model, the platform is shrunk to a point.
    pub fn elbow(&self, phi: Vec3<S>) -> Vec3<S> {
        let (sin, cos) = phi[0].sin_cos();
        self.world(Vec3::new(S::zero(), self.l1 * cos + self.offset, self.l1 * sin))
    }

    /// The angles φ with the tip at `position` and the motor at `q`.
    pub fn angles(&self, position: Vec3<S>, q: S) -> Vec3<S> {
        let (sin, cos) = q.sin_cos();
        let elbow = Vec3::new(S::zero(), self.l1 * cos + self.offset, self.l1 * sin);
        let (phi_2, phi_3) = Self::passive(self.local(position) - elbow);
        Vec3::new(q, phi_2, phi_3)
    }

    /// Kinetic energy (1) from the velocities of elbow and rod, without the mass matrix, J.
    pub fn kinetic_energy(&self, phi: Vec3<S>, rate: Vec3<S>) -> S {
        let t = SinesAndCosines::new(phi);
        let [first, second, third] = self.gradient(&t);
        let elbow = first * rate[0];
        let swing = second * rate[1] + third * rate[2]; // tip against elbow, l₂u̇
        let coupling = self.coupling / (self.l1 * self.l2);
        let second = self.second / self.l2.square();
        (self.first * rate[0].square() + swing.norm_squared() * second).times(0.5) + elbow.dot(swing) * coupling
    }

    /// Potential energy (5) against the motor axis for a gravity in the base frame, J.
    pub fn potential_energy(&self, phi: Vec3<S>, gravity: Vec3<S>) -> S {
        let t = SinesAndCosines::new(phi);
        let mut elbow = Vec3::new(S::zero(), t.c1, t.s1) * self.weight_1;
        if let Some(beside) = self.beside {
            elbow = elbow + Vec3::new(S::zero(), -t.s1, t.c1) * beside;
        }
        let rod = Vec3::new(t.s2 * t.s3, t.c2, t.s2 * t.c3) * self.weight_2;
        -(elbow + rod).dot(self.local(gravity))
    }

    /// m(φ) and c(φ, φ̇) + g(φ) of (8).
    pub fn mass_and_bias(&self, phi: Vec3<S>, rate: Vec3<S>, gravity: Vec3<S>) -> (Mat3<S>, Vec3<S>) {
        let t = SinesAndCosines::new(phi);
        (self.mass(&t), self.coriolis(&t, rate) + self.gravity(&t, self.local(gravity)))
    }

    /// (tangential, radial, down) of a base-frame vector. The tangential axis is chosen so that arm 1 of the paper,
    /// at azimuth 90°, has x₁ = x.
    fn local(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3::new(v[0] * self.sin - v[1] * self.cos, v[0] * self.cos + v[1] * self.sin, -v[2])
    }

    /// The base-frame vector with these (tangential, radial, down) components.
    fn world(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3::new(v[0] * self.sin + v[1] * self.cos, v[1] * self.sin - v[0] * self.cos, -v[2])
    }

    /// The arm's tip, (4) with the Appendix's `+ L0 − L3`.
    fn psi(&self, t: &SinesAndCosines<S>) -> Vec3<S> {
        Vec3::new(
            self.l2 * t.s2 * t.s3,
            self.l1 * t.c1 + self.l2 * t.c2 + self.offset,
            self.l1 * t.s1 + self.l2 * t.s2 * t.c3,
        )
    }

    /// Columns of dψ: the tip's velocity for a unit rate of each angle.
    fn gradient(&self, t: &SinesAndCosines<S>) -> [Vec3<S>; 3] {
        let (l1, l2) = (self.l1, self.l2);
        [
            Vec3::new(S::zero(), -(l1 * t.s1), l1 * t.c1),
            Vec3::new(l2 * t.c2 * t.s3, -(l2 * t.s2), l2 * t.c2 * t.c3),
            Vec3::new(l2 * t.s2 * t.c3, S::zero(), -(l2 * t.s2 * t.s3)),
        ]
    }

    /// d²ψ/dt² at zero angular acceleration: the velocity part of (35).
    fn tip_drift(&self, t: &SinesAndCosines<S>, v: Vec3<S>) -> Vec3<S> {
        let (l1, l2) = (self.l1, self.l2);
        let (v1, v2, v3) = (v[0].square(), v[1].square(), v[2].square());
        let cross = (v[1] * v[2]).times(2.0);
        Vec3::new(
            l2 * (cross * t.c2 * t.c3 - t.s2 * t.s3 * (v2 + v3)),
            -(l1 * t.c1 * v1) - l2 * t.c2 * v2,
            -(l1 * t.s1 * v1) - l2 * (cross * t.c2 * t.s3 + t.s2 * t.c3 * (v2 + v3)),
        )
    }

    /// The inertia matrix m(φ) of the Appendix.
    fn mass(&self, t: &SinesAndCosines<S>) -> Mat3<S> {
        let m12 = self.coupling * (t.c1 * t.c2 * t.c3 + t.s1 * t.s2);
        let m13 = -(self.coupling * t.c1 * t.s2 * t.s3);
        Mat3([
            Vec3::new(self.first, m12, m13),
            Vec3::new(m12, self.second, S::zero()),
            Vec3::new(m13, S::zero(), self.second * t.s2.square()),
        ])
    }

    /// c(φ, φ̇) = c1 φ̇₁² + c2 φ̇₂² + c3 φ̇₃² + c5 φ̇₂φ̇₃ of the Appendix (c4 = c6 = 0).
    fn coriolis(&self, t: &SinesAndCosines<S>, v: Vec3<S>) -> Vec3<S> {
        let k = self.coupling;
        let c1 = Vec3::new(S::zero(), k * (t.c1 * t.s2 - t.c2 * t.c3 * t.s1), k * t.s1 * t.s2 * t.s3);
        let c2 = Vec3::new(k * (t.c2 * t.s1 - t.c1 * t.c3 * t.s2), S::zero(), S::zero());
        let c3 = Vec3::new(-(k * t.c3 * t.c1 * t.s2), -(self.second * t.c2 * t.s2), S::zero());
        let c5 = Vec3::new(
            -(k * t.c1 * t.c2 * t.s3).times(2.0),
            S::zero(),
            (self.second * t.s2 * t.c2).times(2.0), // sin 2φ₂
        );
        c1 * v[0].square() + c2 * v[1].square() + c3 * v[2].square() + c5 * (v[1] * v[2])
    }

    /// The gravity vector of the Appendix, for a gravity with any direction (local components).
    fn gravity(&self, t: &SinesAndCosines<S>, g: Vec3<S>) -> Vec3<S> {
        let [first, second, third] = self.gradient(t);
        let arm = first.dot(g) * (self.weight_1 / self.l1);
        Vec3::new(
            -self.beside.map_or(arm, |beside| arm - (g[1] * t.c1 + g[2] * t.s1) * beside),
            -(second.dot(g) * (self.weight_2 / self.l2)),
            -(third.dot(g) * (self.weight_2 / self.l2)),
        )
    }

    /// The two passive angles that put the tip at `rod` (local, elbow → tip).
    fn passive(rod: Vec3<S>) -> (S, S) {
        let across = (rod[0].square() + rod[2].square()).sqrt();
        (across.atan2(rod[1]), rod[0].atan2(rod[2]))
    }
}

/// The model `bortoff`.
#[derive(Clone, Copy, Debug)]
pub struct Bortoff<S> {
    links: [SingleArm<S>; 3],
    gravity: Vec3<S>,
}

/// What the constraints do, base frame, N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintForces<S> {
    /// λ of (15), as two vectors: the force of arm 2 on arm 1 and of arm 3 on arm 1, through the platform.
    pub lambda: [Vec3<S>; 2],
    /// Force on each arm's tip (which carries its share of the platform).
    pub tip: [Vec3<S>; 3],
}

impl<S: Scalar> Bortoff<S> {
    /// The model's constants.
    pub fn new(parameters: &Parameters<S>) -> Self {
        let m3 = parameters.platform_mass.times(1.0 / 3.0);
        Self { links: map(parameters.arms, |arm| SingleArm::new(&arm, m3)), gravity: parameters.gravity }
    }

    /// The nine joint angles with the platform at `position` and the motors at `q`.
    pub fn nine_angles(&self, position: Vec3<S>, q: [S; 3]) -> NineAngles<S> {
        NineAngles(from_fn(|i| self.links[i].angles(position, q[i])))
    }

    /// Torques and constraint forces of the bare robot from its nine angles, the tip's velocity and acceleration:
    /// (15) solved for u and λ.
    ///
    /// The rows of (15) that belong to the passive angles fix the part of each tip force across its rod; the part
    /// along the rod follows from the three tip forces adding up to zero, a 3 × 3 system instead of the paper's 9 × 9.
    pub fn inverse_dynamics(
        &self,
        angles: &NineAngles<S>,
        velocity: Vec3<S>,
        acceleration: Vec3<S>,
    ) -> ([S; 3], ConstraintForces<S>) {
        let mut rods = [Vec3::zero(); 3]; // elbow → tip, base frame
        let mut across = [Vec3::zero(); 3]; // tip force across the rod, base frame
        let mut motor_row = [S::zero(); 3];
        let mut motor_arm = [Vec3::zero(); 3];
        for (i, link) in self.links.iter().enumerate() {
            let t = SinesAndCosines::new(angles.0[i]);
            let columns = link.gradient(&t);
            let gradient = Mat3::from_columns(columns);
            let rates = gradient.solve(link.local(velocity)); // (34)
            let drift = link.tip_drift(&t, rates);
            let accelerations = gradient.solve(link.local(acceleration) - drift); // (35)
            let needed =
                link.mass(&t) * accelerations + link.coriolis(&t, rates) + link.gravity(&t, link.local(self.gravity)); // left side of (15)
            // dψ's passive columns are orthogonal, of lengths l₂ and l₂ s₂.
            let l2_squared = link.l2.square();
            let force = columns[1] * (needed[1] / l2_squared) + columns[2] * (needed[2] / (l2_squared * t.s2.square()));
            across[i] = link.world(force);
            rods[i] = link.world(Vec3::new(t.s2 * t.s3, t.c2, t.s2 * t.c3));
            motor_row[i] = needed[0];
            motor_arm[i] = link.world(columns[0]);
        }
        let along = Mat3::from_columns(rods).solve(-(across[0] + across[1] + across[2]));
        let tip: [Vec3<S>; 3] = from_fn(|i| across[i] + rods[i] * along[i]);
        let torque = from_fn(|i| motor_row[i] - motor_arm[i].dot(tip[i]));
        // Arm 1 feels λ₁ + λ₂, arm 2 −λ₁, arm 3 −λ₂ (Appendix, `arm1.tau` …).
        (torque, ConstraintForces { lambda: [-tip[1], -tip[2]], tip })
    }
}

impl<S: Scalar> Model<S> for Bortoff<S> {
    /// The nine angles come from the platform position and the motor angles; rates and accelerations from dψ alone,
    /// so that nothing but the pose is shared with `exact`.
    fn bare_torque(&self, moving: &Moving<'_, S>, acceleration: Vec3<S>) -> [S; 3] {
        let angles = self.nine_angles(moving.pose.position, moving.pose.arm_angles());
        self.inverse_dynamics(&angles, moving.velocity, acceleration).0
    }
}

/// Bortoff's generalised position: (φ₁, φ₂, φ₃) of each arm, rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NineAngles<S>(pub [Vec3<S>; 3]);

/// A Newton solution, its iterations and the last correction (rad).
#[derive(Clone, Copy, Debug)]
pub struct NewtonSolution {
    /// The nine angles.
    pub angles: NineAngles<f64>,
    /// Platform position, base frame, m.
    pub position: Vec3<f64>,
    /// How many steps were taken.
    pub iterations: usize,
    /// Largest correction of the last step, rad.
    pub correction: f64,
}

/// Newton's method gives up after this many steps: from a close start it needs two or three.
const MAX_ITERATIONS: usize = 50;

impl<S: Scalar> NineAngles<S> {
    /// h of (10): the tips of arms 2 and 3 against arm 1's, base frame, m.
    pub fn residual(&self, model: &Bortoff<S>) -> [Vec3<S>; 2] {
        let tips: [Vec3<S>; 3] = from_fn(|i| {
            let link = &model.links[i];
            link.world(link.psi(&SinesAndCosines::new(self.0[i])))
        });
        [tips[0] - tips[1], tips[0] - tips[2]]
    }
}

impl Bortoff<f64> {
    /// His inverse kinematics (29)–(31): three 3 × 3 Newton iterations from a start close to the solution, until the
    /// correction is below `tolerance` (rad).
    pub fn newton_inverse(
        &self,
        position: Vec3<f64>,
        start: NineAngles<f64>,
        tolerance: f64,
    ) -> Result<NewtonSolution, KinematicsError> {
        let mut angles = start;
        let mut correction = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            correction = 0.0;
            for (link, phi) in self.links.iter().zip(&mut angles.0) {
                let t = SinesAndCosines::new(*phi);
                let residual = link.psi(&t) - link.local(position);
                let step = Mat3::from_columns(link.gradient(&t)).solve(residual);
                *phi = *phi - step;
                correction = step.0.iter().fold(correction, |largest, x| largest.max(x.abs()));
                if !correction.is_finite() || step.0.iter().any(|x| x.is_nan()) {
                    return Err(KinematicsError::NoConvergence { iterations, correction });
                }
            }
            if correction < tolerance {
                return Ok(NewtonSolution { angles, position, iterations, correction });
            }
        }
        Err(KinematicsError::NoConvergence { iterations: MAX_ITERATIONS, correction })
    }

    /// His forward kinematics (27), (28): the six passive angles for given motor angles. The 6 × 6 system is reduced
    /// by its structure: each arm's tip moves only across its rod, so with the platform step δ unknown the three
    /// conditions s_i·δ = s_i·(tip_i − X) determine δ, and δ the angles.
    pub fn newton_forward(
        &self,
        q: [f64; 3],
        start: NineAngles<f64>,
        tolerance: f64,
    ) -> Result<NewtonSolution, KinematicsError> {
        let mut angles = NineAngles(from_fn(|i| Vec3::new(q[i], start.0[i][1], start.0[i][2])));
        let mut correction = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            let trig: [SinesAndCosines<f64>; 3] = from_fn(|i| SinesAndCosines::new(angles.0[i]));
            let tips: [Vec3<f64>; 3] = from_fn(|i| self.links[i].world(self.links[i].psi(&trig[i])));
            let rods: [Vec3<f64>; 3] = from_fn(|i| {
                let t = &trig[i];
                self.links[i].world(Vec3::new(t.s2 * t.s3, t.c2, t.s2 * t.c3))
            });
            // The new common tip X satisfies s_i·(X − tip_i) = 0 to first order.
            let position = Mat3(rods).solve(Vec3::from_fn(|i| rods[i].dot(tips[i])));
            correction = 0.0;
            for i in 0..3 {
                let link = &self.links[i];
                let columns = link.gradient(&trig[i]);
                let miss = link.local(position - tips[i]);
                let step_2 = columns[1].dot(miss) / columns[1].norm_squared();
                let step_3 = columns[2].dot(miss) / columns[2].norm_squared();
                angles.0[i] = angles.0[i] + Vec3::new(0.0, step_2, step_3);
                correction = correction.max(step_2.abs()).max(step_3.abs());
                if step_2.is_nan() || step_3.is_nan() {
                    return Err(KinematicsError::NoConvergence { iterations, correction: f64::NAN });
                }
            }
            if correction < tolerance {
                let t = SinesAndCosines::new(angles.0[0]);
                let position = self.links[0].world(self.links[0].psi(&t));
                return Ok(NewtonSolution { angles, position, iterations, correction });
            }
        }
        Err(KinematicsError::NoConvergence { iterations: MAX_ITERATIONS, correction })
    }
}

/// A start for the Newton solvers: the nine angles of a pose known in closed form.
impl Pose<'_, f64> {
    /// Bortoff's nine angles at this pose.
    pub fn nine_angles(&self) -> NineAngles<f64> {
        Bortoff::new(self.robot.parameters()).nine_angles(self.position, self.arm_angles())
    }
}
