//! Charts of linear models: poles and zeros, poles over a motion, the frequency response.

use super::ComplexPair;
use crate::linear::{Complex, Linearized, StateSpace, decades, magnitude};
use crate::verbs::prelude::*;

/// Poles and zeros in the complex plane: crosses and rings.
pub(super) fn plane(name: &str, poles: &[Complex<f64>], zeros: &[Complex<f64>]) -> Chart {
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
    let notes = [("poles", poles), ("zeros", zeros)].into_iter().filter_map(|(what, all)| together(what, all, reach));
    let count = format!("{} poles, {} transmission zeros", poles.len(), zeros.len());
    let subtitle = format!("{count}; unstable to the right of the axis");
    let plane = Panel { y_range: (-reach, reach), ..Panel::new("", "imaginary part, rad/s", lines) };
    Chart {
        panels: vec![plane],
        series: vec![
            Series::new("× poles", COLORS[0], 1.8),
            Series::new("○ transmission zeros", COLORS[1], 1.8),
            Series::new("axes", "#999", 0.8),
        ],
        notes: notes.collect(),
        ..Chart::new(format!("{name}: poles and zeros"), subtitle, "real part, 1/s", (-reach, reach))
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
        0.0 => human(s.re, 5),
        im => format!("{} ± {}j", human(s.re, 5), human(im, 5)),
    };
    let several = places.iter().filter(|(_, count)| *count > 1);
    let texts: Vec<String> = several.map(|(s, count)| format!("{} ({count} ×)", pair(s))).collect();
    (!texts.is_empty()).then(|| format!("{what} in one place: {}", texts.join(", ")))
}

/// Real and imaginary parts over the time of a motion, sorted at each state.
pub(super) fn over_time(name: &str, times: &[f64], poles: &[Vec<ComplexPair>]) -> Chart {
    let sorted = |part: fn(&ComplexPair) -> f64| -> Vec<Line> {
        let mut lines = vec![Line { series: 0, points: Vec::new() }; poles[0].len()];
        for (t, poles) in times.iter().zip(poles) {
            let mut values: Vec<f64> = poles.iter().map(part).collect();
            values.sort_by(f64::total_cmp);
            lines.iter_mut().zip(values).for_each(|(line, value)| line.points.push((*t, value)));
        }
        lines
    };
    let ends = (times[0], times[times.len() - 1]);
    let panel = |title: &str, y_label: &str, lines: Vec<Line>| {
        let mut panel = Panel::new(title, y_label, lines);
        panel.lines.insert(0, Line { series: 1, points: vec![(ends.0, 0.0), (ends.1, 0.0)] });
        panel
    };
    let x_range = if ends.0 < ends.1 { ends } else { (ends.0 - 0.5, ends.0 + 0.5) };
    Chart {
        panels: vec![panel("Real parts", "1/s", sorted(|s| s[0])), panel("Imaginary parts", "rad/s", sorted(|s| s[1]))],
        series: vec![Series::new("poles", COLORS[0], 1.4), Series::new("zero", "#999", 0.8)],
        ..Chart::new(
            format!("{name}: poles along a motion"),
            "at each state, as if it stayed there",
            "time, s",
            x_range,
        )
    }
}

/// Gain and phase from each input to the output of the same number, and the largest gain over all directions.
pub(super) fn bode(model: &Linearized, name: &str) -> Chart {
    let system = &model.system;
    let frequencies = frequencies(system);
    let count = system.inputs.len().min(system.outputs.len()).min(6);
    let mut gains: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count + 1];
    let mut phases: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for f in &frequencies {
        let response = system.at_frequency(f * std::f64::consts::TAU).ok();
        // A pole on the axis is a gap in the line.
        let at = |value: Option<f64>| (f.log10(), value.unwrap_or(f64::NAN));
        let db = |gain: f64| 20.0 * gain.log10();
        for k in 0..count {
            gains[k].push(at(response.as_ref().map(|g| db(g[(k, k)].norm()))));
            phases[k].push(at(response.as_ref().map(|g| g[(k, k)].arg().to_degrees())));
        }
        gains[count].push(at(response.as_ref().map(|g| db(magnitude(g)))));
    }
    phases.iter_mut().for_each(|line| unwrap_phase(line));
    let pair = |k: usize| {
        let name = format!("{} to {}", system.inputs[k].name, system.outputs[k].name);
        Series { dash: ["", "7 3", "2 3"][k % 3], ..Series::new(name, color(k), 1.5) }
    };
    let panel = |title: &str, y_label: &str, lines: Vec<Vec<(f64, f64)>>| {
        Panel::new(
            title,
            y_label,
            lines.into_iter().enumerate().map(|(series, points)| Line { series, points }).collect(),
        )
    };
    let last = frequencies.last().copied().unwrap_or(1000.0);
    let subtitle = format!("{} states, about the point given, {}; gain in SI units", system.order(), time_of(system));
    Chart {
        x_decades: true,
        panels: vec![panel("Gain", "dB", gains), panel("Phase", "deg", phases)],
        series: (0..count).map(pair).chain([Series::new("largest over all directions", "#000", 1.8)]).collect(),
        ..Chart::new(format!("{name}: frequency response"), subtitle, "frequency, Hz", (-2.0, last.log10()))
    }
}

/// No jumps by a turn, and from −180° rather than 180°.
fn unwrap_phase(line: &mut [(f64, f64)]) {
    let mut last: Option<f64> = None;
    for (_, phase) in line.iter_mut().filter(|point| point.1.is_finite()) {
        let near = last.unwrap_or(-90.0);
        *phase += 360.0 * ((near - *phase) / 360.0).round();
        last = Some(*phase);
    }
}

/// Continuous, or sampled.
pub fn time_of(system: &StateSpace) -> String {
    system.step.map_or(String::from("continuous"), |step| format!("discrete, {} s", human(step, 4)))
}

/// From 0.01 Hz to 1 kHz, or to half the sample rate.
pub(super) fn frequencies(system: &StateSpace) -> Vec<f64> {
    decades(0.01, system.step.map_or(1000.0, |step| (0.5 / step).min(1000.0)), 400)
}
