//! Robots and linkages as parts of larger mechanisms: each a dozen lines of composition.

use super::{
    BodyPoint, ChainPart, Coincident, DeltaArm, FreeBody, Mechanism, MechanismError, OnPlane, PartId, Pendulum,
    PlanarBody, PointMass, length,
};
use crate::chain::Chain;
use crate::delta::{ArmParameters, Branch, Delta, KinematicsError, Moving, Parameters, Pose};
use crate::spatial::Frame;
use crate::{Angle, Vec3};

/// A Delta inside a mechanism.
#[derive(Clone, Debug)]
pub struct DeltaParts {
    /// Its arms.
    pub arms: [PartId; 3],
    models: [DeltaArm; 3],
}

/// What a Delta inside a mechanism does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaMotion {
    /// Angles and speeds of the motors, rad and rad/s.
    pub joints: [[f64; 3]; 2],
    /// Position and velocity of the platform, m and m/s.
    pub platform: [Vec3<f64>; 2],
}

impl DeltaParts {
    /// The platform's centre.
    pub fn platform(&self) -> BodyPoint {
        self.arms[0].origin()
    }

    /// Angles and speeds of the motors, and position and velocity of the platform in the robot's own frame, at coordinates
    /// and velocities of the mechanism.
    pub fn motion(&self, mechanism: &Mechanism, q: &[f64], v: &[f64]) -> Result<DeltaMotion, MechanismError> {
        length("q", q, mechanism.coordinates())?;
        length("v", v, mechanism.velocities())?;
        let (mut joints, mut speeds) = ([0.0; 3], [0.0; 3]);
        let mut platform = [Vec3::zero(); 2];
        for (i, (part, arm)) in self.arms.into_iter().zip(&self.models).enumerate() {
            let (at, rate) = mechanism.ranges(part)?;
            (joints[i], speeds[i]) = (q[at.start], v[rate.start]);
            if i == 0 {
                platform = arm.platform(&q[at], &v[rate]);
            }
        }
        Ok(DeltaMotion { joints: [joints, speeds], platform })
    }

    /// The nine coordinates at a pose.
    pub fn coordinates(&self, pose: &Pose<'_, f64>) -> [f64; 9] {
        let q = pose.joints();
        let angles: [[f64; 3]; 3] = std::array::from_fn(|i| self.models[i].angles(pose.position, q[i]));
        std::array::from_fn(|i| angles[i / 3][i % 3])
    }

    /// The nine velocities of a moving pose.
    pub fn velocities(&self, moving: &Moving<'_, f64>) -> [f64; 9] {
        let (pose, qd) = (&moving.pose, moving.joint_velocity());
        let platform = (pose.position, moving.velocity);
        let rates: [[f64; 3]; 3] = std::array::from_fn(|i| self.models[i].rates(platform, (pose.joints()[i], qd[i])));
        std::array::from_fn(|i| rates[i / 3][i % 3])
    }
}

/// Adds a Delta as Bortoff composes it: three arms, their tips joined (10), a motor on each; friction, damping, rotor
/// and payload as the robot has them.
pub fn add_delta(mechanism: &mut Mechanism, name: &str, robot: &Delta<f64>) -> Result<DeltaParts, MechanismError> {
    add_delta_at(mechanism, name, robot, Frame::identity())
}

/// The same on a base.
pub fn add_delta_at(
    mechanism: &mut Mechanism,
    name: &str,
    robot: &Delta<f64>,
    base: Frame<f64>,
) -> Result<DeltaParts, MechanismError> {
    let p = robot.parameters();
    let share = (p.platform_mass + p.payload_mass) / 3.0;
    let models = p.arms.map(|arm| DeltaArm::new(&arm, share).on_base(base));
    let arms = [0, 1, 2].map(|i| mechanism.add(format!("{name} arm {}", i + 1), models[i]));
    join_arms(mechanism, name, &arms, &p.arms)?;
    Ok(DeltaParts { arms, models })
}

