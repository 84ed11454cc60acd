//! A function of the graph as a function of LLVM's IR.

use super::known::Known;
use super::value::{Object, Val};
use super::{Layout, Schedule};
use crate::emit::{constant, single};
use crate::kind::{Kind, Repr};
use crate::llvm::{Builder, Compare, Module, Scope, Value};
use crate::support::supports;
use airloom_ir::attrs::{Attr, AttrType, Overflow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::types::{Ty, TyId};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::collections::{BTreeSet, HashMap};

/// Where the words of an output stand that say what raised; results come after them.
pub(super) const HEAD: usize = 8;
/// The number of the place that raised, why, three numbers that tell more, and whether anything was stored before.
pub(super) const STORED: usize = 5;

/// Why a place raises, as a number in the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// An index, its axis and the extent of that.
    Index = 1,
    /// An op of integers: overflow, division by zero, a cast that does not fit.
    Number = 2,
    /// A check.
    Check = 3,
}

/// The code of a function.
pub(super) struct Emitted {
    pub(super) module: Module,
    /// The kinds of the single values of its result, in order.
    pub(super) results: Vec<Kind>,
    /// How many words the result has: single values, then for each array which one it is, and its extents.
    pub(super) words: usize,
    /// Which arrays, by the number of their parameter, are stored to.
    pub(super) stored: Vec<usize>,
    /// Whether it has no address of this process.
    pub(super) is_portable: bool,
}

/// Most functions have a few hundred nodes. One with more than this takes too long to compile.
const MOST_NODES: usize = 20_000;

pub(super) struct Writer<'a> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a Schedule,
    pub(super) builder: &'a Builder,
    pub(super) outputs: Value,
    pub(super) objects: Vec<Object>,
    pub(super) scopes: Vec<Scope>,
    /// Parameters that are stored to.
    pub(super) written: BTreeSet<usize>,
    /// The last version that was made, of any array.
    versions: u32,
    /// Whether the flag for stores is set on every way here.
    pub(super) flagged: bool,
    /// What holds in the innermost loop that is being written.
    pub(super) known: Known,
    /// Whether there is no address of this process in the code.
    pub(super) is_portable: bool,
    nodes: usize,
}

/// The code of a function whose arrays lie as `layouts` says, parameter by parameter; or why it has none.
pub(super) fn emit(graph: &Graph, function: NodeId, schedule: &Schedule, layouts: &[Layout], name: &str) -> Result<Emitted, String> {
    let builder = Builder::of_scalars(name);
    let mut writer = Writer {
        graph,
        schedule,
        builder: &builder,
        outputs: builder.param(1),
        objects: Vec::new(),
        scopes: Vec::new(),
        written: BTreeSet::new(),
        versions: 0,
        flagged: false,
        known: Known::default(),
        is_portable: true,
        nodes: 0,
    };
    let mut slot = 0;
    let mut args = Vec::new();
    for (at, &ty) in graph.params_of(function).iter().enumerate() {
        args.push(writer.given(at, ty, layouts[at], &mut slot)?);
    }
    let result = writer.body(function, &args)?;
    for (object, version) in result.arrays() {
        writer.is_current(object, version)?;
    }
    let leaves = result.leaves();
    for (at, &(value, kind)) in leaves.iter().enumerate() {
        writer.output(HEAD + at, value, kind);
    }
    let mut at = HEAD + leaves.len();
    for (object, _) in result.arrays() {
        let object = &writer.objects[object];
        for &word in std::iter::once(&object.identity).chain(&object.extents) {
            writer.output(at, word, kind_of_count());
            at += 1;
        }
    }
    builder.give(builder.number(0));
    let (stored, is_portable) = (writer.written.into_iter().collect(), writer.is_portable);
    Ok(Emitted {
        module: builder.finish(),
        results: leaves.into_iter().map(|(_, kind)| kind).collect(),
        words: at - HEAD,
        stored,
        is_portable,
    })
}

