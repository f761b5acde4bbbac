//! Robots whose platform translates, with a fourth axis that turns the tool: a family around another one, which it asks for
//! all that it does not know itself.

mod explain;
pub(in crate::robot) mod file;
mod map;
mod regressor;
mod sensitivity;

use crate::array::map;
use crate::dynamics::{Dynamics, State as _};
use crate::limits::JointLimits;
use crate::linear::Linearized;
use crate::report::drawing::{Anchor, Drawing, Role, Shape, Track};
use crate::robot::closed_loop::{ControlError, LoopTask, SampledLoop, in_joints};
use crate::robot::explanation::Explanation;
use crate::robot::families::{known_as, without_drives};
use crate::robot::linear_model::{self, Coordinates, LinearTask, LinearizeError};
use crate::robot::map::{self as maps, MapError, MapOptions};
use crate::robot::own::padded;
use crate::robot::parameters::visited;
use crate::robot::regressor::Regressor;
use crate::robot::{
    Canvas, Change, ColumnGroup, Derivations, Description, DoesNotApply, Extensions, Family, FreeSwing,
    InvalidParameters, Joint, JointKind, JointMatrix, JointState, JointVector, Kind, Load, Model, ModelSpec, Number,
    ParameterTorque, Pick, ReachableSphere, Reason, State, StateError, Target, ToolMass, ToolState, ToolTurns,
    UsableRegion,
};
use crate::spatial::{Frame, Twist, Wrench};
use crate::symbolic::derive::Of;
use crate::turning::{Asked, FourthAxis, Turning, TurningState};
use crate::{Dual, Mat3, Scalar, Vec3, dynamics};
use std::any::Any;

/// A family of robots with three joints whose tool translates: what a fourth axis on it needs to know.
pub trait Translating: Family + Clone + Sized + 'static {
    /// What such a robot is with a fourth axis.
    const KIND: &'static Kind;

    /// Its formulas, for any number.
    type Formulas<S: Scalar + 'static>: Dynamics<S, 3> + 'static;

    /// The same in a state.
    type Here<'a>: dynamics::State<f64, 3>
    where
        Self: 'a;

    /// Its formulas on the solution of the kinematics that a state has.
    fn formulas<S: Scalar + 'static>(&self, state: &State) -> Self::Formulas<S>;

    /// Its formulas in a state of its own.
    fn here(&self, state: &State) -> Self::Here<'_>;

    /// Mass that it carries, kg.
    fn payload(&self) -> f64;

    /// Acceleration of gravity, base frame, m/s².
    fn gravity(&self) -> Vec3<f64>;

    /// Angles of its ball joints, rad.
    fn ball_angles(&self, state: &State) -> JointVector;

    /// From the platform centre up to the tool point, which is on the axis, m.
    fn tool_height(&self) -> f64 {
        0.0
    }
}

/// A robot with a fourth axis.
#[derive(Clone, Debug)]
pub struct TurningRobot<F> {
    /// The robot without it.
    pub robot: F,
    /// The axis.
    pub axis: FourthAxis<f64>,
    /// What the axis and its drive may do; its ball angle is that of the universal joints.
    pub limits: JointLimits,
    /// Least and largest length of the shaft, m.
    pub length: [f64; 2],
    /// The axis with its shaft measured from the tool point, which states give.
    from_tool: FourthAxis<f64>,
}

static MODELS: [ModelSpec; 1] = [ModelSpec::new("exact", "rigid-body dynamics without approximation, shaft included")];

/// Of the robot's own groups, those that say the same with an axis.
const GROUPS: [ColumnGroup; 2] =
    [ColumnGroup { name: "details", exact_only: false }, ColumnGroup { name: "tensions", exact_only: true }];

/// Of a length that is exactly at its limit.
const ROUNDING: f64 = 1e-12;

/// Below this cosine of their angle the universal joints turn nothing.
const SINGULAR: f64 = 1e-6;

fn first_three(all: &JointVector) -> JointVector {
    JointVector::from_fn(all.len().min(3), |i| all[i])
}

fn with(three: &JointVector, fourth: f64) -> JointVector {
    JointVector::from_fn(4, |i| if i < 3 { three.get(i).copied().unwrap_or(0.0) } else { fourth })
}

/// A tool that does not turn.
fn straight(tool: &ToolState) -> ToolState {
    ToolState::translating(tool.pose.origin, tool.velocity.linear, tool.acceleration.linear)
}

