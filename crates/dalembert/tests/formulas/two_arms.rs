//! Two arms on one base, 13 joints in frames turned about all axes, two of which slide: everything that an arm can do.

use dalembert::Vec3;
use dalembert::control::{Drive, Encoder, Gains, Impedance, Law, Sampling, Settings};
use dalembert::mechanism::Mechanism;
use dalembert::robot::closed_loop::{LoopScratch, LoopTask};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::map::{Kind, MapOptions};
use dalembert::robot::{JointState, JointVector, Pick, Robot, State, Target, ToolState};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::symbolic::Effort;
use dalembert::symbolic::derive::{Of, Request};
use std::error::Error;

const N: usize = 13;

fn robot() -> Robot {
    Robot::parse(include_str!("../common/two-arms.toml")).unwrap()
}

fn pseudo(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) * 2.0 - 1.0
}

fn some_joints(seed: usize) -> JointState {
    let [q, qd, qdd] =
        [(0.6, 100), (0.7, 200), (2.0, 300)].map(|(size, k)| JointVector::from_fn(N, |i| size * pseudo(seed + k + i)));
    let slides = |q: &JointVector| JointVector::from_fn(N, |i| if i == 0 || i == 9 { 0.15 * q[i] } else { q[i] });
    JointState { q: slides(&q), qd, qdd }
}

fn some_state(robot: &Robot, seed: usize) -> State {
    robot.at_joints(&some_joints(seed), &Pick::default()).unwrap()
}

/// The largest difference over the largest of the second numbers.
fn error(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let scale = theirs.iter().fold(1e-300, |scale: f64, x| scale.max(x.abs()));
    let error = ours.iter().zip(theirs).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
    if (error / scale).is_nan() { f64::INFINITY } else { error / scale }
}

const PUSH: Wrench<f64> = Wrench { force: Vec3([3.0, -2.0, 9.0]), moment: Vec3([0.1, 0.4, -0.3]) };

/// From the joints to each tool and back, from joints nearby and from far away: the tool is where it was asked to be, and the other arm stays.
#[test]
fn tools_there_and_back() {
    for (tool, own) in [("left", 0..7), ("right", 7..13)] {
        let robot = robot().with_tool(tool).unwrap();
        for seed in 0..10 {
            let state = some_state(&robot, seed);
            for nearby in [0.0, 0.05, 0.3] {
                let near = JointVector::from_fn(N, |i| state.joints.q[i] + nearby * pseudo(seed + 31 * i));
                let pick = Pick { near: Some(near.clone()), ..Pick::default() };
                let at_rest = ToolState { velocity: Twist::zero(), acceleration: Twist::zero(), ..state.tool };
                let back = robot.at_tool(&at_rest, &pick).unwrap();
                let there = robot.at_joints(&back.joints, &Pick::default()).unwrap();
                assert!(error(&there.tool.pose.origin.0, &state.tool.pose.origin.0) < 1e-10, "{tool} {seed}");
                let others = (0..N).filter(|i| !own.contains(i));
                others.for_each(|i| assert_eq!(back.joints.q[i], near[i]));
            }
            // Rates come back too where as many joints as the tool has freedoms move it.
            if own.len() == 6 {
                let pick = Pick { near: Some(state.joints.q.clone()), ..Pick::default() };
                let back = robot.at_tool(&state.tool, &pick).unwrap();
                for (back, given) in [(&back.joints.qd, &state.joints.qd), (&back.joints.qdd, &state.joints.qdd)] {
                    assert!(error(&back[own.clone()], &given[own.clone()]) < 1e-6, "{seed}");
                }
            }
        }
    }
}

