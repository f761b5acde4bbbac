//! Parameters as symbols: how each is called, what it is, and the values it is tried with. Names, meanings and units are those of
//! the tables that the families visit.

use crate::expr::Expr;
use crate::extract::Random;
use crate::graph::{Graph, Group};
use crate::program::{Program, ProgramParameter, Quantity};
use dalembert_core::Scalar;
use dalembert_core::algebra::Angle;
use dalembert_core::chain::ChainParameters;
use dalembert_core::delta::Parameters;
use dalembert_core::friction::{self, Friction};
use dalembert_core::parameter::{Field, Place, Slot, Unit, Visit};
use dalembert_core::serial::Joint;

/// A parameter by name.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub name: String,
    pub meaning: String,
    pub unit: &'static str,
}

impl Symbol {
    /// `mark` distinguishes parts, `whose` names the part, where there are several.
    pub fn of(field: &Field, place: Place, mark: &str, whose: &str, slides: bool) -> Self {
        let component = place.component.and_then(|k| field.components.get(k)).copied().unwrap_or("");
        let meaning: Vec<&str> = [field.name, whose, component].into_iter().filter(|word| !word.is_empty()).collect();
        let unit = field.unit.si(slides);
        Self {
            name: format!("{}{component}{mark}", field.symbol),
            meaning: meaning.join(", "),
            unit: if unit.is_empty() { "1" } else { unit },
        }
    }
}

/// The symbols of a graph, and for each two other values to try it with.
pub(super) struct Symbols<'g> {
    graph: &'g Graph,
    made: Vec<(ProgramParameter, Expr<'g>, [f64; 2])>,
}

impl<'g> Symbols<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        Self { graph, made: Vec::new() }
    }

    /// The symbol with this name, made where it is new; zero stays zero.
    pub fn expr(&mut self, symbol: Symbol, value: f64, random: &mut Random) -> Expr<'g> {
        if value == 0.0 {
            return Expr::from_f64(0.0);
        }
        if let Some(known) = self.made.iter().find(|made| made.0.name == symbol.name) {
            return known.1;
        }
        // Near enough that what is possible for the robot is possible for these, and no two in a ratio by chance.
        let samples = [0, 1].map(|_| value * (1.0 + 0.05 * random.signed()));
        let expr = self.graph.input(&symbol.name, Group::Parameter, samples[0]);
        let parameter =
            ProgramParameter { name: symbol.name, meaning: symbol.meaning, unit: symbol.unit.into(), value };
        self.made.push((parameter, expr, samples));
        expr
    }

    /// One of the other values of a symbol.
    pub fn sample(&self, name: &str, value: f64, point: usize) -> f64 {
        self.made.iter().find(|made| made.0.name == name).map_or(value, |made| made.2[point])
    }

    /// The values that a program's parameters have at one of these points, or in the robot file.
    pub fn values(&self, program: &Program, point: Option<usize>) -> Vec<f64> {
        let value = |p: &ProgramParameter| point.map_or(p.value, |point| self.sample(&p.name, p.value, point));
        program.parameters.iter().map(value).collect()
    }

    pub fn parameters(&self) -> Vec<ProgramParameter> {
        self.made.iter().map(|made| made.0.clone()).collect()
    }

    /// In the same order.
    pub fn expressions(&self) -> Vec<Expr<'g>> {
        self.made.iter().map(|made| made.1).collect()
    }
}

/// Something that makes a number of a symbol and its value.
pub(super) type Make<'m, T> = dyn FnMut(Symbol, f64) -> T + 'm;

/// Within an arm, a link or the whole robot these are made first, in this order, and the others as they are visited. What the
/// search for the fewest operations finds depends on the order.
const FIRST: [&str; 13] = ["rb", "rp", "alpha", "a", "d", "theta", "g", "mp", "ml", "e", "c", "i", "m"];

