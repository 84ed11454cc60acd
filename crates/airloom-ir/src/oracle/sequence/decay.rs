//! Running results in which what is older counts less.

use crate::oracle::call::Call;
use crate::oracle::stop::{Raised, Stop, raise};
use crate::value::Value;

/// The weights of what came before and of what comes now.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// What a new element counts at once.
    pub alpha: f64,
    /// Whether weights are divided by their sum.
    pub adjust: bool,
    /// Whether a null takes no step.
    pub ignore_nulls: bool,
}

impl Weights {
    fn of_new(&self) -> f64 {
        if self.adjust { 1.0 } else { self.alpha }
    }
}

/// A running mean, or sum, element by element.
pub struct Decay {
    weights: Weights,
    total: bool,
    before: f64,
    so_far: Option<f64>,
}

impl Decay {
    /// Before the first element.
    pub fn new(weights: Weights, total: bool) -> Decay {
        Decay { weights, total, before: 1.0, so_far: None }
    }

    /// The result at the next position, `steps` steps after the last.
    #[inline]
    pub fn next(&mut self, element: Option<f64>, steps: f64) -> Option<f64> {
        let Some(so_far) = self.so_far else {
            self.so_far = element;
            return element;
        };
        if element.is_none() && self.weights.ignore_nulls {
            return Some(so_far);
        }
        let fading = 1.0 - self.weights.alpha;
        let found = if self.total {
            fading * so_far + element.unwrap_or(0.0)
        } else {
            self.before *= if steps == 1.0 { fading } else { fading.powf(steps) };
            element.map_or(so_far, |element| self.mean(so_far, element))
        };
        self.so_far = Some(found);
        self.so_far
    }

    fn mean(&mut self, so_far: f64, element: f64) -> f64 {
        let mut new = self.weights.of_new();
        let mut found = so_far;
        // What does not change is not rounded either.
        if so_far != element {
            // Where steps are of different lengths, what fades makes room for what is new.
            if !self.weights.adjust && self.weights.alpha == 0.5 {
                new = 1.0 - self.before;
            }
            found = (self.before * so_far + new * element) / (self.before + new);
        }
        self.before = if self.weights.adjust { self.before + new } else { 1.0 };
        found
    }
}

/// A running covariance, pair by pair.
pub struct DecayCov {
    weights: Weights,
    biased: bool,
    means: Option<(f64, f64)>,
    cov: f64,
    sum: f64,
    squares: f64,
    before: f64,
}

impl DecayCov {
    /// Before the first pair.
    pub fn new(weights: Weights, biased: bool) -> DecayCov {
        DecayCov { weights, biased, means: None, cov: 0.0, sum: 1.0, squares: 1.0, before: 1.0 }
    }

    /// The result at the next position.
    #[inline]
    pub fn next(&mut self, pair: Option<(f64, f64)>) -> Option<f64> {
        match self.means {
            None => self.means = pair,
            Some(means) if pair.is_some() || !self.weights.ignore_nulls => {
                let fading = 1.0 - self.weights.alpha;
                self.sum *= fading;
                self.squares *= fading * fading;
                self.before *= fading;
                if let Some(pair) = pair {
                    self.take(means, pair);
                }
            }
            Some(_) => (),
        }
        self.means?;
        if self.biased {
            return Some(self.cov);
        }
        let numerator = self.sum * self.sum;
        let denominator = numerator - self.squares;
        (denominator > 0.0).then(|| numerator / denominator * self.cov)
    }

    fn take(&mut self, (old_x, old_y): (f64, f64), (x, y): (f64, f64)) {
        let new = self.weights.of_new();
        let all = self.before + new;
        let mean = |old: f64, new_one: f64| if old == new_one { old } else { (self.before * old + new * new_one) / all };
        let (mean_x, mean_y) = (mean(old_x, x), mean(old_y, y));
        let old = self.before * (self.cov + (old_x - mean_x) * (old_y - mean_y));
        self.cov = (old + new * ((x - mean_x) * (y - mean_y))) / all;
        self.means = Some((mean_x, mean_y));
        self.sum += new;
        self.squares += new * new;
        self.before = all;
        if !self.weights.adjust {
            self.sum /= all;
            self.squares /= all * all;
            self.before = 1.0;
        }
    }
}

pub(super) fn floats(call: &Call<'_>, at: usize) -> Vec<Option<f64>> {
    call.array(at).items.iter().map(|item| if let Value::F64(x) = item { Some(*x) } else { None }).collect()
}

/// An error, where two arrays are not equally long.
pub fn one_beside_the_other(array: usize, other: usize) -> Result<(), Raised> {
    if array == other { Ok(()) } else { raise(format!("the arrays must be equally long, found {array} and {other} elements")) }
}

fn weights(call: &Call<'_>) -> Weights {
    let alpha = if let Value::F64(alpha) = &call.args[2] { *alpha } else { f64::NAN };
    Weights { alpha, adjust: call.attr(0), ignore_nulls: call.attr(1) }
}

pub(super) fn results(found: impl Iterator<Item = Option<f64>>) -> Value {
    Value::arr(found.map(|x| x.map_or(Value::Null, Value::F64)).collect())
}

pub(super) fn decay(call: &Call<'_>) -> Result<Value, Stop> {
    let (items, steps) = (floats(call, 0), floats(call, 1));
    one_beside_the_other(items.len(), steps.len())?;
    let mut decay = Decay::new(weights(call), call.attr(2));
    Ok(results(items.into_iter().zip(steps).map(|(item, step)| decay.next(item, step.unwrap_or(f64::NAN)))))
}

pub(super) fn decay_cov(call: &Call<'_>) -> Result<Value, Stop> {
    let (items, others) = (floats(call, 0), floats(call, 1));
    one_beside_the_other(items.len(), others.len())?;
    let mut decay = DecayCov::new(weights(call), call.attr(2));
    Ok(results(items.into_iter().zip(others).map(|(x, y)| decay.next(x.zip(y)))))
}
