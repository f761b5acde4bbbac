//! A program as a LaTeX document that compiles on its own, step by step. (The model as people write it: `equations`.)
//!
//! What is used once stands where it is used, as long as the line stays readable; the rest has a name.

use super::{Precision, heading, literal};
use crate::program::{Operation, Program, Quantity, Value, ValueSource};
use std::fmt::Write;

/// An expression grows to about this many symbols before it gets a name.
const READABLE: usize = 8;

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bond {
    Sum,
    Product,
    Atom,
}

/// The programs as one document.
pub fn print(programs: &[Program]) -> String {
    let mut text = String::from(
        "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[margin=20mm]{geometry}\n\
         \\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n\\begin{document}\n",
    );
    for program in programs {
        section(program, &mut text);
    }
    text.push_str("\\end{document}\n");
    text
}

fn section(program: &Program, text: &mut String) {
    let _ = writeln!(text, "\\section*{{\\texttt{{{}}}}}", escaped(&program.name));
    let mut lines = heading(program).into_iter();
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let _ = writeln!(text, "{}\\\\", escaped(&line));
    }
    text.push_str("\\begin{center}\\begin{tabular}{lll}\nsymbol & meaning & unit\\\\\\hline\n");
    for quantity in program.inputs.iter().chain(&program.outputs) {
        let symbol = match quantity.columns {
            Some(_) => format!("{}_{{ij}}", base(&quantity.name, true)),
            None => format!("{}_{{i}}", base(&quantity.name, false)),
        };
        let _ = writeln!(text, "${symbol}$ & {} & {}\\\\", escaped(&quantity.meaning), escaped(&quantity.unit));
    }
    for parameter in &program.parameters {
        let (meaning, unit) = (escaped(&parameter.meaning), escaped(&parameter.unit));
        let _ = writeln!(text, "${}$ & {meaning} & {unit}\\\\", word(&parameter.name));
    }
    text.push_str("$s_{jk}, c_{jk}$ & $\\sin(q_j + q_k)$, $\\cos(q_j + q_k)$ & 1\\\\\n");
    text.push_str("\\end{tabular}\\end{center}\n");
    let writer = Writer::new(program);
    let mut equations: Vec<String> = Vec::new();
    for (i, step) in program.steps.iter().enumerate().filter(|(i, _)| !writer.inside[*i]) {
        equations.push(format!("{} &= {}", word(&step.name), writer.operation(&step.operation).1));
        for check in program.checks.iter().filter(|check| check.margin.place == ValueSource::Step(i)) {
            let margin = writer.value(check.margin).1;
            let margin = if check.sized { format!("|{margin}|") } else { margin };
            let least = of_number(check.least).1;
            equations.push(format!("{margin} &> {least} \\quad\\text{{or error {}}}", check.code));
        }
    }
    for (k, &result) in program.results.iter().enumerate() {
        if let Some((quantity, index)) = program.output(k) {
            equations.push(format!("{} &= {}", component(quantity, index), writer.value(result).1));
        }
    }
    // TeX sets an alignment as a whole: not too many lines in one.
    for part in equations.chunks(60) {
        let _ = write!(text, "\\begin{{align*}}\n{}\n\\end{{align*}}\n", part.join("\\\\\n"));
    }
}

