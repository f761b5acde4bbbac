//! Many rows at once: by the model's formulas in columns ([`crate::robot::Model::motions`]), whose bits are those of one row at a time, or by the
//! robot's compiled programs, whose results are those of the formulas to rounding. A row that has no number or may have to be refused is computed
//! alone, which says why.

use super::{Evaluator, Output, RowError, Space, Task};
use crate::report::table::Row;
use crate::robot::{Cache, Form, JointVector, violations};
use crate::symbolic::derive::Of;
use dalembert_compiled::{Compiled, Scratch};
use std::sync::PoisonError;

/// What computes many rows.
#[derive(Debug, Default)]
pub(super) enum Many {
    /// The formulas, one row after the other.
    #[default]
    OneByOne,
    /// The formulas in columns.
    Columns,
    /// Compiled programs, and which of all their outputs are the computed columns.
    Programs(Vec<Compiled>, Vec<usize>),
}

/// Where rows are computed, by one thread at a time.
#[derive(Debug, Default)]
pub(super) struct RowScratch {
    /// What the rows give, column after column, and what of it is wrong.
    given: Vec<f64>,
    wrong: Vec<Option<RowError>>,
    /// What comes of it, column after column.
    results: Vec<f64>,
    programs: Vec<Scratch>,
}

/// The groups of columns that formulas give: those of the other form, torques, ball angles.
const GROUPS: usize = 5;

