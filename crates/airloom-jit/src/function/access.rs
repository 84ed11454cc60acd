//! Elements read and stored.

use super::emit::{Why, Writer};
use super::value::Val;
use crate::kind::Kind;
use crate::llvm::Value;
use airloom_ir::graph::NodeId;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

impl Writer<'_> {
    pub(super) fn at(&mut self, id: NodeId, place: u32, array: &Val, indices: &[Val]) -> Result<Val, String> {
        let Val::Array { object, version } = *array else { return Err("`arr.at` is given no array".into()) };
        self.is_current(object, version)?;
        let pointer = self.address(id, place, object, indices)?;
        let (b, kind) = (self.builder, self.objects[object].kind);
        let loaded = match kind {
            Kind::Bool => b.load(b.int_type(8), pointer),
            _ => b.load(b.scalar_type(kind.repr()), pointer),
        };
        self.touches(loaded, object);
        let value = match kind {
            Kind::Bool => self.ints(LLVMIntPredicate::LLVMIntNE, loaded, b.convert(LLVMOpcode::LLVMTrunc, b.number(0), b.int_type(8))),
            _ => loaded,
        };
        Ok(Val::Scalar(value, kind))
    }

    pub(super) fn put(&mut self, id: NodeId, place: u32, fixed: &[Val], indices: &[Val]) -> Result<Val, String> {
        let Val::Array { object, version } = fixed[0] else { return Err("`arr.put` is given no array".into()) };
        self.is_current(object, version)?;
        let (item, kind) = fixed[1].scalar()?;
        if !self.objects[object].is_made {
            self.flag();
        }
        let pointer = self.address(id, place, object, indices)?;
        let b = self.builder;
        let item = if kind == Kind::Bool { b.convert(LLVMOpcode::LLVMZExt, item, b.int_type(8)) } else { item };
        let store = b.store(item, pointer);
        self.touches(store, object);
        if let Some(param) = self.objects[object].param {
            self.written.insert(param);
        }
        let version = self.version();
        self.objects[object].current = version;
        Ok(Val::Array { object, version })
    }

    /// Says what a load or store of an array does not touch.
    fn touches(&self, access: Value, object: usize) {
        if let Some(scope) = self.objects[object].scope {
            self.builder.touches(access, &self.scopes, scope);
        }
    }

    /// Where an element is; an index outside raises.
    fn address(&mut self, id: NodeId, place: u32, object: usize, indices: &[Val]) -> Result<Value, String> {
        let b = self.builder;
        let mut offset = b.number(0);
        for (axis, index) in indices.iter().enumerate() {
            let (index, _) = index.scalar()?;
            let (extent, stride) = (self.objects[object].extents[axis], self.objects[object].strides[axis]);
            let within = self.known.within(id, axis);
            let position = match within {
                Some(known) if !known.may_be_negative => index,
                _ => {
                    let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, index, b.number(0));
                    b.select(negative, b.math(LLVMOpcode::LLVMAdd, index, extent), index)
                }
            };
            if within.is_none() {
                let outside = self.ints(LLVMIntPredicate::LLVMIntUGE, position, extent);
                self.raise_if(outside, place, Why::Index, [index, b.number(axis as i64), extent]);
            }
            offset = b.math(LLVMOpcode::LLVMAdd, offset, b.math(LLVMOpcode::LLVMMul, position, stride));
        }
        Ok(b.offset(self.objects[object].pointer, b.int_type(8), offset))
    }
}
