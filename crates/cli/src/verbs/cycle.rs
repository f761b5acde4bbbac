//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::{MotionArguments, MotionPlan, positive};
use super::motion_arm::ArmPlan;
use crate::failure::Failure;
use crate::output::{Screen, Sink, Table, fixed};
use crate::progress::Progress;
use clap::Args;
use dalembert::describe::{Described, Dimension};
use dalembert::motion::named::Placement;
use dalembert::motion::{CycleMap, LawChoice, LawName, MapGrid, MotionOrder, ToolMachine, Workspace};
use dalembert::{AnyRobot, SerialRobot};
use serde_json::{Value, json};

#[derive(Args)]
#[command(mut_arg("profile", |profile| profile.alias("law")))]
#[command(after_help = "\
A cycle is the whole named motion, forth and back for the doors, as fast as torque and speed limits of the robot file \
allow, by the profile `time-optimal` unless another is given. Each place of the map is the middle of a cycle. Of an arm \
like the PUMA 560 it is the tool that moves, kept turned as --orientation says; its default motion is the door too.

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
    subject: Subject,
    rest: Rest,
}

enum Subject {
    Delta(Box<MotionPlan>),
    Tool(Box<MotionPlan<SerialRobot, ToolMachine>>),
}

/// Everything but the robot.
struct Rest {
    law: LawChoice,
    placement: Placement,
    grid: MapGrid,
    csv: Option<String>,
    plot: Option<String>,
    json: bool,
}

impl CycleArguments {
    pub fn plan(mut self) -> Result<CyclePlan, Failure> {
        let robot = AnyRobot::find(&self.motion.robot)?;
        crate::arguments::tell_warnings(&self.motion.robot, robot.warnings());
        Ok(match robot {
            AnyRobot::Delta(robot) => {
                let (motion, rest) = self.rest(self.motion.plan_for(*robot, LawName::TimeOptimal)?)?;
                CyclePlan { subject: Subject::Delta(Box::new(motion)), rest }
            }
            AnyRobot::Serial(robot) => {
                // What an arm usually does has no place that could be moved about.
                self.motion.order.path.get_or_insert_with(|| MotionOrder::default().path);
                match ArmPlan::new(&self.motion, *robot, LawName::TimeOptimal)? {
                    ArmPlan::Tool(motion) => {
                        let (motion, rest) = self.rest(*motion)?;
                        CyclePlan { subject: Subject::Tool(Box::new(motion)), rest }
                    }
                    ArmPlan::Joints(_) => return Err(by_name()),
                }
            }
        })
    }

    fn rest<R: Described, W: Workspace>(&self, motion: MotionPlan<R, W>) -> Result<(MotionPlan<R, W>, Rest), Failure> {
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
            return Err(by_name());
        }
        if self.csv.is_some() && self.csv == self.plot {
            return Err(Failure::new("CSV and plot cannot both go to one file"));
        }
        let half_width = match &self.half_width {
            Some(text) => positive("half-width", text, Dimension::Length)?,
            None => motion.machine.middle().1,
        };
        let law = order.law().map_err(|error| motion.explain(&error))?;
        order.check_place().map_err(|error| motion.explain(&error))?;
        let placement = order.placement(&motion.machine);
        let motion = MotionPlan { machine: order.spared(&motion.machine, 1.0), ..motion };
        let grid = MapGrid { center: placement.center, half_width, count: self.count as usize };
        let (csv, plot) = (self.csv.clone(), self.plot.clone());
        Ok((motion, Rest { law, placement, grid, csv, plot, json: self.json }))
    }
}

fn by_name() -> Failure {
    Failure::new("a map needs a motion by name, since it is moved about")
        .hint(format!("there are {}", dalembert::motion::named::NAMES.join(", ")))
}

pub fn run(plan: &CyclePlan, screen: &mut Screen) -> Result<(), Failure> {
    match &plan.subject {
        Subject::Delta(motion) => map(motion, &plan.rest, screen),
        Subject::Tool(motion) => map(motion, &plan.rest, screen),
    }
}

fn map<R: Described, W: Workspace>(m: &MotionPlan<R, W>, plan: &Rest, screen: &mut Screen) -> Result<(), Failure> {
    let mut plot = plan.plot.as_deref().map(Sink::for_picture).transpose()?;
    let mut csv = plan.csv.as_deref().map(Sink::new).transpose()?;
    let progress = Progress::of("of the map", (plan.grid.count * plan.grid.count) as f64);
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
    let title = format!("{}: cycles per minute", m.robot.name());
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

fn as_json<R: Described, W>(plan: &MotionPlan<R, W>, map: &CycleMap) -> Value {
    json!({
        "robot": plan.robot.name(),
        "path": plan.order.path,
        "profile": plan.order.law.as_str(),
        "payload": plan.payload,
        "fastest": map.best().map(|(cell, duration)| json!({ "center": cell.center.0, "duration": duration })),
        "cells": map.cells.iter().map(|cell| match &cell.duration {
            Ok(duration) => json!({ "center": cell.center.0, "duration": duration }),
            Err(error) => json!({ "center": cell.center.0, "impossible": error.to_string() }),
        }).collect::<Vec<_>>(),
    })
}