/// Which steps stand where they are used.
struct Writer<'p> {
    program: &'p Program,
    inside: Vec<bool>,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program) -> Self {
        let count = program.steps.len();
        let (mut uses, mut for_angles) = (vec![0usize; count], vec![true; count]);
        for step in &program.steps {
            let angle = matches!(step.operation, Operation::Sin(_) | Operation::Cos(_));
            for value in step.operation.values() {
                if let ValueSource::Step(i) = value.place {
                    uses[i] += 1;
                    for_angles[i] &= angle;
                }
            }
        }
        let results = program.results.iter().map(|value| (value, 1));
        // Named, to be seen.
        let margins = program.checks.iter().map(|check| (&check.margin, 2));
        for (value, times) in results.chain(margins) {
            if let ValueSource::Step(i) = value.place {
                (uses[i], for_angles[i]) = (uses[i] + times, false);
            }
        }
        let mut inside = vec![false; count];
        let mut size = vec![1usize; count];
        for (i, step) in program.steps.iter().enumerate() {
            let of = |value: &Value| match value.place {
                ValueSource::Step(k) if inside[k] => size[k],
                _ => 1,
            };
            let total: usize = step.operation.values().iter().map(of).sum();
            let function = matches!(step.operation, Operation::Sin(_) | Operation::Cos(_));
            inside[i] = !function && total < READABLE && (uses[i] == 1 || for_angles[i]);
            size[i] = total;
        }
        Self { program, inside }
    }

    fn value(&self, value: Value) -> (Bond, String) {
        let (bond, text) = match value.place {
            ValueSource::Number(x) => return of_number(if value.negated { -x } else { x }),
            ValueSource::Input(i) => match self.program.input(i) {
                Some((quantity, k)) => (Bond::Atom, component(quantity, k)),
                None => (Bond::Atom, String::new()),
            },
            ValueSource::Parameter(i) => (Bond::Atom, word(&self.program.parameters[i].name)),
            ValueSource::Step(i) if self.inside[i] => self.operation(&self.program.steps[i].operation),
            ValueSource::Step(i) => (Bond::Atom, word(&self.program.steps[i].name)),
        };
        match value.negated {
            false => (bond, text),
            true => (Bond::Sum, format!("-{}", bracketed(bond, text, Bond::Product))),
        }
    }

    fn operation(&self, operation: &Operation) -> (Bond, String) {
        let at = |value: Value, least: Bond| {
            let (bond, text) = self.value(value);
            bracketed(bond, text, least)
        };
        let function =
            |name: &str, value: Value| (Bond::Product, format!("{name}\\left({}\\right)", self.value(value).1));
        match *operation {
            Operation::Add(a, b) => {
                let (a, b) = if a.negated && !b.negated { (b, a) } else { (a, b) };
                let first = self.value(a).1;
                let second = match b.negated {
                    true => format!("- {}", at(b.unsigned(), Bond::Product)),
                    false => {
                        let text = self.value(b).1;
                        if text.starts_with('-') { text } else { format!("+ {text}") }
                    }
                };
                (Bond::Sum, format!("{first} {second}"))
            }
            Operation::Mul(a, b) if a == b => (Bond::Product, format!("{}^2", at(a, Bond::Atom))),
            Operation::Mul(a, b) => (Bond::Product, format!("{} \\, {}", at(a, Bond::Product), at(b, Bond::Product))),
            Operation::Div(a, b) => (Bond::Atom, format!("\\frac{{{}}}{{{}}}", self.value(a).1, self.value(b).1)),
            Operation::Neg(a) => self.value(a.minus()),
            Operation::Sin(a) => function("\\sin", a),
            Operation::Cos(a) => function("\\cos", a),
            Operation::Sqrt(a) => (Bond::Atom, format!("\\sqrt{{{}}}", self.value(a).1)),
            Operation::Tanh(a) => function("\\tanh", a),
            Operation::Exp(a) => function("\\exp", a),
            Operation::Atan2(y, x) => (
                Bond::Product,
                format!("\\operatorname{{atan2}}\\left({}, {}\\right)", self.value(y).1, self.value(x).1),
            ),
            Operation::SelectLt([a, b, c, d]) => {
                let [a, b, c, d] = [a, b, c, d].map(|value| self.value(value).1);
                let cases = format!("{c} & {a} < {b} \\\\ {d} & \\text{{otherwise}}");
                (Bond::Atom, format!("\\begin{{cases}} {cases} \\end{{cases}}"))
            }
        }
    }
}

fn bracketed(bond: Bond, text: String, least: Bond) -> String {
    if bond < least || text.starts_with('-') { format!("\\left({text}\\right)") } else { text }
}

fn of_number(x: f64) -> (Bond, String) {
    let text = literal(x, Precision::Double);
    (if x < 0.0 { Bond::Sum } else { Bond::Product }, number(text.strip_suffix(".0").unwrap_or(&text)))
}

/// A number with its power of ten.
pub(super) fn number(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\cdot 10^{{{exponent}}}"),
        None => text.to_owned(),
    }
}

/// The letter of a quantity.
fn base(name: &str, matrix: bool) -> String {
    match name {
        "qd" => "\\dot{q}".into(),
        "qdd" => "\\ddot{q}".into(),
        "tau" => "\\tau".into(),
        "rotation" => "R".into(),
        "position" => "p".into(),
        name if name.len() == 1 && matrix => name.to_uppercase(),
        name if name.len() == 1 => name.into(),
        name => format!("\\mathit{{{}}}", escaped(name)),
    }
}

fn component(quantity: &Quantity, index: usize) -> String {
    match quantity.columns {
        Some(columns) => format!("{}_{{{}{}}}", base(&quantity.name, true), index / columns + 1, index % columns + 1),
        None => format!("{}_{{{}}}", base(&quantity.name, false), index + 1),
    }
}

/// `s23` as s with an index, `ixx4` as I with one.
fn word(name: &str) -> String {
    let letters = name.chars().take_while(char::is_ascii_alphabetic).count();
    let (head, tail) = name.split_at(letters.max(1).min(name.len()));
    let (head, index) = match head {
        "alpha" | "theta" => (format!("\\{head}"), tail.to_owned()),
        head if head.starts_with('i') && head.len() > 1 => ("I".into(), format!("{}{tail}", &head[1..])),
        head if head.len() > 1 => (head[..1].to_owned(), format!("{}{tail}", &head[1..])),
        head => (head.to_owned(), tail.to_owned()),
    };
    if index.is_empty() { head } else { format!("{head}_{{{}}}", escaped(&index)) }
}

/// Text in which nothing is a command, with what the fonts lack in words.
pub(super) fn escaped(text: &str) -> String {
    let mut plain = String::new();
    for c in super::ascii(text).chars() {
        match c {
            '\\' => plain.push_str("\\textbackslash{}"),
            '^' => plain.push_str("\\textasciicircum{}"),
            '~' => plain.push_str("\\textasciitilde{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                plain.push('\\');
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}
