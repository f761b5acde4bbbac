//! Other ways to the same values: the rules of algebra applied to the program at hand, and every pair of its values tried.
//!
//! Nothing is replaced: a rule adds a way to a class, and `extract` takes it if the whole program becomes cheaper.

use crate::exact::{ExactNumber, ExactValue, FieldElement};
use crate::extract::Selection;
use crate::graph::{ENode, Group, Id, Inner, Op, Operand, QuickMap, Signed};
use crate::target::UNIT;

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
            } else if let Op::Div(a, b) = way.op
                && self.weights.div > self.weights.mul
            {
                // a / b → a·(1/b): others may divide by b too.
                let [a, b] = [a, b].map(Signed::plus);
                let inverse = self.div(Signed::ONE, b);
                self.mul(a, inverse);
            }
        }
        self.expand_angles(selection);
    }

    /// sin(x ± y) and cos(x ± y) by the sines and cosines of x and y, where angles cost something.
    pub fn expand_angles(&mut self, selection: &Selection) {
        if self.weights.pair < UNIT {
            return;
        }
        for &id in &selection.live {
            let way = self.classes[id as usize].ways[selection.way[id as usize] as usize];
            let (Op::Sin(angle) | Op::Cos(angle)) = way.op else { continue };
            let Some([x, y]) = self.chosen(selection, angle).filter(|way| !way.negated).and_then(|way| sum(way.op))
            else {
                continue;
            };
            let ((sx, cx), (sy, cy)) = (self.sin_cos(x.operand), self.sin_cos(y.operand));
            let (sx, sy) = (sx.flipped(x.negated), sy.flipped(y.negated));
            let (a, b) = (self.mul(sx, cy), self.mul(cx, sy));
            self.add(a, b);
            let (a, b) = (self.mul(cx, cy), self.mul(sx, sy));
            self.add(a, b.negate());
        }
    }

    /// The operation chosen for a value.
    fn chosen(&self, selection: &Selection, operand: Operand) -> Option<ENode> {
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
                    self.mul(Signed::plus(common), inner);
                }
            }
        }
    }

    fn rewrite_product(&mut self, selection: &Selection, a: Operand, b: Operand) {
        let Some(way) = self.chosen(selection, a) else { return };
        let b = Signed::plus(b);
        if let Some([x, y]) = sum(way.op) {
            // (x + y)·b → x·b + y·b
            let (x, y) = (self.mul(x.flipped(way.negated), b), self.mul(y.flipped(way.negated), b));
            self.add(x, y);
        } else if let Op::Mul(x, y) = way.op {
            // (x·y)·b → x·(y·b), y·(x·b)
            for (x, y) in [(x, y), (y, x)] {
                let inner = self.mul(Signed { negated: way.negated, operand: y }, b);
                self.mul(Signed::plus(x), inner);
            }
        }
    }

    /// Finds every value of the program that is the sum, difference or product of two others, or a constant multiple of
    /// another one.
    pub fn pair(&mut self, selection: &Selection) {
        let live: Vec<Id> =
            selection.live.iter().copied().filter(|&id| !self.classes[id as usize].is_constant()).collect();
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
                let mut look = |op: Op, first: FieldElement, whole: &dyn Fn() -> ExactValue| {
                    if let Some(Signed { negated, operand: Operand::Class(id) }) = self.find_by(first, whole)
                        && is_live[id as usize]
                        && id != a
                        && id != b
                    {
                        found.push((id, ENode { op, negated }));
                    }
                };
                look(Op::Mul(p, q), x.exact[0] * y.exact[0], &|| x * y);
                if a != b {
                    look(Op::Add(p, q), x.exact[0] + y.exact[0], &|| x + y);
                    let (x, y) = if a < b { (x, y) } else { (y, x) };
                    look(Op::Sub(p, q), x.exact[0] + -y.exact[0], &|| x + -y);
                }
            }
        }
        for (id, way) in found {
            self.add_way(id, way);
        }
        // A factor found from samples would be a number where a symbol is wanted.
        if self.inputs.iter().all(|input| input.group != Group::Parameter) {
            self.pair_with_constants(&live);
        }
    }

    fn pair_with_constants(&mut self, live: &[Id]) {
        // Values are constant multiples of each other if their ratios at the two points agree.
        let mut by_ratio: QuickMap<FieldElement, Vec<Id>> = QuickMap::default();
        let mut order = Vec::new();
        for &id in live {
            let [x, y] = self.classes[id as usize].value.exact;
            if let Some(inverse) = x.inverse() {
                let group = by_ratio.entry(y * inverse).or_default();
                if group.is_empty() {
                    order.push(y * inverse);
                }
                group.push(id);
            }
        }
        for ratio in order {
            let group = by_ratio.remove(&ratio).unwrap_or_default();
            if group.len() < 2 || group.len() > 11 {
                continue;
            }
            for &a in &group {
                for &b in &group {
                    let quotient = self.classes[a as usize].value.over(self.classes[b as usize].value);
                    if a != b && quotient.sample.high.is_finite() {
                        let factor = self.number(ExactNumber { exact: quotient.exact[0], value: quotient.sample });
                        let op = Op::Mul(factor.operand, Operand::Class(b));
                        self.add_way(a, ENode { op, negated: factor.negated });
                    }
                }
            }
        }
    }
}

