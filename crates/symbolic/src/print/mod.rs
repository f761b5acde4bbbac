//! Programs in the languages of controllers.
//!
//! Every printer writes the same straight-line program; only names, literals and functions differ. Nothing in a printed
//! file depends on when or where it was made: the same robot gives the same file.

pub mod c;
pub mod equations;
pub mod json;
pub mod latex;
pub mod plc;
pub mod rust;
pub mod script;
pub mod st;

use crate::program::{Check, Operation, Program, Quantity, Value, ValueSource};
use dalembert_report::escape;

/// The version that is written into every file.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const INDENT: &str = "    ";

/// The numbers that a printed program computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `double`, `LREAL`.
    #[default]
    Double,
    /// `float`, `REAL`.
    Float,
}

/// The functions that a language has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Sin,
    Cos,
    Sqrt,
    Abs,
    Atan2,
    Tanh,
    Exp,
}

impl Function {
    /// As most languages call it.
    fn name(self) -> &'static str {
        match self {
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Sqrt => "sqrt",
            Self::Abs => "abs",
            Self::Atan2 => "atan2",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
        }
    }
}

/// What is particular to a language.
trait Dialect {
    /// A number that is not negative.
    fn number(&self, magnitude: f64) -> String;
    /// A function of values that are already written.
    fn call(&self, function: Function, arguments: &[String]) -> String;
    /// The third where the first is less than the second, else the fourth.
    fn select(&self, [a, b, c, d]: [String; 4]) -> String {
        format!("{a} < {b} ? {c} : {d}")
    }
    /// A statement that gives a value a name.
    fn assignment(&self, name: &str, value: &str) -> String;
    /// A statement that refuses where a margin, which is already written, is too small.
    fn check(&self, margin: &str, check: &Check) -> String;
    /// The lines of a step that is no assignment.
    fn written_out(&self, _names: &Names, _name: &str, _operation: &Operation) -> Option<Vec<String>> {
        None
    }
}

/// Writes the steps of the constant part, or the others with the checks, each check as soon as it can be made.
fn statements(
    program: &Program,
    names: &Names,
    dialect: &dyn Dialect,
    constant: bool,
    indent: &str,
    text: &mut String,
) {
    let checks =
        |step| checks_after(program, step).map(move |check| dialect.check(&margin(check, names, dialect), check));
    let mut lines: Vec<String> = if constant { Vec::new() } else { checks(None).collect() };
    for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| step.constant == constant) {
        let (name, operation) = (&names.steps[i], &step.operation);
        let assignment = || vec![dialect.assignment(name, &names.operation(operation, dialect))];
        lines.extend(dialect.written_out(names, name, operation).unwrap_or_else(assignment));
        lines.extend(checks(Some(i)));
    }
    lines.iter().for_each(|line| text.extend([indent, line, "\n"]));
}

/// How everything in a program is called in one language.
struct Names {
    inputs: Vec<String>,
    outputs: Vec<String>,
    parameters: Vec<String>,
    steps: Vec<String>,
}

impl Names {
    /// `element` writes a component of a quantity, from index 0. Words that are taken get a letter more.
    fn new(program: &Program, taken: &str, element: impl Fn(&Quantity, usize) -> String) -> Self {
        let all = |quantities: &[Quantity]| -> Vec<String> {
            quantities.iter().flat_map(|quantity| (0..quantity.length).map(|k| element(quantity, k))).collect()
        };
        let quantities = program.inputs.iter().chain(&program.outputs).map(|quantity| quantity.name.to_lowercase());
        let mut used: std::collections::HashSet<String> =
            taken.split_whitespace().map(str::to_lowercase).chain(quantities).collect();
        // Case does not count in Structured Text, so that it counts nowhere.
        let mut unique = |name: &str| {
            let mut name = identifier(name);
            while !used.insert(name.to_lowercase()) {
                name.push('v');
            }
            name
        };
        Self {
            inputs: all(&program.inputs),
            outputs: all(&program.outputs),
            parameters: program.parameters.iter().map(|parameter| unique(&parameter.name)).collect(),
            steps: program.steps.iter().map(|step| unique(&step.name)).collect(),
        }
    }

