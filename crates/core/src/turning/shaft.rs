//! The axis in a state, and what it asks of platform and motor. Numbers in brackets are those of [`super`].

use super::{FourthAxis, ShaftBody, TurningLoad};
use crate::algebra::Vec3;
use crate::scalar::Scalar;

/// What moves with the axis asks for this, N and N m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked<S> {
    /// At the centre of the platform.
    pub force: Vec3<S>,
    /// At the motor, tool side of the gear.
    pub torque: S,
}

/// A fourth axis in a state.
#[derive(Clone, Copy, Debug)]
pub struct AxisState<'a, S> {
    axis: &'a FourthAxis<S>,
    payload: S,
    cos: S,
    sin: S,
    rate: S,
    shaft: Option<ShaftState<S>>,
}

/// The shaft in a state.
#[derive(Clone, Copy, Debug)]
struct ShaftState<S> {
    /// L.
    length: S,
    /// u.
    along: Vec3<S>,
    /// u̇.
    swing: Vec3<S>,
    /// ω_u.
    spin: S,
    /// ∂ω_u/∂Ẋ and ∂ω_u/∂ċ.
    by_velocity: Vec3<S>,
    by_rate: S,
    /// ü and ω̇_u without accelerations of platform and tool.
    swing_drift: Vec3<S>,
    spin_drift: S,
}

impl<S: Scalar> ShaftState<S> {
    fn new(r: Vec3<S>, velocity: Vec3<S>, (sin, cos): (S, S), rate: S) -> Self {
        let length = r.norm_squared().sqrt();
        let per_length = S::one() / length;
        let u = r * per_length;
        let longer = u.dot(velocity);
        let ud = (velocity - u * longer) * per_length;
        let a = Vec3::new(cos, sin, S::zero());
        let ad = Vec3::new(-(sin * rate), cos * rate, S::zero());
        let s = u.dot(a);
        let sd = ud.dot(a) + u.dot(ad);
        // n² = 1 − s², as (a × u)² for the digits where the two are nearly parallel.
        let w = a.cross(u);
        let n2 = w.norm_squared();
        let per_n2 = S::one() / n2;
        // (1).
        let turn = w.dot(ud);
        let spin = (s * turn + rate * u[2]) * per_n2;
        // d/dt of (1), with (a × u) · u = 0.
        let pull = (longer * per_length).times(2.0);
        let turn_drift = ad.cross(u).dot(ud) - pull * turn;
        let spin_drift = (sd * turn + s * turn_drift + rate * ud[2] + (spin * s * sd).times(2.0)) * per_n2;
        Self {
            length,
            along: u,
            swing: ud,
            spin,
            by_velocity: w * (s * per_n2 * per_length),
            by_rate: u[2] * per_n2,
            swing_drift: -(ud * pull) - u * ud.norm_squared(),
            spin_drift,
        }
    }

    /// Across the shaft.
    #[inline(always)]
    fn across(&self, v: Vec3<S>) -> Vec3<S> {
        v - self.along * self.along.dot(v)
    }

    /// What tube and rod ask for.
    fn asked(
        &self,
        [tube, rod]: [&ShaftBody<S>; 2],
        motion: ShaftMotion<S>,
        swing_rate: Vec3<S>,
        spin_rate: S,
    ) -> Asked<S> {
        let ShaftMotion { acceleration, gravity, moving, .. } = motion;
        let per_length = S::one() / self.length;
        let (d1, d2) = (tube.center_of_mass, rod.center_of_mass);
        let axial = tube.axial_inertia + rod.axial_inertia;
        let f1 = (swing_rate * d1 - gravity) * tube.mass;
        let f2 = (acceleration - swing_rate * d2 - gravity) * rod.mass;
        // (2); what is along the shaft falls away in the end.
        let mut across = swing_rate * (tube.inertia + rod.inertia) + f1 * d1 - f2 * d2;
        if moving {
            across = across + self.swing.cross(self.along) * (axial * self.spin);
        }
        let about = axial * spin_rate;
        // (3).
        Asked { force: f2 + self.across(across) * per_length + self.by_velocity * about, torque: self.by_rate * about }
    }
}

