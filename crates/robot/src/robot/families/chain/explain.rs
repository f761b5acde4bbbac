//! A state of an arm in full, in the terms of Armstrong, Khatib and Burdick: A(q), B(q), C(q), g(q), and where the arm is like the
//! PUMA 560 their lumped constants.

use super::constants::constants_of;
use super::models::pushing;
use super::{ChainRobot, three};
use crate::chain::ChainError;
use crate::report::text::human;
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::robot::joints::motor_torques;
use crate::robot::{JointVector, State};
use crate::spatial::Wrench;

const SOURCES: [&str; 2] = [
    "Equations: Armstrong, Khatib and Burdick 1986; (1) is Γ = A q̈ + B [q̇q̇] + C [q̇²] + g,",
    "b_ijk = 2 β^(i,jk), c_ij = β^(i,jj). Vectors are in the base frame. The formulas can be derived as LaTeX.",
];

/// A digit as a superscript.
fn superscript(digit: char) -> char {
    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit.to_digit(10).unwrap_or(0) as usize]
}

impl ChainRobot {
    pub(super) fn explained(&self, state: &State, wrench: Wrench<f64>) -> Result<Explanation, ChainError> {
        let (chain, n) = (&self.chain, self.chain.joints());
        let all @ [q, qd, qdd] = three(&state.joints);
        let pose = chain.at_joints(q)?;
        let (mass, gravity, christoffel) = (pose.mass_matrix(), pose.gravity_torque(), pose.christoffel());
        let sum = |terms: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..n).map(terms).collect() };
        let inertia = sum(&|i| (0..n).map(|j| mass[i * n + j] * qdd[j]).sum());
        let products = sum(&|i| {
            let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
            pairs.map(|(j, k)| 2.0 * christoffel[i][j * n + k] * qd[j] * qd[k]).sum()
        });
        let squares = sum(&|i| (0..n).map(|j| christoffel[i][j * n + j] * qd[j] * qd[j]).sum());
        let friction = chain.friction(qd);
        let torque = chain.torque(all, pushing(wrench))?;
        let rigid = sum(&|i| inertia[i] + products[i] + squares[i] + gravity[i]);
        let pushed = sum(&|i| torque[i] - rigid[i] - friction[i]);
        let (tool, velocity, _) = chain.tool_motion(all)?;
        let quantity =
            |symbol, meaning, equation, unit, values| Quantity::new(symbol, meaning, "", equation, unit, values);
        let is_coupled = self.coupled().next().is_some();
        let what = if is_coupled { "torque at the joints: the sum" } else { "motor torque: the sum" };
        let joints = |values: &[f64]| Values::PerJoint(JointVector::new(values));
        let matrix = |entries: &[f64]| Values::Matrix(entries.chunks(n.max(1)).map(<[f64]>::to_vec).collect());
        let named = |(i, rows): (usize, &Vec<f64>)| Quantity {
            symbol: format!("β{}", (i + 1).to_string().chars().map(superscript).collect::<String>()).into(),
            ..quantity("", "", "Armstrong (6), Tables A5 and A6", "kg m²", matrix(rows))
        };
        let mut sections = vec![
            Section {
                title: "The state",
                quantities: vec![
                    quantity("q", "joint positions", "given", "rad", joints(q)),
                    quantity("q̇", "joint velocities", "given", "rad/s", joints(qd)),
                    quantity("q̈", "joint accelerations", "given", "rad/s²", joints(qdd)),
                    quantity("X", "tool", "Table A1", "m", Values::Vector(tool.origin.0)),
                    quantity("Ẋ", "its velocity", "", "m/s", Values::Vector(velocity.linear.0)),
                ],
            },
            Section {
                title: "What the configuration decides",
                quantities: vec![
                    quantity("A", "kinetic energy matrix", "Armstrong (1), Table A4", "kg m²", matrix(&mass)),
                    quantity("g", "gravity", "Table A7", "N m", joints(&gravity)),
                ],
            },
            Section {
                title: "Christoffel symbols: row j, column k",
                quantities: christoffel.iter().enumerate().map(named).collect(),
            },
            Section {
                title: "Torque",
                quantities: vec![
                    quantity("A q̈", "inertia", "Armstrong (1)", "N m", joints(&inertia)),
                    quantity("B [q̇q̇]", "Coriolis", "Armstrong (1)", "N m", joints(&products)),
                    quantity("C [q̇²]", "centrifugal", "Armstrong (1)", "N m", joints(&squares)),
                    quantity("g", "gravity", "Armstrong (1)", "N m", joints(&gravity)),
                    quantity("τ_f", "friction", "conventions", "N m", joints(&friction)),
                    quantity("−Jᵀ w", "the force and moment at the tool", "conventions", "N m", joints(&pushed)),
                    quantity("τ", what, "", "N m", joints(&torque)),
                ],
            },
        ];
        if is_coupled {
            let motors = joints(&motor_torques(&self.joints(), &torque));
            let meaning = "torque of the motors at the joint sides of their gears: τ = Kᵀ τ_m";
            let of_motors = quantity("τ_m", meaning, "robot files", "N m", motors);
            sections.iter_mut().skip(3).for_each(|torques| torques.quantities.push(of_motors.clone()));
        }
        if let Ok(constants) = constants_of(self) {
            let one = |constant: super::constants::LumpedConstant| {
                let gravity = constant.name.starts_with('g');
                Quantity {
                    meaning: format!(
                        "± {}; Table A3 prints {} ± {}",
                        human(constant.tolerance, 2),
                        human(constant.printed, 3),
                        human(constant.printed_tolerance, 3)
                    )
                    .into(),
                    symbol: constant.name.into(),
                    formula: "",
                    equation: "Table A2",
                    unit: if gravity { "N m" } else { "kg m²" },
                    values: Values::One(constant.value),
                }
            };
            sections.push(Section { title: "Lumped constants", quantities: constants.into_iter().map(one).collect() });
        }
        if !self.is_arm() {
            sections.insert(1, self.places(state)?);
        }
        Ok(Explanation { sources: &SOURCES, sections, torque: JointVector::new(&torque) })
    }

    /// The links and the tools of a tree.
    fn places(&self, state: &State) -> Result<Section, ChainError> {
        let place = |symbol: String, meaning, origin: [f64; 3]| Quantity {
            symbol: symbol.into(),
            ..Quantity::new("", meaning, "", "conventions", "m", Values::Vector(origin))
        };
        let mut quantities = Vec::new();
        for (i, frame) in self.chain.at_joints(&state.joints.q)?.joint_frames().iter().enumerate() {
            quantities.push(place(format!("X{}", i + 1), "origin of the joint's frame", frame.origin.0));
        }
        for (name, chain) in self.tips() {
            quantities.push(place(name, "tool", chain.tool_motion(three(&state.joints))?.0.origin.0));
        }
        Ok(Section { title: "Where the links are", quantities })
    }
}
