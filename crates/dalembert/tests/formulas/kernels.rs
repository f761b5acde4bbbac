//! Every public kernel under every scalar.
//!
//! One list of kernels; each runs with `f64`, `f32`, `Lanes`, `Dual`, `Dual` of `Dual`, num-dual and `Count`. What must
//! hold, and how far a plausible bug would be off:
//!
//! * a lane has the bits of a single evaluation: any reordering or fusing would break equality;
//! * the value part of a dual number has those bits too; its derivatives agree with num-dual's (another
//!   implementation of the same rules) to rounding and with central differences to their own error; a wrong rule is
//!   off in the first digit;
//! * the operation counts are pinned by a snapshot, so that a formula that grows is noticed.

use dalembert::delta::models::asadi::Asadi;
use dalembert::delta::models::bortoff::Bortoff;
use dalembert::delta::symmetric::Symmetric;
use dalembert::delta::{Assembly, Branch, Delta, ModelName, Moving, Parameters, Pose};
use dalembert::{Count, DeltaRobot, Dual, Lanes, Mat3, Scalar, Tally, Vec3, robots};
use std::fmt::Write;

/// Position, velocity, acceleration (or torque) and force of a state.
const INPUTS: usize = 12;

/// A formula: robot parameters and inputs in, numbers out.
trait Kernel {
    const NAME: &'static str;
    fn run<S: Scalar>(parameters: &Parameters<S>, input: &[S; INPUTS]) -> Vec<S>;
}

fn group<S: Scalar>(input: &[S; INPUTS], k: usize) -> Vec3<S> {
    Vec3([input[3 * k], input[3 * k + 1], input[3 * k + 2]])
}

fn entries<S: Scalar>(m: Mat3<S>) -> Vec<S> {
    m.0.iter().flat_map(|row| row.0).collect()
}

/// A kernel that starts from a pose, given by the platform.
macro_rules! pose_kernel {
    ($type:ident, $name:literal, |$pose:ident| $body:expr) => {
        struct $type;
        impl Kernel for $type {
            const NAME: &'static str = $name;
            fn run<S: Scalar>(parameters: &Parameters<S>, input: &[S; INPUTS]) -> Vec<S> {
                let robot = Delta::new(*parameters);
                let $pose: Pose<'_, S> = robot.pose_unchecked(group(input, 0), Branch::Out);
                $body
            }
        }
    };
}

/// A kernel that starts from a moving robot; `$a` is the third input, `$f` the fourth.
macro_rules! moving_kernel {
    ($type:ident, $name:literal, |$moving:ident, $a:ident, $f:ident| $body:expr) => {
        struct $type;
        impl Kernel for $type {
            const NAME: &'static str = $name;
            #[allow(unused_variables)]
            fn run<S: Scalar>(parameters: &Parameters<S>, input: &[S; INPUTS]) -> Vec<S> {
                let robot = Delta::new(*parameters);
                let $moving: Moving<'_, S> = robot.pose_unchecked(group(input, 0), Branch::Out).moving(group(input, 1));
                let ($a, $f) = (group(input, 2), group(input, 3));
                $body
            }
        }
    };
}

/// One of the published models.
macro_rules! model_kernel {
    ($type:ident, $name:literal, $model:expr) => {
        moving_kernel!($type, $name, |moving, a, f| $model
            .build(moving.pose.robot.parameters())
            .as_model()
            .rigid_torque(&moving, a, f)
            .to_vec());
    };
}

/// A kernel of the fast path; the parameters belong to a symmetric robot.
macro_rules! symmetric_kernel {
    ($type:ident, $name:literal, |$robot:ident, $x:ident, $v:ident, $a:ident| $body:expr) => {
        struct $type;
        impl Kernel for $type {
            const NAME: &'static str = $name;
            #[allow(unused_variables)]
            fn run<S: Scalar>(parameters: &Parameters<S>, input: &[S; INPUTS]) -> Vec<S> {
                let $robot = Symmetric::new(parameters, true);
                let ($x, $v, $a) = (group(input, 0), group(input, 1), group(input, 2));
                $body
            }
        }
    };
}

pose_kernel!(Joints, "inverse kinematics: q", |pose| pose.joints().to_vec());
pose_kernel!(Elbows, "inverse kinematics: elbows, no angle", |pose| pose
    .arms
    .iter()
    .flat_map(|arm| [arm.sin_q, arm.cos_q, arm.transmission])
    .collect());
