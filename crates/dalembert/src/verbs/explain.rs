//! One state step by step: every intermediate quantity with its formula and equation number.

use super::prelude::*;
use crate::Angle;
use crate::delta::{Assembly, Branch};
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::spatial::roll_pitch_yaw;

/// A state, and the push of the environment in it.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// With its payload.
    pub robot: Robot,
    /// The state.
    pub state: ExplainState,
    /// On the platform or tool, N and N m.
    pub wrench: Wrench<f64>,
}

/// The state to explain.
#[derive(Clone, Debug)]
pub enum ExplainState {
    /// By the platform or tool.
    Tool {
        /// m; none: as at home.
        position: Option<Vec3<f64>>,
        /// Roll, pitch, yaw, rad; none: as usual.
        rpy: Option<Vec3<f64>>,
        /// m/s and rad/s.
        velocity: Twist<f64>,
        /// m/s² and rad/s².
        acceleration: Twist<f64>,
        /// Of the elbows.
        branch: Option<Branch>,
    },
    /// By the joints.
    Joints {
        /// rad (prismatic: m) and their rates.
        joints: JointState,
        /// Of the platform.
        assembly: Option<Assembly>,
    },
}

impl ExplainRequest {
    /// The robot at rest at its home pose.
    pub fn new(robot: Robot) -> Self {
        let still = Twist::zero();
        let state =
            ExplainState::Tool { position: None, rpy: None, velocity: still, acceleration: still, branch: None };
        Self { robot, state, wrench: Wrench::zero() }
    }
}

/// A state in full.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainOutcome {
    /// Name of the robot.
    pub robot: String,
    /// The steps of the computation, and the torques that follow.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// Angles that look like degrees.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// Of the robot.
    #[serde(skip)]
    pub joints: Vec<Joint>,
}

impl Outcome for ExplainOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let torques = (1_usize..).zip(&self.joints).zip(self.explanation.torque.iter());
        metrics("torque.", torques.map(|((i, joint), torque)| (i, *torque, joint.kind.units().torque))).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Explains a state.
pub fn explain(request: &ExplainRequest, _: &mut dyn Observer) -> Result<ExplainOutcome, VerbError> {
    let ExplainRequest { robot, state, wrench } = request;
    let bad = |error| refused(robot, error);
    // What a robot does not offer is said before its state is looked at.
    let home = robot.home().map_err(bad)?;
    robot.explain(&home, *wrench).map_err(bad)?;
    let findings = match state {
        ExplainState::Joints { joints, .. } => out_of_range(robot, &joints.q).into_iter().collect(),
        ExplainState::Tool { .. } => Vec::new(),
    };
    let explanation = state_of(robot, state, home).and_then(|state| robot.explain(&state, *wrench)).map_err(bad)?;
    for Quantity { symbol, values, .. } in explanation.sections.iter().flat_map(|section| &section.quantities) {
        require_finite(&robot.name, &format!("`{symbol}`"), values.to_vec())?;
    }
    Ok(ExplainOutcome { robot: robot.name.clone(), explanation, findings, joints: robot.joints() })
}

fn state_of(robot: &Robot, state: &ExplainState, home: State) -> Result<State, StateError> {
    match state {
        // An arm rests at its home unless its joints are given.
        ExplainState::Tool { position: None, rpy: None, velocity, acceleration, .. }
            if robot.kind().form == Form::Joints && [velocity, acceleration].iter().all(|v| **v == Twist::zero()) =>
        {
            Ok(home)
        }
        ExplainState::Tool { position, rpy, velocity, acceleration, branch } => {
            let origin = position.unwrap_or(home.tool.pose.origin);
            let turned = rpy.map(|rpy| roll_pitch_yaw(rpy.0.map(Angle::from_radians)));
            // Where no place is given, it is turned as it is at home.
            let usual = if position.is_some() { robot.usual_orientation() } else { home.tool.pose.rotation };
            let pose = Frame { rotation: turned.unwrap_or(usual), origin };
            let state = ToolState { pose, velocity: *velocity, acceleration: *acceleration, turn: 0.0 };
            robot.at_tool(&state, &Pick { elbows: *branch, ..Pick::default() })
        }
        ExplainState::Joints { joints, assembly } => {
            robot.at_joints(joints, &Pick { assembly: *assembly, ..Pick::default() })
        }
    }
}

impl ExplainOutcome {
    /// The quantities of each section as a table, with its title.
    pub fn tables(&self) -> impl Iterator<Item = (&'static str, Table)> {
        let joints = self.explanation.torque.len();
        self.explanation.sections.iter().map(move |section| (section.title, section_table(section, joints)))
    }
}

fn section_table(section: &Section, joints: usize) -> Table {
    // A vector has three components next to each other.
    let numbers = joints.max(3);
    let mut table = Table::new(&format!("ll{}lll", "r".repeat(numbers)));
    if section.quantities.iter().any(|quantity| !matches!(quantity.values, Values::One(_))) {
        let mut head = vec![String::new(); 2];
        head.extend((1..=numbers).map(|joint| joint.to_string()));
        head.extend(vec![String::new(); 3]);
        table.head(head);
    }
    for quantity in &section.quantities {
        let Quantity { symbol, meaning, formula, equation, unit, values } = quantity;
        let unit = if *unit == "1" { "" } else { unit };
        let text = match (meaning.is_empty(), formula.is_empty()) {
            (false, false) => format!("{meaning}: {formula}"),
            _ => format!("{meaning}{formula}"),
        };
        let mut row = |first: bool, axis: &str, values: &[f64]| {
            let mut cells = vec![if first { symbol } else { "" }.to_owned(), axis.to_owned()];
            cells.extend((0..numbers).map(|k| values.get(k).map_or(String::new(), |&v| human(v, 6))));
            if first {
                cells.extend([unit, equation, &text].map(str::to_owned));
            }
            table.row(cells);
        };
        match values {
            Values::One(value) => row(true, "", &[*value]),
            Values::PerJoint(values) => row(true, "", values),
            Values::Vector(values) => row(true, "xyz", values),
            Values::VectorPerJoint(vectors) => {
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    row(k == 0, axis, &vectors.iter().map(|vector| vector[k]).collect::<Vec<_>>());
                }
            }
            Values::Matrix(rows) => {
                for (k, numbers) in rows.iter().enumerate() {
                    row(k == 0, "", numbers);
                }
            }
        }
    }
    table
}
