//! What published models cost: on Deltas and on arms like the PUMA 560.

use dalembert::analyze::compare::{Comparison, LeavesWorkspace, Timed, compare, pick_and_place};
use dalembert::analyze::cost::{Cost, CostError, Verdict, costs, tracking_error};
use dalembert::analyze::report::{CostReport, Figure};
use dalembert::analyze::sensitivity::over_motion;
use dalembert::analyze::weights::{TimesError, Weighing, Weights};
use dalembert::delta::Branch;
use dalembert::friction::Friction;
use dalembert::motion::{Direction, PickAndPlace};
use dalembert::robot::{JointState, JointVector, Pick, Robot, StateError, ToolState};
use dalembert::spatial::Wrench;
use dalembert::{Vec3, robots};
use std::error::Error;

type Done = Result<(), Box<dyn Error>>;

fn usual(robot: &Robot) -> Result<Vec<Timed>, LeavesWorkspace> {
    let stroke = PickAndPlace {
        center: Vec3::new(0.0, 0.0, -0.85),
        width: 0.3,
        height: 0.025,
        stroke: 1.0 / 6.0,
        direction: Direction::X,
    };
    pick_and_place(robot, &Pick::default(), &[stroke], 300)
}

/// Its tracking error, largest and root mean square.
fn following(cost: &Cost) -> [f64; 2] {
    [cost.tracking_max, cost.tracking_rms].map(|error| error.expect("a motion of more than one sample"))
}

fn of<'c>(costs: &'c [Cost], name: &str) -> &'c Cost {
    costs.iter().find(|cost| cost.name == name).expect("the model applies")
}

/// Exact models cost nothing, a slower loop costs more, every model is in the report.
#[test]
fn costs_of_the_published_models() -> Done {
    let robot = Robot::find("d3-1200")?;
    let comparison = compare(&robot, &usual(&robot)?)?;
    let (fast, slow) = (costs(&comparison, 200.0)?, costs(&comparison, 50.0)?);
    for name in ["asadi", "bortoff"] {
        let cost = of(&fast, name);
        assert!(following(cost)[0] < 1e-12 && cost.share < 1e-12 && cost.verdict == Verdict::Equal);
    }
    let (quick, slower) = (of(&fast, "codourey-simplified"), of(&slow, "codourey-simplified"));
    assert!(following(quick)[0] > 1e-6 && following(slower)[0] > 2.0 * following(quick)[0]);
    assert_eq!(quick.verdict, Verdict::Usable);
    // A slow disturbance leaves A⁻¹Δτ/ω² at a joint; a metre of arm makes that of the platform.
    assert!(following(quick)[0] < 1e-2);
    let report = CostReport {
        robot: "d3-1200",
        motion: "a <stroke>",
        point: "platform",
        omega: 200.0,
        comparison: &comparison,
        costs: &fast,
        figures: vec![Figure { svg: String::from("<svg></svg>"), caption: String::from("a < b") }],
    };
    let (markdown, html) = (report.to_markdown(), report.to_html(Vec::new()));
    for cost in &fast {
        assert!(markdown.contains(cost.name) && html.contains(cost.name));
    }
    assert!(html.contains("a &lt;stroke&gt;") && html.contains("a &lt; b") && !html.contains("NaN"));
    Ok(())
}