/// Motors, friction and damping on arms of one platform, and their tips joined.
fn join_arms(
    mechanism: &mut Mechanism,
    name: &str,
    arms: &[PartId],
    parameters: &[ArmParameters<f64>],
) -> Result<(), MechanismError> {
    for (part, arm) in arms.iter().zip(parameters) {
        mechanism.drive_with(*part, 0, arm.motor.friction)?;
        if let Some(damping) = arm.passive_damping {
            mechanism.damp(*part, 1, damping)?;
            mechanism.damp(*part, 2, damping)?;
        }
    }
    for other in 1..arms.len() {
        let joint = Coincident::new(arms[0].origin(), arms[other].origin());
        mechanism.constrain(format!("{name} tips 1 and {}", other + 1), joint)?;
    }
    Ok(())
}

/// A Delta with any number of equal arms inside a mechanism.
#[derive(Clone, Debug)]
pub struct StarParts {
    /// Its arms.
    pub arms: Vec<PartId>,
    /// One arm each with its inverse kinematics: three times the same arm.
    singles: Vec<(DeltaArm, Delta<f64>)>,
}

impl StarParts {
    /// The platform's centre.
    pub fn platform(&self) -> BodyPoint {
        self.arms[0].origin()
    }

    /// All coordinates with the platform at `position`; elbows that do not reach are refused.
    pub fn coordinates(&self, position: Vec3<f64>, branch: Branch) -> Result<Vec<f64>, KinematicsError> {
        let mut all = Vec::new();
        for (number, (arm, single)) in self.singles.iter().enumerate() {
            let q = single.pose_unchecked(position, branch).joints()[0];
            if !q.is_finite() {
                return Err(KinematicsError::ArmSingular { arm: number + 1, margin: q });
            }
            all.extend(arm.angles(position, q));
        }
        Ok(all)
    }
}

/// Adds a Delta with `count` arms like the first of `robot`, evenly about its axis: with four or more there are more
/// motors than freedoms. Fewer than three arms do not hold a platform and are refused.
pub fn add_star(
    mechanism: &mut Mechanism,
    name: &str,
    robot: &Delta<f64>,
    count: usize,
) -> Result<StarParts, MechanismError> {
    if count < 3 {
        return Err(MechanismError::BadValue { what: "number of arms", value: count as f64, must: "three or more" });
    }
    let p = robot.parameters();
    let turned = |i: usize| {
        let azimuth = Angle::from_radians(std::f64::consts::TAU * i as f64 / count as f64);
        ArmParameters { azimuth, ..p.arms[0] }
    };
    let parameters: Vec<ArmParameters<f64>> = (0..count).map(turned).collect();
    let share = (p.platform_mass + p.payload_mass) / count as f64;
    let single =
        |arm: &ArmParameters<f64>| (DeltaArm::new(arm, share), Delta::new(Parameters { arms: [*arm; 3], ..*p }));
    let singles: Vec<_> = parameters.iter().map(single).collect();
    let arms: Vec<PartId> =
        singles.iter().enumerate().map(|(i, (arm, _))| mechanism.add(format!("{name} arm {}", i + 1), *arm)).collect();
    join_arms(mechanism, name, &arms, &parameters)?;
    Ok(StarParts { arms, singles })
}

/// Adds a chain on a base, with a motor and its friction on every joint.
pub fn add_arm(
    mechanism: &mut Mechanism,
    name: &str,
    chain: impl Into<Chain<f64>>,
    base: Frame<f64>,
) -> Result<PartId, MechanismError> {
    let chain = chain.into();
    let frictions: Vec<_> = chain.links().iter().map(|link| link.friction).collect();
    let part = mechanism.add(name, ChainPart::new(&chain, base));
    for (joint, friction) in frictions.into_iter().enumerate() {
        mechanism.drive_with(part, joint, friction)?;
    }
    Ok(part)
}

/// Adds a body that is held at some of its points: each place of the mechanism and where it grips, in the body's frame.
/// Two grips leave it one freedom, to turn about the line between them.
pub fn add_carried(
    mechanism: &mut Mechanism,
    name: &str,
    body: FreeBody,
    grips: &[(BodyPoint, [f64; 3])],
) -> Result<PartId, MechanismError> {
    let part = mechanism.add(name, body);
    for (number, (place, at)) in grips.iter().enumerate() {
        mechanism.constrain(format!("{name} grip {}", number + 1), Coincident::new(*place, part.at(*at)))?;
    }
    Ok(part)
}

