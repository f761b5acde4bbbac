//! The fourth axis against a second derivation: Lagrange's equation by nested dual numbers of the energies in (X, c). The shaft's
//! angular velocity is there the derivative of its rotation matrix, with the pins of both joints as its columns.

use super::pick_and_place::{asadi, d3_1200 as d3};
use dalembert_core::delta::{Assembly, Branch, Delta, DeltaModel, models::Exact};
use dalembert_core::dynamics::{Dynamics, Reference, State};
use dalembert_core::friction::Friction;
use dalembert_core::spatial::{Frame, Twist, Wrench};
use dalembert_core::turning::{AxisMotor, AxisState, FourthAxis, Shaft, ShaftBody, Turning, TurningLoad};
use dalembert_core::{Dual, Lanes, Mat3, Scalar, Tally, Vec3};

/// Numbers between two others, the same in every run.
struct Random(u64);

impl Random {
    fn between(&mut self, least: f64, most: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (most - least) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn vector(&mut self, most: f64) -> Vec3<f64> {
        Vec3::from_fn(|_| self.between(-most, most))
    }
    fn body(&mut self) -> ShaftBody<f64> {
        let inertia = self.between(1e-3, 2e-2);
        ShaftBody {
            mass: self.between(0.1, 1.0),
            center_of_mass: self.between(-0.05, 0.4),
            inertia,
            axial_inertia: self.between(0.0, 2.0) * inertia,
        }
    }
    fn axis(&mut self, with_shaft: bool) -> FourthAxis<f64> {
        let carried =
            |random: &mut Self| TurningLoad { center_of_mass: random.vector(0.1), inertia: random.between(1e-4, 1e-2) };
        let shaft = Shaft {
            base_joint: self.vector(0.2),
            platform_joint: self.between(-0.05, 0.1),
            tube: self.body(),
            rod: self.body(),
        };
        FourthAxis {
            shaft: with_shaft.then_some(shaft),
            motor: AxisMotor {
                rotor_inertia: self.between(0.0, 1e-4),
                gear_ratio: self.between(-10.0, 10.0),
                friction: None,
                mass: if with_shaft { 0.0 } else { self.between(0.1, 1.0) },
            },
            tool_mass: self.between(0.1, 1.0),
            tool: carried(self),
            payload: carried(self),
        }
    }
    /// Position, velocity and acceleration of the platform; angle, rate and acceleration of the tool.
    fn motion(&mut self, height: f64) -> ([Vec3<f64>; 3], [f64; 3]) {
        let x = self.vector(0.15) + Vec3::new(0.0, 0.0, height);
        let motion = [x, self.vector(3.0), self.vector(50.0)];
        (motion, [self.between(-7.0, 7.0), self.between(-20.0, 20.0), self.between(-200.0, 200.0)])
    }
}

/// u, the shaft's pin and its third axis as columns, at (X, c).
fn shaft_frame<S: Scalar>(shaft: &Shaft<S>, x: [S; 4]) -> (Mat3<S>, S) {
    let (sin, cos) = x[3].sin_cos();
    let r = Vec3::new(x[0], x[1], x[2] + shaft.platform_joint) - shaft.base_joint;
    let length = r.norm_squared().sqrt();
    let u = r * (S::one() / length);
    let n = u.cross(Vec3::new(cos, sin, S::zero()));
    let b = n * (S::one() / n.norm_squared().sqrt());
    (Mat3::from_columns([b, u.cross(b), u]), length)
}

/// Points with their masses, and the shaft's rotation.
struct Bodies<S> {
    points: Vec<(S, Vec3<S>)>,
    shaft: Option<Mat3<S>>,
}

fn bodies<S: Scalar>(axis: &FourthAxis<S>, payload: S, x: [S; 4]) -> Bodies<S> {
    let (sin, cos) = x[3].sin_cos();
    let center = Vec3::new(x[0], x[1], x[2]);
    let turned = |Vec3([a, b, c]): Vec3<S>| center + Vec3::new(cos * a - sin * b, sin * a + cos * b, c);
    let mut points = vec![
        (axis.motor.mass, center),
        (axis.tool_mass, turned(axis.tool.center_of_mass)),
        (payload, turned(axis.payload.center_of_mass)),
    ];
    let shaft = axis.shaft.map(|shaft| {
        let (frame, length) = shaft_frame(&shaft, x);
        let u = frame.transpose()[2];
        points.push((shaft.tube.mass, shaft.base_joint + u * shaft.tube.center_of_mass));
        points.push((shaft.rod.mass, shaft.base_joint + u * (length - shaft.rod.center_of_mass)));
        frame
    });
    Bodies { points, shaft }
}

fn kinetic<S: Scalar>(axis: &FourthAxis<f64>, payload: f64, x: [S; 4], v: [S; 4]) -> S {
    type Along<S> = Dual<S, 1>;
    let lift = |value: f64| S::from_f64(value);
    let lifted: FourthAxis<Along<S>> = axis.map(|value| Along::constant(lift(value)));
    let along: [Along<S>; 4] = std::array::from_fn(|i| Along { value: x[i], derivative: [v[i]] });
    let Bodies { points, shaft } = bodies(&lifted, Along::constant(lift(payload)), along);
    let mut twice = S::zero();
    for (mass, point) in points {
        twice = twice + mass.value * point.map(|p| p.derivative[0]).norm_squared();
    }
    let spinning = axis.tool.inertia
        + axis.payload.inertia
        + axis.motor.rotor_inertia * axis.motor.gear_ratio * axis.motor.gear_ratio;
    twice = twice + lift(spinning) * v[3].square();
    if let (Some(frame), Some(shaft)) = (shaft, axis.shaft) {
        let (rate, at) = (frame.map(|p| p.derivative[0]), frame.map(|p| p.value));
        let skew = rate.product(at.transpose());
        let omega = Vec3::new(skew[2][1], skew[0][2], skew[1][0]);
        let about = omega.dot(at.transpose()[2]);
        let (j, i) = (shaft.tube.inertia + shaft.rod.inertia, shaft.tube.axial_inertia + shaft.rod.axial_inertia);
        twice = twice + lift(j) * omega.norm_squared() + lift(i - j) * about.square();
    }
    twice.times(0.5)
}

fn potential<S: Scalar>(axis: &FourthAxis<f64>, payload: f64, gravity: Vec3<f64>, x: [S; 4]) -> S {
    let points = bodies(&axis.map(S::from_f64), S::from_f64(payload), x).points;
    points.into_iter().fold(S::zero(), |sum, (mass, point)| sum - mass * gravity.map(S::from_f64).dot(point))
}

/// d/dt ∂T/∂v − ∂T/∂x + ∂V/∂x.
fn lagrange(
    axis: &FourthAxis<f64>,
    payload: f64,
    gravity: Vec3<f64>,
    ([x, v, a], [c, cd, cdd]): ([Vec3<f64>; 3], [f64; 3]),
) -> [f64; 4] {
    type Time = Dual<f64, 1>;
    let four = |v: Vec3<f64>, c: f64| [v[0], v[1], v[2], c];
    let (x, v, a) = (four(x, c), four(v, cd), four(a, cdd));
    let time = |value: [f64; 4], rate: [f64; 4]| -> [Time; 4] {
        std::array::from_fn(|i| Dual { value: value[i], derivative: [rate[i]] })
    };
    let momentum = kinetic::<Dual<Time, 4>>(axis, payload, time(x, v).map(Dual::constant), Dual::variables(time(v, a)));
    let moved: [Dual<f64, 4>; 4] = Dual::variables(x);
    let slope = kinetic(axis, payload, moved, v.map(Dual::constant)) - potential(axis, payload, gravity, moved);
    std::array::from_fn(|k| momentum.derivative[k].derivative[0] - slope.derivative[k])
}

fn close(a: f64, b: f64, scale: f64, what: &str) {
    assert!((a - b).abs() <= scale, "{what}: {a} and {b} differ by {:e}, more than {scale:e}", (a - b).abs());
}

fn composed(
    parameters: dalembert_core::delta::Parameters<f64>,
    axis: FourthAxis<f64>,
) -> Turning<DeltaModel<f64, Exact>, f64> {
    let robot = Delta::try_new(parameters).unwrap();
    Turning {
        robot: DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out },
        axis,
        payload: parameters.payload_mass,
        gravity: parameters.gravity,
    }
}

