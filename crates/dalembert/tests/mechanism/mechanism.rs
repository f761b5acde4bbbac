//! Mechanisms made of parts against closed forms that share no formula with them.

use dalembert::delta::{Assembly, Branch, Delta, Pose};
use dalembert::mechanism::{
    BodyPoint, Coincident, Constraint, D1, DeltaArm, Distance, FreeBody, Mechanism, MechanismConfiguration,
    MechanismDynamics, MechanismError, MechanismPart, MechanismScalar, OnPlane, PartId, Pendulum, PlanarBody,
    PointMass, Poles, add_delta, add_delta_at,
};
use dalembert::simulate::{Constrained, DormandPrince, Minimal, SimulationError, Stabilization, Variables, run};
use dalembert::spatial::Frame;
use dalembert::{Dual, Mat3, Vec3, robots as built_in};
use dalembert_proptest::{robots, states};
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::error::Error;

use crate::common::linkages::GRAVITY;
use crate::common::underived::Underived;
use crate::four_arms::{self, Composed, Star, platform_acceleration};

fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn norm(m: Mat3<f64>) -> f64 {
    m.0.iter().flat_map(|row| row.0).map(|x| x * x).sum::<f64>().sqrt()
}

/// Velocities of the nine angles, through the arms' own geometry: differentiated along the motion.
fn nine_rates(robot: &Delta<f64>, pose: &Pose<'_, f64>, velocity: Vec3<f64>) -> Vec<f64> {
    let lifted: Delta<Dual<f64, 1>> = robot.lift();
    let position = Vec3::from_fn(|i| Dual { value: pose.position[i], derivative: [velocity[i]] });
    let along = lifted.pose_unchecked(position, Branch::Out);
    let angles =
        dalembert::delta::models::bortoff::Bortoff::new(lifted.parameters()).nine_angles(position, along.joints());
    angles.0.iter().flat_map(|arm| arm.0.map(|x| x.derivative[0])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Three arms and six constraints are the exact model, for any robot in any state, torques and forces given.
    #[test]
    fn three_arms_are_the_exact_delta(robot in robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let pose = robot.at_position(state.position, Branch::Out).expect("in reach");
        let moving = pose.moving(state.velocity);
        let torque = moving.torque_under(state.acceleration, state.force);
        let mut mechanism = Mechanism::new(robot.gravity());
        let parts = add_delta(&mut mechanism, "delta", &robot).expect("a Delta");
        mechanism.push(parts.platform(), state.force).expect("the platform");
        let q = parts.coordinates(&pose);
        let v = nine_rates(&robot, &pose, state.velocity);
        let off = MechanismDynamics::new(&mechanism).residual(0.0, &q, &v);
        prop_assert!(off.0 <= 1e-9 && off.1 <= 1e-9, "the constraints hold: {off:?}");
        let (acceleration, _) = mechanism.acceleration(0.0, &q, &v, &torque).expect("regular");
        // Platform acceleration from that of arm 1.
        let arm = DeltaArm::new(&robot.parameters().arms[0], 0.0);
        let found = platform_acceleration(&arm, &q, &v, &acceleration);
        let mass = pose.cartesian_mass_matrix();
        let condition = norm(mass) * norm(mass.inverse())
            * norm(pose.jacobian()) * norm(pose.inverse_jacobian());
        let scale = largest(&state.acceleration.0)
            .max(norm(mass.inverse()) * largest(&torque) * norm(pose.jacobian()))
            .max(largest(&acceleration));
        for i in 0..3 {
            let off = (found[i] - state.acceleration[i]).abs();
            prop_assert!(off <= 1e-12 * condition * scale, "{off} of {scale}, condition {condition}");
        }
        // And back: the torques for this acceleration.
        let required = mechanism.inverse_dynamics(0.0, &q, &v, &acceleration).expect("driven");
        let size = largest(&torque).max(1.0) * condition;
        for i in 0..3 {
            prop_assert!((required.torque[i] - torque[i]).abs() <= 1e-11 * size);
        }
        prop_assert!(required.null_space.is_empty());
    }
}

#[test]
fn energies_give_the_derived_mass_matrix_and_bias() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let arm = DeltaArm::new(&robot.parameters().arms[1], 0.3);
    let (q, v) = ([0.4, 1.9, 0.2], [1.5, -2.0, 0.7]);
    let mut derived = Mechanism::new(GRAVITY);
    derived.add("arm", arm);
    let mut underived = Mechanism::new(GRAVITY);
    underived.add("arm", Underived(arm));
    let (a, _) = derived.acceleration(0.0, &q, &v, &[])?;
    let (b, _) = underived.acceleration(0.0, &q, &v, &[])?;
    for i in 0..3 {
        assert!((a[i] - b[i]).abs() < 1e-12 * largest(&a), "{a:?} {b:?}");
    }
    let body = FreeBody { mass: 2.0, inertia: [0.1, 0.2, 0.25] };
    let (q, v) = ([0.1, 0.2, 0.3, 0.1, -0.7, 0.5, 0.5], [1.0, -2.0, 0.5, 3.0, -1.0, 2.0]);
    let (mut derived, mut underived) = (Mechanism::new(GRAVITY), Mechanism::new(GRAVITY));
    derived.add("body", body);
    underived.add("body", Underived(body));
    let (a, _) = derived.acceleration(0.0, &q, &v, &[])?;
    let (b, _) = underived.acceleration(0.0, &q, &v, &[])?;
    for i in 0..6 {
        assert!((a[i] - b[i]).abs() < 1e-13 * largest(&a), "{a:?} {b:?}");
    }
    Ok(())
}

