//! Basic blocks, the values that meet in them, and what accesses to memory are known not to touch.

use super::builder::{Builder, Type, Value};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::{
    LLVMAddIncoming, LLVMAppendBasicBlockInContext, LLVMBuildBinOp, LLVMBuildBr, LLVMBuildCondBr, LLVMBuildPhi, LLVMBuildRet,
    LLVMGetInsertBlock, LLVMGetMDKindIDInContext, LLVMMDNodeInContext2, LLVMMDStringInContext2, LLVMMetadataAsValue,
    LLVMPositionBuilderAtEnd, LLVMSetMetadata, LLVMSetNSW,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef};

/// A basic block of a function that is being built.
#[derive(Clone, Copy)]
pub(crate) struct Block(LLVMBasicBlockRef);

/// Memory that no access to another scope of the same module touches.
#[derive(Clone, Copy)]
pub(crate) struct Scope(LLVMMetadataRef);

impl Builder {
    /// A new block, which nothing comes to yet.
    pub(crate) fn block(&self) -> Block {
        // SAFETY: the function is of this context.
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, self.function, c"".as_ptr()) })
    }

    /// The block that is being written.
    pub(crate) fn here(&self) -> Block {
        // SAFETY: the builder stands in a block from its beginning on.
        Block(unsafe { LLVMGetInsertBlock(self.builder) })
    }

    /// Goes on writing in a block.
    pub(crate) fn enter(&self, block: Block) {
        // SAFETY: a block of this function.
        unsafe { LLVMPositionBuilderAtEnd(self.builder, block.0) }
    }

    /// Ends the block: another follows.
    pub(crate) fn go(&self, to: Block) {
        // SAFETY: a block of this function; the present one is not ended yet, since whoever ends one enters another.
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }

    /// Ends the block: one of two follows.
    pub(crate) fn go_if(&self, condition: Value, then: Block, otherwise: Block) {
        // SAFETY: as for `go`; the condition is a bit.
        unsafe { LLVMBuildCondBr(self.builder, condition.0, then.0, otherwise.0) };
    }

    /// Ends the function with a number.
    pub(crate) fn give(&self, value: Value) {
        // SAFETY: the function returns 64 bits.
        unsafe { LLVMBuildRet(self.builder, value.0) };
    }

    /// A value that depends on where one comes from; `meet` says what it is for each block before.
    pub(crate) fn phi(&self, ty: Type) -> Value {
        // SAFETY: a type of this context.
        Value(unsafe { LLVMBuildPhi(self.builder, ty.0, c"".as_ptr()) })
    }

    /// What a phi is when one comes from a block.
    pub(crate) fn meet(&self, phi: Value, value: Value, from: Block) {
        let (mut values, mut blocks) = ([value.0], [from.0]);
        // SAFETY: one value of the phi's type, and one block.
        unsafe { LLVMAddIncoming(phi.0, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) }
    }

    /// A sum, difference or product that is known to fit.
    pub(crate) fn fitting(&self, op: LLVMOpcode, left: Value, right: Value) -> Value {
        // SAFETY: two integers of one type; constants that were folded carry no flag, and are left alone.
        unsafe {
            let made = LLVMBuildBinOp(self.builder, op, left.0, right.0, c"".as_ptr());
            if !llvm_sys::core::LLVMIsABinaryOperator(made).is_null() {
                LLVMSetNSW(made, 1);
            }
            Value(made)
        }
    }

    /// A scope of this number: memory apart from that of every other number.
    pub(crate) fn scope(&self, number: usize) -> Scope {
        let text = |name: &str| {
            // SAFETY: the text is copied.
            unsafe { LLVMMDStringInContext2(self.context, name.as_ptr().cast(), name.len()) }
        };
        let node = |mut parts: Vec<LLVMMetadataRef>| {
            // SAFETY: as many parts as are counted.
            unsafe { LLVMMDNodeInContext2(self.context, parts.as_mut_ptr(), parts.len()) }
        };
        Scope(node(vec![text(&format!("airloom.array.{number}")), node(vec![text("airloom.arrays")])]))
    }

    /// Says that a load or store touches one of the scopes, and none of the others.
    pub(crate) fn touches(&self, access: Value, scopes: &[Scope], own: usize) {
        let set = |name: &str, mut members: Vec<LLVMMetadataRef>| {
            if members.is_empty() {
                return;
            }
            // SAFETY: the access is an instruction of this module; kind and list are of its context.
            unsafe {
                let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32);
                let list = LLVMMDNodeInContext2(self.context, members.as_mut_ptr(), members.len());
                LLVMSetMetadata(access.0, kind, LLVMMetadataAsValue(self.context, list));
            }
        };
        set("alias.scope", vec![scopes[own].0]);
        set("noalias", scopes.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, scope)| scope.0).collect());
    }
}
