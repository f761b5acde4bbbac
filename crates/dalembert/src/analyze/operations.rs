//! What an evaluation costs: counted operations and measured time, kernel by kernel and model by model, with the
//! figures that the papers give for theirs.

use super::Reach;
use crate::batch;
use crate::motion::{Direction, PickAndPlace, PlatformState};
use dalembert_core::delta::models::Exact;
use dalembert_core::delta::{AnyModel, Branch, Delta, Model, ModelDoesNotApply, ModelName, Moving};
use dalembert_core::{Count, Mat3, Operations, Scalar, Tally, Vec3};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A computation whose cost is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Pose and rates from the platform's position and velocity; the same for all models.
    Kinematics,
    /// Torques from the Cartesian state, kinematics inside.
    Torque,
    /// Torques when the kinematics are solved.
    TorqueAlone,
    /// Forward dynamics from the Cartesian state, kinematics inside.
    Acceleration,
    /// Joint-space mass matrix, pose inside.
    MassMatrix,
    /// Holding torques, pose inside.
    Gravity,
}

impl Kernel {
    /// Those that need a model.
    pub const OF_MODELS: [Self; 5] =
        [Self::Torque, Self::TorqueAlone, Self::Acceleration, Self::MassMatrix, Self::Gravity];

    /// A short name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kinematics => "kinematics",
            Self::Torque => "torque",
            Self::TorqueAlone => "torque-alone",
            Self::Acceleration => "acceleration",
            Self::MassMatrix => "mass-matrix",
            Self::Gravity => "gravity",
        }
    }
}

/// Cost of one kernel.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Which program: the name of a model, or of a kernel beside the models.
    pub program: &'static str,
    /// Which kernel.
    pub kernel: Kernel,
    /// Counted.
    pub operations: Operations,
    /// Measured, one state at a time, s; zero where nothing was measured.
    pub time: f64,
}

/// All costs for one robot.
#[derive(Clone, Debug)]
pub struct Report {
    /// Kinematics first, then model by model.
    pub costs: Vec<Cost>,
    /// Time of one evaluation of the pick-and-place motion, s.
    pub trajectory: f64,
    /// The models that cannot represent the robot.
    pub inapplicable: Vec<ModelDoesNotApply>,
}

impl Report {
    /// The cost of a program's kernel.
    pub fn cost(&self, program: &str, kernel: Kernel) -> Option<&Cost> {
        self.costs.iter().find(|cost| cost.program == program && cost.kernel == kernel)
    }
}

/// Counts and measures everything; `budget` is the time spent on each measurement, zero for none.
pub fn report(robot: &Delta<f64>, branch: Branch, budget: Duration) -> Report {
    let bench = Bench::new(robot, branch, budget);
    let mut costs = vec![Cost {
        program: Kernel::Kinematics.as_str(),
        kernel: Kernel::Kinematics,
        operations: count(robot, &bench.states[0], |robot, state, _| {
            counted(kinematics(robot, branch, state));
        }),
        time: bench.time(|state| kinematics(robot, branch, state)),
    }];
    let mut inapplicable = Vec::new();
    for name in ModelName::ALL {
        match name.applies_to(robot.parameters()) {
            Ok(()) => costs.extend(Kernel::OF_MODELS.map(|kernel| bench.model(name, kernel))),
            Err(reason) => inapplicable.push(reason),
        }
    }
    // Kernels beside the models (fast paths) are further `Cost`s, under a program name of their own.
    costs.extend(bench.symmetric());
    costs.extend(bench.batch());
    let motion = bench.motion;
    let mut t = 0.0;
    let trajectory = bench.time(|_| {
        t += 1e-4;
        motion.at(black_box(t))
    });
    Report { costs, trajectory, inapplicable }
}

/// The fast path for symmetric robots.
pub const SYMMETRIC: &str = "exact, symmetric";

/// The same for many states at once.
pub const BATCH: &str = "exact, batched";

/// A state with sine and cosine of its joints, their velocities and accelerations.
type Given = (State<f64>, [(f64, f64); 3], [f64; 3], [f64; 3]);

type BatchKernel = fn(
    &Delta<f64>,
    batch::Columns<'_>,
    batch::Columns<'_>,
    batch::Columns<'_>,
    batch::ColumnsMut<'_>,
) -> Result<(), batch::LengthMismatch>;

/// A Cartesian state over any scalar.
#[derive(Clone, Copy)]
struct State<S> {
    position: Vec3<S>,
    velocity: Vec3<S>,
    acceleration: Vec3<S>,
}

impl State<f64> {
    fn map<S>(self, mut f: impl FnMut(f64) -> S) -> State<S> {
        State {
            position: self.position.map(&mut f),
            velocity: self.velocity.map(&mut f),
            acceleration: self.acceleration.map(&mut f),
        }
    }
}