/// Accelerations of platform and tool, in a gravity, and whether velocities count.
#[derive(Clone, Copy)]
struct ShaftMotion<S> {
    acceleration: Vec3<S>,
    turning: S,
    gravity: Vec3<S>,
    moving: bool,
}

impl<'a, S: Scalar> AxisState<'a, S> {
    /// The axis with the centre of the platform at `position`, the tool at `angle`, and their velocities; the robot carries
    /// `payload`, kg.
    #[inline(always)]
    pub fn new(axis: &'a FourthAxis<S>, payload: S, [position, velocity]: [Vec3<S>; 2], [angle, rate]: [S; 2]) -> Self {
        let (sin, cos) = angle.sin_cos();
        let shaft = axis.shaft.as_ref().map(|shaft| {
            let p = Vec3::new(position[0], position[1], position[2] + shaft.platform_joint);
            ShaftState::new(p - shaft.base_joint, velocity, (sin, cos), rate)
        });
        Self { axis, payload, cos, sin, rate, shaft }
    }

    /// Length of the shaft, m, the cosine of the angle by which both its joints are bent (negative where it points up), and its spin ω_u about its own axis
    /// from the motor to the platform, rad/s.
    pub fn shaft(&self) -> Option<[S; 3]> {
        self.shaft.map(|shaft| [shaft.length, -shaft.along[2], shaft.spin])
    }

    fn of(&self, motion: ShaftMotion<S>) -> Asked<S> {
        let ShaftMotion { acceleration, turning, gravity, moving } = motion;
        let axis = self.axis;
        // The robot's own formulas have the payload where the platform's centre is.
        let own = (acceleration - gravity) * (axis.tool_mass + axis.motor.mass);
        let mut asked = Asked { force: own, torque: axis.reflected_rotor_inertia() * turning };
        for (TurningLoad { center_of_mass: Vec3([x, y, _]), inertia }, mass) in
            [(axis.tool, axis.tool_mass), (axis.payload, self.payload)]
        {
            let (mx, my) = (mass * (self.cos * x - self.sin * y), mass * (self.sin * x + self.cos * y));
            let centripetal = if moving { self.rate.square() } else { S::zero() };
            asked.force[0] = asked.force[0] - my * turning - mx * centripetal;
            asked.force[1] = asked.force[1] + mx * turning - my * centripetal;
            let generalized_force = acceleration - gravity;
            let about = inertia + mass * (x.square() + y.square());
            asked.torque = asked.torque + about * turning + mx * generalized_force[1] - my * generalized_force[0];
        }
        if let (Some(state), Some(shaft)) = (&self.shaft, &axis.shaft) {
            let mut swing_rate = state.across(acceleration) * (S::one() / state.length);
            let mut spin_rate = state.by_velocity.dot(acceleration) + state.by_rate * turning;
            if moving {
                swing_rate = swing_rate + state.swing_drift;
                spin_rate = spin_rate + state.spin_drift;
            }
            let more = state.asked([&shaft.tube, &shaft.rod], motion, swing_rate, spin_rate);
            asked = Asked { force: asked.force + more.force, torque: asked.torque + more.torque };
        }
        asked
    }

    /// What an acceleration of the platform and of the tool asks for, without friction.
    pub fn asked(&self, acceleration: Vec3<S>, turning: S, gravity: Vec3<S>) -> Asked<S> {
        self.of(ShaftMotion { acceleration, turning, gravity, moving: true })
    }

    /// What holds it here.
    pub fn holding(&self, gravity: Vec3<S>) -> Asked<S> {
        self.of(ShaftMotion { acceleration: Vec3::zero(), turning: S::zero(), gravity, moving: false })
    }

    /// What an acceleration asks for from rest without weight: the mass matrix in (X, c) times it.
    pub fn mass_times(&self, acceleration: Vec3<S>, turning: S) -> Asked<S> {
        self.of(ShaftMotion { acceleration, turning, gravity: Vec3::zero(), moving: false })
    }

    /// Friction, at the motor alone.
    #[inline(always)]
    pub fn friction(&self) -> S {
        self.axis.motor.friction.map_or(S::zero(), |friction| friction.torque(self.rate))
    }
}
