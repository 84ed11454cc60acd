//! `loom ops`, `loom rules` and `loom manual`.

use crate::{native, say};
use airloom::manual;
use airloom_ir::ops::{self, Op};
use airloom_opt::registry::Registry;
use std::path::Path;

pub(crate) fn ops(words: &[String]) -> Result<bool, String> {
    match words {
        [] => {
            let mut family = "";
            for def in ops::all() {
                if def.family != family {
                    family = def.family;
                    say(&format!("\n{family}\n"));
                }
                say(&format!("  {:<22} {}\n", def.name, first_sentence(def.doc)));
            }
        }
        [name] => {
            let op = Op::from_name(name).ok_or_else(|| format!("there is no op `{name}`\n\nhint: `loom ops` lists them"))?;
            say(&manual::op_entry(op.def()));
        }
        _ => return Err("`loom ops` takes at most one name".into()),
    }
    Ok(true)
}

pub(crate) fn rules(words: &[String]) -> Result<bool, String> {
    let registry = Registry::standard();
    match words {
        [] => {
            let mut stage = "";
            for rule in registry.rules() {
                if rule.stage.name() != stage {
                    stage = rule.stage.name();
                    say(&format!("\n{stage}: every firing lowers {}\n", rule.stage.measure()));
                }
                say(&format!("  {:<34} {}\n", rule.name, first_sentence(&rule.doc)));
            }
        }
        [name] => {
            let rule = registry.rule(name).ok_or_else(|| format!("there is no rule `{name}`\n\nhint: `loom rules` lists them"))?;
            say(&manual::rule_entry(rule));
        }
        _ => return Err("`loom rules` takes at most one name".into()),
    }
    Ok(true)
}

pub(crate) fn manual(words: &[String]) -> Result<bool, String> {
    let [directory] = words else { return Err("`loom manual` takes one directory".into()) };
    let mut pages = vec![("ops.md", manual::ops_page()), ("rules.md", manual::rules_page())];
    pages.extend(native::page().map(|page| ("native.md", page)));
    for (file, text) in pages {
        let path = Path::new(directory).join(file);
        std::fs::write(&path, text).map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
        say(&format!("wrote {}\n", path.display()));
    }
    Ok(true)
}

fn first_sentence(doc: &str) -> String {
    let text: String = doc.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_string(),
        None => text,
    }
}
