//! Many states of a Delta at once, by its exact model.

use crate::Vec3;
use crate::array::map;
use crate::batch::{ColumnsError, Formula, Groups, Lane, ManyOf, TILE, tiles};
use crate::delta::kinematics::joint_angle;
use crate::delta::symmetric::{POSE_LEN, Symmetric, SymmetricPose};
use crate::delta::{Assembly, Branch, Delta, Moving};

/// Torques of position, velocity and acceleration of the tool point, friction included: [`crate::delta::Moving::torque`] for each row. Or
/// accelerations of the tool point by its position and velocity, and the torques: [`crate::delta::Moving::acceleration`].
pub(super) fn many(
    robot: &Delta<f64>,
    of: ManyOf,
    states: Groups<'_, 3>,
    results: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    // The fast path takes the platform.
    match (fast_path(robot).filter(|_| robot.parameters().tool == Vec3::zero()), of) {
        (Some(symmetric), ManyOf::Torques) => tiles(&Fast::<false>(symmetric), states, results),
        (Some(symmetric), ManyOf::Accelerations) => tiles(&Fast::<true>(symmetric), states, results),
        (None, ManyOf::Torques) => tiles(&General::<false>(*robot), states, results),
        (None, ManyOf::Accelerations) => tiles(&General::<true>(*robot), states, results),
    }
}

/// Joints, torques and ball angles of motions of the platform ([`crate::robot::Model::motions`]).
pub(super) fn tool_motions(
    robot: &Delta<f64>,
    elbows: Branch,
    states: Groups<'_, 3>,
    results: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    tiles(&OfPlatform(*robot, elbows), states, results)
}

/// The platform's motion, torques and ball angles of motions of the joints.
pub(super) fn joint_motions(
    robot: &Delta<f64>,
    assembly: Assembly,
    states: Groups<'_, 3>,
    results: &mut [&mut [f64]],
) -> Result<(), ColumnsError> {
    tiles(&OfJoints(*robot, assembly), states, results)
}

/// The formula for symmetric robots, where it is the whole story: it knows neither friction nor damping.
pub(super) fn fast_path(robot: &Delta<f64>) -> Option<Symmetric<f64>> {
    let frictionless =
        robot.parameters().arms.iter().all(|arm| arm.motor.friction.is_none() && arm.passive_damping.is_none());
    robot.symmetric().filter(|_| frictionless)
}

/// Any robot: the readable formula, inverse or forward dynamics.
struct General<const FORWARD: bool>(Delta<f64>);

/// A symmetric robot, the same.
struct Fast<const FORWARD: bool>(Symmetric<f64>);

#[inline(always)]
fn row(columns: &[&Lane; 3], i: usize) -> Vec3<f64> {
    Vec3([columns[0][i], columns[1][i], columns[2][i]])
}

#[inline(always)]
fn store(output: &mut [Lane; 3], i: usize, result: [f64; 3]) {
    [output[0][i], output[1][i], output[2][i]] = result;
}

impl<const FORWARD: bool> Formula<3, 3, 3> for General<FORWARD> {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; 3], (): &mut ()) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            let platform = self.0.platform_of(row(position, i));
            let moving = self.0.pose_unchecked(platform, Branch::Out).moving(row(velocity, i));
            let third = row(third, i);
            store(output, i, if FORWARD { moving.acceleration(third.0).0 } else { moving.torque(third) });
        }
    }
}

impl<const FORWARD: bool> Formula<3, 3, 3> for Fast<FORWARD> {
    /// The poses of a tile, between the two stages.
    type Scratch = [Lane; POSE_LEN];

    #[inline(always)]
    fn scratch(&self) -> Self::Scratch {
        [[0.0; TILE]; POSE_LEN]
    }

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; 3], scratch: &mut Self::Scratch) {
        let [position, velocity, third] = input;
        for i in 0..TILE {
            self.0.pose(row(position, i)).store(|k, number| scratch[k][i] = number);
        }
        // Plain loops: a closure per row would be a call per row.
        for i in 0..TILE {
            let pose = SymmetricPose::load(|k| scratch[k][i]);
            let (velocity, third) = (row(velocity, i), row(third, i));
            let result = match FORWARD {
                true => self.0.acceleration_at(&pose, velocity, third.0).0,
                false => self.0.torque_at(&pose, velocity, third),
            };
            store(output, i, result);
        }
    }
}

