//! Random expressions over a row.

use super::data::scalar;
use super::{Draw, Writer};
use airloom_ir::attrs::{CastMode, DatePart, DateStep, NanOrder, NanPick, NullMatch, Overflow, TextCase, TextSide, TextUnit, ZeroDivide};
use airloom_ir::graph::{NodeId, TypeError};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::BuildLogic;
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::ops::temporal::BuildTemporal;
use airloom_ir::ops::text::BuildText;
use airloom_ir::types::{Ty, TyId};

type Made = Result<NodeId, TypeError>;

/// The types that expressions have, `?` apart.
pub(super) const KINDS: [TyId; 6] = [TyId::BOOL, TyId::I64, TyId::I32, TyId::F64, TyId::STR, TyId::DATE];

fn overflow(draw: &mut Draw) -> Overflow {
    // Mostly what never raises: a program that always raises shows little.
    if draw.chance(6) { Overflow::Raise } else { *draw.pick(&[Overflow::Wrap, Overflow::Wrap, Overflow::Null]) }
}

fn zero(draw: &mut Draw) -> ZeroDivide {
    if draw.chance(6) { ZeroDivide::Raise } else { *draw.pick(&[ZeroDivide::Null, ZeroDivide::Zero]) }
}

fn nan(draw: &mut Draw) -> NanOrder {
    *draw.pick(NanOrder::ALL)
}