/// The signed terms of a sum or difference.
fn sum(op: Op) -> Option<[Signed; 2]> {
    match op {
        Op::Add(a, b) => Some([a, b].map(Signed::plus)),
        Op::Sub(Operand::ZERO, _) => None,
        Op::Sub(a, b) => Some([Signed::plus(a), Signed::plus(b).negate()]),
        _ => None,
    }
}

/// Sums and products seen whole, not two by two.
impl Inner {
    /// How often each class is used by the program.
    fn uses(&self, selection: &Selection, outputs: &[Id]) -> Vec<u32> {
        let mut uses = vec![0; self.classes.len()];
        for &id in &selection.live {
            let op = self.classes[id as usize].ways[selection.way[id as usize] as usize].op;
            op.classes().for_each(|child| uses[child as usize] += 1);
        }
        outputs.iter().for_each(|&id| uses[id as usize] += 2);
        uses
    }

    /// The terms of a sum, through partial sums without other uses.
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
            if self.classes[id as usize].is_constant() {
                continue;
            }
            let whole = Signed::plus(Operand::Class(id));
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
                        let mut together = Vec::new();
                        if terms.len() > 2
                            && let Some(found) = self.find(&(self.signed(a) + self.signed(b)))
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
                        if let Some(found) = self.find(&(self.value(factors[i]) * self.value(factors[j])))
                            && known(found)
                        {
                            let mut all = found;
                            for (k, &operand) in factors.iter().enumerate() {
                                if k != i && k != j {
                                    all = self.mul(all, Signed::plus(operand));
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
        let mut terms = Vec::new();
        self.terms(selection, uses, Signed::plus(other), true, &mut terms);
        if terms.len() < 2 || terms.len() > 6 {
            return;
        }
        let mut all = Signed::ZERO;
        for term in terms {
            let mut factors = Vec::new();
            self.factors(selection, uses, term.operand, true, &mut factors);
            let f = self.value(factor);
            let product = factors.iter().position(|&operand| self.find(&(f * self.value(operand))).is_some_and(known));
            let mut made = Signed::plus(factor);
            if let Some(k) = product {
                made = self.mul(made, Signed::plus(factors.swap_remove(k)));
            }
            for operand in factors {
                made = self.mul(made, Signed::plus(operand));
            }
            // The factors carry no signs: the sample says which one is missing.
            let whole = self.signed(term).sample.high * f.sample.high;
            made = made.flipped((whole < 0.0) != (self.signed(made).sample.high < 0.0));
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
        for (i, &f) in of_a.iter().enumerate() {
            let Some(j) = of_b.iter().position(|&g| g == f) else { continue };
            if f == a.operand && f == b.operand {
                continue;
            }
            let mut rest = |factors: &[Operand], skip: usize, value: Signed| {
                let mut product = Signed::ONE;
                for (k, &operand) in factors.iter().enumerate() {
                    if k != skip {
                        product = self.mul(product, Signed::plus(operand));
                    }
                }
                // The factors carry no signs: the sample says which one is missing.
                let whole = self.signed(value).sample.high;
                let made = self.signed(product).sample.high * self.value(f).sample.high;
                product.flipped((whole < 0.0) != (made < 0.0))
            };
            let (x, y) = (rest(&of_a, i, a), rest(&of_b, j, b));
            let inner = self.add(x, y);
            together.push(self.mul(Signed::plus(f), inner));
        }
    }
}
