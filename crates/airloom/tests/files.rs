//! Programs that read files, and tables in memory: dynamic filters and pushed-down filters must leave the answer as it is.
#![expect(clippy::print_stdout, reason = "how much was tried is part of the test's result")]

mod folder;

use airloom::data::{Datum, Relation};
use airloom::filetest::in_a_file;
use airloom::program::Program;
use airloom::source::{Catalog, MemoryTable, Source};
use airloom_compute::data::Native;
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::Run;
use airloom_ir::text::print;
use airloom_ir::value::Value;
use airloom_opt::driver;
use airloom_opt::generate;
use folder::Folder;
use std::sync::Arc;

/// How many random programs are tried.
const PROGRAMS: u64 = 1000;

/// The rows whatever their order.
fn as_bag(value: Value) -> Value {
    let Value::Rel(table) = value else { return value };
    let mut rows = table.rows.clone();
    rows.sort_by_cached_key(|row| format!("{row:?}"));
    Value::rel(table.width, rows)
}

#[test]
fn joins_are_as_the_oracle_says() {
    let folder = Folder::new();
    let (mut rows, mut empty) = (0, 0);
    for seed in 0..PROGRAMS {
        let case = generate::joins_of_all_kinds(seed);
        let mut program = Program::new(case.module.clone());
        let options = Options {
            threads: 1 + (seed % 3) as usize,
            memory: 1 << 30,
            morsel_rows: [1, 3, 8192][(seed % 3) as usize],
            spill_folder: folder.path().into(),
            parts_rows: [1, 64, Options::PARTS_ROWS][(seed % 3) as usize],
            always_spill: seed % 7 == 0,
            partition_bytes: None,
            equal_hashes: false,
            steps: u64::MAX,
            native: Native::Off,
        };
        let engine = Engine::new(options).expect("sound options");
        let mut sources = Catalog::default();
        for (name, source) in &case.sources {
            program = program.with_source(name, source.clone());
            let graph = &case.module.graph;
            let node = graph.ids().find(|&id| graph.as_source(id).is_some_and(|s| s.name == *name)).expect("it is read");
            let Value::Rel(table) = &source.value else { panic!("a source is a relation") };
            let relation = Relation::from_value(graph.types(), graph.ty_id(node), table);
            match seed % 5 {
                0 => sources.insert(name, Source::Datum(Datum::Table(relation))),
                1 => {
                    let table = MemoryTable::new(&relation.schema, &relation.batches).expect("rows of the schema");
                    sources.insert_table(name, Arc::new(table));
                }
                _ => {
                    let table =
                        in_a_file(&engine, &relation, folder.path()).unwrap_or_else(|| panic!("seed {seed}: `{name}` cannot be a file"));
                    sources.insert_table(name, table);
                }
            }
        }
        let function = case.module.functions[0].lambda;
        let place = |value: Value| if case.ordered { value } else { as_bag(value) };
        let expected = program.run(function, &[], None).map(place).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let run = Run::over(sources);
        let statistics = run.sources.statistics(&case.module.graph, &[function]).expect("readable files");
        let optimizing = driver::Options { statistics: statistics.clone(), ..driver::Options::everything() };
        let optimized = program
            .optimize(&driver::Options { stages: airloom_exec::engine::stages(&case.module.graph), ..optimizing })
            .expect("it is optimised");
        for function in [function, optimized.roots[0]] {
            let graph = program.module().graph.clone();
            let ty = graph.ty_id(graph.result_of(function));
            let made: Datum = engine
                .run(graph, function, &[], statistics.clone(), &run)
                .unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{}", print(&case.module)));
            let found = place(made.to_value(program.module().graph.types(), ty));
            assert_eq!(found, expected, "seed {seed}: the answer differs\n{}", print(&case.module));
        }
        let Value::Rel(table) = &expected else { panic!("the answer is a relation") };
        rows += table.rows.len();
        empty += usize::from(table.rows.is_empty());
    }
    println!("{PROGRAMS} programs, {rows} rows in their answers, {empty} answers without rows");
    assert!(rows > 1000 && empty < PROGRAMS as usize * 3 / 4, "most answers have rows: {rows} in all, {empty} have none");
}
