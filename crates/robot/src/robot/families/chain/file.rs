//! The files of serial arms: what must hold between the keys, and arms back to files. The keys, their units and their defaults
//! are those of the table in [`crate::serial`].

use super::links::{NoArm, SerialLinks, Surroundings};
use super::tolerance::{self, LinkTolerances};
use super::{BREAKAWAY, KIND, convention_name};
use crate::chain::{BranchParameters, ChainError, ChainParameters, TipParameters, ToolOwner};
use crate::friction::Friction;
use crate::limits::{self, JointLimits};
use crate::parameter::{Field, Place, Slot, Visit};
use crate::report::text::human;
use crate::robot::families::refuse_other_kind;
use crate::robot::file::document::choice;
use crate::robot::file::numbers::{Numbers, keys, tables};
use crate::robot::file::units::Dimension;
use crate::robot::file::warn::Warnings;
use crate::robot::file::write::{TomlText, entries, inline, known_angle, text};
use crate::robot::file::{self, Document, FileError, LoadError, Warning};
use crate::robot::{JointKind, MAX_JOINTS};
use crate::serial::{Armature, Body, COUPLED, Coupling, DhConvention, Joint, LinkParameters, SerialParameters};
use crate::spatial::{Frame, roll_pitch_yaw};
use crate::spring::Spring;
use crate::{Angle, Vec3};
use std::path::Path;

/// A serial arm as its file describes it.
#[derive(Clone, Debug)]
pub struct SerialRobot {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The arm itself: validated, immutable.
    pub arm: SerialLinks,
    /// What its joints and drives may do, one entry per joint.
    pub limits: Vec<JointLimits>,
    /// How well its numbers are known, one entry per link.
    pub tolerances: Vec<LinkTolerances>,
    /// Of each link, whether its static friction is `coulomb` because the file gives none.
    pub static_follows: Vec<bool>,
    /// What is possible, but odd.
    pub warnings: Vec<Warning>,
}

impl SerialRobot {
    /// The serial arm that a text in the format of `docs/robot-files.md` describes.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file = Document::parse(text)?;
        refuse_other_kind(&file, &KIND)?;
        read(&file)
    }

    /// The serial arm in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        file::load(path.as_ref(), Self::parse)
    }

    /// The same arm with other links or another payload, if there can be such an arm.
    pub fn changed(&self, change: impl FnOnce(&mut [LinkParameters<f64>], &mut Surroundings)) -> Result<Self, NoArm> {
        let (mut parameters, mut links) = (self.arm.parameters().clone(), self.arm.links());
        change(&mut links, &mut parameters.whole);
        parameters.links.iter_mut().zip(links).for_each(|(branch, link)| branch.link = link);
        Ok(Self { arm: self.arm.with_parameters(parameters)?, ..self.clone() })
    }

    /// The arm as a file, in SI units and degrees. Reading it again gives the same arm (the tool's attitude within
    /// rounding).
    pub fn to_toml(&self) -> String {
        write(self)
    }
}

const JOINTS: [(&str, Joint); 2] =
    [(JointKind::Revolute.as_str(), Joint::Revolute), (JointKind::Prismatic.as_str(), Joint::Prismatic)];

/// Every number of a link's table.
fn visit(link: &mut LinkParameters<f64>, limits: &mut JointLimits, place: Place, visit: &mut Visit<'_, f64>) {
    link.visit(place, visit);
    limits.visit(&limits::FIELDS, place, visit);
    if let Some(breakaway) = &mut limits.breakaway {
        visit(&BREAKAWAY, place, Slot::Number(breakaway));
    }
}

