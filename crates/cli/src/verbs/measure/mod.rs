//! Verbs on what is measured: `smooth`, `identify`, `excite`, `calibrate`, `bench`.

pub mod bench;
pub mod calibrate;
pub mod excite;
pub mod identify;
pub mod smooth;

#[cfg(feature = "arrays")]
use crate::prelude::*;
use crate::verbs::rows::open_table;
use dalembert::identify::log::KEYS;
use dalembert::identify::table;
use dalembert::identify::{Log, LogError, Mapping, Preprocessing, Smoothing};
use dalembert::limits::JointLimits;
use dalembert::report::table::Columns;
#[cfg(feature = "arrays")]
use dalembert::report::{
    arrays::{self, ArraysError},
    open_regular,
};
use dalembert::robot::{Joint, JointKind};
use std::path::Path;

/// How the columns of logs are to be read.
#[derive(Args)]
#[command(next_help_heading = "Columns of the logs (by default found by their names)")]
pub struct MappingArguments {
    /// A TOML file with these options as keys, in snake_case (docs/identification.md)
    #[arg(long, requires = "logs", value_name = "FILE")]
    map: Option<String>,
    /// Column of the times
    #[arg(long, requires = "logs", value_name = "COLUMN")]
    time: Option<String>,
    /// Unit of the times: s, ms, us, ns
    #[arg(long, requires = "logs", value_name = "UNIT")]
    time_unit: Option<String>,
    /// Sampling rate of logs without times, Hz
    #[arg(long, requires = "logs", value_name = "HZ", conflicts_with = "time")]
    rate: Option<String>,
    /// Columns of the positions, one for each joint
    ///
    /// Or one name with {} for the joint's number
    #[arg(long, requires = "logs", value_name = "COLUMNS")]
    position: Option<String>,
    /// Unit of the positions: rad, deg, m, mm
    #[arg(long, requires = "logs", value_name = "UNIT")]
    position_unit: Option<String>,
    /// Columns of the torques or currents
    #[arg(long, requires = "logs", value_name = "COLUMNS")]
    torque: Option<String>,
    /// Unit of the torques: N m, N, or A with --torque-constant
    #[arg(long, requires = "logs", value_name = "UNIT")]
    torque_unit: Option<String>,
    /// Second table with the torques, row by row as in the log
    #[arg(long, requires = "logs", value_name = "FILE")]
    torque_file: Option<String>,
    /// Torque per unit of the torque column (N m/A), one for each joint or one for all
    #[arg(long, requires = "logs", value_name = "K1,K2,..", allow_hyphen_values = true)]
    torque_constant: Option<String>,
    /// Gear ratios of positions and torques measured at the motors
    ///
    /// Motor speed over joint speed for each joint, or all rows of the matrix R with motor = R joint
    #[arg(long, requires = "logs", value_name = "N1,N2,..", allow_hyphen_values = true)]
    gear: Option<String>,
    /// Offsets added to the joint positions, rad or with unit
    #[arg(long, requires = "logs", value_name = "Q1,Q2,..", allow_hyphen_values = true)]
    offset: Option<String>,
}

/// How a log is smoothed.
fn smoother() -> impl TypedValueParser<Value = Smoothing> {
    let low_pass = "Butterworth low-pass filter forward and backward, then differences";
    one_of([
        (Smoothing::Butterworth, "butterworth", low_pass),
        (Smoothing::Kalman, "kalman", "Rauch, Tung and Striebel's smoother, variances by likelihood"),
    ])
}

/// What of a log is used, and how it is smoothed.
#[derive(Args)]
#[command(next_help_heading = "Smoothing")]
pub struct PreprocessingArguments {
    /// Method for velocities and accelerations
    #[arg(long, requires = "logs", default_value = "butterworth", value_parser = smoother())]
    smoother: Smoothing,
    /// Cut-off of the low-pass filter, Hz  [default: 50, or a fifth of the sampling rate]
    #[arg(long, requires = "logs", value_name = "HZ")]
    cutoff: Option<String>,
    /// Ignore samples before this time, s
    #[arg(long, requires = "logs", value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Ignore samples after this time, s
    #[arg(long, requires = "logs", value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
}

impl PreprocessingArguments {
    pub fn plan(&self) -> Result<Preprocessing, Failure> {
        let [from, to] = [("from", &self.from), ("to", &self.to)]
            .map(|(option, text)| optional(number, option, text, Dimension::Time));
        let (from, to) = (from?, to?);
        let is_part = from.is_some() || to.is_some();
        Ok(Preprocessing {
            smoothing: self.smoother,
            cutoff: optional(positive, "cutoff", &self.cutoff, Dimension::Frequency)?,
            between: is_part.then(|| [from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY)]),
        })
    }
}