/// A bar of a planar linkage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkageBar {
    /// Between its pins, m.
    pub length: f64,
    /// kg.
    pub mass: f64,
    /// From its first pin towards the second, m.
    pub center_of_mass: f64,
    /// About its centre of mass, kg m².
    pub inertia: f64,
}

impl LinkageBar {
    /// Turning about its first pin.
    fn crank(&self, pivot: [f64; 3]) -> Pendulum {
        let inertia = self.inertia + self.mass * self.center_of_mass * self.center_of_mass;
        Pendulum { pivot, mass: self.mass, center_of_mass: self.center_of_mass, inertia }
    }

    fn free(&self) -> PlanarBody {
        PlanarBody { mass: self.mass, inertia: self.inertia }
    }

    /// Its pins on the part of [`LinkageBar::free`].
    fn pins(&self, part: PartId) -> [BodyPoint; 2] {
        [-self.center_of_mass, self.length - self.center_of_mass].map(|x| part.at([x, 0.0, 0.0]))
    }
}

/// A slider-crank in the x–z plane: the crank turns about the origin, the slider runs along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderCrank {
    /// Driven.
    pub crank: LinkageBar,
    /// From crank to slider.
    pub rod: LinkageBar,
    /// kg.
    pub slider: f64,
}

impl SliderCrank {
    /// Adds it: crank (its angle), rod (x, z, angle), slider (x, y, z); a motor on the crank.
    pub fn add(&self, mechanism: &mut Mechanism) -> Result<[PartId; 3], MechanismError> {
        let crank = mechanism.add("crank", self.crank.crank([0.0; 3]));
        let rod = mechanism.add("rod", self.rod.free());
        let slider = mechanism.add("slider", PointMass { mass: self.slider });
        let pins = self.rod.pins(rod);
        let rail = |normal| OnPlane { place: slider.origin(), through: [0.0; 3], normal };
        mechanism.constrain("crank pin", Coincident::planar(crank.at([self.crank.length, 0.0, 0.0]), pins[0]))?;
        mechanism.constrain("piston pin", Coincident::planar(pins[1], slider.origin()))?;
        mechanism.constrain("guide", rail([0.0, 0.0, 1.0]))?;
        mechanism.constrain("side", rail([0.0, 1.0, 0.0]))?;
        mechanism.drive(crank, 0)?;
        Ok([crank, rod, slider])
    }
}

/// A five-bar in the x–z plane: two driven cranks on the x axis, two rods that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiveBar {
    /// Of the two pivots, m.
    pub pivots: [f64; 2],
    /// Driven.
    pub cranks: [LinkageBar; 2],
    /// From the cranks to the tip.
    pub rods: [LinkageBar; 2],
}

impl FiveBar {
    /// Adds it: two cranks (their angles), two rods (x, z, angle); a motor on each crank. The tip is the second pin of
    /// the rods.
    pub fn add(&self, mechanism: &mut Mechanism) -> Result<[PartId; 4], MechanismError> {
        let side = ["left", "right"];
        let cranks = [0, 1]
            .map(|i| mechanism.add(format!("{} crank", side[i]), self.cranks[i].crank([self.pivots[i], 0.0, 0.0])));
        let rods = [0, 1].map(|i| mechanism.add(format!("{} rod", side[i]), self.rods[i].free()));
        let pins = [0, 1].map(|i| self.rods[i].pins(rods[i]));
        for i in 0..2 {
            let elbow = cranks[i].at([self.cranks[i].length, 0.0, 0.0]);
            mechanism.constrain(format!("{} elbow", side[i]), Coincident::planar(elbow, pins[i][0]))?;
            mechanism.drive(cranks[i], 0)?;
        }
        mechanism.constrain("tip", Coincident::planar(pins[0][1], pins[1][1]))?;
        Ok([cranks[0], cranks[1], rods[0], rods[1]])
    }
}