pub(in crate::robot) fn read(file: &Document<'_>) -> Result<SerialRobot, FileError> {
    let links = file.tables("link")?;
    check_keys(file, links)?;
    let name = file.name()?;
    let source = file.string("source")?.map(str::to_owned);
    if !(1..=MAX_JOINTS).contains(&links) {
        return Err(impossible(file, NoArm::Joints(links)));
    }
    let conventions = [DhConvention::Modified, DhConvention::Standard].map(|each| (convention_name(each), each));
    let mut whole = SerialParameters::of_empty_file(required(file, "convention", &conventions)?);
    (whole.tool, whole.base) = (unturned(), Some(unturned()));
    Numbers { file, part_table: None, common: None, slides: false }.read(|each| whole.visit(each))?;
    whole.base = whole.base.filter(|base| *base != Frame::identity());

    let (mut branches, mut tool_names, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tolerances, mut static_follows) = (Vec::new(), Vec::new());
    for i in 0..links {
        let (link, limit) = read_link(file, i)?;
        let (branch, tool_name) = read_attachment(file, i, links, link)?;
        tolerances.push(read_tolerances(file, i, link)?);
        static_follows.push(!file.has(&format!("link.{}.friction.static", i + 1)));
        branches.push(branch);
        tool_names.push(tool_name);
        limits.push(limit);
    }
    let mut arm = SerialLinks::try_tree(ChainParameters { links: branches, whole }, tool_names)
        .map_err(|error| impossible(file, error))?;
    let main_tool = file.string("main_tool")?.map(str::to_owned);
    check_tools(file, &arm, main_tool.as_deref())?;
    arm.main_tool = main_tool;
    let warnings = warnings(file, &arm, &limits);
    Ok(SerialRobot { name, source, arm, limits, tolerances, static_follows, warnings })
}

fn check_keys(file: &Document<'_>, links: usize) -> Result<(), FileError> {
    let mut rest = SerialParameters::of_empty_file(DhConvention::default());
    rest.base = Some(Frame::identity());
    let mut top = vec!["kind", "name", "source", "convention", "link", "main_tool"];
    top.extend(keys(|each| rest.visit(each)));
    let mut link = LinkParameters::of_empty_file(Joint::default());
    link.armature = Some(Armature { carrier: 0, axis: Vec3::zero() });
    link.coupling = Some(Coupling { joints: [1; COUPLED], ratios: [0.0; COUPLED] });
    let mut limits = JointLimits { breakaway: Some(0.0), ..JointLimits::NONE };
    let mut of_link = vec!["joint"];
    of_link.extend(keys(|each| visit(&mut link, &mut limits, Place::WHOLE, each)));
    of_link.extend(COUPLED_JOINTS);
    of_link.extend(["armature.carrier", "tolerance", "parent", "tool.name"]);
    of_link.extend(keys(|each| attached(link).visit_attached(Place::WHOLE, each)));
    let mut known = tables("", &top);
    for n in 1..=links {
        known.extend(tables(&format!("link.{n}"), &of_link));
        let tolerances = LinkTolerances::default().by_key().map(|(key, _)| key);
        known.push((format!("link.{n}.tolerance"), tolerances.to_vec()));
    }
    file.check_keys(&known)
}

fn required<T: Copy>(file: &Document<'_>, path: &str, choices: &[(&str, T)]) -> Result<T, FileError> {
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    choice(file, path, choices)?.ok_or_else(|| file.missing(path, format!("write {}", names.join(" or "))))
}

fn read_link(file: &Document<'_>, i: usize) -> Result<(LinkParameters<f64>, JointLimits), FileError> {
    let (place, path) = (Place::part(i), format!("link.{}", i + 1));
    let joint = required(file, &format!("{path}.joint"), &JOINTS)?;
    let numbers = Numbers { file, part_table: KIND.part_table, common: None, slides: joint == Joint::Prismatic };
    let (mut link, mut limits) = (LinkParameters::of_empty_file(joint), JointLimits::NONE);
    if file.has(&format!("{path}.armature")) {
        let carrier_path = format!("{path}.armature.carrier");
        let Some(carrier) = file.index(&carrier_path)? else {
            return Err(file.missing(&carrier_path, "the number of the link that carries the motor; 0 is the base"));
        };
        link.armature = Some(Armature { carrier, axis: Vec3([f64::NAN; 3]) });
    }
    link.coupling = read_coupling(file, &path)?;
    limits.breakaway = numbers.value(&BREAKAWAY, place)?;
    numbers.read(|each| visit(&mut link, &mut limits, place, each))?;
    let hint = |field: &Field| match field.key {
        "armature.axis" => Some("the direction of the motor's axis in that link, as in [0, 0, 1]"),
        "coupling.ratio" | "coupling.second_ratio" => {
            Some("how fast the motor turns per speed of that joint, at the joint side of its gear")
        }
        _ => None,
    };
    link.friction = link.friction.and_then(Friction::of_file);
    link.spring = link.spring.and_then(Spring::of_file);
    numbers.refuse_missing(hint, |each| link.visit(place, each))?;
    if let Some(armature) = &mut link.armature {
        let length = armature.axis.norm_squared().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            let path = format!("{path}.armature.axis");
            return Err(file.error(file.span(&path, None), format!("`{path}` has no direction"), "as in [0, 0, 1]"));
        }
        armature.axis = armature.axis.map(|x| x / length);
    }
    Ok((link, limits))
}