fn of_robot_joints(JointState { q, qd, qdd }: &JointState) -> JointState {
    JointState { q: first_three(q), qd: first_three(qd), qdd: first_three(qdd) }
}

fn of_robot_pick(pick: &Pick) -> Pick {
    Pick { near: pick.near.as_ref().map(first_three), ..*pick }
}

/// What the state of a robot with an axis is to the robot.
fn of_robot(state: &State) -> State {
    let State { given, pick, joints, tool, .. } = state;
    let (pick, joints, tool) = (of_robot_pick(pick), of_robot_joints(joints), straight(tool));
    State::new(*given, pick, joints, tool)
}

/// The state of a robot with its axis at c, ċ, c̈.
fn turned(state: &State, pick: &Pick, turn @ [c, cd, cdd]: [f64; 3]) -> State {
    let JointState { q, qd, qdd } = &state.joints;
    let joints = JointState { q: with(q, c), qd: with(qd, cd), qdd: with(qdd, cdd) };
    State::new(state.given, pick.clone(), joints, state.tool.turned(turn))
}

/// c, ċ and c̈ that a target asks for, which has to be about z.
fn turn_of(target: &Target) -> Result<[f64; 3], StateError> {
    let turn = match target {
        Target::Joints(joints) => {
            joints.check_count(4)?;
            map([&joints.q, &joints.qd, &joints.qdd], |all| padded::<4>(all)[3])
        }
        Target::Tool(tool) => tool.turning().ok_or_else(|| {
            let text = "a fourth axis turns the tool about z, and in no other direction";
            StateError::new(Reason::NotOffered, text).at(4)
        })?,
    };
    match turn.iter().zip(["c", "cd", "cdd"]).find(|(value, _)| !value.is_finite()) {
        Some((value, name)) => {
            Err(StateError::new(Reason::NotFinite, format!("{name} is {value}, not a finite number")).at(4))
        }
        None => Ok(turn),
    }
}

impl<F: Translating> TurningRobot<F> {
    /// A robot with an axis.
    pub fn new(robot: F, axis: FourthAxis<f64>, limits: JointLimits, length: [f64; 2]) -> Self {
        Self { from_tool: axis, robot, axis, limits, length }.seen_from_tool()
    }

    fn seen_from_tool(mut self) -> Self {
        self.from_tool = self.axis;
        if let Some(shaft) = &mut self.from_tool.shaft {
            shaft.platform_joint -= self.robot.tool_height();
        }
        self
    }

    fn title(&self) -> &'static str {
        F::KIND.title
    }

    /// The formulas in a state.
    fn here(&self, state: &State) -> TurningState<'_, F::Here<'_>, f64> {
        let robot = self.robot.here(&of_robot(state));
        let JointState { q, qd, .. } = &state.joints;
        TurningState::new(
            robot,
            &self.from_tool,
            self.robot.payload(),
            self.robot.gravity(),
            [padded::<4>(q)[3], padded::<4>(qd)[3]],
        )
    }

    /// The formulas for any number, on the solution of the kinematics that a state has.
    fn formulas<S: Scalar + 'static>(&self, state: &State) -> Turning<F::Formulas<S>, S> {
        Turning {
            robot: self.robot.formulas(&of_robot(state)),
            axis: self.from_tool.map(S::from_f64),
            payload: S::from_f64(self.robot.payload()),
            gravity: self.robot.gravity().map(S::from_f64),
        }
    }

    /// The state with an axis, if the shaft allows it.
    fn checked(&self, state: &State, pick: &Pick, turn: [f64; 3]) -> Result<State, StateError> {
        let pick = Pick { near: pick.near.clone(), ..state.pick.clone() };
        let state = turned(state, &pick, turn);
        let Some([length, cosine, _]) = self.here(&state).axis().shaft() else { return Ok(state) };
        let [least, most] = self.length;
        // At an end of the telescope rounding does not count.
        if !(least * (1.0 - ROUNDING)..=most * (1.0 + ROUNDING)).contains(&length) {
            let (reason, limit) = match length < least {
                true => (Reason::TooClose(least - length), least),
                false => (Reason::TooFar(length - most), most),
            };
            let more = if length < least { "at least" } else { "at most" };
            let text = format!("the shaft of the fourth axis would be {length:.4} m long, but it is {more} {limit} m");
            return Err(StateError::new(reason, text).at(4));
        }
        if cosine.is_nan() || cosine.abs() <= SINGULAR {
            let text = "the shaft of the fourth axis is horizontal here: its universal joints turn nothing";
            return Err(StateError::new(Reason::Singular(cosine.abs()), text).at(4));
        }
        Ok(state)
    }

    /// The lowest and the highest place above or below a place that the length of the shaft allows.
    fn heights(&self, place: Vec3<f64>) -> [f64; 2] {
        let Some(shaft) = self.from_tool.shaft else { return [f64::NEG_INFINITY, f64::INFINITY] };
        let b = shaft.base_joint;
        let beside = (place[0] - b[0]).hypot(place[1] - b[1]);
        let down = |length: f64| (length.max(0.0).powi(2) - beside.powi(2)).max(0.0).sqrt();
        let [near, far] = map(self.length, down);
        let level = b[2] - shaft.platform_joint;
        if place[2] > level { [level + near, level + far] } else { [level - far, level - near] }
    }

    /// The place nearest above or below to one with so much room that the shaft allows, and its room.
    fn within_length(&self, place: Vec3<f64>, room: f64) -> (Vec3<f64>, f64) {
        let Some(shaft) = self.from_tool.shaft else { return (place, room) };
        let [lowest, highest] = self.heights(place);
        let center = Vec3::new(place[0], place[1], place[2].clamp(lowest, highest.max(lowest)));
        let [least, most] = self.length;
        let r = center + Vec3::new(0.0, 0.0, shaft.platform_joint) - shaft.base_joint;
        let length = r.norm_squared().sqrt();
        // Nobody moves farther than the shaft gets longer or shorter.
        (center, room.min(length - least).min(most - length).max(0.0))
    }

    /// A changed robot with the same axis.
    fn with_robot(&self, robot: Result<Box<dyn Family>, InvalidParameters>) -> Result<Self, InvalidParameters> {
        let robot = robot?;
        match (&*robot as &dyn Any).downcast_ref::<F>() {
            Some(robot) => Ok(Self { robot: robot.clone(), ..self.clone() }.seen_from_tool()),
            None => Err(InvalidParameters(format!("a {} became another robot", self.title()))),
        }
    }

    fn bend(&self, state: &State) -> f64 {
        self.here(state).axis().shaft().map_or(0.0, |[_, cosine, _]| cosine.abs().min(1.0).acos())
    }
}

