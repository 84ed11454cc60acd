//! Functions of loops and arrays, as code and on the oracle.

use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text::parse_function;
use airloom_ir::value::Value;
use airloom_jit::{CompiledFunction, Failed, Layout, Memory, Raise, Schedule};

fn parsed(text: &str) -> (Module, NodeId) {
    parse_function(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn compiled(text: &str, params: usize) -> Result<CompiledFunction, String> {
    let (module, function) = parsed(text);
    CompiledFunction::compile(&module.graph, function, &Schedule::default(), &vec![Layout::Rows; params])
}

/// The words by which an array of one axis is given.
fn array(items: &mut [i64]) -> [u64; 3] {
    [items.as_mut_ptr() as u64, items.len() as u64, 8]
}

const PREFIX: &str = "func @f(a: arr<i64; ?>, first: i64) -> arr<i64; ?> {
  return seq.for(a, first, arr.dim(a), 1) |i, a| arr.put(a, add(arr.at(a, i), arr.at(a, sub(i, 1))), i)
}";

#[test]
fn stores_are_made_in_place() {
    let code = compiled(PREFIX, 2).expect("it has code");
    for size in 0..40 {
        let mut items: Vec<i64> = (1..=size).collect();
        let [pointer, extent, stride] = array(&mut items);
        // SAFETY: the words are of an array that nobody else looks at meanwhile.
        let made = unsafe { code.call(&[pointer, extent, stride, 1], &mut Memory::default()) };
        // Which array the result is, and how long.
        assert_eq!(made, Ok(vec![0, size as u64]));
        assert_eq!(items, (1..=size).map(|n| n * (n + 1) / 2).collect::<Vec<_>>());
    }
    assert_eq!(code.stored(), [0]);
}

#[test]
fn an_index_outside_raises_after_the_stores_before_it() {
    let text = "func @f(a: arr<i64; ?>, n: i64) -> arr<i64; ?> { return seq.for(a, 0, n, 1) |i, a| arr.put(a, 7, i) }";
    let code = compiled(text, 2).expect("it has code");
    let mut items = vec![0i64; 3];
    let [pointer, extent, stride] = array(&mut items);
    // SAFETY: as above.
    let made = unsafe { code.call(&[pointer, extent, stride, 5], &mut Memory::default()) };
    assert_eq!(made, Err(Failed { place: 0, why: Raise::Index { index: 3, axis: 0, extent: 3 }, stored: true }));
    assert_eq!(items, [7, 7, 7]);
}

#[test]
fn an_array_that_is_needed_as_it_was_is_refused() {
    let both = "func @f(a: arr<i64; ?>) -> (arr<i64; ?>, arr<i64; ?>) { return (arr.put(a, 1, 0), a) }";
    assert!(compiled(both, 1).is_err_and(|why| why.contains("before a store")));
    let captured = "func @f(a: arr<i64; ?>) -> i64 { return seq.for(0, 0, 3, 1) [a] |i, s, a| arr.at(arr.put(a, 1, 0), 0) }";
    assert!(compiled(captured, 1).is_err_and(|why| why.contains("not in its state")));
    let twice =
        "func @f(a: arr<i64; ?>, b: arr<i64; ?>) -> (arr<i64; ?>, arr<i64; ?>) { return seq.for((a, b), 0, 3, 1) |i, s| (s.1, s.1) }";
    assert!(compiled(twice, 2).is_err_and(|why| why.contains("twice")));
}

#[test]
fn arrays_change_places() {
    let swapped = "func @f(a: arr<i64; ?>, b: arr<i64; ?>, n: i64) -> (arr<i64; ?>, arr<i64; ?>) {
      return seq.for((a, b), 0, n, 1) |i, s| (arr.put(s.1, add(i, 10), 0), s.0)
    }";
    let code = compiled(swapped, 3).expect("it has code");
    for turns in 0..4 {
        let (mut first, mut second) = (vec![1i64; 2], vec![2i64; 3]);
        let words = [array(&mut first).as_slice(), &array(&mut second), &[turns]].concat();
        // SAFETY: the words are of two arrays that nobody else looks at meanwhile.
        let made = unsafe { code.call(&words, &mut Memory::default()) };
        let (one, other) = ([0, 2], [1, 3]);
        let wanted = if turns % 2 == 0 { [one, other] } else { [other, one] };
        assert_eq!(made, Ok(wanted.concat()));
        let stored: Vec<(i64, i64)> = vec![(1, 2), (1, 10), (11, 10), (11, 12)];
        assert_eq!((first[0], second[0]), stored[turns as usize]);
    }
    assert_eq!(code.stored(), [0, 1]);
}

#[test]
fn ranges_turn_as_often_as_the_oracle_says() {
    let text = "func @f(start: i64, stop: i64, step: i64) -> (i64, i64) {
      return seq.for((0, 0), start, stop, step) |i, s| (add(s.0, i), add(s.1, 1))
    }";
    let (module, function) = parsed(text);
    let code = compiled(text, 3).expect("it has code");
    let oracle = Oracle::new(&module.graph, Limits::EXAMPLES);
    let ends = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 3, 8, i64::MAX - 1, i64::MAX];
    let steps = [i64::MIN, -(1 << 61), -3, -1, 0, 1, 2, 1 << 61, i64::MAX];
    let all = ends.iter().flat_map(|x| ends.iter().map(move |y| (*x, *y)));
    for ((start, stop), &step) in all.flat_map(|pair| std::iter::repeat(pair).zip(&steps)) {
        // Those that turn too often to be waited for are left out.
        if step != 0 && (i128::from(stop) - i128::from(start)) / i128::from(step) > 1000 {
            continue;
        }
        // SAFETY: there are no arrays.
        let made = unsafe { code.call(&[start as u64, stop as u64, step as u64], &mut Memory::default()) };
        match oracle.call(function, &[Value::int(start), Value::int(stop), Value::int(step)]) {
            Ok(Value::Tuple(parts)) => {
                let words: Vec<Value> = made.expect("it does not raise").into_iter().map(|word| Value::int(word as i64)).collect();
                assert_eq!(parts.to_vec(), words, "range({start}, {stop}, {step})");
            }
            other => assert!(other.is_err() && made.is_err(), "range({start}, {stop}, {step}): {other:?}"),
        }
    }
}
