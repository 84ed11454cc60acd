//! `CONTRIBUTING.md` is true: the files, commands and methods it names are there, and the rules it shows can be read.

use airloom_opt::registry::Registry;
use airloom_opt::rule::{Apply, Rule};
use airloom_opt::stage::Stage;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
}

/// The page in pieces: what is in single backticks outside of fenced blocks, and the fenced blocks with their language.
struct Page {
    code: Vec<String>,
    blocks: Vec<(String, String)>,
}

fn page() -> Page {
    let mut page = Page { code: Vec::new(), blocks: Vec::new() };
    let mut block: Option<(String, String)> = None;
    for line in read("CONTRIBUTING.md").lines() {
        match (line.trim().strip_prefix("```"), &mut block) {
            (Some(language), None) => block = Some((language.to_string(), String::new())),
            (Some(_), Some(_)) => page.blocks.extend(block.take()),
            (None, Some((_, text))) => text.push_str(&format!("{line}\n")),
            (None, None) => page.code.extend(line.split('`').skip(1).step_by(2).map(str::to_string)),
        }
    }
    assert!(block.is_none(), "a fenced block does not end");
    page
}

/// Whether a name matches a pattern: `<word>` in it is anything.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern == name };
    let Some((_, after)) = rest.split_once('>') else { return pattern == name };
    let Some(name) = name.strip_prefix(before) else { return false };
    (1..=name.len()).any(|end| name.is_char_boundary(end) && fits(after, &name[end..]))
}

/// The files and folders that match a pattern, step by step from the root.
fn found(pattern: &str) -> Vec<PathBuf> {
    let mut places = vec![root()];
    for step in pattern.split('/').filter(|step| !step.is_empty()) {
        let mut next = Vec::new();
        for place in places {
            let Ok(entries) = std::fs::read_dir(&place) else { continue };
            for entry in entries {
                let path = entry.expect("a readable entry").path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
                if fits(step, &name) {
                    next.push(path);
                }
            }
        }
        places = next;
    }
    places
}

#[test]
fn every_path_is_there() {
    let page = page();
    let paths: Vec<&String> = page.code.iter().filter(|code| code.contains('/') && !code.contains([' ', '(', '{'])).collect();
    assert!(paths.len() > 8, "the page names files: {paths:?}");
    for path in paths {
        assert!(!found(path).is_empty(), "CONTRIBUTING.md names `{path}`, which is not there");
    }
}

#[test]
fn every_command_is_there() {
    let makefile = read("Makefile");
    let commands = read("crates/airloom/src/bin/loom/main.rs");
    for code in page().code {
        let words: Vec<&str> = code.split_whitespace().filter(|word| !word.contains('=')).collect();
        match words[..] {
            ["make", target, ..] => {
                assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}:"))), "`make {target}` is not there");
            }
            [program, command, ..] if program == "loom" || program.ends_with("/loom") => {
                assert!(commands.contains(&format!("\"{command}\"")), "`loom {command}` is not there");
            }
            _ => (),
        }
    }
}

/// `cx.effect` is a method of the context of rules, or of the graph it gives.
#[test]
fn every_method_of_the_context_is_there() {
    let sources = read("crates/airloom-opt/src/context.rs") + &read("crates/airloom-ir/src/graph/mod.rs");
    for code in page().code {
        if let Some(method) = code.strip_prefix("cx.") {
            assert!(sources.contains(&format!("pub fn {method}(")), "`{code}` is not there");
        }
    }
}

/// The rules that a block declares, as their stage, name, left and right side.
fn rules_in(block: &str) -> Vec<(String, Vec<String>)> {
    let stage = block.split("rules! {").nth(1).and_then(|rest| rest.split('{').next()).unwrap_or_default().trim().to_lowercase();
    let lines = block.lines().map(str::trim).filter(|line| line.starts_with('"') && line.contains("=>"));
    lines.map(|line| (stage.clone(), line.split('"').skip(1).step_by(2).map(str::to_string).collect())).collect()
}

#[test]
fn every_rule_that_is_shown_can_be_read() {
    let registry = Registry::standard();
    let blocks = page().blocks;
    let shown: Vec<_> = blocks.iter().filter(|(language, _)| language == "rust").flat_map(|(_, text)| rules_in(text)).collect();
    assert!(!shown.is_empty(), "the page shows a rule");
    for (stage, parts) in shown {
        let [name, left, right] = &parts[..] else { panic!("a rule has a name and two sides: {parts:?}") };
        let stage = Stage::from_name(&stage).unwrap_or_else(|| panic!("`{name}`: there is no stage `{stage}`"));
        let rule = Rule::text(stage, name, "", left, right, None);
        assert!(rule.is_ok(), "`{name}` cannot be read: {:?}", rule.err());
        let Some(known) = registry.rule(name) else { continue };
        let Apply::Text(text) = &known.apply else { panic!("`{name}` is no text") };
        assert_eq!((&text.source.0, &text.source.1, known.stage), (left, right, stage), "`{name}` has changed");
    }
}

#[test]
fn patterns_stand_for_what_is_there() {
    assert!(fits("test_<family>.py", "test_group.py") && !fits("test_<family>.py", "test_.py") && !fits("<a>.rs", "a.py"));
    assert!(!found("crates/airloom-ir/src/ops/<family>.rs").is_empty());
    assert!(found("crates/airloom-ir/src/nowhere/<family>.rs").is_empty());
}
