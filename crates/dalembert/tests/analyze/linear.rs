//! Linear models: derivatives against the complex step, closed forms of pendulums, and the promises of each method.
//!
//! A plausible mistake (a forgotten derivative of the Jacobian, a swapped block) shows at order one; the tolerances are
//! those of rounding.

use crate::common::complex_step::ComplexStep;
use crate::linearize;
use dalembert::delta::{Assembly, Branch, Delta};
use dalembert::friction::Friction;
use dalembert::linear::{Complex, LinearError, Matrix, StateSpace, decades, lqr, magnitude, place};
use dalembert::mechanism::{Mechanism, Poles, add_delta};
use dalembert::mechanism::{Observed, linear_model};
use dalembert::robot::families::{SerialLinks, Surroundings};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters};
use dalembert::spatial::Frame;
use dalembert::{Angle, Sym3, Vec3, robots as built_in};
use dalembert_proptest::{robots, states};
use proptest::prelude::*;
use std::error::Error;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const G: f64 = 9.81;

/// Largest difference over the largest entry.
fn off(found: &Matrix, expected: &Matrix) -> f64 {
    (found - expected).amax() / expected.amax().max(f64::MIN_POSITIVE)
}

/// Rates of joint or platform coordinates along one direction of (x, v, τ): the column of [A B] there.
fn column(robot: &Delta<f64>, coordinates: Coordinates, point: &[f64], force: Vec3<f64>, direction: usize) -> [f64; 3] {
    let lifted: Delta<ComplexStep> = robot.lift();
    let at = |i: usize| ComplexStep::moved(point[i], if i == direction { 1.0 } else { 0.0 });
    let vector = |from: usize| Vec3::from_fn(|i| at(from + i));
    let moving = match coordinates {
        Coordinates::Joint => {
            lifted.pose_from_joints_unchecked(vector(0).0, Assembly::Below).0.moving_joints(vector(3).0)
        }
        _ => lifted.pose_unchecked(vector(0), Branch::Out).moving(vector(3)),
    };
    let acceleration = moving.acceleration_under(vector(6).0, force.map(ComplexStep::constant));
    match coordinates {
        Coordinates::Joint => moving.joint_acceleration(acceleration).map(ComplexStep::derivative),
        _ => acceleration.0.map(ComplexStep::derivative),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Random robots in motion, both coordinates: every entry of A and B.
    #[test]
    fn delta_against_the_complex_step(robot in robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
        let torque = moving.torque_under(state.acceleration, state.force);
        for coordinates in [Coordinates::Joint, Coordinates::Cartesian] {
            let model = linearize::delta(&moving, torque, state.force, coordinates, &Output::ALL).unwrap();
            let point = [&model.state[..], &model.input[..]].concat();
            let expected = Matrix::from_columns(
                &(0..9)
                    .map(|k| column(&robot, coordinates, &point, state.force, k).to_vec().into())
                    .collect::<Vec<nalgebra::DVector<f64>>>(),
            );
            let found = Matrix::from_fn(3, 9, |i, j| {
                if j < 6 { model.system.a[(3 + i, j)] } else { model.system.b[(3 + i, j - 6)] }
            });
            prop_assert!(off(&found, &expected) < 1e-10, "{:?}: {}", coordinates, off(&found, &expected));
            // The point is one of the motion, whichever the coordinates.
            let acceleration = Vec3::from_fn(|i| model.output[12 + i]);
            let size = state.acceleration.norm_squared().sqrt();
            prop_assert!((acceleration - state.acceleration).norm_squared().sqrt() < 1e-9 * size);
        }
    }

    /// Joint and platform coordinates describe one system: the same poles and, at rest, the same transfer function.
    #[test]
    fn coordinates_do_not_change_the_system(robot in robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let pose = robot.at_position(state.position, state.branch).unwrap();
        let outputs = [Output::Joints, Output::Position];
        let [a, b] = [Coordinates::Joint, Coordinates::Cartesian]
            .map(|coordinates| linearize::delta_at_rest(&pose, coordinates, &outputs).unwrap().system);
        for omega in [30.0, 100.0] {
            let (g, h) = (a.at_frequency(omega).unwrap(), b.at_frequency(omega).unwrap());
            // Away from the poles: a resonance magnifies rounding by its height.
            let far = a.poles().unwrap().iter().all(|s| (s.im.abs() - omega).abs() > 0.1 * omega);
            prop_assert!(!far || magnitude(&(&g - &h)) < 1e-10 * magnitude(&g));
        }
    }
}

fn link(joint: Joint, alpha: f64, a: f64, mass: f64, length: f64) -> LinkParameters<f64> {
    LinkParameters {
        coupling: None,
        joint,
        dh: DhRow { alpha: Angle::from_radians(alpha), a, d: 0.0, theta_offset: Angle::from_radians(0.0) },
        body: Body { mass, center_of_mass: Vec3::new(length, 0.0, 0.0), inertia: Sym3::zero() },
        motor_inertia: 0.0,
        gear_ratio: 1.0,
        friction: None,
        armature: None,
        spring: None,
    }
}

/// An arm of links as above, gravity along x: a link at q = 0 hangs.
fn arm(links: &[LinkParameters<f64>]) -> SerialLinks {
    let rest = Surroundings {
        base: None,
        links: [],
        convention: DhConvention::Modified,
        gravity: Vec3::new(G, 0.0, 0.0),
        tool: Frame::identity(),
        payload: Body::zero(),
    };
    SerialLinks::try_new(links, rest).unwrap()
}

/// A point mass on a rod: θ̈ = −(g/l) sin θ + τ/(m l²), about any angle.
#[test]
fn pendulum_in_closed_form() -> Result<(), Box<dyn Error>> {
    let (m, l, angle) = (1.3, 0.7, 0.4_f64);
    let pendulum = arm(&[link(Joint::Revolute, 0.0, 0.0, m, l)]);
    for q in [0.0, angle, PI] {
        let hold = m * G * l * q.sin();
        let model = linearize::arm(&pendulum, &[q], &[0.0], &[hold], &[Output::Joints])?;
        let expected = Matrix::from_row_slice(2, 2, &[0.0, 1.0, -G / l * q.cos(), 0.0]);
        assert!(off(&model.system.a, &expected) < 1e-15 && (model.system.b[(1, 0)] * m * l * l - 1.0).abs() < 1e-15);
        assert!(model.rate[1].abs() < 1e-14, "an equilibrium: {}", model.rate[1]);
        let pole = model.system.poles()?[0];
        let expected = (-G / l * q.cos()).abs().sqrt();
        assert!((pole.norm() - expected).abs() < 1e-14 * expected);
        assert_eq!(pole.re > 1e-9, q == PI, "upside down it falls: {pole}");
    }
    Ok(())
}

/// Two point masses, hanging: −M⁻¹K with M and K of the textbook.
#[test]
fn double_pendulum_in_closed_form() -> Result<(), Box<dyn Error>> {
    let ([m1, m2], [l1, l2]) = ([1.3, 0.6], [0.7, 0.4]);
    let both = arm(&[link(Joint::Revolute, 0.0, 0.0, m1, l1), link(Joint::Revolute, 0.0, l1, m2, l2)]);
    let model = linearize::arm(&both, &[0.0; 2], &[0.0; 2], &[0.0; 2], &[Output::Joints])?;
    let off_diagonal = m2 * l2 * (l1 + l2);
    let mass = Matrix::from_row_slice(
        2,
        2,
        &[m1 * l1 * l1 + m2 * (l1 + l2) * (l1 + l2), off_diagonal, off_diagonal, m2 * l2 * l2],
    );
    let stiffness =
        Matrix::from_row_slice(2, 2, &[G * (m1 * l1 + m2 * (l1 + l2)), G * m2 * l2, G * m2 * l2, G * m2 * l2]);
    let inverse = mass.try_inverse().ok_or("singular")?;
    assert!(off(&model.system.a.view((2, 0), (2, 2)).into_owned(), &-(&inverse * stiffness)) < 1e-14);
    assert!(off(&model.system.b.rows(2, 2).into_owned(), &inverse) < 1e-14);
    assert!(off(&model.system.a.view((0, 2), (2, 2)).into_owned(), &Matrix::identity(2, 2)) == 0.0);
    Ok(())
}

/// A cart of mass M on a rail, a point mass m on a rod above it.
fn cart_pole() -> (StateSpace, [f64; 3]) {
    let (cart, m, l) = (2.0, 0.3, 0.5);
    let both = arm(&[link(Joint::Prismatic, 0.0, 0.0, cart, 0.0), link(Joint::Revolute, FRAC_PI_2, 0.0, m, l)]);
    let model = linearize::arm(&both, &[0.0, PI], &[0.0; 2], &[0.0; 2], &[Output::Joints]).unwrap();
    assert!(model.rate.iter().all(|r| r.abs() < 1e-14));
    (model.system.select(&[0], &[0, 1]).unwrap(), [cart, m, l])
}

/// Upright: θ̈ = (M + m) g/(M l) θ, ẍ = ± m g/M θ; a force F on the cart: ẍ = F/M, θ̈ = ± F/(M l).
#[test]
fn cart_pole_in_closed_form() -> Result<(), Box<dyn Error>> {
    let (model, [cart, m, l]) = cart_pole();
    let a = |i: usize, j: usize| model.a[(i, j)];
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-14 * expected, "{found} {expected}");
    near(a(3, 1), (cart + m) * G / (cart * l));
    near(a(2, 1).abs(), m * G / cart);
    near(model.b[(2, 0)], 1.0 / cart);
    near(model.b[(3, 0)].abs(), 1.0 / (cart * l));
    assert!(a(2, 1) * model.b[(3, 0)] > 0.0, "signs belong together");
    assert_eq!(model.controllable_states()?, 4);
    assert_eq!(model.observable_states()?, 4);
    // From the cart's position to itself: the zeros are those of the pole swinging over a cart that stands still.
    let zeros = model.select(&[0], &[0])?.zeros()?;
    assert_eq!(zeros.len(), 2);
    zeros.iter().for_each(|zero| near(zero.norm(), (G / l).sqrt()));
    // Seen from the angle alone the position is lost.
    assert_eq!(model.select(&[0], &[1])?.observable_states()?, 2);
    Ok(())
}

