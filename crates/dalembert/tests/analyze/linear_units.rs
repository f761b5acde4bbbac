//! Linear models of robots of all sizes: what is reached, seen, placed and regulated must not depend on units. And what
//! a model measures, against differences.

use crate::linearize::{self, delta_baumgarte};
use dalembert::delta::{Assembly, Delta};
use dalembert::dynamics::State as _;
use dalembert::friction::Friction;
use dalembert::linear::{self, Complex, LinearError, Linearized, Matrix, Sizes, StateSpace, lqr, place};
use dalembert::mechanism::Poles;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::{Vec3, robots as built_in};
use dalembert_proptest::{robots, states};
use proptest::prelude::*;
use std::error::Error;

/// The robot with lengths and masses multiplied: inertias go with mass and the square of the length.
fn resized(robot: &Delta<f64>, length: f64, mass: f64) -> Delta<f64> {
    let mut p = *robot.parameters();
    p.platform_mass *= mass;
    for arm in &mut p.arms {
        arm.base_radius *= length;
        arm.platform_radius *= length;
        arm.upper_arm.length *= length;
        arm.upper_arm.center_of_mass *= length;
        arm.upper_arm.mass *= mass;
        arm.upper_arm.inertia *= mass * length * length;
        arm.forearm.length *= length;
        arm.forearm.center_of_mass *= length;
        arm.forearm.mass *= mass;
        arm.forearm.inertia *= mass * length * length;
        arm.motor.rotor_inertia *= mass * length * length;
    }
    Delta::try_new(p).expect("a robot")
}

fn at(robot: &Delta<f64>, angle: f64) -> StateSpace {
    let pose = robot.at_joints([angle; 3], Assembly::Below).expect("reached");
    linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints]).expect("regular").system
}

/// Everything is reached and seen, there are no zeros, six poles go where they are wanted.
fn is_sound(system: &StateSpace, speed: f64) -> Result<(), Box<dyn Error>> {
    assert!(system.modes()?.iter().all(|mode| mode.reached && mode.seen), "{:?}", system.modes()?);
    assert_eq!([system.controllable_states()?, system.observable_states()?], [6, 6]);
    assert_eq!(system.kalman()?.dimensions, [6, 0, 0, 0]);
    assert!(system.zeros()?.is_empty());
    let wanted = [-5.0, -5.0, -5.0, -8.0, -8.0, -8.0].map(|s| Complex::new(s * speed, 0.0));
    let placed = place(system, &wanted)?;
    assert!(placed.poles.iter().all(|s| (s.re / speed + 5.0).abs().min((s.re / speed + 8.0).abs()) < 1e-4));
    Ok(())
}

/// The regulator with weights of the size that the robot has: torques that accelerate as much as the angles are wrong.
fn is_regulated(system: &StateSpace) -> Result<(), Box<dyn Error>> {
    let weight = Matrix::identity(3, 3) * system.b.norm().powi(2);
    let best = lqr(system, &Matrix::identity(6, 6), &weight)?;
    assert!(best.poles.iter().all(|s| s.re < 0.0));
    Ok(())
}

#[test]
fn robots_of_all_sizes() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    for (length, mass) in [(1.0, 1.0), (0.013, 3e-5), (0.01, 1e-6), (1e3, 1e6), (1.0, 1e-9)] {
        let resized = resized(&robot, length, mass);
        for angle in [0.0, 0.8] {
            let system = at(&resized, angle);
            is_sound(&system, (1.0 / length).sqrt())
                .and_then(|()| is_regulated(&system))
                .map_err(|error| format!("{length} {mass} {angle}: {error}"))?;
        }
    }
    Ok(())
}

/// Coulomb friction at standstill is a very steep slope; strong damping is one too. Slow poles are slow, not lost.
#[test]
fn steep_friction_hides_nothing() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    for (viscous, coulomb) in [(0.0, 5.0), (0.0, 15.0), (0.0, 40.0), (1e4, 0.0), (1e6, 0.0)] {
        let mut p = *robot.parameters();
        for arm in &mut p.arms {
            arm.motor.friction = Some(Friction { viscous, coulomb, static_friction: coulomb, ..Friction::NONE });
        }
        let system = at(&Delta::try_new(p)?, 45_f64.to_radians());
        is_sound(&system, 1.0).map_err(|error| format!("{viscous} {coulomb}: {error}"))?;
        // Beyond that its slow and fast poles are further apart than digits reach: refused, see below.
        if viscous < 1e6 {
            is_regulated(&system).map_err(|error| format!("{viscous} {coulomb}: {error}"))?;
        }
    }
    Ok(())
}

