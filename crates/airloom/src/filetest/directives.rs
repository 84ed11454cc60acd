//! The first lines of a filetest: which tests to make of it.

use airloom_opt::stage::Stage;

/// What a file asks for.
#[derive(Default)]
pub(super) struct Directives {
    pub(super) run: bool,
    pub(super) roundtrip: bool,
    pub(super) verify: bool,
    pub(super) same: bool,
    pub(super) plan: bool,
    pub(super) optimize: Option<Which>,
    /// The text without the directives, its lines where they were.
    pub(super) program: String,
}

/// Which rules an `opt` test runs.
#[derive(Clone)]
pub(super) enum Which {
    /// Everything.
    All,
    /// One stage and the simplifications.
    Stage(Stage),
    /// One rule and the simplifications.
    Rule(String),
}

impl Directives {
    pub(super) fn parse(text: &str) -> Result<Directives, String> {
        let mut found = Directives::default();
        let mut any = false;
        for (at, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.split_first() {
                Some((&"test", rest)) => {
                    found.directive(rest).map_err(|m| format!("line {}: {m}", at + 1))?;
                    any = true;
                }
                _ => found.program.push_str(line),
            }
            found.program.push('\n');
        }
        if any {
            Ok(found)
        } else {
            Err("the file has no `test` line: expected `test run`, `test roundtrip`, `test verify`, `test opt`, `test plan` or `test same`"
                .into())
        }
    }

    fn directive(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            ["run"] => self.run = true,
            ["roundtrip"] => self.roundtrip = true,
            ["verify"] => self.verify = true,
            ["same"] => self.same = true,
            ["plan"] => self.plan = true,
            ["opt"] => self.optimize = Some(Which::All),
            ["opt", which] => {
                self.optimize = Some(match which.split_once('=') {
                    Some(("stage", name)) => {
                        let stage = Stage::from_name(name);
                        let known = || Stage::ALL.map(Stage::name).join(", ");
                        Which::Stage(stage.ok_or_else(|| format!("there is no stage `{name}`; there are: {}", known()))?)
                    }
                    Some(("rule", name)) => Which::Rule(name.to_string()),
                    _ => return Err(format!("expected `stage=NAME` or `rule=NAME`, found `{which}`")),
                });
            }
            other => return Err(format!("there is no test `{}`", other.join(" "))),
        }
        Ok(())
    }
}
