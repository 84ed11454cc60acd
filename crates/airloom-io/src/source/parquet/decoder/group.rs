//! One row group: windows of rows, tested and decoded.

use super::column::Column;
use super::selection::Selection;
use crate::source::table::ScanPredicate;
use airloom_compute::data::SourceError;
use airloom_compute::keys::FilterSelectivity;
use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use std::sync::Arc;

/// Tests, with what they have let through so far.
pub(super) struct Tests {
    tests: Vec<Counted>,
    /// The tests in use, in the order in which they are asked.
    order: Vec<usize>,
    /// The columns that those read.
    columns: Vec<usize>,
}

struct Counted {
    test: Arc<dyn ScanPredicate>,
    selectivity: FilterSelectivity,
}

impl Counted {
    /// Whether it is worth asking. One that only saves work must save some.
    fn pays(&self) -> bool {
        !self.test.is_optional() || self.selectivity.pays(MOST)
    }
}

/// A test that lets through more than this saves less than it costs.
const MOST: f64 = 0.8;

impl Tests {
    /// None of them asked yet.
    pub(super) fn new(tests: &[Arc<dyn ScanPredicate>]) -> Tests {
        let tests = tests.iter().map(|test| Counted { test: test.clone(), selectivity: FilterSelectivity::default() });
        Tests { tests: tests.collect(), order: Vec::new(), columns: Vec::new() }
    }

    /// Chooses the tests of the next row group. Those that read one column come first, of which the most selective: the others are asked about fewer rows.
    fn choose(&mut self) {
        let tests = &self.tests;
        self.order = (0..tests.len()).filter(|&at| tests[at].test.is_ready() && tests[at].pays()).collect();
        self.order.sort_by(|&a, &b| {
            let several = |at: usize| tests[at].test.columns().len() > 1;
            several(a).cmp(&several(b)).then(tests[a].selectivity.share().total_cmp(&tests[b].selectivity.share()))
        });
        self.columns = self.order.iter().flat_map(|&at| tests[at].test.columns()).copied().collect();
        self.columns.sort_unstable();
        self.columns.dedup();
    }
}

/// A row group on its way.
pub(super) struct Group {
    columns: Vec<Box<dyn Column>>,
    /// The columns that are emitted, and what they are called.
    kept: Vec<usize>,
    schema: SchemaRef,
    /// The rows that have not been looked at.
    left: usize,
    /// The rows decoded since a batch was last emitted.
    made: usize,
    /// How many rows a window and a batch have.
    batch_rows: usize,
    /// Whether each column is decoded in the window at hand.
    held: Vec<bool>,
}

/// How far a row group has come.
pub(super) enum Progress {
    /// A batch.
    Batch(RecordBatch),
    /// Rows were looked at, and too few wanted for a batch.
    Working,
    /// That was all.
    End,
}

/// How many windows are looked at before others may run.
const PATIENCE: usize = 32;

impl Group {
    /// Of these columns with `rows` rows. Only some of the columns are emitted.
    pub(super) fn new(
        columns: Vec<Box<dyn Column>>,
        kept: &[usize],
        schema: SchemaRef,
        rows: usize,
        batch_rows: usize,
        tests: &mut Tests,
    ) -> Group {
        tests.choose();
        let held = vec![false; columns.len()];
        Group { columns, kept: kept.to_vec(), schema, left: rows, made: 0, batch_rows, held }
    }

    /// Goes on.
    pub(super) fn next(&mut self, tests: &Tests) -> Result<Progress, SourceError> {
        for _ in 0..PATIENCE {
            if self.left == 0 {
                return if self.made > 0 { self.batch() } else { Ok(Progress::End) };
            }
            self.window(tests)?;
            if self.made >= self.batch_rows {
                return self.batch();
            }
        }
        Ok(Progress::Working)
    }

    fn batch(&mut self) -> Result<Progress, SourceError> {
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.made)));
        let columns = self.kept.iter().map(|&at| self.columns[at].give_out()).collect();
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map(Progress::Batch).map_err(|error| SourceError::broken(format!("columns do not make a batch: {error}")))
    }

    /// Looks at the next rows: as many as the pages of all tested columns have.
    fn window(&mut self, tests: &Tests) -> Result<(), SourceError> {
        let mut rows = self.left.min(self.batch_rows);
        for &at in &tests.columns {
            rows = rows.min(self.columns[at].page_rows()?);
        }
        self.left -= rows;
        let mut selection = Selection::all(rows);
        self.held.fill(false);
        for &number in &tests.order {
            if selection.is_empty() {
                break;
            }
            let Counted { test, selectivity } = &tests.tests[number];
            let asked = selection.len();
            self.test(number, test.as_ref(), &mut selection)?;
            selectivity.count(asked, selection.len());
        }
        self.made += selection.len();
        for &at in &self.kept {
            match (self.held[at], selection.is_empty()) {
                (true, true) => (),
                (true, false) => self.columns[at].keep(&selection),
                (false, true) => self.columns[at].pass(rows),
                (false, false) => self.columns[at].read(&selection)?,
            }
        }
        for &at in tests.columns.iter().filter(|at| !self.held[**at] && !self.kept.contains(at)) {
            self.columns[at].pass(rows);
        }
        Ok(())
    }

    fn test(&mut self, number: usize, test: &dyn ScanPredicate, selection: &mut Selection) -> Result<(), SourceError> {
        for &at in test.columns() {
            if !std::mem::replace(&mut self.held[at], true) {
                self.columns[at].hold(selection.rows())?;
            }
        }
        if let [only] = test.columns() {
            return self.columns[*only].test(number, test, selection);
        }
        let columns: Vec<_> = test.columns().iter().map(|&at| self.columns[at].held(selection)).collect();
        let mask = test.test(&columns, selection.len())?;
        selection.keep_where(&mask);
        Ok(())
    }
}
