//! `poles`: poles, zeros, and how well each is reached and seen.

use super::linearize::{FROZEN, is_moving, poles_json, poles_over_time, show};
use super::model::{Model, ModelArguments, PointModel};
use super::{sticking_json, tell_sticking};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use clap::Args;
use dalembert::linear::{Complex, LinearError, LinearMotion, Mode};
use dalembert::report::chart::{COLORS, Chart, Line, Panel, Series, range_of};
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
Reached and seen: least singular value of [A - s, B] and [A - s; C], all scaled to size one; no: no input moves the mode, \
no output shows it.

In motion (--velocity, --states) poles are those of the model frozen at the state; they depend on the coordinates and do \
not decide whether the motion is stable.

Examples:
  dalembert poles d3-1200 --joints 0                     the platform falls away
  dalembert poles d3-1200 --joints '45 deg' --damping 0.3
  dalembert poles d3-1200 --joints '45 deg' --formulation baumgarte --constraint-poles=-4,-6
  dalembert poles d3-1200 --joints '20 deg' --joint-velocity 2,0,0 --torque=-3,-3,-3
  dalembert poles puma560 --json
  dalembert trajectory d3-1200 --out - | dalembert poles d3-1200 --states - --plot poles.svg")]
pub struct PolesArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Draw poles and zeros, or the poles over a motion, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &PolesArguments, screen: &mut Screen) -> Result<(), Failure> {
    let plot = arguments.plot.as_deref().map(Sink::for_picture).transpose()?;
    let (name, model) = arguments.model.linearized()?;
    match model {
        Model::Point(point) => about_point(arguments, screen, plot, (&name, &point)),
        Model::Motion(motion) => along_motion(arguments, screen, plot, (&name, &motion)),
    }
}

/// The poles at each state of a motion.
fn along_motion(
    arguments: &PolesArguments,
    screen: &mut Screen,
    plot: Option<Sink>,
    (name, motion): (&str, &LinearMotion),
) -> Result<(), Failure> {
    let poles: Vec<Vec<Complex<f64>>> = motion
        .points()
        .iter()
        .map(|point| point.system.poles())
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(format!("{name}: {error}")))?;
    if let Some(mut sink) = plot {
        sink.picture(&over_time(name, motion.times(), &poles).draw())?;
        sink.finish()?;
    }
    if arguments.json {
        let all: Vec<Value> = poles.iter().map(|poles| poles_json(poles)).collect();
        let states = motion.points()[0].system.order();
        screen.json(&json!({ "robot": name, "states": states, "t": motion.times(), "poles": all }));
        return Ok(());
    }
    screen.heading(format!("{name}: poles along a motion, {} states of it", poles.len()));
    screen.line("");
    poles_over_time(screen, motion.times(), &poles, false);
    if let Some(name) = &arguments.plot {
        screen.line("");
        screen.line(format!("plot: {name}"));
    }
    Ok(())
}

