//! When bodies are compiled.

/// When bodies are compiled to native code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    /// Never.
    Off,
    /// In the background, once enough rows have been computed for it to pay; until then bodies are interpreted.
    Auto,
    /// At first use, which waits for it: for tests.
    Always,
    /// As always, and every result is compared with the interpreter's: for tests.
    Verify,
}

impl Native {
    /// All of them, with their words.
    pub const ALL: [(Native, &'static str); 4] =
        [(Native::Off, "off"), (Native::Auto, "auto"), (Native::Always, "always"), (Native::Verify, "verify")];

    /// The one with this word.
    pub fn from_word(word: &str) -> Option<Native> {
        Native::ALL.iter().find(|(_, text)| *text == word).map(|(native, _)| *native)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Native::ALL.iter().find(|(native, _)| *native == self).map(|(_, word)| *word).expect("`ALL` holds every one")
    }
}
