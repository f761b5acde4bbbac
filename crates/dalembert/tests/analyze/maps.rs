//! Maps: symmetry, limits checked against what they promise, the same bits with any number of threads, and files.

use dalembert::analyze::map::{CsvMap, GridAxis, ParquetMap, Plane, PositionGrid, map, stream};
use dalembert::delta::{Branch, ModelName};
use dalembert::robot::families::delta::{Reach, Usable, stability, usable};
use dalembert::robot::map::{Kind, MapError, MapOptions, Reason, model_mass};
use dalembert::robot::{Family, Pick, Robot, ToolState};
use dalembert::{DeltaRobot, Vec3, robots as built_in};
use dalembert_proptest::{states, symmetric_robots};
use proptest::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

/// However near to a singularity.
fn all() -> MapOptions {
    MapOptions { least_margin: Some(0.0), ..MapOptions::default() }
}

fn both() -> Vec<DeltaRobot> {
    vec![built_in::asadi().unwrap(), built_in::d3_1200().unwrap()]
}

/// A position turned by a third, the first arm's values become the next one's: M11 → M22 → M33, M12 → M23 → M13.
#[test]
fn mass_matrix_has_the_threefold_symmetry() -> Result<(), Box<dyn Error>> {
    for robot in both() {
        let mapper = robot.field(Kind::Mass, &all())?;
        let reach = Reach::of(&robot.delta);
        // The next arm counter-clockwise: 120° more.
        let arms = &robot.delta.parameters().arms;
        let turn = (arms[1].azimuth.radians() - arms[0].azimuth.radians()).rem_euclid(TAU);
        assert!((turn - TAU / 3.0).abs() < 1e-12);
        let (sin, cos) = turn.sin_cos();
        let mut worst = 0.0_f64;
        for k in 0..400 {
            let r = 0.9 * reach.radius * f64::from(k % 20) / 20.0;
            let (s, c) = (0.3 * f64::from(k)).sin_cos();
            let p = reach.center + Vec3::new(r * c, r * s, 0.1 * (f64::from(k % 7) / 7.0 - 0.5));
            let turned = Vec3::new(cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], p[2]);
            let (mut a, mut b) = ([0.0; 6], [0.0; 6]);
            mapper.evaluate(p, &mut a);
            mapper.evaluate(turned, &mut b);
            let [m11, m12, m13, m22, m23, m33] = a;
            let expected = [m33, m13, m23, m11, m12, m22];
            let size = m11.max(m22).max(m33);
            for (found, expected) in b.iter().zip(expected) {
                worst = worst.max((found - expected).abs() / size);
            }
        }
        assert!(worst < 1e-12, "{}: {worst}", robot.name);
    }
    Ok(())
}

/// One, two and five threads: the same bits.
#[test]
fn threads_do_not_change_a_bit() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    for (_, kind) in Kind::NAMED {
        let mapper = robot.field(kind, &all())?;
        let grid = PositionGrid::slice(&mapper, Plane::Xz, None, 40);
        let with = |threads: usize| -> Result<Vec<u64>, Box<dyn Error>> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let found = pool.install(|| map(&mapper, &grid, &|_| true)).ok_or("interrupted")?;
            Ok(found.values.iter().map(|x| x.to_bits()).collect())
        };
        let one = with(1)?;
        assert!(one == with(2)? && one == with(5)?, "{}", kind.as_str());
    }
    Ok(())
}

