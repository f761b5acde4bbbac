//! A Delta written as a parallel robot with three rotary pairs is the family `delta`, in every quantity.

use super::{robots::Dice, size};
use dalembert_core::delta::{ArmParameters, Azimuth, Branch, Delta, Forearm, Motor, Parameters, UpperArm};
use dalembert_core::dynamics::{Dynamics, State};
use dalembert_core::friction::Friction;
use dalembert_core::parallel::{Chain, LegParameters, Parallel, ParallelModel, ParallelParameters, SlenderBody};
use dalembert_core::serial::Body;
use dalembert_core::spatial::{Frame, Twist, Wrench};
use dalembert_core::{Sym3, Vec3};

fn delta(dice: &mut Dice) -> Delta<f64> {
    let arms = core::array::from_fn(|i| {
        let mass = dice.within(0.1, 0.5);
        ArmParameters {
            azimuth: Azimuth::from_radians(2.094 * i as f64 + dice.within(-0.1, 0.1)),
            base_radius: dice.within(0.2, 0.3),
            platform_radius: dice.within(0.05, 0.1),
            upper_arm: UpperArm {
                length: dice.within(0.3, 0.4),
                mass: dice.within(0.5, 2.0),
                center_of_mass: dice.within(0.05, 0.3),
                center_of_mass_offset: None,
                inertia: dice.within(0.01, 0.1),
                elbow_mass: None,
            },
            forearm: Forearm {
                length: dice.within(0.8, 0.95),
                mass,
                center_of_mass: dice.within(0.2, 0.6),
                inertia: mass * dice.within(0.02, 0.08),
            },
            motor: Motor {
                rotor_inertia: dice.within(0.0, 1e-4),
                gear_ratio: dice.within(5.0, 30.0),
                friction: Some(Friction { viscous: dice.within(0.0, 0.1), ..Friction::NONE }),
            },
            passive_damping: None,
            zero_offset: None,
        }
    });
    let parameters = Parameters {
        gravity: Vec3::new(0.4, -0.3, -9.7),
        arms,
        platform_mass: dice.within(0.5, 1.0),
        payload_mass: dice.within(0.0, 2.0),
        tool: Vec3::zero(),
    };
    Delta::try_new(parameters).unwrap()
}

/// The same robot, leg by leg.
fn as_parallel(delta: &Delta<f64>) -> Parallel<f64, 3> {
    let p = delta.parameters();
    let legs = p.arms.map(|arm| {
        let (cos, sin) = (arm.azimuth.cos, arm.azimuth.sin);
        let out = Vec3::new(cos, sin, 0.0);
        let upper = &arm.upper_arm;
        LegParameters {
            base: out * arm.base_radius,
            platform: out * arm.platform_radius,
            chain: Chain::Rotary {
                axis: Vec3::new(-sin, cos, 0.0),
                zero: out,
                length: upper.length,
                arm: SlenderBody { mass: upper.mass, center_of_mass: upper.center_of_mass, inertia: upper.inertia },
                rod: arm.forearm,
            },
            motor: arm.motor,
            branch: Branch::Out,
        }
    });
    let only = |mass: f64| Body { mass, center_of_mass: Vec3::zero(), inertia: Sym3::zero() };
    let home = Frame::at(Vec3::new(0.0, 0.0, -0.8));
    let parameters = ParallelParameters {
        gravity: p.gravity,
        legs,
        platform: only(p.platform_mass),
        payload: only(p.payload_mass),
        home,
    };
    Parallel::try_new(parameters).unwrap()
}

fn near<const N: usize>(what: &str, a: [f64; N], b: [f64; N]) {
    for i in 0..N {
        assert!((a[i] - b[i]).abs() <= 1e-13 * (1.0_f64).max(size(b)), "{what}{}: {} {}", i + 1, a[i], b[i]);
    }
}

#[test]
fn a_delta_of_legs_is_the_delta() {
    let mut dice = Dice(11);
    for _ in 0..40 {
        let delta = delta(&mut dice);
        let parallel = as_parallel(&delta);
        let position = Vec3::new(0.0, 0.0, -0.8) + dice.vector(0.15);
        let (v, a, force) = (dice.vector(3.0), dice.vector(50.0), dice.vector(20.0));
        let (Ok(one), Ok(other)) = (delta.at_position(position, Branch::Out), parallel.at_tool(Frame::at(position)))
        else {
            panic!("out of reach");
        };
        near("q", other.joints(), one.joints());
        near("margin", other.transmission_margins(), one.transmission_margins());
        near("determinant", [other.determinant()], [one.rod_determinant()]);
        let (one, other) = (one.moving(v), other.moving(Twist::translation(v)));
        near("qd", other.joint_velocity(), one.joint_velocity());
        near("qdd", other.joint_acceleration(Twist::translation(a)), one.joint_acceleration(a));
        let torque = one.torque_under(a, force);
        near("tau", other.torque(Twist::translation(a), Wrench::force(force)), torque);
        let (forward, expected) =
            (other.acceleration(torque, Wrench::force(force)), one.acceleration_under(torque, force));
        near("a", forward.linear.0, expected.0);
        let (mass, expected) = (other.pose.platform_mass_matrix(), one.pose.cartesian_mass_matrix());
        (0..3).for_each(|i| near("M", mass[i], expected[i].0));
        let (c, expected) = (other.platform_coriolis_matrix(), one.cartesian_coriolis_matrix());
        (0..3).for_each(|i| near("C", c[i], expected[i].0));
        near("G", other.platform_gravity(), one.pose.cartesian_gravity().0);
        near("T", [other.kinetic_energy()], [one.kinetic_energy()]);
        // In joints, through the static interface.
        let model = ParallelModel::about(parallel, Frame::at(position));
        let (q, qd) = (one.pose.joints(), one.joint_velocity());
        let state = model.at_joints(q, qd);
        near("x", state.tool().origin.0, position.0);
        near("v", state.tool_velocity().linear.0, v.0);
        let (mass, expected) = (state.mass_matrix(), one.pose.mass_matrix());
        (0..3).for_each(|i| near("A", mass[i], expected[i].0));
        near("g", state.gravity(), one.pose.gravity_torque());
        let qdd = one.joint_acceleration(a);
        near("tau in joints", state.torque(qdd, Wrench::force(force)), torque);
        near("a in joints", state.tool_acceleration(qdd).linear.0, a.0);
        near("friction", state.friction(), one.friction_torque());
    }
}
