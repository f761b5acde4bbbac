//! A robot family of one's own: a planar five-bar, from its formulas (`five_bar.rs`) to torques in a table, a swing, a closed
//! loop with a report, and a linear model. Everything here uses the public interface of the library only.
//!
//! `cargo run --release --example own_family` writes `five-bar.html`.

mod five_bar;

use dalembert::control::{Experiment, Law};
use dalembert::limits::JointLimits;
use dalembert::linear::Linearized;
use dalembert::motion::{MotionOrder, RobotMotion};
use dalembert::report::drawing::{Anchor, Role, Shape, Track};
use dalembert::report::table::Reader;
use dalembert::robot::closed_loop::{self, ControlError, LoopTask, SampledLoop};
use dalembert::robot::linear_model::{self, Coordinates, LinearTask, LinearizeError, Output};
use dalembert::robot::own::{OfDynamics, state_at_joints};
use dalembert::robot::rows::{Evaluation, Source, Task};
use dalembert::robot::{
    Canvas, Change, Description, DoesNotApply, Family, InvalidParameters, Joint, JointKind, JointState, Kind, Model,
    ModelSpec, Pick, Robot, State, StateError,
};
use dalembert::spatial::{Frame, Wrench};
use dalembert::{Dual, Vec3};
use five_bar::FiveBar;
use std::any::Any;
use std::error::Error;

const MODELS: [ModelSpec; 1] =
    [ModelSpec { name: "exact", aliases: &[], summary: "rigid-body dynamics without approximation" }];

/// The page of glue between the formulas and everything that asks a robot.
impl Family for FiveBar<f64> {
    fn description(&self) -> Description {
        let limits = JointLimits { max_torque: 20.0, max_speed: 30.0, ..JointLimits::NONE };
        let joint = Joint { kind: JointKind::Revolute, limits, friction: None, rotor_inertia: 0.0, coupling: None };
        let mut own = Description::new(Kind::of_joints("five-bar", "planar five-bar"), vec![joint; 2], &MODELS);
        (own.gravity, own.is_lossless) = (Vec3::new(0.0, 0.0, -five_bar::GRAVITY), self.viscous == 0.0);
        own
    }

    fn changed(&self, change: &Change<'_>) -> Result<Box<dyn Family>, InvalidParameters> {
        match change {
            Change::Payload(mass) => Ok(Box::new(Self { tool_mass: self.tool_mass + mass, ..*self })),
            _ => Err(change.not_offered("planar five-bar")),
        }
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        state_at_joints(self, joints, pick)
    }

    /// Elbows out, the tool above.
    fn home(&self) -> Result<State, StateError> {
        self.at_joints(&JointState::at_rest([2.2, std::f64::consts::PI - 2.2]), &Pick::default())
    }

    fn build_model(&self, _name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        Ok(Box::new(OfDynamics(*self)))
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known = (task.known as &dyn Any).downcast_ref::<Self>().unwrap_or(self);
        closed_loop::in_joints(self, *self, *known, task)
    }

    fn linearize(&self, task: &LinearTask<'_>) -> Result<Linearized, LinearizeError> {
        let lifted: FiveBar<Dual<f64, 2>> = self.lift();
        linear_model::in_joints(&lifted, &self.description().joints, task)
    }

    /// Base, driven links and rods; the tracks are the two elbows and the tool.
    fn draw(&self, base: &Frame<f64>, canvas: Canvas<'_>) {
        match canvas {
            Canvas::Shapes(drawing) => {
                let motor = |x: f64| Anchor::fixed(base.point(Vec3::new(x, 0.0, 0.0)).0);
                let (left, right) = (motor(-self.half_base), motor(self.half_base));
                let on = |track: usize| Anchor::on(track, [0.0; 3]);
                drawing.tracks = vec![Track::default(); 3];
                drawing.shapes = vec![
                    Shape::Line(Role::Base, vec![left, right]),
                    Shape::Line(Role::Arm, vec![left, on(0)]),
                    Shape::Line(Role::Arm, vec![right, on(1)]),
                    Shape::Line(Role::Rod, vec![on(0), on(2), on(1)]),
                    Shape::Trace(2),
                ];
            }
            Canvas::Sample(state, tracks) => {
                let elbows = self.elbows([state.joints.q[0], state.joints.q[1]]);
                for (track, point) in tracks.iter_mut().zip(elbows.into_iter().chain([state.tool.pose.origin])) {
                    track.position.push(base.point(point).0);
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let formulas = FiveBar {
        half_base: 0.1,
        link: 0.25,
        rod: 0.35,
        inertia: 0.01,
        moment: 0.02,
        rod_mass: 0.2,
        tool_mass: 0.5,
        viscous: 0.05,
    };
    let robot = Robot::new("my five-bar", formulas);

    // Torques of a table, as the verb `torque` computes them.
    let table = "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,2.2,0.9,0,0,0,0\n0.1,2.1,0.8,-2,1,30,-20\n";
    let mut reader = Reader::new(table.as_bytes())?;
    let torque = Evaluation::new(Task::Torque).bind(&robot, reader.header())?;
    println!("{}", torque.columns().join(","));
    while let Some(row) = reader.next_row()? {
        let output = torque.evaluate(&row)?;
        let text = |source: &Source| match *source {
            Source::Field(field) => row.text(field).to_owned(),
            Source::Computed(value) => format!("{:.6}", output.values[value]),
            Source::Limits => output.limits(),
        };
        println!("{}", torque.sources().iter().map(text).collect::<Vec<_>>().join(","));
    }

    // The second row against Lagrange's equations, differenced in 40-digit arithmetic: two ways that share no formula.
    let joints = JointState { q: [2.1, 0.8].into(), qd: [-2.0, 1.0].into(), qdd: [30.0, -20.0].into() };
    let state = robot.at_joints(&joints, &Pick::default())?;
    let torque = robot.model("exact")?.torque(&state, Wrench::zero())?;
    for (found, expected) in torque.iter().zip([0.3549065087026072, 0.35672329511523865]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    // A motion of its joints under computed torque, with a report.
    let order = MotionOrder { path: String::from("line:2.2,0.94/1.9,0.7"), ..MotionOrder::usual(&robot.kind()) };
    let motion: RobotMotion = order.timed(&robot, &Pick::default(), 0.7)?.motion;
    let experiment = Experiment::new(robot.clone(), "stroke", motion);
    let run = experiment.run(&experiment.tuning(Law::ComputedTorque), &mut |_| true)?;
    println!("largest tracking error: {:.3} mm", 1e3 * run.summary.error_max);
    std::fs::write("five-bar.html", run.report(&experiment).to_html())?;

    // Its linear model at home, held by its motors.
    let home = robot.home()?;
    let holding = robot.model("exact")?.gravity_torque(&home)?;
    let model = robot.linearize(&home, &holding, Wrench::zero(), Coordinates::Joint, &[Output::Position])?;
    for pole in model.system.poles()? {
        println!("pole {:.3} {:+.3}i 1/s", pole.re, pole.im);
    }
    Ok(())
}
