//! Rows of the regressor: of states, of random states, of a prepared log.

use super::{ColumnLayout, ColumnQuantity, FrictionTerm};
use crate::Vec3;
use crate::identify::prepare::PreparedLog;
use crate::robot::regressor::Owner;
use crate::robot::{JointState, JointVector, Pick, Robot, State, ToolState, ToolTurns, motor_rates};
use crate::threads;
use dalembert_core::random::Xorshift;
use dalembert_identify::IdentifyError;
use dalembert_identify::butterworth::LowPass;
use dalembert_identify::friction::{sign, stribeck};
use nalgebra::DMatrix;

impl ColumnLayout {
    /// The rows of a state without filter and without Stribeck's parts: for each joint its columns and, last, what is known. Without what
    /// it carries where it carries nothing.
    pub(crate) fn row(&self, state: &State, smoothing: &[f64], carries: bool) -> Vec<f64> {
        let (n, p, width) = (self.joints, self.columns.len(), self.held.len());
        let (mut full, mut y) = (vec![0.0; n * width], vec![0.0; n * (p + 1)]);
        self.regressor.fill(state, &mut full);
        if !carries {
            let terms = self.regressor.terms();
            (0..full.len()).filter(|k| terms[k % width].owner == Owner::Payload).for_each(|k| full[k] = 0.0);
        }
        let qd = &state.joints.qd;
        for i in 0..n {
            let row = &full[i * width..(i + 1) * width];
            let bodies: f64 = row.iter().zip(&self.held).map(|(a, b)| a * b).sum();
            y[i * (p + 1) + p] = bodies;
        }
        let rates = motor_rates(&self.drives, qd);
        for (i, friction) in self.friction.iter().enumerate() {
            let Some(friction) = friction else { continue };
            self.each_turned(i, friction.torque(rates[i]), |joint, torque| y[joint * (p + 1) + p] += torque);
        }
        for (k, column) in self.columns.iter().enumerate() {
            if let ColumnQuantity::Terms(parts) = &column.quantity {
                for i in 0..n {
                    y[i * (p + 1) + k] = parts.iter().map(|(term, factor)| full[i * width + term] * factor).sum();
                }
            }
        }
        self.each_other(state, smoothing, |i, k, value| y[i * (p + 1) + k] = value);
        y
    }

    /// Visits the joints that a motor's torque acts on, with the torque at each.
    fn each_turned(&self, motor: usize, torque: f64, mut visit: impl FnMut(usize, f64)) {
        visit(motor, torque);
        if let Some(coupling) = &self.drives[motor].coupling {
            coupling.turns().for_each(|(joint, ratio)| visit(joint, ratio * torque));
        }
    }

    /// Visits the columns that are no terms of the robot's own regressor, without Stribeck's parts: joint, column, value.
    fn each_other(&self, state: &State, smoothing: &[f64], mut visit: impl FnMut(usize, usize, f64)) {
        let (q, qd, qdd) = (&state.joints.q, &state.joints.qd, &state.joints.qdd);
        let rates = motor_rates(&self.drives, qd);
        for (k, column) in self.columns.iter().enumerate() {
            let mut set = |i: usize, value: f64| visit(i, k, value);
            match &column.quantity {
                ColumnQuantity::Terms(_) | ColumnQuantity::Stribeck(_) => {}
                ColumnQuantity::Viscous(i) => self.each_turned(*i, rates[*i], set),
                ColumnQuantity::Coulomb(i) => self.each_turned(*i, sign(rates[*i], smoothing[*i]), set),
                ColumnQuantity::Offset(i) => set(*i, 1.0),
                ColumnQuantity::Spring(i) => set(*i, q[*i]),
                ColumnQuantity::Sine(i) => set(*i, q[*i].sin()),
                ColumnQuantity::Cosine(i) => set(*i, q[*i].cos()),
                ColumnQuantity::MotorInertia(m) | ColumnQuantity::MotorViscous(m) | ColumnQuantity::MotorCoulomb(m) => {
                    let motor = &self.parameterization.motors[*m];
                    let turns = |of: &JointVector| motor.turns.iter().map(|(j, f)| of[*j] * f).sum::<f64>();
                    let smooth = motor.turns.iter().map(|(j, _)| smoothing[*j]).fold(0.0, f64::max);
                    let value = match column.quantity {
                        ColumnQuantity::MotorInertia(_) => turns(qdd),
                        ColumnQuantity::MotorViscous(_) => turns(qd),
                        _ => sign(turns(qd), smooth),
                    };
                    for (j, factor) in &motor.turns {
                        set(*j, factor * value);
                    }
                }
            }
        }
    }

