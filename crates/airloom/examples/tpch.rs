//! Times the TPC-H programs: `cargo run --release --example tpch DATA [memory|parquet] [threads] [query…]`.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a tool")]

use airloom_exec::data::Datum;
use airloom_exec::engine::Engine;
use airloom_exec::run::{Cancel, Options};
use airloom_exec::source::{FileOptions, MemoryTable, ParquetTable, ScanRequest, Table};
use airloom_opt::registry::Registry;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TABLES: [&str; 8] = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let data = Path::new(&args[1]);
    let memory = args.get(2).is_none_or(|m| m == "memory");
    let threads: usize = args.get(3).map_or(2, |t| t.parse().unwrap());
    let only: Vec<String> = args[4.min(args.len())..].to_vec();
    let options = Options {
        threads,
        memory: 16 << 30,
        morsel_rows: 16384,
        spill_folder: std::env::temp_dir(),
        always_spill: false,
        equal_hashes: false,
        steps: u64::MAX,
    };
    let engine = Engine::new(options.clone()).unwrap();
    for table in TABLES {
        let parquet =
            ParquetTable::open(&[data.join(format!("{table}.parquet")).to_string_lossy().to_string()], &FileOptions::plain()).unwrap();
        if memory {
            let schema = parquet.schema();
            let request = ScanRequest::of((0..schema.fields().len()).collect(), threads, 65536);
            let plan = parquet.scan(&request).unwrap().plan;
            let runtime = tokio_block(plan);
            engine.register(table, Arc::new(MemoryTable::new(&schema, &runtime).unwrap()));
        } else {
            engine.register(table, Arc::new(parquet));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tpch/air");
    let mut product = 1.0f64;
    let mut count = 0;
    for number in 1..=22 {
        let name = format!("q{number:02}");
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        let text = std::fs::read_to_string(root.join(format!("{name}.air"))).unwrap();
        let mut best = f64::INFINITY;
        let mut rows = 0;
        let mut plan_time = 0.0;
        for _ in 0..3 {
            let started = Instant::now();
            let mut module = airloom_ir::text::parse(&text).unwrap();
            let statistics = engine.statistics(&module.graph, &[module.functions[0].lambda]).unwrap();
            let outcome = Registry::standard()
                .run(
                    &mut module,
                    &airloom_opt::driver::Options {
                        statistics: statistics.clone(),
                        stages: airloom_exec::engine::stages(),
                        ..airloom_opt::driver::Options::everything()
                    },
                )
                .unwrap();
            let planned = started.elapsed().as_secs_f64();
            if std::env::var("SHOW").is_ok() {
                let mut shown = module.clone();
                shown.functions[0].lambda = outcome.roots[0];
                println!("{}", airloom_ir::text::print(&shown));
            }
            let found = engine.run(module.graph.clone(), outcome.roots[0], &[], statistics, &Cancel::default()).unwrap();
            let took = started.elapsed().as_secs_f64();
            if took < best {
                best = took;
                plan_time = planned;
            }
            if let Datum::Table(relation) = found {
                rows = relation.rows();
            }
        }
        product *= best;
        count += 1;
        println!("{name} {:8.1} ms  (planning {:5.1}) rows {rows}", best * 1e3, plan_time * 1e3);
    }
    println!("geometric mean {:.1} ms", product.powf(1.0 / f64::from(count)) * 1e3);
}

fn tokio_block(plan: Arc<dyn datafusion_physical_plan::ExecutionPlan>) -> Vec<arrow::array::RecordBatch> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let context = Arc::new(datafusion_execution::TaskContext::default());
    runtime.block_on(async { airloom_exec::operators::collect(&plan, &context).await.unwrap() })
}