/// What the maps of limits promise: at their value some motor is at its limit, in no direction beyond.
#[test]
fn accelerations_and_forces_use_the_motors_up() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let limit = robot.limits.map(|l| l.max_torque);
    let pose = robot.delta.at_position(Vec3::new(0.12, -0.07, -0.85), Branch::Out)?;
    let still = pose.moving(Vec3::zero());
    for kind in [Kind::Acceleration, Kind::Force] {
        let mut value = [0.0];
        robot.field(kind, &all())?.evaluate(pose.position, &mut value);
        let mut most = 0.0_f64;
        for k in 0..20_000 {
            // Fibonacci's directions.
            let z = 1.0 - (f64::from(k) + 0.5) / 10_000.0;
            let (s, c) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
            let direction = Vec3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z) * value[0];
            let torque = match kind {
                Kind::Force => still.torque_under(Vec3::zero(), direction),
                _ => still.torque(direction),
            };
            most = (0..3).fold(most, |m, i| m.max(torque[i].abs() / limit[i]));
        }
        // The directions are about 1° apart, and the torque changes with the cosine.
        assert!(most < 1.0 + 1e-12 && most > 1.0 - 1e-3, "{}: {most}", kind.as_str());
    }
    Ok(())
}

/// The error map bounds what the models differ by, and nearly attains it.
#[test]
fn torque_errors_are_attained() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let (model, reference, acceleration) = (ModelName::CodoureySimplified, ModelName::Exact, 30.0);
    let kind = Kind::TorqueError { model: model.as_str(), reference: reference.as_str(), acceleration };
    let mapper = robot.field(kind, &all())?;
    let pose = robot.delta.at_position(Vec3::new(0.2, 0.1, -0.9), Branch::Out)?;
    let mut bound = [0.0; 4];
    mapper.evaluate(pose.position, &mut bound);
    let still = pose.moving(Vec3::zero());
    let models = [model, reference].map(|name| name.build(robot.delta.parameters()));
    let mut most = [0.0_f64; 3];
    for k in 0..20_000 {
        let z = 1.0 - (f64::from(k) + 0.5) / 10_000.0;
        let (s, c) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
        let a = Vec3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z) * acceleration;
        let [x, y] = models.each_ref().map(|m| m.as_model().torque(&still, a, Vec3::zero()));
        (0..3).for_each(|i| most[i] = most[i].max((x[i] - y[i]).abs()));
    }
    for i in 0..3 {
        assert!(most[i] <= bound[i] * (1.0 + 1e-12) && most[i] > bound[i] * (1.0 - 1e-3), "{} {}", most[i], bound[i]);
    }
    Ok(())
}

/// Reach tells its reason as the kinematics do; other quantities are NaN exactly where it is not reached.
#[test]
fn reach_and_its_reasons() -> Result<(), Box<dyn Error>> {
    let robot = built_in::asadi()?;
    let grid = PositionGrid::slice(&robot.field(Kind::Reach, &all())?, Plane::Xz, None, 61);
    let reach = map(&robot.field(Kind::Reach, &all())?, &grid, &|_| true).ok_or("interrupted")?;
    let mass = map(&robot.field(Kind::Mass, &all())?, &grid, &|_| true).ok_or("interrupted")?;
    let mut seen = std::collections::BTreeSet::new();
    for k in 0..grid.len() {
        let code = reach.value(k, 0) as usize;
        seen.insert(code);
        let reached = robot.delta.at_position(grid.position(k), Branch::Out).is_ok();
        assert_eq!(reached, code == 0 || code > 10, "{}", Reason::text(code));
        assert_eq!(reached, mass.value(k, 0).is_finite());
    }
    assert!(seen.contains(&0) && seen.len() > 2, "{seen:?}");
    let mut limitless = robot.clone();
    limitless.limits.iter_mut().for_each(|limit| limit.max_torque = f64::INFINITY);
    assert!(matches!(limitless.field(Kind::Force, &all()), Err(MapError::NoTorqueLimit { .. })));
    assert!(robot.field(Kind::Resolution { step: 0.0 }, &all()).is_err());
    assert!(map(&robot.field(Kind::Mass, &all())?, &grid, &|_| false).is_none(), "interrupted");
    Ok(())
}

