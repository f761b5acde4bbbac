//! Other ways to the same values: the rules of algebra applied to the program at hand, and every pair of its values tried.
//!
//! Nothing is replaced: a rule adds a way to a class, and `extract` takes it if the whole program becomes cheaper.

use crate::extract::Selection;
use crate::graph::{Group, Id, Inner, Op, Operand, Signed, Way};
use std::collections::HashMap;

impl Inner {
    /// Applies the rules once to every operation of the program.
    pub fn rewrite(&mut self, selection: &Selection) {
        for &id in &selection.live {
            let way = self.classes[id as usize].ways[selection.way[id as usize] as usize];
            if let Some([a, b]) = sum(way.op) {
                self.rewrite_sum(selection, a, b);
                self.rewrite_sum(selection, b, a);
            } else if let Op::Mul(a, b) = way.op {
                self.rewrite_product(selection, a, b);
                self.rewrite_product(selection, b, a);
            }
        }
    }

    /// The operation chosen for a value.
    fn chosen(&self, selection: &Selection, operand: Operand) -> Option<Way> {
        let Operand::Class(id) = operand else { return None };
        Some(self.classes[id as usize].ways[*selection.way.get(id as usize)? as usize])
    }

    fn rewrite_sum(&mut self, selection: &Selection, a: Signed, b: Signed) {
        let Some(way) = self.chosen(selection, a.operand) else { return };
        let flip = a.negated != way.negated;
        if let Some([x, y]) = sum(way.op) {
            // (x + y) + b → x + (y + b), y + (x + b)
            let (x, y) = (x.flipped(flip), y.flipped(flip));
            for (x, y) in [(x, y), (y, x)] {
                let inner = self.add(y, b);
                self.add(x, inner);
            }
        }
        // x·y + x·z → x·(y + z); and x·y + b → x·(y + b/x) where b is a product with a factor of x: the same rule.
        let Op::Mul(x, y) = way.op else { return };
        let Some(other) = self.chosen(selection, b.operand) else { return };
        let Op::Mul(u, v) = other.op else { return };
        let minus = b.negated != other.negated;
        for (common, rest) in [(x, y), (y, x)] {
            for (also, rest_of_b) in [(u, v), (v, u)] {
                if common == also {
                    let rest = Signed { negated: flip, operand: rest };
                    let inner = self.add(rest, Signed { negated: minus, operand: rest_of_b });
                    self.mul(Signed { negated: false, operand: common }, inner);
                }
            }
        }
    }

    fn rewrite_product(&mut self, selection: &Selection, a: Operand, b: Operand) {
        let Some(way) = self.chosen(selection, a) else { return };
        let b = Signed { negated: false, operand: b };
        if let Some([x, y]) = sum(way.op) {
            // (x + y)·b → x·b + y·b
            let (x, y) = (self.mul(x.flipped(way.negated), b), self.mul(y.flipped(way.negated), b));
            self.add(x, y);
        } else if let Op::Mul(x, y) = way.op {
            // (x·y)·b → x·(y·b), y·(x·b)
            for (x, y) in [(x, y), (y, x)] {
                let inner = self.mul(Signed { negated: way.negated, operand: y }, b);
                self.mul(Signed { negated: false, operand: x }, inner);
            }
        }
    }

    /// Finds every value of the program that is the sum, difference or product of two others, or a constant multiple of
    /// another one, or differs from it by a constant.
    pub fn pair(&mut self, selection: &Selection) {
        let live: Vec<Id> =
            selection.live.iter().copied().filter(|&id| self.classes[id as usize].depends & !1 != 0).collect();
        let is_live = {
            let mut marks = vec![false; self.classes.len()];
            live.iter().for_each(|&id| marks[id as usize] = true);
            marks
        };
        let mut found = Vec::new();
        for (i, &a) in live.iter().enumerate() {
            let x = self.classes[a as usize].value;
            for &b in &live[i..] {
                let y = self.classes[b as usize].value;
                let (p, q) = (Operand::Class(a.min(b)), Operand::Class(a.max(b)));
                let mut look = |op: Op, value: [f64; 2]| {
                    if let Some(Signed { negated, operand: Operand::Class(id) }) = self.find(value)
                        && is_live[id as usize]
                        && id != a
                        && id != b
                    {
                        found.push((id, Way { op, negated }));
                    }
                };
                look(Op::Mul(p, q), [x[0] * y[0], x[1] * y[1]]);
                if a != b {
                    look(Op::Add(p, q), [x[0] + y[0], x[1] + y[1]]);
                    let sign = if a < b { 1.0 } else { -1.0 };
                    look(Op::Sub(p, q), [sign * (x[0] - y[0]), sign * (x[1] - y[1])]);
                }
            }
        }
        for (id, way) in found {
            let ways = &mut self.classes[id as usize].ways;
            if !ways.contains(&way) && ways.len() < 64 {
                ways.push(way);
            }
        }
        // A factor found from samples would be a number where a symbol is wanted.
        if self.inputs.iter().all(|input| input.group != Group::Parameter) {
            self.pair_with_constants(&live);
        }
    }

