//! Logs as other tools write them.

use dalembert::identify::Mapping;
use dalembert::identify::table::read;
use dalembert::robot::Robot;

fn log(text: &str, mapping: &Mapping) -> Result<dalembert::identify::Log, String> {
    let table = read(text.as_bytes()).map_err(|error| error.to_string())?;
    let joints = Robot::find("d3-1200").unwrap().joints();
    mapping.read("log", &table, None, &joints).map_err(|error| format!("{error}: {}", error.hint().unwrap_or_default()))
}

/// The same two rows under many names, separators and units.
#[test]
fn names_separators_and_units_are_understood() {
    let same = [
        "t,q1,q2,q3,tau1,tau2,tau3\n0,0.1,0.2,0.3,1,2,3\n0.001,0.1,0.2,0.3,1,2,3\n",
        "time [ms],q_0,q_1,q_2,qd_0,qd_1,qd_2,torque_0,torque_1,torque_2\n0,0.1,0.2,0.3,9,9,9,1,2,3\n1,0.1,0.2,0.3,9,9,9,1,2,3\n",
        "# recorded by something\ntimestamp;joint_1_pos;joint_2_pos;joint_3_pos;joint_1_effort;joint_2_effort;joint_3_effort\n0;0,1;0,2;0,3;1;2;3\n0,001;0,1;0,2;0,3;1;2;3\n",
        "Time (s)\tactual_q_0\tactual_q_1\tactual_q_2\ttarget_q_0\ttarget_q_1\ttarget_q_2\tTau[0]\tTau[1]\tTau[2]\n0\t.1\t.2\t.3\t5\t5\t5\t1\t2\t3\n0.001\t.1\t.2\t.3\t5\t5\t5\t1\t2\t3\n",
        "t,pos1 [mrad],pos2 [mrad],pos3 [mrad],T1,tau1 (mNm),tau2 (mNm),tau3 (mNm)\ns,mrad,mrad,mrad,x,y,z,w\n0,100,200,300,4,1000,2000,3000\n0.001,100,200,300,4,1000,2000,3000\n",
        "__time  q1 q2   q3 tau1 tau2 tau3  \n0 0.1 0.2 0.3 1 2 3\n 0.001 0.1  0.2 0.3 1 2 3 \r\n0.002 0.1 0.2 0.3 1",
    ];
    for (k, text) in same.iter().enumerate() {
        let mut mapping = Mapping::default();
        if k == 4 {
            mapping.position_unit = Some("mrad".into());
        }
        let found = log(text, &mapping).unwrap_or_else(|error| panic!("{k}: {error}"));
        assert!((found.times[1] - 1e-3).abs() < 1e-12, "{k}: {:?}", found.times);
        for i in 0..3 {
            assert!((found.positions[i][1] - 0.1 * (i + 1) as f64).abs() < 1e-12, "{k}: {:?}", found.positions);
            assert!((found.torques[i][1] - (i + 1) as f64).abs() < 1e-9, "{k}: {:?}", found.torques);
        }
    }
}

/// Motor angles through a coupled gear: q = R⁻¹ q_motor, τ = Rᵀ τ_motor, power is kept.
#[test]
fn motors_turn_into_joints() {
    let text = "1.0,2.0,3.0,0.1,0.2,0.3\n1.5,2.5,2.0,0.1,0.2,0.3\n";
    let columns = |names: [&str; 3]| names.map(str::to_owned).to_vec();
    let mapping = Mapping {
        rate: Some(100.0),
        position: columns(["1", "2", "3"]),
        torque: columns(["4", "5", "6"]),
        gear: vec![10.0, 0.0, 0.0, 0.0, -20.0, 0.0, 0.0, 5.0, 5.0],
        offset: vec![0.5, 0.0, 0.0],
        ..Mapping::default()
    };
    let found = log(text, &mapping).unwrap();
    let q: Vec<f64> = found.positions.iter().map(|q| q[0]).collect();
    assert!((q[0] - 0.6).abs() < 1e-12 && (q[1] + 0.1).abs() < 1e-12 && (q[2] - 0.7).abs() < 1e-12, "{q:?}");
    let tau: Vec<f64> = found.torques.iter().map(|tau| tau[0]).collect();
    assert!(
        (tau[0] - 1.0).abs() < 1e-12 && (tau[1] + 4.0 - 1.5).abs() < 1e-12 && (tau[2] - 1.5).abs() < 1e-12,
        "{tau:?}"
    );
}

