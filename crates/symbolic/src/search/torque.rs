//! Newton and Euler's recursion in the form that leaves least to do once constants vanish.
//!
//! With U = [ω̇×] + [ω×][ω×], a point r of a link accelerates by a + U r (Khalil and Kleinfinger 1987), so a body with
//! moments m, h, Σ asks for
//!
//! ```text
//! f = m a + U h                                                                                             (1)
//! n = h × a + Σ_j e_j-moments of U Σ:   n_x = (U Σ)_zy − (U Σ)_yz, and so on                                 (2)
//! ```
//!
//! A rod along an axis needs one column of U and nothing else. A point on a joint's axis moves alike for both links, so the
//! third column of U, seen from the next frame, only turns; that spares ω̇.
//! Where a quantity can be had in several ways all of them are put into the graph.

use super::arm::{MassMoments, SymbolicArm};
use super::frames::LinkFrames;
use super::plan::LumpingPlan;
use crate::Expr;
use dalembert_core::{Scalar, Sym3, Vec3};

type E<'g> = Expr<'g>;

/// Joint variables.
pub(crate) struct JointVariables<'g> {
    pub q: Vec<E<'g>>,
    pub qd: Vec<E<'g>>,
    pub qdd: Vec<E<'g>>,
}

/// [ω̇×] + [ω×][ω×].
fn u_matrix<'g>(w: Vec3<E<'g>>, wd: Vec3<E<'g>>) -> [[E<'g>; 3]; 3] {
    let [x, y, z] = w.0;
    let (xy, yz, xz) = (x * y, y * z, x * z);
    let (xx, yy, zz) = (x * x, y * y, z * z);
    [[-(yy + zz), xy - wd[2], xz + wd[1]], [xy + wd[2], -(xx + zz), yz - wd[0]], [xz - wd[1], yz + wd[0], -(xx + yy)]]
}

fn times<'g>(u: &[[E<'g>; 3]; 3], v: Vec3<E<'g>>) -> Vec3<E<'g>> {
    Vec3(u.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]))
}

/// The torques of an arm, friction apart.
pub(crate) fn torque<'g>(arm: &SymbolicArm<'g>, state: &JointVariables<'g>, plan: &LumpingPlan) -> Vec<E<'g>> {
    let n = arm.joints();
    let frames = LinkFrames::new(arm, &state.q, &plan.grouped);
    let zero = Vec3::<E>::zero();
    let (mut w, mut wd, mut a) = (zero, zero, -arm.gravity);
    let mut u = u_matrix(w, wd);
    let (mut us, mut accelerations, mut speeds, mut rises) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let link = &arm.links[i];
        let rise = times(&u, frames.p[i]);
        rises.push(rise);
        a = frames.down(i, a + rise);
        // The axis moves alike for both links.
        let column = frames.down(i, times(&u, frames.axis_before(i)));
        w = frames.down(i, w);
        wd = frames.down(i, wd);
        let (qd, qdd) = (state.qd[i], state.qdd[i]);
        if link.revolute {
            wd = wd + Vec3([w[1] * qd, -(w[0] * qd), qdd]);
            w[2] = w[2] + qd;
            // The same from the column: U_yz = ω_y ω_z − ω̇_x, U_xz = ω_x ω_z + ω̇_y. The graph remembers.
            let (yz, xz) = (w[1] * w[2], w[0] * w[2]);
            let _ = (yz - column[1], column[0] - xz);
        } else {
            let twice = w.cross(Vec3([E::zero(), E::zero(), qd.times(2.0)]));
            a = a + twice + Vec3([E::zero(), E::zero(), qdd]);
        }
        u = u_matrix(w, wd);
        us.push(u);
        accelerations.push(a);
        speeds.push((w, wd));
    }
    let (mut f, mut m) = (zero, zero);
    let mut torque = vec![E::zero(); n];
    let rotor = last_is_rotor(arm);
    for i in (0..n).rev() {
        let body = frames.body(i, arm.links[i].body);
        let (u, a) = (&us[i], accelerations[i]);
        let (w, wd) = speeds[i];
        let h = body.moment;
        // What comes from behind.
        if i + 1 < n {
            f = frames.up(i + 1, f);
            let mut at_next = f;
            m = frames.up(i + 1, m);
            // s (p eᵀ + e pᵀ): n = p × s U e + e × s U p.
            if let Some(pair) = arm.links[i].pair {
                let mut e = zero;
                e[pair.axis] = E::one();
                let e = frames.own_vector(i, e);
                let (column, rise, p) = (times(&us[i], e), rises[i + 1], frames.p[i + 1]);
                at_next = f + column * pair.along;
                m = m + e.cross(rise * pair.along);
                // t (q zᵀ + z qᵀ) with q = z × p: n = p × t (U z × z) − t U p + 2 t (p_x ω_y − p_y ω_x) (−ω_y, ω_x), z apart.
                let turned = Vec3([column[1], -column[0], E::zero()]);
                at_next = at_next + turned * pair.across;
                let k = (p[0] * w[1] - p[1] * w[0]).times(2.0);
                let rest = Vec3([-(rise[0] + k * w[1]), -(rise[1] - k * w[0]), E::zero()]);
                m = m + rest * pair.across;
            }
            m = m + frames.p[i + 1].cross(at_next);
        }
        let behind = m;
        if plan.centred[i] && arm.links[i].body.mass.as_number().is_some_and(|mass| mass != 0.0) {
            let own = arm.links[i].body;
            let inverse = E::one() / own.mass;
            let rest = MassMoments { second: own.second - Sym3::square(own.moment) * inverse, ..own };
            let c = frames.own_vector(i, own.moment * inverse);
            let own_force = (a + times(u, c)) * own.mass;
            f = f + own_force;
            m = m + (c.cross(own_force) + second_moment(u, w, wd, frames.body(i, rest).second.entries()));
        } else {
            f = f + (a * body.mass + times(u, h));
            m = m + (h.cross(a) + second_moment(u, w, wd, body.second.entries()));
        }
        // The same by angular momentum, the last link a rotor on this one or not there: the graph remembers.
        if i + 2 == n && rotor && !frames.grouped(i) {
            let last = arm.links[i + 1].body.second;
            let spin = (arm.axis(i + 1), last.xx + last.yy, last.xx + last.zz, state.qd[i + 1], state.qdd[i + 1]);
            gyrostat(body.second.entries(), w, wd, h.cross(a), Some(spin));
        } else if !plan.centred[i] {
            gyrostat(body.second.entries(), w, wd, behind + h.cross(a), None);
        }
        for (k, link) in arm.links.iter().enumerate() {
            if let Some((Some(carrier), momentum)) = link.spin
                && carrier == i
            {
                let s = frames.own_vector(i, momentum);
                m = m + s * state.qdd[k] + w.cross(s * state.qd[k]);
                torque[k] = torque[k] + s.dot(wd);
            }
        }
        let own = if arm.links[i].revolute { m[2] } else { f[2] };
        torque[i] = torque[i] + (own + arm.links[i].motor * state.qdd[i]);
    }
    torque
}

