//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::{MotionArguments, MotionPlan, positive};
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, fixed};
use crate::progress::Progress;
use clap::Args;
use dalembert::analyze::Reach;
use dalembert::describe::Dimension;
use dalembert::motion::named::Placement;
use dalembert::motion::{CycleMap, LawChoice, LawName, MapGrid};
use serde_json::{Value, json};

#[derive(Args)]
#[command(mut_arg("profile", |profile| profile.alias("law")))]
#[command(after_help = "\
A cycle is the whole named motion, forth and back for the doors, as fast as torque and speed limits of the robot file \
allow, by the profile `time-optimal` unless another is given. Each place of the map is the middle of a cycle.

Examples:
  dalembert cycle d3-1200
  dalembert cycle d3-1200 --payload 4 --count 11 --csv map.csv --plot map.svg
  dalembert cycle d3-1200 --path semi-ellipse --profile sine-on-ramp --json")]
pub struct CycleArguments {
    /// From the middle of the map to its edge, m  [default: the radius of the workspace]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    half_width: Option<String>,
    /// Places per row and column
    #[arg(long, value_name = "N", default_value = "7", value_parser = clap::value_parser!(u32).range(1..=201))]
    count: u32,
    /// Write the map as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Write the map as SVG
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
    law: LawChoice,
    placement: Placement,
    grid: MapGrid,
    csv: Option<String>,
    plot: Option<String>,
    json: bool,
}

impl CycleArguments {
    pub fn plan(self) -> Result<CyclePlan, Failure> {
        let motion = self.motion.plan(LawName::TimeOptimal)?;
        if self.motion.is_timed() {
            return Err(Failure::new("a map shows the shortest cycles, so it takes no time"));
        }
        let order = &motion.order;
        if order.law == LawName::Gentlest {
            return Err(Failure::new(
                "the gentlest profile is that for a given time, and a map shows the shortest cycles",
            ));
        }
        if order.path.contains(':') || order.path.ends_with(".csv") {
            return Err(Failure::new("a map needs a motion by name, since it is moved about")
                .hint(format!("there are {}", dalembert::motion::named::NAMES.join(", "))));
        }
        if self.csv.is_some() && self.csv == self.plot {
            return Err(Failure::new("CSV and plot cannot both go to one file"));
        }
        let half_width = match &self.half_width {
            Some(text) => positive("half-width", text, Dimension::Length)?,
            None => Reach::of(&motion.robot.delta).radius,
        };
        let law = order.law().map_err(|error| motion.explain(&error))?;
        order.check_place().map_err(|error| motion.explain(&error))?;
        let placement = order.placement(&motion.machine);
        let motion = MotionPlan { machine: order.spared(&motion.machine, 1.0), ..motion };
        let grid = MapGrid { center: placement.center, half_width, count: self.count as usize };
        Ok(CyclePlan { motion, law, placement, grid, csv: self.csv, plot: self.plot, json: self.json })
    }
}

pub fn run(plan: &CyclePlan, screen: &mut Screen) -> Result<(), Failure> {
    let open = |name: &Option<String>| name.as_deref().map(Sink::new).transpose();
    let (mut csv, mut plot) = (open(&plan.csv)?, open(&plan.plot)?);
    let progress = Progress::of("of the map", (plan.grid.count * plan.grid.count) as f64);
    let m = &plan.motion;
    let map = CycleMap::of(&m.machine, &m.order.path, &plan.placement, &plan.law, &plan.grid, &mut |done| {
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
            .to_svg(&title, &format!("{}, payload {} kg", m.order.name(), m.payload))
            .ok_or_else(|| Failure::new("one place makes no picture").hint("give --count 2 or more"))?;
        sink.text(&picture)?;
    }
    for sink in [csv, plot].into_iter().flatten() {
        sink.finish()?;
    }
    if [&plan.csv, &plan.plot].into_iter().flatten().any(|name| name == "-") {
        return Ok(());
    }
    if plan.json {
        screen.json(&as_json(plan, &map));
        return Ok(());
    }
    screen.heading(title);
    screen.line(format!("  {}", m.what()));
    let mut table = Table::new(&"r".repeat(map.count + 1));
    let x = |k: usize| fixed(1e3 * map.cells[k].center[0], 0);
    table.head(std::iter::once("y \\ x, mm".to_owned()).chain((0..map.count).map(x)));
    for row in (0..map.count).rev() {
        let cells = &map.cells[row * map.count..(row + 1) * map.count];
        let rates = cells.iter().map(|cell| match &cell.duration {
            Ok(duration) => fixed(60.0 / duration, 0),
            Err(_) => "–".to_owned(),
        });
        table.row(std::iter::once(fixed(1e3 * cells[0].center[1], 0)).chain(rates));
    }
    screen.table(&table);
    screen.line(format!(
        "  fastest: {} s at ({}, {}, {}) m",
        fixed(duration, 4),
        fixed(best.center[0], 3),
        fixed(best.center[1], 3),
        fixed(best.center[2], 3)
    ));
    for (name, what) in [(&plan.csv, "map"), (&plan.plot, "plot")] {
        if let Some(name) = name {
            screen.line(format!("  {what}: {name}"));
        }
    }
    Ok(())
}

fn as_json(plan: &CyclePlan, map: &CycleMap) -> Value {
    json!({
        "robot": plan.motion.robot.name,
        "path": plan.motion.order.path,
        "profile": plan.motion.order.law.as_str(),
        "payload": plan.motion.payload,
        "fastest": map.best().map(|(cell, duration)| json!({ "center": cell.center.0, "duration": duration })),
        "cells": map.cells.iter().map(|cell| match &cell.duration {
            Ok(duration) => json!({ "center": cell.center.0, "duration": duration }),
            Err(error) => json!({ "center": cell.center.0, "impossible": error.to_string() }),
        }).collect::<Vec<_>>(),
    })
}
