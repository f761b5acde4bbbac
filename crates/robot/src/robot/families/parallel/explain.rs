//! A state of a parallel robot in full: every intermediate quantity with its formula, read from the stages of the computation.

use crate::Vec3;
use crate::algebra::sum;
use crate::parallel::{LegParameters, Moving};
use crate::robot::explanation::{Explanation, Line, Section, Values};
use crate::spatial::{Twist, Wrench};

const SOURCES: [&str; 2] = [
    "Equations: `kinematics` and `dynamics` are the heads of those files in crates/core/src/parallel, after Codourey 1998, (1)–(38).",
    "Vectors are in the base frame, rows x, y, z.",
];

const LEGS: [Line; 9] = [
    ["r", "joint on the platform from its origin", "R p", "kinematics", "m"],
    ["C", "end of the rod that the motor moves", "", "kinematics", "m"],
    ["s", "rod or strut", "X + r − C", "kinematics", "m"],
    ["q", "joints", "closed form", "kinematics", "rad"],
    ["C′", "derivative of C by q", "", "kinematics", "m"],
    ["w", "transmission", "s·C′; of a strut q", "kinematics", "m²"],
    ["", "type-1 margins", "w/(|C′| L)", "", "1"],
    ["", "type-2 margin", "determinant of the legs' lines", "", "1"],
    ["", "least distance of two legs", "", "", "m"],
];

const MOTION: [Line; 5] = [
    ["Ṗ", "of the platform joint", "v + ω × r", "kinematics", "m/s"],
    ["q̇", "joints", "s·Ṗ/w", "kinematics", "rad/s"],
    ["ṡ", "of the rod", "Ṗ − C′ q̇", "kinematics", "m/s"],
    ["ẇ", "of the transmission", "ṡ·C′ + s·C″ q̇", "kinematics", "m²/s"],
    ["q̈", "joints", "(s·P̈ + ṡ·Ṗ − ẇ q̇)/w", "kinematics", "rad/s²"],
];

const BODIES: [Line; 4] = [
    ["n", "what the leg asks of its motor", "I q̈ + m_ca C′·P̈ − m C′·g", "dynamics (1), (2)", "N m"],
    ["F", "and of the platform, beside masses at its joints", "", "dynamics (1), (2)", "N"],
    ["f", "what all ask of the platform", "ΣF + m ẍ + T h − m_g g − force", "dynamics (3)", "N"],
    ["m", "and its moment", "Σ r × F + I α + ω × I ω + h × ẍ − h_g × g − moment", "dynamics (3)", "N m"],
];

const TORQUES: [Line; 7] = [
    ["λ", "of the rods, Σ λ (s, r × s) = (f, m)", "", "dynamics (3)", "N/m"],
    ["w λ", "what that asks of the motors", "", "dynamics (4)", "N m"],
    ["", "friction", "", "file", "N m"],
    ["τ", "torques", "n + w λ + friction", "dynamics (4)", "N m"],
    ["", "of these inertia", "", "", "N m"],
    ["", "Coriolis and centrifugal", "", "", "N m"],
    ["", "weight", "", "", "N m"],
];

/// By a joint that slides, C changes by a length per length.
fn of_slides<const K: usize>(mut lines: [Line; K], slide: bool) -> [Line; K] {
    for [symbol, .., unit] in lines.iter_mut().filter(|_| slide) {
        *unit = match *symbol {
            "C′" => "1",
            "w" => "m",
            "ẇ" => "m/s",
            _ => unit,
        };
    }
    lines
}

/// Explains a state under an acceleration of the platform and a wrench on it.
pub(super) fn explain<const N: usize>(
    moving: &Moving<'_, f64, N>,
    acceleration: Twist<f64>,
    wrench: Wrench<f64>,
) -> Explanation {
    let pose = &moving.pose;
    let factors = pose.factors();
    let loads = moving.loads(acceleration, &moving.velocity, pose.robot.gravity(), wrench);
    let carried = pose.torque_of_wrench(&factors, loads.platform);
    let friction = moving.friction_torque();
    let parts = moving.breakdown(acceleration, wrench);
    let torque = sum(sum(loads.moments, carried), friction);

    let each = |values: [f64; N]| Values::PerJoint(values.into());
    let of = |f: &dyn Fn(usize) -> f64| Values::PerJoint(std::array::from_fn::<_, N, _>(f).into());
    let vectors = |f: &dyn Fn(usize) -> Vec3<f64>| Values::VectorPerJoint((0..N).map(|i| f(i).0).collect());
    let leg = |i: usize| &pose.legs[i];
    let position = [
        vectors(&|i| leg(i).lever),
        vectors(&|i| pose.near(i)),
        vectors(&|i| leg(i).rod),
        each(pose.joints()),
        vectors(&|i| leg(i).tangent),
        of(&|i| leg(i).transmission),
        each(pose.transmission_margins()),
        Values::One(pose.determinant()),
        Values::One(pose.least_distance().0),
    ];
    let rates = [
        vectors(&|i| moving.velocity.legs[i].point),
        each(moving.joint_velocity()),
        vectors(&|i| moving.rod_rates(i).0),
        of(&|i| moving.rod_rates(i).1),
        each(moving.joint_acceleration(acceleration)),
    ];
    let asked = [
        each(loads.moments),
        vectors(&|i| loads.far[i]),
        Values::Vector(loads.platform.force.0),
        Values::Vector(loads.platform.moment.0),
    ];
    let torques = [
        of(&|i| carried[i] / leg(i).transmission),
        each(carried),
        each(friction),
        each(torque),
        each(parts.inertia),
        each(parts.coriolis),
        each(parts.gravity),
    ];
    let slide = pose.robot.parameters().legs.iter().all(LegParameters::slides);
    let sections = vec![
        Section::new("The legs", &of_slides(LEGS, slide), position),
        Section::new("Their motion", &of_slides(MOTION, slide), rates),
        Section::new("What the bodies ask for", &BODIES, asked),
        Section::new("Torques", &TORQUES, torques),
    ];
    Explanation { sources: &SOURCES, sections, torque: torque.into() }
}
