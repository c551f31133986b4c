//! What every option of gcc and clang means to rigel.
//!
//! A compile command has three kinds of options. Some change what the program *means* (macros,
//! include paths, the language, the size of an enum): these are kept. Some change only how it is
//! translated, warned about, or linked: these are left out without a word. The rest is unknown
//! here, or known to gcc alone: clang might refuse it, so it is left out too, and said so, because
//! it could have mattered.

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

/// Options with an operand, by their exact name or (`Either`) by prefix. Longest names first, so
/// that `-include` is not read as `-I`.
const WITH_OPERAND: &[(&str, Operand, Fate)] = &[
    ("-iwithprefixbefore", Either, Keep),
    ("-iwithprefix", Either, Keep),
    ("-cxx-isystem", Either, Keep),
    ("-isystem-after", Either, Keep),
    ("-iframework", Either, Keep),
    ("-idirafter", Either, Keep),
    ("-isysroot", Either, Keep),
    ("-isystem", Either, Keep),
    ("-include", Either, Keep),
    ("-imacros", Either, Keep),
    ("-iprefix", Either, Keep),
    ("-iquote", Either, Keep),
    ("--sysroot", Next, Keep),
    ("--include", Next, Keep),
    ("--param", Next, Tell),
    ("-Xpreprocessor", Next, Tell),
    ("-Xassembler", Next, Quiet),
    ("-Xlinker", Next, Quiet),
    ("-aux-info", Next, Quiet),
    ("-dumpbase-ext", Next, Quiet),
    ("-dumpbase", Next, Quiet),
    ("-dumpdir", Next, Quiet),
    ("-install_name", Next, Quiet),
    ("-framework", Next, Quiet),
    ("-rpath", Next, Quiet),
    ("-arch", Next, Tell),
    ("-MF", Either, Quiet),
    ("-MT", Either, Quiet),
    ("-MQ", Either, Quiet),
    ("-MJ", Either, Quiet),
    ("-D", Either, Keep),
    ("-U", Either, Keep),
    ("-I", Either, Keep),
    ("-F", Either, Keep),
    ("-A", Either, Quiet),
    ("-B", Either, Quiet),
    ("-L", Either, Quiet),
    ("-T", Either, Quiet),
    ("-l", Either, Quiet),
    ("-o", Either, Quiet),
    ("-u", Either, Quiet),
    ("-z", Either, Quiet),
    ("-x", Either, Keep),
    ("-e", Next, Quiet),
    ("-h", Next, Quiet),
];

/// Whole words and prefixes (ending in `*`) without an operand of their own, except `-f`, `-m`.
const PLAIN: &[(&str, Fate)] = &[
    ("-ansi", Keep),
    ("-std=*", Keep),
    ("--std=*", Keep),
    ("-stdlib=*", Keep),
    ("-pthread", Keep),
    ("-pthreads", Quiet),
    ("-nostdinc", Keep),
    ("-nostdinc++", Keep),
    ("-nostdlibinc", Keep),
    ("-nobuiltininc", Keep),
    ("--sysroot=*", Keep),
    ("-undef", Keep),
    ("-trigraphs", Keep),
    ("-traditional-cpp", Keep),
    ("-O*", Quiet),
    ("-g*", Quiet),
    ("-W*", Quiet),
    ("-w", Quiet),
    ("-pedantic*", Quiet),
    ("-M*", Quiet),
    ("-c", Quiet),
    ("-S", Quiet),
    ("-E", Quiet),
    ("-C", Quiet),
    ("-P", Quiet),
    ("-H", Quiet),
    ("-d*", Quiet),
    ("-pipe", Quiet),
    ("-save-temps*", Quiet),
    ("--save-temps*", Quiet),
    ("-emit-llvm", Quiet),
    ("-integrated-as", Quiet),
    ("-no-integrated-as", Quiet),
    ("-no-canonical-prefixes", Quiet),
    ("-no-pie", Quiet),
    ("-nopie", Quiet),
    ("-nostdlib*", Quiet),
    ("-nodefaultlibs", Quiet),
    ("-nolibc", Quiet),
    ("-nostartfiles", Quiet),
    ("-pie", Quiet),
    ("-p", Quiet),
    ("-pg", Quiet),
    ("-r", Quiet),
    ("-rdynamic", Quiet),
    ("-s", Quiet),
    ("-shared*", Quiet),
    ("-static*", Quiet),
    ("-symbolic", Quiet),
    ("-specs=*", Tell),
    ("-t", Quiet),
    ("-time*", Quiet),
    ("-v", Quiet),
    ("-###", Quiet),
    ("-Q*", Quiet),
    ("--coverage", Quiet),
    ("-coverage", Quiet),
    ("--gcc-toolchain=*", Keep),
    ("--gcc-install-dir=*", Keep),
    ("--driver-mode=*", Quiet),
    ("--start-no-unused-arguments", Quiet),
    ("--end-no-unused-arguments", Quiet),
];