#[test]
fn the_axis_is_that_of_lagrange() {
    let mut random = Random(1);
    for run in 0..300 {
        let axis = random.axis(run % 3 != 0);
        assert_eq!(axis.check(), Ok(()));
        let (payload, gravity) = (random.between(0.0, 2.0), random.vector(10.0));
        let motion = random.motion(-0.8);
        let ([x, v, a], [c, cd, cdd]) = motion;
        let state = AxisState::new(&axis, payload, [x, v], [c, cd]);
        let mut asked = state.asked(a, cdd, gravity);
        // The payload as a point at the platform's centre is the robot's.
        asked.force = asked.force + (a - gravity) * payload;
        let expected = lagrange(&axis, payload, gravity, motion);
        // Sums of about thirty terms, each up to the largest of them.
        let scale = 1e-13 * expected.iter().fold(100.0, |most: f64, x| most.max(x.abs()));
        (0..3).for_each(|k| close(asked.force[k], expected[k], scale, "force"));
        close(asked.torque, expected[3], scale, "torque");
    }
}

#[test]
fn the_joint_at_the_tool_undoes_that_at_the_motor() {
    let mut random = Random(2);
    for _ in 0..100 {
        let axis = random.axis(true);
        let ([x, ..], [c, ..]) = random.motion(-0.8);
        let frame = shaft_frame(&axis.shaft.unwrap(), [x[0], x[1], x[2], c]).0.transpose();
        // The tool's pin is perpendicular to the shaft's pin and to the tool's axis.
        let pin = Vec3::new(0.0, 0.0, 1.0).cross(frame[0]);
        let sine = pin[1] * c.cos() - pin[0] * c.sin();
        close(sine, 0.0, 1e-15, "angle between the pins of motor and tool");
    }
}

