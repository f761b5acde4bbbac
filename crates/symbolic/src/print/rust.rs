//! Rust without the standard library and without dependencies, generic over a trait `Math` that stands in the same file: the number, and
//! the functions that `core` lacks. docs/derive.md describes it.
//!
//! Where a program begins with the sines and cosines of K angles it asks for all of them at once, by `sin_cos_K`, which an
//! implementation may replace by something faster than one after the other.

use super::{
    Dialect, Function, Names, Precision, checks_after, heading, identifier, kept_constants, literal, margin, reads,
};
use crate::program::{Check, Operation, Program, Quantity, Value, ValueSource};
use std::fmt::Write;

const TAKEN: &str = "
    as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod
    move mut pub ref return self static struct super trait true type unsafe use where while yield box final m
    math parameters constants";

struct Rust;

impl Dialect for Rust {
    fn number(&self, magnitude: f64) -> String {
        format!("M::number({})", literal(magnitude, Precision::Double))
    }

    fn call(&self, function: Function, arguments: &[String]) -> String {
        let all = arguments.join(", ");
        match function {
            Function::Sin => format!("M::sin_cos({all}).0"),
            Function::Cos => format!("M::sin_cos({all}).1"),
            other => format!("M::{}({all})", other.name()),
        }
    }

    fn select(&self, all: [String; 4]) -> String {
        format!("M::select_lt({})", all.join(", "))
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn check(&self, margin: &str, check: &Check) -> String {
        format!("if !M::above({margin}, {}) {{ return Err({}); }}", self.number(check.least), check.code)
    }
}

/// The programs as one module.
pub fn print(programs: &[Program]) -> String {
    let mut text = String::new();
    for program in programs {
        if !text.is_empty() {
            text.push_str("//!\n");
        }
        for line in heading(program) {
            let _ = writeln!(text, "{}", format!("//! {}", line.replace(['\n', '\r'], " ")).trim_end());
        }
    }
    math(programs, &mut text);
    for program in programs {
        function(program, &mut text);
    }
    text
}

/// The trait, with the functions that these programs need.
fn math(programs: &[Program], text: &mut String) {
    text.push_str(
        "\nuse core::ops::{Add, Div, Mul, Neg, Sub};\n
/// What is computed with: a number, and the functions that `core` lacks.
pub trait Math {
    /// The number.
    type Number: Copy
        + Add<Output = Self::Number>
        + Sub<Output = Self::Number>
        + Mul<Output = Self::Number>
        + Div<Output = Self::Number>
        + Neg<Output = Self::Number>;
    /// A constant.
    fn number(value: f64) -> Self::Number;\n",
    );
    let uses = |test: fn(&Operation) -> bool| programs.iter().any(|p| p.steps.iter().any(|s| test(&s.operation)));
    let checks = || programs.iter().flat_map(|program| &program.checks);
    let number = "Self::Number";
    let function = |used: bool, what: &str, name: &str, arguments: &str, result: &str| {
        let arguments = arguments.split(' ').map(|x| format!("{x}: {number}")).collect::<Vec<_>>().join(", ");
        if used { format!("    /// {what}.\n    fn {name}({arguments}) -> {result};\n") } else { String::new() }
    };
    let both = format!("({number}, {number})");
    let turns = uses(|o| matches!(o, Operation::Sin(_) | Operation::Cos(_)));
    text.push_str(&function(turns, "Sine and cosine", "sin_cos", "x", &both));
    let mut together: Vec<usize> = programs.iter().map(|p| first_angles(p).len()).filter(|&k| k > 1).collect();
    together.sort_unstable();
    together.dedup();
    for k in together {
        let all = |word: &dyn Fn(usize) -> String| (0..k).map(word).collect::<Vec<_>>().join(", ");
        let (names, calls) = (all(&|i| format!("x{i}")), all(&|i| format!("Self::sin_cos(x{i})")));
        let _ = write!(
            text,
            "    /// Sines and cosines of {k} angles.\n    #[inline(always)]\n    \
             fn sin_cos_{k}([{names}]: [{number}; {k}]) -> [{both}; {k}] {{\n        [{calls}]\n    }}\n"
        );
    }
    for (used, what, name, arguments, result) in [
        (uses(|o| matches!(o, Operation::Sqrt(_))), "Square root", "sqrt", "x", number),
        (uses(|o| matches!(o, Operation::Atan2(..))), "The angle of the point (x, y)", "atan2", "y x", number),
        (uses(|o| matches!(o, Operation::Tanh(_))), "Hyperbolic tangent", "tanh", "x", number),
        (uses(|o| matches!(o, Operation::Exp(_))), "Exponential", "exp", "x", number),
        (
            uses(|o| matches!(o, Operation::SelectLt(_))),
            "`then` where x < limit, else `otherwise`",
            "select_lt",
            "x limit then otherwise",
            number,
        ),
        (
            checks().next().is_some(),
            "Whether x > limit; of several states: for all of them",
            "above",
            "x limit",
            "bool",
        ),
        (checks().any(|check| check.sized), "Size", "abs", "x", number),
    ] {
        text.push_str(&function(used, what, name, arguments, result));
    }
    text.push_str("}\n");
}

fn function(program: &Program, text: &mut String) {
    let name = identifier(&program.name);
    let names = Names::new(program, TAKEN, |quantity, k| format!("{}[{k}]", quantity.name));
    let kept = kept_constants(program);
    let words = || kept.iter().map(|&place| names.word(place)).collect::<Vec<_>>().join(", ");
    let array = |length: usize| format!("[M::Number; {length}]");
    if !program.parameters.is_empty() {
        let count = program.parameters.len();
        let _ = write!(text, "\n/// The parameters of [`{name}`] with the values of the robot file.\n");
        let _ = writeln!(text, "pub const {}_PARAMETERS: [f64; {count}] = [", name.to_uppercase());
        for (parameter, word) in program.parameters.iter().zip(&names.parameters) {
            let _ = writeln!(text, "    {}, // {word}", literal(parameter.value, Precision::Double));
        }
        let _ =
            write!(text, "];\n\n/// What [`{name}`] needs of its parameters, computed once.\n#[allow(clippy::all)]\n");
        let _ = writeln!(
            text,
            "pub fn {name}_constants<M: Math>(parameters: &{}) -> {} {{",
            array(count),
            array(kept.len())
        );
        for (i, word) in names.parameters.iter().enumerate() {
            let _ = writeln!(text, "    let {word} = parameters[{i}];");
        }
        steps(program, &names, true, text);
        let _ = write!(text, "    [{}]\n}}\n", words());
    }
    let mut arguments: Vec<String> =
        program.inputs.iter().map(|quantity| format!("{}: &{}", quantity.name, array(quantity.length))).collect();
    if !program.parameters.is_empty() {
        arguments.push(format!("constants: &{}", array(kept.len())));
    }
    let outputs: Vec<String> = program.outputs.iter().map(|quantity| array(quantity.length)).collect();
    let tuple = |parts: &[String]| if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) };
    let can_fail = !program.checks.is_empty();
    let answer = if can_fail { format!("Result<{}, u32>", tuple(&outputs)) } else { tuple(&outputs) };
    let _ = write!(text, "\n/// {}: {}.\n", capital(&program.title), program.operations());
    // Inlined, so that a loop over states becomes vector instructions.
    let _ = write!(text, "#[inline(always)]\n#[allow(clippy::all)]\n#[rustfmt::skip]\n");
    let _ = writeln!(text, "pub fn {name}<M: Math>({}) -> {answer} {{", arguments.join(", "));
    for quantity in program.inputs.iter().filter(|quantity| !reads(program, quantity)) {
        let _ = writeln!(text, "    let _ = {};", quantity.name);
    }
    if !program.parameters.is_empty() {
        let _ = writeln!(text, "    let [{}] = *constants;", words());
    }
    steps(program, &names, false, text);
    let mut results = program.results.iter().map(|&value| names.value(value, &Rust));
    let rows: Vec<String> = program
        .outputs
        .iter()
        .map(|quantity: &Quantity| {
            let row: Vec<String> = results.by_ref().take(quantity.length).collect();
            format!("[{}]", row.join(", "))
        })
        .collect();
    let result = tuple(&rows);
    let result = if can_fail { format!("Ok({result})") } else { result };
    let _ = write!(text, "    {result}\n}}\n");
}

