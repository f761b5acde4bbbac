//! What an evaluation of a serial arm costs, counted, with the figures that Armstrong, Khatib and Burdick give (Tables 1–3).

use crate::arm::{ArmVisitor, SerialArm};
use dalembert_core::serial::puma::{Constants, Matrices, PumaModel};
use dalembert_core::serial::{Serial, SerialParameters};
use dalembert_core::{Count, Operations, Scalar, Tally};

/// A computation whose cost is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerialKernel {
    /// Torques from positions, velocities and accelerations.
    Torque,
    /// The mass matrix.
    MassMatrix,
    /// Holding torques.
    Gravity,
    /// Forward dynamics.
    Acceleration,
    /// A, B, C and g: what depends on the configuration, computed at the slow rate.
    Configuration,
    /// Torques when A, B, C and g are given: the fast rate.
    TorqueOfConfiguration,
}

impl SerialKernel {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Torque,
        Self::MassMatrix,
        Self::Gravity,
        Self::Acceleration,
        Self::Configuration,
        Self::TorqueOfConfiguration,
    ];

    /// A short name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Torque => "torque",
            Self::MassMatrix => "mass-matrix",
            Self::Gravity => "gravity",
            Self::Acceleration => "acceleration",
            Self::Configuration => "configuration",
            Self::TorqueOfConfiguration => "torque-of-configuration",
        }
    }
}

/// Cost of one kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SerialCost {
    /// The algorithm.
    pub program: &'static str,
    /// What it computes.
    pub kernel: SerialKernel,
    /// Counted; parameters are constants, zeros and ones fold away.
    pub operations: Operations,
}

/// The counts of all algorithms that apply to an arm.
pub fn serial_operations(arm: &SerialArm) -> Vec<SerialCost> {
    let mut costs = arm.visit(Recursive);
    if let Some(six) = arm.six()
        && Constants::applies_to(six.parameters()).is_ok()
    {
        costs.extend(tables(six.parameters()));
    }
    costs
}

/// Counts what `run` does with variables as inputs: q, q̇ and q̈ (or τ).
fn count<const N: usize>(run: impl for<'t> Fn([[Count<'t>; N]; 3])) -> Operations {
    let tally = Tally::new();
    run(std::array::from_fn(|k| std::array::from_fn(|i| tally.variable(0.3 + 0.1 * (k * N + i) as f64))));
    tally.operations()
}

struct Recursive;

impl ArmVisitor for Recursive {
    type Output = Vec<SerialCost>;

    fn visit<const N: usize>(self, arm: &Serial<f64, N>) -> Vec<SerialCost> {
        use SerialKernel::{Acceleration, Configuration, Gravity, MassMatrix, Torque, TorqueOfConfiguration};
        let cost = |program, kernel, operations| SerialCost { program, kernel, operations };
        // Lifted anew for each: parameters are constants and cost nothing.
        let configuration = count::<N>(|[q, ..]| {
            arm.lift().pose_unchecked(q).configuration();
        });
        let both = count::<N>(|[q, qd, qdd]| {
            arm.lift().pose_unchecked(q).configuration().torque(qd, qdd);
        });
        vec![
            cost(
                "Newton–Euler",
                Torque,
                count::<N>(|[q, qd, qdd]| {
                    arm.lift().pose_unchecked(q).moving(qd).torque(qdd);
                }),
            ),
            cost(
                "Walker–Orin",
                MassMatrix,
                count::<N>(|[q, ..]| {
                    arm.lift().pose_unchecked(q).mass_matrix_walker_orin();
                }),
            ),
            cost(
                "composite bodies",
                MassMatrix,
                count::<N>(|[q, ..]| {
                    arm.lift().pose_unchecked(q).mass_matrix();
                }),
            ),
            cost(
                "first moments",
                Gravity,
                count::<N>(|[q, ..]| {
                    arm.lift().pose_unchecked(q).gravity_torque();
                }),
            ),
            cost(
                "articulated bodies",
                Acceleration,
                count::<N>(|[q, qd, tau]| {
                    arm.lift().pose_unchecked(q).moving(qd).acceleration(tau);
                }),
            ),
            cost("Christoffel symbols", Torque, both),
            cost("Christoffel symbols", Configuration, configuration),
            cost("Christoffel symbols", TorqueOfConfiguration, both - configuration),
        ]
    }
}