/// The joints that the motor of a link turns with beyond its own.
const COUPLED_JOINTS: [&str; COUPLED] = ["coupling.joint", "coupling.second_joint"];

fn read_coupling(file: &Document<'_>, path: &str) -> Result<Option<Coupling<f64>>, FileError> {
    if !file.has(&format!("{path}.coupling")) {
        return Ok(None);
    }
    let mut coupling = Coupling { joints: [0; COUPLED], ratios: [f64::NAN; COUPLED] };
    for (k, key) in COUPLED_JOINTS.iter().enumerate() {
        let joint = file.index(&format!("{path}.{key}"))?;
        coupling.joints[k] = joint.unwrap_or(0);
        let ratio = format!("{path}.{}", key.replace("joint", "ratio"));
        if joint.is_none() && (k == 0 || file.has(&ratio)) {
            return Err(
                file.missing(&format!("{path}.{key}"), "the number of the joint that the motor turns with as well")
            );
        }
    }
    Ok(Some(coupling))
}

/// A frame whose three angles are zero: as they are computed, one of its zeros is negative.
fn unturned() -> Frame<f64> {
    Frame { rotation: roll_pitch_yaw([Angle::from_radians(0.0); 3]), origin: Vec3::zero() }
}

/// A link of a tree with all that it can have.
fn attached(link: LinkParameters<f64>) -> BranchParameters<f64> {
    let tip = TipParameters { frame: unturned(), payload: Body::zero() };
    BranchParameters { link, parent: 0, mount: Some(unturned()), tip: Some(tip) }
}

/// What a link hangs on, and its tool.
fn read_attachment(
    file: &Document<'_>,
    i: usize,
    links: usize,
    link: LinkParameters<f64>,
) -> Result<(BranchParameters<f64>, Option<String>), FileError> {
    let (number, path) = (i + 1, format!("link.{}", i + 1));
    let own = |key: &str| format!("{path}.{key}");
    let parent = file.index(&own("parent"))?.unwrap_or(i);
    if parent > i {
        let problem = match parent {
            _ if parent == number => format!("link {number} hangs on itself"),
            _ if parent > links => format!("link {number} hangs on link {parent}, but there are {links} links"),
            _ => format!("link {number} hangs on link {parent}, which comes later"),
        };
        let hint = "`parent` is the number of a [[link]] that is written before, or 0: the base; without it the link before is meant";
        return Err(file.error(file.span(&own("parent"), None), problem, hint));
    }
    let mut branch = BranchParameters { parent, ..attached(link) };
    let numbers = Numbers { file, part_table: KIND.part_table, common: None, slides: link.joint == Joint::Prismatic };
    numbers.read(|each| branch.visit_attached(Place::part(i), each))?;
    branch.mount = branch.mount.filter(|mount| *mount != Frame::identity());
    branch.tip = branch.tip.filter(|_| file.has(&own("tool")) || file.has(&own("payload")));
    let given = file.string(&own("tool.name"))?.map_or_else(|| format!("tool{number}"), str::to_owned);
    Ok((branch, branch.tip.map(|_| given)))
}

/// Refuses names that two tools have, or none.
fn check_tools(file: &Document<'_>, arm: &SerialLinks, main: Option<&str>) -> Result<(), FileError> {
    let all = arm.tools();
    for (k, (name, which)) in all.iter().enumerate() {
        if all[..k].iter().any(|(other, _)| other == name)
            && let ToolOwner::Link(link) = which
        {
            let path = format!("link.{}.tool.name", link + 1);
            let hint = "give each tool a name of its own; the one of the table [tool] is called \"tool\"";
            return Err(file.error(file.span(&path, None), format!("two tools are called \"{name}\""), hint));
        }
    }
    match main.filter(|main| arm.find_tool(Some(main)).is_none()) {
        Some(main) => {
            let problem = format!("there is no tool \"{main}\"");
            Err(file.error(file.span("main_tool", None), problem, arm.known_tools(main)))
        }
        None => Ok(()),
    }
}

