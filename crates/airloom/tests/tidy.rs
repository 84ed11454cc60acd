//! The rules of the house: what `ARCHITECTURE.md` says is absent is absent, every op and rule has its test and its page, and the manual is fresh.

use airloom::manual;
use airloom_ir::ops;
use airloom_opt::registry::Registry;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Past this a file is two files.
const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
}

/// All files below a folder with this ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()));
        for path in entries.map(|e| e.expect("a readable entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<PathBuf> {
    files(&root().join("crates"), "rs")
}

fn is_in(path: &Path, crates: &[&str]) -> bool {
    crates.iter().any(|c| path.to_string_lossy().contains(&format!("/{c}/src/")))
}

/// The crates that a manifest depends on, of ours.
fn edges(manifest: &str) -> BTreeSet<String> {
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
    dependencies.lines().filter_map(|l| l.split(['.', ' ', '=']).next()).filter(|n| n.starts_with("airloom")).map(str::to_string).collect()
}

#[test]
fn crate_edges_are_those_of_the_architecture() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let mut listed = BTreeSet::new();
    for row in page.lines().filter(|l| l.starts_with("| `airloom")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').to_string();
        let allowed: BTreeSet<String> = cells[3].split(['`', ',', ' ']).filter(|w| w.starts_with("airloom")).map(str::to_string).collect();
        let found = edges(&read(&root().join(format!("crates/{name}/Cargo.toml"))));
        assert!(found.is_subset(&allowed), "`{name}` depends on {found:?}, but ARCHITECTURE.md allows {allowed:?}");
        listed.insert(name);
    }
    let folders = std::fs::read_dir(root().join("crates")).expect("the crates");
    let present: BTreeSet<String> = folders.map(|e| e.expect("a readable entry").file_name().to_string_lossy().to_string()).collect();
    assert_eq!(listed, present, "ARCHITECTURE.md lists the crates there are");
}

#[test]
fn crates_do_not_know_what_the_architecture_says() {
    let page = read(&root().join("ARCHITECTURE.md"));
    for row in page.lines().filter(|l| l.starts_with("| `airloom")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let folder = root().join("crates").join(cells[1].trim_matches('`'));
        let manifest = read(&folder.join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        for unknown in cells[4].split(['`', ',', ' ']).filter(|word| !word.is_empty()) {
            let named = dependencies.lines().any(|line| line.starts_with(unknown));
            assert!(!named, "`{}` depends on `{unknown}`", cells[1]);
            for path in files(&folder.join("src"), "rs") {
                let found = paths_in(&code_of(&read(&path))).iter().any(|name| name.starts_with(unknown));
                assert!(!found, "{}: `{unknown}` should not be known here", path.display());
            }
        }
    }
}

#[test]
fn rooms_use_what_the_architecture_says() {
    let rooms = Rooms::read();
    let found = rooms.edges();
    for edge in &found {
        assert!(rooms.allowed.contains(edge), "`{}` uses `{}`, which ARCHITECTURE.md does not allow", edge.0, edge.1);
    }
    for edge in &rooms.allowed {
        assert!(found.contains(edge), "`{}` may use `{}`, and does not: take it away", edge.0, edge.1);
    }
}

/// The rooms of `ARCHITECTURE.md`, by the names of crate and module, such as `compute::data`.
struct Rooms {
    names: Vec<String>,
    allowed: BTreeSet<(String, String)>,
}

impl Rooms {
    /// The crates whose modules are rooms.
    const CRATES: [&str; 4] = ["plan", "compute", "io", "exec"];

    fn read() -> Rooms {
        let page = read(&root().join("ARCHITECTURE.md"));
        let rows = page.lines().filter(|line| Self::CRATES.iter().any(|name| line.starts_with(&format!("| `{name}::"))));
        let mut rooms = Rooms { names: Vec::new(), allowed: BTreeSet::new() };
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let name = cells[1].trim_matches('`').to_string();
            for used in cells[3].split(['`', ',', ' ']).filter(|word| !word.is_empty()) {
                let above = used == "opt" || rooms.names.iter().any(|known| known == used);
                assert!(above, "`{name}` may use `{used}`, which is not further up in the table");
                rooms.allowed.insert((name.clone(), used.to_string()));
            }
            assert!(!rooms.names.contains(&name), "`{name}` has two rows");
            rooms.names.push(name);
        }
        let mut modules: Vec<String> = Vec::new();
        for name in Self::CRATES {
            let lib = read(&root().join(format!("crates/airloom-{name}/src/lib.rs")));
            modules.extend(
                lib.lines().filter_map(|l| l.split_once("mod ")).map(|(_, module)| format!("{name}::{}", module.trim_matches(';'))),
            );
        }
        let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
        assert_eq!(sorted(&rooms.names), sorted(&modules), "ARCHITECTURE.md lists the rooms there are");
        rooms
    }

    /// Which room uses which, by the paths in their sources.
    fn edges(&self) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        for name in Self::CRATES {
            let folder = root().join(format!("crates/airloom-{name}/src"));
            for path in files(&folder, "rs") {
                let below = path.strip_prefix(&folder).expect("a file of the folder").to_string_lossy().to_string();
                let room = below.split(['/', '.']).next().unwrap_or_default();
                let from = format!("{name}::{room}");
                if room == "lib" {
                    continue;
                }
                let text = code_of(&read(&path));
                for (prefix, other) in [
                    ("crate::", name),
                    ("airloom_plan::", "plan"),
                    ("airloom_compute::", "compute"),
                    ("airloom_io::", "io"),
                    ("airloom_exec::", "exec"),
                ] {
                    for used in text.split(prefix).skip(1) {
                        assert!(!used.starts_with('{'), "{}: name the module that `{prefix}` is used of", path.display());
                        let module: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                        let to = format!("{other}::{module}");
                        if to != from && self.names.contains(&to) {
                            found.insert((from.clone(), to));
                        }
                    }
                }
                // From the first file of a room `super` is the crate itself.
                if below == format!("{room}.rs") || below == format!("{room}/mod.rs") {
                    for used in text.split("super::").skip(1) {
                        let module: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                        let to = format!("{name}::{module}");
                        assert!(!self.names.contains(&to) || to == from, "{}: write `crate::{module}`", path.display());
                    }
                }
                if text.contains("airloom_opt::") {
                    found.insert((from, "opt".to_string()));
                }
            }
        }
        found
    }
}

