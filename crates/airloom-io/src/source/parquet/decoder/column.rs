//! One column of one row group, decoded as far as it is wanted.

use super::kind::Kind;
use super::pages::{DataPage, Next, Pages, Values, damaged};
use super::selection::Selection;
use crate::source::table::ScanPredicate;
use airloom_compute::data::SourceError;
use arrow::array::{ArrayRef, NullBufferBuilder};
use arrow::buffer::NullBuffer;

/// A column of a row group. Rows are taken in windows: those of a column that is tested are decoded first and kept or not afterwards.
pub(super) trait Column: Send {
    /// The rows left in the page at hand, which is the next one where none is.
    fn page_rows(&mut self) -> Result<usize, SourceError>;

    /// Decodes the next rows, no more than the page at hand has, and holds them as the window.
    fn hold(&mut self, rows: usize) -> Result<(), SourceError>;

    /// Takes from a selection of the window what a test of this column alone does not want. The number identifies the test.
    fn test(&mut self, number: usize, test: &dyn ScanPredicate, selection: &mut Selection) -> Result<(), SourceError>;

    /// The selected rows of the window.
    fn held(&self, selection: &Selection) -> ArrayRef;

    /// Adds the selected rows of the window to the output.
    fn keep(&mut self, selection: &Selection);

    /// Adds the selected ones of the next rows to the output.
    fn read(&mut self, selection: &Selection) -> Result<(), SourceError>;

    /// Passes over the next rows.
    fn pass(&mut self, rows: usize);

    /// Takes the output.
    fn give_out(&mut self) -> ArrayRef;
}

/// In which form the window is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Codes,
    Values,
}

/// A column of values of a kind.
pub(super) struct ColumnReader<K: Kind> {
    kind: K,
    pages: Pages,
    page: Option<DataPage>,
    /// Rows that are not wanted, not passed over yet: whole pages of them are never looked at.
    unwanted: usize,
    /// The entries, and after them the value stored for null.
    dictionary: Vec<K::Value>,
    /// For each test the answer for each entry.
    answers: Vec<Option<Vec<bool>>>,
    form: Form,
    /// The window: a code for each row, or a value.
    codes: Vec<u32>,
    values: Vec<K::Value>,
    /// Whether each row of the window has a value; empty where all have.
    valid: Vec<bool>,
    out: Vec<K::Value>,
    nulls: NullBufferBuilder,
}

impl<K: Kind> ColumnReader<K> {
    /// Of some pages; `rows` rows are emitted at a time.
    pub(super) fn new(kind: K, pages: Pages, dictionary: Vec<K::Value>, rows: usize) -> ColumnReader<K> {
        ColumnReader {
            kind,
            pages,
            page: None,
            unwanted: 0,
            dictionary,
            answers: Vec::new(),
            form: Form::Values,
            codes: Vec::new(),
            values: Vec::new(),
            valid: Vec::new(),
            out: Vec::new(),
            nulls: NullBufferBuilder::new(rows),
        }
    }

    /// The page at hand, after what is unwanted; rows are left in it.
    fn settle(&mut self) -> Result<&mut DataPage, SourceError> {
        loop {
            match &mut self.page {
                Some(page) if page.left > self.unwanted => {
                    let unwanted = std::mem::take(&mut self.unwanted);
                    self.pass_within(unwanted)?;
                    break;
                }
                Some(page) => {
                    self.unwanted -= page.left;
                    self.page = None;
                }
                None => match self.pages.peek()? {
                    Some(rows) if rows <= self.unwanted => {
                        self.unwanted -= rows;
                        self.pages.pass()?;
                    }
                    _ => self.load()?,
                },
            }
        }
        self.page.as_mut().ok_or_else(|| SourceError::broken("invariant `a column that has settled is at a page`"))
    }

    fn load(&mut self) -> Result<(), SourceError> {
        match self.pages.next()? {
            Next::End => return Err(damaged("a column has fewer rows than its row group")),
            Next::Dictionary { bytes, count } => {
                self.dictionary = self.kind.dictionary(&bytes, count)?;
                self.dictionary.push(K::Value::default());
                self.answers.clear();
            }
            Next::Data(page) => {
                if let Values::Plain { bytes, .. } = &page.values {
                    self.kind.begin(bytes);
                }
                self.page = Some(page);
            }
        }
        Ok(())
    }

    /// Passes over rows of the page at hand.
    fn pass_within(&mut self, rows: usize) -> Result<(), SourceError> {
        let (Some(page), true) = (&mut self.page, rows > 0) else { return Ok(()) };
        page.left -= rows;
        self.valid.clear();
        let present = page.levels.as_mut().map_or(Ok(rows), |levels| levels.read_bits(rows, &mut self.valid))?;
        match &mut page.values {
            Values::Codes(codes) => codes.skip(present)?,
            Values::Plain { bytes, at } => *at = self.kind.pass(bytes, *at, present)?,
        }
        Ok(())
    }

    /// Decodes rows of the page at hand: a code or a value for each.
    fn decode(&mut self, rows: usize) -> Result<(), SourceError> {
        let null = self.dictionary.len().saturating_sub(1) as u32;
        let Some(page) = &mut self.page else { return Err(SourceError::broken("invariant `only pages are decoded`")) };
        page.left -= rows;
        self.valid.clear();
        let present = page.levels.as_mut().map_or(Ok(rows), |levels| levels.read_bits(rows, &mut self.valid))?;
        match &mut page.values {
            Values::Codes(codes) => {
                self.form = Form::Codes;
                self.codes.clear();
                codes.read(present, &mut self.codes)?;
                if self.codes.iter().fold(0, |most, &code| most.max(code)) >= null && present > 0 {
                    return Err(damaged("a value is not in its dictionary"));
                }
                spread(&mut self.codes, &self.valid, null);
            }
            Values::Plain { bytes, at } => {
                self.form = Form::Values;
                self.values.clear();
                *at = self.kind.plain(bytes, *at, present, &mut self.values)?;
                spread(&mut self.values, &self.valid, K::Value::default());
            }
        }
        Ok(())
    }

