//! Which finding is the same as one of yesterday.
//!
//! A line number changes with every edit above it, and a message with every improvement of ours;
//! so a finding is identified by its rule, its function and the condition that is broken there.
//! The fingerprint is a hash of these. People see its first digits: the id.

use crate::{Finding, Verdict};

/// Digits that a person can type.
const SHORT: usize = 6;

/// 64 hexadecimal digits: the same for the same error, wherever its line moves to.
pub fn fingerprint(finding: &Finding) -> String {
    let parts = &finding.fingerprint_parts;
    let mut hasher = blake3::Hasher::new();
    // Each part with its length, so that no two lists of parts are one text.
    for part in [finding.rule_id(), &parts.function, &parts.condition] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(&parts.ordinal.to_le_bytes());
    hasher.finalize().to_hex().to_string()
}

/// The ids that people see, one for each finding: the first digits of its fingerprint, as many as
/// tell it from all others of the list that weigh as much or more, and at least six. So the id of
/// an error that is reported does not depend on what is shown besides. Findings with one fingerprint
/// (which a normalized report has only if an engine gave it equal parts) are numbered: `7f3a91-2`.
pub fn short_ids(findings: &[Finding]) -> Vec<String> {
    let all: Vec<(u8, String)> = findings
        .iter()
        .map(|finding| (rank(finding.verdict), fingerprint(finding)))
        .collect();
    let mut ids = vec![String::new(); all.len()];
    for least in 0..=3 {
        let weighty: Vec<usize> = (0..all.len()).filter(|&i| all[i].0 <= least).collect();
        let words: Vec<&str> = weighty.iter().map(|&i| all[i].1.as_str()).collect();
        for (i, id) in weighty.into_iter().zip(shorten(&words)) {
            if all[i].0 == least {
                ids[i] = id;
            }
        }
    }
    ids
}

/// Who keeps his id whoever else is shown: what is reported; then what `--verbose` adds, then what
/// `--latent` adds, which is most.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Must | Verdict::May => 0,
        Verdict::Refuted => 1,
        Verdict::Undecided => 2,
        Verdict::Latent => 3,
    }
}

/// The findings that an id means: the one that has it; or else all whose fingerprint begins with it.
pub fn with_id(findings: &[Finding], id: &str) -> Vec<usize> {
    let id = id.to_ascii_lowercase();
    let ids = short_ids(findings);
    if let Some(exact) = ids.iter().position(|own| *own == id) {
        return vec![exact];
    }
    let begins = |i: &usize| !id.is_empty() && fingerprint(&findings[*i]).starts_with(&id);
    (0..findings.len()).filter(begins).collect()
}

/// The ids of the list that look most like this one, the likest first; at most `most`.
pub fn nearest_ids(findings: &[Finding], id: &str, most: usize) -> Vec<String> {
    let mut ids = short_ids(findings);
    let distance = |own: &str| {
        let (same, cut) = (common_prefix(own, id), own.len().min(id.len()));
        let differing = own.bytes().zip(id.bytes()).filter(|(a, b)| a != b).count();
        (
            differing + own.len().abs_diff(id.len()),
            cut - same.min(cut),
        )
    };
    ids.sort_by(|a, b| distance(a).cmp(&distance(b)).then_with(|| a.cmp(b)));
    ids.dedup();
    ids.truncate(most);
    ids
}