/// The names with which paths begin: `arrow_row` of `arrow_row::Rows`.
fn paths_in(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("::") {
        let before = &code[..at];
        let name = &before[before.trim_end_matches(is_name).len()..];
        if !name.is_empty() && !before[..before.len() - name.len()].ends_with("::") {
            found.insert(name.to_string());
        }
    }
    found
}

/// A source without its comments.
fn code_of(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// What ended a run is a type, and a host's exception travels with it. Only filetests, which expect texts, look at them.
#[test]
fn no_code_compares_messages() {
    let signs = ["message ==", "message !=", "message.contains(", "message.starts_with(", "message.ends_with(", "message.find("];
    for path in sources().into_iter().filter(|path| path.to_string_lossy().contains("/src/")) {
        if path.to_string_lossy().contains("/airloom/src/filetest/") {
            continue;
        }
        let text = code_of(&read(&path));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for sign in signs {
            assert!(!code.contains(sign), "{}: `{sign}`: an error is known by its type", path.display());
        }
    }
}

#[test]
fn what_should_be_absent_is_absent() {
    let core = ["airloom-ir", "airloom-opt"];
    let absences: [(&str, &[&str], &[&str]); 6] = [
        ("threads, files, sockets or the environment", &core, &["std::thread", "std::fs", "std::net", "std::env", "std::process"]),
        ("the clock", &core, &["std::time", "Instant::now", "SystemTime"]),
        ("Arrow or a backend", &core, &["use arrow", "datafusion", "inkwell", "cudarc"]),
        ("Python", &["airloom-ir", "airloom-opt", "airloom-compute", "airloom-io", "airloom-exec", "airloom"], &["pyo3"]),
        ("a node given out to be changed", &["airloom-ir"], &["-> &mut Node", "fn get_mut", "fn node_mut"]),
        ("unsafe code", &["airloom-ir", "airloom-opt", "airloom"], &["unsafe {", "unsafe fn", "unsafe impl"]),
    ];
    for path in sources() {
        let text = read(&path);
        for (what, crates, signs) in &absences {
            for sign in *signs {
                assert!(!is_in(&path, crates) || !text.contains(sign), "{}: `{sign}`: there should be no {what} here", path.display());
            }
        }
    }
    for name in ["airloom-ir", "airloom-opt", "airloom"] {
        let lib = read(&root().join(format!("crates/{name}/src/lib.rs")));
        assert!(lib.contains("#![forbid(unsafe_code)]"), "`{name}` forbids unsafe code");
    }
}

#[test]
fn sources_are_small_and_say_what_they_are_for() {
    for path in sources().into_iter().chain(files(&root().join("benches"), "rs")) {
        let text = read(&path);
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines; past {MAX_LINES} there are two nouns in it", path.display());
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! ") && first.len() > 8, "{}: begins with `//!` and what it is for, not `{first}`", path.display());
    }
}

/// Words that were ours alone, where the field has one: the glossary of `ARCHITECTURE.md` says which.
#[test]
fn the_words_are_the_fields() {
    let old = [
        ("LaneProgram", "Interpreter"),
        ("Lane", "Vector"),
        ("Learned", "DynamicFilter"),
        ("Lessons", "DynamicFilters"),
        ("Partners", "DynamicFilterProbe"),
        ("RowTest", "ScanPredicate"),
        ("ScanRequest", "ScanSpec"),
        ("PiecesExec", "SplitsExec"),
        ("CodeTable", "HashTable"),
        ("Coder", "KeyEncoder"),
        ("OneFor", "Emit"),
        ("PLACE_BITS", "Position::ROW_BITS"),
        ("merge_by_place", "merge_by_position"),
        ("ChargingPool", "TrackedMemoryPool"),
        ("at_once", "parallel_map"),
        ("ValueSteps", "AggregateInputs"),
        ("Standing", "Lineage"),
        ("order_is_free", "order_unobserved"),
    ];
    for path in sources().into_iter().filter(|path| !path.ends_with("tests/tidy.rs")) {
        let text = read(&path);
        for (word, new) in old {
            let mut parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            assert!(!parts.any(|part| part == word), "{}: the word for `{word}` is `{new}`", path.display());
        }
        // The op tables are the manual, whose sentences say what a program is given.
        let phrase = ["so ", "many"].concat();
        assert!(path.to_string_lossy().contains("airloom-ir/src/ops/") || !text.contains(&phrase), "{}: `{phrase}` is `n`", path.display());
    }
}

/// Signs of unfinished work, put together here so that this file does not hold them.
#[test]
fn nothing_is_left_unfinished() {
    let signs = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["#[ign", "ore"].concat(),
        ["should_", "panic"].concat(),
        ["to", "do!("].concat(),
        ["unimple", "mented!("].concat(),
    ];
    for path in sources() {
        let text = read(&path);
        for sign in &signs {
            assert!(!text.contains(sign.as_str()), "{}: `{sign}`", path.display());
        }
    }
}

