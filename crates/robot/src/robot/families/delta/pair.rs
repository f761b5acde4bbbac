//! Two Deltas that carry one object, as one robot: six motors, and the object for a tool.

use super::KIND;
use super::carrying::CarryLoop;
use crate::parameter::{Field, Must, Place, Tolerance, Unit};
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::closed_loop::{ControlError, Controller, LoopTask, SampledLoop};
use crate::robot::families::known_as;
use crate::robot::{
    Canvas, Change, Description, DoesNotApply, Family, Form, InvalidParameters, Joint, JointState, JointVector, Kind,
    Load, Model, Number, Pick, ReachableSphere, Reason, Robot, State, StateError, Target, ToolState,
};
use crate::spatial::{Frame, Wrench};
use crate::{Mat3, Vec3};
use dalembert_core::control::Law;

/// Radius of the ball that stands for the object in drawings, m.
const BALL: f64 = 0.03;

/// How far the places of the object may be apart that the joints of the two robots say, m.
const SAME_PLACE: f64 = 1e-6;

static BASE: Field = Field::new("base", "", "where the base stands", Unit::Length, Must::Finite, Tolerance::None);
static GRIP: Field =
    Field::new("grip", "", "from the object to the tool point", Unit::Length, Must::Finite, Tolerance::None);

/// A Delta that helps to carry.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// The robot.
    pub robot: Robot,
    /// Where its base stands, m.
    pub base: Vec3<f64>,
    /// From the object to its tool point, m.
    pub grip: Vec3<f64>,
}

impl Carrier {
    /// From the object to the tool point, in the robot's own frame, m.
    pub fn offset(&self) -> Vec3<f64> {
        self.grip - self.base
    }

    /// What a state of the object asks of the tool point, in the robot's own frame.
    fn held(&self, object: &ToolState) -> ToolState {
        let mut held = *object;
        held.pose.origin = held.pose.origin + self.offset();
        held
    }
}

/// Two Deltas that hold one object, which is their tool. Joints 1 to 3 are those of the first robot, 4 to 6 those of the
/// second.
///
/// As the robot that a controller knows it is what the controller believes: other robots, another mass; its share and squeeze
/// are what the law is asked for.
///
/// ```
/// use dalembert::control::{Experiment, Law, Pair};
/// use dalembert::motion::{Dwell, RobotMotion};
/// use dalembert::Vec3;
/// use dalembert::robot::Robot;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = Robot::find("d3-1200")?;
/// let side = |x: f64| (robot.clone(), Vec3::new(x, 0.0, 0.0), Vec3::new(0.6 * x, 0.0, 0.0)); // robot, its base, its grip
/// let mut pair = Pair::new([side(-0.7), side(0.7)], 1.5);
/// pair.squeeze = Vec3::new(15.0, 0.0, 0.0);
/// let rest = Dwell { position: Vec3::new(0.0, 0.0, -0.85), duration: 0.1 };
/// let both = Experiment::new(Robot::from(pair), "rest", RobotMotion::translating(rest));
/// let run = both.run(&both.tuning(Law::Cartesian), &mut |_| true)?;
/// assert!(run.ended.is_ok() && run.summary.error_max < 1e-4);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Pair {
    /// The robots.
    pub carriers: [Carrier; 2],
    /// Of the object, kg.
    pub mass: f64,
    /// σ of the first robot, 0…1.
    pub share: f64,
    /// The force of the first platform on the object beyond its share, N.
    pub squeeze: Vec3<f64>,
}

impl From<Pair> for Robot {
    fn from(pair: Pair) -> Self {
        let [one, other] = &pair.carriers;
        Self::new(format!("{} and {}", one.robot.name, other.robot.name), pair)
    }
}

/// The numbers of both robots, one after the other.
fn joined([one, other]: [&JointVector; 2]) -> JointVector {
    JointVector::new(&[&one[..], &other[..]].concat())
}

fn joined_states([one, other]: [&JointState; 2]) -> JointState {
    JointState { q: joined([&one.q, &other.q]), qd: joined([&one.qd, &other.qd]), qdd: joined([&one.qdd, &other.qdd]) }
}

