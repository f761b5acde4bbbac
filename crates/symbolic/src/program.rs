//! A straight-line program: what is derived, counted, evaluated and printed.

use dalembert_core::Scalar;
use serde::Serialize;

/// An input or output of a program: a row of numbers with one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// As in the generated code: `q`, `qd`, `tau`.
    pub name: String,
    /// How many numbers.
    pub length: usize,
    /// How many of them make a row, where they are a matrix, kept row by row.
    pub columns: Option<usize>,
    /// What it is, for the table of symbols.
    pub meaning: String,
    /// Its unit.
    pub unit: String,
}

impl Quantity {
    /// A row of `length` numbers.
    pub fn new(name: &str, length: usize, meaning: &str, unit: &str) -> Self {
        Self { name: name.into(), length, columns: None, meaning: meaning.into(), unit: unit.into() }
    }

    /// A matrix, row by row.
    pub fn matrix(name: &str, rows: usize, columns: usize, meaning: &str, unit: &str) -> Self {
        Self { columns: Some(columns), ..Self::new(name, rows * columns, meaning, unit) }
    }
}

/// A parameter that has stayed a symbol.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramParameter {
    /// As in the generated code: `m2`, `a3`.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// Its unit.
    pub unit: String,
    /// Its value in the robot file, SI.
    pub value: f64,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSource {
    /// A constant.
    Number(f64),
    /// An input: the index counts through all inputs in order.
    Input(usize),
    /// A parameter.
    Parameter(usize),
    /// The result of an earlier step.
    Step(usize),
}

/// A number with a sign; signs are free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Taken negative.
    pub negated: bool,
    /// Where it comes from.
    pub place: ValueSource,
}

/// What a step does. Only sums and products take signed values; functions see their values as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// a + b; with a negated b a difference. At most one of the two is negated.
    Add(Value, Value),
    /// a · b, neither negated.
    Mul(Value, Value),
    /// a / b, neither negated.
    Div(Value, Value),
    /// −a: free, where a function needs it.
    Neg(Value),
    /// sin a.
    Sin(Value),
    /// cos a.
    Cos(Value),
    /// √a.
    Sqrt(Value),
    /// The angle of the point (second, first).
    Atan2(Value, Value),
    /// tanh a.
    Tanh(Value),
    /// exp a.
    Exp(Value),
    /// The third where the first is less than the second, else the fourth.
    SelectLt([Value; 4]),
}

impl Value {
    /// A number; its sign is kept outside of it, as that of every value.
    pub fn number(x: f64) -> Self {
        Self { negated: x < 0.0, place: ValueSource::Number(x.abs()) }
    }

    /// What comes from a place, not negated.
    pub(crate) const fn of(place: ValueSource) -> Self {
        Self { negated: false, place }
    }

    /// The number, if it is one.
    pub(crate) fn as_number(self) -> Option<f64> {
        match self.place {
            ValueSource::Number(x) => Some(if self.negated { -x } else { x }),
            _ => None,
        }
    }

    /// Its negative.
    pub(crate) fn minus(self) -> Self {
        Self { negated: !self.negated, ..self }
    }

    /// Without its sign.
    pub(crate) fn unsigned(self) -> Self {
        Self::of(self.place)
    }
}

impl Operation {
    /// What it works on.
    pub fn values(&self) -> Vec<Value> {
        { *self }.values_mut().into_iter().map(|value| *value).collect()
    }

    /// Its result, with numbers of any kind.
    pub fn result<S: Scalar>(&self, at: impl Fn(Value) -> S) -> S {
        match *self {
            Self::Add(a, b) => at(a) + at(b),
            Self::Mul(a, b) => at(a) * at(b),
            Self::Div(a, b) => at(a) / at(b),
            Self::Neg(a) => -at(a),
            Self::Sin(a) => at(a).sin_cos().0,
            Self::Cos(a) => at(a).sin_cos().1,
            Self::Sqrt(a) => at(a).sqrt(),
            Self::Atan2(y, x) => at(y).atan2(at(x)),
            Self::Tanh(a) => at(a).tanh(),
            Self::Exp(a) => at(a).exp(),
            Self::SelectLt([a, b, c, d]) => at(a).select_lt(at(b), at(c), at(d)),
        }
    }