/// A mapping with the second file of torques.
pub struct MappingPlan {
    mapping: Mapping,
    torque_file: Option<String>,
}

/// A text that names fields of a mapping, with the options of the command.
fn with_options(text: &str) -> String {
    KEYS.iter()
        .fold(text.to_owned(), |text, key| text.replace(&format!("`{key}`"), &format!("--{}", key.replace('_', "-"))))
}

pub(super) fn log_failure(name: &str, error: LogError) -> Failure {
    let hint = error.hint().map(|hint| with_options(&hint));
    match error {
        LogError::Table(dalembert::report::table::TableError::Read(error)) => {
            Failure::io(&format!("cannot read {name}"), error)
        }
        error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
    }
}

impl MappingArguments {
    /// The options over the file.
    pub fn plan(&self, joints: &[Joint]) -> Result<MappingPlan, Failure> {
        let (mut all, mut torque_file) = match &self.map {
            Some(file) => {
                let text = dalembert::robot::file::small_text(Path::new(file))
                    .map_err(|error| Failure::io(&format!("cannot read {file}"), error))?;
                let (mapping, torques) = Mapping::parse(&text).map_err(|error| log_failure(file, error))?;
                let in_folder = |name: String| match Path::new(file).parent() {
                    Some(folder) => folder.join(&name).to_str().map_or(name.clone(), str::to_owned),
                    None => name,
                };
                (mapping, torques.map(in_folder))
            }
            None => (Mapping::default(), None),
        };
        for (target, given) in [
            (&mut all.time, &self.time),
            (&mut all.time_unit, &self.time_unit),
            (&mut all.position_unit, &self.position_unit),
            (&mut all.torque_unit, &self.torque_unit),
            (&mut torque_file, &self.torque_file),
        ] {
            if given.is_some() {
                target.clone_from(given);
            }
        }
        all.rate = optional(positive, "rate", &self.rate, Dimension::Frequency)?.or(all.rate);
        for (target, given) in [(&mut all.position, &self.position), (&mut all.torque, &self.torque)] {
            if let Some(text) = given {
                *target = text.split(',').map(|name| name.trim().to_owned()).collect();
            }
        }
        let plain = [Dimension::Ratio; 2];
        for (target, option, given, of) in [
            (&mut all.torque_constant, "torque-constant", &self.torque_constant, plain),
            (&mut all.gear, "gear", &self.gear, plain),
            (&mut all.offset, "offset", &self.offset, POSITION),
        ] {
            if let Some(text) = given {
                *target = numbers(option, text, of_joints(joints, of))?;
            }
        }
        Ok(MappingPlan { mapping: all, torque_file })
    }
}

impl MappingPlan {
    /// Revolute joints, as many as the log has.
    pub fn joints(&self, name: &str) -> Result<Vec<Joint>, Failure> {
        let joint = Joint {
            kind: JointKind::Revolute,
            limits: JointLimits::NONE,
            friction: None,
            rotor_inertia: 0.0,
            coupling: None,
        };
        match self.mapping.joints(&columns(name)?) {
            Some(count) => Ok(vec![joint; count]),
            None => Err(Failure::new(format!("{name}: no positions are found by the names of its columns"))
                .hint("name them: --position q1,q2,… or --position \"q_{}\"")),
        }
    }

    /// A log; warns about what looks odd in it.
    pub fn read(&self, name: &str, joints: &[Joint]) -> Result<Log, Failure> {
        let table = columns(name)?;
        let torques = self.torque_file.as_deref().map(columns).transpose()?;
        let log =
            self.mapping.read(name, &table, torques.as_ref(), joints).map_err(|error| log_failure(name, error))?;
        for warning in &log.warnings {
            say(&format!("warning: {name}: {}", with_options(warning)));
        }
        Ok(log)
    }
}

/// The table of a file.
pub(super) fn columns(name: &str) -> Result<Columns, Failure> {
    #[cfg(feature = "arrays")]
    if arrays::is_arrays(&ending(name)) {
        let cannot_read = |error| Failure::io(&format!("cannot read {name}"), error);
        return arrays::read(&ending(name), open_regular(Path::new(name)).map_err(cannot_read)?).map_err(|error| {
            let hint = error.hint();
            match error {
                ArraysError::Read(error) => cannot_read(error),
                error => Failure::new(format!("{name}: {error}")).maybe_hint(hint),
            }
        });
    }
    let input = open_table(name).map_err(|error| Failure::io(&format!("cannot read {name}"), error))?;
    table::read(input).map_err(|error| log_failure(name, error.into()))
}
