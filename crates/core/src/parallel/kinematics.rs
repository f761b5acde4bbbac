//! Position, velocity and acceleration of platform and joints.
//!
//! Codourey 1998, (28)–(38), for any leg and any platform:
//!
//! | symbol | here | what |
//! | --- | --- | --- |
//! | `X`, `R` | `tool` | origin and axes of the platform frame |
//! | `r` | `lever` | from the origin to the leg's joint on the platform, base frame |
//! | `C` | [`Pose::near`] | the end of the rod that the motor moves; of a strut its joint on the base |
//! | `s` | `rod` | X + r − C |
//! | `C′`, `C″` | `tangent`, `curvature` | derivatives of C with respect to the joint; of a strut zero |
//! | `w` | `transmission` | s·C′; of a strut its length: w q̇ = s·(v + ω × r) |
//!
//! The inverse kinematics is that of the Delta ([`crate::delta::kinematics`]) in the plane of the arm, whichever that is: with
//! D = X + r − base, p and z its components along u/a and v/a, and h = (|D|² + a² − L²)/2,
//!
//! ```text
//! w = ±√(a² (p² + z²) − h²),   a cos q = (p h + z w)/(p² + z²),   a sin q = (z h − p w)/(p² + z²)      an arm
//! w = ±√(L² − |D|² + (D·d)²),  q = D·d − w                                                            a slider
//! w = q = |D|                                                                                         a strut
//! ```
//!
//! Of the motor's acceleration, w q̈ = s·P̈ + |Ṗ|² − 2 q̇ C′·Ṗ + b q̇², only `bend`, b = |C′|² − s·C″, depends on the kind: h of an arm,
//! 1 of a slider, −1 of a strut.

use super::{Guide, Leg, Parallel, QrFactors};
use crate::algebra::{Mat3, Vec3};
use crate::array::{from_fn, map};
use crate::delta::Branch;
use crate::scalar::Scalar;
use crate::spatial::{Frame, Twist};

/// One leg at a pose.
#[derive(Clone, Copy, Debug)]
pub struct LegPose<S> {
    /// r, m.
    pub lever: Vec3<S>,
    /// s, m.
    pub rod: Vec3<S>,
    /// C′, m (1).
    pub tangent: Vec3<S>,
    /// C″, m.
    pub curvature: Vec3<S>,
    /// w, m² (m): zero where the motor cannot move the platform along the rod (type-1 singularity).
    pub transmission: S,
    /// 1/w.
    pub inverse: S,
    /// b, m² (1).
    pub bend: S,
    /// w² before the root, negative out of reach.
    pub discriminant: S,
    /// Sine and cosine of an arm's joint; the joint of a slider or strut and one over it.
    pub(crate) joint: [S; 2],
}

/// The robot at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'r, S, const N: usize> {
    /// The robot.
    pub robot: &'r Parallel<S, N>,
    /// The platform frame.
    pub tool: Frame<S>,
    /// The legs.
    pub legs: [LegPose<S>; N],
}

/// What a twist of the platform is at one leg.
#[derive(Clone, Copy, Debug)]
pub struct AtLeg<S> {
    /// Of its joint on the platform.
    pub point: Vec3<S>,
    /// Of its motor.
    pub joint: S,
    /// C′·P: of the joint on the platform along what the motor moves; of a strut zero.
    pub along: S,
}

/// What a twist of the platform is at each leg.
#[derive(Clone, Copy, Debug)]
pub struct TwistAtLegs<S, const N: usize> {
    /// The twist.
    pub twist: Twist<S>,
    /// At the legs.
    pub legs: [AtLeg<S>; N],
}

/// How a twist u of the platform changes while it moves, as its points see it: u̇ + T r with T r = u̇_ω × r + u_ω × (ω × r).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwistRate<S> {
    pub linear: Vec3<S>,
    pub turn: Mat3<S>,
}