impl<F: Translating> TurningRobot<F> {
    /// The last is the angle by which both universal joints are bent.
    fn ball_angles(&self, state: &State) -> JointVector {
        with(&self.robot.ball_angles(&of_robot(state)), self.bend(state))
    }

    /// The robot, its shaft, and a hand on the tool that shows its angle.
    fn shapes(&self, base: &Frame<f64>, drawing: &mut Drawing) {
        self.robot.draw(base, Canvas::Shapes(drawing));
        let tool = drawing.tracks.len();
        drawing.tracks.push(Track::default());
        if let Some(shaft) = &self.axis.shaft {
            let top = Anchor::fixed(base.point(shaft.base_joint).0);
            let end = base.rotation * Vec3::new(0.0, 0.0, shaft.platform_joint);
            drawing.shapes.push(Shape::Line(Role::Rod, vec![top, Anchor::on(0, end.0)]));
        }
        drawing.shapes.push(Shape::Line(Role::Platform, vec![Anchor::on(0, [0.0; 3]), Anchor::on(tool, [0.0; 3])]));
    }

    fn start(&self, target: &Target) -> Result<State, StateError> {
        let turn = turn_of(target)?;
        let of_robot = match target {
            Target::Tool(tool) => Target::Tool(straight(tool)),
            Target::Joints(joints) => Target::Joints(of_robot_joints(joints)),
        };
        let robot: &dyn Family = &self.robot;
        let state = robot.start(&of_robot)?;
        self.checked(&state, &state.pick, turn)
    }

    /// As the robot without its axis, which does not turn at first.
    fn swing(&self, robot: FreeSwing) -> Result<FreeSwing, StateError> {
        let with_axis = |state: State| self.checked(&state, &state.pick, [0.0; 3]);
        Ok(FreeSwing { start: with_axis(robot.start)?, held: robot.held.map(with_axis).transpose()? })
    }
}

