//! JSON schemas of types that serialise as something else than their fields.

#![allow(dead_code)] // Nobody makes a value of these.

use crate::control::ControlRun;
use crate::identify::fit::Score;
use crate::identify::friction::FrictionCurve;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// A residual over a torque, in per cent.
#[derive(JsonSchema)]
struct SerialisedScore {
    /// Of all joints.
    percent: f64,
    /// Of each joint.
    joints: Vec<f64>,
}

/// A fitted friction curve.
#[derive(JsonSchema)]
struct SerialisedCurve {
    /// From 1.
    joint: usize,
    viscous: f64,
    coulomb: f64,
    static_minus_coulomb: Option<f64>,
    stribeck_velocity: Option<f64>,
    smoothing_velocity: Option<f64>,
    /// Of these, by rows.
    covariance: Vec<Vec<f64>>,
}

/// A run under a control law; docs/json.md has all of its figures.
#[derive(JsonSchema)]
struct SerialisedRun {
    law: String,
    /// Why it ended early.
    ended: Option<String>,
    /// Largest share of a limit; 0 without limits.
    torque_used: f64,
    /// Largest share of a limit; 0 without limits.
    speed_used: f64,
    #[serde(flatten)]
    figures: serde_json::Map<String, serde_json::Value>,
}

macro_rules! serialises_as {
    ($($type:ty, $as:ty, $name:literal;)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$as>::json_schema(generator)
            }
        }
    )*};
}

serialises_as! {
    Score, SerialisedScore, "Score";
    FrictionCurve, SerialisedCurve, "FrictionCurve";
    ControlRun, SerialisedRun, "ControlRun";
}