/// The robot at a pose with a velocity.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'r, S, const N: usize> {
    /// The pose.
    pub pose: Pose<'r, S, N>,
    /// The platform's velocity and what it is at the legs.
    pub velocity: TwistAtLegs<S, N>,
}

/// v + ω × r, of a platform with so many legs.
#[inline(always)]
pub(super) fn at_lever<S: Scalar, const N: usize>(twist: &Twist<S>, lever: Vec3<S>) -> Vec3<S> {
    if N > 3 { twist.linear + twist.angular.cross(lever) } else { twist.linear }
}

/// The components of a force `f` that acts at `lever` and of a further moment, as many as the platform has freedoms.
#[inline(always)]
pub(super) fn freedoms<S: Scalar, const N: usize>(force: Vec3<S>, moment: impl FnOnce() -> Vec3<S>) -> [S; N] {
    let moment = if N > 3 { moment() } else { Vec3::zero() };
    from_fn(|k| if k < 3 { force[k] } else { moment[k - 3] })
}

/// A twist from as many components as the platform has freedoms.
#[inline(always)]
pub(super) fn twist<S: Scalar, const N: usize>(x: [S; N]) -> Twist<S> {
    let at = |k: usize| if k < N { x[k] } else { S::zero() };
    Twist { linear: Vec3([at(0), at(1), at(2)]), angular: Vec3([at(3), at(4), at(5)]) }
}

impl<S: Scalar> LegPose<S> {
    /// To be filled.
    #[inline(always)]
    fn none() -> Self {
        let (zero, none) = (Vec3::zero(), S::zero());
        Self {
            lever: zero,
            rod: zero,
            tangent: zero,
            curvature: zero,
            transmission: none,
            inverse: none,
            bend: none,
            discriminant: none,
            joint: [none; 2],
        }
    }
}

impl<S: Scalar> Leg<S> {
    /// The leg when its joint is known: from the base to the platform's joint; w and, of an arm, h where they are known as well.
    #[inline(always)]
    fn pose(&self, lever: Vec3<S>, from_base: Vec3<S>, joint: [S; 2], known: Option<[S; 2]>) -> LegPose<S> {
        let (zero, [a, b]) = (Vec3::zero(), joint);
        let (rod, tangent, curvature, bend, inverse);
        let transmission;
        match self.guide {
            Guide::Circle { u, v, square, .. } => {
                let along = u * b + v * a;
                (rod, tangent, curvature) = (from_base - along, v * b - u * a, -along);
                [transmission, bend] = known.unwrap_or_else(|| [rod.dot(tangent), square + rod.dot(along)]);
                inverse = S::one() / transmission;
            }
            Guide::Line { d } => {
                (rod, tangent, curvature, bend) = (from_base - d * a, d, zero, S::one());
                transmission = known.map_or_else(|| rod.dot(tangent), |[w, _]| w);
                inverse = S::one() / transmission;
            }
            Guide::Strut { .. } => {
                (rod, tangent, curvature, bend) = (from_base, zero, zero, -S::one());
                (transmission, inverse) = (a, b);
            }
        }
        let discriminant = S::zero();
        LegPose { lever, rod, tangent, curvature, transmission, inverse, bend, discriminant, joint }
    }

