//! Impacts that take no time: Newton's restitution, Coulomb's friction, through masses and constraints.
//!
//! With the velocities' response K = M⁻¹ − M⁻¹Hᵀ(HM⁻¹Hᵀ)⁻¹HM⁻¹ to an impulse and the directions g of the contacts,
//!
//! ```text
//! u⁺ = u⁻ + W P,   W = gᵀK g                                                                              (1)
//! P_n ≥ 0,   u_n⁺ ≥ −e u_n⁻,   P_n (u_n⁺ + e u_n⁻) = 0,   |P_t| ≤ μ P_n, opposed to u_t⁺                 (2)
//! ```
//!
//! solved for all contacts together by Gauss–Seidel with projection, to rounding. Four corners of a brick have three
//! freedoms, so W is singular: the velocities are unique all the same, and impulses that start at zero stay as
//! symmetric as the brick is.

/// A contact that takes part.
pub(super) struct Impact {
    /// Speed along the normal that it must have at least afterwards, m/s.
    pub target: f64,
    /// μ.
    pub friction: f64,
}

/// Sweeps after which the impulses are taken as they are: the contraction of stacked bricks needs some hundreds.
const SWEEPS: usize = 20_000;

/// P of (2), three per contact (normal, two tangents), from W (row by row) and u⁻.
pub(super) fn solve(w: &[f64], before: &[f64], impacts: &[Impact]) -> Vec<f64> {
    let n = before.len();
    let mut p = vec![0.0; n];
    let speed = |p: &[f64], i: usize| before[i] + w[i * n..(i + 1) * n].iter().zip(p).map(|(w, p)| w * p).sum::<f64>();
    for _ in 0..SWEEPS {
        let (mut changed, mut size) = (0.0_f64, 0.0_f64);
        for (c, impact) in impacts.iter().enumerate() {
            let [i, j, k] = [3 * c, 3 * c + 1, 3 * c + 2];
            let mass = |i: usize| if w[i * n + i] > 0.0 { 1.0 / w[i * n + i] } else { 0.0 };
            let normal = (p[i] - (speed(&p, i) - impact.target) * mass(i)).max(0.0);
            changed = changed.max((normal - p[i]).abs());
            p[i] = normal;
            // One step for both tangents, so that the friction stays opposed to the sliding.
            let step = mass(j).min(mass(k));
            let mut tangent = [p[j] - speed(&p, j) * step, p[k] - speed(&p, k) * step];
            let length = tangent[0].hypot(tangent[1]);
            let most = impact.friction * normal;
            if length > most {
                let share = if length > 0.0 { most / length } else { 0.0 };
                tangent = tangent.map(|x| x * share);
            }
            changed = changed.max((tangent[0] - p[j]).abs()).max((tangent[1] - p[k]).abs());
            (p[j], p[k]) = (tangent[0], tangent[1]);
            size = size.max(normal);
        }
        if changed <= 4.0 * f64::EPSILON * size {
            break;
        }
    }
    p
}
