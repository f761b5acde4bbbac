//! A state of a tree in full.

use super::{LinkTree, pushing, three};
use crate::chain::ChainError;
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::robot::{JointVector, State};
use crate::spatial::Wrench;

const SOURCES: [&str; 2] = [
    "Equations: Luh, Walker and Paul 1980 (torques), Featherstone 1983 (mass matrix and forward dynamics), over a tree of links.",
    "Vectors are in the base frame.",
];

impl LinkTree {
    pub(super) fn explained(&self, state: &State, wrench: Wrench<f64>) -> Result<Explanation, ChainError> {
        let (formulas, n) = (&self.formulas, self.formulas.joints());
        let [q, qd, qdd] = three(&state.joints);
        let mass = formulas.mass_matrix(q)?;
        let inertia: Vec<f64> = (0..n).map(|i| (0..n).map(|j| mass[i * n + j] * qdd[j]).sum()).collect();
        let (coriolis, gravity) = (formulas.at_joints(q)?.moving(qd)?.coriolis()?, formulas.gravity_torque(q)?);
        let friction = formulas.friction(qd);
        let pushed: Vec<f64> = match pushing(wrench) {
            Some(wrench) => formulas.at_joints(q)?.torque_of_wrench(wrench).iter().map(|x| -x).collect(),
            None => vec![0.0; n],
        };
        let torque = formulas.torque([q, qd, qdd], pushing(wrench))?;
        let quantity =
            |symbol, meaning, equation, unit, values| Quantity::new(symbol, meaning, "", equation, unit, values);
        let joints = |values: &[f64]| Values::PerJoint(JointVector::new(values));
        let vector = |values: [f64; 3]| Values::Vector(values);
        let rows = Values::Matrix(mass.chunks(n.max(1)).map(<[f64]>::to_vec).collect());
        let mut places = Section { title: "Where the links are", quantities: Vec::new() };
        places.quantities.extend(formulas.at_joints(q)?.joint_frames().into_iter().enumerate().map(|(i, frame)| {
            Quantity {
                symbol: format!("X{}", i + 1).into(),
                ..quantity("", "origin of the joint's frame", "conventions", "m", vector(frame.origin.0))
            }
        }));
        for (name, tip) in self.tips() {
            let (frame, ..) = tip.tool_motion([q, qd, qdd])?;
            places.quantities.push(Quantity {
                symbol: name.into(),
                ..quantity("", "tool", "conventions", "m", vector(frame.origin.0))
            });
        }
        let sections = vec![
            Section {
                title: "The state",
                quantities: vec![
                    quantity("q", "joint positions", "given", "rad (m)", joints(q)),
                    quantity("q̇", "joint velocities", "given", "rad/s (m/s)", joints(qd)),
                    quantity("q̈", "joint accelerations", "given", "rad/s² (m/s²)", joints(qdd)),
                    quantity("Ẋ", "velocity of the tool", "", "m/s", vector(state.tool.velocity.linear.0)),
                ],
            },
            places,
            Section {
                title: "What the configuration decides",
                quantities: vec![
                    quantity("M", "mass matrix", "composite bodies", "kg m²", rows),
                    quantity("g", "gravity", "Newton–Euler", "N m", joints(&gravity)),
                ],
            },
            Section {
                title: "Torque",
                quantities: vec![
                    quantity("M q̈", "inertia", "", "N m", joints(&inertia)),
                    quantity("C q̇", "Coriolis and centrifugal", "Newton–Euler", "N m", joints(&coriolis)),
                    quantity("g", "gravity", "Newton–Euler", "N m", joints(&gravity)),
                    quantity("τ_f", "friction", "conventions", "N m", joints(&friction)),
                    quantity("−Jᵀ w", "the force and moment at the tool", "conventions", "N m", joints(&pushed)),
                    quantity("τ", "motor torque: the sum", "", "N m", joints(&torque)),
                ],
            },
        ];
        Ok(Explanation { sources: &SOURCES, sections, torque: JointVector::new(&torque) })
    }
}