pose_kernel!(Jacobian, "jacobian", |pose| entries(pose.jacobian()));
pose_kernel!(InverseJacobian, "inverse jacobian", |pose| entries(pose.inverse_jacobian()));
pose_kernel!(Margins, "singularity margins", |pose| {
    let mut margins = pose.transmission_margins().to_vec();
    margins.push(pose.rod_determinant());
    margins
});
pose_kernel!(MassMatrix, "exact: mass matrix", |pose| entries(pose.mass_matrix()));
pose_kernel!(CartesianMassMatrix, "exact: cartesian mass matrix", |pose| entries(pose.cartesian_mass_matrix()));
pose_kernel!(GravityTorque, "exact: gravity torque", |pose| pose.gravity_torque().to_vec());
pose_kernel!(PotentialEnergy, "exact: potential energy", |pose| vec![pose.potential_energy()]);
pose_kernel!(NineAngles, "bortoff: nine angles", |pose| {
    let model = Bortoff::new(pose.robot.parameters());
    model.nine_angles(pose.position, pose.joints()).0.iter().flat_map(|phi| phi.0).collect()
});

struct ForwardKinematics;
impl Kernel for ForwardKinematics {
    const NAME: &'static str = "forward kinematics";
    fn run<S: Scalar>(parameters: &Parameters<S>, input: &[S; INPUTS]) -> Vec<S> {
        let robot = Delta::new(*parameters);
        // Joint angles around 0.4 rad, moved by the inputs.
        let q = group(input, 0).map(|x| x + S::from_f64(0.4));
        let (pose, margin) = robot.pose_from_joints_unchecked(q.0, Assembly::Below);
        let moving = pose.moving_joints(group(input, 1).0);
        let mut numbers = pose.position.0.to_vec();
        numbers.extend(moving.velocity.0);
        numbers.extend(moving.platform_acceleration(group(input, 2).0).0);
        numbers.push(margin);
        numbers
    }
}

moving_kernel!(JacobianRate, "jacobian rate", |moving, a, f| entries(moving.jacobian_rate()));
moving_kernel!(JointMotion, "joint velocity and acceleration", |moving, a, f| {
    let mut numbers = moving.joint_velocity().to_vec();
    numbers.extend(moving.joint_acceleration(a));
    numbers
});
moving_kernel!(Torque, "exact: torque with friction", |moving, a, f| moving.torque_under(a, f).to_vec());
moving_kernel!(RigidTorque, "exact: torque", |moving, a, f| moving.rigid_torque(a, f).to_vec());
moving_kernel!(Acceleration, "exact: acceleration", |moving, a, f| moving.acceleration_under(a.0, f).0.to_vec());
moving_kernel!(Coriolis, "exact: coriolis", |moving, a, f| moving.coriolis().to_vec());
moving_kernel!(CoriolisMatrix, "exact: coriolis matrix", |moving, a, f| entries(moving.coriolis_matrix()));
moving_kernel!(CartesianCoriolisMatrix, "exact: cartesian coriolis matrix", |moving, a, f| entries(
    moving.cartesian_coriolis_matrix()
));
moving_kernel!(KineticEnergy, "exact: kinetic energy", |moving, a, f| vec![moving.kinetic_energy()]);
moving_kernel!(Breakdown, "exact: breakdown", |moving, a, f| moving.breakdown(a, f).total().to_vec());
moving_kernel!(ForearmForces, "exact: forearm forces", |moving, a, f| moving
    .forearm_forces(a, f)
    .iter()
    .flat_map(|force| [force.tension_at_platform, force.tension_at_elbow])
    .collect());
