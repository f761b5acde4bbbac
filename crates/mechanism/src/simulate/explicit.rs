//! Robots in closed form: the Delta in minimal coordinates, through the exact model; an open chain in its joints, through the
//! articulated bodies of [`crate::chain`].

use super::contact::{Switched, Touchable};
use super::events::Action;
use super::{Energies, Residual, SimulationError, SimulationResult, System, Variables, check_length};
use crate::algebra::dot;
use crate::chain::{Chain, ChainMoving};
use crate::delta::{Branch, Delta, KinematicsError, Moving};
use crate::mechanism::{Mechanism, PartId, PointMass};
use crate::{Dual, Mat3, Vec3};

/// A Delta with constant torques; a state is (X, Ẋ) or (X, P = M Ẋ).
#[derive(Clone, Copy, Debug)]
pub struct ExplicitDelta {
    robot: Delta<f64>,
    /// For Ṁ along the motion.
    differentiated: Delta<Dual<f64, 1>>,
    branch: Branch,
    variables: Variables,
    torque: [f64; 3],
    /// Of the environment on the platform, N; contacts set it.
    pub force: Vec3<f64>,
    watch: ElbowWatch,
    /// Mass matrix of the last [`Touchable::prepare`].
    inertia: Mat3<f64>,
}

/// Nearer than this to a singular pose, the pose is why no step leads on.
const NEARLY_SINGULAR: f64 = 1e-2;

/// Notices that an elbow changed over to the other branch.
///
/// Where an arm stretches, w goes through zero with a finite rate and the elbow changes over, while the platform turns
/// back. A fixed step that lands beyond would go on with the wrong branch and never notice. The step before tells: a w that
/// would have been zero within two steps does not turn back in one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElbowWatch {
    /// The end of the last step, the transmissions w of the arms there, and their rates.
    last: Option<(f64, [Vec3<f64>; 2])>,
}

impl ElbowWatch {
    /// Looks at the end of a step.
    #[inline]
    pub fn check(&mut self, time: f64, moving: &Moving<'_, f64>) -> Result<(), KinematicsError> {
        let value = Vec3::from_fn(|i| moving.pose.arms[i].transmission);
        let rate = Vec3::from_fn(|i| {
            let (arm, motion) = (&moving.pose.arms[i], &moving.arms[i]);
            motion.rod_velocity.dot(arm.tangent) + arm.rod.dot(arm.curvature) * motion.qd
        });
        if let Some((before, [last, last_rate])) = self.last.filter(|(before, _)| *before < time) {
            for i in 0..3 {
                let expected = last[i] + 2.0 * last_rate[i] * (time - before);
                let closing = last_rate[i] * last[i] < 0.0 && rate[i] * last_rate[i] < 0.0;
                if closing && expected * last[i] < 0.0 {
                    let arm = &moving.pose.robot.parameters().arms[i];
                    let margin = expected / (arm.upper_arm.length * arm.forearm.length);
                    return Err(KinematicsError::ArmSingular { arm: i + 1, margin });
                }
            }
        }
        self.last = Some((time, [value, rate]));
        Ok(())
    }
}

fn vec3(values: &[f64]) -> Vec3<f64> {
    Vec3::new(values[0], values[1], values[2])
}

impl ExplicitDelta {
    /// The robot with its elbows on one branch.
    pub fn new(robot: &Delta<f64>, branch: Branch, variables: Variables, torque: [f64; 3]) -> Self {
        Self {
            robot: *robot,
            differentiated: robot.lift(),
            branch,
            variables,
            torque,
            force: Vec3::zero(),
            watch: ElbowWatch::default(),
            inertia: Mat3::zero(),
        }
    }

    /// The state at a platform position and velocity.
    pub fn state(&self, position: Vec3<f64>, velocity: Vec3<f64>) -> Result<[f64; 6], KinematicsError> {
        let second = match self.variables {
            Variables::Velocity => velocity,
            Variables::Momentum => self.robot.at_position(position, self.branch)?.cartesian_mass_matrix() * velocity,
        };
        Ok(crate::array::from_fn(|i| if i < 3 { position[i] } else { second[i - 3] }))
    }

