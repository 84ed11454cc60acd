//! Text to a program.
//!
//! A machine with its own stack, not a recursive descent: a program written by a loop may nest a hundred thousand calls. A node that is refused is reported
//! on its line and becomes *unknown*; what is made of unknown things is unknown in turn, without another report, so that every error is reported once.

use super::build::{Build, Maybe};
use super::lexer::{Cursor, Place, Token};
use super::{SyntaxError, attributes, literal, types};
use crate::graph::NodeId;
use crate::module::Module;
use crate::name::Name;
use crate::ops::Op;
use crate::ops::core::BuildCore;
use crate::types::TyId;
use crate::value::Value;
use std::collections::BTreeMap;

/// The program of a text, or everything that is wrong with it.
pub fn parse(text: &str) -> Result<Module, Vec<SyntaxError>> {
    parse_file(text, None)
}

/// As [`parse`], with the file's name in errors and locations.
pub fn parse_file(text: &str, file: Option<Name>) -> Result<Module, Vec<SyntaxError>> {
    let cursor = Cursor::new(text, file.clone()).map_err(|e| vec![e])?;
    let mut parser = Parser { cursor, build: Build::new(file), stack: Vec::new(), scopes: Vec::new(), shared: BTreeMap::new() };
    while *parser.cursor.peek() != Token::End {
        if let Err(error) = parser.function() {
            parser.build.errors.push(error);
            parser.recover();
        }
    }
    let Build { module, mut errors, .. } = parser.build;
    if errors.is_empty() {
        errors = crate::verify::verify_functions(&module).into_iter().map(|finding| finding.into_syntax_error(&module)).collect();
    }
    if errors.is_empty() { Ok(module) } else { Err(errors) }
}

/// Names that begin the names of ops, and so cannot be bound.
pub(super) const RESERVED: [&str; 18] = [
    "rel", "arr", "str", "dt", "list", "par", "seq", "host", "func", "body", "return", "true", "false", "null", "nan", "inf", "source",
    "rows",
];

struct Parser {
    cursor: Cursor,
    build: Build,
    stack: Vec<Frame>,
    /// What names mean in each open body; only the last counts, since bodies are closed.
    scopes: Vec<BTreeMap<String, Maybe>>,
    /// Functions and shared bodies, by name.
    shared: BTreeMap<String, Maybe>,
}

/// What an expression will be part of once it is complete.
enum Frame {
    Statement { name: String, place: Place },
    Return,
    Row { names: Vec<Name>, values: Vec<Maybe>, place: Place },
    Tuple { parts: Vec<Maybe>, place: Place },
    Call(Call, Stage),
}

struct Call {
    op: Op,
    attrs: crate::attrs::Attrs,
    args: Vec<Maybe>,
    captures: Vec<Maybe>,
    bodies: Vec<Maybe>,
    /// The names and types of the parameters of the body being read.
    params: Option<Vec<TyId>>,
    names: Vec<Name>,
    /// Whether the last argument is written `*t`: the tuple of the variadic arguments itself.
    spread: bool,
    place: Place,
}

/// Which part of a call is being read.
enum Stage {
    Args,
    Captures,
    /// A body that is one expression.
    Body,
    /// A body with statements: its `return` comes back here.
    Block,
}

/// What the machine does next.
enum Next {
    Expression,
    Statement,
    Have(Maybe),
    Done(Maybe),
}

type Step = Result<Next, SyntaxError>;

