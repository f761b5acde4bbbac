//! The report as one HTML page: logs, verdict, scores, residuals and parameters.

use super::{IdentifyOutcome, deviation, pair, percent};
use crate::friction::Friction;
use crate::identify::columns::FitMode;
use crate::identify::score::Prediction;
use crate::report::chart::of_page;
use crate::report::escape::xml;
use crate::verbs::prelude::*;

/// Points of a line: more than a screen has pixels only make the file large.
const MAX_POINTS: usize = 1500;

/// A line over time that is broken where time jumps.
fn over_time(series: usize, times: &[f64], values: &[f64]) -> Line {
    let step = times.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min).max(1e-9);
    let gap = |k: usize| k > 0 && times[k] - times[k - 1] > 20.0 * step;
    let points = (0..times.len()).map(|k| (times[k], if gap(k) { f64::NAN } else { values[k] }));
    Line { series, points: points.step_by(times.len().div_ceil(MAX_POINTS).max(1)).collect() }
}

/// From the first to the last time.
fn all_times(result: &IdentifyOutcome) -> (f64, f64) {
    let times = || result.predictions.iter().flat_map(|prediction| prediction.times.iter().copied());
    (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max))
}

/// One panel for each joint; a line has a name, a colour and a width.
fn chart(
    [title, subtitle, x_label]: [&str; 3],
    x_range: (f64, f64),
    lines: &[(&str, usize, f64)],
    panels: impl Iterator<Item = Panel>,
) -> Chart {
    let series = lines.iter().map(|(name, color, width)| Series::new(*name, COLORS[*color], *width)).collect();
    Chart { columns: 2, panels: panels.collect(), series, ..Chart::new(title, subtitle, x_label, x_range) }
}

/// What was predicted for each joint.
fn predictions(result: &IdentifyOutcome) -> impl Iterator<Item = (usize, &Prediction)> {
    result.predictions.iter().enumerate()
}

/// Measured against predicted torque, one panel for each joint.
fn torques(result: &IdentifyOutcome, joints: &[Joint]) -> Chart {
    let panel = |(i, Prediction { times, measured, predicted, .. }): (usize, &Prediction)| Panel {
        title: format!("joint {}", i + 1),
        y_label: format!("torque, {}", joints[i].kind.units().torque),
        // The range is that of all samples, also of those that are not drawn.
        y_range: range_of(measured.iter().chain(predicted).copied()),
        lines: vec![over_time(0, times, measured), over_time(1, times, predicted)],
    };
    chart(
        ["Measured and predicted torque", "on held-out data: each fold predicted by a fit to the others", "t, s"],
        all_times(result),
        &[("measured", 0, 2.2), ("predicted", 1, 1.1)],
        predictions(result).map(panel),
    )
}

/// Residuals over time, each joint in its own scale.
fn residuals(result: &IdentifyOutcome, joints: &[Joint]) -> Chart {
    let panel = |(i, prediction): (usize, &Prediction)| {
        let values = prediction.residuals();
        let share = 100.0 * rms(&values) / rms(&prediction.measured).max(f64::MIN_POSITIVE);
        Panel {
            title: format!("joint {}, {} % of the torque", i + 1, human(share, 3)),
            y_label: format!("residual, {}", joints[i].kind.units().torque),
            y_range: range_of(values.iter().copied()),
            lines: vec![over_time(0, &prediction.times, &values)],
        }
    };
    chart(
        ["Residuals", "measured − predicted torque on held-out data; noise has no shape", "t, s"],
        all_times(result),
        &[("measured − predicted", 0, 1.0)],
        predictions(result).map(panel),
    )
}

fn rms(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|x| x * x).sum();
    if values.is_empty() { 0.0 } else { (sum / values.len() as f64).sqrt() }
}

