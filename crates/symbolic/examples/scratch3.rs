use dalembert_symbolic::explicit::*;
fn main() {
    let robot = dalembert::robots::puma560().unwrap();
    let arm = robot.arm.six().unwrap();
    let model = Explicit::of(arm).unwrap();
    let limits = Limits::of(&robot.limits, &model.joints);
    for w in [0.01, 0.1, 0.5, 1.0] {
        let t = std::time::Instant::now();
        let c = model.cheapest_within(&[w; 6], &limits, Budget::default()).unwrap();
        println!("{w}: {:?} {} terms cost {} {:?} {:?}", c.velocities, c.model.kept.terms(), c.model.kept.formulas(Output::Torque, 32).cost(), c.error, t.elapsed());
    }
}
