//! Statistics of sources from text: a line for each table, as in `"t" = {rows: 1000, unique: [["id"]], distinct: {k: 10}, sorted: ["id"]}`.

use airloom_ir::attrs::SortKey;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::text::{Raw, parse_raw_arguments, raw_to_value};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_opt::facts::{Statistics, TableStatistics};

/// Statistics from the text of a file: empty lines and those that begin with `;` say nothing.
///
/// A file may describe tables that the program does not read: their minimum and maximum values, whose types only a program says, are passed over.
pub fn from_text(module: &Module, text: &str) -> Result<Statistics, String> {
    let mut statistics = Statistics::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let entered = entry(module, line).and_then(|(name, table)| enter(&mut statistics, name, table));
        entered.map_err(|message| format!("line {}: {message}", at + 1))?;
    }
    Ok(statistics)
}

/// Adds a table that is not there yet.
pub(crate) fn enter(statistics: &mut Statistics, name: Name, table: TableStatistics) -> Result<(), String> {
    match statistics.tables.insert(name.clone(), table) {
        None => Ok(()),
        Some(_) => Err(format!("duplicate statistics of `{name}`")),
    }
}

/// One table: `"name" = {…}`.
pub(crate) fn entry(module: &Module, text: &str) -> Result<(Name, TableStatistics), String> {
    let (name, literal) = text.split_once('=').ok_or_else(|| format!("expected `\"name\" = {{…}}`, found `{text}`"))?;
    let name = name.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let name = Name::new(name.ok_or_else(|| format!("expected a source's name in quotes, found `{}`", text.trim()))?);
    let (mut raws, rest) = parse_raw_arguments(&format!("({})", literal.trim())).map_err(|e| e.message)?;
    let (Some(Raw::Record(facts)), true, true) = (raws.pop(), raws.is_empty(), rest.trim().is_empty()) else {
        return Err(format!("expected one record after `=`, as in `{{rows: 1000}}`, found `{}`", literal.trim()));
    };
    let mut table = TableStatistics::default();
    for (fact, raw) in &facts {
        state(module, &name, &mut table, fact, raw)?;
    }
    Ok((name, table))
}

fn state(module: &Module, source: &str, table: &mut TableStatistics, fact: &str, raw: &Raw) -> Result<(), String> {
    match fact {
        "rows" => table.rows = Some(count(fact, raw)?),
        "unique" => {
            let keys = list(fact, raw)?;
            table.unique =
                keys.iter().map(|key| list(fact, key)?.iter().map(|name| text(fact, name)).collect()).collect::<Result<_, String>>()?;
        }
        "sorted" => table.sorted = list(fact, raw)?.iter().map(sort_key).collect::<Result<_, String>>()?,
        "distinct" => by_column(fact, raw, |column, raw| {
            table.columns.entry(column.clone()).or_default().distinct = Some(count(fact, raw)?);
            Ok(())
        })?,
        "nulls" => by_column(fact, raw, |column, raw| {
            table.columns.entry(column.clone()).or_default().nulls = Some(count(fact, raw)?);
            Ok(())
        })?,
        "min" | "max" => by_column(fact, raw, |column, raw| {
            let value = value(module, source, column, raw)?;
            let known = table.columns.entry(column.clone()).or_default();
            *(if fact == "min" { &mut known.min } else { &mut known.max }) = value;
            Ok(())
        })?,
        other => {
            return Err(format!(
                "there is no statistic `{other}`; there are: `rows`, `unique`, `sorted`, `distinct`, `nulls`, `min`, `max`"
            ));
        }
    }
    Ok(())
}

fn count(fact: &str, raw: &Raw) -> Result<u64, String> {
    match raw {
        Raw::Int(n) => u64::try_from(*n).map_err(|_| format!("`{fact}` takes a count, found `{n}`")),
        _ => Err(format!("`{fact}` takes a count, as in `1000`")),
    }
}

fn list<'a>(fact: &str, raw: &'a Raw) -> Result<&'a [Raw], String> {
    match raw {
        Raw::List(items) => Ok(items),
        _ if fact == "unique" => Err("`unique` takes a list of lists of columns, as in `[[\"id\"]]`".into()),
        _ => Err(format!("`{fact}` takes a list of columns, as in `[\"id\"]`")),
    }
}

fn text(fact: &str, raw: &Raw) -> Result<Name, String> {
    match raw {
        Raw::Text(text) => Ok(Name::new(text)),
        _ => Err(format!("`{fact}` takes columns in quotes, as in `\"id\"`")),
    }
}