    /// Inverse kinematics of this leg.
    #[inline(always)]
    fn at_point(&self, lever: Vec3<S>, from_base: Vec3<S>, branch: Branch) -> LegPose<S> {
        let sign = branch.sign();
        let square = from_base.norm_squared();
        let (w_squared, known, joint) = match self.guide {
            Guide::Circle { u, v, .. } => {
                // a p and a z, since u and v are as long as the arm.
                let h = square.times(0.5) + self.h_offset;
                let (p, z) = (from_base.dot(u), from_base.dot(v));
                let r_squared = p.square() + z.square();
                let w_squared = r_squared - h.square();
                let w = w_squared.sqrt().times(sign);
                let scale = S::one() / r_squared;
                (w_squared, [w, h], [(z * h - p * w) * scale, (p * h + z * w) * scale])
            }
            Guide::Line { d } => {
                let along = from_base.dot(d);
                let w_squared = along.square() - square - self.h_offset.times(2.0);
                let w = w_squared.sqrt().times(sign);
                (w_squared, [w, w], [along - w, S::zero()])
            }
            Guide::Strut { .. } => {
                let length = square.sqrt();
                (square, [length, length], [length, S::one() / length])
            }
        };
        LegPose { discriminant: w_squared, ..self.pose(lever, from_base, joint, Some(known)) }
    }
}

impl<S: Scalar, const N: usize> Parallel<S, N> {
    /// Inverse kinematics for any scalar: nothing is checked, the margins are in the result ([`LegPose::discriminant`],
    /// [`Pose::determinant`]). Of a platform that does not turn the rotation is not looked at.
    #[inline(always)]
    pub fn pose_unchecked(&self, tool: Frame<S>, branches: [Branch; N]) -> Pose<'_, S, N> {
        let mut legs = [LegPose::none(); N];
        for i in 0..N {
            let (lever, from_base) = self.ends(i, &tool);
            legs[i] = self.legs[i].at_point(lever, from_base, branches[i]);
        }
        Pose { robot: self, tool, legs }
    }

    /// The lever of a leg on the platform, and its end there from its place on the base.
    #[inline(always)]
    fn ends(&self, i: usize, tool: &Frame<S>) -> (Vec3<S>, Vec3<S>) {
        let leg = &self.parameters.legs[i];
        let lever = if Self::TURNS { tool.rotation * leg.platform } else { leg.platform };
        (lever, tool.origin - leg.base + lever)
    }

    /// The end of a leg's rod that its motor moves, with its joint at `q`, m.
    pub fn near_end(&self, leg: usize, q: S) -> Vec3<S> {
        let base = self.parameters.legs[leg].base;
        match self.legs[leg].guide {
            Guide::Circle { u, v, .. } => {
                let (sin, cos) = q.sin_cos();
                base + u * cos + v * sin
            }
            Guide::Line { d } => base + d * q,
            Guide::Strut { .. } => base,
        }
    }

    /// The platform at a pose and the joints at `q`, whether or not the rods are as long as they should be.
    #[inline(always)]
    pub fn pose_of_both(&self, tool: Frame<S>, q: [S; N]) -> Pose<'_, S, N> {
        let mut legs = [LegPose::none(); N];
        for i in 0..N {
            let (lever, from_base) = self.ends(i, &tool);
            let joint = match self.legs[i].guide {
                Guide::Circle { .. } => {
                    let (sin, cos) = q[i].sin_cos();
                    [sin, cos]
                }
                Guide::Line { .. } => [q[i], S::zero()],
                Guide::Strut { .. } => [q[i], S::one() / q[i]],
            };
            legs[i] = self.legs[i].pose(lever, from_base, joint, None);
            legs[i].discriminant = legs[i].transmission.square();
        }
        Pose { robot: self, tool, legs }
    }
}

impl<'r, S: Scalar, const N: usize> Pose<'r, S, N> {
    /// The joints: arms in (−π, π] rad, sliders and struts m.
    #[inline(always)]
    pub fn joints(&self) -> [S; N] {
        from_fn(|i| {
            let [a, b] = self.legs[i].joint;
            match self.robot.legs[i].guide {
                Guide::Circle { .. } => a.atan2(b),
                _ => a,
            }
        })
    }

    /// C: the end of a leg's rod that the motor moves, m.
    #[inline(always)]
    pub fn near(&self, i: usize) -> Vec3<S> {
        self.tool.origin + self.legs[i].lever - self.legs[i].rod
    }

