//! Trees in the closed loop, whose number of joints is known when it is built: a tree has as many joints there as a robot may have, and
//! those that it has not slide, carry nothing, have a motor of inertia one and stay at zero.

use super::{Formulas, LinkTree};
use crate::Vec3;
use crate::chain::ChainError;
use crate::dynamics::{Dynamics, State};
use crate::robot::closed_loop::{Columns, ControlError, LoopTask, Sample, SampledLoop, in_joints};
use crate::robot::families::known_as;
use crate::robot::{Family, MAX_JOINTS};
use crate::serial::ToolMotion;
use crate::spatial::{Frame, Twist, Wrench};

const N: usize = MAX_JOINTS;

/// A tree with further joints.
#[derive(Debug)]
struct Filled(Formulas<f64>);

/// The same in a state.
struct FilledState<'a> {
    tree: &'a Formulas<f64>,
    q: [f64; N],
    qd: [f64; N],
}

impl Dynamics<f64, N> for Filled {
    type At<'a> = FilledState<'a>;

    fn at_joints(&self, q: [f64; N], qd: [f64; N]) -> FilledState<'_> {
        FilledState { tree: &self.0, q, qd }
    }
}

impl FilledState<'_> {
    /// The numbers of the joints that there are.
    fn own<'v>(&self, all: &'v [f64; N]) -> &'v [f64] {
        &all[..self.tree.joints().min(N)]
    }

    /// What the tree's own joints have, and for each of the others what `rest` says; NaN where there is no such state.
    fn filled(&self, own: Result<Vec<f64>, ChainError>, rest: impl Fn(usize) -> f64) -> [f64; N] {
        let own = own.unwrap_or_else(|_| vec![f64::NAN; self.tree.joints()]);
        std::array::from_fn(|i| own.get(i).copied().unwrap_or_else(|| rest(i)))
    }

    fn tool_motion(&self, qdd: &[f64; N]) -> ToolMotion<f64> {
        let none = Twist { linear: Vec3([f64::NAN; 3]), angular: Vec3([f64::NAN; 3]) };
        let found = self.tree.tool_motion([self.own(&self.q), self.own(&self.qd), self.own(qdd)]);
        found.unwrap_or((Frame::at(none.linear), none, none))
    }
}

impl State<f64, N> for FilledState<'_> {
    fn joints(&self) -> ([f64; N], [f64; N]) {
        (self.q, self.qd)
    }

    fn rigid_torque(&self, qdd: [f64; N]) -> [f64; N] {
        let moving = self.tree.at_joints(self.own(&self.q)).and_then(|pose| pose.moving(self.own(&self.qd)));
        self.filled(moving.and_then(|moving| moving.rigid_torque(self.own(&qdd))), |i| qdd[i])
    }

    fn gravity(&self) -> [f64; N] {
        self.filled(self.tree.gravity_torque(self.own(&self.q)), |_| 0.0)
    }

    fn tool(&self) -> Frame<f64> {
        self.tool_motion(&[0.0; N]).0
    }

    fn tool_velocity(&self) -> Twist<f64> {
        self.tool_motion(&[0.0; N]).1
    }

    fn tool_acceleration(&self, qdd: [f64; N]) -> Twist<f64> {
        self.tool_motion(&qdd).2
    }

    fn torque_of_wrench(&self, wrench: Wrench<f64>) -> [f64; N] {
        self.filled(self.tree.at_joints(self.own(&self.q)).map(|pose| pose.torque_of_wrench(wrench)), |_| 0.0)
    }

    fn friction(&self) -> [f64; N] {
        self.filled(Ok(self.tree.friction(self.own(&self.qd))), |_| 0.0)
    }

    fn acceleration(&self, torque: [f64; N], wrench: Wrench<f64>) -> [f64; N] {
        let state = [self.own(&self.q), self.own(&self.qd), self.own(&torque)];
        self.filled(self.tree.acceleration(state, super::pushing(wrench)), |i| torque[i])
    }

    fn mass_matrix(&self) -> [[f64; N]; N] {
        let n = self.tree.joints();
        let own = self.tree.mass_matrix(self.own(&self.q)).unwrap_or_else(|_| vec![f64::NAN; n * n]);
        let entry = |i: usize, j: usize| match i.max(j) < n {
            true => own[i * n + j],
            false => f64::from(u8::from(i == j)),
        };
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }
}

/// The loop without the joints that the tree has not.
struct Cut<'a> {
    all: Box<dyn SampledLoop + 'a>,
    joints: usize,
}

impl SampledLoop for Cut<'_> {
    fn time(&self) -> f64 {
        self.all.time()
    }
    fn substeps(&self) -> usize {
        self.all.substeps()
    }
    fn push(&mut self, force: Vec3<f64>) {
        self.all.push(force);
    }
    fn step(&mut self) -> Result<Sample, ControlError> {
        let mut sample = self.all.step()?;
        for all in [&mut sample.q, &mut sample.qd, &mut sample.reference, &mut sample.torque, &mut sample.asked] {
            all.truncate(self.joints);
        }
        Ok(sample)
    }
    fn columns(&self) -> Columns {
        self.all.columns()
    }
    fn values(&self) -> &[f64] {
        self.all.values()
    }
}

impl LinkTree {
    pub(super) fn sampled_loop<'a>(&self, task: &LoopTask<'a>) -> Result<Box<dyn SampledLoop + 'a>, ControlError> {
        let known: &Self = known_as(self, task.known)?;
        if task.settings.drive.backlash.is_some() {
            return Err(ControlError::NotOffered { kind: self.kind().title, what: "gears with play" });
        }
        let joints = self.formulas.joints();
        if known.formulas.joints() != joints {
            return Err(ControlError::Joints { robot: joints, known: known.formulas.joints() });
        }
        let [plant, model] = [self, known].map(|tree| Filled(tree.formulas.clone()));
        let all = in_joints::<N, _, _>(self, plant, model, task)?;
        Ok(Box::new(Cut { all, joints }))
    }
}
