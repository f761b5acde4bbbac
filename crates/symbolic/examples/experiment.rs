use dalembert_symbolic::*;
fn main() {
    let robot = dalembert::robots::puma560().unwrap();
    let dalembert::arm::SerialArm::Six(arm) = &robot.arm else { return };
    for of in [SerialQuantity::Torque] {
        let time = std::time::Instant::now();
        let mut signature = Signature {
            name: "puma560".into(),
            inputs: vec![Quantity::new("q", 6, "", "")],
            outputs: vec![Quantity::new("tau", 6, "", "")],
            ..Default::default()
        };
        if of == SerialQuantity::Torque {
            signature.inputs.push(Quantity::new("qd", 6, "", ""));
            signature.inputs.push(Quantity::new("qdd", 6, "", ""));
        }
        let programs = cheapest_serial(&|_| arm.lift(), of, &signature, Effort::default(), &mut |_| ());
        for p in &programs {
            let mut worst = 0f64;
            for k in 0..50 {
                let x: Vec<f64> = (0..18).map(|i| 3.0 * ((i * 37 + k * 101) as f64 * 0.7321).sin()).collect();
                let q: [f64; 6] = x[..6].try_into().unwrap();
                let qd: [f64; 6] = x[6..12].try_into().unwrap();
                let qdd: [f64; 6] = x[12..].try_into().unwrap();
                let pose = arm.at_joints(q).unwrap();
                let expected: Vec<f64> = match of {
                    SerialQuantity::Torque => pose.moving(qd).torque(qdd).to_vec(),
                    SerialQuantity::Gravity => pose.moving([0.0; 6]).torque([0.0; 6]).to_vec(),
                    SerialQuantity::Mass => pose.mass_matrix().as_flattened().to_vec(),
                };
                let n = if of == SerialQuantity::Torque { 18 } else { 6 };
                let got = p.evaluate(&x[..n]);
                let scale = expected.iter().fold(0f64, |m, x| m.max(x.abs()));
                for (a, b) in expected.iter().zip(&got) {
                    worst = worst.max((a - b).abs() / scale);
                }
            }
            println!("{of:?} {} error {worst:.1e}", p.operations());
        }
        println!("{:?}", time.elapsed());
    }
}
