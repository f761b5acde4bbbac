//! Factoring of several polynomials together, so that evaluating all of them takes few operations.
//!
//! Greedy extraction (Rajski and Vasudevamurthy's fast extract, 1992, carried over from logic to sums with coefficients):
//! at each step the candidate that saves most operations over all polynomials becomes a new variable,
//!
//! * a sum of two terms up to a common factor, x + r y, wherever it occurs: m (x + r y) for m x + r m y;
//! * a product of two factors, or of a constant and a factor, wherever it occurs.
//!
//! until nothing saves anything. Ties decide a lot and cannot be foreseen, so the whole is done several times with random
//! ones, and the cheapest result counts.

use crate::extract::Random;
use dalembert_core::Scalar;
use std::collections::HashMap;

/// A factor, by its number: first those that are given, then those that were made.
pub(crate) type Literal = u32;

/// coefficient × product of literals (sorted, with repetition).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    pub coefficient: f64,
    pub literals: Vec<Literal>,
}

impl Product {
    /// Multiplications that it takes.
    fn cost(&self) -> i32 {
        let factors = self.literals.len() as i32 + i32::from(!is_one(self.coefficient));
        if self.literals.is_empty() { 0 } else { factors - 1 }
    }
}

fn is_one(coefficient: f64) -> bool {
    coefficient.abs() == 1.0
}

/// How a new literal is made.
#[derive(Clone, Debug)]
enum Definition {
    Product(Literal, Literal),
    Scaled(f64, Literal),
    /// The polynomial with this number.
    Sum(usize),
}

/// Polynomials with common parts taken out.
#[derive(Clone, Debug)]
pub(crate) struct Factored {
    /// The given ones first.
    polynomials: Vec<Vec<Product>>,
    outputs: usize,
    given: usize,
    definitions: Vec<Definition>,
    /// Operations, as far as they can be seen here.
    pub cost: i32,
}

/// Above this many terms only nested factoring, which is linear in the size, is done.
const FACTORED: usize = 800;

/// The cheapest form that `attempts` attempts find.
pub(crate) fn factor(polynomials: Vec<Vec<Product>>, given: usize, attempts: u64) -> Factored {
    let polynomials = alike(polynomials);
    let terms: usize = polynomials.iter().map(Vec::len).sum();
    let start = Factored { outputs: polynomials.len(), polynomials, given, definitions: Vec::new(), cost: 0 };
    if terms > FACTORED {
        return nested(start);
    }
    let mut best: Option<Factored> = None;
    for seed in 0..attempts.max(1) {
        let mut search = Search::new(start.clone(), seed);
        search.run();
        let mut found = search.factored;
        found.cost = found.count();
        if best.as_ref().is_none_or(|best| found.cost < best.cost) {
            best = Some(found);
        }
    }
    best.unwrap_or(start)
}

/// Coefficients that differ by rounding only become the same number, so that they can be shared.
fn alike(mut polynomials: Vec<Vec<Product>>) -> Vec<Vec<Product>> {
    let mut all: Vec<f64> = polynomials.iter().flatten().map(|t| t.coefficient.abs()).collect();
    all.sort_unstable_by(f64::total_cmp);
    let mut kept: Vec<f64> = Vec::new();
    for value in all {
        if kept.last().is_none_or(|last| value > last * (1.0 + 1e-11)) {
            kept.push(value);
        }
    }
    for term in polynomials.iter_mut().flatten() {
        let size = term.coefficient.abs();
        let at = kept.partition_point(|&value| value <= size).max(1) - 1;
        term.coefficient = kept[at].copysign(term.coefficient);
    }
    polynomials
}

impl Factored {
    fn count(&self) -> i32 {
        let sums: i32 = self
            .polynomials
            .iter()
            .map(|p| p.iter().map(Product::cost).sum::<i32>() + (p.len() as i32 - 1).max(0))
            .sum();
        sums + self.definitions.iter().filter(|d| !matches!(d, Definition::Sum(_))).count() as i32
    }

