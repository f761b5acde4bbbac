//! Parameters as symbols: how each is called, what it is, and the values it is tried with.

use super::Of;
use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::{Graph, Group};
use crate::program::{Parameter, Quantity};
use dalembert_core::algebra::Angle;
use dalembert_core::delta::{ArmParameters, Forearm, Motor, Parameters, UpperArm};
use dalembert_core::friction::Friction;
use dalembert_core::serial::{Armature, Body, DhRow, LinkParameters, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Scalar, Sym3, Vec3};

/// A parameter by name.
pub(super) struct Symbol {
    pub name: String,
    pub meaning: String,
    pub unit: &'static str,
}

fn symbol(name: impl Into<String>, meaning: impl Into<String>, unit: &'static str) -> Symbol {
    Symbol { name: name.into(), meaning: meaning.into(), unit }
}

/// The symbols of a graph, and for each its values at the two sample points.
pub(super) struct Symbols<'g> {
    graph: &'g Graph,
    made: Vec<(Parameter, Expr<'g>, [f64; 2])>,
}

impl<'g> Symbols<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph, made: Vec::new() }
    }

    /// The symbol with this name, made where it is new; zero stays zero.
    pub fn expr(&mut self, symbol: Symbol, value: f64, random: &mut Random) -> Expr<'g> {
        if value == 0.0 {
            return Expr::from_f64(0.0);
        }
        if let Some(known) = self.made.iter().find(|made| made.0.name == symbol.name) {
            return known.1;
        }
        // Near enough that what is possible for the robot is possible for these, and no two in a ratio by chance.
        let samples = [0, 1].map(|_| value * (1.0 + 0.05 * random.signed()));
        let expr = self.graph.input(&symbol.name, Group::Parameter, samples);
        let parameter = Parameter { name: symbol.name, meaning: symbol.meaning, unit: symbol.unit.into(), value };
        self.made.push((parameter, expr, samples));
        expr
    }

    /// The value of a symbol at a sample point.
    pub fn sample(&self, name: &str, value: f64, point: usize) -> f64 {
        self.made.iter().find(|made| made.0.name == name).map_or(value, |made| made.2[point])
    }

    pub fn parameters(&self) -> Vec<Parameter> {
        self.made.iter().map(|made| made.0.clone()).collect()
    }
}

/// Something that makes a number of a symbol and its value.
pub(super) type Make<'m, T> = dyn FnMut(Symbol, f64) -> T + 'm;

/// An angle as a symbol, unless it is a quarter turn: those make the structure of an arm.
fn angle<T: Scalar>(given: Angle<f64>, name: Symbol, make: &mut Make<'_, T>) -> Angle<T> {
    if given.cos == 0.0 || given.sin == 0.0 {
        return given.map(T::from_f64);
    }
    let (sin, cos) = make(name, given.radians()).sin_cos();
    Angle { cos, sin }
}

const AXES: [&str; 3] = ["x", "y", "z"];
const TENSOR: [&str; 6] = ["xx", "yy", "zz", "xy", "yz", "xz"];

fn body<T: Scalar>(given: &Body<f64>, mark: &str, whose: &str, make: &mut Make<'_, T>) -> Body<T> {
    let mut center = [T::zero(); 3];
    for k in 0..3 {
        let name = symbol(format!("c{}{mark}", AXES[k]), format!("centre of mass of {whose}, {}", AXES[k]), "m");
        center[k] = make(name, given.center_of_mass[k]);
    }
    let entries = given.inertia.entries();
    let mut inertia = [T::zero(); 6];
    for k in 0..6 {
        let meaning = format!("inertia of {whose} about its centre of mass, {}", TENSOR[k]);
        inertia[k] = make(symbol(format!("i{}{mark}", TENSOR[k]), meaning, "kg m^2"), entries[k]);
    }
    Body {
        mass: make(symbol(format!("m{mark}"), format!("mass of {whose}"), "kg"), given.mass),
        center_of_mass: Vec3(center),
        inertia: Sym3::new(inertia),
    }
}

