//! Many rows at once by the model's formulas in columns ([`crate::robot::Model::motions`]). The bits are those of one row at a time; a row that may
//! have to be refused is computed alone, which says why.

use super::{Evaluator, Output, RowError, Task};
use crate::batch::ColumnsError;
use crate::report::table::Row;
use crate::robot::{Form, JointVector, violations};
use std::iter::repeat_with;

/// Where rows are computed.
#[derive(Debug, Default)]
pub(super) struct ColumnScratch {
    /// What the rows give, column after column, and what of it is wrong.
    states: Vec<f64>,
    wrong: Vec<Option<RowError>>,
    /// What comes of it.
    results: Vec<f64>,
}

/// The groups of columns that come of it: those of the other form, torques, ball angles.
const GROUPS: usize = 5;

impl Evaluator<'_> {
    /// Whether the model gives all that is asked for in columns.
    pub(super) fn has_columns(&self) -> bool {
        let joints = self.joints.len();
        let nothing_else = self.force.is_none() && self.moment.is_none() && self.evaluation.groups.is_empty();
        let as_it_is = !self.evaluation.tool && self.given.iter().all(|group| group.len() == joints);
        // Joints that are there as well choose among solutions.
        let chosen = self.form == Form::Tool && self.near.iter().any(Option::is_some);
        let asked = self.evaluation.task == Task::Torque && self.others.len() == 3;
        let mut room = ColumnScratch { states: vec![0.0; 3 * joints], ..ColumnScratch::default() };
        asked && nothing_else && as_it_is && !chosen && self.run_columns(&mut room, 1).is_ok()
    }

    fn run_columns(&self, room: &mut ColumnScratch, count: usize) -> Result<(), ColumnsError> {
        let width = self.joints.len();
        room.results.clear();
        room.results.resize(GROUPS * width * count, 0.0);
        let states: Vec<&[f64]> = room.states.chunks(count.max(1)).collect();
        let mut results: Vec<&mut [f64]> = room.results.chunks_mut(count.max(1)).collect();
        let group = |order: usize| states.get(order * width..(order + 1) * width).unwrap_or_default();
        self.model.motions(self.form, &self.evaluation.pick, [group(0), group(1), group(2)], &mut results)
    }

    /// Computes rows, and hands them out in their order.
    pub(super) fn compute_columns(
        &self,
        rows: &[Row],
        room: &mut ColumnScratch,
        each: &mut dyn FnMut(&Row, Result<Output, RowError>),
    ) {
        let (count, joints, has_balls) = (rows.len(), self.joints.len(), self.has_balls());
        room.states.clear();
        room.states.resize(3 * joints * count, 0.0);
        room.wrong.clear();
        room.wrong.extend(repeat_with(|| None).take(count));
        for (k, row) in rows.iter().enumerate() {
            let mut place = k;
            for (name, field) in self.given.iter().flatten() {
                match row.number(*field, name) {
                    Ok(number) => room.states[place] = number,
                    Err(error) => drop(room.wrong[k].get_or_insert(RowError::Table(error))),
                }
                place += count;
            }
        }
        let done = self.run_columns(room, count).is_ok();
        let twice = self.others.iter().flatten().any(|(field, _)| field.is_some());
        for (k, row) in rows.iter().enumerate() {
            if let Some(wrong) = room.wrong[k].take() {
                each(row, Err(wrong));
                continue;
            }
            let of = |column: usize| room.results[column * count + k];
            let mut values = Vec::with_capacity(self.computed.len());
            for column in 0..4 * joints {
                values.push(of(column));
            }
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
            let given = |group: usize| JointVector::from_fn(joints, |i| room.states[(group * joints + i) * count + k]);
            let balls = JointVector::from_fn(if has_balls { joints } else { 0 }, |i| of(4 * joints + i));
            let (q, qd) = match self.form {
                Form::Tool => (JointVector::new(&values[..joints]), JointVector::new(&values[joints..2 * joints])),
                Form::Joints => (given(0), given(1)),
            };
            let violations =
                violations(&self.joints, &q, has_balls.then_some(&balls[..]), Some(&qd), Some(&values[3 * joints..]));
            let height = given(0).get(2).copied().unwrap_or(0.0);
            each(row, self.output(row, values, violations, || self.likely_mistake(self.form, &q, height)));
        }
    }
}
