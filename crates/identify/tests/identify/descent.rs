//! The least of functions whose least is known.

use dalembert_identify::quasi_newton::descend;
use nalgebra::DVector;

/// Rosenbrock's valley, whose least is at ones: bent, and a thousand times steeper across than along.
fn valley(x: &DVector<f64>) -> Option<f64> {
    Some((0..x.len() - 1).map(|i| 100.0 * (x[i + 1] - x[i] * x[i]).powi(2) + (1.0 - x[i]).powi(2)).sum())
}

fn slope(x: &DVector<f64>) -> Option<DVector<f64>> {
    let mut all = DVector::zeros(x.len());
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        all[i] += -400.0 * x[i] * across - 2.0 * (1.0 - x[i]);
        all[i + 1] += 200.0 * across;
    }
    Some(all)
}

#[test]
fn a_bent_valley_is_gone_down_to_its_end() {
    for n in [2, 10] {
        let start = DVector::from_fn(n, |i, _| if i % 2 == 0 { -1.2 } else { 1.0 });
        let found = descend(&valley, &slope, &start, 0.1, 400).unwrap();
        // It ends where four steps gain less than 1e-5: from there the valley's floor is within a few hundredths.
        assert!(found.value < 1e-3 && found.steps < 200, "{n}: {} after {}", found.value, found.steps);
        assert!((found.at - DVector::from_element(n, 1.0)).amax() < 0.05, "{n}");
    }
}

/// Where there is no value, nothing goes; a start without one is no start.
#[test]
fn places_without_values_are_not_gone_to() {
    let value = |x: &DVector<f64>| (x[0] > 0.5).then(|| x[0]);
    let gradient = |_: &DVector<f64>| Some(DVector::from_element(1, 1.0));
    let found = descend(&value, &gradient, &DVector::from_element(1, 3.0), 0.1, 100).unwrap();
    assert!(found.at[0] > 0.5 && found.value < 3.0, "{}", found.value);
    assert!(descend(&value, &gradient, &DVector::from_element(1, 0.0), 0.1, 100).is_none());
}
