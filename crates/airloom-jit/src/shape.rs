//! The shape of a body: what a kernel is compiled from, and what it is kept by. Bodies that differ in their literals alone have one shape.

use crate::kind::{Kind, Repr};
use airloom_compute::reduce::{COLUMN_LANES, GROUP_LANES};
use airloom_ir::attrs::Attr;
use airloom_ir::ops::Op;
use airloom_ir::value::Value;
use std::fmt;

/// A node of a shape, by its place in it.
pub(crate) type Slot = usize;

/// Nodes in the order they are computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) nodes: Vec<Node>,
    /// The nodes whose values are results.
    pub(crate) results: Vec<Slot>,
    /// How many inputs there are, literals that were taken out among them.
    pub(crate) inputs: usize,
    /// What is made of the nodes of all rows. A shape has results or folds.
    pub(crate) folds: Vec<FoldOf>,
    /// Whether the interpreter computes some of its inputs.
    pub(crate) beside: bool,
    /// How many bits beside their sign the values of inputs have at most, for those of which the code relies on it: rows with more raise.
    pub(crate) bounds: Vec<Option<u32>>,
}

/// What is made of a node in all rows. A row raises with a null that is not passed over, and in a sum of floats also with one that is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FoldOf {
    /// How many rows there are.
    Rows,
    /// In how many rows the node is not passed over.
    Present { slot: Slot, skip_nan: bool, skip_null: bool },
    /// The sum of integers that are not null, as 64 bits.
    Integers { slot: Slot, skip_null: bool },
    /// The sum of the floats nearest to the node's values.
    Floats { slot: Slot, skip_nan: bool },
    /// The least or the greatest value, as a signed number by which they are ordered.
    Extreme { slot: Slot, least: bool, skip_nan: bool, skip_null: bool },
}

impl FoldOf {
    /// What it is of no rows: 64 bits that change nothing.
    pub(crate) fn nothing(self) -> i64 {
        match self {
            FoldOf::Extreme { least: true, .. } => i64::MAX,
            FoldOf::Extreme { least: false, .. } => i64::MIN,
            FoldOf::Rows | FoldOf::Present { .. } | FoldOf::Integers { .. } | FoldOf::Floats { .. } => 0,
        }
    }
}

/// Of which groups rows are, for folds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Grouping {
    /// All of one: each sum has as many lanes as a block has rows.
    One,
    /// The same, without rows that a bitmap does not name.
    Masked,
    /// Each of one of a few: each group has some lanes.
    Few,
    /// Each of one of many: each group has one sum, to which rows are added in their order.
    Many,
}

impl Grouping {
    /// Whether all rows are of one group.
    pub(crate) fn is_one(self) -> bool {
        matches!(self, Grouping::One | Grouping::Masked)
    }

    /// How many lanes the sums of a group have.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Grouping::One | Grouping::Masked => COLUMN_LANES,
            Grouping::Few => GROUP_LANES,
            Grouping::Many => 1,
        }
    }
}

/// One value in each row.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) args: Vec<Slot>,
    pub(crate) kind: Kind,
    /// A boolean that is never null: where it is false, the node does not raise.
    pub(crate) guard: Option<Slot>,
}

/// What a node's value is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum What {
    /// An input, by number.
    Input(usize),
    /// A literal that the code is made for; null is one.
    Literal(Value),
    /// What an op makes of its arguments. The type that `cast` converts to is the node's.
    Apply(Op, Vec<Attr>),
}

/// How an input is given in a batch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    /// A value for each row, none of them null.
    Values,
    /// A value for each row, with a bitmap of those that are not null.
    Nullable,
    /// One value for all rows.
    Scalar,
    /// Null in all rows.
    Null,
}

/// What code is made for: a shape, how its inputs are given, and whether rows are read by their numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Variant {
    pub(crate) forms: Vec<Form>,
    pub(crate) selected: bool,
    /// Of which groups rows are, for folds.
    pub(crate) grouping: Grouping,
}

