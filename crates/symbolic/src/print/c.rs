//! C99: one header and one source, nothing but `math.h`. docs/derive.md describes the functions.

use super::{
    Dialect, Function, INDENT, Names, Precision, ascii, heading, identifier, kept_constants, literal, reads, statements,
};
use crate::program::{Check, Program, Quantity, Value};
use std::fmt::Write;

/// A header and a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CFiles {
    /// `NAME.h`.
    pub header: String,
    /// `NAME.c`.
    pub source: String,
}

impl CFiles {
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
        let name = if function == Function::Abs { "fabs" } else { function.name() };
        let suffix = if self.0 == Precision::Float { "f" } else { "" };
        format!("{name}{suffix}({})", arguments.join(", "))
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        format!("const {} {name} = {value};", self.real())
    }

    fn check(&self, margin: &str, check: &Check) -> String {
        format!("if (!({margin} > {})) return {};", self.number(check.least), check.code)
    }
}

/// The programs as a header and a source; the source includes `stem.h`.
pub fn print(programs: &[Program], stem: &str, precision: Precision) -> CFiles {
    let guard = format!("{}_H", identifier(stem).to_uppercase());
    let mut header = format!("#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
    let mut source = format!("#include \"{stem}.h\"\n\n#include <math.h>\n");
    for program in programs {
        let CSections { declared, defined, functions } = parts(program, &C(precision), "");
        header.push('\n');
        comment(&mut header, &heading(program));
        header.push_str(&declared);
        if !defined.is_empty() {
            let _ = write!(header, "extern const {0}_parameters {0}_defaults;\n\n", identifier(&program.name));
        }
        for (signature, _) in &functions {
            let _ = writeln!(header, "{signature};");
        }
        let _ = write!(source, "\n/* {} */\n{defined}", ascii(&program.title));
        let texts: Vec<String> = functions.iter().map(|(signature, body)| format!("{signature} {body}")).collect();
        source.push_str(&texts.join("\n"));
    }
    header.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    CFiles { header, source }
}

/// The programs as one header, `stem.h`, whose functions are `static inline`.
pub fn print_inline(programs: &[Program], stem: &str, precision: Precision) -> String {
    let guard = format!("{}_H", identifier(stem).to_uppercase());
    let mut text = format!("#ifndef {guard}\n#define {guard}\n\n#include <math.h>\n");
    for program in programs {
        let CSections { declared, defined, functions } = parts(program, &C(precision), "static ");
        text.push('\n');
        comment(&mut text, &heading(program));
        let _ = write!(text, "{declared}{defined}");
        for (signature, body) in functions {
            let _ = write!(text, "\nstatic inline {signature} {body}");
        }
    }
    text.push_str("\n#endif\n");
    text
}

/// What a program is made of in C.
struct CSections {
    /// The structure of the parameters, the codes.
    declared: String,
    /// The parameters of the robot file.
    defined: String,
    /// Functions: what goes in and out, and what they do.
    functions: Vec<(String, String)>,
}

fn comment(text: &mut String, lines: &[String]) {
    text.push_str("/*\n");
    for line in lines {
        let _ = writeln!(text, "{}", format!(" * {}", ascii(line)).trim_end());
    }
    text.push_str(" */\n");
}

fn parts(program: &Program, c: &C, storage: &str) -> CSections {
    let real = c.real();
    let name = identifier(&program.name);
    let names = Names::new(program, KEYWORDS, |quantity, k| format!("{}[{k}]", quantity.name));
    let kept = kept_constants(program);
    let (mut declared, mut defined, mut functions) = (codes(program, &name), String::new(), Vec::new());
    if !program.parameters.is_empty() {
        declared.push_str("typedef struct {\n");
        let _ = writeln!(defined, "{storage}const {name}_parameters {name}_defaults = {{");
        for (parameter, word) in program.parameters.iter().zip(&names.parameters) {
            let about = ascii(&format!("{}, {}", parameter.meaning, parameter.unit));
            let _ = writeln!(declared, "    {real} {word}; /* {about} */");
            let value = names.value(Value::number(parameter.value), c);
            let _ = writeln!(defined, "    {value}, /* {word} */");
        }
        let _ = writeln!(declared, "}} {name}_parameters;");
        declared.push_str("/* Those of the robot file: */\n");
        defined.push_str("};\n\n");
        let count = kept.len().max(1);
        let prepare = format!("void {name}_constants(const {name}_parameters *parameters, {real} constants[{count}])");
        let mut text = String::from("{\n");
        for word in &names.parameters {
            let _ = writeln!(text, "    const {real} {word} = parameters->{word};");
        }
        statements(program, &names, c, true, INDENT, &mut text);
        for (k, &place) in kept.iter().enumerate() {
            let _ = writeln!(text, "    constants[{k}] = {};", names.word(place));
        }
        text.push_str("}\n");
        functions.push((prepare, text));
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
    let mut text = String::from("{\n");
    for quantity in program.inputs.iter().filter(|quantity| !reads(program, quantity)) {
        let _ = writeln!(text, "    (void){};", quantity.name);
    }
    if !program.parameters.is_empty() && kept.is_empty() {
        text.push_str("    (void)constants;\n");
    }
    for (k, &place) in kept.iter().enumerate() {
        let _ = writeln!(text, "    const {real} {} = constants[{k}];", names.word(place));
    }
    statements(program, &names, c, false, INDENT, &mut text);
    for (output, &result) in names.outputs.iter().zip(&program.results) {
        let _ = writeln!(text, "    {output} = {};", names.value(result, c));
    }
    text.push_str(if can_fail { "    return 0;\n}\n" } else { "}\n" });
    functions.push((format!("{answer} {name}({})", arguments.join(", ")), text));
    CSections { declared, defined, functions }
}

/// The codes of a program that can refuse.
fn codes(program: &Program, name: &str) -> String {
    if program.checks.is_empty() {
        return String::new();
    }
    let prefix = name.to_uppercase();
    let mut text = format!("enum {name}_code {{\n    {prefix}_OK = 0");
    let mut words: Vec<String> = Vec::new();
    for (code, meaning) in super::codes(program) {
        let short = identifier(meaning.split(':').next().unwrap_or_default()).to_uppercase();
        let word = if words.contains(&short) { format!("{short}_{code}") } else { short.clone() };
        let _ = write!(text, ",\n    {prefix}_{word} = {code} /* {} */", ascii(meaning));
        words.push(short);
    }
    text.push_str("\n};\n");
    text
}
