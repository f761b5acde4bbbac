//! What `map` tells of a map: ranges, reasons, usable regions.

use crate::output::{Screen, Table, ending, human};
use dalembert::analyze::map::{Grid, Summary};
use dalembert::robot::map::{Field, Kind, MapOptions, Reason};
use dalembert::robot::{Robot, StateError, UsableRegion};
use serde_json::{Value, json};

pub struct MapReport<'a> {
    pub robot: &'a Robot,
    pub kind: Kind,
    pub field: &'a dyn Field,
    pub options: MapOptions,
    pub grid: &'a Grid,
    pub summary: Summary,
    pub out: &'a [String],
}

impl MapReport<'_> {
    /// The reasons that there are, by their numbers, and how often each.
    fn reasons(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.summary.reasons.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// The margin of usable regions.
    fn margin(&self) -> f64 {
        self.options.least_margin.unwrap_or(0.1)
    }

    /// Within the limits of the joints, as the map of reach tells them.
    fn usable(&self) -> Option<Result<UsableRegion, StateError>> {
        self.robot.usable_region(&self.options.pick, self.margin())
    }

    /// The largest diagonal inertia over the least, of all motors: Codourey's measure of how much the inertia changes.
    fn inertia_ratio(&self) -> Option<f64> {
        let joints = self.robot.joints();
        if self.kind != Kind::Mass || joints.iter().any(|joint| joint.kind != joints[0].kind) {
            return None;
        }
        let diagonal = |name: &str| (1..=joints.len()).any(|i| name == format!("M{i}{i}"));
        let ranges = self.field.channels().iter().zip(&self.summary.ranges);
        let diagonal: Vec<_> =
            ranges.filter(|(c, _)| diagonal(&c.name)).map(|(_, range)| *range).collect::<Option<_>>()?;
        let largest = diagonal.iter().map(|r| r.largest).fold(f64::MIN, f64::max);
        let least = diagonal.iter().map(|r| r.least).fold(f64::MAX, f64::min);
        Some(largest / least)
    }

    pub fn to_json(&self) -> Value {
        let axes = self.grid.axes.map(|axis| json!({ "from": axis.from, "to": axis.to, "count": axis.count }));
        let channels: Vec<Value> = self
            .field
            .channels()
            .iter()
            .enumerate()
            .map(|(k, channel)| {
                let range = self.summary.ranges[k];
                json!({
                    "name": channel.name, "unit": channel.unit, "meaning": channel.meaning,
                    "least": range.map(|r| r.least), "least_at": range.map(|r| r.least_at.0),
                    "largest": range.map(|r| r.largest), "largest_at": range.map(|r| r.largest_at.0),
                    "count": range.map(|r| r.count),
                })
            })
            .collect();
        let mut json = json!({
            "robot": self.robot.name, "kind": self.kind.as_str(), "positions": self.grid.len(),
            "channels": channels,
        });
        for ((name, _), axis) in self.field.axes().iter().zip(axes) {
            json[name] = axis;
        }
        if let Some(ratio) = self.inertia_ratio() {
            json["inertia_ratio"] = json!(ratio);
        }
        if self.kind == Kind::Reach {
            let counted = self.reasons().map(|(code, count)| (Reason::text(code), json!(count)));
            json["reasons"] = counted.collect::<serde_json::Map<_, _>>().into();
            let numbers = self.reasons().map(|(code, _)| (code.to_string(), json!(Reason::text(code))));
            json["reason_numbers"] = numbers.collect::<serde_json::Map<_, _>>().into();
            let usable = self.usable();
            json["usable"] = usable.as_ref().and_then(|usable| usable.as_ref().ok()).map_or(Value::Null, |w| {
                json!({
                    "margin": self.margin(),
                    "cylinder": { "radius": w.cylinder_radius, "from": w.cylinder[0], "to": w.cylinder[1] },
                    "box": { "half_side": w.box_half_side, "from": w.box_heights[0], "to": w.box_heights[1] },
                })
            });
            if let Some(Err(reason)) = usable {
                json["not_usable"] = json!(reason.to_string());
            }
        }
        json
    }

    pub fn show(&self, screen: &mut Screen) {
        let wide = self.grid.axes.iter().filter(|axis| axis.count > 1);
        let size: Vec<String> = wide.map(|axis| axis.count.to_string()).collect();
        let places = match self.options.position {
            None => String::from("positions"),
            Some(position) => format!("orientations at {} m", position.0.map(|x| human(x, 4)).join(", ")),
        };
        screen.heading(format!("{}: {}, {} {places}", self.robot.name, self.kind.as_str(), size.join(" × ")));
        self.show_ranges(screen);
        if let Some(ratio) = self.inertia_ratio() {
            screen.line("");
            screen.line(format!("  largest over least diagonal inertia: {}", human(ratio, 4)));
        }
        if self.kind == Kind::Reach {
            self.regions(screen);
        }
        for name in self.out {
            let what = if ["csv", "parquet"].contains(&ending(name).as_str()) { "data" } else { "plot" };
            screen.line("");
            screen.line(format!("{what}: {name}"));
        }
    }

    fn show_ranges(&self, screen: &mut Screen) {
        let mut table = Table::new("lrlrll");
        let place = format!("at {}", self.field.axes().map(|(name, _)| name).join(", "));
        table.head(["", "least", &place, "largest", &place, ""]);
        let mut any = false;
        let channels = self.field.channels().iter().zip(&self.summary.ranges);
        for (channel, range) in channels.filter(|(channel, _)| !channel.reasons) {
            let Some(range) = range else { continue };
            any = true;
            let at = |p: dalembert::Vec3<f64>| p.0.map(|x| human(x, 3)).join(", ");
            table.row([
                channel.name.clone(),
                human(range.least, 4),
                at(range.least_at),
                human(range.largest, 4),
                at(range.largest_at),
                channel.unit.to_owned(),
            ]);
        }
        if any {
            screen.table(&table);
        } else {
            screen.line("  nothing is reached here");
        }
        if self.kind == Kind::Reach {
            screen.line("");
            let all = self.grid.len() as f64;
            for (code, count) in self.reasons() {
                screen.line(format!("  {:5.1} %  {}", 100.0 * count as f64 / all, Reason::text(code)));
            }
        }
    }

    fn regions(&self, screen: &mut Screen) {
        let Some(usable) = self.usable() else { return };
        screen.line("");
        screen.heading(format!(
            "Largest usable regions about the axis (within the limits, margins at least {})",
            human(self.margin(), 3)
        ));
        let w = match usable {
            Ok(w) => w,
            Err(reason) => return screen.line(format!("  {reason}")),
        };
        screen.line(format!(
            "  cylinder: radius {} m, z = {} … {} m",
            human(w.cylinder_radius, 4),
            human(w.cylinder[0], 4),
            human(w.cylinder[1], 4)
        ));
        let side = human(2.0 * w.box_half_side, 4);
        screen.line(format!(
            "  box: {side} × {side} m, z = {} … {} m",
            human(w.box_heights[0], 4),
            human(w.box_heights[1], 4)
        ));
    }
}
