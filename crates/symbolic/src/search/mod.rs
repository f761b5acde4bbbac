//! The search for the cheapest program of an arm's torque, mass matrix or gravity.
//!
//! 1. Choose frames, the freedoms of grouped parameters and the unit of length (`plan`), so that the recursion with these
//!    constants has the fewest operations left: descent over single choices, then annealing.
//! 2. Polish the programs of the best plans: look for other ways to the same values (`rewrite`) and take the cheapest
//!    (`extract`), by annealing again.
//!
//! The numbers of trials are fixed and so is the sequence of random numbers: the same arm gives the same program everywhere.

mod arm;
mod frames;
mod gravity;
mod mass;
mod plan;
mod torque;

use crate::extract::{Random, Selection, classes};
use crate::graph::{Graph, Inner};
use crate::of::Of;
use crate::program::Check;
use crate::target::{Target, UNIT};
use crate::{Expr, Group, Program};
use arm::SymbolicArm;
use dalembert_core::chain::Chain;
use dalembert_core::{Scalar, Vec3};
use plan::LumpingPlan;
use std::collections::{BTreeMap, HashMap};
use torque::JointVariables;

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Plans tried by annealing.
    pub plans: usize,
    /// Plans polished a little.
    pub shortlist: usize,
    /// Plans polished thoroughly.
    pub finalists: usize,
    /// Rounds of polishing.
    pub rounds: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { plans: 6000, shortlist: 20, finalists: 6, rounds: 14 }
    }
}

impl Effort {
    /// Less of everything for programs of more than a few hundred operations, whose every trial takes longer: the time stays
    /// about the same.
    fn scaled(self, operations: u32) -> Self {
        let scale = (400.0 / f64::from(operations.max(1))).powf(1.5).min(1.0);
        let part = |count: usize, least: usize| ((count as f64 * scale) as usize).max(least.min(count));
        Self {
            plans: part(self.plans, 0),
            shortlist: part(self.shortlist, 2),
            finalists: part(self.finalists, 1),
            rounds: ((self.rounds as f64 * scale.sqrt()) as usize).max(self.rounds.min(4)),
        }
    }

    /// No search: the base parameters, polished once.
    pub const QUICK: Self = Self { plans: 0, shortlist: 1, finalists: 1, rounds: 3 };
}

/// Joint variables.
fn row<'g>(graph: &'g Graph, random: &mut Random, name: &str, group: Group, length: usize) -> Vec<Expr<'g>> {
    (0..length).map(|i| graph.input(&format!("{name}{}", i + 1), group, 3.0 * random.signed())).collect()
}

/// Torques with those of the springs.
fn sprung<'g>(arm: &SymbolicArm<'g>, state: &JointVariables<'g>, mut torque: Vec<Expr<'g>>) -> Vec<Expr<'g>> {
    for (i, link) in arm.links.iter().enumerate() {
        if let Some(spring) = link.spring {
            torque[i] = torque[i] + spring.torque(state.q[i]);
        }
    }
    torque
}

struct ArmSearch<'s> {
    make: &'s dyn for<'g> Fn(&'g Graph) -> SymbolicArm<'g>,
    joints: usize,
    of: Of,
    target: Target,
    /// Cost and kind of the arms that were tried: arms of one kind have the same program.
    costs: HashMap<u64, (u32, u64)>,
}