/// Of poles in one place some are seen and others not: of the constraint modes no torque reaches any, and the motor
/// angles show half of them.
#[test]
fn constraint_modes_are_half_seen() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
    for (roots, places) in [([-4.0, -6.0], 2), ([-5.0, -5.0], 1)] {
        let poles = Poles::real(roots[0], roots[1])?;
        let still = pose.moving(Vec3::zero());
        let model = delta_baumgarte(&still, pose.gravity_torque(), poles, &[Output::Joints])?.system;
        let modes = model.modes()?;
        assert_eq!(modes.iter().filter(|mode| mode.reached).count(), 6);
        assert_eq!(modes.iter().filter(|mode| mode.seen).count(), 12);
        for root in &roots[..places] {
            let there: Vec<_> = modes.iter().filter(|mode| (mode.pole - root).norm() < 1e-3).collect();
            assert_eq!(there.len(), 12 / places);
            assert!(there.iter().all(|mode| !mode.reached));
            assert_eq!(there.iter().filter(|mode| mode.seen).count(), 6 / places);
        }
        assert_eq!(model.states[0].name, "q1");
        assert_eq!(model.states[3].name, "q2");
        assert_eq!(model.states[17].name, "phid33");
    }
    Ok(())
}

/// Weights that are too far apart for sixteen digits are told as such, never as a gain that does not stabilise.
#[test]
fn a_regulator_is_stable_or_refused() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let system = at(&robot, 0.0);
    let diagonal = |p: f64, v: f64| {
        Matrix::from_fn(6, 6, |i, j| {
            if i != j {
                0.0
            } else if i < 3 {
                p
            } else {
                v
            }
        })
    };
    for (p, v, r) in [(1e-12, 1e-12, 1e6), (1e20, 1.0, 1e-20), (1.0, 0.0, 1e-12), (1e6, 1e6, 1e-6)] {
        for system in [system.clone(), system.discrete(1e-3)?] {
            match lqr(&system, &diagonal(p, v), &(Matrix::identity(3, 3) * r)) {
                Ok(found) if system.step.is_some() => assert!(found.poles.iter().all(|z| z.norm() < 1.0)),
                Ok(found) => assert!(found.poles.iter().all(|s| s.re < 0.0)),
                Err(LinearError::NoRegulator | LinearError::NotOptimal { .. }) => {}
                Err(error) => panic!("{p} {v} {r}: {error}"),
            }
        }
    }
    // An oscillation that costs nothing.
    let swinging = at(&robot, 45_f64.to_radians());
    let nothing = lqr(&swinging, &diagonal(0.0, 0.0), &Matrix::identity(3, 3));
    assert!(matches!(nothing, Err(LinearError::NotWeighted { pole }) if pole.im.abs() > 1.0));
    Ok(())
}

/// A damped robot with angles and positions as outputs.
fn damped(angle: f64) -> Result<StateSpace, Box<dyn Error>> {
    let mut p = *built_in::d3_1200()?.delta.parameters();
    for (k, arm) in p.arms.iter_mut().enumerate() {
        arm.motor.friction = Some(Friction { viscous: 0.3 + 0.2 * k as f64, ..Friction::NONE });
    }
    let robot = Delta::try_new(p)?;
    let pose = robot.at_joints([angle, angle + 0.1, angle - 0.05], Assembly::Below)?;
    Ok(linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints, Output::Position])?.system)
}

/// Hankel singular values know nothing of the units of the states: of angles in microradians and rates per year they are
/// the same. The least of the six is 1e-4 of the largest; of sixteen digits twelve are left.
#[test]
fn hankel_singular_values_do_not_depend_on_the_states() -> Result<(), Box<dyn Error>> {
    let system = damped(0.8)?;
    let expected = system.balanced(None)?.hankel;
    for units in [[1e6, 1e6, 1e6, 3e7, 3e7, 3e7], [1e-5, 1.0, 1e5, 1e-8, 1e3, 0.1]] {
        let t = nalgebra::DVector::from_column_slice(&units);
        let (to, back) = (Matrix::from_diagonal(&t), Matrix::from_diagonal(&t.map(|x| 1.0 / x)));
        let turned =
            StateSpace { a: &to * &system.a * &back, b: &to * &system.b, c: &system.c * &back, ..system.clone() };
        for (found, expected) in turned.balanced(None)?.hankel.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
        }
        let [a, b] = [&system, &turned].map(|system| system.balanced(Some(4)));
        let (a, b) = (a?.system, b?.system);
        for omega in [0.0, 3.0, 30.0] {
            let (a, b) = (a.at_frequency(omega)?, b.at_frequency(omega)?);
            assert!((&a - &b).camax() < 1e-9 * a.camax(), "{omega}");
        }
    }
    Ok(())
}

