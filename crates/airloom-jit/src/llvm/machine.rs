//! The machine that code is made for: the one it runs on.

use super::builder::Module;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::{LLVMDisposeMemoryBuffer, LLVMDisposeMessage, LLVMGetBufferSize, LLVMGetBufferStart, LLVMSetTarget};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::target::LLVMSetModuleDataLayout;
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetDataLayout, LLVMCreateTargetMachine, LLVMDisposeTargetMachine,
    LLVMGetDefaultTargetTriple, LLVMGetHostCPUFeatures, LLVMGetHostCPUName, LLVMGetTargetFromTriple, LLVMGetTargetMachineTriple,
    LLVMRelocMode, LLVMTargetMachineEmitToMemoryBuffer, LLVMTargetMachineRef,
};
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMPassBuilderOptionsSetLoopUnrolling,
    LLVMPassBuilderOptionsSetLoopVectorization, LLVMPassBuilderOptionsSetSLPVectorization, LLVMRunPasses,
};
use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;
use std::sync::Once;

/// Makes objects for this machine.
pub(crate) struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: it was made by `new`, and is disposed of once.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

/// The name of the processor and its features, as LLVM calls them: code is made for these, and runs where these are.
pub(crate) fn cpu() -> (String, String) {
    // SAFETY: both functions return text that is the caller's.
    unsafe { (owned(LLVMGetHostCPUName()), owned(LLVMGetHostCPUFeatures())) }
}

impl Machine {
    /// For a processor with these features.
    pub(crate) fn new(cpu: &(String, String)) -> Result<Machine, String> {
        initialize();
        let (name, features) = (CString::new(cpu.0.as_str()), CString::new(cpu.1.as_str()));
        let (name, features) = (name.map_err(|error| error.to_string())?, features.map_err(|error| error.to_string())?);
        // SAFETY: the target was initialised; texts live until the calls return; the triple is disposed of after its last use.
        unsafe {
            let triple = LLVMGetDefaultTargetTriple();
            let (mut target, mut message) = (null_mut(), null_mut());
            if LLVMGetTargetFromTriple(triple, &raw mut target, &raw mut message) != 0 {
                LLVMDisposeMessage(triple);
                return Err(owned(message));
            }
            let (level, relocation) = (LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault, LLVMRelocMode::LLVMRelocPIC);
            let model = LLVMCodeModel::LLVMCodeModelJITDefault;
            let machine = LLVMCreateTargetMachine(target, triple, name.as_ptr(), features.as_ptr(), level, relocation, model);
            LLVMDisposeMessage(triple);
            if machine.is_null() { Err("LLVM has no machine for this processor".into()) } else { Ok(Machine(machine)) }
        }
    }

    /// Checks a module, and says which machine it is for.
    pub(crate) fn check(&self, module: &Module) -> Result<(), String> {
        // SAFETY: module and machine live; messages are disposed of by `owned` and `message`.
        unsafe {
            let mut text = null_mut();
            if LLVMVerifyModule(module.module, LLVMVerifierFailureAction::LLVMReturnStatusAction, &raw mut text) != 0 {
                return Err(owned(text));
            }
            LLVMDisposeMessage(text);
            let layout = LLVMCreateTargetDataLayout(self.0);
            LLVMSetModuleDataLayout(module.module, layout);
            llvm_sys::target::LLVMDisposeTargetData(layout);
            let triple = LLVMGetTargetMachineTriple(self.0);
            LLVMSetTarget(module.module, triple);
            LLVMDisposeMessage(triple);
            Ok(())
        }
    }

    /// Runs LLVM's own passes on a checked module: values that are computed twice, loops, vectors. None of them reorders floats.
    pub(crate) fn improve(&self, module: &Module) -> Result<(), String> {
        // SAFETY: module and machine live; the options are disposed of after their last use.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
            LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
            let done = message(LLVMRunPasses(module.module, c"default<O2>".as_ptr(), self.0, options));
            LLVMDisposePassBuilderOptions(options);
            done
        }
    }

    /// The object of a checked module.
    pub(crate) fn object(&self, module: &Module) -> Result<Vec<u8>, String> {
        self.made(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// The assembly of a checked module.
    pub(crate) fn assembly(&self, module: &Module) -> Result<String, String> {
        self.made(module, LLVMCodeGenFileType::LLVMAssemblyFile).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn made(&self, module: &Module, what: LLVMCodeGenFileType) -> Result<Vec<u8>, String> {
        // SAFETY: module and machine live; the buffer's bytes are copied before it is disposed of.
        unsafe {
            let (mut buffer, mut text) = (null_mut(), null_mut());
            if LLVMTargetMachineEmitToMemoryBuffer(self.0, module.module, what, &raw mut text, &raw mut buffer) != 0 {
                return Err(owned(text));
            }
            let bytes = std::slice::from_raw_parts(LLVMGetBufferStart(buffer).cast::<u8>(), LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}

/// Makes the target of this machine known to LLVM, once.
pub(super) fn initialize() {
    static ONCE: Once = Once::new();
    // SAFETY: registering a target has no precondition but that two threads do not do it at once.
    ONCE.call_once(|| unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            use llvm_sys::target::{
                LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo, LLVMInitializeX86TargetMC,
            };
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
        }
        #[cfg(target_arch = "aarch64")]
        {
            use llvm_sys::target::{
                LLVMInitializeAArch64AsmPrinter, LLVMInitializeAArch64Target, LLVMInitializeAArch64TargetInfo,
                LLVMInitializeAArch64TargetMC,
            };
            LLVMInitializeAArch64TargetInfo();
            LLVMInitializeAArch64Target();
            LLVMInitializeAArch64TargetMC();
            LLVMInitializeAArch64AsmPrinter();
        }
    });
}

/// A text that LLVM gave away.
///
/// # Safety
/// It must be a text of LLVM's that nobody else disposes of.
unsafe fn owned(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the contract it is a text, which is copied before it is disposed of.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

/// What an error of LLVM's says, if it is one.
pub(super) fn message(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: an error that is not null has a message, which is copied before it is disposed of; asking for it consumes the error.
    unsafe {
        let text = LLVMGetErrorMessage(error);
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(copy)
    }
}