#[test]
fn limits_that_are_known() {
    let mut random = Random(3);
    for _ in 0..50 {
        let mut axis = random.axis(true);
        let (_, [c, cd, _]) = random.motion(-0.8);
        // Vertical: the shaft spins as the motor does; u points down.
        let b = axis.shaft.unwrap().base_joint;
        let below = Vec3::new(b[0], b[1], -0.9);
        let [length, cosine, spin] = AxisState::new(&axis, 0.0, [below, Vec3::zero()], [c, cd]).shaft().unwrap();
        close(length, b[2] + 0.9 - axis.shaft.unwrap().platform_joint, 1e-15, "length");
        close(cosine, 1.0, 1e-15, "bend");
        close(spin, -cd, 1e-14 * cd.abs(), "spin");
        // Bent by β, at rest: the textbook's ω₂ = ω₁ cos β/(1 − sin²β cos²γ), γ from the plane of the bend.
        let (beta, plane) = (random.between(0.0, 1.2), random.between(0.0, 6.0));
        let shaft = axis.shaft.as_mut().unwrap();
        (shaft.base_joint, shaft.platform_joint) = (Vec3::zero(), 0.0);
        let r = Vec3::new(beta.sin() * plane.cos(), beta.sin() * plane.sin(), -beta.cos());
        let [_, cosine, spin] = AxisState::new(&axis, 0.0, [r, Vec3::zero()], [c, cd]).shaft().unwrap();
        close(cosine, beta.cos(), 1e-15, "bend");
        let textbook = -cd * beta.cos() / (1.0 - (beta.sin() * (c - plane).cos()).powi(2));
        close(spin, textbook, 1e-13 * textbook.abs(), "spin of a bent shaft");
    }
}

