//! Blocks: functions of the program as steps over slots.

use super::{BlockId, PlanId, SlotId};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

/// A function as steps, computed one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its values. Arguments come first.
    pub slots: Vec<Slot>,
    /// Its steps, each of which fills a slot from slots filled before.
    pub steps: Vec<Step>,
    /// The slot that is its result.
    pub result: SlotId,
}

/// One value of a block.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its type.
    pub ty: TyId,
    /// Where it comes from.
    pub source: SlotSource,
}

/// Where the value of a slot comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum SlotSource {
    /// The argument of this number.
    Argument(usize),
    /// It is a constant.
    Literal(Value),
    /// It is the constant that binding gives to the placeholder of this number.
    Placeholder(usize),
    /// A step computes it.
    Step,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The slot that it fills.
    pub slot: SlotId,
    /// How.
    pub kind: StepKind,
    /// The node of the program that it computes, which errors name.
    pub origin: Option<NodeId>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// Computes all rows of a node.
    Relation(PlanId),
    /// Applies an op to values and arrays.
    Apply(Apply),
    /// Calls a function that is known.
    Call {
        /// The function.
        block: BlockId,
        /// Its arguments.
        arguments: Vec<SlotId>,
    },
    /// Calls a function that is a value.
    CallValue {
        /// The function.
        function: SlotId,
        /// Its arguments.
        arguments: Vec<SlotId>,
    },
    /// A function as a value.
    Function {
        /// The function.
        function: NodeId,
        /// Its block.
        block: BlockId,
    },
    /// A source that is no relation.
    Source(Name),
    /// Gives bodies on the interpreter the data of a source that they read, unless they have it already.
    Provide {
        /// The source.
        name: Name,
        /// Its rows; none where it is no relation.
        rows: Option<PlanId>,
    },
}

/// An op applied to slots.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The node of the graph whose op, attributes, types and bodies these are.
    pub node: NodeId,
    /// What each argument that is no body is.
    pub arguments: Vec<SlotId>,
    /// The block of each of its bodies, for where one is run on its own.
    pub blocks: Vec<BlockId>,
}

impl Block {
    /// How many arguments it takes.
    pub fn arguments(&self) -> usize {
        self.slots.iter().take_while(|slot| matches!(slot.source, SlotSource::Argument(_))).count()
    }
}
