//! `FILE:LINE:COLUMN: warning: MESSAGE [CWE-N] [RULE]`, as gcc and clang print it.

use super::Finding;
use crate::pattern::pattern;
use regex::Regex;
use std::sync::LazyLock;

pattern!(
    DIAGNOSTIC,
    r"(?m)^([^\s:][^:\n]*):(\d+):(?:\d+:)?[^\S\n]*(warning|error|fatal error|style|performance|portability|information):[^\S\n]*(.*?)(?:[^\S\n]*\[([^\[\]\n]*)\])?[^\S\n]*$"
);
pattern!(CWE, r"\s*\[CWE-(\d+)\]");

pub fn read(text: &str) -> Vec<Finding> {
    let found = DIAGNOSTIC.captures_iter(text).filter_map(|said| {
        let message = &said[4];
        Some(Finding {
            file: said[1].to_string(),
            line: said[2].parse().ok()?,
            rule: said.get(5).map_or("?", |rule| rule.as_str()).to_string(),
            message: CWE.replace_all(message, "").into_owned(),
            cwes: CWE
                .captures_iter(message)
                .filter_map(|n| n[1].parse().ok())
                .collect(),
            severity: said[3].to_string(),
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_says_rule_and_number() {
        let text = "In function 'f':\n\
            a/b.c:7:3: warning: dereference of NULL 'p' [CWE-476] [-Wanalyzer-null-dereference]\n\
            a/b.c:7:3: note: (1) here\n\
            x.c:9: error: expected ';'\n";
        let found = read(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].rule, "-Wanalyzer-null-dereference");
        assert_eq!((found[0].file.as_str(), found[0].line), ("a/b.c", 7));
        assert_eq!(found[0].message, "dereference of NULL 'p'");
        assert_eq!(found[0].cwes, [476]);
        assert_eq!(
            (found[1].rule.as_str(), found[1].severity.as_str()),
            ("?", "error")
        );
    }
}
