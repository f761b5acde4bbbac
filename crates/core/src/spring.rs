//! Springs and counterbalances at a joint: torques that depend on where it is.
//!
//! A torsional spring pulls back to where it is relaxed; a mass or a cylinder that balances an arm from a point of the frame pulls
//! with a sine and a cosine of the joint; a hanging hose or a wrong zero of a current sensor is a constant.

use crate::parameter::Tolerance::Amount;
use crate::parameter::{ByFunction, Convert, Field, Must, Place, Tolerance, Unit, numbers};
use crate::scalar::Scalar;

/// The parameters, in the order of [`Spring`]; their keys are those of the table `spring`.
pub static FIELDS: [Field; 5] = [
    Field::new("spring.stiffness", "ks", "spring stiffness", Unit::Stiffness, Must::Finite, Amount),
    Field::new("spring.rest", "qs", "relaxed position", Unit::Position, Must::Finite, Tolerance::Angle),
    Field::new("spring.sine", "ss", "counterbalance, sine", Unit::Torque, Must::Finite, Amount),
    Field::new("spring.cosine", "cs", "counterbalance, cosine", Unit::Torque, Must::Finite, Amount),
    Field::new("spring.constant", "os", "constant torque", Unit::Torque, Must::Finite, Amount),
];

/// Torque of a spring, a counterbalance and a constant, at the joint side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<S> {
    /// k, N m/rad (N/m).
    pub stiffness: S,
    /// Where the spring is relaxed, rad (m).
    pub rest: S,
    /// a, N m (N).
    pub sine: S,
    /// b, N m (N).
    pub cosine: S,
    /// c, N m (N).
    pub constant: S,
}

impl Spring<f64> {
    /// None at all.
    pub const NONE: Self = Self { stiffness: 0.0, rest: 0.0, sine: 0.0, cosine: 0.0, constant: 0.0 };

    /// The spring of a file: one that does nothing is none.
    pub fn of_file(self) -> Option<Self> {
        let Self { stiffness, sine, cosine, constant, .. } = self;
        [stiffness, sine, cosine, constant].iter().any(|number| *number != 0.0).then_some(self)
    }
}

impl<S: Scalar> Spring<S> {
    /// `τ_s = k (q − q_0) + a sin q + b cos q + c`: what the motor has to supply.
    #[inline(always)]
    pub fn torque(&self, q: S) -> S {
        S::step(|| {
            let (sin, cos) = q.sin_cos();
            self.stiffness * (q - self.rest) + self.sine * sin + self.cosine * cos + self.constant
        })
    }

    /// Its integral over q, J: ½ k (q − q_0)² − a cos q + b sin q + c q.
    #[inline(always)]
    pub fn energy(&self, q: S) -> S {
        let (sin, cos) = q.sin_cos();
        self.stiffness.times(0.5) * (q - self.rest).square() - self.sine * cos + self.cosine * sin + self.constant * q
    }

    /// Converts its parameters.
    pub(crate) fn convert<T: Scalar>(&self, place: Place, each: &mut (impl Convert<S, T> + ?Sized)) -> Spring<T> {
        let Self { stiffness, rest, sine, cosine, constant } = *self;
        let given = [stiffness, rest, sine, cosine, constant];
        let [stiffness, rest, sine, cosine, constant] = numbers(each, &FIELDS, place, given);
        Spring { stiffness, rest, sine, cosine, constant }
    }

    /// The same parameters as scalars of another kind.
    pub fn map<T: Scalar>(self, f: impl FnMut(S) -> T) -> Spring<T> {
        self.convert(Place::WHOLE, &mut ByFunction(f))
    }
}
