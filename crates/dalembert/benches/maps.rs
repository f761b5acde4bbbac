//! Maps in one run: `cargo bench -p dalembert --bench maps`. Slices of 200 × 200 positions on one core, then a volume of
//! 200³ with the mass matrix, streamed to a Parquet file with all cores. No drawing. Prints a Markdown table.
#![allow(missing_docs)]

use dalembert::analyze::map::{Grid, Kind, Mapper, Plane, map, write_parquet};
use dalembert::robots;
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
    let robot = robots::d3_1200().expect("built in");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("| map, 200 × 200, one core | s | positions reached |\n| --- | --- | --- |");
    for (name, kind) in Kind::NAMED {
        let mapper = Mapper::new(&robot, kind).expect("applies");
        let grid = Grid::slice(&robot.delta, Plane::Xy, None, 200);
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
    let path = std::env::temp_dir().join(format!("dalembert-volume-{}.parquet", std::process::id()));
    let mapper = Mapper::new(&robot, Kind::Mass).expect("applies");
    let grid = Grid::volume(&robot.delta, 200);
    let mut file = BufWriter::new(File::create(&path).expect("a temporary file"));
    let start = Instant::now();
    write_parquet(&mapper, &grid, &mut file, &|_| true).expect("written");
    drop(file);
    let seconds = start.elapsed().as_secs_f64();
    let size = std::fs::metadata(&path).map_or(0.0, |data| data.len() as f64 / 1e6);
    let _ = std::fs::remove_file(&path);
    println!(
        "\nmass matrix, 200³ positions to Parquet, {} threads: {seconds:.1} s, file {size:.0} MB, peak memory {} MB",
        rayon::current_num_threads(),
        peak_memory().map_or(String::from("?"), |mb| format!("{mb:.0}"))
    );
}
