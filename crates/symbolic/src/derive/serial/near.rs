//! Numbers that look as if they were meant to be others: a twist that is nearly a quarter turn, lengths that are nearly equal.
//!
//! They are taken as they are, which can cost many operations; so they are reported by name, and on request ([`snapped`]) taken for
//! what they may mean.

use super::changed;
use crate::derive::symbols::Symbol;
use dalembert_core::algebra::Angle;
use dalembert_core::chain::{Chain, ChainParameters};
use dalembert_core::parameter::{Field, Place, Slot, Unit};
use serde::Serialize;
use std::f64::consts::FRAC_PI_2;

/// Nearer than this, in radians or as a share, two numbers may have been meant to be one.
const SUSPICIOUS: f64 = 1e-4;

/// A number, and what it may have been meant to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearNumber {
    /// Its name: `alpha4`, `cx2`.
    pub name: String,
    /// As the file has it, SI.
    pub value: f64,
    /// What it is near to.
    pub meant: f64,
}

impl NearNumber {
    /// How far it is from that: radians of an angle, else a share.
    fn distance(&self) -> f64 {
        let scale =
            if self.name.starts_with("alpha") || self.name.starts_with("theta") { 1.0 } else { self.meant.abs() };
        (self.value - self.meant).abs() / scale
    }
}

/// The least power of ten that takes all of these for what they may mean.
pub(super) fn least_snap(numbers: &[NearNumber]) -> f64 {
    let far = numbers.iter().map(NearNumber::distance).fold(0.0, f64::max);
    10.0_f64.powi((1.01 * far).log10().ceil() as i32)
}

/// The numbers of an arm that are near to others.
pub(super) fn near(arm: &Chain<f64>) -> Vec<NearNumber> {
    let mut found = Vec::new();
    change(&mut arm.parameters().clone(), SUSPICIOUS, &mut found);
    found
}

/// The arm with every number that is so near to another taken for it, and which those are.
pub(super) fn snapped(arm: &Chain<f64>, within: f64) -> (Chain<f64>, Vec<NearNumber>) {
    let mut found = Vec::new();
    (changed(arm, |parameters| change(parameters, within, &mut found)), found)
}

fn change(parameters: &mut ChainParameters<f64>, within: f64, found: &mut Vec<NearNumber>) {
    let name = |field: &Field, place: Place| {
        let mark = match place.part {
            Some(part) => (part + 1).to_string(),
            None if field.key.starts_with("payload.") => "p".into(),
            None => String::new(),
        };
        Symbol::of(field, place, &mark, "", false).name
    };
    // The numbers of a kind; the one with the fewest digits is what the others mean.
    let mut known: Vec<(Unit, f64)> = Vec::new();
    parameters.visit(&mut |field, _, slot| {
        if let Slot::Number(value) = slot
            && *value != 0.0
        {
            known.push((field.unit, value.abs()));
        }
    });
    known.sort_by_key(|(_, value)| format!("{value:e}").len());
    parameters.visit(&mut |field, place, slot| match slot {
        Slot::Angle(angle) => {
            let value = angle.radians();
            let quarters = (value / FRAC_PI_2).round();
            let meant = quarters * FRAC_PI_2;
            if angle.sin != 0.0 && angle.cos != 0.0 && (value - meant).abs() <= within {
                found.push(NearNumber { name: name(field, place), value, meant });
                *angle = Angle::from_radians(meant);
            }
        }
        Slot::Number(value) => {
            let size = value.abs();
            let near = |(unit, other): &&(Unit, f64)| *unit == field.unit && (size - other).abs() <= within * other;
            if let Some(&(_, other)) = known.iter().find(near)
                && other != size
            {
                let meant = other.copysign(*value);
                found.push(NearNumber { name: name(field, place), value: *value, meant });
                *value = meant;
            }
        }
        Slot::Rotation(_) => {}
    });
}
