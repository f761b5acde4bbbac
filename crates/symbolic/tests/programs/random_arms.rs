//! Random arms: one to eight joints that turn or slide, quarter turns and others, zeros, numbers from 1e-9 to 1e3 of the usual in one
//! arm, payloads, friction. Every program is derived, none with a panic or a refusal, and all are within 1e-12 of Newton and Euler;
//! symbolic ones also where parameters are zero, tiny or huge.
//!
//! `DALEMBERT_RANDOM_ARMS` says how many (the longer, the more).

use dalembert_core::friction::Friction;
use dalembert_core::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert_core::spatial::Frame;
use dalembert_core::{Angle, Dual, Sym3, Vec3};
use dalembert_symbolic::derive::{self, Of, Request};
use dalembert_symbolic::{Effort, Program};
use std::f64::consts::{FRAC_PI_2, PI};

struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn chance(&mut self, share: f64) -> bool {
        self.signed() < 2.0 * share - 1.0
    }

    fn row<const N: usize>(&mut self, size: f64) -> [f64; N] {
        [(); N].map(|()| size * self.signed())
    }
}

fn arm<const N: usize>(random: &mut Random) -> SerialParameters<f64, N> {
    let (tidy, sliding, rubbing) = (random.chance(0.6), random.chance(0.4), random.chance(0.3));
    let zeros = if random.chance(0.5) { 0.5 } else { 0.05 };
    let wild = random.chance(0.15);
    let size = |random: &mut Random| if wild { 10.0_f64.powf(6.0 * random.signed() - 3.0) } else { 1.0 };
    let some = |random: &mut Random, most: f64| match random.chance(zeros) {
        true => 0.0,
        false => most * random.signed() * size(random),
    };
    let body = |random: &mut Random| Body {
        mass: if random.chance(0.1) { 0.0 } else { (1.1 + random.signed()) * size(random) },
        center_of_mass: Vec3([(); 3].map(|()| some(random, 0.2))),
        inertia: Sym3::new([
            0.3 + 0.1 * random.signed(),
            0.4,
            0.5,
            // As large as a body's can be.
            some(random, 0.1).clamp(-0.1, 0.1),
            some(random, 0.1).clamp(-0.1, 0.1),
            some(random, 0.1).clamp(-0.1, 0.1),
        ]),
    };
    let angle = |random: &mut Random| match tidy {
        true => Angle::from_radians((2.0 * random.signed()).round() * FRAC_PI_2),
        false => Angle::from_radians(PI * random.signed()),
    };
    let links = [(); N].map(|()| LinkParameters {
        joint: if sliding && random.chance(0.4) { Joint::Prismatic } else { Joint::Revolute },
        dh: DhRow { alpha: angle(random), a: some(random, 0.5), d: some(random, 0.5), theta_offset: angle(random) },
        body: body(random),
        motor_inertia: 0.5 + 0.4 * random.signed(),
        gear_ratio: 50.0,
        friction: rubbing.then_some(Friction { viscous: 0.3, coulomb: 0.5, static_friction: 0.7, ..Friction::NONE }),
        armature: None,
        spring: None,
        coupling: None,
    });
    let gravity = if tidy { Vec3([0.0, 0.0, -9.81]) } else { Vec3(random.row(9.81)) };
    let payload = if random.chance(0.5) { body(random) } else { Body::zero() };
    let tool = Frame { origin: Vec3([some(random, 0.1), 0.0, some(random, 0.1)]), ..Frame::identity() };
    let convention = if random.chance(0.5) { DhConvention::Modified } else { DhConvention::Standard };
    SerialParameters { convention, base: None, gravity, links, tool, payload }
}

/// What Newton and Euler, or the formulas that follow from them, say at a state.
fn expected<const N: usize>(arm: &Serial<f64, N>, of: Of, [q, qd, qdd]: [[f64; N]; 3]) -> (Vec<f64>, Vec<f64>) {
    let moving = arm.pose_unchecked(q).moving(qd);
    let derivatives = |row: usize| -> Vec<f64> {
        let lifted = Serial::<Dual<f64, 1>, N>::new(arm.parameters().lift());
        let column = |j: usize| {
            let mut rows = [q, qd, qdd].map(|row| row.map(Dual::constant));
            rows[row][j].derivative = [1.0];
            let [q, qd, qdd] = rows;
            lifted.pose_unchecked(q).moving(qd).torque(qdd).map(|torque| torque.derivative[0])
        };
        let columns: Vec<[f64; N]> = (0..N).map(column).collect();
        (0..N * N).map(|k| columns[k % N][k / N]).collect()
    };
    match of {
        Of::Torque => ([q, qd, qdd].concat(), moving.torque(qdd).to_vec()),
        Of::Bias => ([q, qd].concat(), moving.torque([0.0; N]).to_vec()),
        Of::Coriolis => ([q, qd].concat(), moving.coriolis().to_vec()),
        Of::Gravity => (q.to_vec(), arm.pose_unchecked(q).gravity_torque().to_vec()),
        Of::Mass => (q.to_vec(), moving.pose.mass_matrix_walker_orin().concat()),
        // What the accelerations ask for.
        Of::Acceleration => ([q, qd, moving.torque(qdd)].concat(), moving.torque(qdd).to_vec()),
        Of::TorqueDerivatives => ([q, qd, qdd].concat(), (0..3).flat_map(derivatives).collect()),
        // Times the mass matrix: how well that is conditioned is the robot's affair.
        Of::AccelerationDerivatives => {
            let unit = (0..N * N).map(|k| f64::from(u8::from(k / N == k % N)));
            let rows = (0..2).flat_map(derivatives).map(|x| -x).chain(unit).collect();
            ([q, qd, moving.torque(qdd)].concat(), rows)
        }
        Of::Jacobian => {
            let entry = |k: usize, j: usize| moving.pose.jacobian()[j].components()[k];
            (q.to_vec(), (0..6 * N).map(|k| entry(k / N, k % N)).collect())
        }
        Of::Fk => {
            let tool = moving.pose.tool();
            (q.to_vec(), tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect())
        }
        _ => unreachable!("not tried"),
    }
}

