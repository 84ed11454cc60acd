//! The 22 TPC-H queries over the checked-in sample answer as DuckDB does: as written, optimised, and optimised only part of the way.

use airloom::program::Program;
use airloom::{csv, statistics};
use airloom_ir::oracle::Source;
use airloom_ir::text::value_to_text;
use airloom_ir::types::{Fields, Ty, Types};
use airloom_ir::value::Value;
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use std::collections::BTreeSet;

/// At how many points optimising is stopped on the way.
const STOPS: usize = 5;

/// How far a double may be from DuckDB's, relative to the greater of the two: DuckDB adds up in another order.
const TOLERANCE: f64 = 1e-9;

macro_rules! queries {
    ($($query:ident)*) => { $(
        #[test]
        fn $query() {
            if let Err(message) = check(stringify!($query)) {
                panic!("{message}");
            }
        }
    )* };
}
queries! { q01 q02 q03 q04 q05 q06 q07 q08 q09 q10 q11 q12 q13 q14 q15 q16 q17 q18 q19 q20 q21 q22 }

fn check(query: &str) -> Result<(), String> {
    let file = format!("air/{query}.air");
    let parsed = Program::parse(&read(&file)?, Some(&file)).map_err(|e| e.to_string())?;
    let mut session = with_data(parsed)?;
    let function = session.module().function(query).ok_or_else(|| format!("{file}: there is no function `@{query}`"))?;
    let place = session.module().roots().iter().position(|&root| root == function).ok_or("a function is a root")?;
    let fields = result_fields(&session, query)?;

    let answer = csv::read(session.module().graph.types(), &fields, &read(&format!("answers/{query}.csv"))?)?;
    let written = session.run(function, &[], None).map_err(|e| format!("as written: {e}"))?;
    same(session.module().graph.types(), &fields, &answer, &written, TOLERANCE).map_err(|e| format!("as written: {e}"))?;

    // No query permits floats to be added in another order, so what rules leave answers to the last bit as what was written, and so as DuckDB does.
    let bisect = bisect_command(&session, query);
    let known = statistics::from_text(session.module(), &read("statistics.txt")?)?;
    let mut firings_at = |fuel: u64, statistics: &Statistics, how: &str| -> Result<u64, String> {
        let in_context = |message: String| format!("{how}: {message}\n\nhint: `{bisect}` names the rule");
        let options = Options { fuel, checks: true, statistics: statistics.clone(), ..Options::everything() };
        let outcome = session.optimize(&options).map_err(|e| in_context(e.to_string()))?;
        let found = session.run(outcome.roots[place], &[], None).map_err(|e| in_context(e.to_string()))?;
        same(session.module().graph.types(), &fields, &written, &found, 0.0).map_err(in_context)?;
        Ok(outcome.trace.len() as u64)
    };
    for (statistics, with) in [(&Statistics::default(), "without statistics"), (&known, "with statistics")] {
        let firings = firings_at(Options::everything().fuel, statistics, &format!("optimised {with}"))?;
        for fuel in stops(query, firings) {
            let how = format!("optimised {with}, with fuel {fuel} of {firings}");
            let fired = firings_at(fuel, statistics, &how)?;
            if fired != fuel {
                return Err(format!("{how}: {fired} rules fired"));
            }
        }
    }
    Ok(())
}