    fn pair_with_constants(&mut self, live: &[Id]) {
        // Values are constant multiples of each other if the ratios of their samples agree.
        let mut by_ratio: HashMap<u64, Vec<Id>> = HashMap::new();
        for &id in live {
            let [x, y] = self.classes[id as usize].value;
            by_ratio.entry((y / x).to_bits() >> 14).or_default().push(id);
        }
        for group in by_ratio.values().filter(|group| group.len() > 1 && group.len() < 12) {
            for &a in group {
                for &b in group {
                    let ([x0, x1], [y0, y1]) = (self.classes[a as usize].value, self.classes[b as usize].value);
                    let factor = x0 / y0;
                    if a != b && factor.is_finite() && (x1 - factor * y1).abs() <= 1e-12 * x1.abs() {
                        let way = Way {
                            op: Op::Mul(Operand::number(factor.abs()), Operand::Class(b)),
                            negated: factor < 0.0,
                        };
                        let ways = &mut self.classes[a as usize].ways;
                        if !ways.contains(&way) && ways.len() < 64 {
                            ways.push(way);
                        }
                    }
                }
            }
        }
    }
}

/// The signed terms of a sum or difference.
fn sum(op: Op) -> Option<[Signed; 2]> {
    let plus = |operand| Signed { negated: false, operand };
    match op {
        Op::Add(a, b) => Some([plus(a), plus(b)]),
        Op::Sub(Operand::Number(0), _) => None,
        Op::Sub(a, b) => Some([plus(a), plus(b).negate()]),
        _ => None,
    }
}

/// Sums and products seen whole, not two by two.
impl Inner {
    /// How often each class is used by the program.
    fn uses(&self, selection: &Selection, outputs: &[Id]) -> Vec<u32> {
        let mut uses = vec![0; self.classes.len()];
        for &id in &selection.live {
            for operand in self.classes[id as usize].ways[selection.way[id as usize] as usize].op.operands() {
                if let Operand::Class(child) = operand {
                    uses[child as usize] += 1;
                }
            }
        }
        outputs.iter().for_each(|&id| uses[id as usize] += 2);
        uses
    }

    /// The terms of a sum, through partial sums that nobody else uses.
    fn terms(&self, selection: &Selection, uses: &[u32], from: Signed, first: bool, terms: &mut Vec<Signed>) {
        if let (Operand::Class(id), Some(way)) = (from.operand, self.chosen(selection, from.operand))
            && (first || uses[id as usize] == 1)
            && let Some(pair) = sum(way.op)
        {
            for term in pair {
                self.terms(selection, uses, term.flipped(way.negated != from.negated), false, terms);
            }
        } else {
            terms.push(from);
        }
    }

    /// The factors of a product, likewise; the sign is left out.
    fn factors(&self, selection: &Selection, uses: &[u32], from: Operand, first: bool, factors: &mut Vec<Operand>) {
        if let (Operand::Class(id), Some(way)) = (from, self.chosen(selection, from))
            && (first || uses[id as usize] == 1)
            && let Op::Mul(a, b) = way.op
        {
            self.factors(selection, uses, a, false, factors);
            self.factors(selection, uses, b, false, factors);
        } else {
            factors.push(from);
        }
    }

