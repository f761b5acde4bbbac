//! Serial arms as parts of mechanisms: against their own dynamics, which the mechanism does not use where only energies
//! are known, and against the same loop made of other parts.

use dalembert::mechanism::{
    BodyPoint, ChainPart, Coincident, D2, Mechanism, MechanismDynamics, MechanismPart, OnPlane, add_arm,
};
use dalembert::robot::Robot;
use dalembert::robot::families::ChainRobot;
use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert::spatial::{Frame, Wrench};
use dalembert::{Angle, Dual, Mat3, Sym3, Vec3};
use std::error::Error;

use crate::common::linkages::{FIVE_BAR, GRAVITY};
use crate::common::underived::Underived;

fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// The PUMA and the eight random arms of the golden data: 2 to 8 joints, both conventions, prismatic joints, payloads.
fn arms() -> Result<Vec<Robot>, Box<dyn Error>> {
    let file = |name| format!("{}/../../golden/robots/serial-{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let golden = ["a", "b", "c", "d", "e", "f", "g", "h"].map(file);
    ["puma560"].into_iter().chain(golden.iter().map(String::as_str)).map(|name| Ok(Robot::find(name)?)).collect()
}

fn puma() -> Result<Serial<f64, 6>, Box<dyn Error>> {
    Ok(arm::<6>(&Robot::find("puma560")?).ok_or("six joints")?)
}

fn arm<const N: usize>(robot: &Robot) -> Option<Serial<f64, N>> {
    robot.of_type::<ChainRobot>()?.formulas().serial()
}

/// A state without symmetry.
fn state(n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let wave = |phase: f64, size: f64| (0..n).map(|i| size * (1.7 * i as f64 + phase).sin()).collect();
    (wave(0.3, 1.0), wave(1.1, 2.0), wave(2.3, 20.0))
}

fn moves_as_its_own_dynamics_say<const N: usize>(robot: &Robot) -> Result<usize, Box<dyn Error>> {
    let Some(arm) = arm::<N>(robot) else { return Ok(0) };
    let gravity = arm.gravity();
    let (q, v, torque) = state(N);
    let [q_n, v_n, torque_n] = [&q, &v, &torque].map(|values| std::array::from_fn(|i| values[i]));
    let expected = arm.at_joints(q_n)?.try_moving(v_n)?.try_acceleration(torque_n)?;
    let mut derived = Mechanism::new(gravity);
    add_arm(&mut derived, "arm", &arm, Frame::identity())?;
    let mut underived = Mechanism::new(gravity);
    let part = underived.add("arm", Underived(ChainPart::new(&arm, Frame::identity())));
    for (joint, link) in arm.parameters().links.iter().enumerate() {
        underived.drive_with(part, joint, link.friction)?;
    }
    // Cholesky here, articulated bodies there: apart by the condition of the mass matrix, at most 1e4 here.
    for m in [derived, underived] {
        let (found, _) = m.acceleration(0.0, &q, &v, &torque)?;
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{N} joints: {:.1e} of {:.1e}", off, largest(&expected));
        assert!(off < 1e-11 * largest(&expected), "{off}");
    }
    Ok(1)
}

#[test]
fn an_arm_alone_moves_as_its_own_dynamics_say() -> Result<(), Box<dyn Error>> {
    let mut seen = 0;
    for robot in arms()? {
        seen += moves_as_its_own_dynamics_say::<2>(&robot)? + moves_as_its_own_dynamics_say::<3>(&robot)?;
        seen += moves_as_its_own_dynamics_say::<4>(&robot)? + moves_as_its_own_dynamics_say::<5>(&robot)?;
        seen += moves_as_its_own_dynamics_say::<6>(&robot)? + moves_as_its_own_dynamics_say::<7>(&robot)?;
        seen += moves_as_its_own_dynamics_say::<8>(&robot)?;
    }
    assert_eq!(seen, 9);
    Ok(())
}

/// On a tilted and shifted base the arm is the same in the gravity that its base sees.
#[test]
fn an_arm_on_a_base_of_its_own() -> Result<(), Box<dyn Error>> {
    let arm = puma()?;
    let (sin, cos) = 0.7_f64.sin_cos();
    let rotation = Mat3([Vec3([1.0, 0.0, 0.0]), Vec3([0.0, cos, -sin]), Vec3([0.0, sin, cos])]);
    let base = Frame { rotation, origin: Vec3([0.5, -0.2, 1.0]) };
    let (q, v, torque) = state(6);
    let mut m = Mechanism::new(GRAVITY);
    let part = add_arm(&mut m, "arm", &arm, base)?;
    let (found, _) = m.acceleration(0.0, &q, &v, &torque)?;
    let gravity = rotation.transpose() * GRAVITY;
    let turned = Serial::new(SerialParameters { gravity, ..*arm.parameters() });
    let six = |v: &[f64]| -> [f64; 6] { std::array::from_fn(|i| v[i]) };
    let expected = turned.at_joints(six(&q))?.try_moving(six(&v))?.try_acceleration(six(&torque))?;
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-11 * largest(&expected), "{found:?} {expected:?}");
    }
    // Body 0 is the tool.
    let tool = base.then(&arm.at_joints(six(&q))?.tool());
    let place = m.point(&q, &part.origin())?;
    assert!((place - tool.origin).norm_squared() < 1e-30);
    Ok(())
}

