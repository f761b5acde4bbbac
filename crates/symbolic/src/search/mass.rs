//! The mass matrix by composite bodies (Walker and Orin 1982), with second moments instead of inertias.
//!
//! All links from joint i on are one body with moments m, h, Σ about the origin of frame i. A unit acceleration of joint i
//! asks for
//!
//! ```text
//! f = z × h,  n = (−Σ_xz, −Σ_yz, Σ_xx + Σ_yy)          prismatic: f = m z, n = h × z                        (1)
//! ```
//!
//! and every joint before feels its part of them.

use super::arm::SymbolicArm;
use super::frames::LinkFrames;
use super::plan::LumpingPlan;
use crate::Expr;
use dalembert_core::{Scalar, Vec3};

type E<'g> = Expr<'g>;

/// The mass matrix, row by row.
pub(crate) fn mass_matrix<'g>(arm: &SymbolicArm<'g>, q: &[E<'g>], plan: &LumpingPlan) -> Vec<E<'g>> {
    let n = arm.joints();
    let frames = LinkFrames::new(arm, q, &plan.grouped);
    let mut matrix = vec![E::zero(); n * n];
    let Some(last) = n.checked_sub(1) else { return matrix };
    let mut composite = frames.body(last, arm.links[last].body);
    for i in (0..n).rev() {
        let (h, s) = (composite.moment, composite.second);
        let (mut f, mut m) = if arm.links[i].revolute {
            (Vec3([-h[1], h[0], E::zero()]), Vec3([-s.xz, -s.yz, s.xx + s.yy]))
        } else {
            (Vec3([E::zero(), E::zero(), composite.mass]), Vec3([h[1], -h[0], E::zero()]))
        };
        for j in (0..=i).rev() {
            let own = if arm.links[j].revolute { m[2] } else { f[2] };
            let entry = if i == j { own + arm.links[i].motor } else { own };
            matrix[i * n + j] = entry;
            matrix[j * n + i] = entry;
            if j > 0 {
                f = frames.up(j, f);
                m = frames.up(j, m) + frames.p[j].cross(f);
            }
        }
        if i > 0 {
            composite =
                frames.body_up(i, composite).about(-frames.p[i]).plus(frames.body(i - 1, arm.links[i - 1].body));
        }
    }
    for (k, link) in arm.links.iter().enumerate() {
        if let Some((Some(carrier), momentum)) = link.spin {
            let mut s = frames.own_vector(carrier, momentum);
            for j in (0..=carrier).rev() {
                if arm.links[j].revolute {
                    matrix[k * n + j] = matrix[k * n + j] + s[2];
                    matrix[j * n + k] = matrix[j * n + k] + s[2];
                }
                s = frames.up(j, s);
            }
        }
    }
    matrix
}
