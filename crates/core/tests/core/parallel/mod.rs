//! Fully parallel robots: two derivations, identities, and the Delta.

mod delta;
mod forward;
mod lagrange;
mod margins;
mod robots;

use dalembert_core::algebra::dot;
use dalembert_core::parallel::{Moving, Parallel};
use dalembert_core::spatial::{Frame, Twist, Wrench};
use dalembert_core::{Dual, Scalar, Vec3};
use robots::{Dice, KINDS, Kind};

fn components<const N: usize>(twist: Twist<f64>) -> [f64; N] {
    let all = twist.components();
    core::array::from_fn(|k| all[k])
}

/// A twist of a platform with N freedoms.
fn twist<const N: usize>(dice: &mut Dice, linear: f64, angular: f64) -> Twist<f64> {
    let twist = dice.twist(linear, angular);
    if N > 3 { twist } else { Twist::translation(twist.linear) }
}

fn wrench<const N: usize>(dice: &mut Dice) -> Wrench<f64> {
    let wrench = dice.wrench();
    if N > 3 { wrench } else { Wrench::force(wrench.force) }
}

/// A · x for a matrix by rows.
fn times<const N: usize>(a: &[[f64; N]; N], x: [f64; N]) -> [f64; N] {
    core::array::from_fn(|i| dot(a[i], x))
}

