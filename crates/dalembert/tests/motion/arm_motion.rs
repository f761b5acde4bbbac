//! Serial arms moved by their tool, sized joint by joint, mapped over their workspace.
//!
//! What must hold: the joints of a tool's motion put the tool where the path says, turned as it was, and their speeds and
//! accelerations are each other's integrals; torques agree with mass matrix, Christoffel symbols and gravity, which share
//! nothing with the recursion that the planner asks; planned motions keep every limit and use one of them all the time.

use crate::common::limits;
use dalembert::dynamics::State as _;
use dalembert::limits::JointLimits;
use dalembert::motion::named::{Measures, Placement};
use dalembert::motion::sizing::size;
use dalembert::motion::{
    Arc, CycleMap, EXCESS, MapGrid, MotionOrder, MotionState, MotionSurvey, MotorList, Mover, OrderError, Path,
    PlanError, Point, Polyline, Profile, ProfileChoice, RobotMotion, SemiEllipse, Time, Travel, form_of_path,
    is_tolerated, time_optimal,
};
use dalembert::robot::families::SerialLinks;
use dalembert::robot::orientation::rotation;
use dalembert::robot::{Form, JointState, JointVector, Load, Pick, Reason, Robot, Target};
use dalembert::serial::{PumaBranch, times};
use dalembert::spatial::Frame;
use dalembert::{Mat3, SerialRobot, Vec3, robots};
use proptest::prelude::*;
use std::f64::consts::PI;

const X: Vec3<f64> = Vec3([1.0, 0.0, 0.0]);

fn puma() -> SerialRobot {
    robots::puma560().unwrap()
}

fn down() -> Mat3<f64> {
    rotation([PI, 0.0, 0.0])
}

fn machine() -> Mover {
    mover(puma(), None).unwrap()
}

/// An arm that moves its tool, pointing down.
fn mover(robot: SerialRobot, posture: Option<PumaBranch>) -> Result<Mover, dalembert::robot::StateError> {
    Mover::of_tool(&Robot::try_from(robot).unwrap(), Some(down()), &Pick { posture, ..Pick::default() })
}

fn in_joints() -> Mover {
    Mover::of_joints(&Robot::try_from(puma()).unwrap(), &Pick::default())
}

fn six(values: &JointVector) -> [f64; 6] {
    values.array().unwrap()
}