moving_kernel!(StateSpace, "asadi: state space (43)", |moving, a, f| {
    let (drift, input) = Asadi::new(moving.pose.robot.parameters()).state_space(&moving, f);
    (drift + input * a).0.to_vec()
});
model_kernel!(AsadiTorque, "asadi", ModelName::Asadi);
model_kernel!(BortoffTorque, "bortoff", ModelName::Bortoff);
model_kernel!(CodoureyTorque, "codourey", ModelName::Codourey);
model_kernel!(CodoureySimplified, "codourey-simplified", ModelName::CodoureySimplified);
model_kernel!(FalezzaComplete, "falezza-complete", ModelName::FalezzaComplete);
model_kernel!(FalezzaCompletePrinted, "falezza-complete-printed", ModelName::FalezzaCompletePrinted);
model_kernel!(FalezzaSimplified, "falezza-simplified", ModelName::FalezzaSimplified);
model_kernel!(FalezzaSimplifiedPrinted, "falezza-simplified-printed", ModelName::FalezzaSimplifiedPrinted);
symmetric_kernel!(FastTorque, "symmetric: torque", |robot, x, v, a| robot.torque(x, v, a).to_vec());
symmetric_kernel!(FastAcceleration, "symmetric: acceleration", |robot, x, v, a| robot
    .acceleration(x, v, a.0)
    .0
    .to_vec());
symmetric_kernel!(FastMassMatrix, "symmetric: mass matrix", |robot, x, v, a| entries(robot.mass_matrix(x)));
symmetric_kernel!(FastGravity, "symmetric: gravity torque", |robot, x, v, a| robot.gravity_torque(x).to_vec());
symmetric_kernel!(FastGiven, "symmetric: torque, everything given", |robot, x, v, a| robot
    .torque_given(x, a, v.0.map(S::sin_cos), v.0, a.0)
    .to_vec());

/// Runs a check on every kernel: general ones on a robot without any symmetry, the fast path on a symmetric one.
macro_rules! every_kernel {
    ($check:ident) => {{
        let general = general_case();
        let symmetric = symmetric_case();
        every_kernel!(@list $check, general, [
            Joints, Elbows, Jacobian, InverseJacobian, Margins, MassMatrix, CartesianMassMatrix, GravityTorque,
            PotentialEnergy, NineAngles, ForwardKinematics, JacobianRate, JointMotion, Torque, RigidTorque,
            Acceleration, Coriolis, CoriolisMatrix, CartesianCoriolisMatrix, KineticEnergy, Breakdown, ForearmForces,
            StateSpace, AsadiTorque, BortoffTorque, CodoureyTorque, CodoureySimplified, FalezzaComplete,
            FalezzaCompletePrinted, FalezzaSimplified, FalezzaSimplifiedPrinted
        ]);
        every_kernel!(@list $check, symmetric, [FastTorque, FastAcceleration, FastMassMatrix, FastGravity, FastGiven]);
    }};
    (@list $check:ident, $case:ident, [$($kernel:ident),*]) => { $($check::<$kernel>(&$case);)* };
}

struct Case {
    robot: DeltaRobot,
    inputs: Vec<[f64; INPUTS]>,
}

fn inputs(depth: f64) -> Vec<[f64; INPUTS]> {
    let wave = |row: usize, k: f64| ((row as f64 + 1.0) * k).sin();
    (0..8)
        .map(|row| {
            std::array::from_fn(|i| {
                let scale = [0.06, 1.5, 30.0, 8.0][i / 3];
                let start = if i == 2 { depth } else { 0.0 };
                start + scale * wave(row, 0.7 + 0.37 * i as f64)
            })
        })
        .collect()
}

