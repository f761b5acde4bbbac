//! `docs/schemas` has the JSON schema of every outcome, and outcomes keep to theirs.
//!
//! After a wanted change: `UPDATE_DOCS=1 cargo test --release -p dalembert --test verbs schemas::`, and read what has changed.

use crate::Anything;
use dalembert::control::Law;
use dalembert::motion::MotorList;
use dalembert::robot::Robot;
use dalembert::robot::map::Kind;
use dalembert::verbs::bench::{BenchOutcome, BenchRequest, bench};
use dalembert::verbs::calibrate::CalibrateOutcome;
use dalembert::verbs::cycle::CycleOutcome;
use dalembert::verbs::derive::{DeriveCacheOutcome, DeriveOutcome};
use dalembert::verbs::excite::ExciteOutcome;
use dalembert::verbs::identify::IdentifyOutcome;
use dalembert::verbs::linear::LinearModelRequest;
use dalembert::verbs::linear::linearize::{LinearizeOutcome, LinearizeRequest, linearize};
use dalembert::verbs::linear::poles::{PolesOutcome, poles};
use dalembert::verbs::linear::under_law::{LawPoles, LawPolesRequest, law_poles};
use dalembert::verbs::map::{MapOutcome, MapRequest, map};
use dalembert::verbs::motion::MotionRequest;
use dalembert::verbs::sensitivity::{SensitivityOutcome, SensitivityRequest, sensitivity};
use dalembert::verbs::simulate::{SimulateOutcome, SimulateRequest, simulate};
use dalembert::verbs::size::{SizeOutcome, SizeRequest, size};
use dalembert::verbs::smooth::SmoothOutcome;
use dalembert::verbs::stability::{StabilityOutcome, StabilityRequest, stability};
use dalembert::verbs::trajectory::{TrajectoryOutcome, TrajectoryRequest, trajectory};
use dalembert::verbs::{
    CheckOutcome, CheckRequest, CompareOutcome, CompareRequest, ExplainOutcome, ExplainRequest, Finding, Metric,
    OpsOutcome, OpsRequest, RobotDescription, RobotSource, RobotsOutcome, RowsOutcome, check, compare, explain, ops,
    robots,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// A number that is not finite is null in JSON, and so is a limit that is not there.
fn nullable_numbers(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(nullable_numbers);
            if object.get("type") == Some(&json!("number")) {
                object.insert("type".into(), json!(["number", "null"]));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(nullable_numbers),
        _ => {}
    }
}

/// The schema of what a type serialises to.
fn of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    nullable_numbers(&mut schema);
    schema
}

/// Every outcome with the name of its file.
fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("bench", of::<BenchOutcome>()),
        ("calibrate", of::<CalibrateOutcome>()),
        ("check", of::<CheckOutcome>()),
        ("compare", of::<CompareOutcome>()),
        ("cycle", of::<CycleOutcome>()),
        ("derive", of::<DeriveOutcome>()),
        ("derive-cache", of::<DeriveCacheOutcome>()),
        ("excite", of::<ExciteOutcome>()),
        ("explain", of::<ExplainOutcome>()),
        ("finding", of::<Finding>()),
        ("identify", of::<IdentifyOutcome>()),
        ("linearize", of::<LinearizeOutcome>()),
        ("map", of::<MapOutcome>()),
        ("metric", of::<Metric>()),
        ("ops", of::<OpsOutcome>()),
        ("poles", of::<PolesOutcome>()),
        ("poles-under-law", of::<LawPoles>()),
        ("robot", of::<RobotDescription>()),
        ("robot-source", of::<RobotSource>()),
        ("robots", of::<RobotsOutcome>()),
        ("rows", of::<RowsOutcome>()),
        ("sensitivity", of::<SensitivityOutcome>()),
        ("simulate", of::<SimulateOutcome>()),
        ("size", of::<SizeOutcome>()),
        ("smooth", of::<SmoothOutcome>()),
        ("stability", of::<StabilityOutcome>()),
        ("trajectory", of::<TrajectoryOutcome>()),
    ]
}

#[test]
fn the_stored_schemas_are_those_of_the_library() -> Result<(), Anything> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for (name, schema) in all() {
        let file = folder.join(format!("{name}.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema)?);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(&file, &text)?;
        }
        let stored = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(stored, text, "docs/schemas/{name}.json is stale; UPDATE_DOCS=1 renews it");
    }
    let files = std::fs::read_dir(&folder)?.count();
    assert_eq!(files, all().len(), "docs/schemas has files that no outcome has");
    Ok(())
}

