//! Scene files: TOML in, a cell that can run out. The format is described in `docs/scenes.md`.

mod bodies;
mod contacts;
mod robots;
mod ties;

use super::{Cell, CellSettings, Formulation, IntegrationMethod, Spot};
use crate::Vec3;
use crate::mechanism::Poles;
use crate::parameter::EARTH;
use crate::robot::file::document::{Document, choice};
use crate::robot::file::{Dimension, Dimension::*, FileError, LoadError, load};
use crate::suggest::closest;
use std::path::Path;

/// A scene as its file describes it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What stands there.
    pub cell: Cell,
    /// How it runs unless somebody says otherwise.
    pub settings: CellSettings,
}

impl Scene {
    /// The scene that a text describes; robot files are looked for in `folder`.
    pub fn parse(text: &str, folder: Option<&Path>) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        match file.string("kind")? {
            Some("scene") => scene(&file, folder),
            Some(_) => Err(file.error(file.span("kind", None), "this is not a scene", "write kind = \"scene\"")),
            None => Err(file.missing("kind", "write kind = \"scene\"")),
        }
    }

    /// The scene in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let folder = path.as_ref().parent().map(Path::to_owned);
        load(path.as_ref(), |text| Self::parse(text, folder.as_deref()))
    }
}

const TOP: &[&str] =
    &["kind", "name", "source", "gravity", "run", "robot", "body", "constraint", "push", "surface", "contact", "event"];
const RUN: &[&str] = &["duration", "every", "formulation", "integrator", "step", "tolerance", "poles"];
const PLACE: &[&str] = &["on", "at"];