/// `-f` options, named without `-f` and `-fno-`, that change the meaning of a program and that
/// clang understands.
const F_KEEP: &[&str] = &[
    "access-control",
    "aligned-allocation",
    "aligned-new*",
    "apple-pragma-pack",
    "asm",
    "asm-blocks",
    "assume-sane-operator-new",
    "blocks",
    "borland-extensions",
    "builtin*",
    "char8_t",
    "common",
    "constant-cfstrings",
    "constexpr-depth=*",
    "constexpr-steps=*",
    "coroutines*",
    "cxx-exceptions",
    "declspec",
    "delayed-template-parsing",
    "delete-null-pointer-checks",
    "digraphs",
    "dollars-in-identifiers",
    "elide-constructors",
    "exceptions",
    "experimental-library",
    "fixed-point",
    "freestanding",
    "gnu-inline-asm",
    "gnu-keywords",
    "gnu89-inline",
    "gnuc-version=*",
    "hosted",
    "implicit-templates",
    "input-charset=UTF-8",
    "input-charset=utf-8",
    "lax-vector-conversions*",
    "math-errno",
    "ms-compatibility*",
    "ms-extensions",
    "new-infallible",
    "operator-names",
    "pack-struct*",
    "pascal-strings",
    "permissive",
    "PIC",
    "pic",
    "PIE",
    "pie",
    "relaxed-template-template-args",
    "rtti",
    "rtti-data",
    "short-enums",
    "short-wchar",
    "signed-bitfields",
    "signed-char",
    "signed-wchar",
    "sized-deallocation",
    "strict-enums",
    "strict-flex-arrays*",
    "strict-overflow",
    "template-depth*",
    "threadsafe-statics",
    "unsigned-bitfields",
    "unsigned-char",
    "use-cxa-atexit",
    "wrapv",
    "writable-strings",
    "zvector",
];

/// `-f` options that both compilers share, or that only steer optimisation, diagnostics,
/// instrumentation or linking. (The math ones would make clang emit constrained or "fast"
/// operations; rigel's floats are IEEE. `trapv`: overflow is a check anyway.)
const F_QUIET: &[&str] = &[
    "align-*",
    "associative-math",
    "asynchronous-unwind-tables",
    "auto-profile*",
    "basic-block-sections*",
    "caret-diagnostics",
    "cf-protection*",
    "color-diagnostics",
    "coverage*",
    "crash-diagnostics*",
    "cx-*",
    "data-sections",
    "debug-*",
    "diagnostics-*",
    "dwarf*",
    "eliminate-*",
    "emit-all-decls",
    "emulated-tls",
    "error-limit=*",
    "exec-charset=UTF-8",
    "exec-charset=utf-8",
    "fast-math",
    "fat-lto-objects",
    "file-prefix-map=*",
    "finite-loops",
    "finite-math-only",
    "force-emit-vtables",
    "fp-contract=*",
    "fp-model=*",
    "function-sections",
    "honor-infinities",
    "honor-nans",
    "ident",
    "init-local-zero",
    "inline*",
    "instrument-functions*",
    "integrated-as",
    "keep-inline-functions",
    "keep-static-consts",
    "lto*",
    "macro-backtrace-limit=*",
    "macro-prefix-map=*",
    "max-errors=*",
    "max-page-size*",
    "max-type-align*",
    "merge-all-constants",
    "merge-constants",
    "message-length=*",
    "multiversion",
    "omit-frame-pointer",
    "openmp-simd",
    "optimize-sibling-calls",
    "optimize-strlen",
    "pch-*",
    "plt",
    "profile*",
    "reciprocal-math",
    "record-command-line",
    "record-gcc-switches",
    "rounding-math",
    "sanitize*",
    "semantic-interposition",
    "shell*",
    "show-*",
    "signaling-nans",
    "signed-zeros",
    "slp-vectorize",
    "spell-checking*",
    "split-dwarf*",
    "split-machine-functions",
    "split-stack",
    "stack-check",
    "stack-clash-protection",
    "stack-protector*",
    "stack-size-section",
    "stack-usage",
    "strict-aliasing",
    "strict-return",
    "strict-vtable-pointers",
    "syntax-only",
    "template-backtrace-limit=*",
    "time-trace*",
    "tls-model=*",
    "trapping-math",
    "trapv",
    "trivial-auto-var-init*",
    "unit-at-a-time",
    "unique-section-names",
    "unroll-*",
    "unsafe-math-optimizations",
    "unwind-tables",
    "use-ld=*",
    "use-line-directives",
    "use-linker-plugin",
    "vectorize",
    "verbose-asm",
    "visibility*",
    "whole-program*",
    "zero-call-used-regs*",
    "zero-initialized-in-bss",
];

/// `-m` options, named without `-m` and `-mno-`, that clang understands for x86-64 and that a
/// program can see (through macros, intrinsics or layouts).
const M_KEEP: &[&str] = &[
    "3dnow*",
    "64",
    "adx",
    "aes",
    "arch=*",
    "amx-*",
    "avx*",
    "bmi",
    "bmi2",
    "clflushopt",
    "clwb",
    "crc32",
    "cx16",
    "f16c",
    "fma",
    "fma4",
    "fsgsbase",
    "fxsr",
    "general-regs-only",
    "gfni",
    "invpcid",
    "lwp",
    "lzcnt",
    "mmx",
    "movbe",
    "movdir64b",
    "movdiri",
    "ms-bitfields",
    "mwaitx",
    "pclmul",
    "pku",
    "popcnt",
    "prfchw",
    "rdpid",
    "rdrnd",
    "rdseed",
    "rtm",
    "sahf",
    "sgx",
    "sha",
    "shstk",
    "sse*",
    "ssse3",
    "tbm",
    "vaes",
    "vpclmulqdq",
    "waitpkg",
    "xop",
    "xsave*",
];

/// `-m` options that only steer code generation, and that both compilers know.
const M_QUIET: &[&str] = &[
    "cmodel=*",
    "fentry",
    "fpmath=*",
    "glibc",
    "omit-leaf-frame-pointer",
    "red-zone",
    "relax-all",
    "retpoline*",
    "stackrealign",
    "tls-dialect=*",
    "tune=*",
    "harden-sls=*",
    "stack-protector-guard*",
    "indirect-branch-cs-prefix",
    "tls-direct-seg-refs",
    "speculative-load-hardening",
];

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
