//! From values to slots: as few columns as are alive at once.

use crate::flow::{Flow, Instruction, MarginCheck, SignedOperand, ValueId};
use std::collections::HashMap;

/// Where a column of numbers is.
pub(crate) type Slot = u16;

/// What an instruction reads, or the slot that it writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TapeOperand {
    Slot(Slot),
    /// The same for all states.
    Number(f64),
}

/// A program made ready to run over tiles. The slot that an instruction writes is none of those that it reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tape {
    pub instructions: Vec<Instruction<TapeOperand>>,
    /// Where the inputs are put before the first instruction; those that nothing reads have no place.
    pub inputs: Vec<Option<Slot>>,
    /// Numbers that functions read as if they were columns.
    pub numbers: Vec<(Slot, f64)>,
    pub results: Vec<SignedOperand<Slot>>,
    pub guards: Vec<MarginCheck<Slot>>,
    pub slots: usize,
}

/// More columns than instructions can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a program with {0} live values is too large to run")]
pub struct TooLarge(pub usize);

impl Tape {
    /// Gives every value a slot from where it is written to where it is read last.
    pub fn new(flow: &Flow) -> Result<Self, TooLarge> {
        let mut last: HashMap<ValueId, usize> = HashMap::new();
        for (k, instruction) in flow.instructions.iter().enumerate() {
            let takes_numbers = matches!(instruction, Instruction::Two(..) | Instruction::Fused(..));
            for column in instruction.reads() {
                if !(takes_numbers && matches!(column, ValueId::Number(_))) {
                    last.insert(column, k);
                }
            }
        }
        for operand in flow.wanted() {
            if let SignedOperand::Of { value, .. } = *operand {
                last.insert(value, usize::MAX);
            }
        }
        let mut place: HashMap<ValueId, Slot> = HashMap::new();
        let (mut free, mut slots): (Vec<Slot>, usize) = (Vec::new(), 0);
        let mut take = |free: &mut Vec<Slot>| {
            free.pop().unwrap_or_else(|| {
                slots += 1;
                // Too many slots are reported below.
                (slots - 1) as Slot
            })
        };
        let inputs: Vec<Option<Slot>> = (0..flow.inputs)
            .map(|i| {
                last.contains_key(&ValueId::Input(i))
                    .then(|| *place.entry(ValueId::Input(i)).or_insert(take(&mut free)))
            })
            .collect();
        // Numbers stay: they are written once for all tiles.
        let mut numbers: Vec<(Slot, f64)> = Vec::new();
        let mut in_columns: Vec<ValueId> = last.keys().copied().filter(|c| matches!(c, ValueId::Number(_))).collect();
        in_columns.sort();
        for column in in_columns {
            if let ValueId::Number(bits) = column {
                let slot = take(&mut free);
                place.insert(column, slot);
                numbers.push((slot, f64::from_bits(bits)));
            }
        }
        let mut instructions = Vec::with_capacity(flow.instructions.len());
        for (k, instruction) in flow.instructions.iter().enumerate() {
            let written: Vec<(ValueId, Slot)> =
                instruction.writes().into_iter().map(|column| (column, take(&mut free))).collect();
            for &(column, slot) in &written {
                // A dead value frees its slot at once.
                if last.contains_key(&column) {
                    place.insert(column, slot);
                } else {
                    free.push(slot);
                }
            }
            let mut slots = written.iter().map(|(_, slot)| TapeOperand::Slot(*slot));
            let read = |column| match column {
                ValueId::Number(bits) if !place.contains_key(&column) => TapeOperand::Number(f64::from_bits(bits)),
                _ => TapeOperand::Slot(place[&column]),
            };
            instructions.push(instruction.map(|_| slots.next().unwrap_or(TapeOperand::Slot(0)), read));
            let ended = |column: &ValueId| !matches!(column, ValueId::Number(_)) && last[column] == k;
            let mut ended: Vec<ValueId> = instruction.reads().into_iter().filter(ended).collect();
            ended.sort();
            ended.dedup();
            free.extend(ended.iter().map(|column| place[column]));
        }
        if slots > usize::from(Slot::MAX) {
            return Err(TooLarge(slots));
        }
        let placed = |operand: SignedOperand<ValueId>| match operand {
            SignedOperand::Of { value, negated } => SignedOperand::Of { value: place[&value], negated },
            SignedOperand::Number(x) => SignedOperand::Number(x),
        };
        let guards = flow.guards.iter().map(|guard| guard.of(placed(guard.margin))).collect();
        let results = flow.results.iter().map(|&result| placed(result)).collect();
        Ok(Tape { instructions, inputs, numbers, results, guards, slots })
    }
}
