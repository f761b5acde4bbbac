//! Every model against every number of a robot: a number that the exact torque depends on changes a model's torque too, or
//! the model is refused, or the number is one of those that the model is known to replace.

use dalembert::parameter::{Slot, Visit};
use dalembert::robot::families::chain::ChainRobot;
use dalembert::robot::{JointState, Pick, Robot, State};
use dalembert::serial::SerialParameters;
use dalembert::spatial::Wrench;
use dalembert::{DeltaRobot, Vec3, robots};
use std::collections::BTreeSet;

/// A Delta that has a number for every key, different in each arm.
const EVERYTHING: &str = r#"
kind = "delta"
name = "everything"
gravity = [0.0, 0.0, -9.81]
[base]
radius = 0.25
azimuths = ["0 deg", "121 deg", "239 deg"]
[upper_arm]
length = [0.375, 0.37, 0.38]
mass = 1.40
center_of_mass = 0.122
center_of_mass_offset = 0
inertia = 0.035
elbow_mass = 0.1
[forearm]
length = 0.9
mass = 0.39
center_of_mass = 0.4
inertia = 0.02
[platform]
radius = 0.1
mass = 0.94
tool = [0.0, 0.0, -0.05]
[motor]
rotor_inertia = 1e-4
gear_ratio = 12.0
friction = { viscous = 0.3, coulomb = 1.1, static = 1.6, stribeck_velocity = 0.2, smoothing_velocity = 0.1 }
[joints]
passive_damping = 0.02
[payload]
mass = 0.5
"#;

/// Changes number `which` of a visit; `false` where there are fewer. Its name goes to `name`.
fn change(which: usize, name: &mut String, visit_all: impl FnOnce(&mut Visit<'_, f64>)) -> bool {
    let mut count = 0;
    visit_all(&mut |field, place, slot| {
        if count == which {
            *name = field.key.to_owned();
            match slot {
                Slot::Number(value) => *value = if *value == 0.0 { 1e-3 } else { *value * 1.01 },
                Slot::Angle(angle) => *angle = dalembert::Angle::from_radians(angle.radians() + 1e-3),
                Slot::Rotation(matrix) => {
                    let mut turn = [0.0; 3];
                    turn[place.component.unwrap_or(0)] = 1e-3;
                    *matrix =
                        matrix.product(dalembert::spatial::roll_pitch_yaw(turn.map(dalembert::Angle::from_radians)));
                }
            }
        }
        count += 1;
    });
    which < count
}

fn torque(robot: &Robot, model: &str, place: &dyn Fn(&Robot) -> State) -> Option<Vec<f64>> {
    Some(robot.build_model(model).ok()?.torque(&place(robot), Wrench::zero()).to_vec())
}

/// The keys that a model takes no notice of although the exact torque depends on them.
fn ignored(
    robot: &Robot,
    model: &str,
    place: &dyn Fn(&Robot) -> State,
    changed: &dyn Fn(usize, &mut String) -> Option<Robot>,
) -> BTreeSet<String> {
    let mut ignored = BTreeSet::new();
    // A model that is refused from the start has nothing to ignore.
    let Some(before) = torque(robot, model, place) else { return ignored };
    let exact = torque(robot, "exact", place).expect("always");
    // A change of a per cent moves the torque by more than this share of it, where it moves it at all.
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-10 * (1.0 + a.abs()));
    let mut name = String::new();
    for which in 0.. {
        let Some(other) = changed(which, &mut name) else { break };
        let matters = apart(&exact, &torque(&other, "exact", place).expect("always"));
        let unmoved = torque(&other, model, place).is_some_and(|after| !apart(&before, &after));
        if matters && unmoved {
            ignored.insert(name.clone());
        }
    }
    assert!(!name.is_empty());
    ignored
}

