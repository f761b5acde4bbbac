//! From a program to instructions: constants folded, products and sums joined, sines and cosines in pairs.

use crate::real::Real;
use dalembert_symbolic::Program;
use dalembert_symbolic::program::{Operation, Place, Value};
use std::collections::HashMap;

/// One instruction. `k` is the same number for all states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction<V> {
    /// a + b.
    Add(V, V, V),
    /// a − b.
    Sub(V, V, V),
    /// a + k.
    AddNumber(V, V, f64),
    /// k − a.
    FromNumber(V, V, f64),
    /// a · b.
    Mul(V, V, V),
    /// k · a.
    Scale(V, V, f64),
    /// a · b + c, rounded once, as all that follow.
    MulAdd(V, [V; 3]),
    /// a · b − c.
    MulSub(V, [V; 3]),
    /// c − a · b.
    LessMul(V, [V; 3]),
    /// a · b + k.
    MulAddNumber(V, [V; 2], f64),
    /// k − a · b.
    NumberLessMul(V, [V; 2], f64),
    /// k · a + c.
    ScaleAdd(V, [V; 2], f64),
    /// k · a − c.
    ScaleSub(V, [V; 2], f64),
    /// k · a + l.
    Line(V, V, [f64; 2]),
    /// a / b.
    Div(V, V, V),
    /// −a.
    Neg(V, V),
    /// Sine and cosine of the third.
    SinCos([V; 2], V),
    /// √a.
    Sqrt(V, V),
    /// The angle of the point (b, a).
    Atan2(V, V, V),
    /// tanh a.
    Tanh(V, V),
    /// exp a.
    Exp(V, V),
    /// The third where the first is less than the second, else the fourth.
    SelectLt(V, [V; 4]),
}

impl<V: Copy> Instruction<V> {
    /// The same over other values: what is written, then what is read.
    pub fn map<W>(self, mut w: impl FnMut(V) -> W, mut r: impl FnMut(V) -> W) -> Instruction<W> {
        use Instruction::*;
        match self {
            Add(x, a, b) => Add(w(x), r(a), r(b)),
            Sub(x, a, b) => Sub(w(x), r(a), r(b)),
            AddNumber(x, a, k) => AddNumber(w(x), r(a), k),
            FromNumber(x, a, k) => FromNumber(w(x), r(a), k),
            Mul(x, a, b) => Mul(w(x), r(a), r(b)),
            Scale(x, a, k) => Scale(w(x), r(a), k),
            MulAdd(x, abc) => MulAdd(w(x), abc.map(r)),
            MulSub(x, abc) => MulSub(w(x), abc.map(r)),
            LessMul(x, abc) => LessMul(w(x), abc.map(r)),
            MulAddNumber(x, ab, k) => MulAddNumber(w(x), ab.map(r), k),
            NumberLessMul(x, ab, k) => NumberLessMul(w(x), ab.map(r), k),
            ScaleAdd(x, ab, k) => ScaleAdd(w(x), ab.map(r), k),
            ScaleSub(x, ab, k) => ScaleSub(w(x), ab.map(r), k),
            Line(x, a, k) => Line(w(x), r(a), k),
            Div(x, a, b) => Div(w(x), r(a), r(b)),
            Neg(x, a) => Neg(w(x), r(a)),
            SinCos(x, a) => SinCos(x.map(w), r(a)),
            Sqrt(x, a) => Sqrt(w(x), r(a)),
            Atan2(x, a, b) => Atan2(w(x), r(a), r(b)),
            Tanh(x, a) => Tanh(w(x), r(a)),
            Exp(x, a) => Exp(w(x), r(a)),
            SelectLt(x, all) => SelectLt(w(x), all.map(r)),
        }
    }

    /// What it reads.
    pub fn reads(self) -> Vec<V> {
        let mut reads = Vec::with_capacity(4);
        self.map(|_| (), |value| reads.push(value));
        reads
    }

