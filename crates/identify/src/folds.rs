//! Folds: parts of a motion, to score a fit on held-out data.
//!
//! Neighbouring samples are nearly equal: a part chosen at random would be known from its neighbours. Parts are therefore
//! whole stretches. A motion that repeats itself is known from its repetitions: its stretches are those of one period.

/// The part of each row, from its place in the motion, when the motion is cut into `parts` stretches with as many places.
/// `turns` above 1: each part has as many stretches, which take turns.
pub fn in_places(places: &[usize], parts: usize, turns: usize) -> Vec<usize> {
    let mut all = places.to_vec();
    all.sort_unstable();
    all.dedup();
    let parts = parts.clamp(1, all.len().max(1));
    let rank = |place: &usize| all.partition_point(|other| other < place);
    places.iter().map(|place| rank(place) * parts * turns / all.len() % parts).collect()
}

/// The part of each time, cut at given instants.
pub fn at_instants(times: &[f64], cuts: &[f64]) -> Vec<usize> {
    times.iter().map(|t| cuts.iter().filter(|cut| *t >= **cut).count()).collect()
}

/// 100 ‖τ − τ̂‖/‖τ‖: the honest score. NaN where nothing was measured.
pub fn score(error_squared: f64, measured_squared: f64) -> f64 {
    100.0 * (error_squared / measured_squared).sqrt()
}

/// Signals closer to each other than this repeat, as a share of what two unrelated ones differ by (root mean square).
const REPEATS: f64 = 0.12;
/// Signals farther apart than this are no longer neighbours in time.
const APART: f64 = 0.5;
/// Samples that are compared at each shift.
const COMPARED: usize = 1000;
/// Of the shorter sequence at least this share is compared.
const OVERLAP: f64 = 0.25;

/// Two sequences of several signals that may be one motion.
struct Pair<'a> {
    a: &'a [Vec<f64>],
    b: &'a [Vec<f64>],
    /// Variance of each signal.
    size: Vec<f64>,
    lengths: [usize; 2],
}

impl<'a> Pair<'a> {
    fn new(a: &'a [Vec<f64>], b: &'a [Vec<f64>]) -> Self {
        let length = |of: &[Vec<f64>]| of.iter().map(Vec::len).min().unwrap_or(0);
        let lengths = [length(a), length(b)];
        let size = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let all = || a.iter().chain(b);
            let count = (a.len() + b.len()).max(1) as f64;
            let mean = all().sum::<f64>() / count;
            all().map(|x| (x - mean).powi(2)).sum::<f64>() / count
        };
        Self { a, b, size: a.iter().zip(b).map(size).collect(), lengths }
    }

    /// How far the signals of `a` are from those of `b`, `shift` samples earlier: the sum of squared shares of what unrelated signals differ by,
    /// where each is less than a share.
    fn near(&self, shift: isize, share: f64) -> Option<f64> {
        let [n, m] = self.lengths;
        let (first, last) = (shift.max(0) as usize, n.min((m as isize + shift).max(0) as usize));
        let every = (last.saturating_sub(first) / COMPARED).max(1);
        let at = || (first..last).step_by(every);
        let count = at().count();
        let limit = 2.0 * share * share * count as f64;
        if count < 8 || self.size.is_empty() {
            return None;
        }
        let mut sums = vec![0.0; self.size.len()];
        for k in at() {
            for ((sum, size), (a, b)) in sums.iter_mut().zip(&self.size).zip(self.a.iter().zip(self.b)) {
                *sum += (a[k] - b[(k as isize - shift) as usize]).powi(2);
                if *sum > limit * size {
                    return None;
                }
            }
        }
        // What hardly moves there is near to itself anywhere.
        let off = sums.iter().zip(self.a.iter().zip(self.b)).map(|(sum, (a, b))| {
            let spread = |of: &dyn Fn(usize) -> f64| {
                let mean = at().map(of).sum::<f64>() / count as f64;
                at().map(|k| (of(k) - mean).powi(2)).sum::<f64>()
            };
            sum / (spread(&|k| a[k]) + spread(&|k| b[(k as isize - shift) as usize])).max(f64::MIN_POSITIVE)
        });
        let (most, sum) = off.fold((0.0_f64, 0.0), |(most, sum), off| (most.max(off), sum + off));
        Some(sum).filter(|_| most <= share * share)
    }

    /// The best of the first stretch of shifts at which the signals repeat.
    fn first(&self, mut shifts: impl Iterator<Item = isize>) -> Option<isize> {
        let near = |shift: isize| self.near(shift, REPEATS).map(|off| (off, shift));
        let found = shifts.find_map(near)?;
        let walk = |by: isize| (1..).map_while(move |k| near(found.1 + by * k));
        let best = walk(1).chain(walk(-1)).fold(found, |best, next| if next.0 < best.0 { next } else { best });
        Some(best.1)
    }
}

/// After how many samples signals repeat themselves: all of them, in shape and size, over at least a quarter of their length. None: they
/// do not.
pub fn period(signals: &[Vec<f64>]) -> Option<usize> {
    let pair = Pair::new(signals, signals);
    let longest = ((1.0 - OVERLAP) * pair.lengths[0] as f64) as isize;
    let apart = (1..longest).find(|&shift| pair.near(shift, APART).is_none())?;
    pair.first(apart..longest).map(|shift| shift as usize)
}

/// How many samples of `a` are before the first of `b` where both are one motion. None: they are not.
pub fn shift(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<isize> {
    let pair = Pair::new(a, b);
    let [n, m] = pair.lengths.map(|length| length as isize);
    let overlap = ((OVERLAP * n.min(m) as f64) as isize).max(1);
    let outwards = (0..n.max(m)).flat_map(|by| [by, -by]);
    pair.first(outwards.filter(|by| (overlap - m..=n - overlap).contains(by)))
}
