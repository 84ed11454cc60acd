//! The types that cases are made of.

use airloom_ir::name::Name;
use airloom_ir::types::{Dim, IntTy, TimeUnit, Ty, TyId, Types};

/// Types of every kind, none of them nullable; floats more often than others, since most goes wrong there.
pub fn themes(types: &mut Types) -> Vec<TyId> {
    let mut all: Vec<TyId> = vec![TyId::BOOL, TyId::F64, TyId::F64, TyId::F64, TyId::F32, TyId::STR, TyId::BYTES, TyId::DATE, TyId::TIME];
    all.extend(IntTy::ALL.map(|int| types.int(int)));
    let zone = |name: &str| Some(Name::new(name));
    all.extend([
        types.timestamp(TimeUnit::Second, None).expect("no zone, or one that there is"),
        types.timestamp(TimeUnit::Nano, None).expect("no zone, or one that there is"),
        types.timestamp(TimeUnit::Micro, zone("UTC")).expect("no zone, or one that there is"),
        types.timestamp(TimeUnit::Second, zone("Europe/Paris")).expect("no zone, or one that there is"),
        types.timestamp(TimeUnit::Nano, zone("Europe/Paris")).expect("no zone, or one that there is"),
        types.duration(TimeUnit::Second),
        types.duration(TimeUnit::Micro),
        types.duration(TimeUnit::Nano),
    ]);
    let (maybe_float, maybe_text) = (types.option(TyId::F64), types.option(TyId::STR));
    let compound = [
        types.decimal(4, 2),
        types.decimal(1, 1),
        types.decimal(38, 0),
        types.decimal(38, 10),
        types.list(TyId::I64),
        types.list(maybe_float),
        types.list(maybe_text),
        types.list(TyId::STR),
        types.intern(Ty::Dict(TyId::STR)),
        types.intern(Ty::Category { names: [Name::new("low"), Name::new("high")].into(), ordered: true }),
        types.intern(Ty::Category { names: [Name::new("b"), Name::new("a")].into(), ordered: false }),
        types.row_of(vec![(Name::new("a"), TyId::I64), (Name::new("b"), maybe_float)]),
        types.row_of(vec![(Name::new("b"), TyId::STR)]),
        types.rel_of(vec![(Name::new("a"), TyId::I64), (Name::new("b"), maybe_float)]),
        types.arr(TyId::F64, vec![Dim::Any]),
        types.arr(TyId::I64, vec![Dim::Named("n".into()), Dim::Fixed(2)]),
    ];
    all.extend(compound.into_iter().map(|ty| ty.expect("the types of this list are well formed")));
    all
}
