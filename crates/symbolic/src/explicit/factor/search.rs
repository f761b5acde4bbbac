//! The greedy extraction itself: candidates, what they save, and what becomes of the polynomials.

use super::{Definition, Factored, Literal, Product, is_one, take};
use crate::extract::Random;
use std::collections::HashMap;

/// A candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// x + r y: the two products by number, and r without its last bits.
    Sum(u32, u32, u64),
    Product(Literal, Literal),
    /// The bits of the constant.
    Scaled(u64, Literal),
}

/// Where a candidate occurs: in which polynomial, in which term or terms; of a sum, the factor that is left of the first.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    polynomial: u32,
    first: u32,
    second: u32,
    /// Of the first term.
    coefficient: f64,
    /// r of a sum.
    ratio: f64,
    /// What the two terms of a sum cost now.
    before: i32,
    /// Literals of their common factor.
    common: i32,
}

/// Where a candidate occurs, and what it saves once that has been computed.
#[derive(Default)]
struct Candidate {
    all: Vec<Occurrence>,
    saved: Option<i32>,
}

pub(super) struct FactorSearch {
    pub factored: Factored,
    random: Random,
    noise: f64,
    numbers: HashMap<Vec<Literal>, u32>,
    products: Vec<Vec<Literal>>,
    found: HashMap<Key, Candidate>,
    /// The candidates of each polynomial, to forget them when it changes.
    keys: Vec<Vec<Key>>,
}

impl FactorSearch {
    pub fn new(factored: Factored, seed: u64) -> Self {
        let mut search = Self {
            factored,
            random: Random::new(seed + 1),
            // The first attempt has no noise but that of ties.
            noise: if seed == 0 { 0.0 } else { 0.4 + 0.3 * (seed % 4) as f64 },
            numbers: HashMap::new(),
            products: Vec::new(),
            found: HashMap::new(),
            keys: Vec::new(),
        };
        for polynomial in 0..search.factored.polynomials.len() {
            search.keys.push(Vec::new());
            search.look(polynomial);
        }
        search
    }

    fn number(&mut self, product: &[Literal]) -> u32 {
        if let Some(&known) = self.numbers.get(product) {
            return known;
        }
        let number = self.products.len() as u32;
        self.products.push(product.to_vec());
        self.numbers.insert(product.to_vec(), number);
        number
    }

    /// Finds the candidates of a polynomial anew.
    fn look(&mut self, p: usize) {
        for key in std::mem::take(&mut self.keys[p]) {
            if let Some(candidate) = self.found.get_mut(&key) {
                candidate.all.retain(|o| o.polynomial as usize != p);
                candidate.saved = None;
                if candidate.all.is_empty() {
                    self.found.remove(&key);
                }
            }
        }
        let terms = self.factored.polynomials[p].clone();
        let mut keys = Vec::new();
        let mut note = |found: &mut HashMap<Key, Candidate>, key: Key, occurrence: Occurrence| {
            let candidate = found.entry(key).or_default();
            candidate.all.push(occurrence);
            candidate.saved = None;
            keys.push(key);
        };
        for (t, term) in terms.iter().enumerate() {
            let at = Occurrence {
                polynomial: p as u32,
                first: t as u32,
                second: t as u32,
                coefficient: term.coefficient,
                ratio: 1.0,
                before: 0,
                common: 0,
            };
            let literals = &term.literals;
            for (i, &a) in literals.iter().enumerate() {
                let repeated = i > 0 && literals[i - 1] == a;
                if !repeated && !is_one(term.coefficient) {
                    note(&mut self.found, Key::Scaled(term.coefficient.abs().to_bits(), a), at);
                }
                for (j, &b) in literals.iter().enumerate().skip(i + 1) {
                    // Each pair of values once.
                    let again = (i > 0 && literals[i - 1] == a) || (j > i + 1 && literals[j - 1] == b);
                    if !again || (a == b && !(i > 0 && literals[i - 1] == a) && j == i + 1) {
                        note(&mut self.found, Key::Product(a, b), at);
                    }
                }
            }
        }
        for t in 0..terms.len() {
            for u in t + 1..terms.len() {
                let (x, y, common) = apart(&terms[t].literals, &terms[u].literals);
                let (x, y) = (self.number(&x), self.number(&y));
                let ((first, x), (second, y)) = if x <= y { ((t, x), (u, y)) } else { ((u, y), (t, x)) };
                let ratio = rounded(terms[second].coefficient / terms[first].coefficient);
                let occurrence = Occurrence {
                    polynomial: p as u32,
                    first: first as u32,
                    second: second as u32,
                    coefficient: terms[first].coefficient,
                    ratio,
                    before: terms[first].cost() + terms[second].cost() + 1,
                    common,
                };
                note(&mut self.found, Key::Sum(x, y, bits(ratio)), occurrence);
            }
        }
        keys.sort_unstable_by_key(order);
        keys.dedup();
        self.keys[p] = keys;
    }