    /// Sums: takes two terms together that have a common factor or whose sum is known. Products: two factors whose product
    /// is known.
    pub fn regroup(&mut self, selection: &Selection, outputs: &[Id]) {
        let uses = self.uses(selection, outputs);
        let anyone = vec![1; self.classes.len()];
        let mut is_live = vec![false; self.classes.len()];
        selection.live.iter().for_each(|&id| is_live[id as usize] = true);
        let known =
            |signed: Signed| matches!(signed.operand, Operand::Class(id) if is_live.get(id as usize) == Some(&true));
        for &id in &selection.live {
            if self.classes[id as usize].depends & !1 == 0 {
                continue;
            }
            let whole = Signed { negated: false, operand: Operand::Class(id) };
            let way = self.classes[id as usize].ways[selection.way[id as usize] as usize];
            if sum(way.op).is_some() {
                let mut terms = Vec::new();
                self.terms(selection, &uses, whole, true, &mut terms);
                if terms.len() > 12 {
                    continue;
                }
                for i in 0..terms.len() {
                    for j in 0..i {
                        let (a, b) = (terms[i], terms[j]);
                        let (x, y) = (self.signed(a), self.signed(b));
                        let mut together = Vec::new();
                        if terms.len() > 2
                            && let Some(found) = self.find([x[0] + y[0], x[1] + y[1]])
                            && known(found)
                        {
                            together.push(self.add(a, b));
                        }
                        self.common_factors(selection, &uses, a, b, &mut together);
                        // Also through products that others use: it may still pay.
                        self.common_factors(selection, &anyone, a, b, &mut together);
                        for start in together {
                            let mut all = start;
                            for (k, &term) in terms.iter().enumerate() {
                                if k != i && k != j {
                                    all = self.add(all, term);
                                }
                            }
                        }
                    }
                }
            } else if let Op::Mul(x, y) = way.op {
                for (factor, other) in [(x, y), (y, x)] {
                    self.distribute(selection, &uses, &known, factor, other);
                }
                let mut factors = Vec::new();
                self.factors(selection, &uses, whole.operand, true, &mut factors);
                if factors.len() < 3 || factors.len() > 6 {
                    continue;
                }
                for i in 0..factors.len() {
                    for j in 0..i {
                        let (x, y) = (self.value(factors[i]), self.value(factors[j]));
                        if let Some(found) = self.find([x[0] * y[0], x[1] * y[1]])
                            && known(found)
                        {
                            let mut all = found;
                            for (k, &operand) in factors.iter().enumerate() {
                                if k != i && k != j {
                                    all = self.mul(all, Signed { negated: false, operand });
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// f·(a b + c d) → (f a) b + (f c) d where f a and f c are known, or one of them.
    fn distribute(
        &mut self,
        selection: &Selection,
        uses: &[u32],
        known: &dyn Fn(Signed) -> bool,
        factor: Operand,
        other: Operand,
    ) {
        let plus = |operand| Signed { negated: false, operand };
        let mut terms = Vec::new();
        self.terms(selection, uses, plus(other), true, &mut terms);
        if terms.len() < 2 || terms.len() > 6 {
            return;
        }
        let mut all = Signed::number(0.0);
        for term in terms {
            let mut factors = Vec::new();
            self.factors(selection, uses, term.operand, true, &mut factors);
            let f = self.value(factor);
            let product = factors.iter().position(|&operand| {
                let x = self.value(operand);
                self.find([f[0] * x[0], f[1] * x[1]]).is_some_and(known)
            });
            let mut made = plus(factor);
            if let Some(k) = product {
                made = self.mul(made, plus(factors.swap_remove(k)));
            }
            for operand in factors {
                made = self.mul(made, plus(operand));
            }
            // The factors carry no signs: the sample says which one is missing.
            let whole = self.signed(term)[0] * f[0];
            made = made.flipped((whole < 0.0) != (self.signed(made)[0] < 0.0));
            all = self.add(all, made);
        }
    }

    /// `a + b` as f·(…) for every factor f of both.
    fn common_factors(
        &mut self,
        selection: &Selection,
        uses: &[u32],
        a: Signed,
        b: Signed,
        together: &mut Vec<Signed>,
    ) {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        self.factors(selection, uses, a.operand, true, &mut of_a);
        self.factors(selection, uses, b.operand, true, &mut of_b);
        let one = Signed::number(1.0);
        for (i, &f) in of_a.iter().enumerate() {
            let Some(j) = of_b.iter().position(|&g| g == f) else { continue };
            if f == a.operand && f == b.operand {
                continue;
            }
            let mut rest = |factors: &[Operand], skip: usize, value: Signed| {
                let mut product = one;
                for (k, &operand) in factors.iter().enumerate() {
                    if k != skip {
                        product = self.mul(product, Signed { negated: false, operand });
                    }
                }
                // The factors carry no signs: the sample says which one is missing.
                let whole = self.signed(value)[0];
                let made = self.signed(product)[0] * self.value(f)[0];
                product.flipped((whole < 0.0) != (made < 0.0))
            };
            let (x, y) = (rest(&of_a, i, a), rest(&of_b, j, b));
            let inner = self.add(x, y);
            together.push(self.mul(Signed { negated: false, operand: f }, inner));
        }
    }
}