    /// (s, r × s): the rod's moment as a row of B, so that w q̇ = B (v, ω).
    #[inline(always)]
    pub fn row(&self, i: usize) -> [S; N] {
        let leg = &self.legs[i];
        freedoms(leg.rod, || leg.lever.cross(leg.rod))
    }

    /// B in factors: with it the motors' side follows from the platform's, and back.
    #[inline(always)]
    pub fn factors(&self) -> QrFactors<S, N> {
        QrFactors::of(from_fn(|i| self.row(i)))
    }

    /// J of q̇ = J (v, ω): rows (s, r × s)/w.
    #[inline(always)]
    pub fn jacobian(&self) -> [[S; N]; N] {
        from_fn(|i| {
            let scale = self.legs[i].inverse;
            map(self.row(i), |x| x * scale)
        })
    }

    /// Type-1 margin of each leg in [−1, 1], w/(|C′| L). Zero: the motor cannot move the platform along its rod. Of a strut
    /// 1: it always can.
    #[inline(always)]
    pub fn transmission_margins(&self) -> [S; N] {
        from_fn(|i| {
            let (leg, w) = (&self.robot.legs[i], self.legs[i].transmission);
            match leg.guide {
                Guide::Circle { length, .. } => w / (length * leg.length),
                Guide::Line { .. } => w / leg.length,
                Guide::Strut { .. } => S::one(),
            }
        })
    }

    /// The length by which moments are divided where they stand beside forces: the root mean square of the platform joints'
    /// distances from the platform's origin, m.
    #[inline(always)]
    fn lever_length(&self) -> S {
        let sum = self.legs.iter().map(|leg| leg.lever.norm_squared()).reduce(|a, b| a + b).unwrap_or(S::one());
        (sum.times(1.0 / N as f64)).sqrt()
    }

    /// Type-2 margin in [−1, 1]: the determinant of the rods' lines (u, (r × u)/l), each made as long as 1, with their directions
    /// u and the root mean square l of the levers; where the platform does not turn, of the directions alone. Zero: the
    /// platform moves although the motors hold. It is that of B over the lengths, so that who factors B has it almost for nothing.
    #[inline(always)]
    pub fn determinant(&self) -> S {
        let scale = if N > 3 { S::one() / self.lever_length() } else { S::one() };
        let mut determinant = self.factors().determinant();
        let mut squares = S::one();
        for i in 0..N {
            let row = self.row(i);
            let (force, moment) = row.split_at(3);
            let mut square = force[0].square() + force[1].square() + force[2].square();
            if let &[x, y, z] = moment {
                square = square + (x.square() + y.square() + z.square()) * scale.square();
            }
            squares = squares * square;
        }
        if N > 3 {
            determinant = determinant * (scale * scale.square());
        }
        determinant / squares.sqrt()
    }

    /// What a twist of the platform is at each leg.
    #[inline(always)]
    pub fn along(&self, twist: Twist<S>) -> TwistAtLegs<S, N> {
        let mut legs = [AtLeg { point: Vec3::zero(), joint: S::zero(), along: S::zero() }; N];
        for i in 0..N {
            let point = at_lever::<S, N>(&twist, self.legs[i].lever);
            legs[i] = self.at_leg(i, point, self.legs[i].rod.dot(point) * self.legs[i].inverse);
        }
        TwistAtLegs { twist, legs }
    }

    #[inline(always)]
    fn at_leg(&self, i: usize, point: Vec3<S>, joint: S) -> AtLeg<S> {
        let along = match self.robot.legs[i].guide {
            Guide::Strut { .. } => S::zero(),
            _ => self.legs[i].tangent.dot(point),
        };
        AtLeg { point, joint, along }
    }

