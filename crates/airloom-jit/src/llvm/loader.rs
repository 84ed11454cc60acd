//! Objects made executable, and taken away again when nothing uses them any more.

use super::machine::{initialize, message};
use crate::disk::Kept;
use crate::functions;
use crate::perf;
use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcCreateLLJITBuilder, LLVMOrcLLJITAddObjectFileWithRT, LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITLookup,
    LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols, LLVMOrcCSymbolMapPair,
    LLVMOrcJITDylibCreateResourceTracker, LLVMOrcJITDylibDefine, LLVMOrcReleaseResourceTracker, LLVMOrcResourceTrackerRef,
    LLVMOrcResourceTrackerRemove,
};
use std::any::Any;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// Loads objects.
pub(crate) struct Loader {
    jit: Mutex<Jit>,
}

struct Jit(LLVMOrcLLJITRef);

// SAFETY: LLVM's loader may be used from any thread; the mutex around it lets in one at a time.
unsafe impl Send for Jit {}

/// Two pointers and two numbers: all that a builder makes.
type Entry = unsafe extern "C" fn(*const *const u8, *const *mut u8, i64, i64) -> i64;

/// Code that is in memory for as long as this is.
pub(crate) struct Loaded {
    loader: Arc<Loader>,
    tracker: LLVMOrcResourceTrackerRef,
    entry: u64,
}

// SAFETY: the entry is an address of code that nothing changes, and the tracker is used once, when it is dropped, under the loader's lock.
unsafe impl Send for Loaded {}
// SAFETY: as above; nothing of it is changed through a shared reference.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Calls the function that was asked for. This is the only place where compiled code is entered.
    ///
    /// # Safety
    /// The object was made of a module of [`super::Builder`], whose function has the type `Entry`; it may read and write what its maker says of these arguments.
    pub(crate) unsafe fn call(&self, inputs: *const *const u8, outputs: *const *mut u8, blocks: i64, rows: i64) -> i64 {
        // SAFETY: the entry is that of such a function, by the contract, and `self` keeps its pages.
        unsafe {
            let entry: Entry = std::mem::transmute::<usize, Entry>(self.entry as usize);
            entry(inputs, outputs, blocks, rows)
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _jit = self.loader.jit.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the tracker is this object's alone, and whoever drops the last reference to the code does not run it. Where LLVM cannot remove it, it stays.
        unsafe {
            let _ = message(LLVMOrcResourceTrackerRemove(self.tracker));
            LLVMOrcReleaseResourceTracker(self.tracker);
        }
    }
}

impl Loader {
    /// Keeps every other thread from loading and unloading, until what is returned is dropped.
    pub(crate) fn hold(&'static self) -> Box<dyn Any> {
        Box::new(self.jit.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A loader whose objects find the functions that kernels call.
    pub(crate) fn new() -> Result<Loader, String> {
        initialize();
        // SAFETY: the loader is made before it is asked for its library; symbols are counted, and their names belong to the definition that is made of them.
        unsafe {
            let mut jit = null_mut();
            message(LLVMOrcCreateLLJIT(&raw mut jit, LLVMOrcCreateLLJITBuilder()))?;
            let mut symbols: Vec<LLVMOrcCSymbolMapPair> = Vec::new();
            for (name, address) in functions::all() {
                let name = CString::new(name).expect("names have no zero byte");
                let flags =
                    LLVMJITSymbolFlags { GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8, TargetFlags: 0 };
                let symbol = LLVMJITEvaluatedSymbol { Address: address as u64, Flags: flags };
                symbols.push(LLVMOrcCSymbolMapPair { Name: LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()), Sym: symbol });
            }
            let unit = LLVMOrcAbsoluteSymbols(symbols.as_mut_ptr(), symbols.len());
            message(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), unit))?;
            Ok(Loader { jit: Mutex::new(Jit(jit)) })
        }
    }

    /// Loads the object of an entry, where it is there, else one that is made, which is kept there.
    pub(crate) fn kept_or(
        self: &Arc<Loader>,
        entry: Option<Kept>,
        name: &str,
        label: &str,
        make: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Loaded, String> {
        // One that this process has loaded already, or made, has a name that is taken: then another is made.
        if let Some(entry) = &entry
            && let Some((object, kept)) = entry.read()
            && let Ok(loaded) = self.load(&object, &kept, label)
        {
            entry.used();
            return Ok(loaded);
        }
        let object = make()?;
        let loaded = self.load(&object, name, label)?;
        if let Some(entry) = entry {
            entry.write(&object, name);
        }
        Ok(loaded)
    }

    /// Loads an object that has a function of this name, which no other object has. People know it by the label.
    pub(crate) fn load(self: &Arc<Loader>, object: &[u8], name: &str, label: &str) -> Result<Loaded, String> {
        let symbol = CString::new(name).expect("names have no zero byte");
        let jit = self.jit.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the object is copied into a buffer that the loader takes; the tracker is of the library that the object is added to.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), symbol.as_ptr());
            let tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit.0));
            let mut entry = 0;
            let added = message(LLVMOrcLLJITAddObjectFileWithRT(jit.0, tracker, buffer));
            let found = added.and_then(|()| message(LLVMOrcLLJITLookup(jit.0, &raw mut entry, symbol.as_ptr())));
            drop(jit);
            // From here on, whatever happens, dropping it takes the object away.
            let loaded = Loaded { loader: self.clone(), tracker, entry };
            found.map(|()| {
                perf::loaded(object, name, label, entry);
                loaded
            })
        }
    }
}
