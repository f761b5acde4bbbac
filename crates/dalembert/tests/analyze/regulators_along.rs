//! State feedback along a motion. A system that does not vary has the regulator of a point, and a scalar one has a closed
//! form. Of a robot that moves, the cost that is predicted is the cost that the nonlinear equations have, to second order
//! in the disturbance: a wrong sign, a gain of another time or a forgotten Ṗ shows at order one.

use crate::linearize;
use dalembert::delta::{Assembly, Branch, Delta};
use dalembert::friction::Friction;
use dalembert::linear::{ExportFormat, LinearError, LinearMotion, Linearized, Matrix, MotionRegulator, lqr, lqr_along};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::{Vec3, robots};
use std::error::Error;

type Done = Result<(), Box<dyn Error>>;

fn diagonal(values: &[f64]) -> Matrix {
    Matrix::from_diagonal(&nalgebra::DVector::from_column_slice(values))
}

/// Without Coulomb friction, whose kink has no second order.
fn smooth() -> Result<Delta<f64>, Box<dyn Error>> {
    let mut parameters = *robots::d3_1200()?.delta.parameters();
    for arm in &mut parameters.arms {
        arm.motor.friction = Some(Friction { viscous: 0.3, ..Friction::NONE });
    }
    Ok(Delta::try_new(parameters)?)
}

fn at_rest(robot: &Delta<f64>) -> Result<Linearized, Box<dyn Error>> {
    let pose = robot.at_joints([0.0, 0.2, -0.1], Assembly::Below)?;
    Ok(linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?)
}

/// The same model for four seconds, in uneven steps.
fn staying(model: &Linearized) -> Result<LinearMotion, LinearError> {
    let times: Vec<f64> = (0..=200).map(|k| 4.0 * (f64::from(k) / 200.0).powf(1.3)).collect();
    let points = vec![model.clone(); times.len()];
    LinearMotion::new(times, points)
}

fn off(a: &Matrix, b: &Matrix) -> f64 {
    (a - b).amax() / b.amax()
}