impl Shape {
    /// How many lanes its vectors have: as many as floats are added in where they are, else those of 64 bytes of its widest values, but at least eight, so that bitmaps are read by whole bytes.
    pub(crate) fn lanes(&self) -> u32 {
        if !self.folds.is_empty() {
            return COLUMN_LANES as u32;
        }
        let widest = self.nodes.iter().map(|node| node.kind.repr().bits()).max().unwrap_or(64);
        (512 / widest).clamp(8, 64)
    }

    /// Whether its code is faster than the interpreter. The interpreter's loop of a single op is as fast as any, and numbers of 128 bits are computed one by one in
    /// either way: measured, code for them is not faster.
    pub(crate) fn pays(&self) -> bool {
        self.not_worth().is_none()
    }

    /// Why its code is not faster than the interpreter, where it is not.
    pub(crate) fn not_worth(&self) -> Option<&'static str> {
        // Bits that the interpreter has written are read again.
        if self.ops() < 2 + usize::from(self.beside) {
            return Some("a single op is as fast without");
        }
        self.is_wide().then_some("numbers of 128 bits are as fast without")
    }

    /// Whether a fold's code is faster than the interpreter.
    pub(crate) fn fold_pays(&self, grouped: bool) -> bool {
        self.fold_works(grouped) && !self.is_wide()
    }

    /// Whether a fold does enough for each row: the interpreter is as fast where a column is only added up.
    pub(crate) fn fold_works(&self, grouped: bool) -> bool {
        let (ops, folds) = (self.ops(), self.folds.len());
        if grouped { ops + folds >= 4 } else { ops >= 2 || ops == 1 && folds >= 3 }
    }

    fn is_wide(&self) -> bool {
        self.nodes.iter().any(|node| node.kind.repr() == Repr::I128)
    }

    fn ops(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.what, What::Apply(..))).count()
    }

    /// What it computes, in a few words: its first ops, and how many things it adds up.
    pub(crate) fn label(&self) -> String {
        const FEW: usize = 6;
        let ops: Vec<&str> =
            self.nodes.iter().filter_map(|node| if let What::Apply(op, _) = &node.what { Some(op.def().name) } else { None }).collect();
        let more = if ops.len() > FEW { format!(" and {} more", ops.len() - FEW) } else { String::new() };
        let what = if self.folds.is_empty() { "body".to_string() } else { format!("{} folds", self.folds.len()) };
        format!("{what} of {}{more}", ops[..ops.len().min(FEW)].join(", "))
    }

    /// How its inputs are stored, in their order.
    pub(crate) fn input_reprs(&self) -> Vec<Repr> {
        let mut found = vec![Repr::Bit; self.inputs];
        for node in &self.nodes {
            if let What::Input(number) = node.what {
                found[number] = node.kind.repr();
            }
        }
        found
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (slot, node) in self.nodes.iter().enumerate() {
            let args: Vec<String> = node.args.iter().map(|arg| format!("%{arg}")).collect();
            match &node.what {
                What::Input(number) => write!(f, "%{slot} = input {number}")?,
                What::Literal(value) => write!(f, "%{slot} = {value:?}")?,
                What::Apply(op, attrs) => {
                    write!(f, "%{slot} = {}({})", op.def().name, args.join(", "))?;
                    if !attrs.is_empty() {
                        write!(f, " {attrs:?}")?;
                    }
                }
            }
            write!(f, ": {}", node.kind)?;
            if let Some(guard) = node.guard {
                write!(f, " where %{guard}")?;
            }
            writeln!(f)?;
        }
        let results: Vec<String> = self.results.iter().map(|slot| format!("%{slot}")).collect();
        if !self.folds.is_empty() {
            return writeln!(f, "fold {:?} of inputs within {:?} bits", self.folds, self.bounds);
        }
        writeln!(f, "return {}", results.join(", "))
    }
}
