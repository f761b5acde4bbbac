//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::{MotionArguments, MotionPlan};
use crate::arguments::numbers::positive;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, human};
use crate::progress::Progress;
use clap::Args;
use dalembert::motion::named::Placement;
use dalembert::motion::{CycleMap, MapGrid, MotionOrder, Mover, ProfileChoice, ProfileName, is_file};
use dalembert::robot::Form;
use dalembert::robot::file::Dimension;
use serde_json::{Value, json};

#[derive(Args)]
#[command(after_help = "\
A cycle is the whole named motion, forth and back for pick-and-place, as fast as torque and speed limits of the robot file \
allow, by the profile `time-optimal` unless another is given. Each place of the map is the middle of a cycle. The tool of \
an arm like the PUMA 560 keeps the orientation that --orientation says. The default motion is pick-and-place for every robot.

Examples:
  dalembert cycle d3-1200
  dalembert cycle d3-1200 --payload 4 --count 11 --csv map.csv --plot map.svg
  dalembert cycle d3-1200 --path semi-ellipse --profile sine-on-ramp --json
  dalembert cycle puma560 --count 5 --csv map.csv")]
pub struct CycleArguments {
    /// From the middle of the map to its edge, m  [default: the radius of the workspace, or the room of a tool]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    half_width: Option<String>,
    /// Places per row and column
    #[arg(long, value_name = "N", default_value = "7", value_parser = clap::value_parser!(u32).range(1..=201))]
    count: u32,
    /// Write the map as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Draw the map, SVG or PNG by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since its heading is for everything that follows.
    #[command(flatten)]
    motion: MotionArguments,
}

/// `cycle`, ready to run.
pub struct CyclePlan {
    motion: MotionPlan,
    /// With the part of the limits that is ordered.
    mover: Mover,
    profile: ProfileChoice,
    placement: Placement,
    grid: MapGrid,
    csv: Option<String>,
    plot: Option<String>,
    json: bool,
}

impl CycleArguments {
    pub fn plan(mut self) -> Result<CyclePlan, Failure> {
        let robot = self.motion.robot.find()?;
        // Not every robot's usual motion has a place that could be moved about.
        self.motion.order.path.get_or_insert_with(|| MotionOrder::default().path);
        if self.motion.is_timed() {
            return Err(Failure::new("a map shows the shortest cycles, so it takes no time"));
        }
        if self.motion.order.path.as_deref().is_some_and(|path| path.contains(':') || is_file(path)) {
            return Err(by_name());
        }
        let motion = self.motion.plan(&robot, ProfileName::TimeOptimal)?;
        let order = &motion.order;
        if motion.form() == Form::Joints {
            return Err(by_name());
        }
        if order.profile == ProfileName::MinimumTorque {
            return Err(Failure::new(
                "the minimum-torque profile is the one for a given time, and a map shows the shortest cycles",
            ));
        }
        let half_width = match &self.half_width {
            Some(text) => positive("half-width", text, Dimension::Length)?,
            None => motion.mover.room().1,
        };
        let profile = order.profile_choice().map_err(|error| motion.explain(&error))?;
        order.check_place().map_err(|error| motion.explain(&error))?;
        let placement = order.placement(&motion.mover);
        let mover = order.limited(&motion.mover, 1.0).map_err(|error| motion.explain(&error))?;
        let grid = MapGrid { center: placement.center, half_width, count: self.count as usize };
        Ok(CyclePlan { motion, mover, profile, placement, grid, csv: self.csv, plot: self.plot, json: self.json })
    }
}

fn by_name() -> Failure {
    Failure::new("a map needs a motion by name, since it is moved about")
        .hint(format!("there are {}", dalembert::motion::named::NAMES.join(", ")))
}

pub fn run(plan: &CyclePlan, screen: &mut Screen) -> Result<(), Failure> {
    let m = &plan.motion;
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let mut csv = plan.csv.as_deref().map(Sink::new).transpose()?;
    let progress = Progress::of("of the map", (plan.grid.count * plan.grid.count) as f64);
    let map = CycleMap::of(&plan.mover, &m.order.path, &plan.placement, &plan.profile, &plan.grid, &mut |done| {
        progress.reached(done as f64);
        true
    });
    progress.end();
    let Some((best, duration)) = map.best() else {
        // The same mistake everywhere is told by the middle of the map.
        let middle = map.cells.get(map.cells.len() / 2).and_then(|cell| cell.duration.as_ref().err());
        return Err(match middle {
            Some(error) => m.explain(&error.clone().into()),
            None => Failure::new("the map is empty"),
        });
    };
    if let Some(sink) = &mut csv {
        sink.text(&map.to_csv())?;
    }
    let title = format!("{}: cycles per minute", m.robot.name);
    if let Some(sink) = &mut plot {
        let picture = map
            .picture(&title, &format!("{}, payload {} kg", m.order.name(), m.payload))
            .ok_or_else(|| Failure::new("one place makes no picture").hint("give --count 2 or more"))?;
        sink.picture(&picture)?;
    }
    for sink in [csv, plot].into_iter().flatten() {
        sink.finish()?;
    }
    if [&plan.csv, &plan.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if plan.json {
        screen.json(&as_json(m, &map));
        return Ok(());
    }
    screen.heading(title);
    screen.line(format!("  {}", m.what()));
    let mut table = Table::new(&"r".repeat(map.count + 1));
    let x = |k: usize| human(1e3 * map.cells[k].center[0], 3);
    table.head(std::iter::once("y \\ x, mm".to_owned()).chain((0..map.count).map(x)));
    for row in (0..map.count).rev() {
        let cells = &map.cells[row * map.count..(row + 1) * map.count];
        let rates = cells.iter().map(|cell| match &cell.duration {
            Ok(duration) => human(60.0 / duration, 3),
            Err(_) => "–".to_owned(),
        });
        table.row(std::iter::once(human(1e3 * cells[0].center[1], 3)).chain(rates));
    }
    screen.table(&table);
    screen.line(format!(
        "  fastest: {} s at ({}, {}, {}) m",
        human(duration, 4),
        human(best.center[0], 4),
        human(best.center[1], 4),
        human(best.center[2], 4)
    ));
    for (name, what) in [(&plan.csv, "map"), (&plan.plot, "plot")] {
        if let Some(name) = name {
            screen.line(format!("  {what}: {name}"));
        }
    }
    Ok(())
}

fn as_json(plan: &MotionPlan, map: &CycleMap) -> Value {
    json!({
        "robot": plan.robot.name,
        "path": plan.order.path,
        "profile": plan.order.profile.as_str(),
        "payload": plan.payload,
        "fastest": map.best().map(|(cell, duration)| json!({ "center": cell.center.0, "duration": duration })),
        "cells": map.cells.iter().map(|cell| match &cell.duration {
            Ok(duration) => json!({ "center": cell.center.0, "duration": duration }),
            Err(error) => json!({ "center": cell.center.0, "impossible": error.to_string() }),
        }).collect::<Vec<_>>(),
    })
}
