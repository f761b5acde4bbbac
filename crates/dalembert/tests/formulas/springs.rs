//! Springs and counterbalances at the joints of arms.
//!
//! What a spring asks of a motor is the derivative of an energy that depends on the joints alone. So power is what the energy gains, a
//! torque and the acceleration that it causes belong together, and the torque that holds the arm still is the slope of its potential
//! energy. A spring that is forgotten in one of the recursions breaks one of these.

use dalembert::Robot;
use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::serial::Serial;
use dalembert::spatial::Wrench;
use dalembert::spring::Spring;

fn sprung() -> Serial<f64, 6> {
    let arm: Serial<f64, 6> = dalembert::robots::puma560().unwrap().arm.arm().unwrap();
    let mut parameters = *arm.parameters();
    for (i, link) in parameters.links.iter_mut().enumerate() {
        let size = 10.0 / (1.0 + i as f64);
        link.spring = (i != 3).then_some(Spring {
            stiffness: 3.0 * size,
            rest: 0.2 * i as f64 - 0.3,
            sine: -size,
            cosine: 0.7 * size,
            constant: 0.1 * size,
        });
    }
    Serial::try_new(parameters).unwrap()
}

const Q: [f64; 6] = [0.3, -0.9, 0.7, 0.4, -0.6, 1.1];
const QD: [f64; 6] = [0.5, -0.4, 0.8, -1.2, 0.9, 0.3];
const QDD: [f64; 6] = [1.0, 2.0, -1.5, 0.7, -0.2, 3.0];

/// τ·q̇ is what kinetic and potential energy gain, by differences along the motion.
#[test]
fn power_is_what_the_energies_gain() {
    let arm = sprung();
    let at = |t: f64| {
        let q = std::array::from_fn(|i| Q[i] + QD[i] * t + 0.5 * QDD[i] * t * t);
        let qd = std::array::from_fn(|i| QD[i] + QDD[i] * t);
        let moving = arm.pose_unchecked(q).moving(qd);
        moving.kinetic_energy() + moving.pose.potential_energy()
    };
    let h = 1e-3;
    // Five points: good to h⁴.
    let gained = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
    let torque = arm.pose_unchecked(Q).moving(QD).torque(QDD);
    let power: f64 = torque.iter().zip(QD).map(|(tau, qd)| tau * qd).sum();
    assert!((gained - power).abs() < 1e-9 * power.abs().max(1.0), "{gained} {power}");
}

/// Inverse and forward dynamics belong together, by articulated bodies and, with an armature, by the mass matrix.
#[test]
fn torques_cause_their_accelerations() {
    let plain = sprung();
    let mut parameters = *plain.parameters();
    parameters.links[1].armature =
        Some(dalembert::serial::Armature { carrier: 1, axis: dalembert::Vec3::new(0.0, 0.0, 1.0) });
    for arm in [plain, Serial::try_new(parameters).unwrap()] {
        let moving = arm.pose_unchecked(Q).moving(QD);
        let back = moving.acceleration(moving.torque(QDD));
        for i in 0..6 {
            assert!((back[i] - QDD[i]).abs() < 1e-10, "joint {}: {} instead of {}", i + 1, back[i], QDD[i]);
        }
    }
}

/// The torque that holds the arm is the slope of its potential energy, and that of no motion.
#[test]
fn what_holds_the_arm_is_the_slope_of_its_energy() {
    let arm = sprung();
    let held = arm.pose_unchecked(Q).gravity_torque();
    let torque = arm.pose_unchecked(Q).moving([0.0; 6]).torque([0.0; 6]);
    for i in 0..6 {
        let at = |h: f64| {
            let mut q = Q;
            q[i] += h;
            arm.pose_unchecked(q).potential_energy()
        };
        let h = 1e-3;
        let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        assert!((held[i] - slope).abs() < 1e-9 * slope.abs().max(10.0), "joint {}: {} {slope}", i + 1, held[i]);
        assert!((held[i] - torque[i]).abs() < 1e-12 * torque[i].abs().max(10.0), "joint {}", i + 1);
    }
}

/// A file says them, with units, and is written back; the published models, which know none, refuse.
#[test]
fn files_have_springs() {
    let said = ["link.2.spring.stiffness=120 N m/rad", "link.2.spring.rest=-90 deg", "link.3.spring.cosine=-4"];
    let robot = Robot::find_with("puma560", &said.map(str::to_owned)).unwrap();
    let again = Robot::parse(&robot.to_toml().unwrap()).unwrap();
    let plain = Robot::find("puma560").unwrap();
    let state = JointState { q: JointVector::new(&Q), qd: JointVector::new(&QD), qdd: JointVector::new(&QDD) };
    let torque = |robot: &Robot| {
        let state = robot.at_joints(&state, &Pick::default()).unwrap();
        robot.build_model("exact").unwrap().torque(&state, Wrench::zero())
    };
    let (own, written, without) = (torque(&robot), torque(&again), torque(&plain));
    let expected = [0.0, 120.0 * (Q[1] + std::f64::consts::FRAC_PI_2), -4.0 * Q[2].cos(), 0.0, 0.0, 0.0];
    for i in 0..6 {
        assert_eq!(own[i], written[i], "joint {}", i + 1);
        assert!((own[i] - without[i] - expected[i]).abs() < 1e-12 * own[i].abs().max(100.0), "joint {}", i + 1);
    }
    assert!(robot.build_model("explicit").unwrap_err().to_string().contains("spring"));
    assert!(robot.build_model("derived").unwrap_err().to_string().contains("spring"));
}
