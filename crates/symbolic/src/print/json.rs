//! JSON: the whole program for other programs, and back.
//!
//! | key | what |
//! | --- | --- |
//! | `format` | `"dalembert-program/1"` |
//! | `dalembert` | the version that wrote it |
//! | `name`, `title`, `robot`, `source`, `conventions` | as in the heading of printed code |
//! | `inputs`, `outputs` | list of `name`, `length`, `columns` (of a matrix, row by row; else null), `meaning`, `unit` |
//! | `parameters` | list of `name`, `meaning`, `unit`, `value` |
//! | `steps` | list of `name`, `operation`, `of` (its values), `constant` (true: depends on parameters only) |
//! | `checks` | list of `margin`, `least`, `sized` (the margin, or its size, must be > least), `code`, `meaning` |
//! | `results` | list of values, one per number of all outputs |
//! | `operations` | the count; for information |
//!
//! A value is a number, or a text: the name of an earlier step, of a parameter, or a component of an input counted from 0
//! (`q[2]`), with `-` in front where it is taken negative. Operations are `add`, `multiply`, `divide`, `negate`, `sin`, `cos`,
//! `sqrt`, `atan2` (y, x), `tanh`, `exp`, `select_less` (a, b, c, d: c where a < b, else d).

use super::VERSION;
use crate::program::{Check, Operation, Program, ProgramParameter, Quantity, Step, Value, ValueSource};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;

/// What [`print()`] writes and [`read`] reads.
pub const FORMAT: &str = "dalembert-program/1";

/// The program as JSON.
pub fn print(program: &Program) -> String {
    format!("{:#}\n", to_json(program))
}

/// Several programs as a JSON list; one as it is.
pub fn print_all(programs: &[Program]) -> String {
    match programs {
        [program] => print(program),
        all => format!("{:#}\n", Json::Array(all.iter().map(to_json).collect())),
    }
}

fn to_json(program: &Program) -> Json {
    let quantities = |all: &[Quantity]| -> Vec<Json> {
        let one = |q: &Quantity| json!({ "name": q.name, "length": q.length, "columns": q.columns, "meaning": q.meaning, "unit": q.unit });
        all.iter().map(one).collect()
    };
    let value = |value: Value| -> Json {
        let sign = if value.negated { "-" } else { "" };
        match value.place {
            ValueSource::Number(x) => json!(if value.negated { -x } else { x }),
            ValueSource::Parameter(i) => json!(format!("{sign}{}", program.parameters[i].name)),
            ValueSource::Step(i) => json!(format!("{sign}{}", program.steps[i].name)),
            ValueSource::Input(i) => match program.input(i) {
                Some((quantity, k)) => json!(format!("{sign}{}[{k}]", quantity.name)),
                None => Json::Null,
            },
        }
    };
    let step = |step: &Step| {
        let of: Vec<Json> = step.operation.values().into_iter().map(value).collect();
        json!({ "name": step.name, "operation": name_of(&step.operation), "of": of, "constant": step.constant })
    };
    let parameter =
        |p: &ProgramParameter| json!({ "name": p.name, "meaning": p.meaning, "unit": p.unit, "value": p.value });
    let check = |check: &Check| {
        let (least, sized) = (check.least, check.sized);
        json!({ "margin": value(check.margin), "least": least, "sized": sized, "code": check.code, "meaning": check.meaning })
    };
    let cost = program.operations();
    json!({
        "format": FORMAT,
        "dalembert": VERSION,
        "name": program.name,
        "title": program.title,
        "robot": program.robot,
        "source": program.source,
        "conventions": program.conventions,
        "operations": {
            "multiplications": cost.multiplications,
            "additions": cost.additions,
            "divisions": cost.divisions,
            "square_roots": cost.square_roots,
            "arithmetic": cost.arithmetic(),
            "sin_cos_pairs": cost.sin_cos,
            "other": cost.other,
        },
        "inputs": quantities(&program.inputs),
        "outputs": quantities(&program.outputs),
        "parameters": program.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "steps": program.steps.iter().map(step).collect::<Vec<_>>(),
        "checks": program.checks.iter().map(check).collect::<Vec<_>>(),
        "results": program.results.iter().map(|&result| value(result)).collect::<Vec<_>>(),
    })
}

