//! Frames of tables: in files, in memory, and of those that are known by name.

use super::error::Error;
use super::session::{Session, locked};
use super::sources::Opened;
use crate::frame::Frame;
use crate::source::{CsvOptions, CsvTable, FileOptions, IpcTable, JsonTable, MemoryTable, ParquetTable, SourceError, SqlTable, Table};
use airloom_compute::arrow::array::RecordBatch;
use airloom_compute::arrow::datatypes::Schema;
use airloom_ir::module::Module;
use std::sync::Arc;

/// One path or several: of files, of folders, with `*` in them, or of an object store.
pub trait Paths {
    /// The paths, in the order in which they are read.
    fn paths(self) -> Vec<String>;
}

impl Paths for &str {
    fn paths(self) -> Vec<String> {
        vec![self.to_string()]
    }
}

impl Paths for String {
    fn paths(self) -> Vec<String> {
        vec![self]
    }
}

impl Paths for &std::path::Path {
    fn paths(self) -> Vec<String> {
        vec![self.to_string_lossy().into_owned()]
    }
}

impl Paths for &std::path::PathBuf {
    fn paths(self) -> Vec<String> {
        self.as_path().paths()
    }
}

impl<P: Paths, const COUNT: usize> Paths for [P; COUNT] {
    fn paths(self) -> Vec<String> {
        self.into_iter().flat_map(Paths::paths).collect()
    }
}

impl<P: Paths> Paths for Vec<P> {
    fn paths(self) -> Vec<String> {
        self.into_iter().flat_map(Paths::paths).collect()
    }
}

impl Session {
    /// The rows of Parquet files. They are read when the frame is, and only as far as it asks.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, col};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// # let folder = std::env::temp_dir().join(format!("airloom-doc-parquet-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("sales.parquet");
    /// # std::fs::write(folder.join("sales.csv"), "k,x\na,1\nb,2\n").unwrap();
    /// # session.read_csv(&folder.join("sales.csv"))?.write_parquet(&path)?;
    /// let sales = session.read_parquet(&path)?;
    /// assert_eq!(sales.columns(), ["k", "x"]);
    /// assert_eq!(sales.filter(col("x").gt(1))?.count()?, 1);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn read_parquet(&self, paths: impl Paths) -> Result<Frame, Error> {
        self.open("parquet".into(), paths.paths(), |paths| ParquetTable::open(paths, &FileOptions::plain()).map(table))
    }

    /// The rows of text files with a header, by the rules of [`CsvOptions::plain`].
    #[track_caller]
    pub fn read_csv(&self, paths: impl Paths) -> Result<Frame, Error> {
        self.read_csv_with(paths, &CsvOptions::plain())
    }

    /// The rows of text files.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions};
    /// use airloom::source::CsvOptions;
    ///
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// # let path = std::env::temp_dir().join(format!("airloom-doc-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "k;x\na;1\nb;2\n").unwrap();
    /// let rows = session.read_csv_with(&path, &CsvOptions { delimiter: b';', ..CsvOptions::plain() })?;
    /// assert_eq!(rows.columns(), ["k", "x"]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn read_csv_with(&self, paths: impl Paths, options: &CsvOptions) -> Result<Frame, Error> {
        self.open(format!("csv {options:?}"), paths.paths(), |paths| CsvTable::open(paths, &FileOptions::plain(), options).map(table))
    }

    /// The rows of files with a JSON object on each line.
    #[track_caller]
    pub fn read_json(&self, paths: impl Paths) -> Result<Frame, Error> {
        self.open("json".into(), paths.paths(), |paths| JsonTable::open(paths, &FileOptions::plain()).map(table))
    }

    /// The rows of Arrow files, also called Feather.
    #[track_caller]
    pub fn read_ipc(&self, paths: impl Paths) -> Result<Frame, Error> {
        self.open("ipc".into(), paths.paths(), |paths| IpcTable::open(paths, &FileOptions::plain()).map(table))
    }

    /// The rows of a table, a view or a query of a database: `postgres://user@host/database`, `sqlite:///path`, or the path of a SQLite file. What is done with
    /// them is left to the database as far as its SQL means the same; [`Frame::explain`] shows the text that is sent.
    ///
    /// ```
    /// # use airloom::{Error, Session, SessionOptions};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let Err(Error::Program(message)) = session.read_sql("mysql://localhost/shop", "sales") else { panic!("there is no such database") };
    /// assert!(message.starts_with("the address of a database begins with `mysql://`, expected"), "{message}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn read_sql(&self, connection: &str, table_or_query: &str) -> Result<Frame, Error> {
        // A database changes while its file seems to stay as it was: it is looked at each time.
        let opened = self.inner.guarded(&Module::default(), || Ok(SqlTable::open(connection, table_or_query)?))?;
        Frame::of(self, self.inner.common.add(table_or_query, table(opened)))
    }

    /// Rows that are in memory already. They are not copied.
    ///
    /// ```
    /// use airloom::arrow::array::{Int64Array, RecordBatch};
    /// use airloom::arrow::datatypes::{DataType, Field, Schema};
    /// use airloom::{Session, SessionOptions, col};
    /// use std::sync::Arc;
    ///
    /// let session = Session::new(SessionOptions::from_environment()?)?;
    /// let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, false)]));
    /// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Int64Array::from(vec![1, 2, 3]))]).unwrap();
    /// let rows = session.from_batches(&schema, &[batch])?.filter(col("x").ge(2))?.collect()?;
    /// assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn from_batches(&self, schema: &Schema, batches: &[RecordBatch]) -> Result<Frame, Error> {
        let rows = MemoryTable::new(schema, batches)?.without_idle_nulls();
        Frame::of(self, self.inner.common.add("rows", table(rows)))
    }

    /// Gives a table a name, by which programs and [`Session::table`] find it. A frame or program reads what has the name when it runs.
    pub fn register(&self, name: &str, table: Arc<dyn Table>) {
        self.inner.common.replace(name, table);
    }

    /// The table that was registered under a name.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// assert_eq!(session.table("sales").err().unwrap().to_string(), "there is no table `sales`; none was registered");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    #[track_caller]
    pub fn table(&self, name: &str) -> Result<Frame, Error> {
        let sources = locked(&self.inner.common.sources);
        let Some(kept) = sources.registered.get(name).cloned() else {
            let known: Vec<String> = sources.registered.keys().map(|name| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none was registered".to_string() } else { format!("there are: {}", known.join(", ")) };
            return Err(Error::Program(format!("there is no table `{name}`; {known}")));
        };
        drop(sources);
        Frame::of(self, kept)
    }

    #[track_caller]
    fn open(
        &self,
        how: String,
        paths: Vec<String>,
        open: impl FnOnce(&[String]) -> Result<Arc<dyn Table>, SourceError>,
    ) -> Result<Frame, Error> {
        let opened = Opened::of(how, &paths);
        if let Some(kept) = opened.as_ref().and_then(|opened| self.inner.common.reopened(opened)) {
            return Frame::of(self, kept);
        }
        // A reader that a strange file breaks is a bug like others, though there is no program to show yet.
        let table = self.inner.guarded(&Module::default(), || Ok(open(&paths)?))?;
        let kept = self.inner.common.add(&paths.join(","), table);
        if let Some(opened) = opened {
            self.inner.common.remember(opened, kept.clone());
        }
        Frame::of(self, kept)
    }
}

fn table(table: impl Table + 'static) -> Arc<dyn Table> {
    Arc::new(table)
}