#[inline(always)]
fn kinematics<'r, S: Scalar>(robot: &'r Delta<S>, branch: Branch, state: &State<S>) -> Moving<'r, S> {
    robot.pose_unchecked(state.position, branch).moving(state.velocity)
}

#[inline(always)]
fn torque<S: Scalar>(model: &impl Model<S>, moving: &Moving<'_, S>, state: &State<S>) -> [S; 3] {
    model.torque(moving, state.acceleration, Vec3::zero())
}

/// The torque argument of the forward dynamics: its value does not matter for the cost.
#[inline(always)]
fn acceleration<S: Scalar>(model: &impl Model<S>, moving: &Moving<'_, S>, state: &State<S>) -> Vec3<S> {
    model.acceleration(moving, state.acceleration.0, Vec3::zero())
}

#[inline(always)]
fn mass_matrix<S: Scalar>(robot: &Delta<S>, model: &impl Model<S>, branch: Branch, state: &State<S>) -> Mat3<S> {
    model.mass_matrix(&robot.pose_unchecked(state.position, branch))
}

#[inline(always)]
fn gravity<S: Scalar>(robot: &Delta<S>, model: &impl Model<S>, branch: Branch, state: &State<S>) -> [S; 3] {
    model.gravity_torque(&robot.pose_unchecked(state.position, branch))
}

/// Operations that `program` does with a robot of constants and a state of variables. What it does before it takes
/// the second tally reading (`Tally::operations` at a point of its choice) is up to it.
fn count(
    robot: &Delta<f64>,
    state: &State<f64>,
    program: impl for<'t> Fn(&Delta<Count<'t>>, &State<Count<'t>>, &'t Tally),
) -> Operations {
    let tally = Tally::new();
    {
        let robot = robot.lift::<Count<'_>>();
        let state = state.map(|value| tally.variable(value));
        program(&robot, &state, &tally);
    }
    tally.operations()
}

/// The value does not matter, only what it took.
fn counted<T>(_: T) {}

/// Runs `$body` with `$m` the concrete model, so that it is compiled for each and nothing is called through a table.
macro_rules! with_model {
    ($any:expr, $m:ident => $body:expr) => {
        match $any {
            AnyModel::Exact => {
                let $m = &Exact;
                $body
            }
            AnyModel::Asadi($m) => $body,
            AnyModel::Bortoff($m) => $body,
            AnyModel::Codourey($m) => $body,
            AnyModel::CodoureySimplified($m) => $body,
            AnyModel::FalezzaComplete($m) => $body,
            AnyModel::FalezzaCompletePrinted($m) => $body,
            AnyModel::FalezzaSimplified($m) => $body,
            AnyModel::FalezzaSimplifiedPrinted($m) => $body,
        }
    };
}

/// The operations of one kernel of one model.
pub fn operations(robot: &Delta<f64>, name: ModelName, kernel: Kernel, branch: Branch) -> Operations {
    let states = Bench::new(robot, branch, Duration::ZERO).states;
    count_model(robot, name, kernel, branch, &states[0])
}

fn count_model(robot: &Delta<f64>, name: ModelName, kernel: Kernel, branch: Branch, state: &State<f64>) -> Operations {
    let whole = |kernel| {
        count(robot, state, |robot, state, _| {
            let any = name.build(robot.parameters());
            match kernel {
                Kernel::Kinematics => {
                    counted(kinematics(robot, branch, state));
                }
                Kernel::Torque | Kernel::TorqueAlone => {
                    let moving = kinematics(robot, branch, state);
                    counted(with_model!(&any, model => torque(model, &moving, state)));
                }
                Kernel::Acceleration => {
                    let moving = kinematics(robot, branch, state);
                    counted(with_model!(&any, model => acceleration(model, &moving, state)));
                }
                Kernel::MassMatrix => {
                    counted(with_model!(&any, model => mass_matrix(robot, model, branch, state)));
                }
                Kernel::Gravity => {
                    counted(with_model!(&any, model => gravity(robot, model, branch, state)));
                }
            }
        })
    };
    match kernel {
        Kernel::TorqueAlone => whole(Kernel::Torque) - whole(Kernel::Kinematics),
        _ => whole(kernel),
    }
}

/// States to measure with, and the clock.
struct Bench<'r> {
    robot: &'r Delta<f64>,
    branch: Branch,
    budget: Duration,
    motion: PickAndPlace,
    states: Vec<State<f64>>,
}

impl<'r> Bench<'r> {
    fn new(robot: &'r Delta<f64>, branch: Branch, budget: Duration) -> Self {
        let reach = Reach::of(robot);
        let motion = PickAndPlace {
            center: reach.center,
            width: reach.radius,
            height: 0.1 * reach.radius,
            duration: 0.25,
            direction: Direction::Y,
        };
        let states = (0..64).map(|k| {
            let PlatformState { position, velocity, acceleration } =
                motion.at(motion.duration * (f64::from(k) + 0.5) / 64.0);
            State { position, velocity, acceleration }
        });
        let states = states.collect();
        Self { robot, branch, budget, motion, states }
    }

