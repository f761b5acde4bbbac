//! Speed of the Delta models, in one run: `cargo bench -p dalembert`.
//!
//! The baselines are in the same run: the other models, a straightforward nalgebra implementation of the same exact
//! model, and the peak multiply–add rate of this core (`peak`, with its flop count in the throughput).
#![allow(missing_docs, unsafe_code)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dalembert::delta::{Branch, Delta, ModelName};
use dalembert::scalar::Lanes;
use dalembert::{Vec3, batch, robots};
use std::hint::black_box;

#[path = "../tests/common/straightforward.rs"]
mod straightforward;

const ROWS: usize = 1024;

struct States {
    columns: [[Vec<f64>; 3]; 4], // position, velocity, acceleration, torque
}

impl States {
    fn new(robot: &Delta<f64>, depth: f64) -> Self {
        let mut columns: [[Vec<f64>; 3]; 4] = Default::default();
        for row in 0..ROWS {
            let phase = |k: f64| (row as f64 * k).sin();
            let position = Vec3::new(0.15 * phase(0.7), 0.15 * phase(1.3), depth + 0.05 * phase(2.1));
            let velocity = Vec3::new(3.0 * phase(0.3), 3.0 * phase(0.5), 2.0 * phase(0.9));
            let acceleration = Vec3::new(50.0 * phase(0.2), 50.0 * phase(0.4), 30.0 * phase(0.6));
            let torque = robot.pose_unchecked(position, Branch::Out).moving(velocity).torque(acceleration);
            for (group, v) in columns.iter_mut().zip([position, velocity, acceleration, torque]) {
                for (column, x) in group.iter_mut().zip(v.0) {
                    column.push(x);
                }
            }
        }
        Self { columns }
    }

    fn group(&self, k: usize) -> [&[f64]; 3] {
        [0, 1, 2].map(|i| self.columns[k][i].as_slice())
    }

    fn row(&self, k: usize, row: usize) -> Vec3<f64> {
        Vec3([0, 1, 2].map(|i| self.columns[k][i][row]))
    }
}

/// Fused multiply–adds in independent chains: 2 flops each, as many as the core can start.
fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2,fma")]
        fn chains() -> f64 {
            let mut a = [[1.0_f64; 4]; CHAINS];
            for _ in 0..PEAK_STEPS {
                for chain in &mut a {
                    for x in chain {
                        *x = x.mul_add(0.999_999, 1e-9);
                    }
                }
            }
            a.iter().flatten().sum()
        }
        // SAFETY: the processor has just said that it has these instructions.
        return unsafe { chains() };
    }
    let mut a = [[1.0_f64; 4]; CHAINS];
    for _ in 0..PEAK_STEPS {
        for chain in &mut a {
            for x in chain {
                *x = *x * 0.999_999 + 1e-9;
            }
        }
    }
    a.iter().flatten().sum()
}
const CHAINS: usize = 10;
const PEAK_STEPS: usize = 1000;

fn bench(c: &mut Criterion) {
    let robot = robots::d3_1200().expect("built-in robot").delta;
    let states = States::new(&robot, -0.85);
    let symmetric = robot.symmetric().expect("d3-1200 is symmetric");
    let mut out: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; ROWS]);

    let mut group = c.benchmark_group("peak");
    group.throughput(Throughput::Elements((CHAINS * 4 * 2 * PEAK_STEPS) as u64)); // flops
    group.bench_function("multiply-add", |b| b.iter(peak));
    group.finish();

    let mut group = c.benchmark_group("torque");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("batch", |b| {
        b.iter(|| {
            let [x, y, z] = &mut out;
            batch::torque(&robot, states.group(0), states.group(1), states.group(2), [x, y, z])
        });
    });
    let mut each = |name: &str, f: &dyn Fn(usize) -> Vec3<f64>| {
        group.bench_with_input(BenchmarkId::new("single", name), &(), |b, ()| {
            b.iter(|| {
                let mut sum = Vec3::zero();
                for row in 0..ROWS {
                    sum = sum + f(black_box(row));
                }
                sum
            });
        });
    };
    each("exact, symmetric", &|i| symmetric.torque(states.row(0, i), states.row(1, i), states.row(2, i)));
    each("exact, general", &|i| {
        robot.pose_unchecked(states.row(0, i), Branch::Out).moving(states.row(1, i)).torque(states.row(2, i))
    });
    let nalgebra = straightforward::Robot::new(robot.parameters());
    each("exact, straightforward nalgebra", &|i| {
        Vec3(nalgebra.torque(states.row(0, i).0, states.row(1, i).0, states.row(2, i).0))
    });
    for name in ModelName::ALL.into_iter().skip(1) {
        let model = name.build(robot.parameters());
        each(name.as_str(), &|i| {
            let moving = robot.pose_unchecked(states.row(0, i), Branch::Out).moving(states.row(1, i));
            model.as_model().torque(&moving, states.row(2, i), Vec3::zero())
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
                sum = sum + lanes.torque(load(0), load(1), load(2));
            }
            sum
        });
    });
    group.finish();

    let mut group = c.benchmark_group("acceleration");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("batch", |b| {
        b.iter(|| {
            let [x, y, z] = &mut out;
            batch::acceleration(&robot, states.group(0), states.group(1), states.group(3), [x, y, z])
        });
    });
    group.bench_function("single", |b| {
        b.iter(|| {
            let mut sum = Vec3::zero();
            for row in 0..ROWS {
                let row = black_box(row);
                sum = sum + symmetric.acceleration(states.row(0, row), states.row(1, row), states.row(3, row));
            }
            sum
        });
    });
    group.finish();
}

criterion_group! {
    name = delta;
    config = Criterion::default().without_plots().sample_size(50);
    targets = bench
}
criterion_main!(delta);