/// The paper's own tables, for arms that they are exact for.
fn tables(p: &SerialParameters<f64, 6>) -> Vec<SerialCost> {
    let mut costs = Vec::new();
    for (program, full) in [("explicit", true), ("abbreviated", false)] {
        fn matrices<S: Scalar>(p: &SerialParameters<f64, 6>, full: bool, q: [S; 6]) -> Matrices<S> {
            if full { PumaModel::explicit(&p.lift()).matrices(q) } else { PumaModel::Abbreviated.matrices(q) }
        }
        let configuration = count::<6>(|[q, ..]| {
            matrices(p, full, q);
        });
        let both = count::<6>(|[q, qd, qdd]| {
            matrices(p, full, q).torque(qd, qdd);
        });
        costs.extend([
            SerialCost { program, kernel: SerialKernel::Torque, operations: both },
            SerialCost { program, kernel: SerialKernel::Configuration, operations: configuration },
            SerialCost { program, kernel: SerialKernel::TorqueOfConfiguration, operations: both - configuration },
        ]);
    }
    costs
}

/// The rates of the paper's Table 2, 1/s: of configuration and torque, at `speed` operations per second, when the
/// configuration is evaluated once for every `torques` torques.
pub fn two_rates(configuration: u32, torque: u32, torques: u32, speed: f64) -> [f64; 2] {
    let slow = speed / f64::from(configuration + torques * torque);
    [slow, slow * f64::from(torques)]
}

/// The figures of the paper. Its counts leave out sines and cosines, as ours do.
pub mod published {
    /// Table 1: calculations for the torques.
    pub const TABLE_1: [(&str, u32); 3] = [
        ("recursive Newton–Euler", 1560),
        ("full explicit model (739 × and 426 +)", 1165),
        ("abbreviated explicit model, 1 %", 305),
    ];

    /// Table 3: calculations for the mass matrix.
    pub const TABLE_3: [(&str, u32); 4] = [
        ("Walker and Orin", 2737),
        ("full explicit model", 278),
        ("Izaguirre and Paul 1985, simplified", 58),
        ("abbreviated explicit model, 1 %", 25),
    ];

    /// Table 2: operations per second, and the rates of configuration and torque, 1/s, for one and for four torques per
    /// configuration. (100,000 / 1165 is 85.8, not 78.)
    pub const TABLE_2: (f64, [[f64; 2]; 2]) = (1e5, [[78.0, 78.0], [50.0, 200.0]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of Table 2 is 85.8 Hz for 1165 operations; with four torques per configuration the torque is faster
    /// and the configuration slower, whatever the share of the two is.
    #[test]
    fn rates() {
        let [slow, fast] = two_rates(900, 265, 1, 1e5);
        assert_eq!(slow, fast);
        assert!((slow - 85.8).abs() < 0.05);
        let [slow, fast] = two_rates(900, 265, 4, 1e5);
        assert!((fast / slow - 4.0).abs() < 1e-12 && slow < 52.0);
    }

    #[test]
    fn the_puma_has_all_programs_and_others_the_general_ones() {
        let puma = crate::robots::puma560().expect("built in");
        let costs = serial_operations(&puma.arm);
        let torque = |program| {
            let cost = costs.iter().find(|c| c.program == program && c.kernel == SerialKernel::Torque);
            cost.map(|cost| cost.operations.arithmetic())
        };
        // The same figures as the pinned ones in `serial_kernels`.
        assert_eq!(
            [torque("Newton–Euler"), torque("explicit"), torque("abbreviated")],
            [Some(545), Some(880), Some(285)]
        );
    }
}
