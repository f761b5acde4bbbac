//! Columns of a table become times, positions and torques.

use super::names::{ColumnKind, Named, factor, find, given, odd_unit, unit_in};
use super::{Log, LogError, Mapping, wrong_columns};
use crate::report::table::Columns;
use crate::report::text::human;
use crate::robot::file::Dimension;
use crate::robot::{Joint, JointKind, MAX_JOINTS};
use dalembert_identify::signal;
use nalgebra::{DMatrix, DVector};

/// Of the positions and the torques of a joint.
fn dimensions(joint: &Joint, at_motor: bool) -> [Dimension; 2] {
    let slides = joint.kind == JointKind::Prismatic && !at_motor;
    if slides { [Dimension::Length, Dimension::Force] } else { [Dimension::Angle, Dimension::Torque] }
}

impl Mapping {
    /// How many joints a table has, by the names of its columns.
    pub fn joints(&self, table: &Columns) -> Option<usize> {
        match self.position.as_slice() {
            [one] if one.contains("{}") => {
                let has = |k: &usize| table.names.contains(&one.replace("{}", &k.to_string()));
                let first = usize::from(!has(&0));
                Some((first..first + MAX_JOINTS).take_while(has).count()).filter(|count| *count > 0)
            }
            [] => (1..=MAX_JOINTS)
                .rev()
                .find(|&n| find(table, ColumnKind::Position, n).is_ok_and(|found| found.is_some())),
            names => Some(names.len()),
        }
    }