#[test]
fn torques_masses_and_accelerations_agree() {
    let robot = robot();
    let exact = robot.build_model("exact").unwrap();
    for seed in 0..10 {
        let state = some_state(&robot, seed);
        let (mass, torque) = (exact.mass_matrix(&state), exact.torque(&state, PUSH));
        let still = JointState { qdd: JointVector::zero(N), ..state.joints.clone() };
        let bias = exact.torque(&robot.at_joints(&still, &Pick::default()).unwrap(), PUSH);
        let row = |i: usize| bias[i] + mass[i].iter().zip(state.joints.qdd.iter()).map(|(m, a)| m * a).sum::<f64>();
        assert!(error(&(0..N).map(row).collect::<Vec<_>>(), &torque) < 1e-13);
        let back = exact.accelerated(&state, &torque, PUSH).unwrap();
        assert!(error(&back.joints.qdd, &state.joints.qdd) < 1e-10);
        // Arms on one base do not feel each other.
        assert!((0..7).all(|i| (7..N).all(|j| mass[i][j] == 0.0)));
        assert!(error(&robot.explain(&state, PUSH).unwrap().torque, &torque) < 1e-13);
    }
}

#[test]
fn linear_models_sensitivities_and_regressors_are_those_of_the_torques() -> Result<(), Box<dyn Error>> {
    let robot = robot();
    let (exact, state) = (robot.build_model("exact")?, some_state(&robot, 3));
    let torque = exact.torque(&state, Wrench::zero());
    let linear = robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &[Output::Joints])?;
    assert!(error(&linear.rate[N..], &state.joints.qdd) < 1e-10);
    // B is the inverse of the mass matrix.
    let mass = exact.mass_matrix(&state);
    for i in 0..N {
        for j in 0..N {
            let one: f64 = (0..N).map(|k| mass[i][k] * linear.system.b[(N + k, j)]).sum();
            assert!((one - f64::from(u8::from(i == j))).abs() < 1e-10, "{i} {j}: {one}");
        }
    }
    let of_parameters = robot.torque_of_parameters(&[(state.clone(), PUSH)], false)?;
    let zero = vec![0.0; of_parameters.parameters().len()];
    assert!(error(&of_parameters.torque(&zero), &exact.torque(&state, PUSH)) < 1e-13);
    for k in (0..zero.len()).step_by(7) {
        let shifted = |by: f64| {
            let mut changes = zero.clone();
            changes[k] = by;
            of_parameters.torque(&changes)
        };
        let (more, less, slope) = (shifted(1e-5), shifted(-1e-5), of_parameters.derivative(k));
        let size = torque.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for i in 0..N {
            let difference = (more[i] - less[i]) / 2e-5;
            assert!((difference - slope[i]).abs() < 1e-5 * (size + slope[i].abs()), "{k}: {difference} {}", slope[i]);
        }
    }
    let regressor = robot.regressor()?;
    let values: Vec<f64> = regressor.terms().iter().map(|term| term.value).collect();
    let mut y = vec![0.0; N * values.len()];
    regressor.fill(&state, &mut y);
    let rows = y.chunks(values.len()).map(|row| row.iter().zip(&values).map(|(y, p)| y * p).sum::<f64>());
    let friction = exact.friction(&state);
    let sum: Vec<f64> = rows.zip(friction.iter()).map(|(rigid, friction)| rigid + friction).collect();
    assert!(error(&sum, &torque) < 1e-12);
    Ok(())
}

#[test]
fn derived_programs_agree() -> Result<(), Box<dyn Error>> {
    let robot = robot();
    let exact = robot.build_model("exact")?;
    for of in [Of::Torque, Of::Mass, Of::Gravity, Of::Fk] {
        let request = Request { effort: Effort::QUICK, ..Request::new(&robot.name, of) };
        let program = robot.derive(&request, &mut |_| ())?.program;
        for seed in 0..3 {
            let state = some_state(&robot, seed);
            let JointState { q, qd, qdd } = &state.joints;
            let (inputs, expected): (Vec<f64>, Vec<f64>) = match of {
                Of::Torque => ([&q[..], qd, qdd].concat(), exact.torque(&state, Wrench::zero()).to_vec()),
                Of::Mass => (q.to_vec(), exact.mass_matrix(&state).iter().flat_map(|row| row.to_vec()).collect()),
                Of::Gravity => (q.to_vec(), exact.gravity_torque(&state).to_vec()),
                _ => {
                    let Frame { rotation, origin } = state.tool.pose;
                    (q.to_vec(), origin.0.into_iter().chain(rotation.0.into_iter().flat_map(|row| row.0)).collect())
                }
            };
            assert!(error(&program.evaluate(&inputs), &expected) < 1e-12, "{of}");
        }
    }
    let explicit = robot.equations().unwrap_err();
    assert!(explicit.to_string().contains("links in a row"), "{explicit}");
    Ok(())
}