    /// A value as sign and word.
    fn atom(&self, value: Value, dialect: &dyn Dialect) -> (bool, String) {
        match value.place {
            ValueSource::Number(x) => (value.negated != x.is_sign_negative(), dialect.number(x.abs())),
            place => (value.negated, self.word(place)),
        }
    }

    /// What is no number.
    fn word(&self, place: ValueSource) -> String {
        match place {
            ValueSource::Number(_) => String::new(),
            ValueSource::Input(i) => self.inputs[i].clone(),
            ValueSource::Parameter(i) => self.parameters[i].clone(),
            ValueSource::Step(i) => self.steps[i].clone(),
        }
    }

    /// A value on its own.
    fn value(&self, value: Value, dialect: &dyn Dialect) -> String {
        let (negated, word) = self.atom(value, dialect);
        if negated && word != dialect.number(0.0) { format!("-{word}") } else { word }
    }

    /// An operation, without brackets: its values are words.
    fn operation(&self, operation: &Operation, dialect: &dyn Dialect) -> String {
        let product = |a: Value, b: Value, sign: &str| {
            let ((minus_a, a), (minus_b, b)) = (self.atom(a, dialect), self.atom(b, dialect));
            format!("{}{a} {sign} {b}", if minus_a != minus_b { "-" } else { "" })
        };
        let call = |function, values: &[Value]| {
            let words: Vec<String> = values.iter().map(|&value| self.value(value, dialect)).collect();
            dialect.call(function, &words)
        };
        match *operation {
            Operation::Add(a, b) => match (self.atom(a, dialect), self.atom(b, dialect)) {
                ((false, a), (false, b)) => format!("{a} + {b}"),
                ((false, a), (true, b)) | ((true, b), (false, a)) => format!("{a} - {b}"),
                ((true, a), (true, b)) => format!("-({a} + {b})"),
            },
            Operation::Mul(a, b) => product(a, b, "*"),
            Operation::Div(a, b) => product(a, b, "/"),
            Operation::Neg(a) => self.value(a.minus(), dialect),
            Operation::Sin(a) => call(Function::Sin, &[a]),
            Operation::Cos(a) => call(Function::Cos, &[a]),
            Operation::Sqrt(a) => call(Function::Sqrt, &[a]),
            Operation::Atan2(y, x) => call(Function::Atan2, &[y, x]),
            Operation::Tanh(a) => call(Function::Tanh, &[a]),
            Operation::Exp(a) => call(Function::Exp, &[a]),
            Operation::SelectLt(all) => dialect.select(all.map(|value| self.value(value, dialect))),
        }
    }
}

/// The name of a quantity where these words are taken.
fn quantity_name(quantity: &Quantity, taken: &str) -> String {
    let name = identifier(&quantity.name);
    if taken.split_whitespace().any(|word| word.eq_ignore_ascii_case(&name)) { format!("{name}v") } else { name }
}

/// A word that every language takes for a name: letters, digits and single underscores inside.
pub fn identifier(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.into() } else { format!("v{name}") }
}

/// The shortest text that reads back as the same number, always with a point or an exponent.
fn literal(value: f64, precision: Precision) -> String {
    match precision {
        Precision::Double => format!("{value:?}"),
        Precision::Float => format!("{:?}", value as f32),
    }
}

/// What the steps and the results outside of the constant part need of it: computed once, kept by the caller.
fn kept_constants(program: &Program) -> Vec<ValueSource> {
    let constant = |place: ValueSource| match place {
        ValueSource::Parameter(_) => true,
        ValueSource::Step(i) => program.steps[i].constant,
        ValueSource::Number(_) | ValueSource::Input(_) => false,
    };
    let steps = program.steps.iter().filter(|step| !step.constant).flat_map(|step| step.operation.values());
    let mut kept: Vec<ValueSource> = Vec::new();
    for value in steps.chain(program.ends()) {
        if constant(value.place) && !kept.contains(&value.place) {
            kept.push(value.place);
        }
    }
    kept
}

/// The codes of a program that can refuse, and what they mean.
fn codes(program: &Program) -> Vec<(u32, &str)> {
    let mut codes: Vec<(u32, &str)> = Vec::new();
    for check in &program.checks {
        if !codes.iter().any(|known| known.0 == check.code) {
            codes.push((check.code, &check.meaning));
        }
    }
    codes
}