    /// The next stage, from the platform's velocity.
    #[inline(always)]
    pub fn moving(self, velocity: Twist<S>) -> Moving<'r, S, N> {
        let velocity = self.along(velocity);
        Moving { pose: self, velocity }
    }

    /// The next stage, from the joint velocities.
    #[inline(always)]
    pub fn moving_joints(self, factors: &QrFactors<S, N>, qd: [S; N]) -> Moving<'r, S, N> {
        let twist = twist(factors.solve(from_fn(|i| self.legs[i].transmission * qd[i])));
        let legs = from_fn(|i| self.at_leg(i, at_lever::<S, N>(&twist, self.legs[i].lever), qd[i]));
        Moving { pose: self, velocity: TwistAtLegs { twist, legs } }
    }
}

impl<S: Scalar, const N: usize> Moving<'_, S, N> {
    /// Joint velocities, rad/s (m/s).
    #[inline(always)]
    pub fn joint_velocity(&self) -> [S; N] {
        map(self.velocity.legs, |leg| leg.joint)
    }

    /// ṡ and ẇ of a leg.
    pub fn rod_rates(&self, i: usize) -> (Vec3<S>, S) {
        let (leg, AtLeg { point, joint: qd, along }) = (&self.pose.legs[i], self.velocity.legs[i]);
        match self.pose.robot.legs[i].guide {
            Guide::Strut { .. } => (point, qd),
            // ṡ·C′ + s·C″ q̇ with ṡ = Ṗ − C′ q̇.
            _ => (point - leg.tangent * qd, along - leg.bend * qd),
        }
    }

    /// How a twist `along` that itself changes by `rate` changes at all points of the platform.
    #[inline(always)]
    pub(crate) fn rates(&self, rate: &Twist<S>, along: &TwistAtLegs<S, N>) -> TwistRate<S> {
        let mut turn = Mat3::zero();
        if N > 3 {
            // u × (ω × r) = ω (u·r) − (u·ω) r.
            let (omega, u) = (self.velocity.twist.angular, along.twist.angular);
            turn = Mat3::outer(omega, u) - Mat3::diagonal(u.dot(omega)) + Mat3::skew(rate.angular);
        }
        TwistRate { linear: rate.linear, turn }
    }

    /// The rate of what [`Pose::along`] says of a twist u at a leg: (U̇_P, q̈_U) of
    ///
    /// ```text
    /// w q̈_U = s·U̇_P + Ṗ·U_P − q̇ C′·U_P − q̇_U C′·Ṗ + b q̇ q̇_U
    /// ```
    ///
    /// With the velocity itself for u these are the accelerations of the leg's joint on the platform and of its motor.
    #[inline(always)]
    pub(crate) fn leg_rate(&self, i: usize, rates: &TwistRate<S>, along: &TwistAtLegs<S, N>) -> (Vec3<S>, S) {
        let (leg, own, other) = (&self.pose.legs[i], &self.velocity.legs[i], &along.legs[i]);
        let point = if N > 3 { rates.linear + rates.turn * leg.lever } else { rates.linear };
        let mut sum = leg.rod.dot(point) + own.point.dot(other.point);
        sum = match self.pose.robot.legs[i].guide {
            Guide::Strut { .. } => sum - own.joint * other.joint,
            _ => sum + own.joint * (leg.bend * other.joint - other.along) - own.along * other.joint,
        };
        (point, sum * leg.inverse)
    }

    /// q̈ for an acceleration of the platform.
    #[inline(always)]
    pub fn joint_acceleration(&self, acceleration: Twist<S>) -> [S; N] {
        let rates = self.rates(&acceleration, &self.velocity);
        from_fn(|i| self.leg_rate(i, &rates, &self.velocity).1)
    }

    /// The platform's acceleration for joint accelerations.
    #[inline(always)]
    pub fn platform_acceleration(&self, factors: &QrFactors<S, N>, qdd: [S; N]) -> Twist<S> {
        let drift = self.joint_acceleration(Twist::zero());
        twist(factors.solve(from_fn(|i| self.pose.legs[i].transmission * (qdd[i] - drift[i]))))
    }
}