#[test]
fn both_arms_follow_under_control() -> Result<(), Box<dyn Error>> {
    let robot = robot();
    let home = robot.home()?.joints.q;
    let motion = move |t: f64| {
        let wave = |order: i32| {
            JointVector::from_fn(N, |i| {
                let (w, size) = (1.0 + 0.3 * i as f64, if i == 0 || i == 9 { 0.02 } else { 0.2 });
                let (sin, cos) = (w * t).sin_cos();
                match order {
                    0 => home[i] + size * (1.0 - cos),
                    1 => size * w * sin,
                    _ => size * w * w * cos,
                }
            })
        };
        Target::Joints(JointState { q: wave(0), qd: wave(1), qdd: wave(2) })
    };
    let settings = Settings {
        gains: Gains::pd(30.0, 1.0),
        impedance: Impedance::isotropic(1000.0, 1.0, 2.0),
        look_ahead: 0.0,
        sampling: Sampling::USUAL,
        drive: Drive::IDEAL,
        encoder: Encoder::IDEAL,
        following_error: 1.0,
    };
    let (pick, room, known) = (Pick::default(), LoopScratch::default(), robot.family());
    for law in [Law::Pd, Law::ComputedTorque, Law::Cartesian, Law::Impedance] {
        let task =
            LoopTask { known, model: "newton-euler", motion: &motion, pick: &pick, law: &law, settings, room: &room };
        let mut closed = robot.closed_loop(&task)?;
        for _ in 0..100 {
            let sample = closed.step()?;
            assert_eq!(sample.q.len(), N);
            // Without a model of gravity, PD control sags by some millimetres.
            let limit = if law == Law::Pd { 2e-2 } else { 5e-3 };
            assert!(sample.error().norm_squared().sqrt() < limit, "{law:?}: {:?}", sample.error());
        }
    }
    Ok(())
}

#[test]
fn a_part_of_a_mechanism_and_a_drawing() -> Result<(), Box<dyn Error>> {
    let robot = robot();
    let (exact, state) = (robot.build_model("exact")?, some_state(&robot, 5));
    let torque = JointVector::from_fn(N, |i| 5.0 * pseudo(i));
    let mut mechanism = Mechanism::new(robot.gravity());
    let mounted = robot.add_to(&mut mechanism, "two arms", Frame::identity())?;
    let [q, v] = mounted.coordinates(&state);
    let (found, _) = mechanism.acceleration(0.0, &q, &v, &torque)?;
    let expected = exact.accelerated(&state, &torque, Wrench::zero())?.joints.qdd;
    assert!(error(&found, &expected) < 1e-9);
    let back = mounted.state(&mechanism, &q, &v)?;
    assert!(error(&back.tool.pose.origin.0, &state.tool.pose.origin.0) < 1e-14);
    // As it swings freely.
    let (mut free, start) = robot.equations_of_motion(&state)?;
    free.set_torques(&torque)?;
    let mut rate = vec![0.0; 2 * N];
    free.rate(0.0, &start, &mut rate)?;
    assert!(error(&rate[N..], &expected) < 1e-12);
    let drawing = robot.drawing(&Frame::identity());
    let mut tracks = drawing.tracks.clone();
    robot.draw(&state, &Frame::identity(), &mut tracks);
    assert!(tracks.len() == N + 1 && drawing.shapes.len() > 2 * N);
    let tool = tracks[N].position[0];
    assert!(error(&tool, &state.tool.pose.origin.0) < 1e-15);
    Ok(())
}

/// What only arms have is refused by name.
#[test]
fn refusals_have_reasons() {
    let robot = robot();
    let map = robot.field(Kind::Determinant, &MapOptions::default()).err().map(|error| error.to_string());
    assert!(
        map.as_ref().is_some_and(|why| why.contains("maps with 7 joints and no inverse kinematics in closed form")),
        "{map:?}"
    );
    let model = robot.build_model("explicit").unwrap_err();
    assert!(model.message.contains("is not a model of a tree of links"), "{model}");
}
