//! Any robot at full speed: its derived programs, made ready to run without a compiler.

use super::Robot;
use super::cache::{Cache, CacheError};
use super::judged::CONFIRMED;
use crate::symbolic::Effort;
use crate::symbolic::derive::{DeriveError, Of, Request};
use dalembert_compiled::{Compiled, TooLarge};

/// Why a robot was not compiled.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum CompileError {
    #[error(transparent)]
    Derive(#[from] DeriveError),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error("the program of {0} does not give what the formulas give")]
    Wrong(Of),
    #[error("the exact model gives no {0} to confirm a program with")]
    Unconfirmed(Of),
}

/// Where a program comes from.
#[derive(Debug)]
pub enum Origin {
    /// From a cache: it was searched before.
    Cached,
    /// Derived now, without a search; and why one that is in the cache was not used.
    Quick(Option<CacheError>),
}

impl Origin {
    /// A program in words: what it computes and how, and where it comes from.
    pub fn told(&self, of: Of, compiled: &Compiled) -> String {
        let way = if compiled.is_native() { "machine code" } else { "tiles" };
        let from = match self {
            Self::Cached => String::from("from the cache"),
            Self::Quick(None) => String::from("derived quickly"),
            Self::Quick(Some(ignored)) => format!("derived quickly (not used: {ignored})"),
        };
        format!("{of} by {way}, {} operations, {from}", compiled.program().operations().arithmetic())
    }
}

impl Robot {
    /// A quantity of this robot as a program that is ready to run, for one state, for columns or for rows of states. It is derived
    /// without a search, in less than a second for most robots. What it takes and gives is
    /// told by its program ([`Compiled::program`]): the programs of a parallel robot take its platform. Elbows are out and the platform
    /// is below.
    ///
    /// The results are those of the exact model to rounding. Nothing is checked but what the program checks: a state out of
    /// reach comes out as NaN, and joint ranges are not looked at.
    pub fn compile(&self, of: Of) -> Result<Compiled, CompileError> {
        self.compile_with(of, Effort::QUICK)
    }

    /// The same after a search for fewer operations, which takes seconds.
    pub fn compile_with(&self, of: Of, effort: Effort) -> Result<Compiled, CompileError> {
        let request = Request { effort, ..Request::new(&self.name, of) };
        Ok(Compiled::new(self.derive(&request, &mut |_| {})?.program)?)
    }

    /// The searched program of a cache if it is there, else one that is derived without a search; and which it is. Both are verified.
    pub fn compile_from(&self, cache: Option<&Cache>, of: Of) -> Result<(Compiled, Origin), CompileError> {
        if !CONFIRMED.contains(&of) {
            return Err(CompileError::Unconfirmed(of));
        }
        let ignored = match cache.map(|cache| cache.find(self, of)) {
            Some(Ok(Some(compiled))) => return Ok((compiled, Origin::Cached)),
            Some(Err(error)) => Some(error),
            Some(Ok(None)) | None => None,
        };
        let compiled = self.compile(of)?;
        match self.agrees_with_exact(of, &compiled) {
            true => Ok((compiled, Origin::Quick(ignored))),
            false => Err(CompileError::Wrong(of)),
        }
    }
}
