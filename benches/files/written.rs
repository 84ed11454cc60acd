//! The files that are measured: the same in every run.

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta street", "epsilon", "zeta, or so", "eta", "theta"];

/// Numbers that look random.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn float(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(8) as usize]
    }
}

/// Lines, until there are enough bytes.
fn lines(bytes: usize, path: &Path, header: &str, line: impl Fn(&mut String, &mut Draw, usize)) {
    let mut text = String::with_capacity(bytes + 4096);
    text.push_str(header);
    let (mut draw, mut row) = (Draw(7), 0);
    while text.len() < bytes {
        line(&mut text, &mut draw, row);
        row += 1;
    }
    std::fs::write(path, text).expect("a file can be written");
}

/// Numbers of every kind, short words, and some values missing.
pub(crate) fn plain(bytes: usize, path: &Path) {
    lines(bytes, path, "id,price,x,count,lat,city,flag,maybe\n", |text, draw, row| {
        let (price, count, flag) = (draw.below(100_000) as f64 / 100.0, draw.below(100), draw.below(2) == 1);
        let (x, lat, city) = (draw.float(), draw.below(180_000_000) as f64 / 1e6 - 90.0, draw.word().replace(',', ""));
        let _ = write!(text, "{row},{price},{x},{count},{lat},{city},{flag},");
        let _ = if draw.below(10) == 0 { writeln!(text) } else { writeln!(text, "{}", draw.below(1000)) };
    });
}

/// Every field in quotes, of which some hold quotes, delimiters and line ends.
pub(crate) fn quoted(bytes: usize, path: &Path) {
    lines(bytes, path, "\"id\",\"city\",\"said\",\"x\"\n", |text, draw, row| {
        let said = ["nothing", "so \"\"it\"\" is", "one, two", "a line\nand another"][draw.below(4) as usize];
        let _ = writeln!(text, "\"{row}\",\"{}\",\"{said}\",\"{}\"", draw.word(), draw.float());
    });
}

/// Five hundred columns of small integers.
pub(crate) fn wide(bytes: usize, path: &Path) {
    let header = (0..500).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",") + "\n";
    lines(bytes, path, &header, |text, draw, _| {
        for at in 0..500 {
            let _ = write!(text, "{}{}", if at == 0 { "" } else { "," }, draw.below(1000));
        }
        text.push('\n');
    });
}

/// Long texts, without quotes.
pub(crate) fn text(bytes: usize, path: &Path) {
    lines(bytes, path, "title,body,note\n", |text, draw, row| {
        let _ = write!(text, "title {row},");
        for _ in 0..20 + draw.below(20) {
            let _ = write!(text, "{} ", draw.word().replace(',', ""));
        }
        let _ = writeln!(text, ",{}", draw.word().replace(',', ""));
    });
}

/// An object on each line.
pub(crate) fn json(bytes: usize, path: &Path) {
    lines(bytes, path, "", |text, draw, row| {
        let (x, count, city, flag) = (draw.float() + 0.5, draw.below(100), draw.word(), draw.below(2) == 1);
        let _ = writeln!(text, "{{\"id\":{row},\"x\":{x},\"count\":{count},\"city\":\"{city}\",\"flag\":{flag}}}");
    });
}

/// Numbers and words, in dictionaries and plain, compressed by Snappy.
pub(crate) fn parquet(bytes: usize, path: &Path) {
    let rows = bytes / 24;
    let mut draw = Draw(7);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..rows as i64))),
        ("count", Arc::new(Int64Array::from_iter_values((0..rows).map(|_| draw.below(100) as i64)))),
        ("price", Arc::new(Float64Array::from_iter_values((0..rows).map(|_| draw.below(100_000) as f64 / 100.0)))),
        ("city", Arc::new(StringArray::from_iter_values((0..rows).map(|_| draw.word())))),
        ("maybe", Arc::new((0..rows).map(|_| (draw.below(10) > 0).then(|| draw.below(1000) as i64)).collect::<Int64Array>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns have the same length");
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_max_row_group_row_count(Some(1 << 18))
        .build();
    let file = std::fs::File::create(path).expect("a file can be written");
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("the schema can be written");
    writer.write(&batch).expect("rows can be written");
    writer.close().expect("the footer can be written");
}
