//! How time, size and memory of a derivation grow with the number of joints, for arms with full inertia matrices: the
//! figures of `docs/derivation.md`.
//!
//! ```sh
//! cargo run --release -p dalembert-symbolic --example growth
//! ```
//!
//! *any twist*: no twist is a multiple of a quarter turn, the worst case; *quarter turns*: twists of ±90°, like real arms.

use dalembert::serial::{Body, DhConvention, DhRow, Joint, LinkParameters, Serial, SerialParameters};

use dalembert::spatial::Frame;
use dalembert::{Angle, Sym3, Vec3};
use dalembert_symbolic::explicit::{Explicit, Polynomials};
use std::time::Instant;

/// Numbers that are in no simple relation, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn arm<const N: usize>(numbers: &mut Numbers, quarter_turns: bool) -> Serial<f64, N> {
    let links = std::array::from_fn(|i| {
        let twist = if quarter_turns { [1.0, -1.0][i % 2] * 90.0 } else { 20.0 + 50.0 * numbers.next() };
        let mut next = || 0.1 + 0.3 * numbers.next();
        LinkParameters {
            coupling: None,
            joint: Joint::Revolute,
            dh: DhRow {
                alpha: Angle::from_radians(f64::to_radians(twist)),
                a: next(),
                d: next(),
                theta_offset: Angle::ZERO,
            },
            body: Body {
                mass: 10.0 * next(),
                center_of_mass: Vec3([next(), next(), next()]),
                inertia: Sym3::new([next(), next(), next(), 0.1 * next(), 0.1 * next(), 0.1 * next()]),
            },
            motor_inertia: next(),
            gear_ratio: 1.0,
            friction: None,
            armature: None,
            spring: None,
        }
    });
    let gravity = Vec3([0.0, 0.0, -9.81]);
    let payload = Body { mass: 0.0, center_of_mass: Vec3([0.0; 3]), inertia: Sym3::new([0.0; 6]) };
    Serial::new(SerialParameters {
        convention: DhConvention::Modified,
        base: None,
        gravity,
        links,
        tool: Frame::identity(),
        payload,
    })
}

/// The most memory that this process has had, MB; 0 where the system does not say.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn measure<const N: usize>() {
    for quarter_turns in [true, false] {
        let arm = arm::<N>(&mut Numbers(1), quarter_turns);
        let start = Instant::now();
        let polynomials = match Polynomials::numeric(&arm) {
            Ok(polynomials) => polynomials,
            Err(error) => return println!("{N} joints: {error}"),
        };
        let terms: usize = polynomials.mass.iter().chain(&polynomials.gravity).map(|p| p.terms().len()).sum();
        let matrices = start.elapsed().as_secs_f64();
        let model = Explicit::from_polynomials(&polynomials);
        println!(
            "{N} joints, {:<13}  A and g: {:>7} terms in {matrices:>8.4} s   with B and C: {:>8} terms in {:>8.4} s   \
             memory so far {:>5.0} MB",
            if quarter_turns { "quarter turns" } else { "any twist" },
            terms,
            model.terms(),
            start.elapsed().as_secs_f64(),
            memory(),
        );
    }
}

fn main() {
    measure::<1>();
    measure::<2>();
    measure::<3>();
    measure::<4>();
    measure::<5>();
    measure::<6>();
    measure::<7>();
    measure::<8>();
}
