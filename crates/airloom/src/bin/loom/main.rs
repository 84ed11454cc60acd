//! `loom`: the developer's command.

mod arguments;
mod bisect;
mod explain;
mod list;
mod native;
mod plan;
mod reduce;
mod run;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
loom: the developer's command of airloom

usage: loom COMMAND [ARGUMENTS]

commands:
  test PATH…                     run filetests: every `.air` file at or below each path
  run FILE @FUNCTION ARGS…       run a function on the oracle; arguments are literals
  explain FILE [@FUNCTION]       show the program after each stage, the rules that fired, and the physical plan
  plan FILE [@FUNCTION]          print the physical plan in its text form
  ir FILE [@FUNCTION]            print LLVM's IR for the bodies that have a kernel, and why others have none
  asm FILE [@FUNCTION]           the same as assembly of this machine
  bisect FILE @FUNCTION ARGS…    find the rule that changes a function's answer
  reduce FILE                    shrink a program on which optimising breaks, or changes an answer
  rules [NAME]                   list the rules, or show the manual of one
  ops [NAME]                     list the ops, or show the manual of one
  manual DIRECTORY               write the reference manual: ops.md, rules.md and native.md
  help                           show this

options of `run`, `explain`, `plan`, `ir`, `asm` and `bisect`:
  --stage NAME                   stop after this stage
  --fuel N                       stop after N firings
  --without RULE                 leave a rule out (may be repeated)
  --no-optimizer                 run the program as written (`run`)
  --source NAME=FILE.csv         data of a source, by the types the program gives it (`run`, `bisect`; may be repeated)
  --statistics FILE              what is known of the sources, a line such as `\"t\" = {rows: 1000}` for each (see docs/language.md)

environment:
  AIRLOOM_BLESS=1                `loom test` writes what it finds into `test opt` files
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let result = match command.as_deref() {
        Some("test") => test::main(&rest),
        Some("run") => run::main(&rest),
        Some("explain") => explain::main(&rest),
        Some("plan") => plan::main(&rest),
        Some("ir") => native::ir(&rest),
        Some("asm") => native::asm(&rest),
        Some("bisect") => bisect::main(&rest),
        Some("reduce") => reduce::main(&rest),
        Some("rules") => list::rules(&rest),
        Some("ops") => list::ops(&rest),
        Some("manual") => list::manual(&rest),
        None | Some("help" | "--help" | "-h") => {
            say(HELP);
            Ok(true)
        }
        Some("--version") => {
            say(&format!("loom {}\n", env!("CARGO_PKG_VERSION")));
            Ok(true)
        }
        Some(other) => Err(format!("there is no command `{other}`\n\nhint: `loom help` lists them")),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Writes to the standard output. A reader that has gone away (`loom ops | head`) ends the command quietly.
fn say(text: &str) {
    use std::io::Write;
    if std::io::stdout().write_all(text.as_bytes()).is_err() {
        std::process::exit(0);
    }
}

/// Writes an error to the standard error.
fn complain(message: &str) {
    use std::io::Write;
    // There is no other way to report an error, should this fail.
    let _ = writeln!(std::io::stderr(), "loom: {message}");
}