impl Evaluator<'_> {
    /// Computes rows, and hands them out in their order: by programs where they have been derived, else by the formulas, in columns where the model
    /// has them so. Rows of a table come in tens at a time, so that all fit near the processor.
    pub fn evaluate_rows(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        // Nothing has no columns: a block may end where the last rows did.
        if rows.is_empty() || matches!(self.many, Many::OneByOne) {
            return rows.iter().for_each(|row| each(row, self.evaluate(row)));
        }
        let rooms = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = rooms().pop().unwrap_or_default();
        self.compute_rows(rows, &mut room, each);
        rooms().push(room);
    }

    /// Whether rows are computed together by the formulas.
    pub fn takes_columns(&self) -> bool {
        matches!(self.many, Many::Columns)
    }

    /// Whether the model gives all that is asked for in columns.
    pub(super) fn has_columns(&self) -> bool {
        let joints = self.joints.len();
        let nothing_else = self.force.is_none() && self.moment.is_none() && self.evaluation.groups.is_empty();
        let as_it_is = self.given.iter().all(|group| group.len() == joints);
        // Joints that are there as well choose among solutions.
        let chosen = self.form == Form::Tool && self.near.iter().any(Option::is_some);
        let asked = self.evaluation.task == Task::Torque && self.others.len() == 3;
        let mut room = RowScratch { given: vec![0.0; 3 * joints], ..RowScratch::default() };
        asked && nothing_else && as_it_is && !chosen && self.run(&mut room, 1)
    }

    /// The programs that would give all that is asked for; none where there are no such.
    fn needed_programs(&self) -> Option<&'static [Of]> {
        let nothing_else = self.force.is_none() && self.moment.is_none() && self.others.is_empty();
        let nothing_else = nothing_else && self.evaluation.groups.is_empty() && !self.has_balls();
        let needed: &[Of] = match self.evaluation.task {
            _ if !self.exact || self.form != Form::Joints || !nothing_else => return None,
            Task::Torque => &[Of::Torque],
            Task::Acceleration => &[Of::Acceleration],
            Task::Mass(Space::Joint) => &[Of::Mass, Of::Gravity],
            Task::Mass(Space::Tool) | Task::InverseKinematics | Task::ForwardKinematics => return None,
        };
        let offered = &self.robot.derivations().all;
        needed.iter().all(|of| offered.contains(of)).then_some(needed)
    }

    /// Derives programs for rows that come in great number, where the robot has such that give all that is asked for; it takes a fraction of a
    /// second, or less where a cache has them. It pays from some 50,000 rows on (`docs/performance.md`). They are used by [`Evaluator::evaluate_rows`] from then on. What they are in words, or why there are none.
    pub fn derive_programs(&mut self, cache: Option<&Cache>) -> Result<String, String> {
        let all = self.needed_programs().ok_or("there is no program for this robot, model or output")?;
        let joints = self.joints.len();
        let (mut programs, mut columns, mut told) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = 0;
        for &of in all {
            let (compiled, origin) = self.robot.compile_from(cache, of).map_err(|error| error.to_string())?;
            match of {
                // The upper triangle by rows.
                Of::Mass => columns.extend((0..joints).flat_map(|i| (i..joints).map(move |j| before + i * joints + j))),
                _ => columns.extend((0..joints).map(|i| before + i)),
            }
            told.push(origin.told(of, &compiled));
            before += compiled.outputs();
            programs.push(compiled);
        }
        self.many = Many::Programs(programs, columns);
        Ok(told.join("; "))
    }

    /// Computes so many states together, if that can be.
    fn run(&self, room: &mut RowScratch, count: usize) -> bool {
        let RowScratch { given, results, programs: scratches, .. } = room;
        let width = self.joints.len();
        let given: Vec<&[f64]> = given.chunks(count).collect();
        results.clear();
        let Many::Programs(programs, _) = &self.many else {
            results.resize(GROUPS * width * count, 0.0);
            let mut results: Vec<&mut [f64]> = results.chunks_mut(count).collect();
            let group = |order: usize| given.get(order * width..(order + 1) * width).unwrap_or_default();
            let states = [group(0), group(1), group(2)];
            return self.model.motions(self.form, &self.evaluation.pick, states, &mut results).is_ok();
        };
        if scratches.len() != programs.len() {
            *scratches = programs.iter().map(Compiled::scratch).collect();
        }
        results.resize(programs.iter().map(Compiled::outputs).sum::<usize>() * count, 0.0);
        let mut results: Vec<&mut [f64]> = results.chunks_mut(count).collect();
        let mut left = &mut results[..];
        programs.iter().zip(scratches).all(|(program, scratch)| {
            let (own, others) = std::mem::take(&mut left).split_at_mut(program.outputs());
            left = others;
            given.get(..program.inputs()).is_some_and(|given| program.columns(given, own, scratch).is_ok())
        })
    }

    fn compute_rows(&self, rows: &[Row], room: &mut RowScratch, each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        let (count, joints, has_balls) = (rows.len(), self.joints.len(), self.has_balls());
        let fields = || self.given.iter().chain(&self.torque).flatten();
        room.given.clear();
        room.wrong.clear();
        room.wrong.resize_with(count, || None);
        for (name, field) in fields() {
            for (row, wrong) in rows.iter().zip(&mut room.wrong) {
                room.given.push(row.number(*field, name).unwrap_or_else(|error| {
                    wrong.get_or_insert(RowError::Table(error));
                    0.0
                }));
            }
        }
        let done = self.run(room, count);
        let twice = self.others.iter().flatten().any(|(field, _)| field.is_some());
        for (k, row) in rows.iter().enumerate() {
            if let Some(wrong) = room.wrong[k].take() {
                each(row, Err(wrong));
                continue;
            }
            let of = |column: usize| room.results.get(column * count + k).copied().unwrap_or(f64::NAN);
            let values: Vec<f64> = match &self.many {
                Many::Programs(_, columns) => columns.iter().map(|&column| of(column)).collect(),
                _ => (0..self.computed.len()).map(of).collect(),
            };
            if !done || !values.iter().all(|value| value.is_finite()) {
                each(row, self.evaluate(row));
                continue;
            }
            let agreed = |(fields, numbers): (_, &[f64])| self.check(row, fields, numbers);
            if twice
                && let Err(error) =
                    self.others.iter().map(Vec::as_slice).zip(values.chunks(joints)).try_for_each(agreed)
            {
                each(row, Err(error));
                continue;
            }
            let given = |group: usize| JointVector::from_fn(joints, |i| room.given[(group * joints + i) * count + k]);
            let balls = JointVector::from_fn(if has_balls { joints } else { 0 }, |i| of(4 * joints + i));
            let (q, qd) = match self.form {
                Form::Tool => {
                    (JointVector::new(&values[..joints]), Some(JointVector::new(&values[joints..2 * joints])))
                }
                Form::Joints => (given(0), (self.given.len() > 1).then(|| given(1))),
            };
            let torque = match self.evaluation.task {
                Task::Torque => Some(JointVector::new(&values[values.len() - joints..])),
                Task::Acceleration => Some(given(self.given.len())),
                _ => None,
            };
            let balls = has_balls.then_some(&balls[..]);
            let violations = violations(&self.joints, &q, balls, qd.as_deref(), torque.as_deref());
            let height = given(0).get(2).copied().unwrap_or(0.0);
            each(row, self.output(row, values, violations, || self.likely_mistake(self.form, &q, height)));
        }
    }
}
