//! What is refused where users enter: lists of joints with another length, states of another robot, poses whose joints mean other poses. And the
//! solution that is nearest to given joints.

use dalembert::delta::{Assembly, Branch};
use dalembert::robot::closed_loop::Plant;
use dalembert::robot::families::delta::DeltaPlant;
use dalembert::robot::linear_model::{Coordinates, Output};
use dalembert::robot::orientation::rotation;
use dalembert::robot::{
    JointKind, JointState, JointVector, Pick, Reason, Robot, State, StateError, ToolState, ToolTurns,
};
use dalembert::spatial::{Frame, Twist, Wrench};
use dalembert::{DeltaRobot, Vec3};
use dalembert_core::random::Random;
use std::f64::consts::TAU;

type Anything = Box<dyn std::error::Error>;

/// With a fourth axis.
const TURNING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/d3-1200-fourth-axis-assumed.toml");

const ROBOTS: [&str; 7] = ["d3-1200", TURNING, "linear-delta", "hexa", "hexaglide", "stewart", "puma560"];

/// Joints near home, moving.
fn moving(robot: &Robot) -> JointState {
    let (q, n) = (robot.home().unwrap().joints.q, robot.joints().len());
    let each = |size: f64| JointVector::from_fn(n, |i| size * (1.0 + 0.1 * i as f64));
    JointState { q: JointVector::from_fn(n, |i| q[i] + 0.01 * (1.0 + i as f64)), qd: each(0.2), qdd: each(0.5) }
}

fn cut(list: &JointVector) -> JointVector {
    JointVector::new(&list[..list.len() - 1])
}

fn longer(list: &JointVector) -> JointVector {
    JointVector::new(&[&list[..], &[0.0]].concat())
}

fn refused_as<T: std::fmt::Debug>(found: Result<T, StateError>, of: &'static str, expected: usize, length: usize) {
    let error = found.unwrap_err();
    let [counted, given] = [expected, length].map(|count| u32::try_from(count).unwrap());
    assert_eq!(error.reason, Reason::Length { of, expected: counted, found: given }, "{error}");
    assert!(error.text.contains(of) && error.text.contains(&expected.to_string()), "{error}");
}

#[test]
fn lists_of_joints_with_another_length_are_refused() -> Result<(), Anything> {
    let any = Pick::default();
    for name in ROBOTS {
        let robot = Robot::find(name)?;
        let (n, whole, model) = (robot.joints().len(), moving(&robot), robot.model("exact")?);
        let state = robot.at_joints(&whole, &any)?;
        for change in [cut, longer] {
            let len = change(&whole.q).len();
            refused_as(robot.at_joints(&JointState { q: change(&whole.q), ..whole.clone() }, &any), "q", n, len);
            refused_as(robot.at_joints(&JointState { qd: change(&whole.qd), ..whole.clone() }, &any), "qd", n, len);
            refused_as(robot.at_joints(&JointState { qdd: change(&whole.qdd), ..whole.clone() }, &any), "qdd", n, len);
            let near = Pick { near: Some(change(&whole.q)), ..Pick::default() };
            refused_as(robot.at_tool(&state.tool, &near), "near", n, len);
            let torque = change(&whole.q);
            refused_as(model.accelerated(&state, &torque, Wrench::zero()), "torque", n, len);
            let outputs = [Output::Joints];
            assert!(robot.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &outputs).is_err());
            // A state that was changed by hand.
            let mut spoiled = state.clone();
            spoiled.joints.qd = change(&whole.qd);
            refused_as(model.torque(&spoiled, Wrench::zero()), "qd", n, len);
        }
        // The combination that once passed.
        let short = JointState { qd: cut(&whole.qd), qdd: JointVector::NONE, ..whole.clone() };
        refused_as(robot.at_joints(&short, &any), "qd", n, n - 1);
        let rest = robot.at_joints(&JointState { q: whole.q.clone(), ..JointState::default() }, &any)?;
        assert_eq!(rest, robot.at_joints(&JointState::at_rest(whole.q.clone()), &any)?);
    }
    Ok(())
}

