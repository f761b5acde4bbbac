//! Gains from what a builder wants: a bandwidth and a damping ratio.

use crate::scalar::Scalar;

/// Gains of (1): accelerations per error, so that they do not depend on the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains<S> {
    /// k_p, 1/s².
    pub proportional: S,
    /// k_d, 1/s.
    pub derivative: S,
    /// k_i, 1/s³.
    pub integral: S,
}

impl<S: Scalar> Gains<S> {
    /// Without integral: ë + 2ζω ė + ω² e = 0. `bandwidth` ω in rad/s, `damping` ζ.
    pub fn pd(bandwidth: S, damping: S) -> Self {
        Self { proportional: bandwidth.square(), derivative: (damping * bandwidth).times(2.0), integral: S::zero() }
    }

    /// With integral: the poles of [`Gains::pd`] and a third one at −`slow`·ω,
    /// (s + αω)(s² + 2ζω s + ω²) multiplied out.
    pub fn pid(bandwidth: S, damping: S, slow: S) -> Self {
        let two_zeta = damping.times(2.0);
        Self {
            proportional: (S::one() + two_zeta * slow) * bandwidth.square(),
            derivative: (two_zeta + slow) * bandwidth,
            integral: slow * bandwidth.square() * bandwidth,
        }
    }

    /// The same without the integral: for a law that has none.
    pub fn without_integral(self) -> Self {
        Self { integral: S::zero(), ..self }
    }

    /// u of (1) for one joint.
    #[inline(always)]
    pub fn acceleration(&self, error: S, rate: S, integral: S) -> S {
        self.proportional * error + self.derivative * rate + self.integral * integral
    }
}

/// Target impedance of the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impedance<S> {
    /// Along x, y, z, N/m.
    pub stiffness: [S; 3],
    /// Along x, y, z, N s/m.
    pub damping: [S; 3],
    /// Against turning about any axis, N m/rad; heard where the joints move the tool's whole frame.
    pub turning_stiffness: S,
    /// The same, N m s/rad.
    pub turning_damping: S,
    /// Of the joints through the mass matrix, 1/s: Â ė times this damps light and heavy directions of a tool alike, as no
    /// damper at the tool does. Not heard by a Delta.
    pub joint_damping: S,
}

impl<S: Scalar> Impedance<S> {
    /// A stiffness for all directions with the damping that gives the damping ratio ζ for a mass at the tool: 2ζ√(S m).
    pub fn isotropic(stiffness: S, damping_ratio: S, mass: S) -> Self {
        Self {
            stiffness: [stiffness; 3],
            damping: [(damping_ratio * (stiffness * mass).sqrt()).times(2.0); 3],
            turning_stiffness: S::zero(),
            turning_damping: S::zero(),
            joint_damping: S::zero(),
        }
    }

    /// Springs against moving and turning, damped through the mass matrix with `joint_damping`, 1/s.
    pub fn of_tool(stiffness: S, turning_stiffness: S, joint_damping: S) -> Self {
        let (stiffness, damping) = ([stiffness; 3], [S::zero(); 3]);
        Self { stiffness, damping, turning_stiffness, turning_damping: S::zero(), joint_damping }
    }
}
