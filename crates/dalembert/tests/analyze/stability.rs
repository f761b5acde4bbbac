//! Stability at rest: Bortoff's instability in closed form and by numbers, and what damping, payload, mounting and gains
//! do to it.

use crate::linearize::delta_at_rest;
use dalembert::delta::{Assembly, Branch, Delta, ParameterError, Parameters};
use dalembert::friction::Friction;
use dalembert::linear::{Complex, Matrix};
use dalembert::robot::families::delta::stability::symmetric::{Heave, NotSymmetric, numerical_crossings};
use dalembert::robot::families::delta::stability::{at_rest, equilibria};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::stability::{Crossing, Held, Verdict};
use dalembert::robot::{JointState, Pick, Robot};
use dalembert::{Vec3, robots as built_in};
use dalembert_proptest::{robots, states, symmetric_robots};
use proptest::prelude::*;
use std::error::Error;

/// With its base turned: gravity seen from it.
fn mounted(robot: &Delta<f64>, gravity: Vec3<f64>) -> Result<Delta<f64>, ParameterError> {
    Delta::try_new(Parameters { gravity, ..*robot.parameters() })
}

fn damped(robot: &Delta<f64>, viscous: f64) -> Delta<f64> {
    let mut parameters = *robot.parameters();
    for arm in &mut parameters.arms {
        arm.motor.friction = Some(Friction { viscous, ..Friction::NONE });
    }
    Delta::try_new(parameters).expect("as before")
}

fn poles(robot: &Delta<f64>, degrees: f64) -> Vec<Complex<f64>> {
    let pose = robot.at_joints([degrees.to_radians(); 3], Assembly::Below).expect("reached");
    delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints]).expect("regular").system.poles().expect("poles")
}

/// The figures of `crates/papers/errata.md` §4, found there by another program.
#[test]
fn the_heave_mode_of_the_built_in_robots() -> Result<(), Box<dyn Error>> {
    for (robot, crossing, growth, stiffness) in
        [(built_in::asadi()?, 16.03, 2.24, 0.72), (built_in::d3_1200()?, 15.55, 2.95, 2.88)]
    {
        let delta = robot.delta;
        let heave = Heave::of(&delta)?;
        let closed = heave.crossing().ok_or("no crossing")?;
        let numerical = numerical_crossings(&delta)?[0];
        println!("{}: {:.4}°", robot.name, closed.angle.to_degrees());
        assert!((closed.angle.to_degrees() - crossing).abs() < 0.02 && closed.stable_above);
        assert!((closed.angle - numerical.angle).abs() < 1e-12);
        assert!((heave.stiffness(45_f64.to_radians()) - stiffness).abs() < 0.005);
        // Horizontal arms: one real pole on the right. 45°: all six on the axis, or left of it with damping.
        let falling = poles(&delta, 0.0);
        assert!((falling[0].re - growth).abs() < 0.005 && falling[0].im == 0.0 && falling[1].re < 1e-9);
        assert!(poles(&delta, 45.0).iter().all(|s| s.re.abs() < 1e-9 && s.im.abs() > 1.0));
        assert!(poles(&damped(&delta, 0.3), 45.0).iter().all(|s| s.re < -0.1 && s.im.abs() > 0.5));
        // Just beside the crossing.
        for (offset, stable) in [(-1e-6, false), (1e-6, true)] {
            let pose = delta.at_joints([closed.angle + offset; 3], Assembly::Below)?;
            assert_eq!(at_rest(&pose).verdict() == Verdict::Stable, stable);
        }
    }
    Ok(())
}

/// A robot that is not symmetric is told so, with the reason.
#[test]
fn what_has_no_symmetric_pose_says_so() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let tilted = mounted(&robot, Vec3::new(1.0, 0.0, -9.0))?;
    assert!(matches!(Heave::of(&tilted), Err(NotSymmetric::Gravity { .. })));
    assert_eq!(Heave::of(&mounted(&robot, Vec3::zero())?), Err(NotSymmetric::Weightless));
    let mut uneven = *robot.parameters();
    uneven.arms[2].forearm.mass *= 1.1;
    assert_eq!(Heave::of(&Delta::try_new(uneven)?), Err(NotSymmetric::Arms { arm: 3 }));
    Ok(())
}

