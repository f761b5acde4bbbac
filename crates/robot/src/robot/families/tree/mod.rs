//! Long arms and trees of links as a family: as many joints as the file has, from link to link at run time.

mod control;
mod drawing;
mod explain;
mod linear_model;
mod models;
mod operations;
mod regressor;
mod sensitivity;
pub(in crate::robot) mod tools;

pub use sensitivity::TreeTorque;
pub use tools::Which;

use super::serial::file::SerialRobot;
use super::serial::links::{Attachment, NoArm, SerialLinks, Surroundings};
use super::serial::tolerance::LinkTolerances;
use super::serial::{self as arms, BREAKAWAY, convention_name};
use crate::Vec3;
use crate::chain::{Chain as Formulas, ChainError, ChainParameters as Parameters, TipParameters};
use crate::friction::Friction;
use crate::limits::JointLimits;
use crate::linear::Linearized;
use crate::parameter::Place;
use crate::report::drawing::{Drawing, Track};
use crate::robot::closed_loop::{ControlError, Controller, LoopTask, SampledLoop};
use crate::robot::explanation::Explanation;
use crate::robot::linear_model::{Coordinates, LinearizeError, Output};
use crate::robot::operations::{Bench, Cost};
use crate::robot::orientation::attitude;
use crate::robot::parameters::{moved, visited};
use crate::robot::regressor::Regressor;
use crate::robot::{
    ColumnGroup, DoesNotApply, Family, Form, InvalidParameters, Joint, JointKind, JointState, JointVector, Kind, Load,
    Model, ModelSpec, Number, ParameterTorque, Pick, Reason, State, StateError, Target, ToolState,
};
use crate::serial::{self, LinkParameters, SerialError, SerialParameters};
use crate::spatial::{Frame, Wrench};
use crate::spring::Spring;
use dalembert_core::control::Law;
use std::any::Any;

/// A row of links that is too long for the formulas of serial arms.
static LONG: Kind = Kind { title: "long serial arm", has_shortest_times: true, ..arms::KIND };

/// Links that branch, or that carry tools of their own.
static TREE: Kind = Kind { title: "tree of links", ..LONG };

/// A long arm, or a tree of links.
#[derive(Clone, Debug)]
pub struct LinkTree {
    arm: SerialLinks,
    /// What positions, velocities and forces mean.
    which: Which,
    formulas: Formulas<f64>,
    limits: Vec<JointLimits>,
    tolerances: Vec<LinkTolerances>,
    static_follows: Vec<bool>,
}

/// Torques of a state that fits, which every state out of [`Family::at_joints`] does.
fn vector(joints: usize, values: Result<Vec<f64>, ChainError>) -> JointVector {
    values.map_or_else(|_| JointVector::from_fn(joints, |_| f64::NAN), |values| JointVector::new(&values))
}

/// None where nothing pushes.
fn pushing(wrench: Wrench<f64>) -> Option<Wrench<f64>> {
    (wrench != Wrench::zero()).then_some(wrench)
}

fn three(joints: &JointState) -> [&[f64]; 3] {
    [&joints.q, &joints.qd, &joints.qdd]
}

impl LinkTree {
    /// The tree of a file.
    pub fn of_file(file: SerialRobot) -> Result<Self, NoArm> {
        let SerialRobot { arm, limits, tolerances, static_follows, .. } = file;
        let which = tools::find(&arm, arm.main_tool()).unwrap_or(Which::Whole);
        Self::new(arm, which, limits, tolerances, static_follows)
    }

    /// Its formulas.
    pub fn formulas(&self) -> &Formulas<f64> {
        &self.formulas
    }

    fn new(
        arm: SerialLinks,
        which: Which,
        limits: Vec<JointLimits>,
        tolerances: Vec<LinkTolerances>,
        static_follows: Vec<bool>,
    ) -> Result<Self, NoArm> {
        let formulas = Formulas::new(Parameters { links: arm.branches(), whole: arm.whole() }, which)?;
        Ok(Self { arm, which, formulas, limits, tolerances, static_follows })
    }

    fn parameters(&self) -> Parameters<f64> {
        Parameters { links: self.arm.branches(), whole: self.arm.whole() }
    }

