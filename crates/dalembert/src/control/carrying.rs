//! Two Deltas that carry one object, in closed loop: [`CarryParts`] has the loop, this is the experiment.

use super::collector::Stage;
use super::experiment::Experiment;
use super::outcome::{Outcome, Squeeze};
use super::subject::drawn;
use super::{ControlError, Controller, Impedance, Law, Sample, Subject, Tuning};
use crate::Vec3;
use crate::friction::Friction;
use crate::motion::{
    MotionFileError, MotionOrder, MotionTable, OrderError, Pace, ProfileName, RobotMotion, is_tolerated, named,
};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::families::{CarriedObject, CarryParts, CarryTask};
use crate::robot::file::{self, FileError, LoadError};
use crate::robot::{
    Family, Form, Impossible, Joint, ModelSpec, Pick, Refused, Robot, Target, ToolState, Violation, violations,
};
use crate::spatial::Frame;
use std::path::Path;

/// Radius of the ball that stands for the object in drawings, m.
const BALL: f64 = 0.03;

/// Places of a motion at which both robots are asked whether they reach it.
const PLACES: usize = 500;

/// A Delta that helps to carry.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// The robot.
    pub robot: Robot,
    /// Where its base stands, m.
    pub base: Vec3<f64>,
    /// From the object to its platform, m.
    pub grip: Vec3<f64>,
}

impl Carrier {
    /// From the object to the platform, in the robot's own frame, m.
    pub fn offset(&self) -> Vec3<f64> {
        self.grip - self.base
    }

    /// What a target of the object asks of the platform, in the robot's own frame.
    fn held(&self, object: &Target) -> Target {
        let mut held = *object;
        if let Target::Tool(tool) = &mut held {
            tool.pose.origin = tool.pose.origin + self.offset();
        }
        held
    }

    /// Where it stands.
    fn frame(&self) -> Frame<f64> {
        Frame::at(self.base)
    }
}

/// Two Deltas that hold one object: what an [`Experiment`] moves in the object's coordinates.
///
/// As [`Experiment::known`] it is what the controller believes: other robots, another mass; its share and squeeze are what
/// the law is asked for. Joints 1 to 3 are those of the first robot, 4 to 6 those of the second.
///
/// ```
/// use dalembert::control::{Experiment, Law, Pair};
/// use dalembert::motion::{Rest, RobotMotion};
/// use dalembert::Vec3;
/// use dalembert::robot::Robot;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = Robot::find("d3-1200")?;
/// let side = |x: f64| (robot.clone(), Vec3::new(x, 0.0, 0.0), Vec3::new(0.6 * x, 0.0, 0.0)); // robot, its base, its grip
/// let mut pair = Pair::new([side(-0.7), side(0.7)], 1.5);
/// pair.squeeze = Vec3::new(15.0, 0.0, 0.0);
/// let rest = Rest { position: Vec3::new(0.0, 0.0, -0.85), duration: 0.1 };
/// let both = Experiment::new(pair, "rest", RobotMotion::translating(rest));
/// let run = both.run(&both.tuning(Law::Cartesian), &mut |_| true)?;
/// assert!(run.ended.is_ok() && run.summary.error_max < 1e-4);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Pair {
    /// Their name.
    pub name: String,
    /// The robots.
    pub carriers: [Carrier; 2],
    /// Of the object, kg.
    pub mass: f64,
    /// σ of the first robot, 0…1.
    pub share: f64,
    /// The force of the first platform on the object beyond its share, N.
    pub squeeze: Vec3<f64>,
}

impl Pair {
    /// Robots with their bases and grips, and the mass of an object, of which both carry half without pressing it.
    pub fn new(carriers: [(Robot, Vec3<f64>, Vec3<f64>); 2], mass: f64) -> Self {
        let carriers = carriers.map(|(robot, base, grip)| Carrier { robot, base, grip });
        let name = format!("{} and {}", carriers[0].robot.name, carriers[1].robot.name);
        Self { name, carriers, mass, share: 0.5, squeeze: Vec3::zero() }
    }

    /// Where the object is in the middle of what the two reach: between the places that each would choose.
    pub fn center(&self) -> Vec3<f64> {
        let [one, other] = self.carriers.each_ref().map(|carrier| {
            let center = carrier.robot.workspace().map_or(Vec3::zero(), |workspace| workspace.center);
            center - carrier.offset()
        });
        (one + other) * 0.5
    }

    /// The object, and how it is held.
    fn object(&self) -> CarriedObject {
        let Self { carriers: [one, other], mass, share, squeeze, .. } = self;
        CarriedObject {
            mass: *mass,
            bases: [one.base, other.base],
            grips: [one.grip, other.grip],
            share: *share,
            squeeze: *squeeze,
        }
    }

