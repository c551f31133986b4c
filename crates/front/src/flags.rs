//! From the command of the build to the command that gives rigel its bitcode.
//!
//! The unit is compiled by clang whatever compiler the build uses, with the flags of the build
//! that change its meaning ([`crate::options`]), then rigel's own:
//!
//! - `-O1 -Xclang -disable-llvm-passes`: nothing is optimised, but clang marks where the storage
//!   of a local begins and ends, and gives the bodies of C99 `inline` functions. What `-O1` would
//!   show to the preprocessor (`__OPTIMIZE__`, and with it glibc's fortified inlines) is undone.
//! - `-D__RIGEL__=1`: for what a program says to rigel only (`include/rigel.h`).
//! - `-g -gdwarf-4 -fno-discard-value-names`: names, types and positions; version 5 would add a
//!   checksum of every source file, which costs clang 5 % and nobody reads.
//! - `-fno-strict-aliasing`: no type-based alias metadata, which nobody reads here.
//! - `-femit-all-decls`, in C: `static` functions that nobody calls are analysed too. Measured on
//!   zlib, libxml2, lua and sendmail it costs at most 3 % of clang's time and 7 % more bitcode;
//!   what it adds there are the six byte-swap helpers of `<bits/byteswap.h>` per unit. In C++ it would emit every inline function of every header (leveldb: 8 times as many
//!   functions, 4.5 times the bitcode, 30 % more time): not used.
//! - `-Wno-error=…`: what clang 16 and later refuse by default, but GCC and older clangs accept
//!   with a warning, as does a build that says `-Wno-implicit-int`. The build compiled it.
//! - `-w -ferror-limit=5`, no carets, no colours: an error is one line.

mod driver;
mod headers;

use crate::options::{self, Fate};
use crate::paths::{absolute, base_name};
use crate::words::expand_response_files;
pub use driver::{Language, source_language, strip_wrappers};
use driver::{foreign_target, language};
pub(crate) use headers::only_precompiled;
use headers::{defines_fortify, frontend, include, preprocessor};
use std::collections::BTreeSet;
use std::path::Path;

/// The clang that is started when `RIGEL_CLANG` does not name another one.
pub const CLANG: &str = "clang-19";
const CLANGXX: &str = "clang++-19";

/// What follows the unit's own flags.
const OWN: &[&str] = &[
    "-g",
    "-gdwarf-4",
    "-fno-discard-value-names",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-U__OPTIMIZE__",
    "-U_FORTIFY_SOURCE",
    "-D__RIGEL__=1",
    "-fno-strict-aliasing",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
    "-Wno-error=c++11-narrowing",
    // Only what says why the compiler folded something away (see `clang::folded`).
    "-Wno-everything",
    "-Wdivision-by-zero",
    "-Wshift-count-overflow",
    "-Wshift-count-negative",
    "-Winteger-overflow",
    "-Wshift-overflow",
    "-Wshift-sign-overflow",
    "-ferror-limit=5",
    // What gcc takes without a limit: generated code nests its brackets deeply.
    "-fbracket-depth=1024",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-emit-llvm",
    "-c",
    "-o",
    "-",
];

/// The command that gives the bitcode of a unit, and what was left out on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    pub command: Vec<String>,
    pub language: Language,
    /// Options that clang does not know, or that rigel cannot honour.
    pub dropped: BTreeSet<String>,
}

/// Translates a compiler call for one of its source files.
///
/// `arguments` is the whole call, the compiler first; `file` the source as the call names it;
/// `clang` the value of `RIGEL_CLANG`.
pub fn translate(
    arguments: &[String],
    file: &str,
    directory: &Path,
    clang: Option<&str>,
) -> Translation {
    let arguments = expand_response_files(strip_wrappers(arguments), directory);
    let driver = arguments.first().map_or("cc", |a| base_name(a));
    let mut dropped = BTreeSet::new();
    dropped.extend(foreign_target(driver).map(|target| format!("the target {target}")));
    let rest = arguments.get(1..).unwrap_or(&[]);
    let kept = keep_meaning(rest, file, directory, &mut dropped);
    let language = language(driver, &kept, file);
    let mut command = Vec::with_capacity(kept.len() + OWN.len() + 4);
    match (clang, language) {
        (Some(clang), Language::C) => command.push(clang.to_string()),
        (Some(clang), Language::Cxx) => {
            command.extend([clang.to_string(), "--driver-mode=g++".to_string()]);
        }
        (None, Language::C) => command.push(CLANG.to_string()),
        (None, Language::Cxx) => command.push(CLANGXX.to_string()),
    }
    command.extend(kept);
    command.extend(OWN.iter().map(|s| s.to_string()));
    if language == Language::C {
        command.push("-femit-all-decls".to_string());
    }
    // Behind `--` a file name that starts with a dash is still a file name.
    command.extend(["--".to_string(), file.to_string()]);
    Translation {
        command,
        language,
        dropped,
    }
}

