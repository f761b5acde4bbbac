//! Scene files: every mistake is found, placed and explained.

use dalembert::cell::Scene;

/// A scene with everything in it.
const WHOLE: &str = r#"kind = "scene"
name = "whole"
[run]
duration = "20 ms"
every = "10 ms"
formulation = "projected"
integrator = "dormand-prince"
tolerance = 1e-9
[[robot]]
name = "robot"
robot = "d3-1200"
position = [0, 0, "100 mm"]
rotation = "30 deg"
start = { joints = ["45 deg", "45 deg", "45 deg"] }
torque = "hold"
push = [0, 0, 1]
[[body]]
name = "brick"
shape = "box"
size = [0.06, 0.03, 0.02]
mass = "60 g"
position = [0, 0, -1.99]
rpy = [0, 0, "20 deg"]
[[body]]
name = "arm"
motion = "pendulum"
shape = "box"
size = [0.2, 0.01, 0.01]
mass = 0.1
pivot = [1, 0, 0]
angle = "-80 deg"
torque = 0.0
[[body]]
name = "weight"
shape = "point"
mass = 0.1
position = [2, 0, 0]
[[constraint]]
name = "string"
kind = "distance"
a = { at = [2, 0, 1] }
b = "weight"
length = 1.0
[[constraint]]
name = "sway"
kind = "prescribed"
of = "arm"
coordinate = 1
offset = "-80 deg"
amplitude = "1 deg"
frequency = 6.0
[[constraint]]
name = "hold"
kind = "coincident"
a = { on = "robot", at = [0, 0, -0.1] }
b = "brick"
open = true
[[push]]
place = "weight"
force = [0.1, 0, 0]
[[surface]]
name = "floor"
shape = "plane"
through = [0, 0, -2]
[[contact]]
of = "brick"
on = "floor"
restitution = 0.3
[[event]]
time = "5 ms"
release = "hold"
"#;

#[test]
fn a_scene_with_everything_runs() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(WHOLE, None)?;
    let outcome = scene.cell.run(&scene.settings, &mut |_| true)?;
    outcome.ended?;
    assert_eq!(outcome.recording.rows(), 3);
    for name in ["robot.x", "brick.qw", "arm.angle", "weight.vz", "string.f", "sway.f", "hold.fx", "brick on floor.fn"]
    {
        assert!(outcome.recording.column(name).is_some(), "{name}");
    }
    Ok(())
}