fn name_of(operation: &Operation) -> &'static str {
    match operation {
        Operation::Add(..) => "add",
        Operation::Mul(..) => "multiply",
        Operation::Div(..) => "divide",
        Operation::Neg(_) => "negate",
        Operation::Sin(_) => "sin",
        Operation::Cos(_) => "cos",
        Operation::Sqrt(_) => "sqrt",
        Operation::Atan2(..) => "atan2",
        Operation::Tanh(_) => "tanh",
        Operation::Exp(_) => "exp",
        Operation::SelectLt(_) => "select_less",
    }
}

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No JSON at all.
    #[error("no JSON: {0}")]
    Syntax(String),
    /// Something is missing or of another kind.
    #[error("{place}: {expected} is needed")]
    Expected {
        /// Where.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A value that nothing has computed before.
    #[error("{place}: `{name}` is not an input, a parameter or an earlier step")]
    Unknown {
        /// Where.
        place: String,
        /// What it refers to.
        name: String,
    },
}

/// The program that a text describes.
pub fn read(text: &str) -> Result<Program, ReadError> {
    let json: Json = serde_json::from_str(text).map_err(|error| ReadError::Syntax(error.to_string()))?;
    let top = object(&json, "the document")?;
    if top.get("format").and_then(Json::as_str) != Some(FORMAT) {
        return Err(expected("format", "\"dalembert-program/1\""));
    }
    let mut program = Program {
        name: name(top, "the document")?,
        title: string(top, "title", "the document")?,
        robot: string(top, "robot", "the document")?,
        source: top.get("source").and_then(Json::as_str).map(str::to_owned),
        inputs: list(top, "inputs", read_quantity)?,
        outputs: list(top, "outputs", read_quantity)?,
        parameters: list(top, "parameters", |parameter, place| {
            Ok(ProgramParameter {
                name: name(parameter, place)?,
                meaning: string(parameter, "meaning", place)?,
                unit: string(parameter, "unit", place)?,
                value: parameter
                    .get("value")
                    .and_then(Json::as_f64)
                    .ok_or_else(|| expected(&format!("{place}.value"), "a number"))?,
            })
        })?,
        ..Program::default()
    };
    let conventions = top.get("conventions").and_then(Json::as_array);
    program.conventions =
        conventions.into_iter().flatten().filter_map(|line| line.as_str().map(str::to_owned)).collect();
    let mut known: HashMap<String, ValueSource> = HashMap::new();
    for (i, parameter) in program.parameters.iter().enumerate() {
        known.insert(parameter.name.clone(), ValueSource::Parameter(i));
    }
    let components = program.inputs.iter().flat_map(|q| (0..q.length).map(move |k| format!("{}[{k}]", q.name)));
    for (i, name) in components.enumerate() {
        known.insert(name, ValueSource::Input(i));
    }
    for (i, json) in array_at(top, "steps", "the document")?.iter().enumerate() {
        let place = format!("steps[{i}]");
        let step = object(json, &place)?;
        let values: Vec<Value> =
            array_at(step, "of", &place)?.iter().map(|v| read_value(v, &known, &place)).collect::<Result<_, _>>()?;
        let name = name(step, &place)?;
        let operation = read_operation(&string(step, "operation", &place)?, &values)
            .ok_or_else(|| expected(&place, "a known operation with the right number of operands"))?;
        let constant = step.get("constant").and_then(Json::as_bool).unwrap_or(false);
        known.insert(name.clone(), ValueSource::Step(i));
        program.steps.push(Step { name, operation, constant });
    }
    for (i, json) in array_at(top, "checks", "the document")?.iter().enumerate() {
        let place = format!("checks[{i}]");
        let check = object(json, &place)?;
        let margin = read_value(check.get("margin").unwrap_or(&Json::Null), &known, &place)?;
        let code = check.get("code").and_then(Json::as_u64).and_then(|code| u32::try_from(code).ok());
        let code = code.ok_or_else(|| expected(&format!("{place}.code"), "a code"))?;
        let least = check.get("least").and_then(Json::as_f64).unwrap_or(0.0);
        let sized = check.get("sized").and_then(Json::as_bool).unwrap_or(false);
        program.checks.push(Check { margin, least, sized, code, meaning: string(check, "meaning", &place)? });
    }
    for json in array_at(top, "results", "the document")? {
        program.results.push(read_value(json, &known, "results")?);
    }
    if program.results.len() != program.outputs.iter().map(|q| q.length).sum::<usize>() {
        return Err(expected("results", "one value per number of all outputs"));
    }
    Ok(program)
}