/// The regulators do what they promise on a model that needs them: the poles are where they are wanted, the cost solves
/// Riccati's equation and is that of the closed loop.
#[test]
fn regulators_of_the_cart_pole_and_of_a_delta() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([0.0, 0.1, -0.1], Assembly::Below)?;
    let delta = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
    let (cart, _) = cart_pole();
    for system in [&cart, &delta] {
        let (n, m) = system.b.shape();
        let (q, r) = (Matrix::identity(n, n), Matrix::identity(m, m) * 0.01);
        let best = lqr(system, &q, &r)?;
        let p = &best.cost;
        let riccati = system.a.transpose() * p + p * &system.a - p * &system.b * &system.b.transpose() * p / 0.01 + &q;
        assert!(riccati.amax() < 1e-10 * p.norm() * system.a.norm(), "{}", riccati.amax());
        assert!(best.poles.iter().all(|s| s.re < 0.0));
        let pair = |re: f64, im: f64| [Complex::new(re, im), Complex::new(re, -im)];
        let mut wanted: Vec<_> = [pair(-4.0, 3.0), pair(-6.0, 0.0), pair(-4.5, 2.0)].concat();
        wanted[2].re = -7.0;
        wanted.truncate(n);
        let placed = place(system, &wanted)?;
        for pole in &wanted {
            let nearest = placed.poles.iter().map(|s| (s - pole).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-8, "{pole}: {nearest}");
        }
    }
    // Three inputs: a pole can be had three times, not four.
    let triple = [-5.0, -5.0, -5.0, -8.0, -8.0, -8.0].map(|s| Complex::new(s, 0.0));
    assert!(place(&delta, &triple).is_ok());
    assert!(matches!(place(&delta, &[Complex::new(-5.0, 0.0); 6]), Err(LinearError::WantedPoles { .. })));
    assert!(matches!(place(&cart, &[Complex::new(-5.0, 0.0); 4]), Err(LinearError::WantedPoles { .. })));
    let lonely = [-5.0, -6.0, -7.0, -8.0].map(|s| Complex::new(s, 1.0));
    assert!(matches!(place(&cart, &lonely), Err(LinearError::WantedPoles { .. })));
    Ok(())
}

