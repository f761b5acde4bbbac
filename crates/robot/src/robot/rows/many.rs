//! Who computes the rows of a table: the formulas, one row after the other or in columns, or compiled programs.

use super::programs::{self, Programs};
use super::{Evaluator, Output, RowError, columns};
use crate::report::table::Row;
use std::sync::{Mutex, PoisonError};

/// What computes many rows.
#[derive(Debug, Default)]
pub(super) enum Many {
    /// The formulas, one after the other.
    #[default]
    OneByOne,
    /// The formulas in columns.
    Columns(ScratchPool<columns::ColumnScratch>),
    /// Compiled programs.
    Programs(Programs, ScratchPool<programs::ProgramScratch>),
}

/// Room to compute in, of threads that do not need it now.
#[derive(Debug)]
pub(super) struct ScratchPool<R>(Mutex<Vec<R>>);

impl<R> Default for ScratchPool<R> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<R: Default> ScratchPool<R> {
    fn within(&self, work: impl FnOnce(&mut R)) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut room = taken.unwrap_or_default();
        work(&mut room);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }
}

impl Evaluator<'_> {
    /// Computes rows, and hands them out in their order: by programs where they have been derived, else by the formulas, in columns where the model
    /// has them so. Rows of a table come in tens at a time, so that all fit near the processor.
    pub fn evaluate_rows(&self, rows: &[Row], each: &mut dyn FnMut(&Row, Result<Output, RowError>)) {
        match &self.many {
            Many::OneByOne => rows.iter().for_each(|row| each(row, self.evaluate(row))),
            Many::Columns(rooms) => rooms.within(|room| self.compute_columns(rows, room, each)),
            Many::Programs(programs, rooms) => rooms.within(|room| self.compute_rows(programs, rows, room, each)),
        }
    }

    /// Whether rows are computed together by the formulas.
    pub fn takes_columns(&self) -> bool {
        matches!(self.many, Many::Columns(_))
    }
}