/// Held for ever at the end: the regulator of the point all the time, to rounding. Nothing at the end: it comes to it long
/// before (the slowest pole of the loop is about −5 1/s, and P is off by its square).
#[test]
fn a_robot_that_stays_has_the_regulator_of_its_point() -> Done {
    let model = at_rest(&smooth()?)?;
    let (q, r) = (diagonal(&[100.0, 80.0, 60.0, 1.0, 2.0, 3.0]), diagonal(&[0.02, 0.03, 0.01]));
    let best = lqr(&model.system, &q, &r)?;
    let motion = staying(&model)?;
    let held = lqr_along(&motion, &q, &r, None)?;
    for (gain, cost) in held.gains.iter().zip(&held.costs) {
        assert!(off(gain, &best.gain) < 1e-11 && off(cost, &best.cost) < 1e-11, "{}", off(cost, &best.cost));
    }
    let free = lqr_along(&motion, &q, &r, Some(&Matrix::zeros(6, 6)))?;
    assert_eq!(free.costs.last(), Some(&Matrix::zeros(6, 6)));
    assert!(off(&free.gains[0], &best.gain) < 1e-11 && off(&free.costs[0], &best.cost) < 1e-11);
    // The less time is left, the less it costs.
    let left: Vec<f64> = free.costs.iter().map(Matrix::trace).collect();
    assert!(left.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
    // Samples: the same of the sampled loop.
    let (step, discrete) = (0.01, model.discrete(0.01)?);
    let points = vec![discrete.clone(); 400];
    let motion = LinearMotion::new((0..400).map(|k| step * f64::from(k)).collect(), points)?;
    let best = lqr(&discrete.system, &q, &r)?;
    let held = lqr_along(&motion, &q, &r, None)?;
    assert!(held.gains.iter().all(|gain| off(gain, &best.gain) < 1e-11));
    let free = lqr_along(&motion, &q, &r, Some(&Matrix::zeros(6, 6)))?;
    assert!(off(&free.gains[0], &best.gain) < 1e-11 && off(&free.costs[0], &best.cost) < 1e-11);
    Ok(())
}

/// A circle that rises, faster and faster: position, velocity, acceleration.
fn moving(t: f64) -> [Vec3<f64>; 3] {
    let (r, w, a) = (0.15, 6.0, 8.0);
    let (angle, rate) = (w * t + 0.5 * a * t * t, w + a * t);
    let (sin, cos) = angle.sin_cos();
    [
        Vec3::new(r * cos, r * sin, -0.9 + 0.1 * t),
        Vec3::new(-r * rate * sin, r * rate * cos, 0.1),
        Vec3::new(-r * (a * sin + rate * rate * cos), r * (a * cos - rate * rate * sin), 0.0),
    ]
}

/// State and torques of the motion.
fn wanted(robot: &Delta<f64>, t: f64) -> ([f64; 6], Vec3<f64>) {
    let [position, velocity, acceleration] = moving(t);
    let moving = robot.at_position(position, Branch::Out).expect("reached").moving(velocity);
    let (q, qd) = (moving.pose.joints(), moving.joint_velocity());
    (std::array::from_fn(|i| if i < 3 { q[i] } else { qd[i - 3] }), Vec3(moving.torque(acceleration)))
}

const END: f64 = 0.6;

/// Models every `step` seconds up to the end.
fn models(robot: &Delta<f64>, step: f64) -> Result<LinearMotion, Box<dyn Error>> {
    let count = (END / step).round();
    let times: Vec<f64> = (0..=count as usize).map(|k| END * k as f64 / count).collect();
    let model = |&t: &f64| -> Result<_, Box<dyn Error>> {
        let [position, velocity, acceleration] = moving(t);
        let moving = robot.at_position(position, Branch::Out)?.moving(velocity);
        let torque = moving.torque(acceleration);
        Ok(linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &[Output::Joints])?)
    };
    let points = times.iter().map(model).collect::<Result<_, _>>()?;
    Ok(LinearMotion::new(times, points)?)
}

/// The robot itself with u = u₀(t) − K(t) δx, gains in straight lines between their times: what it costs, and where it is
/// at the end. Runge and Kutta's method, steps of a quarter of a millisecond; the cost by Simpson's rule at the ends of the
/// steps, because inside of them the method's stages are off by the square of the step.
fn run(
    robot: &Delta<f64>,
    motion: &LinearMotion,
    found: &MotionRegulator,
    [q, r]: [&Matrix; 2],
    start: &Matrix,
) -> (f64, Matrix) {
    let gain = |t: f64| {
        let times = motion.times();
        let k = times.partition_point(|&time| time <= t).clamp(1, times.len() - 1);
        let share = (t - times[k - 1]) / (times[k] - times[k - 1]);
        &found.gains[k - 1] * (1.0 - share) + &found.gains[k] * share
    };
    let from = |t: f64, x: &Matrix| Matrix::from_fn(6, 1, |i, _| x[i] - wanted(robot, t).0[i]);
    let cost = |t: f64, x: &Matrix| {
        let dx = from(t, x);
        let du = gain(t) * &dx;
        (dx.transpose() * q * &dx + du.transpose() * r * &du)[0]
    };
    let rate = |t: f64, x: &Matrix| {
        let (_, torque) = wanted(robot, t);
        let du = -(gain(t) * from(t, x));
        let pose = robot.at_joints([x[0], x[1], x[2]], Assembly::Below).expect("reached");
        let moving = pose.moving_joints([x[3], x[4], x[5]]);
        let acceleration = moving.acceleration((torque + Vec3([du[0], du[1], du[2]])).0);
        let qdd = moving.joint_acceleration(acceleration);
        Matrix::from_column_slice(6, 1, &[x[3], x[4], x[5], qdd[0], qdd[1], qdd[2]])
    };
    let mut x = Matrix::from_fn(6, 1, |i, _| wanted(robot, 0.0).0[i] + start[i]);
    let steps = 2400;
    let h = END / f64::from(steps);
    let mut sum = cost(0.0, &x);
    for k in 0..steps {
        let t = h * f64::from(k);
        let k1 = rate(t, &x);
        let k2 = rate(t + 0.5 * h, &(&x + &k1 * (0.5 * h)));
        let k3 = rate(t + 0.5 * h, &(&x + &k2 * (0.5 * h)));
        let k4 = rate(t + h, &(&x + &k3 * h));
        x += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        let weight = if k + 1 == steps { 1.0 } else { f64::from(4 - 2 * (k % 2)) };
        sum += weight * cost(t + h, &x);
    }
    (sum * h / 3.0, from(END, &x))
}

