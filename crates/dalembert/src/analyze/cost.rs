//! What a model costs on a motion: torque error, and the tracking error that it leaves in a controlled robot.
//!
//! The robot follows the motion by computed torque: the model's torques along the motion, and feedback that makes the joint
//! errors e obey ë + 2ω ė + ω² e = 0. A torque error Δτ of the model then leaves
//!
//! ```text
//! ë + 2ω ė + ω² e = A⁻¹ Δτ,   δX = K e                                                                        (1)
//! ```
//!
//! with the mass matrix A and K = ∂X/∂q along the motion; linear in Δτ, small errors.

use super::compare::{Comparison, Difference};
use super::linear::{LinearError, Matrix, Signal, StateSpace};
use crate::Vec3;
use crate::delta::{Branch, Delta, ModelName};
use crate::record::human;

/// The cost of one model.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The model.
    pub name: ModelName,
    /// Torque error over all joints, N m.
    pub torque: Difference,
    /// Root mean square of the torque error over that of the torque.
    pub share: f64,
    /// Tracking error at the platform, largest and root mean square, m.
    pub tracking: [f64; 2],
    /// In words.
    pub verdict: &'static str,
}

/// The costs of all models that apply, for a loop of natural frequency `omega`, rad/s.
pub fn costs(
    robot: &Delta<f64>,
    branch: Branch,
    comparison: &Comparison,
    omega: f64,
) -> Result<Vec<Cost>, LinearError> {
    let samples = &comparison.samples;
    let step = match samples[..] {
        [ref first, ref second, ..] => second.t - first.t,
        _ => return Ok(Vec::new()),
    };
    let names = |prefix: &str, n| Signal::numbered(prefix, n, "");
    let a = Matrix::from_row_slice(2, 2, &[0.0, 1.0, -omega * omega, -2.0 * omega]);
    let b = Matrix::from_column_slice(2, 1, &[0.0, 1.0]);
    let matrices = [a, b, Matrix::identity(2, 2), Matrix::zeros(2, 1)];
    // Every joint has the same loop; the disturbance is held from one sample to the next.
    let loops = StateSpace::new(matrices, names("x", 2), names("u", 1), names("y", 2))?.discrete(step)?;
    let mut costs = Vec::new();
    for (name, result) in &comparison.models {
        let Ok(compared) = result else { continue };
        let mut error = [[0.0; 2]; 3];
        let (mut largest, mut squares) = (0.0_f64, 0.0);
        for (sample, torque) in samples.iter().zip(&compared.torque) {
            let pose = robot.at_position(sample.state.position, branch)?;
            let moved = pose.inverse_jacobian() * Vec3::from_fn(|i| error[i][0]);
            largest = largest.max(moved.norm_squared().sqrt());
            squares += moved.norm_squared();
            let push = pose.mass_matrix().solve(*torque - sample.exact);
            for (i, [e, ed]) in error.iter_mut().enumerate() {
                let next = |row: usize| loops.a[(row, 0)] * *e + loops.a[(row, 1)] * *ed + loops.b[(row, 0)] * push[i];
                (*e, *ed) = (next(0), next(1));
            }
        }
        let share = compared.all.rms / comparison.exact.1.rms.max(f64::MIN_POSITIVE);
        let verdict = match share {
            s if s < 1e-9 => "equal to exact: take the fastest of these",
            s if s < 0.01 => "fine: below 1 % of the torque",
            s if s < 0.05 => "usable: below 5 % of the torque; feedback has to make up for it",
            s if s < 0.25 => "poor: feedback carries a good part of the motion",
            _ => "do not use on this robot and motion",
        };
        let tracking = [largest, (squares / samples.len() as f64).sqrt()];
        costs.push(Cost { name: *name, torque: compared.all, share, tracking, verdict });
    }
    Ok(costs)
}

/// What goes around the numbers of a report.
#[derive(Clone, Debug)]
pub struct CostReport<'a> {
    /// Of the robot.
    pub robot: &'a str,
    /// The motion in words.
    pub motion: &'a str,
    /// Natural frequency of the loop, rad/s.
    pub omega: f64,
    /// The comparison.
    pub comparison: &'a Comparison,
    /// What it costs.
    pub costs: &'a [Cost],
    /// Further figures as SVG documents, such as maps; in the HTML report only.
    pub figures: Vec<String>,
}