/// Every position inside the largest cylinder and box is usable; a little larger, and some are not.
#[test]
fn largest_cylinder_and_box() -> Result<(), Box<dyn Error>> {
    let cases = both().into_iter().flat_map(|robot| [Branch::Out, Branch::In].map(|branch| (robot.clone(), branch)));
    for (robot, branch) in cases {
        let reach = Reach::of(&robot.delta);
        // The built-in joint ranges are for elbows out.
        let limits = (branch == Branch::Out).then_some(robot.limits);
        let what = Usable { branch, limits, ..Usable::default() };
        let found = usable(&robot.delta, &what, [reach.lowest, reach.highest], 80)?;
        println!("{} {branch:?}: {found:?}", robot.name);
        let [low, high] = found.cylinder;
        let outside = |scale: f64| {
            (0..20_000).find_map(|k| {
                let u = (f64::from(k) * 0.618_033_988_75).fract();
                let (s, c) = (2.399_963 * f64::from(k)).sin_cos();
                let r = found.cylinder_radius * scale * (f64::from(k) / 20_000.0).sqrt();
                let p = Vec3::new(r * c, r * s, low + u * (high - low));
                (!what.at(&robot.delta, p)).then_some(p)
            })
        };
        assert_eq!(outside(0.999), None, "{}", robot.name);
        // It could not be wider: somewhere on the mantle of a cylinder 1 % wider it is not usable.
        let mantle = (0..80 * 360).any(|k| {
            let (s, c) = f64::from(k % 360).to_radians().sin_cos();
            let (r, z) = (1.01 * found.cylinder_radius, low + (high - low) * f64::from(k / 360) / 79.0);
            !what.at(&robot.delta, Vec3::new(r * c, r * s, z))
        });
        assert!(mantle, "{}", robot.name);
        let [low, high] = found.box_heights;
        let inside = |scale: f64| {
            (0..20_000).all(|k| {
                // Two golden ratios of the plane, one of the line (M. Roberts' sequence): even in the box.
                let part = |step: f64| (0.5 + f64::from(k) * step).fract();
                let side = found.box_half_side * scale;
                let [u, v, w] = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(part);
                let p = Vec3::new((2.0 * u - 1.0) * side, (2.0 * v - 1.0) * side, low + w * (high - low));
                what.at(&robot.delta, p)
            })
        };
        assert!(inside(0.999), "{}", robot.name);
        // Nor could the box: somewhere on the sides of one 1 % wider it is not usable.
        let sides = (0..80 * 400).any(|k| {
            let side = 1.01 * found.box_half_side;
            let along = side * (f64::from(k % 100) / 49.5 - 1.0);
            let z = low + (high - low) * f64::from(k / 400) / 79.0;
            let (x, y) = [(side, along), (-side, along), (along, side), (along, -side)][(k / 100 % 4) as usize];
            !what.at(&robot.delta, Vec3::new(x, y, z))
        });
        assert!(sides, "{}", robot.name);
    }
    Ok(())
}

/// Where nothing is usable the reason is told with its numbers: margins that no height has, or limits.
#[test]
fn no_usable_region_has_a_reason() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    let reach = Reach::of(&robot.delta);
    let heights = [reach.lowest, reach.highest];
    let strict = Usable { transmission: 0.99, determinant: 0.99, branch: Branch::In, ..Usable::default() };
    let error = usable(&robot.delta, &strict, heights, 50).err().ok_or("usable")?;
    assert_eq!((error.heights, error.reached, error.within, error.limit), (50, 50, 50, None));
    let margins = |k: u32| {
        let z = reach.lowest + (reach.highest - reach.lowest) * (f64::from(k) + 0.5) / 50.0;
        let pose = robot.delta.at_position(Vec3::new(0.0, 0.0, z), Branch::In).expect("reached");
        assert!(pose.transmission_margins().iter().all(|margin| *margin < 0.0), "elbows in");
        pose.rod_determinant().abs()
    };
    assert_eq!(error.determinant, (0..50).map(margins).fold(0.0, f64::max));
    assert!(error.determinant < 0.99 && error.to_string().contains("elbows in"), "{error}");
    let mut limits = robot.limits;
    limits[1].range = [3.0, 3.1];
    let narrow = Usable { limits: Some(limits), ..Usable::default() };
    let error = usable(&robot.delta, &narrow, heights, 50).err().ok_or("usable")?;
    assert_eq!((error.within, error.limit), (0, Some(Reason::JointRange(2))));
    assert!(error.to_string().contains("0 are within the limits (joint 2 out of range)"), "{error}");
    Ok(())
}

