//! Regions of a function that Python runs in the midst of code: the host is called with the numbers and arrays that a region reads, and gives the numbers that it makes.
//!
//! Such a region is a `host.call` whose name is `objmode:7`, by the number that the host knows it under. Its result is a tuple: zero, or why it raised; its numbers; and a new version of each array
//! that it was given, in their order, since it may store to them.

use super::emit::{Why, Writer, kind_of_count};
use super::memory::ALLOCATE;
use super::value::Val;
use crate::kind::{Kind, Repr};
use airloom_ir::graph::NodeId;
use airloom_ir::types::Ty;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What runs a region, by its number: it reads the words of what the region is given, and writes those of what it gives over them.
type Run = extern "C" fn(i64, *mut u64) -> i64;

static RUN: AtomicUsize = AtomicUsize::new(0);

/// Makes known what runs regions.
///
/// # Safety
/// `run` is the address of such a function, which may be called from any thread for as long as the process lives, and writes no more words than the region was given room for.
pub unsafe fn register_object_mode(run: usize) {
    RUN.store(run, Ordering::Release);
}

const REGION: &str = "airloom.object_mode";

/// The names and addresses of all functions.
pub(crate) fn all() -> Vec<(String, usize)> {
    vec![(REGION.to_string(), region as *const () as usize)]
}

extern "C" fn region(number: i64, words: i64) -> i64 {
    let run = RUN.load(Ordering::Acquire);
    if run == 0 {
        return 1;
    }
    // SAFETY: by the contract of `register_object_mode`, and code has made room for the words.
    unsafe { std::mem::transmute::<usize, Run>(run)(number, words as usize as *mut u64) }
}

impl Writer<'_> {
    pub(super) fn object_mode(&mut self, id: NodeId, place: u32, number: i64, args: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        // The number is of this process.
        self.is_portable = false;
        let Ty::Tuple(parts) = self.graph.types().get(self.graph.ty_id(id)).clone() else { return Err("a region gives no tuple".into()) };
        let kinds: Vec<Option<Kind>> = parts.iter().map(|&part| self.kind(part).ok()).collect();
        let (mut words, mut arrays) = (Vec::new(), Vec::new());
        for arg in args {
            match arg {
                Val::Scalar(value, kind) => words.push(self.word(*value, *kind)),
                Val::Array { object, version } => {
                    self.is_current(*object, *version)?;
                    let own = self.objects[*object].clone();
                    words.push(b.convert(LLVMOpcode::LLVMPtrToInt, own.pointer, b.int_type(64)));
                    words.extend(own.extents.iter().chain(&own.strides));
                    arrays.push(*object);
                }
                Val::Tuple(_) => return Err("a region is given a tuple".into()),
            }
        }
        // Python cannot begin again what the region has done.
        self.flag();
        let zero = b.number(0);
        let count = words.len().max(parts.len()) as i64;
        let mark = self.mark();
        let room = self.runtime(ALLOCATE, &[b.param(2), b.number(count), zero, b.number(8)], Repr::I64);
        self.raise_if(self.ints(LLVMIntPredicate::LLVMIntEQ, room, zero), place, Why::Check, [zero, zero, zero]);
        let pointer = b.convert(LLVMOpcode::LLVMIntToPtr, room, b.pointer_type());
        let at = |at: usize| b.offset(pointer, b.int_type(64), b.number(at as i64));
        for (number, word) in words.into_iter().enumerate() {
            b.store(word, at(number));
        }
        let raised = self.runtime(REGION, &[b.number(number), room], Repr::I64);
        let mut found = vec![Val::Scalar(raised, kind_of_count())];
        for (number, kind) in kinds.iter().skip(1).flatten().enumerate() {
            found.push(Val::Scalar(self.value_of_word(b.load(b.int_type(64), at(number)), *kind), *kind));
        }
        self.release(mark, &[]);
        for object in arrays {
            if let Some(param) = self.objects[object].param {
                self.written.insert(param);
            }
            let version = self.version();
            self.objects[object].current = version;
            found.push(Val::Array { object, version });
        }
        match found.len() == parts.len() {
            true => Ok(Val::Tuple(found)),
            false => Err("a region gives other values than it was said to".into()),
        }
    }
}
