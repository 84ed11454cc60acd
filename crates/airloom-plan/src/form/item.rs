//! Records and their items.

use crate::value::{Argument, BlockId, Body, FilterUse, PlanId, Published, SlotId};
use airloom_ir::attrs::SortKey;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

/// A word with named items.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Record {
    pub(crate) word: String,
    pub(crate) fields: Vec<(String, Item)>,
}

/// One item of a record.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    /// A function by its number, and what it captures.
    Body(usize, Vec<SlotId>),
    Slot(SlotId),
    Slots(Vec<SlotId>),
    Blocks(Vec<BlockId>),
    Nodes(Vec<PlanId>),
    Name(Name),
    Names(Vec<Name>),
    Int(i64),
    Ints(Vec<i64>),
    Flag(bool),
    Word(String),
    Sort(Vec<SortKey>),
    Type(TyId),
    Types(Vec<TyId>),
    Uses(Vec<FilterUse>),
    Published(Vec<Published>),
    Arguments(Vec<Argument>),
    Ranges(Vec<Option<(i64, i64)>>),
    Values(Vec<Value>),
}

/// The items of a record while they are taken out by name.
pub(crate) struct Fields {
    word: String,
    fields: Vec<(String, Item)>,
}

/// Methods that take an item of one kind out: one that may be there, and for most kinds one that must be.
macro_rules! take {
    ($($optional:ident $($required:ident)?: $variant:ident -> $ty:ty, $what:literal;)*) => { $(
        $(pub(crate) fn $required(&mut self, name: &str) -> Result<$ty, String> {
            self.$optional(name)?.ok_or_else(|| self.lacks(name))
        })?

        pub(crate) fn $optional(&mut self, name: &str) -> Result<Option<$ty>, String> {
            match self.optional(name) {
                None => Ok(None),
                Some(Item::$variant(found)) => Ok(Some(found)),
                Some(other) => Err(format!("`{name}` of `{}` is {other:?}, expected {}", self.word, $what)),
            }
        }
    )* };
}

impl Fields {
    pub(crate) fn new(record: Record) -> Fields {
        Fields { word: record.word, fields: record.fields }
    }

    pub(crate) fn word(&self) -> &str {
        &self.word
    }

    /// Takes an item out, where it is there.
    fn optional(&mut self, name: &str) -> Option<Item> {
        let at = self.fields.iter().position(|(known, _)| known == name)?;
        Some(self.fields.swap_remove(at).1)
    }

    fn lacks(&self, name: &str) -> String {
        format!("`{}` lacks `{name}`", self.word)
    }

    take! {
        optional_slot slot: Slot -> SlotId, "a slot";
        optional_slots slots: Slots -> Vec<SlotId>, "slots";
        optional_blocks blocks: Blocks -> Vec<BlockId>, "blocks";
        optional_nodes nodes: Nodes -> Vec<PlanId>, "nodes";
        optional_name name: Name -> Name, "a name";
        optional_names names: Names -> Vec<Name>, "names";
        optional_int int: Int -> i64, "an integer";
        optional_ints ints: Ints -> Vec<i64>, "integers";
        optional_flag flag: Flag -> bool, "`true` or `false`";
        optional_text text: Word -> String, "a word";
        optional_sort sort: Sort -> Vec<SortKey>, "sort keys";
        optional_ty ty: Type -> TyId, "a type";
        optional_types types: Types -> Vec<TyId>, "types";
        optional_uses uses: Uses -> Vec<FilterUse>, "dynamic filters";
        optional_published: Published -> Vec<Published>, "published keys";
        optional_ranges: Ranges -> Vec<Option<(i64, i64)>>, "ranges";
        optional_arguments arguments: Arguments -> Vec<Argument>, "arguments";
        optional_values values: Values -> Vec<Value>, "values";
    }

    /// A body, whose function is one of these.
    pub(crate) fn body(&mut self, name: &str, functions: &[NodeId]) -> Result<Body, String> {
        self.optional_body(name, functions)?.ok_or_else(|| self.lacks(name))
    }

    /// A body that may be there, whose function is one of these.
    pub(crate) fn optional_body(&mut self, name: &str, functions: &[NodeId]) -> Result<Option<Body>, String> {
        match self.optional(name) {
            None => Ok(None),
            Some(Item::Body(number, captures)) => match functions.get(number) {
                Some(&function) => Ok(Some(Body { function, captures })),
                None => Err(format!("there is no function {number} among {}", functions.len())),
            },
            Some(other) => Err(format!("`{name}` of `{}` is {other:?}, expected a body", self.word)),
        }
    }

    /// One of a closed list of words.
    pub(crate) fn one_of<T: Copy>(&mut self, name: &str, all: &[(T, &str)]) -> Result<T, String> {
        let word = self.text(name)?;
        all.iter().find(|(_, known)| *known == word).map(|(value, _)| *value).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(|(_, word)| format!("`{word}`")).collect();
            format!("`{name}` of `{}` is `{word}`, expected one of {}", self.word, known.join(", "))
        })
    }

    /// Nothing may be left over.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.fields.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("`{}` takes no `{name}`", self.word)),
        }
    }
}
