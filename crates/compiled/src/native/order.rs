//! The order of instructions: what functions need comes first, so that all sines of a state are one call.

use crate::flow::{Flow, Instruction, ValueId};
use std::collections::HashMap;

/// A function that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathFunction {
    SinCos,
    Atan2,
    Tanh,
    Exp,
}

impl MathFunction {
    pub const ALL: [Self; 4] = [Self::SinCos, Self::Atan2, Self::Tanh, Self::Exp];

    fn of(instruction: Instruction<ValueId>) -> Option<Self> {
        match instruction {
            Instruction::SinCos(..) => Some(Self::SinCos),
            Instruction::Atan2(..) => Some(Self::Atan2),
            Instruction::Tanh(..) => Some(Self::Tanh),
            Instruction::Exp(..) => Some(Self::Exp),
            _ => None,
        }
    }
}

/// Whether functions are called: sines are arithmetic.
pub(crate) fn calls(flow: &Flow) -> bool {
    let called = |function: MathFunction| function != MathFunction::SinCos;
    flow.instructions.iter().any(|&instruction| MathFunction::of(instruction).is_some_and(called))
}

/// A stretch of arithmetic, or calls of one function that do not need one another.
#[derive(Clone, Debug)]
pub(crate) enum InstructionGroup {
    Arithmetic(Vec<Instruction<ValueId>>),
    Calls(MathFunction, Vec<Instruction<ValueId>>),
}

/// The same instructions, calls as early as can be and together; the rest in the order of the program.
pub(crate) fn ordered(flow: &Flow) -> Vec<InstructionGroup> {
    let all = &flow.instructions;
    let written: HashMap<ValueId, usize> =
        all.iter().enumerate().flat_map(|(k, x)| x.writes().into_iter().map(move |column| (column, k))).collect();
    let before =
        |k: usize| all[k].reads().into_iter().filter_map(|column| written.get(&column).copied()).collect::<Vec<_>>();
    // How many calls there are on the longest way to an instruction.
    let mut depth = vec![0; all.len()];
    for k in 0..all.len() {
        let of = |p: usize| depth[p] + usize::from(MathFunction::of(all[p]).is_some());
        depth[k] = before(k).into_iter().map(of).max().unwrap_or(0);
    }
    let mut done = vec![false; all.len()];
    let mut parts = Vec::new();
    for level in 0..=depth.iter().copied().max().unwrap_or(0) {
        let mut needed = vec![false; all.len()];
        for k in (0..all.len()).rev() {
            let call = MathFunction::of(all[k]).is_some() && depth[k] == level;
            if call || needed[k] {
                before(k).into_iter().for_each(|p| needed[p] = true);
            }
        }
        let mut arithmetic = Vec::new();
        for k in (0..all.len()).filter(|&k| needed[k]) {
            if !std::mem::replace(&mut done[k], true) {
                arithmetic.push(all[k]);
            }
        }
        parts.push(InstructionGroup::Arithmetic(arithmetic));
        for function in MathFunction::ALL {
            let mut calls = Vec::new();
            for k in 0..all.len() {
                if MathFunction::of(all[k]) == Some(function) && depth[k] == level && !done[k] {
                    done[k] = true;
                    calls.push(all[k]);
                }
            }
            if !calls.is_empty() {
                parts.push(InstructionGroup::Calls(function, calls));
            }
        }
    }
    parts.push(InstructionGroup::Arithmetic((0..all.len()).filter(|&k| !done[k]).map(|k| all[k]).collect()));
    parts
}