    /// The same tree with other parameters.
    fn changed(&self, change: impl FnOnce(&mut Parameters<f64>)) -> Result<Box<dyn Family>, InvalidParameters> {
        let mut parameters = self.parameters();
        change(&mut parameters);
        let Parameters { links: branches, whole } = parameters;
        let SerialParameters { convention, gravity, tool, payload, .. } = whole;
        let links: Vec<LinkParameters<f64>> = branches.iter().map(|branch| branch.link).collect();
        let attached = branches.iter().zip(self.arm.attachments()).map(|(branch, own)| Attachment {
            parent: branch.parent,
            mount: branch.mount,
            tool: own.tool.as_ref().and_then(|(name, _)| Some((name.clone(), branch.tip?))),
        });
        let rest = Surroundings { convention, gravity, tool, payload };
        let impossible = |error: NoArm| InvalidParameters(error.to_string());
        let arm = SerialLinks::try_tree(&links, attached.collect(), rest).map_err(impossible)?;
        let Self { which, limits, tolerances, static_follows, .. } = self.clone();
        Ok(Box::new(Self::new(arm, which, limits, tolerances, static_follows).map_err(impossible)?))
    }

    /// Refuses what is for robots that are given by their tool.
    fn refuse(pick: &Pick) -> Result<(), StateError> {
        match (pick.elbows.is_some() || pick.assembly.is_some(), pick.posture.is_some()) {
            (false, false) => Ok(()),
            (true, _) => {
                let text = "elbows out or in, and a platform below or above, are for Delta robots, not for links in a row or a tree";
                Err(StateError::new(Reason::NotOffered, text))
            }
            (false, true) => {
                let text = "postures are for arms like the PUMA, with six joints and a spherical wrist";
                Err(StateError::new(Reason::NotOffered, text))
            }
        }
    }

    /// Refuses a state with other joints, or with numbers that are not finite.
    fn check(&self, joints: &JointState) -> Result<(), StateError> {
        joints.check_count(self.formulas.joints())?;
        for (what, values) in [("q", &joints.q), ("qd", &joints.qd), ("qdd", &joints.qdd)] {
            if let Some((i, &value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
                return Err(SerialError::NotFinite { what, component: i + 1, value }.into());
            }
        }
        Ok(())
    }

    /// What the main tool carries.
    fn tip(&self) -> TipParameters<f64> {
        let Surroundings { tool, payload, .. } = self.arm.surroundings();
        let whole = TipParameters { frame: tool, payload };
        match self.which {
            Which::Whole => whole,
            Which::Link(i) => self.arm.branches().get(i).and_then(|branch| branch.tip).unwrap_or(whole),
        }
    }

    /// Every tool with its name and the same tree for it.
    fn tips(&self) -> impl Iterator<Item = (String, Formulas<f64>)> + '_ {
        let all = tools::tools(&self.arm).into_iter();
        all.filter_map(move |(name, which)| Some((name, Formulas::new(self.parameters(), which).ok()?)))
    }
}

fn misfit(error: ChainError) -> StateError {
    error.into()
}

impl Family for LinkTree {
    fn kind(&self) -> Kind {
        if self.arm.is_in_a_row() { LONG } else { TREE }
    }

    fn joints(&self) -> Vec<Joint> {
        let joint = |(link, limits): (&LinkParameters<f64>, &JointLimits)| Joint {
            kind: match link.joint {
                serial::Joint::Revolute => JointKind::Revolute,
                serial::Joint::Prismatic => JointKind::Prismatic,
            },
            limits: *limits,
            friction: link.friction,
            rotor_inertia: link.motor_inertia,
        };
        self.arm.links().iter().zip(&self.limits).map(joint).collect()
    }

    fn numbers(&self) -> Vec<Number> {
        let mut parameters = self.parameters();
        let mut numbers = visited(|visit| parameters.visit(visit), |rotation| attitude(*rotation));
        let breakaway = |(link, limits): (usize, &JointLimits)| {
            limits.breakaway.map(|value| Number { field: &BREAKAWAY, place: Place::part(link), value })
        };
        numbers.extend(self.limits.iter().enumerate().filter_map(breakaway));
        numbers
    }

