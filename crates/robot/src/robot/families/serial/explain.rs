//! A state of an arm in full, in the terms of Armstrong, Khatib and Burdick: A(q), B(q), C(q), g(q), and where the arm is like the
//! PUMA 560 their lumped constants.

use super::SerialArm;
use super::constants::constants_of;
use crate::report::text::human;
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::robot::{JointVector, State};
use crate::spatial::Wrench;

const SOURCES: [&str; 2] = [
    "Equations: Armstrong, Khatib and Burdick 1986; (1) is Γ = A q̈ + B [q̇q̇] + C [q̇²] + g,",
    "b_ijk = 2 β^(i,jk), c_ij = β^(i,jj). Vectors are in the base frame. A derivation writes the formulas as LaTeX.",
];

/// Names of the Christoffel symbols of each joint.
const BETA: [&str; 8] = ["β¹", "β²", "β³", "β⁴", "β⁵", "β⁶", "β⁷", "β⁸"];

impl<const N: usize> SerialArm<N> {
    pub(super) fn explained(&self, state: &State, wrench: Wrench<f64>) -> Explanation {
        let array =
            |vector: &JointVector| -> [f64; N] { std::array::from_fn(|i| vector.get(i).copied().unwrap_or(0.0)) };
        let [q, qd, qdd] = [&state.joints.q, &state.joints.qd, &state.joints.qdd].map(array);
        let moving = self.arm.pose_unchecked(q).moving(qd);
        let configuration = moving.pose.configuration();
        let inertia: [f64; N] = std::array::from_fn(|i| (0..N).map(|j| configuration.mass_matrix[i][j] * qdd[j]).sum());
        let products: [f64; N] = std::array::from_fn(|i| {
            let pairs = (0..N).flat_map(|j| (j + 1..N).map(move |k| (j, k)));
            pairs.map(|(j, k)| configuration.b(i, j, k) * qd[j] * qd[k]).sum()
        });
        let squares: [f64; N] = std::array::from_fn(|i| (0..N).map(|j| configuration.c(i, j) * qd[j] * qd[j]).sum());
        let friction = moving.friction();
        let torque = moving.torque_under(qdd, wrench);
        let rigid: [f64; N] = std::array::from_fn(|i| inertia[i] + products[i] + squares[i] + configuration.gravity[i]);
        let pushed: [f64; N] = std::array::from_fn(|i| torque[i] - rigid[i] - friction[i]);
        let quantity =
            |symbol, meaning, equation, unit, values| Quantity::new(symbol, meaning, "", equation, unit, values);
        let joints = |values: [f64; N]| Values::PerJoint(values.into());
        let matrix = |rows: &[[f64; N]; N]| Values::Matrix(rows.iter().map(|row| row.to_vec()).collect());
        let symbols = configuration.christoffel.iter().zip(BETA);
        let mut sections = vec![
            Section {
                title: "The state",
                quantities: vec![
                    quantity("q", "joint positions", "given", "rad (m)", joints(q)),
                    quantity("q̇", "joint velocities", "given", "rad/s (m/s)", joints(qd)),
                    quantity("q̈", "joint accelerations", "given", "rad/s² (m/s²)", joints(qdd)),
                    quantity("X", "tool", "Table A1", "m", Values::Vector(moving.pose.tool().origin.0)),
                    quantity("Ẋ", "its velocity", "", "m/s", Values::Vector(moving.tool_velocity().linear.0)),
                ],
            },
            Section {
                title: "What the configuration decides",
                quantities: vec![
                    quantity(
                        "A",
                        "kinetic energy matrix",
                        "Armstrong (1), Table A4",
                        "kg m²",
                        matrix(&configuration.mass_matrix),
                    ),
                    quantity("g", "gravity", "Table A7", "N m", joints(configuration.gravity)),
                ],
            },
            Section {
                title: "Christoffel symbols: row j, column k",
                quantities: symbols
                    .map(|(rows, name)| quantity(name, "", "Armstrong (6), Tables A5 and A6", "kg m²", matrix(rows)))
                    .collect(),
            },
            Section {
                title: "Torque",
                quantities: vec![
                    quantity("A q̈", "inertia", "Armstrong (1)", "N m", joints(inertia)),
                    quantity("B [q̇q̇]", "Coriolis", "Armstrong (1)", "N m", joints(products)),
                    quantity("C [q̇²]", "centrifugal", "Armstrong (1)", "N m", joints(squares)),
                    quantity("g", "gravity", "Armstrong (1)", "N m", joints(configuration.gravity)),
                    quantity("τ_f", "friction", "conventions", "N m", joints(friction)),
                    quantity("−Jᵀ w", "the force and moment at the tool", "conventions", "N m", joints(pushed)),
                    quantity("τ", "motor torque: the sum", "", "N m", joints(torque)),
                ],
            },
        ];
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
        Explanation { sources: &SOURCES, sections, torque: torque.into() }
    }
}
