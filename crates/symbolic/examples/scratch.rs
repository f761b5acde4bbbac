use dalembert_symbolic::explicit::*;
use dalembert_symbolic::*;
use std::time::Instant;
fn count(model: &Explicit, output: Output, attempts: u64) -> (usize, String, f64) {
    let t = Instant::now();
    let f = model.formulas(output, attempts);
    let n = model.len();
    let graph = Graph::new();
    let mut x = 0.3f64;
    let mut next = || { x = (x * 9301.0 + 0.49297).fract(); x * 3.0 - 1.4 };
    let mut input = |name: &str, g| (0..n).map(|i| graph.input(&format!("{name}{}", i + 1), g, [next(), next()])).collect::<Vec<_>>();
    let (q, qd, qdd) = (input("q", Group::Position), input("qd", Group::Velocity), input("qdd", Group::Acceleration));
    let out = f.evaluate(&q, &qd, &qdd);
    let sig = Signature { name: "x".into(), inputs: vec![Quantity::new("q", n, "", ""), Quantity::new("qd", n, "", ""), Quantity::new("qdd", n, "", "")], outputs: vec![Quantity::new("out", out.len(), "", "")], ..Signature::default() };
    let p = graph.program(sig, &out, &[]);
    (f.cost(), p.operations().to_string(), t.elapsed().as_secs_f64())
}
fn main() {
    let robot = dalembert::robots::puma560().unwrap();
    let arm = robot.arm.six().unwrap();
    let t = Instant::now();
    let model = Explicit::of(arm).unwrap();
    println!("derived in {:?}, {} terms", t.elapsed(), model.terms());
    let attempts: u64 = std::env::args().nth(1).map_or(8, |a| a.parse().unwrap());
    for (name, o) in [("gravity", Output::Gravity), ("mass", Output::Mass)] { println!("{name}: {:?}", count(&model, o, attempts)); }
    for v in [Velocities::ByElement, Velocities::FromMass] {
    let short = model.abbreviated(Significance { velocities: v, ..Significance::default() });
    println!("{v:?} abbreviated {} terms", short.kept.terms());
    for (name, o) in [("gravity", Output::Gravity), ("mass", Output::Mass), ("torque", Output::Torque), ("elements", Output::Elements)] { println!("abbr {name}: {:?}", count(&short.kept, o, attempts)); }
    let limits = Limits::of(&robot.limits, &model.joints);
    let t = Instant::now();
    println!("{:?} {:?}", short.dropped.torque_range(&limits, Budget::default()), t.elapsed());
    if std::env::args().nth(3).is_some() { for (name, s) in model.element_names().iter().zip(short.kept.mass.iter().chain(short.kept.velocity.iter().flatten()).chain(&short.kept.gravity)) {
        if s.terms.is_empty() { continue; }
        let text: Vec<String> = s.terms.iter().map(|t| format!("{:.3e} {}", t.coefficient,
              t.words.as_slice().iter().map(|&w| short.kept.vocabulary.words()[w as usize].to_string()).collect::<Vec<_>>().join(" "))).collect();
        println!("{name} = {}", text.join(" + "));
    } } }
    if std::env::args().nth(2).is_some() { println!("full torque: {:?}", count(&model, Output::Torque, 1)); println!("full elements: {:?}", count(&model, Output::Elements, 1)); }
}
