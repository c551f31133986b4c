//! What every option of gcc and clang means to rigel.
//!
//! A compile command has three kinds of options. Some change what the program *means* (macros,
//! include paths, the language, the size of an enum): these are kept. Some change only how it is
//! translated, warned about, or linked: these are left out without a word. The rest is unknown
//! here, or known to gcc alone: clang might refuse it, so it is left out too, and said so, because
//! it could have mattered.

mod table;

use table::{F_KEEP, F_QUIET, M_KEEP, M_QUIET, PLAIN, WITH_OPERAND};

/// What to do with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Keep,
    /// Does not change the meaning of the program.
    Quiet,
    /// Could have changed it; the user is told.
    Tell,
}

/// Where an option's operand stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// Always the next word.
    Next,
    /// The rest of the word, or the next word if nothing is left (`-Ifoo`, `-I foo`).
    Either,
}

use Fate::{Keep, Quiet, Tell};
use Operand::{Either, Next};

/// What becomes of an option, and whether it takes the next word with it.
pub fn classify(option: &str, next: Option<&str>) -> (Fate, bool) {
    if let Some(name) = option.strip_prefix("-f") {
        if let Some(known) = f_or_m(name, F_KEEP, F_QUIET) {
            return (known, false);
        }
        return (Tell, false);
    }
    if let Some(name) = option.strip_prefix("-m") {
        if name == "llvm" {
            return (Quiet, true);
        }
        return (f_or_m(name, M_KEEP, M_QUIET).unwrap_or(Tell), false);
    }
    if option == "-target" {
        return (target_fate(next.unwrap_or("")), true);
    }
    if let Some(triple) = option.strip_prefix("--target=") {
        return (target_fate(triple), false);
    }
    // Before the table below: its prefixes `-x`, `-T`, `-D`… would claim some of these words.
    if let Some(&(_, fate)) = PLAIN.iter().find(|(name, _)| *name == option) {
        return (fate, false);
    }
    for &(name, operand, fate) in WITH_OPERAND {
        let Some(rest) = option.strip_prefix(name) else {
            continue;
        };
        match operand {
            Next if rest.is_empty() => return (fate, true),
            Either => return (fate, rest.is_empty()),
            Next => {}
        }
    }
    let by_prefix = PLAIN.iter().find(|(pattern, _)| matches(pattern, option));
    (by_prefix.map_or(Tell, |&(_, fate)| fate), false)
}

/// rigel's machine has 64-bit pointers and x86-64 layouts: another target is read as this one.
fn target_fate(triple: &str) -> Fate {
    if triple.starts_with("x86_64") || triple.starts_with("amd64") {
        Keep
    } else {
        Tell
    }
}

fn f_or_m(name: &str, keep: &[&str], quiet: &[&str]) -> Option<Fate> {
    let positive = name.strip_prefix("no-").unwrap_or(name);
    let any = |list: &[&str]| list.iter().any(|pattern| matches(pattern, positive));
    if any(keep) {
        Some(Keep)
    } else if any(quiet) {
        Some(Quiet)
    } else {
        None
    }
}

fn matches(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => word.starts_with(prefix),
        None => word == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates() {
        let fate = |option| classify(option, None);
        for (option, expected) in [
            ("-DX=1", (Keep, false)),
            ("-D", (Keep, true)),
            ("-include", (Keep, true)),
            ("-Iinc", (Keep, false)),
            ("-isystem", (Keep, true)),
            ("-std=gnu11", (Keep, false)),
            ("-xc++", (Keep, false)),
            ("-fwrapv", (Keep, false)),
            ("-fno-exceptions", (Keep, false)),
            ("-fno-builtin-printf", (Keep, false)),
            ("-fpack-struct=4", (Keep, false)),
            ("-msse4.2", (Keep, false)),
            ("-mno-sse", (Keep, false)),
            ("-O2", (Quiet, false)),
            ("-ggdb3", (Quiet, false)),
            ("-Wno-unused", (Quiet, false)),
            ("-o", (Quiet, true)),
            ("-oout.o", (Quiet, false)),
            ("-MF", (Quiet, true)),
            ("-MMD", (Quiet, false)),
            ("-M", (Quiet, false)),
            ("-lm", (Quiet, false)),
            ("-pthread", (Keep, false)),
            ("-p", (Quiet, false)),
            ("-pipe", (Quiet, false)),
            ("-fstack-protector-strong", (Quiet, false)),
            ("-fconserve-stack", (Tell, false)),
            ("-fno-tree-vectorize", (Tell, false)),
            ("-fno-ipa-sra", (Tell, false)),
            ("-fanalyzer", (Tell, false)),
            ("-mindirect-branch=thunk", (Tell, false)),
            ("-m32", (Tell, false)),
            ("--param", (Tell, true)),
            ("--param=ssp-buffer-size=4", (Tell, false)),
            ("--target=x86_64-linux-gnu", (Keep, false)),
            ("--target=arm-linux-gnueabi", (Tell, false)),
            ("-fexec-charset=latin1", (Tell, false)),
        ] {
            assert_eq!(fate(option), expected, "{option}");
        }
    }
}
