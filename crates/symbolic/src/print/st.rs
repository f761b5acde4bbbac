//! Structured Text (IEC 61131-3): one function block per program, with nothing but standard functions.
//!
//! ```text
//! VAR  Torque : puma560_torque;  END_VAR
//! Torque(q := q, qd := qd, qdd := qdd);
//! Drive := Torque.tau[1];
//! ```
//!
//! Arrays begin at 1. A block that can refuse a pose has the outputs `Error` and `ErrorId`, and looks at its checks before it
//! divides or takes a root: a controller that stops at floating-point exceptions does not stop. The standard knows no
//! two-argument arc tangent and no hyperbolic tangent, so both are written out. Symbolic parameters are inputs with the
//! values of the robot file; what depends on them alone is computed in the first call, and again where `Recompute` is set.

use super::{Dialect, Function, Names, Precision, ascii, checks_after, heading, identifier, literal, margin, wrapped};
use crate::program::{Operation, Program, Quantity, Step};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write;

/// Words that are no names: of the standard, and those that TwinCAT and CODESYS add.
const RESERVED: &str = "
    abs acos action adr and any array asin at atan atan2 bool by byte cal case configuration constant cos date
    dint div do dt dword else elsif end_case end_for end_function end_function_block end_if end_program
    end_repeat end_struct end_type end_var end_while eq error errorid exit exp expt external false for from
    function function_block ge gt if in int interface jmp jmpc ld ldn le limit lint ln log lreal lt lword max
    method min mod move mux ne not of on or override pi pointer program property r read_only real recompute
    ready ref repeat resource ret return s sel sin sint sizeof sqrt st stn string struct super tan task then
    this time to tod true trunc type udint uint until var word xor";

struct St(Precision);

impl St {
    fn real(&self) -> &'static str {
        match self.0 {
            Precision::Double => "LREAL",
            Precision::Float => "REAL",
        }
    }
}

impl Dialect for St {
    fn number(&self, magnitude: f64) -> String {
        let text = literal(magnitude, self.0);
        match text.split_once('e') {
            Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}E{exponent}"),
            Some((mantissa, exponent)) => format!("{mantissa}.0E{exponent}"),
            None => text,
        }
    }

    fn call(&self, function: Function, arguments: &[String]) -> String {
        let first = arguments.first().map_or("", String::as_str);
        match function {
            Function::Sin => format!("SIN({first})"),
            Function::Cos => format!("COS({first})"),
            Function::Sqrt => format!("SQRT({first})"),
            Function::Abs => format!("ABS({first})"),
            // Below, the exponential is no number that counts, and may raise an exception.
            Function::Exp => match self.0 {
                Precision::Double => format!("EXP(MAX({first}, -700.0))"),
                Precision::Float => format!("EXP(MAX({first}, -80.0))"),
            },
            // Beyond 20 it is 1 to the last digit.
            Function::Tanh => format!("1.0 - 2.0 / (EXP(2.0 * LIMIT(-20.0, {first}, 20.0)) + 1.0)"),
            Function::SelectLt => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| arguments.get(k).map_or("", String::as_str));
                format!("SEL({a} < {b}, {d}, {c})")
            }
            Function::Atan2 => String::new(), // written out by `step`
        }
    }
}

/// The programs as function blocks, one after the other.
pub fn print(programs: &[Program], precision: Precision) -> String {
    programs.iter().map(|program| block(program, &St(precision))).collect::<Vec<_>>().join("\n")
}

/// The name that a quantity has inside its block.
fn quantity_name(quantity: &Quantity) -> String {
    let name = identifier(&quantity.name);
    if RESERVED.split_whitespace().any(|word| word.eq_ignore_ascii_case(&name)) { format!("{name}v") } else { name }
}