    /// What it writes.
    pub fn writes(self) -> Vec<V> {
        let mut writes = Vec::with_capacity(2);
        self.map(|value| writes.push(value), |_| ());
        writes
    }
}

/// A value, taken negative or not, or a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand<V> {
    Of { value: V, negated: bool },
    Number(f64),
}

/// Must be greater than `least`, or the results are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guard<V> {
    pub margin: Operand<V>,
    pub least: f64,
    pub sized: bool,
}

/// A value of a program: an input, the result of a step, or a number that an instruction reads as if it were one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Column {
    Input(usize),
    Step(usize),
    /// The sine beside a cosine that is wanted, or the other way round: nobody reads it.
    Beside(usize),
    /// A value taken negative for a function, counted.
    Minus(usize),
    /// By its bits.
    Number(u64),
}

impl<V> Guard<V> {
    /// Whether a margin is large enough.
    #[inline(always)]
    pub fn holds<T: Real>(&self, margin: T) -> bool {
        (if self.sized { margin.size() } else { margin }) > T::from_f64(self.least)
    }
}

/// A program as instructions, each value written once.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub instructions: Vec<Instruction<Column>>,
    /// How many.
    pub inputs: usize,
    pub results: Vec<Operand<Column>>,
    pub guards: Vec<Guard<Column>>,
}

impl Flow {
    /// Products whose only use is a sum become one instruction with it.
    pub fn new(program: &Program) -> Self {
        Builder::new(program).finish()
    }

    /// What is wanted in the end: results and margins.
    pub fn wanted(&self) -> impl Iterator<Item = &Operand<Column>> {
        self.results.iter().chain(self.guards.iter().map(|guard| &guard.margin))
    }
}

