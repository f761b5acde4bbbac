//! NumPy, MATLAB (and Octave), JavaScript, Julia and C++: one function for each program, which takes the inputs, then the
//! parameters where they have stayed symbols, and returns the outputs. docs/derive.md describes them.

use super::{Dialect, Function, INDENT, Names, Precision, ascii, heading, identifier, literal, statements};
use crate::program::{Check, Operation, Program, Quantity};
use std::fmt::Write;

/// A language of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Python with NumPy.
    NumPy,
    /// MATLAB and Octave.
    Matlab,
    /// An ES module.
    JavaScript,
    /// Julia without packages.
    Julia,
    /// C++11, a header that needs nothing else.
    Cpp,
}

impl Script {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::NumPy, Self::Matlab, Self::JavaScript, Self::Julia, Self::Cpp];

    fn taken(self) -> &'static str {
        match self {
            Self::NumPy => {
                "and as assert async await break class continue def del elif else except false finally for from global if
                 import in is lambda none nonlocal not or pass raise return true try while with yield np parameters rows"
            }
            Self::Matlab => {
                "break case catch classdef continue else elseif end for function global if otherwise parfor persistent
                 return spmd switch try while i j pi eps inf nan e ans sin cos sqrt exp tanh atan2 error parameters"
            }
            Self::JavaScript => {
                "await break case catch class const continue debugger default delete do else enum export extends false
                 finally for function if import in instanceof let new null return static super switch this throw true try
                 typeof var void while with yield math parameters arguments eval"
            }
            Self::Julia => {
                "baremodule begin break catch const continue do else elseif end export false finally for function global
                 if import let local macro module quote return struct true try using while pi im sin cos sqrt exp tanh
                 atan ifelse parameters in isa"
            }
            Self::Cpp => {
                "alignas alignof and asm auto bool break case catch char class const continue default delete do double
                 else enum explicit export extern false float for friend goto if inline int long mutable namespace new
                 not nullptr operator or private protected public register return short signed sizeof static struct
                 switch template this throw true try typedef typeid typename union unsigned using virtual void volatile
                 while xor real parameters std"
            }
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Self::NumPy | Self::Julia => "#",
            Self::Matlab => "%",
            Self::JavaScript | Self::Cpp => "//",
        }
    }

    /// Component `k` of a row, from 0.
    fn element(self, name: &str, k: usize) -> String {
        match self {
            Self::NumPy | Self::JavaScript | Self::Cpp => format!("{name}[{k}]"),
            Self::Matlab => format!("{name}({})", k + 1),
            Self::Julia => format!("{name}[{}]", k + 1),
        }
    }

    /// An output from its components.
    fn output(self, quantity: &Quantity, name: &str, values: &[String]) -> String {
        let columns = quantity.columns.unwrap_or(0);
        let rows: Vec<String> = values.chunks(columns.max(1)).map(|row| row.join(", ")).collect();
        match (self, quantity.columns) {
            (Self::NumPy, None) => format!("{name} = _rows([{}], {})", values.join(", "), values.len()),
            (Self::NumPy, Some(_)) => format!("{name} = _rows([{}], {}, {columns})", values.join(", "), rows.len()),
            (Self::Matlab, None) => format!("{name} = [{}];", values.join("; ")),
            (Self::Matlab, Some(_)) => format!("{name} = [{}];", rows.join("; ")),
            (Self::JavaScript, None) => format!("const {name} = [{}];", values.join(", ")),
            (Self::JavaScript, Some(_)) => format!("const {name} = [[{}]];", rows.join("], [")),
            (Self::Julia, None) => format!("{name} = [{}]", values.join(", ")),
            (Self::Julia, Some(_)) => format!("{name} = [{}]", rows.join("; ").replace(',', "")),
            (Self::Cpp, _) => {
                let all: Vec<String> =
                    values.iter().enumerate().map(|(k, value)| format!("{name}[{k}] = {value};")).collect();
                all.join("\n    ")
            }
        }
    }
}

