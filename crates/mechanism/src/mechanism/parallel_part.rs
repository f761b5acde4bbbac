//! A parallel robot as a part of mechanisms.

use super::constraint::MechanismScalar;
use super::parts::MechanismPart;
use super::parts::{normalize_quaternion, quaternion_rate, turning, vec3};
use super::{AXES, BodyPoint, Constraint, Distance, Mechanism, MechanismConfiguration, MechanismError, PartId};
use crate::parallel::{Chain, Parallel, Pose};
use crate::spatial::{Frame, Twist};
use crate::{Mat3, Scalar, Vec3};

/// A parallel robot on its base: its joints, then the platform in the robot's own frame. Of a platform that translates these are
/// x, y, z; of one that turns also a unit quaternion (w, x, y, z), and the velocities are those of its origin (base frame) and
/// its angular velocity (its own frame). Body 0 is the platform, bodies 1, 2 … are the ends of the legs that the motors
/// move. That rods keep their lengths is for constraints ([`add_parallel`]). The mechanism's gravity counts, not the robot's; friction
/// belongs to the motors.
#[derive(Clone, Debug)]
pub struct ParallelPart<const N: usize> {
    robot: Box<Parallel<f64, N>>,
    base: Frame<f64>,
}

/// The rotation of a quaternion of any length.
fn rotation<S: Scalar>(q: &[S]) -> Mat3<S> {
    let change = turning(q);
    let columns = AXES.map(Vec3::from_f64).map(|axis| axis + change(axis));
    Mat3::from_fn(|i, j| columns[j][i])
}

impl<const N: usize> ParallelPart<N> {
    /// The robot on a base.
    pub fn new(robot: &Parallel<f64, N>, base: Frame<f64>) -> Self {
        Self { robot: Box::new(*robot), base }
    }

    const TURNS: bool = N > 3;

    /// The platform's frame, in the robot's own.
    pub fn platform<S: Scalar>(&self, q: &[S]) -> Frame<S> {
        let rotation = if Self::TURNS { rotation(&q[N + 3..]) } else { Mat3::diagonal(S::one()) };
        Frame { rotation, origin: vec3(&q[N..]) }
    }

    fn joints<S: Scalar>(q: &[S]) -> [S; N] {
        crate::array::from_fn(|i| q[i])
    }

    fn with_pose<S: Scalar, R>(&self, q: &[S], gravity: Vec3<S>, run: impl FnOnce(&Pose<'_, S, N>) -> R) -> R {
        let own = self.base.rotation.transpose().map(S::from_f64) * gravity;
        let robot = self.robot.lift().with_gravity(own);
        run(&robot.pose_of_both(self.platform(q), Self::joints(q)))
    }
}

impl<const N: usize> MechanismPart for ParallelPart<N> {
    fn coordinates(&self) -> usize {
        N + if Self::TURNS { 7 } else { 3 }
    }
    fn velocities(&self) -> usize {
        2 * N
    }
    fn bodies(&self) -> usize {
        1 + N
    }
    fn kinetic_energy<S: Scalar>(&self, q: &[S], rate: &[S]) -> S {
        let mut twist = Twist { linear: vec3(&rate[N..]), angular: Vec3::zero() };
        if Self::TURNS {
            // ω = 2 q̇ q⁻¹ in the base frame, for a quaternion of any length.
            let (w, u) = (q[N + 3], vec3(&q[N + 4..]));
            let (dw, du) = (rate[N + 3], vec3(&rate[N + 4..]));
            let square = w.square() + u.norm_squared();
            twist.angular = (du * w - u * dw + u.cross(du)) * (S::from_f64(2.0) / square);
        }
        self.with_pose(q, Vec3::zero(), |pose| pose.kinetic_energy_of(twist, Self::joints(rate)))
    }
    fn potential_energy<S: Scalar>(&self, q: &[S], gravity: Vec3<S>) -> S {
        self.with_pose(q, gravity, |pose| pose.potential_energy())
    }
    fn point<S: Scalar>(&self, q: &[S], body: usize, offset: Vec3<S>) -> Vec3<S> {
        let own = match body.checked_sub(1) {
            None => self.platform(q).point(offset),
            Some(leg) => self.robot.lift().near_end(leg, q[leg]) + offset,
        };
        self.base.map(S::from_f64).point(own)
    }
    fn rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        rate[..N + 3].copy_from_slice(&v[..N + 3]);
        if Self::TURNS {
            quaternion_rate(&q[N + 3..], vec3(&v[N + 3..]), &mut rate[N + 3..]);
        }
    }
    fn normalize(&self, q: &mut [f64]) {
        if Self::TURNS {
            normalize_quaternion(&mut q[N + 3..]);
        }
    }
}

/// A coordinate is the distance of two places, as of a strut. The multiplier is the force with which it pushes them apart.
#[derive(Clone, Copy, Debug)]
struct Telescope {
    ends: [BodyPoint; 2],
    part: PartId,
    coordinate: usize,
}

impl Constraint for Telescope {
    fn places(&self) -> Vec<BodyPoint> {
        self.ends.to_vec()
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        let [a, b] = [0, 1].map(|k| at.point(&self.ends[k]));
        h[0] = (a - b).norm_squared().sqrt() - at.coordinate(self.part, self.coordinate);
    }
}

/// Adds a parallel robot on a base, with a motor and its friction on every joint and every rod as long as it is.
pub fn add_parallel<const N: usize>(
    mechanism: &mut Mechanism,
    name: &str,
    robot: &Parallel<f64, N>,
    base: Frame<f64>,
) -> Result<PartId, MechanismError> {
    let part = mechanism.add(name, ParallelPart::new(robot, base));
    for (i, leg) in robot.parameters().legs.iter().enumerate() {
        mechanism.drive_with(part, i, leg.motor.friction)?;
        let ends = [part.on_body(1 + i, [0.0; 3]), part.at(leg.platform.0)];
        let name = format!("{name} leg {}", i + 1);
        match leg.chain {
            Chain::Rotary { rod, .. } | Chain::Slider { rod, .. } => {
                mechanism.constrain(name, Distance { a: ends[0], b: ends[1], length: rod.length })?;
            }
            Chain::Strut { .. } => mechanism.constrain(name, Telescope { ends, part, coordinate: i })?,
        }
    }
    Ok(part)
}
