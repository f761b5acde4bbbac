//! From a program to instructions: constants folded, products and sums joined, sines and cosines in pairs.
//!
//! A program says what is added and multiplied; in which order is decided here. A sum whose parts have no other use is one list of
//! terms, and so is a product of factors. What is known first is joined first, so that what is known last waits for one instruction
//! only; and a product is joined to a sum that is there already, which saves an instruction for it.

use crate::real::Float;
use dalembert_symbolic::Program;
use dalembert_symbolic::program::{Operation, Value, ValueSource};

/// a ∘ b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

/// ±a b ± c, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedOperation {
    /// a b + c.
    Add,
    /// a b − c.
    Sub,
    /// c − a b.
    Less,
}

/// One instruction: what is written, then what is read. Of factors and terms the second may be a number, and a third term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction<V> {
    Two(Arithmetic, V, [V; 2]),
    Fused(FusedOperation, V, [V; 3]),
    /// −a.
    Neg(V, V),
    /// Sine and cosine.
    SinCos([V; 2], V),
    /// √a.
    Sqrt(V, V),
    /// The angle of the point (b, a).
    Atan2(V, [V; 2]),
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
            Two(op, x, ab) => Two(op, w(x), ab.map(r)),
            Fused(op, x, abc) => Fused(op, w(x), abc.map(r)),
            Neg(x, a) => Neg(w(x), r(a)),
            SinCos(x, a) => SinCos(x.map(w), r(a)),
            Sqrt(x, a) => Sqrt(w(x), r(a)),
            Atan2(x, ab) => Atan2(w(x), ab.map(r)),
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
pub(crate) enum SignedOperand<V> {
    Of { value: V, negated: bool },
    Number(f64),
}

type FlowOperand = SignedOperand<ValueId>;

impl FlowOperand {
    /// Without its sign, and whether it has one; a number keeps it.
    fn unsigned(self) -> (ValueId, bool) {
        match self {
            Self::Of { value, negated } => (value, negated),
            Self::Number(x) => (ValueId::number(x), false),
        }
    }
}

/// Must be greater than `least`, or the results are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MarginCheck<V> {
    pub margin: SignedOperand<V>,
    pub least: f64,
    pub sized: bool,
}

/// A value of a program: an input, the result of a step, or a number that an instruction reads as if it were one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ValueId {
    Input(usize),
    Step(usize),
    /// The unused half of a sine–cosine pair.
    Beside(usize),
    /// A value taken negative for a function, counted.
    Minus(usize),
    /// By its bits.
    Number(u64),
}

impl ValueId {
    fn number(x: f64) -> Self {
        Self::Number(x.to_bits())
    }
}

impl<V> MarginCheck<V> {
    /// The same of another margin.
    pub fn of<W>(&self, margin: SignedOperand<W>) -> MarginCheck<W> {
        MarginCheck { margin, least: self.least, sized: self.sized }
    }

    /// Whether a margin is large enough.
    #[inline(always)]
    pub fn holds<T: Float>(&self, margin: T) -> bool {
        (if self.sized { margin.size() } else { margin }) > T::from_f64(self.least)
    }
}

/// A program as instructions, each value written once.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub instructions: Vec<Instruction<ValueId>>,
    /// How many.
    pub inputs: usize,
    pub results: Vec<FlowOperand>,
    pub guards: Vec<MarginCheck<ValueId>>,
}

impl Flow {
    /// Products whose only use is a sum become one instruction with it.
    pub fn new(program: &Program) -> Self {
        Builder::new(program).finish()
    }

    /// What is wanted in the end: results and margins.
    pub fn wanted(&self) -> impl Iterator<Item = &FlowOperand> {
        self.results.iter().chain(self.guards.iter().map(|guard| &guard.margin))
    }
}

struct Builder<'a> {
    program: &'a Program,
    /// The values of steps that are numbers.
    known: Vec<Option<f64>>,
    /// How often a step is read.
    uses: Vec<usize>,
    /// Steps that are a part of the sum or product that alone reads them.
    inside: Vec<bool>,
    /// Steps whose column has the negative of their value.
    flipped: Vec<bool>,
    /// When the columns of steps are known, in cycles.
    ready: Vec<u32>,
    instructions: Vec<Instruction<ValueId>>,
}

/// Cycles from reading to the result, roughly as processors since 2015 have them; of everything that is a call or inlined as one, many.
fn latency(operation: &Operation) -> u32 {
    match operation {
        Operation::Add(..) | Operation::Mul(..) => ARITHMETIC,
        Operation::Neg(_) => 1,
        Operation::Div(..) => DIVISION,
        Operation::Sqrt(_) => ROOT,
        Operation::SelectLt(_) => 5,
        Operation::Sin(_) | Operation::Cos(_) => 40,
        Operation::Atan2(..) | Operation::Tanh(_) | Operation::Exp(_) => 100,
    }
}