#[test]
fn no_model_ignores_a_number_in_silence() {
    // What the papers' derivations replace, as docs/papers says: rods are uniform bars; arms are, where an elbow mass is
    // given (Codourey) or always (Falezza's simplified model).
    let rods = ["forearm.center_of_mass", "forearm.inertia"];
    let rods_and_arms = ["forearm.center_of_mass", "forearm.inertia", "upper_arm.center_of_mass", "upper_arm.inertia"];
    let printed = ["forearm.center_of_mass", "forearm.inertia", "platform.mass", "upper_arm.center_of_mass"];
    for elbow_mass in [true, false] {
        let text = if elbow_mass { EVERYTHING.to_owned() } else { EVERYTHING.replace("elbow_mass = 0.1\n", "") };
        let delta = DeltaRobot::parse(&text).expect("a robot");
        let place = |robot: &Robot| {
            let mut tool = robot.home().expect("a pose").tool;
            tool.pose.origin = Vec3::new(0.1, -0.07, -0.75);
            (tool.velocity.linear, tool.acceleration.linear) = (Vec3::new(0.9, -0.4, 0.7), Vec3::new(3.0, 5.0, -2.0));
            robot.at_tool(&tool, &Pick::default()).expect("within reach")
        };
        let changed = |which: usize, name: &mut String| {
            let mut found = false;
            let other = delta.changed(|parameters| found = change(which, name, |visit| parameters.visit(visit)));
            found.then(|| Robot::new("other", other.expect("a robot")))
        };
        let robot = Robot::new("everything", delta.clone());
        for spec in robot.models() {
            let replaced: &[&str] = match spec.name {
                "exact" | "asadi" | "bortoff" => &[],
                "codourey" | "codourey-simplified" if elbow_mass => &rods_and_arms,
                "codourey" | "codourey-simplified" | "falezza-complete" => &rods,
                // As printed: no m₀ẍ in (19), −m₂g in ∂V/∂z, and no a₁ (docs/papers/falezza.md).
                "falezza-complete-printed" => &printed,
                _ => &rods_and_arms,
            };
            let found = ignored(&robot, spec.name, &place, &changed);
            assert_eq!(found, replaced.iter().map(|&key| key.to_owned()).collect(), "{}", spec.name);
        }
    }

    let file = robots::puma560().expect("built in");
    let place = |robot: &Robot| {
        let joints = JointState {
            q: [0.3, -0.8, 0.5, 0.4, 0.9, -0.6].into(),
            qd: [0.7, -0.5, 0.9, 1.1, -0.8, 0.6].into(),
            qdd: [1.5, 2.0, -1.0, 3.0, 2.5, -2.0].into(),
        };
        robot.at_joints(&joints, &Pick::default()).expect("a state")
    };
    let own = |parameters: &SerialParameters<f64, 6>| {
        let other = file.changed(|links, rest| {
            links.copy_from_slice(&parameters.links);
            (rest.gravity, rest.tool, rest.payload) = (parameters.gravity, parameters.tool, parameters.payload);
        });
        Some(Robot::new("other", ChainRobot::of_file(other.ok()?).expect("six joints")))
    };
    let bare = *file.arm.arm::<6>().expect("six joints").parameters();
    let mut loaded = bare;
    loaded.payload.mass = 2.0;
    loaded.payload.center_of_mass = Vec3::new(0.0, 0.0, 0.05);
    for (parameters, applying) in [(bare, 5), (loaded, 2)] {
        let robot = own(&parameters).expect("an arm");
        let applies = robot.models().iter().filter(|spec| robot.build_model(spec.name).is_ok()).count();
        assert_eq!(applies, applying, "printed tables and the derived program know no payload");
        for spec in robot.models() {
            let changed = |which: usize, name: &mut String| {
                let mut other = parameters;
                // No body has a product of inertia and no moment: such a change is refused, and another is tried.
                change(which, name, |visit| other.visit(visit))
                    .then(|| own(&other).or(own(&parameters)).expect("an arm"))
            };
            assert_eq!(ignored(&robot, spec.name, &place, &changed), BTreeSet::new(), "{}", spec.name);
        }
    }
}

/// The formula of symmetric Deltas, which columns take, has every number that the general one has.
#[test]
fn the_symmetric_formula_ignores_no_number() {
    // It knows neither friction nor a tool: columns of such robots take the general formula.
    let mut text = EVERYTHING.replace("[0.375, 0.37, 0.38]", "0.375");
    for (from, to) in [
        ("\"121 deg\", \"239 deg\"", "\"120 deg\", \"240 deg\""),
        ("tool = [0.0, 0.0, -0.05]\n", ""),
        ("passive_damping = 0.02\n", ""),
    ] {
        text = text.replace(from, to);
    }
    let text: String =
        text.lines().filter(|line| !line.starts_with("friction")).flat_map(|line| [line, "\n"]).collect();
    let delta = DeltaRobot::parse(&text).expect("a robot");
    assert!(delta.delta.symmetric().is_some());
    let (position, velocity, acceleration) =
        (Vec3::new(0.1, -0.07, -0.75), Vec3::new(0.9, -0.4, 0.7), Vec3::new(3.0, 5.0, -2.0));
    let columns = [position, velocity, acceleration].map(|vector| vector.0.map(|x| vec![x; 9]));
    let groups = columns.each_ref().map(|group| group.each_ref().map(Vec::as_slice));
    for which in 0.. {
        let (mut name, mut found) = (String::new(), false);
        // One number of all arms alike, so that the robot stays symmetric.
        let other = delta.changed(|parameters| {
            found = change(which, &mut name, |visit| parameters.visit(visit));
            let [first, ..] = parameters.arms;
            for arm in &mut parameters.arms {
                *arm = dalembert::delta::ArmParameters { azimuth: arm.azimuth, ..first };
            }
        });
        if !found {
            break;
        }
        let other = other.expect("a robot");
        let one = other
            .delta
            .at_position(other.delta.platform_of(position), dalembert::delta::Branch::Out)
            .expect("within reach");
        let one = one.moving(velocity).torque(acceleration);
        let mut out = [(); 3].map(|()| vec![0.0; 9]);
        let model = Robot::new("other", other).build_model("exact").expect("always");
        model
            .torques(groups.each_ref().map(|group| &group[..]), &mut out.each_mut().map(Vec::as_mut_slice))
            .expect("columns");
        for i in 0..3 {
            assert!((out[i][4] - one[i]).abs() < 1e-12 * (1.0 + one[i].abs()), "{name}: {} {}", out[i][4], one[i]);
        }
    }
}

/// A model that is refused says which numbers are in the way, and friction is not: it is added outside.
#[test]
fn a_refused_model_names_what_differs() {
    let heavier = Robot::find("puma560").expect("built in").with_payload(2.0).expect("can be");
    for name in ["explicit-a3", "abbreviated", "derived"] {
        let error = heavier.build_model(name).expect_err("a payload is not in its numbers");
        assert!(error.message.contains("payload.mass 2 kg instead of 0 kg"), "{}", error.message);
    }
    let file = robots::puma560().expect("built in");
    let other = file.changed(|links, _| links[1].body.mass = 40.0).expect("an arm");
    let other = Robot::new("other", ChainRobot::of_file(other).expect("six joints"));
    let error = other.build_model("abbreviated").expect_err("another link");
    assert!(error.message.contains("link 2: mass 40 kg instead of 17.4 kg"), "{}", error.message);
    let friction = dalembert::friction::Friction { viscous: 0.5, ..dalembert::friction::Friction::NONE };
    let rubbing = Robot::find("puma560").expect("built in").with_friction(Some(friction)).expect("can be");
    assert!(rubbing.build_model("abbreviated").is_ok() && rubbing.model("derived").is_err());
}