impl ArmSearch<'_> {
    /// The results of a plan as expressions; `None` where the plan makes no sense, or was seen before.
    fn build<'g>(&self, graph: &'g Graph, plan: &LumpingPlan) -> Option<(SymbolicArm<'g>, JointVariables<'g>)> {
        let mut random = Random::new(1);
        let n = self.joints;
        let q = row(graph, &mut random, "q", Group::Position, n);
        let still = || vec![Expr::zero(); n];
        let moving = !matches!(self.of, Of::Mass | Of::Gravity);
        let qd = if moving { row(graph, &mut random, "qd", Group::Velocity, n) } else { still() };
        let qdd = match self.of {
            Of::Torque => row(graph, &mut random, "qdd", Group::Acceleration, n),
            _ => still(),
        };
        let mut arm = (self.make)(graph);
        // Pairs are a matter of accelerations.
        if !moving && plan.pairs.iter().any(|pair| *pair != 0) {
            return None;
        }
        match self.of {
            Of::Gravity => arm.weigh(),
            Of::Coriolis => arm.gravity = Vec3::zero(),
            _ => {}
        }
        Some((plan.apply(arm)?, JointVariables { q, qd, qdd }))
    }

    fn results<'g>(&self, arm: &SymbolicArm<'g>, state: &JointVariables<'g>, plan: &LumpingPlan) -> Vec<Expr<'g>> {
        match self.of {
            Of::Mass => mass::mass_matrix(arm, &state.q, plan),
            Of::Gravity => sprung(arm, state, gravity::gravity_torque(arm, &state.q, plan)),
            _ => {
                let mut torque = torque::torque(arm, state, plan);
                if self.of != Of::Coriolis {
                    torque = sprung(arm, state, torque);
                }
                for (i, link) in arm.links.iter().enumerate() {
                    if let Some(friction) = link.friction {
                        torque[i] = torque[i] + friction.torque(state.qd[i]);
                    }
                }
                torque
            }
        }
    }

    /// What the program of a plan costs before it is polished, and its kind.
    fn cost(&mut self, plan: &LumpingPlan) -> Option<(u32, u64)> {
        let graph = Graph::for_target(self.target);
        let (arm, state) = self.build(&graph, plan)?;
        let key = plan.key(&arm);
        if let Some(&cost) = self.costs.get(&key) {
            return Some(cost);
        }
        let results = self.results(&arm, &state, plan);
        let outputs = classes(results.iter().copied());
        let mut inner = graph.inner.borrow_mut();
        let mut selection = inner.selection(&outputs, None)?;
        inner.expand_angles(&selection);
        selection = inner.selection(&outputs, Some(selection.way))?;
        inner.improve(&outputs, &mut selection, &mut Random::new(2), 2);
        let cost = (selection.cost, inner.kind(&selection));
        self.costs.insert(key, cost);
        Some(cost)
    }

    fn polished(&self, plan: &LumpingPlan, rounds: usize, seed: u64, signature: &Program) -> Option<(u32, Program)> {
        let graph = Graph::for_target(self.target);
        let (arm, state) = self.build(&graph, plan)?;
        let results = self.results(&arm, &state, plan);
        let selection = polish(&graph, &results, &[], rounds, seed)?;
        let cost = selection.cost;
        Some((cost, graph.inner.borrow().emit(&selection, signature.clone(), &results, &[])))
    }

    /// Plans from the cheapest on, at most `limit`.
    fn plans(&mut self, annealed: usize, limit: usize, progress: &mut dyn FnMut(f64)) -> Vec<LumpingPlan> {
        let start = LumpingPlan::new(self.joints);
        let Some((mut cost, kind)) = self.cost(&start) else { return vec![start] };
        // By cost and kind: one plan of each.
        let mut found: BTreeMap<(u32, u64), LumpingPlan> = BTreeMap::new();
        let mut best = start.clone();
        found.insert((cost, kind), start.clone());
        if annealed == 0 {
            return vec![start];
        }
        // Descent.
        loop {
            let before = cost;
            for other in best.clone().neighbours() {
                let Some((c, kind)) = self.cost(&other) else { continue };
                if c < cost {
                    (cost, best) = (c, other);
                    found.insert((c, kind), best.clone());
                }
            }
            if cost == before {
                break;
            }
        }
        // Annealing, from the best and from the start.
        const RUNS: usize = 4;
        let mut random = Random::new(7);
        for run in 0..RUNS {
            progress(0.4 * run as f64 / RUNS as f64);
            let (mut now, mut now_cost) =
                if run % 2 == 0 { (best.clone(), cost) } else { (start.clone(), u32::MAX / 2) };
            let steps = annealed / RUNS;
            for step in 0..steps {
                let mut other = now.neighbour(&mut random);
                if random.below(3) == 0 {
                    other = other.neighbour(&mut random);
                }
                let Some((c, kind)) = self.cost(&other) else { continue };
                let heat = 6.0 * f64::from(UNIT) * (1.0 - step as f64 / steps as f64);
                let allowed = heat * (random.signed() * random.signed()).abs();
                if f64::from(c) <= f64::from(now_cost) + allowed {
                    (now, now_cost) = (other, c);
                    if c <= cost + 3 * UNIT {
                        found.entry((c, kind)).or_insert_with(|| now.clone());
                    }
                    if c < cost {
                        (cost, best) = (c, now.clone());
                    }
                }
            }
        }
        found.into_values().take(limit).collect()
    }
}