/// Whoever makes something in the folder of temporary files takes it away again, by a guard that does so however the test ends.
#[test]
fn temporary_files_are_made_where_they_are_removed() {
    let makers = [
        // A report of a bug stays, for whoever writes the bug report.
        "airloom-py/src/session.rs",
        "airloom/src/session/options.rs",
        // Guards.
        "airloom/tests/folder/mod.rs",
        "airloom/tests/databases.rs",
        "airloom/tests/session.rs",
        "airloom-io/tests/sources/support.rs",
        // What it adds to is there before.
        "airloom-io/tests/sources/sql_postgres.rs",
    ];
    let sign = ["temp_dir()", ".join("].concat();
    for path in sources() {
        let text = read(&path);
        let made = text.lines().any(|line| line.contains(&sign) && !line.trim_start().starts_with("///"));
        let allowed = makers.iter().any(|maker| path.ends_with(maker));
        assert!(
            !made || allowed,
            "{}: makes something in the temporary folder; use the guard in `crates/airloom/tests/folder/`",
            path.display()
        );
    }
}

#[test]
fn every_op_has_its_filetest() {
    let mut missing = Vec::new();
    for def in ops::all() {
        // A hole is a parameter of an unfinished body: no finished program has one, so no text can.
        if def.name == "hole" {
            continue;
        }
        let path = root().join(format!("tests/filetests/ops/{}/{}.air", def.family, def.name));
        let uses = |text: &str| text.contains("; run:") && text.contains("test run");
        if !path.exists() || !uses(&read(&path)) {
            missing.push(def.name);
        }
    }
    assert!(missing.is_empty(), "these ops have no filetest that runs them: {missing:?}");
}

#[test]
fn every_rule_has_its_filetest() {
    let mut missing = Vec::new();
    for rule in Registry::standard().rules() {
        let path = root().join(format!("tests/filetests/opt/{}/{}.air", rule.stage.name(), rule.name));
        let names_it = |text: &str| text.contains(&format!("test opt rule={}", rule.name)) && text.contains("test run");
        if !path.exists() || !names_it(&read(&path)) {
            missing.push(rule.name.to_string());
        }
    }
    assert!(missing.is_empty(), "these rules have no filetest that shows them fire and runs them: {missing:?}");
}

#[test]
fn no_filetest_is_left_of_a_rule_that_is_gone() {
    let registry = Registry::standard();
    for path in files(&root().join("tests/filetests/opt"), "air") {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().to_string();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let known = registry.rule(&name).is_some_and(|r| r.stage.name() == folder);
        assert!(folder == "same" || known, "{}: there is no rule `{name}` in stage `{folder}`", path.display());
    }
}

#[test]
fn the_manual_is_fresh_and_has_everything() {
    let reference = root().join("docs/reference");
    for (file, fresh) in [("ops.md", manual::ops_page()), ("rules.md", manual::rules_page())] {
        assert_eq!(read(&reference.join(file)), fresh, "docs/reference/{file} is stale: run `make manual`");
    }
    let (ops_page, rules_page) = (manual::ops_page(), manual::rules_page());
    for def in ops::all() {
        assert!(ops_page.contains(&format!("### `{}`", def.name)), "`{}` has an entry", def.name);
    }
    for rule in Registry::standard().rules() {
        assert!(rules_page.contains(&format!("### `{}`", rule.name)), "`{}` has an entry", rule.name);
    }
}

/// Every file of the text form in the repository is run.
#[test]
fn every_filetest_holds() {
    let options = airloom::options::Options { bless: false };
    let reports = airloom::filetest::run_all(&root().join("tests/filetests"), &options).expect("readable filetests");
    let failures: Vec<String> = reports.iter().flat_map(|r| r.failures.iter().map(|f| format!("{}: {f}", r.path.display()))).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(reports.iter().map(|r| r.checked).sum::<usize>() > 5000, "the filetests check thousands of things");
}