/// They do depend on those of inputs and outputs, and with them which states are cut off. With sizes they do not: the same
/// robot in metres and in millimetres is cut to the same model.
#[test]
fn sizes_of_inputs_and_outputs_replace_their_units() -> Result<(), Box<dyn Error>> {
    let system = damped(0.8)?;
    // Outputs 4 … 6 in millimetres, torques in N mm.
    let in_millimetres = Sizes { inputs: vec![1e-3; 3], outputs: vec![1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3] };
    let other = system.measured_in(&in_millimetres)?;
    let plain = [&system, &other].map(|system| system.balanced(None).map(|cut| cut.hankel));
    let [plain, plain_other] = plain;
    let spread = |values: &[f64]| values[3] / values[0];
    assert!((spread(&plain?) / spread(&plain_other?) - 1.0).abs() > 1e-3, "units matter");
    // 0.1 mrad, 0.05 mm and 2 N m count as one, however they are written.
    let sizes = Sizes { inputs: vec![2.0; 3], outputs: vec![1e-4, 1e-4, 1e-4, 5e-5, 5e-5, 5e-5] };
    let sizes_other = Sizes { inputs: vec![2e3; 3], outputs: vec![1e-4, 1e-4, 1e-4, 0.05, 0.05, 0.05] };
    let (a, b) = (system.balanced_for(Some(3), &sizes)?, other.balanced_for(Some(3), &sizes_other)?);
    for (a, b) in a.hankel.iter().zip(&b.hankel) {
        assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
    }
    let back = a.system.measured_in(&in_millimetres)?;
    for omega in [0.0, 3.0, 30.0] {
        let (a, b) = (back.at_frequency(omega)?, b.system.at_frequency(omega)?);
        assert!((&a - &b).camax() < 1e-9 * a.camax(), "{omega}");
    }
    // The error, in sizes, is within twice the sum of what was cut off.
    let bound = 2.0 * a.hankel[3..].iter().sum::<f64>();
    let (whole, cut) = (system.measured_in(&sizes)?, a.system.measured_in(&sizes)?);
    for omega in [0.0, 1.0, 5.0, 20.0, 100.0] {
        let off = linear::magnitude(&(whole.at_frequency(omega)? - cut.at_frequency(omega)?));
        assert!(off <= bound * (1.0 + 1e-9), "{omega}: {off} {bound}");
    }
    let wrong = Sizes { inputs: vec![1.0; 2], ..sizes.clone() };
    assert!(matches!(system.balanced_for(None, &wrong), Err(LinearError::Shape { .. })));
    let wrong = Sizes { outputs: vec![0.0; 6], ..sizes };
    assert!(matches!(system.measured_in(&wrong), Err(LinearError::BadValue { .. })));
    Ok(())
}

/// About a point of a motion the state moves on by itself: x(h) − x₀ of ẋ = ẋ₀ + A (x − x₀), integrated in small steps.
#[test]
fn samples_of_a_motion_drift() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([0.3, 0.5, 0.8], Assembly::Below)?;
    let moving = pose.moving_joints([1.0, -0.5, 2.0]);
    let torque = moving.torque(moving.platform_acceleration([3.0, 0.0, -20.0]));
    let model = linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &[Output::Joints])?;
    let step = 0.02;
    let sampled = model.discrete(step)?;
    assert_eq!(sampled.system, model.system.discrete(step)?);
    let start = Matrix::from_column_slice(6, 1, &model.rate);
    let slope = |x: &Matrix| &start + &model.system.a * x;
    let (mut x, h) = (Matrix::zeros(6, 1), step / 200.0);
    for _ in 0..200 {
        let k1 = slope(&x);
        let k2 = slope(&(&x + &k1 * (0.5 * h)));
        let k3 = slope(&(&x + &k2 * (0.5 * h)));
        let k4 = slope(&(&x + &k3 * h));
        x += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
    }
    for i in 0..6 {
        assert!((x[(i, 0)] - sampled.rate[i]).abs() < 1e-12 * (1.0 + x.amax()), "{i}");
    }
    Ok(())
}

/// Robots of all sizes can be sampled: what is refused is a step that is long for the poles, not a model in large units.
#[test]
fn small_robots_can_be_sampled() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    assert!(at(&resized(&robot, 1e-3, 1e-9), 0.8).discrete(1e-3).is_ok());
    Ok(())
}