#[test]
fn states_belong_to_robots_of_one_geometry() -> Result<(), Anything> {
    let find = |change: &str| Robot::find_with("d3-1200", &[change.to_owned()]);
    let robot = Robot::find("d3-1200")?;
    let state = robot.at_joints(&moving(&robot), &Pick::default())?;
    let torque = JointVector::zero(3);
    let others =
        [Robot::find("asadi")?, Robot::find("linear-delta")?, Robot::find("puma560")?, find("forearm.length=0.91")?];
    for other in others {
        let model = other.model("exact")?;
        let refused = [
            model.torque(&state, Wrench::zero()).err(),
            model.accelerated(&state, &JointVector::zero(other.joints().len()), Wrench::zero()).err(),
            model.gravity_torque(&state).err(),
            model.friction(&state).err(),
            model.mass_matrix(&state).err(),
            model.torque_of_wrench(&state, Wrench::zero()).err(),
            model.ball_angles(&state).err(),
            model.tool_mass(&state).err(),
            other.torque_of_wrench(&state, Wrench::zero()).err(),
            other.jacobian(&state).err(),
            other.energy(&state).err(),
            other.explain(&state, Wrench::zero()).err(),
            other.equations_of_motion(&state).map(|_| ()).err(),
        ];
        for error in refused {
            assert_eq!(error.map(|error| error.reason), Some(Reason::OtherRobot), "{}", other.name);
        }
        assert!(other.torque_derivatives(&state).is_err());
        assert!(other.linearize(&state, &torque, Wrench::zero(), Coordinates::Joint, &[Output::Joints]).is_err());
    }
    // The same geometry: what it carries, how it rubs and where it stands are other models of the same state.
    for same in [
        Robot::find("d3-1200")?,
        robot.with_payload(2.0)?,
        robot.with_gravity(Vec3::zero())?,
        find("forearm.mass=0.5")?,
        Robot::parse(&robot.to_toml().ok_or("it has a file")?)?,
    ] {
        assert!(same.model("exact")?.torque(&state, Wrench::zero()).is_ok(), "{}", same.name);
    }
    Ok(())
}

fn gap(robot: &Robot, a: &JointVector, b: &JointVector) -> f64 {
    let joints = robot.joints();
    let off = |i: usize| {
        let off = a[i] - b[i];
        let turns = if joints[i].kind == JointKind::Revolute { (off / TAU).round() } else { 0.0 };
        (off - TAU * turns).abs()
    };
    (0..joints.len()).map(off).fold(0.0, f64::max)
}

/// Every way in which the legs of a pose can be, as far as joints mean this pose: `near` gives it, and the state is a state.
#[test]
fn near_chooses_among_all_solutions() -> Result<(), Anything> {
    for (name, legs) in [("d3-1200", 3), (TURNING, 3), ("linear-delta", 3), ("hexa", 6)] {
        let robot = Robot::find(name)?;
        let mut tool = robot.home()?.tool;
        tool.velocity.linear = Vec3::new(0.1, -0.2, 0.05);
        tool.acceleration.linear = Vec3::new(1.0, 0.5, -2.0);
        tool.pose.origin = tool.pose.origin + Vec3::new(0.01, 0.02, -0.01);
        // The two solutions of each leg, from whatever states there are.
        let near = |q: JointVector| Pick { near: Some(q), ..Pick::default() };
        let (n, usual) = (robot.joints().len(), robot.at_tool(&tool, &Pick::default())?.joints.q);
        let mut found = 0;
        for mask in 0..1_u32 << legs {
            // From the usual solution to where a folded leg would be: far beyond any usual joint.
            let asked = JointVector::from_fn(n, |i| usual[i] + if mask >> i & 1 == 1 { 2.5 } else { 0.0 });
            let state = match robot.at_tool(&tool, &near(asked.clone())) {
                Ok(state) => state,
                Err(error) => {
                    assert!(matches!(error.reason, Reason::Singular(_) | Reason::NoPose), "{name}: {error}");
                    continue;
                }
            };
            found += 1;
            for i in 0..legs {
                let moved = (state.joints.q[i] - usual[i]).abs() > 1e-9;
                assert!(!moved || mask >> i & 1 == 1, "{name}: leg {i} is not nearest");
            }
            let back = robot.at_joints(&state.joints, &state.pick)?;
            let off = back.tool.pose.origin - tool.pose.origin;
            assert!(off.norm_squared().sqrt() < 1e-9, "{name} {mask}: {off:?}");
            // Given by the tool or by the joints, the dynamics are the same.
            let model = robot.model("exact")?;
            let [one, other] = [&state, &back].map(|state| model.torque(state, Wrench::zero()));
            let (one, other) = (one?, other?);
            let size = one.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            assert!((0..n).all(|i| (one[i] - other[i]).abs() < 1e-6 * size), "{name} {mask}: {one:?} {other:?}");
            let again = robot.at_tool(&tool, &near(state.joints.q.clone()))?;
            assert!(gap(&robot, &again.joints.q, &state.joints.q) < 1e-9, "{name} {mask}");
        }
        println!("{name}: {found} solutions");
        assert!(found > 1, "{name}");
    }
    // An arm: near each of its solutions is that solution.
    let puma = Robot::find("puma560")?;
    let tool = puma.at_joints(&moving(&puma), &Pick::default())?.tool;
    for state in puma.solutions(&tool) {
        let again = puma.at_tool(&tool, &Pick { near: Some(state.joints.q.clone()), ..Pick::default() })?;
        assert!(gap(&puma, &again.joints.q, &state.joints.q) < 1e-9);
    }
    Ok(())
}