#[test]
fn files_hold_what_was_computed() -> Result<(), Box<dyn Error>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let robot = built_in::d3_1200()?;
    let mapper = robot.field(Kind::Mass, &all())?;
    let grid = PositionGrid::volume(&mapper, 20);
    let mut bytes = Vec::new();
    let mut file = ParquetMap::new(&mapper, &mut bytes)?;
    let summary = stream(&mapper, &grid, &mut [&mut file], &|_| true)?.ok_or("interrupted")?;
    drop(file);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let found = map(&mapper, &grid, &|_| true).ok_or("interrupted")?;
    for (k, row) in reader.get_row_iter(None)?.enumerate() {
        let row = row?;
        let position = grid.position(k);
        for i in 0..3 {
            assert_eq!(row.get_double(i)?, position[i]);
        }
        for i in 0..6 {
            assert_eq!(row.get_double(3 + i)?.to_bits(), found.value(k, i).to_bits());
        }
    }
    assert_eq!(reader.metadata().file_metadata().num_rows(), 8000);
    assert_eq!(summary, found.summary());
    // Pictures of a slice: valid files, none of a volume.
    let slice = PositionGrid::slice(&mapper, Plane::Xy, None, 60);
    for (_, kind) in Kind::NAMED {
        let found = map(&robot.field(kind, &all())?, &slice, &|_| true).ok_or("interrupted")?;
        let picture = found.heat_map(kind.main_channel(found.channels.len()), "d3-1200").ok_or("no picture")?;
        let svg = picture.to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        assert!(picture.to_png()?.starts_with(b"\x89PNG\r\n"));
    }
    assert!(found.heat_map(0, "").is_none());
    assert_eq!(PositionGrid { axes: [GridAxis::at(0.1); 3] }.position(0), Vec3([0.1; 3]));
    Ok(())
}

/// A volume of several groups: CSV and Parquet of one pass are those of the map in memory, byte for byte, with any number
/// of threads.
#[test]
fn streamed_volumes_are_the_map_with_any_number_of_threads() -> Result<(), Box<dyn Error>> {
    let robot = built_in::d3_1200()?;
    for kind in [Kind::Mass, Kind::Reach] {
        let mapper = robot.field(kind, &all())?;
        // Four groups, the last one not full.
        let grid = PositionGrid::volume(&mapper, 80);
        let whole = map(&mapper, &grid, &|_| true).ok_or("interrupted")?;
        let (mut csv, mut parquet) = (Vec::new(), Vec::new());
        whole.write(&mut CsvMap::new(&mapper, &mut csv)?)?;
        whole.write(&mut ParquetMap::new(&mapper, &mut parquet)?)?;
        let text = std::str::from_utf8(&csv)?;
        let mut lines = text.lines();
        let names = if kind == Kind::Mass { "x,y,z,M11,M12,M13,M22,M23,M33" } else { "x,y,z,reach,missing" };
        assert_eq!(lines.next(), Some(names));
        let width = mapper.channels().len();
        for (k, values) in whole.values.chunks(width).enumerate().filter(|(_, v)| !v.iter().all(|x| x.is_nan())) {
            let line = lines.next().ok_or("a line is missing")?;
            let read = line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
            let expected = grid.position(k).0.into_iter().chain(values.iter().copied());
            assert!(expected.zip(&read).all(|(a, b)| a == *b || a.is_nan() && b.is_nan()), "{line}");
        }
        assert_eq!(lines.next(), None);
        for threads in [1, 2, 5] {
            let (mut as_csv, mut as_parquet) = (Vec::new(), Vec::new());
            let mut one = CsvMap::new(&mapper, &mut as_csv)?;
            let mut other = ParquetMap::new(&mapper, &mut as_parquet)?;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let summary = pool.install(|| stream(&mapper, &grid, &mut [&mut one, &mut other], &|_| true))?;
            drop((one, other));
            assert_eq!(summary, Some(whole.summary()));
            assert!(as_csv == csv && as_parquet == parquet, "{threads} threads");
        }
        assert_eq!(whole.summary().reasons.iter().sum::<usize>(), if kind == Kind::Reach { grid.len() } else { 0 });
    }
    Ok(())
}

