//! Filetests: programs in text with what is expected of them. The format is in `docs/language.md`.

mod configuration;
mod deopt;
mod directives;
mod expectations;
mod files;
mod optimized;
mod plans;
mod runs;
mod share;
mod statistics;

pub use configuration::{Configuration, Kernels, Rules};
pub use files::in_a_file;
pub use plans::{optimized_plan, through_forms};
pub use share::{Share, SharingOracle};

use crate::options::Options;
use directives::Directives;
use std::path::{Path, PathBuf};

/// How one file fared.
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// How many expectations were checked.
    pub checked: usize,
    /// What did not hold.
    pub failures: Vec<String>,
}

/// Runs every `.air` file at or below a path, in the order of their names.
pub fn run_all(path: &Path, options: &Options) -> Result<Vec<Report>, String> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    if files.is_empty() {
        return Err(format!("there is no `.air` file at `{}`", path.display()));
    }
    files.sort();
    files.into_iter().map(|file| run_file(&file, options)).collect()
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("cannot read `{}`: {e}", path.display());
    if path.is_dir() {
        for entry in std::fs::read_dir(path).map_err(fail)? {
            collect(&entry.map_err(fail)?.path(), out)?;
        }
    } else if path.extension().is_some_and(|e| e == "air") {
        out.push(path.to_path_buf());
    } else if !path.exists() {
        return Err(format!("there is no file `{}`", path.display()));
    }
    Ok(())
}

/// Runs one file.
pub fn run_file(path: &Path, options: &Options) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    let outcome = run_text(&text, options.bless);
    if let Some(blessed) = outcome.blessed
        && blessed != text
    {
        std::fs::write(path, blessed).map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
    }
    Ok(Report { path: path.to_path_buf(), checked: outcome.checked, failures: outcome.failures })
}

/// What running a file's text gave.
#[derive(Default)]
pub struct Outcome {
    /// How many expectations were checked.
    pub checked: usize,
    /// What did not hold.
    pub failures: Vec<String>,
    /// The text with its expectations written anew, where that was asked for.
    pub blessed: Option<String>,
}

/// Runs a file's text.
pub fn run_text(text: &str, bless: bool) -> Outcome {
    let mut outcome = Outcome::default();
    let directives = match Directives::parse(text) {
        Ok(directives) => directives,
        Err(message) => {
            outcome.failures.push(message);
            return outcome;
        }
    };
    if directives.verify {
        expectations::errors(&directives, text, &mut outcome);
        return outcome;
    }
    let module = match airloom_ir::text::parse(&directives.program) {
        Ok(module) => module,
        Err(errors) => {
            outcome.failures.extend(errors.iter().map(ToString::to_string));
            return outcome;
        }
    };
    // The parser trusts the graph that it builds.
    outcome.failures.extend(airloom_ir::verify::verify(&module).into_iter().map(|finding| finding.message));
    let statistics = statistics::read(&module, text, &mut outcome);
    if directives.roundtrip {
        expectations::roundtrip(&module, &mut outcome);
    }
    if directives.run {
        runs::check(&module, text, &statistics, &Configuration::oracle(), &mut outcome);
    }
    if let Some(which) = &directives.optimize {
        optimized::check(&module, which, &statistics, text, bless, &mut outcome);
    }
    if directives.plan {
        plans::check(&module, &statistics, text, bless, &mut outcome);
    }
    if directives.same {
        optimized::check_same(&module, directives.optimize.as_ref(), &statistics, &mut outcome);
    }
    if outcome.checked == 0 && outcome.failures.is_empty() {
        outcome.failures.push("the file checks nothing".into());
    }
    outcome
}

/// Runs the `; run:` lines of every `.air` file at or below a path under a configuration.
pub fn run_under(path: &Path, configuration: &Configuration) -> Result<Vec<Report>, String> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    files.sort();
    let mut reports = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("cannot read `{}`: {e}", file.display()))?;
        let directives = Directives::parse(&text)?;
        if !directives.run {
            continue;
        }
        let module = airloom_ir::text::parse(&directives.program).map_err(|e| format!("`{}`: {}", file.display(), e[0]))?;
        let mut outcome = Outcome::default();
        let statistics = statistics::read(&module, &text, &mut outcome);
        runs::check(&module, &text, &statistics, configuration, &mut outcome);
        reports.push(Report { path: file, checked: outcome.checked, failures: outcome.failures });
    }
    Ok(reports)
}