/// Sets what `visit_made` visits to what is made from the symbols of what `visit_given` visits. Without a symbol a number stays as
/// it is; so does a quarter turn, since those make the structure of an arm.
fn make_all<T: Scalar>(
    visit_given: impl FnOnce(&mut Visit<'_, f64>),
    visit_made: impl FnOnce(&mut Visit<'_, T>),
    symbol: impl Fn(&Field, Place) -> Option<Symbol>,
    make: &mut Make<'_, T>,
) {
    let mut given: Vec<(&Field, Place, f64)> = Vec::new();
    visit_given(&mut |field, place, slot| {
        let value = match slot {
            Slot::Number(value) => Some(*value),
            Slot::Angle(angle) => Some(angle.radians()).filter(|_| angle.cos != 0.0 && angle.sin != 0.0),
            Slot::Rotation(_) => None,
        };
        given.push((field, place, value.unwrap_or(f64::NAN)));
    });
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|&k| {
        let (field, place, _) = given[k];
        let rank = FIRST.iter().position(|first| *first == field.symbol).unwrap_or(FIRST.len());
        (place.part.unwrap_or(usize::MAX), rank)
    });
    // Of an angle its cosine and sine, so that they are made with it.
    let mut made: Vec<Option<Angle<T>>> = vec![None; given.len()];
    for k in order {
        let (field, place, value) = given[k];
        if let Some(symbol) = symbol(field, place).filter(|_| !value.is_nan()) {
            let number = make(symbol, value);
            made[k] = Some(match field.unit {
                Unit::Angle => {
                    let (sin, cos) = number.sin_cos();
                    Angle { cos, sin }
                }
                _ => Angle { cos: number, sin: number },
            });
        }
    }
    let mut made = made.into_iter();
    visit_made(&mut |_, _, slot| match (slot, made.next().flatten()) {
        (Slot::Number(number), Some(made)) => *number = made.cos,
        (Slot::Angle(angle), Some(made)) => *angle = made,
        _ => {}
    });
}

/// The friction at a joint (from 0) with every number made from its symbol.
pub(super) fn friction<T: Scalar>(
    given: &Friction<f64>,
    joint: usize,
    slides: bool,
    make: &mut Make<'_, T>,
) -> Friction<T> {
    let (mut given, mut made) = (*given, given.map(T::from_f64));
    let (place, number) = (Place::part(joint), (joint + 1).to_string());
    make_all(
        |visit| given.visit(&friction::FIELDS, place, visit),
        |visit| made.visit(&friction::FIELDS, place, visit),
        |field, place| Some(Symbol::of(field, place, &number, &format!("joint {number}"), slides)),
        make,
    );
    made
}

/// The parameters of an arm with every number made from its symbol.
pub(super) fn serial<T: Scalar>(given: &ChainParameters<f64>, make: &mut Make<'_, T>) -> ChainParameters<T> {
    let mut made = given.map(T::from_f64);
    let symbol = |field: &Field, place: Place| {
        let mark = if field.key.starts_with("payload.") { "p" } else { "" };
        let Some(link) = place.part else { return Some(Symbol::of(field, place, mark, "", false)) };
        let (number, own) = (format!("{mark}{}", link + 1), &given.links[link].link);
        // The ratio counts where a rotor is counted, the direction of its axis is structure.
        let constant = field.key == "armature.axis" || (field.key == "gear_ratio" && own.armature.is_none());
        let slides = own.joint == Joint::Prismatic;
        (!constant).then(|| Symbol::of(field, place, &number, &format!("link {}", link + 1), slides))
    };
    make_all(|visit| given.clone().visit(visit), |visit| made.visit(visit), symbol, make);
    made
}

/// The parameters of a Delta robot with every number made from its symbol; one symbol for what the arms share. Their directions
/// stay numbers.
pub(super) fn delta<T: Scalar>(given: &Parameters<f64>, make: &mut Make<'_, T>) -> Parameters<T> {
    let mut made = given.lift();
    let mut values: Vec<(&str, f64)> = Vec::new();
    { *given }.visit(&mut |field, place, slot| {
        if let (Slot::Number(value), Some(_)) = (slot, place.part) {
            values.push((field.key, *value));
        }
    });
    let symbol = |field: &Field, place: Place| {
        if field.unit == Unit::Angle {
            return None;
        }
        let of_arms: Vec<f64> = values.iter().filter(|(key, _)| *key == field.key).map(|(_, value)| *value).collect();
        // Losses are each motor's own.
        let loss = matches!(field.unit, Unit::Damping | Unit::Torque | Unit::Speed);
        let shared = !loss && of_arms.len() == given.arms.len() && of_arms.iter().all(|value| *value == of_arms[0]);
        Some(match place.part.filter(|_| !shared) {
            Some(arm) => Symbol::of(field, place, &(arm + 1).to_string(), &format!("arm {}", arm + 1), false),
            None => Symbol::of(field, place, "", "", false),
        })
    };
    make_all(|visit| { *given }.visit(visit), |visit| made.visit(visit), symbol, make);
    made
}

/// Angles that are numbers, as points that are exactly on the circle.
pub(super) fn on_circle<'g>(visit: impl FnOnce(&mut Visit<'_, Expr<'g>>)) {
    visit(&mut |_, _, slot| {
        if let Slot::Angle(angle) = slot
            && let (Some(sin), Some(cos)) = (angle.sin.as_number(), angle.cos.as_number())
        {
            (angle.sin, angle.cos) = Expr::on_circle(sin, cos);
        }
    });
}

/// The inputs of a program in a graph, with their values at the sample point.
pub(super) fn inputs<'g>(graph: &'g Graph, quantities: &[Quantity], point: &[f64]) -> Vec<Expr<'g>> {
    let mut all = Vec::new();
    for quantity in quantities {
        for k in 0..quantity.length {
            let sample = point[all.len()];
            all.push(graph.input(&format!("{}{}", quantity.name, k + 1), group(&quantity.name), sample));
        }
    }
    all
}

/// How the inputs of a program are grouped.
fn group(name: &str) -> Group {
    match name {
        "q" | "x" | "position" | "rotation" => Group::Position,
        "qd" | "v" => Group::Velocity,
        _ => Group::Acceleration,
    }
}