fn block(program: &Program, st: &St) -> String {
    let real = st.real();
    let names = Names::new(program, RESERVED, |quantity, k| match quantity.columns {
        Some(columns) => format!("{}[{}, {}]", quantity_name(quantity), k / columns + 1, k % columns + 1),
        None => format!("{}[{}]", quantity_name(quantity), k + 1),
    });
    let mut text = String::from("(*\n");
    for line in heading(program) {
        let _ = writeln!(text, "{}", format!("   {}", ascii(&line)).trim_end());
    }
    let _ = writeln!(text, "*)\nFUNCTION_BLOCK {}", identifier(&program.name));
    let declare = |text: &mut String, quantity: &Quantity| {
        let range = match quantity.columns {
            Some(columns) => format!("1..{}, 1..{columns}", quantity.length / columns.max(1)),
            None => format!("1..{}", quantity.length),
        };
        let about = ascii(&format!("{}, {}", quantity.meaning, quantity.unit));
        declaration(text, &format!("{} : ARRAY[{range}] OF {real};", quantity_name(quantity)), &about);
    };
    text.push_str("VAR_INPUT\n");
    program.inputs.iter().for_each(|quantity| declare(&mut text, quantity));
    let symbolic = !program.parameters.is_empty();
    for (parameter, name) in program.parameters.iter().zip(&names.parameters) {
        let minus = if parameter.value < 0.0 { "-" } else { "" };
        let value = st.number(parameter.value.abs());
        let about = ascii(&format!("{}, {}", parameter.meaning, parameter.unit));
        declaration(&mut text, &format!("{name} : {real} := {minus}{value};"), &about);
    }
    if symbolic {
        text.push_str("    Recompute : BOOL; (* parameters have changed *)\n");
    }
    text.push_str("END_VAR\nVAR_OUTPUT\n");
    program.outputs.iter().for_each(|quantity| declare(&mut text, quantity));
    let can_fail = !program.checks.is_empty();
    if can_fail {
        text.push_str("    Error : BOOL; (* the pose was refused, the outputs are those of the call before *)\n");
        text.push_str("    ErrorId : UDINT; (* why: see the codes above; 0 without an error *)\n");
    }
    text.push_str("END_VAR\n");
    // An empty block is none of the standard's.
    let local = symbolic || !names.steps.is_empty();
    if local {
        text.push_str("VAR\n");
    }
    if symbolic {
        text.push_str("    Ready : BOOL; (* the constants are computed *)\n");
    }
    let mut line = String::new();
    for name in &names.steps {
        if line.len() + name.len() > 100 {
            let _ = writeln!(text, "    {line} : {real};");
            line.clear();
        }
        line = if line.is_empty() { name.clone() } else { format!("{line}, {name}") };
    }
    if !line.is_empty() {
        let _ = writeln!(text, "    {line} : {real};");
    }
    text.push_str(if local { "END_VAR\n\n" } else { "\n" });
    if symbolic {
        text.push_str("IF Recompute OR NOT Ready THEN\n");
        for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| step.constant) {
            step_lines(step, &names.steps[i], &names, st, "    ", &mut text);
        }
        text.push_str("    Ready := TRUE;\nEND_IF;\n");
    }
    if can_fail {
        text.push_str("Error := FALSE;\nErrorId := 0;\n");
    }
    let checks = |step: Option<usize>, text: &mut String| {
        for check in checks_after(program, step) {
            let (margin, least) = (margin(check, &names, st), st.number(check.least));
            let _ = writeln!(text, "IF NOT ({margin} > {least}) THEN");
            let _ = writeln!(text, "    Error := TRUE;\n    ErrorId := {};\n    RETURN;\nEND_IF;", check.code);
        }
    };
    checks(None, &mut text);
    for (i, step) in program.steps.iter().enumerate().filter(|(_, step)| !step.constant) {
        step_lines(step, &names.steps[i], &names, st, "", &mut text);
        checks(Some(i), &mut text);
    }
    for (output, &result) in names.outputs.iter().zip(&program.results) {
        let _ = writeln!(text, "{output} := {};", names.value(result, st));
    }
    text.push_str("END_FUNCTION_BLOCK\n");
    text
}

/// A declaration with its comment beside it, or above it where the line would be too long for some editors (120 characters).
fn declaration(text: &mut String, what: &str, about: &str) {
    if what.len() + about.len() < 100 {
        let _ = writeln!(text, "    {what} (* {about} *)");
        return;
    }
    for line in wrapped(about, 100) {
        let _ = writeln!(text, "    (* {line} *)");
    }
    let _ = writeln!(text, "    {what}");
}

fn step_lines(step: &Step, name: &str, names: &Names, st: &St, indent: &str, text: &mut String) {
    let Operation::Atan2(y, x) = step.operation else {
        let _ = writeln!(text, "{indent}{name} := {};", names.operation(&step.operation, st));
        return;
    };
    let (y, x) = (names.value(y, st), names.value(x, st));
    let (half, whole) = (st.number(FRAC_PI_2), st.number(PI));
    // The quotient that is at most 1, so that nothing overflows.
    for line in [
        format!("IF ABS({x}) >= ABS({y}) THEN"),
        format!("    IF {x} > 0.0 THEN {name} := ATAN({y} / {x});"),
        format!("    ELSIF {x} = 0.0 THEN {name} := 0.0;"),
        format!("    ELSIF {y} < 0.0 THEN {name} := ATAN({y} / {x}) - {whole};"),
        format!("    ELSE {name} := ATAN({y} / {x}) + {whole};"),
        "    END_IF;".into(),
        format!("ELSIF {y} > 0.0 THEN {name} := {half} - ATAN({x} / {y});"),
        format!("ELSE {name} := -{half} - ATAN({x} / {y});"),
        "END_IF;".into(),
    ] {
        let _ = writeln!(text, "{indent}{line}");
    }
}
