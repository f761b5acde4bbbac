//! Motors that turn with several joints, as in wrists and differentials.
//!
//! By hand: with the motors' rates ν = K q̇ and what their rotors and friction ask of them, I_m ν̇ + f(ν), the joints feel Kᵀ of that, in addition
//! to the arm whose motors weigh nothing. Power and kinetic energy say the same without K. Limits are those of the motors.

use dalembert::robot::{Change, JointState, JointVector, Pick, Target, motor_torques, violations};
use dalembert::spatial::Wrench;
use dalembert::symbolic::Effort;
use dalembert::symbolic::derive::{Of, Request};
use dalembert::{Robot, Vec3};

const Q: [f64; 6] = [0.3, -0.9, 0.7, 0.4, -0.6, 1.1];
const QD: [f64; 6] = [0.5, -0.4, 0.8, -1.2, 0.9, 0.3];
const QDD: [f64; 6] = [1.0, 2.0, -1.5, 0.7, -0.2, 3.0];

/// ν₄ = q̇₄ − q̇₅ and ν₅ = q̇₅ + q̇₄ as in a differential; ν₆ = q̇₆ + q̇₅ + 0.2 q̇₄.
const K: [[f64; 6]; 6] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, -1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.2, 1.0, 1.0],
];

const COUPLINGS: [&str; 3] = [
    "{ joint = 5, ratio = -1.0 }",
    "{ joint = 4, ratio = 1.0 }",
    "{ joint = 5, ratio = 1.0, second_joint = 4, second_ratio = 0.2 }",
];

/// The PUMA with friction and another wrist; `limits` are further keys of each link of the wrist.
fn text(limits: &str) -> String {
    let plain = Robot::find_with("puma560", &["payload.mass=1".to_owned()]).unwrap().to_toml().unwrap();
    let mut parts = plain.split("[[link]]").map(str::to_owned).collect::<Vec<String>>();
    for (i, part) in parts.iter_mut().enumerate().skip(1) {
        let kept = |line: &&str| !["friction", "max_", "breakaway"].iter().any(|key| line.starts_with(key));
        let mut rest: Vec<String> = part.lines().filter(kept).map(str::to_owned).collect();
        let own = format!("friction = {{ viscous = 0.{i}, coulomb = 1.{i}, static = 2.0 }}");
        let wrist = COUPLINGS.get(i.wrapping_sub(4)).map(|coupling| format!("coupling = {coupling}\n{limits}"));
        rest.insert(1, [own, wrist.unwrap_or_default()].join("\n"));
        *part = rest.join("\n") + "\n";
    }
    parts.join("[[link]]")
}

fn robot() -> Robot {
    Robot::parse(&text("")).unwrap()
}

fn state() -> JointState {
    JointState { q: JointVector::new(&Q), qd: JointVector::new(&QD), qdd: JointVector::new(&QDD) }
}

fn times(rates: &[f64]) -> Vec<f64> {
    K.iter().map(|row| row.iter().zip(rates).map(|(a, b)| a * b).sum()).collect()
}

/// Kᵀ times what motors give.
fn felt(motors: &[f64]) -> Vec<f64> {
    (0..6).map(|j| (0..6).map(|i| K[i][j] * motors[i]).sum()).collect()
}

fn near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what} {}: {a} instead of {b}", i + 1);
    }
}

#[test]
fn rotors_and_friction_act_at_the_motors() {
    let robot = robot();
    let bare = robot.without_rotors().unwrap().changed(&Change::Friction(&|_| None)).unwrap();
    let joints = robot.joints();
    let push = Wrench { force: Vec3::new(5.0, -3.0, 8.0), moment: Vec3::new(0.1, 0.4, -0.2) };
    let [at, without] = [&robot, &bare].map(|robot| robot.at_joints(&state(), &Pick::default()).unwrap());
    let [model, plain] = [&robot, &bare].map(|robot| robot.build_model("exact").unwrap());
    let (rates, rates_of_rates) = (times(&QD), times(&QDD));
    let rotors: Vec<f64> = (0..6).map(|i| joints[i].rotor_inertia * rates_of_rates[i]).collect();
    let losses: Vec<f64> = (0..6).map(|i| joints[i].friction.unwrap().torque(rates[i])).collect();
    let sum = |parts: [&[f64]; 3]| (0..6).map(|i| parts.iter().map(|part| part[i]).sum()).collect::<Vec<f64>>();
    let expected = sum([&plain.torque(&without, push), &felt(&rotors), &felt(&losses)]);
    let torque = model.torque(&at, push);
    near("torque", &torque, &expected, 1e-13);
    near("friction", &model.friction(&at), &felt(&losses), 1e-14);
    near("gravity", &model.gravity_torque(&at), &plain.gravity_torque(&without), 1e-14);
    let (mass, of_bodies) = (model.mass_matrix(&at), plain.mass_matrix(&without));
    for j in 0..6 {
        let unit: Vec<f64> = (0..6).map(|i| f64::from(u8::from(i == j))).collect();
        let motors: Vec<f64> = times(&unit).iter().zip(&joints).map(|(x, joint)| x * joint.rotor_inertia).collect();
        let column: Vec<f64> = felt(&motors).iter().zip(&of_bodies[..]).map(|(x, row)| x + row[j]).collect();
        near("mass", &mass.iter().map(|row| row[j]).collect::<Vec<f64>>(), &column, 1e-14);
    }
    let back = model.accelerated(&at, &torque, push).unwrap();
    near("acceleration", &back.joints.qdd, &QDD, 1e-10);
    // K is told by no formula of the library here: the torques of the motors come back by it.
    near("motors", &felt(&motor_torques(&joints, &torque)), &torque, 1e-13);
}

