//! What operations cost on the machine that a program is for.

use crate::program::OperationCounts;

/// The machine that a program is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// No machine: every sum, product, quotient and root counts one, and sines only where that is equal.
    #[default]
    Count,
    /// A desktop processor with `sin` and `cos` of the C library.
    X86,
    /// A microcontroller with a single-precision unit.
    CortexM4f,
    /// A controller that runs Structured Text.
    Plc,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Count, Self::X86, Self::CortexM4f, Self::Plc];

    /// As the command knows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::X86 => "x86",
            Self::CortexM4f => "cortex-m4f",
            Self::Plc => "plc",
        }
    }

    /// What each operation costs, in hundredths of an addition.
    ///
    /// x86: throughput of scalar instructions (Fog, Instruction tables: ÷ and √ 4 to 6 times an addition); a pair of sine and
    /// cosine as measured beside additions (docs/derivation.md). Cortex-M4F: the Technical Reference Manual has 1 cycle for + and ×
    /// and 14 for ÷ and √; a sine and a cosine in software take some 150. Structured Text: an assignment per operation, functions by call.
    pub(crate) fn weights(self) -> OperationWeights {
        let [mul, add, div, sqrt, pair, other] = match self {
            Self::Count => [100, 100, 100, 100, 1, 5000],
            Self::X86 => [100, 100, 450, 500, 6000, 6000],
            Self::CortexM4f => [100, 100, 1400, 1400, 15000, 15000],
            Self::Plc => [100, 100, 150, 300, 1000, 1000],
        };
        OperationWeights { mul, add, div, sqrt, pair, other }
    }

    /// What a program costs, in additions.
    pub fn cost(self, cost: &OperationCounts) -> f64 {
        f64::from(self.weights().of(cost)) / 100.0
    }

    /// The cost as the search compares it.
    pub(crate) fn score(self, cost: &OperationCounts) -> u32 {
        self.weights().of(cost)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OperationWeights {
    pub mul: u32,
    pub add: u32,
    pub div: u32,
    pub sqrt: u32,
    /// Sine and cosine of one angle.
    pub pair: u32,
    pub other: u32,
}

/// An addition.
pub(crate) const UNIT: u32 = 100;

impl OperationWeights {
    fn of(&self, cost: &OperationCounts) -> u32 {
        let part = |count: usize, weight: u32| count as u32 * weight;
        part(cost.multiplications, self.mul)
            + part(cost.additions, self.add)
            + part(cost.divisions, self.div)
            + part(cost.square_roots, self.sqrt)
            + part(cost.sin_cos, self.pair)
            + part(cost.other, self.other)
    }
}