/// Distribution of the residuals, with that of normal noise.
fn histogram(result: &IdentifyOutcome) -> Chart {
    /// Standard deviations to either side, and bars for each.
    const FAR: f64 = 5.0;
    const BARS: usize = 4;
    let bars = 2 * BARS * FAR as usize;
    let width = 1.0 / BARS as f64;
    let panel = |(i, prediction): (usize, &Prediction)| {
        let mut values = prediction.residuals();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        values.iter_mut().for_each(|x| *x -= mean);
        let deviation = rms(&values).max(f64::MIN_POSITIVE);
        let mut counts = vec![0.0_f64; bars];
        for value in &values {
            let place = (value / deviation + FAR) / width;
            if (0.0..bars as f64).contains(&place) {
                counts[place as usize] += 1.0 / (values.len() as f64 * width);
            }
        }
        let edge = |k: usize| k as f64 * width - FAR;
        let steps =
            counts.iter().enumerate().flat_map(|(k, &count)| [(edge(k), count), (edge(k + 1), count)]).collect();
        let normal = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        let bell = (-100..=100).map(|k| f64::from(k) * FAR / 100.0).map(|x| (x, normal(x))).collect();
        Panel {
            title: format!("joint {}", i + 1),
            y_label: "density".into(),
            y_range: range_of(counts.iter().copied().chain([0.0, normal(0.0)])),
            lines: vec![Line { series: 0, points: steps }, Line { series: 1, points: bell }],
        }
    };
    let subtitle = "a second peak or long tails are an effect that is not in the model";
    chart(
        ["Distribution of residuals", subtitle, "standard deviations from the mean"],
        (-FAR, FAR),
        &[("measured − predicted", 0, 1.6), ("normal noise", 1, 1.2)],
        predictions(result).map(panel),
    )
}

/// Residuals over speed, with their mean.
fn against_speed(result: &IdentifyOutcome, joints: &[Joint]) -> Chart {
    let panel = |(i, prediction): (usize, &Prediction)| {
        let most = prediction.speeds.iter().fold(1e-9_f64, |most, v| most.max(v.abs()));
        let relative = prediction.speeds.iter().map(|speed| speed / most);
        let mut points: Vec<(f64, f64)> = relative.zip(prediction.residuals()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = |part: &[(f64, f64)]| {
            let n = part.len() as f64;
            (part.iter().map(|p| p.0).sum::<f64>() / n, part.iter().map(|p| p.1).sum::<f64>() / n)
        };
        let size = (points.len() / 25).max(1);
        let means: Vec<(f64, f64)> = points.chunks(size).map(mean).collect();
        // Points as short strokes, apart from each other.
        let mark = 0.004;
        let dots = points.iter().step_by(points.len().div_ceil(700).max(1));
        let dots = dots.flat_map(|p| [(p.0 - mark, p.1), (p.0 + mark, p.1), (p.0, f64::NAN)]).collect();
        Panel {
            title: format!("joint {}, at most {} {}", i + 1, human(most, 3), joints[i].kind.units().speed),
            y_label: format!("residual, {}", joints[i].kind.units().torque),
            y_range: range_of(points.iter().map(|p| p.1)),
            lines: vec![Line { series: 0, points: dots }, Line { series: 1, points: means }],
        }
    };
    let subtitle = "a mean that changes with the speed is friction that is not in the model";
    chart(
        ["Residuals over speed", subtitle, "speed over its maximum"],
        (-1.02, 1.02),
        &[("measured − predicted", 5, 2.5), ("its mean", 1, 1.8)],
        predictions(result).map(panel),
    )
}

/// Friction of the file and identified friction.
fn friction(result: &IdentifyOutcome, joints: &[Joint]) -> Option<Chart> {
    let found = result.robot.as_ref().ok()?.joints();
    let of = |i: usize| {
        let most = result.logs.iter().filter_map(|log| log.health.speeds.get(i)).copied().fold(0.1, f64::max);
        let curve = |friction: Option<Friction<f64>>, series| {
            let of = |v: f64| friction.map_or(0.0, |friction| friction.torque(v * most));
            Line { series, points: (-200..=200).map(|k| f64::from(k) / 200.0).map(|v| (v, of(v))).collect() }
        };
        let units = joints[i].kind.units();
        let title = format!("joint {}, at most {} {}", i + 1, human(most, 3), units.speed);
        let lines = vec![curve(joints[i].friction, 0), curve(found[i].friction, 1)];
        Panel::new(&title, &format!("friction, {}", units.torque), lines)
    };
    Some(chart(
        ["Friction", "", "speed over its maximum"],
        (-1.0, 1.0),
        &[("robot file", 7, 1.4), ("identified", 1, 1.8)],
        (0..joints.len()).map(of),
    ))
}

fn table<'a>(head: impl IntoIterator<Item = &'a str>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let cell = |tag: &str, cell: &str| format!("<{tag}>{}</{tag}>", xml(cell));
    let head: String = head.into_iter().map(|name| cell("th", name)).collect();
    let row = |row: Vec<String>| row.iter().map(|text| cell("td", text)).collect::<String>();
    let rows: String = rows.map(|cells| format!("<tr>{}</tr>\n", row(cells))).collect();
    format!("<table>\n<tr>{head}</tr>\n{rows}</table>\n")
}