/// A column that rises, nulls last: `"id"`; or one that is sorted otherwise: `{id: "desc.first"}`.
fn sort_key(raw: &Raw) -> Result<(Name, SortKey), String> {
    match raw {
        Raw::Text(column) => Ok((Name::new(column), SortKey { descending: false, nulls_first: false })),
        Raw::Record(fields) => match fields.as_slice() {
            [(column, Raw::Text(word))] => {
                let key = SortKey::from_word(word).ok_or_else(|| {
                    let known: Vec<String> = SortKey::ALL.iter().map(|(_, word)| format!("`{word}`")).collect();
                    format!("a column is sorted by one of {}, found `{word}`", known.join(", "))
                })?;
                Ok((column.clone(), key))
            }
            _ => Err("`sorted` takes a column with one key, as in `{id: \"desc.first\"}`".into()),
        },
        _ => Err("`sorted` takes columns, as in `\"id\"` or `{id: \"desc.first\"}`".into()),
    }
}

fn by_column(fact: &str, raw: &Raw, mut each: impl FnMut(&Name, &Raw) -> Result<(), String>) -> Result<(), String> {
    let Raw::Record(columns) = raw else { return Err(format!("`{fact}` takes a record by column, as in `{{id: 1}}`")) };
    columns.iter().try_for_each(|(column, raw)| each(column, raw).map_err(|message| format!("`{fact}` of `{column}`: {message}")))
}

/// A value of a column of a source, by the type that the program gives it; nothing where the program does not read it.
fn value(module: &Module, source: &str, column: &str, raw: &Raw) -> Result<Option<Value>, String> {
    let types = module.graph.types();
    match column_type(module, source, column) {
        Some(ty) => raw_to_value(types, types.strip(ty), raw).map(Some),
        None => Ok(None),
    }
}

fn column_type(module: &Module, source: &str, column: &str) -> Option<TyId> {
    let graph = &module.graph;
    graph.ids().find_map(|id| match (graph.as_source(id).filter(|s| s.name.as_str() == source), graph.ty(id)) {
        (Some(_), Ty::Rel(fields)) => fields.ty(column),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::from_text;
    use airloom_ir::module::Module;
    use airloom_ir::text::parse;
    use airloom_ir::value::Value;

    fn read(text: &str) -> Result<airloom_opt::facts::Statistics, String> {
        let program = "func @f() -> rel{id: i64, at: date?} { return source \"t\": rel{id: i64, at: date?} }";
        from_text(&parse(program).unwrap_or_default(), text)
    }

    #[test]
    fn a_line_tells_of_a_table() {
        let text = "; two tables\n\n\"t\" = {rows: 3, unique: [[\"id\"], []], distinct: {id: 3}, nulls: {at: 0}, min: {at: \"1970-01-02\"}, sorted: [\"id\", {at: \"desc.first\"}]}\n\"u\" = {}\n";
        let statistics = read(text).expect("the text is well formed");
        let table = &statistics.tables["t"];
        assert_eq!((table.rows, table.unique.len(), table.sorted.len()), (Some(3), 2, 2));
        assert!(table.sorted[1].1.descending && table.sorted[1].1.nulls_first);
        assert_eq!(table.columns["at"].min, Some(Value::Int(1)));
        assert_eq!(table.columns["at"].nulls, Some(0));
        assert_eq!(table.columns["id"].distinct, Some(3));
        assert!(statistics.tables.contains_key("u"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = [
            ("\n\"t\" {}", "line 2: expected `\"name\" = {…}`"),
            ("t = {}", "name in quotes"),
            ("\"t\" = 3", "expected one record"),
            ("\"t\" = {rows: 3}, {}", "expected one record"),
            ("\"t\" = {row: 3}", "there is no statistic `row`"),
            ("\"t\" = {rows: -1}", "`rows` takes a count, found `-1`"),
            ("\"t\" = {unique: [\"id\"]}", "list of lists"),
            ("\"t\" = {sorted: {id: \"asc\"}}", "`sorted` takes a list"),
            ("\"t\" = {sorted: [{id: \"asc\"}]}", "one of `asc.last`"),
            ("\"t\" = {distinct: 3}", "record by column"),
            ("\"t\" = {min: {at: 1.5}}", "`min` of `at`: expected a literal of `date`"),
            ("\"t\" = {}\n\"t\" = {}", "line 2: duplicate statistics of `t`"),
        ];
        for (text, part) in wrong {
            let message = read(text).err().unwrap_or_default();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn a_table_that_no_program_reads_has_no_values() {
        let statistics = from_text(&Module::default(), "\"t\" = {min: {x: 1}}").expect("the text is well formed");
        assert_eq!(statistics.tables["t"].columns["x"].min, None);
    }
}
