//! Robots, states and what the library says of them: what every printed program is compared with.

use dalembert::delta::{Assembly, Branch, Delta, KinematicsError};
use dalembert::serial::{Armature, Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};
use dalembert::spatial::Frame;
use dalembert::{Angle, Dual, Mat3, Sym3, Vec3, friction::Friction, robots};
use dalembert_proptest as strategies;
use dalembert_symbolic::Effort;
use dalembert_symbolic::derive::{self, Of, Request};
use dalembert_symbolic::program::Program;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::LazyLock;

/// A program with states and what has to come out.
#[derive(Clone)]
pub struct Case {
    pub program: Program,
    pub rows: Vec<(Vec<f64>, Vec<f64>)>,
    /// Inputs that must be refused.
    pub refused: Vec<Vec<f64>>,
}

/// Numbers that are the same in every run (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.signed() < 2.0 * share - 1.0
    }
}

/// An arm without any structure, or (`tidy`) with quarter turns and zeros as real ones have.
pub fn arm<const N: usize>(seed: u64, tidy: bool) -> Serial<f64, N> {
    let mut random = Random(seed);
    let r = &mut random;
    let body = |r: &mut Random| {
        // A rotated diagonal tensor whose entries obey the triangle inequality.
        let [a, b, c] = [0, 1, 2].map(|_| 0.02 + 0.02 * r.signed().abs());
        let turn = Angle::from_radians(r.signed());
        let inertia = Sym3::new([a, b, c, 0.0, 0.0, 0.0]);
        let inertia =
            if tidy { inertia } else { inertia.turned_about_z((turn.sin, turn.cos)).turned_about_x((0.6, 0.8)) };
        Body { mass: 1.0 + r.signed().abs(), center_of_mass: Vec3([0, 1, 2].map(|_| 0.1 * r.signed())), inertia }
    };
    let links = std::array::from_fn(|i| {
        let angle = |r: &mut Random| match tidy {
            true => Angle::from_radians(FRAC_PI_2 * (2.0 * r.signed()).round()),
            false => Angle::from_radians(PI * r.signed()),
        };
        let length = |r: &mut Random| if tidy && r.chance(0.5) { 0.0 } else { 0.3 * r.signed() };
        let friction = Friction { viscous: 0.3, coulomb: 0.5, static_friction: 0.7, ..Friction::NONE };
        LinkParameters {
            coupling: None,
            joint: if r.chance(0.25) { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow { alpha: angle(r), a: length(r), d: length(r), theta_offset: angle(r) },
            body: body(r),
            motor_inertia: 0.1 + 0.1 * r.signed().abs(),
            gear_ratio: 50.0,
            friction: r.chance(0.3).then_some(friction),
            spring: None,
            armature: (i > 0 && r.chance(0.2)).then_some(Armature { carrier: i, axis: Vec3([0.0, 0.6, 0.8]) }),
        }
    });
    let turn = Angle::from_radians(0.4);
    let rotation = Mat3([Vec3([turn.cos, -turn.sin, 0.0]), Vec3([turn.sin, turn.cos, 0.0]), Vec3([0.0, 0.0, 1.0])]);
    let payload = if r.chance(0.5) { body(r) } else { Body::zero() };
    let convention = if seed.is_multiple_of(2) { DhConvention::Modified } else { DhConvention::Standard };
    Serial::try_new(SerialParameters {
        convention,
        base: None,
        gravity: Vec3([0.0, if tidy { 0.0 } else { 1.0 }, -9.81]),
        links,
        tool: Frame { rotation, origin: Vec3([0.05, 0.0, 0.1]) },
        payload,
    })
    .expect("an arm that can be")
}

const ROWS: usize = 12;

/// All that a Delta robot has.
pub const DELTA: [Of; 9] =
    [Of::Torque, Of::TorqueCartesian, Of::Mass, Of::Gravity, Of::Coriolis, Of::Bias, Of::Acceleration, Of::Fk, Of::Ik];

/// The programs of an arm.
pub fn serial<const N: usize>(name: &str, arm: &Serial<f64, N>, all: &[Of], symbolic: bool, cases: &mut Vec<Case>) {
    for &of in all {
        let request = Request { symbolic, effort: Effort { rounds: 0, ..Effort::QUICK }, ..Request::new(name, of) };
        let program =
            derive::serial(arm, &request, &mut |_| ()).unwrap_or_else(|error| panic!("{name}: {error}")).program;
        let mut random = Random(17);
        let row = |scale: f64, random: &mut Random| -> [f64; N] { std::array::from_fn(|_| scale * random.signed()) };
        let rows = (0..ROWS)
            .map(|_| {
                let (q, qd, qdd) = (row(3.0, &mut random), row(2.0, &mut random), row(5.0, &mut random));
                let moving = arm.at_joints(q).expect("finite").moving(qd);
                let tau = moving.torque(qdd);
                let tool = moving.pose.tool();
                match of {
                    Of::Torque => ([q, qd, qdd].concat(), tau.to_vec()),
                    Of::Acceleration => ([q, qd, tau].concat(), qdd.to_vec()),
                    Of::Coriolis => ([q, qd].concat(), moving.coriolis().to_vec()),
                    Of::Bias => ([q, qd].concat(), moving.torque([0.0; N]).to_vec()),
                    Of::Mass => (q.to_vec(), moving.pose.mass_matrix_walker_orin().concat()),
                    Of::Gravity => {
                        // Newton–Euler at rest.
                        let still = arm.at_joints(q).expect("finite").moving([0.0; N]);
                        (q.to_vec(), still.torque([0.0; N]).to_vec())
                    }
                    Of::TorqueDerivatives => {
                        let column = |row: usize, j: usize| {
                            let lifted = Serial::<Dual<f64, 1>, N>::new(arm.parameters().lift());
                            let mut rows = [q, qd, qdd].map(|row| row.map(Dual::constant));
                            rows[row][j].derivative = [1.0];
                            let [q, qd, qdd] = rows;
                            lifted.pose_unchecked(q).moving(qd).torque(qdd).map(|torque| torque.derivative[0])
                        };
                        let matrix = |row: usize| (0..N * N).map(move |k| column(row, k % N)[k / N]);
                        ([q, qd, qdd].concat(), (0..3).flat_map(matrix).collect())
                    }
                    Of::AccelerationDerivatives => {
                        // Articulated bodies.
                        let column = |row: usize, j: usize| {
                            let lifted = Serial::<Dual<f64, 1>, N>::new(arm.parameters().lift());
                            let mut rows = [q, qd, tau].map(|row| row.map(Dual::constant));
                            rows[row][j].derivative = [1.0];
                            let [q, qd, tau] = rows;
                            lifted.pose_unchecked(q).moving(qd).acceleration(tau).map(|qdd| qdd.derivative[0])
                        };
                        let matrix = |row: usize| (0..N * N).map(move |k| column(row, k % N)[k / N]);
                        ([q, qd, tau].concat(), (0..3).flat_map(matrix).collect())
                    }
                    Of::Jacobian => {
                        let entry = |k: usize, j: usize| moving.pose.jacobian()[j].components()[k];
                        (q.to_vec(), (0..6).flat_map(|k| (0..N).map(move |j| entry(k, j))).collect())
                    }
                    _ => (
                        q.to_vec(),
                        tool.origin.0.into_iter().chain(tool.rotation.0.into_iter().flat_map(|row| row.0)).collect(),
                    ),
                }
            })
            .collect();
        cases.push(Case { program, rows, refused: Vec::new() });
    }
}

/// The programs of a Delta robot.
pub fn delta(name: &str, robot: &Delta<f64>, all: &[Of], symbolic: bool, cases: &mut Vec<Case>) {
    let mut runner = TestRunner::deterministic();
    let mut states = Vec::new();
    while states.len() < ROWS {
        let seed = strategies::states().new_tree(&mut runner).expect("a state").current();
        states.extend(seed.of(robot));
    }
    for &of in all {
        let request = Request { symbolic, effort: Effort { rounds: 0, ..Effort::QUICK }, ..Request::new(name, of) };
        let program = derive::delta(robot, &request).unwrap_or_else(|error| panic!("{name}: {error}")).program;
        let rows = states
            .iter()
            .map(|state| {
                let pose = robot.at_position(state.position, Branch::Out).expect("reachable");
                let moving = pose.moving(state.velocity);
                let (q, qd) = (pose.joints(), moving.joint_velocity());
                let (x, v, a) = (state.position, state.velocity, state.acceleration);
                let (qdd, tau) = (moving.joint_acceleration(a), moving.torque(a));
                let join = |rows: &[Vec3<f64>]| rows.iter().flat_map(|row| row.0).collect::<Vec<f64>>();
                match of {
                    Of::Torque => (join(&[Vec3(q), Vec3(qd), Vec3(qdd)]), join(&[Vec3(tau)])),
                    Of::TorqueCartesian => (join(&[x, v, a]), join(&[Vec3(tau)])),
                    Of::Acceleration => (join(&[Vec3(q), Vec3(qd), Vec3(tau)]), join(&[Vec3(qdd)])),
                    Of::Coriolis => (join(&[Vec3(q), Vec3(qd)]), join(&[Vec3(moving.coriolis())])),
                    Of::Bias => {
                        let still = moving.platform_acceleration([0.0; 3]);
                        (join(&[Vec3(q), Vec3(qd)]), join(&[Vec3(moving.torque(still))]))
                    }
                    Of::Mass => (join(&[Vec3(q)]), join(&pose.mass_matrix().0)),
                    Of::Gravity => (join(&[Vec3(q)]), join(&[Vec3(pose.gravity_torque())])),
                    Of::Fk => (join(&[Vec3(q)]), join(&[x])),
                    Of::Ik => (join(&[x]), join(&[Vec3(q)])),
                    _ => unreachable!("compared in `families`"),
                }
            })
            .collect();
        let far = match of {
            Of::Ik | Of::TorqueCartesian => vec![9.0, 0.0, -9.0],
            // One arm up, two down, as far apart as they go.
            _ => vec![-FRAC_PI_2, FRAC_PI_2, FRAC_PI_2],
        };
        let impossible = match of {
            Of::Ik | Of::TorqueCartesian => true,
            _ => match robot.at_joints([far[0], far[1], far[2]], Assembly::Below) {
                Err(KinematicsError::NoAssembly { .. }) => true,
                // A singular pose has a position all the same.
                Err(_) => of != Of::Fk,
                Ok(_) => false,
            },
        };
        let count: usize = program.inputs.iter().map(|quantity| quantity.length).sum();
        let refused = impossible.then(|| far.into_iter().chain([0.0; 6]).take(count).collect());
        cases.push(Case { program, rows, refused: refused.into_iter().collect() });
    }
}

/// What is printed and run: the built-in robots whole, random arms with 2 to 7 joints, a random Delta. Derived once for all tests.
pub fn all_cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(derived_cases);
    &CASES
}