/// The robot comes back to its motion, and at the cost that was predicted.
#[test]
fn the_robot_returns_to_its_motion_at_the_predicted_cost() -> Done {
    let robot = smooth()?;
    // Soft enough that Runge and Kutta's steps are no part of what is left.
    let (q, r) = (diagonal(&[400.0, 400.0, 400.0, 1.0, 1.0, 1.0]), diagonal(&[0.1; 3]));
    let end = diagonal(&[30.0, 30.0, 30.0, 0.3, 0.3, 0.3]);
    let direction = Matrix::from_column_slice(6, 1, &[1.0, -0.7, 0.4, 3.0, 5.0, -4.0]);
    // Both signs: odd powers of the disturbance cancel.
    let off = |motion: &LinearMotion, found: &MotionRegulator, size: f64| {
        let cost = |sign: f64| {
            let start = &direction * (sign * size);
            let (cost, last) = run(&robot, motion, found, [&q, &r], &start);
            let left = (last.transpose() * &end * &last)[0];
            assert!(last.amax() < 0.02 * start.amax(), "it does not return: {}", last.amax() / start.amax());
            cost + left
        };
        let predicted = (direction.transpose() * &found.costs[0] * &direction)[0] * size * size;
        0.5 * (cost(1.0) + cost(-1.0)) / predicted - 1.0
    };
    // A and B are straight lines between states: an error of second order in the time from state to state.
    let with_states_every = |step: f64| -> Result<f64, Box<dyn Error>> {
        let motion = models(&robot, step)?;
        let found = lqr_along(&motion, &q, &r, Some(&end))?;
        Ok(off(&motion, &found, 1e-5))
    };
    let (rough, finer) = (with_states_every(0.02)?, with_states_every(0.01)?);
    let motion = &models(&robot, 1e-3)?;
    let found = lqr_along(motion, &q, &r, Some(&end))?;
    let small = off(motion, &found, 1e-5);
    println!("states every 20 ms: {rough:.2e}, 10 ms: {finer:.2e}, 1 ms: {small:.2e}");
    assert!((rough / finer - 4.0).abs() < 0.1 && small.abs() < 3e-7, "{rough} {finer} {small}");
    let (large, half) = (off(motion, &found, 0.04) - small, off(motion, &found, 0.02) - small);
    println!("disturbances of 0.04: {large:.2e}, of 0.02: {half:.2e}");
    assert!((large / half - 4.0).abs() < 0.1 && large.abs() < 1e-4, "{large} {half}");
    // A gain of another time costs more.
    let mut late = found.clone();
    late.gains.rotate_left(150);
    let start = &direction * 1e-4;
    let cost = |found: &MotionRegulator| {
        let (cost, last) = run(&robot, motion, found, [&q, &r], &start);
        cost + (last.transpose() * &end * &last)[0]
    };
    assert!(cost(&late) > 1.0001 * cost(&found), "{} {}", cost(&late), cost(&found));
    Ok(())
}