/// Euler's equations for a tumbling body, and angular momentum over ten seconds.
#[test]
fn a_free_body_tumbles_as_euler_says() -> Result<(), Box<dyn Error>> {
    let body = FreeBody { mass: 2.0, inertia: [0.1, 0.2, 0.25] };
    let mut mechanism = Mechanism::new(GRAVITY);
    mechanism.add("body", body);
    let q = [0.0, 0.0, 1.0, 0.5, 0.5, -0.5, 0.5];
    let v = [1.0, 0.0, 2.0, 0.3, 4.0, -0.2];
    let (a, _) = mechanism.acceleration(0.0, &q, &v, &[])?;
    let (w, i) = (&v[3..], body.inertia);
    for k in 0..3 {
        let (b, c) = ((k + 1) % 3, (k + 2) % 3);
        let euler = (i[b] - i[c]) * w[b] * w[c] / i[k];
        assert!((a[3 + k] - euler).abs() < 1e-13, "{k}: {} {euler}", a[3 + k]);
        assert!((a[k] - GRAVITY[k]).abs() < 1e-13);
    }
    // L = R(I ω) stays, for velocities and for momenta.
    for variables in [Variables::Velocity, Variables::Momentum] {
        let mut system = Constrained::new(&mechanism, variables, Stabilization::Projection, &[])?;
        let start = system.state(&q, &v)?;
        let mut integrator = DormandPrince::new(13, 1e-13)?;
        let run = run(&mut system, &mut integrator, &start, (0..=10).map(f64::from));
        run.ended.clone()?;
        let momentum = |x: &[f64]| {
            let l = match variables {
                Variables::Velocity => Vec3::from_fn(|k| body.inertia[k] * x[10 + k]),
                Variables::Momentum => Vec3::from_fn(|k| x[10 + k]),
            };
            let origin = Vec3::from_fn(|k| x[k]);
            MechanismPart::point(&body, &x[..7], 0, l) - origin
        };
        let (first, last) = (momentum(&run.states[0]), momentum(&run.states[10]));
        for k in 0..3 {
            assert!((first[k] - last[k]).abs() < 1e-9, "{first:?} {last:?}");
        }
        assert!(run.energy_drift() < 1e-8, "{}", run.energy_drift());
    }
    Ok(())
}

/// Four motors for three freedoms: the shortest torque, and the direction that only strains the arms.
#[test]
fn a_four_arm_delta_has_a_shortest_torque() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let (star, position) = (Star::of(&robot, 4), Vec3::new(0.05, -0.08, -0.8));
    let Composed { mechanism: m, state: [q, v], .. } = star.composed(position, Vec3::zero())?;
    let start = m.assemble(0.0, &q, &v)?;
    assert!(start.repaired_position < 1e-14, "{}", start.repaired_position);
    assert_eq!((m.freedoms(), m.motors()), (3, 4));
    let required = m.inverse_dynamics(0.0, &start.q, &start.v, &[0.0; 12])?;
    let held = star.torque(position, Vec3::zero(), Vec3::zero());
    assert!(held.iter().zip(&required.torque).all(|(ours, theirs)| (ours - theirs).abs() < 1e-11), "{held:?}");
    let [strain] = &required.null_space[..] else { return Err("one direction".into()) };
    let along: f64 = strain.iter().zip(&required.torque).map(|(n, u)| n * u).sum();
    assert!(along.abs() < 1e-12, "the shortest has nothing along it: {along}");
    // Straining does not move it; the torques do hold it.
    let strained: Vec<f64> = required.torque.iter().zip(strain).map(|(u, n)| u + 10.0 * n).collect();
    let (still, forces) = m.acceleration(0.0, &start.q, &start.v, &strained)?;
    assert!(largest(&still) < 1e-10, "{still:?}");
    assert_ne!(forces, required.forces);
    Ok(())
}