impl Writer<'_> {
    /// A parameter, read from the words of the input.
    fn given(&mut self, at: usize, ty: TyId, layout: Layout, slot: &mut usize) -> Result<Val, String> {
        let b = self.builder;
        let mut word = || {
            *slot += 1;
            b.load(b.int_type(64), b.offset(b.param(0), b.int_type(64), b.number(*slot as i64 - 1)))
        };
        if let Ty::Arr(element, dims) = self.graph.types().get(ty) {
            let kind = self.kind(*element)?;
            let bytes = b.number(size(kind) as i64);
            let pointer = b.convert(LLVMOpcode::LLVMIntToPtr, word(), b.pointer_type());
            let extents: Vec<Value> = dims.iter().map(|_| word()).collect();
            let mut strides: Vec<Value> = dims.iter().map(|_| word()).collect();
            match layout {
                Layout::Rows => *strides.last_mut().ok_or("an array has at least one axis")? = bytes,
                Layout::Columns => strides[0] = bytes,
                Layout::Strided => (),
            }
            let scope = Some(self.scope());
            let identity = b.number(at as i64);
            let (param, is_made) = (Some(at), false);
            return Ok(self.object(Object { pointer, extents, strides, kind, layout, current: 0, identity, param, is_made, scope }));
        }
        let kind = self.kind(ty)?;
        Ok(Val::Scalar(self.value_of_word(word(), kind), kind))
    }

    /// The value that a word of 64 bits is.
    pub(super) fn value_of_word(&self, bits: Value, kind: Kind) -> Value {
        let b = self.builder;
        let narrow = |bits: Value, width: u32| b.convert(LLVMOpcode::LLVMTrunc, bits, b.int_type(width));
        match kind.repr() {
            Repr::F64 => b.convert(LLVMOpcode::LLVMBitCast, bits, b.scalar_type(Repr::F64)),
            Repr::F32 => b.convert(LLVMOpcode::LLVMBitCast, narrow(bits, 32), b.scalar_type(Repr::F32)),
            Repr::I64 => bits,
            other => narrow(bits, other.bits()),
        }
    }

    /// A value as a word of 64 bits.
    pub(super) fn word(&self, value: Value, kind: Kind) -> Value {
        let b = self.builder;
        let word = b.int_type(64);
        match kind.repr() {
            Repr::I64 => value,
            Repr::F64 => b.convert(LLVMOpcode::LLVMBitCast, value, word),
            Repr::F32 => b.convert(LLVMOpcode::LLVMZExt, b.convert(LLVMOpcode::LLVMBitCast, value, b.int_type(32)), word),
            _ if kind.signed() => b.convert(LLVMOpcode::LLVMSExt, value, word),
            _ => b.convert(LLVMOpcode::LLVMZExt, value, word),
        }
    }

    /// Writes a word of the output.
    fn output(&self, at: usize, value: Value, kind: Kind) {
        let b = self.builder;
        b.store(self.word(value, kind), b.offset(self.outputs, b.int_type(64), b.number(at as i64)));
    }

    pub(super) fn kind(&self, ty: TyId) -> Result<Kind, String> {
        match Kind::of(self.graph.types().get(ty)) {
            Some(kind @ (Kind::Bool | Kind::Int(_) | Kind::F32 | Kind::F64)) => Ok(kind),
            _ => Err(format!("`{}` has no code in loops", self.graph.types().show(ty))),
        }
    }

    /// An array that is known from here on.
    pub(super) fn object(&mut self, mut object: Object) -> Val {
        object.current = self.version();
        let version = object.current;
        self.objects.push(object);
        Val::Array { object: self.objects.len() - 1, version }
    }

    /// Memory apart from all that is known so far.
    pub(super) fn scope(&mut self) -> usize {
        self.scopes.push(self.builder.scope(self.scopes.len()));
        self.scopes.len() - 1
    }

    /// A version that no array has yet.
    pub(super) fn version(&mut self) -> u32 {
        self.versions += 1;
        self.versions
    }

    /// Whether a version is what is in memory: only that can be read, or be stored to.
    pub(super) fn is_current(&self, object: usize, version: u32) -> Result<(), String> {
        match self.objects[object].current == version {
            true => Ok(()),
            false => Err("an array is read as it was before a store".into()),
        }
    }

    /// The result of a body for these arguments. Recursive, as deep as bodies nest.
    pub(super) fn body(&mut self, body: NodeId, args: &[Val]) -> Result<Val, String> {
        let mut made: HashMap<NodeId, Val> = HashMap::new();
        for (id, place) in self.schedule.of(self.graph, body) {
            if matches!(self.graph.op(id), Op::Core(Core::Lambda | Core::Param | Core::Const)) {
                continue;
            }
            self.nodes += 1;
            if self.nodes > MOST_NODES {
                return Err(format!("the function has more than {MOST_NODES} nodes"));
            }
            let value = self.node(id, place, args, &made)?;
            made.insert(id, value);
        }
        self.read(self.graph.result_of(body), args, &made)
    }

    fn read(&self, id: NodeId, args: &[Val], made: &HashMap<NodeId, Val>) -> Result<Val, String> {
        if let Some(found) = made.get(&id) {
            return Ok(found.clone());
        }
        if let Some(param) = self.graph.as_param(id) {
            return args.get(param.number as usize).cloned().ok_or_else(|| "a parameter is missing".into());
        }
        match self.graph.const_value(id) {
            Some(value) => {
                let kind = self.kind(self.graph.ty_id(id))?;
                Ok(Val::Scalar(constant(self.builder, value, kind), kind))
            }
            None => Err(format!("`{}` is read before it is computed", self.graph.op(id).name())),
        }
    }

    fn node(&mut self, id: NodeId, place: u32, args: &[Val], made: &HashMap<NodeId, Val>) -> Result<Val, String> {
        let graph = self.graph;
        let op = graph.op(id);
        let parts = op.def().parts(graph.args(id)).expect("invariant `a node has the arguments its op takes`");
        let read = |id: &NodeId| self.read(*id, args, made);
        let fixed: Vec<Val> = parts.fixed.iter().map(read).collect::<Result<_, _>>()?;
        let tail: Vec<Val> = parts.tail.iter().map(read).collect::<Result<_, _>>()?;
        match op {
            Op::Core(Core::Tuple | Core::Row) => Ok(Val::Tuple(tail)),
            Op::Core(Core::Item) => part(&fixed[0], graph.as_item(id).expect("it is one").number as usize),
            Op::Number(_) | Op::Logic(_) => self.scalar(id, place, &fixed.into_iter().chain(tail).collect::<Vec<_>>()),
            Op::Array(Array::Dim) => {
                let Val::Array { object, .. } = fixed[0] else { return Err("`arr.dim` is given no array".into()) };
                let axis: usize = graph.as_arr_dim(id).expect("it is one").axis as usize;
                Ok(Val::Scalar(self.objects[object].extents[axis], kind_of_count()))
            }
            Op::Core(Core::Host) => self.host_call(id, place, &tail),
            Op::Array(Array::Fill) => self.made(place, &fixed[0], &tail),
            Op::Control(Control::ParReduce) => self.reduced(id, place, &fixed, parts.bodies, &tail),
            Op::Array(Array::At) => self.at(id, place, &fixed[0], &tail),
            Op::Array(Array::Put) => self.put(id, place, &fixed, &tail),
            Op::Control(Control::Check) => {
                let (condition, _) = fixed[0].scalar()?;
                let mut more = [self.builder.number(0); 3];
                let integers = fixed[1].leaves().into_iter().filter(|(_, kind)| *kind == kind_of_count());
                more.iter_mut().zip(integers).for_each(|(word, (value, _))| *word = value);
                self.raise_if(self.builder.not(condition), place, Why::Check, more);
                Ok(fixed[1].clone())
            }
            Op::Control(Control::If) => self.branch(id, fixed[0].scalar()?.0, parts.bodies, &tail),
            Op::Control(Control::While) => self.repeated(&fixed[0], parts.bodies, &tail),
            Op::Control(Control::For) => self.counted(place, &fixed, parts.fixed[3], parts.bodies[0], &tail),
            other => Err(format!("`{}` has no code in loops", other.def().name)),
        }
    }

    fn scalar(&mut self, id: NodeId, place: u32, args: &[Val]) -> Result<Val, String> {
        let (graph, b) = (self.graph, self.builder);
        let args: Vec<(Value, Kind)> = args.iter().map(Val::scalar).collect::<Result<_, _>>()?;
        let (op, kind) = (graph.op(id), self.kind(graph.ty_id(id))?);
        let mut attrs: Vec<Attr> = graph.node(id).attrs().to_vec();
        if op == Op::Logic(Logic::Cast) {
            attrs.remove(0);
        }
        let kinds: Vec<Kind> = args.iter().map(|&(_, kind)| kind).collect();
        supports(op, &attrs, &kinds, kind)?;
        if let (Op::Number(op), Some(Overflow::Raise)) = (op, attrs.first().and_then(Overflow::from_attr))
            && self.known.fits(id)
        {
            let plain = match op {
                Number::Add => Some((LLVMOpcode::LLVMAdd, args[0].0, args[1].0)),
                Number::Sub => Some((LLVMOpcode::LLVMSub, args[0].0, args[1].0)),
                Number::Mul => Some((LLVMOpcode::LLVMMul, args[0].0, args[1].0)),
                Number::Neg => Some((LLVMOpcode::LLVMSub, b.number(0), args[0].0)),
                _ => None,
            };
            if let Some((op, left, right)) = plain {
                return Ok(Val::Scalar(b.fitting(op, left, right), kind));
            }
        }
        let (value, raised) = single(b, op, &attrs, &args, kind);
        if let Some(raised) = raised {
            let wide = |at: usize| match args.get(at) {
                Some(&(value, kind)) if kind.repr() == Repr::I64 => value,
                _ => b.number(0),
            };
            self.raise_if(raised, place, Why::Number, [wide(0), wide(1), b.number(0)]);
        }
        Ok(Val::Scalar(value, kind))
    }

    /// Leaves the function where a condition is true.
    pub(super) fn raise_if(&mut self, condition: Value, place: u32, why: Why, more: [Value; 3]) {
        let b = self.builder;
        let (raises, goes_on) = (b.block(), b.block());
        b.go_if(condition, raises, goes_on);
        b.enter(raises);
        let words = [b.number(place.into()), b.number(why as i64), more[0], more[1], more[2]];
        for (at, word) in words.into_iter().enumerate() {
            self.output(at, word, kind_of_count());
        }
        b.give(b.number(1));
        b.enter(goes_on);
    }

    /// Notes that something may be stored from here on.
    pub(super) fn flag(&mut self) {
        if !self.flagged {
            self.flagged = true;
            self.output(STORED, self.builder.number(1), kind_of_count());
        }
    }

    pub(super) fn ints(&self, how: LLVMIntPredicate, left: Value, right: Value) -> Value {
        self.builder.compare(Compare::Int(how), left, right)
    }
}

/// The kind of indices and extents.
pub(super) fn kind_of_count() -> Kind {
    Kind::of(&Ty::Int(airloom_ir::types::IntTy::I64)).expect("integers have a kind")
}

/// How many bytes an element has.
pub(super) fn size(kind: Kind) -> usize {
    kind.repr().bytes().max(1)
}

fn part(tuple: &Val, at: usize) -> Result<Val, String> {
    match tuple {
        Val::Tuple(parts) => Ok(parts[at].clone()),
        _ => Err("a part is taken of what is no tuple".into()),
    }
}
