//! Modules of LLVM's IR: one function of one loop each, over vectors of a number of lanes.

use crate::kind::Repr;
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMAddFunction, LLVMAddIncoming, LLVMAppendBasicBlockInContext, LLVMBuildAdd, LLVMBuildBinOp, LLVMBuildBr,
    LLVMBuildCall2, LLVMBuildCast, LLVMBuildCondBr, LLVMBuildExtractElement, LLVMBuildExtractValue, LLVMBuildFCmp, LLVMBuildFNeg,
    LLVMBuildGEP2, LLVMBuildICmp, LLVMBuildInsertElement, LLVMBuildLoad2, LLVMBuildNot, LLVMBuildPhi, LLVMBuildRet, LLVMBuildSelect,
    LLVMBuildStore, LLVMConstInt, LLVMConstIntGetSExtValue, LLVMConstIntOfArbitraryPrecision, LLVMConstReal, LLVMConstVector,
    LLVMContextCreate, LLVMContextDispose, LLVMCreateBuilderInContext, LLVMCreateEnumAttribute, LLVMDisposeBuilder, LLVMDisposeMessage,
    LLVMDisposeModule, LLVMDoubleTypeInContext, LLVMFloatTypeInContext, LLVMFunctionType, LLVMGetEnumAttributeKindForName,
    LLVMGetInsertBlock, LLVMGetIntTypeWidth, LLVMGetIntrinsicDeclaration, LLVMGetNamedFunction, LLVMGetParam, LLVMGetPoison,
    LLVMGlobalGetValueType, LLVMInt64TypeInContext, LLVMIntTypeInContext, LLVMIsAConstantInt, LLVMLookupIntrinsicID,
    LLVMModuleCreateWithNameInContext, LLVMPointerTypeInContext, LLVMPositionBuilderAtEnd, LLVMPrintModuleToString, LLVMSetAlignment,
    LLVMTypeOf, LLVMVectorType,
};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use std::ffi::{CStr, CString};

/// Names of values: none.
const NO_NAME: &CStr = c"";

/// A value of a module that is being built.
#[derive(Clone, Copy)]
pub(crate) struct Value(pub(super) LLVMValueRef);

/// A type of a module that is being built.
#[derive(Clone, Copy)]
pub(crate) struct Type(pub(super) LLVMTypeRef);

/// How two values compare.
#[derive(Clone, Copy)]
pub(crate) enum Compare {
    Int(LLVMIntPredicate),
    Float(LLVMRealPredicate),
}

