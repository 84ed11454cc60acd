//! What holds of every block.

use crate::value::{Apply, Block, Plan, SlotId, SlotSource, StepKind};
use airloom_ir::types::{Ty, TyId};

pub(super) fn block(plan: &Plan, block: &Block) -> Result<(), String> {
    let arguments = block.arguments();
    let mut steps = block.steps.iter();
    for (number, slot) in block.slots.iter().enumerate() {
        let slot_id = SlotId::new(number);
        match &slot.source {
            SlotSource::Argument(at) if *at == number && number < arguments => (),
            SlotSource::Argument(at) => return Err(format!("{slot_id} is argument {at}: arguments come first, in order")),
            SlotSource::Literal(_) | SlotSource::Placeholder(_) => (),
            SlotSource::Step => {
                let step = steps.next().filter(|step| step.slot == slot_id).ok_or_else(|| format!("no step fills {slot_id}"))?;
                self::step(plan, block, slot_id, &step.kind).map_err(|message| format!("{slot_id}: {message}"))?;
            }
        }
    }
    if steps.next().is_some() {
        return Err("a step fills no slot".into());
    }
    if block.result.index() >= block.slots.len() {
        return Err(format!("it returns {}, of {} slots", block.result, block.slots.len()));
    }
    Ok(())
}

/// The types of slots that are filled before another.
fn slots(block: &Block, before: SlotId, slots: &[SlotId]) -> Result<Vec<TyId>, String> {
    let ty = |slot: &SlotId| match block.slots.get(slot.index()) {
        Some(known) if *slot < before => Ok(known.ty),
        _ => Err(format!("it reads {slot}, which is not filled before it")),
    };
    slots.iter().map(ty).collect()
}

fn step(plan: &Plan, block: &Block, slot: SlotId, kind: &StepKind) -> Result<(), String> {
    let types = plan.graph.types();
    let own = block.slots[slot.index()].ty;
    match kind {
        StepKind::Relation(root) => {
            let Ty::Rel(fields) = types.get(own) else { return Err(format!("expected a relation, found `{}`", types.show(own))) };
            let columns = &plan.node(*root).columns;
            // A part of a relation may be computed on its own: then some of its columns are.
            match columns.iter().find(|column| fields.ty(&column.name) != Some(column.ty)) {
                None => Ok(()),
                Some(column) => Err(format!("column `{}` of {root} is none of `{}`", column.name, types.show(own))),
            }
        }
        StepKind::Apply(apply) => self::apply(plan, block, slot, apply),
        StepKind::Call { block: called, arguments } => {
            let found = slots(block, slot, arguments)?;
            let called = plan.block(*called);
            let expected: Vec<TyId> = called.slots[..called.arguments()].iter().map(|slot| slot.ty).collect();
            let result = called.slots.get(called.result.index()).map(|slot| slot.ty);
            if found != expected || result != Some(own) {
                return Err("the arguments or the result are not those of the block".into());
            }
            Ok(())
        }
        StepKind::CallValue { function, arguments } => {
            let found = slots(block, slot, arguments)?;
            let function = slots(block, slot, &[*function])?[0];
            match types.get(function) {
                Ty::Fn(params, result) if *params == found && *result == own => Ok(()),
                _ => Err(format!("`{}` is not a function of these arguments", types.show(function))),
            }
        }
        StepKind::Function { function, block: called } => {
            let called = plan.block(*called);
            let params = plan.graph.params_of(*function);
            if params.len() != called.arguments() || plan.graph.ty_id(*function) != own {
                return Err("the function is not that of its block".into());
            }
            Ok(())
        }
        StepKind::Source(_) if matches!(types.get(own), Ty::Rel(_)) => Err("a relation is read by a scan".into()),
        StepKind::Source(_) => Ok(()),
        StepKind::Provide { rows, .. } => match (types.get(own), rows) {
            (Ty::Rel(_), Some(_)) => Ok(()),
            (Ty::Rel(_), None) => Err("the rows of a relation are missing".into()),
            (_, Some(_)) => Err("what is no relation has no rows".into()),
            (_, None) => Ok(()),
        },
    }
}

fn apply(plan: &Plan, block: &Block, slot: SlotId, apply: &Apply) -> Result<(), String> {
    let graph = &plan.graph;
    let parts = graph.op(apply.node).def().parts(graph.args(apply.node)).ok_or("a node has other arguments than its op takes")?;
    let expected: Vec<TyId> = parts.fixed.iter().chain(parts.tail).map(|&arg| graph.ty_id(arg)).collect();
    if slots(block, slot, &apply.arguments)? != expected {
        return Err(format!("`{}` is applied to other types than it takes", graph.op(apply.node).name()));
    }
    if graph.ty_id(apply.node) != block.slots[slot.index()].ty {
        return Err(format!("`{}` makes `{}`", graph.op(apply.node).name(), graph.show_ty(apply.node)));
    }
    if apply.blocks.len() != parts.bodies.len() {
        return Err(format!("`{}` has {} bodies, found {} blocks", graph.op(apply.node).name(), parts.bodies.len(), apply.blocks.len()));
    }
    for (&body, &inner) in parts.bodies.iter().zip(&apply.blocks) {
        let inner = plan.block(inner);
        let expected = graph.params_of(body);
        if inner.arguments() != expected.len() || inner.slots.iter().zip(expected).any(|(slot, &ty)| slot.ty != ty) {
            return Err("a block has other arguments than the body that it is".into());
        }
        if inner.slots.get(inner.result.index()).is_none_or(|slot| slot.ty != graph.ty_id(graph.result_of(body))) {
            return Err("a block has another result than the body that it is".into());
        }
    }
    Ok(())
}
