//! What holds of every plan: checked of plans that come from outside, and in tests of those that are made here.

mod blocks;
mod bodies;
mod nodes;

use crate::value::{Kind, Plan, SlotSource, StepKind};
use airloom_ir::graph::Graph;
use airloom_ir::ops::core::BuildCore;

/// The first thing that is wrong with a plan.
pub fn verify(plan: &Plan) -> Result<(), String> {
    if plan.blocks.is_empty() {
        return Err("the plan has no block".into());
    }
    if !plan.lines.is_empty() && plan.lines.len() != plan.nodes.len() {
        return Err(format!("there are lines for {} nodes of {}", plan.lines.len(), plan.nodes.len()));
    }
    references(plan)?;
    let owners = owners(plan)?;
    for id in plan.ids() {
        let block = owners[id.index()];
        nodes::node(plan, id, block).map_err(|message| format!("{id}: {message}"))?;
    }
    filters(plan)?;
    for (number, block) in plan.blocks.iter().enumerate() {
        blocks::block(plan, block).map_err(|message| format!("block b{number}: {message}"))?;
    }
    literals(plan)?;
    ends(plan, &owners)
}

/// Literals are values of their types.
fn literals(plan: &Plan) -> Result<(), String> {
    let slots = plan.blocks.iter().flat_map(|block| &block.slots);
    let mut literals =
        slots.filter_map(|slot| if let SlotSource::Literal(value) = &slot.source { Some((value, slot.ty)) } else { None }).peekable();
    if literals.peek().is_none() {
        return Ok(());
    }
    let mut scratch = Graph::clone(&plan.graph);
    match literals.find(|(value, ty)| scratch.constant((*value).clone(), *ty).is_err()) {
        None => Ok(()),
        Some((_, ty)) => Err(format!("a literal is not one of `{}`", plan.graph.types().show(ty))),
    }
}

/// No block runs itself, however many others are in between: running ends where its loops do.
fn ends(plan: &Plan, owners: &[usize]) -> Result<(), String> {
    let mut runs: Vec<Vec<usize>> = vec![Vec::new(); plan.blocks.len()];
    for (number, block) in plan.blocks.iter().enumerate() {
        for step in &block.steps {
            match &step.kind {
                StepKind::Apply(apply) => runs[number].extend(apply.blocks.iter().map(|block| block.index())),
                StepKind::Call { block, .. } | StepKind::Function { block, .. } => runs[number].push(block.index()),
                _ => (),
            }
        }
    }
    for id in plan.ids() {
        let inner = match &plan.node(id).kind {
            Kind::Window(window) => window.block,
            Kind::Pivot(pivot) => pivot.block,
            Kind::GroupApply { block, .. } => *block,
            _ => continue,
        };
        if inner.index() >= plan.blocks.len() {
            return Err(format!("{id}: there is no block {inner}"));
        }
        runs[owners[id.index()]].push(inner.index());
    }
    let mut waiting: Vec<usize> = vec![0; runs.len()];
    runs.iter().flatten().for_each(|&run| waiting[run] += 1);
    let mut ready: Vec<usize> = (0..runs.len()).filter(|&block| waiting[block] == 0).collect();
    let mut done = 0;
    while let Some(block) = ready.pop() {
        done += 1;
        for &run in &runs[block] {
            waiting[run] -= 1;
            if waiting[run] == 0 {
                ready.push(run);
            }
        }
    }
    if done == runs.len() { Ok(()) } else { Err("a block runs itself".into()) }
}

/// Every id is that of something, and nodes read only nodes before them.
fn references(plan: &Plan) -> Result<(), String> {
    for (number, node) in plan.nodes.iter().enumerate() {
        if let Some(input) = node.inputs.iter().find(|input| input.index() >= number) {
            return Err(format!("n{number} reads {input}, which does not come before it"));
        }
    }
    for (number, block) in plan.blocks.iter().enumerate() {
        for step in &block.steps {
            let (nodes, blocks) = match &step.kind {
                StepKind::Relation(root) => (vec![*root], Vec::new()),
                StepKind::Provide { rows, .. } => (rows.iter().copied().collect(), Vec::new()),
                StepKind::Apply(apply) => (Vec::new(), apply.blocks.clone()),
                StepKind::Call { block, .. } | StepKind::Function { block, .. } => (Vec::new(), vec![*block]),
                StepKind::CallValue { .. } | StepKind::Source(_) => (Vec::new(), Vec::new()),
            };
            if let Some(root) = nodes.iter().find(|root| root.index() >= plan.nodes.len()) {
                return Err(format!("block b{number}: there is no node {root}"));
            }
            if let Some(block) = blocks.iter().find(|block| block.index() >= plan.blocks.len()) {
                return Err(format!("block b{number}: there is no block {block}"));
            }
        }
    }
    Ok(())
}

/// For each node the block that computes it. A node that none computes, or several do, is wrong: slots are those of one block.
fn owners(plan: &Plan) -> Result<Vec<usize>, String> {
    let mut owners: Vec<Option<usize>> = vec![None; plan.nodes.len()];
    let mut claim = |at: usize, block: usize| match owners[at].replace(block) {
        Some(other) if other != block => Err(format!("n{at} is computed by b{other} and by b{block}")),
        _ => Ok(()),
    };
    for (number, block) in plan.blocks.iter().enumerate() {
        for step in &block.steps {
            match &step.kind {
                StepKind::Relation(root) => claim(root.index(), number)?,
                StepKind::Provide { rows: Some(root), .. } => claim(root.index(), number)?,
                _ => (),
            }
        }
    }
    for id in plan.ids().collect::<Vec<_>>().into_iter().rev() {
        let Some(block) = owners[id.index()] else { return Err(format!("nothing computes {id}")) };
        for input in &plan.node(id).inputs {
            match owners[input.index()].replace(block) {
                Some(other) if other != block => return Err(format!("{input} is computed by b{other} and by b{block}")),
                _ => (),
            }
        }
    }
    Ok(owners.into_iter().flatten().collect())
}

/// A dynamic filter is published by one build side, and applied to nothing that the build side itself reads.
fn filters(plan: &Plan) -> Result<(), String> {
    let mut publishers: Vec<Option<usize>> = vec![None; plan.filters.min(plan.nodes.len() as u32 + 1_000_000) as usize];
    for (number, node) in plan.nodes.iter().enumerate() {
        let Kind::HashBuild(build) = &node.kind else { continue };
        for published in &build.publishes {
            let publisher =
                publishers.get_mut(published.filter.index()).ok_or_else(|| format!("there is no filter {}", published.filter))?;
            if publisher.replace(number).is_some() {
                return Err(format!("filter {} is published twice", published.filter));
            }
            if published.key >= build.key_types.len() {
                return Err(format!("n{number} publishes key {} of {}", published.key, build.key_types.len()));
            }
        }
    }
    for (number, node) in plan.nodes.iter().enumerate() {
        let uses = match &node.kind {
            Kind::Scan(scan) => &scan.dynamic,
            Kind::DynamicFilter(uses) => uses,
            _ => continue,
        };
        for used in uses {
            match publishers.get(used.filter.index()) {
                Some(Some(_)) => (),
                _ => return Err(format!("n{number} applies filter {}, which nobody publishes", used.filter)),
            }
        }
    }
    Ok(())
}
