//! The manual's page on native code is fresh, and most ops have a kernel.

use std::path::Path;

#[test]
fn the_page_on_native_code_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/native.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    assert_eq!(page, airloom_jit::table(), "docs/reference/native.md is stale: run `make manual`");
}