fn seen(mover: &Mover, motion: &RobotMotion) -> (f64, f64) {
    limits::seen_in(mover, motion.duration(), 10_007, |t| mover.load_of(&motion.at(t)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Where the tool is, how the joints follow it, and what that takes, each two ways.
    #[test]
    fn joints_follow_the_tool(
        offset in prop::array::uniform3(-0.15..0.15_f64), velocity in prop::array::uniform3(-1.0..1.0_f64),
        acceleration in prop::array::uniform3(-5.0..5.0_f64), which in 0..8_usize,
    ) {
        let robot = puma();
        let arm = robot.arm.arm::<6>().unwrap();
        let Ok(machine) = mover(robot.clone(), Some(PumaBranch::ALL[which])) else { return Ok(()) };
        let position = machine.room().0 + Vec3(offset);
        let state = MotionState { position, velocity: Vec3(velocity), acceleration: Vec3(acceleration) };
        let Ok(load) = machine.load(&state) else { return Ok(()) };
        let (q, qd, qdd) = (six(&load.joints.q), six(&load.joints.qd), six(&load.joints.qdd));
        let pose = arm.at_joints(q).unwrap();
        let margin = pose.tool_margin();
        prop_assume!(margin > 1e-2);
        // Lengths of 1 m and four rotations in a row: a few ulp. Speeds lose 1/margin, the condition of J Jᵀ.
        let Frame { rotation, origin } = pose.tool();
        prop_assert!((origin - position).length() < 1e-14 * 10.0);
        for i in 0..3 {
            for j in 0..3 {
                prop_assert!((rotation[i][j] - down()[i][j]).abs() < 1e-14 * 10.0);
            }
        }
        let moved = times(&pose.jacobian(), &qd);
        prop_assert!((moved.linear - state.velocity).length() < 1e-12 / margin && moved.angular.length() < 1e-12 / margin);
        // Differences along the parabola with this velocity and acceleration, of the joints and of their speeds. Richardson's
        // extrapolation leaves less than a tenth of what it removes; rounding is 1e-15/h in angles, 1e-13/h in speeds.
        let at = |t: f64| {
            let position = position + state.velocity * t + state.acceleration * (0.5 * t * t);
            let velocity = state.velocity + state.acceleration * t;
            machine.load(&MotionState { position, velocity, ..state })
        };
        // At the very edge of its reach a neighbour is refused.
        prop_assume!([-1e-4, -5e-5, 5e-5, 1e-4].into_iter().all(|t| at(t).is_ok()));
        let central = |h: f64| {
            let [before, after] = [at(-h), at(h)].map(Result::unwrap);
            let slope = |f: fn(&Load) -> &JointVector, i: usize| (f(&after)[i] - f(&before)[i]) / (2.0 * h);
            std::array::from_fn::<[f64; 2], 6, _>(|i| [slope(|load| &load.joints.q, i), slope(|load| &load.joints.qd, i)])
        };
        let (coarse, fine) = (central(1e-4), central(5e-5));
        for i in 0..6 {
            for (k, exact) in [qd[i], qdd[i]].into_iter().enumerate() {
                let removed = (fine[i][k] - coarse[i][k]) / 3.0;
                let off = (fine[i][k] + removed - exact).abs();
                prop_assert!(off < 0.1 * removed.abs() + 1e-7 / margin * (1.0 + exact.abs()), "{i}, {k}: {off} {exact}");
            }
        }
        // M q̈ + C q̇ + g + friction: composite bodies and Christoffel symbols against the recursion.
        let (mass, gravity) = (pose.mass_matrix(), pose.gravity_torque());
        let moving = pose.moving(qd);
        let friction = moving.friction();
        let coriolis = moving.coriolis_matrix();
        for i in 0..6 {
            let sum: f64 = (0..6).map(|k| mass[i][k] * qdd[k] + coriolis[i][k] * qd[k]).sum();
            let torque = sum + gravity[i] + friction[i];
            let size = 1.0 + (0..6).map(|k| (mass[i][k] * qdd[k]).abs()).sum::<f64>() + gravity[i].abs();
            prop_assert!((load.torque[i] - torque).abs() < 1e-11 * size, "{i}: {} {torque}", load.torque[i]);
        }
    }

    /// τ = a s̈ + b ṡ² + c along a path of the tool and along one of the joints, as the planner has it, against the whole
    /// dynamics at once.
    #[test]
    fn torques_are_affine_along_a_path(part in 0.0..1.0_f64, rate in 0.0..2.0_f64, push in -20.0..20.0_f64) {
        fn check<P: Path>(path: &P, machine: &Mover, [part, rate, push]: [f64; 3]) {
            let local = path.at(part * path.length());
            let load = |rate: f64, push: f64| {
                let velocity = local.first.times(rate);
                let acceleration = local.second.times(rate * rate).plus(push, &local.first);
                let load = machine.load(&MotionState { position: local.position.clone(), velocity, acceleration }).unwrap();
                std::array::from_fn::<f64, 6, _>(|i| load.torque[i] - load.friction[i])
            };
            let (c, a, b, whole) = (load(0.0, 0.0), load(0.0, 1.0), load(1.0, 0.0), load(rate, push));
            for i in 0..6 {
                let sum = (a[i] - c[i]) * push + (b[i] - c[i]) * rate * rate + c[i];
                let size = 1.0 + whole[i].abs() + ((a[i] - c[i]) * push).abs() + ((b[i] - c[i]) * rate * rate).abs();
                assert!((whole[i] - sum).abs() < 1e-10 * size, "{i}: {} {sum}", whole[i]);
            }
        }
        let machine = machine();
        let center = machine.room().0;
        check(&SemiEllipse::new(center, X, 0.2, 0.05).unwrap(), &machine, [part, rate, push]);
        check(&Arc::circle(center, 0.1).unwrap(), &machine, [part, rate, push]);
        let poses = [[0.0; 6], [0.5, -0.3, 0.4, 0.2, 0.6, -1.0], [1.0, -1.0, 1.0, 0.0, 0.3, 0.0]].map(JointVector::from);
        check(&Polyline::new(&poses, 0.2).unwrap(), &in_joints(), [part, rate, push]);
    }
}

#[test]
fn the_fastest_motions_of_an_arm_use_a_limit_all_the_time() {
    let machine = machine();
    let (center, room) = machine.room();
    println!("middle {center:?}, room {room:.3} m, {:?}", machine.pick.posture);
    assert!(room > 0.2);
    let paths: [Box<dyn Path<Point = Vec3<f64>>>; 4] = [
        Box::new(Polyline::pick_and_place(center, X, 0.305, 0.025, 0.02).unwrap()),
        Box::new(SemiEllipse::new(center, Vec3::new(0.0, 1.0, 0.0), 0.25, 0.05).unwrap()),
        Box::new(Arc::circle(center, 0.1).unwrap()),
        Box::new(Polyline::line(center - X * 0.15, center + Vec3::new(0.1, 0.1, 0.1)).unwrap()),
    ];
    for (i, path) in paths.iter().enumerate() {
        let best = time_optimal(path, &machine, None).unwrap();
        let travel = Travel::new(path, |_| Ok(best.profile.clone())).unwrap();
        machine.follow(&travel).unwrap();
        let (largest, active) = limits::seen(&machine, &travel, 10_007);
        println!("path {i}: {:.4} s, tightest {largest:.5}, active {active:.4}", best.profile.duration());
        assert!(largest < 1.0 + EXCESS && active > 0.98, "path {i}: {largest} {active}");
    }
    // And from pose to pose, there and back.
    let robot = Robot::try_from(puma()).unwrap();
    let order = MotionOrder { profile: ProfileChoice::TimeOptimal(None), ..MotionOrder::along("swing") };
    let timed = order.timed(&robot, &Pick::default(), 1.0).unwrap();
    let (largest, active) = seen(&in_joints(), &timed.motion);
    assert!(largest < 1.0 + EXCESS && active > 0.98, "{largest} {active}");
    let (unsmoothed, told) = timed.optimal.unwrap();
    assert!((unsmoothed - timed.motion.duration()).abs() < 1e-9 && (told - active).abs() < 0.02);
    assert!(
        timed.motion.peak_jerk().is_infinite() && (timed.length - 0.6 * 6_f64.sqrt()).abs() < 0.2,
        "{}",
        timed.length
    );
    let smooth = MotionOrder { jerk: Some(200.0), ..order };
    let smooth = smooth.timed(&robot, &Pick::default(), 1.0).unwrap();
    assert!(smooth.motion.peak_jerk() <= 200.0 * (1.0 + 1e-9) && smooth.motion.duration() > unsmoothed);
    assert!(seen(&in_joints(), &smooth.motion).0 < 1.0 + EXCESS);
}

/// Every profile, every name that a platform has.
#[test]
fn a_tool_does_what_a_platform_does() {
    let machine = machine();
    for path in ["pick-and-place", "semi-ellipse", "line", "circle", "conveyor", "falezza-center"] {
        let width = (path == "circle").then_some(0.2);
        let order = MotionOrder {
            path: path.into(),
            measures: Measures { width, ..Measures::default() },
            ..MotionOrder::default()
        };
        let timed = order.timed_by(&machine, 1.0).unwrap();
        let RobotMotion::Tool { motion, .. } = &timed.motion else { panic!("{path} moves the tool") };
        machine.follow(motion).unwrap();
        let survey = MotionSurvey::of(&machine, &timed.motion, 1000).unwrap();
        assert!(survey.violations.iter().all(|(_, passed)| is_tolerated(passed)), "{path}: {:?}", survey.violations);
        assert_eq!(survey.joints.len(), 6);
    }
    for profile in ProfileChoice::ALL {
        let time = (profile == ProfileChoice::MinimumTorque).then_some(Time::Stroke(1.0));
        let timed = MotionOrder { profile, time, ..MotionOrder::default() }.timed_by(&machine, 1.0).unwrap();
        let survey = MotionSurvey::of(&machine, &timed.motion, 1000).unwrap();
        assert!(
            survey.violations.iter().all(|(_, passed)| is_tolerated(passed)),
            "{profile:?}: {:?}",
            survey.violations
        );
    }
}

#[test]
fn paths_say_whose_they_are() {
    let arm = |joints: usize| {
        let puma = puma();
        let arm = SerialLinks::try_new(&puma.arm.links()[..joints], puma.arm.surroundings()).unwrap();
        Robot::try_from(SerialRobot { arm, ..puma }).unwrap()
    };
    for (path, joints, of_joints) in [
        ("swing", 6, true),
        ("line:0,0,0,0,0,0/1,1,1,1,1,1", 6, true),
        ("line:0.4,0,0/0.5,0,0", 6, false),
        ("polyline:0,0,0/1,1,1/1,1,0", 3, false),
        ("joints:0,0,0/1,1,1/1,1,0", 3, true),
        ("arc:0,0,0/1,1,1/1,1,0", 6, false),
        ("pick-and-place", 6, false),
        ("line:0,0/1,1", 2, true),
    ] {
        assert_eq!(form_of_path(path, &arm(joints)) == Form::Joints, of_joints, "{path}");
    }
    // A Delta with three joints is told where its platform goes, unless somebody says that these are joints.
    let delta = Robot::find("d3-1200").unwrap();
    for (path, form) in [
        ("line:0,0,-0.9/0.1,0,-0.9", Form::Tool),
        ("joints:0,0,0/0.1,0,0.1", Form::Joints),
        ("swing", Form::Joints),
        ("pick-and-place", Form::Tool),
    ] {
        assert_eq!(form_of_path(path, &delta), form, "{path}");
        let order = MotionOrder::along(path);
        let timed = order.timed(&delta, &Pick::default(), 1.0).unwrap();
        let survey = MotionSurvey::of(&order.mover(&delta, &Pick::default()).unwrap(), &timed.motion, 1000).unwrap();
        assert!(survey.violations.iter().all(|(_, found)| is_tolerated(found)), "{path}: {:?}", survey.violations);
    }
}

/// Where along the path, and which joint.
#[test]
fn what_an_arm_cannot_do_is_told_with_its_place() {
    let robot = puma();
    let machine = machine();
    let center = machine.room().0;
    let plan = |to: Vec3<f64>| time_optimal(&Polyline::line(center, to).unwrap(), &machine, None).unwrap_err();
    let far = plan(center + X * 1.5);
    let PlanError::InvalidParameters { at, cause } = &far else { panic!("{far}") };
    assert!(
        at.s > 0.0
            && matches!(cause.reason, Reason::TooFar(_))
            && far.to_string().contains("out of reach: the wrist is"),
        "{far}"
    );
    // Through the axis of the first joint there is no way at all.
    let near = plan(center - X * (2.0 * center[0]));
    assert!(near.to_string().contains("too near") || near.to_string().contains("joint"), "{near}");
    // Ranges name their joint.
    let mut narrow = robot.clone();
    let there = machine.load(&MotionState::still(center)).unwrap().joints.q[2];
    narrow.limits[2].range = [there - 0.1, there + 0.1];
    let narrow = mover(narrow, machine.pick.posture).unwrap();
    let error = time_optimal(&Polyline::line(center - X * 0.15, center + X * 0.15).unwrap(), &narrow, None);
    assert!(error.unwrap_err().to_string().contains("position of joint 3 is"));
    // A full circle about the arm: joint 1 cannot go round.
    let mut free = robot.clone();
    free.limits.iter_mut().for_each(|limits| limits.range = [-10.0, 10.0]);
    let free = mover(free, machine.pick.posture).unwrap();
    let circle = Arc::circle(Vec3::new(0.0, 0.0, center[2]), center[0]).unwrap();
    let travel = Travel::new(circle, |d| Profile::parabolic(d, 2.0)).unwrap();
    let error = free.follow(&travel).unwrap_err();
    assert!(error.cause.joint == Some(1) && error.to_string().contains("jump by a whole turn"), "{error}");
    assert!(error.time > 0.5, "{error}");
    // Two joints do not turn the tool so.
    let two = robot.changed(|_, _| ()).unwrap();
    let few = SerialRobot { arm: SerialLinks::try_new(&two.arm.links()[..2], two.arm.surroundings()).unwrap(), ..two };
    let error = mover(few, None).unwrap_err();
    assert!(error.reason == Reason::NoPose && error.to_string().contains("reaches no place"), "{error}");
    // An order for joints takes no place of a tool.
    let order = MotionOrder { center: Some(center), ..MotionOrder::along("swing") };
    let error = order.timed(&robot.try_into().unwrap(), &Pick::default(), 1.0).err();
    assert_eq!(error, Some(OrderError::NotOfJoints { what: "center" }));
}

/// One link on one joint: everything in closed form.
#[test]
fn a_pendulum_needs_the_motor_that_a_page_of_algebra_says() {
    let text = "kind = \"serial\"\nname = \"pendulum\"\nconvention = \"modified-dh\"\n[[link]]\njoint = \"revolute\"\n\
        alpha = \"90 deg\"\na = 0.0\nd = 0.0\nmass = 2.0\ncenter_of_mass = [0.3, 0.0, 0.0]\ninertia = [0.0, 0.1, 0.1]\n\
        motor_inertia = 7.0\nmax_torque = 100.0\n";
    let robot = Mover::of_joints(&Robot::parse(text).unwrap(), &Pick::default());
    let list = MotorList::parse(
        "[[motor]]\nname = \"M\"\nrated_speed = 300.0\nrated_torque = 1.0\nstall_torque = 2.0\npeak_torque = 6.0\n\
         rotor_inertia = 1e-4\n[[gear]]\nname = \"1:10\"\nratio = 10\nefficiency = 0.8\ninertia = 1e-4\n",
    )
    .unwrap();
    // q = 0.5 sin(ω t) about the horizontal, once.
    let (amplitude, omega) = (0.5, 4.0_f64);
    let at = |t: f64| JointState {
        q: [amplitude * (omega * t).sin()].into(),
        qd: [amplitude * omega * (omega * t).cos()].into(),
        qdd: [-amplitude * omega * omega * (omega * t).sin()].into(),
    };
    let count = 4000;
    let motion: Vec<(f64, JointState)> =
        (0..=count).map(|k| f64::from(k) / f64::from(count) * 2.0 * PI / omega).map(|t| (t, at(t))).collect();
    let targets: Vec<(f64, Target)> = motion.iter().map(|(t, state)| (*t, Target::Joints(state.clone()))).collect();
    let sizings = size(&robot, &targets, &list).unwrap();
    assert_eq!((sizings.len(), sizings[0].fits.len()), (1, 1));
    let fit = &sizings[0].fits[0];
    // The motor's own 7 kg m² are gone: I = 0.1 + m r²; the gear has ten turns, 0.8 and 2e-4 kg m².
    let (inertia, weight, rotor, n, eta) = (0.1 + 2.0 * 0.09, 2.0 * 9.81 * 0.3, 2e-4, 10.0, 0.8);
    let [mut peak, mut square, mut output] = [0.0_f64; 3];
    for (k, (_, state)) in motion.iter().enumerate() {
        let (q, qd, qdd) = (state.q[0], state.qd[0], state.qdd[0]);
        let tau = inertia * qdd + weight * q.cos();
        let torque = n * rotor * qdd + if tau * qd > 0.0 { tau / (n * eta) } else { tau * eta / n };
        let ends = if k == 0 || k == count as usize { 0.5 } else { 1.0 };
        (peak, output) = (peak.max(torque.abs()), output.max(tau.abs()));
        square += ends * torque * torque / f64::from(count);
    }
    // Sums of 4000 terms.
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-11;
    assert!(close(fit.peak_torque.needed, peak), "{} {peak}", fit.peak_torque.needed);
    assert!(close(fit.rms_torque.needed, square.sqrt()), "{} {}", fit.rms_torque.needed, square.sqrt());
    assert!(close(fit.gear_torque.needed, output) && close(fit.speed.needed, n * amplitude * omega));
    assert!(close(fit.inertia_ratio.needed, inertia / (n * n * rotor)), "{}", fit.inertia_ratio.needed);
    let allowed = 2.0 - n * amplitude * omega / 2_f64.sqrt() / 300.0;
    // The root mean square of the speed of a sine, by 4000 samples of its whole period.
    assert!((fit.rms_torque.allowed / allowed - 1.0).abs() < 1e-9, "{} {allowed}", fit.rms_torque.allowed);
}

/// Each joint has its own answer; a joint that slides has none.
#[test]
fn joints_are_sized_one_by_one() {
    let robot = puma();
    let list = MotorList::find("akm44g").unwrap();
    let timed = MotionOrder::along("swing").timed(&robot.clone().try_into().unwrap(), &Pick::default(), 1.0).unwrap();
    let sizings = size(&in_joints(), &timed.motion.samples(1000), &list).unwrap();
    assert!(sizings.iter().map(|sizing| &sizing.joints[..]).eq([[1], [2], [3], [4], [5], [6]]));
    let needed: Vec<f64> = sizings.iter().map(|joint| joint.fits[0].gear_torque.needed).collect();
    println!("{needed:?}");
    // The shoulder carries the arm, the wrist next to nothing.
    assert!(needed[1] > 5.0 * needed[5]);
    // A tool's motion, turned into one of the joints, is sized the same way.
    let machine = machine();
    let travel = MotionOrder::default().timed_by(&machine, 1.0).unwrap().motion;
    let in_space = travel.samples(500);
    let turned = |(t, target): &(f64, Target)| (*t, Target::Joints(machine.load_of(target).unwrap().joints));
    let joints: Vec<(f64, Target)> = in_space.iter().map(turned).collect();
    let sizings = size(&in_joints(), &joints, &list).unwrap();
    assert_eq!(size(&machine, &in_space, &list).unwrap(), sizings);
    let survey = MotionSurvey::of(&machine, &travel, 500).unwrap();
    for (i, joint) in sizings.iter().enumerate() {
        assert!((joint.fits[0].speed.needed / (joint.fits[0].ratio * survey.joints[i].peak_speed) - 1.0).abs() < 1e-9);
    }
    let mut sliding = robot.clone();
    sliding = sliding.changed(|links, _| links[3].joint = dalembert::serial::Joint::Prismatic).unwrap();
    let sliding = Mover::of_joints(&sliding.try_into().unwrap(), &Pick::default());
    // A joint that slides is driven by a spindle.
    let sizings = size(&sliding, &joints, &list).unwrap();
    assert_eq!(sizings.iter().map(|joint| joint.slides).collect::<Vec<_>>(), [false, false, false, true, false, false]);
    assert!(sizings[3].fits.iter().all(|fit| fit.gear.as_deref().is_some_and(|gear| gear.contains("spindle"))));
}

#[test]
fn a_map_of_an_arm_has_a_reason_for_each_empty_place() {
    let machine = machine();
    let (center, room) = machine.room();
    let at = Placement { center, direction: X, measures: Measures::default() };
    let grid = MapGrid { center, half_width: 3.0 * room, count: 3 };
    let profile = ProfileChoice::SineOnRamp { ratio: 1.0 };
    let map = CycleMap::of(&machine, "pick-and-place", &at, &profile, &grid, &mut |_| true);
    assert_eq!(map.cells.len(), 9);
    assert!(map.cells[4].duration.is_ok());
    let reasons: Vec<String> =
        map.cells.iter().filter_map(|cell| cell.duration.as_ref().err()).map(ToString::to_string).collect();
    assert!(!reasons.is_empty());
    for reason in &reasons {
        let told = reason.contains("the path at s = ") || reason.contains("would have to jump by a whole turn");
        assert!(told, "{reason}");
    }
    // Limits of the arm hold in every place.
    assert!(machine.joints.iter().all(|joint| joint.limits != JointLimits::NONE));
}