/// In motion too, for three, four and six arms.
#[test]
fn stars_of_arms_move_under_the_torques_of_their_formula() -> Result<(), Box<dyn Error>> {
    four_arms::main()
}

/// Two Deltas carry a bar: what they do to its ends is what Newton and Euler ask for.
#[test]
fn two_deltas_carry_a_bar() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let mut m = Mechanism::new(robot.gravity());
    let apart = Vec3::new(0.3, 0.0, 0.0);
    let one = add_delta(&mut m, "one", &robot)?;
    let other = add_delta_at(&mut m, "other", &robot, Frame { origin: -apart, ..Frame::identity() })?;
    let bar = FreeBody { mass: 1.5, inertia: [0.002, 0.05, 0.05] };
    let half = 0.1;
    let held = m.add("bar", bar);
    m.constrain("bar grip 1", Coincident::new(one.platform(), held.at([half, 0.0, 0.0])))?;
    m.constrain("bar grip 2", Coincident::new(other.platform(), held.at([-half, 0.0, 0.0])))?;
    let (a, b) = (Vec3::new(half, 0.0, -0.85), Vec3::new(-half, 0.0, -0.85) + apart);
    let (pose_a, pose_b) = (robot.at_position(a, Branch::Out)?, robot.at_position(b, Branch::Out)?);
    assert_eq!(m.freedoms(), 6);
    let mut q = one.coordinates(&pose_a).to_vec();
    q.extend(other.coordinates(&pose_b));
    q.extend([0.0, 0.0, -0.85, 1.0, 0.0, 0.0, 0.0]);
    let v: Vec<f64> = (0..24).map(|i| (f64::from(i) * 1.7).sin()).collect();
    let start = m.assemble(0.0, &q, &v)?;
    let mut hold = pose_a.gravity_torque().to_vec();
    hold.extend(pose_b.gravity_torque());
    let mut system = Constrained::new(&m, Variables::Velocity, Stabilization::Projection, &hold)?;
    let state = system.state(&start.q, &start.v)?;
    let mut integrator = DormandPrince::new(state.len(), 1e-11)?;
    let moved = run(&mut system, &mut integrator, &state, [0.0, 0.05, 0.1]);
    moved.ended.clone()?;
    println!("energy {:.1e} J, constraint {:.1e} m", moved.energy_drift(), moved.constraint_drift());
    assert!(moved.energy_drift() < 1e-8 && moved.constraint_drift() < 1e-11);
    for x in &moved.states {
        let (q, v) = x.split_at(25);
        let (acceleration, forces) = m.acceleration(0.0, q, v, &hold)?;
        let ends = [&forces[4], &forces[5]].map(|f| -Vec3::new(f.values[0], f.values[1], f.values[2]));
        assert_eq!((forces[4].constraint.as_str(), forces[4].unit), ("bar grip 1", "N"));
        let (along, turning) = (&acceleration[18..21], &acceleration[21..24]);
        let omega = &v[21..24];
        // Axes of the bar in the base frame.
        let axis = |k: usize| {
            let mut unit = Vec3::zero();
            unit[k] = 1.0;
            MechanismPart::point(&bar, &q[18..25], 0, unit) - Vec3::from_fn(|i| q[18 + i])
        };
        let moment = (axis(0) * half).cross(ends[0] - ends[1]);
        for k in 0..3 {
            let newton = ends[0][k] + ends[1][k] - bar.mass * (along[k] - robot.gravity()[k]);
            assert!(newton.abs() < 1e-9, "{newton}");
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let spin = bar.inertia[k] * turning[k] - (bar.inertia[i] - bar.inertia[j]) * omega[i] * omega[j];
            let euler = axis(k).dot(moment) - spin;
            assert!(euler.abs() < 1e-9, "{euler}");
        }
    }
    Ok(())
}