/// What the joints' torques do is what kinetic and potential energy gain and friction takes.
#[test]
fn power_is_what_energy_gains() {
    let robot = robot();
    let energy = |t: f64| {
        let q = JointVector::from_fn(6, |i| Q[i] + QD[i] * t + 0.5 * QDD[i] * t * t);
        let qd = JointVector::from_fn(6, |i| QD[i] + QDD[i] * t);
        let mut system = robot
            .equations_of_motion(&robot.at_joints(&JointState { q, qd, ..state() }, &Pick::default()).unwrap())
            .unwrap();
        let at = system.1.clone();
        let energies = system.0.energies(0.0, &at).unwrap();
        energies.kinetic + energies.potential
    };
    let h = 1e-3;
    let gained = (8.0 * (energy(h) - energy(-h)) - (energy(2.0 * h) - energy(-2.0 * h))) / (12.0 * h);
    let (at, model) = (robot.at_joints(&state(), &Pick::default()).unwrap(), robot.build_model("exact").unwrap());
    let [torque, loss] = [model.torque(&at, Wrench::zero()), model.friction(&at)];
    let power: f64 = (0..6).map(|i| (torque[i] - loss[i]) * QD[i]).sum();
    assert!((gained - power).abs() < 1e-8 * power.abs().max(1.0), "{gained} {power}");
    // Friction takes f(ν)·ν.
    let lost: f64 = (0..6).map(|i| loss[i] * QD[i]).sum();
    let by_motors: f64 =
        times(&QD).iter().zip(robot.joints()).map(|(rate, joint)| joint.friction.unwrap().torque(*rate) * rate).sum();
    assert!((lost - by_motors).abs() < 1e-13 * lost, "{lost} {by_motors}");
}

/// The matrix Y has the rotors at their motors; the linear model and sensitivities are those of the same torques.
#[test]
fn the_columns_of_rotors_are_those_of_motors() {
    let robot = robot();
    let at = robot.at_joints(&state(), &Pick::default()).unwrap();
    let (regressor, model) = (robot.regressor().unwrap(), robot.build_model("exact").unwrap());
    let width = regressor.terms().len();
    let mut y = vec![0.0; 6 * width];
    regressor.fill(&at, &mut y);
    let values: Vec<f64> = regressor.terms().iter().map(|term| term.value).collect();
    let found: Vec<f64> = y.chunks(width).map(|row| row.iter().zip(&values).map(|(a, b)| a * b).sum()).collect();
    let rigid: Vec<f64> =
        model.torque(&at, Wrench::zero()).iter().zip(&model.friction(&at)[..]).map(|(all, loss)| all - loss).collect();
    near("Y π", &found, &rigid, 1e-12);
    let weights: Vec<f64> = (0..6 * width).map(|k| (0.7 * k as f64).sin()).collect();
    let expected: f64 = weights.iter().zip(&y).map(|(a, b)| a * b).sum();
    let weighed = regressor.weighed(weights)(&at);
    assert!((weighed - expected).abs() < 1e-10 * expected.abs().max(1.0), "{weighed} {expected}");
    let states = [(at.clone(), Wrench::zero())];
    let torques = robot.torque_of_parameters(&states, false).unwrap();
    let k = torques.parameters().iter().position(|own| own.name == "link6.coupling.second_ratio").unwrap();
    let moved = |by: f64| {
        let text = text("").replace("second_ratio = 0.2", &format!("second_ratio = {}", 0.2 + by));
        let other = Robot::parse(&text).unwrap();
        other.build_model("exact").unwrap().torque(&at, Wrench::zero())
    };
    let h = 1e-4;
    let differences: Vec<f64> = moved(h).iter().zip(&moved(-h)[..]).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    near("slope", &torques.derivative(k), &differences, 1e-6);
}

