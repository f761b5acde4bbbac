//! Identities that hold on every robot, on random robots without any symmetry.
//!
//! The exact model is believed because derivations that share no code with it agree to rounding: Newton/KKT in six
//! coordinates with nalgebra, Euler–Lagrange with the energies differentiated by dual numbers, Codourey's (15) with
//! his mass matrix (47) differentiated, and Bortoff's nine coordinates. Then come structure (Ṁ − 2C skew), power
//! balance and round trips.
//!
//! Tolerance: 1e-13 times the condition number of the step. That number is the product of what each step can amplify:
//! the root of the inverse kinematics ((L_A r/w)², how much of the discriminant cancels), the rods' 3 × 3 system
//! (condition number of J), and the cancellation between the terms of a sum, for which the scale is the largest term,
//! not the result. A wrong term of any kind is off by the size of that term: ten orders of magnitude more.

use crate::common::independent::{
    along_the_motion, codourey_mass_matrix, condition, energies, euler_lagrange, largest, norm, rates, torque_scale,
    with_uniform_rods,
};
use crate::common::straightforward;
use dalembert::delta::models::bortoff::Bortoff;
use dalembert::delta::{Assembly, Branch, Delta, Model, ModelName, Moving, Parameters, Term};
use dalembert::{Dual, Mat3, Scalar, Vec3};
use dalembert_proptest::{SampledState, robots, states, symmetric_robots};
use proptest::prelude::*;

const ROUNDING: f64 = 1e-13;

#[track_caller]
fn close(a: Vec3<f64>, b: Vec3<f64>, scale: f64, condition: f64) -> Result<(), TestCaseError> {
    let error = largest(&(a - b).0);
    prop_assert!(
        error <= ROUNDING * condition * scale,
        "{a:?} against {b:?}: off by {:.2e} of {scale:.3}, condition {condition:.1}",
        error / scale
    );
    Ok(())
}

/// A robot in a state; skips states that the robot cannot be in.
macro_rules! in_state {
    ($robot:expr, $seed:expr => $state:ident, $moving:ident, $condition:ident) => {
        let Some($state): Option<SampledState> = $seed.of(&$robot) else { return Ok(()) };
        let pose = $robot.at_position($state.position, Branch::Out).expect("the state is in reach");
        let $moving = pose.moving($state.velocity);
        let $condition = condition(&$moving.pose);
    };
}

