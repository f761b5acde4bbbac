//! Exchanging the ways of a choice, one at a time or several at once.

use crate::extract::{Random, Selection, Walk};
use crate::graph::{ENode, Id, Inner, Op, Operand, QuickMap};
use crate::target::UNIT;
use std::collections::BTreeMap;

impl Inner {
    /// Exchanges ways at random: first such that cost up to about `heat` more, then less and less. A way out of dead ends; the result
    /// is the cheapest choice on the way.
    pub fn anneal(&self, outputs: &[Id], selection: &mut Selection, random: &mut Random, steps: usize, heat: u32) {
        /// Steps after which what can be exchanged is looked up again.
        const STRETCH: usize = 400;
        let stretch = STRETCH.max(selection.live.len());
        let mut best = selection.clone();
        for from in (0..steps).step_by(stretch) {
            let candidates: Vec<Id> =
                selection.live.iter().copied().filter(|&id| self.classes[id as usize].ways.len() > 1).collect();
            if candidates.is_empty() {
                return;
            }
            let mut exchange = Exchange::new(self, outputs, selection);
            let mut least = best.cost;
            for step in from..steps.min(from + stretch) {
                let id = candidates[random.below(candidates.len())];
                let way = random.below(self.classes[id as usize].ways.len()) as u16;
                let left = 1.0 - step as f64 / steps as f64;
                let allowed = f64::from(heat) * left * (random.signed() * random.signed()).abs();
                exchange.attempt(id, way, exchange.cost + allowed as u32);
                if exchange.cost < least {
                    least = exchange.cost;
                    let mut now = selection.clone();
                    exchange.store(outputs, &mut now);
                    best = now;
                }
            }
            exchange.store(outputs, selection);
        }
        if best.cost < selection.cost {
            *selection = best;
        }
    }

    /// Exchanges ways as long as that helps, `rounds` times through the program, accepting exchanges that cost nothing.
    pub fn improve(&self, outputs: &[Id], selection: &mut Selection, random: &mut Random, rounds: usize) {
        for _ in 0..rounds {
            let mut candidates: Vec<Id> =
                selection.live.iter().copied().filter(|&id| self.classes[id as usize].ways.len() > 1).collect();
            for i in (1..candidates.len()).rev() {
                candidates.swap(i, random.below(i + 1));
            }
            let mut exchange = Exchange::new(self, outputs, selection);
            let mut moved = false;
            for id in candidates {
                let ways = self.classes[id as usize].ways.len();
                let start = random.below(ways);
                for k in 0..ways {
                    moved |= exchange.attempt(id, ((start + k) % ways) as u16, exchange.cost);
                }
            }
            moved |= self.expand_turns(&mut exchange, &selection.live);
            moved |= self.share_divisors(&mut exchange, &selection.live);
            exchange.store(outputs, selection);
            if !moved {
                break;
            }
        }
    }

    /// Sines and cosines of sums of angles by those of the angles, where an angle less is worth it.
    fn expand_turns(&self, exchange: &mut Exchange<'_>, live: &[Id]) -> bool {
        if self.weights.pair < UNIT {
            return false;
        }
        let mut sines: QuickMap<Id, Id> = QuickMap::default();
        let op = |id: Id| self.classes[id as usize].ways[exchange.way[id as usize] as usize].op;
        for &id in live {
            if let (Op::Sin(_), Some(angle)) = (op(id), self.angle(id, &op(id))) {
                sines.insert(angle, id);
            }
        }
        let both: Vec<(Id, Id)> = live
            .iter()
            .filter(|&&id| matches!(op(id), Op::Cos(_)))
            .filter_map(|&id| Some((*sines.get(&self.angle(id, &op(id))?)?, id)))
            .collect();
        both.into_iter().fold(false, |moved, (sin, cos)| exchange.attempt_both(sin, cos) | moved)
    }

    /// Quotients with the same divisor by one division and products, where that is cheaper: all of them or none, for one alone costs a
    /// product more.
    fn share_divisors(&self, exchange: &mut Exchange<'_>, live: &[Id]) -> bool {
        if self.weights.div <= self.weights.mul {
            return false;
        }
        let mut quotients: BTreeMap<Operand, Vec<Id>> = BTreeMap::new();
        for &id in live {
            if let (Op::Div(a, b), true) = (exchange.op(id), exchange.uses[id as usize] > 0)
                && a != Operand::ONE
            {
                quotients.entry(b).or_default().push(id);
            }
        }
        quotients.into_iter().fold(false, |moved, (divisor, all)| exchange.attempt_inverse(divisor, &all) | moved)
    }
}

