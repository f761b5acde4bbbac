//! `poles`: poles, zeros, and how controllable and observable each mode is.

use super::linearize::{FROZEN, OVER_TIME, texts};
use super::model::ModelArguments;
use super::say_sticking;
use crate::prelude::*;
use dalembert::control::{Law, TuningError, VelocityFrom};
use dalembert::verbs::linear::poles::{KalmanSizes, ModeGroup, PointPoles, PoleMode, PolesOutcome, poles};
use dalembert::verbs::linear::under_law::{LawPoles, LawPolesRequest, law_poles};
use dalembert::verbs::linear::{LinearModelRequest, poles_table};

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
  dalembert poles d3-1200 --law computed-torque          under its controller, from sample to sample
  dalembert poles puma560 --law gravity+pid --bandwidth 8Hz --delay 2
  dalembert trajectory d3-1200 --out - | dalembert poles d3-1200 - --plot poles.svg")]
pub struct PolesArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    under: LawArguments,
    /// Draw poles and zeros, or the poles over a motion: .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The loop whose poles are asked for.
#[derive(Args)]
#[command(next_help_heading = "Under a control law (docs/analysis.md)")]
struct LawArguments {
    /// Poles of the closed loop under this law, from sample to sample
    ///
    /// pd, pid, pd+acc, feedforward, feedforward+mass, gravity+pd, gravity+pid, computed-torque, cartesian
    #[arg(long, value_name = "LAW", conflicts_with_all = ["coordinates", "outputs", "formulation", "constraint_poles", "order", "part", "plot"])]
    law: Option<String>,
    /// Bandwidth of the regulator  [default: 12 Hz]
    #[arg(long, value_name = "FREQUENCY", requires = "law", allow_hyphen_values = true)]
    bandwidth: Option<String>,
    /// Sampling period  [default: 1 ms]
    #[arg(long, value_name = "TIME", requires = "law", allow_hyphen_values = true)]
    period: Option<String>,
    /// Delay of the loop, in samples  [default: 1]
    #[arg(long, value_name = "SAMPLES", requires = "law", allow_hyphen_values = true)]
    delay: Option<usize>,
    /// Time constant of the motor current  [default: 0.5 ms]
    #[arg(long, value_name = "TIME", requires = "law", allow_hyphen_values = true)]
    current_rise: Option<String>,
    /// Ideal drives and sensors, without delay
    #[arg(long, requires = "law", conflicts_with_all = ["delay", "current_rise"])]
    ideal: bool,
}

impl LawArguments {
    fn request(&self, law: &str, model: LinearModelRequest) -> Result<LawPolesRequest, Failure> {
        let law = Law::parse(law.trim()).ok_or_else(|| Failure::new(TuningError::Unknown { name: law.to_owned() }))?;
        let [state] = <[_; 1]>::try_from(model.states)
            .map_err(|_| Failure::new("--law is about one state at rest, not about a motion"))?;
        let mut request = LawPolesRequest::new(model.robot, state.state, law);
        if self.ideal {
            (request.current_rise, request.velocity, request.sampling.delay) = (0.0, VelocityFrom::Tachometer, 0);
        }
        let bandwidth = optional(positive, "bandwidth", &self.bandwidth, Dimension::Frequency)?;
        request.bandwidth = bandwidth.map_or(request.bandwidth, |hertz| std::f64::consts::TAU * hertz);
        let period = optional(positive, "period", &self.period, Dimension::Time)?;
        request.sampling.period = period.unwrap_or(request.sampling.period);
        request.sampling.delay = self.delay.unwrap_or(request.sampling.delay);
        let rise = optional(not_negative, "current-rise", &self.current_rise, Dimension::Time)?;
        request.current_rise = rise.unwrap_or(request.current_rise);
        Ok(request)
    }
}

fn about_law(found: &LawPoles, screen: &mut Screen) {
    let (law, period) = (&found.law, human(1e3 * found.period, 4));
    screen.heading(format!("{}: poles under {law}, sampled every {period} ms", found.robot));
    say_sticking(screen, found.dry_friction.as_ref(), true);
    // Of a pair one row.
    let rows = found.poles.iter().filter(|pole| pole.z[1] >= 0.0 && pole.pole.is_some()).map(|pole| {
        let complex = |[re, im]: [f64; 2]| match im == 0.0 {
            true => human(re, 5),
            false => format!("{} ± {}j", human(re, 5), human(im, 5)),
        };
        let [re, im] = pole.pole.unwrap_or_default();
        let damping = pole.damping_ratio.map_or_else(String::new, |ratio| human(ratio, 3));
        [complex(pole.z), human(pole.magnitude, 6), complex([re, im]), human(re.hypot(im), 5), damping]
    });
    screen.table(&Table::of("lrlrr", ["z", "|z|", "pole of the same decay, 1/s", "rad/s", "damping ratio"], rows));
    screen.line("");
    screen.line(match found.stable {
        true => "  stable: every deviation decays",
        false => "  NOT stable: a deviation grows",
    });
}

pub fn run(arguments: &PolesArguments, screen: &mut Screen) -> Result<(), Failure> {
    let mut files = Files::open("plot", &arguments.plot)?;
    let request = arguments.model.request()?;
    if let Some(law) = &arguments.under.law {
        let outcome = law_poles(&arguments.under.request(law, request)?, &mut arguments.model.progress())?;
        return files.show(screen, &outcome, arguments.json, Names::Apart, |screen| about_law(&outcome, screen));
    }
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
