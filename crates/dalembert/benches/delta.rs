//! Speed of the Delta models, in one run: `cargo bench -p dalembert`.
//!
//! The baselines are in the same run: the other models, a straightforward nalgebra implementation of the same exact
//! model, and the peak multiply–add rate of this core (`peak`, with its flop count in the throughput).
#![allow(missing_docs, unsafe_code)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dalembert::delta::{Branch, Delta, ModelName};
use dalembert::robot::{Pick, Robot, ToolState};
use dalembert::scalar::Lanes;
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots};
use std::hint::black_box;

#[path = "common/peak.rs"]
mod peak;
#[path = "../tests/common/straightforward.rs"]
mod straightforward;

const ROWS: usize = 1024;

/// The same states by columns and by rows: position, velocity, acceleration, torque.
struct States {
    columns: [[Vec<f64>; 3]; 4],
    rows: Vec<[Vec3<f64>; 4]>,
}

impl States {
    fn new(robot: &Delta<f64>, depth: f64) -> Self {
        let mut columns: [[Vec<f64>; 3]; 4] = Default::default();
        let mut rows = Vec::new();
        for row in 0..ROWS {
            let phase = |k: f64| (row as f64 * k).sin();
            let position = Vec3::new(0.15 * phase(0.7), 0.15 * phase(1.3), depth + 0.05 * phase(2.1));
            let velocity = Vec3::new(3.0 * phase(0.3), 3.0 * phase(0.5), 2.0 * phase(0.9));
            let acceleration = Vec3::new(50.0 * phase(0.2), 50.0 * phase(0.4), 30.0 * phase(0.6));
            let torque = robot.pose_unchecked(position, Branch::Out).moving(velocity).torque(acceleration);
            rows.push([position, velocity, acceleration, Vec3(torque)]);
            for (group, v) in columns.iter_mut().zip([position, velocity, acceleration, Vec3(torque)]) {
                for (column, x) in group.iter_mut().zip(v.0) {
                    column.push(x);
                }
            }
        }
        Self { columns, rows }
    }

    fn group(&self, k: usize) -> [&[f64]; 3] {
        [0, 1, 2].map(|i| self.columns[k][i].as_slice())
    }
}

/// One state after the other, each a call of its own: through a pointer, so that nothing of it is inlined into this loop, or
/// computed for several states at once. It is what a caller elsewhere gets.
fn one_by_one(states: &States, f: &dyn Fn(&[Vec3<f64>; 4]) -> Vec3<f64>) {
    let f = black_box(f);
    for row in black_box(&states.rows) {
        black_box(f(black_box(row)));
    }
}

fn bench(c: &mut Criterion) {
    let robot = robots::d3_1200().expect("built-in robot").delta;
    let states = States::new(&robot, -0.85);
    let symmetric = robot.symmetric().expect("d3-1200 is symmetric");
    let mut out: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; ROWS]);
    let exact = Robot::find("d3-1200").expect("built-in robot").build_model("exact").expect("it always applies");

    let mut group = c.benchmark_group("peak");
    group.throughput(Throughput::Elements(peak::FLOPS)); // flops
    group.bench_function("multiply-add", |b| b.iter(peak::peak));
    group.finish();

    let mut group = c.benchmark_group("torque");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("batch", |b| {
        b.iter(|| {
            let groups = [0, 1, 2].map(|k| states.group(k));
            exact.torques(groups.each_ref().map(|group| &group[..]), &mut out.each_mut().map(Vec::as_mut_slice))
        });
    });
    group.bench_function("single, exact, symmetric", |b| {
        b.iter(|| one_by_one(&states, &|&[x, v, a, _]| Vec3(symmetric.torque(x, v, a))));
    });
    group.bench_function("single, exact, any robot", |b| {
        b.iter(|| one_by_one(&states, &|&[x, v, a, _]| Vec3(robot.pose_unchecked(x, Branch::Out).moving(v).torque(a))));
    });
    let whole = Robot::find("d3-1200").expect("built-in robot");
    group.bench_function("single, exact, checked, through Robot and Model", |b| {
        b.iter(|| {
            one_by_one(&states, &|&[x, v, a, _]| {
                let state = whole.at_tool(&ToolState::translating(x, v, a), &Pick::default()).expect("within reach");
                let torque = exact.torque(&state, Wrench::zero());
                Vec3::new(torque[0], torque[1], torque[2])
            })
        });
    });
    let nalgebra = straightforward::Robot::new(robot.parameters());
    group.bench_function("single, exact, straightforward nalgebra", |b| {
        b.iter(|| one_by_one(&states, &|&[x, v, a, _]| Vec3(nalgebra.torque(x.0, v.0, a.0))));
    });
    for name in ModelName::ALL.into_iter().skip(1) {
        let model = name.build(robot.parameters());
        let model = model.as_model();
        group.bench_with_input(BenchmarkId::new("single", name.as_str()), &(), |b, ()| {
            b.iter(|| {
                one_by_one(&states, &|&[x, v, a, _]| {
                    Vec3(model.torque(&robot.pose_unchecked(x, Branch::Out).moving(v), a, Vec3::zero()))
                })
            });
        });
    }
    // Four states as one number: convenient, and bit-equal, but the compiler vectorises the plain loop better.
    let lanes = robot.symmetric_lifted::<Lanes<4>>().expect("d3-1200 is symmetric");
    group.bench_function("lanes of 4", |b| {
        b.iter(|| {
            let mut sum = Vec3::zero();
            for start in (0..ROWS).step_by(4) {
                let load = |k: usize| {
                    Vec3([0, 1, 2].map(|i| Lanes::<4>(std::array::from_fn(|l| states.columns[k][i][start + l]))))
                };
                sum = sum + Vec3(lanes.torque(load(0), load(1), load(2)));
            }
            sum
        });
    });
    group.finish();

    let mut group = c.benchmark_group("acceleration");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("batch", |b| {
        b.iter(|| {
            let groups = [0, 1, 3].map(|k| states.group(k));
            exact.accelerations(groups.each_ref().map(|group| &group[..]), &mut out.each_mut().map(Vec::as_mut_slice))
        });
    });
    group.bench_function("single, symmetric", |b| {
        b.iter(|| one_by_one(&states, &|&[x, v, _, tau]| symmetric.acceleration(x, v, tau.0)));
    });
    group.finish();
}

criterion_group! {
    name = delta;
    config = Criterion::default().without_plots().sample_size(50);
    targets = bench
}
criterion_main!(delta);