fn about_point(
    arguments: &PolesArguments,
    screen: &mut Screen,
    plot: Option<Sink>,
    (name, point): (&str, &PointModel),
) -> Result<(), Failure> {
    let PointModel { model, robot, sticking, smooth, .. } = point;
    let system = &model.system;
    let bad = |error: LinearError| Failure::new(format!("{name}: {error}"));
    let (modes, zeros) = (system.modes().map_err(bad)?, system.zeros().map_err(bad)?);
    let kalman = system.kalman().map_err(bad)?;
    let smooth = smooth.as_ref().map(|model| model.system.poles()).transpose().map_err(bad)?;
    if let Some(mut sink) = plot {
        let poles: Vec<Complex<f64>> = modes.iter().map(|mode| mode.pole).collect();
        sink.picture(&plane(name, &poles, &zeros).draw())?;
        sink.finish()?;
    }
    if arguments.json {
        let modes: Vec<Value> = modes
            .iter()
            .map(|m| {
                json!({
                    "pole": [m.pole.re, m.pole.im], "reached": m.reached, "seen": m.seen,
                    "controllability": m.controllability, "observability": m.observability,
                })
            })
            .collect();
        let [both, reached, seen, neither] = kalman.dimensions;
        screen.json(&json!({
            "robot": name, "states": system.order(), "frozen_in_motion": is_moving(model), "modes": modes, "zeros": poles_json(&zeros),
            "dry_friction": sticking_json(sticking), "poles_without_dry_friction": smooth.as_deref().map(poles_json),
            "kalman": { "controllable_observable": both, "controllable_only": reached, "observable_only": seen, "neither": neither },
        }));
        return Ok(());
    }
    screen.heading(format!("{name}: poles"));
    let moving = is_moving(model);
    if moving {
        screen.line(format!("  {FROZEN}"));
    }
    tell_sticking(screen, robot, sticking, true);
    let mut table = Table::new("lrrrlll");
    table.head(["pole, 1/s", "", "rad/s", "damping ratio", "", "reached", "seen"]);
    let largest = modes.iter().map(|mode| mode.pole.norm()).fold(0.0, f64::max);
    for group in grouped(&modes, 1e-6 * largest) {
        let count = group.len();
        let mean = |part: fn(&Mode) -> f64| group.iter().map(|mode| part(mode)).sum::<f64>() / count as f64;
        let (re, im) = (mean(|m| m.pole.re), mean(|m| m.pole.im.abs()));
        let size = re.hypot(im);
        // A double pole at zero is known to half the digits only.
        let oscillates = im > 1e-7 * largest;
        let what = match re {
            _ if moving => "",
            re if re.abs() <= 1e-7 * largest && oscillates => "oscillates",
            re if re.abs() <= 1e-7 * largest => "stays",
            re if re > 0.0 => "grows",
            _ if oscillates => "oscillates, decays",
            _ => "decays",
        };
        let word = |yes: fn(&Mode) -> bool, how: fn(&Mode) -> f64| match group.iter().filter(|mode| yes(mode)).count() {
            0 => String::from("no"),
            some if some < count => format!("{some} of {count}"),
            _ => human(group.iter().map(|mode| how(mode)).fold(f64::INFINITY, f64::min), 2),
        };
        let pole = if oscillates { format!("{} ± {}j", human(re, 5), human(im, 5)) } else { human(re, 5) };
        let times = match count {
            2 if oscillates => String::new(),
            1 => String::new(),
            count => format!("{} ×", if oscillates { count / 2 } else { count }),
        };
        let ratio = if oscillates { human(-re / size, 3) } else { String::new() };
        table.row([
            pole,
            times,
            human(size, 5),
            ratio,
            what.to_owned(),
            word(|m| m.reached, |m| m.controllability),
            word(|m| m.seen, |m| m.observability),
        ]);
    }
    screen.table(&table);
    screen.line("");
    if let Some(poles) = &smooth {
        screen.line(format!(
            "  poles without dry friction: {}",
            poles.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")
        ));
    }
    if zeros.is_empty() {
        screen.line("  no transmission zeros");
    } else {
        screen.line(format!("  transmission zeros: {}", zeros.iter().map(|s| show(*s)).collect::<Vec<_>>().join("  ")));
    }
    let [both, reached, seen, neither] = kalman.dimensions;
    screen.line(format!(
        "  of {} states {both} are reached and seen, {reached} only reached, {seen} only seen, {neither} neither",
        system.order()
    ));
    if let Some(name) = &arguments.plot {
        screen.line("");
        screen.line(format!("plot: {name}"));
    }
    Ok(())
}

/// Poles in one place, with those of the other half plane: every mode is in one group.
fn grouped(modes: &[Mode], near: f64) -> Vec<Vec<&Mode>> {
    let mut groups: Vec<Vec<&Mode>> = Vec::new();
    for mode in modes {
        let upper = |s: Complex<f64>| Complex::new(s.re, s.im.abs());
        let same = |group: &Vec<&Mode>| (upper(group[0].pole) - upper(mode.pole)).norm() <= near;
        match groups.iter_mut().find(|group| same(group)) {
            Some(group) => group.push(mode),
            None => groups.push(vec![mode]),
        }
    }
    groups
}

fn series(name: &str, color: &'static str, width: f64) -> Series {
    Series { name: name.to_owned(), color, width, dash: "" }
}

