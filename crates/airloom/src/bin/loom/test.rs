//! `loom test`.

use crate::say;
use airloom::filetest;
use airloom::options::Options;
use std::path::Path;

pub(crate) fn main(paths: &[String]) -> Result<bool, String> {
    if paths.is_empty() {
        return Err("`loom test` needs a file or a directory, such as `tests/filetests`".into());
    }
    let options = Options::from_environment()?;
    let (mut files, mut checked, mut failed) = (0, 0, 0);
    for path in paths {
        for report in filetest::run_all(Path::new(path), &options)? {
            files += 1;
            checked += report.checked;
            if !report.failures.is_empty() {
                failed += 1;
                for failure in &report.failures {
                    say(&format!("{}: {failure}\n", report.path.display()));
                }
            }
        }
    }
    say(&format!("{files} files, {checked} expectations, {failed} files failed\n"));
    Ok(failed == 0)
}