/// Gravity compensation alone (Bortoff IV-E says it renders all equilibria exponentially stable): K = 0, so a robot that
/// is pushed stays (three zero poles, with damping) or drifts on (six, without). The poles of A δq̈ + D δq̇ = 0 are the
/// eigenvalues of −A⁻¹D beside the zeros.
#[test]
fn gravity_compensation_alone_is_not_exponentially_stable() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    for (viscous, zeros, others) in [(0.0, 6, Vec::<f64>::new()), (0.5, 3, vec![-2.79, -0.93, -0.93])] {
        let robot = damped(&robot, viscous);
        let pose = robot.at_joints([30_f64.to_radians(); 3], Assembly::Below)?;
        let rest = at_rest(&pose).gravity_compensated();
        assert_eq!(rest.zero_poles(), zeros);
        let drift = rest.mass.clone().lu().solve(&rest.damping).unwrap();
        let found = (-drift).complex_eigenvalues();
        for expected in others {
            assert!(found.iter().any(|s| (s.re - expected).abs() < 0.01), "{expected} of {found}");
        }
        assert_eq!(rest.growth(), 0.0, "and nothing grows exponentially either");
    }
    Ok(())
}

/// Any robot's, from its linear models, is the Delta's own.
#[test]
fn what_linear_models_say_is_what_the_delta_says() -> Result<(), Box<dyn Error>> {
    let robot =
        Robot::find("d3-1200")?.with_friction(Some(Friction { viscous: 0.4, coulomb: 3.0, ..Friction::NONE }))?;
    let delta = damped(&built_in::d3_1200()?.delta, 0.4);
    let held = Held::of(robot.family())?;
    for q in [[0.1, 0.2, 0.4], [0.9, 0.8, 0.7], [-0.2, 0.1, 0.0]] {
        let state = robot.at_joints(&JointState::at_rest(q), &Pick::default())?;
        let (found, expected) = (held.at(&state)?, at_rest(&delta.at_joints(q, Assembly::Below)?));
        let close = |a: &Matrix, b: &Matrix| (a - b).amax() <= 1e-12 * b.amax();
        assert!(close(&found.mass, &expected.mass) && close(&found.damping, &expected.damping));
        assert!(close(&found.stiffness, &expected.stiffness), "{} {}", found.stiffness, expected.stiffness);
        assert_eq!(found.verdict(), expected.verdict());
        let holding = robot.build_model("exact")?.gravity_torque(&state);
        let again = held.equilibria(&holding, &[state]);
        assert!(again.len() == 1 && (again[0].joints[0] - q[0]).abs() < 1e-12);
    }
    Ok(())
}

/// Without weight nothing falls and nothing pulls back: neither stable nor unstable.
#[test]
fn a_weightless_robot_is_neutral() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = mounted(&robot, Vec3::zero())?;
    let rest = at_rest(&pose.at_joints([0.2, 0.3, 0.5], Assembly::Below)?);
    assert_eq!((rest.verdict(), rest.growth(), rest.least_gain()), (Verdict::Neutral, 0.0, 0.0));
    let held = at_rest(&robot.at_joints([0.2, 0.3, 0.5], Assembly::Below)?);
    assert_eq!(held.gravity_compensated().verdict(), Verdict::Neutral);
    Ok(())
}

