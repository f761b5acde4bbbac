//! What a derived program loses in single precision, over the states that its robot can be in.

use super::judged::inputs;
use super::{Pick, Robot};
use crate::spatial::Wrench;
use crate::symbolic::Program;
use dalembert_core::random::Xorshift;

/// How far a program in single precision is from itself in double precision, over the largest component of the result.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SinglePrecision {
    /// Random states that were tried.
    pub states: usize,
    /// The largest difference.
    pub most: f64,
    /// The root of its mean square.
    pub rms: f64,
}

impl std::fmt::Display for SinglePrecision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { states, most, rms } = self;
        write!(
            f,
            "Single precision: off by {most:.0e} of the largest component at most (RMS {rms:.0e}), over {states} random states within the robot's ranges"
        )
    }
}

impl Robot {
    /// What a derived program of this robot loses in single precision: over random states within the ranges and speeds of its joints (where its
    /// file is silent: a full turn or 1 m, 2 rad/s or m/s) and accelerations up to 10 rad/s² (m/s²); nearer to home where the joints of
    /// a closed chain cannot be anywhere. Every output is measured by its largest component over all states. `None` where a program takes
    /// something else than a state, or no state was found.
    pub fn single_precision(&self, program: &Program) -> Option<SinglePrecision> {
        const STATES: usize = 1000;
        const TRIES: usize = 5000;
        let model = self.build_model("exact").ok()?;
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        let mut results: Vec<(Vec<f64>, Vec<f32>)> = Vec::new();
        let single = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let parameters: Vec<f64> = program.parameters.iter().map(|parameter| parameter.value).collect();
        let home = self.home().map(|home| home.joints.q).ok();
        let mut reach = 1.0_f64;
        for _ in 0..TRIES {
            if results.len() == STATES {
                break;
            }
            let at = self.anywhere(&mut random, home.as_ref(), reach);
            let Ok(state) = self.at_joints(&at, &Pick::default()) else {
                reach = (0.8 * reach).max(0.01);
                continue;
            };
            reach = (1.1 * reach).min(1.0);
            let tau = model.torque(&state, Wrench::zero());
            let inputs = inputs(program, &state, &tau)?;
            let double = program.evaluate_with(&parameters, &inputs);
            if double.iter().all(|x| x.is_finite()) {
                results.push((double, program.evaluate_with(&single(&parameters), &single(&inputs))));
            }
        }
        let (mut most, mut squares, mut count, mut from) = (0.0_f64, 0.0, 0usize, 0);
        for quantity in &program.outputs {
            let part = from..from + quantity.length;
            from = part.end;
            let size =
                results.iter().flat_map(|(double, _)| &double[part.clone()]).fold(0.0_f64, |m, x| m.max(x.abs()));
            for (double, single) in &results {
                for k in part.clone() {
                    let error = (f64::from(single[k]) - double[k]).abs() / size.max(f64::MIN_POSITIVE);
                    (most, squares, count) = (most.max(error), squares + error * error, count + 1);
                }
            }
        }
        (count > 0).then(|| SinglePrecision { states: results.len(), most, rms: (squares / count as f64).sqrt() })
    }
}