/// A sine and a cosine of the same angle are one call.
fn steps(program: &Program, names: &Names, constant: bool, text: &mut String) {
    let mut done = vec![false; program.steps.len()];
    let checks = |step: Option<usize>, text: &mut String| {
        for check in checks_after(program, step) {
            let _ = writeln!(text, "    {}", Rust.check(&margin(check, names, &Rust), check));
        }
    };
    if !constant {
        checks(None, text);
        together(program, names, &mut done, text);
    }
    for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| step.constant == constant) {
        if done[i] {
            continue;
        }
        let partner = |wanted: Operation| program.steps.iter().position(|other| other.operation == wanted);
        let (sine, cosine, angle) = match step.operation {
            Operation::Sin(angle) => (Some(i), partner(Operation::Cos(angle)), Some(angle)),
            Operation::Cos(angle) => (partner(Operation::Sin(angle)), Some(i), Some(angle)),
            _ => (None, None, None),
        };
        if let Some(angle) = angle {
            let word = |step: Option<usize>| step.map_or("_", |k| names.steps[k].as_str());
            let angle = names.value(angle, &Rust);
            let _ = writeln!(text, "    let ({}, {}) = M::sin_cos({angle});", word(sine), word(cosine));
            for k in [sine, cosine].into_iter().flatten() {
                done[k] = true;
            }
        } else {
            let value = names.operation(&step.operation, &Rust);
            let _ = writeln!(text, "    {}", Rust.assignment(&names.steps[i], &value));
        }
        checks(Some(i), text);
    }
}

