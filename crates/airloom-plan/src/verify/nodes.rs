//! What holds of every node.

use super::bodies::{Rows, body, body_for, made};
use crate::value::{Argument, Block, Column, Kind, Node, Order, PartitionKeys, Partitioning, Phase, Plan, PlanId, SlotId};
use airloom_ir::attrs::JoinHow;
use airloom_ir::ops::Op;
use airloom_ir::types::{Ty, TyId};
use std::collections::BTreeSet;

pub(super) fn node(plan: &Plan, id: PlanId, owner: usize) -> Result<(), String> {
    let (node, block) = (plan.node(id), &plan.blocks[owner]);
    let expected = match node.kind {
        Kind::Scan(_) | Kind::Query(_) | Kind::Input(_) => 0..=0,
        Kind::HashProbe(_) | Kind::AsofJoin(_) => 2..=2,
        Kind::Concat | Kind::Interpret(_) => 0..=usize::MAX,
        _ => 1..=1,
    };
    if !expected.contains(&node.inputs.len()) {
        return Err(format!("`{}` reads {} inputs", node.kind.word(), node.inputs.len()));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = node.columns.iter().find(|column| !names.insert(&column.name)) {
        return Err(format!("there are two columns `{}`", twice.name));
    }
    if let Some(slot) = node.kind.slots().into_iter().find(|slot| slot.index() >= block.slots.len()) {
        return Err(format!("it reads {slot}, of {} slots", block.slots.len()));
    }
    partitioning(plan, node)?;
    columns(plan, node, block)
}

/// Only an exchange changes how rows are spread, and positions last until a merge.
fn partitioning(plan: &Plan, node: &Node) -> Result<(), String> {
    let properties = &node.properties;
    let inputs: Vec<&Node> = node.inputs.iter().map(|&input| plan.node(input)).collect();
    let Some(first) = inputs.first().map(|input| &input.properties) else { return Ok(()) };
    let (found, below) = (properties.partitioning, first.partitioning);
    let allowed = match node.kind {
        Kind::Gather => found == Partitioning::Single,
        Kind::Broadcast => found == Partitioning::Broadcast,
        Kind::HashPartition(_) => found == Partitioning::Hash,
        Kind::OrderedMerge | Kind::Concat => found == Partitioning::Contiguous,
        _ => found == below,
    };
    if !allowed {
        return Err(format!("`{}` changes how rows are spread, from {below:?} to {found:?}", node.kind.word()));
    }
    let needed = match &node.kind {
        Kind::HashBuild(_) => below == Partitioning::Broadcast,
        Kind::HashProbe(_) => matches!(inputs[1].kind, Kind::HashBuild(_)),
        Kind::Aggregate(aggregate) if aggregate.phase != Phase::Partial => matches!(below, Partitioning::Hash | Partitioning::Single),
        Kind::Distinct { .. } | Kind::Window(_) | Kind::Pivot(_) | Kind::GroupApply { .. } => {
            matches!(below, Partitioning::Hash | Partitioning::Single)
        }
        Kind::AsofJoin(_) | Kind::Interpret(_) => inputs.iter().all(|input| input.properties.partitioning == Partitioning::Single),
        Kind::Sample { .. } | Kind::Limit { .. } => below == Partitioning::Single,
        Kind::RowNumber { .. } | Kind::Position { .. } => matches!(below, Partitioning::Single | Partitioning::Contiguous),
        _ => below != Partitioning::Broadcast,
    };
    if !needed {
        return Err(format!("`{}` reads rows that are spread {below:?}", node.kind.word()));
    }
    if matches!(node.kind, Kind::Aggregate(ref aggregate) if aggregate.phase == Phase::Final) {
        let exchange = inputs[0];
        let is_partial = |below: &PlanId| matches!(&plan.node(*below).kind, Kind::Aggregate(below) if below.phase == Phase::Partial);
        if !exchange.kind.is_exchange() || !exchange.inputs.iter().all(is_partial) {
            return Err("what is merged is no partial aggregate behind an exchange".into());
        }
    }
    let loses = first.order != Order::Exact && properties.order == Order::Exact;
    if loses && !matches!(node.kind, Kind::OrderedMerge | Kind::SortRuns { .. }) && !matches!(first.order, Order::Free) {
        return Err(format!("`{}` needs the exact order of rows that only carry positions", node.kind.word()));
    }
    Ok(())
}

fn same(node: &Node, below: &[Column]) -> Result<(), String> {
    match node.columns.iter().find(|column| !below.contains(column)) {
        None => Ok(()),
        Some(column) => Err(format!("column `{}` is none of its input, or of another type", column.name)),
    }
}

fn among(node: &Node, known: &[Column]) -> Result<(), String> {
    match node.columns.iter().find(|column| !known.contains(column)) {
        None => Ok(()),
        Some(column) => Err(format!("it makes no column `{}` of this type", column.name)),
    }
}

fn expect(plan: &Plan, found: TyId, expected: TyId, what: &str) -> Result<(), String> {
    let types = plan.graph.types();
    if types.strip(found) == types.strip(expected) {
        Ok(())
    } else {
        Err(format!("{what} is `{}`, expected `{}`", types.show(found), types.show(expected)))
    }
}

/// Each node makes columns that it can make.
fn columns(plan: &Plan, node: &Node, block: &Block) -> Result<(), String> {
    let graph = &plan.graph;
    let types = graph.types();
    let inputs: Vec<&[Column]> = node.inputs.iter().map(|&input| plan.node(input).columns.as_slice()).collect();
    let first = inputs.first().copied().unwrap_or_default();
    let row = [Rows::Row(first)];
    let group = [Rows::Columns(first)];
    let slot_type = |slot: SlotId| block.slots[slot.index()].ty;
    let is_rel = |slot: SlotId| if let Ty::Rel(fields) = types.get(slot_type(slot)) { Some(fields) } else { None };
    let keys_and = |keys: Vec<Column>, more: Vec<Column>| -> Vec<Column> { keys.into_iter().chain(more).collect() };
    match &node.kind {
        Kind::Scan(scan) => {
            let Ty::Rel(fields) = types.get(scan.ty) else { return Err("a source is no relation".into()) };
            let mut read = Vec::new();
            for &at in &scan.reads {
                let field = fields.get(at).ok_or_else(|| format!("it reads field {at} of {}", fields.len()))?;
                read.push(Column { name: field.name.clone(), ty: field.ty });
            }
            if let Some(filter) = &scan.filter {
                let found = body(plan, block, filter, &[Rows::Row(&read)])?;
                expect(plan, found, TyId::BOOL, "a filter")?;
            }
            if let Some(used) = scan.dynamic.iter().find(|used| !read.iter().any(|column| column.name == used.column)) {
                return Err(format!("a dynamic filter is applied to `{}`, which is not read", used.column));
            }
            same(node, &read)
        }
        Kind::Query(query) if query.sources.is_empty() => Err("a query reads no table".into()),
        Kind::Query(_) => Ok(()),
        Kind::Input(slot) => {
            let fields = is_rel(*slot).ok_or_else(|| format!("{slot} is no relation"))?;
            match node.columns.iter().find(|column| fields.ty(&column.name) != Some(column.ty)) {
                None => Ok(()),
                Some(column) => Err(format!("{slot} has no column `{}` of this type", column.name)),
            }
        }
        Kind::Filter(predicate) => {
            let found = body(plan, block, predicate, &row)?;
            expect(plan, found, TyId::BOOL, "a filter")?;
            same(node, first)
        }
        Kind::Project(project) => body_for(plan, block, project, first, &node.columns),
        Kind::Select
        | Kind::Materialize
        | Kind::Gather
        | Kind::Broadcast
        | Kind::OrderedMerge
        | Kind::Limit { .. }
        | Kind::Sample { .. } => same(node, first),
        Kind::DynamicFilter(uses) => match uses.iter().find(|used| !first.iter().any(|column| column.name == used.column)) {
            None => same(node, first),
            Some(used) => Err(format!("a dynamic filter is applied to `{}`, which is not there", used.column)),
        },
        Kind::HashPartition(PartitionKeys::Body(keys)) => {
            body(plan, block, keys, &row)?;
            made(plan, keys)?;
            same(node, first)
        }
        Kind::HashPartition(PartitionKeys::Columns(names)) => {
            match names.iter().find(|name| !first.iter().any(|column| column.name == **name)) {
                None => same(node, first),
                Some(name) => Err(format!("its input lacks `{name}`")),
            }
        }
        Kind::HashBuild(build) => {
            body(plan, block, &build.keys, &row)?;
            let keys = made(plan, &build.keys)?;
            if keys.len() != build.key_types.len() {
                return Err(format!("there are {} keys of {} types", keys.len(), build.key_types.len()));
            }
            keys.iter().zip(&build.key_types).try_for_each(|(key, &ty)| expect(plan, key.ty, ty, "a key"))?;
            same(node, first)
        }
        Kind::HashProbe(probe) => {
            body(plan, block, &probe.keys, &row)?;
            let keys = made(plan, &probe.keys)?;
            let Kind::HashBuild(build) = &plan.node(node.inputs[1]).kind else { return Err("the second input is no hash table".into()) };
            if keys.len() != build.key_types.len() {
                return Err(format!("{} keys are looked up in a table by {}", keys.len(), build.key_types.len()));
            }
            keys.iter().zip(&build.key_types).try_for_each(|(key, &ty)| expect(plan, key.ty, ty, "a key"))?;
            let left_probes = probe.probe == airloom_ir::attrs::Side::Left;
            let (left, right) = if left_probes { (first, inputs[1]) } else { (inputs[1], first) };
            if let Some(residual) = &probe.residual {
                let found = body(plan, block, residual, &[Rows::Row(left), Rows::Row(right)])?;
                expect(plan, found, TyId::BOOL, "a residual")?;
            }
            if probe.restores_order && probe.how != JoinHow::Inner {
                return Err("only an inner join can restore the order of its build side".into());
            }
            let filters = probe.how.is_test();
            let known: Vec<&Column> = if filters { left.iter().collect() } else { left.iter().chain(right).collect() };
            for column in &node.columns {
                let found =
                    known.iter().find(|known| known.name == column.name).ok_or_else(|| format!("neither side has `{}`", column.name))?;
                expect(plan, found.ty, column.ty, "a column")?;
            }
            Ok(())
        }
        Kind::Unnest { columns, .. } => {
            for column in &node.columns {
                let below =
                    first.iter().find(|below| below.name == column.name).ok_or_else(|| format!("its input lacks `{}`", column.name))?;
                let expected = match types.plain(below.ty) {
                    Ty::List(element) if columns.contains(&column.name) => *element,
                    _ => below.ty,
                };
                expect(plan, column.ty, expected, "a column")?;
            }
            match columns
                .iter()
                .find(|name| !first.iter().any(|column| column.name == **name && matches!(types.plain(column.ty), Ty::List(_))))
            {
                None => Ok(()),
                Some(name) => Err(format!("`{name}` is no list of its input")),
            }
        }
        Kind::Unpivot { columns, variable, value } => {
            let wants_value = node.columns.iter().any(|column| column.name == *value);
            let missing = columns.iter().find(|name| wants_value && !first.iter().any(|column| column.name == **name));
            if let Some(missing) = missing {
                return Err(format!("its input lacks `{missing}`"));
            }
            let kept = node.columns.iter().filter(|column| column.name != *variable && column.name != *value);
            match kept.into_iter().find(|column| !first.contains(column)) {
                None => Ok(()),
                Some(column) => Err(format!("its input lacks `{}`", column.name)),
            }
        }
        Kind::Concat if inputs.is_empty() => Err("there is nothing to put one after the other".into()),
        Kind::Concat => {
            inputs.iter().try_for_each(|input| if *input == node.columns { Ok(()) } else { Err("inputs have other columns".to_string()) })
        }
        Kind::Aggregate(aggregate) => {
            // The input of the last phase is what the first one made: rows are seen by the first.
            let rows = match aggregate.phase {
                Phase::Final => {
                    let partial = plan.node(plan.node(node.inputs[0]).inputs[0]);
                    plan.node(partial.inputs[0]).columns.as_slice()
                }
                _ => first,
            };
            body(plan, block, &aggregate.keys, &[Rows::Row(rows)])?;
            body(plan, block, &aggregate.aggregates, &[Rows::Columns(rows)])?;
            let keys = made(plan, &aggregate.keys)?;
            if crate::bodies::split_aggregates(graph, aggregate.aggregates.function).is_none() {
                return Err("the aggregates are more than reductions".into());
            }
            key_facts(plan, &aggregate.known, &keys)?;
            among(node, &keys_and(keys, made(plan, &aggregate.aggregates)?))
        }
        Kind::Distinct { keys, .. } | Kind::SortRuns { keys, .. } => {
            body(plan, block, keys, &row)?;
            let made = made(plan, keys)?;
            if let Kind::Distinct { known, .. } = &node.kind {
                key_facts(plan, known, &made)?;
            }
            if let Kind::SortRuns { by, fetch, .. } = &node.kind {
                if by.len() != made.len() {
                    return Err(format!("{} keys are sorted in {} ways", made.len(), by.len()));
                }
                if let Some(fetch) = fetch {
                    expect(plan, slot_type(*fetch), TyId::I64, "a count")?;
                }
            }
            same(node, first)
        }
        Kind::Window(window) => {
            body(plan, block, &window.keys, &row)?;
            body(plan, block, &window.order, &row)?;
            body(plan, block, &window.columns, &group)?;
            made(plan, &window.keys)?;
            if made(plan, &window.order)?.len() != window.by.len() {
                return Err("rows of a key are ordered in another number of ways than there are keys for it".into());
            }
            let mut known = first.to_vec();
            for column in made(plan, &window.columns)? {
                let Ty::Arr(element, _) = types.get(column.ty) else { return Err("a new column is no array".into()) };
                known.push(Column { name: column.name, ty: *element });
            }
            among(node, &known)
        }
        Kind::Pivot(pivot) => {
            body(plan, block, &pivot.keys, &row)?;
            let on = body(plan, block, &pivot.on, &row)?;
            expect(plan, on, TyId::STR, "what a pivot goes by")?;
            let value = body(plan, block, &pivot.aggregate, &group)?;
            let keys = made(plan, &pivot.keys)?;
            for column in node.columns.iter().filter(|column| !keys.contains(column)) {
                if !pivot.names.contains(&column.name) {
                    return Err(format!("it makes no column `{}`", column.name));
                }
                expect(plan, column.ty, value, "a cell")?;
            }
            Ok(())
        }
        Kind::GroupApply { keys, aggregates, .. } => {
            body(plan, block, keys, &row)?;
            body(plan, block, aggregates, &group)?;
            among(node, &keys_and(made(plan, keys)?, made(plan, aggregates)?))
        }
        Kind::AsofJoin(asof) => {
            let (left, right) = ([Rows::Row(first)], [Rows::Row(inputs[1])]);
            let (left_on, right_on) = (body(plan, block, &asof.left_on, &left)?, body(plan, block, &asof.right_on, &right)?);
            expect(plan, left_on, right_on, "what rows are compared by")?;
            body(plan, block, &asof.left_by, &left)?;
            body(plan, block, &asof.right_by, &right)?;
            let (left_by, right_by) = (made(plan, &asof.left_by)?, made(plan, &asof.right_by)?);
            if left_by.len() != right_by.len() {
                return Err("the sides have other keys".into());
            }
            left_by.iter().zip(&right_by).try_for_each(|(left, right)| expect(plan, left.ty, right.ty, "a key"))?;
            for column in &node.columns {
                let mut known = first.iter().chain(inputs[1]);
                let found = known.find(|known| known.name == column.name).ok_or_else(|| format!("neither side has `{}`", column.name))?;
                expect(plan, found.ty, column.ty, "a column")?;
            }
            Ok(())
        }
        Kind::RowNumber { name, .. } | Kind::Position { name } => {
            let Some((last, rest)) = node.columns.split_last() else { return Err("there is no column for the numbers".into()) };
            if last.name != *name || last.ty != TyId::I64 || rest.iter().any(|column| !first.contains(column)) {
                return Err("the columns are not those of the input and the numbers".into());
            }
            Ok(())
        }
        Kind::Interpret(interpret) => {
            let args = graph.args(interpret.node);
            let Ty::Rel(fields) = graph.ty(interpret.node) else { return Err("it makes no relation".into()) };
            if !matches!(graph.op(interpret.node), Op::Relation(_)) || interpret.arguments.len() != args.len() {
                return Err("it is no relation of these arguments".into());
            }
            for (argument, &arg) in interpret.arguments.iter().zip(args) {
                let right = match *argument {
                    Argument::Input(number) => inputs.get(number).is_some_and(|columns| {
                        matches!(graph.ty(arg), Ty::Rel(fields) if fields.len() == columns.len()
                            && fields.iter().zip(columns.iter()).all(|(field, column)| field.name == column.name && field.ty == column.ty))
                    }),
                    Argument::Slot(slot) => graph.ty_id(arg) == slot_type(slot),
                    Argument::Body => graph.op(arg) == Op::Core(airloom_ir::ops::core::Core::Lambda),
                };
                if !right {
                    return Err("an argument is not what the relation takes".into());
                }
            }
            match node.columns.iter().find(|column| fields.ty(&column.name) != Some(column.ty)) {
                None => Ok(()),
                Some(column) => Err(format!("it makes no column `{}`", column.name)),
            }
        }
    }
}

/// Whether what is known of keys is of these.
fn key_facts(plan: &Plan, known: &crate::value::KeyFacts, keys: &[Column]) -> Result<(), String> {
    if (!known.ranges.is_empty() && known.ranges.len() != keys.len())
        || known.determinants.iter().flatten().chain(&known.not_null).any(|&at| at >= keys.len())
        || known.ranges.iter().flatten().any(|(min, max)| min > max)
        || (known.dense && !dense_key(plan, known, keys))
    {
        return Err("what is known of the keys is not of these keys".into());
    }
    Ok(())
}

/// Whether the one determinant key is a column of integers, or what counts as such, of a known range that fits an array.
fn dense_key(plan: &Plan, known: &crate::value::KeyFacts, keys: &[Column]) -> bool {
    let at = match (&known.determinants, keys) {
        (None, [_]) => 0,
        (Some(determinants), _) if determinants.len() == 1 => determinants[0],
        _ => return false,
    };
    let range = known.ranges.get(at).copied().flatten();
    crate::value::KeyFacts::is_countable(plan.graph.types(), keys[at].ty)
        && range.is_some_and(|(min, max)| max.abs_diff(min) < u64::from(u32::MAX) - 1)
}