fn golden_robot(name: &str) -> DeltaRobot {
    let path = format!("{}/../../golden/robots/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    DeltaRobot::load(path).expect("golden robot")
}

fn general_case() -> Case {
    Case { robot: golden_robot("generic"), inputs: inputs(-0.85) }
}

fn symmetric_case() -> Case {
    Case { robot: robots::asadi().expect("built in"), inputs: inputs(-0.45) }
}

fn parameters(case: &Case) -> Parameters<f64> {
    *case.robot.delta.parameters()
}

#[test]
fn lanes_are_bit_equal() {
    fn check<K: Kernel>(case: &Case) {
        for chunk in case.inputs.chunks_exact(4) {
            let packed: [Lanes<4>; INPUTS] = std::array::from_fn(|i| Lanes(std::array::from_fn(|l| chunk[l][i])));
            let together = K::run(&parameters(case).lift(), &packed);
            for (lane, input) in chunk.iter().enumerate() {
                let alone = K::run(&parameters(case), input);
                for (i, (lanes, &single)) in together.iter().zip(&alone).enumerate() {
                    assert!(single.is_finite(), "{} output {i}", K::NAME);
                    assert_eq!(lanes.0[lane].to_bits(), single.to_bits(), "{} output {i}", K::NAME);
                }
            }
        }
    }
    every_kernel!(check);
}

#[test]
fn single_precision_follows() {
    fn check<K: Kernel>(case: &Case) {
        for input in &case.inputs {
            let exact = K::run(&parameters(case), input);
            let single = K::run(&parameters(case).lift(), &input.map(|x| x as f32));
            let scale = exact.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (a, b) in single.iter().zip(&exact) {
                // 1e-3: three digits of the seven are left for conditioning; a wrong constant would show.
                assert!((f64::from(*a) - b).abs() <= 1e-3 * scale, "{}: {a} for {b}", K::NAME);
            }
        }
    }
    every_kernel!(check);
}

/// One derivative at a time: the code for twelve at once takes minutes to compile.
type D = Dual<f64, 1>;

#[test]
fn dual_values_are_bit_equal_and_derivatives_are_right() {
    fn check<K: Kernel>(case: &Case) {
        let input = &case.inputs[1];
        let plain = K::run(&parameters(case), input);
        let size = plain.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut gradient_sum = vec![0.0; plain.len()];
        let mut gradient_size = vec![1e-30_f64; plain.len()];
        // Derivatives along each input: ours, num-dual's, and a central difference with its own error estimate.
        for i in 0..INPUTS {
            let seed = |k: usize| if k == i { 1.0 } else { 0.0 };
            let dual = K::run(
                &parameters(case).lift(),
                &std::array::from_fn(|k| D { value: input[k], derivative: [seed(k)] }),
            );
            let foreign = K::run(
                &parameters(case).lift(),
                &std::array::from_fn(|k| Foreign(num_dual::Dual64::new(input[k], seed(k)))),
            );
            let step = 1e-6 * (1.0 + input[i].abs());
            let at = |h: f64| {
                let mut moved = *input;
                moved[i] += h;
                K::run(&parameters(case), &moved)
            };
            let (plus, minus, plus2, minus2) = (at(step), at(-step), at(2.0 * step), at(-2.0 * step));
            let scale = dual.iter().fold(0.0_f64, |m, d| m.max(d.derivative[0].abs()));
            for k in 0..plain.len() {
                assert_eq!(dual[k].value.to_bits(), plain[k].to_bits(), "{} value {k}", K::NAME);
                let (ours, theirs) = (dual[k].derivative[0], foreign[k].0.eps);
                assert!(
                    (ours - theirs).abs() <= 1e-12 * scale,
                    "{} d{k}/d{i}: {ours} against num-dual {theirs}",
                    K::NAME
                );
                // Fourth-order difference: truncation ~ step⁴, rounding ~ ε·|value|/step.
                let difference = (8.0 * (plus[k] - minus[k]) - (plus2[k] - minus2[k])) / (12.0 * step);
                assert!(
                    (ours - difference).abs() <= 1e-8 * scale + 1e-14 * size / step,
                    "{} d{k}/d{i}: {ours} against difference {difference}",
                    K::NAME
                );
                gradient_sum[k] += ours;
                gradient_size[k] = gradient_size[k].max(ours.abs());
            }
        }
        // Nested: along (1, 1, …, 1) twice; the first derivative is the sum of the gradient, the second a difference
        // of first derivatives.
        let along = |h: f64| K::run(&parameters(case).lift(), &input.map(|x| D { value: x + h, derivative: [1.0] }));
        let nested: Vec<Dual<D, 1>> = K::run(
            &parameters(case).lift(),
            &input.map(|x| Dual { value: D { value: x, derivative: [1.0] }, derivative: [D::constant(1.0)] }),
        );
        let step = 1e-5;
        let (plus, minus) = (along(step), along(-step));
        let scale = nested.iter().fold(0.0_f64, |m, d| m.max(d.derivative[0].derivative[0].abs()));
        for (k, value) in nested.iter().enumerate() {
            assert_eq!(value.value.value.to_bits(), plain[k].to_bits(), "{} nested value {k}", K::NAME);
            let first = value.derivative[0].value;
            assert!((first - gradient_sum[k]).abs() <= 1e-11 * gradient_size[k], "{} nested {k}", K::NAME);
            let second = value.derivative[0].derivative[0];
            let difference = (plus[k].derivative[0] - minus[k].derivative[0]) / (2.0 * step);
            // Truncation ~ step²; rounding ~ ε·|first|/step.
            assert!(
                (second - difference).abs() <= 1e-6 * scale + 1e-10 * gradient_size[k],
                "{} second derivative {k}: {second} against difference {difference}",
                K::NAME
            );
        }
    }
    every_kernel!(check);
}

#[test]
fn operation_counts_are_pinned() {
    fn count<K: Kernel>(parameters: &Parameters<f64>, input: &[f64; INPUTS]) -> dalembert::Operations {
        let tally = Tally::new();
        let variables: [Count<'_>; INPUTS] = std::array::from_fn(|i| tally.variable(input[i]));
        K::run(&parameters.lift(), &variables);
        tally.operations()
    }
    let mut table = String::new();
    macro_rules! report {
        ($parameters:expr, $($kernel:ident),*) => {$(
            let _ = writeln!(table, "{:36} {}", $kernel::NAME, count::<$kernel>($parameters, &general_case().inputs[0]));
        )*};
    }
    let generic = parameters(&general_case());
    let _ = writeln!(table, "# generic robot: nothing is equal, zero or one");
    report!(
        &generic,
        Joints,
        Elbows,
        Jacobian,
        InverseJacobian,
        Margins,
        MassMatrix,
        CartesianMassMatrix,
        GravityTorque,
        PotentialEnergy,
        NineAngles,
        ForwardKinematics,
        JacobianRate,
        JointMotion,
        Torque,
        RigidTorque,
        Acceleration,
        Coriolis,
        CoriolisMatrix,
        CartesianCoriolisMatrix,
        KineticEnergy,
        Breakdown,
        ForearmForces,
        StateSpace,
        AsadiTorque,
        BortoffTorque,
        CodoureyTorque,
        CodoureySimplified,
        FalezzaComplete,
        FalezzaCompletePrinted,
        FalezzaSimplified,
        FalezzaSimplifiedPrinted
    );
    let d3 = *robots::d3_1200().expect("built in").delta.parameters();
    let _ = writeln!(
        table,
        "# d3-1200: symmetric azimuths, constants folded, no rotor or payload (rigid torque: with a force)"
    );
    report!(
        &d3,
        RigidTorque,
        Acceleration,
        MassMatrix,
        GravityTorque,
        AsadiTorque,
        BortoffTorque,
        CodoureyTorque,
        CodoureySimplified,
        FalezzaComplete,
        FalezzaCompletePrinted,
        FalezzaSimplified,
        FalezzaSimplifiedPrinted,
        FastTorque,
        FastAcceleration,
        FastMassMatrix,
        FastGravity,
        FastGiven
    );
    insta::assert_snapshot!(table);
}

/// num-dual's dual number as a scalar of ours: the independent oracle for `Dual`.
#[derive(Clone, Copy, Debug)]
struct Foreign(num_dual::Dual64);

mod foreign {
    use super::Foreign;
    use dalembert::Scalar;
    use num_dual::{Dual64, DualNum};
    use std::ops::{Add, Div, Mul, Neg, Sub};

    macro_rules! operator {
        ($trait:ident, $method:ident, $op:tt) => {
            impl $trait for Foreign {
                type Output = Self;
                fn $method(self, other: Self) -> Self {
                    Self(self.0 $op other.0)
                }
            }
        };
    }
    operator!(Add, add, +);
    operator!(Sub, sub, -);
    operator!(Mul, mul, *);
    operator!(Div, div, /);

    impl Neg for Foreign {
        type Output = Self;
        fn neg(self) -> Self {
            Self(-self.0)
        }
    }

    impl Scalar for Foreign {
        fn from_f64(value: f64) -> Self {
            Self(Dual64::from_re(value))
        }
        fn sin_cos(self) -> (Self, Self) {
            let (sin, cos) = DualNum::sin_cos(&self.0);
            (Self(sin), Self(cos))
        }
        fn sqrt(self) -> Self {
            Self(DualNum::sqrt(&self.0))
        }
        fn atan2(self, x: Self) -> Self {
            Self(DualNum::atan2(&self.0, x.0))
        }
        fn tanh(self) -> Self {
            Self(DualNum::tanh(&self.0))
        }
        fn exp(self) -> Self {
            Self(DualNum::exp(&self.0))
        }
        fn select_lt(self, limit: Self, then: Self, otherwise: Self) -> Self {
            if self.0.re < limit.0.re { then } else { otherwise }
        }
    }
}
