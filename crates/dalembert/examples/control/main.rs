//! The papers' control experiments on our robots: `cargo run --release -p dalembert --example control`.

mod regulators;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for run in regulators::run()? {
        let s = &run.summary;
        println!(
            "{:30} {:.3} {:.3} {:?} {:?} acc {:.0} tau {:?} speed {:?} cut {}",
            run.tuning.label,
            1e3 * s.error_max,
            1e3 * s.error_rms,
            s.verdict,
            run.ended,
            s.acceleration_peak,
            s.torque_peak,
            s.speed_peak,
            s.cut
        );
    }
    Ok(())
}