    /// The first place of a motion that a robot does not reach: which robot (from 1), when, why.
    fn out_of_reach(&self, motion: &RobotMotion, pick: &Pick) -> Option<(usize, f64, Refused)> {
        motion.samples(PLACES).into_iter().find_map(|(time, object)| {
            self.carriers.iter().enumerate().find_map(|(i, carrier)| {
                let cause = carrier.robot.at(&carrier.held(&object), pick).err()?;
                Some((i + 1, time, cause))
            })
        })
    }

    /// Both robots and the object, without samples yet.
    fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::default();
        // The platform of each is the first of its tracks.
        let platforms = self.carriers.each_ref().map(|carrier| {
            let platform = Anchor::on(drawing.tracks.len(), [0.0; 3]);
            drawing.append(carrier.robot.drawing(&carrier.frame()));
            platform
        });
        let ([one, other], object) = (platforms, drawing.tracks.len());
        drawing.tracks.push(Track::default());
        let middle = Anchor::on(object, [0.0; 3]);
        drawing.shapes.push(Shape::Line(Role::Body, vec![one, middle, other]));
        drawing.shapes.push(Shape::Sphere(Role::Body, middle, BALL));
        drawing.shapes.push(Shape::Trace(object));
        drawing
    }

    /// Adds a sample to the tracks of the drawing: half of them are the first robot's, the last one is the object's.
    fn draw(&self, sample: &Sample, pick: &Pick, tracks: &mut [Track]) {
        let Some((object, robots)) = tracks.split_last_mut() else { return };
        object.position.push(sample.point[0].0);
        let halves = robots.split_at_mut(robots.len() / 2);
        for (carrier, tracks) in self.carriers.iter().zip([halves.0, halves.1]) {
            let state = drawn(&carrier.robot, pick, sample.q, sample.point[0] + carrier.offset());
            carrier.robot.draw(&state, &carrier.frame(), tracks);
        }
    }
}

impl Experiment<Pair> {
    /// What the loop of both is told.
    pub fn carry_task(&self, tuning: &Tuning) -> Result<CarryTask<'_>, ControlError> {
        fn families(pair: &Pair) -> [&dyn Family; 2] {
            pair.carriers.each_ref().map(|carrier| carrier.robot.family())
        }
        let Self { robot, known, motion, pick, .. } = self;
        Ok(CarryTask {
            robots: families(robot),
            known: families(known),
            object: robot.object(),
            known_object: known.object(),
            model: known.carriers[0].robot.model_name(&self.model)?,
            motion,
            pick,
            settings: self.settings(tuning),
        })
    }
}