impl<F: Translating> Family for TurningRobot<F> {
    fn description(&self) -> Description {
        let robot = self.robot.description();
        let mut joints = robot.joints;
        joints.push(Joint {
            kind: JointKind::Revolute,
            limits: self.limits,
            friction: self.axis.motor.friction,
            rotor_inertia: self.axis.reflected_rotor_inertia(),
            coupling: None,
        });
        let Kind { tool_offset, same_motors, .. } = robot.kind;
        Description {
            gravity: robot.gravity,
            payload: robot.payload,
            choices: robot.choices,
            is_lossless: robot.is_lossless && self.axis.motor.friction.is_none(),
            solutions: robot.solutions,
            // An interface asks for the torques, which are refused by name.
            derivations: Derivations { all: Vec::new(), interface: &[Of::Torque] },
            column_groups: &GROUPS,
            ..Description::new(
                Kind { tool_turns: ToolTurns::AboutZ, tool_offset, same_motors, ..*F::KIND },
                joints,
                &MODELS,
            )
        }
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        if let Change::Numbers(_) | Change::Tool(_) | Change::Springs(_) = change {
            return Err(change.not_offered(self.title()));
        }
        if let Change::ZeroOffsets(by) = change
            && by(3) != 0.0
        {
            return Err(change.not_offered("fourth axis"));
        }
        let mut changed = self.with_robot(self.robot.changed(change))?;
        match change {
            Change::Friction(friction) => changed.axis.motor.friction = friction(3),
            Change::NoRotors => changed.axis.motor.rotor_inertia = 0.0,
            _ => {}
        }
        changed.axis.check().map_err(|error| InvalidParameters(error.to_string()))?;
        Ok(Box::new(changed.seen_from_tool()))
    }

    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        /// Length of the hand, m: for drawing only.
        const HAND: f64 = 0.06;
        match canvas {
            Canvas::Shapes(drawing) => self.shapes(base, drawing),
            Canvas::Sample(state, tracks) => {
                let Some((hand, others)) = tracks.split_last_mut() else { return };
                self.robot.draw(base, Canvas::Sample(&of_robot(state), others));
                hand.position.push(base.point(state.tool.pose.point(Vec3::new(HAND, 0.0, 0.0))).0);
            }
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        let robot = self.robot.extensions();
        Extensions {
            start: Some(Box::new(|target| self.start(target))),
            free_swing: robot.free_swing.map(|swing| -> SwingOf<'_> { Box::new(move || self.swing(swing()?)) }),
            // With a shaft it is not known.
            usable_region: robot
                .usable_region
                .filter(|_| self.axis.shaft.is_none())
                .map(|region| -> RegionOf<'_> { Box::new(move |pick, margin| region(&of_robot_pick(pick), margin)) }),
            ..Extensions::default()
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = self.robot.numbers();
        numbers.extend(visited(|visit| { self.axis }.visit(visit), |_| [0.0; 3]));
        numbers
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        let turn = turn_of(&Target::Joints(joints.clone()))?;
        let state = self.robot.at_joints(&of_robot_joints(joints), &of_robot_pick(pick))?;
        self.checked(&state, pick, turn)
    }

    fn at_tool(&self, tool: &ToolState, pick: &Pick) -> Result<State, StateError> {
        let turn = turn_of(&Target::Tool(*tool))?;
        let state = self.robot.at_tool(&straight(tool), &of_robot_pick(pick))?;
        self.checked(&state, pick, turn)
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let state = (self as &dyn Family).at(target, pick)?;
        let here = self.here(&state);
        Ok(Load {
            torque: here.torque(padded(&state.joints.qdd), Wrench::zero()).into(),
            friction: dynamics::State::friction(&here).into(),
            ball_angles: Some(self.ball_angles(&state)),
            joints: state.joints,
        })
    }

    fn reachable_sphere(&self, orientation: &Mat3<f64>, pick: &Pick) -> Result<ReachableSphere, StateError> {
        let mut still = ToolState::translating(Vec3::zero(), Vec3::zero(), Vec3::zero());
        still.pose.rotation = *orientation;
        turn_of(&Target::Tool(still))?;
        let room = self.robot.reachable_sphere(&Mat3::diagonal(1.0), &of_robot_pick(pick))?;
        let [least, most] = self.heights(room.center);
        let heights = room.heights.map(|[lowest, highest]| [lowest.max(least), highest.min(most)]);
        let (center, radius) = self.within_length(room.center, room.radius);
        Ok(ReachableSphere { center, radius, heights, pick: Pick { near: pick.near.clone(), ..room.pick } })
    }

    fn home(&self) -> Result<State, StateError> {
        let home = self.robot.home()?;
        let (center, _) = self.within_length(home.tool.pose.origin, 0.0);
        self.at_tool(&ToolState::translating(center, Vec3::zero(), Vec3::zero()), &Pick::default())
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        match MODELS[0].is_called(name) {
            true => Ok(Box::new(TurningModel { robot: self.clone(), below: self.robot.build_model("exact")? })),
            false => Err(DoesNotApply::unknown(name, self.title(), &MODELS)),
        }
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        known.build_model(task.model)?;
        let first = task.first_state()?;
        let plant = if task.settings.drive.backlash.is_some() { without_drives(self) } else { self.clone() };
        in_joints(self, plant.formulas::<f64>(&first), known.formulas::<f64>(&first), task)
    }

    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        if task.coordinates != Coordinates::Joint {
            let text = format!("a {} has a linear model in joint coordinates only", self.title());
            return Err(StateError::new(Reason::NotOffered, text).into());
        }
        linear_model::in_joints(&self.formulas::<Dual<f64, 4>>(task.state), &self.description().joints, task)
    }

    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        Ok(Box::new(sensitivity::TurningTorque::new(self, states, per_part)?))
    }

    fn regressor(&self) -> Result<Regressor, StateError> {
        self.matrix()
    }

    fn field(&self, kind: maps::Kind, options: &MapOptions) -> Result<maps::Field<'_>, MapError> {
        self.map(kind, options)
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        Some(self.robot.to_toml(name, source)? + &file::write(self))
    }
}

