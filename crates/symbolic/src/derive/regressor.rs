//! Torques as a matrix that knows the state times the base parameters: τ = Y(q, q̇, q̈) β, friction apart.
//!
//! A torque is linear in inertia about the origin, first moments and mass of every link and in the inertia of every motor. A
//! column of Y is the torque of an arm whose parameters are zero but for a one. Columns that are sums of others are left
//! out, and their parameters are grouped with those (Gautier and Khalil 1990; Gautier 1991, by number).

use super::serial::{LONGEST, Rows, conventions, inputs_of, long, rigid_part, rows, rows_of};
use super::verify::{STATES, Trial, verified};
use super::{DeriveError, Derived, Of, Request, candidates, finish, first_checked, program_name, symbols};
use crate::expr::Expr;
use crate::extract::{Random, Signature};
use crate::graph::Graph;
use crate::program::Quantity;
use dalembert_core::serial::{Body, LinkParameters, Serial, SerialParameters};
use dalembert_core::{Scalar, Sym3, Vec3};

/// A parameter that torques are linear in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// About the origin of the frame: xx, yy, zz, xy, yz, xz.
    Inertia(usize),
    Moment(usize),
    Mass,
    Motor,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    link: usize,
    kind: Kind,
}

impl Term {
    fn name(&self) -> String {
        let what = match self.kind {
            Kind::Inertia(k) => ["Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Ixz"][k],
            Kind::Moment(k) => ["mx", "my", "mz"][k],
            Kind::Mass => "m",
            Kind::Motor => "Ia",
        };
        format!("{what}{}", self.link + 1)
    }
}

/// In this order columns are kept as long as they are no sums of those before: what is spread along an axis comes last, since
/// the links before the joint can have it, and links from the last to the first.
fn terms(joints: usize) -> Vec<Term> {
    let first = [
        Kind::Inertia(0),
        Kind::Inertia(3),
        Kind::Inertia(5),
        Kind::Inertia(4),
        Kind::Inertia(2),
        Kind::Moment(0),
        Kind::Moment(1),
        Kind::Motor,
    ];
    let last = [Kind::Inertia(1), Kind::Moment(2), Kind::Mass];
    let mut all = Vec::new();
    for kinds in [&first[..], &last[..]] {
        for link in (0..joints).rev() {
            all.extend(kinds.iter().map(|&kind| Term { link, kind }));
        }
    }
    all
}

/// The arm of one term, and, for a first moment, of the mass that it is without.
fn units<S: Scalar, const N: usize>(arm: &SerialParameters<S, N>, term: Term) -> (Serial<S, N>, Option<Serial<S, N>>) {
    let empty = |link: LinkParameters<S>| LinkParameters {
        body: Body::zero(),
        motor_inertia: S::zero(),
        friction: None,
        armature: None,
        ..link
    };
    let nothing = SerialParameters { links: arm.links.map(empty), payload: Body::zero(), ..*arm };
    let with = |change: &dyn Fn(&mut LinkParameters<S>)| {
        let mut parameters = nothing;
        change(&mut parameters.links[term.link]);
        Serial::new(parameters)
    };
    let mass_at =
        |point: Vec3<S>| Body { mass: S::one(), center_of_mass: point, inertia: Sym3::point_mass(point) * -S::one() };
    match term.kind {
        Kind::Inertia(k) => {
            let entries = std::array::from_fn(|i| if i == k { S::one() } else { S::zero() });
            (with(&|link| link.body.inertia = Sym3::new(entries)), None)
        }
        Kind::Moment(k) => {
            let mut point = Vec3::zero();
            point[k] = S::one();
            (with(&|link| link.body = mass_at(point)), Some(with(&|link| link.body = mass_at(Vec3::zero()))))
        }
        Kind::Mass => (with(&|link| link.body = mass_at(Vec3::zero())), None),
        Kind::Motor => (with(&|link| link.motor_inertia = S::one()), None),
    }
}

fn torque<S: Scalar>(arm: &Serial<S, LONGEST>, [q, qd, qdd, _]: &Rows<S, LONGEST>) -> [S; LONGEST] {
    arm.pose_unchecked(*q).moving(*qd).torque(*qdd)
}

fn column<S: Scalar, const N: usize>(
    arm: &SerialParameters<S, N>,
    term: Term,
    rows: &Rows<S, LONGEST>,
    torque: fn(&Serial<S, LONGEST>, &Rows<S, LONGEST>) -> [S; LONGEST],
) -> Vec<S> {
    let (unit, without) = units(arm, term);
    let all = torque(&unit.with_joints(), rows);
    let less = without.map_or([S::zero(); LONGEST], |without| torque(&without.with_joints(), rows));
    (0..N).map(|i| all[i] - less[i]).collect()
}

/// A base parameter.
struct Base {
    /// Whose column is kept.
    term: Term,
    /// The parameters that are grouped with it, and how.
    others: Vec<(Term, f64)>,
    /// Its value: with it and the others the columns add up to the torque, payload included.
    value: f64,
}

