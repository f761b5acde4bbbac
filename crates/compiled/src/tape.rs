//! From a program to instructions: constants folded, products and sums joined, sines and cosines in pairs, and results in as few
//! slots as are alive at once.

use dalembert_symbolic::Program;
use dalembert_symbolic::program::{Operation, Place, Value};
use std::collections::HashMap;

/// Where a column of numbers is.
pub(crate) type Slot = u16;

/// One instruction. The slot that is written is none of those that are read. `k` is the same number for all states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction {
    /// a + b.
    Add(Slot, Slot, Slot),
    /// a − b.
    Sub(Slot, Slot, Slot),
    /// a + k.
    AddNumber(Slot, Slot, f64),
    /// k − a.
    FromNumber(Slot, Slot, f64),
    /// a · b.
    Mul(Slot, Slot, Slot),
    /// k · a.
    Scale(Slot, Slot, f64),
    /// a · b + c, rounded once, as all that follow.
    MulAdd(Slot, [Slot; 3]),
    /// a · b − c.
    MulSub(Slot, [Slot; 3]),
    /// c − a · b.
    LessMul(Slot, [Slot; 3]),
    /// a · b + k.
    MulAddNumber(Slot, [Slot; 2], f64),
    /// k − a · b.
    NumberLessMul(Slot, [Slot; 2], f64),
    /// k · a + c.
    ScaleAdd(Slot, [Slot; 2], f64),
    /// k · a − c.
    ScaleSub(Slot, [Slot; 2], f64),
    /// k · a + l.
    Line(Slot, Slot, [f64; 2]),
    /// a / b.
    Div(Slot, Slot, Slot),
    /// −a.
    Neg(Slot, Slot),
    /// Sine and cosine of the third.
    SinCos([Slot; 2], Slot),
    /// √a.
    Sqrt(Slot, Slot),
    /// The angle of the point (b, a).
    Atan2(Slot, Slot, Slot),
    /// tanh a.
    Tanh(Slot, Slot),
    /// exp a.
    Exp(Slot, Slot),
    /// The third where the first is less than the second, else the fourth.
    SelectLt(Slot, [Slot; 4]),
}

/// What a result is: a slot, taken negative or not, or a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    Slot { slot: Slot, negated: bool },
    Number(f64),
}

/// Must be greater than `least`, or the results are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guard {
    pub margin: Taken,
    pub least: f64,
    pub sized: bool,
}

/// A program made ready to run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tape {
    pub instructions: Vec<Instruction>,
    /// Where the inputs are put before the first instruction; those that nothing reads have no place.
    pub inputs: Vec<Option<Slot>>,
    /// Numbers that instructions read as if they were columns.
    pub numbers: Vec<(Slot, f64)>,
    pub results: Vec<Taken>,
    pub guards: Vec<Guard>,
    pub slots: usize,
}

/// A column before it has a slot: an input, the result of a step, or a number in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Column {
    Input(usize),
    Step(usize),
    /// The sine beside a cosine that is wanted, or the other way round: nobody reads it.
    Beside(usize),
    /// A value taken negative for a function, counted.
    Minus(usize),
    /// By its bits.
    Number(u64),
}

/// A value as an instruction sees it.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Column { column: Column, negated: bool },
    Number(f64),
}

/// More columns than instructions can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a program with {0} numbers alive at once is too large to run")]
pub struct TooLarge(pub usize);

impl Tape {
    /// Products whose only use is a sum become one instruction with it.
    pub fn new(program: &Program) -> Result<Self, TooLarge> {
        Builder::new(program).finish()
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
    /// With columns in place of slots.
    instructions: Vec<(Instruction, Vec<Column>, Vec<Column>)>,
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

    fn operand(&self, value: Value) -> Operand {
        let signed = |x: f64| Operand::Number(if value.negated { -x } else { x });
        let column = |column| Operand::Column { column, negated: value.negated };
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
            Operand::Column { column, negated: false } => column,
            Operand::Column { column, negated: true } => {
                let minus = Column::Minus(self.instructions.len());
                self.push(Instruction::Neg(0, 0), vec![minus], vec![column]);
                minus
            }
            Operand::Number(x) => Column::Number(x.to_bits()),
        }
    }