/// Fitted parameters in words.
fn fitted(mode: FitMode) -> &'static str {
    match mode {
        FitMode::Full => "bodies, rotors and friction",
        FitMode::Gray => "rotors, friction and payload; the bodies are the robot file's",
        FitMode::Factors => "a factor for each body, rotors and friction; the rest of a body is the robot file's",
        FitMode::Friction => "friction; all else is the robot file's",
        FitMode::Payload => "the payload; all else is the robot file's",
    }
}

impl IdentifyOutcome {
    fn finding_items(&self) -> String {
        let item = |finding: &super::IdentifyFinding| {
            let super::IdentifyFinding { grade, name, text, advice, .. } = finding;
            let advice = if advice.is_empty() { String::new() } else { format!(" <em>{}.</em>", xml(advice)) };
            format!("<li class=\"{}\"><b>{name}</b>: {}.{advice}</li>\n", grade.as_str(), xml(text))
        };
        self.findings.iter().map(item).collect()
    }

    fn parameter_html(&self) -> String {
        let rows = self.parameters.iter().map(|p| {
            let prior = p.prior.map_or("–".to_owned(), |prior| human(prior, 5));
            let known = p.prior.filter(|prior| *prior != 0.0);
            let change = known.map_or("–".to_owned(), |prior| percent(100.0 * (p.value / prior - 1.0)));
            let (value, sigma) = (human(p.value, 5), deviation(p.sigma));
            vec![p.name.clone(), value, sigma, prior, change, p.unit.to_owned(), p.meaning.clone()]
        });
        table(["", "identified", "σ", "robot file", "change", "unit", "meaning"], rows)
    }

    fn base_html(&self) -> String {
        let rows = self.base.iter().map(|b| {
            let [value, sigma] = pair(b.least_squares);
            vec![b.formula.clone(), human(b.value, 5), deviation(b.sigma), value, sigma, b.unit.to_owned()]
        });
        table(["base parameter", "identified", "σ", "least squares", "σ", "unit"], rows)
    }

    fn body_html(&self) -> String {
        // A number that has to be positive has the margin 1 or none.
        let (single, whole): (Vec<_>, Vec<_>) = self.bodies.iter().partition(|body| body.margin == 1.0);
        let count = single.len();
        let singles = "numbers that must not be negative (friction, rotors, point masses) are not";
        let singles = if count == 0 { String::new() } else { format!("<p>{count} {singles}.</p>\n") };
        let word = |possible| if possible { "physically consistent" } else { "physically inconsistent" }.to_owned();
        let rows = whole.into_iter().map(|body| vec![body.name.clone(), human(body.margin, 3), word(body.possible)]);
        table(["body", "margin", ""], rows) + &singles
    }

    fn log_html(&self) -> String {
        let rows = self.logs.iter().map(|log| {
            let h = &log.health;
            vec![
                log.name.clone(),
                h.rows.to_string(),
                format!("{} Hz", human(1.0 / h.step, 4)),
                format!("{} %", human(100.0 * h.jitter, 2)),
                h.gaps.to_string(),
                format!("{} %", human(100.0 * h.rest, 3)),
                h.saturated.iter().map(|s| human(100.0 * s, 2)).collect::<Vec<_>>().join(", "),
            ]
        });
        table(["log", "rows", "rate", "jitter", "gaps", "at rest", "torque at its limit, % of the time"], rows)
    }