    pub(crate) fn map_places(&mut self, mut f: impl FnMut(ValueSource) -> ValueSource) {
        self.values_mut().into_iter().for_each(|value| value.place = f(value.place));
    }

    fn values_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Add(a, b) | Self::Mul(a, b) | Self::Div(a, b) | Self::Atan2(a, b) => vec![a, b],
            Self::Neg(a) | Self::Sin(a) | Self::Cos(a) | Self::Sqrt(a) | Self::Tanh(a) | Self::Exp(a) => vec![a],
            Self::SelectLt(all) => all.iter_mut().collect(),
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name of its result: `s23`, `t17`. No two are equal, and none is the name of an input, output or parameter.
    pub name: String,
    /// What it does.
    pub operation: Operation,
    /// It depends on parameters only: computed once, not counted. Such steps come before all others.
    pub constant: bool,
}

/// A condition without which the outputs mean nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Must be greater than `least` (NaN is not).
    pub margin: Value,
    /// The limit.
    pub least: f64,
    /// The size of the margin counts, not its sign.
    pub sized: bool,
    /// What the program answers otherwise: from 1.
    pub code: u32,
    /// What that means.
    pub meaning: String,
}

/// A straight-line program. Steps only use earlier steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Robot and quantity, as in the generated code: `puma560_torque`.
    pub name: String,
    /// One line on what it computes.
    pub title: String,
    /// The robot, as its file calls it.
    pub robot: String,
    /// Where the robot's numbers come from.
    pub source: Option<String>,
    /// What the numbers mean: frames, signs, choices; one sentence each.
    pub conventions: Vec<String>,
    /// In the order of the arguments.
    pub inputs: Vec<Quantity>,
    /// In the order of the arguments.
    pub outputs: Vec<Quantity>,
    /// Parameters that have stayed symbols.
    pub parameters: Vec<ProgramParameter>,
    /// What is done.
    pub steps: Vec<Step>,
    /// Conditions, in the order in which they are to be looked at.
    pub checks: Vec<Check>,
    /// One value per number of all outputs.
    pub results: Vec<Value>,
}

/// What a program costs: see [`Program::operations`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Multiplications.
    pub multiplications: usize,
    /// Additions and subtractions.
    pub additions: usize,
    /// Divisions.
    pub divisions: usize,
    /// Square roots.
    pub square_roots: usize,
    /// Angles whose sine, cosine or both are taken.
    pub sin_cos: usize,
    /// Arc tangents, exponentials and so on.
    pub other: usize,
}

impl OperationCounts {
    /// Everything but functions.
    pub fn arithmetic(&self) -> usize {
        self.multiplications + self.additions + self.divisions + self.square_roots
    }
}

impl std::fmt::Display for OperationCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} operations: {} ×, {} +", self.arithmetic(), self.multiplications, self.additions)?;
        for (count, what) in [(self.divisions, "÷"), (self.square_roots, "√")] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        write!(f, "; {} sine/cosine pairs", self.sin_cos)?;
        if self.other > 0 {
            write!(f, ", {} other functions", self.other)?;
        }
        Ok(())
    }
}

impl Program {
    /// What is counted: sums, products, divisions and roots of the program as it is printed. Negation is free, constants
    /// are computed beforehand; a sine and a cosine of one angle are one pair, listed apart.
    pub fn operations(&self) -> OperationCounts {
        let mut cost = OperationCounts::default();
        let mut angles: Vec<ValueSource> = Vec::new();
        for step in self.steps.iter().filter(|step| !step.constant) {
            match step.operation {
                Operation::Add(..) => cost.additions += 1,
                Operation::Mul(..) => cost.multiplications += 1,
                Operation::Div(..) => cost.divisions += 1,
                Operation::Sqrt(_) => cost.square_roots += 1,
                Operation::Neg(_) => {}
                Operation::Sin(a) | Operation::Cos(a) => {
                    if !angles.contains(&a.place) {
                        angles.push(a.place);
                    }
                }
                Operation::Atan2(..) | Operation::Tanh(_) | Operation::Exp(_) | Operation::SelectLt(_) => {
                    cost.other += 1;
                }
            }
        }
        cost.sin_cos = angles.len();
        cost
    }