/// The tolerance of a number is of the unit of the number.
fn read_tolerances(file: &Document<'_>, i: usize, mut link: LinkParameters<f64>) -> Result<LinkTolerances, FileError> {
    let slides = link.joint == Joint::Prismatic;
    let mut tolerances = LinkTolerances::default();
    let mut fields: Vec<&Field> = Vec::new();
    link.visit(Place::part(i), &mut |field, _, _| fields.push(field));
    for (key, all) in tolerances.by_key() {
        if let Some(field) = fields.iter().find(|field| field.key == key) {
            let path = format!("link.{}.tolerance.{key}", i + 1);
            tolerance::read(file, &path, Dimension::of(field.unit, slides), all)?;
        }
    }
    Ok(tolerances)
}

/// A parameter no arm can have, at the place where it was written.
pub(in crate::robot) fn impossible(file: &Document<'_>, error: NoArm) -> FileError {
    if let NoArm::Chain(ChainError::Coupled { link, .. }) = error {
        let path = format!("link.{link}.coupling.joint");
        return file.error(file.span(&path, None), error.to_string(), "joints are numbered from 1, as the links are");
    }
    if let NoArm::Chain(ChainError::Carrier { link, .. }) = error {
        let path = format!("link.{link}.armature.carrier");
        return file.error(file.span(&path, None), error.to_string(), "0 is the base, 1 the first link");
    }
    let NoArm::Chain(ChainError::Parameter(error)) = error else {
        let hint = match error {
            NoArm::Undriven => {
                "two motors turn in the same ratio to the joints: change a `coupling.ratio`, or its sign as in a differential"
            }
            _ => "each [[link]] is one joint and what it moves",
        };
        return file.error(file.span("link", None), error.to_string(), hint);
    };
    let field = error.field;
    let path = match (error.part, field) {
        (Some(n), field) => format!("link.{n}.{field}"),
        (None, "tool.rotation") => "tool.rpy".to_owned(),
        (None, field) => field.to_owned(),
    };
    let hint = match field {
        "inertia" | "payload.inertia" => "about the centre of mass, axes of the link's frame; off the diagonal −∫xy dm",
        "gear_ratio" => "it is motor speed over joint speed",
        _ => "see docs/robot-files.md for what each key means",
    };
    file.error(file.span(&path, None), error.to_string(), hint)
}

/// What is possible, but odd: told, not refused.
fn warnings(file: &Document<'_>, arm: &SerialLinks, limits: &[JointLimits]) -> Vec<Warning> {
    let mut all = Warnings::new(file);
    let ChainParameters { links, mut whole } = arm.parameters().clone();
    all.gravity(whole.gravity);
    all.units(&Numbers { file, part_table: None, common: None, slides: false }, |each| whole.visit(each));
    for (i, (mut branch, &(mut limits))) in links.iter().copied().zip(limits).enumerate() {
        let slides = branch.link.joint == Joint::Prismatic;
        let numbers = Numbers { file, part_table: KIND.part_table, common: None, slides };
        all.units(&numbers, |each| {
            visit(&mut branch.link, &mut limits, Place::part(i), each);
            branch.visit_attached(Place::part(i), each);
        });
    }
    let reach = reach(arm, limits);
    for (i, BranchParameters { link, .. }) in links.iter().enumerate() {
        let (path, body) = (format!("link.{}", i + 1), link.body);
        all.mass(&format!("{path}.mass"), None, body.mass, (reach / 2.0).powi(3), "a block");
        let [xx, yy, zz, ..] = body.inertia.entries();
        let most = 10.0 * body.mass * reach * reach;
        if body.mass > 0.0 && xx.max(yy).max(zz) > most {
            let problem =
                format!(" is more than ten times mass · reach² = {} kg m²: in kg mm² or g mm²?", human(most, 6));
            all.add(&format!("{path}.inertia"), None, &problem);
        }
    }
    let bodies = links.iter().enumerate().map(|(i, branch)| (format!("link.{}", i + 1), branch.link.body));
    for (path, body) in bodies.chain([("payload".to_owned(), whole.payload)]) {
        let [xx, yy, zz, ..] = body.inertia.entries();
        let (sum, most) = (xx + yy + zz, xx.max(yy).max(zz));
        // The two smaller ones must not be less than the largest; of link 1 of an arm only I_zz may be known.
        let given = [xx, yy, zz].iter().filter(|&&x| x > 0.0).count() > 1;
        if given && sum - most < most * (1.0 - 1e-12) {
            let others = sum - most;
            let problem = format!(": {most} is more than the other two together, {others:.6}: no body is so");
            all.add(&format!("{path}.inertia"), None, &problem);
        }
    }
    for (i, BranchParameters { link, .. }) in links.iter().enumerate() {
        let unit = if link.joint == Joint::Prismatic { "N" } else { "N m" };
        all.friction(&format!("link.{}.friction", i + 1), None, link.friction, unit);
    }
    all.sorted()
}