    pub fn run(&mut self) {
        loop {
            let mut found = std::mem::take(&mut self.found);
            let mut most = 0;
            for (key, candidate) in &mut found {
                let saved = candidate.saved.unwrap_or_else(|| self.saved(key, &candidate.all));
                candidate.saved = Some(saved);
                most = most.max(saved);
            }
            let least = (f64::from(most) - 2.0 * self.noise).max(1.0);
            let good = found.iter().filter_map(|(key, candidate)| candidate.saved.map(|saved| (saved, *key)));
            let mut good: Vec<(i32, Key)> = good.filter(|(saved, _)| f64::from(*saved) >= least).collect();
            self.found = found;
            // The order of a hash map is not the same on every run.
            good.sort_unstable_by_key(|(saved, key)| (-*saved, order(key)));
            let mut best: Option<(f64, Key)> = None;
            for (saved, key) in good {
                let score = f64::from(saved) + self.noise.max(0.1) * self.random.signed();
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, key));
                }
            }
            match best {
                Some((_, key)) => self.extract(key),
                None => break,
            }
        }
    }

    /// Occurrences that do not share a term.
    fn disjoint(all: &[Occurrence]) -> Vec<Occurrence> {
        let mut chosen: Vec<Occurrence> = Vec::with_capacity(all.len());
        for occurrence in all {
            let clash = chosen
                .iter()
                .rev()
                .take_while(|o| o.polynomial == occurrence.polynomial)
                .any(|o| [o.first, o.second].iter().any(|&t| t == occurrence.first || t == occurrence.second));
            if !clash {
                chosen.push(*occurrence);
            }
        }
        chosen
    }

    /// How many operations a candidate saves.
    fn saved(&self, key: &Key, all: &[Occurrence]) -> i32 {
        match *key {
            Key::Product(..) | Key::Scaled(..) => all.len() as i32 - 1,
            Key::Sum(x, y, _) => {
                // Quick: without a common factor it saves only where it occurs again.
                if all.len() == 1 {
                    let o = &all[0];
                    if o.common == 0 && is_one(o.coefficient) {
                        return 0;
                    }
                    return o.before - self.price(x, y, &[*o]).1;
                }
                let chosen = Self::disjoint(all);
                let before: i32 = chosen.iter().map(|o| o.before).sum();
                before - self.price(x, y, &chosen).1
            }
        }
    }

    /// The best scale s of s (x + r y) and what everything then costs.
    fn price(&self, x: u32, y: u32, chosen: &[Occurrence]) -> (f64, i32) {
        let ratio = chosen.first().map_or(1.0, |o| o.ratio);
        let inside = |product: u32, coefficient: f64| {
            let length = self.products[product as usize].len() as i32;
            if length == 0 { 0 } else { length - 1 + i32::from(!is_one(coefficient)) }
        };
        let outside = |scale: f64| -> i32 {
            let one = |o: &Occurrence| (o.common + i32::from(!is_one(rounded(o.coefficient / scale)))).max(0);
            chosen.iter().map(one).sum()
        };
        let total = |scale: f64| 1 + inside(x, scale) + inside(y, scale * ratio) + outside(scale);
        let mut scales = vec![1.0, 1.0 / ratio];
        // The sizes that occur, the first few are enough to find a frequent one.
        for o in chosen.iter().take(6) {
            scales.push(o.coefficient.abs());
        }
        let mut best = (1.0, i32::MAX);
        for scale in scales {
            let cost = total(scale);
            if cost < best.1 {
                best = (scale, cost);
            }
        }
        best
    }

    fn extract(&mut self, key: Key) {
        let Some(Candidate { all, .. }) = self.found.get(&key) else { return };
        let mut changed: Vec<usize> = all.iter().map(|o| o.polynomial as usize).collect();
        changed.sort_unstable();
        changed.dedup();
        match key {
            Key::Product(a, b) => {
                let literal = self.factored.define(Definition::Product(a, b));
                for &Occurrence { polynomial, first, .. } in all {
                    let literals = &mut self.factored.polynomials[polynomial as usize][first as usize].literals;
                    take(literals, a);
                    take(literals, b);
                    literals.push(literal);
                }
            }
            Key::Scaled(bits, a) => {
                let literal = self.factored.define(Definition::Scaled(f64::from_bits(bits), a));
                for &Occurrence { polynomial, first, .. } in all {
                    let term = &mut self.factored.polynomials[polynomial as usize][first as usize];
                    take(&mut term.literals, a);
                    term.literals.push(literal);
                    term.coefficient = term.coefficient.signum();
                }
            }
            Key::Sum(x, y, _) => {
                let chosen = Self::disjoint(all);
                let ratio = chosen.first().map_or(1.0, |o| o.ratio);
                let (scale, _) = self.price(x, y, &chosen);
                let sum = self.factored.polynomials.len();
                let literal = self.factored.define(Definition::Sum(sum));
                let part = |product: u32, coefficient: f64| Product {
                    coefficient: rounded(coefficient),
                    literals: self.products[product as usize].clone(),
                };
                let parts = vec![part(x, scale), part(y, scale * ratio)];
                let mut gone: HashMap<u32, Vec<u32>> = HashMap::new();
                for o in &chosen {
                    let terms = &mut self.factored.polynomials[o.polynomial as usize];
                    let mut literals = std::mem::take(&mut terms[o.first as usize].literals);
                    self.products[x as usize].iter().for_each(|&l| take(&mut literals, l));
                    literals.push(literal);
                    terms[o.first as usize] = Product { coefficient: rounded(o.coefficient / scale), literals };
                    gone.entry(o.polynomial).or_default().push(o.second);
                }
                for (polynomial, mut seconds) in gone {
                    seconds.sort_unstable();
                    for t in seconds.into_iter().rev() {
                        self.factored.polynomials[polynomial as usize].remove(t as usize);
                    }
                }
                self.factored.polynomials.push(parts);
                self.keys.push(Vec::new());
                changed.push(sum);
            }
        }
        for polynomial in changed {
            self.look(polynomial);
        }
    }
}

fn order(key: &Key) -> (u64, u64, u64) {
    match *key {
        Key::Sum(a, b, r) => (u64::from(a), u64::from(b), r),
        Key::Product(a, b) => (1 << 40 | u64::from(a), u64::from(b), 0),
        Key::Scaled(c, a) => (1 << 41 | u64::from(a), c, 0),
    }
}

/// ±1 where rounding has left it beside.
fn rounded(x: f64) -> f64 {
    if (x.abs() - 1.0).abs() < 1e-12 { x.signum() } else { x }
}

/// What is equal but for rounding has the same bits.
fn bits(x: f64) -> u64 {
    (x.to_bits() + (1 << 11)) >> 12
}

/// What two products have beside their common factor, and how many literals that has.
fn apart(a: &[Literal], b: &[Literal]) -> (Vec<Literal>, Vec<Literal>, i32) {
    let (mut i, mut j) = (0, 0);
    let (mut x, mut y, mut common) = (Vec::new(), Vec::new(), 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                x.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                y.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    x.extend_from_slice(&a[i..]);
    y.extend_from_slice(&b[j..]);
    (x, y, common)
}