    /// Runs the program with numbers of any kind: `inputs` are all inputs in order, as many as the quantities say. The
    /// parameters have the values of the robot file. Checks are not looked at: see [`Program::run`].
    pub fn evaluate<S: Scalar>(&self, inputs: &[S]) -> Vec<S> {
        let parameters: Vec<S> = self.parameters.iter().map(|parameter| S::from_f64(parameter.value)).collect();
        self.evaluate_with(&parameters, inputs)
    }

    /// The same with other values of the parameters.
    pub fn evaluate_with<S: Scalar>(&self, parameters: &[S], inputs: &[S]) -> Vec<S> {
        let done = self.all_steps(parameters, inputs);
        self.results.iter().map(|&value| read(value, parameters, inputs, &done)).collect()
    }

    /// Runs the program as the printed one runs: the results, or the first check that fails.
    pub fn run(&self, inputs: &[f64]) -> Result<Vec<f64>, &Check> {
        let parameters: Vec<f64> = self.parameters.iter().map(|parameter| parameter.value).collect();
        let done = self.all_steps(&parameters, inputs);
        let holds = |check: &&Check| {
            let margin = read(check.margin, &parameters, inputs, &done);
            (if check.sized { margin.abs() } else { margin }) > check.least
        };
        match self.checks.iter().find(|check| !holds(check)) {
            Some(check) => Err(check),
            None => Ok(self.results.iter().map(|&value| read(value, &parameters, inputs, &done)).collect()),
        }
    }