/// A finished module.
pub(crate) struct Module {
    context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both were made by `Builder::new` and are disposed of once, the module before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

impl Module {
    /// Its text.
    pub(crate) fn text(&self) -> String {
        // SAFETY: the module lives; the text is LLVM's until it is disposed of, after it was copied.
        unsafe {
            let text = LLVMPrintModuleToString(self.module);
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            copy
        }
    }
}

/// Builds a module with one function. Every value and type that it gives out is of its module: values of two builders are never mixed, since a builder lives within one function.
pub(crate) struct Builder {
    module: Option<Module>,
    pub(super) context: LLVMContextRef,
    pub(super) builder: LLVMBuilderRef,
    pub(super) function: LLVMValueRef,
    /// How many lanes vectors have; none where all values are single ones.
    lanes: u32,
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: it was made by `new`, and its context is dropped after it, with the module.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Builder {
    /// As [`Builder::new`], for a function that computes with single values: a vector of it is one value, in every lane is in that value.
    pub(crate) fn of_scalars(name: &str) -> Builder {
        Builder::new(name, 0)
    }

    /// A module with a function `name` that takes two pointers and two numbers, and returns a number. It stands in the function's first block.
    pub(crate) fn new(name: &str, lanes: u32) -> Builder {
        let name = CString::new(name).expect("names have no zero byte");
        // SAFETY: each call is given what the calls before it made, all of one context.
        unsafe {
            let context = LLVMContextCreate();
            let module = LLVMModuleCreateWithNameInContext(name.as_ptr(), context);
            let builder = LLVMCreateBuilderInContext(context);
            let (pointer, number) = (LLVMPointerTypeInContext(context, 0), LLVMInt64TypeInContext(context));
            let mut params = [pointer, pointer, number, number];
            let function = LLVMAddFunction(module, name.as_ptr(), LLVMFunctionType(number, params.as_mut_ptr(), 4, 0));
            let kind = LLVMGetEnumAttributeKindForName(c"nounwind".as_ptr(), 8);
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
            let first = LLVMAppendBasicBlockInContext(context, function, NO_NAME.as_ptr());
            LLVMPositionBuilderAtEnd(builder, first);
            Builder { module: Some(Module { context, module }), context, builder, function, lanes }
        }
    }

    /// The module, finished.
    pub(crate) fn finish(mut self) -> Module {
        self.module.take().expect("it is taken once")
    }

    fn module(&self) -> LLVMModuleRef {
        self.module.as_ref().expect("it is taken when the builder ends").module
    }

    /// How many lanes vectors have.
    pub(crate) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// A parameter of the function.
    pub(crate) fn param(&self, at: u32) -> Value {
        assert!(at < 4, "invariant `a kernel has four parameters`: asked for number {at}");
        // SAFETY: the function has this parameter.
        Value(unsafe { LLVMGetParam(self.function, at) })
    }

    /// An integer type of `n` bits.
    pub(crate) fn int_type(&self, bits: u32) -> Type {
        // SAFETY: the context lives.
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    pub(crate) fn pointer_type(&self) -> Type {
        // SAFETY: the context lives.
        Type(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    /// One value in a register.
    pub(crate) fn scalar_type(&self, repr: Repr) -> Type {
        match repr {
            // SAFETY: the context lives.
            Repr::F32 => Type(unsafe { LLVMFloatTypeInContext(self.context) }),
            // SAFETY: the context lives.
            Repr::F64 => Type(unsafe { LLVMDoubleTypeInContext(self.context) }),
            other => self.int_type(other.bits()),
        }
    }

    /// A vector of values.
    pub(crate) fn vector_type(&self, repr: Repr) -> Type {
        let element = self.scalar_type(repr);
        if self.lanes == 0 {
            return element;
        }
        // SAFETY: integers and floats are elements of vectors.
        Type(unsafe { LLVMVectorType(element.0, self.lanes) })
    }

    /// A constant of 64 bits.
    pub(crate) fn number(&self, value: i64) -> Value {
        // SAFETY: the type is of this context.
        Value(unsafe { LLVMConstInt(self.int_type(64).0, value as u64, 0) })
    }

    /// An integer in every lane, modulo two to the number of bits.
    pub(crate) fn splat(&self, repr: Repr, value: i128) -> Value {
        let words = [value as u64, (value >> 64) as u64];
        // SAFETY: an integer type of at most 128 bits takes two words.
        self.repeated(Value(unsafe { LLVMConstIntOfArbitraryPrecision(self.int_type(repr.bits()).0, 2, words.as_ptr()) }))
    }

    /// The number that a value is, where that is a constant of at most 64 bits, and no vector.
    pub(crate) fn known_integer(&self, value: Value) -> Option<i64> {
        // SAFETY: the value is of this module; what is no constant integer is seen to be none before its type is looked at.
        unsafe {
            let constant = LLVMIsAConstantInt(value.0);
            (!constant.is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64).then(|| LLVMConstIntGetSExtValue(constant))
        }
    }

    /// A float in every lane, rounded to its width.
    pub(crate) fn splat_float(&self, repr: Repr, value: f64) -> Value {
        // SAFETY: the type is a float's.
        self.repeated(Value(unsafe { LLVMConstReal(self.scalar_type(repr).0, value) }))
    }

    /// Every lane true, or false.
    pub(crate) fn mask(&self, value: bool) -> Value {
        self.splat(Repr::Bit, value.into())
    }

    /// A constant in every lane.
    fn repeated(&self, constant: Value) -> Value {
        if self.lanes == 0 {
            return constant;
        }
        let mut lanes = vec![constant.0; self.lanes as usize];
        // SAFETY: as many constants of one type as are counted.
        Value(unsafe { LLVMConstVector(lanes.as_mut_ptr(), self.lanes) })
    }

    /// A value in every lane.
    pub(crate) fn broadcast(&self, value: Value, repr: Repr) -> Value {
        (0..self.lanes).fold(self.undefined(repr), |vector, lane| self.insert(vector, value, lane))
    }

    fn undefined(&self, repr: Repr) -> Value {
        // SAFETY: the type is of this context.
        Value(unsafe { LLVMGetPoison(self.vector_type(repr).0) })
    }

    fn lane(&self, lane: u32) -> LLVMValueRef {
        // SAFETY: the type is of this context.
        unsafe { LLVMConstInt(self.int_type(32).0, lane.into(), 0) }
    }

    fn insert(&self, vector: Value, value: Value, lane: u32) -> Value {
        // SAFETY: a vector, a value of its elements' type, and a lane it has.
        Value(unsafe { LLVMBuildInsertElement(self.builder, vector.0, value.0, self.lane(lane), NO_NAME.as_ptr()) })
    }

    /// The value in a lane.
    pub(crate) fn extract(&self, vector: Value, lane: u32) -> Value {
        // SAFETY: a vector, and a lane it has.
        Value(unsafe { LLVMBuildExtractElement(self.builder, vector.0, self.lane(lane), NO_NAME.as_ptr()) })
    }

    /// An operator on two values of one type.
    pub(crate) fn math(&self, op: LLVMOpcode, left: Value, right: Value) -> Value {
        // SAFETY: the caller's values are of this module; that they suit the operator is seen when the module is verified.
        Value(unsafe { LLVMBuildBinOp(self.builder, op, left.0, right.0, NO_NAME.as_ptr()) })
    }

    pub(crate) fn and(&self, left: Value, right: Value) -> Value {
        self.math(LLVMOpcode::LLVMAnd, left, right)
    }

    pub(crate) fn or(&self, left: Value, right: Value) -> Value {
        self.math(LLVMOpcode::LLVMOr, left, right)
    }

    pub(crate) fn not(&self, value: Value) -> Value {
        // SAFETY: an integer or a vector of them.
        Value(unsafe { LLVMBuildNot(self.builder, value.0, NO_NAME.as_ptr()) })
    }

    pub(crate) fn negative(&self, float: Value) -> Value {
        // SAFETY: a float or a vector of them.
        Value(unsafe { LLVMBuildFNeg(self.builder, float.0, NO_NAME.as_ptr()) })
    }

    pub(crate) fn compare(&self, how: Compare, left: Value, right: Value) -> Value {
        // SAFETY: two values of one type, for which there is this comparison.
        Value(unsafe {
            match how {
                Compare::Int(how) => LLVMBuildICmp(self.builder, how, left.0, right.0, NO_NAME.as_ptr()),
                Compare::Float(how) => LLVMBuildFCmp(self.builder, how, left.0, right.0, NO_NAME.as_ptr()),
            }
        })
    }

    pub(crate) fn select(&self, mask: Value, then: Value, otherwise: Value) -> Value {
        // SAFETY: a mask, and two values of one type.
        Value(unsafe { LLVMBuildSelect(self.builder, mask.0, then.0, otherwise.0, NO_NAME.as_ptr()) })
    }

    pub(crate) fn convert(&self, how: LLVMOpcode, value: Value, to: Type) -> Value {
        // SAFETY: a value of this module and a type of its context.
        Value(unsafe { LLVMBuildCast(self.builder, how, value.0, to.0, NO_NAME.as_ptr()) })
    }

    /// An intrinsic function of LLVM, for the types it is overloaded by.
    pub(crate) fn intrinsic(&self, name: &str, overloads: &[Type], args: &[Value]) -> Value {
        let mut overloads: Vec<LLVMTypeRef> = overloads.iter().map(|ty| ty.0).collect();
        let mut args: Vec<LLVMValueRef> = args.iter().map(|arg| arg.0).collect();
        // SAFETY: the name is found before its declaration is asked for, with as many overloads and arguments as are counted.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "invariant `LLVM has the intrinsics that kernels use`: not `{name}`");
            let function = LLVMGetIntrinsicDeclaration(self.module(), id, overloads.as_mut_ptr(), overloads.len());
            let ty = LLVMGlobalGetValueType(function);
            Value(LLVMBuildCall2(self.builder, ty, function, args.as_mut_ptr(), args.len() as u32, NO_NAME.as_ptr()))
        }
    }

    /// Both parts of what an intrinsic returns as a pair.
    pub(crate) fn parts(&self, pair: Value) -> (Value, Value) {
        // SAFETY: a struct of two members.
        let part = |at| Value(unsafe { LLVMBuildExtractValue(self.builder, pair.0, at, NO_NAME.as_ptr()) });
        (part(0), part(1))
    }

    /// A function outside, called once for each lane.
    pub(crate) fn call_lanes(&self, name: &str, args: &[(Value, Repr)], result: Repr) -> Value {
        let symbol = CString::new(name).expect("names have no zero byte");
        let mut params: Vec<LLVMTypeRef> = args.iter().map(|(_, repr)| self.scalar_type(*repr).0).collect();
        // SAFETY: a type of this context with as many parameters as are counted; a function is declared once under a name.
        let (ty, function) = unsafe {
            let ty = LLVMFunctionType(self.scalar_type(result).0, params.as_mut_ptr(), params.len() as u32, 0);
            let known = LLVMGetNamedFunction(self.module(), symbol.as_ptr());
            (ty, if known.is_null() { self.declared(&symbol, ty) } else { known })
        };
        if self.lanes == 0 {
            let mut given: Vec<LLVMValueRef> = args.iter().map(|(arg, _)| arg.0).collect();
            // SAFETY: the arguments have the types that the function was declared with.
            return Value(unsafe { LLVMBuildCall2(self.builder, ty, function, given.as_mut_ptr(), given.len() as u32, NO_NAME.as_ptr()) });
        }
        (0..self.lanes).fold(self.undefined(result), |vector, lane| {
            let mut given: Vec<LLVMValueRef> = args.iter().map(|(arg, _)| self.extract(*arg, lane).0).collect();
            // SAFETY: the arguments have the types that the function was declared with.
            let made = unsafe { LLVMBuildCall2(self.builder, ty, function, given.as_mut_ptr(), given.len() as u32, NO_NAME.as_ptr()) };
            self.insert(vector, Value(made), lane)
        })
    }

    /// A function outside. Those of numbers depend on nothing else and do nothing else, so that LLVM may call them once before a loop.
    fn declared(&self, symbol: &CStr, ty: LLVMTypeRef) -> LLVMValueRef {
        // SAFETY: a type of this context; the attributes are LLVM's own, and hold for functions of numbers.
        unsafe {
            let function = LLVMAddFunction(self.module(), symbol.as_ptr(), ty);
            if crate::functions::is_of_numbers(&symbol.to_string_lossy()) {
                for name in [c"nounwind", c"willreturn", c"memory"] {
                    let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes());
                    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(self.context, kind, 0));
                }
            }
            function
        }
    }

    /// The pointer at a place of an array of pointers.
    pub(crate) fn pointer_at(&self, array: Value, at: usize) -> Value {
        let place = self.offset(array, self.pointer_type(), self.number(at as i64));
        self.load(self.pointer_type(), place)
    }

    /// The address of an element.
    pub(crate) fn offset(&self, pointer: Value, element: Type, at: Value) -> Value {
        let mut at = at.0;
        // SAFETY: a pointer, and the type of what it points to.
        Value(unsafe { LLVMBuildGEP2(self.builder, element.0, pointer.0, &raw mut at, 1, NO_NAME.as_ptr()) })
    }

    /// What is at an address, which need not be aligned.
    pub(crate) fn load(&self, ty: Type, pointer: Value) -> Value {
        // SAFETY: a pointer, and a type that can be loaded.
        unsafe {
            let load = LLVMBuildLoad2(self.builder, ty.0, pointer.0, NO_NAME.as_ptr());
            LLVMSetAlignment(load, 1);
            Value(load)
        }
    }

    /// Stores a value at an address, which need not be aligned. Returns the store.
    pub(crate) fn store(&self, value: Value, pointer: Value) -> Value {
        // SAFETY: a value and a pointer of this module.
        unsafe {
            let store = LLVMBuildStore(self.builder, value.0, pointer.0);
            LLVMSetAlignment(store, 1);
            Value(store)
        }
    }

    /// A vector of what `element` loads for each lane of a vector of row numbers.
    pub(crate) fn gather(&self, rows: Value, repr: Repr, element: impl Fn(Value) -> Value) -> Value {
        (0..self.lanes).fold(self.undefined(repr), |vector, lane| self.insert(vector, element(self.extract(rows, lane)), lane))
    }

    /// The numbers of the lanes.
    pub(crate) fn lane_numbers(&self) -> Value {
        // SAFETY: constants of one type, as many as are counted.
        Value(unsafe {
            let mut lanes: Vec<LLVMValueRef> = (0..self.lanes).map(|lane| LLVMConstInt(self.int_type(64).0, lane.into(), 0)).collect();
            LLVMConstVector(lanes.as_mut_ptr(), self.lanes)
        })
    }

    /// A loop `count` times, which is at least once: `body` is given the number of the round, and may say when to leave it. Returns the number of the round that
    /// was left, or `count`; the function ends with it.
    pub(crate) fn rounds(&self, count: Value, body: impl FnOnce(Value) -> Leave) {
        let number = self.int_type(64).0;
        // SAFETY: blocks of this function, each ended once, and a phi with a value for each block that comes before it.
        unsafe {
            let block = || LLVMAppendBasicBlockInContext(self.context, self.function, NO_NAME.as_ptr());
            let before = LLVMGetInsertBlock(self.builder);
            let (head, end) = (block(), block());
            LLVMBuildBr(self.builder, head);
            LLVMPositionBuilderAtEnd(self.builder, head);
            let round = LLVMBuildPhi(self.builder, number, NO_NAME.as_ptr());
            let leave = body(Value(round));
            let store = match leave.raised {
                Some(raised) => {
                    let (left, store) = (block(), block());
                    LLVMBuildCondBr(self.builder, raised.0, left, store);
                    LLVMPositionBuilderAtEnd(self.builder, left);
                    LLVMBuildRet(self.builder, round);
                    LLVMPositionBuilderAtEnd(self.builder, store);
                    store
                }
                None => head,
            };
            for (value, pointer) in leave.stores {
                self.store(value, pointer);
            }
            let next = LLVMBuildAdd(self.builder, round, LLVMConstInt(number, 1, 0), NO_NAME.as_ptr());
            let more = LLVMBuildICmp(self.builder, LLVMIntPredicate::LLVMIntULT, next, count.0, NO_NAME.as_ptr());
            LLVMBuildCondBr(self.builder, more, head, end);
            let (mut values, mut blocks) = ([LLVMConstInt(number, 0, 0), next], [before, store]);
            LLVMAddIncoming(round, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
            LLVMPositionBuilderAtEnd(self.builder, end);
            LLVMBuildRet(self.builder, count.0);
        }
    }
}

/// What a round of a loop ends with.
pub(crate) struct Leave {
    /// Where this is true, the loop is left before anything is stored.
    pub(crate) raised: Option<Value>,
    /// Values and where they are stored.
    pub(crate) stores: Vec<(Value, Value)>,
}