pub(crate) const ARITHMETIC: u32 = 4;
pub(crate) const DIVISION: u32 = 14;
pub(crate) const ROOT: u32 = 18;

/// A product that is known this much earlier than every sum it could be joined to becomes a sum of its own, for one instruction more.
/// Measured over programs of arms and Deltas: with less the instructions grow, with more some programs wait.
const EARLY: u32 = 16;

/// A value with the cycle in which it is available.
#[derive(Clone, Copy)]
struct AtCycle<T> {
    of: T,
    at: u32,
}

/// The terms of a sum, each list with the last known first.
#[derive(Default)]
struct Terms {
    /// Values and sums.
    plain: Vec<AtCycle<FlowOperand>>,
    /// Products of two, and whether they are subtracted.
    products: Vec<AtCycle<([FlowOperand; 2], bool)>>,
    /// Columns for what is in between: those of the steps inside.
    spare: Vec<ValueId>,
}

/// Puts one more into a list that has the last known first; of those known at the same time what came first stays first.
fn insert<T>(list: &mut Vec<AtCycle<T>>, one: AtCycle<T>) {
    let place = list.partition_point(|other| other.at > one.at);
    list.insert(place, one);
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program) -> Self {
        let parameters: Vec<f64> = program.parameters.iter().map(|parameter| parameter.value).collect();
        let mut known: Vec<Option<f64>> = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            let number = |value: Value| {
                let size = match value.place {
                    ValueSource::Number(x) => Some(x),
                    ValueSource::Parameter(i) => Some(parameters[i]),
                    ValueSource::Step(i) => known[i],
                    ValueSource::Input(_) => None,
                };
                size.map(|x| if value.negated { -x } else { x })
            };
            let fixed = step.operation.values().into_iter().all(|value| number(value).is_some());
            let value = fixed.then(|| step.operation.result(|value| number(value).unwrap_or(f64::NAN)));
            known.push(value);
        }
        let count = known.len();
        let mut uses = vec![0; count];
        let mut inside = vec![false; count];
        for (step, _) in program.steps.iter().zip(&known).filter(|(_, known)| known.is_none()) {
            for value in step.operation.values() {
                let ValueSource::Step(i) = value.place else { continue };
                uses[i] += 1;
                inside[i] = known[i].is_none()
                    && match (&program.steps[i].operation, &step.operation) {
                        (Operation::Add(..) | Operation::Mul(..), Operation::Add(..)) => true,
                        (Operation::Mul(..), Operation::Mul(..)) => !value.negated,
                        _ => false,
                    };
            }
        }
        for value in program.results.iter().copied().chain(program.checks.iter().map(|check| check.margin)) {
            if let ValueSource::Step(i) = value.place {
                uses[i] += 1;
            }
        }
        inside.iter_mut().zip(&uses).for_each(|(inside, &uses)| *inside &= uses == 1);
        Self {
            program,
            inside,
            known,
            uses,
            flipped: vec![false; count],
            ready: vec![0; count],
            instructions: Vec::new(),
        }
    }

    fn operand(&self, value: Value) -> FlowOperand {
        let signed = |x: f64| SignedOperand::Number(if value.negated { -x } else { x });
        let column = |column, flipped: bool| SignedOperand::Of { value: column, negated: value.negated != flipped };
        match value.place {
            ValueSource::Number(x) => signed(x),
            ValueSource::Parameter(i) => signed(self.program.parameters[i].value),
            ValueSource::Input(i) => column(ValueId::Input(i), false),
            ValueSource::Step(i) => self.known[i].map_or_else(|| column(ValueId::Step(i), self.flipped[i]), signed),
        }
    }

    /// When a value is known.
    fn at(&self, value: Value) -> u32 {
        match value.place {
            ValueSource::Step(i) => self.ready[i],
            _ => 0,
        }
    }

    /// A column whatever it is: numbers get one too, and what is taken negative.
    fn column(&mut self, value: Value) -> ValueId {
        match self.operand(value) {
            SignedOperand::Of { value: column, negated: false } => column,
            SignedOperand::Of { value: column, negated: true } => {
                let minus = ValueId::Minus(self.instructions.len());
                self.push(Instruction::Neg(minus, column));
                minus
            }
            SignedOperand::Number(x) => ValueId::number(x),
        }
    }

    /// An operand that is not taken negative.
    fn factor(&mut self, value: Value) -> FlowOperand {
        match self.operand(value) {
            SignedOperand::Of { negated: true, .. } => SignedOperand::Of { value: self.column(value), negated: false },
            operand => operand,
        }
    }

    /// The step that a value is, if it is a part of what reads it.
    fn part(&self, value: Value) -> Option<usize> {
        match value.place {
            ValueSource::Step(i) if self.inside[i] => Some(i),
            _ => None,
        }
    }

    /// The factors of a product, the last known first.
    fn factors(&mut self, step: usize, all: &mut Vec<AtCycle<FlowOperand>>, spare: &mut Vec<ValueId>) {
        for value in self.program.steps[step].operation.values() {
            match self.part(value) {
                Some(inner) => {
                    spare.push(ValueId::Step(inner));
                    self.factors(inner, all, spare);
                }
                None => {
                    let of = self.factor(value);
                    insert(all, AtCycle { of, at: self.at(value) });
                }
            }
        }
    }

    /// The last two factors of a product, and when they are known; those before are multiplied.
    fn last_two(&mut self, step: usize, spare: &mut Vec<ValueId>) -> AtCycle<[FlowOperand; 2]> {
        let mut all = Vec::new();
        self.factors(step, &mut all, spare);
        while all.len() > 2
            && let (Some(a), Some(b), Some(&written)) = (all.pop(), all.pop(), spare.last())
        {
            let of = match (a.of, b.of) {
                (SignedOperand::Number(x), SignedOperand::Number(y)) => SignedOperand::Number(x * y),
                _ => {
                    spare.pop();
                    self.product(written, a.of, b.of);
                    SignedOperand::Of { value: written, negated: false }
                }
            };
            insert(&mut all, AtCycle { of, at: a.at.max(b.at) + ARITHMETIC });
        }
        let at = all.first().map_or(0, |last| last.at);
        let one = SignedOperand::Number(1.0);
        AtCycle { of: [1, 0].map(|k| all.get(k).map_or(one, |factor| factor.of)), at }
    }

    /// The terms of a sum.
    fn terms(&mut self, step: usize, subtracted: bool, terms: &mut Terms) {
        for value in self.program.steps[step].operation.values() {
            let negated = value.negated != subtracted;
            match self.part(value) {
                Some(inner) => {
                    terms.spare.push(ValueId::Step(inner));
                    if let Operation::Mul(..) = self.program.steps[inner].operation {
                        let AtCycle { of, at } = self.last_two(inner, &mut terms.spare);
                        insert(&mut terms.products, AtCycle { of: (of, negated), at });
                    } else {
                        self.terms(inner, negated, terms);
                    }
                }
                None => {
                    let of = self.operand(Value { negated, ..value });
                    insert(&mut terms.plain, AtCycle { of, at: self.at(value) });
                }
            }
        }
    }

    /// Writes a sum: the earliest two are joined, again and again.
    fn add_up(&mut self, step: usize) {
        let mut terms = Terms::default();
        self.terms(step, false, &mut terms);
        let Terms { mut plain, mut products, mut spare } = terms;
        while plain.len() + products.len() > 1 {
            // The last one is the sum itself.
            let last = plain.len() + products.len() == 2;
            let early = |product: &AtCycle<_>| plain.last().is_none_or(|sum| !last && sum.at >= product.at + EARLY);
            if let Some(AtCycle { of: ([x, y], negated), at }) = products.pop_if(|product| early(product)) {
                let written = spare.pop().unwrap_or(ValueId::Step(step));
                self.product(written, x, y);
                insert(&mut plain, AtCycle { of: SignedOperand::Of { value: written, negated }, at: at + ARITHMETIC });
                continue;
            }
            let Some(first) = plain.pop() else { break };
            let written = if last { None } else { spare.pop() }.unwrap_or(ValueId::Step(step));
            let next = |product: &AtCycle<_>| plain.last().is_none_or(|sum| product.at <= sum.at);
            let (of, at) = match products.pop_if(|product| next(product)) {
                Some(AtCycle { of: ([x, y], negated), at }) => (self.fused(written, x, y, first.of, negated), at),
                None => match plain.pop() {
                    Some(second) => (self.sum(written, first.of, second.of), second.at),
                    None => break,
                },
            };
            insert(&mut plain, AtCycle { of, at: at.max(first.at) + ARITHMETIC });
        }
        if let Some(AtCycle { of: SignedOperand::Of { negated, .. }, at }) = plain.pop() {
            (self.flipped[step], self.ready[step]) = (negated, at);
        }
    }

    fn push(&mut self, instruction: Instruction<ValueId>) {
        self.instructions.push(instruction);
    }

    fn finish(mut self) -> Flow {
        let steps = &self.program.steps;
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
            if self.known[i].is_some() || self.inside[i] || self.uses[i] == 0 {
                continue;
            }
            let written = ValueId::Step(i);
            let last = step.operation.values().into_iter().map(|value| self.at(value)).max();
            self.ready[i] = last.unwrap_or(0) + latency(&step.operation);
            match step.operation {
                Operation::Add(..) => self.add_up(i),
                Operation::Mul(..) => {
                    let AtCycle { of: [x, y], at } = self.last_two(i, &mut Vec::new());
                    self.product(written, x, y);
                    self.ready[i] = at + ARITHMETIC;
                }
                Operation::Div(a, b) => {
                    self.read([a, b], |reads| Instruction::Two(Arithmetic::Div, written, reads));
                }
                Operation::Atan2(a, b) => self.read([a, b], |reads| Instruction::Atan2(written, reads)),
                Operation::Neg(a) => self.read([a], |[a]| Instruction::Neg(written, a)),
                Operation::Sqrt(a) => self.read([a], |[a]| Instruction::Sqrt(written, a)),
                Operation::Tanh(a) => self.read([a], |[a]| Instruction::Tanh(written, a)),
                Operation::Exp(a) => self.read([a], |[a]| Instruction::Exp(written, a)),
                Operation::SelectLt(all) => self.read(all, |reads| Instruction::SelectLt(written, reads)),
                Operation::Sin(a) | Operation::Cos(a) => {
                    let pair = paired.iter().find(|(angle, _)| *angle == a).map_or([i; 2], |(_, pair)| *pair);
                    let same = pair[usize::from(matches!(step.operation, Operation::Cos(_)))];
                    // At the first of the two.
                    if same != i {
                        self.push(Instruction::Two(
                            Arithmetic::Mul,
                            written,
                            [ValueId::Step(same), ValueId::number(1.0)],
                        ));
                    } else if pair.iter().all(|&step| step >= i) {
                        let angle = self.column(a);
                        let column =
                            |step: usize| if step == usize::MAX { ValueId::Beside(i) } else { ValueId::Step(step) };
                        self.push(Instruction::SinCos(pair.map(column), angle));
                    }
                }
            }
        }
        let checks = &self.program.checks;
        let guards = checks.iter().map(|check| MarginCheck {
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

    /// An instruction over columns.
    fn read<const N: usize>(
        &mut self,
        values: [Value; N],
        instruction: impl FnOnce([ValueId; N]) -> Instruction<ValueId>,
    ) {
        let reads = values.map(|value| self.column(value));
        self.push(instruction(reads));
    }

    /// a + b in a column, with its sign.
    fn sum(&mut self, written: ValueId, a: FlowOperand, b: FlowOperand) -> FlowOperand {
        if let (SignedOperand::Number(x), SignedOperand::Number(y)) = (a, b) {
            return SignedOperand::Number(x + y);
        }
        let ((a, minus_a), (b, minus_b)) = (a.unsigned(), b.unsigned());
        let (op, reads) = match (minus_a, minus_b) {
            (true, false) => (Arithmetic::Sub, [b, a]),
            (false, true) => (Arithmetic::Sub, [a, b]),
            _ => (Arithmetic::Add, number_last(a, b)),
        };
        self.push(Instruction::Two(op, written, reads));
        SignedOperand::Of { value: written, negated: minus_a && minus_b }
    }

    /// x y, whose signs are outside.
    fn product(&mut self, written: ValueId, x: FlowOperand, y: FlowOperand) {
        self.push(Instruction::Two(Arithmetic::Mul, written, number_last(x.unsigned().0, y.unsigned().0)));
    }

    /// ±x y + other in a column, with its sign.
    fn fused(
        &mut self,
        written: ValueId,
        x: FlowOperand,
        y: FlowOperand,
        other: FlowOperand,
        negated: bool,
    ) -> FlowOperand {
        let [a, b] = number_last(x.unsigned().0, y.unsigned().0);
        let (c, less) = other.unsigned();
        // A number takes the sign of its product.
        let (b, negated) = match b {
            ValueId::Number(bits) if negated => (ValueId::number(-f64::from_bits(bits)), false),
            _ => (b, negated),
        };
        let op = match (negated, less) {
            (true, false) => FusedOperation::Less,
            (false, true) => FusedOperation::Sub,
            _ => FusedOperation::Add,
        };
        self.push(Instruction::Fused(op, written, [a, b, c]));
        SignedOperand::Of { value: written, negated: negated && less }
    }
}

/// Of two factors or terms a number comes last.
fn number_last(a: ValueId, b: ValueId) -> [ValueId; 2] {
    if matches!(a, ValueId::Number(_)) { [b, a] } else { [a, b] }
}
