//! A run to look at: one HTML file with its data, plots and a playback in space. It needs no network and no server.

use crate::drawing::{Anchor, Drawing, Shape, Track};
use crate::escape::xml;
use crate::recording::Recording;
use serde_json::{Value, json};

const FRAME: &str = include_str!("frame.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: [&str; 2] = [include_str!("plots.js"), include_str!("stage.js")];

/// More samples than a screen has pixels only make the file large.
const MAX_SAMPLES: usize = 2000;
/// Positions in the playback are in hundredths of a millimetre.
const PER_METRE: f64 = 1e5;

/// Whether an HTML document that begins so is a page of this module.
pub fn is_page(beginning: &[u8]) -> bool {
    FRAME.split_once("{{").is_some_and(|(start, _)| beginning.starts_with(start.as_bytes()))
}

/// What goes into a page.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The heading.
    pub title: String,
    /// Names and values, the most important first.
    pub summary: Vec<(String, String)>,
    /// How it ended.
    pub outcome: String,
    /// It ended early.
    pub early: bool,
    /// The numbers; the column `t` is time.
    pub recording: &'a Recording,
    /// The picture.
    pub drawing: &'a Drawing,
}

impl Page<'_> {
    /// The page as an HTML document.
    pub fn to_html(&self) -> String {
        let rows = self.recording.rows();
        let samples = samples(rows);
        let note = if samples.len() < rows {
            format!(
                "Plots and playback show {} of {rows} rows, evenly spaced; the recording has them all.",
                samples.len()
            )
        } else {
            format!("Plots and playback show all {rows} rows.")
        };
        let summary: String = self
            .summary
            .iter()
            .map(|(name, value)| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", xml(name), xml(value)))
            .collect();
        // In a script element only the end tag must not appear; a `<` in JSON is always in a text.
        let data = crate::escape::json(&self.data(&samples).to_string()).replace('<', "\\u003c");
        let values = [
            ("title", xml(&self.title)),
            ("outcome", xml(&self.outcome)),
            ("outcome_class", String::from(if self.early { "early" } else { "complete" })),
            ("summary", summary),
            ("note", note),
            ("version", String::from(env!("CARGO_PKG_VERSION"))),
            ("style", STYLE.to_owned()),
            ("data", data),
            ("script", SCRIPT.join("\n")),
        ];
        fill(FRAME, &values)
    }

    fn data(&self, samples: &[usize]) -> Value {
        let time = self.recording.column("t").unwrap_or(&[]);
        json!({
            "title": self.title,
            "rows": self.recording.rows(),
            "columns": self.recording.columns().iter().map(|column| {
                json!({ "name": column.name, "unit": column.unit, "meaning": column.meaning })
            }).collect::<Vec<_>>(),
            "t": samples.iter().map(|&k| short(time[k])).collect::<Vec<_>>(),
            "plots": plots(self.recording, samples),
            "scene": scene(self.drawing, samples),
        })
    }
}

/// The rows that are shown: all, or about [`MAX_SAMPLES`] of them with the first and the last.
fn samples(rows: usize) -> Vec<usize> {
    let stride = rows.div_ceil(MAX_SAMPLES + 1).max(1);
    let mut all: Vec<usize> = (0..rows).step_by(stride).collect();
    if all.last().is_some_and(|last| last + 1 < rows) {
        all.push(rows - 1);
    }
    all
}

/// Replaces `{{name}}`, each once and in order of the page, so that a value is never searched.
fn fill(page: &str, values: &[(&str, String)]) -> String {
    let mut result = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        result.push_str(before);
        result.extend(values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str()));
        rest = after;
    }
    result + rest
}

/// Seven digits are more than a plot shows; what is no number is a gap.
fn short(value: f64) -> Value {
    match format!("{value:.6e}").parse::<f64>() {
        Ok(short) if short.is_finite() => json!(short + 0.0),
        _ => Value::Null,
    }
}

/// A line of a plot; what never changes is one number.
fn line(name: &str, meaning: &str, values: impl Fn(usize) -> f64, samples: &[usize]) -> Value {
    let first = samples.first().map_or(0.0, |&k| values(k));
    let y = if first.is_finite() && samples.iter().all(|&k| values(k) == first) {
        short(first)
    } else {
        samples.iter().map(|&k| short(values(k))).collect()
    };
    json!({ "name": name, "meaning": meaning, "y": y })
}

