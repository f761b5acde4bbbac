//! Every kernel of the serial arms under every scalar: `f64`, `f32`, `Lanes`, `Dual`, `Count`.
//!
//! A lane and the value part of a dual number have the bits of a single evaluation; derivatives agree with central
//! differences; single precision follows; the operation counts are pinned.

use dalembert::serial::puma::PumaModel;
use dalembert::serial::{Serial, SerialParameters};
use dalembert::spatial::Wrench;
use dalembert::{Count, Dual, Lanes, Operations, Scalar, SerialRobot, Tally, Vec3, robots};
use std::fmt::Write;

fn golden(name: &str) -> SerialRobot {
    let path = format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    SerialRobot::load(path).expect("golden robot")
}

/// Four joints, one of them prismatic, nothing zero or equal.
fn general() -> SerialParameters<f64, 4> {
    *golden("serial-c").arm.arm().expect("serial-c has four joints").parameters()
}

/// Everything an arm can be asked, in named groups; inputs are q, q̇, q̈ (or τ).
fn kernels<S: Scalar, const N: usize>(p: &SerialParameters<S, N>, input: &[[S; N]; 3]) -> Vec<(&'static str, Vec<S>)> {
    let [q, qd, qdd] = *input;
    let arm = Serial::new(*p);
    let pose = arm.pose_unchecked(q);
    let moving = pose.moving(qd);
    let vectors = |v: &[Vec3<S>]| v.iter().flat_map(|v| v.0).collect::<Vec<S>>();
    let (jacobian, rate, tool) = (pose.jacobian(), moving.jacobian_rate(), pose.tool());
    let wrench = Wrench { force: Vec3::from_f64([1.0, 2.0, 3.0]), moment: Vec3::from_f64([0.1, -0.2, 0.3]) };
    let base = moving.base_wrench(qdd);
    vec![
        ("forward kinematics", [vectors(&tool.rotation.0), vectors(&[tool.origin])].concat()),
        ("jacobian", [vectors(&jacobian.map(|j| j.linear)), vectors(&jacobian.map(|j| j.angular))].concat()),
        ("jacobian rate", [vectors(&rate.map(|j| j.linear)), vectors(&rate.map(|j| j.angular))].concat()),
        ("torque", moving.torque(qdd).to_vec()),
        ("torque under a wrench", moving.torque_under(qdd, wrench).to_vec()),
        ("gravity torque", pose.gravity_torque().to_vec()),
        ("coriolis", moving.coriolis().to_vec()),
        ("mass matrix", pose.mass_matrix().as_flattened().to_vec()),
        ("mass matrix, Walker-Orin", pose.mass_matrix_walker_orin().as_flattened().to_vec()),
        ("coriolis matrix", moving.coriolis_matrix().as_flattened().to_vec()),
        ("christoffel symbols", pose.christoffel().as_flattened().as_flattened().to_vec()),
        ("acceleration", moving.acceleration(qdd).to_vec()),
        ("energies", vec![moving.kinetic_energy(), pose.potential_energy()]),
        ("base wrench", vectors(&[base.force, base.moment])),
    ]
}

fn state<const N: usize>(row: usize) -> [[f64; N]; 3] {
    let wave = |k: usize, i: usize| ((row + 1) as f64 * (0.7 + 0.37 * (k * N + i) as f64)).sin();
    std::array::from_fn(|k| std::array::from_fn(|i| [1.5, 2.0, 5.0][k] * wave(k, i)))
}

#[test]
fn lanes_are_bit_equal() {
    let p = general();
    let rows: [[[f64; 4]; 3]; 4] = std::array::from_fn(state);
    let packed = std::array::from_fn(|k| std::array::from_fn(|i| Lanes(std::array::from_fn(|lane| rows[lane][k][i]))));
    let together = kernels::<Lanes<4>, 4>(&p.lift(), &packed);
    for (lane, row) in rows.iter().enumerate() {
        for ((name, lanes), (_, alone)) in together.iter().zip(kernels(&p, row)) {
            for (a, b) in lanes.iter().zip(alone) {
                assert!(b.is_finite(), "{name}");
                assert_eq!(a.0[lane].to_bits(), b.to_bits(), "{name}");
            }
        }
    }
}

