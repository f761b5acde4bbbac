//! Maps in one run: `cargo bench -p dalembert --bench maps`. Slices of 200 × 200 positions on one core, then a volume of
//! 200³ with the mass matrix, streamed to a Parquet and to a CSV file with all cores. No drawing. Prints a Markdown table.
#![allow(missing_docs)]

use dalembert::analyze::map::{CsvMap, MapWriter, ParquetMap, Plane, PositionGrid, map, stream};
use dalembert::robot::Robot;
use dalembert::robot::map::{Kind, MapOptions};
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

/// The largest memory of this process so far, MB; from the Linux kernel, none elsewhere.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

fn main() {
    let robot = Robot::find("d3-1200").expect("built in");
    let options = MapOptions { least_margin: Some(0.0), ..MapOptions::default() };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("| map, 200 × 200, one core | s | positions reached |\n| --- | --- | --- |");
    for (name, kind) in Kind::NAMED {
        let mapper = robot.field(kind, &options).expect("applies");
        let grid = PositionGrid::slice(&mapper, Plane::Xy, None, 200);
        let mut best = f64::INFINITY;
        let mut count = 0;
        for _ in 0..5 {
            let start = Instant::now();
            let found = one.install(|| map(&mapper, &grid, &|_| true)).expect("not interrupted");
            best = best.min(start.elapsed().as_secs_f64());
            count = found.range(kind.main_channel(found.channels.len())).map_or(0, |range| range.count);
        }
        println!("| `{name}` | {best:.4} | {count} |");
    }
    let mapper = robot.field(Kind::Mass, &options).expect("applies");
    let grid = PositionGrid::volume(&mapper, 200);
    println!();
    for ending in ["parquet", "csv"] {
        let path = std::env::temp_dir().join(format!("dalembert-volume-{}.{ending}", std::process::id()));
        let mut file = BufWriter::new(File::create(&path).expect("a temporary file"));
        let start = Instant::now();
        let mut writer: Box<dyn MapWriter + '_> = match ending {
            "csv" => Box::new(CsvMap::new(&mapper, &mut file).expect("written")),
            _ => Box::new(ParquetMap::new(&mapper, &mut file).expect("written")),
        };
        stream(&mapper, &grid, &mut [writer.as_mut()], &|_| true).expect("written");
        drop(writer);
        drop(file);
        let seconds = start.elapsed().as_secs_f64();
        let size = std::fs::metadata(&path).map_or(0.0, |data| data.len() as f64 / 1e6);
        let _ = std::fs::remove_file(&path);
        println!(
            "mass matrix, 200³ positions to {ending}, {} threads: {seconds:.1} s, file {size:.0} MB, peak memory so far {} MB",
            rayon::current_num_threads(),
            peak_memory().map_or(String::from("?"), |mb| format!("{mb:.0}"))
        );
    }
}
