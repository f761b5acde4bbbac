//! Every kernel of `dalembert-core`, called from a program that has no standard library, no allocator and no unwinding.
//! That it links proves that nothing allocates; that it returns 0 proves that nothing panics, on good and on bad input.
#![no_std]
#![no_main]

use core::ffi::c_int;
use core::panic::PanicInfo;
use dalembert_core::algebra::sum;
use dalembert_core::control::{ControlLaw, Feedback, Gains, Impedance, Integral, Law, Limiter, quantize};
use dalembert_core::delta::DeltaModel;
use dalembert_core::delta::models::asadi::Asadi;
use dalembert_core::delta::models::bortoff::Bortoff;
use dalembert_core::delta::{
    ArmParameters, Assembly, Azimuth, Branch, Delta, Forearm, ModelName, Motor, Parameters, UpperArm,
};
use dalembert_core::dynamics::{Dynamics, Reference, State};
use dalembert_core::friction::Friction;
use dalembert_core::serial::puma::PumaModel;
use dalembert_core::serial::{
    Armature, Body, DhConvention, DhRow, Joint, LinkParameters, PumaGeometry, Serial, SerialParameters,
};
use dalembert_core::spatial::{Frame, Twist, rotation_vector};
use dalembert_core::{Dual, Lanes, Scalar, Sym3, Tally, Vec3};

unsafe extern "C" {
    fn exit(status: c_int) -> !;
}

/// The prebuilt `core` refers to it; with `panic = "abort"` nobody calls it.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// A panic is a failure that the caller sees.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe { exit(101) }
}

fn parameters(friction: bool) -> Parameters<f64> {
    let arm = |degrees: f64| ArmParameters {
        azimuth: Azimuth::from_radians(degrees * core::f64::consts::PI / 180.0),
        base_radius: 0.25,
        platform_radius: 0.1,
        upper_arm: UpperArm {
            length: 0.375,
            mass: 1.4,
            center_of_mass: 0.122,
            center_of_mass_offset: None,
            inertia: 0.035,
            elbow_mass: friction.then_some(0.05),
        },
        forearm: Forearm { length: 0.9, mass: 0.39, center_of_mass: 0.45, inertia: 0.026325 },
        motor: Motor {
            rotor_inertia: 1e-4,
            gear_ratio: 10.0,
            friction: friction.then_some(Friction {
                viscous: 0.1,
                coulomb: 0.5,
                static_friction: 0.7,
                ..Friction::NONE
            }),
        },
        passive_damping: friction.then_some(0.01),
        zero_offset: None,
    };
    Parameters {
        gravity: Vec3([0.0, 0.0, -9.81]),
        arms: [arm(0.0), arm(120.0), arm(240.0)],
        platform_mass: 0.94,
        payload_mass: 0.2,
        tool: Vec3([0.0, 0.0, -0.05]),
    }
}

/// All kernels for one scalar; the sum of what comes out.
fn kernels<S: Scalar>(parameters: &Parameters<S>, state: [Vec3<S>; 4]) -> S {
    let [position, velocity, acceleration, force] = state;
    let robot = Delta::new(*parameters);
    let pose = robot.pose_unchecked(position, Branch::Out);
    let moving = pose.moving(velocity);
    let mut sum = S::zero();
    let mut add = |v: [S; 3]| sum = sum + v[0] + v[1] + v[2];
    let q = pose.joints();
    add(q);
    let (again, margin) = robot.pose_from_joints_unchecked(q, Assembly::Below);
    add((again.position * margin).0);
    add(pose.transmission_margins().map(|margin| margin * pose.rod_determinant()));
    add(pose.gravity_torque());
    add((pose.cartesian_gravity() * pose.potential_energy()).0);
    for matrix in [
        pose.jacobian(),
        pose.inverse_jacobian(),
        pose.mass_matrix(),
        pose.cartesian_mass_matrix(),
        moving.jacobian_rate(),
        moving.inverse_jacobian_rate(),
        moving.coriolis_matrix(),
        moving.cartesian_coriolis_matrix(),
    ] {
        add((matrix * velocity).0);
    }
    add(moving.joint_velocity());
    let torque = moving.torque_under(acceleration, force);
    add(torque);
    add(moving.acceleration_under(torque, force).0);
    add(moving.platform_acceleration(moving.joint_acceleration(acceleration)).0);
    add(moving.coriolis().map(|c| c * moving.kinetic_energy()));
    add(moving.breakdown(acceleration, force).total());
    for rod in moving.forearm_forces(acceleration, force) {
        add((rod.on_platform * rod.tension_at_elbow).0);
    }
    let (drift, input) = Asadi::new(parameters).state_space(&moving, force);
    add((drift + input * Vec3(torque)).0);
    let bortoff = Bortoff::new(parameters);
    let angles = bortoff.nine_angles(position, q);
    add(angles.residual(&bortoff)[0].0);
    add(bortoff.inverse_dynamics(&angles, velocity, acceleration).1.lambda[0].0);
    for name in ModelName::ALL {
        let model = name.build(parameters);
        let model = model.as_model();
        add(model.torque(&moving, acceleration, force));
        add(model.acceleration(&moving, torque, force).0);
        add((model.mass_matrix(&pose) * velocity).0);
        add((model.cartesian_mass_matrix(&pose) * velocity).0);
        add((model.coriolis_matrix(&moving) * velocity).0);
        add((model.cartesian_coriolis_matrix(&moving) * velocity).0);
        add(model.coriolis(&moving));
        add(model.gravity_torque(&pose));
    }
    sum
}