/// Columns that belong into one plot: by member and by what they measure.
fn plots(recording: &Recording, samples: &[usize]) -> Vec<Value> {
    let mut groups: Vec<(String, &str, Vec<Value>)> = Vec::new();
    let own = |name: &str| matches!(name, "t" | "drift" | "drift_rate");
    for column in recording.columns().iter().filter(|column| !own(&column.name)) {
        let (member, name) = match column.name.rsplit_once('.') {
            // The forces inside a robot are one plot.
            Some((prefix, _)) if prefix.rsplit('.').next().is_some_and(|last| last.starts_with("tips")) => {
                let member = prefix.rsplit_once('.').map_or("", |(member, _)| member);
                (member, &column.name[if member.is_empty() { 0 } else { member.len() + 1 }..])
            }
            // Of several runs in one chart.
            Some(("error", name)) => ("", name),
            Some((member, name)) => (member, name),
            None => ("", column.name.as_str()),
        };
        let what = match column.unit {
            "m" if column.name.starts_with("error") => "tracking error",
            "rad" if column.name.starts_with("error") => "tracking error of the joints",
            "W" => "power",
            "rad" => "joint angles",
            "rad/s" => "angular velocities",
            "rad/s^2" => "angular accelerations",
            "m" => "position",
            "m/s" => "velocity",
            "m/s^2" => "acceleration",
            "N m" => "torques",
            "N" if column.name.starts_with("squeeze") => "squeeze",
            "N" | "N or N m" => "forces",
            "N s" => "impulses",
            "s" => "last impact",
            "J" => "energies",
            _ => "orientation",
        };
        let title = if member.is_empty() { capital(what) } else { format!("{member}: {what}") };
        let title = if column.unit == "J" { format!("{title} since the start") } else { title };
        // The zero of an energy means nothing, its change does.
        let zero = if column.unit == "J" { column.values.first().copied().unwrap_or(0.0) } else { 0.0 };
        let line = line(name, &column.meaning, |k| column.values[k] - zero, samples);
        match groups.iter_mut().find(|(known, ..)| *known == title) {
            Some((.., lines)) => lines.push(line),
            None => groups.push((title, column.unit, vec![line])),
        }
    }
    let plot = |(title, unit, lines)| json!({ "title": title, "unit": unit, "log": false, "lines": lines });
    groups.into_iter().map(plot).chain(errors(recording, samples)).collect()
}

/// What should be zero, on a logarithmic axis.
fn errors(recording: &Recording, samples: &[usize]) -> Vec<Value> {
    let mut all = Vec::new();
    if let Some(total) = recording.column("total") {
        let first = total.first().copied().unwrap_or(0.0);
        let change = line("|Δ total|", "change of the total energy", |k| (total[k] - first).abs(), samples);
        all.push(json!({ "title": "Change of total energy", "unit": "J", "log": true, "lines": [change] }));
    }
    let drift = ["drift", "drift_rate"].into_iter().filter_map(|name| {
        let column = recording.columns().iter().find(|column| column.name == name)?;
        let moves = column.values.iter().any(|&value| value != 0.0);
        moves.then(|| line(name, &column.meaning, |k| column.values[k], samples))
    });
    let drift: Vec<Value> = drift.collect();
    if !drift.is_empty() {
        all.push(json!({ "title": "Constraint drift", "unit": "m, m/s", "log": true, "lines": drift }));
    }
    all
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn scene(drawing: &Drawing, samples: &[usize]) -> Value {
    let track = |track: &Track| {
        let rounded = |x: &f64| json!((x * PER_METRE).round() as i64);
        let positions = samples.iter().filter_map(|&k| track.position.get(k)).flatten().map(rounded);
        let turned = |x: &f64| json!((x * 1e5).round() / 1e5 + 0.0);
        let rotations = samples.iter().filter_map(|&k| track.rotation.get(k)).flatten().map(turned);
        let (p, r): (Vec<Value>, Vec<Value>) = (positions.collect(), rotations.collect());
        if r.is_empty() { json!({ "p": p }) } else { json!({ "p": p, "r": r }) }
    };
    let tracks: Vec<Value> = drawing.tracks.iter().map(track).collect();
    let mut scene = json!({ "tracks": tracks, "shapes": drawing.shapes.iter().map(shape).collect::<Vec<_>>() });
    if let Some(turn) = drawing.turn() {
        scene["turn"] = json!(turn);
    }
    scene
}

fn anchor(anchor: &Anchor) -> Value {
    let track = anchor.track.map_or(-1, |track| track as i64);
    let [x, y, z] = anchor.offset.map(short);
    json!([track, x, y, z])
}

fn shape(shape: &Shape) -> Value {
    let points = |anchors: &[Anchor]| anchors.iter().map(anchor).collect::<Vec<_>>();
    match shape {
        Shape::Line(role, anchors) => json!({ "kind": "line", "role": role.as_str(), "points": points(anchors) }),
        Shape::Polygon(role, anchors) => json!({ "kind": "polygon", "role": role.as_str(), "points": points(anchors) }),
        Shape::Box(role, at, size) => {
            json!({ "kind": "box", "role": role.as_str(), "at": anchor(at), "size": size })
        }
        Shape::Sphere(role, at, radius) => {
            json!({ "kind": "sphere", "role": role.as_str(), "at": anchor(at), "radius": radius })
        }
        Shape::Cylinder(role, ends, radius) => {
            json!({ "kind": "cylinder", "role": role.as_str(), "points": points(ends), "radius": radius })
        }
        Shape::Floor(z) => json!({ "kind": "floor", "z": z }),
        Shape::Trace(track) => json!({ "kind": "trace", "track": track }),
    }
}
