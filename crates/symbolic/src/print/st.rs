//! Structured Text (IEC 61131-3): one function block per program, with nothing but standard functions. docs/derive.md describes the blocks.
//!
//! Arrays begin at 1. The standard knows no two-argument arc tangent and no hyperbolic tangent, so both are written out.

use super::{
    Dialect, Function, INDENT, Names, Precision, ascii, heading, identifier, literal, quantity_name, statements,
    wrapped,
};
use crate::program::{Check, Operation, Program, Quantity, Value};
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

pub(super) struct St(pub Precision);

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
            // Below, the exponential is no number that counts, and may raise an exception.
            Function::Exp => match self.0 {
                Precision::Double => format!("EXP(MAX({first}, -700.0))"),
                Precision::Float => format!("EXP(MAX({first}, -80.0))"),
            },
            // Beyond 20 it is 1 to the last digit.
            Function::Tanh => format!("1.0 - 2.0 / (EXP(2.0 * LIMIT(-20.0, {first}, 20.0)) + 1.0)"),
            Function::Atan2 => String::new(), // written out
            other => format!("{}({first})", other.name().to_uppercase()),
        }
    }

    fn select(&self, [a, b, c, d]: [String; 4]) -> String {
        format!("SEL({a} < {b}, {d}, {c})")
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        format!("{name} := {value};")
    }

    fn check(&self, margin: &str, check: &Check) -> String {
        let (least, code) = (self.number(check.least), check.code);
        format!("IF NOT ({margin} > {least}) THEN\n    Error := TRUE;\n    ErrorId := {code};\n    RETURN;\nEND_IF;")
    }

    fn written_out(&self, names: &Names, name: &str, operation: &Operation) -> Option<Vec<String>> {
        let Operation::Atan2(y, x) = *operation else { return None };
        let (y, x) = (names.value(y, self), names.value(x, self));
        let (half, whole) = (self.number(FRAC_PI_2), self.number(PI));
        // The quotient that is at most 1, so that nothing overflows.
        Some(vec![
            format!("IF ABS({x}) >= ABS({y}) THEN"),
            format!("    IF {x} > 0.0 THEN {name} := ATAN({y} / {x});"),
            format!("    ELSIF {x} = 0.0 THEN {name} := 0.0;"),
            format!("    ELSIF {y} < 0.0 THEN {name} := ATAN({y} / {x}) - {whole};"),
            format!("    ELSE {name} := ATAN({y} / {x}) + {whole};"),
            "    END_IF;".into(),
            format!("ELSIF {y} > 0.0 THEN {name} := {half} - ATAN({x} / {y});"),
            format!("ELSE {name} := -{half} - ATAN({x} / {y});"),
            "END_IF;".into(),
        ])
    }
}

