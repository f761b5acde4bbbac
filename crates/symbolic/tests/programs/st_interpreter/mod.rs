//! A small interpreter for Structured Text: what the printer writes, and strict about what the standard asks for.
//!
//! It knows function blocks with `VAR_INPUT`, `VAR_OUTPUT` and `VAR` of LREAL, REAL, BOOL, UDINT and arrays of one or two
//! dimensions; assignments, `IF … ELSIF … ELSE … END_IF`, `RETURN`; arithmetic, comparisons, `AND OR NOT`, and the standard
//! functions. Names do not depend on case. A name that is declared twice, not declared, or against the rules is an error.

mod parse;

use parse::{Expression, Statement, parse};
use std::collections::HashMap;

/// A declared variable: its value or values, booleans as 0 and 1.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Lower and upper bound of each index; none: a single value.
    pub ranges: Vec<(i64, i64)>,
    pub values: Vec<f64>,
    /// REAL: every assignment rounds.
    pub single: bool,
    pub input: bool,
}

/// A function block with its memory.
#[derive(Clone, Debug)]
pub struct Block {
    pub name: String,
    pub variables: HashMap<String, Variable>,
    statements: Vec<Statement>,
}

/// All blocks of a file.
pub fn load(text: &str) -> Result<Vec<Block>, String> {
    for (i, line) in text.lines().enumerate() {
        if line.chars().count() >= 120 {
            return Err(format!("line {} is too long", i + 1));
        }
        if !line.is_ascii() {
            return Err(format!("line {} is not ASCII", i + 1));
        }
    }
    parse(text)
}

enum Flow {
    On,
    Return,
}

impl Block {
    fn variable(&self, name: &str) -> Result<&Variable, String> {
        self.variables.get(&name.to_lowercase()).ok_or_else(|| format!("`{name}` is not declared"))
    }

    /// Sets an input.
    pub fn set(&mut self, name: &str, values: &[f64]) -> Result<(), String> {
        let variable = self.variables.get_mut(&name.to_lowercase()).filter(|variable| variable.input);
        let variable = variable.ok_or_else(|| format!("`{name}` is no input"))?;
        if variable.values.len() != values.len() {
            return Err(format!("`{name}` has {} values, not {}", variable.values.len(), values.len()));
        }
        variable.values = values.iter().map(|&x| if variable.single { f64::from(x as f32) } else { x }).collect();
        Ok(())
    }

    /// Reads an output.
    pub fn get(&self, name: &str) -> Result<Vec<f64>, String> {
        Ok(self.variable(name)?.values.clone())
    }

    /// One call.
    pub fn call(&mut self) -> Result<(), String> {
        let statements = std::mem::take(&mut self.statements);
        let result = self.run(&statements);
        self.statements = statements;
        result.map(|_| ())
    }

    fn run(&mut self, statements: &[Statement]) -> Result<Flow, String> {
        for statement in statements {
            match statement {
                Statement::Return => return Ok(Flow::Return),
                Statement::Assign(name, indices, value) => {
                    let value = self.evaluate(value)?;
                    let place = self.place(name, indices)?;
                    let variable = self.variables.get_mut(&name.to_lowercase()).ok_or("not declared")?;
                    if variable.input {
                        return Err(format!("input `{name}` is written"));
                    }
                    variable.values[place] = if variable.single { f64::from(value as f32) } else { value };
                }
                Statement::If(branches, otherwise) => {
                    let mut taken = Some(otherwise);
                    for (condition, then) in branches {
                        if self.evaluate(condition)? != 0.0 {
                            taken = Some(then);
                            break;
                        }
                    }
                    if let Some(Flow::Return) = taken.map(|block| self.run(block)).transpose()? {
                        return Ok(Flow::Return);
                    }
                }
            }
        }
        Ok(Flow::On)
    }

    fn place(&self, name: &str, indices: &[Expression]) -> Result<usize, String> {
        let variable = self.variable(name)?;
        if indices.len() != variable.ranges.len() {
            return Err(format!("`{name}` has {} indices", variable.ranges.len()));
        }
        let mut place = 0;
        for (index, &(low, high)) in indices.iter().zip(&variable.ranges) {
            let index = self.evaluate(index)? as i64;
            if !(low..=high).contains(&index) {
                return Err(format!("index {index} of `{name}` is not in {low}..{high}"));
            }
            place = place * (high - low + 1) as usize + (index - low) as usize;
        }
        Ok(place)
    }

    fn evaluate(&self, expression: &Expression) -> Result<f64, String> {
        let truth = |yes: bool| f64::from(u8::from(yes));
        Ok(match expression {
            Expression::Number(x) => *x,
            Expression::Variable(name, indices) => self.variable(name)?.values[self.place(name, indices)?],
            Expression::Not(a) => truth(self.evaluate(a)? == 0.0),
            Expression::Minus(a) => -self.evaluate(a)?,
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                match operator.as_str() {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    // A controller may stop here: the checks of a block have to come before.
                    "/" if b == 0.0 => return Err("division by zero".into()),
                    "/" => a / b,
                    "<" => truth(a < b),
                    ">" => truth(a > b),
                    "<=" => truth(a <= b),
                    ">=" => truth(a >= b),
                    "=" => truth(a == b),
                    "AND" => truth(a != 0.0 && b != 0.0),
                    "OR" => truth(a != 0.0 || b != 0.0),
                    other => return Err(format!("operator {other}")),
                }
            }
            Expression::Call(name, arguments) => {
                let values = arguments.iter().map(|a| self.evaluate(a)).collect::<Result<Vec<_>, _>>()?;
                match (name.to_uppercase().as_str(), values.as_slice()) {
                    ("SIN", &[x]) => x.sin(),
                    ("COS", &[x]) => x.cos(),
                    ("ATAN", &[x]) => x.atan(),
                    ("EXP", &[x]) => x.exp(),
                    ("ABS", &[x]) => x.abs(),
                    ("SQRT", &[x]) if x < 0.0 => return Err("root of a negative number".into()),
                    ("SQRT", &[x]) => x.sqrt(),
                    ("MAX", &[a, b]) => a.max(b),
                    ("LIMIT", &[low, x, high]) => x.max(low).min(high),
                    ("SEL", &[choice, zero, one]) => {
                        if choice != 0.0 {
                            one
                        } else {
                            zero
                        }
                    }
                    (other, values) => return Err(format!("no function {other} of {} values", values.len())),
                }
            }
        })
    }
}