fn expected(place: &str, expected: &'static str) -> ReadError {
    ReadError::Expected { place: place.to_owned(), expected }
}

fn object<'j>(json: &'j Json, place: &str) -> Result<&'j Map<String, Json>, ReadError> {
    json.as_object().ok_or_else(|| expected(place, "an object"))
}

fn string(object: &Map<String, Json>, key: &str, place: &str) -> Result<String, ReadError> {
    let text = object.get(key).and_then(Json::as_str).map(str::to_owned);
    text.ok_or_else(|| expected(&format!("{place}.{key}"), "a text"))
}

/// A name that a printer can write.
fn name(object: &Map<String, Json>, place: &str) -> Result<String, ReadError> {
    let name = string(object, "name", place)?;
    match super::identifier(&name) == name {
        true => Ok(name),
        false => Err(expected(&format!("{place}.name"), "a name of letters, digits and single inner underscores")),
    }
}

fn array_at<'j>(object: &'j Map<String, Json>, key: &str, place: &str) -> Result<&'j Vec<Json>, ReadError> {
    object.get(key).and_then(Json::as_array).ok_or_else(|| expected(&format!("{place}.{key}"), "a list"))
}

fn list<T>(
    top: &Map<String, Json>,
    key: &str,
    read: impl Fn(&Map<String, Json>, &str) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let all = array_at(top, key, "the document")?.iter().enumerate();
    all.map(|(i, json)| read(object(json, &format!("{key}[{i}]"))?, &format!("{key}[{i}]"))).collect()
}

fn read_quantity(json: &Map<String, Json>, place: &str) -> Result<Quantity, ReadError> {
    /// More than any robot has: a file cannot ask for all memory.
    const MAX_COUNT: u64 = 1 << 16;
    let count = |key: &str| json.get(key).and_then(Json::as_u64).filter(|&n| n <= MAX_COUNT).map(|n| n as usize);
    Ok(Quantity {
        name: name(json, place)?,
        length: count("length").ok_or_else(|| expected(&format!("{place}.length"), "a number of components"))?,
        columns: count("columns").filter(|&columns| columns > 0),
        meaning: string(json, "meaning", place)?,
        unit: string(json, "unit", place)?,
    })
}

fn read_value(json: &Json, known: &HashMap<String, ValueSource>, place: &str) -> Result<Value, ReadError> {
    if let Some(number) = json.as_f64() {
        return Ok(Value::number(number));
    }
    let text = json.as_str().ok_or_else(|| expected(place, "a number or a name"))?;
    let (negated, name) = text.strip_prefix('-').map_or((false, text), |name| (true, name));
    match known.get(name) {
        Some(&found) => Ok(Value { negated, place: found }),
        None => Err(ReadError::Unknown { place: place.into(), name: name.into() }),
    }
}

fn read_operation(name: &str, values: &[Value]) -> Option<Operation> {
    Some(match (name, values) {
        ("add", &[a, b]) => Operation::Add(a, b),
        ("multiply", &[a, b]) => Operation::Mul(a, b),
        ("divide", &[a, b]) => Operation::Div(a, b),
        ("negate", &[a]) => Operation::Neg(a),
        ("sin", &[a]) => Operation::Sin(a),
        ("cos", &[a]) => Operation::Cos(a),
        ("sqrt", &[a]) => Operation::Sqrt(a),
        ("atan2", &[a, b]) => Operation::Atan2(a, b),
        ("tanh", &[a]) => Operation::Tanh(a),
        ("exp", &[a]) => Operation::Exp(a),
        ("select_less", &[a, b, c, d]) => Operation::SelectLt([a, b, c, d]),
        _ => return None,
    })
}
