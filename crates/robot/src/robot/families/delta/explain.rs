//! A state of a Delta in full: every intermediate quantity with its formula, read from the stages of the computation, and in the terms of the
//! papers: Asadi's matrices, Falezza's passive angles, Bortoff's nine angles and λ.

use crate::algebra::{dot, sum};
use crate::delta::models::{asadi::Asadi, bortoff::Bortoff, falezza::Complete};
use crate::delta::{Arm, Body, ModelName, Moving, Pose, Term};
use crate::robot::explanation::{Explanation, Line, Quantity, Section, Values};
use crate::{Mat3, Vec3};

const SOURCES: [&str; 2] = [
    "Equations: `exact` and `kinematics` are the heads of those files in crates/core/src/delta,",
    "the others are in the papers (docs). Vectors are in the base frame, rows x, y, z.",
];

fn rows(m: Mat3<f64>) -> Values {
    Values::Matrix(m.0.iter().map(|row| row.0.to_vec()).collect())
}

fn per_joint(values: [f64; 3]) -> Values {
    Values::PerJoint(values.into())
}

fn per_arm(value: impl Fn(usize) -> f64) -> Values {
    per_joint([0, 1, 2].map(value))
}

fn vectors(value: impl Fn(usize) -> Vec3<f64>) -> Values {
    Values::VectorPerJoint([0, 1, 2].map(|i| value(i).0).into())
}

fn reason(term: Term) -> &'static str {
    match term {
        Term::Inertia => "proportional to Ẍ",
        Term::Coriolis => "quadratic in Ẋ, Ẍ held (c below holds q̈ instead)",
        Term::Gravity => "weight",
        Term::Friction => "at the motors and passive joints",
        Term::Force => "the force on the platform",
    }
}

const ROBOT: [Line; 12] = [
    ["φ", "azimuth of the arm", "", "file", "deg"],
    ["R", "motor axis, platform shrunk to a point", "R_base − R_platform", "file", "m"],
    ["L_A", "upper arm", "", "file", "m"],
    ["L_B", "forearm", "", "file", "m"],
    ["m_cc", "rod's mass at the elbow", "m(1−ρ)² + I/L²", "exact (1)", "kg"],
    ["m_ca", "rod's coupling elbow–platform", "mρ(1−ρ) − I/L²", "exact (1)", "kg"],
    ["m_aa", "rod's mass at the platform", "mρ² + I/L²", "exact (1)", "kg"],
    ["I", "inertia about the motor axis", "arm + elbow + rotor + m_cc L_A²", "exact (2)", "kg m²"],
    ["μ", "first moment about the motor axis", "arm + elbow + m(1−ρ) L_A", "exact (2)", "kg m"],
    ["m_t", "mass that moves with the platform", "m_P + payload + Σ m_aa", "exact (3)", "kg"],
    ["m_g", "mass that weighs at the platform", "m_P + payload + Σ mρ", "exact (3)", "kg"],
    ["g", "gravity", "", "file", "m/s²"],
];

const POSITION: [Line; 19] = [
    ["X", "platform", "", "given", "m"],
    ["p", "platform from the motor axis, in the arm's plane", "x cos φ + y sin φ − R", "kinematics", "m"],
    ["t", "the same across the plane", "y cos φ − x sin φ", "kinematics", "m"],
    ["h", "closure of the loop |s| = L_B", "(p² + t² + z² + L_A² − L_B²)/2", "Asadi (4)", "m²"],
    ["r²", "distance in the plane, squared", "p² + z²", "kinematics", "m²"],
    ["w", "transmission; 0 is singular", "±√(L_A² r² − h²) = s·e′", "Asadi (8)", "m²"],
    ["cos q", "", "(p h − z w)/(L_A r²)", "kinematics", "1"],
    ["sin q", "", "−(z h + p w)/(L_A r²)", "kinematics", "1"],
    ["q", "joint angle", "atan2(sin q, cos q)", "kinematics", "rad"],
    ["q", "in degrees", "", "", "deg"],
    ["e", "elbow", "Rz(φ)[R + L_A cos q, 0, −L_A sin q]", "Codourey (30)", "m"],
    ["e′", "∂e/∂q", "Rz(φ)[−L_A sin q, 0, −L_A cos q]", "Codourey (42)", "m"],
    ["e″", "∂²e/∂q²", "Rz(φ)[−L_A cos q, 0, L_A sin q]", "Codourey (38)", "m"],
    ["s", "forearm", "X − e", "Codourey (30)", "m"],
    ["j", "row of the Jacobian, q̇ = J Ẋ", "s/w", "Asadi (9)", "1/m"],
    ["K", "its inverse, Ẋ = K q̇", "J⁻¹", "Codourey (36)", "m"],
    ["w/L_A L_B", "margin to a type-1 singularity", "", "kinematics", "1"],
    ["det", "margin to a type-2 singularity", "det[s₁ s₂ s₃]/L_B³", "kinematics", "1"],
    ["ball", "forearm out of the arm's plane", "atan2(t, √(L_B² − t²))", "kinematics", "deg"],
];

