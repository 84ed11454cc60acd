//! Options, in one place: the only file that reads the environment.

/// What may be set from outside.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether filetests write what they find instead of comparing: `AIRLOOM_BLESS=1`.
    pub bless: bool,
}

impl Options {
    /// From the environment; a value that means nothing is an error.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn from_environment() -> Result<Options, String> {
        let bless = match std::env::var("AIRLOOM_BLESS").as_deref() {
            Err(_) | Ok("" | "0") => false,
            Ok("1") => true,
            Ok(other) => return Err(format!("`AIRLOOM_BLESS` must be `0` or `1`, found `{other}`")),
        };
        Ok(Options { bless })
    }
}