type SwingOf<'r> = Box<dyn Fn() -> Result<FreeSwing, StateError> + 'r>;
type RegionOf<'r> = Box<dyn Fn(&Pick, f64) -> Result<UsableRegion, StateError> + 'r>;

/// The exact model of a robot with a fourth axis.
#[derive(Debug)]
struct TurningModel<F> {
    robot: TurningRobot<F>,
    /// That of the robot without its axis.
    below: Box<dyn Model>,
}

impl<F: Translating> Model for TurningModel<F> {
    fn torque(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        self.robot.here(state).torque(padded(&state.joints.qdd), wrench).into()
    }

    fn friction(&self, state: &State) -> JointVector {
        dynamics::State::friction(&self.robot.here(state)).into()
    }

    fn accelerated(&self, state: &State, torque: &JointVector, wrench: Wrench<f64>) -> Result<State, StateError> {
        let here = self.robot.here(state);
        let qdd = here.acceleration(padded(torque), wrench);
        let Twist { linear, angular } = here.tool_acceleration(qdd);
        let mut state = state.clone();
        state.joints.qdd = qdd.into();
        state.tool.acceleration = Twist { linear, angular };
        Ok(state)
    }

    fn gravity_torque(&self, state: &State) -> JointVector {
        dynamics::State::gravity(&self.robot.here(state)).into()
    }

    fn mass_matrix(&self, state: &State) -> JointMatrix {
        JointMatrix::new(&self.robot.here(state).mass_matrix())
    }

    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        self.robot.here(state).torque_of_wrench(wrench).into()
    }

    fn ball_angles(&self, state: &State) -> Option<JointVector> {
        Some(self.robot.ball_angles(state))
    }

    fn columns(&self, group: &str, state: &State, wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let here = self.robot.here(state);
        // What the robot's own parts feel: the environment, and the axis.
        let asked = here.axis().asked(
            state.tool.acceleration.linear,
            padded::<4>(&state.joints.qdd)[3],
            self.robot.robot.gravity(),
        );
        let mut columns = self.below.columns(group, &of_robot(state), Wrench::force(wrench.force - asked.force));
        if group == "details"
            && let Some([length, _, spin]) = here.axis().shaft()
        {
            let own = [("ball4", self.robot.bend(state)), ("shaft_length", length), ("shaft_spin", spin)];
            columns.extend(own.map(|(name, value)| (name.to_owned(), value)));
        }
        columns
    }

    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Option<Explanation> {
        self.robot.explanation(&*self.below, state, wrench)
    }

    fn tool_mass(&self, state: &State) -> Option<ToolMass> {
        let own = self.below.tool_mass(&of_robot(state))?;
        let here = self.robot.here(state);
        let four = |asked: Asked<f64>| [asked.force[0], asked.force[1], asked.force[2], asked.torque];
        let mut mass = map([0, 1, 2, 3], |k| {
            let unit = |i: usize| f64::from(u8::from(i == k));
            four(here.axis().mass_times(Vec3::from_fn(unit), unit(3)))
        });
        let mut gravity = four(here.axis().holding(self.robot.robot.gravity()));
        for k in 0..3 {
            (0..3).for_each(|l| mass[k][l] += own.mass[k][l]);
            gravity[k] += own.gravity[k];
        }
        Some(ToolMass { mass: JointMatrix::new(&mass), gravity: gravity.into() })
    }
}
