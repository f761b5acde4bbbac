//! "Did you mean …?"

use strsim::osa_distance;

/// The candidate nearest to a mistyped word, if any is near enough to be what was meant; else one that goes on where the word ends: `theta_offset` for `theta`.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near_enough = 1 + word.chars().count() / 4;
    let goes_on = |candidate: &str| {
        let rest = candidate.strip_prefix(word).and_then(|rest| rest.strip_prefix(['_', '-']));
        rest.is_some_and(|rest| !rest.is_empty()) && word.chars().count() > 2
    };
    candidates
        .into_iter()
        .map(|candidate| {
            (osa_distance(word, candidate).min(if goes_on(candidate) { near_enough } else { usize::MAX }), candidate)
        })
        .filter(|&(distance, _)| distance <= near_enough)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}