    /// The platform as a part of its own, for contacts: its coordinates are its position.
    pub fn platform(&self) -> (Mechanism, PartId) {
        let mut mechanism = Mechanism::new(self.robot.gravity());
        let parameters = self.robot.parameters();
        let mass = parameters.platform_mass + parameters.payload_mass;
        let platform = mechanism.add("platform", PointMass { mass });
        (mechanism, platform)
    }

    /// The moving robot in a state.
    #[inline(always)] // a moved pose costs as much as its kinematics
    pub fn moving(&self, time: f64, state: &[f64]) -> SimulationResult<Moving<'_, f64>> {
        super::check_length("state", state, 6)?;
        let pose = self.robot.pose_unchecked(vec3(state), self.branch);
        pose.check_reach().map_err(|cause| SimulationError::refused(time, cause))?;
        let second = vec3(&state[3..]);
        Ok(match self.variables {
            Variables::Velocity => pose.moving(second),
            Variables::Momentum => pose.moving(pose.cartesian_mass_matrix().solve(second)),
        })
    }
}

impl System for ExplicitDelta {
    fn size(&self) -> usize {
        6
    }

    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        super::check_length("torque", torque, 3)?;
        self.torque = vec3(torque).0;
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        let moving = self.moving(time, state)?;
        let velocity = moving.velocity;
        let acceleration = moving.acceleration_under(self.torque, self.force);
        let second = match self.variables {
            Variables::Velocity => acceleration,
            Variables::Momentum => {
                // Ṗ = M Ẍ + Ṁ Ẋ, Ṁ by a dual number along the motion.
                let along = Vec3::from_fn(|i| Dual { value: state[i], derivative: [velocity[i]] });
                let mass = self.differentiated.pose_unchecked(along, self.branch).cartesian_mass_matrix();
                let drift = mass.map(|entry| entry.derivative[0]) * velocity;
                mass.map(|entry| entry.value) * acceleration + drift
            }
        };
        rate[..3].copy_from_slice(&velocity.0);
        rate[3..].copy_from_slice(&second.0);
        Ok(())
    }

    fn project(&mut self, time: f64, state: &mut [f64]) -> SimulationResult<bool> {
        let mut watch = self.watch;
        watch.check(time, &self.moving(time, state)?).map_err(|cause| SimulationError::refused(time, cause))?;
        self.watch = watch;
        Ok(false)
    }

    /// An arm that is nearly stretched or folded: the platform cannot go on with its elbow on this branch.
    fn edge(&mut self, time: f64, state: &[f64]) -> Option<SimulationError> {
        let margins = self.moving(time, state).ok()?.pose.transmission_margins();
        let worst = (0..3).fold(0, |worst, i| if margins[i].abs() < margins[worst].abs() { i } else { worst });
        let singular = KinematicsError::ArmSingular { arm: worst + 1, margin: margins[worst] };
        (margins[worst].abs() < NEARLY_SINGULAR).then(|| SimulationError::refused(time, singular))
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        let moving = self.moving(time, state)?;
        Ok(Energies {
            kinetic: moving.kinetic_energy(),
            potential: moving.pose.potential_energy(),
            load: -dot(self.torque, moving.pose.joints()),
            dissipated: 0.0,
        })
    }

    /// Nothing can drift: what is left is how well the rods close, by rounding.
    fn residual(&mut self, time: f64, state: &[f64]) -> SimulationResult<Residual> {
        let moving = self.moving(time, state)?;
        let mut residual = Residual::default();
        for (i, arm) in moving.pose.arms.iter().enumerate() {
            let length = self.robot.parameters().arms[i].forearm.length;
            let off = (arm.rod.norm_squared().sqrt() - length).abs();
            residual.position = residual.position.max(off);
            residual.velocity = residual.velocity.max((arm.rod.dot(moving.arms[i].rod_velocity) / length).abs());
        }
        Ok(residual)
    }
}

impl Touchable for ExplicitDelta {
    fn sizes(&self) -> [usize; 2] {
        [3, 3]
    }

