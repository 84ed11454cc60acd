//! Frames over tables of a database.

use airloom::arrow::array::{Array, Int64Array};
use airloom::{Direction, Error, JoinHow, Session, SessionOptions, col};
use rusqlite::Connection;
use std::path::PathBuf;

/// A database that goes when the test ends.
struct Shop(PathBuf);

impl Shop {
    fn new(name: &str) -> Shop {
        let path = std::env::temp_dir().join(format!("airloom-{name}-{}.db", std::process::id()));
        std::fs::remove_file(&path).ok();
        let shop = Shop(path);
        shop.execute(
            "CREATE TABLE sales(city TEXT, amount INTEGER, price REAL);
             INSERT INTO sales VALUES('Rome', 3, 2.5), ('Oslo', NULL, 4.0), ('Rome', 1, 2.0), ('Paris', 5, 1.5);
             CREATE TABLE cities(name TEXT, land TEXT); INSERT INTO cities VALUES('Rome', 'Italy'), ('Oslo', 'Norway');",
        );
        shop
    }

    fn execute(&self, statements: &str) {
        Connection::open(&self.0).expect("opens").execute_batch(statements).expect("the statements run");
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

fn session() -> Session {
    let options = SessionOptions { threads: 2, ..SessionOptions::from_environment().expect("a sound environment") };
    Session::new(options).expect("sound options")
}

#[test]
fn a_frame_is_left_to_the_database_as_far_as_it_goes() {
    let (shop, session) = (Shop::new("frames"), session());
    let sales = session.read_sql(shop.path(), "sales").expect("a table");
    let cities = session.read_sql(&format!("sqlite://{}", shop.path()), "cities").expect("a table");
    let joined = sales.clone().filter(col("amount").gt(0)).and_then(|rows| rows.join(&cities, JoinHow::Inner, ["city"], ["name"]));
    let best = joined.and_then(|rows| rows.sort(["amount".desc()])).and_then(|rows| rows.limit(1)).expect("sound");
    let plan = best.physical_plan().expect("a plan");
    assert_eq!(plan.nodes().iter().map(|node| node.op.as_str()).collect::<Vec<_>>(), ["scan"], "{plan}");
    assert!(best.explain().expect("explained").contains("sqlite: SELECT"), "the text that is sent is shown");
    let rows = best.collect().expect("runs");
    let amounts: Vec<i64> = rows
        .iter()
        .flat_map(|batch| {
            let column = batch.column_by_name("amount").expect("a column").clone();
            column.as_any().downcast_ref::<Int64Array>().expect("integers").values().to_vec()
        })
        .collect();
    assert_eq!(amounts, [3]);
    // Products are computed here: what does not fit wraps, and in SQLite becomes a float.
    let totals = sales.group_by(["city"]).agg([(col("amount") * 2).sum().alias("total")]).expect("sound");
    assert!(totals.physical_plan().expect("a plan").nodes().len() > 1);
    assert_eq!(totals.count().expect("runs"), 3);
    let query = session.read_sql(shop.path(), "SELECT city, max(amount) AS most FROM sales GROUP BY city").expect("a query");
    assert_eq!((query.columns(), query.count().expect("runs")), (vec!["city".to_string(), "most".to_string()], 3));
}

#[test]
fn what_is_wrong_with_a_database_is_told() {
    let (shop, session) = (Shop::new("wrong"), session());
    let told = |connection: &str, table: &str| session.read_sql(connection, table).expect_err("an error");
    assert!(
        matches!(told("/no/such/file.db", "sales"), Error::World(error) if error.message == "cannot open `/no/such/file.db`: no such file or directory")
    );
    assert!(matches!(told(shop.path(), "nothing"), Error::Program(message) if message.contains("has no table `nothing`")));
    assert!(
        matches!(told("postgres://nobody@127.0.0.1:1/none", "t"), Error::World(error) if error.message.starts_with("the PostgreSQL database was lost"))
    );
    let sales = session.read_sql(shop.path(), "sales").expect("a table");
    shop.execute("INSERT INTO sales SELECT 'Rome', 7, 1.0 FROM sales");
    // Opened again it is what it is now; the one that was opened before is not that any more.
    assert_eq!(session.read_sql(shop.path(), "sales").and_then(|rows| rows.count()).expect("runs"), 8);
    let few = sales.filter(col("amount").gt(1)).expect("sound");
    assert!(matches!(few.collect(), Err(Error::World(error)) if error.message.contains("has changed since its table was opened")));
    std::fs::remove_file(&shop.0).expect("it was there");
    assert!(matches!(few.collect(), Err(Error::World(error)) if error.message.contains("is gone since its table was opened")));
}
