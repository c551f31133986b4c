//! Which finding is the same as one of yesterday.
//!
//! A line number changes with every edit above it, and a message with every improvement of ours;
//! so a finding is identified by its rule, its function and the condition that is broken there.
//! The fingerprint is a hash of these. People see its first digits: the id.

use crate::Finding;

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
/// tell it from all others of the list and at least six. Findings with one fingerprint (which a
/// normalized report has only if an engine gave it equal parts) are numbered: `7f3a91-2`.
pub fn short_ids(findings: &[Finding]) -> Vec<String> {
    shorten(&findings.iter().map(fingerprint).collect::<Vec<_>>())
}

fn shorten(all: &[String]) -> Vec<String> {
    // In sorted order the longest common prefix is one with a neighbour.
    let mut sorted: Vec<&str> = all.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out: Vec<String> = Vec::with_capacity(all.len());
    let mut seen = std::collections::BTreeMap::new();
    for full in all {
        let at = sorted.partition_point(|other| *other < full.as_str());
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
        shorten(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>())
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
}