#[test]
fn single_precision_follows() {
    let p = general();
    for row in 0..4 {
        let input = state(row);
        let single = kernels::<f32, 4>(&p.lift(), &input.map(|group| group.map(|x| x as f32)));
        for ((name, a), (_, b)) in single.iter().zip(kernels(&p, &input)) {
            let scale = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(a.iter().zip(&b).all(|(a, b)| (f64::from(*a) - b).abs() <= 1e-3 * scale), "{name}");
        }
    }
}

#[test]
fn dual_values_are_bit_equal_and_derivatives_are_right() {
    type D = Dual<f64, 1>;
    let p = general();
    let input = state(2);
    let plain = kernels(&p, &input);
    for variable in 0..12 {
        let is_it = |k: usize, i: usize| if 4 * k + i == variable { 1.0 } else { 0.0 };
        let seeded =
            std::array::from_fn(|k| std::array::from_fn(|i| D { value: input[k][i], derivative: [is_it(k, i)] }));
        let dual = kernels::<D, 4>(&p.lift(), &seeded);
        let step = 1e-6;
        let at = |h: f64| {
            let mut moved = input;
            moved[variable / 4][variable % 4] += h;
            kernels(&p, &moved)
        };
        let (plus, minus) = (at(step), at(-step));
        for (k, (name, values)) in dual.iter().enumerate() {
            let size = plain[k].1.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (i, value) in values.iter().enumerate() {
                assert_eq!(value.value.to_bits(), plain[k].1[i].to_bits(), "{name}");
                let difference = (plus[k].1[i] - minus[k].1[i]) / (2.0 * step);
                let error = (value.derivative[0] - difference).abs();
                assert!(error <= 1e-7 * (size + difference.abs()), "{name} {i} by {variable}: {error:e}");
            }
        }
    }
}

#[test]
fn operation_counts_are_pinned() {
    fn count(run: impl for<'t> Fn([[Count<'t>; 6]; 3])) -> Operations {
        let tally = Tally::new();
        run(state::<6>(0).map(|group| group.map(|x| tally.variable(x))));
        tally.operations()
    }
    let puma = *robots::puma560().expect("built in").arm.arm::<6>().expect("six joints").parameters();
    let mut table = String::from("# puma560: zeros and right angles folded\n");
    let mut note = |name: &str, operations: Operations| {
        let _ = writeln!(table, "{name:32} {operations}");
    };
    // Lifted anew for each: the parameters are constants and cost nothing.
    note(
        "newton-euler: torque",
        count(|[q, qd, qdd]| {
            Serial::new(puma.lift()).pose_unchecked(q).moving(qd).torque(qdd);
        }),
    );
    note(
        "composite bodies: mass matrix",
        count(|[q, ..]| {
            Serial::new(puma.lift()).pose_unchecked(q).mass_matrix();
        }),
    );
    note(
        "walker-orin: mass matrix",
        count(|[q, ..]| {
            Serial::new(puma.lift()).pose_unchecked(q).mass_matrix_walker_orin();
        }),
    );
    note(
        "gravity torque",
        count(|[q, ..]| {
            Serial::new(puma.lift()).pose_unchecked(q).gravity_torque();
        }),
    );
    note(
        "articulated bodies: acceleration",
        count(|[q, qd, tau]| {
            Serial::new(puma.lift()).pose_unchecked(q).moving(qd).acceleration(tau);
        }),
    );
    note(
        "explicit: matrices",
        count(|[q, ..]| {
            PumaModel::explicit(&puma.lift()).matrices(q);
        }),
    );
    note(
        "explicit: torque",
        count(|[q, qd, qdd]| {
            PumaModel::explicit(&puma.lift()).matrices(q).torque(qd, qdd);
        }),
    );
    note(
        "abbreviated: matrices",
        count(|[q, ..]| {
            PumaModel::Abbreviated.matrices(q);
        }),
    );
    note(
        "abbreviated: torque",
        count(|[q, qd, qdd]| {
            PumaModel::Abbreviated.matrices(q).torque(qd, qdd);
        }),
    );
    insta::assert_snapshot!(table);
}
