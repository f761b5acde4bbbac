//! Many rows at once by the robot's compiled programs. The results are those of the formulas to rounding; a row that a program has no number
//! for goes to the formulas, which say why.

use super::{Evaluator, Many, Output, RowError, ScratchPool, Space, Task};
use crate::report::table::Row;
use crate::robot::{Cache, Form, violations};
use crate::symbolic::derive::Of;
use dalembert_compiled::{Compiled, Scratch};

/// Programs that give all computed columns.
#[derive(Debug)]
pub(super) struct Programs {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    compiled: Compiled,
    /// Which of its outputs are columns, in order.
    outputs: Vec<usize>,
}

/// Where rows are computed.
#[derive(Debug, Default)]
pub(super) struct ProgramScratch {
    scratch: Vec<Scratch>,
    /// What the rows give, and what of it is wrong.
    inputs: Vec<f64>,
    wrong: Vec<Option<RowError>>,
    /// What each program reads, and what it writes.
    read: Vec<f64>,
    written: Vec<Vec<f64>>,
}

impl Evaluator<'_> {
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

    /// From how many rows on programs are faster, their derivation included; none where there are none. Measured, `docs/performance.md`.
    pub fn programs_pay_from(&self, cache: Option<&Cache>) -> Option<u64> {
        let needed = self.needed_programs()?;
        Some(match self.evaluation.task {
            _ if cache.is_some_and(|cache| needed.iter().all(|of| cache.holds(self.robot, *of))) => 5_000,
            Task::Acceleration => 150_000,
            _ => 50_000,
        })
    }

    /// Derives programs for rows that come in great number, where the robot has such that give all that is asked for; it takes a fraction of a
    /// second, or less where a cache has them. They are used by [`Evaluator::evaluate_rows`] from then on. What they are in words, or why there are none.
    pub fn derive_programs(&mut self, cache: Option<&Cache>) -> Result<String, String> {
        let all = self.needed_programs().ok_or("there is no program for this robot, model or output")?;
        let joints = self.joints.len();
        let (mut parts, mut told) = (Vec::new(), Vec::new());
        for &of in all {
            let (compiled, origin) = self.robot.compile_from(cache, of).map_err(|error| error.to_string())?;
            let outputs: Vec<usize> = match of {
                // The upper triangle by rows.
                Of::Mass => (0..joints).flat_map(|i| (i..joints).map(move |j| i * joints + j)).collect(),
                _ => (0..joints).collect(),
            };
            told.push(origin.told(of, &compiled));
            parts.push(Part { compiled, outputs });
        }
        self.many = Many::Programs(Programs { parts }, ScratchPool::default());
        Ok(told.join("; "))
    }

    /// How many vectors of numbers a row gives.
    fn orders(&self) -> usize {
        self.given.len() + usize::from(self.torque.is_some())
    }

    pub(super) fn compute_rows(
        &self,
        programs: &Programs,
        rows: &[Row],
        room: &mut ProgramScratch,
        each: &mut dyn FnMut(&Row, Result<Output, RowError>),
    ) {
        let joints = self.joints.len();
        let width = self.orders() * joints;
        room.inputs.clear();
        room.wrong.clear();
        for row in rows {
            let mut wrong = None;
            for (name, field) in self.given.iter().chain(&self.torque).flatten() {
                room.inputs.push(row.number(*field, name).unwrap_or_else(|error| {
                    wrong.get_or_insert(RowError::Table(error));
                    0.0
                }));
            }
            room.wrong.push(wrong);
        }
        let done = programs.run(room, rows.len());
        for (k, row) in rows.iter().enumerate() {
            if let Some(wrong) = room.wrong[k].take() {
                each(row, Err(wrong));
                continue;
            }
            let mut values = Vec::with_capacity(self.computed.len());
            programs.push_values(room, k, &mut values);
            if !done || !values.iter().all(|value| value.is_finite()) {
                each(row, self.evaluate(row));
                continue;
            }
            let given = &room.inputs[k * width..(k + 1) * width];
            let (q, others) = given.split_at(joints);
            let speeds = (self.given.len() > 1).then(|| &others[..joints]);
            let torque = match self.evaluation.task {
                Task::Torque => Some(&values[..]),
                Task::Acceleration => Some(&others[joints..]),
                _ => None,
            };
            let violations = violations(&self.joints, q, None, speeds, torque);
            each(row, self.output(row, values, violations, || self.likely_mistake(Form::Joints, q, 0.0)));
        }
    }
}

impl Programs {
    /// Runs all programs over so many states.
    fn run(&self, room: &mut ProgramScratch, states: usize) -> bool {
        let ProgramScratch { scratch, inputs, read, written, .. } = room;
        if scratch.len() != self.parts.len() {
            *scratch = self.parts.iter().map(|part| part.compiled.scratch()).collect();
            *written = vec![Vec::new(); self.parts.len()];
        }
        let width = inputs.len().checked_div(states).unwrap_or(0);
        for ((part, scratch), written) in self.parts.iter().zip(scratch).zip(written) {
            written.clear();
            written.resize(states * part.compiled.outputs(), 0.0);
            let needed = part.compiled.inputs();
            let done = if needed == width {
                part.compiled.rows(inputs, written, scratch)
            } else {
                read.clear();
                inputs.chunks(width.max(1)).for_each(|row| read.extend(row.iter().take(needed)));
                part.compiled.rows(read, written, scratch)
            };
            if done.is_err() {
                return false;
            }
        }
        true
    }

    /// Adds the computed columns of a state.
    fn push_values(&self, room: &ProgramScratch, state: usize, values: &mut Vec<f64>) {
        for (part, written) in self.parts.iter().zip(&room.written) {
            let width = part.compiled.outputs();
            let numbers = written.get(state * width..(state + 1) * width).unwrap_or_default();
            for &output in &part.outputs {
                values.push(numbers.get(output).copied().unwrap_or(f64::NAN));
            }
        }
    }
}
