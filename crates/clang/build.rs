//! Links libLLVM 19, which comes with Debian's clang-19 (no -dev package is needed).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-lib=dylib=LLVM-19");
    for dir in [
        "/usr/lib/llvm-19/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    ] {
        println!("cargo::rustc-link-search=native={dir}");
    }
}