    fn moved(&self, by: &dyn Fn(&Number) -> f64) -> Result<Box<dyn Family>, InvalidParameters> {
        self.changed(|parameters| moved(|visit| parameters.visit(visit), by))
    }

    fn choices(&self) -> Vec<(&'static str, &'static str)> {
        vec![("convention", convention_name(self.arm.surroundings().convention))]
    }

    fn gravity(&self) -> Vec3<f64> {
        self.arm.surroundings().gravity
    }

    fn payload(&self) -> f64 {
        self.tip().payload.mass
    }

    fn with_payload(&self, mass: f64) -> Result<Box<dyn Family>, InvalidParameters> {
        let which = self.which;
        self.changed(|parameters| match which {
            Which::Whole => parameters.whole.payload.mass = mass,
            Which::Link(i) => {
                if let Some(tip) = parameters.links.get_mut(i).and_then(|branch| branch.tip.as_mut()) {
                    tip.payload.mass = mass;
                }
            }
        })
    }

    fn tools(&self) -> Vec<String> {
        let mut all = tools::tools(&self.arm);
        all.sort_by_key(|(_, which)| *which != self.which);
        all.into_iter().map(|(name, _)| name).collect()
    }

    fn with_tool(&self, name: &str) -> Result<Box<dyn Family>, InvalidParameters> {
        let Some(which) = tools::find(&self.arm, Some(name)) else {
            let known = tools::known(&tools::tools(&self.arm), name);
            return Err(InvalidParameters(format!("there is no tool \"{name}\": {known}")));
        };
        let Self { arm, limits, tolerances, static_follows, .. } = self.clone();
        let tree = Self::new(arm, which, limits, tolerances, static_follows);
        Ok(Box::new(tree.map_err(|error| InvalidParameters(error.to_string()))?))
    }

    fn with_frictions(
        &self,
        friction: &dyn Fn(usize) -> Option<Friction<f64>>,
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        self.changed(|parameters| {
            parameters.links.iter_mut().enumerate().for_each(|(i, branch)| branch.link.friction = friction(i));
        })
    }

    fn with_springs(
        &self,
        spring: &dyn Fn(usize, Option<Spring<f64>>) -> Option<Spring<f64>>,
    ) -> Result<Box<dyn Family>, InvalidParameters> {
        self.changed(|parameters| {
            let links = parameters.links.iter_mut().map(|branch| &mut branch.link).enumerate();
            links.for_each(|(i, link)| link.spring = spring(i, link.spring));
        })
    }

    fn without_rotors(&self) -> Result<Box<dyn Family>, InvalidParameters> {
        self.changed(|parameters| {
            let links = parameters.links.iter_mut().map(|branch| &mut branch.link);
            links.for_each(|link| (link.motor_inertia, link.armature) = (0.0, None));
        })
    }

    fn with_gravity(&self, gravity: Vec3<f64>) -> Result<Box<dyn Family>, InvalidParameters> {
        self.changed(|parameters| parameters.whole.gravity = gravity)
    }

    fn at_joints(&self, joints: &JointState, pick: &Pick) -> Result<State, StateError> {
        self.check(joints)?;
        Self::refuse(pick)?;
        let (pose, velocity, acceleration) = self.formulas.tool_motion(three(joints)).map_err(misfit)?;
        let tool = ToolState { pose, velocity, acceleration, turn: 0.0 };
        Ok(State { given: Form::Joints, pick: pick.clone(), joints: joints.clone(), tool })
    }

    fn at_tool(&self, _tool: &ToolState, _pick: &Pick) -> Result<State, StateError> {
        let text = format!("a {} has no inverse kinematics here: its joints have to be given", self.kind().title);
        Err(StateError::new(Reason::NotOffered, text).hint(
            "`fk`, `torque` and `accel` take the joints q1, q2 …; only arms of up to eight links in a row are solved for them",
        ))
    }

