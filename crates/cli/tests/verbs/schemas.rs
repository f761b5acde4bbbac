//! One schema of JSON for all families: whoever reads the report of a Delta reads that of an arm. `docs/json.md` has every key.

use crate::common::{Done, json};
use serde_json::Value;
use std::collections::BTreeSet;

/// What differs by design: the parameters have the keys of the robot's file.
const OF_THE_FILE: &str = "parameters";

/// Every key of `a`, and where `b` has others in the same place.
fn compare(a: &Value, b: &Value, path: &str, keys: &mut BTreeSet<String>, different: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(first), Value::Object(second)) => {
            let names = |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<BTreeSet<_>>();
            if names(first) != names(second) {
                different.push(format!("{path}: {:?} and {:?}", names(first), names(second)));
            }
            for (key, value) in first {
                keys.insert(key.clone());
                if key != OF_THE_FILE
                    && let Some(other) = second.get(key)
                {
                    compare(value, other, &format!("{path}.{key}"), keys, different);
                }
            }
        }
        (Value::Array(first), Value::Array(second)) => {
            if let (Some(first), Some(second)) = (first.first(), second.first()) {
                compare(first, second, &format!("{path}[]"), keys, different);
            }
        }
        // A number that a robot does not have is null.
        (Value::Null, _) | (_, Value::Null) => {}
        (a, b) => {
            if std::mem::discriminant(a) != std::mem::discriminant(b) {
                different.push(format!("{path}: {a} and {b}"));
            }
        }
    }
}

#[test]
fn one_schema_for_all_families() -> Done {
    let page = include_str!("../../../../docs/json.md");
    for verb in ["check", "robots show", "size", "ops", "simulate"] {
        let of = |robot: &str| {
            let words: Vec<&str> = verb.split(' ').chain([robot, "--json"]).collect();
            json(&words)
        };
        let (mut keys, mut different) = (BTreeSet::new(), Vec::new());
        compare(&of("d3-1200")?, &of("puma560")?, verb, &mut keys, &mut different);
        assert!(different.is_empty(), "{different:#?}");
        assert!(keys.len() > 5);
        let missing: Vec<&String> = keys.iter().filter(|key| !page.contains(key.as_str())).collect();
        assert!(missing.is_empty(), "{verb}: docs/json.md lacks {missing:?}");
    }
    Ok(())
}