/// Held inputs: the samples of the discrete model are those of the continuous one. A double integrator and an oscillator
/// in closed form, and two short steps make a long one.
#[test]
fn zero_order_hold_in_closed_form() -> Result<(), Box<dyn Error>> {
    let (m, l, h) = (1.3, 0.7, 0.01);
    let pendulum = arm(&[link(Joint::Revolute, 0.0, 0.0, m, l)]);
    let model = linearize::arm(&pendulum, &[0.0], &[0.0], &[0.0], &[Output::Joints])?.system;
    let discrete = model.discrete(h)?;
    let w = (G / l).sqrt();
    let (s, c) = (w * h).sin_cos();
    let expected = Matrix::from_row_slice(2, 2, &[c, s / w, -w * s, c]);
    assert!(off(&discrete.a, &expected) < 1e-14);
    let input = Matrix::from_column_slice(2, 1, &[(1.0 - c) / (w * w), s / w]) / (m * l * l);
    assert!(off(&discrete.b, &input) < 1e-12); // 1 − cos loses digits here, not there
    let long = model.discrete(2.0 * h)?;
    assert!(off(&long.a, &(&discrete.a * &discrete.a)) < 1e-14);
    assert!(off(&long.b, &(&discrete.a * &discrete.b + &discrete.b)) < 1e-14);
    assert!(discrete.poles()?.iter().all(|z| (z.norm() - 1.0).abs() < 1e-14));
    assert!(matches!(discrete.discrete(h), Err(LinearError::Time { .. })));
    assert!(matches!(model.discrete(0.0), Err(LinearError::BadValue { .. })));
    Ok(())
}