    /// Adds decoded rows to the output: all, or those with these numbers, counted from `first`.
    fn add(&mut self, rows: usize, chosen: Option<&[u32]>, first: u32) {
        let (codes, values, dictionary) = (&self.codes, &self.values, &self.dictionary);
        match (self.form, chosen) {
            (Form::Codes, None) => self.out.extend(codes.iter().map(|&code| dictionary[code as usize])),
            (Form::Codes, Some(chosen)) => {
                self.out.extend(chosen.iter().map(|&row| dictionary[codes[(row - first) as usize] as usize]));
            }
            (Form::Values, None) => self.out.extend_from_slice(values),
            (Form::Values, Some(chosen)) => self.out.extend(chosen.iter().map(|&row| values[(row - first) as usize])),
        }
        match chosen {
            _ if self.valid.is_empty() => self.nulls.append_n_non_nulls(chosen.map_or(rows, <[u32]>::len)),
            None => self.valid.iter().for_each(|&valid| self.nulls.append(valid)),
            Some(chosen) => chosen.iter().for_each(|&row| self.nulls.append(self.valid[(row - first) as usize])),
        }
    }

    /// Each entry of the dictionary, and null.
    fn entries(&self) -> ArrayRef {
        let null = self.dictionary.len().saturating_sub(1);
        let nulls = NullBuffer::from_iter((0..self.dictionary.len()).map(|at| at < null));
        self.kind.array(self.dictionary.clone(), Some(nulls))
    }
}

impl<K: Kind> Column for ColumnReader<K> {
    fn page_rows(&mut self) -> Result<usize, SourceError> {
        Ok(self.settle()?.left)
    }

    fn hold(&mut self, rows: usize) -> Result<(), SourceError> {
        self.settle()?;
        self.decode(rows)
    }

    fn test(&mut self, number: usize, test: &dyn ScanPredicate, selection: &mut Selection) -> Result<(), SourceError> {
        if self.form == Form::Values {
            let mask = test.test(&[self.held(selection)], selection.len())?;
            selection.keep_where(&mask);
            return Ok(());
        }
        if self.answers.len() <= number {
            self.answers.resize(number + 1, None);
        }
        if self.answers[number].is_none() {
            let mask = test.test(&[self.entries()], self.dictionary.len())?;
            self.answers[number] = Some(mask.iter().collect());
        }
        if let Some(answers) = &self.answers[number] {
            let codes = &self.codes;
            selection.keep(|row| answers[codes[row] as usize]);
        }
        Ok(())
    }

    fn held(&self, selection: &Selection) -> ArrayRef {
        let rows = || (0..selection.rows()).map(|row| row as u32);
        let pick = |row: u32| match self.form {
            Form::Codes => self.dictionary[self.codes[row as usize] as usize],
            Form::Values => self.values[row as usize],
        };
        let values: Vec<K::Value> = match selection.chosen() {
            Some(chosen) => chosen.iter().map(|&row| pick(row)).collect(),
            None if self.form == Form::Values => self.values.clone(),
            None => rows().map(pick).collect(),
        };
        let valid = |row: u32| self.valid[row as usize];
        let nulls = (!self.valid.is_empty()).then(|| match selection.chosen() {
            Some(chosen) => NullBuffer::from_iter(chosen.iter().map(|&row| valid(row))),
            None => NullBuffer::from_iter(rows().map(valid)),
        });
        self.kind.array(values, nulls)
    }

    fn keep(&mut self, selection: &Selection) {
        self.add(selection.rows(), selection.chosen(), 0);
    }

    fn read(&mut self, selection: &Selection) -> Result<(), SourceError> {
        let (mut done, rows) = (0, selection.rows());
        while done < rows {
            let now = self.settle()?.left.min(rows - done);
            let chosen = selection.chosen().map(|chosen| {
                let from = chosen.partition_point(|&row| (row as usize) < done);
                let to = chosen.partition_point(|&row| (row as usize) < done + now);
                &chosen[from..to]
            });
            if chosen.is_some_and(<[u32]>::is_empty) {
                self.unwanted += now;
            } else {
                self.decode(now)?;
                self.add(now, chosen, done as u32);
            }
            done += now;
        }
        Ok(())
    }

    fn pass(&mut self, rows: usize) {
        self.unwanted += rows;
    }

    fn give_out(&mut self) -> ArrayRef {
        let nulls = self.nulls.finish();
        let array = self.kind.array(std::mem::take(&mut self.out), nulls);
        self.kind.given_out();
        array
    }
}

/// Moves the values of the rows that have one to their positions; the others get the value stored for null.
fn spread<T: Copy>(values: &mut Vec<T>, valid: &[bool], null: T) {
    if valid.is_empty() {
        return;
    }
    let mut from = values.len();
    values.resize(valid.len(), null);
    for (at, &valid) in valid.iter().enumerate().rev() {
        if valid {
            from -= 1;
            values[at] = values[from];
        } else {
            values[at] = null;
        }
    }
}
