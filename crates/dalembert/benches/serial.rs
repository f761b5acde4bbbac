//! Speed of the PUMA 560, in one run: `cargo bench -p dalembert --bench serial`.
//!
//! The baselines are in the same run: a straightforward Newton–Euler on nalgebra, the library's own recursions, and the
//! peak multiply–add rate of this core.
#![allow(missing_docs, unsafe_code)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dalembert::batch::ManyOf;
use dalembert::robot::families::chain::derived::Puma560;
use dalembert::robots;
use std::hint::black_box;

#[path = "common/peak.rs"]
mod peak;
#[path = "../tests/common/straightforward_serial.rs"]
mod straightforward_serial;

const ROWS: usize = 1024;

/// q, q̇, q̈, τ by rows and by columns.
struct States {
    rows: Vec<[[f64; 6]; 4]>,
    columns: [[Vec<f64>; 6]; 4],
}

impl States {
    fn new(torque: impl Fn([f64; 6], [f64; 6], [f64; 6]) -> [f64; 6]) -> Self {
        let mut columns: [[Vec<f64>; 6]; 4] = Default::default();
        let rows = (0..ROWS)
            .map(|row| {
                let value = |scale: f64, k: usize| scale * (row as f64 * (0.3 + 0.17 * k as f64)).sin();
                let (q, qd, qdd): ([f64; 6], [f64; 6], [f64; 6]) = (
                    std::array::from_fn(|i| value(3.0, i)),
                    std::array::from_fn(|i| value(2.0, i + 6)),
                    std::array::from_fn(|i| value(10.0, i + 12)),
                );
                let all = [q, qd, qdd, torque(q, qd, qdd)];
                for (group, values) in columns.iter_mut().zip(all) {
                    for (column, x) in group.iter_mut().zip(values) {
                        column.push(x);
                    }
                }
                all
            })
            .collect();
        Self { rows, columns }
    }

    fn group(&self, k: usize) -> [&[f64]; 6] {
        std::array::from_fn(|i| self.columns[k][i].as_slice())
    }

    /// One state after the other, each a call of its own: through a pointer, so that nothing of it is inlined into this loop.
    /// It is what a caller elsewhere gets.
    fn one_by_one(&self, f: &dyn Fn(&[[f64; 6]; 4]) -> [f64; 6]) {
        let f = black_box(f);
        for row in black_box(&self.rows) {
            black_box(f(black_box(row)));
        }
    }
}

fn bench(c: &mut Criterion) {
    let arm = robots::puma560().expect("built-in robot").arm.arm::<6>().expect("six joints");
    let fast = Puma560::new(&arm).expect("the built-in arm");
    let naive = straightforward_serial::Arm::new(arm.parameters());
    let states = States::new(|q, qd, qdd| arm.pose_unchecked(q).moving(qd).torque(qdd));
    let mut out: [Vec<f64>; 36] = std::array::from_fn(|_| vec![0.0; ROWS]);

    let mut group = c.benchmark_group("peak");
    group.throughput(Throughput::Elements(peak::FLOPS)); // flops
    group.bench_function("multiply-add", |b| b.iter(peak::peak));
    group.finish();

    let mut group = c.benchmark_group("puma560 torque");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("derived, batch", |b| {
        b.iter(|| {
            let groups = [0, 1, 2].map(|k| states.group(k));
            fast.many(
                ManyOf::Torques,
                groups.each_ref().map(|group| &group[..]),
                &mut out.each_mut().map(Vec::as_mut_slice)[..6],
            )
        });
    });
    group.bench_function("derived, single", |b| {
        b.iter(|| states.one_by_one(&|[q, qd, qdd, _]| fast.torque(q, qd, qdd)));
    });
    group.bench_function("Newton–Euler, single", |b| {
        b.iter(|| states.one_by_one(&|[q, qd, qdd, _]| arm.pose_unchecked(*q).moving(*qd).torque(*qdd)));
    });
    group.bench_function("straightforward nalgebra, single", |b| {
        b.iter(|| states.one_by_one(&|[q, qd, qdd, _]| naive.torque(q, qd, qdd)));
    });
    group.finish();

    let mut group = c.benchmark_group("puma560 mass matrix");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("derived, single", |b| {
        b.iter(|| states.one_by_one(&|[q, ..]| fast.mass_matrix(q)[0]));
    });
    group.bench_function("composite bodies, single", |b| {
        b.iter(|| states.one_by_one(&|[q, ..]| black_box(arm.pose_unchecked(*q).mass_matrix())[0]));
    });
    group.finish();

    let mut group = c.benchmark_group("puma560 acceleration");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("derived, batch", |b| {
        b.iter(|| {
            let groups = [0, 1, 3].map(|k| states.group(k));
            fast.many(
                ManyOf::Accelerations,
                groups.each_ref().map(|group| &group[..]),
                &mut out.each_mut().map(Vec::as_mut_slice)[..6],
            )
        });
    });
    group.bench_function("derived, single", |b| {
        b.iter(|| states.one_by_one(&|[q, qd, _, tau]| fast.acceleration(q, qd, tau)));
    });
    group.bench_function("articulated bodies, single", |b| {
        b.iter(|| states.one_by_one(&|[q, qd, _, tau]| arm.pose_unchecked(*q).moving(*qd).acceleration(*tau)));
    });
    group.finish();
}

criterion_group! {
    name = serial;
    config = Criterion::default().without_plots().sample_size(50);
    targets = bench
}
criterion_main!(serial);
