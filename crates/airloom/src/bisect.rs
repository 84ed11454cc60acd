//! A wrong answer answered with a rule's name: run with ever less fuel, and halve.

use crate::program::{Error, Program};
use airloom_ir::name::Name;
use airloom_ir::oracle::Host;
use airloom_ir::value::Value;
use airloom_opt::driver::{Options, Outcome};

/// What bisecting found.
pub enum Verdict {
    /// Optimising changes nothing of the answer.
    Fine {
        /// How many rules fired.
        firings: usize,
    },
    /// With one more firing the answer changes.
    Guilty {
        /// The rule of that firing.
        rule: Name,
        /// Its number, from 1.
        firing: u64,
        /// The answer before, or its error.
        before: Result<Value, String>,
        /// The answer after, or its error.
        after: Result<Value, String>,
        /// What happened up to and with it.
        outcome: Outcome,
    },
    /// A rule broke its promise and said so itself.
    Broken(String),
}

/// Finds the first firing after which the function at `place` answers otherwise.
pub fn bisect(session: &mut Program, place: usize, args: &[Value], options: &Options, host: Option<Host<'_>>) -> Verdict {
    let function = session.module().functions[place].lambda;
    let reference = answer(session.run(function, args, host));
    let mut at_fuel = |fuel: u64| -> Result<(Result<Value, String>, Outcome), Error> {
        let outcome = session.optimize(&Options { fuel, ..options.clone() })?;
        let found = answer(session.run(outcome.roots[place], args, host));
        Ok((found, outcome))
    };
    let (whole, outcome) = match at_fuel(options.fuel) {
        Ok(found) => found,
        Err(error) => return Verdict::Broken(error.to_string()),
    };
    if whole == reference {
        return Verdict::Fine { firings: outcome.trace.len() };
    }
    // With `good` firings the answer is right, with `bad` it is wrong.
    let (mut good, mut bad) = (0, outcome.trace.len() as u64);
    let mut last = (whole, outcome);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match at_fuel(middle) {
            Err(error) => return Verdict::Broken(error.to_string()),
            Ok((found, _)) if found == reference => good = middle,
            Ok(found) => {
                bad = middle;
                last = found;
            }
        }
    }
    let (after, outcome) = last;
    let rule = outcome.trace.get(bad as usize - 1).map_or_else(|| Name::new("unknown"), |f| f.rule.clone());
    Verdict::Guilty { rule, firing: bad, before: reference, after, outcome }
}

fn answer(result: Result<Value, Error>) -> Result<Value, String> {
    result.map_err(|e| match e {
        // Where an error was raised may change with the program; that it was raised may not.
        Error::Raised(_) => "raised".to_string(),
        other => other.to_string(),
    })
}
