//! Options, in one place: the only file that reads the environment.

use airloom_compute::data::Native;

/// What may be set from outside.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether filetests write what they find instead of comparing: `AIRLOOM_BLESS=1`.
    pub bless: bool,
}

impl Options {
    /// From the environment; a value that means nothing is an error.
    pub fn from_environment() -> Result<Options, String> {
        let bless = match read("AIRLOOM_BLESS").as_deref() {
            None | Some("" | "0") => false,
            Some("1") => true,
            Some(other) => return Err(format!("`AIRLOOM_BLESS` must be `0` or `1`, found `{other}`")),
        };
        Ok(Options { bless })
    }
}

/// How many threads work at once unless set otherwise: `AIRLOOM_THREADS`, else as many as this process may use, by its affinity and its control group.
pub fn threads() -> Result<usize, String> {
    match read("AIRLOOM_THREADS").filter(|text| !text.is_empty()) {
        Some(text) => match text.parse() {
            Ok(count @ 1..) => Ok(count),
            _ => Err(format!("`AIRLOOM_THREADS` must be an integer from 1, found `{text}`")),
        },
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// How many bytes rows may take unless set otherwise: `AIRLOOM_MEMORY_LIMIT`, else three quarters of what this machine, or its control group, has.
pub fn memory() -> Result<usize, String> {
    match read("AIRLOOM_MEMORY_LIMIT").filter(|text| !text.is_empty()) {
        Some(text) => bytes(&text)
            .ok_or_else(|| format!("`AIRLOOM_MEMORY_LIMIT` must be a number of bytes, or text such as `2GB` or `512MiB`, found `{text}`")),
        None => Ok(present_memory().unwrap_or(DEFAULT_MEMORY) / 4 * 3),
    }
}

/// When bodies are compiled unless set otherwise: `AIRLOOM_NATIVE`, else when it pays.
pub fn native() -> Result<Native, String> {
    match read("AIRLOOM_NATIVE").filter(|text| !text.is_empty()) {
        Some(text) => {
            Native::from_word(&text).ok_or_else(|| format!("`AIRLOOM_NATIVE` must be `off`, `auto`, `always` or `verify`, found `{text}`"))
        }
        None => Ok(Native::Auto),
    }
}

/// What is assumed where nothing is set or found.
const DEFAULT_MEMORY: usize = 4 << 30;

/// A number of bytes, with a unit or without.
fn bytes(text: &str) -> Option<usize> {
    const UNITS: [(&str, u64); 9] = [
        ("KIB", 1 << 10),
        ("MIB", 1 << 20),
        ("GIB", 1 << 30),
        ("TIB", 1 << 40),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let text = text.trim().to_ascii_uppercase();
    let unit = UNITS.iter().find_map(|(ending, size)| text.strip_suffix(ending).map(|number| (number, *size)));
    let (number, size) = unit.unwrap_or((&text, 1));
    let count: u64 = number.trim().parse().ok()?;
    usize::try_from(count.checked_mul(size)?).ok()
}

/// The memory of the machine, or of the control group where that has less.
fn present_memory() -> Option<usize> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let machine: usize = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(group.unwrap_or(usize::MAX).min(machine * 1024))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn read(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        assert_eq!(bytes("4096"), Some(4096));
        assert_eq!(bytes(" 2 GB"), Some(2_000_000_000));
        assert_eq!(bytes("512mib"), Some(512 << 20));
        assert_eq!((bytes("much"), bytes("-1"), bytes("99999999TB")), (None, None, None));
    }
}
