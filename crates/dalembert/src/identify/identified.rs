//! The robot with the parameters of a fit.

use super::columns::{ColumnQuantity, FrictionTerm};
use super::fit::{Fitted, RegressionData};
use super::friction::nearest_tanh;
use crate::friction::Friction;
use crate::robot::Robot;
use crate::spring::Spring;

/// The largest speed of a joint.
pub(crate) fn fastest(data: &RegressionData<'_>, joint: usize) -> f64 {
    data.runs.iter().map(|run| run.health.speeds[joint]).fold(0.0, f64::max)
}

/// As a share of a joint's torque a constant torque is nothing to speak of below this.
const COUNTS: f64 = 0.003;

/// The robot with the fitted parameters. What a robot file cannot hold (coupled motors; of all but arms springs, counterbalances and constant
/// torques) is left out; the score of the robot by itself has what that costs.
pub(crate) fn identified_robot(robot: &Robot, data: &RegressionData<'_>, fitted: &Fitted) -> Result<Robot, String> {
    let layout = data.layout;
    let values: Vec<f64> = fitted.parameters.iter().copied().collect();
    let family = layout.regressor.robot(&layout.terms(&values)).map_err(|error| error.to_string())?;
    let of = |quantity: ColumnQuantity| layout.place(quantity).map(|k| values[k]);
    let joints = robot.joints();
    let friction = |i: usize| -> Option<Friction<f64>> {
        let old = joints[i].friction;
        let (Some(viscous), Some(coulomb)) = (of(ColumnQuantity::Viscous(i)), of(ColumnQuantity::Coulomb(i))) else {
            return old;
        };
        // The sign in the fit is smoothed for the noise of the speeds, by their size: that is no speed of friction, and a slow motion would be
        // without it.
        let in_the_fit = data.runs.iter().map(|run| 0.5 * run.resting[i]).fold(0.0, f64::max);
        let smoothing_velocity = in_the_fit.min(Friction::<f64>::NONE.smoothing_velocity);
        let old = old.unwrap_or(Friction { smoothing_velocity, ..Friction::NONE });
        let speed = fitted.speeds.of(FrictionTerm::Stribeck, i);
        let more = speed.and(of(ColumnQuantity::Stribeck(i))).unwrap_or(0.0);
        let coulomb = coulomb.max(0.0);
        // Static friction is not below Coulomb friction: what rises with the speed is a tanh in the file.
        let rises = speed.filter(|_| more < 0.0);
        let tanh = rises.map(|at| nearest_tanh(coulomb, [more, at], fastest(data, i))[0]);
        Some(Friction {
            viscous: viscous.max(0.0),
            coulomb,
            static_friction: coulomb + more.max(0.0),
            stribeck_velocity: speed.filter(|_| more >= 0.0).unwrap_or(old.stribeck_velocity),
            smoothing_velocity: fitted.speeds.of(FrictionTerm::Sign, i).or(tanh).unwrap_or(old.smoothing_velocity),
            ..old
        })
    };
    let found = robot.with_family(family).with_frictions(&friction).map_err(|error| error.to_string())?;
    let rows = data.all();
    let spring = |i: usize, old: Option<Spring<f64>>| {
        // A constant torque counts where it is more than noise, or large enough that what was found with it would be off without.
        let torque = data.measured(i, &rows, fitted.delay);
        let size = torque.norm() / (rows.len().max(1) as f64).sqrt();
        let variance = layout.place(ColumnQuantity::Offset(i)).map_or(0.0, |k| fitted.covariance[(k, k)]);
        let least = (3.0 * variance.max(0.0).sqrt()).min(COUNTS * size);
        let constant = of(ColumnQuantity::Offset(i)).filter(|value| value.abs() > least);
        let found =
            [of(ColumnQuantity::Spring(i)), of(ColumnQuantity::Sine(i)), of(ColumnQuantity::Cosine(i)), constant];
        let [stiffness, sine, cosine, constant] = found.map(|value| value.unwrap_or(0.0));
        let old = old.unwrap_or(Spring::NONE);
        // Two springs side by side are one that is relaxed between them; that of the fit is relaxed at zero.
        let (both, pulled) = (old.stiffness + stiffness, old.stiffness * old.rest);
        let (rest, left) = if both == 0.0 { (0.0, -pulled) } else { (pulled / both, 0.0) };
        let constant = old.constant + constant + left;
        Spring { stiffness: both, rest, sine: old.sine + sine, cosine: old.cosine + cosine, constant }.of_file()
    };
    let mut found = found.with_springs(&spring).unwrap_or(found);
    found.name = format!("{}-identified", robot.name);
    let logs: Vec<&str> = data.runs.iter().map(|run| run.name.as_str()).collect();
    found.source = Some(format!("identified from {}", logs.join(", ")));
    Ok(found)
}
