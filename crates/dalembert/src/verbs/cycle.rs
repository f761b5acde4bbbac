//! `cycle`: the shortest cycle over the workspace, as a map.

use super::motion::MotionRequest;
use super::prelude::*;
use crate::motion::{CycleMap, MapCell, MapGrid, OrderError, ProfileChoice, is_file, named};

/// Map the shortest time of a named motion over a horizontal square.
#[derive(Clone, Debug)]
pub struct CycleRequest {
    /// A motion by name, without a time.
    pub motion: MotionRequest,
    /// From the middle of the map to its edge, m; none: the radius of the workspace.
    pub half_width: Option<f64>,
    /// Places per row and column, 1 to 201.
    pub count: usize,
}

impl CycleRequest {
    /// 7 × 7 places over the whole workspace.
    pub fn new(motion: MotionRequest) -> Self {
        Self { motion, half_width: None, count: 7 }
    }

    /// The profile of a cycle unless another is wanted.
    pub const USUAL_PROFILE: ProfileChoice = ProfileChoice::TimeOptimal(None);
}

/// Cycle times over the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CycleOutcome {
    /// Name of the robot.
    pub robot: String,
    /// Name of the motion.
    pub path: String,
    /// Name of the motion profile.
    pub profile: &'static str,
    /// kg.
    pub payload: f64,
    /// The place with the shortest cycle.
    pub fastest: CyclePlace,
    /// Row by row from the lowest y, each from the lowest x.
    pub cells: Vec<CyclePlace>,
    /// The map itself.
    #[serde(skip)]
    pub map: CycleMap,
    /// The motion in one line.
    #[serde(skip)]
    pub caption: String,
    #[serde(skip)]
    motion: String,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// The cycle at a place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CyclePlace {
    /// Middle of the cycle, m.
    pub center: [f64; 3],
    /// s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Why there is no cycle here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impossible: Option<String>,
}

impl CyclePlace {
    fn new(cell: &MapCell) -> Self {
        let impossible = cell.duration.as_ref().err().map(ToString::to_string);
        Self { center: cell.center.0, duration: cell.duration.as_ref().ok().copied(), impossible }
    }
}

/// The shortest cycle at each place of a map.
pub fn cycle(request: &CycleRequest, observer: &mut dyn Observer) -> Result<CycleOutcome, VerbError> {
    let order = &request.motion.order;
    if order.time.is_some() {
        return Err(VerbError::new("time", "a map shows the shortest cycles, so it takes no time"));
    }
    let by_name = || {
        VerbError::new("path", "a map needs a motion by name, since it is moved about")
            .hint(format!("there are {}", named::names().join(", ")))
    };
    if order.path.contains(':') || is_file(&order.path) {
        return Err(by_name());
    }
    let setup = request.motion.setup()?;
    let order = &setup.order;
    if setup.form() == Form::Joints {
        return Err(by_name());
    }
    if order.profile == ProfileChoice::MinimumTorque {
        let message = "the minimum-torque profile is the one for a given time, and a map shows the shortest cycles";
        return Err(VerbError::new("profile", message));
    }
    if !(1..=201).contains(&request.count) {
        return Err(VerbError::new("count", format!("count is {}, but must be from 1 to 201", request.count)));
    }
    let failed = |error: OrderError| setup.error(&error);
    let half_width = request.half_width.unwrap_or(setup.mover.room().1);
    let profile = order.profile_choice().map_err(failed)?;
    order.check_place().map_err(failed)?;
    let placement = order.placement(&setup.mover);
    let mover = order.limited(&setup.mover, 1.0).map_err(failed)?;
    let grid = MapGrid { center: placement.center, half_width, count: request.count };
    let all = (grid.count * grid.count) as f64;
    let map = CycleMap::of(&mover, &order.path, &placement, &profile, &grid, &mut |done| {
        observer.progress(done as f64 / all, "cycles");
        !observer.cancelled()
    });
    if observer.cancelled() {
        return Err(VerbError::cancelled());
    }
    let Some((best, _)) = map.best() else {
        // The same mistake everywhere is told by the middle of the map.
        let middle = map.cells.get(map.cells.len() / 2).and_then(|cell| cell.duration.as_ref().err());
        return Err(match middle {
            Some(error) => failed(error.clone().into()),
            None => VerbError::new("count", "the map is empty"),
        });
    };
    Ok(CycleOutcome {
        robot: setup.robot.name.clone(),
        path: order.path.clone(),
        profile: order.profile.as_str(),
        payload: setup.payload,
        fastest: CyclePlace::new(best),
        cells: map.cells.iter().map(CyclePlace::new).collect(),
        caption: setup.caption(),
        motion: order.name(),
        findings: setup.resized.clone().into_iter().collect(),
        map,
    })
}

impl Outcome for CycleOutcome {
    fn metrics(&self) -> Vec<Metric> {
        let possible = self.cells.iter().filter(|cell| cell.duration.is_some()).count();
        let CyclePlace { center: [x, y, _], duration, .. } = self.fastest;
        let fastest = [("duration", duration.unwrap_or(f64::NAN), "s"), ("x", x, "m"), ("y", y, "m")];
        let share = possible as f64 / self.cells.len() as f64;
        metrics("fastest.", fastest).chain(metrics("", [("possible", share, "")])).collect()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl CycleOutcome {
    /// Robot and quantity.
    pub fn title(&self) -> String {
        format!("{}: cycles per minute", self.robot)
    }

    /// The map as a picture.
    pub fn picture(&self) -> Result<Picture, VerbError> {
        let picture = self.map.picture(&self.title(), &format!("{}, payload {} kg", self.motion, self.payload));
        let hint = "a count of 2 or more";
        picture.ok_or_else(|| VerbError::new("count", "one place makes no picture").hint(hint))
    }

    /// Cycles per minute, the highest y first.
    pub fn table(&self) -> Table {
        let count = self.map.count;
        let rows = self.cells.chunks(count).rev().map(|cells| {
            let rates = cells.iter().map(|cell| match cell.duration {
                Some(duration) => human(60.0 / duration, 3),
                None => "–".to_owned(),
            });
            [human(1e3 * cells[0].center[1], 3)].into_iter().chain(rates)
        });
        let x = |k: usize| human(1e3 * self.cells[k].center[0], 3);
        let head = ["y \\ x, mm".to_owned()].into_iter().chain((0..count).map(x));
        Table::of(&"r".repeat(count + 1), head, rows)
    }
}
