//! Text to tokens.

use super::SyntaxError;
use crate::name::Name;

/// Where a token begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Word(String),
    /// `@name`.
    At(String),
    /// `?name`, in patterns; `?` alone has no name.
    Question(String),
    Int(i128),
    /// A float, with its text: decimals are read from it.
    Float(f64, String),
    Text(String),
    Bytes(Vec<u8>),
    Arrow,
    /// Any other sign.
    Sign(char),
    End,
}

impl Token {
    /// What to call it in a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(w) => format!("`{w}`"),
            Token::At(w) => format!("`@{w}`"),
            Token::Question(w) => format!("`?{w}`"),
            Token::Int(i) => format!("`{i}`"),
            Token::Float(_, text) => format!("`{text}`"),
            Token::Text(t) => super::quote::string(&t.chars().take(40).collect::<String>()),
            Token::Bytes(_) => "bytes".into(),
            Token::Arrow => "`->`".into(),
            Token::Sign(c) => format!("`{c}`"),
            Token::End => "the end of the text".into(),
        }
    }
}

/// The tokens of a text and a position among them.
pub(super) struct Cursor {
    tokens: Vec<(Token, Place, usize)>,
    at: usize,
    file: Option<Name>,
}

impl Cursor {
    pub(super) fn new(text: &str, file: Option<Name>) -> Result<Cursor, SyntaxError> {
        let tokens = lex(text).map_err(|(place, message)| error(file.clone(), place, message))?;
        Ok(Cursor { tokens, at: 0, file })
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    /// Whether the token after the second is this sign.
    pub(super) fn third_is(&self, sign: char) -> bool {
        self.tokens.get(self.at + 2).is_some_and(|(token, ..)| *token == Token::Sign(sign))
    }

    pub(super) fn place(&self) -> Place {
        self.tokens[self.at].1
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn skip(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn is(&self, sign: char) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    /// Takes the sign if it is next.
    pub(super) fn take(&mut self, sign: char) -> bool {
        let found = self.is(sign);
        if found {
            self.skip();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), SyntaxError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    /// A name: a plain word or one in quotes.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, SyntaxError> {
        match self.peek() {
            Token::Word(w) | Token::Text(w) => {
                let name = Name::new(w);
                self.skip();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A plain word.
    pub(super) fn word(&mut self, what: &str) -> Result<String, SyntaxError> {
        match self.peek() {
            Token::Word(w) => {
                let word = w.clone();
                self.skip();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn end(&mut self) -> Result<(), SyntaxError> {
        if *self.peek() == Token::End { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    pub(super) fn expected(&self, what: &str) -> SyntaxError {
        self.error_at(self.place(), format!("expected {what}, found {}", self.peek().describe()))
    }

    pub(super) fn error_at(&self, place: Place, message: String) -> SyntaxError {
        error(self.file.clone(), place, message)
    }

    /// The text from the next token on.
    pub(super) fn remaining_text(&self, text: &str) -> String {
        text[self.tokens[self.at].2..].to_string()
    }
}

fn error(file: Option<Name>, place: Place, message: String) -> SyntaxError {
    SyntaxError { file, line: place.line, column: place.column, message }
}

type Lexed = Result<Vec<(Token, Place, usize)>, (Place, String)>;

fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, line: 1, column: 1, angles: 0 };
    let mut tokens: Vec<(Token, Place, usize)> = Vec::new();
    loop {
        lexer.skip_blank();
        let (place, start) = (lexer.place(), lexer.at);
        let after_dot = matches!(tokens.last(), Some((Token::Sign('.'), ..)));
        match lexer.token(after_dot).map_err(|message| (place, message))? {
            Some(token) => tokens.push((token, place, start)),
            None => {
                tokens.push((Token::End, place, start));
                return Ok(tokens);
            }
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
    /// How many `<` are open on this line: inside them `;` is a sign of its own (`arr<f64; n>`), elsewhere it begins a comment.
    angles: u32,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.column += 1;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
            self.angles = 0;
        }
        Some(c)
    }

    fn place(&self) -> Place {
        Place { line: self.line, column: self.column }
    }

    fn skip_blank(&mut self) {
        while let Some(c) = self.peek() {
            if c == ';' && self.angles == 0 {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            } else if c.is_whitespace() {
                self.bump();
            } else {
                break;
            }
        }
    }

    fn while_(&mut self, keep: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        while self.peek().is_some_and(&keep) {
            self.bump();
        }
        &self.text[start..self.at]
    }

    fn word(&mut self) -> String {
        self.while_(|c| c.is_ascii_alphanumeric() || c == '_').to_string()
    }

    fn token(&mut self, after_dot: bool) -> Result<Option<Token>, String> {
        let Some(c) = self.peek() else { return Ok(None) };
        let rest = &self.text[self.at..];
        let digit_follows = rest[c.len_utf8()..].starts_with(|d: char| d.is_ascii_digit());
        if c.is_ascii_digit() || (c == '-' && digit_follows) {
            return self.number(after_dot).map(Some);
        }
        if rest.starts_with("b\"") {
            self.bump();
            return self.quoted(true).map(|t| Some(Token::Bytes(t.1)));
        }
        if c.is_ascii_alphabetic() || c == '_' {
            return Ok(Some(Token::Word(self.word())));
        }
        if rest.starts_with("->") {
            self.bump();
            self.bump();
            return Ok(Some(Token::Arrow));
        }
        if rest.starts_with("-inf") {
            for _ in 0..4 {
                self.bump();
            }
            return Ok(Some(Token::Float(f64::NEG_INFINITY, "-inf".into())));
        }
        match c {
            '"' => self.quoted(false).map(|t| Some(Token::Text(t.0))),
            '@' => {
                self.bump();
                let word = if self.peek() == Some('"') { self.quoted(false)?.0 } else { self.word() };
                if word.is_empty() { Err("expected a name after `@`".into()) } else { Ok(Some(Token::At(word))) }
            }
            '?' => {
                self.bump();
                Ok(Some(Token::Question(self.word())))
            }
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | ',' | ':' | '.' | '=' | ';' | '*' | '!' => {
                self.bump();
                match c {
                    '<' => self.angles += 1,
                    '>' => self.angles = self.angles.saturating_sub(1),
                    _ => (),
                }
                Ok(Some(Token::Sign(c)))
            }
            c => Err(format!("`{}` has no meaning here", c.escape_debug())),
        }
    }

    fn number(&mut self, after_dot: bool) -> Result<Token, String> {
        let start = self.at;
        if self.peek() == Some('-') {
            self.bump();
        }
        self.while_(|c| c.is_ascii_digit());
        let mut float = false;
        let fraction = |text: &str| text.starts_with('.') && text[1..].starts_with(|c: char| c.is_ascii_digit());
        if !after_dot && fraction(&self.text[self.at..]) {
            float = true;
            self.bump();
            self.while_(|c| c.is_ascii_digit());
        }
        if !after_dot && matches!(self.peek(), Some('e' | 'E')) {
            let rest = &self.text[self.at + 1..];
            let signed = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            if signed.starts_with(|c: char| c.is_ascii_digit()) {
                float = true;
                self.bump();
                self.bump();
                self.while_(|c| c.is_ascii_digit());
            }
        }
        if self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(format!("`{}` is neither a number nor a name", &self.text[start..self.at + 1]));
        }
        let text = &self.text[start..self.at];
        if float {
            return text.parse().map(|x| Token::Float(x, text.to_string())).map_err(|_| format!("`{text}` is not a number"));
        }
        text.parse().map(Token::Int).map_err(|_| format!("`{text}` does not fit any type of integer"))
    }

    /// Text in quotes, or bytes.
    fn quoted(&mut self, bytes: bool) -> Result<(String, Vec<u8>), String> {
        self.bump();
        let (mut text, mut raw) = (String::new(), Vec::new());
        loop {
            let c = match self.bump() {
                None | Some('\n') => return Err("the closing quote is missing on this line".into()),
                Some('"') => return Ok((text, raw)),
                Some('\\') => match self.bump() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('x') if bytes => {
                        let digits = self.text.get(self.at..self.at + 2).unwrap_or_default();
                        let byte = u8::from_str_radix(digits, 16).map_err(|_| format!("`\\x{digits}` is not a byte"))?;
                        self.bump();
                        self.bump();
                        raw.push(byte);
                        continue;
                    }
                    Some('u') if !bytes => self.unicode()?,
                    Some(c @ ('"' | '\\')) => c,
                    other => return Err(format!("`\\{}` is no escape", other.map_or(String::new(), |c| c.escape_debug().to_string()))),
                },
                Some(c) => c,
            };
            if bytes && !c.is_ascii() {
                return Err(format!("`{c}` is not a byte: write its bytes as `\\x..`"));
            }
            if bytes {
                raw.push(c as u8);
            } else {
                text.push(c);
            }
        }
    }

    fn unicode(&mut self) -> Result<char, String> {
        if self.bump() != Some('{') {
            return Err("expected `{` after `\\u`".into());
        }
        let digits = self.while_(|c| c.is_ascii_hexdigit()).to_string();
        if self.bump() != Some('}') {
            return Err("expected `}` at the end of `\\u{…}`".into());
        }
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or_else(|| format!("`\\u{{{digits}}}` is no character"))
    }
}
