//! Decimals in 64 bits: a product of prices and discounts has 31 digits by its type and 35 bits in fact. How many bits inputs have is measured on a batch, the code is made for
//! that, and looks whether it holds of every row.

use crate::kind::{Kind, Repr};
use crate::shape::{FoldOf, Node, Shape, What};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::value::Value;

/// A decimal of this many digits is stored in 64 bits.
const NARROW_DIGITS: u8 = 18;

/// Numbers up to this size are computed in 64 bits: one bit is left, besides the sign.
const MOST: u128 = 1 << 62;

/// A shape whose decimals have 64 bits.
pub(crate) struct Narrowed {
    pub(crate) shape: Shape,
    /// How many rows may be added up before a sum of decimals could pass 64 bits.
    pub(crate) rows: u128,
}

/// The shape with decimals of 64 bits, where `bits` is how many its inputs have at most beside their sign, and `None` for those that are not decimals. `None` where something needs more.
pub(crate) fn narrowed(shape: &Shape, bits: &[Option<u32>]) -> Option<Narrowed> {
    let mut made = Shape { bounds: bits.to_vec(), ..shape.clone() };
    let mut sizes: Vec<u128> = Vec::with_capacity(made.nodes.len());
    for at in 0..made.nodes.len() {
        let size = size_of(&made, at, &sizes, bits)?;
        let node = &mut made.nodes[at];
        if let (Kind::Decimal { scale, .. }, Repr::I128) = (node.kind, node.kind.repr()) {
            if size > MOST {
                return None;
            }
            node.kind = Kind::Decimal { precision: NARROW_DIGITS, scale };
        }
        sizes.push(size);
    }
    let summed = made.folds.iter().filter_map(|fold| match fold {
        FoldOf::Integers { slot, .. } if matches!(made.nodes[*slot].kind, Kind::Decimal { .. }) => Some(sizes[*slot]),
        _ => None,
    });
    let largest = summed.max().unwrap_or(1).max(1);
    Some(Narrowed { rows: (i64::MAX as u128) / largest, shape: made })
}

/// How large a decimal is at most, whatever its sign; of what is no decimal nothing is asked. `None` where a decimal of 128 bits is made by an op whose size is not known here.
fn size_of(shape: &Shape, at: usize, sizes: &[u128], bits: &[Option<u32>]) -> Option<u128> {
    let node = &shape.nodes[at];
    let Kind::Decimal { precision, .. } = node.kind else {
        // What reads decimals of several sizes must know all of them.
        let reads_wide = node.args.iter().any(|&arg| is_decimal(&shape.nodes[arg]) && sizes[arg] > MOST);
        return (!reads_wide).then_some(0);
    };
    let by_digits = 10u128.checked_pow(precision.into())?;
    let arg = |number: usize| sizes[node.args[number]];
    let size = match &node.what {
        What::Input(number) => 1u128 << bits[*number]?,
        What::Literal(Value::Int(value)) => value.unsigned_abs(),
        What::Literal(_) => 0,
        What::Apply(Op::Number(Number::Add | Number::Sub), _) => arg(0).checked_add(arg(1))?,
        What::Apply(Op::Number(Number::Mul), _) => arg(0).checked_mul(arg(1))?,
        What::Apply(Op::Number(Number::Neg | Number::Abs), _) => arg(0),
        What::Apply(Op::Number(Number::Least | Number::Greatest), _) => arg(0).max(arg(1)),
        What::Apply(Op::Logic(Logic::Select), _) => arg(1).max(arg(2)),
        What::Apply(Op::Logic(Logic::Coalesce), _) => node.args.iter().map(|&arg| sizes[arg]).max()?,
        What::Apply(..) if node.kind.repr() == Repr::I128 => return None,
        What::Apply(..) => by_digits,
    };
    Some(size.min(by_digits))
}

fn is_decimal(node: &Node) -> bool {
    matches!(node.kind, Kind::Decimal { .. })
}