/// Sampled models that vary: the recursion's cost is that of the loop, and every other gain costs more.
#[test]
fn the_cost_of_samples_is_that_of_the_loop() -> Done {
    let motion = models(&smooth()?, 0.01)?.discrete(0.01)?;
    let (q, r) = (diagonal(&[400.0, 400.0, 400.0, 1.0, 1.0, 1.0]), diagonal(&[0.01; 3]));
    let end = diagonal(&[30.0, 30.0, 30.0, 0.3, 0.3, 0.3]);
    let found = lqr_along(&motion, &q, &r, Some(&end))?;
    // No number is zero: a gain of it would cost nothing, and rounding would decide.
    let start = Matrix::from_column_slice(6, 1, &[0.1, -0.05, 0.02, 0.3, 0.1, -0.2]);
    let cost = |gains: &[Matrix]| {
        let (mut x, mut sum) = (start.clone(), 0.0);
        for (point, gain) in motion.points().iter().zip(gains).take(gains.len() - 1) {
            let u = -gain * &x;
            sum += (x.transpose() * &q * &x + u.transpose() * &r * &u)[0];
            x = &point.system.a * x + &point.system.b * u;
        }
        sum + (x.transpose() * &end * &x)[0]
    };
    let expected = (start.transpose() * &found.costs[0] * &start)[0];
    assert!((cost(&found.gains) / expected - 1.0).abs() < 1e-12);
    for k in [0, 7, 30] {
        for entry in 0..18 {
            let mut other = found.gains.clone();
            other[k][entry] += 0.05 * found.gains[k].amax();
            assert!(cost(&other) > expected);
        }
    }
    Ok(())
}

#[test]
fn what_makes_no_sense_is_refused_and_files_hold_the_gains() -> Done {
    let robot = smooth()?;
    let motion = models(&robot, 0.05)?;
    let (q, r) = (diagonal(&[1.0; 6]), diagonal(&[1.0; 3]));
    assert!(matches!(lqr_along(&motion, &diagonal(&[1.0; 5]), &r, None), Err(LinearError::Shape { .. })));
    assert!(matches!(lqr_along(&motion, &q, &-&r, None), Err(LinearError::Weight { .. })));
    assert!(matches!(lqr_along(&motion, &q, &r, Some(&-&q)), Err(LinearError::Weight { .. })));
    let wrong = lqr_along(&motion.discrete(0.01)?, &q, &r, None);
    assert!(matches!(wrong, Err(LinearError::Steps { row: 2, .. })), "{wrong:?}");
    let mut fast = motion.points().to_vec();
    fast[3].system.a *= 1e6;
    let fast = LinearMotion::new(motion.times().to_vec(), fast)?;
    assert!(matches!(lqr_along(&fast, &q, &r, None), Err(LinearError::Fast { .. })));
    let found = lqr_along(&motion, &q, &r, None)?;
    let json = motion.to_json(Some(&found));
    assert_eq!(json["K"][4][2][5].as_f64(), Some(found.gains[4][(2, 5)]));
    assert_eq!(json["P"][4][2][5].as_f64(), Some(found.costs[4][(2, 5)]));
    for format in ExportFormat::ALL {
        assert!(motion.export(Some(&found), format)?.len() > motion.export(None, format)?.len() + 12 * 54 * 8);
    }
    let csv = found.to_csv(&motion);
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0][..8], ["t", "q1", "q2", "q3", "qd1", "qd2", "qd3", "tau1"]);
    assert_eq!(lines[0][10..12], ["k_tau1_q1", "k_tau1_q2"]);
    let column = lines[0].iter().position(|name| *name == "k_tau3_qd2").ok_or("a column")?;
    assert_eq!(lines[6][column].parse::<f64>()?, found.gains[5][(2, 4)]);
    assert_eq!(lines.len(), 1 + motion.times().len());
    Ok(())
}