    /// The log of a table, for a robot with these joints. `torques` is a second table that has the torques.
    pub fn read(
        &self,
        name: &str,
        table: &Columns,
        torques: Option<&Columns>,
        joints: &[Joint],
    ) -> Result<Log, LogError> {
        let mut notes = table.notes.clone();
        let mut warnings = Vec::new();
        let n = joints.len();
        let second = torques.unwrap_or(table);
        if second.rows() != table.rows() {
            let problem = format!("{} rows of torques for {} rows of positions", second.rows(), table.rows());
            return Err(wrong_columns(problem, "both files need the same rows"));
        }
        let times = self.times(table, &mut notes, &mut warnings)?;
        let (q, unit) = self.columns(table, ColumnKind::Position, &self.position, n)?;
        let (tau, torque_unit) = self.columns(second, ColumnKind::Torque, &self.torque, n)?;
        for (what, table, of, known) in
            [("position", table, &q, &self.position_unit), ("torque", second, &tau, &self.torque_unit)]
        {
            let name = &table.names[of[0]];
            if let Some(odd) = odd_unit(name).filter(|_| known.is_none()) {
                warnings.push(format!(
                    "{name}: the unit `{odd}` is not known and was taken for SI: say which it is, `{what}_unit`"
                ));
            }
            let list: Vec<&str> = of.iter().map(|&k| table.names[k].as_str()).collect();
            notes.push(format!("{what}s from {}", list.join(", ")));
        }
        let at_motor = !self.gear.is_empty();
        let each = |values: &[f64], otherwise: f64, what: &str| match values {
            [] => Ok(vec![otherwise; n]),
            [one] => Ok(vec![*one; n]),
            many if many.len() == n => Ok(many.to_vec()),
            many => Err(wrong_columns(
                format!("{} numbers are given for {what}, but the robot has {n} joints", many.len()),
                "give one for each joint, or one for all",
            )),
        };
        let constants = each(&self.torque_constant, 1.0, "the torque constant")?;
        let offsets = each(&self.offset, 0.0, "the zero offset")?;
        let unit = self.position_unit.clone().or(unit);
        let torque_unit = self.torque_unit.clone().or(torque_unit);
        let amperes = match torque_unit.as_deref().map(|unit| unit.trim().to_ascii_lowercase()).as_deref() {
            Some("a") => Some(1.0),
            Some("ma") => Some(1e-3),
            _ => None,
        };
        if amperes.is_some() && self.torque_constant.is_empty() {
            let hint = "say how much torque an ampere makes: `torque_constant`, one for each joint";
            return Err(wrong_columns("the torques are currents", hint));
        }
        let mut positions = Vec::new();
        let mut torques = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            let [length, force] = dimensions(joint, at_motor);
            let scale = unit.as_deref().map_or(Ok(1.0), |unit| factor(unit, length))?;
            let mut position: Vec<f64> = table.values[q[i]].iter().map(|x| x * scale).collect();
            // Behind a gear a turn of the motor is no turn of the joint: these jumps have to go before.
            let wrapped = if at_motor { signal::unwrap(&times, &mut position) } else { 0 };
            if wrapped > 0 {
                let name = &table.names[q[i]];
                warnings.push(format!("{name} jumps by whole turns {wrapped} times: it was unwrapped"));
            }
            positions.push(position);
            let scale = match (amperes, torque_unit.as_deref()) {
                (Some(scale), _) => scale,
                (None, Some(unit)) => factor(unit, force)?,
                (None, None) => 1.0,
            };
            torques.push(second.values[tau[i]].iter().map(|x| x * scale * constants[i]).collect::<Vec<f64>>());
        }
        let mut rates = self.rates(table, joints, unit.as_deref(), at_motor);
        if at_motor {
            if let Some([velocities, accelerations]) = &mut rates {
                [*velocities, _] = self.to_joints(velocities, &torques, n)?;
                [*accelerations, _] = self.to_joints(accelerations, &torques, n)?;
            }
            [positions, torques] = self.to_joints(&positions, &torques, n)?;
        }
        for (position, offset) in positions.iter_mut().zip(&offsets) {
            position.iter_mut().for_each(|q| *q += offset);
        }
        let most = |position: &Vec<f64>| position.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let turns = positions.iter().enumerate().filter(|(i, _)| joints[*i].kind == JointKind::Revolute);
        let far: Vec<(usize, f64)> =
            turns.map(|(i, position)| (i + 1, most(position))).filter(|(_, most)| *most > 12.0).collect();
        if let Some((joint, most)) = far.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }) {
            let others = if far.len() > 1 { format!(" (and {} others far too)", far.len() - 1) } else { String::new() };
            warnings.push(format!(
                "joint {joint} goes to {most:.4} rad, almost {:.0} turns{others}: are the positions degrees (`position_unit` deg), or \
                 those of a motor (`gear`)?",
                (most / std::f64::consts::TAU).ceil()
            ));
        }
        Ok(Log { name: name.to_owned(), times, positions, torques, rates, notes, warnings })
    }

    /// Velocities and accelerations, where the table has both; in the unit of the positions unless their names have one.
    fn rates(
        &self,
        table: &Columns,
        joints: &[Joint],
        unit: Option<&str>,
        at_motor: bool,
    ) -> Option<[Vec<Vec<f64>>; 2]> {
        let of = |kind: ColumnKind| -> Option<Vec<Vec<f64>>> {
            let found = find(table, kind, joints.len()).ok()??;
            let one = |(named, joint): (&Named, &Joint)| {
                let own = named.unit.as_deref().and_then(|unit| unit.split('/').next()).or(unit);
                let scale = own.map_or(Some(1.0), |unit| factor(unit, dimensions(joint, at_motor)[0]).ok())?;
                Some(table.values[named.column].iter().map(|x| x * scale).collect())
            };
            found.iter().zip(joints).map(one).collect()
        };
        Some([of(ColumnKind::Velocity)?, of(ColumnKind::Acceleration)?])
    }

    fn times(
        &self,
        table: &Columns,
        notes: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<f64>, LogError> {
        let rows = table.rows();
        const NAMES: [&str; 11] =
            ["t", "time", "timestamp", "stamp", "seconds", "sec", "zeit", "time_s", "t_s", "header_stamp", "__time"];
        let named = table.names.iter().position(|name| NAMES.contains(&unit_in(name).0.to_ascii_lowercase().as_str()));
        if let Some(rate) = self.rate {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(wrong_columns(format!("the rate is {rate} Hz"), "a positive number is needed"));
            }
            notes.push(format!("times from the rate, {rate} Hz"));
            if let Some(column) = named {
                let name = &table.names[column];
                let unit = self.time_unit.clone().or(unit_in(name).1);
                let scale = unit.and_then(|unit| factor(&unit, Dimension::Time).ok()).unwrap_or(1.0);
                let step = signal::usual_step(&table.values[column]) * scale;
                if step > 0.0 && (step * rate - 1.0).abs() > 0.01 {
                    let own = human(1.0 / step, 4);
                    warnings.push(format!(
                        "by {name} the rows come at {own} Hz; the rate that was given, {rate} Hz, is used"
                    ));
                }
            }
            return Ok((0..rows).map(|k| k as f64 / rate).collect());
        }
        let found = match &self.time {
            Some(name) => Some(given(table, std::slice::from_ref(name), 1, "time")?[0]),
            None => named,
        };
        let Some(column) = found else {
            let names = table.names.join(", ");
            let hint = format!("name it (`time`), or give the samples per second (`rate`); the table has: {names}");
            return Err(wrong_columns("no column of times is found", hint));
        };
        let name = &table.names[column];
        let unit = self.time_unit.clone().or(unit_in(name).1);
        let scale = unit.as_deref().map_or(Ok(1.0), |unit| factor(unit, Dimension::Time))?;
        notes.push(format!("times from {name}, in {}", unit.as_deref().unwrap_or("s")));
        let raw = &table.values[column];
        let first = raw.iter().copied().find(|t| !t.is_nan()).unwrap_or(0.0);
        let times: Vec<f64> =
            raw.iter().map(|t| (t - first) * scale + if first.abs() < 1e6 { first * scale } else { 0.0 }).collect();
        // One gap or one wrong stamp is no other unit.
        let step = signal::usual_step(&times);
        if unit.is_none() && step > 0.2 {
            let guess = if step > 1e4 { "nanoseconds (`time_unit` ns)" } else { "milliseconds (`time_unit` ms)" };
            warnings.push(format!("{rows} rows are {} s apart: are the times {guess}?", human(step, 4)));
        }
        Ok(times)
    }

    fn columns(
        &self,
        table: &Columns,
        kind: ColumnKind,
        names: &[String],
        joints: usize,
    ) -> Result<(Vec<usize>, Option<String>), LogError> {
        let (what, field) =
            if kind == ColumnKind::Position { ("positions", "`position`") } else { ("torques", "`torque`") };
        if !names.is_empty() {
            let columns = given(table, names, joints, what)?;
            let unit = unit_in(&table.names[columns[0]]).1;
            return Ok((columns, unit));
        }
        let naming = format!("{field} q1,q2,… or {field} \"q_{{}}\"");
        let unclear = |names: String| {
            let problem = format!("several columns could be the {what}: {names} …");
            wrong_columns(problem, format!("name them: {naming}"))
        };
        let mut found = find(table, kind, joints).map_err(unclear)?;
        if found.is_none() && kind == ColumnKind::Torque && !self.torque_constant.is_empty() {
            found = find(table, ColumnKind::Current, joints).map_err(unclear)?;
        }
        let Some(found) = found else {
            let currents = kind == ColumnKind::Torque
                && find(table, ColumnKind::Current, joints).is_ok_and(|found| found.is_some());
            let hint = match currents {
                true => "it has currents: say how much torque an ampere makes, `torque_constant` with one number for each joint"
                    .to_owned(),
                false => format!("name {joints} columns: {naming}; the table has: {}", table.names.join(", ")),
            };
            return Err(wrong_columns(format!("no {what} of {joints} joints are found by name"), hint));
        };
        Ok((found.iter().map(|named| named.column).collect(), found[0].unit.clone()))
    }

    /// q = R⁻¹ q_motor and τ = Rᵀ τ_motor.
    fn to_joints(&self, q: &[Vec<f64>], tau: &[Vec<f64>], n: usize) -> Result<[Vec<Vec<f64>>; 2], LogError> {
        let r = match self.gear.len() {
            len if len == n => DMatrix::from_diagonal(&DVector::from_column_slice(&self.gear)),
            len if len == n * n => DMatrix::from_row_slice(n, n, &self.gear),
            len => {
                return Err(wrong_columns(
                    format!("{len} gear ratios are given, but the robot has {n} joints"),
                    "give one for each joint, or the rows of the matrix R with motor = R joint",
                ));
            }
        };
        let inverse = r.clone().try_inverse().ok_or_else(|| {
            wrong_columns("the gear matrix has no inverse", "a ratio is motor speed over joint speed, and is not zero")
        })?;
        let apply = |m: &DMatrix<f64>, of: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let rows = of.first().map_or(0, Vec::len);
            let sum = |i: usize, k: usize| -> f64 {
                (0..n).filter(|&j| m[(i, j)] != 0.0).map(|j| m[(i, j)] * of[j][k]).sum()
            };
            (0..n).map(|i| (0..rows).map(|k| sum(i, k)).collect()).collect()
        };
        Ok([apply(&inverse, q), apply(&r.transpose(), tau)])
    }
}
