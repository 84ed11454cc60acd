//! The cheapest tree of a cluster, by estimate.

use super::cluster::{Cluster, Set, Tree};
use crate::context::Cx;
use airloom_ir::graph::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// Up to how many leaves every tree is looked at.
const EXHAUSTIVE: usize = 10;
/// What is assumed of a condition that is not an equality of columns.
const OTHER: f64 = 0.3;

/// Estimates for the sets of a cluster's leaves: the same whatever tree they are joined by, so that trees can be compared.
pub(super) struct Estimates {
    rows: Vec<f64>,
    /// Sets of leaves, and the share of their pairs that a condition between them leaves.
    conditions: Vec<(Set, f64)>,
}

impl Estimates {
    /// From the facts of the leaves; nothing where the size of one is not known.
    pub(super) fn new(cx: &mut Cx<'_>, cluster: &Cluster) -> Option<Estimates> {
        let mut facts = Vec::with_capacity(cluster.leaves.len());
        for &leaf in &cluster.leaves {
            let (table, graph) = cx.facts();
            let known = table.relation(graph, leaf);
            known.rows.most?;
            facts.push(known);
        }
        let distinct = |expression: NodeId, set: Set| -> Option<f64> {
            let get = cx.as_get(expression).filter(|g| g.record == cluster.whole)?;
            let at = set.trailing_zeros() as usize;
            Some(facts.get(at)?.distinct(&get.field))
        };
        // The keys between two leaves count together: of several there are no more combinations than rows.
        let mut between: BTreeMap<(Set, Set), Vec<[NodeId; 2]>> = BTreeMap::new();
        for edge in &cluster.edges {
            between.entry((edge.left.1, edge.right.1)).or_default().push([edge.left.0, edge.right.0]);
        }
        let mut conditions: Vec<(Set, f64)> = Vec::new();
        for ((left, right), keys) in between {
            let known = |at: usize, set: Set| keys.iter().filter_map(|key| distinct(key[at], set)).count() == keys.len();
            let once = |at: usize, set: Set| -> Option<f64> {
                let leaf = facts.get(set.trailing_zeros() as usize)?;
                let columns = keys.iter().map(|key| cx.as_get(key[at]).map(|get| get.field)).collect::<Option<BTreeSet<_>>>()?;
                leaf.is_unique(&columns).then_some(leaf.rows.estimate.max(1.0))
            };
            let share = match (keys.len() > 1 && known(0, left) && known(1, right), once(0, left), once(1, right)) {
                (true, Some(rows), None) | (true, None, Some(rows)) => 1.0 / rows,
                // Where neither is known to have each once, the smaller table is the likelier one to be what the larger one refers to.
                (true, None, None) => {
                    let rows = |set: Set| facts.get(set.trailing_zeros() as usize).map_or(1.0, |f| f.rows.estimate.max(1.0));
                    1.0 / rows(left).min(rows(right))
                }
                _ => {
                    let single = |key: &[NodeId; 2]| {
                        let counts = [distinct(key[0], left), distinct(key[1], right)];
                        let most = counts.into_iter().flatten().fold(1.0, f64::max);
                        if counts.iter().all(Option::is_none) { OTHER } else { 1.0 / most }
                    };
                    keys.iter().map(single).product()
                }
            };
            conditions.push((left | right, share));
        }
        conditions.extend(cluster.predicates.iter().map(|(_, set)| (*set, OTHER)));
        Some(Estimates { rows: facts.iter().map(|f| f.rows.estimate.max(1.0)).collect(), conditions })
    }

    /// How many rows the join of a set of leaves has, about.
    pub(super) fn rows(&self, set: Set) -> f64 {
        let product: f64 = self.rows.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, rows)| rows).product();
        let share: f64 = self.conditions.iter().filter(|(needs, _)| needs & !set == 0).map(|(_, share)| share).product();
        (product * share).max(1.0)
    }

    /// What a tree costs: the rows that its joins make, and those that they put into tables.
    pub(super) fn cost(&self, tree: &Tree) -> f64 {
        match tree {
            Tree::Leaf(_) => 0.0,
            Tree::Join(left, right) => self.cost(left) + self.cost(right) + self.step(left.set(), right.set()),
        }
    }

    fn step(&self, left: Set, right: Set) -> f64 {
        // The right side is the one put into a table.
        self.rows(left | right) + self.rows(right)
    }
}

/// The cheapest tree.
pub(super) fn best(cluster: &Cluster, estimates: &Estimates) -> Tree {
    if cluster.leaves.len() <= EXHAUSTIVE { exhaustive(cluster.leaves.len(), estimates) } else { greedy(cluster.leaves.len(), estimates) }
}

/// Every way to halve every set of leaves, the small sets first.
fn exhaustive(leaves: usize, estimates: &Estimates) -> Tree {
    let full: Set = (1 << leaves) - 1;
    let rows: Vec<f64> = (0..=full).map(|set| if set == 0 { 0.0 } else { estimates.rows(set) }).collect();
    let mut costs = vec![f64::INFINITY; full as usize + 1];
    let mut halves: Vec<Set> = vec![0; full as usize + 1];
    for set in 1..=full {
        if set.is_power_of_two() {
            costs[set as usize] = 0.0;
            continue;
        }
        let mut left = (set - 1) & set;
        while left > 0 {
            let right = set & !left;
            let cost = costs[left as usize] + costs[right as usize] + rows[set as usize] + rows[right as usize];
            if cost < costs[set as usize] {
                costs[set as usize] = cost;
                halves[set as usize] = left;
            }
            left = (left - 1) & set;
        }
    }
    build(full, &halves)
}

fn build(set: Set, halves: &[Set]) -> Tree {
    if set.is_power_of_two() {
        return Tree::Leaf(set.trailing_zeros() as usize);
    }
    let left = halves[set as usize];
    Tree::Join(Box::new(build(left, halves)), Box::new(build(set & !left, halves)))
}

/// Again and again the two trees whose join has the fewest rows.
fn greedy(leaves: usize, estimates: &Estimates) -> Tree {
    let mut trees: Vec<Tree> = (0..leaves).map(Tree::Leaf).collect();
    while trees.len() > 1 {
        let mut found = (f64::INFINITY, 0, 1);
        for a in 0..trees.len() {
            for b in a + 1..trees.len() {
                let rows = estimates.rows(trees[a].set() | trees[b].set());
                if rows < found.0 {
                    found = (rows, a, b);
                }
            }
        }
        let (_, a, b) = found;
        let (second, first) = (trees.remove(b), trees.remove(a));
        let (left, right) = if estimates.rows(first.set()) >= estimates.rows(second.set()) { (first, second) } else { (second, first) };
        trees.push(Tree::Join(Box::new(left), Box::new(right)));
    }
    trees.pop().expect("a cluster has leaves")
}
