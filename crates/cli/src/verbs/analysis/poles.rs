//! `poles`: poles, zeros, and how controllable and observable each mode is.

use super::linearize::{FROZEN, OVER_TIME, texts};
use super::model::ModelArguments;
use super::say_sticking;
use crate::prelude::*;
use dalembert::verbs::linear::poles::{KalmanSizes, ModeGroup, PointPoles, PoleMode, PolesOutcome, poles};
use dalembert::verbs::linear::poles_table;

#[derive(Args)]
#[command(after_help = "\
Controllability and observability: smallest singular values of [A - s, B] and [A - s; C], scaled to unit norm. `no` marks a mode that is \
not controllable or not observable.

In motion (--velocity, TABLE) poles are those of the model frozen at the state; they depend on the coordinates and do \
not decide whether the motion is stable.

Examples:
  dalembert poles d3-1200 --joints 0                     an unstable pose
  dalembert poles d3-1200 --joints '45 deg' --damping 0.3
  dalembert poles d3-1200 --joints '45 deg' --formulation baumgarte --constraint-poles=-4,-6
  dalembert poles d3-1200 --joints '20 deg' --joint-velocity 2,0,0 --torque=-3,-3,-3
  dalembert poles puma560 --json
  dalembert trajectory d3-1200 --out - | dalembert poles d3-1200 - --plot poles.svg")]
pub struct PolesArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Draw poles and zeros, or the poles over a motion: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &PolesArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut files = Files::open("plot", &arguments.plot)?;
    let request = arguments.model.request()?;
    let outcome = poles(&request, &mut arguments.model.progress())?;
    files.write("plot", |sink| sink.picture(&outcome.chart().draw()))?;
    files.show(screen, &outcome, arguments.json, Names::Apart, |screen| match &outcome {
        PolesOutcome::Point(point) => about_point(point, screen),
        PolesOutcome::Motion(motion) => {
            screen.heading(format!("{}: poles along a motion, {} states of it", motion.robot, motion.poles.len()));
            screen.section(OVER_TIME, &poles_table(&motion.t, &motion.poles, false));
        }
    })
}

fn about_point(point: &PointPoles, screen: &mut Screen) {
    screen.heading(format!("{}: poles", point.robot));
    if point.frozen_in_motion {
        screen.line(format!("  {FROZEN}"));
    }
    say_sticking(screen, point.dry_friction.as_ref(), true);
    let rows = point.groups().into_iter().map(|ModeGroup { re, im, size, behaviour, modes }| {
        let (count, oscillates) = (modes.len(), im > 0.0);
        let word =
            |yes: fn(&PoleMode) -> bool, how: fn(&PoleMode) -> f64| match modes.iter().filter(|mode| yes(mode)).count()
            {
                0 => String::from("no"),
                some if some < count => format!("{some} of {count}"),
                _ => human(modes.iter().map(how).fold(f64::INFINITY, f64::min), 2),
            };
        let pole = if oscillates { format!("{} ± {}j", human(re, 5), human(im, 5)) } else { human(re, 5) };
        let times = match count {
            2 if oscillates => String::new(),
            1 => String::new(),
            count => format!("{} ×", if oscillates { count / 2 } else { count }),
        };
        let damping = if oscillates { human(-re / size, 3) } else { String::new() };
        let words = [word(|m| m.reached, |m| m.controllability), word(|m| m.seen, |m| m.observability)];
        [pole, times, human(size, 5), damping, behaviour.to_owned()].into_iter().chain(words)
    });
    let head = ["pole, 1/s", "", "rad/s", "damping ratio", "", "controllable", "observable"];
    screen.table(&Table::of("lrrrlll", head, rows));
    screen.line("");
    if let Some(poles) = &point.poles_without_dry_friction {
        screen.line(format!("  poles without dry friction: {}", texts(poles)));
    }
    screen.line(match point.zeros[..] {
        [] => String::from("  no transmission zeros"),
        _ => format!("  transmission zeros: {}", texts(&point.zeros)),
    });
    let KalmanSizes { controllable_observable: both, controllable_only, observable_only, neither } = point.kalman;
    screen.line(format!(
        "  of {} states {both} are controllable and observable, {controllable_only} only controllable, {observable_only} only observable, {neither} neither",
        point.states
    ));
}
