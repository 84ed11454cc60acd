//! What an op says of cutting its arguments into pieces, and of the memory of its result.

use super::Given;

/// The names of arguments, as the op table has them; [`CAPTURES`] stands for what the bodies capture.
pub type Names = &'static [&'static str];

/// The name of what the bodies of an op capture, where a mark names arguments.
pub const CAPTURES: &str = "captures";

/// How the work of an op may be cut: what each piece is given, and how the results of the pieces become the result.
///
/// Relations are cut between rows, arrays along their first axis, tuples and structs part by part. Pieces are contiguous, in order and not empty. An argument
/// that is not cut goes whole to every piece, as does what the bodies capture. Where the whole raises, a piece raises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// It takes values of one row and gives a value of that row: there is nothing in it to cut. What applies it to many rows is cut as its own op says.
    Scalar,
    /// It takes no arguments: what it gives is cut, or not, as its readers are.
    Leaf,
    /// These arguments are cut anywhere, all at the same positions; the results are concatenated.
    Rowwise(Names),
    /// Each of these arguments is a run of rows of the result: the pieces of the first are followed by those of the second.
    Appends(&'static str),
    /// The first extent of this argument is cut; each piece computes its own indices, and the results are concatenated.
    Indices(&'static str),
    /// The first argument is cut anywhere, each piece is reduced, and the partial results are combined.
    Reduces(Combine),
    /// Rows, or elements, with equal keys must meet: keys are distributed anyhow, and each piece has all rows of its keys, in their order.
    ByKey(KeyOrder),
    /// The order of all pieces matters: no piece can be computed from its own rows alone.
    Ordered(Need),
    /// Nothing is known: everything must be in one place.
    Single,
}

/// How partial results are combined, in the order of their pieces. Partial results of which nothing was taken are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// The op itself, passing over nothing, reduces the partial results; those that are rows are concatenated first. Floats agree to rounding.
    Again,
    /// They are added.
    Sum,
    /// They are lists, which are concatenated.
    Append,
    /// They are positions: each is moved by the number of elements before its piece, and the op compares the elements there.
    Position,
    /// What is kept of a piece is more than its result: an exact sum, or how many elements were taken. It is merged, and the result made at the end.
    State,
    /// As `State`: the count, the mean and the sums of powers of the distances from it. Results agree to rounding.
    Moments,
}

/// In which order the results of keys stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyOrder {
    /// One row for each key, which begins with it, where the key first stands in the argument.
    First,
    /// The result is an interleaving of the results of the pieces, by the positions of the rows they are made from.
    Rows,
    /// There are no rows: the results of the pieces are added.
    Sum,
}

/// What a piece needs of the others, besides its own rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// How many rows they have. Rows of the first argument are moved, chosen or numbered by their positions, whatever they hold.
    Counts,
    /// What the pieces before it have left: the first rows of the result depend on the first rows of these arguments only.
    Before(Names),
    /// What the pieces after it have left: the last rows of the result depend on the last rows of these arguments only.
    After(Names),
    /// What the piece before it has left, in place of the initial value: the pieces are computed one after another.
    Fold,
    /// As many of their nearest rows, on each side, as the size of this argument, and one more.
    Neighbours(&'static str),
    /// Rows in the order of their values: an exchange into ranges.
    Sorting,
}

/// How the distribution of a node is found.
#[derive(Clone, Copy)]
pub enum DistributionRule {
    /// Always this.
    Is(Distribution),
    /// By its attributes and the types of its arguments.
    By {
        /// Which it is.
        rule: fn(&Given<'_>) -> Distribution,
        /// The same in words, for the manual.
        says: &'static str,
    },
}

/// Which memory the result of an op may share. What the result shares must not be written while the result lives; an argument that it does not share may be
/// given back, or written in place, once the op is done.
///
/// A mark speaks of values of every type: numbers are copied where texts would be shared, and the mark is that of texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aliasing {
    /// Memory of its own: nothing of any argument.
    Fresh,
    /// Elements of these arguments, or parts of their texts, and nothing else but nulls: it may be a view of them.
    View(Names),
    /// Some of it may be memory of these arguments; the rest is its own, or what the ops in its bodies say of theirs.
    Holds(Names),
    /// This argument itself.
    Same(&'static str),
    /// Memory that others hold: the program, its caller, the session or the host. It is never written.
    Outside,
}

impl Aliasing {
    /// The arguments whose memory the result may share.
    pub fn shares(&self) -> &[&'static str] {
        match self {
            Aliasing::Fresh | Aliasing::Outside => &[],
            Aliasing::View(names) | Aliasing::Holds(names) => names,
            Aliasing::Same(name) => std::slice::from_ref(name),
        }
    }
}

impl Distribution {
    /// The arguments that are named in it.
    pub fn names(&self) -> &[&'static str] {
        match self {
            Distribution::Rowwise(names) | Distribution::Ordered(Need::Before(names) | Need::After(names)) => names,
            Distribution::Appends(name) | Distribution::Indices(name) | Distribution::Ordered(Need::Neighbours(name)) => {
                std::slice::from_ref(name)
            }
            _ => &[],
        }
    }
}