/// The angles that are inputs or sums of inputs, where there are several: they can be had before everything else. Each with
/// the steps of its sine and cosine.
fn first_angles(program: &Program) -> Vec<(Value, [Option<usize>; 2])> {
    let mut early = vec![false; program.steps.len()];
    let mut angles: Vec<(Value, [Option<usize>; 2])> = Vec::new();
    for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| !step.constant) {
        let known = |value: Value| match value.place {
            ValueSource::Input(_) | ValueSource::Number(_) => true,
            ValueSource::Step(k) => early[k],
            ValueSource::Parameter(_) => false,
        };
        match step.operation {
            Operation::Add(a, b) => early[i] = known(a) && known(b),
            Operation::Sin(angle) | Operation::Cos(angle) if known(angle) => {
                let which = usize::from(matches!(step.operation, Operation::Cos(_)));
                match angles.iter_mut().find(|other| other.0 == angle) {
                    Some(other) => other.1[which] = Some(i),
                    None => {
                        let mut pair = [None, None];
                        pair[which] = Some(i);
                        angles.push((angle, pair));
                    }
                }
            }
            _ => {}
        }
    }
    if angles.len() > 1 && program.checks.is_empty() { angles } else { Vec::new() }
}

/// All sines and cosines of [`first_angles`] by one call.
fn together(program: &Program, names: &Names, done: &mut [bool], text: &mut String) {
    let angles = first_angles(program);
    if angles.is_empty() {
        return;
    }
    let mut needed: Vec<usize> = Vec::new();
    let mut open: Vec<Value> = angles.iter().map(|angle| angle.0).collect();
    while let Some(value) = open.pop() {
        if let ValueSource::Step(i) = value.place {
            needed.push(i);
            open.extend(program.steps[i].operation.values());
        }
    }
    needed.sort_unstable();
    needed.dedup();
    for i in needed {
        done[i] = true;
        let _ = writeln!(text, "    let {} = {};", names.steps[i], names.operation(&program.steps[i].operation, &Rust));
    }
    let word = |step: Option<usize>| step.map_or("_", |k| names.steps[k].as_str());
    let pairs: Vec<String> =
        angles.iter().map(|(_, [sine, cosine])| format!("({}, {})", word(*sine), word(*cosine))).collect();
    let values: Vec<String> = angles.iter().map(|(angle, _)| names.value(*angle, &Rust)).collect();
    let _ = writeln!(text, "    let [{}] = M::sin_cos_{}([{}]);", pairs.join(", "), angles.len(), values.join(", "));
    for i in angles.iter().flat_map(|angle| angle.1).flatten() {
        done[i] = true;
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
