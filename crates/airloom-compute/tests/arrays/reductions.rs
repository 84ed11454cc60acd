//! Every reduction beside the oracle, whatever the groups of its elements.

use super::{LIMITS, admissible, awkward};
use airloom_compute::data::{Cancel, value_at, values_to_array};
use airloom_compute::keys::Hashing;
use airloom_compute::reduce::{Groups, Moves, Reduction, ReductionSpec};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::{self, Make};
use airloom_ir::oracle::{Oracle, Stop};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_opt::generate::Draw;
use arrow::array::{Array, ArrayRef};
use std::ops::Range;
use std::sync::Arc;

/// How many groups there are of the rows of a column in the test below.
const GROUPS: usize = 4;

/// Every reduction of every type of elements: of a whole column, of rows that say their group, batch by batch and merged, and of runs that overlap.
#[test]
fn groups_are_reduced_as_the_oracle_reduces_them() {
    let (mut draw, mut combinations) = (Draw::new(5), 0);
    for def in ops::all().filter(|def| def.family == "reduce") {
        let mut graph = Graph::new();
        let mut nodes = Vec::new();
        for (types, attrs) in admissible(&mut graph, def) {
            let params = graph.params(&types).expect("parameters of known types are well typed");
            let node = graph.make(def.op, attrs, &Args::from_slice(&params)).expect("it was made before");
            let of_one_axis = matches!(graph.types().get(types[0]), Ty::Arr(_, dims) if dims.len() == 1);
            if of_one_axis && !matches!(graph.ty(node), Ty::Arr(..)) && types.get(1).is_none_or(|&level| level == TyId::F64) {
                nodes.push((types, node));
            }
        }
        let graph = Arc::new(graph);
        combinations += nodes.len();
        for (types, node) in nodes {
            let rest: Vec<Value> = types[1..].iter().map(|_| Value::F64(0.3)).collect();
            Column::new(&graph, node, types[0], rest, &mut draw).check(def.name, &mut draw);
        }
    }
    assert!(combinations > 1000, "only {combinations} combinations");
}

/// A column to be reduced.
struct Column<'a> {
    graph: &'a Arc<Graph>,
    spec: ReductionSpec,
    values: Vec<Value>,
    items: ArrayRef,
}

impl<'a> Column<'a> {
    fn new(graph: &'a Arc<Graph>, node: NodeId, array: TyId, rest: Vec<Value>, draw: &mut Draw) -> Column<'a> {
        let types = graph.types();
        let Ty::Arr(element, _) = *types.get(array) else { panic!("it is an array") };
        let Value::Arr(values) = awkward(types, array, &[draw.below(12)], draw) else { panic!("it is an array") };
        let items = values_to_array(types, element, &values.items);
        let spec = ReductionSpec::of_node(graph, node, element, rest).expect("it is a reduction");
        Column { graph, spec, values: values.items.clone(), items }
    }

    /// What the oracle makes of some elements; `None` where it raises.
    fn expected(&self, rows: impl Iterator<Item = usize>) -> Option<Value> {
        let elements = Value::arr(rows.map(|row| self.values[row].clone()).collect());
        let args: Vec<Value> = std::iter::once(elements).chain(self.spec.rest.iter().cloned()).collect();
        Oracle::new(self.graph, LIMITS).apply(self.spec.node, &args).ok()
    }

    /// Compares the results of all groups, where none raises; otherwise one must be heard.
    fn compare(&self, what: &str, found: Result<ArrayRef, Stop>, expected: Vec<Option<Value>>) {
        let types = self.graph.types();
        match expected.into_iter().collect::<Option<Vec<Value>>>() {
            Some(expected) => {
                let found = found.unwrap_or_else(|stop| panic!("{what} of {:?} raises {stop}", self.values));
                let found: Vec<Value> = (0..expected.len()).map(|at| value_at(types, self.spec.ty, &found, at)).collect();
                assert_eq!(found, expected, "{what} of {:?}", self.values);
            }
            None => assert!(found.is_err(), "{what} of {:?} does not raise", self.values),
        }
    }

    fn state(&self, later: bool) -> Box<dyn Reduction> {
        self.spec.state(self.graph, Hashing::Mixed, &Cancel::default(), later)
    }

    fn check(&self, what: &str, draw: &mut Draw) {
        let rows = self.items.len();
        let mut whole = self.state(false);
        let found = whole.update(Groups::One, &self.items, 1).and_then(|()| whole.finish(1, 3));
        self.compare(&format!("`{what}` of a column"), found, vec![self.expected(0..rows)]);

        let groups: Vec<u32> = (0..rows).map(|_| draw.below(GROUPS) as u32).collect();
        let of_group = |group: usize| self.expected((0..rows).filter(|&row| groups[row] as usize == group));
        let (first, second) = (draw.below(rows + 1), draw.below(rows + 1));
        let (first, second) = (first.min(second), first.max(second));
        let found = self.partials(&groups, first, second);
        self.compare(&format!("`{what}` of groups"), found, (0..GROUPS).map(of_group).collect());

        let bounds = (0..GROUPS).map(|_| (draw.below(rows + 1), draw.below(rows + 1)));
        let runs: Vec<Range<usize>> = bounds.map(|(a, b)| a.min(b)..a.max(b)).collect();
        // Nothing is said where the oracle must be asked.
        if let Some(found) = self.spec.reduce_runs(self.graph, &self.items, &runs, 3) {
            self.compare(&format!("`{what}` of runs"), Ok(found), runs.iter().map(|run| self.expected(run.clone())).collect());
        }
    }

    /// The rows before `second` by one state, in two batches; the others by a later one, whose groups have other numbers.
    fn partials(&self, groups: &[u32], first: usize, second: usize) -> Result<ArrayRef, Stop> {
        let rows = self.items.len();
        let (mut early, mut late) = (self.state(false), self.state(true));
        early.update(Groups::Each(&groups[..first]), &self.items.slice(0, first), GROUPS)?;
        early.update(Groups::Each(&groups[first..second]), &self.items.slice(first, second - first), GROUPS)?;
        let numbers: Vec<u32> = groups[second..].iter().map(|group| GROUPS as u32 - 1 - group).collect();
        late.update(Groups::Each(&numbers), &self.items.slice(second, rows - second), GROUPS)?;
        let places: Vec<u32> = (0..GROUPS as u32).rev().collect();
        // All groups, or one by one.
        let every: Vec<u32> = (0..GROUPS as u32).collect();
        let moves = if first.is_multiple_of(2) { Moves::all(&places) } else { Moves::some(&every, &places) };
        early.merge(late.as_ref(), moves, GROUPS)?;
        early.finish(GROUPS, 3)
    }
}
