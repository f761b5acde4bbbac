//! Step 2: inertial constants that multiply common expressions are combined, and named.
//!
//! The coefficient of each product of sines and cosines is a sum of products of parameters. Coefficients that are the same
//! up to a numerical factor are one constant. Motor inertias stay apart, as in the paper: they are known apart.

use super::derivation::Polynomials;
use super::model::Explicit;
use super::symbols::SymbolTable;
use super::words::{Sum, Vocabulary, Word, Words};
use std::collections::HashMap;
use std::fmt::Write;

/// A lumped constant.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedConstant {
    /// `I1`, `I2` … in order of size, `g1` … for gravity, `Im1` … for motors.
    pub name: String,
    /// In the parameters of the robot: `m2 rx2 d2 + m2 rx2 rz2 + …`.
    pub formula: String,
    /// kg m² (g: N m).
    pub value: f64,
    /// Where it occurs: the element and the factor in front.
    pub uses: Vec<(String, f64)>,
    form: Form,
}

/// Σ factor × product of symbols, the first factor positive and the smallest 1.
type Form = Vec<(u32, f64)>;

/// The constants of mass matrix and gravity, and those that only Coriolis and centrifugal elements have.
#[derive(Clone, Debug)]
pub struct LumpedConstants {
    /// Of A: the paper's I_1 ….
    pub inertial: Vec<NamedConstant>,
    /// Of the motors.
    pub motors: Vec<NamedConstant>,
    /// Of g: the paper's g_1 ….
    pub gravitational: Vec<NamedConstant>,
    /// Of B and C, where these are none of A: combinations that arise by differentiation.
    pub velocity: Vec<NamedConstant>,
    /// The elements of A, B, C and g that are not zero, written with these constants: the paper's Tables A4–A7.
    pub equations: Vec<Equation>,
}

/// An element in lumped constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// `a11`, `b112`, `c12`, `g2`.
    pub name: String,
    /// `Im1 + I3 + 2 I5 C2 S23 + …`.
    pub text: String,
}

/// The lumped constants of a symbolic derivation ([`Polynomials::symbolic`]).
pub fn constants(polynomials: &Polynomials) -> LumpedConstants {
    let n = polynomials.count();
    let model = Explicit::from_polynomials(polynomials);
    let symbols = &polynomials.symbols;
    let mut inertial = Collection::new(symbols);
    let mut motors = Collection::new(symbols);
    let names = model.element_names();
    let (of_mass, rest) = names.split_at(n * (n + 1) / 2);
    let (of_velocity, of_gravity) = rest.split_at(rest.len() - n);
    for (sum, element) in model.mass.iter().zip(of_mass) {
        for (_, form) in forms(sum) {
            let (motor, body) = apart(form, symbols);
            motors.note(motor, element);
            inertial.note(body, element);
        }
    }
    let mut gravitational = Collection::new(symbols);
    for (sum, element) in model.gravity.iter().zip(of_gravity) {
        forms(sum).into_iter().for_each(|(_, form)| gravitational.note(form, element));
    }
    let mut velocity = Collection::new(symbols);
    for (sum, element) in model.velocity.iter().flatten().zip(of_velocity) {
        for (_, form) in forms(sum) {
            match inertial.known(&form) {
                true => inertial.note(form, element),
                false => velocity.note(form, element),
            }
        }
    }
    let inertial = inertial.named("I", 0);
    let velocity = velocity.named("I", inertial.len());
    let mut motors = motors.named("Im", 0);
    motors.iter_mut().for_each(|motor| motor.name.clone_from(&motor.formula));
    motors.sort_by(|a, b| a.name.cmp(&b.name));
    let gravitational = gravitational.named("g", 0);
    let known: HashMap<Key, &str> = [&inertial, &velocity, &motors, &gravitational]
        .into_iter()
        .flatten()
        .map(|constant| (key(&constant.form), constant.name.as_str()))
        .collect();
    let sums = model.mass.iter().chain(model.velocity.iter().flatten()).chain(&model.gravity);
    let equations = sums
        .zip(&names)
        .filter(|(sum, _)| !sum.terms.is_empty())
        .map(|(sum, name)| Equation { name: name.clone(), text: equation(sum, &known, symbols, &model.vocabulary) });
    let equations = equations.collect();
    LumpedConstants { inertial, motors, gravitational, velocity, equations }
}

