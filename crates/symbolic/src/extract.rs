//! From a graph to a program: one way for each value that is needed, so that as few operations as possible are left.
//!
//! The cheapest choice is a hard problem (sharing makes choices depend on each other), so it is searched for: a way is
//! exchanged where that makes the whole program cheaper, or no more expensive, until nothing changes.

use crate::Group;
use crate::expr::Expr;
use crate::graph::{Graph, Id, Inner, Op, Operand};
use crate::program::{Check, Operation, Program, Step, Value, ValueSource};
/// The same search on every run.
pub(crate) use dalembert_core::random::Xorshift as Random;
use std::collections::{HashMap, HashSet};

/// Which way is taken for each class, and which classes that needs.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub way: Vec<u16>,
    pub cost: u32,
    /// Needed classes, operands first.
    pub live: Vec<Id>,
}

impl Inner {
    /// What one operation costs; sines and cosines are counted by their angles.
    pub fn price(&self, id: Id, op: &Op) -> u32 {
        if self.is_constant(id) {
            return 0;
        }
        match op {
            Op::Input(_) | Op::Sin(_) | Op::Cos(_) | Op::Sub(Operand::ZERO, _) => 0,
            Op::Add(..) | Op::Sub(..) => self.weights.add,
            Op::Mul(..) => self.weights.mul,
            Op::Div(..) => self.weights.div,
            Op::Sqrt(_) => self.weights.sqrt,
            Op::Atan2(..) | Op::Tanh(_) | Op::Exp(_) | Op::SelectLt(_) => self.weights.other,
        }
    }

    /// The angle whose sine or cosine an operation takes.
    pub fn angle(&self, id: Id, op: &Op) -> Option<Id> {
        match op {
            Op::Sin(Operand::Class(angle)) | Op::Cos(Operand::Class(angle)) if !self.is_constant(id) => Some(*angle),
            _ => None,
        }
    }
}

/// Marks for a walk over the graph that need no clearing.
pub(crate) struct Walk {
    pub mark: Vec<u32>,
    /// The same for angles whose sine or cosine was met.
    turned: Vec<u32>,
    pub round: u32,
    stack: Vec<(Id, u8)>,
}

impl Walk {
    pub fn new(size: usize) -> Self {
        Self { mark: vec![0; size], turned: vec![0; size], round: 0, stack: Vec::new() }
    }

    /// The cost of the outputs with this choice, `None` if a value would depend on itself. `live` gets the classes in
    /// order of evaluation.
    pub fn cost(&mut self, inner: &Inner, outputs: &[Id], way: &[u16], live: &mut Vec<Id>, limit: u32) -> Option<u32> {
        self.round += 2;
        live.clear();
        let mut cost = 0;
        let mut turned = std::mem::take(&mut self.turned);
        let round = self.round;
        let mut sound = true;
        for &output in outputs {
            sound &= self.descend(inner, output, way, |id, op| {
                live.push(id);
                cost += inner.price(id, op);
                if let Some(angle) = inner.angle(id, op)
                    && std::mem::replace(&mut turned[angle as usize], round) != round
                {
                    cost += inner.weights.pair;
                }
                cost <= limit
            });
            if !sound {
                break;
            }
        }
        self.turned = turned;
        sound.then_some(cost)
    }

    /// Goes through all that a class is computed from and this round has not seen, operands first. Stops, and answers
    /// `false`, at a value that depends on itself or where `leave` says so.
    pub fn descend(&mut self, inner: &Inner, root: Id, way: &[u16], mut leave: impl FnMut(Id, &Op) -> bool) -> bool {
        let (open, done) = (self.round, self.round + 1);
        if self.mark[root as usize] == done {
            return true;
        }
        self.mark[root as usize] = open;
        self.stack.push((root, 0));
        while let Some(&mut (id, ref mut next)) = self.stack.last_mut() {
            let op = &inner.classes[id as usize].ways[way[id as usize] as usize].op;
            let operand = op.operands().nth(*next as usize);
            *next += 1;
            let go_on = match operand {
                Some(Operand::Number(_)) => true,
                Some(Operand::Class(child)) => {
                    let mark = self.mark[child as usize];
                    if mark != open && mark != done {
                        self.mark[child as usize] = open;
                        self.stack.push((child, 0));
                    }
                    mark != open
                }
                None => {
                    self.mark[id as usize] = done;
                    self.stack.pop();
                    leave(id, op)
                }
            };
            if !go_on {
                self.stack.clear();
                return false;
            }
        }
        true
    }
}