fn fast_path<S: Scalar>(parameters: &Parameters<f64>, state: [Vec3<S>; 4]) -> S {
    let [position, velocity, acceleration, _] = state;
    let Some(robot) = Delta::new(*parameters).symmetric_lifted::<S>() else { return S::zero() };
    let torque = robot.torque(position, velocity, acceleration);
    let given = robot.torque_given(position, acceleration, velocity.0.map(S::sin_cos), velocity.0, torque);
    let torques = sum(robot.gravity_torque(position), given);
    let total = robot.acceleration(position, velocity, torque) + robot.mass_matrix(position) * velocity + Vec3(torques);
    total[0] + total[1] + total[2]
}

/// All kernels of the serial arms for one scalar; the sum of what comes out.
fn arm_kernels<S: Scalar>(parameters: &SerialParameters<S, 6>, [q, qd, qdd]: [[S; 6]; 3]) -> S {
    let robot = Serial::new(*parameters);
    let pose = robot.pose_unchecked(q);
    let moving = pose.moving(qd);
    let mut sum = S::zero();
    let mut add = |values: [S; 6]| sum = values.iter().fold(sum, |sum, &x| sum + x);
    let torque = moving.torque(qdd);
    add(torque);
    add(moving.acceleration(torque));
    add(pose.gravity_torque());
    add(moving.coriolis());
    for matrix in [pose.mass_matrix(), pose.mass_matrix_walker_orin(), moving.coriolis_matrix()] {
        matrix.iter().for_each(|&row| add(row));
    }
    add(pose.configuration().torque(qd, qdd));
    add(PumaModel::explicit(parameters).matrices(q).torque(qd, qdd));
    add(PumaModel::Abbreviated.matrices(q).torque(qd, qdd));
    let base = moving.base_wrench(qdd);
    add(pose.torque_of_wrench(base));
    add(moving.jacobian_rate().map(|column| column.linear.dot(base.force) + column.angular.dot(base.moment)));
    add(moving.joint_acceleration(Twist { linear: base.force, angular: base.moment }, qdd));
    add(moving.null_space_torque(qdd));
    let turn = rotation_vector(Frame::identity().rotation, pose.tool().rotation);
    sum + pose.tool_margin()
        + turn[0]
        + moving.kinetic_energy()
        + pose.potential_energy()
        + pose.tool().origin[0]
        + pose.frames()[5].origin[1]
}

/// Every law, on good and on bad numbers, with limits and integral.
fn laws<const N: usize, M: Dynamics<f64, N>>(model: &M, numbers: [f64; N]) -> f64 {
    let point = Vec3([numbers[0], numbers[1], numbers[2]]);
    let reference = Reference { q: [0.4; N], qd: [0.5; N], qdd: [3.0; N], point: [point; 3] };
    let now = Feedback {
        q: numbers,
        qd: numbers,
        configuration: numbers,
        rate: numbers,
        integral: [0.1; N],
        reference: &reference,
        ahead: &reference,
        inertia: [0.2; N],
        gains: Gains::pid(60.0, 1.0, 0.2),
        impedance: Impedance::isotropic(4000.0, 1.0, 2.0),
    };
    let (mut limiter, mut integral) = (Limiter::new([50.0; N], [1e4; N], [0.0; N]), Integral([0.0; N]));
    let mut sum = 0.0;
    for law in Law::ALL {
        let asked = law.torque(&now, model);
        let given = limiter.limit(asked, 1e-3);
        integral.advance(numbers, asked, given, 1e-3);
        sum += quantize(given[0], 0.01);
    }
    sum
}

/// The PUMA's geometry with some masses.
fn arm(friction: bool) -> SerialParameters<f64, 6> {
    let twists = [0.0, -0.5, 0.0, 0.5, -0.5, 0.5];
    let rows = [[0.0, 0.0], [0.0, 0.2435], [0.4318, -0.0934], [-0.0203, 0.4331], [0.0, 0.0], [0.0, 0.0]];
    SerialParameters {
        convention: DhConvention::Modified,
        gravity: Vec3([0.0, 0.0, -9.81]),
        base: None,
        links: core::array::from_fn(|i| LinkParameters {
            joint: Joint::Revolute,
            dh: DhRow {
                alpha: Azimuth::from_radians(twists[i] * core::f64::consts::PI),
                a: rows[i][0],
                d: rows[i][1],
                theta_offset: Azimuth::ZERO,
            },
            body: Body { mass: 1.0, center_of_mass: Vec3::zero(), inertia: Sym3::new([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]) },
            motor_inertia: 0.5,
            gear_ratio: 50.0,
            friction: friction.then_some(Friction { viscous: 0.1, coulomb: 0.5, ..Friction::NONE }),
            spring: None,
            coupling: None,
            armature: friction.then_some(Armature { carrier: i, axis: Vec3([0.0, 0.0, 1.0]) }),
        }),
        tool: Frame::identity(),
        payload: Body::zero(),
    }
}