/// A Delta whose platform slides on a wall: the wall's force is what the motors push beyond what holds it.
#[test]
fn a_delta_pushes_on_a_wall() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?.delta;
    let pose = robot.at_joints([0.6; 3], Assembly::Below)?;
    let mut m = Mechanism::new(robot.gravity());
    let parts = add_delta(&mut m, "delta", &robot)?;
    let x = pose.position.0;
    m.constrain("wall", OnPlane { place: parts.platform(), through: x, normal: [-1.0, 0.0, 0.0] })?;
    let start = m.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?;
    // A push of 20 N towards the wall, by the motors.
    let torque = Vec3(pose.gravity_torque()) + Vec3(pose.torque_of_wrench(Vec3::new(20.0, 0.0, 0.0)));
    let (acceleration, forces) = m.acceleration(0.0, &start.q, &start.v, &torque.0)?;
    assert!(largest(&acceleration) < 1e-9, "{acceleration:?}");
    assert!((forces[2].values[0] - 20.0).abs() < 1e-9, "{forces:?}");
    Ok(())
}

/// The user's own constraint: a point on a sphere.
struct OnSphere(BodyPoint, f64);

impl Constraint for OnSphere {
    fn rows(&self) -> usize {
        1
    }
    fn parts(&self) -> Vec<PartId> {
        self.0.part().into_iter().collect()
    }
    fn residual<S: MechanismScalar>(&self, at: &MechanismConfiguration<'_, S>, h: &mut [S]) {
        h[0] = at.point(&self.0).norm_squared().sqrt() - S::from_f64(self.1);
    }
}

#[test]
fn a_spherical_pendulum_by_a_users_constraint_and_by_a_rod() -> Result<(), Box<dyn Error>> {
    let swing = |own: bool| -> Result<Vec<f64>, Box<dyn Error>> {
        let mut m = Mechanism::new(GRAVITY);
        let mass = m.add("mass", PointMass { mass: 0.7 });
        if own {
            m.constrain("sphere", OnSphere(mass.origin(), 2.0))?;
        } else {
            m.constrain("rod", Distance { a: mass.origin(), b: BodyPoint::Fixed([0.0; 3]), length: 2.0 })?;
        }
        let start = m.assemble(0.0, &[1.2, 0.3, -1.6], &[0.5, 1.0, 0.2])?;
        assert!(start.repaired_position > 1e-3);
        let mut system = Constrained::new(&m, Variables::Velocity, Stabilization::Projection, &[])?;
        let state = system.state(&start.q, &start.v)?;
        let mut integrator = DormandPrince::new(6, 1e-12)?;
        let run = run(&mut system, &mut integrator, &state, [0.0, 3.0]);
        run.ended?;
        Ok(run.states[1].clone())
    };
    for (a, b) in swing(true)?.iter().zip(swing(false)?) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_is_refused_by_name() -> Result<(), Box<dyn Error>> {
    let mass = || PointMass { mass: 1.0 };
    let plane = |place, height: f64| OnPlane { place, through: [0.0, 0.0, height], normal: [0.0, 0.0, 1.0] };
    // Twice the same.
    let mut m = Mechanism::new(GRAVITY);
    let a = m.add("a", mass());
    m.constrain("floor", plane(a.origin(), 0.0))?;
    m.constrain("again", plane(a.origin(), 0.0))?;
    let error = m.assemble(0.0, &[0.0; 3], &[0.0; 3]).expect_err("redundant");
    println!("{error}");
    assert!(matches!(&error, MechanismError::Redundant { follows_from, .. } if follows_from.len() == 1));
    assert!(error.to_string().contains("floor") && error.to_string().contains("again"));
    // Nothing that can move.
    let mut m = Mechanism::new(GRAVITY);
    m.add("a", mass());
    m.constrain("nailed", plane(BodyPoint::Fixed([0.0, 0.0, 1.0]), 0.0))?;
    let error = m.assemble(0.0, &[0.0; 3], &[0.0; 3]).expect_err("inactive");
    println!("{error}");
    assert!(matches!(&error, MechanismError::Inactive { constraint, .. } if constraint == "nailed"));
    // Out of plane rows of a planar mechanism.
    let mut m = Mechanism::new(GRAVITY);
    let b = m.add("b", PlanarBody { mass: 1.0, inertia: 1.0 });
    m.constrain("pin", Coincident::new(b.origin(), BodyPoint::Fixed([0.0; 3])))?;
    let error = m.assemble(0.0, &[0.0; 3], &[0.0; 3]).expect_err("inactive");
    assert!(matches!(error, MechanismError::Inactive { row: 2, .. }), "{error}");
    // A crank that cannot reach.
    let mut m = Mechanism::new(GRAVITY);
    let p = m.add("p", Pendulum { pivot: [0.0; 3], mass: 1.0, center_of_mass: 0.5, inertia: 1.0 });
    m.constrain("far", Distance { a: p.at([1.0, 0.0, 0.0]), b: BodyPoint::Fixed([5.0, 0.0, 0.0]), length: 1.0 })?;
    let error = m.assemble(0.0, &[0.3], &[0.0]).expect_err("impossible");
    println!("{error}");
    assert!(matches!(error, MechanismError::CannotClose { .. } | MechanismError::SingularPose { .. }), "{error}");
    // A stretched pendulum pair: regular elsewhere.
    let mut m = Mechanism::new(GRAVITY);
    let p = m.add("p", Pendulum { pivot: [0.0; 3], mass: 1.0, center_of_mass: 0.5, inertia: 1.0 });
    m.constrain("taut", Distance { a: p.at([1.0, 0.0, 0.0]), b: BodyPoint::Fixed([2.0, 0.0, 0.0]), length: 1.0 })?;
    let error = m.assemble(0.0, &[0.0], &[0.0]).expect_err("singular");
    println!("{error}");
    assert!(matches!(error, MechanismError::SingularPose { .. }), "{error}");
    // Wrong ids, bodies, coordinates, lengths, numbers.
    let mut one = Mechanism::new(GRAVITY);
    let id = one.add("a", mass());
    let mut none = Mechanism::new(GRAVITY);
    assert!(matches!(none.drive(id, 0), Err(MechanismError::UnknownPart { .. })));
    assert!(matches!(one.drive(id, 3), Err(MechanismError::UnknownCoordinate { .. })));
    assert!(matches!(one.push(id.on_body(1, [0.0; 3]), GRAVITY), Err(MechanismError::UnknownBody { .. })));
    assert!(matches!(one.assemble(0.0, &[0.0; 2], &[0.0; 3]), Err(MechanismError::WrongLength { .. })));
    assert!(matches!(one.assemble(0.0, &[f64::NAN; 3], &[0.0; 3]), Err(MechanismError::NotFinite { .. })));
    assert!(matches!(
        one.inverse_dynamics(0.0, &[0.0; 3], &[0.0; 3], &[0.0; 3]),
        Err(MechanismError::Underactuated { .. })
    ));
    let mut free = Mechanism::new(GRAVITY);
    free.add("body", FreeBody { mass: 1.0, inertia: [1.0; 3] });
    let still = Minimal::new(&free, 0.0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0; 6], &[]);
    assert!(matches!(still.map(|_| ()), Err(SimulationError::NotPlain { .. })));
    Ok(())
}

