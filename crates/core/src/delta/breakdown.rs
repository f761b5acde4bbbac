//! Where the torques of `exact` come from, and what the forearms carry.

use super::Moving;
use crate::algebra::{Vec3, difference, sum, three};
use crate::scalar::Scalar;

/// The effect that causes a torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Proportional to the platform acceleration.
    Inertia,
    /// Quadratic in the velocity.
    Coriolis,
    /// Weight.
    Gravity,
    /// Friction at the motors, damping at the passive joints.
    Friction,
    /// What the environment pushes.
    Force,
}

/// The body that causes a torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Rotors and motor friction.
    Motors,
    /// Upper arms with their elbow masses.
    Arms,
    /// The rod pairs.
    Forearms,
    /// The platform, and the external force on it.
    Platform,
    /// The payload.
    Payload,
}

impl Term {
    /// All terms, in the order of the table.
    pub const ALL: [Self; 5] = [Self::Inertia, Self::Coriolis, Self::Gravity, Self::Friction, Self::Force];

    /// Its name in columns and tables.
    pub fn as_str(self) -> &'static str {
        ["inertia", "coriolis", "gravity", "friction", "force"][self as usize]
    }
}

impl Body {
    /// All bodies, in the order of the table.
    pub const ALL: [Self; 5] = [Self::Motors, Self::Arms, Self::Forearms, Self::Platform, Self::Payload];

    /// Its name in columns and tables.
    pub fn as_str(self) -> &'static str {
        ["motors", "arms", "forearms", "platform", "payload"][self as usize]
    }
}

/// Torques by body and term; they add up to [`Moving::torque_under`].
#[derive(Clone, Copy, Debug)]
pub struct Breakdown<S> {
    cells: [[[S; 3]; 5]; 5],
}

impl<S: Scalar> Breakdown<S> {
    /// One cell, N m.
    pub fn get(&self, body: Body, term: Term) -> [S; 3] {
        self.cells[body as usize][term as usize]
    }

    /// One term, all bodies.
    pub fn by_term(&self, term: Term) -> [S; 3] {
        Body::ALL.iter().fold([S::zero(); 3], |total, &body| sum(total, self.get(body, term)))
    }

    /// One body, all terms.
    pub fn by_body(&self, body: Body) -> [S; 3] {
        Term::ALL.iter().fold([S::zero(); 3], |total, &term| sum(total, self.get(body, term)))
    }

    /// Everything.
    pub fn total(&self) -> [S; 3] {
        Term::ALL.iter().fold([S::zero(); 3], |total, &term| sum(total, self.by_term(term)))
    }
}

/// What one forearm (the pair of rods together) carries.
#[derive(Clone, Copy, Debug)]
pub struct ForearmForce<S> {
    /// Force of the forearm on the platform, base frame, N.
    pub on_platform: Vec3<S>,
    /// Force of the forearm on the upper arm's elbow, base frame, N.
    pub on_elbow: Vec3<S>,
    /// Tension along the rod at the platform joint, N; negative: compression.
    pub tension_at_platform: S,
    /// Tension along the rod at the elbow joint, N; it differs by the rod's own weight and inertia.
    pub tension_at_elbow: S,
}

