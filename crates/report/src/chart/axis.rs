//! Axes: where a value is drawn, round values for its ticks, and their texts.

/// Values and the pixels where they stand.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub values: (f64, f64),
    pub pixels: (f64, f64),
}

impl Scale {
    pub fn at(&self, value: f64) -> f64 {
        let ((low, high), (from, to)) = (self.values, self.pixels);
        from + (value - low) / (high - low) * (to - from)
    }

    /// About `wanted` round values, where they stand, and what is written there.
    pub fn ticks(&self, wanted: usize) -> Vec<(f64, f64, String)> {
        let (from, to) = self.values;
        let values = ticks((from.min(to), from.max(to)), wanted);
        values.iter().map(|&value| (value, self.at(value), tick_text(value, &values))).collect()
    }
}

/// About `wanted` round values in the range.
pub(super) fn ticks((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return vec![low];
    }
    let rough = span / wanted.max(1) as f64;
    let magnitude = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|f| f * magnitude >= rough * 0.999).unwrap_or(10.0);
    let step = factor * magnitude;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's text: as few digits as distinguish neighbours; powers of ten where there would be many.
pub(super) fn tick_text(value: f64, all: &[f64]) -> String {
    let step = if all.len() > 1 { (all[1] - all[0]).abs() } else { value.abs().max(1.0) };
    let largest = all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let text = if value.abs() < 1e-6 * step {
        String::from("0")
    } else if largest >= 1e7 || step < 1e-5 {
        // A step has two digits at most.
        let digits = (value.abs() / step).log10().floor().clamp(0.0, 14.0) as usize + 2;
        let text = format!("{value:.digits$e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    } else {
        let off = |d: &i32| (step * 10f64.powi(*d) - (step * 10f64.powi(*d)).round()).abs();
        let decimals = (0..12).find(|d| off(d) < 1e-6).unwrap_or(3);
        format!("{value:.*}", decimals as usize)
    };
    text.replace('-', "−")
}