/// Constant torques have the equilibrium they were computed for, and others: a falling robot comes to rest elsewhere.
#[test]
fn equilibria_of_a_constant_torque() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let pose = robot.at_joints([0.1, 0.1, 0.1], Assembly::Below)?;
    let all = equilibria(&robot, pose.gravity_torque(), 12);
    assert!(
        all.iter()
            .any(|e| Vec3::from_fn(|i| e.joints[i] - 0.1).norm_squared() < 1e-18 && e.verdict == Verdict::Unstable)
    );
    assert!(all.iter().any(|e| e.verdict == Verdict::Stable && e.position[2] < pose.position[2]), "below it: {all:?}");
    for equilibrium in &all {
        let held = robot.at_joints([0, 1, 2].map(|i| equilibrium.joints[i]), Assembly::Below)?.gravity_torque();
        assert!((Vec3(held) - Vec3(pose.gravity_torque())).norm_squared().sqrt() < 1e-9);
        assert_eq!(equilibrium.growth > 0.0, equilibrium.verdict == Verdict::Unstable);
    }
    // A pose is listed once, not again with a joint a turn further: these torques hold two places.
    let asadi = built_in::asadi()?.delta;
    let heights: Vec<f64> = equilibria(&asadi, [-0.8; 3], 16).iter().map(|e| e.position[2]).collect();
    assert_eq!(heights.len(), 2, "{heights:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Closed form and numbers on random symmetric robots, also with counterweights on the upper arms and with platforms
    /// larger than the base, which may have several crossings; upside down the stable side changes, the angle does not. The
    /// stable side is where the robot is stable.
    #[test]
    fn closed_form_is_the_numerical_crossing(
        robot in symmetric_robots(), counterweight in -1.0..1.0_f64, shift in -1.2..0.0_f64, kind in 0..3,
    ) {
        let mut parameters = *robot.parameters();
        for arm in &mut parameters.arms {
            match kind {
                0 => arm.upper_arm.center_of_mass *= counterweight,
                1 => arm.base_radius += shift * arm.upper_arm.length,
                _ => {}
            }
        }
        let Ok(robot) = Delta::try_new(parameters) else { return Ok(()) };
        let closed = Heave::of(&robot).unwrap().crossings();
        let numerical = numerical_crossings(&robot).unwrap();
        // What the samples, an eighth of a degree apart, find is a root of the closed form; and they find every root that has
        // poses around it and no other root beside it.
        let out = |q: f64| {
            robot.at_joints([q; 3], Assembly::Below).is_ok_and(|pose| pose.branches() == [Branch::Out; 3])
        };
        let same = |a: &Crossing, b: &Crossing| (a.angle - b.angle).abs() < 1e-6 && a.stable_above == b.stable_above;
        for found in &numerical {
            prop_assert!(closed.iter().any(|c| same(c, found)), "{:?} {:?}", closed, numerical);
        }
        for c in &closed {
            let alone = closed.iter().all(|other| other == c || (other.angle - c.angle).abs() > 0.005);
            if alone && (-5..=5).all(|k| out(c.angle + 1e-3 * f64::from(k))) {
                prop_assert!(numerical.iter().any(|found| same(c, found)), "{:?} {:?}", closed, numerical);
                let beside = |q: f64| at_rest(&robot.at_joints([q; 3], Assembly::Below).unwrap()).heave() > 0.0;
                prop_assert_eq!(beside(c.angle + 1e-6), c.stable_above);
                prop_assert_eq!(beside(c.angle - 1e-6), !c.stable_above);
            }
        }
        let over = Heave::of(&mounted(&robot, -robot.gravity()).unwrap()).unwrap().crossings();
        prop_assert_eq!(over.len(), closed.len());
        for (over, closed) in over.iter().zip(&closed) {
            prop_assert!((over.angle - closed.angle).abs() < 1e-9 && over.stable_above != closed.stable_above);
        }
    }

    /// Kelvin, Tait, Chetaev on random robots anywhere: growth is the largest real part of the poles of the 6 × 6 model,
    /// damped or not; damping does not change the verdict; the least gain does, and nothing less.
    #[test]
    fn statics_decide(robot in robots(), seed in states(), viscous in 0.0..2.0_f64) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let robot = damped(&robot, viscous);
        let pose = robot.at_position(state.position, state.branch).unwrap();
        let rest = at_rest(&pose);
        let model = delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints]).unwrap().system;
        let fastest = model.poles().unwrap()[0];
        let size = model.a.norm().sqrt();
        // Near a crossing two poles meet at zero, where eigenvalues have half their digits.
        let tolerance = 1e-7 * size;
        prop_assert!((rest.growth() - fastest.re.max(0.0)).abs() < tolerance, "{} {}", rest.growth(), fastest);
        let undamped = at_rest(&damped(&robot, 0.0).at_position(state.position, state.branch).unwrap());
        prop_assert_eq!(undamped.verdict(), rest.verdict());
        let gain = rest.least_gain();
        // Of a gain below 1e-5 of the largest stiffness a billionth is lost in the rounding of that.
        if gain > 1e-5 * rest.stiffnesses()[2] {
            prop_assert_eq!(rest.with_gain(gain * (1.0 + 1e-9)).verdict(), Verdict::Stable);
            prop_assert_eq!(rest.with_gain(gain * (1.0 - 1e-9)).verdict(), Verdict::Unstable);
        }
        // The stiffness that falls out of the model: A₂₁ = −A⁻¹K.
        let product = rest.mass.clone().lu().solve(&rest.stiffness).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                prop_assert!((model.a[(3 + i, j)] + product[(i, j)]).abs() < 1e-9 * (1.0 + model.a.amax()));
            }
        }
    }
}