/// Whether the last link is a body of revolution about its axis without mass or first moment left.
fn last_is_rotor(arm: &SymbolicArm<'_>) -> bool {
    let Some(link) = arm.links.last() else { return false };
    let (body, s) = (link.body, link.body.second);
    let gone = [body.mass, body.moment[0], body.moment[1], body.moment[2], s.xy, s.yz, s.xz, s.xx - s.yy];
    link.revolute && link.spin.is_none() && gone.iter().all(|x| x.is_zero())
}

/// n = I ω̇ + ω × L with the angular momentum L = (I − j 1) ω, where j is one of the moments of inertia (what is the same in
/// all directions has no gyroscopic moment), and a rotor about a coordinate axis: (axis, inertia, transverse inertia, speed,
/// acceleration).
fn gyrostat<'g>(
    [xx, yy, zz, xy, yz, xz]: [E<'g>; 6],
    w: Vec3<E<'g>>,
    wd: Vec3<E<'g>>,
    rest: Vec3<E<'g>>,
    rotor: Option<(Vec3<E<'g>>, E<'g>, E<'g>, E<'g>, E<'g>)>,
) {
    if [xy, yz, xz].iter().any(|x| !x.is_zero()) {
        return;
    }
    let mut inertia = Vec3([yy + zz, xx + zz, xx + yy]);
    let mut spin = (Vec3::zero(), Vec3::zero());
    if let Some((axis, along, across, qd, qdd)) = rotor {
        let Some(k) = (0..3).find(|&k| axis[k].as_number().is_some_and(|x| x.abs() == 1.0)) else { return };
        for j in 0..3 {
            inertia[j] = inertia[j] + if j == k { along } else { across };
        }
        spin.0[k] = along * qd * axis[k];
        spin.1[k] = along * qdd * axis[k];
    }
    for j in 0..3 {
        let momentum = Vec3::from_fn(|k| (inertia[k] - inertia[j]) * w[k] + spin.0[k]);
        let rate = Vec3::from_fn(|k| inertia[k] * wd[k] + spin.1[k]);
        let _ = rest + (rate + w.cross(momentum));
    }
}

/// The moments of U Σ, (2).
fn second_moment<'g>(
    u: &[[E<'g>; 3]; 3],
    w: Vec3<E<'g>>,
    wd: Vec3<E<'g>>,
    [xx, yy, zz, xy, yz, xz]: [E<'g>; 6],
) -> Vec3<E<'g>> {
    let diagonal = Vec3([yy * u[2][1] - zz * u[1][2], zz * u[0][2] - xx * u[2][0], xx * u[1][0] - yy * u[0][1]]);
    // The same by inertias: (Σ_yy + Σ_zz) ω̇_x + (Σ_yy − Σ_zz) ω_y ω_z.
    let [x, y, z] = w.0;
    let _ = [
        (yy + zz) * wd[0] + (yy - zz) * (y * z),
        (zz + xx) * wd[1] + (zz - xx) * (x * z),
        (xx + yy) * wd[2] + (xx - yy) * (x * y),
    ];
    let mixed = Vec3([
        xy * u[2][0] - xz * u[1][0] + yz * (u[2][2] - u[1][1]),
        yz * u[0][1] - xy * u[2][1] + xz * (u[0][0] - u[2][2]),
        xz * u[1][2] - yz * u[0][2] + xy * (u[1][1] - u[0][0]),
    ]);
    diagonal + mixed
}
