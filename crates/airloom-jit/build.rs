//! Finds LLVM 22 and links the parts of it that are used, statically: what is linked exports no symbol, so that another LLVM in the same process is not disturbed.

use std::path::PathBuf;
use std::process::Command;

/// What is used of LLVM: its IR, its passes, code for the machine it runs on, and the loader of compiled objects.
const COMPONENTS: [&str; 6] = ["core", "analysis", "native", "nativecodegen", "orcjit", "passes"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let llvm_config = find();
    let asked = |what: &[&str]| -> String {
        let output = Command::new(&llvm_config).args(what).output();
        let output = output.unwrap_or_else(|error| panic!("cannot run `{}`: {error}", llvm_config.display()));
        assert!(output.status.success(), "`{}` failed: {}", llvm_config.display(), String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    println!("cargo:rustc-link-search=native={}", asked(&["--libdir"]).trim());
    for library in asked(&[&["--link-static", "--libnames"], &COMPONENTS[..]].concat()).split_whitespace() {
        let name = library.trim_start_matches("lib").trim_end_matches(".a");
        // Not copied into our own archive: it is linked where a binary is made.
        println!("cargo:rustc-link-lib=static:-bundle={name}");
    }
    // What `llvm-config` names beside these is for parts that are not used.
    for library in ["stdc++", "z", "zstd"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

fn find() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a build script is told by its environment")]
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").ok().map(|prefix| PathBuf::from(prefix).join("bin/llvm-config"));
    let known = [PathBuf::from("/usr/lib/llvm-22/bin/llvm-config"), PathBuf::from("llvm-config-22")];
    let works = |path: &PathBuf| {
        let output = Command::new(path).arg("--version").output();
        output.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"22."))
    };
    prefix.into_iter().chain(known).find(works).unwrap_or_else(|| {
        panic!(
            "LLVM 22 was not found; install it (Debian: `apt-get install llvm-22-dev libzstd-dev zlib1g-dev`), name its folder in \
             `LLVM_SYS_221_PREFIX`, or build without it: `make build NATIVE=0`"
        )
    })
}
