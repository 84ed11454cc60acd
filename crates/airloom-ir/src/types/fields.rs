//! The named parts of a row.

use super::TyId;
use crate::hash::hash_of;
use crate::name::Name;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A name and its type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name, unique among its fellows.
    pub name: Name,
    /// Its type.
    pub ty: TyId,
}

/// Fields in order, found by name in logarithmic time: a table of ten thousand columns is not searched from its left edge for each.
#[derive(Clone, Debug)]
pub struct Fields {
    list: Arc<[Field]>,
    by_name: Arc<[u32]>,
    /// Of the list: wide rows are looked up often, and hashed once.
    hash: u64,
}

impl Fields {
    /// The fields in this order, or the first duplicate name.
    pub fn new(list: Vec<Field>) -> Result<Fields, Name> {
        let mut by_name: Vec<u32> = (0..list.len() as u32).collect();
        by_name.sort_by(|&a, &b| list[a as usize].name.cmp(&list[b as usize].name));
        for pair in by_name.windows(2) {
            if list[pair[0] as usize].name == list[pair[1] as usize].name {
                return Err(list[pair[0] as usize].name.clone());
            }
        }
        let hash = hash_of(list.as_slice());
        Ok(Fields { list: list.into(), by_name: by_name.into(), hash })
    }

    /// Those of `self`, then those of `other`; or the first name that both have.
    pub fn concat(&self, other: &Fields) -> Result<Fields, Name> {
        // Both are sorted by name already: wide rows are joined often.
        let (mut left, mut right) = (self.by_name.iter().peekable(), other.by_name.iter().peekable());
        let mut by_name = Vec::with_capacity(self.len() + other.len());
        while let (Some(&&l), Some(&&r)) = (left.peek(), right.peek()) {
            let (first, second) = (&self.list[l as usize].name, &other.list[r as usize].name);
            match first.cmp(second) {
                Ordering::Equal => return Err(first.clone()),
                Ordering::Less => by_name.extend(left.next().copied()),
                Ordering::Greater => by_name.extend(right.next().map(|r| r + self.len() as u32)),
            }
        }
        by_name.extend(left.copied());
        by_name.extend(right.map(|r| r + self.len() as u32));
        let list: Arc<[Field]> = self.iter().chain(other.iter()).cloned().collect();
        let hash = hash_of(&*list);
        Ok(Fields { list, by_name: by_name.into(), hash })
    }

    /// The position of `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let at = self.by_name.binary_search_by(|&i| self.list[i as usize].name.as_str().cmp(name)).ok()?;
        Some(self.by_name[at] as usize)
    }

    /// The type of `name`.
    pub fn ty(&self, name: &str) -> Option<TyId> {
        self.position(name).map(|i| self.list[i].ty)
    }

    /// Whether `name` is among them.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Field> + DoubleEndedIterator {
        self.list.iter()
    }

    /// Their names, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &Name> + DoubleEndedIterator {
        self.list.iter().map(|f| &f.name)
    }

    /// The field at `position`.
    pub fn get(&self, position: usize) -> Option<&Field> {
        self.list.get(position)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Fields) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.list, &other.list) || self.list == other.list)
    }
}

impl Eq for Fields {}

impl Hash for Fields {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