    fn all_steps<S: Scalar>(&self, parameters: &[S], inputs: &[S]) -> Vec<S> {
        let mut done: Vec<S> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            done.push(step.operation.result(|value| read(value, parameters, inputs, &done)));
        }
        done
    }

    /// The same program with its steps in another order: what the checks need comes first, in the order of the checks,
    /// so that a printed program can refuse before it divides by what must not be zero.
    pub fn with_checks_first(mut self) -> Self {
        let mut order: Vec<usize> = Vec::with_capacity(self.steps.len());
        let mut placed = vec![false; self.steps.len()];
        let mut place = |root: ValueSource, order: &mut Vec<usize>| {
            let ValueSource::Step(root) = root else { return };
            let mut stack = vec![(root, false)];
            while let Some((step, ready)) = stack.pop() {
                if placed[step] {
                    continue;
                }
                if ready {
                    placed[step] = true;
                    order.push(step);
                    continue;
                }
                stack.push((step, true));
                for value in self.steps[step].operation.values().into_iter().rev() {
                    if let ValueSource::Step(before) = value.place {
                        stack.push((before, false));
                    }
                }
            }
        };
        let constants = (0..self.steps.len()).filter(|&i| self.steps[i].constant).map(ValueSource::Step);
        let wanted = constants.chain(self.checks.iter().map(|check| check.margin.place));
        for root in wanted.chain((0..self.steps.len()).map(ValueSource::Step)) {
            place(root, &mut order);
        }
        let mut new_place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_place[old] = new;
        }
        let steps = order.iter().map(|&old| self.steps[old].clone()).collect();
        self.steps = steps;
        self.map_places(|place| match place {
            ValueSource::Step(old) => ValueSource::Step(new_place[old]),
            other => other,
        });
        self
    }

    /// The same program without the parameters that nothing depends on.
    pub fn without_unused_parameters(mut self) -> Self {
        let mut used = vec![false; self.parameters.len()];
        self.map_places(|place| {
            if let ValueSource::Parameter(i) = place {
                used[i] = true;
            }
            place
        });
        let mut kept = used.iter();
        self.parameters.retain(|_| kept.next() == Some(&true));
        let new = numbered(&used);
        self.map_places(|place| match place {
            ValueSource::Parameter(i) => ValueSource::Parameter(new[i]),
            other => other,
        });
        self
    }

    /// The same program with the signs of all numbers outside of them.
    pub fn with_tidy_numbers(mut self) -> Self {
        self.change_values(|value| value.as_number().map_or(value, Value::number));
        self
    }

    /// The same program with what is made of numbers alone as a number, and without what nothing needs.
    pub fn with_folded_numbers(mut self) -> Self {
        let steps = std::mem::take(&mut self.steps);
        let mut found: Vec<Value> = Vec::with_capacity(steps.len());
        let now = |value: Value, found: &[Value]| match value.place {
            ValueSource::Step(i) => Value { negated: value.negated != found[i].negated, ..found[i] },
            _ => value,
        };
        for mut step in steps {
            step.operation.values_mut().into_iter().for_each(|value| *value = now(*value, &found));
            let place = if step.operation.values().iter().all(|value| matches!(value.place, ValueSource::Number(_))) {
                ValueSource::Number(step.operation.result(|value| read(value, &[], &[], &[])))
            } else {
                self.steps.push(step);
                ValueSource::Step(self.steps.len() - 1)
            };
            found.push(Value::of(place));
        }
        self.checks.iter_mut().for_each(|check| check.margin = now(check.margin, &found));
        self.results.iter_mut().for_each(|value| *value = now(*value, &found));
        self.without_unused_steps()
    }

    fn without_unused_steps(mut self) -> Self {
        let mut used = vec![false; self.steps.len()];
        let mark = |value: &Value, used: &mut Vec<bool>| {
            if let ValueSource::Step(i) = value.place {
                used[i] = true;
            }
        };
        self.ends().for_each(|value| mark(&value, &mut used));
        for i in (0..self.steps.len()).rev() {
            if used[i] {
                self.steps[i].operation.values().iter().for_each(|value| mark(value, &mut used));
            }
        }
        let mut kept = used.iter();
        self.steps.retain(|_| kept.next() == Some(&true));
        let new = numbered(&used);
        self.map_places(|place| match place {
            ValueSource::Step(i) => ValueSource::Step(new[i]),
            other => other,
        });
        self
    }

    fn map_places(&mut self, mut f: impl FnMut(ValueSource) -> ValueSource) {
        self.change_values(|value| Value { place: f(value.place), ..value });
    }

    fn change_values(&mut self, mut f: impl FnMut(Value) -> Value) {
        let mut change = |value: &mut Value| *value = f(*value);
        for step in &mut self.steps {
            step.operation.values_mut().into_iter().for_each(&mut change);
        }
        self.checks.iter_mut().for_each(|check| change(&mut check.margin));
        self.results.iter_mut().for_each(change);
    }

    /// What checks and results are made of.
    pub(crate) fn ends(&self) -> impl Iterator<Item = Value> {
        self.checks.iter().map(|check| check.margin).chain(self.results.iter().copied())
    }

    /// The quantity that a number of the inputs (counted through all of them) belongs to, and its index there.
    pub fn input(&self, index: usize) -> Option<(&Quantity, usize)> {
        component(&self.inputs, index)
    }

    /// The same for the outputs.
    pub fn output(&self, index: usize) -> Option<(&Quantity, usize)> {
        component(&self.outputs, index)
    }
}

/// The new numbers of those that are used.
fn numbered(used: &[bool]) -> Vec<usize> {
    let mut next = 0..;
    used.iter().map(|&used| if used { next.next().unwrap_or(0) } else { 0 }).collect()
}

/// The quantity that a number, counted through all of them, belongs to, and its index there.
fn component(quantities: &[Quantity], mut index: usize) -> Option<(&Quantity, usize)> {
    for quantity in quantities {
        if index < quantity.length {
            return Some((quantity, index));
        }
        index -= quantity.length;
    }
    None
}

fn read<S: Scalar>(value: Value, parameters: &[S], inputs: &[S], done: &[S]) -> S {
    let plain = match value.place {
        ValueSource::Number(x) => S::from_f64(x),
        ValueSource::Input(i) => inputs[i],
        ValueSource::Parameter(i) => parameters[i],
        ValueSource::Step(i) => done[i],
    };
    if value.negated { -plain } else { plain }
}
