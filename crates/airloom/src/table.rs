//! Relations for people: columns in line, no more rows than fit a screen.

use airloom_ir::text::value_to_text;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;

/// How many rows are shown.
const MAX_ROWS: usize = 40;

/// The table of a relation; nothing for other values.
pub fn show(types: &Types, ty: TyId, value: &Value) -> Option<String> {
    let (Ty::Rel(fields), Value::Rel(table)) = (types.get(ty), value) else { return None };
    let mut columns: Vec<Vec<String>> = fields.iter().map(|f| vec![f.name.to_string(), types.show(f.ty)]).collect();
    for row in table.rows.iter().take(MAX_ROWS) {
        for ((column, cell), field) in columns.iter_mut().zip(row.iter()).zip(fields.iter()) {
            let text = value_to_text(types, field.ty, cell);
            let bare = matches!(cell, Value::Str(_)) || !matches!(types.plain(field.ty), Ty::List(_) | Ty::Struct(_));
            column.push(if bare && text.starts_with('"') { text.trim_matches('"').to_string() } else { text });
        }
    }
    let right: Vec<bool> =
        fields.iter().map(|f| matches!(types.plain(f.ty), Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. })).collect();
    let widths: Vec<usize> = columns.iter().map(|c| c.iter().map(|t| t.chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    let height = columns.first().map_or(0, Vec::len);
    for line in 0..height {
        let cells: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let pad = " ".repeat(widths[at] - column[line].chars().count());
                if right[at] { format!("{pad}{}", column[line]) } else { format!("{}{pad}", column[line]) }
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
        if line == 1 {
            out.push_str(&"-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)));
            out.push('\n');
        }
    }
    let more = table.rows.len().saturating_sub(MAX_ROWS);
    if more > 0 {
        out.push_str(&format!("… and {more} more\n"));
    }
    out.push_str(&format!("{} rows\n", table.rows.len()));
    Some(out)
}
