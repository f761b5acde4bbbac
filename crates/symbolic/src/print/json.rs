//! JSON: the whole program for other programs, and back. docs/derive.md has the keys.

use super::VERSION;
use crate::program::{Check, Operation, Program, ProgramParameter, Quantity, Step, Value, ValueSource};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::mem::discriminant;

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
        let is = |(_, _, make): &&NamedOperation| {
            discriminant(&make(&[Value::number(0.0); 4])) == discriminant(&step.operation)
        };
        let operation = OPERATIONS.iter().find(is).map(|(name, ..)| name);
        json!({ "name": step.name, "operation": operation, "of": of, "constant": step.constant })
    };
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
        "inputs": program.inputs,
        "outputs": program.outputs,
        "parameters": program.parameters,
        "steps": program.steps.iter().map(step).collect::<Vec<_>>(),
        "checks": program.checks.iter().map(check).collect::<Vec<_>>(),
        "results": program.results.iter().map(|&result| value(result)).collect::<Vec<_>>(),
    })
}

/// A name, how many values the operation has, and the operation of these.
type NamedOperation = (&'static str, usize, fn(&[Value]) -> Operation);

static OPERATIONS: [NamedOperation; 11] = [
    ("add", 2, |v| Operation::Add(v[0], v[1])),
    ("multiply", 2, |v| Operation::Mul(v[0], v[1])),
    ("divide", 2, |v| Operation::Div(v[0], v[1])),
    ("negate", 1, |v| Operation::Neg(v[0])),
    ("sin", 1, |v| Operation::Sin(v[0])),
    ("cos", 1, |v| Operation::Cos(v[0])),
    ("sqrt", 1, |v| Operation::Sqrt(v[0])),
    ("atan2", 2, |v| Operation::Atan2(v[0], v[1])),
    ("tanh", 1, |v| Operation::Tanh(v[0])),
    ("exp", 1, |v| Operation::Exp(v[0])),
    ("select_less", 4, |v| Operation::SelectLt([v[0], v[1], v[2], v[3]])),
];

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages name the fields
pub enum ReadError {
    /// No JSON at all.
    #[error("no JSON: {0}")]
    Syntax(String),
    /// Something is missing or of another kind.
    #[error("{place}: {expected} is needed")]
    Expected { place: String, expected: &'static str },
    /// A value that nothing has computed before.
    #[error("{place}: `{name}` is not an input, a parameter or an earlier step")]
    Unknown { place: String, name: String },
}

/// A part of a document.
struct JsonPart<'j> {
    json: &'j Json,
    place: String,
}

impl JsonPart<'_> {
    fn expected(&self, expected: &'static str) -> ReadError {
        ReadError::Expected { place: self.place.clone(), expected }
    }

    /// What an object has under a key, and may have not.
    fn get(&self, key: &str) -> Result<Self, ReadError> {
        let object = self.json.as_object().ok_or_else(|| self.expected("an object"))?;
        Ok(Self { json: object.get(key).unwrap_or(&Json::Null), place: format!("{}.{key}", self.place) })
    }

    fn text(&self, key: &str) -> Result<String, ReadError> {
        let part = self.get(key)?;
        part.json.as_str().map(str::to_owned).ok_or_else(|| part.expected("a text"))
    }

    /// A name that a printer can write.
    fn name(&self) -> Result<String, ReadError> {
        let name = self.text("name")?;
        match super::identifier(&name) == name {
            true => Ok(name),
            false => Err(self.get("name")?.expected("a name of letters, digits and single inner underscores")),
        }
    }

    fn list<T>(&self, key: &str, read: impl FnMut(Self) -> Result<T, ReadError>) -> Result<Vec<T>, ReadError> {
        let part = self.get(key)?;
        let all = part.json.as_array().ok_or_else(|| part.expected("a list"))?.iter().enumerate();
        all.map(|(i, json)| Self { json, place: format!("{key}[{i}]") }).map(read).collect()
    }

    fn quantity(self) -> Result<Quantity, ReadError> {
        /// More than any robot has: a file cannot ask for all memory.
        const MAX_COUNT: u64 = 1 << 16;
        let count = |part: &Self| part.json.as_u64().filter(|&n| n <= MAX_COUNT).map(|n| n as usize);
        let length = self.get("length")?;
        Ok(Quantity {
            name: self.name()?,
            length: count(&length).ok_or_else(|| length.expected("a number of components"))?,
            columns: count(&self.get("columns")?).filter(|&columns| columns > 0),
            meaning: self.text("meaning")?,
            unit: self.text("unit")?,
        })
    }

    fn parameter(self) -> Result<ProgramParameter, ReadError> {
        let value = self.get("value")?;
        Ok(ProgramParameter {
            name: self.name()?,
            meaning: self.text("meaning")?,
            unit: self.text("unit")?,
            value: value.json.as_f64().ok_or_else(|| value.expected("a number"))?,
        })
    }

    /// A value; errors are those of a place.
    fn value(&self, known: &HashMap<String, ValueSource>, place: &str) -> Result<Value, ReadError> {
        if let Some(number) = self.json.as_f64() {
            return Ok(Value::number(number));
        }
        let place = place.to_owned();
        let Some(text) = self.json.as_str() else {
            return Err(ReadError::Expected { place, expected: "a number or a name" });
        };
        let (negated, name) = text.strip_prefix('-').map_or((false, text), |name| (true, name));
        match known.get(name) {
            Some(&found) => Ok(Value { negated, place: found }),
            None => Err(ReadError::Unknown { place, name: name.into() }),
        }
    }
}

