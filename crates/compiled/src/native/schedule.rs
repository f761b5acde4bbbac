//! The order of lines: what the longest way to the end waits for comes first, as long as registers last. A processor looks ahead some
//! hundred instructions by itself; this helps where what waits for one another is farther apart.

use super::allocate::{ValueTable, VirtualInstruction};
use super::encode::Binary;
use crate::flow::{ARITHMETIC, DIVISION, ROOT};

/// Cycles from reading to the result, roughly as processors since 2015 have them.
fn latency(line: &VirtualInstruction) -> u32 {
    match line {
        VirtualInstruction::Two(Binary::Div, ..) => DIVISION,
        VirtualInstruction::Root(..) => ROOT,
        VirtualInstruction::Two(Binary::And | Binary::Xor, ..)
        | VirtualInstruction::Shift(..)
        | VirtualInstruction::Turn(..)
        | VirtualInstruction::Store { .. } => 1,
        VirtualInstruction::Two(..) | VirtualInstruction::Fused(..) => ARITHMETIC,
        VirtualInstruction::Swap(..) => 4,
        VirtualInstruction::Select(..) => 5,
        VirtualInstruction::Join(..) => 8,
        // Through memory.
        VirtualInstruction::Split { .. } => 6,
        VirtualInstruction::Call { .. } => 100,
    }
}

/// Lines in another order, with at most about so many values in registers at once.
pub(crate) fn scheduled(lines: Vec<VirtualInstruction>, values: &ValueTable, most: usize) -> Vec<VirtualInstruction> {
    if lines.iter().any(|line| matches!(line, VirtualInstruction::Call { .. })) {
        return lines;
    }
    let count = lines.len();
    let mut writer = vec![usize::MAX; values.wide.len()];
    for (k, line) in lines.iter().enumerate() {
        line.writes().into_iter().for_each(|value| writer[value] = k);
    }
    // What is made by a line and kept in a register until its last use; what a split gives lies in memory.
    let in_register =
        |value: usize| writer[value] != usize::MAX && !matches!(lines[writer[value]], VirtualInstruction::Split { .. });
    let reads: Vec<Vec<usize>> = lines
        .iter()
        .map(|line| {
            let mut reads = line.reads();
            reads.sort_unstable();
            reads.dedup();
            reads
        })
        .collect();
    let mut left = vec![0_usize; values.wide.len()];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0_usize; count];
    for (k, reads) in reads.iter().enumerate() {
        for &value in reads {
            left[value] += 1;
            if writer[value] != usize::MAX {
                after[writer[value]].push(k);
                waits[k] += 1;
            }
        }
    }
    let mut way = vec![0_u32; count];
    for k in (0..count).rev() {
        way[k] = latency(&lines[k]) + after[k].iter().map(|&next| way[next]).max().unwrap_or(0);
    }
    let mut ready: Vec<usize> = (0..count).filter(|&k| waits[k] == 0).collect();
    let mut possible = vec![0_u32; count];
    let (mut order, mut live) = (Vec::with_capacity(count), 0_usize);
    while !ready.is_empty() {
        // Two lines in a cycle.
        let now = order.len() as u32 / 2;
        let frees = |k: usize| reads[k].iter().filter(|&&value| in_register(value) && left[value] == 1).count();
        let makes = |k: usize| lines[k].writes().iter().filter(|&&value| in_register(value)).count();
        let grows = |k: usize| makes(k) as i64 - frees(k) as i64;
        let best = (0..ready.len()).min_by_key(|&r| {
            let k = ready[r];
            (if live < most { 0 } else { grows(k) }, possible[k].max(now), u32::MAX - way[k], k)
        });
        let Some(best) = best else { break };
        let k = ready.swap_remove(best);
        live = (live + makes(k)).saturating_sub(frees(k));
        for &value in &reads[k] {
            left[value] -= 1;
        }
        let done = possible[k].max(now) + latency(&lines[k]);
        for &next in &after[k] {
            possible[next] = possible[next].max(done);
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(next);
            }
        }
        order.push(k);
    }
    let mut lines: Vec<Option<VirtualInstruction>> = lines.into_iter().map(Some).collect();
    order.into_iter().filter_map(|k| lines[k].take()).collect()
}
