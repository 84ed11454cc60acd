//! How long building, optimising and planning takes: each TPC-H query, from text to its plan; and how long it takes to find and bind the plan of one that differs
//! in its literals.
//!
//! Run by `make bench`. The same again with a thousand more rules, none of which can match, measured turn by turn with the first so that a busy machine disturbs
//! both alike.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod cached;

use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::text;
use airloom_opt::driver::Options;
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::registry::Registry;
use airloom_opt::rule::Rule;
use airloom_opt::stage::Stage;
use airloom_plan::lower::{NoQueries, lower};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The allocator of the Python extension, so that both allocate alike.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each query is compiled with each registry.
const TURNS: usize = 201;
/// What a query may take.
const LIMIT: Duration = Duration::from_millis(1);
/// What finding and binding a plan may take.
const CACHED: Duration = Duration::from_micros(50);
/// What a thousand rules that cannot match may add, in percent.
const OVERHEAD: f64 = 5.0;

fn main() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tpch/air");
    let mut files: Vec<_> = std::fs::read_dir(&directory)
        .expect("the TPC-H programs are in `tests/tpch/air`")
        .map(|e| e.expect("a readable entry").path())
        .collect();
    files.sort();
    // `cargo bench --bench compile -- q08` measures one query.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    files.retain(|f| wanted.is_empty() || wanted.iter().any(|w| f.to_string_lossy().contains(w.as_str())));
    assert!(!files.is_empty(), "no query matches {wanted:?}");
    let standard = Registry::standard();
    let crowded = crowded();
    println!(
        "{} rules; with {} that cannot match: {}",
        standard.rules().len(),
        crowded.rules().len() - standard.rules().len(),
        crowded.rules().len()
    );
    println!("query      nodes  firings   build µs  optimise µs    plan µs  together µs   +1000 rules  literals  cached µs");
    let (mut slowest, mut longest, mut ratios) = (Duration::ZERO, Duration::ZERO, Vec::new());
    for file in &files {
        let program = std::fs::read_to_string(file).expect("a readable program");
        let mut first = Vec::new();
        let mut second = Vec::new();
        let (mut third, mut planning) = (Vec::new(), Vec::new());
        let (mut nodes, mut firings) = (0, 0);
        for turn in 0..TURNS * 2 {
            let start = Instant::now();
            let mut module = text::parse(&program).expect("a valid program");
            first.push(start.elapsed());
            if turn % 2 == 0 {
                let (spent, fired, root) = optimise(&standard, &mut module);
                second.push(spent);
                (nodes, firings) = (module.graph.len(), fired);
                planning.push(plan(module, root));
            } else {
                third.push(optimise(&crowded, &mut module).0);
            }
        }
        let (build, plain, more, planned) = (median(&mut first), median(&mut second), median(&mut third), median(&mut planning));
        let together = build + plain + planned;
        slowest = slowest.max(together);
        let ratio = (build + more + planned).as_secs_f64() / together.as_secs_f64();
        ratios.push(ratio);
        let name = file.file_stem().map(|s| s.to_string_lossy().to_string()).unwrap_or_default();
        let (literals, mut found) = cached::times(&name, &program, TURNS);
        let found = median(&mut found);
        longest = longest.max(found);
        println!(
            "{name:<9} {nodes:>6} {firings:>8} {:>10} {:>12} {:>10} {:>12} {:>12.1} % {literals:>9} {:>10.1}",
            build.as_micros(),
            plain.as_micros(),
            planned.as_micros(),
            together.as_micros(),
            (ratio - 1.0) * 100.0,
            found.as_secs_f64() * 1e6
        );
    }
    ratios.sort_by(f64::total_cmp);
    // The limit is for each query, not for most of them.
    let overhead = (ratios[ratios.len() - 1] - 1.0) * 100.0;
    println!(
        "slowest median: {} µs (limit {} µs), cached {} µs (limit {} µs); a thousand rules add at most {overhead:.1} % (limit {OVERHEAD} %)",
        slowest.as_micros(),
        LIMIT.as_micros(),
        longest.as_micros(),
        CACHED.as_micros()
    );
    if slowest > LIMIT || longest > CACHED || overhead > OVERHEAD {
        println!("over the limit");
        std::process::exit(1);
    }
}

fn optimise(registry: &Registry, module: &mut Module) -> (Duration, usize, NodeId) {
    let options = Options::everything();
    let start = Instant::now();
    let outcome = registry.run(module, &options).expect("the standard rules keep their promises");
    (start.elapsed(), outcome.trace.len(), outcome.roots[0])
}

fn plan(module: Module, function: NodeId) -> Duration {
    let graph = Arc::new(module.graph);
    let start = Instant::now();
    let plan = lower(&graph, function, &mut Facts::new(Statistics::default()), &NoQueries);
    let spent = start.elapsed();
    assert!(!plan.nodes.is_empty(), "a query reads rows");
    spent
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The standard rules and a thousand more, at the roots that programs have most, none of which matches anything in them.
fn crowded() -> Registry {
    let mut registry = Registry::standard();
    let shapes = [
        "add(shl(?x, {}), ?y)",
        "eq(bitxor(?x, {}), ?y)",
        "and(is_in(?x, {}, {}), ?y)",
        "get{field: ?f}(host.call(?x, {}))",
        "mul(popcount(?x), {})",
    ];
    for number in 0..1000 {
        let shape = shapes[number % shapes.len()].replace("popcount", "bitcount").replace("{}", &number.to_string());
        let right = shape.split(['(', ',']).next().map(|_| "?x").unwrap_or("?x");
        let rule = Rule::text(Stage::Simplify, &format!("never-{number}"), "Matches nothing.", &shape, right, None).expect("a valid rule");
        registry.add(rule).expect("a new name");
    }
    registry
}