impl Writer<'_> {
    /// An expression of a type, or of it with `?`, over the fields of `records` and the captured scalars.
    pub(super) fn expression(&mut self, ty: TyId, records: &[NodeId], depth: u32) -> NodeId {
        if depth == 0 || self.draw.chance(25) {
            return self.leaf(ty, records);
        }
        let made = match ty {
            TyId::BOOL => self.truth(records, depth - 1),
            TyId::I64 | TyId::I32 => self.whole(ty, records, depth - 1),
            TyId::F64 => self.float(records, depth - 1),
            TyId::STR => self.text(records, depth - 1),
            _ => self.date(records, depth - 1),
        };
        made.expect("the generator writes well-typed programs")
    }

    /// As [`Writer::expression`], of exactly this type.
    pub(super) fn sure_expression(&mut self, ty: TyId, records: &[NodeId], depth: u32) -> NodeId {
        let found = self.expression(ty, records, depth);
        if self.graph.ty_id(found) == ty {
            return found;
        }
        let constant = self.constant(ty);
        self.graph.coalesce(&[found, constant]).expect("both have one type")
    }

    fn constant(&mut self, ty: TyId) -> NodeId {
        let value = scalar(self.graph.types().get(ty), self.draw);
        self.graph.constant(value, ty).expect("a value of its type")
    }

    fn leaf(&mut self, ty: TyId, records: &[NodeId]) -> NodeId {
        let mut found = Vec::new();
        for &record in records {
            let Ty::Struct(fields) = self.graph.ty(record) else { continue };
            let fitting = fields.iter().filter(|f| self.graph.types().strip(f.ty) == ty);
            found.extend(fitting.map(|f| (record, f.name.clone())));
        }
        if !found.is_empty() && self.draw.chance(75) {
            let (record, name) = self.draw.pick(&found).clone();
            return self.graph.get(record, name).expect("the field is there");
        }
        let captured: Vec<NodeId> = self.scalars.iter().copied().filter(|&s| self.graph.ty_id(s) == ty).collect();
        if !captured.is_empty() && self.draw.chance(50) {
            return *self.draw.pick(&captured);
        }
        self.constant(ty)
    }

    fn two(&mut self, ty: TyId, records: &[NodeId], depth: u32) -> (NodeId, NodeId) {
        (self.expression(ty, records, depth), self.expression(ty, records, depth))
    }

    fn truth(&mut self, records: &[NodeId], depth: u32) -> Made {
        let kind = *self.draw.pick(&KINDS);
        match self.draw.below(13) {
            0 | 1 => {
                let (a, b) = self.two(TyId::BOOL, records, depth);
                self.graph.and(a, b)
            }
            2 | 3 => {
                let (a, b) = self.two(TyId::BOOL, records, depth);
                self.graph.or(a, b)
            }
            4 => {
                let a = self.expression(TyId::BOOL, records, depth);
                self.graph.not(a)
            }
            5 => {
                let a = self.expression(kind, records, depth);
                self.graph.is_null(a)
            }
            6 => {
                let a = self.expression(kind, records, depth);
                let items: Vec<NodeId> = (0..1 + self.draw.below(3)).map(|_| self.constant(kind)).collect();
                let nulls = *self.draw.pick(NullMatch::ALL);
                self.graph.is_in(a, &items, nulls)
            }
            7 => {
                let (a, b) = self.two(TyId::STR, records, depth);
                if self.draw.chance(50) { self.graph.str_contains(a, b) } else { self.graph.str_starts(a, b) }
            }
            8 => {
                let a = self.expression(TyId::BOOL, records, depth);
                self.graph.is_true(a)
            }
            which => {
                let (a, b) = self.two(kind, records, depth);
                let nan = nan(self.draw);
                match which {
                    9 => self.graph.eq(a, b, nan),
                    10 => self.graph.lt(a, b, nan),
                    11 => self.graph.ge(a, b, nan),
                    _ => self.graph.ne(a, b, nan),
                }
            }
        }
    }

    fn select(&mut self, ty: TyId, records: &[NodeId], depth: u32) -> Made {
        let condition = self.expression(TyId::BOOL, records, depth);
        let (a, b) = self.two(ty, records, depth);
        self.graph.select(condition, a, b)
    }

    fn whole(&mut self, ty: TyId, records: &[NodeId], depth: u32) -> Made {
        let over = overflow(self.draw);
        match self.draw.below(11) {
            0 => {
                let (a, b) = self.two(ty, records, depth);
                self.graph.add(a, b, over)
            }
            1 => {
                let (a, b) = self.two(ty, records, depth);
                self.graph.sub(a, b, over)
            }
            2 => {
                let (a, b) = self.two(ty, records, depth);
                self.graph.mul(a, b, over)
            }
            3 => {
                let a = self.expression(ty, records, depth);
                if self.draw.chance(50) { self.graph.neg(a, over) } else { self.graph.abs(a, over) }
            }
            4 => {
                let (a, b) = self.two(ty, records, depth);
                let zero = zero(self.draw);
                if self.draw.chance(50) { self.graph.floordiv(a, b, zero) } else { self.graph.truncmod(a, b, zero) }
            }
            5 => {
                let (a, b) = self.two(ty, records, depth);
                self.graph.least(a, b, NanPick::Propagate)
            }
            6 => self.select(ty, records, depth),
            7 => {
                let (a, b) = self.two(ty, records, depth);
                self.graph.coalesce(&[a, b])
            }
            8 if ty == TyId::I64 => {
                let text = self.expression(TyId::STR, records, depth);
                self.graph.str_len(text, TextUnit::Chars)
            }
            8 => {
                let date = self.expression(TyId::DATE, records, depth);
                let part = *self.draw.pick(&[DatePart::Year, DatePart::Month, DatePart::Weekday]);
                self.graph.dt_part(date, part)
            }
            _ => {
                let other = if ty == TyId::I64 {
                    *self.draw.pick(&[TyId::I32, TyId::F64, TyId::BOOL])
                } else {
                    *self.draw.pick(&[TyId::I64, TyId::BOOL])
                };
                let a = self.expression(other, records, depth);
                let mode = *self.draw.pick(&[CastMode::Lenient, CastMode::Wrap]);
                self.graph.cast(a, ty, mode)
            }
        }
    }

    fn float(&mut self, records: &[NodeId], depth: u32) -> Made {
        match self.draw.below(9) {
            0 | 1 => {
                let (a, b) = self.two(TyId::F64, records, depth);
                self.graph.add(a, b, Overflow::Wrap)
            }
            2 => {
                let (a, b) = self.two(TyId::F64, records, depth);
                self.graph.mul(a, b, Overflow::Wrap)
            }
            3 => {
                let (a, b) = self.two(TyId::F64, records, depth);
                self.graph.div(a, b)
            }
            4 => {
                let a = self.expression(TyId::F64, records, depth);
                if self.draw.chance(50) { self.graph.neg(a, Overflow::Wrap) } else { self.graph.sqrt(a) }
            }
            5 => self.select(TyId::F64, records, depth),
            6 => {
                let (a, b) = self.two(TyId::F64, records, depth);
                let nan = *self.draw.pick(NanPick::ALL);
                self.graph.greatest(a, b, nan)
            }
            7 => {
                let a = self.expression(TyId::F64, records, depth);
                self.graph.nan_to_null(a)
            }
            _ => {
                let a = self.expression(TyId::I64, records, depth);
                self.graph.cast(a, TyId::F64, CastMode::Strict)
            }
        }
    }

    fn text(&mut self, records: &[NodeId], depth: u32) -> Made {
        match self.draw.below(6) {
            0 => {
                let a = self.expression(TyId::STR, records, depth);
                let case = *self.draw.pick(TextCase::ALL);
                self.graph.str_case(a, case)
            }
            1 => {
                let (a, b) = self.two(TyId::STR, records, depth);
                self.graph.str_concat(&[a, b])
            }
            2 => {
                let a = self.expression(TyId::STR, records, depth);
                let (start, stop) = (self.graph.int(self.draw.below(3) as i64 - 1), self.graph.int(self.draw.below(4) as i64));
                self.graph.str_slice(a, start, stop)
            }
            3 => {
                let (a, b) = self.two(TyId::STR, records, depth);
                let side = *self.draw.pick(TextSide::ALL);
                self.graph.str_strip(a, b, side)
            }
            4 => self.select(TyId::STR, records, depth),
            _ => {
                let a = self.expression(TyId::I64, records, depth);
                self.graph.cast(a, TyId::STR, CastMode::Strict)
            }
        }
    }

    fn date(&mut self, records: &[NodeId], depth: u32) -> Made {
        if self.draw.chance(60) {
            return self.select(TyId::DATE, records, depth);
        }
        let date = self.expression(TyId::DATE, records, depth);
        let count = self.graph.int(self.draw.below(5) as i64 - 2);
        let unit = *self.draw.pick(&[DateStep::Day, DateStep::Month]);
        self.graph.dt_shift(date, count, unit)
    }
}