impl CostReport<'_> {
    fn title(&self) -> String {
        format!("{}: which published model may I use?", self.robot)
    }

    fn preface(&self) -> String {
        let exact = &self.comparison.exact.1;
        format!(
            "Motion: {}. Torque of the exact model: RMS {} N m, at most {} N m. Tracking error: what the model's torque \
             error leaves at the platform when the robot is controlled by computed torque with feedback of {} Hz, \
             critically damped.",
            self.motion,
            human(exact.rms, 4),
            human(exact.maximum, 4),
            human(self.omega / std::f64::consts::TAU, 3)
        )
    }

    fn head() -> [&'static str; 7] {
        ["model", "RMS, N m", "max, N m", "of the torque", "tracking RMS, mm", "tracking max, mm", "verdict"]
    }

    fn row(cost: &Cost) -> [String; 7] {
        [
            cost.name.as_str().to_owned(),
            human(cost.torque.rms, 3),
            human(cost.torque.maximum, 3),
            format!("{} %", human(cost.share * 100.0, 3)),
            human(cost.tracking[1] * 1e3, 3),
            human(cost.tracking[0] * 1e3, 3),
            cost.verdict.to_owned(),
        ]
    }

    fn joint_rows(&self) -> Vec<[String; 6]> {
        let mut rows = Vec::new();
        for (name, result) in &self.comparison.models {
            let Ok(compared) = result else { continue };
            for (i, d) in compared.joints.iter().enumerate() {
                let [a, b, c, e] = [d.mean, d.standard_deviation, d.maximum, d.rms].map(|x| human(x, 3));
                rows.push([name.as_str().to_owned(), format!("{}", i + 1), a, b, c, e]);
            }
        }
        rows
    }

    fn refusals(&self) -> Vec<String> {
        self.comparison.models.iter().filter_map(|(_, result)| result.as_ref().err().map(ToString::to_string)).collect()
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head = |cells: &[&str]| {
            let rule = vec!["---"; cells.len()].join(" | ");
            format!("| {} |\n| {rule} |\n", cells.join(" | "))
        };
        let mut text = format!("# {}\n\n{}\n\n{}", self.title(), self.preface(), head(&Self::head()));
        self.costs.iter().for_each(|cost| text += &line(&Self::row(cost)));
        text += "\n## Difference model − exact by joint, N m\n\n";
        text += &head(&["model", "joint", "mean", "std. dev.", "max. abs.", "RMS"]);
        self.joint_rows().iter().for_each(|row| text += &line(row));
        if !self.refusals().is_empty() {
            text += "\n## Do not apply to this robot\n\n";
            self.refusals().iter().for_each(|reason| text += &format!("- {reason}\n"));
        }
        text
    }

    /// As one HTML page with the chart in it.
    pub fn to_html(&self, marks: Vec<(f64, String)>) -> String {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let cells = |tag: &str, cells: &[String]| -> String {
            let all: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{all}</tr>\n")
        };
        let owned = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let costs: String = self.costs.iter().map(|cost| cells("td", &Self::row(cost))).collect();
        let joints: String = self.joint_rows().iter().map(|row| cells("td", row)).collect();
        let refusals: String = self.refusals().iter().map(|reason| format!("<li>{}</li>", escape(reason))).collect();
        let refusals = if refusals.is_empty() {
            String::new()
        } else {
            format!("<h2>Do not apply to this robot</h2><ul>{refusals}</ul>")
        };
        let chart = self.comparison.to_chart("Torques and differences", self.motion, marks).to_svg();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\n\
             body{{font:15px/1.5 Helvetica,Arial,sans-serif;color:#222;max-width:1120px;margin:2rem auto;padding:0 1rem}}\n\
             table{{border-collapse:collapse;margin:1rem 0}}td,th{{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right}}\n\
             td:first-child,th:first-child,td:nth-child(7),th:nth-child(7){{text-align:left}}\n\
             svg{{max-width:100%;height:auto}}\n</style></head><body>\n<h1>{title}</h1>\n<p>{preface}</p>\n\
             <table>\n{head}{costs}</table>\n{chart}\n{figures}\n<h2>Difference model − exact by joint, N m</h2>\n\
             <table>\n{joint_head}{joints}</table>\n{refusals}\n</body></html>\n",
            title = escape(&self.title()),
            figures = self.figures.join("\n"),
            preface = escape(&self.preface()),
            head = cells("th", &owned(&Self::head())),
            joint_head = cells("th", &owned(&["model", "joint", "mean", "std. dev.", "max. abs.", "RMS"])),
        )
    }
}