/// The program that a text describes.
pub fn read(text: &str) -> Result<Program, ReadError> {
    let json: Json = serde_json::from_str(text).map_err(|error| ReadError::Syntax(error.to_string()))?;
    let top = JsonPart { json: &json, place: "the document".into() };
    if top.get("format")?.json.as_str() != Some(FORMAT) {
        return Err(ReadError::Expected { place: "format".into(), expected: "\"dalembert-program/1\"" });
    }
    let conventions = top.get("conventions")?.json.as_array().into_iter().flatten();
    let mut program = Program {
        name: top.name()?,
        title: top.text("title")?,
        robot: top.text("robot")?,
        source: top.get("source")?.json.as_str().map(str::to_owned),
        inputs: top.list("inputs", JsonPart::quantity)?,
        outputs: top.list("outputs", JsonPart::quantity)?,
        parameters: top.list("parameters", JsonPart::parameter)?,
        conventions: conventions.filter_map(|line| line.as_str().map(str::to_owned)).collect(),
        ..Program::default()
    };
    let parameters = program.parameters.iter().map(|parameter| parameter.name.clone());
    let components = program.inputs.iter().flat_map(|q| (0..q.length).map(move |k| format!("{}[{k}]", q.name)));
    let mut known: HashMap<String, ValueSource> = parameters.zip((0..).map(ValueSource::Parameter)).collect();
    known.extend(components.zip((0..).map(ValueSource::Input)));
    let mut number = 0..;
    program.steps = top.list("steps", |step| {
        let values = step.list("of", |value| value.value(&known, &step.place))?;
        let (name, operation) = (step.name()?, step.text("operation")?);
        let is = |(known, count, _): &&NamedOperation| *known == operation && *count == values.len();
        let (.., make) = OPERATIONS
            .iter()
            .find(is)
            .ok_or_else(|| step.expected("a known operation with the right number of operands"))?;
        known.extend(number.next().map(|i| (name.clone(), ValueSource::Step(i))));
        let constant = step.get("constant")?.json.as_bool().unwrap_or(false);
        Ok(Step { name, operation: make(&values), constant })
    })?;
    program.checks = top.list("checks", |check| {
        let code = check.get("code")?;
        let number = code.json.as_u64().and_then(|code| u32::try_from(code).ok());
        Ok(Check {
            margin: check.get("margin")?.value(&known, &check.place)?,
            least: check.get("least")?.json.as_f64().unwrap_or(0.0),
            sized: check.get("sized")?.json.as_bool().unwrap_or(false),
            code: number.ok_or_else(|| code.expected("a code"))?,
            meaning: check.text("meaning")?,
        })
    })?;
    program.results = top.list("results", |result| result.value(&known, "results"))?;
    if program.results.len() != program.outputs.iter().map(|q| q.length).sum::<usize>() {
        return Err(ReadError::Expected { place: "results".into(), expected: "one value per number of all outputs" });
    }
    Ok(program)
}
