//! Floating-point exceptions, which the processor notes for each thread: a program that must warn of them, as NumPy does, reads them after its loops.

use std::ops::BitOr;

/// Which exceptions were raised. The bits are those of NumPy's error handling.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FloatExceptions(u8);

impl FloatExceptions {
    const DIVIDE: u8 = 1;
    const OVERFLOW: u8 = 2;
    const UNDERFLOW: u8 = 4;
    const INVALID: u8 = 8;

    /// None of them.
    pub const NONE: FloatExceptions = FloatExceptions(0);

    /// The bits: 1 division by zero, 2 overflow, 4 underflow, 8 an invalid operation.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// What `work` makes, and what it raises on this thread. What was raised before stays as it was.
    pub fn of<R>(work: impl FnOnce() -> R) -> (R, FloatExceptions) {
        let before = status::read();
        status::write(status::cleared(before));
        let made = work();
        let after = status::read();
        status::write(after | before);
        (made, FloatExceptions(status::raised(after)))
    }
}

impl BitOr for FloatExceptions {
    type Output = FloatExceptions;

    fn bitor(self, other: FloatExceptions) -> FloatExceptions {
        FloatExceptions(self.0 | other.0)
    }
}

#[cfg(target_arch = "x86_64")]
mod status {
    use super::FloatExceptions;
    use std::arch::asm;

    /// The exceptions that have been raised, in the control and status register of the vector unit.
    const EXCEPTIONS: u32 = 0x3f;

    pub(super) fn read() -> u32 {
        let mut register: u32 = 0;
        // SAFETY: the instruction stores the register to four bytes that are ours.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut register, options(nostack)) };
        register
    }

    pub(super) fn write(register: u32) {
        // SAFETY: the instruction loads the register from four bytes that are ours; they were read from it, and differ from that in exceptions only.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const register, options(nostack)) };
    }

    pub(super) fn cleared(register: u32) -> u32 {
        register & !EXCEPTIONS
    }

    pub(super) fn raised(register: u32) -> u8 {
        let bit = |at: u32, means: u8| if register & (1 << at) != 0 { means } else { 0 };
        bit(0, FloatExceptions::INVALID)
            | bit(2, FloatExceptions::DIVIDE)
            | bit(3, FloatExceptions::OVERFLOW)
            | bit(4, FloatExceptions::UNDERFLOW)
    }
}

#[cfg(target_arch = "aarch64")]
mod status {
    use super::FloatExceptions;
    use std::arch::asm;

    /// The exceptions that have been raised, in the floating-point status register.
    const EXCEPTIONS: u64 = 0x9f;

    pub(super) fn read() -> u64 {
        let register: u64;
        // SAFETY: the instruction reads the register and nothing else.
        unsafe { asm!("mrs {}, fpsr", out(reg) register, options(nomem, nostack)) };
        register
    }

    pub(super) fn write(register: u64) {
        // SAFETY: the instruction writes what was read from the register, but for exceptions, which trap nothing.
        unsafe { asm!("msr fpsr, {}", in(reg) register, options(nomem, nostack)) };
    }

    pub(super) fn cleared(register: u64) -> u64 {
        register & !EXCEPTIONS
    }

    pub(super) fn raised(register: u64) -> u8 {
        let bit = |at: u32, means: u8| if register & (1 << at) != 0 { means } else { 0 };
        bit(0, FloatExceptions::INVALID)
            | bit(1, FloatExceptions::DIVIDE)
            | bit(2, FloatExceptions::OVERFLOW)
            | bit(3, FloatExceptions::UNDERFLOW)
    }
}

/// Elsewhere nobody knows: everything may have been raised.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod status {
    use super::FloatExceptions;

    pub(super) fn read() -> u8 {
        FloatExceptions::DIVIDE | FloatExceptions::OVERFLOW | FloatExceptions::UNDERFLOW | FloatExceptions::INVALID
    }

    pub(super) fn write(_: u8) {}

    pub(super) fn cleared(register: u8) -> u8 {
        register
    }

    pub(super) fn raised(register: u8) -> u8 {
        register
    }
}

#[cfg(test)]
mod tests {
    use super::FloatExceptions;
    use std::hint::black_box;

    #[test]
    fn exceptions_are_those_of_the_work() {
        let raised = |work: fn() -> f64| FloatExceptions::of(|| black_box(work())).1.bits();
        assert_eq!(raised(|| black_box(1.0) + black_box(2.0)), 0);
        assert_eq!(raised(|| black_box(1.0) / black_box(0.0)), 1);
        assert_eq!(raised(|| black_box(1e300) * black_box(1e300)), 2);
        assert_eq!(raised(|| black_box(1e-300) * black_box(1e-300)), 4);
        assert_eq!(raised(|| black_box(0.0) / black_box(0.0)), 8);
        assert_eq!(raised(|| black_box(f64::NAN) + black_box(1.0)), 0);
    }
}