/// The same, derived anew.
pub fn derived_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let arms = [Of::Torque, Of::Mass, Of::Gravity];
    let whole = [
        Of::Torque,
        Of::Mass,
        Of::Gravity,
        Of::Coriolis,
        Of::Bias,
        Of::Acceleration,
        Of::TorqueDerivatives,
        Of::AccelerationDerivatives,
        Of::Jacobian,
        Of::Fk,
    ];
    let puma = robots::puma560().expect("built in").arm.arm::<6>().expect("six joints");
    serial("puma560", &puma, &whole, false, &mut cases);
    serial("puma560-symbolic", &puma, &arms, true, &mut cases);
    serial("two", &arm::<2>(2, false), &whole, false, &mut cases);
    serial("two-standard", &arm::<2>(3, false), &arms, true, &mut cases);
    serial("three", &arm::<3>(5, true), &arms, false, &mut cases);
    serial("four", &arm::<4>(6, true), &whole, false, &mut cases);
    serial("five", &arm::<5>(7, false), &arms, false, &mut cases);
    serial("six", &arm::<6>(8, true), &arms, true, &mut cases);
    serial("seven", &arm::<7>(9, true), &whole, false, &mut cases);
    serial("seven-full", &arm::<7>(10, false), &arms, false, &mut cases);
    for robot in [robots::asadi().expect("built in"), robots::d3_1200().expect("built in")] {
        delta(&robot.name, &robot.delta, &DELTA, false, &mut cases);
        delta(&format!("{}-symbolic", robot.name), &robot.delta, &[Of::TorqueCartesian, Of::Ik], true, &mut cases);
    }
    let mut runner = TestRunner::deterministic();
    let robot = strategies::robots().new_tree(&mut runner).expect("a robot").current();
    delta("lopsided", &robot, &DELTA, false, &mut cases);
    let mut parameters = *robot.parameters();
    for (i, arm) in parameters.arms.iter_mut().enumerate() {
        let coulomb = 0.3 * i as f64;
        arm.motor.friction = Some(Friction { viscous: 0.2, coulomb, static_friction: 0.5, ..Friction::NONE });
        arm.passive_damping = Some(0.01);
    }
    let rubbing = Delta::try_new(parameters).expect("a robot that can be");
    delta("rubbing", &rubbing, &[Of::Torque, Of::TorqueCartesian, Of::Acceleration], false, &mut cases);
    delta("rubbing-symbolic", &rubbing, &[Of::TorqueCartesian, Of::Acceleration], true, &mut cases);
    cases.push(crate::law::case());
    cases
}

/// The largest difference over the largest component.
pub fn error(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let difference = found
        .iter()
        .zip(expected)
        .fold(0.0_f64, |most, (a, b)| if a.is_nan() { f64::NAN } else { most.max((a - b).abs()) });
    if difference == 0.0 { 0.0 } else { difference / scale }
}
