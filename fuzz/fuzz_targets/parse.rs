//! The parser on whatever comes: what it accepts prints and parses to the same ids.
#![no_main]

use airloom_ir::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(program) = std::str::from_utf8(input) else { return };
    if let Ok(module) = text::parse(program) {
        let again = text::parse(&text::print(&module)).expect("what was printed parses");
        let mut graph = module.graph.clone();
        let roots = graph.import(&again.graph, &again.roots()).expect("the same types");
        assert_eq!(roots, module.roots());
    }
});
