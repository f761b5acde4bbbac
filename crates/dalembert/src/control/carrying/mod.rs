//! Two Deltas that carry one object, in closed loop: the law is [`carry_together`](super::carry_together), and what moves is
//! a mechanism of both robots and the object, which shares no formula with the law.
//!
//! Platforms do not turn, and what both hold firmly does not either: the object moves along x, y and z. Six motors move
//! three freedoms, so the force between the two is free. Of the forces f₁, f₂ of the platforms on the object it is
//!
//! ```text
//! s = f₁ − σ(f₁ + f₂)                                                                                        (1)
//! ```
//!
//! with σ the first robot's share; s is what the law is asked for as [`Pair::squeeze`]. The grips do not slip, so any squeeze
//! holds the object, also none.

mod pair_loop;

pub use pair_loop::{CarryLoop, CarryParts};

use super::collector::Stage;
use super::delta_subject::{drawn_at, platform_columns, strains};
use super::experiment::{Experiment, Subject};
use super::outcome::{Outcome, Squeeze};
use super::wish::reference;
use super::{ControlError, Impedance, Law, Sample, Tuning};
use crate::Vec3;
use crate::analyze::Reach;
use crate::delta::{Branch, KinematicsError, Limits, ModelName};
use crate::describe::Robot;
use crate::friction::Friction;
use crate::motion::{
    BoxedMotion, DeltaMachine, Impossible, LawName, Motion, MotionOrder, OrderError, Pace, Passed, PlatformState,
    Quantity, State, named,
};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::Family;
use crate::spatial::Frame;

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

    /// Its base.
    pub(crate) fn frame(&self) -> Frame<f64> {
        Frame { origin: self.base, ..Frame::identity() }
    }

    /// What a state of the object asks of the platform, in the robot's own frame.
    fn held(&self, object: PlatformState) -> PlatformState {
        State { position: object.position + self.offset(), ..object }
    }
}

/// Two Deltas that hold one object: what an [`Experiment`] moves in the object's coordinates.
///
/// As [`Experiment::known`] it is what the controller believes: other robots, another mass; its share and squeeze are what
/// the law is asked for. Joints 1 to 3 are those of the first robot, 4 to 6 those of the second.
///
/// ```
/// use dalembert::control::{Experiment, Law, Pair};
/// use dalembert::motion::Rest;
/// use dalembert::{Vec3, robots};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = robots::d3_1200()?;
/// let side = |x: f64| (robot.clone(), Vec3::new(x, 0.0, 0.0), Vec3::new(0.6 * x, 0.0, 0.0)); // robot, its base, its grip
/// let mut pair = Pair::new([side(-0.7), side(0.7)], 1.5);
/// pair.squeeze = Vec3::new(15.0, 0.0, 0.0);
/// let rest = Rest { position: Vec3::new(0.0, 0.0, -0.85), duration: 0.1 };
/// let both = Experiment::new(pair, "rest", std::sync::Arc::new(rest));
/// let run = both.run(&both.tuning(Law::Cartesian), &mut |_| true)?;
/// assert!(run.ended.is_ok() && run.summary.error_max < 1e-4);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Pair {
    /// How the two are called.
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
        let [one, other] = self.carriers.each_ref().map(|c| Reach::of(&c.robot.delta).center - c.offset());
        (one + other) * 0.5
    }

    fn check(&self) -> Result<(), ControlError> {
        let finite = |v: Vec3<f64>| v.0.iter().all(|x| x.is_finite());
        let [one, other] = &self.carriers;
        for (what, value, good, must) in [
            ("mass of the object", self.mass, self.mass > 0.0 && self.mass.is_finite(), "positive and finite"),
            ("share", self.share, (0.0..=1.0).contains(&self.share), "0 to 1"),
            ("squeeze", self.squeeze.norm_squared().sqrt(), finite(self.squeeze), "finite"),
        ] {
            if !good {
                return Err(ControlError::Setting { what, value, must });
            }
        }
        if one.base == other.base && one.grip == other.grip {
            return Err(ControlError::SamePlace);
        }
        Ok(())
    }

    /// The first place of a motion that a robot does not reach: which robot (from 1), when, why.
    fn out_of_reach(
        &self,
        motion: &dyn Motion<Point = Vec3<f64>>,
        branch: Branch,
    ) -> Option<(usize, f64, KinematicsError)> {
        (0..=PLACES).find_map(|k| {
            let time = motion.duration() * k as f64 / PLACES as f64;
            let object = motion.at(time);
            self.carriers.iter().enumerate().find_map(|(i, carrier)| {
                let cause = reference(&carrier.robot.delta, branch, carrier.held(object)).err()?;
                Some((i + 1, time, cause))
            })
        })
    }

    /// Both robots and the object, without samples yet.
    fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::default();
        for carrier in &self.carriers {
            drawing.append(carrier.robot.drawing(&carrier.frame()));
        }
        // Platform and elbows of both come first.
        let (object, [one, other]) = (drawing.tracks.len(), [0, 4].map(|track| Anchor::on(track, [0.0; 3])));
        drawing.tracks.push(Track::default());
        let middle = Anchor::on(object, [0.0; 3]);
        drawing.shapes.push(Shape::Line(Role::Body, vec![one, middle, other]));
        drawing.shapes.push(Shape::Sphere(Role::Body, middle, BALL));
        drawing.shapes.push(Shape::Trace(object));
        drawing
    }
}

