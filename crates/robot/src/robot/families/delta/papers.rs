//! A state of a Delta in the terms of the papers: Asadi's matrices, Falezza's passive angles, Bortoff's nine angles and λ.

use crate::Vec3;
use crate::delta::models::asadi::Asadi;
use crate::delta::models::bortoff::Bortoff;
use crate::delta::models::falezza::Complete;
use crate::delta::{ModelName, Moving, Pose};
use crate::robot::explanation::{Quantity, Section, Values};

/// Passive angles of each arm, rad: γ from the upper arm to the forearm in the arm's plane, ψ out of it.
pub(super) fn passive_angles(pose: &Pose<'_, f64>) -> [[f64; 3]; 2] {
    let angles = Complete::new(pose.robot.parameters()).angles(pose);
    [angles.map(|angle| angle.gamma), angles.map(|angle| angle.psi)]
}

/// λ of (15), N, in Bortoff's frame: that holds tips 1 and 2 together, then 1 and 3. Without rotors, payload and friction,
/// which hold no tips.
pub(super) fn multipliers(moving: &Moving<'_, f64>, acceleration: Vec3<f64>) -> [Vec3<f64>; 2] {
    let angles = moving.pose.nine_angles();
    Bortoff::new(moving.pose.robot.parameters()).inverse_dynamics(&angles, moving.velocity, acceleration).1.lambda
}

/// What the papers compute on the way to their torques. Asadi's part is left out where his model does not apply.
pub(super) fn sections(moving: &Moving<'_, f64>, acceleration: Vec3<f64>) -> Vec<Section> {
    let (pose, parameters) = (&moving.pose, moving.pose.robot.parameters());
    let quantity = |symbol, meaning, equation, unit, values| Quantity::new(symbol, meaning, "", equation, unit, values);
    let mut sections = Vec::new();
    if ModelName::Asadi.applies_to(parameters).is_ok() {
        let model = Asadi::new(parameters);
        let matrices = model.explicit(moving);
        let masses = model.three_masses();
        let mass = |k: usize| Values::PerJoint(masses.map(|masses| masses[k]).into());
        let rows = |matrix: crate::Mat3<f64>| Values::Matrix(matrix.0.iter().map(|row| row.0.to_vec()).collect());
        sections.push(Section {
            title: "Asadi and Heydari: M Ẍ + C Ẋ + G = Jᵀ τ, without rotors and payload",
            quantities: vec![
                quantity("m_C", "point mass of the forearm at the elbow", "Asadi (22)", "kg", mass(0)),
                quantity("m_A", "at the platform", "Asadi (22)", "kg", mass(1)),
                quantity("m_K", "at its centre of mass", "Asadi (22)", "kg", mass(2)),
                quantity("M", "", "Asadi (40)", "kg", rows(matrices.m)),
                quantity("C", "", "Asadi (41)", "kg/s", rows(matrices.c)),
                quantity("G", "", "Asadi (42)", "N", Values::Vector(matrices.g.0)),
            ],
        });
    }
    let [gamma, psi] = passive_angles(pose).map(|angles| angles.map(f64::to_degrees));
    let angles = pose.nine_angles();
    let angle = |k: usize| Values::PerJoint([0, 1, 2].map(|arm| angles.0[arm][k].to_degrees()).into());
    let [first, second] = multipliers(moving, acceleration);
    sections.push(Section {
        title: "Passive angles and constraint forces",
        quantities: vec![
            quantity(
                "γ",
                "forearm from the upper arm, in its plane",
                "Falezza (12), corrected",
                "deg",
                Values::PerJoint(gamma.into()),
            ),
            quantity("ψ", "forearm out of the plane", "Falezza (12), corrected", "deg", Values::PerJoint(psi.into())),
            quantity("φ₂", "forearm from the radial direction", "Bortoff (3)", "deg", angle(1)),
            quantity("φ₃", "its turn about that direction", "Bortoff (3)", "deg", angle(2)),
            quantity(
                "λ₁₂",
                "holds tips 1 and 2 together, his frame, z down",
                "Bortoff (15)",
                "N",
                Values::Vector(first.0),
            ),
            quantity("λ₁₃", "holds tips 1 and 3 together", "Bortoff (15)", "N", Values::Vector(second.0)),
        ],
    });
    sections
}