impl Parser {
    /// `func @name(…) -> type { … }`, or `body` instead of `func`.
    fn function(&mut self) -> Result<(), SyntaxError> {
        let place = self.cursor.place();
        let exported = self.cursor.is_word("func");
        if !exported && !self.cursor.is_word("body") {
            return Err(self.cursor.expected("`func`"));
        }
        self.cursor.skip();
        let Token::At(name) = self.cursor.peek().clone() else { return Err(self.cursor.expected("a function's name such as `@f`")) };
        if self.shared.contains_key(&name) {
            return Err(self.cursor.error_at(place, format!("there are two functions `@{name}`")));
        }
        self.cursor.skip();
        self.cursor.expect('(')?;
        let mut scope = BTreeMap::new();
        let (mut names, mut tys) = (Vec::new(), Vec::new());
        while !self.cursor.take(')') {
            let place = self.cursor.place();
            let param = self.cursor.word("a parameter's name")?;
            self.cursor.expect(':')?;
            let ty = types::parse(&mut self.cursor, self.build.module.graph.types_mut())?;
            let made = self.build.module.graph.param(tys.len() as i64, ty);
            let node = self.build.made(place, made);
            self.bind(&mut scope, place, &param, node)?;
            names.push(Name::new(&param));
            tys.push(ty);
            if !self.cursor.take(',') && !self.cursor.is(')') {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
        let mut declared = None;
        if *self.cursor.peek() == Token::Arrow {
            self.cursor.skip();
            declared = Some((self.cursor.place(), types::parse(&mut self.cursor, self.build.module.graph.types_mut())?));
        }
        self.cursor.expect('{')?;
        self.scopes.push(scope);
        self.stack.clear();
        let result = self.run(Next::Statement)?;
        self.scopes.clear();
        if let (Some((place, ty)), Some(id)) = (declared, result)
            && self.build.module.graph.ty_id(id) != ty
        {
            let graph = &self.build.module.graph;
            let message = format!("`@{name}` is declared to return `{}`, but returns `{}`", graph.types().show(ty), graph.show_ty(id));
            self.build.errors.push(self.cursor.error_at(place, message));
        }
        let lambda = result.and_then(|result| {
            let made = self.build.module.graph.lambda(result, tys.into());
            self.build.made(place, made)
        });
        if let Some(lambda) = lambda {
            self.build.module.hints.name_params(lambda, names);
            if exported {
                self.build.module.functions.push(crate::module::Function { name: Name::new(&name), lambda });
            }
        }
        self.shared.insert(name, lambda);
        Ok(())
    }

    /// After an error in the grammar: on to the next function.
    fn recover(&mut self) {
        self.stack.clear();
        self.scopes.clear();
        loop {
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (Token::End, _) => return,
                (Token::Word(w), Token::At(_)) if w == "func" || w == "body" => return,
                _ => self.cursor.skip(),
            }
        }
    }

    fn bind(&self, scope: &mut BTreeMap<String, Maybe>, place: Place, name: &str, node: Maybe) -> Result<(), SyntaxError> {
        if RESERVED.contains(&name) {
            return Err(self.cursor.error_at(place, format!("`{name}` cannot be a name: it is a word of the language")));
        }
        if scope.insert(name.to_string(), node).is_some() {
            return Err(self.cursor.error_at(place, format!("the name `{name}` is bound twice")));
        }
        Ok(())
    }

    fn run(&mut self, mut next: Next) -> Result<Maybe, SyntaxError> {
        loop {
            next = match next {
                Next::Statement => self.statement()?,
                Next::Expression => self.expression()?,
                Next::Have(value) => {
                    let value = self.postfix(value)?;
                    self.continue_with(value)?
                }
                Next::Done(value) => return Ok(value),
            };
        }
    }

    fn statement(&mut self) -> Step {
        if self.cursor.is_word("return") {
            self.cursor.skip();
            self.stack.push(Frame::Return);
            return Ok(Next::Expression);
        }
        match (self.cursor.peek().clone(), self.cursor.peek_second()) {
            (Token::Word(name), Token::Sign('=')) => {
                let place = self.cursor.place();
                self.cursor.skip();
                self.cursor.skip();
                self.stack.push(Frame::Statement { name, place });
                Ok(Next::Expression)
            }
            _ => Err(self.cursor.expected("a statement such as `x = …`, or `return`")),
        }
    }

    /// The beginning of an expression.
    fn expression(&mut self) -> Step {
        let place = self.cursor.place();
        if literal::starts(self.cursor.peek()) || self.cursor.is('[') {
            return self.literal(place);
        }
        match self.cursor.peek().clone() {
            Token::Sign('{') => {
                self.cursor.skip();
                self.row(Vec::new(), Vec::new(), place)
            }
            Token::Sign('(') => {
                self.cursor.skip();
                if self.cursor.take(')') {
                    return Ok(Next::Have(self.build.tuple(place, &[])));
                }
                self.stack.push(Frame::Tuple { parts: Vec::new(), place });
                Ok(Next::Expression)
            }
            Token::At(name) => {
                let Some(&found) = self.shared.get(&name) else {
                    return Err(self.cursor.error_at(place, format!("there is no function `@{name}` above this line")));
                };
                self.cursor.skip();
                Ok(Next::Have(found))
            }
            Token::Word(word) => self.word(word, place),
            _ => Err(self.cursor.expected("an expression")),
        }
    }

    fn literal(&mut self, place: Place) -> Step {
        let raw = literal::parse(&mut self.cursor)?;
        let ty = if self.cursor.take(':') {
            types::parse(&mut self.cursor, self.build.module.graph.types_mut())?
        } else {
            match &raw {
                literal::Raw::Bool(_) => TyId::BOOL,
                literal::Raw::Int(_) => TyId::I64,
                literal::Raw::Float(..) => TyId::F64,
                literal::Raw::Text(_) => TyId::STR,
                literal::Raw::Bytes(_) => TyId::BYTES,
                _ => return Err(self.cursor.error_at(place, "this literal needs its type after it, as in `null: f64?`".into())),
            }
        };
        let value: Result<Value, String> = literal::raw_to_value(self.build.module.graph.types(), ty, &raw);
        Ok(Next::Have(match value {
            Ok(value) => {
                let made = self.build.module.graph.constant(value, ty);
                self.build.made(place, made)
            }
            Err(message) => self.build.refuse(place, message),
        }))
    }

    /// A name, or a call of an op.
    fn word(&mut self, word: String, place: Place) -> Step {
        let scope = self.scopes.last().expect("expressions stand in a body");
        if let Some(&found) = scope.get(&word)
            && !matches!(self.cursor.peek_second(), Token::Sign('(' | '{'))
        {
            self.cursor.skip();
            return Ok(Next::Have(found));
        }
        self.cursor.skip();
        if word == "source" && matches!(self.cursor.peek(), Token::Text(_)) {
            let name = types::text(&mut self.cursor, "a source's name in quotes")?;
            self.cursor.expect(':')?;
            let ty = types::parse(&mut self.cursor, self.build.module.graph.types_mut())?;
            let made = self.build.module.graph.source(name, ty);
            return Ok(Next::Have(self.build.made(place, made)));
        }
        let mut full = word.clone();
        if self.cursor.is('.')
            && let Token::Word(second) = self.cursor.peek_second()
        {
            full = format!("{word}.{second}");
        }
        let op = match Op::from_name(&full).filter(|_| full != word) {
            Some(op) => {
                self.cursor.skip();
                self.cursor.skip();
                op
            }
            None => match Op::from_name(&word) {
                Some(op) if matches!(self.cursor.peek(), Token::Sign('(' | '{')) => op,
                _ => return Err(self.unknown(&word, &full, place)),
            },
        };
        let attrs = attributes::parse(&mut self.cursor, self.build.module.graph.types_mut(), op.def())?;
        self.cursor.expect('(')?;
        let call = Call {
            op,
            attrs,
            args: Vec::new(),
            captures: Vec::new(),
            bodies: Vec::new(),
            params: None,
            names: Vec::new(),
            spread: false,
            place,
        };
        if self.cursor.take(')') {
            return self.after_args(call);
        }
        self.next_argument(call)
    }

    /// The next argument; `*t` is the whole tuple of the variadic arguments.
    fn next_argument(&mut self, mut call: Call) -> Step {
        let place = self.cursor.place();
        if self.cursor.take('*') {
            let def = call.op.def();
            if !def.gathered || call.args.len() + 1 != def.args.len() {
                return Err(self.cursor.error_at(place, format!("`{}` gathers no arguments here", def.name)));
            }
            call.spread = true;
        }
        self.stack.push(Frame::Call(call, Stage::Args));
        Ok(Next::Expression)
    }

    fn unknown(&self, word: &str, full: &str, place: Place) -> SyntaxError {
        let message = if matches!(self.cursor.peek(), Token::Sign('(' | '{')) || RESERVED.contains(&word) {
            format!("there is no op `{full}`; `loom ops` lists them")
        } else {
            format!("there is no `{word}` here: a body sees its parameters, its captures and its own statements")
        };
        self.cursor.error_at(place, message)
    }

    /// `.field` and `.0` after an expression.
    fn postfix(&mut self, mut value: Maybe) -> Result<Maybe, SyntaxError> {
        while self.cursor.is('.') {
            let place = self.cursor.place();
            self.cursor.skip();
            match self.cursor.peek().clone() {
                Token::Int(n) => {
                    self.cursor.skip();
                    let number = i64::try_from(n).map_err(|_| self.cursor.error_at(place, format!("there is no item {n}")))?;
                    value = value.and_then(|v| {
                        let made = self.build.module.graph.item(v, number);
                        self.build.made(place, made)
                    });
                }
                _ => {
                    let field = self.cursor.name("a field's name or an item's number")?;
                    value = value.and_then(|v| {
                        let made = self.build.module.graph.get(v, field);
                        self.build.made(place, made)
                    });
                }
            }
        }
        Ok(value)
    }

    /// A complete expression goes to what it is part of.
    fn continue_with(&mut self, value: Maybe) -> Step {
        match self.stack.pop() {
            None => Ok(Next::Done(value)),
            Some(Frame::Statement { name, place }) => {
                let mut scope = self.scopes.pop().expect("statements stand in a body");
                if let Some(id) = value {
                    self.build.module.hints.name_node(id, Name::new(&name));
                }
                let bound = self.bind(&mut scope, place, &name, value);
                self.scopes.push(scope);
                bound.map(|()| Next::Statement)
            }
            Some(Frame::Return) => {
                self.cursor.expect('}')?;
                match self.stack.pop() {
                    None => Ok(Next::Done(value)),
                    Some(Frame::Call(call, Stage::Block)) => self.after_body(call, value),
                    Some(_) => unreachable!("a block stands in a function or in a call's body"),
                }
            }
            Some(Frame::Row { names, mut values, place }) => {
                values.push(value);
                if !self.cursor.take(',') && !self.cursor.is('}') {
                    return Err(self.cursor.expected("`,` or `}`"));
                }
                self.row(names, values, place)
            }
            Some(Frame::Tuple { mut parts, place }) => {
                parts.push(value);
                let comma = self.cursor.take(',');
                if self.cursor.take(')') {
                    // Parentheses around one expression are only parentheses.
                    return Ok(Next::Have(if comma || parts.len() > 1 { self.build.tuple(place, &parts) } else { parts[0] }));
                }
                if !comma {
                    return Err(self.cursor.expected("`,` or `)`"));
                }
                self.stack.push(Frame::Tuple { parts, place });
                Ok(Next::Expression)
            }
            Some(Frame::Call(mut call, stage)) => match stage {
                Stage::Args => {
                    call.args.push(value);
                    if !call.spread && self.cursor.take(',') && !self.cursor.is(')') {
                        return self.next_argument(call);
                    }
                    self.cursor.expect(')')?;
                    self.after_args(call)
                }
                Stage::Captures => {
                    call.captures.push(value);
                    if self.cursor.take(',') && !self.cursor.is(']') {
                        self.stack.push(Frame::Call(call, Stage::Captures));
                        return Ok(Next::Expression);
                    }
                    self.cursor.expect(']')?;
                    self.next_body(call)
                }
                Stage::Body => self.after_body(call, value),
                Stage::Block => unreachable!("a block ends with `return`"),
            },
        }
    }

    /// The next field of a row, or its end.
    fn row(&mut self, mut names: Vec<Name>, values: Vec<Maybe>, place: Place) -> Step {
        if self.cursor.take('}') {
            return Ok(Next::Have(self.build.row(place, &names, &values)));
        }
        names.push(self.cursor.name("a field's name, or `}`")?);
        self.cursor.expect(':')?;
        self.stack.push(Frame::Row { names, values, place });
        Ok(Next::Expression)
    }

    fn after_args(&mut self, mut call: Call) -> Step {
        if !call.spread {
            self.build.gather(call.op.def(), call.place, &mut call.args);
        }
        if call.op.def().bodies.is_empty() {
            return Ok(Next::Have(self.build.node(call.op, call.attrs, &call.args, call.place)));
        }
        if self.cursor.take('[') {
            if self.cursor.take(']') {
                return self.next_body(call);
            }
            self.stack.push(Frame::Call(call, Stage::Captures));
            return Ok(Next::Expression);
        }
        self.next_body(call)
    }

    /// The next body of a call, or the call itself when it has all of them.
    fn next_body(&mut self, mut call: Call) -> Step {
        let def = call.op.def();
        let which = call.bodies.len();
        if which == def.bodies.len() {
            let args: Vec<Maybe> = call.args.iter().chain(&call.bodies).chain(&call.captures).copied().collect();
            return Ok(Next::Have(self.build.node(call.op, call.attrs, &args, call.place)));
        }
        if let Token::At(name) = self.cursor.peek().clone() {
            let place = self.cursor.place();
            self.cursor.skip();
            let found = self.shared.get(&name).copied();
            call.bodies.push(found.ok_or_else(|| self.cursor.error_at(place, format!("there is no function `@{name}` above this line")))?);
            return self.next_body(call);
        }
        if !self.cursor.is('|') {
            return Err(self.cursor.expected(&format!("the body `{}` of `{}`, as in `|x| …`", def.bodies[which].name, def.name)));
        }
        let place = self.cursor.place();
        self.cursor.skip();
        let names = types::list(&mut self.cursor, '|', |c| c.word("a parameter's name"))?;
        let tys = self.build.body_params(def, &call.attrs, &call.args, &call.bodies, &call.captures, place);
        if let Some(tys) = &tys
            && tys.len() != names.len()
        {
            let message = format!(
                "the body `{}` has {} parameters, {} of them captures, but {} names",
                def.bodies[which].name,
                tys.len(),
                call.captures.len(),
                names.len()
            );
            self.build.refuse(place, message);
        }
        let mut scope = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let node = tys.as_ref().and_then(|tys| tys.get(at)).and_then(|&ty| {
                let made = self.build.module.graph.param(at as i64, ty);
                self.build.made(place, made)
            });
            self.bind(&mut scope, place, name, node)?;
        }
        call.names = names.iter().map(|n| Name::new(n)).collect();
        call.params = tys;
        self.scopes.push(scope);
        let is_block = self.cursor.is('{') && self.block_follows();
        if is_block {
            self.cursor.skip();
        }
        self.stack.push(Frame::Call(call, if is_block { Stage::Block } else { Stage::Body }));
        Ok(if is_block { Next::Statement } else { Next::Expression })
    }

    /// Whether the `{` that is next opens statements and not a row.
    fn block_follows(&self) -> bool {
        matches!(self.cursor.peek_second(), Token::Word(w) if w == "return") || self.cursor.third_is('=')
    }

    fn after_body(&mut self, mut call: Call, value: Maybe) -> Step {
        self.scopes.pop();
        let lambda = match (value, call.params.take()) {
            (Some(value), Some(tys)) => {
                let made = self.build.module.graph.lambda(value, tys.into());
                self.build.made(call.place, made)
            }
            _ => None,
        };
        if let Some(lambda) = lambda {
            self.build.module.hints.name_params(lambda, std::mem::take(&mut call.names));
        }
        call.bodies.push(lambda);
        self.next_body(call)
    }
}

/// For tests and tools: the function that a text of one function is.
pub fn parse_function(text: &str) -> Result<(Module, NodeId), Vec<SyntaxError>> {
    let module = parse(text)?;
    let lambda = module.functions.first().map(|f| f.lambda);
    match lambda {
        Some(lambda) => Ok((module, lambda)),
        None => Err(vec![SyntaxError { file: None, line: 1, column: 1, message: "expected a function, found none".into() }]),
    }
}