impl Inner {
    /// The choice of the first ways, or a given one extended to new classes.
    pub fn selection(&self, outputs: &[Id], start: Option<Vec<u16>>) -> Option<Selection> {
        let mut way = start.unwrap_or_default();
        way.resize(self.classes.len(), 0);
        let mut live = Vec::new();
        let cost = Walk::new(self.classes.len()).cost(self, outputs, &way, &mut live, u32::MAX)?;
        Some(Selection { way, cost, live })
    }

    /// Equal for programs that compute the same values.
    pub fn kind(&self, selection: &Selection) -> u64 {
        let mut values: Vec<u64> =
            selection.live.iter().map(|&id| self.classes[id as usize].value.exact[0].without_sign()).collect();
        values.sort_unstable();
        values.iter().fold(0, |hash, value| (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23))
    }
}

impl Graph {
    /// The program for these results, each value computed the first way that was found. The signature has names, inputs, outputs and
    /// parameters; its inputs and parameters are those of the graph, in the order in which they were made. Checks come with their margins.
    pub fn program(&self, signature: Program, results: &[Expr<'_>], checks: &[(Expr<'_>, Check)]) -> Program {
        let inner = self.inner.borrow();
        let outputs = classes(results.iter().copied().chain(checks.iter().map(|check| check.0)));
        match inner.selection(&outputs, None) {
            Some(selection) => inner.emit(&selection, signature, results, checks),
            None => Program::default(), // first ways never depend on themselves
        }
    }
}