/// A choice while it is changed: every class knows how often it is used, so that a change costs only what it changes.
pub(crate) struct Exchange<'i> {
    inner: &'i Inner,
    way: Vec<u16>,
    uses: Vec<u32>,
    /// How many of sine and cosine of an angle are used.
    turns: Vec<u32>,
    pub cost: u32,
    walk: Walk,
    outputs: &'i [Id],
    /// Whatever is used stands higher than what it is computed from: nothing depends on itself.
    rank: Vec<f64>,
    /// What the last exchange has begun to use; it has no rank yet.
    fresh: Vec<Id>,
    is_fresh: Vec<bool>,
}

impl<'i> Exchange<'i> {
    pub fn new(inner: &'i Inner, outputs: &'i [Id], selection: &Selection) -> Self {
        let size = inner.classes.len();
        let mut way = selection.way.clone();
        way.resize(size, 0);
        let zeros = vec![0; size];
        let mut exchange = Self {
            inner,
            way,
            uses: zeros.clone(),
            turns: zeros,
            cost: 0,
            walk: Walk::new(size),
            outputs,
            rank: vec![0.0; size],
            fresh: Vec::new(),
            is_fresh: vec![false; size],
        };
        outputs.iter().for_each(|&id| exchange.take(id));
        exchange.rank_all();
        exchange.prepare();
        exchange
    }