impl Subject for Pair {
    type Model = ModelName;
    type Point = Vec3<f64>;
    const CONTROLLED: &'static str = "object";
    const STROKE: f64 = 0.3;

    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> Vec<Limits> {
        self.carriers.iter().flat_map(|carrier| carrier.robot.limits).collect()
    }

    fn slides(&self) -> Vec<bool> {
        vec![false; 6]
    }

    /// The object.
    fn payload(&self) -> f64 {
        self.mass
    }

    fn friction(&self) -> Vec<Option<Friction<f64>>> {
        self.carriers.iter().flat_map(|carrier| carrier.robot.friction()).collect()
    }

    fn is_built_like(&self, other: &Self) -> bool {
        self.carriers.iter().zip(&other.carriers).all(|(own, other)| {
            own.robot.is_built_like(&other.robot) && (own.base, own.grip) == (other.base, other.grip)
        })
    }

    fn home(&self) -> Vec3<f64> {
        self.center()
    }

    /// In the time that is ordered: the shortest one, and the laws that need it, are found for one robot only.
    fn plan(experiment: &Experiment<Self>, order: &MotionOrder) -> Result<BoxedMotion<Vec3<f64>>, OrderError> {
        let Experiment { robot, known, branch, .. } = experiment;
        for (what, given) in [
            ("a shortest time", matches!(order.pace(1, 0.0), Ok(Pace::Shortest))),
            ("the profile time-optimal", order.law == LawName::TimeOptimal),
            ("the profile gentlest", order.law == LawName::Gentlest),
        ] {
            if given {
                return Err(OrderError::NotOfPair { what });
            }
        }
        let machine = DeltaMachine {
            delta: known.carriers[0].robot.delta,
            limits: robot.carriers[0].robot.limits,
            branch: *branch,
        };
        let mut order = order.clone();
        if named::has_place(&order.path)[0] {
            order.center = order.center.or(Some(known.center()));
        }
        let motion = order.timed(&machine, Experiment::<Self>::SHARE)?.motion;
        for pair in [known, robot] {
            if let Some((carrier, time, cause)) = pair.out_of_reach(&motion, *branch) {
                return Err(OrderError::GripOutOfReach { carrier, time, cause });
            }
        }
        Ok(motion)
    }

    fn columns(&self) -> [Vec<String>; 3] {
        platform_columns()
    }

    fn point(numbers: &[f64]) -> Vec3<f64> {
        Vec3::from_fn(|i| numbers[i])
    }

    fn strains(experiment: &Experiment<Self>, state: &PlatformState) -> Result<Vec<Passed>, Impossible> {
        let Experiment { robot, known, branch, .. } = experiment;
        let mut all = Vec::new();
        for i in 0..2 {
            let (known, limits) = (&known.carriers[i], robot.carriers[i].robot.limits);
            let machine = DeltaMachine { delta: known.robot.delta, limits, branch: *branch };
            let passed = strains(&machine, &known.held(*state))?;
            all.extend(passed.into_iter().map(|passed| Passed { joint: passed.joint + 3 * i, ..passed }));
        }
        // What the object weighs is neither's alone.
        all.retain(|passed| passed.quantity != Quantity::Torque);
        Ok(all)
    }

    fn refuses(law: Law) -> Option<&'static str> {
        (law != Law::Cartesian).then_some("two robots on one object are steered together, by the error of the object")
    }

    fn model_name(model: ModelName) -> &'static str {
        model.as_str()
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
        let parts = CarryParts::new(experiment)?;
        let closed = parts.closed_loop(experiment, tuning)?;
        let Experiment { robot, branch, .. } = experiment;
        let stage = Stage {
            drawing: robot.drawing(),
            places: &|sample: &Sample<6>, tracks: &mut [Track]| {
                let Some((object, own)) = tracks.split_last_mut() else { return };
                for (carrier, own) in robot.carriers.iter().zip(own.chunks_mut(4)) {
                    let held = drawn_at(sample.point[0] + carrier.grip - carrier.base, *branch);
                    carrier.robot.draw(&held, &carrier.frame(), own);
                }
                object.position.push(sample.point[0].0);
            },
        };
        let mut outcome = experiment.record(tuning, closed, stage, go_on)?;
        let off = outcome.recording.column("squeeze_error").unwrap_or(&[]);
        outcome.summary.squeeze = Some(Squeeze {
            wanted: experiment.known.squeeze,
            error_max: off.iter().copied().fold(0.0, f64::max),
            error_rms: (off.iter().map(|x| x * x).sum::<f64>() / off.len().max(1) as f64).sqrt(),
        });
        Ok(outcome)
    }
}