impl Dialect for Script {
    fn number(&self, magnitude: f64) -> String {
        let text = literal(magnitude, Precision::Double);
        if *self == Self::Cpp { format!("Real({text})") } else { text }
    }

    fn call(&self, function: Function, arguments: &[String]) -> String {
        let all = arguments.join(", ");
        let name = match (function, self) {
            (Function::Atan2, Self::NumPy) => "arctan2",
            (Function::Atan2, Self::Julia) => "atan",
            _ => function.name(),
        };
        match self {
            Self::NumPy => format!("np.{name}({all})"),
            Self::JavaScript => format!("Math.{name}({all})"),
            Self::Cpp => format!("std::{name}({all})"),
            Self::Matlab | Self::Julia => format!("{name}({all})"),
        }
    }

    fn select(&self, [a, b, c, d]: [String; 4]) -> String {
        match self {
            Self::NumPy => format!("np.where({a} < {b}, {c}, {d})"),
            Self::Julia => format!("ifelse({a} < {b}, {c}, {d})"),
            // Written out.
            Self::Matlab => String::new(),
            Self::JavaScript | Self::Cpp => format!("{a} < {b} ? {c} : {d}"),
        }
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        match self {
            Self::NumPy | Self::Julia => format!("{name} = {value}"),
            Self::Matlab => format!("{name} = {value};"),
            Self::JavaScript => format!("const {name} = {value};"),
            Self::Cpp => format!("const Real {name} = {value};"),
        }
    }

    fn check(&self, margin: &str, check: &Check) -> String {
        let Check { code, ref meaning, .. } = *check;
        let meaning = ascii(meaning).replace(['"', '\'', '\\'], " ");
        let least = self.number(check.least);
        match self {
            Self::NumPy => {
                format!("if not np.all({margin} > {least}):\n        raise ValueError({code}, \"{meaning}\")")
            }
            Self::Matlab => {
                format!("if ~({margin} > {least}), error('dalembert:refused', '%d: %s', {code}, '{meaning}'); end")
            }
            Self::JavaScript => {
                format!(
                    "if (!({margin} > {least})) throw Object.assign(new RangeError(\"{meaning}\"), {{ code: {code} }});"
                )
            }
            Self::Julia => format!("{margin} > {least} || throw(DomainError({code}, \"{meaning}\"))"),
            Self::Cpp => format!("if (!({margin} > {least})) return {code};"),
        }
    }

    fn written_out(&self, names: &Names, name: &str, operation: &Operation) -> Option<Vec<String>> {
        let (Operation::SelectLt(all), Self::Matlab) = (*operation, *self) else { return None };
        let [a, b, c, d] = all.map(|value| names.value(value, self));
        Some(vec![format!("if {a} < {b}, {name} = {c}; else, {name} = {d}; end")])
    }
}

/// The programs as one file. (MATLAB finds the first function of a file by the file's name: there one program makes one file.)
pub fn print(programs: &[Program], script: Script) -> String {
    let mut text = String::new();
    if script == Script::Cpp {
        text.push_str("#pragma once\n\n#include <array>\n#include <cmath>\n\n");
    }
    for program in programs {
        for line in heading(program) {
            let _ = writeln!(text, "{}", format!("{} {}", script.comment(), ascii(&line)).trim_end());
        }
        text.push('\n');
    }
    if script == Script::NumPy {
        text.push_str(
            "import numpy as np\n\n\ndef _rows(values, *shape):\n    \
             rows = np.stack(np.broadcast_arrays(*values))\n    return rows.reshape(shape + rows.shape[1:])\n",
        );
    }
    for program in programs {
        function(program, script, &mut text);
    }
    text
}