    fn model(&self, name: ModelName, kernel: Kernel) -> Cost {
        let (robot, branch) = (self.robot, self.branch);
        let any = name.build(robot.parameters());
        let time = with_model!(&any, model => match kernel {
            Kernel::Kinematics => self.time(|state| kinematics(robot, branch, state)),
            Kernel::Torque => self.time(|state| torque(model, &kinematics(robot, branch, state), state)),
            Kernel::TorqueAlone => {
                let solved: Vec<_> = self.states.iter().map(|state| (kinematics(robot, branch, state), *state)).collect();
                self.time_over(&solved, |(moving, state)| torque(model, moving, state))
            }
            Kernel::Acceleration => self.time(|state| acceleration(model, &kinematics(robot, branch, state), state)),
            Kernel::MassMatrix => self.time(|state| mass_matrix(robot, model, branch, state)),
            Kernel::Gravity => self.time(|state| gravity(robot, model, branch, state)),
        });
        let operations = count_model(robot, name, kernel, branch, &self.states[0]);
        Cost { program: name.as_str(), kernel, operations, time }
    }

    /// The fast path of `exact` for symmetric robots without friction, on the usual branch. `TorqueAlone` has everything given, sine and
    /// cosine of the joints and their accelerations too, as Falezza's Table 6 assumes.
    fn symmetric(&self) -> Vec<Cost> {
        let (Some(fast), Branch::Out) = (batch::fast_path(self.robot), self.branch) else { return Vec::new() };
        let given = self.given();
        Kernel::OF_MODELS
            .map(|kernel| {
                let time = match kernel {
                    Kernel::Kinematics => 0.0,
                    Kernel::Torque => self.time(|s| fast.torque(s.position, s.velocity, s.acceleration)),
                    Kernel::TorqueAlone => self.time_over(&given, |(s, sin_cos, qd, qdd)| {
                        fast.torque_given(s.position, s.acceleration, *sin_cos, *qd, *qdd)
                    }),
                    Kernel::Acceleration => self.time(|s| fast.acceleration(s.position, s.velocity, s.acceleration.0)),
                    Kernel::MassMatrix => self.time(|s| fast.mass_matrix(s.position)),
                    Kernel::Gravity => self.time(|s| fast.gravity_torque(s.position)),
                };
                Cost { program: SYMMETRIC, kernel, operations: self.count_symmetric(kernel, &given[0]), time }
            })
            .into()
    }

    /// The states with their joints and all rates.
    fn given(&self) -> Vec<Given> {
        let full = |state: &State<f64>| {
            let moving = kinematics(self.robot, self.branch, state);
            let sin_cos = moving.pose.arms.map(|arm| (arm.sin_q, arm.cos_q));
            (*state, sin_cos, moving.joint_velocity(), moving.joint_acceleration(state.acceleration))
        };
        self.states.iter().map(full).collect()
    }

    fn count_symmetric(&self, kernel: Kernel, given: &Given) -> Operations {
        let tally = Tally::new();
        let Some(fast) = self.robot.symmetric_lifted::<Count<'_>>() else { return tally.operations() };
        let variable = |value: f64| tally.variable(value);
        let (state, sin_cos, qd, qdd) = given;
        let s = state.map(variable);
        match kernel {
            Kernel::Kinematics => {}
            Kernel::Torque => counted(fast.torque(s.position, s.velocity, s.acceleration)),
            Kernel::TorqueAlone => {
                let sin_cos = sin_cos.map(|(sin, cos)| (variable(sin), variable(cos)));
                counted(fast.torque_given(s.position, s.acceleration, sin_cos, qd.map(variable), qdd.map(variable)));
            }
            Kernel::Acceleration => counted(fast.acceleration(s.position, s.velocity, s.acceleration.0)),
            Kernel::MassMatrix => counted(fast.mass_matrix(s.position)),
            Kernel::Gravity => counted(fast.gravity_torque(s.position)),
        }
        tally.operations()
    }