#[test]
fn without_masses_it_is_the_robot_alone() {
    let none = ShaftBody { mass: 0.0, center_of_mass: 0.1, inertia: 0.0, axial_inertia: 0.0 };
    let carried = TurningLoad { center_of_mass: Vec3([0.0; 3]), inertia: 2e-3 };
    let mut axis = Random(4).axis(true);
    axis.shaft = axis.shaft.map(|shaft| Shaft { tube: none, rod: none, ..shaft });
    (axis.tool_mass, axis.tool, axis.motor.rotor_inertia) = (0.0, carried, 0.0);
    axis.payload = TurningLoad { center_of_mass: Vec3([0.0; 3]), inertia: 0.0 };
    let parameters = dalembert_core::delta::Parameters { payload_mass: 1.5, ..d3() };
    let whole = composed(parameters, axis);
    let alone = DeltaModel { robot: whole.robot.robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
    let (q, qd, qdd) = ([0.2, -0.1, 0.4], [1.0, 2.0, -1.0], [10.0, -20.0, 5.0]);
    let state = whole.at_joints([0.2, -0.1, 0.4, 3.0], [1.0, 2.0, -1.0, 5.0]);
    let [a, b, c, d] = state.rigid_torque([10.0, -20.0, 5.0, 100.0]);
    assert_eq!([a, b, c], alone.at_joints(q, qd).rigid_torque(qdd));
    close(d, 0.2, 1e-16, "torque of the tool's inertia");
    // A tool on its axis weighs what a payload weighs.
    let heavy = FourthAxis { tool_mass: 0.5, ..axis };
    let (whole, more) =
        (composed(parameters, heavy), dalembert_core::delta::Parameters { payload_mass: 2.0, ..parameters });
    let robot = Delta::try_new(more).unwrap();
    let alone = DeltaModel { robot, model: Exact, assembly: Assembly::Below, branch: Branch::Out };
    let torque = whole.at_joints([0.2, -0.1, 0.4, 3.0], [1.0, 2.0, -1.0, 5.0]).rigid_torque([10.0, -20.0, 5.0, 100.0]);
    let expected = alone.at_joints(q, qd).rigid_torque(qdd);
    (0..3).for_each(|i| close(torque[i], expected[i], 1e-13 * expected[i].abs(), "torque"));
}

fn random_robot(random: &mut Random, run: usize) -> (Turning<DeltaModel<f64, Exact>, f64>, f64) {
    let (mut parameters, height) = if run.is_multiple_of(2) { (d3(), -0.8) } else { (asadi(), -0.45) };
    for arm in &mut parameters.arms {
        arm.upper_arm.mass *= random.between(0.5, 2.0);
        arm.forearm.inertia *= random.between(0.5, 2.0);
        arm.motor.friction = Some(Friction { viscous: 0.1, coulomb: 0.2, static_friction: 0.2, ..Friction::NONE });
    }
    parameters.payload_mass = random.between(0.0, 2.0);
    parameters.gravity = random.vector(10.0);
    let mut axis = random.axis(!run.is_multiple_of(3));
    if let Some(shaft) = &mut axis.shaft {
        shaft.base_joint[2] += 0.1;
    }
    axis.motor.friction = Some(Friction { viscous: 0.02, coulomb: 0.05, static_friction: 0.1, ..Friction::NONE });
    (composed(parameters, axis), height)
}

/// A motion within the reach of the robot, away from where the platform is not held.
fn in_reach(
    random: &mut Random,
    whole: &Turning<DeltaModel<f64, Exact>, f64>,
    height: f64,
) -> ([Vec3<f64>; 3], [f64; 3]) {
    (0..100)
        .map(|_| random.motion(height))
        .find(|([x, ..], _)| {
            let pose = whole.robot.robot.at_position(*x, Branch::Out);
            pose.is_ok_and(|pose| pose.assembly() == Assembly::Below && pose.rod_determinant().abs() > 0.05)
        })
        .expect("a state in reach")
}

#[test]
fn the_other_motors_feel_what_lagrange_says() {
    let mut random = Random(5);
    for run in 0..100 {
        let (whole, height) = random_robot(&mut random, run);
        let ([x, v, a], [c, cd, cdd]) = in_reach(&mut random, &whole, height);
        let (x, v, a) = (x, v * 0.3, a * 0.3);
        let state = whole.at_tool(Frame { rotation: rotation(c), origin: x }, twist(v, cd)).unwrap();
        let qdd = state.joint_acceleration(twist(a, cdd), [0.0; 4]);
        let torque = state.rigid_torque(qdd);
        // Jᵀ of the forward kinematics by dual numbers, of a robot without its payload, which the axis's energies have.
        let q = state.joints().0;
        let robot = DeltaModel { robot: whole.robot.robot.lift::<Dual<f64, 3>>(), ..lifted(&whole.robot) };
        let moved = robot.at_joints(Dual::variables([q[0], q[1], q[2]]), [Dual::constant(0.0); 3]).tool().origin;
        let bare = dalembert_core::delta::Parameters { payload_mass: 0.0, ..*whole.robot.robot.parameters() };
        let bare = composed(bare, whole.axis).robot;
        let own = bare.at_tool(Frame::at(x), Twist::translation(v)).unwrap().rigid_torque([qdd[0], qdd[1], qdd[2]]);
        let asked = lagrange(&whole.axis, whole.payload, whole.gravity, ([x, v, a], [c, cd, cdd]));
        let expected: [f64; 4] = std::array::from_fn(|k| match k {
            3 => asked[3],
            _ => own[k] + (0..3).map(|i| moved[i].derivative[k] * asked[i]).sum::<f64>(),
        });
        let scale = 1e-12 * expected.iter().fold(10.0, |most: f64, x| most.max(x.abs()));
        (0..4).for_each(|k| close(torque[k], expected[k], scale, "torque"));
    }
}

fn lifted(robot: &DeltaModel<f64, Exact>) -> DeltaModel<Dual<f64, 3>, Exact> {
    DeltaModel { robot: robot.robot.lift(), model: Exact, assembly: robot.assembly, branch: robot.branch }
}

fn rotation(c: f64) -> Mat3<f64> {
    let (sin, cos) = Scalar::sin_cos(c);
    Mat3([Vec3::new(cos, -sin, 0.0), Vec3::new(sin, cos, 0.0), Vec3::new(0.0, 0.0, 1.0)])
}

fn twist(linear: Vec3<f64>, about: f64) -> Twist<f64> {
    Twist { linear, angular: Vec3::new(0.0, 0.0, about) }
}

#[test]
fn there_and_back() {
    let mut random = Random(6);
    for run in 0..100 {
        let (whole, height) = random_robot(&mut random, run);
        let ([x, v, a], [c, cd, cdd]) = in_reach(&mut random, &whole, height);
        let (c, v) = (0.4 * c, v * 0.3);
        let by_tool = whole.at_tool(Frame { rotation: rotation(c), origin: x }, twist(v, cd)).unwrap();
        let (q, qd) = by_tool.joints();
        let state = whole.at_joints(q, qd);
        // Near a singularity of the platform its joints say little of it.
        let determinant = by_tool.robot().moving.pose.rod_determinant().abs();
        let said = 1e-14 / determinant.min(0.1).powi(2);
        (0..3).for_each(|i| close(state.tool().origin[i], x[i], said, "position"));
        (0..3).for_each(|i| close(state.tool_velocity().linear[i], v[i], said * (1.0 + cd.abs()), "velocity"));
        close(state.tool().rotation[1][0], c.sin(), 1e-15, "angle");
        let wrench = Wrench { force: random.vector(20.0), moment: random.vector(2.0) };
        let qdd = state.joint_acceleration(twist(a, cdd), [0.0; 4]);
        let torque = state.torque(qdd, wrench);
        let back = state.acceleration(torque, wrench);
        let scale = 1e-11 * qdd.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        (0..4).for_each(|k| close(back[k], qdd[k], scale, "acceleration"));
        // A moment about the axis is the motor's alone.
        let turned = state.torque_of_wrench(Wrench { force: Vec3::zero(), moment: Vec3::new(1.0, 2.0, 3.0) });
        assert_eq!(turned, [0.0, 0.0, 0.0, 3.0]);
    }
}

/// The mass matrix at joints q + t q̇, and what follows from it.
#[test]
fn the_mass_matrix_and_its_rate() {
    let mut random = Random(7);
    type Time = Dual<f64, 1>;
    for run in 0..60 {
        let (whole, height) = random_robot(&mut random, run);
        let ([x, v, _], [c, cd, _]) = in_reach(&mut random, &whole, height);
        let (q, qd) = whole.at_tool(Frame { rotation: rotation(c), origin: x }, twist(v * 0.3, cd)).unwrap().joints();
        let moving: Turning<DeltaModel<Time, Exact>, Time> = Turning {
            robot: DeltaModel {
                model: Exact,
                robot: whole.robot.robot.lift(),
                assembly: whole.robot.assembly,
                branch: whole.robot.branch,
            },
            axis: whole.axis.map(Dual::constant),
            payload: Dual::constant(whole.payload),
            gravity: whole.gravity.map(Dual::constant),
        };
        let along: [Time; 4] = std::array::from_fn(|i| Dual { value: q[i], derivative: [qd[i]] });
        let mass = moving.at_joints(along, qd.map(Dual::constant)).mass_matrix();
        let state = whole.at_joints(q, qd);
        let largest = mass.iter().flatten().fold(0.0, |most: f64, x| most.max(x.value.abs()));
        // By columns of the inverse dynamics, and symmetric.
        let still = [0.0; 4];
        for j in 0..4 {
            let mut unit = still;
            unit[j] = 1.0;
            let [with, without] = [unit, still].map(|qdd| state.rigid_torque(qdd));
            for i in 0..4 {
                let size = without[i].abs().max(largest);
                close(mass[i][j].value, with[i] - without[i], 1e-13 * size, "column");
                close(mass[i][j].value, mass[j][i].value, 1e-14 * largest, "symmetry");
            }
        }
        // Ṁ − 2C is skew, so q̇ᵀ(½ Ṁ q̇ − c(q, q̇)) = 0 with the velocity torques c = C q̇.
        let with = state.rigid_torque(still);
        let held = state.gravity();
        let power: f64 = (0..4).map(|i| qd[i] * (with[i] - held[i])).sum();
        let rate: f64 = (0..4)
            .flat_map(|i| (0..4).map(move |j| (i, j)))
            .map(|(i, j)| 0.5 * qd[i] * mass[i][j].derivative[0] * qd[j])
            .sum();
        let scale: f64 = (0..4).map(|i| (qd[i] * with[i]).abs() + (qd[i] * held[i]).abs()).sum();
        close(power, rate, 1e-12 * (1.0 + scale), "power");
        // At rest what holds it is what a standing robot needs.
        let resting = whole.at_joints(q, still);
        let (a, b) = (resting.rigid_torque(still), resting.gravity());
        (0..4).for_each(|i| close(a[i], b[i], 1e-13 * (1.0 + b[i].abs()), "holding torque"));
    }
}

/// A free motion keeps its energy, and with torques gains what they give: the whole chain in time, by a step of fourth order.
#[test]
fn energy_is_kept() {
    let (mut whole, _) = random_robot(&mut Random(8), 1);
    let mut parameters = *whole.robot.robot.parameters();
    parameters.arms.iter_mut().for_each(|arm| arm.motor.friction = None);
    whole.axis.motor.friction = None;
    let whole = composed(parameters, whole.axis);
    let torque = [1.0, -2.0, 3.0, 0.4];
    let zero = Wrench::zero();
    let rate = |y: [f64; 8]| -> [f64; 8] {
        let (q, qd): ([f64; 4], [f64; 4]) = (std::array::from_fn(|i| y[i]), std::array::from_fn(|i| y[4 + i]));
        let qdd = whole.at_joints(q, qd).acceleration(torque, zero);
        std::array::from_fn(|i| if i < 4 { qd[i] } else { qdd[i - 4] })
    };
    let energy = |y: [f64; 8]| {
        let (q, qd): ([f64; 4], [f64; 4]) = (std::array::from_fn(|i| y[i]), std::array::from_fn(|i| y[4 + i]));
        let state = whole.at_joints(q, qd);
        let mass = state.mass_matrix();
        let kinetic: f64 = (0..4).map(|i| (0..4).map(|j| 0.5 * qd[i] * mass[i][j] * qd[j]).sum::<f64>()).sum();
        let x = state.tool().origin;
        let axis = potential(&whole.axis, whole.payload, whole.gravity, [x[0], x[1], x[2], q[3]]);
        // The Delta's own: arms, forearms and platform, without the payload.
        let pose = whole.robot.robot.pose_from_joints_unchecked([q[0], q[1], q[2]], Assembly::Below).0;
        let p = whole.robot.robot.parameters();
        let own: f64 = (0..3)
            .map(|i| {
                let (arm, e) = (&p.arms[i], p.arms[i].azimuth);
                let along = Vec3::new(e.cos * q[i].cos(), e.sin * q[i].cos(), -q[i].sin());
                let out = Vec3::new(e.cos, e.sin, 0.0);
                let motor = out * arm.base_radius;
                let elbow = motor + along * arm.upper_arm.length;
                let end = pose.position + out * arm.platform_radius;
                let rod = elbow + (end - elbow) * arm.rod_ratio();
                let upper = motor + along * arm.upper_arm.center_of_mass;
                -p.gravity.dot(upper) * arm.upper_arm.mass - p.gravity.dot(rod) * arm.forearm.mass
            })
            .sum();
        let platform = -p.gravity.dot(pose.position) * p.platform_mass;
        kinetic + axis + own + platform - (0..4).map(|i| torque[i] * q[i]).sum::<f64>()
    };
    let mut y = [0.3, 0.35, 0.4, 0.1, 1.0, -0.5, 0.3, 8.0];
    let before = energy(y);
    let h = 2e-4;
    for _ in 0..500 {
        let add = |y: [f64; 8], f: f64, k: [f64; 8]| -> [f64; 8] { std::array::from_fn(|i| y[i] + f * k[i]) };
        let k1 = rate(y);
        let k2 = rate(add(y, h / 2.0, k1));
        let k3 = rate(add(y, h / 2.0, k2));
        let k4 = rate(add(y, h, k3));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    close(energy(y), before, 1e-9 * (1.0 + before.abs()), "energy after 0.1 s");
}

#[test]
fn what_the_tool_lacks_counts_turns() {
    let (whole, _) = random_robot(&mut Random(9), 1);
    let state = whole.at_joints([0.3, 0.3, 0.3, 1.0], [0.0; 4]);
    let x = state.tool().origin;
    let reference = Reference {
        q: [0.3, 0.3, 0.3, 8.0],
        qd: [0.0, 0.0, 0.0, 2.0],
        qdd: [0.0; 4],
        point: [x, Vec3::zero(), Vec3::zero()],
    };
    let lack = state.tool_error(&reference);
    assert_eq!((lack.pose.angular, lack.velocity.angular), (Vec3::new(0.0, 0.0, 7.0), Vec3::new(0.0, 0.0, 2.0)));
    assert_eq!(lack.pose.linear, Vec3::zero());
}

#[test]
fn other_numbers_say_the_same() {
    let mut random = Random(10);
    let axis = random.axis(true);
    let ([x, v, a], [c, cd, cdd]) = random.motion(-0.8);
    let expected = AxisState::new(&axis, 1.0, [x, v], [c, cd]).asked(a, cdd, Vec3::zero());
    fn of<S: Scalar>(axis: &FourthAxis<f64>, [x, v, a]: [Vec3<f64>; 3], [c, cd, cdd]: [f64; 3]) -> (Vec3<S>, S) {
        let lift = |v: Vec3<f64>| v.map(S::from_f64);
        let axis = axis.map(S::from_f64);
        let state = AxisState::new(&axis, S::one(), [lift(x), lift(v)], [S::from_f64(c), S::from_f64(cd)]);
        let asked = state.asked(lift(a), S::from_f64(cdd), Vec3::zero());
        (asked.force, asked.torque)
    }
    let (force, torque) = of::<Dual<f64, 2>>(&axis, [x, v, a], [c, cd, cdd]);
    assert_eq!((force.map(|f| f.value), torque.value), (expected.force, expected.torque));
    let (force, torque) = of::<Lanes<4>>(&axis, [x, v, a], [c, cd, cdd]);
    assert_eq!((force.map(|f| f.0[2]), torque.0[3]), (expected.force, expected.torque));
    let counted = |shaft: bool| {
        let axis = if shaft { axis } else { FourthAxis { shaft: None, ..axis } };
        let tally = Tally::new();
        let lift = |v: Vec3<f64>| v.map(|x| tally.variable(x));
        let (axis, [c, cd, cdd]) = (axis.map(|x| tally.variable(x)), [c, cd, cdd].map(|x| tally.variable(x)));
        let state = AxisState::new(&axis, tally.variable(1.0), [lift(x), lift(v)], [c, cd]);
        let _ = state.asked(lift(a), cdd, lift(Vec3::new(0.0, 0.0, -9.81)));
        tally.operations().arithmetic()
    };
    // What one evaluation costs: a motor on the platform, a shaft.
    assert_eq!([counted(false), counted(true)], [72, 286]);
}

#[test]
fn what_no_axis_can_be() {
    let good = Random(11).axis(true);
    let refuse = |change: &dyn Fn(&mut FourthAxis<f64>), field: &str| {
        let mut axis = good;
        change(&mut axis);
        assert_eq!(axis.check().unwrap_err().field, field);
    };
    refuse(&|axis| axis.motor.gear_ratio = 0.0, "fourth_axis.motor.gear_ratio");
    refuse(&|axis| axis.tool_mass = -1.0, "fourth_axis.tool.mass");
    refuse(&|axis| axis.tool.center_of_mass[1] = f64::NAN, "fourth_axis.tool.center_of_mass");
    refuse(&|axis| axis.shaft.as_mut().unwrap().rod.axial_inertia = 1.0, "fourth_axis.shaft.rod.axial_inertia");
    let none = ShaftBody { mass: 1.0, center_of_mass: 0.0, inertia: 0.0, axial_inertia: 0.0 };
    refuse(
        &|axis| {
            axis.shaft = axis.shaft.map(|shaft| Shaft { tube: none, rod: none, ..shaft });
            (axis.motor.rotor_inertia, axis.tool.inertia, axis.tool_mass) = (0.0, 0.0, 0.0);
        },
        "fourth_axis.tool.inertia",
    );
}