    fn read(&mut self, time: f64, state: &[f64], q: &mut [f64], v: &mut [f64]) -> SimulationResult<()> {
        let moving = self.moving(time, state)?;
        q.copy_from_slice(&state[..3]);
        v.copy_from_slice(&moving.velocity.0);
        Ok(())
    }

    fn push(&mut self, force: &[f64]) {
        self.force = vec3(force);
    }

    fn powers(&mut self, time: f64, state: &[f64]) -> SimulationResult<(f64, f64)> {
        let moving = self.moving(time, state)?;
        Ok((0.0, dot(moving.dissipation_torque(), moving.joint_velocity())))
    }

    fn prepare(&mut self, time: f64, state: &[f64]) -> SimulationResult<()> {
        let moving = self.moving(time, state)?;
        self.inertia = moving.pose.cartesian_mass_matrix();
        Ok(())
    }

    fn respond(&mut self, impulse: &mut [f64]) {
        let change = self.inertia.solve(vec3(impulse));
        impulse.copy_from_slice(&change.0);
    }

    fn kick(&mut self, _: f64, state: &mut [f64], change: &[f64]) -> SimulationResult<f64> {
        let change = match self.variables {
            Variables::Velocity => vec3(change),
            Variables::Momentum => self.inertia * vec3(change),
        };
        state[3..].iter_mut().zip(change.0).for_each(|(second, change)| *second += change);
        self.watch = ElbowWatch::default(); // an arm that turns back now does so because of the impact
        Ok(0.0)
    }

    /// There is nothing to attach to: a payload of the explicit Delta is in its parameters.
    fn check_action(&self, what: &Action) -> SimulationResult<()> {
        match what {
            Action::Torque(torque) => super::check_length("torque", torque, 3),
            Action::Attach { ties, .. } | Action::Release { ties } => Err(SimulationError::UnknownTie {
                name: ties.first().cloned().unwrap_or_default(),
                known: vec![String::from("none in the explicit Delta")],
            }),
        }
    }

    fn switch(&mut self, _: f64, _: &mut [f64], what: &Action) -> SimulationResult<Switched> {
        self.check_action(what).map(|()| Switched::default())
    }
}

/// A chain with constant torques; a state is (q, q̇). There is no constraint that could drift.
#[derive(Clone, Debug)]
pub struct ExplicitChain {
    chain: Chain<f64>,
    torque: Vec<f64>,
}

impl ExplicitChain {
    /// The chain with constant joint torques, N m or N, as many as it has joints.
    pub fn new(chain: impl Into<Chain<f64>>, torque: Vec<f64>) -> Self {
        Self { chain: chain.into(), torque }
    }

    /// The moving chain in a state.
    pub fn moving<'a>(&'a self, time: f64, state: &'a [f64]) -> SimulationResult<ChainMoving<'a, f64>> {
        let n = self.chain.joints();
        check_length("state", state, 2 * n)?;
        let (q, qd) = state.split_at(n);
        self.chain.try_moving(q, qd).map_err(|cause| SimulationError::refused(time, cause))
    }
}

impl System for ExplicitChain {
    fn size(&self) -> usize {
        2 * self.chain.joints()
    }

    fn set_torques(&mut self, torque: &[f64]) -> SimulationResult<()> {
        check_length("torque", torque, self.chain.joints())?;
        self.torque.copy_from_slice(torque);
        Ok(())
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> SimulationResult<()> {
        let moving = self.moving(time, state)?;
        let qdd = moving.try_acceleration(&self.torque).map_err(|cause| SimulationError::refused(time, cause))?;
        let (velocity, acceleration) = rate.split_at_mut(qdd.len());
        velocity.copy_from_slice(moving.qd);
        acceleration.copy_from_slice(&qdd);
        Ok(())
    }

    fn energies(&mut self, time: f64, state: &[f64]) -> SimulationResult<Energies> {
        let moving = self.moving(time, state)?;
        let load = -self.torque.iter().zip(state).map(|(torque, q)| torque * q).sum::<f64>();
        let (kinetic, potential) = (moving.kinetic_energy(), moving.pose.potential_energy());
        Ok(Energies { kinetic, potential, load, dissipated: 0.0 })
    }
}