/// The columns that are no sums of others, by numbers: what is left of a column beside those that are kept is nothing.
fn base<const N: usize>(arm: &Serial<f64, N>, random: &mut Random) -> Vec<Base> {
    /// Of a column of size 1.
    const NOTHING: f64 = 1e-9;
    let states: Vec<Rows<f64, LONGEST>> = (0..6 * N + 20).map(|_| rows(arm, random).map(long)).collect();
    let mut kept: Vec<Base> = Vec::new();
    // Orthonormal, and what each of them is made of.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // What the kept columns have of one, and what is left; twice, since once is not enough (Kahan and Parlett).
    let split = |mut rest: Vec<f64>, basis: &[(Vec<f64>, Vec<f64>)]| {
        let mut made = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (unit, of) in basis {
                let part = dot(unit, &rest);
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= part * u);
                made.iter_mut().zip(of).for_each(|(m, o)| *m += part * o);
            }
        }
        (made, rest)
    };
    for term in terms(N) {
        let whole: Vec<f64> =
            states.iter().flat_map(|state| column(arm.parameters(), term, state, torque::<f64>)).collect();
        let size = dot(&whole, &whole).sqrt();
        if size == 0.0 {
            continue;
        }
        let (made, rest) = split(whole, &basis);
        let left = dot(&rest, &rest).sqrt();
        if left > NOTHING * size {
            let mut of: Vec<f64> = made.iter().map(|x| -x / left).collect();
            of.push(1.0 / left);
            basis.iter_mut().for_each(|(_, of)| of.push(0.0));
            basis.push((rest.iter().map(|x| x / left).collect(), of));
            kept.push(Base { term, others: Vec::new(), value: 0.0 });
            continue;
        }
        for (base, factor) in kept.iter_mut().zip(made) {
            // 0.5 and 1 as such.
            let tidy = (factor * 1e9).round() / 1e9;
            if tidy != 0.0 {
                base.others.push((term, if (tidy - factor).abs() < 1e-10 { tidy } else { factor }));
            }
        }
    }
    let whole = states.iter().flat_map(|state| torque(&arm.with_joints(), state)[..N].to_vec()).collect();
    for (base, value) in kept.iter_mut().zip(split(whole, &basis).0) {
        base.value = value;
    }
    kept
}

/// The program of Y for an arm, its columns named in the heading.
pub(super) fn regressor<const N: usize>(arm: &Serial<f64, N>, request: &Request) -> Result<Derived, DeriveError> {
    let of = Of::Regressor;
    let refuse = |reason: &str| Err(DeriveError::DoesNotApply { of, reason: reason.into() });
    if request.symbolic {
        return refuse(
            "which parameters are grouped is found with the lengths of the robot file; do without --symbolic",
        );
    }
    if !request.also.is_empty() {
        return refuse("it stands alone");
    }
    if arm.parameters().links.iter().any(|link| link.armature.is_some()) {
        return refuse("armatures have momenta of their own, which have no column");
    }
    let rigid = rigid_part(arm);
    let base = base(&rigid, &mut Random::new(41));
    if base.is_empty() {
        return refuse("nothing of this arm needs a torque");
    }
    let graph = Graph::for_target(request.target);
    let moving = [Of::Torque];
    let mut random = Random::new(1);
    let point = inputs_of(&moving, &rows(&rigid, &mut random));
    let inputs = super::serial::quantities(&rigid, &moving).0;
    let variables = symbols::inputs(&graph, &inputs, &point);
    let lifted = *super::serial::numbers(&rigid).parameters();
    let state = rows_of::<Expr<'_>, N>(&moving, &variables).map(long);
    let columns: Vec<Vec<Expr<'_>>> =
        base.iter().map(|base| column(&lifted, base.term, &state, torque::<Expr<'_>>)).collect();
    let results: Vec<Expr<'_>> = (0..N).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    let meaning = "torque per base parameter; the columns are above";
    let signature = Signature {
        name: program_name(request),
        title: symbols::title(of),
        inputs,
        outputs: vec![Quantity::matrix("y", N, base.len(), meaning, "SI")],
        parameters: Vec::new(),
    };
    let mut trials = Vec::new();
    for _ in 0..STATES {
        let rows = rows(&rigid, &mut random);
        let state = rows.map(long);
        let columns: Vec<Vec<f64>> =
            base.iter().map(|base| column(rigid.parameters(), base.term, &state, torque::<f64>)).collect();
        let expected: Vec<f64> = (0..N).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        // The columns times the base parameters are the torques.
        let whole = torque(&rigid.with_joints(), &state);
        let scale = whole.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        for i in 0..N {
            let terms = base.iter().zip(&columns).map(|(base, column)| base.value * column[i]);
            let (sum, size) = terms.fold((0.0, scale), |(sum, size), x| (sum + x, f64::max(size, x.abs())));
            let error = (sum - whole[i]).abs() / size;
            if error.is_nan() || error > 1e-8 {
                return Err(DeriveError::Mismatch { of, error });
            }
        }
        trials.push(Trial {
            variant: 0,
            parameters: Vec::new(),
            expected,
            sizes: Vec::new(),
            inputs: inputs_of(&moving, &rows),
        });
    }
    let mut words = conventions(arm);
    words.push(
        "Torque without friction = y times the base parameters; inertias are about the origins of the frames.".into(),
    );
    for (k, base) in base.iter().enumerate() {
        let mut sum = base.term.name();
        for (term, factor) in &base.others {
            let sign = if *factor < 0.0 { '-' } else { '+' };
            let size = factor.abs();
            let times = if size == 1.0 { String::new() } else { format!("{size} ") };
            sum.push_str(&format!(" {sign} {times}{}", term.name()));
        }
        words.push(format!("Column {}: {sum} = {:.9}", k + 1, base.value));
    }
    let programs = candidates(&graph, signature, &results, &[], request.effort);
    first_checked(programs, of, &mut |program| {
        verified(finish(program, request, words.clone()), of, &trials, &|_, found| found)
    })
}