fn size<const N: usize>(x: [f64; N]) -> f64 {
    x.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

/// Each of `count` random states of random robots with each kind of legs.
fn for_states<const N: usize>(
    count: usize,
    friction: bool,
    mut check: impl FnMut(Kind, &Parallel<f64, N>, Frame<f64>, &mut Dice),
) {
    let mut dice = Dice(7 + N as u64);
    for kind in KINDS {
        for _ in 0..count {
            let robot = robots::robot::<N>(&mut dice, kind, friction);
            for _ in 0..3 {
                let tool = robots::tool(&mut dice, &robot);
                check(kind, &robot, tool, &mut dice);
            }
        }
    }
}

/// Virtual work and Lagrange's equations ask for the same. In the platform's coordinates nothing is divided by the rods'
/// determinant, so that the condition is that of the legs' margins alone.
fn agrees_with_lagrange<const N: usize, const M: usize>() {
    let mut worst = 0.0_f64;
    for_states::<N>(12, false, |kind, robot, tool, dice| {
        let (v, a) = (twist::<N>(dice, 2.0, 4.0), twist::<N>(dice, 30.0, 60.0));
        let push = wrench::<N>(dice);
        let (needed, jacobian, kinetic, potential) =
            lagrange::required::<N, M>(robot, &tool, components(v), components(a));
        let pose = robot.at_tool(tool).unwrap();
        let moving = pose.moving(v);
        let torque = moving.torque(a, push);
        let outer: [f64; N] = components(Twist { linear: push.force, angular: push.moment });
        for k in 0..N {
            let given: f64 = (0..N).map(|i| torque[i] * jacobian[i][k]).sum::<f64>() + outer[k];
            let error = (given - needed[k]).abs() / (size(needed) + size(outer));
            worst = worst.max(error);
            assert!(error < 1e-12, "{kind:?} {k}: {given} {} {error:.1e}", needed[k]);
        }
        let own = pose.jacobian();
        for i in 0..N {
            for k in 0..N {
                assert!((own[i][k] - jacobian[i][k]).abs() < 1e-12 * size(own[i]), "{kind:?} jacobian");
            }
        }
        assert!((moving.kinetic_energy() - kinetic).abs() < 1e-12 * kinetic, "{kind:?} kinetic energy");
        let home = robot.at_tool(robot.home()).unwrap();
        let at_home = lagrange::required::<N, M>(robot, &robot.home(), [0.0; N], [0.0; N]).3;
        let change = pose.potential_energy() - home.potential_energy();
        assert!((change - (potential - at_home)).abs() < 1e-11 * (1.0 + change.abs()), "{kind:?} potential");
    });
    println!("worst {worst:.1e}");
}

#[test]
fn virtual_work_is_lagrange_of_a_translating_platform() {
    agrees_with_lagrange::<3, 6>();
}

#[test]
fn virtual_work_is_lagrange_of_a_free_platform() {
    agrees_with_lagrange::<6, 12>();
}

fn forward_inverts_inverse<const N: usize>() {
    for_states::<N>(12, true, |kind, robot, tool, dice| {
        let (v, a) = (twist::<N>(dice, 2.0, 4.0), twist::<N>(dice, 30.0, 60.0));
        let push = wrench::<N>(dice);
        let moving = robot.at_tool(tool).unwrap().moving(v);
        let back = moving.acceleration(moving.torque(a, push), push);
        let error = size(components::<N>(back - a)) / size(components::<N>(a));
        assert!(error < 1e-9, "{kind:?}: {error:.1e}");
        // The breakdown is the whole.
        let parts = moving.breakdown(a, push);
        let (terms, bodies) = (
            [parts.inertia, parts.coriolis, parts.gravity, parts.friction, parts.wrench],
            [&parts.bodies[..], &[parts.friction, parts.wrench]].concat(),
        );
        let torque = moving.torque(a, push);
        for all in [&terms[..], &bodies] {
            for i in 0..N {
                let sum: f64 = all.iter().map(|part| part[i]).sum();
                assert!((sum - torque[i]).abs() < 1e-11 * size(torque), "{kind:?} {i}: {sum} {}", torque[i]);
            }
        }
        // The forces of the legs hold platform and payload.
        let forces = moving.leg_forces(a, push);
        let total = forces.iter().fold(push.force, |sum, force| sum + *force);
        let body = [robot.parameters().platform, robot.parameters().payload];
        let needed = body.iter().fold(Vec3::zero(), |sum, body| {
            let c = if N > 3 { tool.rotation * body.center_of_mass } else { Vec3::zero() };
            let rate = a.linear + a.angular.cross(c) + v.angular.cross(v.angular.cross(c));
            sum + (rate - robot.gravity()) * body.mass
        });
        let scale = forces.iter().map(|f| size(f.0)).fold(1.0, f64::max);
        assert!(size((total - needed).0) < 1e-11 * scale, "{kind:?} leg forces");
    });
}

#[test]
fn forward_dynamics_inverts_inverse_dynamics() {
    forward_inverts_inverse::<3>();
    forward_inverts_inverse::<6>();
}

/// The platform after a time carried by a dual number.
fn later<const N: usize>(tool: &Frame<f64>, v: Twist<f64>) -> Frame<Dual<f64, 1>> {
    let moving = |x: f64, rate: f64| Dual { value: x, derivative: [rate] };
    let axes = tool.rotation.transpose();
    let columns = [0, 1, 2].map(|j| {
        let rate = v.angular.cross(axes[j]);
        Vec3::from_fn(|i| moving(axes[j][i], rate[i]))
    });
    Frame {
        rotation: dalembert_core::Mat3::from_columns(columns),
        origin: Vec3::from_fn(|i| moving(tool.origin[i], v.linear[i])),
    }
}

fn mass_and_coriolis<const N: usize>() {
    for_states::<N>(8, false, |kind, robot, tool, dice| {
        let v = twist::<N>(dice, 2.0, 4.0);
        let moving = robot.at_tool(tool).unwrap().moving(v);
        let mass = moving.pose.platform_mass_matrix();
        let lifted: Parallel<Dual<f64, 1>, N> = robot.lift();
        let rate = lifted.pose_unchecked(later::<N>(&tool, v), robot.branches()).platform_mass_matrix();
        let c = moving.platform_coriolis_matrix();
        let scale = c.iter().map(|row| size(*row)).fold(0.0, f64::max);
        for i in 0..N {
            for k in 0..N {
                let [a, b] = [[i, k], [k, i]].map(|[i, k]| rate[i][k].derivative[0] - 2.0 * c[i][k]);
                assert!((a + b).abs() < 1e-12 * scale, "{kind:?} {i} {k}: {a} {b}");
                assert_eq!(mass[i][k], mass[k][i]);
            }
        }
        // M a + C v + G is what the torques do at the platform, and its part without accelerations.
        let a = twist::<N>(dice, 30.0, 60.0);
        let (torque, jacobian) = (moving.torque(a, Wrench::zero()), moving.pose.jacobian());
        let (g, ma, cv) = (moving.platform_gravity(), times(&mass, components(a)), times(&c, components(v)));
        for k in 0..N {
            let driven: f64 = (0..N).map(|i| jacobian[i][k] * torque[i]).sum();
            let sum = ma[k] + cv[k] + g[k];
            assert!((driven - sum).abs() < 1e-12 * (size(ma) + size(cv) + size(g)), "{kind:?} {k}: {driven} {sum}");
        }
    });
}

#[test]
fn the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew() {
    mass_and_coriolis::<3>();
    mass_and_coriolis::<6>();
}

/// d/dt (T + V) = τ·q̇ + f·v + m·ω, with the energies' rate from dual numbers.
fn power_balance<const N: usize>() {
    for_states::<N>(8, false, |kind, robot, tool, dice| {
        let (v, a) = (twist::<N>(dice, 2.0, 4.0), twist::<N>(dice, 30.0, 60.0));
        let push = wrench::<N>(dice);
        let moving = robot.at_tool(tool).unwrap().moving(v);
        let torque = moving.torque(a, push);
        let power = dot(torque, moving.joint_velocity())
            + push.force.dot(v.linear)
            + if N > 3 { push.moment.dot(v.angular) } else { 0.0 };
        let lifted: Parallel<Dual<f64, 1>, N> = robot.lift();
        let pose = lifted.pose_unchecked(later::<N>(&tool, v), robot.branches());
        let changing = |v: Vec3<f64>, a: Vec3<f64>| Vec3::from_fn(|i| Dual { value: v[i], derivative: [a[i]] });
        let twist = Twist { linear: changing(v.linear, a.linear), angular: changing(v.angular, a.angular) };
        let energy: Dual<f64, 1> = pose.moving(twist).kinetic_energy() + pose.potential_energy();
        let scale = torque.iter().zip(moving.joint_velocity()).map(|(t, q)| (t * q).abs()).fold(1.0, f64::max);
        assert!((energy.derivative[0] - power).abs() < 1e-11 * scale, "{kind:?}: {} {power}", energy.derivative[0]);
        let _: Option<&Moving<'_, f64, N>> = Some(&moving);
    });
}

#[test]
fn power_is_the_rate_of_energy() {
    power_balance::<3>();
    power_balance::<6>();
}

#[test]
fn scalar_is_any() {
    // The same bits from four states at once.
    let mut dice = Dice(3);
    let robot = robots::robot::<6>(&mut dice, Kind::Strut, true);
    let lanes: Parallel<dalembert_core::Lanes<4>, 6> = robot.lift();
    let tool = robots::tool(&mut dice, &robot);
    let (v, a) = (dice.twist(1.0, 1.0), dice.twist(10.0, 10.0));
    let torque = robot.at_tool(tool).unwrap().moving(v).torque(a, Wrench::zero());
    let lift = |t: Twist<f64>| Twist {
        linear: t.linear.map(dalembert_core::Lanes::from_f64),
        angular: t.angular.map(dalembert_core::Lanes::from_f64),
    };
    let many = lanes
        .pose_unchecked(tool.map(dalembert_core::Lanes::from_f64), robot.branches())
        .moving(lift(v))
        .torque(lift(a), Wrench::zero());
    for i in 0..6 {
        assert!(many[i].0.iter().all(|&x| x == torque[i]), "{i}: {:?} {}", many[i], torque[i]);
    }
}