/// A stiff loop holds A⁻¹Δτ/ω² at every instant, and no loop is too stiff for the closed form.
#[test]
fn a_stiff_loop_is_quasistatic() -> Done {
    let (whole, robot) = (Robot::find("d3-1200")?, robots::d3_1200()?.delta);
    let comparison = compare(&whole, &usual(&whole)?)?;
    let omega = 1e5;
    let found = costs(&comparison, omega)?;
    let mut largest = 0.0_f64;
    let (_, compared) =
        comparison.models.iter().find(|(name, _)| *name == "codourey-simplified").ok_or("it is there")?;
    let torques = &compared.as_ref().map_err(Clone::clone)?.torque;
    // The error follows by one sample: what is held during a step is there at its end.
    let samples = &comparison.samples;
    for k in 0..samples.count() - 1 {
        let state = samples.state.row(k);
        let pose = robot.at_position(Vec3::new(state[0], state[1], state[2]), Branch::Out)?;
        let wrong = Vec3::from_fn(|i| torques.row(k)[i] - samples.exact.row(k)[i]);
        let e = pose.mass_matrix().solve(wrong) * (1.0 / (omega * omega));
        let next = samples.state.row(k + 1);
        let there = robot.at_position(Vec3::new(next[0], next[1], next[2]), Branch::Out)?;
        largest = largest.max((there.inverse_jacobian() * e).norm_squared().sqrt());
    }
    let tracking = following(of(&found, "codourey-simplified"))[0];
    // e^(−ωh) is e^(−55) here.
    assert!((tracking / largest - 1.0).abs() < 1e-9, "{tracking} {largest}");
    assert_eq!(costs(&comparison, 0.0).err(), Some(CostError::Omega(0.0)));
    let mut still = comparison;
    still.samples.t[5] = still.samples.t[4];
    assert!(matches!(costs(&still, 1.0), Err(CostError::Time { .. })));
    Ok(())
}

/// Friction is in every model alike: adding it changes the torque, but neither differences, nor shares, nor verdicts.
#[test]
fn friction_flatters_no_model() -> Done {
    let smooth = Robot::find("d3-1200")?;
    let rough = smooth.with_friction(Some(Friction { coulomb: 40.0, static_friction: 40.0, ..Friction::NONE }))?;
    let (smooth, rough): (Comparison, Comparison) =
        (compare(&smooth, &usual(&smooth)?)?, compare(&rough, &usual(&rough)?)?);
    assert!(rough.exact.all.rms > 1.2 * smooth.exact.all.rms);
    assert!((rough.rigid.all.rms / smooth.rigid.all.rms - 1.0).abs() < 1e-12);
    for (a, b) in costs(&smooth, 100.0)?.iter().zip(costs(&rough, 100.0)?) {
        assert_eq!((a.name, a.verdict), (b.name, b.verdict));
        assert!((a.share - b.share).abs() < 1e-12 && (following(a)[0] - following(&b)[0]).abs() < 1e-12);
    }
    Ok(())
}

/// A joint motion with everything in it.
fn swing(robot: &Robot, joints: usize) -> Result<Vec<Timed>, StateError> {
    let at = |k: usize| {
        let t = k as f64 * 0.002;
        let wave = |f: fn(f64) -> f64, scale: fn(f64) -> f64| {
            JointVector::from_fn(joints, |i| {
                let w = 1.0 + i as f64;
                0.4 * scale(w) * f(w * t + i as f64)
            })
        };
        let (q, qd, qdd) = (wave(f64::sin, |_| 1.0), wave(f64::cos, |w| w), wave(f64::sin, |w| -w * w));
        let state = robot.at_joints(&JointState { q, qd, qdd }, &Pick::default())?;
        Ok(Timed { t, state, wrench: Wrench::zero() })
    };
    (0..400).map(at).collect()
}

/// Armstrong's explicit model and the derived program are Newton–Euler's; his printed constants and the abbreviated model
/// are off by what their rounding and the 1 % criterion leave out: up to a few percent of the torque, not nothing.
#[test]
fn the_pumas_models() -> Done {
    let puma = Robot::find("puma560")?;
    let comparison = compare(&puma, &swing(&puma, 6)?)?;
    assert_eq!((comparison.reference, comparison.joints()), ("newton-euler", 6));
    let all = costs(&comparison, 100.0)?;
    assert_eq!(
        all.iter().map(|cost| cost.name).collect::<Vec<_>>(),
        ["explicit", "explicit-a3", "abbreviated", "derived"]
    );
    for name in ["explicit", "derived"] {
        assert_eq!(of(&all, name).verdict, Verdict::Equal, "{:?}", of(&all, name));
    }
    for name in ["explicit-a3", "abbreviated"] {
        let cost = of(&all, name);
        assert!(cost.share > 1e-4 && cost.share < 0.05 && following(cost)[0] > 1e-7, "{cost:?}");
    }
    let csv = comparison.to_csv();
    assert!(csv.starts_with("t,q1,q2,q3,q4,q5,q6,qd1,") && csv.contains(",tau6_abbreviated"));
    Ok(())
}

