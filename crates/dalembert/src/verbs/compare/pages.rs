//! Tables, charts and reports of a comparison.

use super::motions::{Subject, branch_name};
use super::{CompareOutcome, ComparedMotion};
use crate::analyze::compare::{Compared, Difference, Measured, Summary};
use crate::analyze::cost::{Cost, Verdict};
use crate::analyze::map::{Plane, PositionGrid, map};
use crate::analyze::report::{CostReport, Figure};
use crate::robot::map::{Kind, MapOptions};
use crate::verbs::prelude::*;
use std::f64::consts::TAU;

impl CompareOutcome {
    /// What the models are compared over, in two words.
    pub fn motion_kind(&self) -> &'static str {
        if matches!(self.motion, ComparedMotion::Strokes { .. }) { "a pick-and-place" } else { "a motion" }
    }

    /// What the robot is, in words.
    pub fn robot_title(&self) -> &'static str {
        self.subject.robot.kind().title
    }

    /// The motion and the torques of all models as CSV.
    pub fn to_csv(&self) -> String {
        self.comparison.to_csv()
    }

    /// Torques and differences over time, joint by joint.
    pub fn chart(&self) -> Chart {
        let title = format!("{}: the published models over {}", self.robot, self.motion_kind());
        self.comparison.to_chart(&title, &self.what, self.subject.marks.clone())
    }

    /// What each model costs, as one HTML page with the maps of the robot.
    pub fn to_html(&self) -> String {
        self.report(self.maps()).to_html(self.subject.marks.clone())
    }

    /// The same as Markdown, without pictures.
    pub fn to_markdown(&self) -> String {
        self.report(Vec::new()).to_markdown()
    }

    fn report(&self, figures: Vec<Figure>) -> CostReport<'_> {
        CostReport {
            robot: &self.robot,
            motion: &self.what,
            point: self.subject.robot.kind().moved,
            omega: self.bandwidth * TAU,
            comparison: &self.comparison,
            costs: &self.costs,
            figures,
        }
    }

    /// Every model against the measured torques, over all joints and joint by joint.
    pub fn measured_tables(&self, models: &[Measured]) -> [Table; 2] {
        let unit = &self.comparison.unit;
        let all = |model: &Measured| {
            let head = [model.name.to_owned(), format!("{} %", human(model.percent, 3))];
            head.into_iter().chain(numbers(&model.difference.all))
        };
        let of_joints = |model: &Measured| {
            let cells = model.difference.joints.iter().zip(&model.percent_by_joint);
            let cells = cells.map(|(d, percent)| format!("{} ({} %)", human(d.rms, 3), human(*percent, 3)));
            [model.name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
        };
        let joints = self.comparison.joints();
        let heads = ["", "100·‖τ̂ − τ‖/‖τ‖", "mean", "std. dev.", "max. abs.", &format!("RMS, {unit}")];
        let by_joint = [format!("RMS, {unit} (share)")].into_iter().chain((1..=joints).map(|i| format!("joint {i}")));
        [
            Table::of("lrrrrr", heads, models.iter().map(all)),
            Table::of(&format!("l{}", "r".repeat(joints)), by_joint, models.iter().map(of_joints)),
        ]
    }

    /// Model − exact, joint by joint.
    pub fn difference_table(&self) -> Table {
        let models = self.comparison.models.iter().filter_map(|(name, result)| Some((*name, result.as_ref().ok()?)));
        let rows = models.flat_map(|(name, Compared { difference: Summary { joints, all }, .. })| {
            let of_joints = (1..).zip(joints).map(|(joint, difference): (usize, _)| (joint.to_string(), difference));
            of_joints.chain([("all".to_owned(), all)]).enumerate().map(move |(k, (joint, difference))| {
                [if k == 0 { name } else { "" }.to_owned(), joint].into_iter().chain(numbers(difference))
            })
        });
        Table::of("llrrrr", ["", "joint", "mean", "std. dev.", "max. abs.", "RMS"], rows)
    }

    /// What each model costs, with a verdict.
    pub fn cost_table(&self) -> Table {
        let row = |cost: &Cost| {
            // What is only rounding is nothing.
            let shown = |x: f64| if cost.verdict == Verdict::Equal { "0".to_owned() } else { human(x, 3) };
            let share = format!("{} %", shown(100.0 * cost.share));
            let tracking =
                cost.tracking_max.map_or(String::from("–"), |largest| format!("{} mm", shown(1e3 * largest)));
            [cost.name.to_owned(), share, tracking, cost.verdict.text().to_owned()]
        };
        Table::of("lrrl", ["", "of the torque", "tracking, at most", ""], self.costs.iter().map(row))
    }

    /// What a builder wants to see besides the torques: reach, force, acceleration, resolution, inertia at a motor, and where approximating
    /// models are off. Models that are exact, and those printed wrong, have nothing to show.
    fn maps(&self) -> Vec<Figure> {
        use Plane::{Xy, Xz};
        let Subject { robot, pick, height, .. } = &self.subject;
        if robot.workspace().is_none() {
            return Vec::new();
        }
        let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
        let samples = &self.comparison.samples;
        let squares = (0..samples.count()).map(|k| samples.state.row(k).get(6..9).map_or(0.0, square));
        let acceleration = squares.fold(0.0, f64::max).sqrt();
        let wrong = |cost: &&Cost| cost.share > 1e-9 && !cost.name.ends_with("-printed");
        let errors = self.costs.iter().filter(wrong).map(|cost| {
            let most = human(acceleration, 3);
            let caption = format!(
                "What the model is off by at rest and at {most} m/s² in any direction, the most of this motion."
            );
            let kind = Kind::TorqueError { model: cost.name, reference: "exact", acceleration };
            (kind, Xy, format!("Torque error of {}", cost.name), caption)
        });
        let (step, usable) = (Kind::Resolution { step: 1e-4 }, self.usable_text());
        let kinds = [
            (Kind::Reach, Xy, "Reach, from above", "Joint ranges and ball angles count, where the file has them."),
            (Kind::Reach, Xz, "Reach, from the side", &usable),
            (Kind::Force, Xy, "Force", "What the motors hold in every direction, after the weight of the robot."),
            (Kind::Acceleration, Xy, "Acceleration", "What the motors give from rest in every direction."),
            (step, Xy, "Resolution", "How far one encoder step of 0.1 mrad at the joints moves the platform, at most."),
            (Kind::Mass, Xy, "What motor 1 feels", "Inertia at its joint."),
            (Kind::Stability, Xy, "Stability under a constant torque", "Negative: it falls away."),
        ];
        let figure = |(kind, plane, title, caption): (Kind, Plane, String, String)| {
            // Force and acceleration need a torque limit.
            let field = robot.field(kind, &MapOptions { pick: pick.clone(), ..MapOptions::default() }).ok()?;
            let across = (plane == Xy).then_some(*height);
            let found = map(&field, &PositionGrid::slice(&field, plane, across, 120), &|_| true)?;
            let svg = found.heat_map(kind.main_channel(found.channels.len()), &title)?.to_svg();
            // Without limits it shows what the robot would do beyond them.
            let beyond = match kind {
                Kind::Reach => "",
                _ => " Shown wherever the rods reach, also beyond joint ranges and ball angles.",
            };
            Some(Figure { svg, caption: caption + beyond })
        };
        let kinds = kinds.map(|(kind, plane, title, caption)| (kind, plane, title.to_owned(), caption.to_owned()));
        kinds.into_iter().chain(errors).filter_map(figure).collect()
    }

    /// The largest cylinder and box.
    fn usable_text(&self) -> String {
        let Subject { robot, pick, .. } = &self.subject;
        match robot.usable_region(pick, 0.1) {
            None => String::new(),
            Some(Err(reason)) => format!("Usable regions: {reason}."),
            Some(Ok(w)) => format!(
                "Usable throughout with the elbows {}, within the limits and with margins of 0.1 from singularities: a cylinder of {} m radius, \
                 z = {} … {} m; a box of {} × {} m, z = {} … {} m.",
                branch_name(pick.elbows.unwrap_or_default()),
                human(w.cylinder_radius, 3),
                human(w.cylinder[0], 3),
                human(w.cylinder[1], 3),
                human(2.0 * w.box_half_side, 3),
                human(2.0 * w.box_half_side, 3),
                human(w.box_heights[0], 3),
                human(w.box_heights[1], 3)
            ),
        }
    }
}

fn numbers(d: &Difference) -> [String; 4] {
    [d.mean, d.standard_deviation, d.maximum, d.rms].map(|value| human(value, 3))
}
