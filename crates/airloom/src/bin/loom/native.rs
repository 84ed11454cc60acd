//! `loom ir` and `loom asm`, where it is built with LLVM.

#[cfg(feature = "native")]
pub(crate) use with_llvm::{asm, ir, page};
#[cfg(not(feature = "native"))]
pub(crate) use without_llvm::{asm, ir, page};

#[cfg(feature = "native")]
mod with_llvm {
    use crate::arguments::Arguments;
    use crate::say;
    use airloom_ir::graph::Graph;
    use airloom_ir::ops::Op;
    use airloom_ir::ops::core::Core;
    use airloom_jit::{LlvmCompiler, Text};
    use airloom_plan::bodies::params;

    pub(crate) fn ir(words: &[String]) -> Result<bool, String> {
        print("ir", words, Text::Ir)
    }

    pub(crate) fn asm(words: &[String]) -> Result<bool, String> {
        print("asm", words, Text::Assembly)
    }

    /// The manual's page on native code.
    pub(crate) fn page() -> Option<String> {
        Some(airloom_jit::table())
    }

    /// The kernels of all bodies of the optimised program, in the order they are read.
    fn print(command: &str, words: &[String], form: Text) -> Result<bool, String> {
        let mut arguments = Arguments::parse(command, words)?;
        let places: Vec<usize> = match &arguments.function {
            Some(_) => vec![arguments.place()?],
            None => (0..arguments.session.module().functions.len()).collect(),
        };
        let optimized = arguments.session.optimize(&arguments.options).map_err(|error| error.to_string())?;
        let graph: &Graph = &arguments.session.module().graph;
        for place in places {
            let root = optimized.roots[place];
            let bodies = graph.post_order(&[root]).into_iter().filter(|&id| graph.op(id) == Op::Core(Core::Lambda));
            for (number, body) in bodies.enumerate() {
                let (given, result) = (params(graph, body), graph.result_of(body));
                match LlvmCompiler::text(graph, &given, &[result], form) {
                    Ok(text) => say(&format!("; body {number}\n{text}\n")),
                    Err(reason) => say(&format!("; body {number} has no kernel: {reason}\n")),
                }
            }
        }
        Ok(true)
    }
}

#[cfg(not(feature = "native"))]
mod without_llvm {
    const MISSING: &str = "this `loom` is built without LLVM\n\nhint: `make build` builds with it";

    pub(crate) fn ir(_words: &[String]) -> Result<bool, String> {
        Err(MISSING.into())
    }

    pub(crate) fn asm(_words: &[String]) -> Result<bool, String> {
        Err(MISSING.into())
    }

    pub(crate) fn page() -> Option<String> {
        None
    }
}