fn read(path: &str) -> Result<String, String> {
    let path = format!("{}/../../tests/tpch/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).map_err(|e| format!("cannot read `{path}`: {e}"))
}

/// The session with the sample's data of every source that its program reads.
fn with_data(mut session: Program) -> Result<Program, String> {
    let graph = &session.module().graph;
    let mut sources = Vec::new();
    for source in graph.ids().filter_map(|id| graph.as_source(id)) {
        let Ty::Rel(fields) = graph.types().get(source.ty) else { return Err(format!("the source `{}` is not a relation", source.name)) };
        let file = format!("data/{}.csv", source.name);
        let value = csv::read(graph.types(), fields, &read(&file)?).map_err(|e| format!("{file}: {e}"))?;
        sources.push((source.name.clone(), Source { columns: fields.names().cloned().collect(), value }));
    }
    for (name, source) in sources {
        session = session.with_source(&name, source);
    }
    Ok(session)
}

/// How to find the rule that is to blame.
fn bisect_command(session: &Program, query: &str) -> String {
    let graph = &session.module().graph;
    let sources = graph.ids().filter_map(|id| graph.as_source(id));
    let sources: String = sources.map(|s| format!(" --source {0}=tests/tpch/data/{0}.csv", s.name)).collect();
    format!("loom bisect tests/tpch/air/{query}.air @{query}{sources}")
}

/// The columns of the answer, which must have the names and the types that DuckDB gives them, but for null.
fn result_fields(session: &Program, query: &str) -> Result<Fields, String> {
    let graph = &session.module().graph;
    let function = session.module().function(query).ok_or("the function was found before")?;
    let ty = graph.ty_id(graph.result_of(function));
    let Ty::Rel(fields) = graph.types().get(ty) else {
        return Err(format!("`@{query}` must return a relation, not `{}`", graph.types().show(ty)));
    };
    let found: Vec<(String, String)> = fields.iter().map(|f| (f.name.to_string(), graph.types().show(graph.types().strip(f.ty)))).collect();
    let expected = columns_of(query)?;
    if found != expected {
        return Err(format!("`@{query}` has the wrong columns\nexpected {expected:?}\nfound    {found:?}"));
    }
    Ok(fields.clone())
}

/// The names and types of an answer's columns, by `types.json`: a line for each query, and in it between quotes the query, a name, its type, a name, and so on.
fn columns_of(query: &str) -> Result<Vec<(String, String)>, String> {
    let text = read("answers/types.json")?;
    let quoted = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
    let words = text.lines().map(quoted).find(|words| words.first().is_some_and(|w| w == query));
    let words = words.ok_or_else(|| format!("`types.json` has no line for `{query}`"))?;
    words[1..].chunks(2).map(|pair| Ok((pair[0].clone(), type_of(&pair[1])?))).collect()
}

fn type_of(duckdb: &str) -> Result<String, String> {
    Ok(match duckdb {
        // The sum of integers is wider there; these are counts.
        "BIGINT" | "HUGEINT" => "i64".to_string(),
        "VARCHAR" => "str".to_string(),
        "DOUBLE" => "f64".to_string(),
        "DATE" => "date".to_string(),
        decimal if decimal.starts_with("DECIMAL(") => decimal.to_lowercase().replace(',', ", "),
        other => return Err(format!("no type is known for DuckDB's `{other}`")),
    })
}

/// Whether two relations have the same rows in the same order: exactly, but that doubles may differ by `tolerance`, relative to the greater.
fn same(types: &Types, fields: &Fields, expected: &Value, found: &Value, tolerance: f64) -> Result<(), String> {
    let (Value::Rel(expected), Value::Rel(found)) = (expected, found) else { return Err(format!("expected a relation, found {found:?}")) };
    for (number, (e, f)) in expected.rows.iter().zip(&found.rows).enumerate() {
        for ((field, e), f) in fields.iter().zip(e.iter()).zip(f.iter()) {
            let close = |e: f64, f: f64| (e - f).abs() < tolerance * e.abs().max(f.abs());
            let equal = e == f || matches!((e, f), (&Value::F64(e), &Value::F64(f)) if close(e, f));
            if !equal {
                let (e, f) = (value_to_text(types, field.ty, e), value_to_text(types, field.ty, f));
                return Err(format!("row {}, column `{}`: expected {e}, found {f}", number + 1, field.name));
            }
        }
    }
    match (expected.rows.len(), found.rows.len()) {
        (e, f) if e == f => Ok(()),
        (e, f) => Err(format!("expected {e} rows, found {f}")),
    }
}

/// Some numbers of firings below the whole, the same ones for a query on every run; all of them, where there are few.
fn stops(query: &str, firings: u64) -> BTreeSet<u64> {
    if firings <= STOPS as u64 {
        return (0..firings).collect();
    }
    // SplitMix64, from the query's name.
    let mut state = query.bytes().fold(0, |state: u64, byte| state.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut found = BTreeSet::new();
    while found.len() < STOPS {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        found.insert((mixed ^ (mixed >> 31)) % firings);
    }
    found
}