/// `size` is that of the products that make up Ṁ and C: their sums may be much smaller.
fn assert_skew(rate: Mat3<f64>, c: Mat3<f64>, size: f64, condition: f64) -> Result<(), TestCaseError> {
    let n = rate - c * 2.0;
    for i in 0..3 {
        for k in 0..3 {
            prop_assert!((n[i][k] + n[k][i]).abs() <= ROUNDING * condition * size, "{n:?}, size {size}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_equals_newton_with_multipliers(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let ours = moving.torque(state.acceleration);
        let theirs = straightforward::Robot::new(robot.parameters()).torque(
            state.position.0, state.velocity.0, state.acceleration.0);
        close(Vec3(ours), Vec3(theirs), torque_scale(&moving, state.acceleration, Vec3::zero()), condition)?;
    }

    #[test]
    fn exact_equals_euler_lagrange_by_dual_numbers(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let theirs = moving.pose.torque_of_wrench(euler_lagrange(robot.parameters(), &state));
        let ours = moving.torque(state.acceleration);
        close(Vec3(ours), Vec3(theirs), torque_scale(&moving, state.acceleration, Vec3::zero()), condition)?;
    }

    /// Energies of the library against the ones written anew; the potential up to its constant.
    #[test]
    fn energies_agree(robot in robots(), seed in states(), other in states()) {
        in_state!(robot, seed => state, moving, condition);
        let (t, v) = energies(robot.parameters(), state.position, state.velocity);
        prop_assert!((t - moving.kinetic_energy()).abs() <= ROUNDING * condition * t);
        let Some(there) = other.of(&robot) else { return Ok(()) };
        let elsewhere = robot.at_position(there.position, Branch::Out).expect("in reach");
        let (_, v_there) = energies(robot.parameters(), there.position, there.velocity);
        let (ours, theirs) = (moving.pose.potential_energy() - elsewhere.potential_energy(), v - v_there);
        prop_assert!((ours - theirs).abs() <= ROUNDING * condition * (v.abs() + v_there.abs()), "{ours} {theirs}");
    }

    /// Codourey (14), (15): τ = A q̈ + Ȧ q̇ − ½ ∂(q̇ᵀA q̇)/∂q + G.
    #[test]
    fn codourey_lagrange_form_15(robot in robots(), seed in states()) {
        let robot = with_uniform_rods(&robot);
        in_state!(robot, seed => state, moving, condition);
        let (q, qd) = (moving.pose.joints(), moving.joint_velocity());
        let qdd = moving.joint_acceleration(state.acceleration);
        let a = codourey_mass_matrix(robot.parameters(), Vec3(Dual::<f64, 3>::variables(q)));
        let value = a.map(|entry| entry.value);
        let by = |k: usize| a.map(|entry| entry.derivative[k]);
        let a_rate = by(0) * qd[0] + by(1) * qd[1] + by(2) * qd[2];
        let gradient = Vec3::from_fn(|k| Vec3(qd).dot(by(k) * Vec3(qd)) * 0.5);
        let lagrange = value * Vec3(qdd) + a_rate * Vec3(qd) - gradient + Vec3(moving.pose.gravity_torque());
        let scale = torque_scale(&moving, state.acceleration, Vec3::zero())
            .max(largest(&(a_rate * Vec3(qd)).0)).max(largest(&(value * Vec3(qdd)).0));
        close(Vec3(moving.torque(state.acceleration)), lagrange, scale, condition)?;
        let model = ModelName::Codourey.build(robot.parameters());
        close(Vec3(model.as_model().torque(&moving, state.acceleration, Vec3::zero())), lagrange, scale, condition)?;
    }

    /// Where a published model is exact, it is `exact`.
    #[test]
    fn published_models_agree_where_they_are_exact(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let check = |moving: &Moving<'_, f64>, names: &[ModelName]| -> Result<(), TestCaseError> {
            let scale = torque_scale(moving, state.acceleration, state.force);
            for name in names {
                let model = name.build(moving.pose.robot.parameters());
                let torque = model.as_model().torque(moving, state.acceleration, state.force);
                close(Vec3(torque), Vec3(moving.torque_under(state.acceleration, state.force)), scale, condition)?;
                let held = model.as_model().gravity_torque(&moving.pose);
                close(Vec3(held), Vec3(moving.pose.gravity_torque()), scale, condition)?;
                let mass = model.as_model().mass_matrix(&moving.pose);
                let exact = moving.pose.mass_matrix();
                let size = largest(exact.0.iter().flat_map(|row| &row.0)).max(largest(&held));
                for i in 0..3 {
                    close(mass[i], exact[i], size, condition)?;
                }
            }
            Ok(())
        };
        check(&moving, &[ModelName::Asadi, ModelName::Bortoff])?;
        let uniform = with_uniform_rods(&robot);
        let pose = uniform.at_position(state.position, Branch::Out).expect("the same geometry");
        check(&pose.moving(state.velocity), &[
            ModelName::Asadi, ModelName::Bortoff, ModelName::Codourey, ModelName::FalezzaComplete])?;
    }

    /// A model that writes down its own mass matrix means the one of its inverse dynamics.
    #[test]
    fn mass_matrices_are_those_of_the_inverse_dynamics(robot in robots(), seed in states()) {
        in_state!(robot, seed => _state, moving, condition);
        let still = moving.pose.moving(Vec3::zero());
        for name in ModelName::ALL {
            let model = name.build(robot.parameters());
            let model = model.as_model();
            let mass = model.mass_matrix(&moving.pose).transpose();
            let held = model.rigid_torque(&still, Vec3::zero(), Vec3::zero());
            let columns = moving.pose.inverse_jacobian().transpose();
            let size = largest(mass.0.iter().flat_map(|row| &row.0)).max(largest(&held));
            for i in 0..3 {
                let column = Vec3(model.rigid_torque(&still, columns[i], Vec3::zero())) - Vec3(held);
                close(mass[i], column, size, condition)?;
            }
        }
    }

    #[test]
    fn forward_inverts_inverse_for_every_model(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        for name in ModelName::ALL {
            if name.applies_to(robot.parameters()).is_err() {
                continue;
            }
            let model = name.build(robot.parameters());
            let torque = model.as_model().torque(&moving, state.acceleration, state.force);
            let back = model.as_model().acceleration(&moving, torque, state.force);
            // The mass matrix is solved: its condition counts too, and so does the acceleration without torque.
            let mass = model.as_model().mass_matrix(&moving.pose);
            let inverse = norm(mass.inverse());
            let drift = moving.platform_acceleration([0.0; 3]);
            let scale = largest(&state.acceleration.0).max(largest(&drift.0))
                .max(inverse * torque_scale(&moving, state.acceleration, state.force) * norm(moving.pose.inverse_jacobian()));
            close(back, state.acceleration, scale, condition * norm(mass) * inverse)?;
        }
    }

    #[test]
    fn mass_rate_minus_twice_coriolis_is_skew(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let (lifted, position, _) = along_the_motion(&robot, &state);
        let pose = lifted.pose_unchecked(position, Branch::Out);
        for name in [ModelName::Exact, ModelName::Asadi, ModelName::Bortoff] {
            let model = name.build(robot.parameters());
            let dual = name.build(lifted.parameters());
            // Ṁ and C are a mass times a rate. Bortoff's comes by polarisation, from velocity torques at rates that are
            // moved by 1 rad/s: a mass times a rate squared over that step.
            let speed = 1.0 + largest(&moving.joint_velocity());
            let speed = if name == ModelName::Bortoff { speed * speed } else { speed };
            let (cartesian, joint) = (moving.pose.cartesian_mass_matrix(), moving.pose.mass_matrix());
            assert_skew(
                rates(dual.as_model().cartesian_mass_matrix(&pose)),
                model.as_model().cartesian_coriolis_matrix(&moving), norm(cartesian) * speed, condition)?;
            assert_skew(
                rates(dual.as_model().mass_matrix(&pose)),
                model.as_model().coriolis_matrix(&moving), norm(joint) * speed, condition)?;
        }
        // And the matrices do give the velocity torque.
        let c = moving.coriolis_matrix() * Vec3(moving.joint_velocity());
        let scale = torque_scale(&moving, state.acceleration, Vec3::zero());
        close(c, Vec3(moving.coriolis()), scale, condition)?;
        let by_polarisation = Model::coriolis(ModelName::Asadi.build(robot.parameters()).as_model(), &moving);
        close(Vec3(by_polarisation), Vec3(moving.coriolis()), scale, condition)?;
    }

    /// dT/dt + dV/dt = τ·q̇ + f·Ẋ.
    #[test]
    fn power_balance(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let (lifted, position, velocity) = along_the_motion(&robot, &state);
        let dual = lifted.pose_unchecked(position, Branch::Out).moving(velocity);
        let stored = dual.kinetic_energy().derivative[0] + dual.pose.potential_energy().derivative[0];
        let torque = moving.torque_under(state.acceleration, state.force);
        let supplied = Vec3(torque).dot(Vec3(moving.joint_velocity())) + state.force.dot(state.velocity);
        let scale = torque_scale(&moving, state.acceleration, state.force) * largest(&moving.joint_velocity());
        prop_assert!((stored - supplied).abs() <= ROUNDING * condition * scale, "{stored} {supplied}");
    }

    /// Velocities, accelerations, Jacobian and its derivative, both ways; J̇ by a dual number along the motion.
    #[test]
    fn kinematics_both_ways(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let q = moving.pose.joints();
        let back = robot.at_joints(q, Assembly::Below).expect("the platform hangs below");
        let reach = largest(&state.position.0) + robot.parameters().arms[0].forearm.length;
        close(back.position, state.position, reach, condition)?;
        prop_assert_eq!(back.branches(), [Branch::Out; 3]);
        let again = back.moving_joints(moving.joint_velocity());
        close(again.velocity, state.velocity, largest(&state.velocity.0), condition * condition)?;
        let qdd = moving.joint_acceleration(state.acceleration);
        let drift = largest(&moving.platform_acceleration([0.0; 3]).0);
        close(moving.platform_acceleration(qdd), state.acceleration, largest(&state.acceleration.0).max(drift), condition)?;
        let (lifted, position, velocity) = along_the_motion(&robot, &state);
        let pose = lifted.pose_unchecked(position, Branch::Out);
        let expected = rates(pose.jacobian());
        let size = largest(expected.0.iter().flat_map(|row| &row.0));
        for i in 0..3 {
            close(moving.jacobian_rate()[i], expected[i], size, condition)?;
        }
        let expected = rates(pose.inverse_jacobian());
        let size = largest(expected.0.iter().flat_map(|row| &row.0));
        for i in 0..3 {
            close(moving.inverse_jacobian_rate()[i], expected[i], size, condition)?;
        }
        // q̈ is the derivative of q̇ along the motion.
        let rate = pose.moving(velocity).joint_velocity().map(|x| x.derivative[0]);
        close(Vec3(qdd), Vec3(rate), largest(&rate).max(largest(&qdd)), condition)?;
    }

    /// The elbows-in branch and the other assembly mode close the same loops.
    #[test]
    fn other_branches_close_the_loops(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let Ok(inward) = robot.at_position(state.position, Branch::In) else { return Ok(()) };
        prop_assert_eq!(inward.branches(), [Branch::In; 3]);
        let above = robot.at_joints(moving.pose.joints(), Assembly::Above);
        for pose in [Ok(inward), above].into_iter().flatten() {
            for (arm, given) in pose.arms.iter().zip(&robot.parameters().arms) {
                let (rod, length) = (arm.rod.norm_squared().sqrt(), given.forearm.length);
                prop_assert!((rod - length).abs() <= ROUNDING * condition * length, "{rod} {length}");
                prop_assert!((arm.sin_q.hypot(arm.cos_q) - 1.0).abs() <= ROUNDING * condition);
            }
        }
        if let Ok(pose) = above {
            prop_assert_eq!(pose.assembly(), Assembly::Above);
        }
    }

    #[test]
    fn breakdown_adds_up_and_forearm_forces_balance(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let (a, f) = (state.acceleration, state.force);
        let scale = torque_scale(&moving, a, f);
        let parts = moving.breakdown(a, f);
        close(Vec3(parts.total()), Vec3(moving.torque_under(a, f)), scale, condition)?;
        close(Vec3(parts.by_term(Term::Gravity)), Vec3(moving.pose.gravity_torque()), scale, condition)?;
        let coriolis = Vec3(moving.coriolis()) + moving.pose.mass_matrix() * Vec3(moving.joint_acceleration(a))
            - (Vec3(parts.by_term(Term::Inertia)) + Vec3(parts.by_term(Term::Coriolis)));
        close(coriolis, Vec3::zero(), scale, condition)?;

        let p = robot.parameters();
        let forces = moving.forearm_forces(a, f);
        let qdd = moving.joint_acceleration(a);
        let torque = moving.torque_under(a, f);
        let force_scale = forces.iter().fold(0.0, |m: f64, rod| m.max(largest(&rod.on_platform.0)).max(largest(&rod.on_elbow.0)));
        // Newton for platform and payload.
        let on_platform = forces[0].on_platform + forces[1].on_platform + forces[2].on_platform;
        close(on_platform + f, (a - p.gravity) * (p.platform_mass + p.payload_mass), force_scale, condition)?;
        for i in 0..3 {
            let (arm, given, rod) = (&moving.pose.arms[i], &p.arms[i], &forces[i]);
            let elbow = arm.tangent * qdd[i] + arm.curvature * (moving.arms[i].qd * moving.arms[i].qd);
            let rho = given.rod_ratio();
            // Newton and Euler for the rod: forces at its two ends, ω̇ = s × s̈/L² for a rod that does not spin.
            let center = elbow * (1.0 - rho) + a * rho;
            close(-(rod.on_platform + rod.on_elbow), (center - p.gravity) * given.forearm.mass, force_scale, condition)?;
            let moment = (arm.rod * (1.0 - rho)).cross(-rod.on_platform) - (arm.rod * rho).cross(-rod.on_elbow);
            let turning = arm.rod.cross(a - elbow) * (given.forearm.inertia / given.forearm.length.powi(2));
            close(moment, turning, force_scale * given.forearm.length, condition)?;
            // Euler for the driven arm.
            let inertia = given.arm_axis_inertia() + given.reflected_rotor_inertia();
            let beside = given.upper_arm.mass * given.upper_arm.center_of_mass_offset.unwrap_or(0.0);
            let moved = arm.tangent * given.arm_moment() + arm.curvature * beside;
            let weight = moved.dot(p.gravity) / given.upper_arm.length;
            let balance = torque[i] + arm.tangent.dot(rod.on_elbow) + weight - inertia * qdd[i];
            prop_assert!(balance.abs() <= ROUNDING * condition * (scale + force_scale * given.upper_arm.length));
            // Tensions are the axial parts.
            let unit = arm.rod * (1.0 / given.forearm.length);
            prop_assert!((unit.dot(rod.on_platform) + rod.tension_at_platform).abs() <= 1e-12 * force_scale);
            prop_assert!((unit.dot(rod.on_elbow) - rod.tension_at_elbow).abs() <= 1e-12 * force_scale);
        }
    }

    /// The fast path is the same model.
    #[test]
    fn fast_path_equals_the_general_formula(robot in symmetric_robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let Some(fast) = robot.symmetric() else { return Err(TestCaseError::fail("the robot is symmetric")) };
        let a = state.acceleration;
        let scale = torque_scale(&moving, a, Vec3::zero());
        let torque = moving.torque(a);
        close(Vec3(fast.torque(state.position, state.velocity, a)), Vec3(torque), scale, condition)?;
        close(Vec3(fast.gravity_torque(state.position)), Vec3(moving.pose.gravity_torque()), scale, condition)?;
        let sin_cos = moving.pose.arms.map(|arm| (arm.sin_q, arm.cos_q));
        let given = fast.torque_given(state.position, a, sin_cos, moving.joint_velocity(), moving.joint_acceleration(a));
        close(Vec3(given), Vec3(torque), scale, condition)?;
        let mass = moving.pose.mass_matrix();
        let size = largest(mass.0.iter().flat_map(|row| &row.0));
        for i in 0..3 {
            close(fast.mass_matrix(state.position)[i], mass[i], size, condition)?;
        }
        let m = moving.pose.cartesian_mass_matrix();
        let acceleration_scale = largest(&a.0).max(norm(m.inverse()) * scale * norm(moving.pose.jacobian()));
        close(fast.acceleration(state.position, state.velocity, torque), a, acceleration_scale,
            condition * norm(m) * norm(m.inverse()))?;
    }

    /// A zero payload changes nothing, and what is put on can be taken off.
    #[test]
    fn payload_is_additive_and_reversible(robot in robots(), seed in states(), load in 0.1..5.0_f64) {
        in_state!(robot, seed => state, moving, condition);
        let with = |mass: f64| Delta::new(Parameters { payload_mass: mass, ..*robot.parameters() });
        let torque = |robot: &Delta<f64>| {
            robot.at_position(state.position, Branch::Out).expect("in reach").moving(state.velocity).torque(state.acceleration)
        };
        let own = robot.parameters().payload_mass;
        prop_assert_eq!(torque(&with(own)), moving.torque(state.acceleration));
        let difference = Vec3(torque(&with(own + load))) - Vec3(torque(&with(own)));
        let carried = moving.pose.torque_of_wrench((state.acceleration - robot.gravity()) * load);
        close(difference, Vec3(carried), torque_scale(&moving, state.acceleration, Vec3::zero()) + largest(&carried), condition)?;
    }

    /// What the robot files leave out of rods on universal joints: they turn about their own lines at α̇ sin β, and the energy of that,
    /// over that of the other rotation, is at most tan² β times the ratio of the inertias. On ball joints they do not turn.
    #[test]
    fn rods_on_universal_joints_hardly_turn(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let (lifted, position, _) = along_the_motion(&robot, &state);
        let pose = lifted.pose_unchecked(position, Branch::Out);
        for (arm, given) in pose.arms.iter().zip(&robot.parameters().arms) {
            let length = given.forearm.length;
            let axis = Vec3([-given.azimuth.sin, given.azimuth.cos, 0.0].map(|x| Dual { value: x, derivative: [0.0] }));
            let unit = |v: Vec3<Dual<f64, 1>>| v * (Dual { value: 1.0, derivative: [0.0] } / v.norm_squared().sqrt());
            // The second pin is across motor axis and rod: how it turns about the rod.
            let rod = unit(arm.rod);
            let pin = unit(axis.cross(rod));
            let across = rod.cross(pin);
            let spin: f64 = (0..3).map(|k| pin[k].derivative[0] * across[k].value).sum();
            let radial = arm.rod[0].times(given.azimuth.cos) + arm.rod[1].times(given.azimuth.sin);
            let angle = arm.rod[2].atan2(radial).derivative[0];
            let sin = arm.lateral.value / length;
            let turning = rod.map(|x| x.derivative[0]);
            prop_assert!((spin.abs() - (angle * sin).abs()).abs() <= ROUNDING * condition * largest(&turning.0), "{spin} {angle} {sin}");
            let most = turning.norm_squared() * sin * sin / (1.0 - sin * sin);
            prop_assert!(spin * spin <= most * (1.0 + ROUNDING * condition) + 1e-20, "{spin} {most}");
        }
    }

    /// Bortoff's Newton solvers find the closed form from a start a few milliseconds away, in two or three steps.
    #[test]
    fn newton_agrees_with_the_closed_form(robot in robots(), seed in states()) {
        in_state!(robot, seed => state, moving, condition);
        let model = Bortoff::new(robot.parameters());
        let exact = moving.pose.nine_angles();
        let near = state.position + state.velocity * 0.002;
        let Ok(start) = robot.at_position(near, Branch::Out) else { return Ok(()) };
        let start = start.nine_angles();
        let inverse = model.newton_inverse(state.position, start, 1e-10).expect("converges");
        let forward = model.newton_forward(moving.pose.joints(), start, 1e-10).expect("converges");
        for solution in [inverse, forward] {
            for (ours, theirs) in exact.0.iter().zip(&solution.angles.0) {
                close(*ours, *theirs, 4.0, condition)?;
            }
            close(solution.position, state.position, largest(&state.position.0), condition)?;
            prop_assert!(largest(solution.angles.residual(&model).iter().flat_map(|h| &h.0)) < 1e-12);
        }
    }
}

/// A variable that is none has no derivatives that anybody could take for zero.
#[test]
fn a_variable_beyond_the_last_is_not_silent() {
    let last = Dual::<f64, 2>::variable(3.0, 1);
    assert_eq!((last.value, last.derivative), (3.0, [0.0, 1.0]));
    let none = Dual::<f64, 2>::variable(3.0, 5);
    assert!(none.value == 3.0 && none.derivative.iter().all(|slope| slope.is_nan()));
}

/// Nearly stretched, a moving platform asks for rates of which a few digits only are right: it is refused; at rest it is not, and
/// neither is the same state in joints.
#[test]
fn rates_without_digits_are_refused() {
    let robot = dalembert::robots::d3_1200().unwrap().delta;
    let arm = &robot.parameters().arms[0];
    let (reach, radius) = (arm.upper_arm.length + arm.forearm.length, arm.base_radius - arm.platform_radius);
    let deepest = -(reach * reach - radius * radius).sqrt();
    let velocity = Vec3::new(0.1, 0.0, 0.0);
    let (mut refused, mut answered) = (0, 0);
    for k in 20..60 {
        let position = Vec3::new(0.0, 0.0, deepest + 2f64.powi(-k));
        let Ok(pose) = robot.at_position(position, Branch::Out) else { continue };
        let margin = pose.transmission_margins()[0];
        let (q, moving) = (pose.joints(), pose.try_moving(velocity));
        assert_eq!(moving.is_err(), margin < dalembert::delta::NEARLY_SINGULAR, "{margin:e}");
        assert!(robot.at_position(position, Branch::Out).unwrap().try_moving(Vec3::zero()).is_ok());
        match moving {
            Err(_) => {
                let joints = robot.at_joints(q, Assembly::Below);
                assert!(joints.is_err() || joints.unwrap().try_moving_joints([0.1; 3]).is_ok());
                refused += 1;
            }
            Ok(moving) => {
                // The rate against that of a millionth of a millimetre to either side, where this tells anything.
                assert!(moving.joint_velocity().iter().all(|rate| rate.is_finite()));
                answered += 1;
            }
        }
    }
    assert!(refused > 3 && answered > 10, "{refused} {answered}");
}