/// A rate beside stamps that say otherwise is told.
#[test]
fn a_rate_against_the_stamps_is_told() {
    let text = "t,q1,q2,q3,tau1,tau2,tau3\n0,0.1,0.2,0.3,1,2,3\n0.01,0.1,0.2,0.3,1,2,3\n0.02,0.1,0.2,0.3,1,2,3\n";
    let warnings = |rate: f64| log(text, &Mapping { rate: Some(rate), ..Mapping::default() }).unwrap().warnings;
    assert!(warnings(100.0).is_empty());
    assert!(warnings(50.0)[0].contains("by t the rows come at 100 Hz"), "{:?}", warnings(50.0));
}

#[test]
fn what_is_missing_or_unclear_is_told_with_what_to_do() {
    let plain = Mapping::default();
    let none = log("t,a,b\n0,1,2\n", &plain).unwrap_err();
    assert!(none.contains("positions") && none.contains("`position`"), "{none}");
    let currents = log("t,q1,q2,q3,current1,current2,current3\n0,1,2,3,4,5,6\n", &plain).unwrap_err();
    assert!(currents.contains("`torque_constant`"), "{currents}");
    let timeless = log("q1,q2,q3,tau1,tau2,tau3\n0,1,2,3,4,5\n", &plain).unwrap_err();
    assert!(timeless.contains("`rate`"), "{timeless}");
    let two = log("t,pos1,pos2,pos3,angle1,angle2,angle3,tau1,tau2,tau3\n0,1,2,3,1,2,3,1,2,3\n", &plain).unwrap_err();
    assert!(two.contains("several"), "{two}");
    let degrees = log("t,q1,q2,q3,tau1,tau2,tau3\n0,1,2,90,4,5,6\n0.1,1,2,80,4,5,6\n", &plain).unwrap();
    assert!(degrees.warnings[0].contains("`position_unit` deg"), "{:?}", degrees.warnings);
    let odd =
        log("t,q1 [ticks],q2 [ticks],q3 [ticks],tau1,tau2,tau3\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,6\n", &plain).unwrap();
    assert!(odd.warnings[0].contains("`ticks`") && odd.warnings[0].contains("`position_unit`"), "{:?}", odd.warnings);
    let cm = log(
        "t,q1 [turn],q2 [turn],q3 [turn],tau1 [Ncm],tau2 [Ncm],tau3 [Ncm]\n0,0.1,0,0,4,5,6\n1,1,2,3,4,5,6\n",
        &plain,
    );
    let cm = cm.unwrap();
    assert!((cm.positions[0][0] - 0.2 * std::f64::consts::PI).abs() < 1e-12 && (cm.torques[0][0] - 0.04).abs() < 1e-12);
    let from_zero = Mapping { position: vec!["a{}".into()], torque: vec!["b{}".into()], ..Mapping::default() };
    let found = log("t,a0,a1,a2,b0,b1,b2\n0,1,2,3,4,5,6\n0.1,1,2,3,4,5,6\n", &from_zero).unwrap();
    assert_eq!((found.positions[0][0], found.torques[2][0]), (1.0, 6.0));
    let mapping = Mapping::parse("postion = \"q\"").unwrap_err();
    assert!(mapping.hint().unwrap().contains("position"), "{mapping}");
    let (mapping, file) = Mapping::parse(
        "position = \"j{}\"\ngear = [[1, 0], [0, 2.0]]\noffset = [\"90 deg\", 0]\ntorque_file = \"t.csv\"",
    )
    .unwrap();
    assert_eq!((mapping.gear, file), (vec![1.0, 0.0, 0.0, 2.0], Some("t.csv".to_owned())));
    assert!((mapping.offset[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
}

/// One gap of a day or one stamp far ahead is no other unit; steps of seconds are.
#[test]
fn a_gap_is_no_other_unit() {
    let warnings = |time: &dyn Fn(u32) -> f64| {
        let mut text = "t,q1,q2,q3,tau1,tau2,tau3\n".to_owned();
        (0..50).for_each(|k| text += &format!("{},0.1,0.2,0.3,1,2,3\n", time(k)));
        log(&text, &Mapping::default()).unwrap().warnings
    };
    let step = |k: u32| 2e-3 * f64::from(k);
    assert!(warnings(&|k| step(k) + if k < 25 { 0.0 } else { 86_400.0 }).is_empty());
    assert!(warnings(&|k| if k == 25 { 1e6 } else { step(k) }).is_empty());
    let told = warnings(&|k| 1e3 * step(k));
    assert!(told.len() == 1 && told[0].contains("2 s apart: are the times milliseconds"), "{told:?}");
}
