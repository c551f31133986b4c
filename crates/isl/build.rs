//! Links isl's run-time library, Debian's `libisl23` (no -dev package is needed).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Without the -dev package there is no `libisl.so`, so the linker is told the file's whole name.
    println!("cargo::rustc-link-lib=dylib:+verbatim=libisl.so.23");
    for dir in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"] {
        println!("cargo::rustc-link-search=native={dir}");
    }
}
