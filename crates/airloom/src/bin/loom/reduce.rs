//! `loom reduce`.

use crate::arguments::Arguments;
use crate::say;
use airloom::bisect::{Verdict, bisect};
use airloom::program::Program;
use airloom::reduce::{Case, reduce};
use airloom_ir::module::Module;
use airloom_ir::text::{print_function, value_to_text};

pub(crate) fn main(words: &[String]) -> Result<bool, String> {
    let arguments = Arguments::parse("reduce", words)?;
    let place = arguments.place()?;
    let args = arguments.values(place)?;
    let module = arguments.session.module();
    let function = module.functions[place].clone();
    let compacted = module.graph.compact(&[function.lambda]);
    let lambda = compacted.moved[&function.lambda];
    let name = function.name.clone();
    let case = Case {
        module: Module {
            graph: compacted.graph,
            functions: vec![airloom_ir::module::Function { name: name.clone(), lambda }],
            ..Module::default()
        },
        args,
    };
    let registry = arguments.session.registry().clone();
    let options = airloom_opt::driver::Options { checks: true, ..arguments.options.clone() };
    let breaks = |case: &Case| {
        let mut session = Program::new(case.module.clone()).with_registry(registry.clone());
        !matches!(bisect(&mut session, 0, &case.args, &options, None), Verdict::Fine { .. })
    };
    if !breaks(&case) {
        return Err(format!("optimising `@{name}` changes nothing of its answer: there is nothing to reduce"));
    }
    let small = reduce(case, &breaks);
    let graph = &small.module.graph;
    let lambda = small.module.functions[0].lambda;
    say(&print_function(graph, &small.module.hints, &name, lambda));
    let params = graph.params_of(lambda);
    let shown: Vec<String> = small.args.iter().zip(params).map(|(v, &ty)| value_to_text(graph.types(), ty, v)).collect();
    let mut session = Program::new(small.module.clone()).with_registry(registry);
    if let Ok(value) = session.run(lambda, &small.args, None) {
        let ty = graph.ty_id(graph.result_of(lambda));
        say(&format!("; run: @{name}({}) == {}\n", shown.join(", "), value_to_text(graph.types(), ty, &value)));
    }
    match bisect(&mut session, 0, &small.args, &options, None) {
        Verdict::Guilty { rule, .. } => say(&format!("; `{rule}` changes the answer\n")),
        Verdict::Broken(message) => say(&format!("; {message}\n")),
        Verdict::Fine { .. } => (),
    }
    Ok(true)
}
