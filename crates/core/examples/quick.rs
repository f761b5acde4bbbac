//! quick
use dalembert_core::delta::*;
use dalembert_core::*;
fn robot() -> Delta<f64> {
    let arm = |deg: f64| ArmParameters {
        azimuth: Azimuth::from_radians(deg.to_radians()),
        base_radius: 0.25,
        platform_radius: 0.1,
        upper_arm: UpperArm { length: 0.375, mass: 1.4, center_of_mass: 0.122, inertia: 0.035, elbow_mass: None },
        forearm: Forearm { length: 0.9, mass: 0.39, center_of_mass: 0.45, inertia: 0.026325 },
        motor: Motor { rotor_inertia: 0.0, gear_ratio: 1.0, friction: None },
        passive_damping: None,
    };
    Delta::try_new(Parameters {
        gravity: Vec3([0.0, 0.0, -9.81]),
        arms: [arm(0.0), arm(120.0), arm(240.0)],
        platform_mass: 0.94,
        payload_mass: 0.0,
        tool: Vec3([0.0; 3]),
    })
    .unwrap()
}
fn main() {
    let r = robot();
    let s = r.symmetric().unwrap();
    let text = std::fs::read_to_string("golden/delta-d3-1200-dynamics.csv").unwrap();
    let mut worst = [0.0f64; 12];
    for line in text.lines().skip(1) {
        let v: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let g = |i: usize| Vec3([v[i], v[i + 1], v[i + 2]]);
        let pose = r.at_position(g(0), Branch::Out).unwrap();
        let m = pose.moving(g(3));
        let mut put = |k: usize, a: Vec3<f64>, b: Vec3<f64>| {
            let s = b.0.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let e = (a - b).0.iter().fold(0.0f64, |m, x| m.max(x.abs())) / s;
            worst[k] = worst[k].max(e);
        };
        put(0, s.torque(g(0), g(3), g(6)), g(18));
        put(1, s.acceleration(g(0), g(3), g(18)), g(6));
        put(2, s.gravity_torque(g(0)), pose.gravity_torque());
        put(3, s.torque_given(g(0), g(6), [0, 1, 2].map(|i| g(9)[i].sin_cos()), g(12), g(15)), g(18));
        for i in 0..3 {
            put(4, s.mass_matrix(g(0))[i], pose.mass_matrix()[i]);
        }
        let _ = m;
    }
    println!("{worst:?}");
    let v: Vec<f64> = text.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let count = |f: &dyn Fn(&Tally, &dyn Fn(usize) -> [f64; 3])| {
        let t = Tally::new();
        f(&t, &|i| [v[i], v[i + 1], v[i + 2]]);
        println!("{}", t.operations());
    };
    count(&|t, g| {
        let s = r.symmetric_lifted::<Count>().unwrap();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.torque(c(0), c(3), c(6));
    });
    count(&|t, g| {
        let s = r.symmetric_lifted::<Count>().unwrap();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.torque_given(c(0), c(6), c(9).0.map(|q| (q, q)), c(12), c(15));
    });
    count(&|t, g| {
        let s = r.symmetric_lifted::<Count>().unwrap();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.acceleration(c(0), c(3), c(6));
    });
    count(&|t, g| {
        let s = r.symmetric_lifted::<Count>().unwrap();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.mass_matrix(c(0));
    });
    count(&|t, g| {
        let s = r.symmetric_lifted::<Count>().unwrap();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.gravity_torque(c(0));
    });
    count(&|t, g| {
        let s = r.lift::<Count>();
        let c = |i| Vec3(g(i).map(|x| t.variable(x)));
        s.pose_unchecked(c(0), Branch::Out).moving(c(3)).rigid_torque(c(6), Vec3::zero());
    });
}