fn shorten(all: &[&str]) -> Vec<String> {
    // In sorted order the longest common prefix is one with a neighbour.
    let mut sorted: Vec<&str> = all.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out: Vec<String> = Vec::with_capacity(all.len());
    let mut seen = std::collections::BTreeMap::new();
    for &full in all {
        let at = sorted.partition_point(|other| *other < full);
        let before = at.checked_sub(1).and_then(|i| sorted.get(i));
        let shared = [before, sorted.get(at + 1)]
            .into_iter()
            .flatten()
            .map(|other| common_prefix(full, other))
            .max()
            .unwrap_or(0);
        let digits = (shared + 1).clamp(SHORT, full.len());
        let times = seen.entry(full).and_modify(|n| *n += 1).or_insert(1);
        let short = &full[..digits];
        out.push(match times {
            1 => short.to_string(),
            n => format!("{short}-{n}"),
        });
    }
    out
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(words: &[&str]) -> Vec<String> {
        shorten(words)
    }

    #[test]
    fn ids_grow_only_where_they_collide() {
        assert_eq!(
            ids(&["abcdef0123", "0123456789", "abcdef01ff"]),
            ["abcdef012", "012345", "abcdef01f"]
        );
        assert_eq!(ids(&["abcdef0123"]), ["abcdef"]);
        assert!(ids(&[]).is_empty());
    }

    #[test]
    fn equal_fingerprints_are_numbered() {
        assert_eq!(
            ids(&["abcdef0123", "abcdef0123", "ffffff0000"]),
            ["abcdef", "abcdef-2", "ffffff"]
        );
    }

    /// A finding of this verdict; the ordinal decides its fingerprint.
    fn finding(verdict: Verdict, ordinal: u32) -> Finding {
        Finding {
            rule: None,
            verdict,
            message: String::new(),
            location: crate::Location::default(),
            function: String::new(),
            also_in: Vec::new(),
            steps: Vec::new(),
            when: None,
            why: None,
            seen: None,
            called: Vec::new(),
            projection: None,
            fingerprint_parts: crate::FingerprintParts {
                ordinal,
                ..Default::default()
            },
        }
    }

    /// Two ordinals whose fingerprints begin with the same six digits.
    fn collision() -> (u32, u32) {
        let mut seen = std::collections::BTreeMap::new();
        for ordinal in 0.. {
            let print = fingerprint(&finding(Verdict::May, ordinal));
            if let Some(other) = seen.insert(print[..SHORT].to_string(), ordinal) {
                return (other, ordinal);
            }
        }
        unreachable!()
    }

    #[test]
    fn what_is_not_reported_does_not_change_the_ids_of_what_is() {
        let (a, b) = collision();
        let reported = finding(Verdict::May, a);
        let short = fingerprint(&reported)[..SHORT].to_string();
        let alone = short_ids(std::slice::from_ref(&reported));
        assert_eq!(alone.join(" "), short);
        for verdict in [Verdict::Refuted, Verdict::Undecided, Verdict::Latent] {
            let both = [finding(verdict, b), reported.clone()];
            let ids = short_ids(&both);
            assert_eq!(ids[1], short);
            assert!(
                ids[0].len() > SHORT && ids[0].starts_with(&short),
                "{ids:?}"
            );
            // The id of the one that is reported means that one, although both begin so.
            assert_eq!(with_id(&both, &short), [1]);
            assert_eq!(with_id(&both, &ids[0]), [0]);
        }
        // A latent one gives way to a refuted one, not the other way round.
        let ids = short_ids(&[finding(Verdict::Latent, a), finding(Verdict::Refuted, b)]);
        assert_eq!(ids[1], short);
        assert!(ids[0].len() > SHORT);
    }

    #[test]
    fn a_beginning_is_enough_if_it_is_of_one() {
        let all = [finding(Verdict::May, 0), finding(Verdict::Latent, 1)];
        let ids = short_ids(&all);
        assert_eq!(with_id(&all, &ids[0][..4]), [0]);
        assert_eq!(with_id(&all, &ids[1].to_uppercase()), [1]);
        assert_eq!(with_id(&all, &fingerprint(&all[1])), [1]);
        assert!(with_id(&all, "").is_empty());
        assert!(with_id(&all, "x").is_empty());
    }

    #[test]
    fn the_nearest_ids_differ_in_the_fewest_digits() {
        let all = [finding(Verdict::May, 0), finding(Verdict::Latent, 1)];
        let ids = short_ids(&all);
        let mut wrong = ids[1].clone();
        wrong.replace_range(2..3, "x");
        assert_eq!(nearest_ids(&all, &wrong, 1), [ids[1].clone()]);
        assert_eq!(nearest_ids(&all, &wrong, 5).len(), 2);
        assert!(nearest_ids(&[], &wrong, 5).is_empty());
    }
}
