//! Measurements and identification: the stages between a log and the parameters of a robot.
//!
//! | stage | module |
//! | --- | --- |
//! | a table becomes a [`Log`]: times, positions, torques in SI | [`table`], [`log`] |
//! | a log becomes a [`PreparedLog`]: even times, smoothed motion, filtered torque | [`prepare`] |
//! | rows of the regressor, one column for each parameter | [`columns`] |
//! | parameters | [`fit`], and with their standard deviations [`estimates`], [`essential`], [`friction`] |
//! | motions that repeat, so that held-out data are another motion | `repetition` |
//! | residuals on fitted and held-out data | [`score`] |
//! | mistakes in log or robot file that would explain the residual | `diagnostics` |
//!
//! [`crate::verbs::identify`] goes through them and judges the result. The numerics are in [`dalembert_identify`], which knows no robot;
//! the columns come from [`Family::regressor`](crate::robot::Family::regressor). [`mod@excite`] finds optimal excitation trajectories,
//! [`mod@calibrate`] finds lengths and angles from measured places of the tool, [`firmware`] writes them for controllers.

pub mod calibrate;
pub mod columns;
pub(crate) mod diagnostics;
pub mod essential;
pub mod estimates;
pub mod excite;
pub mod firmware;
pub mod fit;
pub mod friction;
pub(crate) mod identified;
pub(crate) mod instruments;
pub mod log;
pub mod prepare;
pub(crate) mod repetition;
pub mod score;
pub mod table;

pub use columns::{CoupledMotor, FitMode, Parameterization};
/// The numerics, which know no robot.
pub use dalembert_identify as numerics;
pub(crate) use fit::likely_delay;
pub use fit::{EstimatorOptions, PriorWeight};
pub use log::{Log, LogError, Mapping};
pub use prepare::{PreparedLog, Preprocessing, Smoothing, Unusable};
pub use score::Folds;