/// Poles and zeros in the complex plane: crosses and rings.
fn plane(name: &str, poles: &[Complex<f64>], zeros: &[Complex<f64>]) -> Chart {
    let all = || poles.iter().chain(zeros);
    let reach = all().map(|s| s.re.abs().max(s.im.abs())).fold(1e-3, f64::max) * 1.15;
    // A panel is 2.6 times as wide as it is high.
    let mark = [0.012 * reach, 0.032 * reach];
    let mut lines = vec![
        Line { series: 2, points: vec![(-reach, 0.0), (reach, 0.0)] },
        Line { series: 2, points: vec![(0.0, -reach), (0.0, reach)] },
    ];
    for s in poles {
        for sign in [-1.0, 1.0] {
            let points = vec![(s.re - mark[0], s.im - sign * mark[1]), (s.re + mark[0], s.im + sign * mark[1])];
            lines.push(Line { series: 0, points });
        }
    }
    for s in zeros {
        let ring = (0..=24).map(|k| {
            let (sin, cos) = (f64::from(k) / 24.0 * std::f64::consts::TAU).sin_cos();
            (s.re + mark[0] * cos, s.im + mark[1] * sin)
        });
        lines.push(Line { series: 1, points: ring.collect() });
    }
    let mut legend = vec![series("× poles", COLORS[0], 1.8)];
    legend.push(series("○ transmission zeros", COLORS[1], 1.8));
    legend.push(series("axes", "#999", 0.8));
    let notes = [("poles", poles), ("zeros", zeros)].into_iter().filter_map(|(what, all)| together(what, all, reach));
    Chart {
        title: format!("{name}: poles and zeros"),
        subtitle: format!(
            "{} poles, {} transmission zeros; unstable to the right of the axis",
            poles.len(),
            zeros.len()
        ),
        x_label: String::from("real part, 1/s"),
        x_decades: false,
        x_range: (-reach, reach),
        columns: 1,
        panels: vec![Panel {
            title: String::new(),
            y_label: String::from("imaginary part, rad/s"),
            y_range: (-reach, reach),
            lines,
        }],
        series: legend,
        marks: Vec::new(),
        notes: notes.collect(),
    }
}

/// Which of them are in one place, where marks cannot be told apart, and how many.
fn together(what: &str, all: &[Complex<f64>], reach: f64) -> Option<String> {
    let mut places: Vec<(Complex<f64>, usize)> = Vec::new();
    let near = 1e-4 * reach;
    // Of a pair the one above; what rounding has moved off the axis is on it.
    for s in all.iter().filter(|s| s.im > -near) {
        let s = if s.im < near { Complex::new(s.re, 0.0) } else { *s };
        match places.iter_mut().find(|(place, _)| (place - s).norm() <= near) {
            Some((_, count)) => *count += 1,
            None => places.push((s, 1)),
        }
    }
    let pair = |s: &Complex<f64>| match s.im {
        0.0 => show(*s),
        im => format!("{} ± {}j", human(s.re, 5), human(im, 5)),
    };
    let several = places.iter().filter(|(_, count)| *count > 1);
    let texts: Vec<String> = several.map(|(s, count)| format!("{} ({count} ×)", pair(s))).collect();
    (!texts.is_empty()).then(|| format!("{what} in one place: {}", texts.join(", ")))
}

/// Real and imaginary parts over the time of a motion, sorted at each state.
fn over_time(name: &str, times: &[f64], poles: &[Vec<Complex<f64>>]) -> Chart {
    let sorted = |part: fn(&Complex<f64>) -> f64| -> Vec<Line> {
        let rows: Vec<Vec<f64>> = poles
            .iter()
            .map(|poles| {
                let mut values: Vec<f64> = poles.iter().map(part).collect();
                values.sort_by(f64::total_cmp);
                values
            })
            .collect();
        (0..poles[0].len())
            .map(|k| Line { series: 0, points: times.iter().zip(&rows).map(|(t, row)| (*t, row[k])).collect() })
            .collect()
    };
    let ends = (times[0], times[times.len() - 1]);
    let panel = |title: &str, y_label: &str, mut lines: Vec<Line>| {
        let y_range = range_of(lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)));
        lines.insert(0, Line { series: 1, points: vec![(ends.0, 0.0), (ends.1, 0.0)] });
        Panel { title: title.into(), y_label: y_label.into(), y_range, lines }
    };
    Chart {
        title: format!("{name}: poles along a motion"),
        subtitle: String::from("at each state, as if it stayed there"),
        x_label: String::from("time, s"),
        x_decades: false,
        x_range: if ends.0 < ends.1 { ends } else { (ends.0 - 0.5, ends.0 + 0.5) },
        columns: 1,
        panels: vec![panel("Real parts", "1/s", sorted(|s| s.re)), panel("Imaginary parts", "rad/s", sorted(|s| s.im))],
        series: vec![series("poles", COLORS[0], 1.4), series("zero", "#999", 0.8)],
        marks: Vec::new(),
        notes: Vec::new(),
    }
}
