//! A physical plan as a tree of lines: what each node is, its numbers, and what it works with.

use super::node::{Counts, NativeCode, PhysicalPlan, PlanNode};
use std::fmt;
use std::time::Duration;

/// The longest line about a node that is not a query.
const LONGEST: usize = 160;

impl fmt::Display for PhysicalPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parts.is_empty() {
            f.write_str("no relation is computed\n")?;
        }
        for (at, part) in self.parts.iter().enumerate() {
            if self.parts.len() > 1 {
                let gap = if at > 0 { "\n" } else { "" };
                writeln!(f, "{gap}{} of {}:", at + 1, self.parts.len())?;
            }
            f.write_str(&tree(part))?;
        }
        f.write_str(&self.native())?;
        if let Some(span) = self.span {
            writeln!(f, "work {}, span {}{}", time(self.work()), time(span), self.longest_piece())?;
        }
        Ok(())
    }
}

impl PhysicalPlan {
    /// Which nodes native code computes, and why not the others, in two lines at most.
    fn native(&self) -> String {
        let (mut compiled, mut interpreted): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for node in self.nodes() {
            let (list, said) = match &node.native {
                None => continue,
                Some(NativeCode::Compiled) => (&mut compiled, format!("`{}`", node.op)),
                Some(NativeCode::Partly(reason)) => (&mut compiled, format!("`{}` (but what is interpreted: {reason})", node.op)),
                Some(NativeCode::Interpreted(reason)) => (&mut interpreted, format!("`{}` ({reason})", node.op)),
            };
            if !list.contains(&said) {
                list.push(said);
            }
        }
        let line = |word: &str, list: &[String]| if list.is_empty() { String::new() } else { format!("{word}: {}\n", list.join(", ")) };
        line("native code", &compiled) + &line("interpreted", &interpreted)
    }

    /// The node that has most of the span.
    fn longest_piece(&self) -> String {
        let longest = self.nodes().into_iter().filter_map(|node| Some((node.counts?.span, &node.op))).max_by_key(|(span, _)| *span);
        longest.filter(|(span, _)| !span.is_zero()).map_or_else(String::new, |(span, op)| format!(", of that {} in `{op}`", time(span)))
    }
}

/// A line of the tree, before it is known how wide its columns are.
struct Line {
    cells: Vec<String>,
    detail: String,
}

fn tree(root: &PlanNode) -> String {
    let mut nodes: Vec<(String, &PlanNode)> = Vec::new();
    // What stands before the node itself, what stands before its inputs, and the node.
    let mut stack = vec![(String::new(), String::new(), root)];
    while let Some((lead, indent, node)) = stack.pop() {
        nodes.push((format!("{lead}{}", node.op), node));
        let last = node.inputs.len().saturating_sub(1);
        for (at, input) in node.inputs.iter().enumerate().rev() {
            let (branch, below) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            stack.push((format!("{indent}{branch}"), format!("{indent}{below}"), input));
        }
    }
    let ran = root.counts.is_some();
    let any = |has: fn(&Counts) -> bool| nodes.iter().any(|(_, node)| node.counts.as_ref().is_some_and(has));
    let (spilled, held) = (any(|counts| counts.spilled_files > 0), any(|counts| counts.peak_memory.is_some()));
    let estimated = nodes.iter().any(|(_, node)| node.estimated_rows.is_some());
    let mut head = vec!["node".to_string()];
    head.extend(ran.then(|| "rows".into()));
    head.extend(estimated.then(|| if ran { "expected" } else { "rows expected" }.into()));
    head.extend(["batches", "bytes", "work", "span"].iter().filter(|_| ran).map(ToString::to_string));
    head.extend(held.then(|| "memory".into()));
    head.extend(spilled.then(|| "spilled".into()));
    let line = |(name, node): &(String, &PlanNode)| {
        let counts = node.counts.as_ref();
        let cell = |shown: &dyn Fn(&Counts) -> String| counts.map_or_else(String::new, shown);
        let mut cells = vec![name.clone()];
        cells.extend(ran.then(|| cell(&|counts| number(counts.rows))));
        cells.extend(estimated.then(|| node.estimated_rows.map_or_else(String::new, number)));
        if ran {
            cells.push(cell(&|counts| number(counts.batches)));
            cells.push(cell(&|counts| bytes(counts.bytes)));
            cells.push(cell(&|counts| time(counts.time)));
            cells.push(cell(&|counts| time(counts.span)));
        }
        cells.extend(held.then(|| cell(&|counts| counts.peak_memory.map_or_else(String::new, bytes))));
        cells.extend(spilled.then(|| cell(&on_disk)));
        Line { cells, detail: short(node) }
    };
    let lines: Vec<Line> = std::iter::once(Line { cells: head, detail: String::new() }).chain(nodes.iter().map(line)).collect();
    aligned(&lines)
}

/// Names to the left, numbers to the right, each column as wide as its widest cell.
fn aligned(lines: &[Line]) -> String {
    let width = |at: usize| lines.iter().map(|line| line.cells[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].cells.len()).map(width).collect();
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for (at, (cell, width)) in line.cells.iter().zip(&widths).enumerate() {
            let space = " ".repeat(width - cell.chars().count());
            text.push_str(&if at == 0 { format!("{cell}{space}") } else { format!("  {space}{cell}") });
        }
        text.push_str("  ");
        text.push_str(&line.detail);
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

fn short(node: &PlanNode) -> String {
    let detail = node.detail.replace('\n', " ");
    // The text of a query is what one looks for: it is shown as it is sent.
    if detail.contains("SELECT ") || detail.chars().count() <= LONGEST {
        return detail;
    }
    detail.chars().take(LONGEST - 1).collect::<String>() + "…"
}

/// A count with its thousands apart.
pub(super) fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn on_disk(counts: &Counts) -> String {
    match counts.spilled_files {
        0 => String::new(),
        1 => format!("{} in 1 file", bytes(counts.spilled_bytes)),
        files => format!("{} in {} files", bytes(counts.spilled_bytes), number(files)),
    }
}

pub(super) fn bytes(count: u64) -> String {
    let mut size = count as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, next);
    }
    if unit == "B" { format!("{count} B") } else { format!("{size:.1} {unit}") }
}

fn time(spent: Duration) -> String {
    let micros = spent.as_secs_f64() * 1e6;
    if micros < 1000.0 {
        format!("{micros:.0} µs")
    } else if micros < 1e6 {
        format!("{:.1} ms", micros / 1e3)
    } else {
        format!("{:.2} s", micros / 1e6)
    }
}