    /// The report as one HTML page.
    pub fn page(&self) -> String {
        let (name, joints) = &self.file;
        let title = xml(&format!("{name}: identified"));
        let names: Vec<String> = (1..=joints.len()).map(|i| format!("joint {i}")).collect();
        let head = ["100·‖τ − τ̂‖/‖τ‖", "all"].into_iter().chain(names.iter().map(String::as_str));
        let notes: String = self.notes.iter().map(|note| format!("<li>{}</li>\n", xml(note))).collect();
        let mut charts = String::new();
        if self.predictions.iter().any(|prediction| !prediction.times.is_empty()) {
            let all = [torques(self, joints), residuals(self, joints), histogram(self), against_speed(self, joints)];
            let drawn = all.iter().enumerate().map(|(k, chart)| of_page(&chart.draw().to_svg(), k));
            charts = drawn.collect::<Vec<_>>().join("\n");
        }
        // Behind the four above.
        let curves = friction(self, joints).map_or(String::new(), |chart| of_page(&chart.draw().to_svg(), 4));
        let mut silent = String::new();
        if !self.silent.is_empty() {
            silent = format!("<p>Not identifiable from torques: {}.</p>\n", xml(&self.silent.join(", ")));
        }
        let given = format!(
            "<p>Fitted: {}. {} rows for each joint from {} s of motion, cut-off frequency {} Hz, torque delay {} ms, weight of the robot \
             file {}, condition number {}.</p>\n",
            fitted(self.mode),
            self.rows,
            human(self.seconds, 4),
            human(self.cutoff, 3),
            human(1e3 * self.delay, 3),
            self.prior_weight.map_or("none".to_owned(), |weight| human(weight, 3)),
            human(self.condition, 3),
        );
        let score = match self.scores.held_out.percent() {
            score if score.is_finite() => format!("residual on held-out data: {} of the torque", percent(score)),
            _ => {
                let fit = percent(self.scores.fit.percent());
                format!("residual on the fitted data: {fit} of the torque; no data were held out")
            }
        };
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head><body>\n\
             <h1>{title}</h1>\n<p class=\"verdict {verdict}\"><b>{verdict}</b> {score}</p>\n<ul class=\"answer\">\n{findings}</ul>\n\
             <h2>Logs</h2>\n{logs}{given}<ul>\n{notes}</ul>\n<h2>Scores</h2>\n{scores}{charts}\n<h2>Friction</h2>\n{curves}\n\
             <h2>Parameters</h2>\n{parameters}<h2>Base parameters</h2>\n{silent}{base}\
             <h2>Bodies</h2>\n<p>The margin is the smallest over the largest eigenvalue of the pseudo-inertia, its rows scaled alike.</p>\n{bodies}\
             </body></html>\n",
            verdict = self.verdict,
            findings = self.finding_items(),
            scores = table(head, self.score_rows().into_iter()),
            parameters = self.parameter_html(),
            base = self.base_html(),
            bodies = self.body_html(),
            logs = self.log_html(),
        )
    }
}

/// White also where a reader prefers dark: the pictures are.
const STYLE: &str = "
:root{color-scheme:light}
body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:1180px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}
td:first-child,th:first-child,td:last-child,th:last-child{text-align:left}
svg{max-width:100%;height:auto}
.answer{font-size:16px}
.verdict{font-size:20px}.verdict b{color:#fff;padding:.1rem .7rem;border-radius:.3rem;margin-right:.4rem}
.verdict.good b{background:#007a55;color:#fff}.verdict.usable b{background:#4d7c0f}.verdict.weak b{background:#b35c00;color:#fff}.verdict.bad b{background:#b00020;color:#fff}
li.good b{color:#007a55}li.note b{color:#555}li.weak b{color:#b35c00}li.bad b{color:#b00020}
em{color:#555}
";
