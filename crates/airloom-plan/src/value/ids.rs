//! Ids, each a type of its own.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The id with this number.
            #[inline]
            pub fn new(number: usize) -> $name {
                $name(u32::try_from(number).expect("a plan is bounded far below the range of its ids"))
            }

            /// Its number.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

id! {
    /// A node of a plan.
    PlanId, "n"
}
id! {
    /// A value of a block: an argument, a literal or the result of a step.
    SlotId, "s"
}
id! {
    /// A block.
    BlockId, "b"
}
id! {
    /// A dynamic filter.
    FilterId, "f"
}
