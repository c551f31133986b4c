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

use crate::options::{self, Fate};
use crate::paths::{absolute, base_name};
use crate::words::expand_response_files;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
}

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
    "-ferror-limit=5",
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

/// `-Wp,-DX,-MD,file`: macros and include paths count, dependency output does not.
fn preprocessor(inner: &str, kept: &mut Vec<String>) {
    let mut parts = inner.split(',');
    while let Some(part) = parts.next() {
        match options::classify(part, None) {
            (Fate::Keep, true) if part == "-include" => {
                include(parts.next().unwrap_or(""), kept);
            }
            (Fate::Keep, takes_next) if !defines_fortify(part, None) => {
                kept.push(part.to_string());
                if takes_next {
                    kept.extend(parts.next().map(String::from));
                }
            }
            (_, true) => {
                parts.next();
            }
            _ => {
                // In this form even -MD and -MMD take a file.
                if part == "-MD" || part == "-MMD" {
                    parts.next();
                }
            }
        }
    }
}

/// `-Xclang word`: CMake passes its precompiled header this way. The header itself is read as
/// text (`-include`), because a precompiled one fits only the flags it was made with.
fn frontend<'a>(
    word: &str,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a String>>,
    kept: &mut Vec<String>,
    dropped: &mut BTreeSet<String>,
) {
    let mut operand = || {
        words.next_if(|w| *w == "-Xclang")?;
        words.next().cloned()
    };
    match word {
        "-include" => {
            if let Some(header) = operand() {
                include(&header, kept);
            }
        }
        "-include-pch" | "-emit-pch" => {
            operand();
        }
        "-fno-pch-timestamp" | "-disable-llvm-passes" | "-disable-O0-optnone" => {}
        other => {
            dropped.insert(format!("-Xclang {other}"));
        }
    }
}

/// Given to the compiler proper: clang's driver would take `X.pch` or `X.gch` beside X instead,
/// which another compiler or another clang made.
fn include(header: &str, kept: &mut Vec<String>) {
    if !header.is_empty() {
        kept.extend(["-Xclang", "-include", "-Xclang", header].map(String::from));
    }
}

/// A header that the command includes, that is not there, and whose precompiled form is: the
/// build has thrown the text away, or never wrote it.
pub(crate) fn only_precompiled(command: &[String], directory: &Path) -> Option<(String, String)> {
    command.windows(4).find_map(|w| {
        if w[..3] != ["-Xclang", "-include", "-Xclang"] {
            return None;
        }
        let exists = |name: &str| directory.join(name).exists();
        let found = [".pch", ".gch"].map(|end| format!("{}{end}", w[3]));
        let found = found.into_iter().find(|name| exists(name))?;
        // A build outside the sources has the precompiled one here, the text on the include path.
        let mut places = include_path(command);
        let text = exists(&w[3]) || places.any(|d| directory.join(d).join(&w[3]).exists());
        (!text).then(|| (w[3].clone(), found))
    })
}

fn include_path(command: &[String]) -> impl Iterator<Item = &str> {
    command.iter().enumerate().filter_map(|(i, word)| {
        let glued = ["-I", "-iquote", "-isystem", "-idirafter"]
            .iter()
            .find_map(|option| word.strip_prefix(option))?;
        match glued {
            "" => command.get(i + 1).map(|s| s.as_str()),
            glued => Some(glued),
        }
    })
}

fn defines_fortify(word: &str, operand: Option<&String>) -> bool {
    let name = match word {
        "-D" | "-U" => operand.map_or("", |o| o.as_str()),
        _ => word
            .strip_prefix("-D")
            .or_else(|| word.strip_prefix("-U"))
            .unwrap_or(""),
    };
    name.split('=').next() == Some("_FORTIFY_SOURCE")
}

/// The target in the name of a cross compiler (`aarch64-linux-gnu-gcc-12`), if it is not rigel's.
fn foreign_target(driver: &str) -> Option<&str> {
    const ARCHITECTURES: &[&str] = &[
        "aarch64",
        "alpha",
        "arm",
        "avr",
        "hppa",
        "i386",
        "i486",
        "i586",
        "i686",
        "loongarch",
        "m68k",
        "microblaze",
        "mips",
        "msp430",
        "powerpc",
        "ppc",
        "riscv",
        "s390",
        "sh4",
        "sparc",
        "wasm",
        "xtensa",
    ];
    // The driver's own name and its version follow the target.
    let name = ["-gcc", "-g++", "-cc", "-c++", "-clang"]
        .iter()
        .filter_map(|name| driver.find(name))
        .min()?;
    let target = &driver[..name];
    let other_system = target.starts_with("x86_64-") && !target.contains("linux");
    (other_system || ARCHITECTURES.iter().any(|a| target.starts_with(a))).then_some(target)
}

/// By `-x`, else by the name of the compiler, else by the file's.
fn language(driver: &str, kept: &[String], file: &str) -> Language {
    let forced = kept
        .iter()
        .position(|w| w == "-x")
        .and_then(|i| kept.get(i + 1));
    let cxx = match forced {
        Some(name) => name.starts_with("c++"),
        None => driver.contains("++") || source_language(file) == Some(Language::Cxx),
    };
    if cxx { Language::Cxx } else { Language::C }
}

/// The language that a file's name stands for; `None` if it is no source of C or C++.
pub fn source_language(file: &str) -> Option<Language> {
    match base_name(file).rsplit_once('.')?.1 {
        "c" | "i" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "cp" | "C" | "CPP" | "ii" => Some(Language::Cxx),
        _ => None,
    }
}

/// The call without what stands before the compiler: caches, distributors, libtool, `env X=1`.
pub fn strip_wrappers(mut arguments: &[String]) -> &[String] {
    while let [first, rest @ ..] = arguments {
        let wrapper = matches!(
            base_name(first),
            "ccache" | "sccache" | "distcc" | "icecc" | "buildcache" | "env" | "libtool" | "gomacc"
        );
        let script = matches!(base_name(first), "sh" | "bash" | "dash")
            && rest.first().is_some_and(|r| base_name(r) == "libtool");
        let assignment =
            !first.starts_with('-') && first.split('/').next().is_some_and(|s| s.contains('='));
        // Options of the wrapper itself: `libtool --tag=CC --mode=compile`.
        let option = first.starts_with('-');
        if rest.is_empty() || !(wrapper || script || assignment || option) {
            break;
        }
        arguments = rest;
    }
    arguments
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