/// Outputs and their derivatives by state and torque: differences of the outputs themselves, extrapolated. `step` is the
/// largest step of the state; of torques, in which outputs are linear, any does.
fn measured(point: &[f64], rows: usize, step: f64, output: impl Fn(&[f64]) -> Option<Vec<f64>>) -> Option<Matrix> {
    let mut found = Matrix::zeros(rows, point.len());
    for column in 0..point.len() {
        let difference = |h: f64| -> Option<Vec<f64>> {
            let moved = |by: f64| {
                let mut x = point.to_vec();
                x[column] += by;
                output(&x)
            };
            Some(moved(h)?.iter().zip(moved(-h)?).map(|(a, b)| (a - b) / (2.0 * h)).collect())
        };
        let mut table = (0..5).map(|k| difference(step / f64::from(1 << k))).collect::<Option<Vec<Vec<f64>>>>()?;
        for order in 1..5 {
            let factor = 4f64.powi(order) - 1.0;
            table = table
                .windows(2)
                .map(|pair| pair[1].iter().zip(&pair[0]).map(|(b, a)| b + (b - a) / factor).collect())
                .collect();
        }
        (0..rows).for_each(|i| found[(i, column)] = table[0][i]);
    }
    Some(found)
}

fn seen(model: &Linearized) -> Matrix {
    let s = &model.system;
    let n = s.order();
    Matrix::from_fn(s.outputs.len(), n + s.inputs.len(), |i, j| if j < n { s.c[(i, j)] } else { s.d[(i, j - n)] })
}

/// Each row over its largest entry: positions, velocities and accelerations have sizes of their own.
fn off(found: &Matrix, expected: &Matrix) -> f64 {
    let rows = found.row_iter().zip(expected.row_iter());
    rows.map(|(a, b)| (a - b).amax() / b.amax().max(1e-3)).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// C and D of everything that can be measured, joint and platform coordinates, in motion.
    #[test]
    fn outputs_against_differences(robot in robots(), seed in states()) {
        let mut p = *robot.parameters();
        for arm in &mut p.arms {
            arm.motor.friction = None; // differences cannot step over its kink
        }
        let robot = Delta::try_new(p).unwrap();
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
        // Near the rim of the workspace differences step over it.
        let margins = moving.pose.transmission_margins();
        if margins.iter().any(|margin| margin.abs() < 0.1) || moving.pose.rod_determinant().abs() < 0.05 {
            return Ok(());
        }
        let torque = moving.torque_under(state.acceleration, state.force);
        for coordinates in [Coordinates::Joint, Coordinates::Cartesian] {
            let model = linearize::delta(&moving, torque, state.force, coordinates, &Output::ALL).unwrap();
            let point = [&model.state[..], &model.input[..]].concat();
            let size = match coordinates {
                Coordinates::Joint => 0.4,
                _ => p.arms[0].upper_arm.length,
            };
            let output = |x: &[f64]| -> Option<Vec<f64>> {
                let three = |k: usize| Vec3([x[k], x[k + 1], x[k + 2]]);
                let moved = match coordinates {
                    Coordinates::Joint => {
                        robot.at_joints(three(0).0, moving.pose.assembly()).ok()?.moving_joints(three(3).0)
                    }
                    _ => robot.at_position(three(0), state.branch).ok()?.moving(three(3)),
                };
                let acceleration = moved.acceleration_under(three(6).0, state.force);
                let parts = [
                    moved.pose.joints(), moved.joint_velocity(), moved.pose.position.0, moved.velocity.0, acceleration.0,
                ];
                Some(parts.concat())
            };
            // Three step sizes: the nearer a singular pose, the sooner the long ones leave the circle of convergence.
            let best = [0.01, 0.003, 0.001]
                .into_iter()
                .filter_map(|step| measured(&point, model.output.len(), step * size, output))
                .map(|expected| off(&seen(&model), &expected))
                .fold(f64::INFINITY, f64::min);
            prop_assert!(best < 1e-7, "{:?}: {}", coordinates, best);
        }
    }
}

/// The same of the PUMA.
#[test]
fn outputs_of_an_arm_against_differences() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?.arm;
    let (q, qd) = ([0.3, -0.8, 0.5, 0.2, 0.7, -0.4], [0.5, -0.3, 0.8, 1.0, -0.6, 0.9]);
    let tau = [3.0, 20.0, 5.0, 0.1, -0.2, 0.1];
    let model = linearize::arm(&puma, &q, &qd, &tau, &Output::ALL)?;
    let arm = puma.arm::<6>().ok_or("six joints")?;
    let point = [q, qd, tau].concat();
    let expected = measured(&point, model.output.len(), 0.004, |x| {
        let part = |k: usize| -> [f64; 6] { std::array::from_fn(|i| x[6 * k + i]) };
        let moving = arm.pose_unchecked(part(0)).moving(part(1));
        let qdd = moving.acceleration(part(2));
        let vectors = [moving.pose.tool().origin, moving.tool_velocity().linear, moving.tool_acceleration(qdd).linear];
        Some(part(0).into_iter().chain(part(1)).chain(vectors.iter().flat_map(|v| v.0)).collect())
    });
    let expected = expected.ok_or("an arm is everywhere")?;
    assert!(off(&seen(&model), &expected) < 1e-9, "{}", off(&seen(&model), &expected));
    Ok(())
}
