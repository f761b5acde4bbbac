//! A state of a parallel robot in full: every intermediate quantity with its formula, read from the stages of the computation.

use crate::Vec3;
use crate::algebra::sum;
use crate::parallel::Moving;
use crate::robot::explanation::{Explanation, Quantity, Section, Values};
use crate::spatial::{Twist, Wrench};

const SOURCES: [&str; 2] = [
    "Equations: `kinematics` and `dynamics` are the heads of those files in crates/core/src/parallel, after Codourey 1998, (1)–(38).",
    "Vectors are in the base frame, rows x, y, z. Where a joint slides, its unit has N for N m, m for rad and kg for kg m².",
];

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
    let quantity = Quantity::new;
    let leg = |i: usize| &pose.legs[i];
    let position = vec![
        quantity("r", "joint on the platform from its origin", "R p", "kinematics", "m", vectors(&|i| leg(i).lever)),
        quantity("C", "end of the rod that the motor moves", "", "kinematics", "m", vectors(&|i| pose.near(i))),
        quantity("s", "rod or strut", "X + r − C", "kinematics", "m", vectors(&|i| leg(i).rod)),
        quantity("q", "joints", "closed form", "kinematics", "rad", each(pose.joints())),
        quantity("C′", "derivative of C by q", "", "kinematics", "m", vectors(&|i| leg(i).tangent)),
        quantity("w", "transmission", "s·C′; of a strut q", "kinematics", "m²", of(&|i| leg(i).transmission)),
        quantity("", "type-1 margins", "w/(|C′| L)", "", "1", each(pose.transmission_margins())),
        quantity("", "type-2 margin", "determinant of the legs' lines", "", "1", Values::One(pose.determinant())),
        quantity("", "least distance of two legs", "", "", "m", Values::One(pose.least_distance().0)),
    ];
    let rates = vec![
        quantity(
            "Ṗ",
            "of the platform joint",
            "v + ω × r",
            "kinematics",
            "m/s",
            vectors(&|i| moving.velocity.legs[i].point),
        ),
        quantity("q̇", "joints", "s·Ṗ/w", "kinematics", "rad/s", each(moving.joint_velocity())),
        quantity("ṡ", "of the rod", "Ṗ − C′ q̇", "kinematics", "m/s", vectors(&|i| moving.rod_rates(i).0)),
        quantity("ẇ", "of the transmission", "ṡ·C′ + s·C″ q̇", "kinematics", "m²/s", of(&|i| moving.rod_rates(i).1)),
        quantity(
            "q̈",
            "joints",
            "(s·P̈ + ṡ·Ṗ − ẇ q̇)/w",
            "kinematics",
            "rad/s²",
            each(moving.joint_acceleration(acceleration)),
        ),
    ];
    let asked = vec![
        quantity(
            "n",
            "what the leg asks of its motor",
            "I q̈ + m_ca C′·P̈ − m C′·g",
            "dynamics (1), (2)",
            "N m",
            each(loads.moments),
        ),
        quantity(
            "F",
            "and of the platform, beside masses at its joints",
            "",
            "dynamics (1), (2)",
            "N",
            vectors(&|i| loads.far[i]),
        ),
        quantity(
            "f",
            "what all ask of the platform",
            "ΣF + m ẍ + T h − m_g g − force",
            "dynamics (3)",
            "N",
            Values::Vector(loads.platform.force.0),
        ),
        quantity(
            "m",
            "and its moment",
            "Σ r × F + I α + ω × I ω + h × ẍ − h_g × g − moment",
            "dynamics (3)",
            "N m",
            Values::Vector(loads.platform.moment.0),
        ),
    ];
    let torques = vec![
        quantity(
            "λ",
            "of the rods, Σ λ (s, r × s) = (f, m)",
            "",
            "dynamics (3)",
            "N/m",
            of(&|i| carried[i] / leg(i).transmission),
        ),
        quantity("w λ", "what that asks of the motors", "", "dynamics (4)", "N m", each(carried)),
        quantity("", "friction", "", "file", "N m", each(friction)),
        quantity("τ", "torques", "n + w λ + friction", "dynamics (4)", "N m", each(torque)),
        quantity("", "of these inertia", "", "", "N m", each(parts.inertia)),
        quantity("", "Coriolis and centrifugal", "", "", "N m", each(parts.coriolis)),
        quantity("", "weight", "", "", "N m", each(parts.gravity)),
    ];
    let section = |title, quantities| Section { title, quantities };
    let sections = vec![
        section("The legs", position),
        section("Their motion", rates),
        section("What the bodies ask for", asked),
        section("Torques", torques),
    ];
    Explanation { sources: &SOURCES, sections, torque: torque.into() }
}