pub(super) fn friction<T: Scalar>(given: &Friction<f64>, mark: &str, make: &mut Make<'_, T>) -> Friction<T> {
    let mut part = |name: &str, meaning: &str, unit, value| {
        make(symbol(format!("{name}{mark}"), format!("{meaning}, joint {mark}"), unit), value)
    };
    Friction {
        viscous: part("fv", "viscous friction", "N m s/rad", given.viscous),
        coulomb: part("fc", "Coulomb friction", "N m", given.coulomb),
        static_friction: part("fs", "static friction", "N m", given.static_friction),
        stribeck_velocity: part("vs", "Stribeck velocity", "rad/s", given.stribeck_velocity),
        smoothing_velocity: part("vo", "velocity that smooths the sign", "rad/s", given.smoothing_velocity),
        own: None,
    }
}

fn vector<T: Scalar>(
    given: Vec3<f64>,
    name: &str,
    meaning: &str,
    unit: &'static str,
    make: &mut Make<'_, T>,
) -> Vec3<T> {
    Vec3::from_fn(|k| make(symbol(format!("{name}{}", AXES[k]), format!("{meaning}, {}", AXES[k]), unit), given[k]))
}

/// The parameters of an arm with every number made from its symbol.
pub(super) fn serial<T: Scalar, const N: usize>(
    given: &SerialParameters<f64, N>,
    make: &mut Make<'_, T>,
) -> SerialParameters<T, N> {
    let mut number = 0;
    let links = given.links.map(|link| {
        number += 1;
        let n = number.to_string();
        let dh = DhRow {
            alpha: angle(link.dh.alpha, symbol(format!("alpha{n}"), format!("twist of row {n}"), "rad"), make),
            a: make(symbol(format!("a{n}"), format!("length of row {n}, along x"), "m"), link.dh.a),
            d: make(symbol(format!("d{n}"), format!("offset of row {n}, along z"), "m"), link.dh.d),
            theta_offset: angle(
                link.dh.theta_offset,
                symbol(format!("theta{n}"), format!("angle added to joint {n}"), "rad"),
                make,
            ),
        };
        LinkParameters {
            joint: link.joint,
            dh,
            body: body(&link.body, &n, &format!("link {n}"), make),
            motor_inertia: make(
                symbol(format!("im{n}"), format!("motor inertia at joint {n}"), "kg m^2"),
                link.motor_inertia,
            ),
            gear_ratio: match link.armature {
                Some(_) => make(symbol(format!("n{n}"), format!("gear ratio of joint {n}"), "1"), link.gear_ratio),
                None => T::from_f64(link.gear_ratio),
            },
            friction: link.friction.map(|given| friction(&given, &n, make)),
            armature: link.armature.map(|given| Armature { carrier: given.carrier, axis: given.axis.map(T::from_f64) }),
        }
    });
    SerialParameters {
        convention: given.convention,
        gravity: vector(given.gravity, "g", "acceleration of gravity", "m/s^2", make),
        links,
        tool: Frame {
            rotation: given.tool.rotation.map(T::from_f64),
            origin: vector(given.tool.origin, "e", "tool in the last link's frame", "m", make),
        },
        payload: body(&given.payload, "p", "the payload, tool frame", make),
    }
}