/// Of random poses those that inverse kinematics accepts are what forward kinematics says of their joints.
#[test]
fn accepted_poses_are_those_of_their_joints() -> Result<(), Anything> {
    const POSES: usize = 120;
    let built_in = ["d3-1200", "asadi", "linear-delta", "hexa", "hexaglide", "stewart"].map(str::to_owned);
    let path = |name| format!("{}/../../golden/robots/parallel-{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut beyond = 0;
    for name in built_in.into_iter().chain(["a", "b", "c", "d", "e", "f", "g"].map(path)) {
        let robot = Robot::find(&name)?;
        let home = robot.home()?.tool.pose;
        let turns = robot.kind().tool_turns == ToolTurns::Freely;
        let reach = 1.2 * robot.reachable_sphere(&home.rotation, &Pick::default())?.radius.min(0.4) + 0.02;
        let (mut random, mut accepted) = (Random(5), 0);
        for _ in 0..POSES {
            let place = Vec3::from_fn(|_| random.within(-reach, reach));
            let turn = rotation([0, 1, 2].map(|_| random.within(-0.5, 0.5)));
            let pose = Frame {
                origin: home.origin + place,
                rotation: if turns { turn.product(home.rotation) } else { home.rotation },
            };
            let tool = ToolState { pose, velocity: Twist::zero(), acceleration: Twist::zero(), turn: 0.0 };
            let state = match robot.at_tool(&tool, &Pick::default()) {
                Ok(state) => state,
                Err(error) => {
                    beyond += usize::from(error.text.contains("type 2") || error.text.contains("mean another"));
                    continue;
                }
            };
            accepted += 1;
            let back = robot.at_joints(&JointState::at_rest(state.joints.q.clone()), &Pick::default())?.tool.pose;
            // Near singular poses joints tell less of the platform.
            let off = (back.origin - pose.origin).norm_squared().sqrt();
            assert!(off < 1e-9, "{name}: {off:e} at {pose:?}");
            assert!((0..3).all(|i| (back.rotation - pose.rotation)[i].norm_squared() < 1e-16), "{name}");
        }
        println!("{name}: {accepted} of {POSES}");
        assert!(accepted > POSES / 10, "{name}: {accepted}");
    }
    assert!(beyond > 20, "{beyond}");
    Ok(())
}

/// The other assembly mode of a Delta is there for those who ask for it; nobody gets from one to the other while a loop is closed.
#[test]
fn the_other_assembly_has_to_be_asked_for() -> Result<(), Anything> {
    let robot = Robot::find("d3-1200")?;
    let delta = robot.of_type::<DeltaRobot>().ok_or("a Delta")?.delta;
    let mut random = Random(1);
    let home = robot.home()?.tool.pose.origin;
    let side = delta.at_position(home, Branch::Out)?.rod_determinant();
    let pose = (0..1000).find_map(|_| {
        let place = Vec3::from_fn(|i| random.within(-0.9, 0.9) - if i == 2 { 0.6 } else { 0.0 });
        let pose = delta.at_position(place, Branch::Out).ok()?;
        (pose.assembly() == Assembly::Above && pose.rod_determinant() * side < 0.0).then_some(pose)
    });
    let pose = pose.ok_or("such a pose")?;
    let tool = ToolState::translating(pose.position, Vec3::zero(), Vec3::zero());
    let error = robot.at_tool(&tool, &Pick::default()).unwrap_err();
    assert!(matches!(error.reason, Reason::Singular(_)) && error.text.contains("type 2"), "{error}");
    let asked = Pick { assembly: Some(Assembly::Above), ..Pick::default() };
    let state: State = robot.at_tool(&tool, &asked)?;
    let back = robot.at_joints(&state.joints, &asked)?;
    assert!((back.tool.pose.origin - pose.position).norm_squared() < 1e-20);

    let mut plant = DeltaPlant::new(&delta, Branch::Out);
    plant.joints(0.0, home.0, [0.0; 3])?;
    let error = plant.joints(0.001, pose.position.0, [0.0; 3]).unwrap_err();
    assert!(error.text.contains("type 2"), "{error}");
    Ok(())
}