fn function(program: &Program, script: Script, text: &mut String) {
    let name = identifier(&program.name);
    let quantity_name = |quantity: &Quantity| super::quantity_name(quantity, script.taken());
    let names = Names::new(program, script.taken(), |quantity, k| script.element(&quantity_name(quantity), k));
    let inputs: Vec<String> = program.inputs.iter().map(quantity_name).collect();
    let outputs: Vec<String> = program.outputs.iter().map(quantity_name).collect();
    let values: Vec<String> =
        program.parameters.iter().map(|parameter| literal(parameter.value, Precision::Double)).collect();
    let symbolic = !values.is_empty();
    let table = format!("{}_PARAMETERS", name.to_uppercase());
    let order: Vec<String> = program.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    if symbolic {
        text.push('\n');
        for line in super::wrapped(&format!("The parameters, in this order: {}", order.join(", ")), 100) {
            let _ = writeln!(text, "{} {line}", script.comment());
        }
        let _ = match script {
            Script::NumPy => writeln!(text, "{table} = [{}]", values.join(", ")),
            Script::JavaScript => writeln!(text, "export const {table} = [{}];", values.join(", ")),
            Script::Julia => writeln!(text, "const {table} = [{}]", values.join(", ")),
            Script::Matlab => writeln!(text, "% {table} = [{}]", values.join(", ")),
            Script::Cpp => {
                let count = values.len();
                let all: Vec<String> = values.iter().map(|value| format!("Real({value})")).collect();
                writeln!(
                    text,
                    "template <typename Real>\ninline std::array<Real, {count}> {name}_parameters() {{\n    \
                     return {{{{{}}}}};\n}}",
                    all.join(", ")
                )
            }
        };
    }
    let given = match script {
        Script::NumPy => format!("parameters={table}"),
        Script::JavaScript | Script::Julia => format!("parameters = {table}"),
        Script::Matlab | Script::Cpp => "parameters".to_owned(),
    };
    let arguments: Vec<String> = inputs.iter().cloned().chain(symbolic.then_some(given)).collect();
    let (arguments, all) = (arguments.join(", "), outputs.join(", "));
    let _ = match script {
        Script::NumPy => writeln!(text, "\n\ndef {name}({arguments}):"),
        Script::Matlab => writeln!(text, "\nfunction [{all}] = {name}({arguments})"),
        Script::JavaScript => writeln!(text, "\nexport function {name}({arguments}) {{"),
        Script::Julia => writeln!(text, "\nfunction {name}({arguments})"),
        Script::Cpp => {
            let array =
                |constant: &str, length: usize, name: &str| format!("{constant}std::array<Real, {length}>& {name}");
            let mut all: Vec<String> =
                program.inputs.iter().zip(&inputs).map(|(q, name)| array("const ", q.length, name)).collect();
            all.extend(symbolic.then(|| array("const ", values.len(), "parameters")));
            all.extend(program.outputs.iter().zip(&outputs).map(|(q, name)| array("", q.length, name)));
            writeln!(text, "\ntemplate <typename Real>\ninline int {name}({}) {{", all.join(", "))
        }
    };
    if script == Script::Cpp {
        for (_, name) in program.inputs.iter().zip(&inputs).filter(|(quantity, _)| !super::reads(program, quantity)) {
            let _ = writeln!(text, "    (void){name};");
        }
    }
    for (k, word) in names.parameters.iter().enumerate() {
        let _ = writeln!(text, "    {}", script.assignment(word, &script.element("parameters", k)));
    }
    for constant in [true, false] {
        statements(program, &names, &script, constant, INDENT, text);
    }
    let mut results = program.results.iter().map(|&result| names.value(result, &script));
    for (quantity, name) in program.outputs.iter().zip(&outputs) {
        let values: Vec<String> = results.by_ref().take(quantity.length).collect();
        let _ = writeln!(text, "    {}", script.output(quantity, name, &values));
    }
    let _ = match script {
        Script::NumPy => writeln!(text, "    return {all}"),
        Script::Matlab => writeln!(text, "end"),
        Script::JavaScript => writeln!(text, "    return {{ {all} }};\n}}"),
        Script::Julia => writeln!(text, "    return {all}\nend"),
        Script::Cpp => writeln!(text, "    return 0;\n}}"),
    };
}