impl Pair {
    /// Robots with their bases and grips, and the mass of an object, of which both carry half without pressing it.
    pub fn new(carriers: [(Robot, Vec3<f64>, Vec3<f64>); 2], mass: f64) -> Self {
        let carriers = carriers.map(|(robot, base, grip)| Carrier { robot, base, grip });
        Self { carriers, mass, share: 0.5, squeeze: Vec3::zero() }
    }

    /// The pair that a robot is, if it is one.
    pub fn of(robot: &Robot) -> Option<&Self> {
        robot.of_type()
    }

    /// Where the object is in the middle of what the two reach: between the places that each would choose.
    pub fn center(&self) -> Vec3<f64> {
        let [one, other] = self.carriers.each_ref().map(|carrier| {
            let center = carrier.robot.workspace().map_or(Vec3::zero(), |workspace| workspace.center);
            center - carrier.offset()
        });
        (one + other) * 0.5
    }

    /// What each robot makes of its part of a state of the object.
    fn each<T>(
        &self,
        object: &ToolState,
        part: impl Fn(usize, &Robot, &ToolState) -> Result<T, StateError>,
    ) -> Result<[T; 2], StateError> {
        let [one, other] = [0, 1].map(|i| {
            let carrier = &self.carriers[i];
            part(i, &carrier.robot, &carrier.held(object)).map_err(|cause| {
                let Vec3([x, y, z]) = object.pose.origin;
                let text = format!("carrier {} cannot reach its grip at ({x:.3}, {y:.3}, {z:.3}) m: {cause}", i + 1);
                StateError::new(cause.reason, text).at(i + 1).hint("another base, grip, center or width")
            })
        });
        Ok([one?, other?])
    }

    /// Forces of the platforms on an object that moves so, N.
    fn forces(&self, object: &ToolState) -> [Vec3<f64>; 2] {
        let whole = (object.acceleration.linear - self.gravity()) * self.mass;
        [whole * self.share + self.squeeze, whole * (1.0 - self.share) - self.squeeze]
    }
}

impl Pair {
    /// The pick of one of the two robots.
    fn pick_of(&self, robot: usize, pick: &Pick) -> Pick {
        let own = self.carriers[0].robot.joints().len();
        let part = |near: &JointVector| {
            let (one, other) = near.split_at(own.min(near.len()));
            JointVector::new(if robot == 0 { one } else { other })
        };
        Pick { near: pick.near.as_ref().map(part), ..pick.clone() }
    }

    fn joints(&self) -> Vec<Joint> {
        self.carriers.iter().flat_map(|carrier| carrier.robot.joints()).collect()
    }

    fn gravity(&self) -> Vec3<f64> {
        self.carriers[0].robot.gravity()
    }

