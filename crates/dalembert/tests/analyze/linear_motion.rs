//! Linear models about points of a motion, against differences of the equations that are simulated, and along a motion.
//!
//! The differences share nothing with the dual numbers and nothing with the implicit differentiation of the constrained
//! equations: they are values of the vector field, central, extrapolated to step zero (Richardson). They keep about eleven
//! digits; a forgotten term (δHᵀλ, the rate of a Jacobian, the slope of the damping) shows at order one.

use crate::linearize::{self, delta_baumgarte};
use dalembert::delta::{Assembly, Branch, Delta, Moving};
use dalembert::friction::Friction;
use dalembert::linear::{ExportFormat, LinearError, LinearMotion, Linearized, Matrix, magnitude};
use dalembert::mechanism::{Mechanism, MechanismDynamics, Poles, add_delta};
use dalembert::robot::families::{SerialLinks, Surroundings};
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::{JointState, JointVector, Pick};
use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters};
use dalembert::spatial::{Frame, Wrench};
use dalembert::{Angle, Sym3, Vec3, robots as built_in};
use dalembert_proptest::{robots, states};
use proptest::prelude::*;
use std::error::Error;

/// Every column of the derivative of `rate` at `point`: central differences with steps `first`, half of it … The error
/// has even powers of the step only; each extrapolation removes one.
fn extrapolated(point: &[f64], first: f64, rate: impl Fn(&[f64]) -> Vec<f64>) -> Matrix {
    const LEVELS: i32 = 6;
    let columns: Vec<Vec<f64>> = (0..point.len())
        .map(|column| {
            let moved = |by: f64| {
                let mut x = point.to_vec();
                x[column] += by;
                rate(&x)
            };
            let mut table: Vec<Vec<f64>> = (0..LEVELS)
                .map(|level| {
                    let h = first / 2f64.powi(level);
                    moved(h).iter().zip(moved(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
                })
                .collect();
            for order in 1..LEVELS {
                let factor = 4f64.powi(order) - 1.0;
                let better =
                    |pair: &[Vec<f64>]| pair[1].iter().zip(&pair[0]).map(|(b, a)| b + (b - a) / factor).collect();
                table = table.windows(2).map(better).collect();
            }
            table.swap_remove(0)
        })
        .collect();
    Matrix::from_fn(columns[0].len(), point.len(), |i, j| columns[j][i])
}

/// Largest difference in a block of columns over its largest entry: angles, rates and torques have sizes of their own.
fn off(found: &Matrix, expected: &Matrix, blocks: [usize; 3]) -> f64 {
    let mut first = 0;
    let mut worst = 0.0_f64;
    for count in blocks {
        let (a, b) = (found.columns(first, count), expected.columns(first, count));
        worst = worst.max((a - b).amax() / b.amax().max(f64::MIN_POSITIVE));
        first += count;
    }
    worst
}

/// [A B], all rows.
fn beside(model: &Linearized) -> Matrix {
    let s = &model.system;
    let n = s.order();
    Matrix::from_fn(n, n + s.inputs.len(), |i, j| if j < n { s.a[(i, j)] } else { s.b[(i, j - n)] })
}

/// Viscous friction only: differences cannot step over the kink of Coulomb's. (Its slope is checked by the complex step.)
fn smooth(robot: &Delta<f64>) -> Delta<f64> {
    let mut parameters = *robot.parameters();
    for arm in &mut parameters.arms {
        arm.motor.friction = Some(Friction { viscous: 0.4, ..Friction::NONE });
    }
    Delta::try_new(parameters).expect("as before")
}

fn baumgarte_differences(moving: &Moving<'_, f64>, torque: Vec3<f64>, poles: Poles, step: f64) -> Matrix {
    let mut mechanism = Mechanism::new(moving.pose.robot.gravity());
    let parts = add_delta(&mut mechanism, "delta", moving.pose.robot).expect("it can be added");
    let point = [&parts.coordinates(&moving.pose)[..], &parts.velocities(moving), &torque.0].concat();
    extrapolated(&point, step, |x| {
        let mut dynamics = MechanismDynamics::new(&mechanism);
        dynamics.solve(0.0, &x[..9], &x[9..18], &x[18..], poles, false).expect("regular");
        [dynamics.coordinate_rate(), &dynamics.acceleration[..]].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Bortoff's 18 states on random robots in motion, every entry of A and B.
    #[test]
    fn baumgarte_in_motion_against_differences(robot in robots(), seed in states()) {
        let robot = smooth(&robot);
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
        // Near a singular pose differences lose the digits that are asked for, not the derivatives.
        let margins = moving.pose.transmission_margins();
        if margins.iter().any(|margin| margin.abs() < 0.15) || moving.pose.rod_determinant().abs() < 0.1 {
            return Ok(());
        }
        let torque = moving.torque(state.acceleration);
        let poles = Poles::real(-5.0, -7.0).unwrap();
        let model = delta_baumgarte(&moving, torque, poles, &[Output::Joints]).unwrap();
        // The state is one of the robot: the constraints hold with their rates, and the motors feel the same motion.
        let rate = moving.joint_acceleration(state.acceleration);
        for i in 0..3 {
            prop_assert!((model.rate[9 + 3 * i] - rate[i]).abs() < 1e-8 * (1.0 + Vec3(rate).norm_squared().sqrt()));
        }
        // Several step sizes: near a singular pose the long ones leave the circle of convergence, and the short ones have
        // the rounding of an ill-conditioned pose in them.
        let found = beside(&model);
        let best = [0.16, 0.08, 0.056, 0.04, 0.028, 0.02, 0.014, 0.01, 0.005, 0.0025]
            .map(|step| off(&found, &baumgarte_differences(&moving, Vec3(torque), poles, step), [9, 9, 3]))
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        prop_assert!(best < 1e-9, "{best}");
    }

    /// On the constraints the 18 states move as the six do: A δx of a consistent δx has the same joint accelerations.
    #[test]
    fn baumgarte_in_motion_is_the_explicit_model(robot in robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let moving = robot.at_position(state.position, state.branch).unwrap().moving(state.velocity);
        let torque = moving.torque(state.acceleration);
        let six = linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &[Output::Joints]).unwrap();
        let all = delta_baumgarte(&moving, torque, Poles::real(-5.0, -7.0).unwrap(), &[Output::Joints]).unwrap();
        // From joint angles and rates to the eighteen: differences of what is on the constraints.
        let lift = extrapolated(&six.state, 0.01, |x| {
            let pose = robot.at_joints([x[0], x[1], x[2]], moving.pose.assembly()).expect("reached");
            let moving = pose.moving_joints([x[3], x[4], x[5]]);
            let mut mechanism = Mechanism::new(robot.gravity());
            let parts = add_delta(&mut mechanism, "delta", &robot).expect("it can be added");
            [parts.coordinates(&pose), parts.velocities(&moving)].concat()
        });
        let moved = &all.system.a * &lift;
        let rows = Matrix::from_fn(3, 6, |i, j| moved[(9 + 3 * i, j)]);
        let expected = six.system.a.rows(3, 3).into_owned();
        // The lift is known to about eleven digits, and constraint forces are larger than what is left of them.
        prop_assert!((&rows - &expected).amax() < 1e-7 * expected.amax(), "{}", (&rows - &expected).amax() / expected.amax());
        // The platform seen from both: outputs are the same functions of the motion.
        let six = linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &Output::ALL).unwrap();
        let all = delta_baumgarte(&moving, torque, Poles::real(-5.0, -7.0).unwrap(), &Output::ALL).unwrap();
        for k in 0..15 {
            let size = six.output[k].abs() + 1.0;
            prop_assert!((six.output[k] - all.output[k]).abs() < 1e-8 * size, "{k}");
        }
        let shown = &all.system.c * &lift;
        for k in 0..15 {
            let row = six.system.c.row(k).amax().max(1e-3);
            let worst = (0..6).map(|j| (shown[(k, j)] - six.system.c[(k, j)]).abs()).fold(0.0, f64::max);
            prop_assert!(worst < 1e-7 * row, "{k}: {worst} {row}");
            let direct = (0..3).map(|j| (all.system.d[(k, j)] - six.system.d[(k, j)]).abs()).fold(0.0, f64::max);
            prop_assert!(direct < 1e-9 * six.system.d.amax(), "{k}: {direct}");
        }
        let inputs = Matrix::from_fn(3, 3, |i, j| all.system.b[(9 + 3 * i, j)] - six.system.b[(3 + i, j)]);
        prop_assert!(inputs.amax() < 1e-10 * six.system.b.amax());
    }

    /// Random serial arms of one to six joints in motion, revolute and prismatic, every entry of A and B.
    #[test]
    fn serial_arms_against_differences(
        links in prop::collection::vec((0..4_usize, prop::array::uniform10(0.1..1.0_f64)), 1..=6),
        state in prop::array::uniform18(-1.0..1.0_f64),
    ) {
        let n = links.len();
        let links: Vec<LinkParameters<f64>> = links.iter().map(|(kind, x)| LinkParameters {
 coupling: None,
            joint: if *kind == 3 { Joint::Prismatic } else { Joint::Revolute },
            dh: DhRow {
                alpha: Angle::from_radians([0.0, 1.2, -0.7, 0.4][*kind]),
                a: x[0] - 0.4,
                d: x[1] - 0.4,
                theta_offset: Angle::from_radians(x[2]),
            },
            body: Body {
                mass: 5.0 * x[3],
                center_of_mass: Vec3::new(x[4] - 0.5, x[5] - 0.5, x[6] - 0.5),
                inertia: Sym3::new([x[7], x[8], 0.8 * (x[7] + x[8]).min(1.0), 0.02, -0.01, 0.03]),
            },
            motor_inertia: 0.2 * x[9],
            gear_ratio: 1.0,
            friction: Some(Friction { viscous: 0.3 * x[9], ..Friction::NONE }),
            armature: None,
            spring: None,
        }).collect();
        let rest = Surroundings {
 base: None,
            links: [],
            convention: DhConvention::Modified,
            gravity: Vec3::new(1.0, -2.0, -9.0),
            tool: Frame::identity(),
        payload: Body::zero(),
        };
        let arm = SerialLinks::try_new(&links, rest).unwrap();
        let q: Vec<f64> = state[..n].iter().map(|x| 3.0 * x).collect();
        let qd: Vec<f64> = state[6..6 + n].iter().map(|x| 4.0 * x).collect();
        let tau: Vec<f64> = state[12..12 + n].iter().map(|x| 20.0 * x).collect();
        let model = linearize::arm(&arm, &q, &qd, &tau, &[Output::Joints]).unwrap();
        let point = [&q[..], &qd, &tau].concat();
        let robot = linearize::described(&arm);
        let exact = robot.build_model("exact").unwrap();
        let rate = |x: &[f64]| {
            let [q, qd, tau] = [&x[..n], &x[n..2 * n], &x[2 * n..]].map(JointVector::new);
            let joints = JointState { qd: qd.clone(), ..JointState::at_rest(q) };
            let state = robot.at_joints(&joints, &Pick::default()).expect("any joints");
            let state = exact.accelerated(&state, &tau, Wrench::zero()).expect("regular");
            [&qd[..], &state.joints.qdd].concat()
        };
        let found = beside(&model);
        let best = [0.1, 0.025, 0.006]
            .map(|step| off(&found, &extrapolated(&point, step, rate), [n, n, n]))
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        prop_assert!(best < 1e-9, "{best}");
    }
}

/// At rest both formulations are one system, with damping at the passive joints too: the same poles, the same transfer
/// functions. (In motion they are not: coordinates that turn while the robot moves change the poles of a frozen model.)
#[test]
fn both_formulations_have_the_same_poles_at_rest() -> Result<(), Box<dyn Error>> {
    let mut parameters = *built_in::d3_1200()?.delta.parameters();
    for arm in &mut parameters.arms {
        arm.passive_damping = Some(0.02);
        arm.motor.friction = Some(Friction { viscous: 0.3, ..Friction::NONE });
    }
    let robot = Delta::try_new(parameters)?;
    let moving = robot.at_position(Vec3::new(0.1, -0.05, -0.85), Branch::Out)?.moving(Vec3::zero());
    let torque = moving.torque(Vec3::zero());
    let six = linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &[Output::Joints])?.system;
    let all = delta_baumgarte(&moving, torque, Poles::real(-4.0, -6.0)?, &[Output::Joints])?.system;
    assert_eq!([six.order(), all.order()], [6, 18]);
    let poles = all.poles()?;
    for pole in six.poles()? {
        let nearest = poles.iter().map(|s| (s - pole).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9 * (1.0 + pole.norm()), "{pole}: {nearest}");
    }
    // Whatever is measured, an acceleration with its D too.
    let six = linearize::delta(&moving, torque, Vec3::zero(), Coordinates::Joint, &Output::ALL)?.system;
    let all = delta_baumgarte(&moving, torque, Poles::real(-4.0, -6.0)?, &Output::ALL)?.system;
    for omega in [1.0, 20.0, 300.0] {
        let (g, h) = (six.at_frequency(omega)?, all.at_frequency(omega)?);
        assert!(magnitude(&(&g - &h)) < 1e-10 * magnitude(&g));
    }
    Ok(())
}

/// What a motion is made of: one model per state, the same as alone, and files with one more index.
#[test]
fn models_along_a_motion() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?.delta;
    let at = |angle: f64| -> Result<Linearized, Box<dyn Error>> {
        let pose = robot.at_joints([angle, 0.2, 0.3], Assembly::Below)?;
        Ok(linearize::delta_at_rest(&pose, Coordinates::Joint, &[Output::Joints])?)
    };
    let points = vec![at(0.1)?, at(0.2)?, at(0.4)?];
    let motion = LinearMotion::new(vec![0.0, 0.1, 0.3], points.clone())?;
    let json = motion.to_json(None);
    assert_eq!(json["A"][2][3][1].as_f64(), Some(points[2].system.a[(3, 1)]));
    assert_eq!(json["x0"][1][0].as_f64(), Some(points[1].state[0]));
    for format in ExportFormat::ALL {
        assert!(motion.export(None, format)?.len() > 3 * points[0].export(format).len() / 2);
    }
    let sampled = motion.discrete(1e-3)?;
    assert_eq!(sampled.points()[1].system, points[1].system.discrete(1e-3)?);
    let again = LinearMotion::new(vec![0.0, 0.1, 0.1], points.clone());
    assert!(matches!(again, Err(LinearError::Times { row: 3, .. })));
    assert!(matches!(LinearMotion::new(vec![0.0], points.clone()), Err(LinearError::Shape { .. })));
    assert!(matches!(LinearMotion::new(vec![], vec![]), Err(LinearError::Shape { .. })));
    let nan = LinearMotion::new(vec![0.0, f64::NAN, 1.0], points.clone());
    assert!(matches!(nan, Err(LinearError::NotFinite { .. })));
    let mut uneven = points;
    uneven[1] = Linearized { system: uneven[1].system.select(&[0], &[0])?, ..uneven[1].clone() };
    assert!(matches!(LinearMotion::new(vec![0.0, 0.1, 0.3], uneven), Err(LinearError::NotAlike { row: 2, .. })));
    Ok(())
}