/// The robot with viscous friction at its motors.
fn damped(robot: &Delta<f64>, viscous: f64) -> Delta<f64> {
    let mut parameters = *robot.parameters();
    for arm in &mut parameters.arms {
        arm.motor.friction = Some(Friction { viscous, ..Friction::NONE });
    }
    Delta::try_new(parameters).expect("as before")
}

/// Bortoff, II-E and IV-D: the constraint modes of the Baumgarte model have no Hankel singular values, and balanced
/// truncation gives back the model with six states. Both ways to hold the constraints, both robots.
#[test]
fn balanced_truncation_gives_the_minimal_model_back() -> Result<(), Box<dyn Error>> {
    for robot in [built_in::d3_1200()?, built_in::asadi()?] {
        let delta = damped(&robot.delta, 0.3);
        let pose = delta.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
        let six = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
        let mut m = Mechanism::new(delta.gravity());
        let parts = add_delta(&mut m, "delta", &delta)?;
        let start = m.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?;
        let outputs = parts.arms.map(|arm| Observed::Coordinate(arm, 0));
        for roots in [[-4.0, -6.0], [-5.0, -5.0]] {
            let poles = Poles::real(roots[0], roots[1])?;
            let torque = pose.gravity_torque();
            let all = linear_model(&m, (0.0, &start.q, &start.v), &torque, poles, &outputs)?.system;
            assert_eq!(all.order(), 18);
            assert_eq!(all.controllable_states()?, 6);
            let cut = all.balanced(None)?;
            assert_eq!(cut.system.order(), 6, "{:?}", cut.hankel);
            let mut worst = 0.0_f64;
            for omega in decades(1e-2, TAU * 1000.0, 200) {
                let (g, h) = (six.at_frequency(omega)?, cut.system.at_frequency(omega)?);
                worst = worst.max(magnitude(&(&g - &h)) / magnitude(&g));
            }
            println!("{} {roots:?}: {worst:.1e}", robot.name);
            assert!(worst < 1e-8, "{worst}");
            // The platform seen from both: the 18 states need no reduction to have the same transfer function.
            let platform = [Observed::Point(parts.platform()), Observed::Velocity(parts.arms[1], 0)];
            let seen = linear_model(&m, (0.0, &start.q, &start.v), &torque, poles, &platform)?.system;
            let outputs = [Output::Position, Output::JointRates];
            let explicit = linearize::delta_at_rest(&pose, Coordinates::Cartesian, &outputs)?
                .system
                .select(&[0, 1, 2], &[0, 1, 2, 4])?;
            for omega in [0.3, 3.0, 30.0] {
                let (g, h) = (explicit.at_frequency(omega)?, seen.at_frequency(omega)?);
                assert!(magnitude(&(&g - &h)) < 1e-10 * magnitude(&g));
            }
            // Kalman's decomposition finds it too, and where it comes from: 12 states that no torque reaches.
            let kalman = all.kalman()?;
            assert_eq!(kalman.dimensions[..2], [6, 0]);
            let omega = 10.0;
            let (g, h) = (six.at_frequency(omega)?, kalman.minimal.at_frequency(omega)?);
            assert!(magnitude(&(&g - &h)) < 1e-9 * magnitude(&g));
        }
    }
    Ok(())
}