    /// Both robots and the object; the platform of each is the first of its tracks.
    fn shapes(&self, base: &Frame<f64>) -> Drawing {
        let mut drawing = Drawing::default();
        let platforms = self.carriers.each_ref().map(|carrier| {
            let platform = Anchor::on(drawing.tracks.len(), [0.0; 3]);
            drawing.append(carrier.robot.drawing(&base.then(&Frame::at(carrier.base))));
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

    /// Half of the tracks are the first robot's, the last one is the object's.
    fn sample(&self, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
        let Some((object, robots)) = tracks.split_last_mut() else { return };
        object.position.push(base.point(state.tool.pose.origin).0);
        let halves = robots.split_at_mut(robots.len() / 2);
        for (carrier, tracks) in self.carriers.iter().zip([halves.0, halves.1]) {
            let held = State { tool: carrier.held(&state.tool), ..state.clone() };
            carrier.robot.draw(&held, &base.then(&Frame::at(carrier.base)), tracks);
        }
    }
}

fn refuses(law: &dyn Controller) -> Option<&'static str> {
    (law.built_in() != Some(Law::Cartesian))
        .then_some("two robots on one object are steered together, by the error of the object")
}

impl Family for Pair {
    fn description(&self) -> Description {
        let kind = Kind {
            name: "pair",
            title: "pair of Delta robots",
            part: "robot",
            moved: "object",
            both_forms: false,
            usual_law: Law::Cartesian,
            has_shortest_times: false,
            same_motors: 6,
            ..KIND
        };
        Description {
            gravity: self.gravity(),
            payload: self.mass,
            refuses,
            ..Description::new(kind, self.joints(), self.carriers[0].robot.models())
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        let (mut changed, mut first) = (self.clone(), 0);
        match *change {
            Change::Payload(mass) if mass >= 0.0 && mass.is_finite() => changed.mass = mass,
            Change::Payload(mass) => {
                let text = format!("the object would weigh {mass} kg, but has to weigh zero or more");
                return Err(InvalidParameters(text));
            }
            Change::Friction(friction) => {
                for Carrier { robot, .. } in &mut changed.carriers {
                    *robot = robot.with_frictions(&|joint| friction(first + joint))?;
                    first += robot.joints().len();
                }
            }
            _ => return Err(change.not_offered("pair of Delta robots")),
        }
        Ok(Box::new(changed))
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(drawing) => *drawing = self.shapes(base),
            Canvas::Sample(state, tracks) => self.sample(state, base, tracks),
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let mut all = Vec::new();
        for (part, carrier) in self.carriers.iter().enumerate() {
            all.extend(carrier.robot.numbers());
            for (field, vector) in [(&BASE, carrier.base), (&GRIP, carrier.grip)] {
                all.extend(vector.0.map(|value| Number { field, place: Place::part(part), value }));
            }
        }
        all
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        let own = self.carriers[0].robot.joints().len();
        joints.check_count(self.joints().len())?;
        let [one, other] = [0, 1].map(|i| {
            let of = |all: &JointVector| JointVector::new(if i == 0 { &all[..own] } else { &all[own..] });
            let part = JointState { q: of(&joints.q), qd: of(&joints.qd), qdd: of(&joints.qdd) };
            let Carrier { robot, .. } = &self.carriers[i];
            let mut tool = robot.at_joints(&part, &self.pick_of(i, pick))?.tool;
            tool.pose.origin = tool.pose.origin - self.carriers[i].offset();
            Ok::<_, StateError>(tool)
        });
        let (tool, other) = (one?, other?);
        let apart = (tool.pose.origin - other.pose.origin).norm_squared().sqrt();
        if apart > SAME_PLACE {
            let text = format!("the two robots do not hold one object: their grips are {apart:.3e} m apart");
            return Err(StateError::new(Reason::NoPose, text));
        }
        Ok(State::new(Form::Joints, pick.clone(), joints.clone(), tool))
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let states = self.each(tool, |i, robot, held| robot.at_tool(held, &self.pick_of(i, pick)))?;
        let joints = joined_states(states.each_ref().map(|state| &state.joints));
        Ok(State::new(Form::Tool, pick.clone(), joints, *tool))
    }

    /// Each robot with its share of the object, and what it presses with.
    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let object = match target {
            Target::Tool(tool) => *tool,
            Target::Joints(joints) => self.at_joints(joints, pick)?.tool,
        };
        let forces = self.forces(&object);
        let loads = self.each(&object, |i, robot, held| {
            let pick = &self.pick_of(i, pick);
            let mut load = robot.joint_load(&Target::Tool(*held), pick)?;
            let carried = robot.torque_of_wrench(&robot.at_tool(held, pick)?, Wrench::force(forces[i]))?;
            load.torque.iter_mut().zip(&carried[..]).for_each(|(torque, carried)| *torque += carried);
            Ok(load)
        })?;
        let [one, other] = &loads;
        Ok(Load {
            joints: joined_states([&one.joints, &other.joints]),
            torque: joined([&one.torque, &other.torque]),
            friction: joined([&one.friction, &other.friction]),
            ball_angles: one.ball_angles.as_ref().zip(other.ball_angles.as_ref()).map(|(a, b)| joined([a, b])),
        })
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let [one, other] = self.carriers.each_ref().map(|carrier| carrier.robot.reachable_sphere(orientation, pick));
        Ok(ReachableSphere {
            center: self.center(),
            radius: one?.radius.min(other?.radius),
            heights: None,
            pick: pick.clone(),
        })
    }

    fn home(&self) -> Result<State, StateError> {
        self.at_tool(&ToolState::translating(self.center(), Vec3::zero(), Vec3::zero()), &Pick::default())
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        let message = String::from("two robots on one object have a model each, and none together");
        Err(DoesNotApply { model: name.to_owned(), message, hint: None })
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        if let Some(why) = refuses(task.law) {
            return Err(ControlError::LawDoesNotApply { law: task.law.name().to_owned(), why });
        }
        Ok(Box::new(CarryLoop::new(self, known_as(self, task.known)?, task)?))
    }
}
