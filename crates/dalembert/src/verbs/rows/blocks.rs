//! Blocks of rows on all processors: this thread reads blocks and writes their results in order, the others compute.

use super::{Computation, Lines, Part, Results};
use crate::report::table::{Block, Reader, Row, TableError};
use crate::threads;
use crate::verbs::prelude::*;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Bytes of a block: enough to hide what taking turns costs, few enough to stay near the processor.
const SIZE: usize = 1 << 18;

/// Rows that are computed together.
pub const TOGETHER: usize = 64;

/// Blocks under way beyond one for each thread: a thread that was held up does not hold up the others at once.
const WAITING: usize = 8;

/// The input, block by block.
pub struct Input {
    reader: Reader<Box<dyn Read + Send>>,
    /// What has been read already.
    ahead: VecDeque<Block>,
    ended: Option<Result<(), TableError>>,
}

impl Input {
    pub fn new(reader: Reader<Box<dyn Read + Send>>) -> Self {
        Self { reader, ahead: VecDeque::new(), ended: None }
    }

    /// Whether there is one block at most: then threads are not worth starting.
    fn is_short(&mut self) -> bool {
        while self.ahead.len() < 2 && self.ended.is_none() {
            let mut block = Block::default();
            if self.read(&mut block) {
                self.ahead.push_back(block);
            }
        }
        self.ahead.len() < 2
    }

    fn read(&mut self, block: &mut Block) -> bool {
        match self.reader.block(block, SIZE) {
            Ok(true) => return true,
            end => self.ended = Some(end.map(drop)),
        }
        false
    }

    /// The next block, if there is one.
    fn next(&mut self, block: &mut Block) -> bool {
        match self.ahead.pop_front() {
            Some(first) => *block = first,
            None => return self.ended.is_none() && self.read(block),
        }
        true
    }
}

/// A block with room for what comes of its rows, and what makes the rest of the input unreadable.
type Job = (Block, Part, Option<TableError>);

/// Computes all rows of the input and adds them to the results. How the input ended, and the results.
pub fn run<'r>(
    mut input: Input,
    mut results: Results<'r>,
    work: &impl Computation,
    lines: &Lines,
) -> Result<(Result<(), TableError>, Results<'r>), VerbError> {
    let threads = if input.is_short() { 1 } else { threads::count() };
    let compute = |rows: &mut [Row], (block, part, ended): &mut Job| *ended = compute(block, rows, part, work, lines);
    if threads == 1 {
        let (mut rows, mut job) = (vec![Row::default(); TOGETHER], Job::default());
        while input.next(&mut job.0) {
            compute(&mut rows, &mut job);
            results.add(&mut job.1)?;
            if let Some(error) = job.2.take() {
                return Ok((Err(error), results));
            }
        }
        return Ok((input.ended.unwrap_or(Ok(())), results));
    }
    // Each job has a channel of its own for its result, so that results come in order; a thread that panics closes it.
    let (jobs, queue) = channel::<(Job, Sender<Job>)>();
    let queue = Mutex::new(queue);
    let work = || {
        let mut rows = vec![Row::default(); TOGETHER];
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((mut job, done)) = next else { return };
            compute(&mut rows, &mut job);
            // Nobody waits for it where the run has failed.
            let _ = done.send(job);
        }
    };
    let lost = || VerbError::new("thread-lost", "a thread was lost");
    let ended = std::thread::scope(|scope| -> Result<_, VerbError> {
        // Dropped at the end, which ends the threads.
        let jobs = jobs;
        (0..threads).for_each(|_| drop(scope.spawn(work)));
        let (mut waiting, mut spare) = (VecDeque::new(), Vec::new());
        loop {
            while waiting.len() < threads + WAITING {
                let mut job: Job = spare.pop().unwrap_or_default();
                if !input.next(&mut job.0) {
                    break;
                }
                let (done, result) = channel();
                jobs.send((job, done)).map_err(|_| lost())?;
                waiting.push_back(result);
            }
            let Some(result) = waiting.pop_front() else { return Ok(input.ended.take().unwrap_or(Ok(()))) };
            let mut job = result.recv().map_err(|_| lost())?;
            results.add(&mut job.1)?;
            if let Some(error) = job.2.take() {
                return Ok(Err(error));
            }
            spare.push(job);
        }
    })?;
    Ok((ended, results))
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