/// The path of a table and its keys.
type Keys = (&'static str, &'static [&'static str]);

/// A file that is being read, and the names that are known so far.
struct SceneReader<'f, 't> {
    file: &'f Document<'t>,
    cell: Cell,
    /// All names, for telling them apart.
    names: Vec<String>,
}

fn scene(file: &Document<'_>, folder: Option<&Path>) -> Result<Scene, FileError> {
    check_keys(file)?;
    let name = file.name()?;
    let gravity = Vec3(file.vector("gravity", Acceleration)?.unwrap_or(EARTH.0));
    let mut reader = SceneReader { file, cell: Cell::new(name, gravity), names: Vec::new() };
    reader.robots(folder)?;
    reader.bodies()?;
    if reader.cell.members.is_empty() {
        return Err(file.missing("robot", "a scene has at least one [[robot]] or [[body]]"));
    }
    reader.ties()?;
    reader.pushes()?;
    reader.contacts()?;
    reader.events()?;
    let settings = reader.settings()?;
    Ok(Scene { cell: reader.cell, settings })
}

fn check_keys(file: &Document<'_>) -> Result<(), FileError> {
    // The lists of tables, their keys, and those keys that are tables themselves.
    let lists: [(&str, Vec<&'static str>, &[Keys]); 7] = [
        ("robot", robots::KEYS.to_vec(), &[("start", robots::START)]),
        ("body", bodies::keys(), &[]),
        ("constraint", ties::KEYS.to_vec(), &[("a", PLACE), ("b", PLACE), ("place", PLACE)]),
        ("push", ties::PUSH.to_vec(), &[("place", PLACE)]),
        ("surface", contacts::SURFACE.to_vec(), &[]),
        ("contact", contacts::keys(), &[]),
        ("event", contacts::EVENT.to_vec(), &[]),
    ];
    let mut paths = vec![(String::new(), TOP.to_vec()), (String::from("run"), RUN.to_vec())];
    for (list, keys, inner) in lists.into_iter().filter(|(list, ..)| file.has(list)) {
        for number in 1..=file.tables(list)? {
            paths.push((format!("{list}.{number}"), keys.clone()));
            // A name may stand for a place or a member.
            let tables = inner.iter().map(|(key, keys)| (format!("{list}.{number}.{key}"), keys.to_vec()));
            paths.extend(tables.filter(|(path, _)| file.is_table(path)));
        }
    }
    file.check_keys(&paths)
}

impl SceneReader<'_, '_> {
    fn settings(&self) -> Result<CellSettings, FileError> {
        let (file, mut settings) = (self.file, CellSettings::default());
        let positive = |path: &str, dimension| match file.has(path) {
            true => self.positive(path, dimension).map(Some),
            false => Ok(None),
        };
        settings.duration = positive("run.duration", Time)?.unwrap_or(settings.duration);
        settings.every = positive("run.every", Time)?.unwrap_or(settings.every);
        let formulations = Formulation::ALL.map(|formulation| (formulation.as_str(), formulation));
        settings.formulation = choice(file, "run.formulation", &formulations)?;
        let (step, tolerance) = (positive("run.step", Time)?, positive("run.tolerance", Ratio)?);
        let known = IntegrationMethod::ALL.map(|method| (method.as_str(), method));
        settings.method = match (choice(file, "run.integrator", &known)?, step) {
            (Some(method), _) => method,
            (None, Some(step)) => IntegrationMethod::Rk4(step),
            (None, None) => settings.method,
        };
        let adaptive = settings.method.is_adaptive();
        for (path, given, fits) in [("run.step", step, !adaptive), ("run.tolerance", tolerance, adaptive)] {
            match given {
                Some(fineness) if fits => settings.method = settings.method.with_fineness(fineness),
                Some(_) => {
                    let problem = format!("`{path}` does not go with {}", settings.method.as_str());
                    let hint = "rk4, midpoint and rattle have a `step`, dormand-prince and radau a `tolerance`";
                    return Err(self.wrong(path, problem, hint));
                }
                None => {}
            }
        }
        if let Some(roots) = file.numbers("run.poles", Ratio)? {
            let wrong = |problem: String| self.wrong("run.poles", problem, "as in [-20, -20]");
            let [first, second] = roots[..] else { return Err(wrong(String::from("`run.poles` must be a pair"))) };
            settings.poles = Poles::real(first, second).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(settings)
    }

    /// An error at a key.
    fn wrong(&self, path: &str, problem: impl Into<String>, hint: impl Into<String>) -> FileError {
        self.file.error(self.file.span(path, None), problem, hint)
    }

    /// How many tables a list has; none if it is not there.
    fn count(&self, list: &str) -> Result<usize, FileError> {
        if self.file.has(list) { self.file.tables(list) } else { Ok(0) }
    }

    /// A value that must be there.
    fn needed(&self, path: &str, dimension: Dimension) -> Result<f64, FileError> {
        let missing = || self.file.missing(path, format!("it is {}, as in {}", dimension.name(), dimension.example()));
        self.file.scalar(path, dimension)?.ok_or_else(missing)
    }

    /// As [`SceneReader::needed`], greater than zero.
    fn positive(&self, path: &str, dimension: Dimension) -> Result<f64, FileError> {
        match self.needed(path, dimension)? {
            value if value > 0.0 => Ok(value),
            value => {
                let problem = format!("`{path}` is {value}, but must be positive");
                Err(self.wrong(path, problem, format!("as in {}", dimension.example())))
            }
        }
    }

    fn needed_vector(&self, path: &str, dimension: Dimension) -> Result<[f64; 3], FileError> {
        let missing = || self.file.missing(path, format!("a list of three, each {}", dimension.name()));
        self.file.vector(path, dimension)?.ok_or_else(missing)
    }

    /// The edges of a box.
    fn edges(&self, path: &str, hint: &str) -> Result<[f64; 3], FileError> {
        let size = self.needed_vector(path, Length)?;
        match size.iter().find(|&&edge| edge <= 0.0) {
            None => Ok(size),
            Some(edge) => Err(self.wrong(path, format!("an edge of {edge} m, but each must be positive"), hint)),
        }
    }

    /// A unit vector; its length in the file does not matter.
    fn direction(&self, path: &str, default: Option<[f64; 3]>) -> Result<[f64; 3], FileError> {
        let given = match (self.file.vector(path, Ratio)?, default) {
            (Some(given), _) | (None, Some(given)) => given,
            (None, None) => return Err(self.file.missing(path, "a direction, as in [0, 0, 1]")),
        };
        let length = given.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            return Ok(given.map(|x| x / length));
        }
        Err(self.wrong(path, format!("`{path}` has no direction"), "as in [0, 0, 1]"))
    }

    /// A new name, which becomes part of column names.
    fn name(&mut self, path: &str, default: Option<String>) -> Result<String, FileError> {
        let path = format!("{path}.name");
        let name = match (self.file.string(&path)?, default) {
            (Some(name), _) => name.trim().to_owned(),
            (None, Some(name)) => name,
            (None, None) => return Err(self.file.missing(&path, "give it a name: name = \"…\"")),
        };
        if name.is_empty() || name.contains(['.', ',', '"', '\n']) {
            let hint = "names become parts of column names: no points, commas, quotes";
            return Err(self.wrong(&path, format!("\"{name}\" cannot be a name"), hint));
        }
        if self.names.contains(&name) {
            let hint = "each robot, body, constraint, surface and contact needs a name of its own";
            return Err(self.wrong(&path, format!("the name `{name}` is taken"), hint));
        }
        self.names.push(name.clone());
        Ok(name)
    }

    /// The number of something that is known by its name.
    fn find<'a>(
        &self,
        path: &str,
        what: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<usize, FileError> {
        let Some(name) = self.file.string(path)? else {
            return Err(self.file.missing(path, format!("the name of a {what}")));
        };
        self.number(self.file.span(path, None), name, what, known)
    }

    fn number<'a>(
        &self,
        span: std::ops::Range<usize>,
        name: &str,
        what: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<usize, FileError> {
        if let Some(number) = known.clone().position(|other| other == name) {
            return Ok(number);
        }
        let hint = match closest(name, known.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => match known.collect::<Vec<_>>() {
                all if all.is_empty() => format!("there is no {what} in this scene"),
                all => format!("there are {}", all.join(", ")),
            },
        };
        Err(self.file.error(span, format!("there is no {what} `{name}`"), hint))
    }

    fn member(&self, path: &str) -> Result<usize, FileError> {
        self.find(path, "robot or body", self.cell.members.iter().map(|member| member.name.as_str()))
    }

    /// `{ on = "bar", at = [..] }`, `{ at = [..] }` for a point that stands still, or just `"bar"`.
    fn spot(&self, path: &str) -> Result<Spot, FileError> {
        let (on, at) = (format!("{path}.on"), format!("{path}.at"));
        if self.file.has(path) && !self.file.is_table(path) {
            return Ok(Spot::On { member: self.member(path)?, offset: [0.0; 3] });
        }
        let offset = self.file.vector(&at, Length)?;
        if self.file.has(&on) {
            return Ok(Spot::On { member: self.member(&on)?, offset: offset.unwrap_or([0.0; 3]) });
        }
        match offset {
            Some(point) => Ok(Spot::Fixed(point)),
            None => Err(self.file.missing(path, "a place is { on = \"name\", at = [x, y, z] }, or { at = [x, y, z] }")),
        }
    }
}
