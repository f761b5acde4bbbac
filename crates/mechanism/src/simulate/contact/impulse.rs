//! Impacts that take no time: Newton's restitution, Coulomb's friction, through masses and constraints.
//!
//! With the velocities' response K = M⁻¹ − M⁻¹Hᵀ(HM⁻¹Hᵀ)⁻¹HM⁻¹ to an impulse and the directions g of the contacts,
//!
//! ```text
//! u⁺ = u⁻ + W P,   W = gᵀK g                                                                              (1)
//! P_n ≥ 0,   u_n⁺ ≥ −e u_n⁻,   P_n (u_n⁺ + e u_n⁻) = 0,   |P_t| ≤ μ P_n, opposed to u_t⁺                 (2)
//! ```
//!
//! solved for all contacts together by projected gradients with momentum (Nesterov), restarted where they overshoot.
//! Four corners of a brick have three freedoms, so W is singular: the velocities are unique all the same. All contacts
//! are updated at once, not one after the other, so that impulses stay as symmetric as the brick is.

/// A contact that takes part.
pub(super) struct ImpactContact {
    /// Speed along the normal that it must have at least afterwards, m/s.
    pub target: f64,
    /// μ.
    pub friction: f64,
}

/// Sweeps after which the impulses are taken as they are: stacked bricks need some hundreds.
const SWEEPS: usize = 20_000;

/// P of (2), three per contact (normal, two tangents), from W (row by row) and u⁻.
pub(super) fn solve(w: &[f64], before: &[f64], impacts: &[ImpactContact]) -> Vec<f64> {
    let n = before.len();
    // Row sums bound the eigenvalues: a step that always goes down. The same for both tangents, so that friction stays
    // opposed to the sliding.
    let bound = |i: usize| w[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum::<f64>();
    let step = |size: f64| if size > 0.0 { 1.0 / size } else { 0.0 };
    let steps: Vec<[f64; 2]> =
        (0..impacts.len()).map(|c| [step(bound(3 * c)), step(bound(3 * c + 1).max(bound(3 * c + 2)))]).collect();
    let (mut p, mut next, mut ahead) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut momentum = 1.0_f64;
    for _ in 0..SWEEPS {
        let (mut changed, mut size, mut uphill) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (c, impact) in impacts.iter().enumerate() {
            let speed =
                |i: usize| before[i] + w[i * n..(i + 1) * n].iter().zip(&ahead).map(|(w, p)| w * p).sum::<f64>();
            let [i, j, k] = [3 * c, 3 * c + 1, 3 * c + 2];
            let excess = [speed(i) - impact.target, speed(j), speed(k)];
            let normal = (ahead[i] - excess[0] * steps[c][0]).max(0.0);
            let mut tangent = [ahead[j] - excess[1] * steps[c][1], ahead[k] - excess[2] * steps[c][1]];
            let (length, most) = (tangent[0].hypot(tangent[1]), impact.friction * normal);
            if length > most {
                let share = if length > 0.0 { most / length } else { 0.0 };
                tangent = tangent.map(|x| x * share);
            }
            for (row, value) in [(i, normal), (j, tangent[0]), (k, tangent[1])] {
                next[row] = value;
                uphill += excess[row - i] * (value - p[row]);
                changed = changed.max((value - p[row]).abs());
            }
            size = size.max(normal);
        }
        let before_last = momentum;
        momentum = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) };
        let share = if uphill > 0.0 { 0.0 } else { (before_last - 1.0) / momentum };
        for i in 0..n {
            ahead[i] = next[i] + share * (next[i] - p[i]);
        }
        std::mem::swap(&mut p, &mut next);
        if changed <= f64::EPSILON * size {
            break;
        }
    }
    p
}