impl Subject for Pair {
    const USUAL_LAW: Law = Law::Cartesian;
    const KEYS: &'static [&'static str] = &["carrier", "object"];

    fn of_experiment(text: &str, folder: Option<&Path>) -> Result<Self, FileError> {
        super::file::pair(text, folder)
    }

    /// The two of another experiment.
    fn find(path: &str) -> Result<Self, LoadError> {
        let path = Path::new(path);
        file::load(path, |text| Self::of_experiment(text, path.parent()))
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn moved(&self) -> &'static str {
        "object"
    }

    fn joints(&self) -> Vec<Joint> {
        self.carriers.iter().flat_map(|carrier| carrier.robot.joints()).collect()
    }

    /// The object.
    fn payload(&self) -> f64 {
        self.mass
    }

    fn carrying(&self, mass: f64) -> Result<Self, Impossible> {
        if mass >= 0.0 && mass.is_finite() {
            Ok(Self { mass, ..self.clone() })
        } else {
            Err(Impossible(format!("the object would weigh {mass} kg, but has to weigh zero or more")))
        }
    }

    fn with_friction(&self, friction: Option<Friction<f64>>) -> Result<Self, Impossible> {
        let mut changed = self.clone();
        for carrier in &mut changed.carriers {
            carrier.robot = carrier.robot.with_friction(friction)?;
        }
        Ok(changed)
    }

    fn is_built_like(&self, other: &Self) -> bool {
        self.carriers.iter().zip(&other.carriers).all(|(own, other)| {
            own.robot.is_built_like(&other.robot) && (own.base, own.grip) == (other.base, other.grip)
        })
    }

    fn models(&self) -> &'static [ModelSpec] {
        self.carriers[0].robot.models()
    }

    fn home(&self) -> Target {
        Target::Tool(ToolState::translating(self.center(), Vec3::zero(), Vec3::zero()))
    }

    fn usual_order(&self) -> MotionOrder {
        MotionOrder::default()
    }

    /// In the time that is ordered: the shortest one, and the profiles that need it, are found for one robot only.
    fn plan(experiment: &Experiment<Self>, order: &MotionOrder) -> Result<(RobotMotion, Pick), OrderError> {
        let Experiment { robot, known, pick, .. } = experiment;
        for (what, given) in [
            ("a shortest time", matches!(order.pace(1, 0.0), Ok(Pace::Shortest))),
            ("the profile time-optimal", order.profile == ProfileName::TimeOptimal),
            ("the profile minimum-torque", order.profile == ProfileName::MinimumTorque),
        ] {
            if given {
                return Err(OrderError::NotOfPair { what });
            }
        }
        let mut order = order.clone();
        if named::has_place(&order.path)[0] {
            order.center = order.center.or(Some(known.center()));
        }
        let motion = order.timed(&known.carriers[0].robot, pick, Experiment::<Self>::SHARE)?.motion;
        for pair in [known, robot] {
            if let Some((carrier, time, cause)) = pair.out_of_reach(&motion, pick) {
                return Err(OrderError::GripOutOfReach { carrier, time, cause });
            }
        }
        Ok((motion, *pick))
    }

    fn form_of_path(&self, _path: &str) -> Form {
        Form::Tool
    }

    fn table(&self, file: &str) -> Result<MotionTable, MotionFileError> {
        MotionTable::of_point(file)
    }

    fn hint(&self, order: &MotionOrder, error: &OrderError) -> Option<String> {
        match error {
            OrderError::NotOfPair { .. } => Some(String::from("give the time of a cycle, and a profile that takes it")),
            OrderError::GripOutOfReach { .. } => {
                let [x, y, z] = self.center().0.map(|x| x + 0.0);
                Some(format!(
                    "the object is best reached around ({x:.3}, {y:.3}, {z:.3}) m: another base, grip, center or width"
                ))
            }
            _ => order.hint(error, &self.carriers[0].robot, &Pick::default()),
        }
    }

    fn violations(experiment: &Experiment<Self>, target: &Target) -> Result<Vec<Violation>, Refused> {
        let Experiment { robot, known, pick, .. } = experiment;
        let (mut all, mut first) = (Vec::new(), 0);
        for (known, robot) in known.carriers.iter().zip(&robot.carriers) {
            let state = known.robot.at(&known.held(target), pick)?;
            let (joints, ball) = (robot.robot.joints(), known.robot.ball_angles(&state));
            // Torques are not looked at: what the object weighs is neither's alone.
            let found = violations(&joints, &state.joints.q, ball.as_deref(), Some(&state.joints.qd), None);
            all.extend(found.into_iter().map(|violation| Violation { joint: violation.joint + first, ..violation }));
            first += joints.len();
        }
        all.retain(|violation| !is_tolerated(violation));
        Ok(all)
    }

    fn refuses(law: &dyn Controller) -> Option<&'static str> {
        (law.built_in() != Some(Law::Cartesian))
            .then_some("two robots on one object are steered together, by the error of the object")
    }

    /// That of the object by itself; no law of the pair asks for it.
    fn impedance(experiment: &Experiment<Self>) -> Impedance<f64> {
        let usual = experiment.known.mass * experiment.bandwidth * experiment.bandwidth;
        let stiffness = experiment.stiffness.unwrap_or(usual);
        Impedance::isotropic(stiffness, experiment.damping_ratio, experiment.known.mass)
    }

    fn run(
        experiment: &Experiment<Self>,
        tuning: &Tuning,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Outcome, ControlError> {
        if let Some(why) = Self::refuses(&*tuning.law) {
            return Err(ControlError::LawDoesNotApply { law: tuning.law.name().to_owned(), why });
        }
        let Experiment { robot, known, pick, .. } = experiment;
        let parts = CarryParts::new(experiment.carry_task(tuning)?)?;
        let mut closed = parts.closed_loop()?;
        let stage = Stage {
            drawing: robot.drawing(),
            draw: &|sample: &Sample, tracks: &mut [Track]| robot.draw(sample, pick, tracks),
        };
        let mut outcome = experiment.record(tuning, &mut closed, stage, go_on)?;
        let off = outcome.recording.column("squeeze_error").unwrap_or(&[]);
        outcome.summary.squeeze = Some(Squeeze {
            reference: known.squeeze,
            error_max: off.iter().copied().fold(0.0, f64::max),
            error_rms: (off.iter().map(|x| x * x).sum::<f64>() / off.len().max(1) as f64).sqrt(),
        });
        Ok(outcome)
    }
}