    /// Σ counts · Y as a function of the state, with a number for every number of [`ColumnLayout::row`].
    pub(crate) fn weighed<'l>(&'l self, counts: &'l [f64], smoothing: &'l [f64]) -> impl Fn(&State) -> f64 + 'l {
        let (width, all) = (self.held.len(), self.columns.len() + 1);
        let mut weights = vec![0.0; self.joints * width];
        for (k, column) in self.columns.iter().enumerate() {
            let ColumnQuantity::Terms(parts) = &column.quantity else { continue };
            for (i, (term, factor)) in (0..self.joints).flat_map(|i| parts.iter().map(move |part| (i, part))) {
                weights[i * width + term] += counts[i * all + k] * factor;
            }
        }
        let bodies = self.regressor.weighed(weights);
        move |state| {
            let mut sum = bodies(state);
            self.each_other(state, smoothing, |i, k, value| sum += counts[i * all + k] * value);
            sum
        }
    }

    /// Rows at random states that excite everything.
    pub fn random_rows(&self, robot: &Robot) -> DMatrix<f64> {
        let (n, p) = (self.joints, self.columns.len());
        let wanted = (2 * p).div_ceil(n) + 40;
        let joints = robot.joints();
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        let room = robot.workspace();
        let mut draw = || match (robot.kind().tool_turns, &room) {
            (ToolTurns::No | ToolTurns::AboutZ, Some(room)) => {
                let place = Vec3::from_fn(|_| room.radius * 0.55 * random.signed()) + room.center;
                let velocity = Vec3::from_fn(|_| 2.0 * random.signed());
                let mut tool = ToolState::translating(place, velocity, Vec3::from_fn(|_| 20.0 * random.signed()));
                if robot.kind().tool_turns == ToolTurns::AboutZ {
                    tool = tool.turned([3.0, 3.0, 20.0].map(|size| size * random.signed()));
                }
                robot.at_tool(&tool, &Pick::default())
            }
            _ => {
                let q = JointVector::from_fn(n, |i| {
                    let [low, high] = joints[i].limits.range;
                    let (low, high) = if low.is_finite() && high.is_finite() { (low, high) } else { (-3.0, 3.0) };
                    0.5 * (low + high) + 0.5 * ((high - low) * random.signed())
                });
                let qd = JointVector::from_fn(n, |_| 3.0 * random.signed());
                let qdd = JointVector::from_fn(n, |_| 20.0 * random.signed());
                robot.at_joints(&JointState { q, qd, qdd }, &Pick::default())
            }
        };
        let (mut rows, smoothing) = (Vec::new(), vec![1e-3; n]);
        for state in (0..50 * wanted).filter_map(|_| draw().ok()).take(wanted) {
            // A payload that only some logs have is identified from the difference to the others.
            for carries in if self.parameterization.loaded.is_empty() { &[true][..] } else { &[false, true] } {
                let mut y = self.row(&state, &smoothing, *carries);
                // Stribeck's columns for some speed: any shows that they are independent columns.
                for (k, column) in self.columns.iter().enumerate() {
                    if let ColumnQuantity::Stribeck(i) = column.quantity {
                        y[i * (p + 1) + k] = stribeck(state.joints.qd[i], 1e-3, 1.0);
                    }
                }
                (0..n).for_each(|i| rows.extend_from_slice(&y[i * (p + 1)..i * (p + 1) + p]));
            }
        }
        DMatrix::from_row_slice(rows.len() / p.max(1), p, &rows)
    }

    /// The filtered rows of a run at the samples that count, for each joint: columns and, last, what is known. Also how many
    /// samples the robot cannot be in.
    pub fn rows(
        &self,
        robot: &Robot,
        run: &PreparedLog,
        carries: bool,
    ) -> Result<(Vec<DMatrix<f64>>, usize), IdentifyError> {
        const BLOCK: usize = 4096;
        let (n, p) = (self.joints, self.columns.len());
        let filter = run.filter()?;
        // The filter forgets by 1e-16 within this.
        let margin = ((16.0 / run.cutoff) / run.step).ceil() as usize;
        let samples = run.q[0].len();
        let smoothing = self.smoothing(run, robot);
        let mut all = vec![DMatrix::zeros(run.used.len(), p + 1); n];
        let (mut done, mut refused) = (0, 0);
        let mut row = 0;
        while done < samples {
            let until = (done + BLOCK).min(samples);
            let (from, to) = (done.saturating_sub(margin), (until + margin).min(samples));
            let end = run.used.partition_point(|&k| k < until);
            if end > row {
                let states = threads::each(to - from, |k| {
                    let there = robot.at_joints(&run.state(from + k), &Pick::default());
                    let y = there.as_ref().map(|state| self.row(state, &smoothing, carries));
                    (y.unwrap_or_else(|_| vec![0.0; n * (p + 1)]), there.is_err())
                });
                refused += states[done - from..until - from].iter().filter(|(_, bad)| *bad).count();
                let filtered = threads::each(n * (p + 1), |place| {
                    let series: Vec<f64> = states.iter().map(|(y, _)| y[place]).collect();
                    if series.iter().all(|x| *x == 0.0) { Vec::new() } else { filter.filter(&series) }
                });
                for (place, series) in filtered.iter().enumerate().filter(|(_, series)| !series.is_empty()) {
                    for (r, &sample) in run.used[row..end].iter().enumerate() {
                        all[place / (p + 1)][(row + r, place % (p + 1))] = series[sample - from];
                    }
                }
            }
            (row, done) = (end, until);
        }
        Ok((all, refused))
    }

    /// Speeds below which the sign of a joint's speed is smoothed.
    fn smoothing(&self, run: &PreparedLog, robot: &Robot) -> Vec<f64> {
        let joints = robot.joints();
        let of = |i: usize| joints[i].friction.map_or(0.5 * run.resting[i], |friction| friction.smoothing_velocity);
        (0..self.joints).map(of).collect()
    }

    /// The filtered column of a part of a joint's friction with a speed.
    pub(crate) fn friction_column(
        &self,
        robot: &Robot,
        run: &PreparedLog,
        filter: &LowPass,
        joint: usize,
        part: FrictionTerm,
        speed: f64,
    ) -> Vec<f64> {
        let smoothing = self.smoothing(run, robot)[joint];
        let of = |v: f64| match part {
            FrictionTerm::Stribeck => stribeck(v, smoothing, speed),
            FrictionTerm::Sign => sign(v, speed),
        };
        let series: Vec<f64> = run.qd[joint].iter().map(|&v| of(v)).collect();
        let filtered = filter.filter(&series);
        run.used.iter().map(|&k| filtered[k]).collect()
    }

    /// Which column is that of a part of a joint's friction.
    pub(crate) fn friction_of(&self, part: FrictionTerm, joint: usize) -> Option<usize> {
        self.place(match part {
            FrictionTerm::Stribeck => ColumnQuantity::Stribeck(joint),
            FrictionTerm::Sign => ColumnQuantity::Coulomb(joint),
        })
    }

    /// The column of a quantity.
    pub(crate) fn place(&self, quantity: ColumnQuantity) -> Option<usize> {
        self.columns.iter().position(|column| column.quantity == quantity)
    }
}
