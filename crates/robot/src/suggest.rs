//! "Did you mean …?"

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
            (distance(word, candidate).min(if goes_on(candidate) { near_enough } else { usize::MAX }), candidate)
        })
        .filter(|&(distance, _)| distance <= near_enough)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
