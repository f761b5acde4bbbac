//! C99: one header and one source, nothing but `math.h`.
//!
//! ```c
//! void puma560_torque(const double q[6], const double qd[6], const double qdd[6], double tau[6]);
//! int  d3_1200_ik(const double x[3], double q[3]);         /* 0, or the code of the check that failed */
//! ```
//!
//! A matrix is written row by row, all of it. With symbolic parameters a program becomes two functions: `…_constants`
//! computes once what depends on the parameters alone, and the program takes these constants before its outputs.

use super::{
    Dialect, Function, Names, Precision, ascii, checks_after, heading, identifier, kept_constants, literal, margin,
    reads,
};
use crate::program::{Place, Program, Quantity};
use std::fmt::Write;

/// A header and a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// `NAME.h`.
    pub header: String,
    /// `NAME.c`.
    pub source: String,
}

impl Files {
    /// Both as one text, for those who want a single file.
    pub fn joined(&self) -> String {
        let source: Vec<&str> = self.source.lines().skip_while(|line| !line.starts_with("#include <")).collect();
        format!("{}\n{}\n", self.header, source.join("\n"))
    }
}

const KEYWORDS: &str = "
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    constants parameters asm main";

struct C(Precision);

impl C {
    fn real(&self) -> &'static str {
        match self.0 {
            Precision::Double => "double",
            Precision::Float => "float",
        }
    }
}

impl Dialect for C {
    fn number(&self, magnitude: f64) -> String {
        let suffix = if self.0 == Precision::Float { "f" } else { "" };
        format!("{}{suffix}", literal(magnitude, self.0))
    }

    fn call(&self, function: Function, arguments: &[String]) -> String {
        let name = match function {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Sqrt => "sqrt",
            Function::Abs => "fabs",
            Function::Atan2 => "atan2",
            Function::Tanh => "tanh",
            Function::Exp => "exp",
            Function::SelectLt => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| arguments.get(k).map_or("", String::as_str));
                return format!("{a} < {b} ? {c} : {d}");
            }
        };
        let suffix = if self.0 == Precision::Float { "f" } else { "" };
        format!("{name}{suffix}({})", arguments.join(", "))
    }
}

/// The programs as a header and a source; the source includes `stem.h`.
pub fn print(programs: &[Program], stem: &str, precision: Precision) -> Files {
    let guard = format!("{}_H", identifier(stem).to_uppercase());
    let mut header = format!("#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
    let mut source = format!("#include \"{stem}.h\"\n\n#include <math.h>\n");
    for program in programs {
        header.push('\n');
        comment(&mut header, &heading(program));
        let _ = write!(source, "\n/* {} */\n", ascii(&program.title));
        function(program, &C(precision), &mut header, &mut source);
    }
    header.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    Files { header, source }
}

fn comment(text: &mut String, lines: &[String]) {
    text.push_str("/*\n");
    for line in lines {
        let _ = writeln!(text, "{}", format!(" * {}", ascii(line)).trim_end());
    }
    text.push_str(" */\n");
}

fn function(program: &Program, c: &C, header: &mut String, source: &mut String) {
    let real = c.real();
    let name = identifier(&program.name);
    let names = Names::new(program, KEYWORDS, |quantity, k| format!("{}[{k}]", quantity.name));
    let kept = kept_constants(program);
    let word = |place: Place| match place {
        Place::Parameter(i) => names.parameters[i].clone(),
        Place::Step(i) => names.steps[i].clone(),
        Place::Number(_) | Place::Input(_) => String::new(),
    };
    let checks = |source: &mut String, step: Option<usize>| {
        for check in checks_after(program, step) {
            let (margin, least) = (margin(check, &names, c), c.number(check.least));
            let _ = writeln!(source, "    if (!({margin} > {least})) return {};", check.code);
        }
    };
    let body = |source: &mut String, constant: bool| {
        for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| step.constant == constant) {
            let _ = writeln!(source, "    const {real} {} = {};", names.steps[i], names.operation(&step.operation, c));
            checks(source, Some(i));
        }
    };
    if !program.parameters.is_empty() {
        let count = program.parameters.len();
        let table = format!("const {real} {name}_parameters[{count}]");
        let prepare =
            format!("void {name}_constants(const {real} parameters[{count}], {real} constants[{}])", kept.len().max(1));
        let order: Vec<String> = program.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        header.push_str("/* The parameters in this order, with the values of the robot file: */\n");
        comment(header, &super::wrapped(&order.join(", "), 100));
        let _ = write!(header, "extern {table};\n\n{prepare};\n");
        let _ = writeln!(source, "{table} = {{");
        for (parameter, word) in program.parameters.iter().zip(&names.parameters) {
            let minus = if parameter.value < 0.0 { "-" } else { "" };
            let _ = writeln!(source, "    {minus}{}, /* {word} */", c.number(parameter.value.abs()));
        }
        let _ = write!(source, "}};\n\n{prepare} {{\n");
        for (i, word) in names.parameters.iter().enumerate() {
            let _ = writeln!(source, "    const {real} {word} = parameters[{i}];");
        }
        body(source, true);
        for (k, &place) in kept.iter().enumerate() {
            let _ = writeln!(source, "    constants[{k}] = {};", word(place));
        }
        source.push_str("}\n\n");
    }
    let array =
        |constant: &str, quantity: &Quantity| format!("{constant}{real} {}[{}]", quantity.name, quantity.length);
    let mut arguments: Vec<String> = program.inputs.iter().map(|quantity| array("const ", quantity)).collect();
    if !program.parameters.is_empty() {
        arguments.push(format!("const {real} constants[{}]", kept.len().max(1)));
    }
    arguments.extend(program.outputs.iter().map(|quantity| array("", quantity)));
    let can_fail = !program.checks.is_empty();
    let answer = if can_fail { "int" } else { "void" };
    let signature = format!("{answer} {name}({})", arguments.join(", "));
    let _ = writeln!(header, "{signature};");
    let _ = writeln!(source, "{signature} {{");
    for quantity in program.inputs.iter().filter(|quantity| !reads(program, quantity)) {
        let _ = writeln!(source, "    (void){};", quantity.name);
    }
    if !program.parameters.is_empty() && kept.is_empty() {
        source.push_str("    (void)constants;\n");
    }
    for (k, &place) in kept.iter().enumerate() {
        let _ = writeln!(source, "    const {real} {} = constants[{k}];", word(place));
    }
    checks(source, None);
    body(source, false);
    for (output, &result) in names.outputs.iter().zip(&program.results) {
        let _ = writeln!(source, "    {output} = {};", names.value(result, c));
    }
    source.push_str(if can_fail { "    return 0;\n}\n" } else { "}\n" });
}
