//! Spans: what a run reports to a subscriber.

mod folder;

use airloom::{Session, SessionOptions, col, doc::sales};
use folder::Folder;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A span as it was reported: its name, its fields, and the name of the one around it.
#[derive(Clone, Debug, Default)]
struct Told {
    name: String,
    fields: BTreeMap<String, String>,
    round: Option<String>,
}

/// Keeps every span and event.
#[derive(Clone, Default)]
struct Listener {
    next: Arc<AtomicU64>,
    spans: Arc<Mutex<BTreeMap<u64, Told>>>,
    events: Arc<Mutex<Vec<Told>>>,
}

thread_local! {
    static ENTERED: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_string(), format!("{value:?}").trim_matches('"').to_string());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("airloom")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut spans = self.spans.lock().expect("no test panics while it holds this");
        let inside = ENTERED.with_borrow(|entered| entered.last().copied());
        let round = span.parent().map(Id::into_u64).or(inside).and_then(|id| spans.get(&id)).map(|told| told.name.clone());
        let mut told = Told { name: span.metadata().name().to_string(), fields: BTreeMap::new(), round };
        span.record(&mut Fields(&mut told.fields));
        spans.insert(id, told);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.spans.lock().expect("no test panics while it holds this");
        values.record(&mut Fields(&mut spans.get_mut(&span.into_u64()).expect("a span that was told").fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut told = Told::default();
        event.record(&mut Fields(&mut told.fields));
        self.events.lock().expect("no test panics while it holds this").push(told);
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.pop());
    }
}

#[test]
fn a_run_is_told_in_spans() {
    let listener = Listener::default();
    tracing::subscriber::set_global_default(listener.clone()).expect("nobody listens yet");
    let options = SessionOptions { threads: 2, ..SessionOptions::from_environment().expect("a sound environment") };
    let session = Session::new(options).expect("sound options");
    let frame = sales(&session)
        .expect("rows")
        .filter(col("amount").gt(1))
        .expect("sound")
        .group_by(["city"])
        .agg([col("price").sum()])
        .expect("sound");
    frame.collect().expect("runs");
    frame.collect().expect("runs again");
    let folder = Folder::new();
    let path = folder.path().join("frame.csv");
    frame.write_csv(&path).expect("writes");
    assert!(path.exists(), "it was written");

    let spans: Vec<Told> = listener.spans.lock().expect("nobody panicked").values().cloned().collect();
    let of = |name: &str| spans.iter().filter(|told| told.name == name).collect::<Vec<_>>();
    let runs: Vec<&str> = of("run").iter().map(|told| told.fields["cached"].as_str()).collect();
    assert_eq!(runs, ["false", "true", "true"]);
    assert!(of("run").iter().all(|told| told.fields["function"] == "frame"), "{:?}", of("run"));
    let [optimize] = of("optimize")[..] else { panic!("one run of the rules: {:?}", of("optimize")) };
    assert_eq!(optimize.round.as_deref(), Some("run"));
    assert!(optimize.fields.contains_key("firings"), "{optimize:?}");
    let stages = listener.events.lock().expect("nobody panicked").iter().filter(|told| told.fields.contains_key("stage")).count();
    assert!(stages > 1, "each stage is told");
    // The plan is a value: it is made once, and kept with the program.
    assert_eq!((of("plan").len(), of("execute").len()), (1, 3));
    assert!(of("execute").iter().all(|told| told.fields["plan"] == "Group" && told.round.as_deref() == Some("run")), "{:?}", of("execute"));
    let operators = of("operator");
    assert!(["Group", "FilterProject"].iter().all(|name| operators.iter().any(|told| told.fields["name"] == *name)), "{operators:?}");
    assert!(of("scan").iter().all(|told| told.fields["kind"] == "memory" && told.fields["partition"] == "0"), "{:?}", of("scan"));
    assert_eq!(of("scan").len(), 3);
    let [write] = of("write")[..] else { panic!("one file was written: {:?}", of("write")) };
    assert_eq!((write.fields["url"].as_str(), write.fields["rows"].as_str()), (path.to_str().expect("text"), "2"));
}