/// The cheapest program that is found for an arm, best first, then others that may be numerically better.
///
/// `make` gives the arm in a graph: its parameters as numbers, or as inputs of the group [`Group::Parameter`]. The inputs
/// of the program are q, then q̇ and q̈ as far as it depends on them. Only torque, bias, Coriolis torques, mass matrix (all n² entries by rows)
/// and gravity are searched for.
pub fn cheapest_serial(
    make: &dyn for<'g> Fn(&'g Graph) -> Chain<Expr<'g>>,
    of: Of,
    signature: &Program,
    target: Target,
    effort: Effort,
    progress: &mut dyn FnMut(f64),
) -> Vec<Program> {
    fn lumped<'g>(arm: &Chain<Expr<'g>>) -> SymbolicArm<'g> {
        SymbolicArm::new(arm.links(), arm.parameters().whole.base_gravity())
    }
    if !matches!(of, Of::Torque | Of::Bias | Of::Coriolis | Of::Mass | Of::Gravity) {
        return Vec::new();
    }
    let joints = make(&Graph::new()).joints();
    let make: &dyn for<'g> Fn(&'g Graph) -> SymbolicArm<'g> = &|graph| lumped(&make(graph));
    let mut search = ArmSearch { make, joints, of, target: Target::Count, costs: HashMap::new() };
    let effort = match search.cost(&LumpingPlan::new(joints)) {
        Some((cost, _)) => effort.scaled(cost / UNIT),
        None => effort,
    };
    search = ArmSearch { target, costs: HashMap::new(), ..search };
    let plans = search.plans(effort.plans, effort.shortlist.max(1), progress);
    if let [plan] = &plans[..] {
        return search.polished(plan, effort.rounds, SEED, signature).map(|(_, program)| program).into_iter().collect();
    }
    let mut short: Vec<(u32, usize)> = Vec::new();
    for (i, plan) in plans.iter().enumerate() {
        progress(0.4 + 0.3 * i as f64 / plans.len() as f64);
        if let Some((cost, _)) = search.polished(plan, effort.rounds.min(3), SEED, signature) {
            short.push((cost, i));
        }
    }
    short.sort_unstable();
    let mut programs: Vec<(u32, Program)> = Vec::new();
    let mut best = 0;
    for (k, &(_, i)) in short.iter().take(effort.finalists.max(1)).enumerate() {
        progress(0.7 + 0.3 * k as f64 / effort.finalists.max(1) as f64);
        if let Some((cost, program)) = search.polished(&plans[i], effort.rounds, SEED, signature) {
            if programs.iter().all(|(other, _)| cost < *other) {
                best = i;
            }
            programs.push((cost, program));
        }
    }
    // The best once more, with other chances.
    for again in 1..effort.finalists.min(4) as u64 {
        programs.extend(search.polished(&plans[best], effort.rounds, SEED + again, signature));
    }
    // Never more expensive than without a search.
    programs.extend(search.polished(&LumpingPlan::new(joints), effort.rounds.min(3), SEED, signature));
    programs.sort_by_key(|(cost, _)| *cost);
    programs.into_iter().map(|(_, program)| program).collect()
}

/// Values in the graph of a small program.
const SMALL: usize = 1200;

/// Operations of a long program.
const LONG: usize = 2000;

/// Values of a program that is short enough to be gone through again and again.
const SHORT: usize = 700;

/// Where the random numbers of polishing begin.
const SEED: u64 = 3;

/// Least exchanges of ways that a round of polishing tries.
const STEPS: usize = 10_000;

/// What an exchange may cost at first.
const HEAT: u32 = 5 * UNIT / 2;

/// Looks for cheaper ways to these results.
fn polish(graph: &Graph, results: &[Expr<'_>], checks: &[Expr<'_>], rounds: usize, seed: u64) -> Option<Selection> {
    let outputs = classes(results.iter().chain(checks).copied());
    let mut inner = graph.inner.borrow_mut();
    let inner: &mut Inner = &mut inner;
    let mut random = Random::new(seed);
    let mut selection = inner.selection(&outputs, None)?;
    inner.improve(&outputs, &mut selection, &mut random, 2);
    let mut best = selection.clone();
    // The time of a round grows faster than the program.
    let rounds = Effort { rounds, ..Effort::default() }.scaled(selection.live.len() as u32).rounds;
    let steps = STEPS.max(10 * selection.live.len());
    for round in 0..rounds {
        if round % 3 != 2 {
            inner.rewrite(&selection);
        }
        inner.regroup(&selection, &outputs);
        // The pairs of a long program take long.
        if round % 3 == 0 && (rounds > Effort::QUICK.rounds || selection.live.len() <= LONG) {
            inner.pair(&selection);
        }
        inner.improve(&outputs, &mut selection, &mut random, 3);
        if selection.cost <= best.cost {
            best = selection.clone();
        }
        // Every round adds ways; annealing makes use of them.
        inner.anneal(&outputs, &mut selection, &mut random, steps, HEAT);
        inner.improve(&outputs, &mut selection, &mut random, 2);
        if selection.cost <= best.cost {
            best = selection.clone();
        } else if selection.cost > best.cost + 2 * UNIT {
            selection = best.clone();
        }
    }
    // What the last round has found has other ways too.
    let mut before = u32::MAX;
    while best.cost < before && best.live.len() <= SHORT {
        before = best.cost;
        for _ in 0..rounds.min(3) {
            selection = best.clone();
            inner.rewrite(&selection);
            inner.regroup(&selection, &outputs);
            inner.pair(&selection);
            inner.improve(&outputs, &mut selection, &mut random, 3);
            if selection.cost <= best.cost {
                best = selection;
            }
        }
    }
    Some(best)
}

impl Graph {
    /// The cheapest program that is found for these results, after so many rounds of polishing.
    pub fn cheapest(
        &self,
        signature: Program,
        results: &[Expr<'_>],
        checks: &[(Expr<'_>, Check)],
        rounds: usize,
    ) -> Program {
        let margins: Vec<Expr<'_>> = checks.iter().map(|check| check.0).collect();
        // Small programs several times: what one attempt has found is known to the next.
        let attempts = if self.len() <= SMALL { 1 + rounds as u64 / 4 } else { 1 };
        let found = (0..attempts).filter_map(|again| polish(self, results, &margins, rounds, SEED + again));
        match found.min_by_key(|selection| selection.cost) {
            Some(selection) => self.inner.borrow().emit(&selection, signature, results, checks),
            None => self.program(signature, results, checks),
        }
    }
}