/// The parameters of a Delta robot with every number made from its symbol; one symbol for what the arms share.
pub(super) fn delta<T: Scalar>(given: &Parameters<f64>, make: &mut Make<'_, T>) -> Parameters<T> {
    let arms = [0, 1, 2].map(|i| {
        let arm = &given.arms[i];
        let mut one = |name: &str, meaning: &str, unit, of: fn(&ArmParameters<f64>) -> f64| {
            let shared = given.arms.iter().all(|other| of(other) == of(arm));
            let symbol = match shared {
                true => symbol(name, meaning, unit),
                false => symbol(format!("{name}{}", i + 1), format!("{meaning}, arm {}", i + 1), unit),
            };
            make(symbol, of(arm))
        };
        ArmParameters {
            azimuth: arm.azimuth.map(T::from_f64),
            base_radius: one("rb", "base radius", "m", |arm| arm.base_radius),
            platform_radius: one("rp", "platform radius", "m", |arm| arm.platform_radius),
            upper_arm: UpperArm {
                length: one("la", "length of the upper arm", "m", |arm| arm.upper_arm.length),
                mass: one("ma", "mass of the upper arm", "kg", |arm| arm.upper_arm.mass),
                center_of_mass: one("ca", "centre of mass of the upper arm", "m", |arm| arm.upper_arm.center_of_mass),
                inertia: one("ia", "inertia of the upper arm about its centre of mass", "kg m^2", |arm| {
                    arm.upper_arm.inertia
                }),
                elbow_mass: arm
                    .upper_arm
                    .elbow_mass
                    .map(|_| one("me", "mass at the elbow", "kg", |arm| arm.upper_arm.mass_at_elbow())),
            },
            forearm: Forearm {
                length: one("lb", "length of the forearm", "m", |arm| arm.forearm.length),
                mass: one("mb", "mass of the forearm pair", "kg", |arm| arm.forearm.mass),
                center_of_mass: one("cb", "centre of mass of the forearm from the elbow", "m", |arm| {
                    arm.forearm.center_of_mass
                }),
                inertia: one("ib", "transverse inertia of the forearm pair", "kg m^2", |arm| arm.forearm.inertia),
            },
            motor: Motor {
                rotor_inertia: one("ir", "rotor inertia, motor side", "kg m^2", |arm| arm.motor.rotor_inertia),
                gear_ratio: one("n", "gear ratio", "1", |arm| arm.motor.gear_ratio),
                friction: arm.motor.friction.map(|given| friction(&given, &(i + 1).to_string(), make)),
            },
            passive_damping: arm.passive_damping.map(|damping| {
                make(symbol(format!("dp{}", i + 1), "damping at the passive joints", "N m s/rad"), damping)
            }),
        }
    });
    Parameters {
        gravity: vector(given.gravity, "g", "acceleration of gravity", "m/s^2", make),
        arms,
        platform_mass: make(symbol("mp", "mass of the platform", "kg"), given.platform_mass),
        payload_mass: make(symbol("ml", "mass of the payload", "kg"), given.payload_mass),
        tool: vector(given.tool, "e", "tool in the platform frame", "m", make),
    }
}

/// The inputs of a program in a graph, with their values at the two sample points.
pub(super) fn inputs<'g>(graph: &'g Graph, quantities: &[Quantity], points: &[Vec<f64>; 2]) -> Vec<Expr<'g>> {
    let mut all = Vec::new();
    for quantity in quantities {
        for k in 0..quantity.length {
            let samples = [points[0][all.len()], points[1][all.len()]];
            all.push(graph.input(&format!("{}{}", quantity.name, k + 1), group(&quantity.name), samples));
        }
    }
    all
}

/// How the inputs of a program are grouped.
fn group(name: &str) -> Group {
    match name {
        "q" | "x" | "position" | "rotation" => Group::Position,
        "qd" | "v" => Group::Velocity,
        _ => Group::Acceleration,
    }
}

/// What is computed, for a heading.
pub(super) fn title(of: Of) -> String {
    let what = match of {
        Of::Torque => "joint torques for joint positions, velocities and accelerations",
        Of::TorqueCartesian => "joint torques for position, velocity and acceleration of the platform",
        Of::Mass => "mass matrix in joint coordinates",
        Of::Gravity => "torques that hold the robot still",
        Of::Coriolis => "torques that the velocity asks for",
        Of::Acceleration => "joint accelerations under joint torques",
        Of::Fk => "forward kinematics",
        Of::Ik => "inverse kinematics",
    };
    what.into()
}