/// Bortoff, II-E. The linearised Baumgarte model has 12 extra poles at the roots of (23). All 12 are uncontrollable:
/// ξ = (h, ḣ) obeys ξ̇ = Aξ whatever the torques do. But the outputs see half of them: where the tips lie apart, the
/// joint angles and the platform's position change with it, and only 6 of 12 stay unobservable.
#[test]
fn linearised_baumgarte_model_has_the_paper_s_structure() -> Result<(), Box<dyn Error>> {
    for robot in [built_in::d3_1200()?, built_in::asadi()?] {
        let delta = robot.delta;
        let pose = delta.at_joints([45_f64.to_radians(); 3], Assembly::Below)?;
        let torque = pose.gravity_torque();
        let mut m = Mechanism::new(delta.gravity());
        let parts = add_delta(&mut m, "delta", &delta)?;
        let start = m.assemble(0.0, &parts.coordinates(&pose), &[0.0; 9])?;
        let minimal = minimal_poles(&delta, &pose);
        for (roots, tolerance) in [([-4.0, -6.0], 1e-10), ([-5.0, -5.0], 2e-6)] {
            let linear = m.linearize(0.0, &start.q, &start.v, &torque, Poles::real(roots[0], roots[1])?)?;
            let a = &linear.a;
            // Six poles in one place: nalgebra's iteration needs to be told when to be content.
            let schur = nalgebra::linalg::Schur::try_new(a.clone(), 1e-14, 10_000).ok_or("no Schur form")?;
            let mut poles: Vec<_> = schur.complex_eigenvalues().iter().copied().collect();
            let mut worst = 0.0_f64;
            for root in roots {
                for _ in 0..6 {
                    let off = |p: &nalgebra::Complex<f64>| (p.re - root).hypot(p.im);
                    let near = (0..poles.len()).min_by(|&i, &j| off(&poles[i]).total_cmp(&off(&poles[j])));
                    let Some(near) = near else { return Err("no pole left".into()) };
                    worst = worst.max(off(&poles.swap_remove(near)));
                }
            }
            let mut rest = 0.0_f64;
            for pole in &poles {
                let off = |p: &nalgebra::Complex<f64>| (p.re - pole.re).hypot(p.im - pole.im);
                rest = rest.max(minimal.iter().map(off).fold(f64::INFINITY, f64::min));
            }
            println!("{}: roots {roots:?}: 12 poles off by {worst:.1e}, the other 6 by {rest:.1e}", robot.name);
            assert!(worst < tolerance, "{worst}");
            assert!(rest < 1e-8, "{rest}");
            if roots[0] == roots[1] {
                continue; // defective: the ranks below are those of the distinct roots
            }
            // Hautus: a root is uncontrollable (unobservable) as often as [A − sI, B] ([A − sI; C]) lacks rank.
            let b = &linear.b;
            let joints = DMatrix::from_fn(3, 18, |i, j| if j == 3 * i { 1.0 } else { 0.0 });
            let mut platform = DMatrix::zeros(3, 18);
            for j in 0..3 {
                let seeded: [D1; 3] =
                    std::array::from_fn(|k| Dual { value: start.q[k], derivative: [f64::from(k == j)] });
                let arm = DeltaArm::new(&delta.parameters().arms[0], 0.0);
                let tip = MechanismPart::point(&arm, &seeded, 0, Vec3::zero());
                (0..3).for_each(|i| platform[(i, j)] = tip[i].derivative[0]);
            }
            let lack = |root: f64, extra: &DMatrix<f64>, below: bool| {
                let shifted = a - DMatrix::identity(18, 18) * root;
                let (rows, columns) = if below { (18 + extra.nrows(), 18) } else { (18, 18 + extra.ncols()) };
                let mut stacked = DMatrix::zeros(rows, columns);
                stacked.view_mut((0, 0), (18, 18)).copy_from(&shifted);
                let at = if below { (18, 0) } else { (0, 18) };
                stacked.view_mut(at, extra.shape()).copy_from(extra);
                18 - stacked.svd(false, false).singular_values.iter().filter(|&&s| s > 1e-8).count()
            };
            let count = |extra: &DMatrix<f64>, below: bool| roots.iter().map(|&r| lack(r, extra, below)).sum::<usize>();
            let found = [count(b, false), count(&joints, true), count(&platform, true)];
            println!(
                "{}: uncontrollable {}, unobservable from joints {}, from platform {}",
                robot.name, found[0], found[1], found[2]
            );
            assert_eq!(found, [12, 6, 6]);
        }
    }
    Ok(())
}

