//! The shape of a body: what a kernel is compiled from, and what it is kept by. Bodies that differ in their literals alone have one shape.

use crate::kind::{Kind, Repr};
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
}

impl Shape {
    /// How many lanes its vectors have: those of 64 bytes of its widest values, but at least eight, so that bitmaps are read by whole bytes.
    pub(crate) fn lanes(&self) -> u32 {
        let widest = self.nodes.iter().map(|node| node.kind.repr().bits()).max().unwrap_or(64);
        (512 / widest).clamp(8, 64)
    }

    /// Whether its code is faster than the interpreter. The interpreter's loop of a single op is as fast as any, and numbers of 128 bits are computed one by one in
    /// either way: measured, code for them is not faster.
    pub(crate) fn pays(&self) -> bool {
        let ops = self.nodes.iter().filter(|node| matches!(node.what, What::Apply(..))).count();
        ops >= 2 && self.nodes.iter().all(|node| node.kind.repr() != Repr::I128)
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
        writeln!(f, "return {}", results.join(", "))
    }
}