/// A force at the tool goes into every model alike: J^T f less.
#[test]
fn a_force_at_the_tool() -> Done {
    let puma = Robot::find("puma560")?;
    let free = swing(&puma, 6)?;
    let force = Vec3::new(3.0, -5.0, 7.0);
    let pushed: Vec<_> = free.iter().map(|timed| Timed { wrench: Wrench::force(force), ..timed.clone() }).collect();
    let (free, pushed) = (compare(&puma, &free)?, compare(&puma, &pushed)?);
    assert!((free.samples.exact.row(7)[1] - pushed.samples.exact.row(7)[1]).abs() > 0.1);
    for ((_, a), (_, b)) in free.models.iter().zip(&pushed.models) {
        let (a, b) = (a.as_ref().map_err(Clone::clone)?, b.as_ref().map_err(Clone::clone)?);
        assert!((a.difference.all.rms - b.difference.all.rms).abs() < 1e-12);
    }
    Ok(())
}

/// Of another arm no published model is left, and each says why.
#[test]
fn other_arms_have_no_published_model() -> Done {
    let two = Robot::parse(
        "kind = \"serial\"\nname = \"two\"\nconvention = \"modified-dh\"\n\
         [[link]]\njoint = \"revolute\"\nalpha = 0.0\na = 0.0\nd = 0.0\nmass = 1.0\n\
         [[link]]\njoint = \"revolute\"\nalpha = 0.0\na = 0.5\nd = 0.0\nmass = 1.0\ncenter_of_mass = [0.2, 0.0, 0.0]\n",
    )?;
    let comparison = compare(&two, &swing(&two, 2)?)?;
    assert!(comparison.models.iter().all(|(_, result)| result.as_ref().is_err_and(|reason| reason.contains("six"))));
    assert!(costs(&comparison, 100.0)?.is_empty());
    assert!(swing(&two, 3).is_err());
    Ok(())
}

/// The platform on a rising circle that grows faster and faster.
fn spiral(robot: &Robot, t: f64) -> Result<Timed, StateError> {
    let (r, w, a) = (0.12, 9.0, 11.0);
    let (angle, rate) = (w * t + 0.5 * a * t * t, w + a * t);
    let (sin, cos) = angle.sin_cos();
    let tool = ToolState::translating(
        Vec3::new(r * cos, r * sin, -0.9 + 0.1 * t),
        Vec3::new(-r * rate * sin, r * rate * cos, 0.1),
        Vec3::new(-r * (a * sin + rate * rate * cos), r * (a * cos - rate * rate * sin), 0.0),
    );
    Ok(Timed { t, state: robot.at_tool(&tool, &Pick::default())?, wrench: Wrench::zero() })
}