const VELOCITY: [Line; 5] = [
    ["Ẋ", "platform velocity", "", "given", "m/s"],
    ["q̇", "joint velocity", "j·Ẋ", "Asadi (9)", "rad/s"],
    ["ṡ", "forearm's relative velocity", "Ẋ − e′ q̇", "Asadi (7)", "m/s"],
    ["κ", "velocity part of w q̈ = s·Ẍ + κ", "|ṡ|² + (h − L_A²) q̇²", "Asadi (10)", "m²/s²"],
    ["j̇", "row of J̇", "(ṡ − j ẇ)/w,  ẇ = ṡ·e′ + s·e″ q̇", "Asadi (12)", "1/(m s)"],
];

const ACCELERATION: [Line; 3] = [
    ["Ẍ", "platform acceleration", "", "given", "m/s²"],
    ["q̈", "joint acceleration", "j·Ẍ + κ/w", "Asadi (11)", "rad/s²"],
    ["ë", "elbow acceleration", "e′ q̈ + e″ q̇²", "Codourey (56)", "m/s²"],
];

const TORQUE: [Line; 13] = [
    ["I q̈", "turning the arm", "", "exact (2)", "N m"],
    ["m_ca e′·Ẍ", "the rod's coupling", "", "exact (2)", "N m"],
    ["−μ e′·g/L_A", "weight of the arm", "", "exact (2)", "N m"],
    ["n", "moment about the motor axis", "sum of the three", "exact (2)", "N m"],
    ["f", "force on the platform", "", "given", "N"],
    ["m_t Ẍ", "moving the platform", "", "exact (3)", "N"],
    ["Σ m_ca ë", "the rods' coupling", "", "exact (3)", "N"],
    ["−m_g g", "weight of the platform", "", "exact (3)", "N"],
    ["F", "force at the platform", "m_t Ẍ + Σ m_ca ë − m_g g − f", "exact (3)", "N"],
    ["λ", "share of each rod, Σ λ s = F", "[s₁ s₂ s₃]⁻¹ F", "exact (4)", "N/m"],
    ["w λ", "what reaches the motor", "= Kᵀ F", "exact (4)", "N m"],
    ["τ_f", "friction and damping", "", "conventions", "N m"],
    ["τ", "motor torque", "n + w λ + τ_f", "exact (4)", "N m"],
];

const FOREARMS: [Line; 2] = [
    ["at the platform", "tension; negative: pressed", "", "", "N"],
    ["at the elbow", "the same, with the rod's own weight and inertia", "", "", "N"],
];

const MATRICES: [Line; 7] = [
    ["M", "mass matrix, platform coordinates", "m_t 1 + Σ[I jjᵀ + m_ca(je′ᵀ + e′jᵀ)]", "exact (5)", "kg"],
    ["C", "Coriolis matrix, Ṁ − 2C skew", "Σ[I jj̇ᵀ + m_ca(e″q̇jᵀ + e′j̇ᵀ)]", "exact (6)", "kg/s"],
    ["G", "gravity", "−m_g g − Σ μ(e′·g/L_A) j", "exact (7)", "N"],
    ["Kᵀ(MẌ + CẊ + G − f)", "τ − τ_f once more", "", "Asadi (39)", "N m"],
    ["A", "mass matrix, joint coordinates", "Kᵀ M K", "Codourey (47)", "kg m²"],
    ["c", "velocity torque, τ = A q̈ + c + τ_g", "Kᵀ(M(−K J̇ Ẋ) + C Ẋ)", "Codourey (37)", "N m"],
    ["τ_g", "holding torque", "Kᵀ G", "exact (7)", "N m"],
];

