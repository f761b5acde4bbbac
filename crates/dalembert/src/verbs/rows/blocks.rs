//! Blocks of rows on all processors: each thread takes the next block and computes its rows; whoever has the one that is next writes it, and those after
//! it that are waiting.

use super::{Computation, Lines, Part, Results};
use crate::report::table::{Block, Reader, Row, TableError};
use crate::threads;
use crate::verbs::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of a block: enough to hide what taking turns costs, few enough to stay near the processor.
const SIZE: usize = 1 << 18;

/// Rows that are computed together.
pub const TOGETHER: usize = 64;

/// Blocks that wait to be written, at most: a thread that was held up does not hold up the others at once.
const WAITING: usize = 8;

/// The input, block by block.
pub struct Input {
    reader: Reader<Box<dyn Read + Send>>,
    /// What has been read already.
    ahead: VecDeque<Block>,
    /// How many blocks have been taken.
    taken: u64,
    ended: Option<Result<(), TableError>>,
}

impl Input {
    pub fn new(reader: Reader<Box<dyn Read + Send>>) -> Self {
        Self { reader, ahead: VecDeque::new(), taken: 0, ended: None }
    }

    /// Whether there are so many rows, blank lines counted.
    pub fn look_ahead(&mut self, many: u64) -> bool {
        let mut lines = 0;
        while lines < many && self.ended.is_none() {
            let mut block = Block::default();
            if self.read(&mut block) {
                lines += block.lines();
                self.ahead.push_back(block);
            }
        }
        lines >= many
    }

    fn read(&mut self, block: &mut Block) -> bool {
        match self.reader.block(block, SIZE) {
            Ok(true) => return true,
            end => self.ended = Some(end.map(drop)),
        }
        false
    }

    /// The next block, and its number.
    fn next(&mut self, block: &mut Block) -> Option<u64> {
        match self.ahead.pop_front() {
            Some(first) => *block = first,
            None if self.ended.is_some() || !self.read(block) => return None,
            None => {}
        }
        self.taken += 1;
        Some(self.taken - 1)
    }
}

/// What the threads share.
struct Shared<'r> {
    input: Mutex<Input>,
    output: Mutex<Output<'r>>,
    turn: Condvar,
}

struct Output<'r> {
    results: Results<'r>,
    /// The number of the block that is written next.
    next: u64,
    /// Blocks that are computed and not written yet, and what made the rest of the input unreadable.
    waiting: BTreeMap<u64, (Part, Option<TableError>)>,
    /// Parts to use again.
    spare: Vec<Part>,
    /// Why nothing more is written.
    stopped: Option<Stop>,
}

enum Stop {
    /// The rest of the input cannot be read.
    Ended(TableError),
    Failed(VerbError),
    /// A thread panicked.
    Lost,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Computes all rows of the input and adds them to the results. How the input ended, and the results.
pub fn run<'r>(
    input: Input,
    results: Results<'r>,
    work: &impl Computation,
    lines: &Lines,
) -> Result<(Result<(), TableError>, Results<'r>), VerbError> {
    let few = input.ended.is_some() && input.ahead.len() < 2;
    let threads = if few { 1 } else { threads::count() };
    let output = Mutex::new(Output { results, next: 0, waiting: BTreeMap::new(), spare: Vec::new(), stopped: None });
    let shared = Shared { input: Mutex::new(input), output, turn: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.work(work, lines));
        }
        shared.work(work, lines);
    });
    let Output { results, stopped, .. } = shared.output.into_inner().unwrap_or_else(PoisonError::into_inner);
    let input = shared.input.into_inner().unwrap_or_else(PoisonError::into_inner);
    match stopped {
        None => Ok((input.ended.unwrap_or(Ok(())), results)),
        Some(Stop::Ended(error)) => Ok((Err(error), results)),
        Some(Stop::Failed(failure)) => Err(failure),
        Some(Stop::Lost) => Err(VerbError::new("thread-lost", "a thread was lost")),
    }
}

impl Shared<'_> {
    /// What each thread does.
    fn work(&self, work: &impl Computation, lines: &Lines) {
        let _guard = Guard(self);
        let (mut block, mut part) = (Block::default(), Part::default());
        let mut rows = vec![Row::default(); TOGETHER];
        loop {
            let Some(number) = lock(&self.input).next(&mut block) else { return };
            let ended = compute(&mut block, &mut rows, &mut part, work, lines);
            let mut output = lock(&self.output);
            while output.next != number && output.waiting.len() >= WAITING && output.stopped.is_none() {
                output = self.turn.wait(output).unwrap_or_else(PoisonError::into_inner);
            }
            output.waiting.insert(number, (part, ended));
            output.write();
            self.turn.notify_all();
            if output.stopped.is_some() {
                return;
            }
            part = output.spare.pop().unwrap_or_default();
        }
    }
}

impl Output<'_> {
    /// Writes what is next and there.
    fn write(&mut self) {
        while self.stopped.is_none()
            && let Some((mut part, ended)) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.stopped = match (self.results.add(&mut part), ended) {
                (Err(failure), _) => Some(Stop::Failed(failure)),
                (Ok(()), Some(error)) => Some(Stop::Ended(error)),
                (Ok(()), None) => None,
            };
            self.spare.push(part);
        }
    }
}

/// Tells the other threads if this one panics: they would wait for its turn.
struct Guard<'s, 'r>(&'s Shared<'r>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.output).stopped.get_or_insert(Stop::Lost);
            self.0.turn.notify_all();
        }
    }
}

/// All rows of a block; what makes those that follow unreadable.
fn compute(
    block: &mut Block,
    rows: &mut [Row],
    part: &mut Part,
    work: &impl Computation,
    lines: &Lines,
) -> Option<TableError> {
    loop {
        let mut count = 0;
        let mut end = Ok(true);
        while let Some(row) = rows.get_mut(count) {
            end = block.read(row);
            if !matches!(end, Ok(true)) {
                break;
            }
            count += 1;
        }
        part.compute(&rows[..count], work, lines);
        match end {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) if error.is_about_one_row() => part.refuse(error),
            Err(error) => return Some(error),
        }
    }
}