/// What is replaced by what, the line of the complaint, a part of it and a part of the hint.
#[test]
fn mistakes_are_located_and_explained() {
    let mistakes = [
        ("[run]", "[rum]", "unknown key `rum` at the top", "`run`"),
        ("every = ", "evry = ", "unknown key `evry` in [run]", "`every`"),
        ("\"20 ms\"", "\"20 mm\"", "a length, but a time", "500 ms"),
        ("\"20 ms\"", "-1", "must be positive", "500 ms"),
        ("\"projected\"", "\"projectd\"", "`run.formulation` is \"projectd\"", "\"projected\""),
        ("\"dormand-prince\"", "\"rk4\"", "`run.tolerance` does not go with rk4", "step"),
        ("robot = \"d3-1200\"", "robot = \"d3-1201\"", "no robot and no file", "`d3-1200`"),
        ("robot = \"d3-1200\"", "robot = \"missing.toml\"", "cannot read", "folder"),
        ("start = { joints", "start = { joint", "unknown key `joint` in [robot.1.start]", "`joints`"),
        ("\"45 deg\", \"45 deg\", \"45 deg\"", "\"45 deg\", \"45 deg\"", "3 joints", "workspace"),
        ("joints = [\"45 deg\", \"45 deg\", \"45 deg\"]", "position = [0, 0, -9]", "the start of `robot`", "workspace"),
        (
            "start = { joints = [\"45 deg\", \"45 deg\", \"45 deg\"] }",
            "start = { position = [0, 0, -1], joint_velocity = [0, 0, 1] }",
            "`joint_velocity` without `joints`",
            "give both",
        ),
        ("\"dormand-prince\"", "\"rattle\"", "`run.tolerance` does not go with rattle", "radau"),
        ("\"dormand-prince\"", "\"raddau\"", "is \"raddau\"", "\"radau\""),
        ("torque = \"hold\"\npush = [0, 0, 1]", "torque = [1, 2]", "2 entries, but there are 3 motors", "hold"),
        ("torque = \"hold\"", "torque = \"zero\"", "`push` goes with torque = \"hold\"", ""),
        ("name = \"brick\"", "name = \"robot\"", "the name `robot` is taken", "name of its own"),
        ("name = \"brick\"", "name = \"a.b\"", "cannot be a name", "column"),
        ("shape = \"box\"\nsize = [0.06", "shape = \"boxx\"\nsize = [0.06", "is \"boxx\"", "\"box\""),
        ("size = [0.06, 0.03, 0.02]", "size = [0.06, -0.03, 0.02]", "must be positive", ""),
        ("mass = \"60 g\"", "mass = 0", "`body.1.mass` is 0", "as in"),
        ("mass = \"60 g\"\n", "", "[body.1] has no `mass`", "a mass"),
        ("rpy = [0, 0, \"20 deg\"]", "pivot = [0, 0, 0]", "`pivot` does not go with motion = \"free\"", ""),
        ("position = [2, 0, 0]", "position = [2, 0, nan]", "not a number", ""),
        ("kind = \"distance\"", "kind = \"distanc\"", "is \"distanc\"", "\"distance\""),
        ("length = 1.0", "length = 0", "must be positive", ""),
        ("length = 1.0", "normal = [0, 0, 1]", "`normal` does not go", "length"),
        ("b = \"weight\"\nlength", "b = \"wieght\"\nlength", "no robot or body `wieght`", "`weight`"),
        ("coordinate = 1", "coordinate = 2", "`coordinate` is 2", "there is one"),
        ("open = true", "open = \"yes\"", "must be true or false", "quotes"),
        ("on = \"floor\"", "on = \"flor\"", "`flor`", "`floor`"),
        ("on = \"floor\"", "on = \"brick\"", "cannot touch itself", ""),
        ("on = \"floor\"", "on = \"weight\"", "nothing touches the surface `floor`", "[[contact]]"),
        ("restitution = 0.3", "restitution = 1.5", "restitution is 1.5", "contact"),
        ("release = \"hold\"", "release = \"hodl\"", "no constraint `hodl`", "`hold`"),
        ("release = \"hold\"", "grip = \"hold\"\nrelease = \"hold\"", "either `grip` or `release`", "one"),
        ("time = \"5 ms\"", "time = \"-5 ms\"", "begins at 0", ""),
        ("time = \"5 ms\"", "touch = \"brick on flor\"", "no contact", "`brick on floor`"),
    ];
    let mut wrong = Vec::new();
    for (from, to, problem, hint) in mistakes {
        assert!(WHOLE.contains(from), "{from}");
        let Err(error) = Scene::parse(&WHOLE.replacen(from, to, 1), None) else {
            wrong.push(format!("{to}: accepted"));
            continue;
        };
        let line = WHOLE[..WHOLE.find(from).unwrap_or(0)].lines().count().max(1);
        let near = error.location.line.abs_diff(line) <= 8;
        let found = error.problem.contains(problem) && error.hint.as_deref().unwrap_or("").contains(hint);
        if !(near && found) {
            wrong.push(format!("{to}: {error}, {:?}, line about {line}", error.hint));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (text, problem) in [
        ("name = \"x\"", "missing key `kind`"),
        ("kind = \"delta\"", "this is not a scene"),
        ("kind = \"scene\"\nname = \"x\"", "missing key `robot`"),
    ] {
        let error = Scene::parse(text, None).map(|_| ()).unwrap_err();
        assert!(error.problem.contains(problem), "{error}");
    }
}

/// A surface that is misspelt is found at its line; spelt right, the scene runs.
#[test]
fn a_misspelt_surface() {
    let text = r#"
kind = "scene"
name = "drop"
[run]
duration = "300 ms"
[[body]]
name = "ball"
shape = "sphere"
radius = "20 mm"
mass = "50 g"
position = [0, 0, "200 mm"]
[[surface]]
name = "floor"
shape = "plane"
[[contact]]
of = "ball"
on = "flor"
"#;
    let error = Scene::parse(text, None).unwrap_err();
    assert_eq!((error.location.line, error.hint.as_deref()), (17, Some("did you mean `floor`?")));
    let scene = Scene::parse(&text.replace("flor", "floor"), None).unwrap();
    assert!(scene.cell.run(&scene.settings, &mut |_| true).unwrap().ended.is_ok());
}
