//! A state of a Delta in full: every intermediate quantity with its formula, read from the stages of the computation.

use crate::algebra::{dot, sum};
use crate::delta::{Body, Moving, Term};
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
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

fn reason(term: Term) -> &'static str {
    match term {
        Term::Inertia => "proportional to Ẍ",
        Term::Coriolis => "quadratic in Ẋ, Ẍ held (c below holds q̈ instead)",
        Term::Gravity => "weight",
        Term::Friction => "at the motors and passive joints",
        Term::Force => "the force on the platform",
    }
}

/// Explains a state under a platform acceleration and a force on the platform.
pub(super) fn explain(moving: &Moving<'_, f64>, acceleration: Vec3<f64>, force: Vec3<f64>) -> Explanation {
    let pose = &moving.pose;
    let robot = pose.robot;
    let parameters = robot.parameters();
    let lumped = robot.lumped_arms();
    let g = robot.gravity();
    let per_arm = |f: &dyn Fn(usize) -> f64| Values::PerJoint([0, 1, 2].map(f).into());
    let vectors = |f: &dyn Fn(usize) -> Vec3<f64>| Values::VectorPerJoint([0, 1, 2].map(|i| f(i).0).into());
    let la = |i: usize| parameters.arms[i].upper_arm.length;
    let (m_t, m_g) = (robot.platform_inertia(), robot.platform_weight());

    let loads = moving.loads(acceleration, force);
    let arm = |i: usize| &pose.arms[i];
    let rods = (0..3).fold(Vec3::zero(), |rods, i| rods + loads.elbow_acceleration[i] * lumped[i].m_ca);
    let transmitted = pose.torque_of_wrench(loads.platform);
    let friction = moving.dissipation_torque();
    let torque = sum(sum(loads.moments, transmitted), friction);

    let parts = moving.breakdown(acceleration, force);
    let carried_by_rods = moving.forearm_forces(acceleration, force);

    let quantity = Quantity::new;
    let sections = vec![
        Section {
            title: "The robot",
            quantities: vec![
                quantity(
                    "φ",
                    "azimuth of the arm",
                    "",
                    "file",
                    "deg",
                    per_arm(&|i| parameters.arms[i].azimuth.radians().to_degrees().rem_euclid(360.0)),
                ),
                quantity(
                    "R",
                    "motor axis, platform shrunk to a point",
                    "R_base − R_platform",
                    "file",
                    "m",
                    per_arm(&|i| parameters.arms[i].radius()),
                ),
                quantity("L_A", "upper arm", "", "file", "m", per_arm(&la)),
                quantity("L_B", "forearm", "", "file", "m", per_arm(&|i| parameters.arms[i].forearm.length)),
                quantity(
                    "m_cc",
                    "rod's mass at the elbow",
                    "m(1−ρ)² + I/L²",
                    "exact (1)",
                    "kg",
                    per_arm(&|i| lumped[i].m_cc),
                ),
                quantity(
                    "m_ca",
                    "rod's coupling elbow–platform",
                    "mρ(1−ρ) − I/L²",
                    "exact (1)",
                    "kg",
                    per_arm(&|i| lumped[i].m_ca),
                ),
                quantity(
                    "m_aa",
                    "rod's mass at the platform",
                    "mρ² + I/L²",
                    "exact (1)",
                    "kg",
                    per_arm(&|i| lumped[i].m_aa),
                ),
                quantity(
                    "I",
                    "inertia about the motor axis",
                    "arm + elbow + rotor + m_cc L_A²",
                    "exact (2)",
                    "kg m²",
                    per_arm(&|i| lumped[i].inertia),
                ),
                quantity(
                    "μ",
                    "first moment about the motor axis",
                    "arm + elbow + m(1−ρ) L_A",
                    "exact (2)",
                    "kg m",
                    per_arm(&|i| lumped[i].moment),
                ),
                quantity(
                    "m_t",
                    "mass that moves with the platform",
                    "m_P + payload + Σ m_aa",
                    "exact (3)",
                    "kg",
                    Values::One(m_t),
                ),
                quantity(
                    "m_g",
                    "mass that weighs at the platform",
                    "m_P + payload + Σ mρ",
                    "exact (3)",
                    "kg",
                    Values::One(m_g),
                ),
                quantity("g", "gravity", "", "file", "m/s²", Values::Vector(g.0)),
            ],
        },
        Section {
            title: "Position: the arms",
            quantities: vec![
                quantity("X", "platform", "", "given", "m", Values::Vector(pose.position.0)),
                quantity(
                    "p",
                    "platform from the motor axis, in the arm's plane",
                    "x cos φ + y sin φ − R",
                    "kinematics",
                    "m",
                    per_arm(&|i| arm(i).radial),
                ),
                quantity(
                    "t",
                    "the same across the plane",
                    "y cos φ − x sin φ",
                    "kinematics",
                    "m",
                    per_arm(&|i| arm(i).lateral),
                ),
                quantity(
                    "h",
                    "closure of the loop |s| = L_B",
                    "(p² + t² + z² + L_A² − L_B²)/2",
                    "Asadi (4)",
                    "m²",
                    per_arm(&|i| arm(i).h),
                ),
                quantity(
                    "r²",
                    "distance in the plane, squared",
                    "p² + z²",
                    "kinematics",
                    "m²",
                    per_arm(&|i| arm(i).radial * arm(i).radial + pose.position[2] * pose.position[2]),
                ),
                quantity(
                    "w",
                    "transmission; 0 is singular",
                    "±√(L_A² r² − h²) = s·e′",
                    "Asadi (8)",
                    "m²",
                    per_arm(&|i| arm(i).transmission),
                ),
                quantity("cos q", "", "(p h − z w)/(L_A r²)", "kinematics", "1", per_arm(&|i| arm(i).cos_q)),
                quantity("sin q", "", "−(z h + p w)/(L_A r²)", "kinematics", "1", per_arm(&|i| arm(i).sin_q)),
                quantity("q", "joint angle", "atan2(sin q, cos q)", "kinematics", "rad", per_joint(pose.joints())),
                quantity("q", "in degrees", "", "", "deg", per_joint(pose.joints().map(f64::to_degrees))),
                quantity(
                    "e",
                    "elbow",
                    "Rz(φ)[R + L_A cos q, 0, −L_A sin q]",
                    "Codourey (30)",
                    "m",
                    vectors(&|i| arm(i).elbow),
                ),
                quantity(
                    "e′",
                    "∂e/∂q",
                    "Rz(φ)[−L_A sin q, 0, −L_A cos q]",
                    "Codourey (42)",
                    "m",
                    vectors(&|i| arm(i).tangent),
                ),
                quantity(
                    "e″",
                    "∂²e/∂q²",
                    "Rz(φ)[−L_A cos q, 0, L_A sin q]",
                    "Codourey (38)",
                    "m",
                    vectors(&|i| arm(i).curvature),
                ),
                quantity("s", "forearm", "X − e", "Codourey (30)", "m", vectors(&|i| arm(i).rod)),
                quantity("j", "row of the Jacobian, q̇ = J Ẋ", "s/w", "Asadi (9)", "1/m", vectors(&|i| arm(i).jacobian)),
                quantity("K", "its inverse, Ẋ = K q̇", "J⁻¹", "Codourey (36)", "m", rows(pose.inverse_jacobian())),
                quantity(
                    "w/L_A L_B",
                    "margin to a type-1 singularity",
                    "",
                    "kinematics",
                    "1",
                    per_joint(pose.transmission_margins()),
                ),
                quantity(
                    "det",
                    "margin to a type-2 singularity",
                    "det[s₁ s₂ s₃]/L_B³",
                    "kinematics",
                    "1",
                    Values::One(pose.rod_determinant()),
                ),
                quantity(
                    "ball",
                    "forearm out of the arm's plane",
                    "atan2(t, √(L_B² − t²))",
                    "kinematics",
                    "deg",
                    per_joint(pose.ball_angles().map(f64::to_degrees)),
                ),
            ],
        },
        Section {
            title: "Velocity",
            quantities: vec![
                quantity("Ẋ", "platform velocity", "", "given", "m/s", Values::Vector(moving.velocity.0)),
                quantity("q̇", "joint velocity", "j·Ẋ", "Asadi (9)", "rad/s", per_joint(moving.joint_velocity())),
                quantity(
                    "ṡ",
                    "forearm's relative velocity",
                    "Ẋ − e′ q̇",
                    "Asadi (7)",
                    "m/s",
                    vectors(&|i| moving.arms[i].rod_velocity),
                ),
                quantity(
                    "κ",
                    "velocity part of w q̈ = s·Ẍ + κ",
                    "|ṡ|² + (h − L_A²) q̇²",
                    "Asadi (10)",
                    "m²/s²",
                    per_arm(&|i| moving.arms[i].kappa),
                ),
                quantity(
                    "j̇",
                    "row of J̇",
                    "(ṡ − j ẇ)/w,  ẇ = ṡ·e′ + s·e″ q̇",
                    "Asadi (12)",
                    "1/(m s)",
                    Values::VectorPerJoint(moving.jacobian_rate().0.map(|row| row.0).into()),
                ),
            ],
        },
        Section {
            title: "Acceleration",
            quantities: vec![
                quantity("Ẍ", "platform acceleration", "", "given", "m/s²", Values::Vector(acceleration.0)),
                quantity(
                    "q̈",
                    "joint acceleration",
                    "j·Ẍ + κ/w",
                    "Asadi (11)",
                    "rad/s²",
                    per_joint(loads.joint_acceleration),
                ),
                quantity(
                    "ë",
                    "elbow acceleration",
                    "e′ q̈ + e″ q̇²",
                    "Codourey (56)",
                    "m/s²",
                    vectors(&|i| loads.elbow_acceleration[i]),
                ),
            ],
        },
        Section {
            title: "Torque",
            quantities: vec![
                quantity("I q̈", "turning the arm", "", "exact (2)", "N m", per_joint(loads.turning)),
                quantity("m_ca e′·Ẍ", "the rod's coupling", "", "exact (2)", "N m", per_joint(loads.coupling)),
                quantity("−μ e′·g/L_A", "weight of the arm", "", "exact (2)", "N m", per_arm(&|i| -loads.weight[i])),
                quantity(
                    "n",
                    "moment about the motor axis",
                    "sum of the three",
                    "exact (2)",
                    "N m",
                    per_joint(loads.moments),
                ),
                quantity("f", "force on the platform", "", "given", "N", Values::Vector(force.0)),
                quantity("m_t Ẍ", "moving the platform", "", "exact (3)", "N", Values::Vector((acceleration * m_t).0)),
                quantity("Σ m_ca ë", "the rods' coupling", "", "exact (3)", "N", Values::Vector(rods.0)),
                quantity("−m_g g", "weight of the platform", "", "exact (3)", "N", Values::Vector((-(g * m_g)).0)),
                quantity(
                    "F",
                    "force at the platform",
                    "m_t Ẍ + Σ m_ca ë − m_g g − f",
                    "exact (3)",
                    "N",
                    Values::Vector(loads.platform.0),
                ),
                quantity(
                    "λ",
                    "share of each rod, Σ λ s = F",
                    "[s₁ s₂ s₃]⁻¹ F",
                    "exact (4)",
                    "N/m",
                    per_arm(&|i| transmitted[i] / arm(i).transmission),
                ),
                quantity("w λ", "what reaches the motor", "= Kᵀ F", "exact (4)", "N m", per_joint(transmitted)),
                quantity("τ_f", "friction and damping", "", "conventions", "N m", per_joint(friction)),
                quantity("τ", "motor torque", "n + w λ + τ_f", "exact (4)", "N m", per_joint(torque)),
            ],
        },
        Section {
            title: "Where it comes from",
            quantities: Term::ALL
                .iter()
                .map(|&term| {
                    quantity(term.as_str(), reason(term), "", "by term", "N m", per_joint(parts.by_term(term)))
                })
                .chain(
                    Body::ALL
                        .iter()
                        .map(|&body| quantity(body.as_str(), "", "", "by body", "N m", per_joint(parts.by_body(body)))),
                )
                .collect(),
        },
        Section {
            title: "What the forearms carry, each pair",
            quantities: vec![
                quantity(
                    "at the platform",
                    "tension; negative: pressed",
                    "",
                    "",
                    "N",
                    per_arm(&|i| carried_by_rods[i].tension_at_platform),
                ),
                quantity(
                    "at the elbow",
                    "the same, with the rod's own weight and inertia",
                    "",
                    "",
                    "N",
                    per_arm(&|i| carried_by_rods[i].tension_at_elbow),
                ),
            ],
        },
        Section {
            title: "The same as matrices",
            quantities: vec![
                quantity(
                    "M",
                    "mass matrix, platform coordinates",
                    "m_t 1 + Σ[I jjᵀ + m_ca(je′ᵀ + e′jᵀ)]",
                    "exact (5)",
                    "kg",
                    rows(pose.cartesian_mass_matrix()),
                ),
                quantity(
                    "C",
                    "Coriolis matrix, Ṁ − 2C skew",
                    "Σ[I jj̇ᵀ + m_ca(e″q̇jᵀ + e′j̇ᵀ)]",
                    "exact (6)",
                    "kg/s",
                    rows(moving.cartesian_coriolis_matrix()),
                ),
                quantity(
                    "G",
                    "gravity",
                    "−m_g g − Σ μ(e′·g/L_A) j",
                    "exact (7)",
                    "N",
                    Values::Vector(pose.cartesian_gravity().0),
                ),
                quantity(
                    "Kᵀ(MẌ + CẊ + G − f)",
                    "τ − τ_f once more",
                    "",
                    "Asadi (39)",
                    "N m",
                    per_joint(pose.torque_of_wrench(
                        pose.cartesian_mass_matrix() * acceleration
                            + moving.cartesian_coriolis_matrix() * moving.velocity
                            + pose.cartesian_gravity()
                            - force,
                    )),
                ),
                quantity(
                    "A",
                    "mass matrix, joint coordinates",
                    "Kᵀ M K",
                    "Codourey (47)",
                    "kg m²",
                    rows(pose.mass_matrix()),
                ),
                quantity(
                    "c",
                    "velocity torque, τ = A q̈ + c + τ_g",
                    "Kᵀ(M(−K J̇ Ẋ) + C Ẋ)",
                    "Codourey (37)",
                    "N m",
                    per_joint(moving.coriolis()),
                ),
                quantity("τ_g", "holding torque", "Kᵀ G", "exact (7)", "N m", per_joint(pose.gravity_torque())),
            ],
        },
        Section {
            title: "Energy",
            quantities: vec![
                quantity("T", "kinetic", "½ Ẋᵀ M Ẋ", "", "J", Values::One(moving.kinetic_energy())),
                quantity("V", "potential, against the base", "", "", "J", Values::One(pose.potential_energy())),
                quantity("τ·q̇", "power of the motors", "", "", "W", Values::One(dot(torque, moving.joint_velocity()))),
            ],
        },
    ];
    Explanation { sources: &SOURCES, sections, torque: torque.into() }
}