/// A full disk is told with the writer that met it; an interruption ends without a result.
#[test]
fn streams_end_early() -> Result<(), Box<dyn Error>> {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let robot = built_in::d3_1200()?;
    let mapper = robot.field(Kind::Gravity, &all())?;
    let grid = PositionGrid::volume(&mapper, 80);
    let (mut room, mut disk) = (Vec::new(), Full(2_000_000));
    let mut csv = CsvMap::new(&mapper, &mut room)?;
    let mut parquet = ParquetMap::new(&mapper, &mut disk)?;
    let error = stream(&mapper, &grid, &mut [&mut csv, &mut parquet], &|_| true).err().ok_or("no error")?;
    assert_eq!((error.writer, error.cause.kind()), (1, std::io::ErrorKind::StorageFull));
    let (mut room, mut disk) = (Vec::new(), Full(1_000_000));
    let mut csv = CsvMap::new(&mapper, &mut disk)?;
    let error = stream(&mapper, &grid, &mut [&mut csv], &|_| true).err().ok_or("no error")?;
    assert_eq!((error.writer, error.cause.kind()), (0, std::io::ErrorKind::StorageFull));
    let mut csv = CsvMap::new(&mapper, &mut room)?;
    assert_eq!(stream(&mapper, &grid, &mut [&mut csv], &|_| false)?, None);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The map of stability is the stability of the pose, and the heave mode of a symmetric robot is part of it.
    #[test]
    fn stability_is_that_of_the_pose(robot in symmetric_robots(), seed in states()) {
        let Some(state) = seed.of(&robot) else { return Ok(()) };
        let described = DeltaRobot { delta: robot, ..built_in::asadi().unwrap() };
        let mut values = [0.0; 3];
        described.field(Kind::Stability, &all()).unwrap().evaluate(state.position, &mut values);
        let rest = stability::at_rest(&robot.at_position(state.position, Branch::Out).unwrap());
        prop_assert_eq!(values, [rest.stiffnesses()[0], rest.growth(), rest.least_gain()]);
    }
}

/// The mass matrix of a model over the workspace is that of the model at each position; of the exact model, the map of mass.
#[test]
fn maps_of_mass_by_a_model() -> Result<(), Box<dyn Error>> {
    let robot = Robot::find("d3-1200")?;
    let (exact, by_exact) = (robot.field(Kind::Mass, &all())?, model_mass(&robot, "exact", &all())?);
    let simplified = model_mass(&robot, "codourey-simplified", &all())?;
    let model = robot.build_model("codourey-simplified")?;
    let mut differs = false;
    for position in [Vec3::new(0.1, 0.05, -0.85), Vec3::new(-0.2, 0.3, -0.9), Vec3::new(0.0, 0.0, -0.8)] {
        let mut values = [[0.0; 6]; 3];
        exact.evaluate(position, &mut values[0]);
        by_exact.evaluate(position, &mut values[1]);
        simplified.evaluate(position, &mut values[2]);
        let state = robot.at_tool(&ToolState::translating(position, Vec3::zero(), Vec3::zero()), &Pick::default())?;
        let mass = model.mass_matrix(&state);
        let upper = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        for (k, (i, j)) in upper.into_iter().enumerate() {
            assert!((values[0][k] - values[1][k]).abs() < 1e-13, "{position:?}");
            assert_eq!(values[2][k], mass[i][j]);
            differs |= (values[2][k] - values[0][k]).abs() > 1e-4;
        }
    }
    assert!(differs, "(50) is an approximation");
    let mut outside = [0.0; 6];
    simplified.evaluate(Vec3::new(5.0, 0.0, -0.85), &mut outside);
    assert!(outside.iter().all(|value| value.is_nan()));
    Ok(())
}
