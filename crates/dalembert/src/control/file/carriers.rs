//! Two robots and the object that they carry, as an experiment file describes them: `[[carrier]]` twice and `[object]`.

use super::{found, number, wrong};
use crate::Vec3;
use crate::control::Pair;
use crate::robot::Robot;
use crate::robot::file::Dimension::{Force, Length, Mass, Ratio};
use crate::robot::file::FileError;
use crate::robot::file::document::Document;
use std::path::Path;

/// Whether an experiment is about two robots and their object.
pub(super) fn are_in(file: &Document<'_>) -> bool {
    file.has("carrier") || file.has("object")
}

type Carrier = (Robot, Vec3<f64>, Vec3<f64>);

fn carrier(file: &Document<'_>, number: usize, folder: Option<&Path>) -> Result<Carrier, FileError> {
    let path = |key: &str| format!("carrier.{number}.{key}");
    let vector = |key: &str| -> Result<Vec3<f64>, FileError> {
        let hint = "a list of three, as in [\"-700 mm\", 0, 0]";
        file.vector(&path(key), Length)?.map(Vec3).ok_or_else(|| file.missing(&path(key), hint))
    };
    let robot = found(file, &path("robot"), folder)?
        .ok_or_else(|| file.missing(&path("robot"), "the name of a built-in Delta, or the path of its file"))?;
    Ok((robot, vector("base")?, vector("grip")?))
}

pub(super) fn pair(file: &Document<'_>, folder: Option<&Path>) -> Result<Robot, FileError> {
    const TWO: &str = "begin each of the two with [[carrier]]: robot, base, grip";
    let count = if file.has("carrier") { file.tables("carrier")? } else { 0 };
    if count != 2 {
        let problem = format!("two robots carry an object, here are {count}");
        return Err(wrong(file, if count > 0 { "carrier" } else { "object" }, problem, TWO));
    }
    let carriers = [carrier(file, 1, folder)?, carrier(file, 2, folder)?];
    let mass =
        number(file, "object.mass", Mass, false)?.ok_or_else(|| file.missing("object.mass", "as in \"1.5 kg\""))?;
    let mut pair = Pair::new(carriers, mass);
    pair.squeeze = file.vector("object.squeeze", Force)?.map_or(pair.squeeze, Vec3);
    pair.share = number(file, "object.share", Ratio, true)?.unwrap_or(pair.share);
    if pair.share > 1.0 {
        let problem = format!("`object.share` is {}, but must be 0 to 1", pair.share);
        return Err(wrong(file, "object.share", problem, "the part of the object that the first robot carries"));
    }
    let [one, other] = &pair.carriers;
    if one.base == other.base {
        let problem = "both carriers stand at the same place";
        return Err(wrong(file, "carrier.2.base", problem, "give each a base of its own"));
    }
    Ok(Robot::from(pair))
}
