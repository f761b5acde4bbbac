use dalembert_symbolic::explicit::*;
use dalembert::serial::*;
use dalembert::serial::puma::Constants;
fn main() {
    let robot = dalembert::robots::puma560().unwrap();
    let arm = robot.arm.six().unwrap();
    println!("{:?}", counts(&Polynomials::numeric(arm).unwrap()));
    let mut p = *arm.parameters();
    p.links[3].body.inertia.yy *= 1.3;
    p.links[4].body.inertia.yy *= 1.4;
    println!("{:?}", counts(&Polynomials::numeric(&Serial::new(p)).unwrap()));
    let t = std::time::Instant::now();
    let sym = Polynomials::symbolic(&Serial::new(p)).unwrap();
    println!("{:?}", counts(&sym));
    let c = constants(&sym);
    println!("{:?}", t.elapsed());
    for set in [&c.inertial, &c.motors, &c.gravitational, &c.velocity] { for k in set { println!("{} = {:.6e} = {} in {:?}", k.name, k.value, k.formula, k.uses.iter().take(6).collect::<Vec<_>>()); } }
    let paper = Constants::new(&p);
    for (i, v) in paper.inertial.iter().enumerate() {
        let hits: Vec<String> = c.inertial.iter().chain(&c.velocity).filter_map(|k| { let r = v / k.value; [1.0, 2.0, 0.5].iter().any(|f| (r.abs() - f).abs() < 1e-9).then(|| format!("{r:.1} {}", k.name)) }).collect();
        println!("paper I{} = {v:.6e}: {hits:?}", i + 1);
    }
    for (i, v) in paper.gravitational.iter().enumerate() {
        let hits: Vec<String> = c.gravitational.iter().filter_map(|k| { let r = v / k.value; ((r.abs() - 1.0).abs() < 1e-9).then(|| format!("{r:.1} {}", k.name)) }).collect();
        println!("paper g{} = {v:.6e}: {hits:?}", i + 1);
    }
}