/// One motion, sampled evenly and with ten times as many samples where it is slow: means over time are the same, to the
/// weight of the first and last row, h/T · |x²/x_rms² − 1|/2 of steps of 2 ms in a second, 2e-3 at the most; the tracking error
/// lags by its step, rate · h ≤ 4e-2 of it. Rows counted alike would be off by a fifth.
#[test]
fn how_a_motion_is_sampled_does_not_matter() -> Done {
    let robot = Robot::find("d3-1200")?;
    let even = (0..=1000).map(|k| spiral(&robot, 1e-3 * f64::from(k))).collect::<Result<Vec<Timed>, _>>()?;
    let slow = (0..5000).map(|k| 1e-4 * f64::from(k));
    let uneven = slow.chain((0..=250).map(|k| 0.5 + 2e-3 * f64::from(k))).map(|t| spiral(&robot, t));
    let uneven = uneven.collect::<Result<Vec<Timed>, _>>()?;
    let (a, b) = (compare(&robot, &even)?, compare(&robot, &uneven)?);
    assert_eq!((a.weights.weighing, b.weights.weighing), (Weighing::Time, Weighing::Time));
    let close = |a: f64, b: f64, size: f64| assert!((a - b).abs() < 2e-3 * size, "{a} {b}");
    for (x, y) in [(&a.exact, &b.exact), (&a.rigid, &b.rigid)] {
        for (x, y) in x.joints.iter().chain([&x.all]).zip(y.joints.iter().chain([&y.all])) {
            close(x.rms, y.rms, x.rms);
            close(x.mean, y.mean, x.rms);
            close(x.standard_deviation, y.standard_deviation, x.rms);
        }
    }
    let (x, y) = (costs(&a, 100.0)?, costs(&b, 100.0)?);
    for (x, y) in x.iter().zip(&y).filter(|(x, _)| x.verdict != Verdict::Equal) {
        close(x.torque_rms, y.torque_rms, x.torque_rms);
        close(x.share, y.share, x.share);
        assert!(
            (following(x)[1] / following(y)[1] - 1.0).abs() < 4e-2,
            "{} {:?} {:?}",
            x.name,
            x.tracking_max,
            y.tracking_max
        );
    }
    let sizes = |motion: &[Timed], weights: &Weights| -> Result<Vec<f64>, Box<dyn Error>> {
        let states: Vec<_> = motion.iter().map(|timed| (timed.state.clone(), timed.wrench)).collect();
        let torque = robot.torque_of_parameters(&states, false)?;
        let widths: Vec<f64> = torque.parameters().iter().map(|p| p.half_width(0.01, 0.0)).collect();
        let over = over_motion(&*torque, &widths, weights);
        Ok([over.torque.rms, over.combined.rms, over.worst.rms].concat())
    };
    let (x, y) = (sizes(&even, &a.weights)?, sizes(&uneven, &b.weights)?);
    let alike = sizes(&uneven, &Weights::rows(uneven.len()))?;
    for ((x, y), alike) in x.iter().zip(&y).zip(alike) {
        close(*x, *y, *x);
        assert!((alike / x - 1.0).abs() > 0.1, "{alike} {x}");
    }
    Ok(())
}

#[test]
fn a_state_counts_for_the_time_around_it() {
    let times = [0.0, 0.1, 0.1, 0.7, 2.5, 3.1];
    let weights = Weights::by_time(&times).unwrap();
    let expected = [0.1, 0.05, 0.3, 1.2, 1.2, 0.6].map(|time| time / 3.45);
    assert!(weights.shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{weights:?}");
    assert_eq!(weights.weighing, Weighing::Time);
    // In steps that are exact numbers.
    assert_eq!(Weights::by_time(&[0.5, 1.0, 1.5, 2.0]).unwrap().shares, Weights::rows(4).shares);
    assert_eq!(Weights::of(&[Some(0.0), None]).unwrap(), Weights::rows(2));
    assert_eq!(Weights::of(&[Some(7.0)]).unwrap().shares, [1.0]);
    assert_eq!(Weights::by_time(&[0.0, 2.0, 1.0]), Err(TimesError::Backwards { row: 3, time: 1.0, before: 2.0 }));
    assert!(matches!(Weights::by_time(&[0.0, f64::NAN]), Err(TimesError::Backwards { row: 2, .. })));
    assert_eq!(Weights::by_time(&[1.0; 4]), Err(TimesError::Instant { rows: 4, time: 1.0 }));
}

/// The closed form against the equation itself: a constant push ends at u/ω², and it does not matter how the time is cut,
/// however stiff the loop.
#[test]
fn steps_add_up() {
    let (omega, u) = (7.0, 3.0);
    let start = [0.4, -1.0];
    let whole = tracking_error(start, u, omega, 0.3);
    let parts = [0.05, 0.15, 0.1].into_iter().fold(start, |error, h| tracking_error(error, u, omega, h));
    for (a, b) in whole.iter().zip(parts) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
    let rest = tracking_error(whole, u, omega, 1e5);
    assert!((rest[0] - 3.0 / 49.0).abs() < 1e-15 && rest[1] == 0.0);
    // ë = u − 2ω ė − ω² e by central differences.
    let at = |h: f64| tracking_error(start, u, omega, h);
    let (d, [e, v]) = (1e-5, at(0.1));
    let expected = u - 2.0 * omega * v - omega * omega * e;
    assert!(((at(0.1 + d)[1] - at(0.1 - d)[1]) / (2.0 * d) - expected).abs() < 1e-7);
    assert!(((at(0.1 + d)[0] - at(0.1 - d)[0]) / (2.0 * d) - v).abs() < 1e-7);
}
