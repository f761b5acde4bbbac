//! What a joint and its drive may do.

use crate::parameter::{Field, LEAST_AND_MOST, Must, Place, Slot, Tolerance, Unit, Visit};

/// The limits that every joint can have, in the order in which they are visited.
pub static FIELDS: [Field; 3] = [
    Field::new("range", "", "joint range", Unit::Position, Must::Limit, Tolerance::None)
        .with_components(&LEAST_AND_MOST),
    Field::new("max_torque", "", "greatest torque", Unit::Torque, Must::Limit, Tolerance::None),
    Field::new("max_speed", "", "greatest speed", Unit::Speed, Must::Limit, Tolerance::None),
];

/// What a joint and its drive may do. Unlimited unless said otherwise; passing a limit is a warning, not an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Joint range, rad (prismatic: m).
    pub range: [f64; 2],
    /// Joint speed, rad/s (m/s).
    pub max_speed: f64,
    /// Joint torque, N m (N).
    pub max_torque: f64,
    /// Angle by which the forearm of a Delta may lean out of its arm's plane, rad.
    pub max_ball_angle: f64,
    /// Torque at which the standing joint begins to move, N m (N); for information.
    pub breakaway: Option<f64>,
}

impl JointLimits {
    /// No limit.
    pub const NONE: Self = Self {
        range: [f64::NEG_INFINITY, f64::INFINITY],
        max_speed: f64::INFINITY,
        max_torque: f64::INFINITY,
        max_ball_angle: f64::INFINITY,
        breakaway: None,
    };

    /// Visits those that every joint can have as `fields`: [`FIELDS`], or the same with other keys.
    pub fn visit(&mut self, fields: &'static [Field; 3], place: Place, visit: &mut Visit<'_, f64>) {
        let [range, max_torque, max_speed] = fields;
        for (k, slot) in self.range.iter_mut().enumerate() {
            visit(range, place.component(k), Slot::Number(slot));
        }
        visit(max_torque, place, Slot::Number(&mut self.max_torque));
        visit(max_speed, place, Slot::Number(&mut self.max_speed));
    }
}