struct Builder<'a> {
    program: &'a Program,
    /// The values of steps that are numbers.
    known: Vec<Option<f64>>,
    /// How often a step is read.
    uses: Vec<usize>,
    /// The steps that have become a part of the sum that reads them.
    joined: Vec<bool>,
    instructions: Vec<Instruction<Column>>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program) -> Self {
        let parameters: Vec<f64> = program.parameters.iter().map(|parameter| parameter.value).collect();
        let mut known: Vec<Option<f64>> = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            let number = |value: Value| {
                let size = match value.place {
                    Place::Number(x) => Some(x),
                    Place::Parameter(i) => Some(parameters[i]),
                    Place::Step(i) => known[i],
                    Place::Input(_) => None,
                };
                size.map(|x| if value.negated { -x } else { x })
            };
            let fixed = step.operation.values().into_iter().all(|value| number(value).is_some());
            let value = fixed.then(|| step.operation.result(|value| number(value).unwrap_or(f64::NAN)));
            known.push(value);
        }
        let mut uses = vec![0; program.steps.len()];
        let read = program.steps.iter().zip(&known).filter(|(_, known)| known.is_none());
        let values = read.flat_map(|(step, _)| step.operation.values());
        let outside = program.results.iter().copied().chain(program.checks.iter().map(|check| check.margin));
        for value in values.chain(outside) {
            if let Place::Step(i) = value.place {
                uses[i] += 1;
            }
        }
        Self { program, joined: vec![false; known.len()], known, uses, instructions: Vec::new() }
    }

    fn operand(&self, value: Value) -> Operand<Column> {
        let signed = |x: f64| Operand::Number(if value.negated { -x } else { x });
        let column = |column| Operand::Of { value: column, negated: value.negated };
        match value.place {
            Place::Number(x) => signed(x),
            Place::Parameter(i) => signed(self.program.parameters[i].value),
            Place::Input(i) => column(Column::Input(i)),
            Place::Step(i) => self.known[i].map_or(column(Column::Step(i)), signed),
        }
    }

    /// A column whatever it is: numbers get one too, and what is taken negative.
    fn column(&mut self, value: Value) -> Column {
        match self.operand(value) {
            Operand::Of { value: column, negated: false } => column,
            Operand::Of { value: column, negated: true } => {
                let minus = Column::Minus(self.instructions.len());
                self.push(Instruction::Neg(minus, column));
                minus
            }
            Operand::Number(x) => Column::Number(x.to_bits()),
        }
    }

    /// An operand that is not taken negative.
    fn factor(&mut self, value: Value) -> Operand<Column> {
        match self.operand(value) {
            Operand::Of { negated: true, .. } => Operand::Of { value: self.column(value), negated: false },
            operand => operand,
        }
    }

    /// The factors of a product that only this value reads.
    fn product(&self, value: Value) -> Option<(usize, Operand<Column>, Operand<Column>)> {
        let Place::Step(i) = value.place else { return None };
        match self.program.steps[i].operation {
            Operation::Mul(a, b) if self.uses[i] == 1 && self.known[i].is_none() && !a.negated && !b.negated => {
                Some((i, self.operand(a), self.operand(b)))
            }
            _ => None,
        }
    }

    fn push(&mut self, instruction: Instruction<Column>) {
        self.instructions.push(instruction);
    }

    fn finish(mut self) -> Flow {
        let steps = &self.program.steps;
        // A product is computed where its sum is: which ones, is known before anything is written.
        let mut sums: HashMap<usize, (Operand<Column>, Operand<Column>, Value, bool)> = HashMap::new();
        for (i, step) in steps.iter().enumerate().filter(|(i, _)| self.known[*i].is_none()) {
            let Operation::Add(a, b) = step.operation else { continue };
            for (product, other) in [(b, a), (a, b)] {
                if let Some((k, x, y)) = self.product(product) {
                    self.joined[k] = true;
                    sums.insert(i, (x, y, other, product.negated));
                    break;
                }
            }
        }
        let mut paired: Vec<(Value, [usize; 2])> = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            if self.known[i].is_some() || self.uses[i] == 0 {
                continue;
            }
            let (Operation::Sin(a) | Operation::Cos(a)) = step.operation else { continue };
            let which = usize::from(matches!(step.operation, Operation::Cos(_)));
            let known = paired.iter().position(|(angle, _)| *angle == a).unwrap_or_else(|| {
                paired.push((a, [usize::MAX; 2]));
                paired.len() - 1
            });
            // Of two that are the same the first counts.
            let place = &mut paired[known].1[which];
            *place = i.min(*place);
        }
        for (i, step) in steps.iter().enumerate() {
            if self.known[i].is_some() || self.joined[i] || self.uses[i] == 0 {
                continue;
            }
            let written = Column::Step(i);
            match step.operation {
                Operation::Add(a, b) => match sums.get(&i) {
                    Some(&(x, y, other, negated)) => self.fused(written, x, y, other, negated),
                    None => {
                        // A difference takes one of them negative.
                        let a = if a.negated && b.negated { self.factor(a) } else { self.operand(a) };
                        self.sum(written, a, self.operand(b));
                    }
                },
                Operation::Mul(a, b) => {
                    let (a, b) = (self.factor(a), self.factor(b));
                    self.plain_product(written, a, b);
                }
                Operation::Div(a, b) => self.two(Instruction::Div, written, a, b),
                Operation::Atan2(a, b) => self.two(Instruction::Atan2, written, a, b),
                Operation::Neg(a) => self.one(Instruction::Neg, written, a),
                Operation::Sqrt(a) => self.one(Instruction::Sqrt, written, a),
                Operation::Tanh(a) => self.one(Instruction::Tanh, written, a),
                Operation::Exp(a) => self.one(Instruction::Exp, written, a),
                Operation::SelectLt(all) => {
                    let reads = all.map(|value| self.column(value));
                    self.push(Instruction::SelectLt(written, reads));
                }
                Operation::Sin(a) | Operation::Cos(a) => {
                    let pair = paired.iter().find(|(angle, _)| *angle == a).map_or([i; 2], |(_, pair)| *pair);
                    let same = pair[usize::from(matches!(step.operation, Operation::Cos(_)))];
                    // At the first of the two.
                    if same != i {
                        self.push(Instruction::Scale(written, Column::Step(same), 1.0));
                    } else if pair.iter().all(|&step| step >= i) {
                        let angle = self.column(a);
                        let column =
                            |step: usize| if step == usize::MAX { Column::Beside(i) } else { Column::Step(step) };
                        self.push(Instruction::SinCos(pair.map(column), angle));
                    }
                }
            }
        }
        let checks = &self.program.checks;
        let guards = checks.iter().map(|check| Guard {
            margin: self.operand(check.margin),
            least: check.least,
            sized: check.sized,
        });
        Flow {
            guards: guards.collect(),
            results: self.program.results.iter().map(|&value| self.operand(value)).collect(),
            inputs: self.program.inputs.iter().map(|quantity| quantity.length).sum(),
            instructions: self.instructions,
        }
    }

    fn one(&mut self, instruction: impl Fn(Column, Column) -> Instruction<Column>, written: Column, a: Value) {
        let a = self.column(a);
        self.push(instruction(written, a));
    }

    fn two(
        &mut self,
        instruction: impl Fn(Column, Column, Column) -> Instruction<Column>,
        written: Column,
        a: Value,
        b: Value,
    ) {
        let (a, b) = (self.column(a), self.column(b));
        self.push(instruction(written, a, b));
    }

    fn sum(&mut self, written: Column, a: Operand<Column>, b: Operand<Column>) {
        use Operand::{Number, Of};
        match (a, b) {
            (Of { value: a, negated: true }, Of { value: b, .. }) => {
                self.push(Instruction::Sub(written, b, a));
            }
            (Of { value: a, .. }, Of { value: b, negated }) => {
                let instruction = if negated { Instruction::Sub } else { Instruction::Add };
                self.push(instruction(written, a, b));
            }
            (Of { value: column, negated }, Number(k)) | (Number(k), Of { value: column, negated }) => {
                let instruction = if negated { Instruction::FromNumber } else { Instruction::AddNumber };
                self.push(instruction(written, column, k));
            }
            // Two numbers are known beforehand.
            (Number(_), Number(_)) => {}
        }
    }

    fn plain_product(&mut self, written: Column, a: Operand<Column>, b: Operand<Column>) {
        use Operand::{Number, Of};
        match (a, b) {
            (Of { value: a, .. }, Of { value: b, .. }) => {
                self.push(Instruction::Mul(written, a, b));
            }
            (Of { value: column, .. }, Number(k)) | (Number(k), Of { value: column, .. }) => {
                self.push(Instruction::Scale(written, column, k));
            }
            (Number(_), Number(_)) => {}
        }
    }

    /// ±x y + other.
    fn fused(&mut self, written: Column, x: Operand<Column>, y: Operand<Column>, other: Value, negated: bool) {
        use Operand::{Number, Of};
        let sign = if negated { -1.0 } else { 1.0 };
        let instruction = match ((x, y), self.operand(other)) {
            ((Of { value: a, .. }, Of { value: b, .. }), Of { value: c, negated: less }) => {
                let instruction = match (negated, less) {
                    (true, _) => Instruction::LessMul,
                    (_, true) => Instruction::MulSub,
                    _ => Instruction::MulAdd,
                };
                instruction(written, [a, b, c])
            }
            ((Of { value: a, .. }, Of { value: b, .. }), Number(k)) => {
                let instruction = if negated { Instruction::NumberLessMul } else { Instruction::MulAddNumber };
                instruction(written, [a, b], k)
            }
            ((Of { value, .. }, Number(k)) | (Number(k), Of { value, .. }), Of { value: c, negated: less }) => {
                let instruction = if less { Instruction::ScaleSub } else { Instruction::ScaleAdd };
                instruction(written, [value, c], sign * k)
            }
            ((Of { value, .. }, Number(k)) | (Number(k), Of { value, .. }), Number(l)) => {
                Instruction::Line(written, value, [sign * k, l])
            }
            // A product of numbers is known beforehand.
            ((Number(_), Number(_)), _) => return,
        };
        self.push(instruction);
    }
}