    /// An operand that is not taken negative.
    fn factor(&mut self, value: Value) -> Operand {
        match self.operand(value) {
            Operand::Column { negated: true, .. } => Operand::Column { column: self.column(value), negated: false },
            operand => operand,
        }
    }

    /// The factors of a product that only this value reads.
    fn product(&self, value: Value) -> Option<(usize, Operand, Operand)> {
        let Place::Step(i) = value.place else { return None };
        match self.program.steps[i].operation {
            Operation::Mul(a, b) if self.uses[i] == 1 && self.known[i].is_none() && !a.negated && !b.negated => {
                Some((i, self.operand(a), self.operand(b)))
            }
            _ => None,
        }
    }

    fn push(&mut self, instruction: Instruction, writes: Vec<Column>, reads: Vec<Column>) {
        self.instructions.push((instruction, writes, reads));
    }

    fn finish(mut self) -> Result<Tape, TooLarge> {
        let steps = &self.program.steps;
        // A product is computed where its sum is: which ones, is known before anything is written.
        let mut sums: HashMap<usize, (Operand, Operand, Value, bool)> = HashMap::new();
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
                Operation::Div(a, b) => self.two(Instruction::Div(0, 0, 0), written, a, b),
                Operation::Atan2(a, b) => self.two(Instruction::Atan2(0, 0, 0), written, a, b),
                Operation::Neg(a) => self.one(Instruction::Neg(0, 0), written, a),
                Operation::Sqrt(a) => self.one(Instruction::Sqrt(0, 0), written, a),
                Operation::Tanh(a) => self.one(Instruction::Tanh(0, 0), written, a),
                Operation::Exp(a) => self.one(Instruction::Exp(0, 0), written, a),
                Operation::SelectLt(all) => {
                    let reads = all.map(|value| self.column(value)).to_vec();
                    self.push(Instruction::SelectLt(0, [0; 4]), vec![written], reads);
                }
                Operation::Sin(a) | Operation::Cos(a) => {
                    let pair = paired.iter().find(|(angle, _)| *angle == a).map_or([i; 2], |(_, pair)| *pair);
                    let same = pair[usize::from(matches!(step.operation, Operation::Cos(_)))];
                    // At the first of the two.
                    if same != i {
                        self.push(Instruction::Scale(0, 0, 1.0), vec![written], vec![Column::Step(same)]);
                    } else if pair.iter().all(|&step| step >= i) {
                        let angle = self.column(a);
                        let column =
                            |step: usize| if step == usize::MAX { Column::Beside(i) } else { Column::Step(step) };
                        self.push(Instruction::SinCos([0; 2], 0), pair.map(column).to_vec(), vec![angle]);
                    }
                }
            }
        }
        self.placed()
    }

    fn one(&mut self, instruction: Instruction, written: Column, a: Value) {
        let reads = vec![self.column(a)];
        self.push(instruction, vec![written], reads);
    }

    fn two(&mut self, instruction: Instruction, written: Column, a: Value, b: Value) {
        let reads = vec![self.column(a), self.column(b)];
        self.push(instruction, vec![written], reads);
    }

    fn sum(&mut self, written: Column, a: Operand, b: Operand) {
        use Operand::{Column as Of, Number};
        match (a, b) {
            (Of { column: a, negated: true }, Of { column: b, .. }) => {
                self.push(Instruction::Sub(0, 0, 0), vec![written], vec![b, a]);
            }
            (Of { column: a, .. }, Of { column: b, negated }) => {
                let instruction = if negated { Instruction::Sub(0, 0, 0) } else { Instruction::Add(0, 0, 0) };
                self.push(instruction, vec![written], vec![a, b]);
            }
            (Of { column, negated }, Number(k)) | (Number(k), Of { column, negated }) => {
                let instruction =
                    if negated { Instruction::FromNumber(0, 0, k) } else { Instruction::AddNumber(0, 0, k) };
                self.push(instruction, vec![written], vec![column]);
            }
            // Two numbers are known beforehand.
            (Number(_), Number(_)) => {}
        }
    }

    fn plain_product(&mut self, written: Column, a: Operand, b: Operand) {
        use Operand::{Column as Of, Number};
        match (a, b) {
            (Of { column: a, .. }, Of { column: b, .. }) => {
                self.push(Instruction::Mul(0, 0, 0), vec![written], vec![a, b]);
            }
            (Of { column, .. }, Number(k)) | (Number(k), Of { column, .. }) => {
                self.push(Instruction::Scale(0, 0, k), vec![written], vec![column]);
            }
            (Number(_), Number(_)) => {}
        }
    }

    /// ±x y + other.
    fn fused(&mut self, written: Column, x: Operand, y: Operand, other: Value, negated: bool) {
        use Operand::{Column as Of, Number};
        let sign = if negated { -1.0 } else { 1.0 };
        let (instruction, reads) = match ((x, y), self.operand(other)) {
            ((Of { column: a, .. }, Of { column: b, .. }), Of { column: c, negated: less }) => {
                let instruction = match (negated, less) {
                    (true, _) => Instruction::LessMul(0, [0; 3]),
                    (_, true) => Instruction::MulSub(0, [0; 3]),
                    _ => Instruction::MulAdd(0, [0; 3]),
                };
                (instruction, vec![a, b, c])
            }
            ((Of { column: a, .. }, Of { column: b, .. }), Number(k)) => {
                let instruction = if negated {
                    Instruction::NumberLessMul(0, [0; 2], k)
                } else {
                    Instruction::MulAddNumber(0, [0; 2], k)
                };
                (instruction, vec![a, b])
            }
            ((Of { column, .. }, Number(k)) | (Number(k), Of { column, .. }), Of { column: c, negated: less }) => {
                let instruction = if less {
                    Instruction::ScaleSub(0, [0; 2], sign * k)
                } else {
                    Instruction::ScaleAdd(0, [0; 2], sign * k)
                };
                (instruction, vec![column, c])
            }
            ((Of { column, .. }, Number(k)) | (Number(k), Of { column, .. }), Number(l)) => {
                (Instruction::Line(0, 0, [sign * k, l]), vec![column])
            }
            // A product of numbers is known beforehand.
            ((Number(_), Number(_)), _) => return,
        };
        self.push(instruction, vec![written], reads);
    }

    fn taken(&self, value: Value, place: &HashMap<Column, Slot>) -> Taken {
        match self.operand(value) {
            Operand::Column { column, negated } => Taken::Slot { slot: place[&column], negated },
            Operand::Number(x) => Taken::Number(x),
        }
    }

    /// Gives every column a slot from where it is written to where it is read last.
    fn placed(self) -> Result<Tape, TooLarge> {
        let mut last: HashMap<Column, usize> = HashMap::new();
        for (k, (_, _, reads)) in self.instructions.iter().enumerate() {
            for &column in reads {
                last.insert(column, k);
            }
        }
        let outside = self.program.results.iter().copied().chain(self.program.checks.iter().map(|check| check.margin));
        for value in outside {
            if let Operand::Column { column, .. } = self.operand(value) {
                last.insert(column, usize::MAX);
            }
        }
        let mut place: HashMap<Column, Slot> = HashMap::new();
        let (mut free, mut slots): (Vec<Slot>, usize) = (Vec::new(), 0);
        let mut take = |free: &mut Vec<Slot>| {
            free.pop().unwrap_or_else(|| {
                slots += 1;
                // What is too many is told below.
                (slots - 1) as Slot
            })
        };
        let count: usize = self.program.inputs.iter().map(|quantity| quantity.length).sum();
        let inputs: Vec<Option<Slot>> = (0..count)
            .map(|i| {
                last.contains_key(&Column::Input(i)).then(|| *place.entry(Column::Input(i)).or_insert(take(&mut free)))
            })
            .collect();
        // Numbers stay: they are written once for all tiles.
        let mut numbers: Vec<(Slot, f64)> = Vec::new();
        let mut in_columns: Vec<Column> = last.keys().copied().filter(|c| matches!(c, Column::Number(_))).collect();
        in_columns.sort();
        for column in in_columns {
            if let Column::Number(bits) = column {
                let slot = take(&mut free);
                place.insert(column, slot);
                numbers.push((slot, f64::from_bits(bits)));
            }
        }
        let mut instructions = Vec::with_capacity(self.instructions.len());
        for (k, (instruction, writes, reads)) in self.instructions.iter().enumerate() {
            let read: Vec<Slot> = reads.iter().map(|column| place[column]).collect();
            let written: Vec<Slot> = writes.iter().map(|_| take(&mut free)).collect();
            for (&column, &slot) in writes.iter().zip(&written) {
                // What nobody reads gives its place back at once.
                if last.contains_key(&column) {
                    place.insert(column, slot);
                } else {
                    free.push(slot);
                }
            }
            instructions.push(instruction.at(&written, &read));
            let mut ended: Vec<Column> =
                reads.iter().copied().filter(|c| last[c] == k && !matches!(c, Column::Number(_))).collect();
            ended.sort();
            ended.dedup();
            free.extend(ended.iter().map(|column| place[column]));
        }
        if slots > usize::from(Slot::MAX) {
            return Err(TooLarge(slots));
        }
        let guards = self.program.checks.iter().map(|check| Guard {
            margin: self.taken(check.margin, &place),
            least: check.least,
            sized: check.sized,
        });
        let guards = guards.collect();
        let results = self.program.results.iter().map(|&value| self.taken(value, &place)).collect();
        Ok(Tape { instructions, inputs, numbers, results, guards, slots })
    }
}