/// The checked edge on good and bad input; errors are fine, panics are not.
fn edge(numbers: [f64; 4]) -> f64 {
    let robot = match Delta::try_new(parameters(true)) {
        Ok(robot) => robot,
        Err(_) => return f64::NAN,
    };
    let mut sum = 0.0;
    for x in numbers {
        for z in [-0.85, -2.0, 0.0, x] {
            if let Ok(pose) = robot.at_position(Vec3([x, -x, z]), Branch::Out) {
                sum += pose.ball_angles()[0];
                let bortoff = Bortoff::new(robot.parameters());
                sum += bortoff.newton_inverse(pose.position, pose.nine_angles(), 1e-9).map_or(0.0, |s| s.correction);
                sum += bortoff.newton_forward(pose.joints(), pose.nine_angles(), 1e-9).map_or(0.0, |s| s.correction);
            }
            sum += robot.at_joints([x, z, x], Assembly::Above).map_or(0.0, |pose| pose.position[2]);
        }
    }
    for name in ModelName::ALL {
        sum += if name.applies_to(robot.parameters()).is_ok() { 1.0 } else { 0.0 };
    }
    sum
}

#[unsafe(no_mangle)]
extern "C" fn main(_argc: c_int, _argv: *const *const u8) -> c_int {
    let numbers =
        [Vec3([0.1, -0.05, -0.85]), Vec3([1.0, 2.0, -1.5]), Vec3([20.0, -30.0, 10.0]), Vec3([1.0, 2.0, -3.0])];
    let mut finite = true;
    for friction in [false, true] {
        let given = parameters(friction);
        finite &= kernels::<f64>(&given, numbers).is_finite();
        finite &= kernels::<f32>(&given.lift(), numbers.map(|v| v.map(f32::from_f64))).is_finite();
        finite &= kernels::<Lanes<4>>(&given.lift(), numbers.map(|v| v.map(Lanes::from_f64))).0[3].is_finite();
        let duals = numbers.map(|v| Vec3(v.0.map(|x| Dual::<f64, 1> { value: x, derivative: [1.0] })));
        finite &= kernels(&given.lift(), duals).derivative[0].is_finite();
        let tally = Tally::new();
        finite &= kernels(&given.lift(), numbers.map(|v| v.map(|x| tally.variable(x)))).value().is_finite();
        finite &= tally.operations().arithmetic() > 1000;
    }
    finite &= fast_path(&parameters(false), numbers).is_finite();
    let lifted = numbers.map(|v| v.map(Lanes::<8>::from_f64));
    finite &= fast_path(&parameters(false), lifted).0[7].is_finite();
    let state = [[0.1, 0.2, -0.3, 0.4, 0.5, -0.6]; 3];
    for friction in [false, true] {
        let given = arm(friction);
        finite &= arm_kernels(&given, state).is_finite();
        finite &= arm_kernels::<Lanes<4>>(&given.lift(), state.map(|v| v.map(Lanes::from_f64))).0[3].is_finite();
        let duals = state.map(|v| v.map(|x| Dual::<f64, 1>::variable(x, 0)));
        finite &= arm_kernels(&given.lift(), duals).derivative[0].is_finite();
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            let _ = arm_kernels(&given, [[bad; 6]; 3]);
        }
        if let Ok(robot) = Serial::try_new(given) {
            finite &= PumaGeometry::new(&robot)
                .is_ok_and(|geometry| robot.at_joints(state[0]).is_ok_and(|pose| geometry.solve(&pose.tool()).is_ok()));
        }
    }
    for friction in [false, true] {
        let given = parameters(friction);
        let robot = Delta::new(given);
        let exact = ModelName::Exact.build(&given);
        let delta = DeltaModel { robot, model: exact, assembly: Assembly::Below, branch: Branch::Out };
        let serial = Serial::new(arm(friction));
        finite &=
            laws(&delta, [0.39, 0.41, 0.4]).is_finite() && laws(&serial, [0.39, 0.41, 0.4, 0.4, 0.4, 0.4]).is_finite();
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            finite &= laws(&delta, [bad; 3]).is_finite() && laws(&serial, [bad; 6]).is_finite();
        }
    }
    // Out of reach, NaN and infinity: numbers come out, or NaN, or an error; never a panic.
    for bad in [f64::NAN, f64::INFINITY, 1e300, 0.0] {
        let states = [Vec3([bad; 3]); 4];
        let _ = kernels::<f64>(&parameters(true), states);
        let _ = fast_path(&parameters(false), states);
    }
    finite &= edge([0.0, 0.3, f64::NAN, 1e9]).is_finite();
    c_int::from(!finite)
}
