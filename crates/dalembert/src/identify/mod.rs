//! Measurements and identification: from a log to a model that one can trust.
//!
//! [`table`] and [`log`] read what was measured, [`prepare`] makes states of it, [`columns`] says what is fitted, [`fit`] fits
//! it, [`outcome`] scores it on what was not seen, judges it in words and gives the robot back, [`essential`] and [`friction`] say more
//! of it, [`page`] shows it. The
//! numerics are in [`dalembert_identify`], which knows no robot; the columns come from
//! [`Family::regressor`](crate::robot::Family::regressor), so that every family that has one can be identified. [`mod@calibrate`]
//! finds lengths and angles from where the tool was measured to be, [`firmware`] says them to controllers.

pub mod calibrate;
pub mod columns;
mod diagnostics;
pub mod essential;
pub mod excite;
pub mod firmware;
pub mod fit;
pub mod friction;
mod instruments;
pub mod log;
pub mod outcome;
pub mod page;
pub mod prepare;
pub mod table;
mod verdict;

pub use columns::{CoupledMotor, FitMode, Parameterization};
/// The numerics, which know no robot.
pub use dalembert_identify as numerics;
pub(crate) use fit::likely_delay;
pub use fit::{Delay, EstimatorOptions, PriorWeight};
pub use log::{Log, LogError, Mapping};
pub use outcome::{Folds, Identified, NotIdentified, identify};
pub use prepare::{PreparedLog, Preprocessing, Smoothing, Unusable};