impl Instruction {
    /// The same with these slots.
    fn at(self, w: &[Slot], r: &[Slot]) -> Self {
        match self {
            Self::Add(..) => Self::Add(w[0], r[0], r[1]),
            Self::Sub(..) => Self::Sub(w[0], r[0], r[1]),
            Self::AddNumber(_, _, k) => Self::AddNumber(w[0], r[0], k),
            Self::FromNumber(_, _, k) => Self::FromNumber(w[0], r[0], k),
            Self::Mul(..) => Self::Mul(w[0], r[0], r[1]),
            Self::Scale(_, _, k) => Self::Scale(w[0], r[0], k),
            Self::MulAdd(..) => Self::MulAdd(w[0], [r[0], r[1], r[2]]),
            Self::MulSub(..) => Self::MulSub(w[0], [r[0], r[1], r[2]]),
            Self::LessMul(..) => Self::LessMul(w[0], [r[0], r[1], r[2]]),
            Self::MulAddNumber(_, _, k) => Self::MulAddNumber(w[0], [r[0], r[1]], k),
            Self::NumberLessMul(_, _, k) => Self::NumberLessMul(w[0], [r[0], r[1]], k),
            Self::ScaleAdd(_, _, k) => Self::ScaleAdd(w[0], [r[0], r[1]], k),
            Self::ScaleSub(_, _, k) => Self::ScaleSub(w[0], [r[0], r[1]], k),
            Self::Line(_, _, k) => Self::Line(w[0], r[0], k),
            Self::Div(..) => Self::Div(w[0], r[0], r[1]),
            Self::Neg(..) => Self::Neg(w[0], r[0]),
            Self::SinCos(..) => Self::SinCos([w[0], w[1]], r[0]),
            Self::Sqrt(..) => Self::Sqrt(w[0], r[0]),
            Self::Atan2(..) => Self::Atan2(w[0], r[0], r[1]),
            Self::Tanh(..) => Self::Tanh(w[0], r[0]),
            Self::Exp(..) => Self::Exp(w[0], r[0]),
            Self::SelectLt(..) => Self::SelectLt(w[0], [r[0], r[1], r[2], r[3]]),
        }
    }
}