    fn define(&mut self, definition: Definition) -> Literal {
        self.definitions.push(definition);
        (self.given + self.definitions.len() - 1) as Literal
    }

    /// The values of the polynomials where the given literals have these.
    pub fn evaluate<S: Scalar>(&self, given: &[S]) -> Vec<S> {
        let mut values: Vec<Option<S>> = given.iter().copied().map(Some).collect();
        values.resize(self.given + self.definitions.len(), None);
        (0..self.outputs).map(|p| self.polynomial(p, &mut values)).collect()
    }

    fn polynomial<S: Scalar>(&self, number: usize, values: &mut [Option<S>]) -> S {
        let mut sum: Option<S> = None;
        for term in &self.polynomials[number] {
            let product = term.literals.iter().map(|&l| self.literal(l, values)).reduce(|a, b| a * b);
            let value = match product {
                None => S::from_f64(term.coefficient),
                Some(product) if term.coefficient == 1.0 => product,
                Some(product) if term.coefficient == -1.0 => -product,
                Some(product) => product.times(term.coefficient),
            };
            sum = Some(sum.map_or(value, |sum| sum + value));
        }
        sum.unwrap_or(S::zero())
    }

    fn literal<S: Scalar>(&self, literal: Literal, values: &mut [Option<S>]) -> S {
        if let Some(value) = values[literal as usize] {
            return value;
        }
        let value = match self.definitions[literal as usize - self.given] {
            Definition::Product(a, b) => self.literal(a, values) * self.literal(b, values),
            Definition::Scaled(factor, a) => self.literal(a, values).times(factor),
            Definition::Sum(number) => self.polynomial(number, values),
        };
        values[literal as usize] = Some(value);
        value
    }
}

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

struct Search {
    factored: Factored,
    random: Random,
    noise: f64,
    numbers: HashMap<Vec<Literal>, u32>,
    products: Vec<Vec<Literal>>,
    found: HashMap<Key, Candidate>,
    /// The candidates of each polynomial, to forget them when it changes.
    keys: Vec<Vec<Key>>,
}

impl Search {
    fn new(factored: Factored, seed: u64) -> Self {
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

    fn run(&mut self) {
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

fn take(literals: &mut Vec<Literal>, literal: Literal) {
    if let Some(at) = literals.iter().position(|&l| l == literal) {
        literals.remove(at);
    }
}

/// Nested form: the factor that is in most terms is taken out, and so on in both parts.
fn nested(mut factored: Factored) -> Factored {
    for p in 0..factored.outputs {
        let terms = std::mem::take(&mut factored.polynomials[p]);
        factored.polynomials[p] = nest(terms, &mut factored);
    }
    factored.cost = factored.count();
    factored
}

fn nest(mut terms: Vec<Product>, factored: &mut Factored) -> Vec<Product> {
    let mut done = Vec::new();
    loop {
        let mut counts: HashMap<Literal, usize> = HashMap::new();
        for term in &terms {
            let mut last = None;
            for &literal in &term.literals {
                if last != Some(literal) {
                    *counts.entry(literal).or_default() += 1;
                }
                last = Some(literal);
            }
        }
        let most = counts.into_iter().filter(|&(_, n)| n > 1).max_by_key(|&(l, n)| (n, std::cmp::Reverse(l)));
        let Some((literal, _)) = most else { break };
        let (with, without): (Vec<Product>, Vec<Product>) =
            terms.into_iter().partition(|term| term.literals.contains(&literal));
        let inner = with.into_iter().map(|mut term| {
            take(&mut term.literals, literal);
            term
        });
        let inner = nest(inner.collect(), factored);
        let number = factored.polynomials.len();
        factored.polynomials.push(inner);
        let sum = factored.define(Definition::Sum(number));
        done.push(Product { coefficient: 1.0, literals: vec![literal, sum] });
        terms = without;
    }
    done.extend(terms);
    done
}
