//! What is known of columns, merged into what is known of their table.

use super::{ColumnFacts, Pair};
use airloom_ir::attrs::SortKey;
use airloom_ir::name::Name;
use airloom_opt::facts::TableStatistics;

/// Merges what is known of these columns of a table of `rows` rows. `pair` looks at two of them, the first of which rows are sorted by.
pub fn summarise(rows: u64, columns: &[(Name, ColumnFacts)], pair: impl Fn(usize, usize) -> Option<Pair>) -> TableStatistics {
    let mut table = TableStatistics { rows: Some(rows), ..TableStatistics::default() };
    for (name, facts) in columns {
        table.columns.insert(name.clone(), facts.to_statistics());
        if facts.unique {
            table.unique.push(vec![name.clone()]);
        }
    }
    let Some(leading) = leading(columns) else { return table };
    let Some(order) = columns[leading].1.order else { return table };
    table.sorted.push((columns[leading].0.clone(), order.key));
    if order.strict {
        return table;
    }
    for (at, (name, facts)) in columns.iter().enumerate() {
        if at == leading || facts.unique {
            continue;
        }
        let Some(pair) = pair(leading, at) else { continue };
        if pair.unique {
            table.unique.push(vec![columns[leading].0.clone(), name.clone()]);
        }
        if pair.rises && table.sorted.len() == 1 {
            table.sorted.push((name.clone(), SortKey { descending: false, nulls_first: false }));
        }
    }
    table
}

/// Of the columns by which rows are sorted, the one that says most: the one with the most values.
fn leading(columns: &[(Name, ColumnFacts)]) -> Option<usize> {
    let sorted = columns.iter().enumerate().filter_map(|(at, (_, facts))| facts.order.map(|order| (at, order)));
    // Of equals the first.
    sorted.filter(|(_, order)| order.distinct > 1).max_by_key(|(at, order)| (order.distinct, std::cmp::Reverse(*at))).map(|(at, _)| at)
}
