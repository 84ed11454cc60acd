//! The arguments of commands that take a program.

use airloom::program::Program;
use airloom_ir::oracle::Source;
use airloom_ir::text::{self, Raw};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use airloom_opt::driver::Options;
use airloom_opt::registry::Registry;
use airloom_opt::stage::Stage;

/// A program and how it is to be run.
pub(crate) struct Arguments {
    pub(crate) session: Program,
    pub(crate) file: String,
    pub(crate) function: Option<String>,
    pub(crate) values: Vec<Raw>,
    pub(crate) options: Options,
    pub(crate) optimize: bool,
}

impl Arguments {
    pub(crate) fn parse(command: &str, words: &[String]) -> Result<Arguments, String> {
        let mut options = Options::everything();
        let (mut positional, mut without, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let (mut optimize, mut statistics) = (true, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("`{word}` needs a value after it"));
            match word.as_str() {
                "--stage" => {
                    let name = value()?;
                    let stage = Stage::from_name(&name);
                    let known = || Stage::ALL.map(Stage::name).join(", ");
                    let stage = stage.ok_or_else(|| format!("there is no stage `{name}`; there are: {}", known()))?;
                    options.stages.retain(|s| *s <= stage);
                }
                "--fuel" => {
                    let text = value()?;
                    options.fuel = text.parse().map_err(|_| format!("`--fuel` takes an integer, found `{text}`"))?;
                }
                "--without" => without.push(value()?),
                "--no-optimizer" => optimize = false,
                "--source" => sources.push(value()?),
                "--statistics" => statistics = Some(value()?),
                flag if flag.starts_with("--") => {
                    return Err(format!("`loom {command}` has no option `{flag}`\n\nhint: `loom help` lists them"));
                }
                _ => positional.push(word.clone()),
            }
        }
        let mut positional = positional.into_iter();
        let file = positional.next().ok_or_else(|| format!("`loom {command}` needs a file"))?;
        let program = std::fs::read_to_string(&file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        let program = strip_tests(&program);
        let registry = Registry::standard().without(&without.iter().map(String::as_str).collect::<Vec<_>>())?;
        let mut session = Program::parse(&program, Some(&file)).map_err(|e| e.to_string())?.with_registry(registry);
        for source in sources {
            session = with_source(session, &source)?;
        }
        if let Some(path) = statistics {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("cannot read `{path}`: {e}"))?;
            options.statistics = airloom::statistics::from_text(session.module(), &text).map_err(|e| format!("{path}: {e}"))?;
        }
        let function = match positional.next() {
            Some(word) => Some(
                word.strip_prefix('@').map(str::to_string).ok_or_else(|| format!("expected a function such as `@f`, found `{word}`"))?,
            ),
            None => None,
        };
        let mut values = Vec::new();
        for word in positional {
            let (mut raws, rest) =
                text::parse_raw_arguments(&format!("({word})")).map_err(|e| format!("in the argument `{word}`: {}", e.message))?;
            if !rest.is_empty() || raws.len() != 1 {
                return Err(format!("the argument `{word}` is not one literal"));
            }
            values.append(&mut raws);
        }
        Ok(Arguments { session, file, function, values, options, optimize })
    }

    /// The position of the function asked for, or of the only one.
    pub(crate) fn place(&self) -> Result<usize, String> {
        let functions = &self.session.module().functions;
        let known = || functions.iter().map(|f| format!("@{}", f.name)).collect::<Vec<_>>().join(", ");
        match &self.function {
            Some(name) => {
                let place = functions.iter().position(|f| f.name.as_str() == name);
                place.ok_or_else(|| format!("`{}` has no function `@{name}`; it has: {}", self.file, known()))
            }
            None if functions.len() == 1 => Ok(0),
            None => Err(format!("`{}` has {} functions, say which: {}", self.file, functions.len(), known())),
        }
    }

    /// The arguments as values of the function's parameters.
    pub(crate) fn values(&self, place: usize) -> Result<Vec<Value>, String> {
        let graph = &self.session.module().graph;
        let function = &self.session.module().functions[place];
        let params = graph.params_of(function.lambda);
        if params.len() != self.values.len() {
            let tys: Vec<String> = params.iter().map(|&t| graph.types().show(t)).collect();
            return Err(format!("`@{}` takes {} arguments ({}), found {}", function.name, params.len(), tys.join(", "), self.values.len()));
        }
        params.iter().zip(&self.values).map(|(&ty, raw)| text::raw_to_value(graph.types(), ty, raw)).collect()
    }
}

/// Filetests are programs too: their `test` lines are left out.
fn strip_tests(text: &str) -> String {
    text.lines().map(|l| if l.starts_with("test ") { "" } else { l }).collect::<Vec<_>>().join("\n")
}

fn with_source(session: Program, argument: &str) -> Result<Program, String> {
    let (name, path) = argument.split_once('=').ok_or_else(|| format!("`--source` takes `NAME=FILE.csv`, found `{argument}`"))?;
    let graph = &session.module().graph;
    let found = graph.ids().filter_map(|id| graph.as_source(id)).find(|s| s.name.as_str() == name);
    let ty = found.ok_or_else(|| format!("the program reads no source `{name}`"))?.ty;
    let Ty::Rel(fields) = graph.types().get(ty) else {
        return Err(format!("the source `{name}` is not a relation: it cannot be a CSV file"));
    };
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read `{path}`: {e}"))?;
    let value = airloom::csv::read(graph.types(), fields, &text).map_err(|e| format!("{path}: {e}"))?;
    let columns = fields.names().cloned().collect();
    Ok(session.with_source(name, Source { columns, value }))
}