/// A motor's speed and torque are limited where it is, not at the joint.
#[test]
fn limits_are_those_of_motors() {
    let joints = Robot::parse(&text("max_speed = 1.0\nmax_torque = 10.0")).unwrap().joints();
    let exceeded = |qd: [f64; 6], tau: [f64; 6]| -> Vec<String> {
        violations(&joints, &[0.0; 6], None, Some(&qd), Some(&tau)).iter().map(|own| own.column()).collect()
    };
    assert_eq!(exceeded([0.0, 0.0, 0.0, 0.6, 0.6, 0.0], [0.0; 6]), ["qd5"]); // ν = 0, 1.2, 0.72
    assert_eq!(exceeded([0.0, 0.0, 0.0, 0.9, -0.9, 0.9], [0.0; 6]), ["qd4"]); // ν = 1.8, 0, 0.18
    let motors = |tau: [f64; 6]| exceeded([0.0; 6], felt(&tau).try_into().unwrap());
    assert_eq!(motors([0.0, 0.0, 0.0, 9.0, -9.0, 9.0]), [""; 0]);
    assert_eq!(motors([0.0, 0.0, 0.0, 9.0, -11.0, 9.0]), ["tau5"]);
}

#[test]
fn files_have_couplings_or_say_what_is_wrong() {
    let robot = robot();
    let again = Robot::parse(&robot.to_toml().unwrap()).unwrap();
    let torque = |robot: &Robot| {
        robot
            .build_model("exact")
            .unwrap()
            .torque(&robot.at_joints(&state(), &Pick::default()).unwrap(), Wrench::zero())
    };
    assert_eq!(torque(&robot), torque(&again));
    for (wrong, problem) in [
        ("{ joint = 4, ratio = 1.0 }", "`coupling.joint` of link 4 is 4, but must be the number of another joint"),
        ("{ joint = 7, ratio = 1.0 }", "`coupling.joint` of link 4 is 7"),
        ("{ ratio = 1.0 }", "has no `joint`"),
        ("{ joint = 5 }", "has no `ratio`"),
        ("{ joint = 5, ratio = 1.0, second_joint = 5, second_ratio = 1.0 }", "the number of a third joint"),
        ("{ joint = 5, ratio = 1.0, second_ratio = 1.0 }", "has no `second_joint`"),
        ("{ joint = 5, ratio = 1.0, third = 1.0 }", "unknown key `third`"),
        ("{ joint = 5, ratio = 1.0 }", "some joint is driven by none of them"),
        ("{ joint = 5, ratio = 1.0 }\narmature = { carrier = 3, axis = [0, 0, 1] }", "`armature.carrier` of link 4"),
    ] {
        let error = Robot::parse(&text("").replace(COUPLINGS[0], wrong)).map(drop).unwrap_err();
        assert!(error.to_string().contains(problem), "{wrong}: {error}");
    }
}

/// What knows a motor for each joint refuses; nothing leaves the coupling out.
#[test]
fn what_knows_no_couplings_refuses_them() {
    let (robot, limited) = (robot(), Robot::parse(&text("max_speed = 1.0")).unwrap());
    for model in ["explicit", "derived"] {
        assert!(robot.build_model(model).is_err());
    }
    assert!(robot.model("explicit").unwrap_err().to_string().contains("coupling"));
    let still = Target::Joints(JointState::at_rest(JointVector::new(&Q)));
    let error = limited.joint_load(&still, &Pick::default()).unwrap_err();
    assert!(error.to_string().contains("which motors turn together"), "{error}");
    let free = limited.with_friction(None).unwrap().to_toml().unwrap().replace("max_speed = 1.0\n", "");
    assert!(Robot::parse(&free).unwrap().joint_load(&still, &Pick::default()).is_ok());
    let mut mechanism = dalembert::mechanism::Mechanism::new(robot.gravity());
    assert!(robot.add_to(&mut mechanism, "arm", dalembert::spatial::Frame::identity()).is_err());
    let request = |of| Request { effort: Effort::QUICK, ..Request::new("arm", of) };
    let symbolic = Request { symbolic: true, ..request(Of::Torque) };
    for refused in [symbolic, request(Of::TorqueDerivatives)] {
        let error = robot.derive(&refused, &mut |_| ()).map(drop).unwrap_err();
        assert!(error.to_string().contains("several joints"), "{error}");
    }
}

/// Derived programs have the motors in them: each is checked against the formulas where it is made.
#[test]
fn programs_have_coupled_motors() {
    let robot = robot();
    for of in [Of::Torque, Of::Mass, Of::Acceleration] {
        let derived = robot.derive(&Request { effort: Effort::QUICK, ..Request::new("arm", of) }, &mut |_| ()).unwrap();
        let third = match of {
            Of::Torque => &QDD[..],
            _ => &QD[..],
        };
        let inputs = match of {
            Of::Mass => Q.to_vec(),
            _ => [&Q[..], &QD, third].concat(),
        };
        let at = robot.at_joints(&state(), &Pick::default()).unwrap();
        let model = robot.build_model("exact").unwrap();
        let expected = match of {
            Of::Torque => model.torque(&at, Wrench::zero()).to_vec(),
            Of::Mass => model.mass_matrix(&at).iter().flat_map(|row| row.to_vec()).collect(),
            _ => model.accelerated(&at, &JointVector::new(&QD), Wrench::zero()).unwrap().joints.qdd.to_vec(),
        };
        near(of.as_str(), &derived.program.evaluate(&inputs), &expected, 1e-9);
    }
}