const ENERGY: [Line; 3] = [
    ["T", "kinetic", "½ Ẋᵀ M Ẋ", "", "J"],
    ["V", "potential, against the base", "", "", "J"],
    ["τ·q̇", "power of the motors", "", "", "W"],
];

/// Of Asadi's model, without rotors and payload.
const ASADI: [Line; 6] = [
    ["m_C", "point mass of the forearm at the elbow", "", "Asadi (22)", "kg"],
    ["m_A", "at the platform", "", "Asadi (22)", "kg"],
    ["m_K", "at its centre of mass", "", "Asadi (22)", "kg"],
    ["M", "", "", "Asadi (40)", "kg"],
    ["C", "", "", "Asadi (41)", "kg/s"],
    ["G", "", "", "Asadi (42)", "N"],
];

const PASSIVE: [Line; 6] = [
    ["γ", "forearm from the upper arm, in its plane", "", "Falezza (12), corrected", "deg"],
    ["ψ", "forearm out of the plane", "", "Falezza (12), corrected", "deg"],
    ["φ₂", "forearm from the radial direction", "", "Bortoff (3)", "deg"],
    ["φ₃", "its turn about that direction", "", "Bortoff (3)", "deg"],
    ["λ₁₂", "holds tips 1 and 2 together, his frame, z down", "", "Bortoff (15)", "N"],
    ["λ₁₃", "holds tips 1 and 3 together", "", "Bortoff (15)", "N"],
];

/// Explains a state under a platform acceleration and a force on the platform.
pub(super) fn explain(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>) -> Explanation {
    let (pose, robot) = (&moving.pose, moving.pose.robot);
    let (parameters, lumped, arms) = (robot.parameters(), robot.lumped_arms(), &pose.arms);
    let (m_t, m_g, g) = (robot.platform_inertia(), robot.platform_weight(), robot.gravity());
    let of_robot = [
        per_arm(|i| parameters.arms[i].azimuth.radians().to_degrees().rem_euclid(360.0)),
        per_arm(|i| parameters.arms[i].radius()),
        per_arm(|i| parameters.arms[i].upper_arm.length),
        per_arm(|i| parameters.arms[i].forearm.length),
        per_arm(|i| lumped[i].m_cc),
        per_arm(|i| lumped[i].m_ca),
        per_arm(|i| lumped[i].m_aa),
        per_arm(|i| lumped[i].inertia),
        per_arm(|i| lumped[i].moment),
        Values::One(m_t),
        Values::One(m_g),
        Values::Vector(g.0),
    ];
    let position = [
        Values::Vector(pose.position.0),
        per_arm(|i| arms[i].radial),
        per_arm(|i| arms[i].lateral),
        per_arm(|i| arms[i].h),
        per_arm(|i| arms[i].radial * arms[i].radial + pose.position[2] * pose.position[2]),
        per_arm(|i| arms[i].transmission),
        per_arm(|i| arms[i].cos_q),
        per_arm(|i| arms[i].sin_q),
        per_joint(pose.joints()),
        per_joint(pose.joints().map(f64::to_degrees)),
        vectors(|i| arms[i].elbow),
        vectors(|i| arms[i].tangent),
        vectors(|i| arms[i].curvature),
        vectors(|i| arms[i].rod),
        vectors(|i| arms[i].jacobian),
        rows(pose.inverse_jacobian()),
        per_joint(pose.transmission_margins()),
        Values::One(pose.rod_determinant()),
        per_joint(pose.ball_angles().map(f64::to_degrees)),
    ];
    let rates = moving.jacobian_rate();
    let velocity = [
        Values::Vector(moving.velocity.0),
        per_joint(moving.joint_velocity()),
        vectors(|i| moving.arms[i].rod_velocity),
        per_arm(|i| moving.arms[i].kappa),
        vectors(|i| rates.0[i]),
    ];
    let loads = moving.loads(acceleration, force);
    let changing =
        [Values::Vector(acceleration.0), per_joint(loads.joint_acceleration), vectors(|i| loads.elbow_acceleration[i])];
    let rods = (0..3).fold(Vec3::zero(), |rods, i| rods + loads.elbow_acceleration[i] * lumped[i].m_ca);
    let (transmitted, friction) = (pose.torque_of_wrench(loads.platform), moving.dissipation_torque());
    let torque = sum(sum(loads.moments, transmitted), friction);
    let torques = [
        per_joint(loads.turning),
        per_joint(loads.coupling),
        per_arm(|i| -loads.weight[i]),
        per_joint(loads.moments),
        Values::Vector(force.0),
        Values::Vector((acceleration * m_t).0),
        Values::Vector(rods.0),
        Values::Vector((-(g * m_g)).0),
        Values::Vector(loads.platform.0),
        per_arm(|i| transmitted[i] / arms[i].transmission),
        per_joint(transmitted),
        per_joint(friction),
        per_joint(torque),
    ];
    let carried = moving.forearm_forces(acceleration, force);
    let tensions = [per_arm(|i| carried[i].tension_at_platform), per_arm(|i| carried[i].tension_at_elbow)];
    let (m, c, cartesian) =
        (pose.cartesian_mass_matrix(), moving.cartesian_coriolis_matrix(), pose.cartesian_gravity());
    let matrices = [
        rows(m),
        rows(c),
        Values::Vector(cartesian.0),
        per_joint(pose.torque_of_wrench(m * acceleration + c * moving.velocity + cartesian - force)),
        rows(pose.mass_matrix()),
        per_joint(moving.coriolis()),
        per_joint(pose.gravity_torque()),
    ];
    let energies =
        [moving.kinetic_energy(), pose.potential_energy(), dot(torque, moving.joint_velocity())].map(Values::One);
    let mut sections = vec![
        the_robot(of_robot, lumped),
        Section::new("Position: the arms", &POSITION, position),
        Section::new("Velocity", &VELOCITY, velocity),
        Section::new("Acceleration", &ACCELERATION, changing),
        Section::new("Torque", &TORQUE, torques),
        the_sources(moving, acceleration, force),
        Section::new("What the forearms carry, each pair", &FOREARMS, tensions),
        Section::new("The same as matrices", &MATRICES, matrices),
        Section::new("Energy", &ENERGY, energies),
    ];
    sections.extend(in_papers(moving, acceleration));
    Explanation { sources: &SOURCES, sections, torque: torque.into() }
}