/// The largest difference over the largest component that there is at any of the states, at least what the links weigh and, where they
/// move, their kinetic energy, whose derivatives velocity torques are: that is what cancels where a component is small.
fn error<const N: usize>(
    arm: &Serial<f64, N>,
    of: Of,
    program: &Program,
    parameters: &[f64],
    random: &mut Random,
) -> f64 {
    let weight = arm.parameters().links.iter().map(|link| link.body.mass).sum::<f64>() + arm.parameters().payload.mass;
    let (mut scale, mut worst) = (weight.max(1e-3), 0.0_f64);
    for _ in 0..6 {
        let state = [random.row(3.0), random.row(2.0), random.row(5.0)];
        let (inputs, expected) = expected(arm, of, state);
        if inputs.len() > N {
            scale = scale.max(2.0 * arm.pose_unchecked(state[0]).moving(state[1]).kinetic_energy());
        }
        let mut found = program.evaluate_with(parameters, &inputs);
        if of == Of::Acceleration {
            let qdd = std::array::from_fn(|i| found[i]);
            found = arm.pose_unchecked(state[0]).moving(state[1]).torque(qdd).to_vec();
        }
        if of == Of::AccelerationDerivatives {
            let mass = arm.pose_unchecked(state[0]).mass_matrix_walker_orin();
            let terms = |k: usize, m: usize| mass[k / N % N][m] * found[k / (N * N) * N * N + m * N + k % N];
            scale = (0..3 * N * N * N).map(|k| terms(k / N, k % N).abs()).fold(scale, f64::max);
            found = (0..3 * N * N).map(|k| (0..N).map(|m| terms(k, m)).sum()).collect();
        }
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            scale = scale.max(b.abs());
            worst = if a.is_finite() { worst.max((a - b).abs()) } else { f64::INFINITY };
        }
    }
    worst / scale
}

const ALL: [Of; 10] = [
    Of::Torque,
    Of::Bias,
    Of::Coriolis,
    Of::Gravity,
    Of::Mass,
    Of::Acceleration,
    Of::TorqueDerivatives,
    Of::AccelerationDerivatives,
    Of::Jacobian,
    Of::Fk,
];

/// An arm with its programs, one of them with symbols; the largest error.
fn try_one<const N: usize>(seed: u64) -> f64 {
    let random = &mut Random(seed);
    let parameters = arm::<N>(random);
    let arm = Serial::new(parameters);
    let effort = match seed / 8 % 12 {
        0 => Effort { plans: 30, shortlist: 2, finalists: 1, rounds: 1 },
        _ => Effort { rounds: (seed % 3) as usize, ..Effort::QUICK },
    };
    let mut worst = 0.0_f64;
    // Of large arms one after the other.
    let chosen: Vec<Of> = if N <= 4 { ALL.to_vec() } else { vec![ALL[(seed / 8 % 10) as usize]] };
    for of in chosen {
        let derived = |arm: &Serial<f64, N>, symbolic: bool| {
            let request = Request { symbolic, effort, ..Request::new("arm", of) };
            derive::serial(arm, &request, &mut |_| ())
                .unwrap_or_else(|error| panic!("seed {seed}, {N} joints, {of}, symbolic {symbolic}: {error}"))
                .program
        };
        let program = derived(&arm, false);
        worst = worst.max(error(&arm, of, &program, &[], random));
        if N > 5 || (N > 3 && !seed.is_multiple_of(5)) {
            continue;
        }
        // The same program for an arm whose numbers are zero, tiny or huge.
        let program = derived(&arm, true);
        for k in 0..3 {
            let mut changed = parameters;
            let factor = [0.0, 1e-9, 1e6][k];
            if matches!(of, Of::Acceleration | Of::AccelerationDerivatives) && k != 2 {
                continue; // an arm without inertia has no acceleration
            }
            changed.payload.mass *= factor;
            changed.links[N / 2].body.mass *= factor;
            changed.links[0].dh.a *= factor.min(10.0);
            changed.links[N - 1].body.center_of_mass = changed.links[N - 1].body.center_of_mass * factor.min(10.0);
            let other = Serial::new(changed);
            let names = derived(&other, true).parameters;
            let value = |name: &str| names.iter().find(|known| known.name == name).map_or(0.0, |known| known.value);
            let values: Vec<f64> = program.parameters.iter().map(|parameter| value(&parameter.name)).collect();
            worst = worst.max(error(&other, of, &program, &values, random));
        }
    }
    worst
}

/// The largest error of the programs of an arm.
pub fn try_seed(seed: u64) -> f64 {
    match seed % 8 {
        0 => try_one::<1>(seed),
        1 => try_one::<2>(seed),
        2 => try_one::<3>(seed),
        3 => try_one::<4>(seed),
        4 => try_one::<5>(seed),
        5 => try_one::<6>(seed),
        6 => try_one::<7>(seed),
        _ => try_one::<8>(seed),
    }
}

#[test]
fn random_arms_have_programs_that_equal_newton_and_euler() {
    let count = std::env::var("DALEMBERT_RANDOM_ARMS").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    for seed in 0..count {
        let error = try_seed(seed);
        assert!(error <= 1e-12, "seed {seed}: {error:e}");
    }
}