    fn load(&self, target: &Target, pick: &Pick) -> Result<Load, StateError> {
        let joints = match target {
            Target::Tool(tool) => self.at_tool(tool, pick)?.joints,
            Target::Joints(joints) => joints.clone(),
        };
        self.check(&joints)?;
        let torque = self.formulas.torque(three(&joints), None).map_err(misfit)?;
        let friction = self.formulas.friction(&joints.qd);
        let [torque, friction] = [torque, friction].map(|all| JointVector::new(&all));
        Ok(Load { joints, torque, friction, ball_angles: None })
    }

    fn home(&self) -> Result<State, StateError> {
        let home = JointVector::from_fn(self.limits.len(), |i| arms::home_of(self.limits[i].range));
        self.at_joints(&JointState::at_rest(home), &Pick::default())
    }

    fn models(&self) -> &'static [ModelSpec] {
        &arms::MODELS[..1]
    }

    fn build_model(&self, name: &str) -> Result<Box<dyn Model>, DoesNotApply> {
        models::build(&self.formulas, name, self.kind().title)
    }

    fn explain(&self, state: &State, wrench: Wrench<f64>) -> Result<Explanation, StateError> {
        self.explained(state, wrench).map_err(misfit)
    }

    fn refuses(&self, law: &dyn Controller) -> Option<&'static str> {
        let steers_tool = law.controls_tool() || law.built_in() == Some(Law::Impedance);
        steers_tool.then_some("it steers the tool, and only the joints of long arms and trees are steered")
    }

    fn closed_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        self.sampled_loop(task)
    }

    fn linearize(
        &self,
        state: &State,
        torque: &JointVector,
        wrench: Wrench<f64>,
        coordinates: Coordinates,
        outputs: &[Output],
    ) -> Result<Linearized, LinearizeError> {
        self.linear_model(state, torque, wrench, coordinates, outputs)
    }

    fn operations(&self, bench: &Bench) -> Vec<Cost> {
        operations::costs(&self.formulas, bench)
    }

    fn column_groups(&self) -> &'static [ColumnGroup] {
        &[ColumnGroup { name: "details", exact_only: false }]
    }

    /// Where every tool is, and how it is turned.
    fn columns(&self, _group: &str, state: &State, _wrench: Wrench<f64>) -> Vec<(String, f64)> {
        let mut columns = Vec::new();
        for (name, formulas) in self.tips() {
            let Ok((Frame { rotation, origin }, ..)) = formulas.tool_motion(three(&state.joints)) else { continue };
            let values = origin.0.into_iter().chain(attitude(rotation));
            let keys = ["x", "y", "z", "roll", "pitch", "yaw"].into_iter();
            columns.extend(keys.zip(values).map(|(key, value)| (format!("{name}_{key}"), value)));
        }
        columns
    }

    fn torque_of_wrench(&self, state: &State, wrench: Wrench<f64>) -> JointVector {
        vector(
            self.formulas.joints(),
            self.formulas.at_joints(&state.joints.q).map(|pose| pose.torque_of_wrench(wrench)),
        )
    }

    fn drawing(&self, base: &Frame<f64>) -> Drawing {
        self.shapes(base)
    }

    fn draw(&self, state: &State, base: &Frame<f64>, tracks: &mut [Track]) {
        self.sample(state, base, tracks);
    }

    fn torque_of_parameters(
        &self,
        states: &[(State, Wrench<f64>)],
        _per_part: bool,
    ) -> Result<Box<dyn ParameterTorque + '_>, StateError> {
        let states = states.iter().map(|(state, push)| (state.joints.clone(), *push)).collect();
        Ok(Box::new(TreeTorque::new(self, states)?))
    }

    fn regressor(&self) -> Result<Box<dyn Regressor>, StateError> {
        Ok(self.matrix())
    }

    fn to_toml(&self, name: &str, source: Option<&str>) -> Option<String> {
        let Self { arm, limits, tolerances, static_follows, .. } = self.clone();
        let first = tools::find(&arm, None);
        let main_tool = (first != Some(self.which)).then(|| self.tools().into_iter().next()).flatten();
        let (name, source, warnings) = (name.to_owned(), source.map(str::to_owned), Vec::new());
        let arm = arm.with_main_tool(main_tool);
        Some(SerialRobot { name, source, arm, limits, tolerances, static_follows, warnings }.to_toml())
    }

    fn clone_box(&self) -> Box<dyn Family> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
