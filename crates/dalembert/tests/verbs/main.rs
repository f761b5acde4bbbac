//! The verbs as functions of the library, without the command.

mod bench;
mod calibrate;
mod check;
mod cycle;
mod derive;
mod excite;
mod identify;
mod linear;
mod map;
mod models;
mod rows;
mod schemas;
mod sensitivity;
mod simulate;
mod size;
mod smooth;
mod stability;
mod trajectory;

use dalembert::verbs::Outcome;

type Anything = Box<dyn std::error::Error>;

/// A metric by its name.
fn metric(outcome: &impl Outcome, name: &str) -> f64 {
    let metrics = outcome.metrics();
    metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no metric {name}: {metrics:?}")).value
}

/// The keys of an outcome's JSON, in their order.
fn keys(outcome: &impl Outcome) -> Vec<String> {
    let json = serde_json::to_value(outcome).expect("an outcome serialises");
    json.as_object().expect("an object").keys().cloned().collect()
}