/// How many columns [`crate::robot::Model::motions`] gives.
const MOTION: usize = 15;

/// Motions of the platform.
struct OfPlatform(Delta<f64>, Branch);

/// Motions of the joints.
struct OfJoints(Delta<f64>, Assembly);

/// Three columns of the results.
#[inline(always)]
fn put(output: &mut [Lane; MOTION], group: usize, i: usize, values: [f64; 3]) {
    for k in 0..3 {
        output[3 * group + k][i] = values[k];
    }
}

/// The torques, or NaN; and in place of the ball angles how far the joints of the platform are out of the planes of their arms.
#[inline(always)]
fn put_torques(
    output: &mut [Lane; MOTION],
    i: usize,
    moving: &Moving<'_, f64>,
    acceleration: Vec3<f64>,
    regular: bool,
) {
    let torque = moving.torque(acceleration);
    put(output, 3, i, map(torque, |torque| if regular { torque } else { f64::NAN }));
    put(output, 4, i, map(moving.pose.arms, |arm| arm.lateral));
}

/// In a loop of its own: a call for each number, which would keep all else from becoming vector instructions.
#[inline(always)]
fn turn_into_ball_angles(robot: &Delta<f64>, output: &mut [Lane; MOTION]) {
    for arm in 0..3 {
        for i in 0..TILE {
            output[12 + arm][i] = robot.ball_angle(arm, output[12 + arm][i]);
        }
    }
}

impl Formula<3, 3, MOTION> for OfPlatform {
    /// Cosines of the joints, and the transmissions.
    type Scratch = [[Lane; 3]; 2];

    #[inline(always)]
    fn scratch(&self) -> Self::Scratch {
        [[[0.0; TILE]; 3]; 2]
    }

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; MOTION], scratch: &mut Self::Scratch) {
        let [position, velocity, third] = input;
        let [cosines, transmissions] = scratch;
        for i in 0..TILE {
            let platform = self.0.platform_of(row(position, i));
            let moving = self.0.pose_unchecked(platform, self.1).moving(row(velocity, i));
            let acceleration = row(third, i);
            // In place of the joints, for now, their sines.
            put(output, 0, i, map(moving.pose.arms, |arm| arm.sin_q));
            store(cosines, i, map(moving.pose.arms, |arm| arm.cos_q));
            store(transmissions, i, map(moving.pose.arms, |arm| arm.transmission));
            put(output, 1, i, moving.joint_velocity());
            put(output, 2, i, moving.joint_acceleration(acceleration));
            let regular = moving.pose.is_regular() & moving.pose.is_below();
            put_torques(output, i, &moving, acceleration, regular);
        }
        let lift = self.0.parameters().tool[2];
        for k in 0..3 {
            for i in 0..TILE {
                let angle = joint_angle(output[k][i], cosines[k][i], transmissions[k][i], position[2][i] - lift);
                output[k][i] = self.0.lumped_arms()[k].reading_of(angle);
            }
        }
        turn_into_ball_angles(&self.0, output);
    }
}

impl Formula<3, 3, MOTION> for OfJoints {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn tile(&self, input: &[[&Lane; 3]; 3], output: &mut [Lane; MOTION], (): &mut ()) {
        let [q, qd, qdd] = input;
        for i in 0..TILE {
            let (pose, margin) = self.0.pose_from_joints_unchecked(row(q, i).0, self.1);
            let regular = (margin >= 0.0) & pose.is_regular();
            let moving = pose.moving_joints(row(qd, i).0);
            let acceleration = moving.platform_acceleration(row(qdd, i).0);
            put(output, 0, i, moving.pose.tool().0);
            put(output, 1, i, moving.velocity.0);
            put(output, 2, i, acceleration.0);
            put_torques(output, i, &moving, acceleration, regular);
        }
        turn_into_ball_angles(&self.0, output);
    }
}