    /// Many states at once ([`crate::batch`]): time per state. It runs the fast path where there is one.
    fn batch(&self) -> Vec<Cost> {
        const STATES: usize = 1024;
        let column = |pick: fn(&State<f64>) -> Vec3<f64>| {
            [0, 1, 2].map(|i| (0..STATES).map(|k| pick(&self.states[k % self.states.len()])[i]).collect::<Vec<f64>>())
        };
        let [position, velocity, acceleration] =
            [column(|s| s.position), column(|s| s.velocity), column(|s| s.acceleration)];
        let [mut a, mut b, mut c] = [0, 1, 2].map(|_| vec![0.0; STATES]);
        [(Kernel::Torque, batch::torque as BatchKernel), (Kernel::Acceleration, batch::acceleration as BatchKernel)]
            .map(|(kernel, run)| {
                let time = self.time_over(&[()], |()| {
                    let [p, v, u] = [&position, &velocity, &acceleration]
                        .map(|columns| [&columns[0][..], &columns[1][..], &columns[2][..]]);
                    run(self.robot, p, v, u, [&mut a, &mut b, &mut c])
                });
                let operations = match batch::fast_path(self.robot) {
                    Some(_) => self.count_symmetric(kernel, &self.given()[0]),
                    None => count_model(self.robot, ModelName::Exact, kernel, Branch::Out, &self.states[0]),
                };
                Cost { program: BATCH, kernel, operations, time: time / STATES as f64 }
            })
            .into()
    }

    fn time<R>(&self, program: impl FnMut(&State<f64>) -> R) -> f64 {
        self.time_over(&self.states, program)
    }

    /// Time per call, s: the best of many short runs over the inputs, so that an interrupted one does not count.
    fn time_over<I, R>(&self, inputs: &[I], mut program: impl FnMut(&I) -> R) -> f64 {
        if self.budget.is_zero() {
            return 0.0;
        }
        let mut pass = |passes: u32| {
            let start = Instant::now();
            for _ in 0..passes {
                for input in inputs {
                    black_box(program(black_box(input)));
                }
            }
            start.elapsed()
        };
        // As many passes as take about a twentieth of the budget.
        let mut passes = 1;
        while pass(passes) < self.budget / 20 && passes < 1 << 20 {
            passes *= 2;
        }
        let (begin, mut best) = (Instant::now(), Duration::MAX);
        while begin.elapsed() < self.budget {
            best = best.min(pass(passes));
        }
        best.as_secs_f64() / f64::from(passes) / inputs.len() as f64
    }
}

/// The papers' own figures.
pub mod published {
    /// A row of Falezza et al. 2022, Table 6, and of their Table 7.
    #[derive(Clone, Copy, Debug)]
    pub struct Falezza {
        /// Our name of the model.
        pub model: &'static str,
        /// Their symbol.
        pub symbol: &'static str,
        /// Additions, subtractions, multiplications, divisions, sines, cosines.
        pub operations: [u32; 6],
        /// Their O(n): factors of n, n² and n^(5/2).
        pub complexity: [u32; 3],
        /// Average and maximum frequency on a 2.5 GHz core, Hz.
        pub frequency: [f64; 2],
    }

    /// Tables 6 and 7. The printed factor 1176 of the complete model contradicts its own table: 669 + 477 = 1146.
    pub const FALEZZA: [Falezza; 2] = [
        Falezza {
            model: "falezza-simplified",
            symbol: "M_s",
            operations: [50, 27, 79, 6, 7, 9],
            complexity: [77, 85, 16],
            frequency: [32.10e3, 35.97e3],
        },
        Falezza {
            model: "falezza-complete",
            symbol: "M_f",
            operations: [669, 477, 2029, 2016, 12, 15],
            complexity: [1176, 4045, 27],
            frequency: [4.65e3, 5.02e3],
        },
    ];

    /// Asadi & Heydari 2020: "on average, the proposed method takes 105 % longer" than simplified implicit dynamics.
    pub const ASADI_RATIO: f64 = 2.05;

    /// Codourey 1998, Table 1, on a T800 transputer, s: trajectory, coordinate transformation, dynamics, mass matrix.
    pub const CODOUREY: [(&str, f64); 4] =
        [("trajectory", 149e-6), ("coordinate transformation", 244e-6), ("dynamics", 704e-6), ("mass matrix", 233e-6)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::Friction;
    use crate::robots;

    /// With friction a batch takes the general formula, and that is what is counted.
    #[test]
    fn friction_takes_the_general_formula() {
        let frictionless = robots::d3_1200().unwrap().delta;
        let mut parameters = *frictionless.parameters();
        for arm in &mut parameters.arms {
            arm.motor.friction = Some(Friction { viscous: 0.1, ..Friction::NONE });
        }
        let robot = Delta::try_new(parameters).unwrap();
        let report = |robot| report(robot, Branch::Out, Duration::ZERO);
        let (without, with) = (report(&frictionless), report(&robot));
        assert!(without.cost(SYMMETRIC, Kernel::Torque).is_some());
        assert!(with.cost(SYMMETRIC, Kernel::Torque).is_none());
        for kernel in [Kernel::Torque, Kernel::Acceleration] {
            let exact = with.cost("exact", kernel).unwrap().operations;
            assert_eq!(with.cost(BATCH, kernel).unwrap().operations, exact);
        }
    }
}
