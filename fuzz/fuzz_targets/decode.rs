//! The decoder on whatever comes: what it accepts is valid, and encodes and decodes to the same ids.
#![no_main]

use airloom_ir::{binary, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(module) = binary::decode(input) {
        assert!(verify::verify(&module).is_empty());
        let again = binary::decode(&binary::encode(&module)).expect("what was encoded decodes");
        let mut graph = module.graph.clone();
        let roots = graph.import(&again.graph, &again.roots()).expect("the same types");
        assert_eq!(roots, module.roots());
    }
});