/// A PUMA whose tool slides on a plane: with the plane's force as a given one, the arm alone moves the same way, and
/// the tool does not leave the plane.
#[test]
fn a_puma_slides_on_a_plane() -> Result<(), Box<dyn Error>> {
    let arm = puma()?;
    let q = [0.3, -0.6, 0.4, 0.5, 0.9, -0.2];
    let tool = arm.at_joints(q)?.tool().origin;
    let normal = [0.0, 0.6, 0.8];
    let mut m = Mechanism::new(arm.gravity());
    let part = add_arm(&mut m, "puma", &arm, Frame::identity())?;
    m.constrain("table", OnPlane { place: part.origin(), through: tool.0, normal })?;
    let torque = [10.0, -20.0, 5.0, 1.0, -1.0, 0.5];
    let start = m.assemble(0.0, &q, &[0.4, 0.8, -1.2, 0.6, 0.3, 2.0])?;
    let (acceleration, forces) = m.acceleration(0.0, &start.q, &start.v, &torque)?;
    let lift = |i: usize| -> D2 {
        Dual {
            value: Dual { value: start.q[i], derivative: [start.v[i]] },
            derivative: [Dual { value: start.v[i], derivative: [acceleration[i]] }],
        }
    };
    let moving: Vec<D2> = (0..6).map(lift).collect();
    let along = MechanismPart::point(&ChainPart::new(&arm, Frame::identity()), &moving, 0, Vec3::zero())
        .dot(Vec3::from_f64(normal));
    assert!(along.value.derivative[0].abs() < 1e-12 && along.derivative[0].derivative[0].abs() < 1e-11, "{along:?}");
    let array = |v: &[f64]| -> [f64; 6] { std::array::from_fn(|i| v[i]) };
    let wrench = Wrench { force: Vec3(normal) * forces[0].values[0], moment: Vec3::zero() };
    let alone = arm.at_joints(array(&start.q))?.moving(array(&start.v)).acceleration_under(torque, wrench);
    for i in 0..6 {
        assert!((alone[i] - acceleration[i]).abs() < 1e-11 * largest(&alone), "{alone:?} {acceleration:?}");
    }
    Ok(())
}

/// The five-bar as one planar arm of four joints whose tool is pinned to the second pivot.
#[test]
fn a_planar_arm_closed_to_a_loop_is_the_five_bar() -> Result<(), Box<dyn Error>> {
    let [crank_a, crank_b] = FIVE_BAR.cranks;
    let [rod_a, rod_b] = FIVE_BAR.rods;
    let along = [crank_a, rod_a, rod_b, crank_b];
    let link = |i: usize| LinkParameters {
        coupling: None,
        joint: Joint::Revolute,
        dh: DhRow {
            alpha: Angle::ZERO,
            a: if i == 0 { 0.0 } else { along[i - 1].length },
            d: 0.0,
            theta_offset: Angle::ZERO,
        },
        body: Body {
            mass: along[i].mass,
            // The right half is passed from its far end.
            center_of_mass: Vec3([
                if i < 2 { along[i].center_of_mass } else { along[i].length - along[i].center_of_mass },
                0.0,
                0.0,
            ]),
            inertia: Sym3::new([0.0, 0.0, along[i].inertia, 0.0, 0.0, 0.0]),
        },
        motor_inertia: 0.0,
        gear_ratio: 1.0,
        friction: None,
        armature: None,
        spring: None,
    };
    let tool = Frame { rotation: Mat3::diagonal(1.0), origin: Vec3([crank_b.length, 0.0, 0.0]) };
    let links = [link(0), link(1), link(2), link(3)];
    let (convention, payload) = (DhConvention::Modified, Body::zero());
    let arm = Serial::try_new(SerialParameters { convention, base: None, gravity: GRAVITY, links, tool, payload })?;
    // From x towards z: the joints turn about −y.
    let rotation = Mat3([Vec3([1.0, 0.0, 0.0]), Vec3([0.0, 0.0, -1.0]), Vec3([0.0, 1.0, 0.0])]);
    let base = Frame { rotation, origin: Vec3([FIVE_BAR.pivots[0], 0.0, 0.0]) };
    let mut loop_of_joints = Mechanism::new(GRAVITY);
    let part = loop_of_joints.add("arm", ChainPart::new(&arm, base));
    loop_of_joints.drive(part, 0)?;
    let pin = Coincident::planar(part.origin(), BodyPoint::Fixed([FIVE_BAR.pivots[1], 0.0, 0.0]));
    loop_of_joints.constrain("pin", pin)?;

    let mut linkage = Mechanism::new(GRAVITY);
    FIVE_BAR.add(&mut linkage)?;
    let guess = [2.0, 1.2, -0.2, 0.33, 0.3, 0.05, 0.33, 2.5];
    let start = linkage.assemble(0.0, &guess, &[1.0, -2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0])?;
    let turned = std::f64::consts::PI;
    let absolute = |x: &[f64], turn: f64| [x[0], x[4], x[7] + turn, x[1] + turn];
    let relative = |a: [f64; 4]| [a[0], a[1] - a[0], a[2] - a[1], a[3] - a[2]];
    let q = relative(absolute(&start.q, turned));
    let v = relative(absolute(&start.v, 0.0));
    let off = MechanismDynamics::new(&loop_of_joints).residual(0.0, &q, &v);
    assert!(off.0 <= 1e-12 && off.1 <= 1e-12, "{off:?}");
    let (expected, _) = linkage.acceleration(0.0, &start.q, &start.v, &[0.7, 0.0])?;
    let (found, _) = loop_of_joints.acceleration(0.0, &q, &v, &[0.7])?;
    let expected = relative(absolute(&expected, 0.0));
    for i in 0..4 {
        assert!((found[i] - expected[i]).abs() < 1e-11 * largest(&expected), "{found:?} {expected:?}");
    }
    Ok(())
}
