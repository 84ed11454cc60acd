//! The rules of a session: airloom's own, and those that an embedder adds.

use super::error::Error;
use super::session::{Common, Inner, Session};
use airloom_ir::name::Name;
use airloom_opt::driver::Broken;
use airloom_opt::registry::Registry;
use airloom_opt::rule::Rule;
use std::sync::{Arc, OnceLock, PoisonError};

/// The rules, and how they came to be.
#[derive(Clone)]
pub(super) struct Rules {
    /// How often they were changed.
    pub(super) generation: u64,
    /// Shared with the runs: it finds rules by tables that are made once.
    pub(super) registry: Arc<Registry>,
    /// Those that are not airloom's own.
    pub(super) added: Arc<[Name]>,
}

impl Rules {
    /// The standard rules, which are many and the same for every session.
    pub(super) fn standard() -> Rules {
        static STANDARD: OnceLock<Arc<Registry>> = OnceLock::new();
        Rules { generation: 0, registry: STANDARD.get_or_init(|| Arc::new(Registry::standard())).clone(), added: Arc::default() }
    }

    /// A rule of the embedder's own that breaks its promise is no bug of ours.
    pub(super) fn to_error(&self, broken: &Broken) -> Error {
        if self.added.contains(&broken.rule) { Error::Rule(broken.to_string()) } else { Error::broken(broken.to_string()) }
    }
}

impl Common {
    pub(super) fn rules(&self) -> Rules {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Inner {
    /// The rules less those that the options leave out.
    pub(super) fn registry(&self, rules: &Rules) -> Result<Arc<Registry>, Error> {
        let without: Vec<&str> = self.options.without_rules.iter().map(String::as_str).collect();
        if without.is_empty() {
            return Ok(rules.registry.clone());
        }
        if let Some(name) = without.iter().find(|name| rules.registry.rule(name).is_none()) {
            return Err(Error::Program(format!("there is no rule `{name}`")));
        }
        Registry::clone(&rules.registry).without(&without).map(Arc::new).map_err(Error::Program)
    }
}

impl Session {
    /// Adds a rule to those that programs are optimised with.
    ///
    /// ```
    /// use airloom::opt::{rule::Rule, stage::Stage};
    /// use airloom::{Session, SessionOptions};
    ///
    /// let session = Session::new(SessionOptions::from_environment()?)?;
    /// let doc = "A text once is that text.";
    /// let rule = Rule::text(Stage::Simplify, "repeat-once-more", doc, "str.repeat(?s:text!, 1)", "?s", None).unwrap();
    /// session.add_rule(rule.clone())?;
    /// assert!(session.add_rule(rule).is_err(), "there is one of this name now");
    /// session.remove_rule("repeat-once-more")?;
    /// assert!(session.remove_rule("merge-filters").is_err(), "it is one of airloom's own");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn add_rule(&self, rule: Rule) -> Result<(), Error> {
        let mut held = self.inner.common.rules.write().unwrap_or_else(PoisonError::into_inner);
        let name = rule.name.clone();
        let mut registry = Registry::clone(&held.registry);
        registry.add(rule).map_err(|error| Error::Program(error.to_string()))?;
        let added = held.added.iter().cloned().chain([name]).collect();
        *held = Rules { generation: held.generation + 1, registry: Arc::new(registry), added };
        Ok(())
    }

    /// Takes away a rule that was added. Airloom's own stay; [`SessionOptions::without_rules`](crate::SessionOptions::without_rules) leaves them out.
    pub fn remove_rule(&self, name: &str) -> Result<(), Error> {
        let mut held = self.inner.common.rules.write().unwrap_or_else(PoisonError::into_inner);
        if held.added.iter().all(|added| added.as_str() != name) {
            return Err(Error::Program(match held.registry.rule(name) {
                Some(_) => format!("`{name}` is a rule of airloom's own"),
                None => format!("there is no rule `{name}`"),
            }));
        }
        let registry = Registry::clone(&held.registry).without(&[name]).map_err(Error::Program)?;
        let added = held.added.iter().filter(|added| added.as_str() != name).cloned().collect();
        *held = Rules { generation: held.generation + 1, registry: Arc::new(registry), added };
        Ok(())
    }

    /// All rules, in the order they are tried.
    pub fn rules(&self) -> Arc<Registry> {
        self.inner.common.rules().registry
    }

    /// The names of the rules that were added.
    pub fn added_rules(&self) -> Arc<[Name]> {
        self.inner.common.rules().added
    }
}