/// The classes among these values.
pub(crate) fn classes<'g>(values: impl Iterator<Item = Expr<'g>>) -> Vec<Id> {
    let mut all: Vec<Id> = values.filter_map(|value| value.class().ok().map(|(_, id)| id)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Inner {
    /// The program of a choice.
    pub fn emit(
        &self,
        selection: &Selection,
        signature: Program,
        results: &[Expr<'_>],
        checks: &[(Expr<'_>, Check)],
    ) -> Program {
        let quantities = signature.inputs.iter().chain(&signature.outputs).map(|quantity| quantity.name.clone());
        let taken = quantities.chain(signature.parameters.iter().map(|p| p.name.clone())).collect();
        let mut emitter = Emitter { inner: self, values: HashMap::new(), program: signature, taken };
        let order = selection.live.iter().filter(|&&id| self.is_constant(id));
        for &id in order.chain(selection.live.iter().filter(|&&id| !self.is_constant(id))) {
            emitter.step(id, selection.way[id as usize]);
        }
        let results = results.iter().map(|&e| emitter.expr(e)).collect();
        let checks =
            checks.iter().map(|(margin, check)| Check { margin: emitter.expr(*margin), ..check.clone() }).collect();
        Program { results, checks, ..emitter.program }
    }

    fn is_constant(&self, id: Id) -> bool {
        self.classes[id as usize].is_constant()
    }
}

struct Emitter<'i> {
    inner: &'i Inner,
    values: HashMap<Id, Value>,
    program: Program,
    taken: HashSet<String>,
}

impl Emitter<'_> {
    fn expr(&self, expr: Expr<'_>) -> Value {
        match expr.class() {
            Ok((negated, id)) => {
                let value = self.values[&id];
                Value { negated: value.negated != negated, ..value }
            }
            Err(number) => Value::number(number.as_f64()),
        }
    }

    fn operand(&self, operand: Operand) -> Value {
        match operand {
            Operand::Number(place) => Value::number(self.inner.numbers[place as usize].as_f64()),
            Operand::Class(id) => self.values[&id],
        }
    }

    fn step(&mut self, id: Id, way: u16) {
        let way = self.inner.classes[id as usize].ways[way as usize];
        let at = |operand: Operand| self.operand(operand);
        // A sum of two negatives is the negative of a sum; the sign of a product is kept outside.
        let sum = |mut a: Value, mut b: Value| {
            let flip = a.negated && b.negated;
            (a.negated, b.negated) = (a.negated && !flip, b.negated && !flip);
            (Operation::Add(a, b), flip)
        };
        let (operation, flip) = match way.op {
            Op::Input(number) => {
                let value = Value { negated: way.negated, place: self.input(number) };
                self.values.insert(id, value);
                return;
            }
            Op::Add(a, b) => sum(at(a), at(b)),
            Op::Sub(Operand::ZERO, a) => (Operation::Neg(at(a)), false),
            Op::Sub(a, b) => sum(at(a), at(b).minus()),
            Op::Mul(a, b) => (Operation::Mul(at(a).unsigned(), at(b).unsigned()), at(a).negated != at(b).negated),
            Op::Div(a, b) => (Operation::Div(at(a).unsigned(), at(b).unsigned()), at(a).negated != at(b).negated),
            Op::Sin(a) => (Operation::Sin(at(a).unsigned()), at(a).negated),
            Op::Cos(a) => (Operation::Cos(at(a).unsigned()), false),
            Op::Sqrt(a) => (Operation::Sqrt(at(a)), false),
            Op::Atan2(a, b) => (Operation::Atan2(at(a), at(b)), false),
            Op::Tanh(a) => (Operation::Tanh(at(a).unsigned()), at(a).negated),
            Op::Exp(a) => (Operation::Exp(at(a)), false),
            Op::SelectLt(all) => (Operation::SelectLt(all.map(at)), false),
        };
        let name = self.name(&operation);
        self.taken.insert(name.clone());
        let place = ValueSource::Step(self.program.steps.len());
        self.program.steps.push(Step { name, operation, constant: self.inner.is_constant(id) });
        self.values.insert(id, Value { negated: flip != way.negated, place });
    }

    fn input(&self, number: u32) -> ValueSource {
        let inputs = &self.inner.inputs;
        let parameter = inputs[number as usize].group == Group::Parameter;
        let before = inputs[..number as usize].iter().filter(|i| (i.group == Group::Parameter) == parameter).count();
        if parameter { ValueSource::Parameter(before) } else { ValueSource::Input(before) }
    }

    /// `s23` for sin(q2 + q3), else a number.
    fn name(&self, operation: &Operation) -> String {
        let wanted = match operation {
            Operation::Sin(a) => self.angle(*a).map(|joints| format!("s{joints}")),
            Operation::Cos(a) => self.angle(*a).map(|joints| format!("c{joints}")),
            _ => None,
        };
        match wanted {
            Some(name) if !self.taken.contains(&name) => name,
            _ => (self.program.steps.len() + 1..)
                .map(|k| format!("t{k}"))
                .find(|name| !self.taken.contains(name))
                .unwrap_or_default(),
        }
    }

    /// The joints whose sum an angle is: `23`.
    fn angle(&self, angle: Value) -> Option<String> {
        match angle.place {
            ValueSource::Input(index) => {
                let (quantity, index) = self.program.input(index)?;
                (quantity.name == "q").then(|| (index + 1).to_string())
            }
            ValueSource::Step(index) => match self.program.steps[index].operation {
                Operation::Add(a, b) if !a.negated && !b.negated => Some(self.angle(a)? + &self.angle(b)?),
                _ => None,
            },
            ValueSource::Number(_) | ValueSource::Parameter(_) => None,
        }
    }
}