/// How far the arm reaches at most, m; infinite where a joint slides without an end, or where no length is given.
fn reach(arm: &SerialLinks, limits: &[JointLimits]) -> f64 {
    let of = |(link, limits): (&LinkParameters<f64>, &JointLimits)| match link.joint {
        Joint::Revolute => link.dh.a.hypot(link.dh.d),
        Joint::Prismatic => link.dh.a.hypot(link.dh.d) + limits.range[0].abs().max(limits.range[1].abs()),
    };
    let reach =
        arm.links().iter().zip(limits).map(of).sum::<f64>() + arm.surroundings().tool.origin.norm_squared().sqrt();
    if reach > 0.0 { reach } else { f64::INFINITY }
}

/// The attitude of the tool is written as three angles, so it reads back within rounding; everything else exactly.
fn write(robot: &SerialRobot) -> String {
    let ChainParameters { links, mut whole } = robot.arm.parameters().clone();
    let mut file = TomlText::new(KIND.name, &robot.name, robot.source.as_deref());
    file.line("convention", &text(convention_name(whole.convention)));
    if let Some(tool) = &robot.arm.main_tool {
        file.line("main_tool", &text(tool));
    }
    let entries = entries(false, known_angle, |each| whole.visit(each));
    file.tables([""], &entries);
    file.tables(whole.base.map(|_| "base"), &entries);
    for (i, branch) in links.into_iter().enumerate() {
        write_link(&mut file, branch.link, robot.limits[i], robot.tolerances[i]);
        write_attachment(&mut file, i, branch, robot.arm.tool_names[i].as_deref());
    }
    file.tables((whole.tool != Frame::identity()).then_some("tool"), &entries);
    file.tables((whole.payload != Body::zero()).then_some("payload"), &entries);
    file.finish()
}

/// What a link has beyond one of a row of links.
fn write_attachment(file: &mut TomlText, i: usize, mut branch: BranchParameters<f64>, tool_name: Option<&str>) {
    if branch.parent != i {
        file.line("parent", &branch.parent.to_string());
    }
    let mut all: Vec<(&str, String)> = tool_name.map(|name| ("tool.name", text(name))).into_iter().collect();
    all.extend(entries(false, known_angle, |each| branch.visit_attached(Place::WHOLE, each)));
    let carries = branch.tip.is_some_and(|tip| tip.payload != Body::zero());
    file.inline_tables(["mount", "tool"].into_iter().chain(carries.then_some("payload")), &all);
}

fn write_link(
    file: &mut TomlText,
    mut link: LinkParameters<f64>,
    mut limits: JointLimits,
    mut tolerances: LinkTolerances,
) {
    file.table("[link]");
    for (name, _) in JOINTS.iter().filter(|(_, joint)| *joint == link.joint) {
        file.line("joint", &text(name));
    }
    let carrier = link.armature.map(|armature| ("armature.carrier", armature.carrier.to_string()));
    let mut all: Vec<(&str, String)> = carrier.into_iter().collect();
    let coupled = link.coupling.iter().flat_map(|coupling| COUPLED_JOINTS.iter().zip(coupling.joints));
    all.extend(coupled.filter(|(_, joint)| *joint > 0).map(|(key, joint)| (*key, joint.to_string())));
    let slides = link.joint == Joint::Prismatic;
    all.extend(entries(slides, known_angle, |each| visit(&mut link, &mut limits, Place::WHOLE, each)));
    // The row of Denavit and Hartenberg comes first, as such rows are written.
    const FIRST: [&str; 4] = ["alpha", "a", "d", "theta_offset"];
    all.sort_by_key(|(key, _)| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
    all.iter().filter(|(key, _)| !key.contains('.')).for_each(|(key, value)| file.line(key, value));
    file.inline_tables(["friction", "spring", "coupling", "armature"], &all);
    if tolerances != LinkTolerances::default() {
        file.line("tolerance", &inline(tolerances.by_key().map(|(key, all)| (key, tolerance::written(all)))));
    }
}