/// The programs as function blocks, one after the other.
pub fn print(programs: &[Program], precision: Precision) -> String {
    let text = |program: &Program| {
        let block = FunctionBlock::new(program, &St(precision));
        format!("{}\n{}END_FUNCTION_BLOCK\n", block.declaration(), block.body)
    };
    programs.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A variable of a function block.
pub(super) struct BlockVariable {
    pub name: String,
    /// Of an array the last index of each dimension; the first is 1.
    pub dimensions: Vec<usize>,
    /// The type, or that of the elements.
    pub of: &'static str,
    pub initial: Option<String>,
    pub about: String,
}

impl BlockVariable {
    fn new(name: &str, of: &'static str, about: &str) -> Self {
        Self { name: name.into(), dimensions: Vec::new(), of, initial: None, about: about.into() }
    }

    fn array(quantity: &Quantity, of: &'static str) -> Self {
        let dimensions = match quantity.columns {
            Some(columns) => vec![quantity.length / columns.max(1), columns],
            None => vec![quantity.length],
        };
        let about = ascii(&format!("{}, {}", quantity.meaning, quantity.unit));
        Self { dimensions, ..Self::new(&quantity_name(quantity, RESERVED), of, &about) }
    }

    fn declared(&self) -> String {
        let ranges: Vec<String> = self.dimensions.iter().map(|last| format!("1..{last}")).collect();
        let array = if ranges.is_empty() { String::new() } else { format!("ARRAY[{}] OF ", ranges.join(", ")) };
        let initial = self.initial.as_ref().map(|value| format!(" := {value}")).unwrap_or_default();
        format!("{} : {array}{}{initial};", self.name, self.of)
    }
}

/// A program as a function block.
pub(super) struct FunctionBlock {
    pub name: String,
    pub heading: Vec<String>,
    pub inputs: Vec<BlockVariable>,
    pub outputs: Vec<BlockVariable>,
    pub locals: Vec<BlockVariable>,
    /// The statements.
    pub body: String,
}

impl FunctionBlock {
    pub fn new(program: &Program, st: &St) -> Self {
        let real = st.real();
        let names = Names::new(program, RESERVED, |quantity, k| match quantity.columns {
            Some(columns) => format!("{}[{}, {}]", quantity_name(quantity, RESERVED), k / columns + 1, k % columns + 1),
            None => format!("{}[{}]", quantity_name(quantity, RESERVED), k + 1),
        });
        let arrays =
            |all: &[Quantity]| all.iter().map(|quantity| BlockVariable::array(quantity, real)).collect::<Vec<_>>();
        let (mut inputs, mut outputs, mut locals) = (arrays(&program.inputs), arrays(&program.outputs), Vec::new());
        let symbolic = !program.parameters.is_empty();
        for (parameter, name) in program.parameters.iter().zip(&names.parameters) {
            let initial = Some(names.value(Value::number(parameter.value), st));
            let about = ascii(&format!("{}, {}", parameter.meaning, parameter.unit));
            inputs.push(BlockVariable { initial, ..BlockVariable::new(name, real, &about) });
        }
        if symbolic {
            inputs.push(BlockVariable::new("Recompute", "BOOL", "parameters have changed"));
            locals.push(BlockVariable::new("Ready", "BOOL", "the constants are computed"));
        }
        if !program.checks.is_empty() {
            let about = "the pose was refused, the outputs are those of the call before";
            outputs.push(BlockVariable::new("Error", "BOOL", about));
            outputs.push(BlockVariable::new("ErrorId", "UDINT", "why: see the codes above; 0 without an error"));
        }
        locals.extend(names.steps.iter().map(|name| BlockVariable::new(name, real, "")));
        Self {
            name: identifier(&program.name),
            heading: heading(program).iter().map(|line| ascii(line)).collect(),
            inputs,
            outputs,
            locals,
            body: body(program, &names, st),
        }
    }

    /// From the heading to the last `END_VAR`.
    pub fn declaration(&self) -> String {
        let mut text = String::from("(*\n");
        for line in &self.heading {
            let _ = writeln!(text, "{}", format!("   {line}").trim_end());
        }
        let _ = writeln!(text, "*)\nFUNCTION_BLOCK {}", self.name);
        for (kind, all) in [("VAR_INPUT", &self.inputs), ("VAR_OUTPUT", &self.outputs), ("VAR", &self.locals)] {
            // An empty block is none of the standard's.
            if all.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{kind}");
            let (explained, plain): (Vec<&BlockVariable>, Vec<&BlockVariable>) =
                all.iter().partition(|one| !one.about.is_empty());
            explained.iter().for_each(|one| declaration(&mut text, &one.declared(), &one.about));
            let mut line = String::new();
            for one in &plain {
                if line.len() + one.name.len() > 100 {
                    let _ = writeln!(text, "    {line} : {};", one.of);
                    line.clear();
                }
                line = if line.is_empty() { one.name.clone() } else { format!("{line}, {}", one.name) };
            }
            if let Some(last) = plain.last() {
                let _ = writeln!(text, "    {line} : {};", last.of);
            }
            text.push_str("END_VAR\n");
        }
        text
    }
}

fn body(program: &Program, names: &Names, st: &St) -> String {
    let mut text = String::new();
    if !program.parameters.is_empty() {
        text.push_str("IF Recompute OR NOT Ready THEN\n");
        statements(program, names, st, true, INDENT, &mut text);
        text.push_str("    Ready := TRUE;\nEND_IF;\n");
    }
    if !program.checks.is_empty() {
        text.push_str("Error := FALSE;\nErrorId := 0;\n");
    }
    statements(program, names, st, false, "", &mut text);
    for (output, &result) in names.outputs.iter().zip(&program.results) {
        let _ = writeln!(text, "{output} := {};", names.value(result, st));
    }
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