/// What must be above the limit of a check.
fn margin(check: &Check, names: &Names, dialect: &dyn Dialect) -> String {
    let margin = names.value(check.margin, dialect);
    if check.sized { dialect.call(Function::Abs, &[margin]) } else { margin }
}

/// The checks that can be made once a step is done; `None`: before all steps that are not constants.
fn checks_after(program: &Program, step: Option<usize>) -> impl Iterator<Item = &Check> {
    let made = |check: &Check| match check.margin.place {
        ValueSource::Step(i) if !program.steps[i].constant => Some(i),
        _ => None,
    };
    program.checks.iter().filter(move |check| made(check) == step)
}

/// Whether a program reads an input at all.
fn reads(program: &Program, quantity: &Quantity) -> bool {
    let steps = program.steps.iter().flat_map(|step| step.operation.values());
    steps.chain(program.ends()).any(|value| match value.place {
        ValueSource::Input(i) => program.input(i).is_some_and(|(found, _)| found == quantity),
        _ => false,
    })
}

/// What stands above a program: what it is, where it comes from, what it costs, and the table of its symbols.
fn heading(program: &Program) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", program.name, program.title),
        format!("Derived by dalembert {VERSION}; not to be edited by hand."),
    ];
    let source = program.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
    lines.push(format!("Robot: {}{source}", program.robot));
    lines.extend(program.conventions.iter().cloned());
    lines.push(format!("Cost: {}.", program.operations()));
    lines.push(String::new());
    let mut rows = vec![["symbol".to_owned(), "meaning".into(), "unit".into()]];
    for (quantities, way) in [(&program.inputs, "in"), (&program.outputs, "out")] {
        for quantity in quantities {
            let size = match quantity.columns {
                Some(columns) => format!("{}x{columns}, row by row", quantity.length / columns.max(1)),
                None => quantity.length.to_string(),
            };
            let meaning = format!("{way}: {} ({size})", quantity.meaning);
            rows.push([quantity.name.clone(), meaning, quantity.unit.clone()]);
        }
    }
    for parameter in &program.parameters {
        rows.push([parameter.name.clone(), parameter.meaning.clone(), parameter.unit.clone()]);
    }
    let has = |prefix: char| {
        let is = |name: &str| name.starts_with(prefix) && name[1..].parse::<u64>().is_ok();
        program.steps.iter().any(|step| is(&step.name))
    };
    if has('s') || has('c') {
        let meaning = "sine and cosine of a joint angle or of a sum: s23 = sin(q2 + q3)";
        rows.push(["s.., c..".into(), meaning.into(), "1".into()]);
    }
    if has('t') {
        rows.push(["t..".into(), "intermediate result".into(), "SI".into()]);
    }
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1).min(72));
    lines.extend(rows.iter().map(|[a, b, c]| format!("  {a:first$}  {b:second$}  {c}")));
    if !program.checks.is_empty() {
        lines.push(String::new());
        lines.push("Error codes of an invalid pose (outputs unchanged):".into());
        lines.extend(codes(program).iter().map(|(code, meaning)| format!("  {code}  {meaning}")));
    }
    lines.iter().flat_map(|line| wrapped(escape::line(line).trim_end(), 110)).collect()
}

/// Breaks a line between words.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width {
        return vec![line.into()];
    }
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("  {word}"));
        } else {
            let blank = if lines[last].is_empty() { "" } else { " " };
            lines[last].push_str(blank);
            lines[last].push_str(word);
        }
    }
    lines
}

/// Text for compilers that know nothing but ASCII, without the ends of their comments.
fn ascii(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '×' => plain.push('x'),
            '÷' => plain.push('/'),
            '√' => plain.push_str("sqrt"),
            '²' => plain.push_str("^2"),
            '–' | '—' | '−' => plain.push('-'),
            'ä' => plain.push_str("ae"),
            'ö' => plain.push_str("oe"),
            'ü' => plain.push_str("ue"),
            c if c.is_ascii() && !c.is_ascii_control() => plain.push(c),
            _ => plain.push('?'),
        }
    }
    plain.replace("*/", "* /").replace("/*", "/ *").replace("*)", "* )").replace("(*", "( *")
}