/// With the first moments beside the lines of the arms, where one has any.
fn the_robot(values: [Values; 12], arms: &[Arm<f64>; 3]) -> Section {
    let mut section = Section::new("The robot", &ROBOT, values);
    if arms.iter().any(|arm| arm.offset_moment.is_some()) {
        let moments = per_arm(|i| arms[i].offset_moment.unwrap_or(0.0));
        let meaning = "first moment of the arm beside its line; its weight is −(μ e′ + ν e″)·g/L_A";
        section.quantities.push(Quantity::new(
            "ν",
            meaning,
            "mass · center_of_mass_offset",
            "exact (2)",
            "kg m",
            moments,
        ));
    }
    section
}

fn the_sources(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>) -> Section {
    let parts = moving.breakdown(acceleration, force);
    let term =
        |&term: &Term| Quantity::new(term.as_str(), reason(term), "", "by term", "N m", per_joint(parts.by_term(term)));
    let body = |&body: &Body| Quantity::new(body.as_str(), "", "", "by body", "N m", per_joint(parts.by_body(body)));
    let quantities = Term::ALL.iter().map(term).chain(Body::ALL.iter().map(body)).collect();
    Section { title: "Where it comes from", quantities }
}

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
fn in_papers(moving: &Moving<'_, f64>, acceleration: Vec3<f64>) -> Vec<Section> {
    let (pose, parameters) = (&moving.pose, moving.pose.robot.parameters());
    let mut sections = Vec::new();
    if ModelName::Asadi.applies_to(parameters).is_ok() {
        let model = Asadi::new(parameters);
        let (matrices, masses) = (model.explicit(moving), model.three_masses());
        let mass = |k: usize| per_arm(|i| masses[i][k]);
        let values = [mass(0), mass(1), mass(2), rows(matrices.m), rows(matrices.c), Values::Vector(matrices.g.0)];
        let title = "Asadi and Heydari: M Ẍ + C Ẋ + G = Jᵀ τ, without rotors and payload";
        sections.push(Section::new(title, &ASADI, values));
    }
    let [gamma, psi] = passive_angles(pose).map(|angles| per_joint(angles.map(f64::to_degrees)));
    let angles = pose.nine_angles();
    let angle = |k: usize| per_arm(|arm| angles.0[arm][k].to_degrees());
    let [first, second] = multipliers(moving, acceleration).map(|force| Values::Vector(force.0));
    let values = [gamma, psi, angle(1), angle(2), first, second];
    sections.push(Section::new("Passive angles and constraint forces", &PASSIVE, values));
    sections
}