/// A sum in lumped constants.
fn equation(sum: &Sum, known: &HashMap<Key, &str>, symbols: &SymbolTable, vocabulary: &Vocabulary) -> String {
    let mut text = String::new();
    for (words, form) in forms(sum) {
        let (motor, body) = apart(form, symbols);
        for (form, factor) in [motor, body].iter().filter_map(normal) {
            let sign = sign(text.is_empty(), factor < 0.0);
            let number = if factor.abs() == 1.0 { String::new() } else { format!("{} ", factor.abs()) };
            let _ = write!(text, "{sign}{number}{}", known.get(&key(&form)).unwrap_or(&"?"));
            let mut factors: Vec<Word> = words.as_slice().iter().map(|&w| vocabulary.words()[w as usize]).collect();
            factors.sort_by_key(|word| word.joints().next().unwrap_or(usize::MAX));
            factors.iter().for_each(|word| {
                let _ = write!(text, " {word}");
            });
        }
    }
    text
}

/// In front of a term.
fn sign(first: bool, negative: bool) -> &'static str {
    match (first, negative) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    }
}

/// Motor inertias, and the rest.
fn apart(form: Form, symbols: &SymbolTable) -> (Form, Form) {
    form.into_iter().partition(|(product, _)| {
        let mut all = symbols.product(*product);
        matches!((all.next(), all.next()), (Some(symbol), None) if symbol.name.starts_with("Im"))
    })
}

/// The coefficients of a sum, one for each product of words.
fn forms(sum: &Sum) -> Vec<(Words, Form)> {
    let mut all: Vec<(Words, Form)> = Vec::new();
    for term in &sum.terms {
        match all.last_mut() {
            Some((words, form)) if *words == term.words => form.push((term.symbols, term.coefficient)),
            _ => all.push((term.words, vec![(term.symbols, term.coefficient)])),
        }
    }
    all
}

/// A form that can be looked up.
type Key = Vec<(u32, u64)>;

struct Collection<'s> {
    symbols: &'s SymbolTable,
    constants: Vec<NamedConstant>,
    numbers: HashMap<Key, usize>,
}

impl<'s> Collection<'s> {
    fn new(symbols: &'s SymbolTable) -> Self {
        Self { symbols, constants: Vec::new(), numbers: HashMap::new() }
    }

    fn known(&self, form: &Form) -> bool {
        normal(form).is_some_and(|(form, _)| self.numbers.contains_key(&key(&form)))
    }

    fn note(&mut self, form: Form, element: &str) {
        let Some((form, factor)) = normal(&form) else { return };
        let number = *self.numbers.entry(key(&form)).or_insert_with(|| {
            let value = form.iter().map(|&(product, factor)| factor * self.symbols.value(product)).sum();
            let formula = formula(&form, self.symbols);
            self.constants.push(NamedConstant { name: String::new(), formula, value, uses: Vec::new(), form });
            self.constants.len() - 1
        });
        self.constants[number].uses.push((element.to_owned(), factor));
    }

    fn named(mut self, letter: &str, before: usize) -> Vec<NamedConstant> {
        self.constants.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        for (i, constant) in self.constants.iter_mut().enumerate() {
            constant.name = format!("{letter}{}", before + i + 1);
        }
        self.constants
    }
}

/// Without a common factor; the factor.
fn normal(form: &Form) -> Option<(Form, f64)> {
    let mut form = form.clone();
    form.sort_unstable_by_key(|(product, _)| *product);
    let smallest = form.iter().fold(f64::INFINITY, |least, (_, factor)| least.min(factor.abs()));
    let factor = smallest.copysign(form.first()?.1);
    form.iter_mut().for_each(|(_, f)| *f /= factor);
    Some((form, factor))
}

fn key(form: &Form) -> Key {
    // Factors to ten digits: twists and offsets that are no quarter turns leave rounding in them.
    form.iter().map(|&(product, factor)| (product, (factor.to_bits() + (1 << 17)) >> 18)).collect()
}

fn formula(form: &Form, symbols: &SymbolTable) -> String {
    let mut text = String::new();
    for (i, &(product, factor)) in form.iter().enumerate() {
        text.push_str(sign(i == 0, factor < 0.0));
        let mut names: Vec<String> = Vec::new();
        let size = factor.abs();
        for symbol in symbols.product(product) {
            match names.last_mut() {
                Some(last) if *last == symbol.name => last.push('²'),
                _ => names.push(symbol.name.clone()),
            }
        }
        if size != 1.0 || names.is_empty() {
            names.insert(0, format!("{size}"));
        }
        let _ = write!(text, "{}", names.join(" "));
    }
    text
}
