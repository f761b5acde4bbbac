//! The report on what published models cost: Markdown, or one HTML page with its pictures.

use super::compare::Comparison;
use super::cost::{Cost, Verdict};
use crate::report::escape::{markdown, xml};
use crate::report::text::human;

/// What goes around the numbers of a report.
#[derive(Clone, Debug)]
pub struct CostReport<'a> {
    /// Of the robot.
    pub robot: &'a str,
    /// The motion in words.
    pub motion: &'a str,
    /// What follows the motion: "platform" or "tool".
    pub point: &'a str,
    /// Natural frequency of the loop, rad/s.
    pub omega: f64,
    /// The comparison.
    pub comparison: &'a Comparison,
    /// What it costs.
    pub costs: &'a [Cost],
    /// Further figures, such as maps; in the HTML report only.
    pub figures: Vec<Figure>,
}

/// A picture with what it shows.
#[derive(Clone, Debug)]
pub struct Figure {
    /// An SVG document.
    pub svg: String,
    /// Below it.
    pub caption: String,
}

const JOINT_HEAD: [&str; 6] = ["model", "joint", "mean", "std. dev.", "max. abs.", "RMS"];

impl CostReport<'_> {
    fn cost_head(&self) -> [String; 7] {
        let [rms, most] = ["RMS", "max"].map(|of| format!("{of}, {}", self.comparison.unit));
        ["model", &rms, &most, "of the torque", "tracking RMS, mm", "tracking max, mm", "verdict"].map(String::from)
    }

    fn title(&self) -> String {
        format!("{}: which published model may I use?", self.robot)
    }

    /// The answer first: models by verdict.
    fn answers(&self) -> Vec<String> {
        let named = |verdict: Verdict| -> Vec<&str> {
            self.costs.iter().filter(|cost| cost.verdict == verdict).map(|cost| cost.name).collect()
        };
        Verdict::ALL
            .into_iter()
            .filter(|&verdict| !named(verdict).is_empty())
            .map(|verdict| format!("{}: {}.", named(verdict).join(", "), verdict.text()))
            .collect()
    }

    fn preface(&self) -> String {
        let (exact, rigid) = (&self.comparison.exact.all, &self.comparison.rigid.all);
        let without = if exact == rigid {
            String::new()
        } else {
            let unit = &self.comparison.unit;
            format!("; without friction and damping, which all models have alike, RMS {} {unit}", human(rigid.rms, 4))
        };
        format!(
            "Motion: {}. Torque of the exact model (`{}`): RMS {} {unit}, at most {} {unit}{without}. Shares are of the torque \
             without friction and damping. Tracking error: what the model's torque error leaves at the {} when the robot \
             is controlled by computed torque with feedback of {} Hz, critically damped. Throughout, {}.",
            self.motion,
            self.comparison.reference,
            human(exact.rms, 4),
            human(exact.maximum, 4),
            self.point,
            human(self.omega / std::f64::consts::TAU, 3),
            self.comparison.weights.weighing.text(),
            unit = self.comparison.unit
        )
    }

    fn row(cost: &Cost) -> [String; 7] {
        // What is only rounding is nothing.
        let shown = |x: f64| if cost.verdict == Verdict::Equal { String::from("0") } else { human(x, 3) };
        let tracking = |k: usize| {
            [cost.tracking_max, cost.tracking_rms][k].map_or(String::from("–"), |error| shown(error * 1e3))
        };
        [
            cost.name.to_owned(),
            human(cost.torque_rms, 3),
            human(cost.torque_max, 3),
            format!("{} %", shown(cost.share * 100.0)),
            tracking(1),
            tracking(0),
            cost.verdict.text().to_owned(),
        ]
    }

    fn joint_rows(&self) -> Vec<[String; 6]> {
        let mut rows = Vec::new();
        for (name, result) in &self.comparison.models {
            let Ok(compared) = result else { continue };
            for (i, d) in compared.difference.joints.iter().enumerate() {
                let [a, b, c, e] = [d.mean, d.standard_deviation, d.maximum, d.rms].map(|x| human(x, 3));
                rows.push([(*name).to_owned(), format!("{}", i + 1), a, b, c, e]);
            }
        }
        rows
    }

    fn refusals(&self) -> Vec<&String> {
        self.comparison.models.iter().filter_map(|(_, result)| result.as_ref().err()).collect()
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let head = |cells: &[String]| {
            let rule = vec!["---"; cells.len()].join(" | ");
            format!("| {} |\n| {rule} |\n", cells.join(" | "))
        };
        let mut text = format!("# {}\n\n", markdown(&self.title()));
        self.answers().iter().for_each(|answer| text += &format!("- {}\n", markdown(answer)));
        text += &format!("\n{}\n\n{}", markdown(&self.preface()), head(&self.cost_head()));
        self.costs.iter().for_each(|cost| text += &line(&Self::row(cost)));
        text +=
            &format!("\n## Difference model − {} by joint, {}\n\n", self.comparison.reference, self.comparison.unit);
        text += &head(&JOINT_HEAD.map(String::from));
        self.joint_rows().iter().for_each(|row| text += &line(row));
        if !self.refusals().is_empty() {
            text += "\n## Do not apply to this robot\n\n";
            self.refusals().iter().for_each(|reason| text += &format!("- {}\n", markdown(reason)));
        }
        text
    }

    /// As one HTML page with the chart in it.
    pub fn to_html(&self, marks: Vec<(f64, String)>) -> String {
        let cells = |tag: &str, cells: &[String]| -> String {
            let all: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", xml(cell))).collect();
            format!("<tr>{all}</tr>\n")
        };
        let head = |names: &[String]| cells("th", names);
        let items = |texts: &mut dyn Iterator<Item = &String>| -> String {
            texts.map(|text| format!("<li>{}</li>\n", code(&xml(text)))).collect()
        };
        let answers = items(&mut self.answers().iter());
        let costs: String = self.costs.iter().map(|cost| cells("td", &Self::row(cost))).collect();
        let joints: String = self.joint_rows().iter().map(|row| cells("td", row)).collect();
        let refusals = if self.refusals().is_empty() {
            String::new()
        } else {
            let all = items(&mut self.refusals().into_iter());
            format!("<h2>Do not apply to this robot</h2>\n<ul>\n{all}</ul>\n")
        };
        let figures = if self.figures.is_empty() {
            String::new()
        } else {
            let all: String = self
                .figures
                .iter()
                .map(|f| format!("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", f.svg, code(&xml(&f.caption))))
                .collect();
            format!("<h2>The robot over its workspace</h2>\n<div class=\"maps\">\n{all}</div>\n")
        };
        let chart = self.comparison.to_chart("Torques and differences", self.motion, marks).draw().to_svg();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style>\
             </head><body>\n<h1>{title}</h1>\n<ul class=\"answer\">\n{answers}</ul>\n<p>{preface}</p>\n\
             <table>\n{cost_head}{costs}</table>\n{chart}\n{figures}\
             <h2>Difference model − {reference} by joint, {unit}</h2>\n\
             <table>\n{joint_head}{joints}</table>\n{refusals}</body></html>\n",
            title = xml(&self.title()),
            preface = code(&xml(&self.preface())),
            reference = self.comparison.reference,
            unit = self.comparison.unit,
            cost_head = head(&self.cost_head()),
            joint_head = head(&JOINT_HEAD.map(String::from)),
        )
    }
}

/// `name` of Markdown as HTML has it.
fn code(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let mut parts = text.split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        // A mark without its partner stays one.
        let (open, close) = match (inside, parts.peek()) {
            (true, Some(_)) => ("<code>", "</code>"),
            (true, None) => ("`", ""),
            (false, _) => ("", ""),
        };
        html += &format!("{open}{part}{close}");
        inside = !inside;
    }
    html
}

/// White also where a reader prefers dark: the pictures are.
const STYLE: &str = "
:root{color-scheme:light}
body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:1160px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}
td:first-child,th:first-child,td:nth-child(7),th:nth-child(7){text-align:left}
svg{max-width:100%;height:auto}
.answer{font-size:17px}
.maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(460px,1fr));gap:1rem}
figure{margin:0}
figcaption{color:#444;padding:0 1rem}
";
