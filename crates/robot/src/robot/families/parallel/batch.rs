//! Many states of a parallel robot at once, from its platform: position and, where it turns, roll, pitch and yaw; velocity and angular
//! velocity; acceleration and its angular part, or motor torques.

use crate::batch::{ColumnsError, Formula, Groups, Lane, ManyOf, TILE, tiles};
use crate::parallel::{Moving, Parallel};
use crate::scalar::Lanes;
use crate::spatial::{Frame, Twist, Wrench, roll_pitch_yaw};
use crate::{Angle, Mat3, Scalar, Vec3};

/// States side by side: as many as the vectors of most processors hold.
const WIDTH: usize = 4;

type Many = Lanes<WIDTH>;

/// Which way.
struct Columns<const N: usize, const FORWARD: bool>(Parallel<Many, N>);

/// A twist from as many columns as the platform has freedoms.
#[inline(always)]
fn twist<const N: usize>(numbers: [Many; N]) -> Twist<Many> {
    let at = |k: usize| if k < N { numbers[k] } else { Many::zero() };
    Twist { linear: Vec3([at(0), at(1), at(2)]), angular: Vec3([at(3), at(4), at(5)]) }
}

impl<const N: usize, const FORWARD: bool> Columns<N, FORWARD> {
    #[inline(always)]
    fn moving(&self, position: [Many; N], velocity: [Many; N]) -> Moving<'_, Many, N> {
        let Twist { linear: origin, angular: Vec3(turns) } = twist(position);
        let mut rotation = Mat3::diagonal(Many::one());
        if N > 3 {
            let mut angles = [Angle { cos: Many::one(), sin: Many::zero() }; 3];
            for (angle, turn) in angles.iter_mut().zip(turns) {
                (angle.sin, angle.cos) = turn.sin_cos();
            }
            rotation = roll_pitch_yaw(angles);
        }
        self.0.pose_unchecked(Frame { rotation, origin }, self.0.branches()).moving(twist(velocity))
    }
}

impl<const N: usize, const FORWARD: bool> Formula<3, N, N> for Columns<N, FORWARD> {
    type Scratch = ();

    fn scratch(&self) {}

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; N]; 3], output: &mut [Lane; N], _: &mut ()) {
        for start in (0..TILE).step_by(WIDTH) {
            let mut groups = [[Many::zero(); N]; 3];
            for (numbers, columns) in groups.iter_mut().zip(input) {
                for (number, column) in numbers.iter_mut().zip(columns) {
                    number.0.copy_from_slice(&column[start..start + WIDTH]);
                }
            }
            let moving = self.moving(groups[0], groups[1]);
            let mut result = [Many::zero(); N];
            if FORWARD {
                let Twist { linear, angular } = moving.acceleration(groups[2], Wrench::zero());
                for (k, number) in result.iter_mut().enumerate() {
                    *number = if k < 3 { linear[k] } else { angular[k - 3] };
                }
            } else {
                result = moving.torque(twist(groups[2]), Wrench::zero());
            }
            for (column, number) in output.iter_mut().zip(result) {
                column[start..start + WIDTH].copy_from_slice(&number.0);
            }
        }
    }
}

pub fn many<const N: usize>(
    robot: &Parallel<f64, N>,
    of: ManyOf,
    states: Groups<'_, 3>,
    results: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    match of {
        ManyOf::Torques => tiles(&Columns::<N, false>(robot.lift()), states, results),
        ManyOf::Accelerations => tiles(&Columns::<N, true>(robot.lift()), states, results),
    }
}
