mod pick_and_place;
use dalembert_core::Vec3;
use dalembert_core::delta::*;
use pick_and_place::*;
#[test]
fn explore() {
    for (name, p, z0) in [("asadi", asadi(), -0.45), ("d3", d3_1200(), -0.85)] {
        for steps in [200, 400, 1000] {
            for m in ModelName::ALL {
                println!("{name} {steps} {:28} {:?}", m.as_str(), error(p, m, pick_and_place(z0, steps)));
            }
            let robot = Delta::new(p);
            println!("tau {:?}", Figures::of(along(&robot, pick_and_place(z0, steps)).map(|(m, a)| m.torque(a))));
        }
    }
    let v = pick_and_place(0.0, 1000).map(|s| s[1].norm_squared().sqrt()).fold(0.0, f64::max);
    let a = pick_and_place(0.0, 1000).map(|s| s[2].norm_squared().sqrt()).fold(0.0, f64::max);
    println!("{v} {a}");
    // golden states
    for (name, p) in [("asadi", asadi()), ("d3-1200", d3_1200())] {
        let text = std::fs::read_to_string(format!("../../golden/delta-{name}-dynamics.csv")).unwrap();
        let mut lines = text.lines();
        println!("{}", lines.next().unwrap());
        let st: Vec<State> = lines
            .map(|l| {
                let x: Vec<f64> = l.split(',').map(|v| v.parse().unwrap()).collect();
                [0, 3, 6].map(|k| Vec3::new(x[k], x[k + 1], x[k + 2]))
            })
            .collect();
        for m in ModelName::ALL {
            println!("{name} golden {:28} {:?}", m.as_str(), error(p, m, st.iter().copied()));
        }
    }
}