/// Where a value does not keep to a schema, if anywhere: the keywords that these schemas use.
fn mismatch(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let Some(schema) = schema.as_object() else { return (schema == &json!(false)).then(|| path.to_owned()) };
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
        return mismatch(root, target, value, path);
    }
    for any in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()) {
        let all: Vec<Option<String>> = any.iter().map(|one| mismatch(root, one, value, path)).collect();
        if all.iter().all(Option::is_some) {
            return all.into_iter().flatten().max_by_key(String::len);
        }
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |name: &Value| name == kind || (name == "number" && kind == "integer");
    let fits = match schema.get("type") {
        Some(Value::Array(all)) => all.iter().any(is),
        Some(name) => is(name),
        None => true,
    };
    if !fits || schema.get("const").is_some_and(|only| only != value) {
        return Some(format!("{path}: {value} is not {}", schema.get("type").unwrap_or(&Value::Null)));
    }
    match value {
        Value::Object(object) => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let missing = required.filter_map(Value::as_str).find(|name| !object.contains_key(*name));
            let properties = schema.get("properties").and_then(Value::as_object);
            let below = |(name, value): (&String, &Value)| {
                mismatch(root, properties?.get(name)?, value, &format!("{path}.{name}"))
            };
            missing.map(|name| format!("{path}.{name} is missing")).or_else(|| object.iter().find_map(below))
        }
        Value::Array(values) => {
            let items = schema.get("items")?;
            values.iter().enumerate().find_map(|(k, value)| mismatch(root, items, value, &format!("{path}[{k}]")))
        }
        _ => None,
    }
}

fn keeps_to(name: &str, outcome: &impl Serialize) -> Result<(), Anything> {
    let all = all();
    let (_, schema) = all.iter().find(|(other, _)| *other == name).ok_or("no such schema")?;
    assert_eq!(mismatch(schema, schema, &serde_json::to_value(outcome)?, name), None);
    Ok(())
}

#[test]
fn outcomes_keep_to_their_schemas() -> Result<(), Anything> {
    keeps_to("robots", &robots()?)?;
    for name in ["d3-1200", "puma560"] {
        let robot = || Robot::find(name);
        keeps_to("check", &check(&CheckRequest { robot: robot()? }, &mut ())?)?;
        keeps_to("explain", &explain(&ExplainRequest::new(robot()?), &mut ())?)?;
        keeps_to("compare", &compare(&CompareRequest::new(robot()?), &mut ())?)?;
        keeps_to("ops", &ops(&OpsRequest { quick: true, ..OpsRequest::new(robot()?) }, &mut ())?)?;
        keeps_to("simulate", &simulate(&SimulateRequest::new(robot()?), &mut ())?)?;
        let motion = || robot().map(MotionRequest::new);
        keeps_to("trajectory", &trajectory(&TrajectoryRequest::new(motion()?), &mut ())?)?;
        let motors = MotorList::find("akm44g")?;
        keeps_to("size", &size(&SizeRequest { motion: motion()?, motors }, &mut ())?)?;
        let model = || Ok::<_, Anything>(LinearModelRequest::new(robot()?, robot()?.home()?));
        keeps_to("poles", &poles(&model()?, &mut ())?)?;
        let under = LawPolesRequest::new(robot()?, robot()?.home()?, Law::ComputedTorque);
        keeps_to("poles-under-law", &law_poles(&under, &mut ())?)?;
        keeps_to("linearize", &linearize(&LinearizeRequest { model: model()?, step: None, feedback: None }, &mut ())?)?;
        keeps_to("stability", &stability(&StabilityRequest { robot: robot()?, torque: None }, &mut ())?)?;
        keeps_to("map", &map(&MapRequest { count: 5, ..MapRequest::new(robot()?, Kind::Reach) }, &mut ())?)?;
        let request = SensitivityRequest { samples: Some(10), ..SensitivityRequest::new(robot()?, robot()?.home()?) };
        keeps_to("sensitivity", &sensitivity(&request, &mut ())?)?;
    }
    Ok(())
}

/// Requests are data: a robot by name, with changes, or as the text of its file.
#[test]
fn requests_come_as_json() -> Result<(), Anything> {
    let by_name: CheckRequest = serde_json::from_value(json!({ "robot": "d3-1200" }))?;
    let again: CheckRequest = serde_json::from_value(serde_json::to_value(&by_name)?)?;
    assert_eq!(
        serde_json::to_value(check(&by_name, &mut ())?.home)?,
        serde_json::to_value(check(&again, &mut ())?.home)?
    );
    let changed = json!({ "robot": { "file": "asadi", "set": ["platform.mass=2"] }, "torque": [-0.8, -0.8, -0.8] });
    let request: StabilityRequest = serde_json::from_value(changed)?;
    keeps_to("stability", &stability(&request, &mut ())?)?;
    let quick: OpsRequest = serde_json::from_value(json!({ "robot": "asadi", "quick": true }))?;
    assert!(quick.quick && quick.budget.is_zero());
    let measured = json!({ "break-away": { "forward": [6.0, 6.4, 6.2], "backward": [-5.0, -5.2, -4.8] } });
    let request: BenchRequest = serde_json::from_value(measured)?;
    keeps_to("bench", &bench(&request, &mut ())?)?;
    let unknown = serde_json::from_value::<CheckRequest>(json!({ "robot": "nonsense" }));
    assert!(unknown.is_err_and(|error| error.to_string().contains("nonsense")));
    Ok(())
}