impl<S: Scalar> Moving<'_, S> {
    /// The torques of a platform acceleration under an external force, taken apart by body and term.
    pub fn breakdown(&self, acceleration: Vec3<S>, force: Vec3<S>) -> Breakdown<S> {
        let pose = &self.pose;
        let parameters = pose.robot.parameters();
        let g = parameters.gravity;
        let accelerated = three(|i| pose.arms[i].jacobian.dot(acceleration));
        let drift = three(|i| self.arms[i].kappa / pose.arms[i].transmission);

        let rotor = |qdd: [S; 3]| three(|i| parameters.arms[i].reflected_rotor_inertia() * qdd[i]);
        let arm = |qdd: [S; 3]| three(|i| parameters.arms[i].arm_axis_inertia() * qdd[i]);
        let arm_weight = pose.weights_of(|i| (parameters.arms[i].arm_moment(), parameters.arms[i].arm_offset_moment()));
        let arm_weight = three(|i| -arm_weight[i]);
        let body = |mass: S| pose.torque_of_wrench(acceleration * mass);
        let weight = |mass: S| pose.torque_of_wrench(-(g * mass));
        let zero = [S::zero(); 3];
        let motor_friction = self.friction_torque();
        Breakdown {
            cells: [
                [rotor(accelerated), rotor(drift), zero, motor_friction, zero],
                [arm(accelerated), arm(drift), arm_weight, zero, zero],
                [
                    self.rods(|i| self.rod_ends(i, acceleration, accelerated[i], S::zero())),
                    self.rods(|i| self.rod_ends(i, Vec3::zero(), drift[i], self.arms[i].qd.square())),
                    self.rods(|i| self.rod_end_weights(i)),
                    difference(self.dissipation_torque(), motor_friction),
                    zero,
                ],
                [
                    body(parameters.platform_mass),
                    zero,
                    weight(parameters.platform_mass),
                    zero,
                    pose.torque_of_wrench(-force),
                ],
                [body(parameters.payload_mass), zero, weight(parameters.payload_mass), zero, zero],
            ],
        }
    }

    /// Loads of the three rods by the forces at their elbow and platform ends.
    fn rods(&self, ends: impl Fn(usize) -> [Vec3<S>; 2]) -> [S; 3] {
        let (mut moments, mut platform) = ([S::zero(); 3], Vec3::zero());
        for i in 0..3 {
            let [elbow, far] = ends(i);
            platform = platform + far;
            moments[i] = self.pose.arms[i].tangent.dot(elbow);
        }
        sum(moments, self.pose.torque_of_wrench(platform))
    }

    /// Forces that accelerate rod i, (1) of [`super::exact`], at its elbow and platform end.
    fn rod_ends(&self, i: usize, acceleration: Vec3<S>, qdd: S, qd_squared: S) -> [Vec3<S>; 2] {
        let (arm, lumped) = (&self.pose.arms[i], &self.pose.robot.arms[i]);
        let elbow = arm.tangent * qdd + arm.curvature * qd_squared;
        [elbow * lumped.m_cc + acceleration * lumped.m_ca, elbow * lumped.m_ca + acceleration * lumped.m_aa]
    }

    /// Weight of rod i, carried at its elbow and platform end.
    fn rod_end_weights(&self, i: usize) -> [Vec3<S>; 2] {
        let parameters = self.pose.robot.parameters();
        let given = &parameters.arms[i];
        let below = given.forearm.mass * given.rod_ratio();
        let g = parameters.gravity;
        [-(g * (given.forearm.mass - below)), -(g * below)]
    }

    /// What each forearm carries, for a builder who has to hold the joints together. Damping at the passive joints is
    /// not counted here: it loads the joints with moments, not with forces along the rod.
    pub fn forearm_forces(&self, acceleration: Vec3<S>, force: Vec3<S>) -> [ForearmForce<S>; 3] {
        let pose = &self.pose;
        let parameters = pose.robot.parameters();
        let qdd = self.joint_acceleration(acceleration);
        let ends: [[Vec3<S>; 2]; 3] = three(|i| {
            let moved = self.rod_ends(i, acceleration, qdd[i], self.arms[i].qd.square());
            let weight = self.rod_end_weights(i);
            [moved[0] + weight[0], moved[1] + weight[1]]
        });
        let mass = parameters.platform_mass + parameters.payload_mass;
        let own = (acceleration - parameters.gravity) * mass - force;
        let lambda = pose.rod_forces(own + ends[0][1] + ends[1][1] + ends[2][1]);
        three(|i| {
            let rod = pose.arms[i].rod;
            // λ s accelerates everything lumped at the platform; what is left after the rod's own share goes on.
            let on_platform = rod * lambda[i] - ends[i][1];
            let on_elbow = -(rod * lambda[i]) - ends[i][0];
            let unit = rod * (S::one() / pose.robot.arms[i].lb);
            ForearmForce {
                on_platform,
                on_elbow,
                tension_at_platform: -(unit.dot(on_platform)),
                tension_at_elbow: unit.dot(on_elbow),
            }
        })
    }
}