    /// For everything that is not used the cheapest way from what is, so that an exchange which begins to use it costs no more than it
    /// must.
    fn prepare(&mut self) {
        /// Values that need more new ones than this are not worth it.
        const DEPTH: usize = 3;
        let mut cost: Vec<u32> = self.uses.iter().map(|&uses| if uses > 0 { 0 } else { u32::MAX }).collect();
        for _ in 0..DEPTH {
            let mut changed = false;
            for (id, class) in self.inner.classes.iter().enumerate().filter(|(id, _)| self.uses[*id] == 0) {
                for (k, way) in class.ways.iter().enumerate() {
                    let price = self.inner.price(id as Id, &way.op);
                    let below = way.op.classes().fold(price, |sum, child| sum.saturating_add(cost[child as usize]));
                    if below < cost[id] {
                        (cost[id], self.way[id], changed) = (below, k as u16, true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Ranks for all that is used.
    fn rank_all(&mut self) {
        self.walk.round += 2;
        let (rank, mut next) = (&mut self.rank, 0.0);
        for &output in self.outputs {
            self.walk.descend(self.inner, output, &self.way, |id, _| {
                next += 1.0;
                rank[id as usize] = next;
                true
            });
        }
    }

    /// Ranks what the last exchange, that of `id`, has begun to use; `false` if something depends on itself.
    fn settle(&mut self, id: Id) -> bool {
        self.fresh.iter().for_each(|&id| self.is_fresh[id as usize] = true);
        self.walk.round += 2;
        self.walk.mark[id as usize] = self.walk.round;
        let mut ordered = true;
        let sound = self.op(id).classes().all(|child| self.below(child, self.rank[id as usize], &mut ordered));
        self.fresh.iter().for_each(|&id| self.is_fresh[id as usize] = false);
        if sound && !ordered {
            self.rank_all();
        }
        sound
    }

    /// Whether a class does not depend on what is open; what stands below `top` does not. All others are put there, as long as
    /// there is room (`ordered`).
    fn below(&mut self, id: Id, top: f64, ordered: &mut bool) -> bool {
        let (open, done) = (self.walk.round, self.walk.round + 1);
        let (mark, fresh) = (self.walk.mark[id as usize], self.is_fresh[id as usize]);
        if mark == open {
            return false;
        }
        if mark == done || (!fresh && self.rank[id as usize] < top) {
            return true;
        }
        self.walk.mark[id as usize] = open;
        let mut least = 0.0_f64;
        for child in self.op(id).classes() {
            if !self.below(child, top, ordered) {
                return false;
            }
            least = least.max(self.rank[child as usize]);
        }
        self.walk.mark[id as usize] = done;
        // What stood higher may stand lower: there is only more room above it.
        let rank = 0.5 * (least + top);
        self.rank[id as usize] = rank;
        *ordered &= least < rank && rank < top;
        true
    }

    fn op(&self, id: Id) -> Op {
        self.inner.classes[id as usize].ways[self.way[id as usize] as usize].op
    }

    /// What the operation of a class costs, from now on or no longer; an angle with its first sine or cosine.
    fn charge(&mut self, id: Id, op: &Op, used: bool) {
        let mut price = self.inner.price(id, op);
        if let Some(angle) = self.inner.angle(id, op) {
            let turns = &mut self.turns[angle as usize];
            *turns = if used { *turns + 1 } else { *turns - 1 };
            if *turns == u32::from(used) {
                price += self.inner.weights.pair;
            }
        }
        self.cost = if used { self.cost + price } else { self.cost - price };
    }

    /// One more use of a class.
    fn take(&mut self, id: Id) {
        self.uses[id as usize] += 1;
        if self.uses[id as usize] == 1 {
            self.fresh.push(id);
            let op = self.op(id);
            self.charge(id, &op, true);
            op.classes().for_each(|child| self.take(child));
        }
    }

    /// One use less.
    fn leave(&mut self, id: Id) {
        self.uses[id as usize] -= 1;
        if self.uses[id as usize] == 0 {
            let op = self.op(id);
            self.charge(id, &op, false);
            op.classes().for_each(|child| self.leave(child));
        }
    }

    /// Takes another way for a class that is used, if the program then costs at most `limit` and nothing depends on itself.
    pub fn attempt(&mut self, id: Id, way: u16, limit: u32) -> bool {
        let old = self.way[id as usize];
        if way == old || self.uses[id as usize] == 0 {
            return false;
        }
        self.exchange(id, way);
        if self.cost <= limit && self.settle(id) {
            return true;
        }
        self.exchange(id, old);
        false
    }

    /// Takes sine and cosine of an angle by their sums of products, both or neither: one alone still needs the angle.
    fn attempt_both(&mut self, sin: Id, cos: Id) -> bool {
        let sums = |inner: &Inner, id: Id| -> Vec<u16> {
            let ways = &inner.classes[id as usize].ways;
            (0..ways.len() as u16)
                .filter(|&k| matches!(ways[k as usize].op, Op::Add(..) | Op::Sub(..)))
                .take(6)
                .collect()
        };
        let before = (self.cost, self.way[sin as usize], self.way[cos as usize]);
        let angle = |exchange: &Self, id: Id| exchange.inner.angle(id, &exchange.op(id));
        if angle(self, sin).is_none() || angle(self, sin) != angle(self, cos) {
            return false;
        }
        for first in sums(self.inner, sin) {
            if !self.attempt(sin, first, u32::MAX) {
                continue;
            }
            for second in sums(self.inner, cos) {
                if self.attempt(cos, second, before.0) {
                    return true;
                }
            }
            self.exchange(sin, before.1);
            self.settle(sin);
        }
        false
    }

    /// Takes these quotients as products with 1/`divisor`, if that is cheaper.
    fn attempt_inverse(&mut self, divisor: Operand, quotients: &[Id]) -> bool {
        let classes = &self.inner.classes;
        let is_inverse = |operand: Operand| match operand {
            Operand::Class(id) => classes[id as usize].ways.iter().any(|way| way.op == Op::Div(Operand::ONE, divisor)),
            Operand::Number(_) => false,
        };
        let before = self.cost;
        let mut taken = Vec::new();
        for &id in quotients {
            let product = |way: &ENode| matches!(way.op, Op::Mul(a, b) if is_inverse(a) || is_inverse(b));
            let old = self.way[id as usize];
            if let Some(k) = classes[id as usize].ways.iter().position(product)
                && self.attempt(id, k as u16, u32::MAX)
            {
                taken.push((id, old));
            }
        }
        if self.cost < before {
            return true;
        }
        for (id, old) in taken.into_iter().rev() {
            self.exchange(id, old);
            self.settle(id);
        }
        false
    }

    /// New operands first, so that what both ways share is not dropped and taken again.
    fn exchange(&mut self, id: Id, way: u16) {
        self.fresh.clear();
        let old = self.op(id);
        self.way[id as usize] = way;
        let new = self.op(id);
        self.charge(id, &new, true);
        self.charge(id, &old, false);
        new.classes().for_each(|child| self.take(child));
        old.classes().for_each(|child| self.leave(child));
    }

    pub fn store(&mut self, outputs: &[Id], selection: &mut Selection) {
        let mut live = Vec::new();
        if let Some(cost) = self.walk.cost(self.inner, outputs, &self.way, &mut live, u32::MAX) {
            *selection = Selection { way: self.way.clone(), cost, live };
        }
    }
}