/// The options that change what the program means, in order.
fn keep_meaning(
    arguments: &[String],
    file: &str,
    directory: &Path,
    dropped: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut kept = Vec::new();
    let source = absolute(directory, Path::new(file));
    let mut language_before_file: Option<String> = None;
    let mut seen_file = false;
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        if !word.starts_with('-') || word == "-" {
            seen_file |= absolute(directory, Path::new(word)) == source;
            continue;
        }
        if let Some(inner) = word.strip_prefix("-Wp,") {
            preprocessor(inner, &mut kept);
            continue;
        }
        if word == "-Xclang" {
            if let Some(operand) = words.next() {
                frontend(operand, &mut words, &mut kept, dropped);
            }
            continue;
        }
        if word == "-fplan9-extensions" {
            // gcc's superset of the Microsoft ones: unnamed struct members.
            kept.push("-fms-extensions".to_string());
            continue;
        }
        let (fate, takes_next) = options::classify(word, words.peek().map(|s| s.as_str()));
        let operand = if takes_next { words.next() } else { None };
        match fate {
            // `-x` holds for the files behind it: only the last one before ours counts.
            Fate::Keep if word.starts_with("-x") => {
                if !seen_file {
                    let name = operand.map_or(&word[2..], |o| o.as_str());
                    language_before_file = Some(name.to_string());
                }
            }
            Fate::Keep if defines_fortify(word, operand) => {}
            Fate::Keep if word.starts_with("-include") || word.starts_with("--include") => {
                let glued = word.trim_start_matches('-').strip_prefix("include");
                let header = operand.map_or(glued.unwrap_or(""), |o| o.as_str());
                include(header.trim_start_matches('='), &mut kept);
            }
            Fate::Keep => {
                kept.push(word.clone());
                kept.extend(operand.cloned());
            }
            Fate::Quiet => {}
            Fate::Tell => {
                dropped.insert(match operand {
                    Some(operand) => format!("{word} {operand}"),
                    None => word.clone(),
                });
            }
        }
    }
    if let Some(name) = language_before_file.filter(|name| name != "none") {
        kept.extend(["-x".to_string(), name]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(call: &str, file: &str, expected: Expect) {
        let arguments = crate::words::split(call).unwrap();
        let t = translate(&arguments, file, Path::new("/src"), None);
        // rigel's own flags are the same in every command: show them as dots.
        let own = OWN.join(" ");
        let mut text = t.command.join(" ").replace(&own, "…");
        for dropped in &t.dropped {
            text.push_str(&format!("\nleft out: {dropped}"));
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn meaning_is_kept_and_the_rest_left_out() {
        check(
            "gcc -std=gnu11 -O2 -g3 -Wall -Wextra -DN=10 -I inc -isystem /opt/x -MMD -MF a.d \
             -fstack-protector-strong -fwrapv -c -o a.o a.c -lm",
            "a.c",
            expect![
                "clang-19 -std=gnu11 -DN=10 -I inc -isystem /opt/x -fwrapv … -femit-all-decls -- a.c"
            ],
        );
    }

    #[test]
    fn flags_of_gcc_alone_are_named() {
        check(
            "gcc -fconserve-stack --param ssp-buffer-size=4 -mindirect-branch=thunk -m32 -fopenmp a.c",
            "a.c",
            expect![[r#"
                clang-19 … -femit-all-decls -- a.c
                left out: --param ssp-buffer-size=4
                left out: -fconserve-stack
                left out: -fopenmp
                left out: -m32
                left out: -mindirect-branch=thunk"#]],
        );
    }

    #[test]
    fn limits_without_which_it_does_not_compile_are_kept() {
        check(
            "clang++ -fbracket-depth=1024 -ftemplate-depth=2000 -fconstexpr-steps=9 a.cc",
            "a.cc",
            expect![
                "clang++-19 -fbracket-depth=1024 -ftemplate-depth=2000 -fconstexpr-steps=9 … -- a.cc"
            ],
        );
    }

    #[test]
    fn the_driver_or_the_file_decides_the_language() {
        check("g++ -c a.c", "a.c", expect!["clang++-19 … -- a.c"]);
        check("gcc -c a.cc", "a.cc", expect!["clang++-19 … -- a.cc"]);
        check(
            "x86_64-linux-gnu-g++-12 -c a.cpp -fno-rtti",
            "a.cpp",
            expect!["clang++-19 -fno-rtti … -- a.cpp"],
        );
        check(
            "gcc -x c++ a.c",
            "a.c",
            expect!["clang++-19 -x c++ … -- a.c"],
        );
        check(
            "gcc -x c a.in -x none b.c",
            "a.in",
            expect!["clang-19 -x c … -femit-all-decls -- a.in"],
        );
    }

    #[test]
    fn another_target_is_named() {
        let target = foreign_target;
        assert_eq!(
            target("aarch64-linux-gnu-gcc-12"),
            Some("aarch64-linux-gnu")
        );
        assert_eq!(target("arm-none-eabi-g++"), Some("arm-none-eabi"));
        assert_eq!(target("avr-gcc"), Some("avr"));
        assert_eq!(target("x86_64-w64-mingw32-gcc"), Some("x86_64-w64-mingw32"));
        for own in ["x86_64-linux-gnu-gcc", "gcc-12", "clang++-19", "afl-gcc"] {
            assert_eq!(target(own), None, "{own}");
        }
        check(
            "/opt/bin/riscv64-unknown-elf-gcc -c a.c",
            "a.c",
            expect![[r#"
                clang-19 … -femit-all-decls -- a.c
                left out: the target riscv64-unknown-elf"#]],
        );
    }

    #[test]
    fn another_clang_can_be_named() {
        let arguments = ["g++", "a.cc"].map(String::from);
        let t = translate(&arguments, "a.cc", Path::new("/"), Some("/opt/clang"));
        assert_eq!(t.command[..2], ["/opt/clang", "--driver-mode=g++"]);
    }

    #[test]
    fn fortification_is_undone_and_preprocessor_flags_found() {
        check(
            "gcc -D_FORTIFY_SOURCE=2 -D _FORTIFY_SOURCE=3 -Wp,-D_FORTIFY_SOURCE=2 -Wp,-DA=1,-MD,a.d,-Iinc -DB a.c",
            "a.c",
            expect!["clang-19 -DA=1 -Iinc -DB … -femit-all-decls -- a.c"],
        );
    }

    #[test]
    fn a_precompiled_header_is_read_as_text() {
        check(
            "clang++ -Winvalid-pch -Xclang -include-pch -Xclang p.pch -Xclang -include -Xclang p.hxx a.cc",
            "a.cc",
            expect!["clang++-19 -Xclang -include -Xclang p.hxx … -- a.cc"],
        );
        check(
            "g++ -Winvalid-pch -fpch-preprocess -fpch-deps -include-pch p.pch -include p.hxx -includeq.h --include=r.h a.cc",
            "a.cc",
            expect![
                "clang++-19 -Xclang -include -Xclang p.hxx -Xclang -include -Xclang q.h -Xclang -include -Xclang r.h … -- a.cc"
            ],
        );
    }

    #[test]
    fn wrappers_are_stripped() {
        let strip = |call: &str| strip_wrappers(&crate::words::split(call).unwrap()).join(" ");
        assert_eq!(strip("ccache gcc -c a.c"), "gcc -c a.c");
        assert_eq!(strip("/usr/bin/distcc ccache cc a.c"), "cc a.c");
        assert_eq!(
            strip("/bin/sh ../libtool --tag=CC --mode=compile gcc -c a.c"),
            "gcc -c a.c"
        );
        assert_eq!(strip("env A=b CCACHE_DIR=/x ccache g++ a.cc"), "g++ a.cc");
        assert_eq!(strip("gcc -c a.c"), "gcc -c a.c");
    }

    #[test]
    fn a_file_that_looks_like_an_option_stays_a_file() {
        check(
            "cc -c -- -x.c",
            "-x.c",
            expect!["clang-19 … -femit-all-decls -- -x.c"],
        );
    }
}