/// Without damping there are no Gramians: refused with the reason. The split and Kalman's decomposition exist.
#[test]
fn what_has_no_gramian_is_refused_and_split() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let pose = robot.at_joints([0.0; 3], Assembly::Below)?;
    let model = linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?.system;
    let error = model.balanced(None).expect_err("unstable");
    println!("{error}");
    assert!(matches!(error, LinearError::NotStable { pole, .. } if (pole.re - 2.24).abs() < 0.005));
    let split = model.split()?;
    assert_eq!([split.stable.order(), split.rest.order()], [1, 5]);
    for omega in [0.3, 3.0, 30.0] {
        let parts = split.stable.at_frequency(omega)? + split.rest.at_frequency(omega)?;
        let whole = model.at_frequency(omega)?;
        assert!(magnitude(&(&parts - &whole)) < 1e-11 * magnitude(&whole));
    }
    assert!(model.zeros()?.is_empty(), "torque and angle of the same joint: nothing in between");
    assert!(matches!(model.select(&[3], &[0]), Err(LinearError::Shape { .. })));
    Ok(())
}

/// The PUMA in motion against differences of its own forward dynamics, extrapolated to step zero (Ridders).
#[test]
fn serial_arm_against_extrapolated_differences() -> Result<(), Box<dyn Error>> {
    let puma = built_in::puma560()?.arm;
    let arm = puma.arm::<6>().ok_or("six joints")?;
    let point = [[0.3, -0.8, 0.5, 0.2, 0.7, -0.4], [0.5, -0.3, 0.8, 1.0, -0.6, 0.9], [3.0, 20.0, 5.0, 0.1, -0.2, 0.1]];
    let model = linearize::arm(&puma, &point[0], &point[1], &point[2], &Output::ALL)?;
    let rate = |x: &[f64]| {
        let part = |k: usize| -> [f64; 6] { std::array::from_fn(|i| x[6 * k + i]) };
        let moving = arm.at_joints(part(0)).and_then(|pose| pose.try_moving(part(1)));
        moving.and_then(|moving| moving.try_acceleration(part(2))).expect("regular")
    };
    let at = point.concat();
    for column in 0..18 {
        let difference = |h: f64| -> Vec<f64> {
            let moved = |by: f64| {
                let mut x = at.clone();
                x[column] += by;
                rate(&x)
            };
            moved(h).iter().zip(moved(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        // Steps 0.2, 0.1 …: the error has even powers only, each extrapolation removes one.
        let mut table: Vec<Vec<f64>> = (0..6).map(|k| difference(0.2 / f64::from(1 << k))).collect();
        for order in 1..6 {
            let factor = 4f64.powi(order);
            table = table
                .windows(2)
                .map(|pair| pair[1].iter().zip(&pair[0]).map(|(b, a)| b + (b - a) / (factor - 1.0)).collect())
                .collect();
        }
        for (i, expected) in table[0].iter().enumerate() {
            let found =
                if column < 12 { model.system.a[(6 + i, column)] } else { model.system.b[(6 + i, column - 12)] };
            let size = if column < 12 { model.system.a.amax() } else { model.system.b.amax() };
            assert!((found - expected).abs() < 1e-9 * size, "{i} {column}: {found} {expected}");
        }
    }
    Ok(())
}
