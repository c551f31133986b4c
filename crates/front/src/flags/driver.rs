//! Who compiles, and what: the compiler behind its wrappers, its target, the language.

use crate::paths::base_name;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
}

/// The target in the name of a cross compiler (`aarch64-linux-gnu-gcc-12`), if it is not rigel's.
pub(super) fn foreign_target(driver: &str) -> Option<&str> {
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
pub(super) fn language(driver: &str, kept: &[String], file: &str) -> Language {
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