/// Poles of the exact model in platform coordinates under a constant torque: s² = −eigenvalues of M⁻¹K, with
/// K = ∂(G − Jᵀτ)/∂X by dual numbers.
fn minimal_poles(robot: &Delta<f64>, pose: &Pose<'_, f64>) -> Vec<nalgebra::Complex<f64>> {
    let torque = pose.gravity_torque();
    let lifted: Delta<Dual<f64, 3>> = robot.lift();
    let position = Vec3(Dual::variables(pose.position.0));
    let along = lifted.pose_unchecked(position, Branch::Out);
    let unbalanced = along.cartesian_gravity() - along.jacobian().transpose() * Vec3(torque.map(Dual::constant));
    // K is symmetric at an equilibrium, so s² = −eigenvalues of L⁻¹K L⁻ᵀ with M = LLᵀ.
    let (mass, stiffness) = (pose.cartesian_mass_matrix(), Mat3::from_fn(|i, j| unbalanced[i].derivative[j]));
    let dense = |m: Mat3<f64>| nalgebra::Matrix3::from_fn(|i, j| (m[i][j] + m[j][i]) / 2.0);
    let Some(l) = dense(mass).cholesky().and_then(|c| c.l().try_inverse()) else { return Vec::new() };
    let squares = (l * dense(stiffness) * l.transpose()).symmetric_eigenvalues();
    let root =
        |k: f64| if k > 0.0 { [(0.0, k.sqrt()), (0.0, -k.sqrt())] } else { [((-k).sqrt(), 0.0), (-(-k).sqrt(), 0.0)] };
    squares.iter().flat_map(|&k| root(k)).map(|(re, im)| nalgebra::Complex::new(re, im)).collect()
}
