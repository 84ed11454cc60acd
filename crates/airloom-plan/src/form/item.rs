//! Records and their items.

use crate::value::{Argument, BlockId, FilterUse, PlanId, Published, SlotId};
use airloom_ir::attrs::SortKey;
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

/// A method that takes an item of one kind out.
macro_rules! take {
    ($($method:ident $variant:ident -> $ty:ty, $what:literal;)*) => { $(
        pub(crate) fn $method(&mut self, name: &str) -> Result<$ty, String> {
            match self.required(name)? {
                Item::$variant(found) => Ok(found),
                other => Err(format!("`{name}` of `{}` is {other:?}, expected {}", self.word, $what)),
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
    pub(crate) fn optional(&mut self, name: &str) -> Option<Item> {
        let at = self.fields.iter().position(|(known, _)| known == name)?;
        Some(self.fields.swap_remove(at).1)
    }

    fn required(&mut self, name: &str) -> Result<Item, String> {
        self.optional(name).ok_or_else(|| format!("`{}` lacks `{name}`", self.word))
    }

    take! {
        slot Slot -> SlotId, "a slot";
        slots Slots -> Vec<SlotId>, "slots";
        blocks Blocks -> Vec<BlockId>, "blocks";
        nodes Nodes -> Vec<PlanId>, "nodes";
        name Name -> Name, "a name";
        names Names -> Vec<Name>, "names";
        int Int -> i64, "an integer";
        ints Ints -> Vec<i64>, "integers";
        flag Flag -> bool, "`true` or `false`";
        text Word -> String, "a word";
        sort Sort -> Vec<SortKey>, "sort keys";
        ty Type -> TyId, "a type";
        types Types -> Vec<TyId>, "types";
        uses Uses -> Vec<FilterUse>, "dynamic filters";
        arguments Arguments -> Vec<Argument>, "arguments";
        values Values -> Vec<Value>, "values";
    }

    /// A body, whose function is one of these.
    pub(crate) fn body(&mut self, name: &str, functions: &[airloom_ir::graph::NodeId]) -> Result<crate::value::Body, String> {
        match self.required(name)? {
            Item::Body(number, captures) => {
                let function =
                    functions.get(number).copied().ok_or_else(|| format!("there is no function {number} among {}", functions.len()))?;
                Ok(crate::value::Body { function, captures })
            }
            other => Err(format!("`{name}` of `{}` is {other:?}, expected a body", self.word)),
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
