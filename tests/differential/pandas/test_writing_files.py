"""Files that frames and series are written to."""

from __future__ import annotations

import gzip
import io
import os
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES, mixed

import airloom
import airloom.pandas
from airloom.pandas.dispatch import choice, wrapping

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no-index": {"index": False},
    "index": {"index": True},
    "uncompressed": {"compression": None},
    "gzip": {"compression": "gzip"},
    "zstd": {"compression": "zstd"},
    "lz4": {"compression": "lz4"},
    "brotli": {"compression": "brotli"},
    "pyarrow": {"engine": "pyarrow"},
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("options", OPTIONS)
def test_parquet(options: str, frame: str, tmp_path: Path, configuration: str) -> None:
    """What plain pandas reads is the same, whoever wrote it."""

    def program(pd: Any, df: Any) -> Any:
        path = tmp_path / "x.parquet"
        df.to_parquet(path, **OPTIONS[options])
        content = df.to_parquet(**OPTIONS[options])
        import io

        metadata = pandas.io.parquet.import_optional_dependency("pyarrow").parquet.read_schema(path).metadata[b"pandas"]
        return pandas.read_parquet(path), pandas.read_parquet(io.BytesIO(content)), metadata

    check(program, FRAMES[frame]().drop(columns=["c", "d"]))
    # Categories and timedeltas are pandas' to write.
    check(program, FRAMES[frame](), native=False)


def test_parquet_of_what_is_missing(tmp_path: Path, configuration: str) -> None:
    frame = pandas.DataFrame(
        {
            "n": pandas.array([1, None, 3], dtype="Int16"),
            "f": pandas.array([1.5, None, 3], dtype="Float64"),
            "b": pandas.array([True, None, False], dtype="boolean"),
            "s": pandas.array(["a", None, ""], dtype="string"),
            "z": pandas.DatetimeIndex(np.array([1, "NaT", 3], "M8[ns]")).tz_localize("Europe/Rome"),
            "o": np.array(["a", None, "b"], dtype=object),
        }
    )

    def program(pd: Any, df: Any) -> Any:
        df.to_parquet(tmp_path / "x.parquet")
        return pandas.read_parquet(tmp_path / "x.parquet")

    check(program, frame)
    check(lambda pd, df: program(pd, df[df["n"] != 1]), frame)


def test_parquet_errors(tmp_path: Path, configuration: str) -> None:
    check(lambda pd, df: df.to_parquet(tmp_path / "no" / "x.parquet"), mixed(), native=False)
    check(lambda pd, df: df.to_parquet(tmp_path), mixed(), native=False)
    check(lambda pd, df: df.to_parquet(tmp_path / "x", compression="what"), mixed(), native=False)
    check(lambda pd, df: df.set_axis(range(11), axis=1).to_parquet(), mixed(), native=False)
    check(lambda pd, df: df.set_axis(["x"] * 11, axis=1).to_parquet(), mixed(), native=False)


def test_a_frame_is_written_to_the_file_it_reads(tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x.parquet"
    source = mixed(1000)[["i", "f", "k"]]
    source.to_parquet(path)
    whole = airloom.pandas.read_parquet(path)
    some = whole[whole["k"] > 1]
    other = airloom.pandas.read_parquet(path)["f"]
    some.to_parquet(path)
    expected = source[source["k"] > 1]
    pandas.testing.assert_frame_equal(pandas.read_parquet(path), expected)
    pandas.testing.assert_frame_equal(wrapping.plain(whole), source)
    pandas.testing.assert_series_equal(wrapping.plain(other), source["f"])
    again = airloom.pandas.read_parquet(path)
    again.to_csv(path)
    assert path.read_text() == expected.to_csv()
    pandas.testing.assert_frame_equal(wrapping.plain(again), expected)


def test_parquet_in_open_files(tmp_path: Path, configuration: str) -> None:
    frame = mixed()[["i", "f", "k", "s"]]

    def buffered(pd: Any, df: Any) -> Any:
        buffer = io.BytesIO()
        df[df["k"] > 1].to_parquet(buffer, compression="gzip")
        assert not buffer.closed and buffer.tell() == len(buffer.getvalue())
        return pandas.read_parquet(buffer)

    check(buffered, frame)

    def opened(pd: Any, df: Any, mode: str) -> Any:
        path = tmp_path / "x"
        path.unlink(missing_ok=True)
        with open(path, mode) as file:
            answer = df.to_parquet(file)
            assert not file.closed
        return answer, pandas.read_parquet(path)

    for mode in ("wb", "w+b", "xb", "ab"):
        check(lambda pd, df, mode=mode: opened(pd, df, mode), frame)
    check(lambda pd, df: opened(pd, df, "w"), frame, native=False)

    def behind(pd: Any, df: Any) -> Any:
        buffer = io.BytesIO(b"something")
        buffer.seek(0, io.SEEK_END)
        df.to_parquet(buffer)
        return buffer.getvalue()

    check(behind, frame, native=False)

    def closed(pd: Any, df: Any) -> Any:
        buffer = io.BytesIO()
        buffer.close()
        df.to_parquet(buffer)

    check(closed, frame, native=False)
    with open("/dev/full", "wb", buffering=16) as full, pytest.raises(OSError, match="No space left"):
        airloom.pandas.DataFrame(frame).to_parquet(full)
        full.flush()
    assert [entry.where for entry in airloom.report() if entry.operation == "DataFrame.to_parquet"][-1] != "pandas"


COMPRESSED: dict[str, dict[str, Any]] = {
    "gz": {},
    "bz2": {},
    "xz": {},
    "zip": {},
    "tar": {},
    "tar.gz": {},
    "other": {"compression": "gzip"},
    "level": {"compression": {"method": "gzip", "compresslevel": 1, "mtime": 1}},
    "archive": {"compression": {"method": "zip", "archive_name": "größe.csv"}},
    "wrong": {"compression": "what"},
    "wrong-dict": {"compression": {"method": "gzip", "what": 1}},
    "zst": {},
}


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize("encoding", [None, "utf-16", "latin-1", "ascii"])
@pytest.mark.parametrize("mode", ["w", "a", "x"])
def test_compressed_text(name: str, mode: str, encoding: str | None, tmp_path: Path) -> None:
    options = COMPRESSED[name]
    path = tmp_path / f"x.{name}"

    def twice(pd: Any, df: Any, method: str, **more: Any) -> Any:
        path.unlink(missing_ok=True)
        for _ in range(2 if mode != "x" else 1):
            getattr(df, method)(path, mode=mode, **options, **more)
        if method == "to_json":
            return pandas.read_json(path, lines=True, **options)
        return pandas.read_csv(path, encoding=encoding, **{**options, **({"compression": "gzip"} if name == "level" else {})})

    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "ä", None], "c": [0.5, None, -0.0]})
    archives = name in ("zip", "tar", "tar.gz", "archive") and mode == "a"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(lambda pd, df: twice(pd, df, "to_csv", encoding=encoding), frame, native=not archives)
        if encoding is None:
            check(lambda pd, df: twice(pd, df, "to_json", orient="records", lines=True), frame, native=not archives and mode != "x")


@pytest.mark.parametrize("method", ["to_csv", "to_json"])
def test_text_in_open_files(method: str, tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x"

    def opened(pd: Any, df: Any, mode: str, **options: Any) -> Any:
        path.write_text("before\n")
        text = {} if "b" in mode else {"encoding": options.pop("own", "utf-8"), "newline": options.pop("newline", None)}
        with open(path, mode, **text) as file:
            getattr(df, method)(file, **options)
            state = (file.closed, file.tell())
            file.write(b"after" if "b" in mode else "after")
        return state, path.read_bytes()

    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "ä", "two\nlines"]})
    for mode in ("w", "a", "r+", "wb", "ab", "r+b"):
        check(lambda pd, df, mode=mode: opened(pd, df, mode), frame)
    check(lambda pd, df: opened(pd, df, "w", own="latin-1"), frame)
    check(lambda pd, df: opened(pd, df, "w", own="ascii"), frame, native=method == "to_json")
    check(lambda pd, df: opened(pd, df, "w", newline="\r\n"), frame)
    check(lambda pd, df: opened(pd, df, "r"), frame, native=False)

    def compressed(pd: Any, df: Any) -> Any:
        buffer = io.BytesIO()
        getattr(df, method)(buffer, compression="gzip", **({"mode": "wb"} if method == "to_csv" else {}))
        return gzip.decompress(buffer.getvalue()) if not buffer.closed else None

    check(compressed, frame, native=False)


def ours(rows: int = 50) -> Any:
    return airloom.pandas.DataFrame(mixed(rows))


def test_text_files(tmp_path: Path, configuration: str) -> None:
    """Modes, links, and what a file is: as with pandas."""
    expected = mixed(50).to_csv()
    path = tmp_path / "x.csv"
    with airloom.strict():
        ours().to_csv(path)
        assert path.read_bytes() == expected.encode()
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
        ours().to_csv(str(path), mode="a")
        assert path.read_bytes() == expected.encode() * 2
        path.chmod(0o600)
        link = tmp_path / "link.csv"
        link.symlink_to(path)
        ours().to_csv(link)
        assert link.is_symlink() and path.read_bytes() == expected.encode() and stat.S_IMODE(path.stat().st_mode) == 0o600
        hard = tmp_path / "hard.csv"
        os.link(path, hard)
        ours().to_csv(path, index=False)
        assert hard.read_bytes() == path.read_bytes() == mixed(50).to_csv(index=False).encode()
        ours().to_csv(tmp_path / "new.csv", mode="x")
        assert (tmp_path / "new.csv").read_text() == expected
    for name in ("x.csv.gz", "x.csv.zip", "x.csv.bz2"):
        with airloom.strict():
            ours().to_csv(tmp_path / name)
        assert pandas.read_csv(tmp_path / name).shape == (50, 12)
    for encoding in ("utf-8-sig", "utf-16", "UTF-8"):
        with airloom.strict():
            ours().to_csv(tmp_path / "e.csv", encoding=encoding)
        assert (tmp_path / "e.csv").read_bytes() == expected.encode(encoding.lower())
    assert sorted(os.listdir(tmp_path)) == ["e.csv", "hard.csv", "link.csv", "new.csv", "x.csv", "x.csv.bz2", "x.csv.gz", "x.csv.zip"]
    with pytest.raises(FileExistsError):
        ours().to_csv(path, mode="x")
    with pytest.raises(UnicodeEncodeError):
        ours().to_csv(tmp_path / "a.csv", encoding="ascii")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_pipes_and_devices(tmp_path: Path, configuration: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    ours().to_csv(pipe)
    reader.join(10)
    assert found == [mixed(50).to_csv().encode()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    ours().to_csv("/dev/null")


def test_the_output_of_a_process(tmp_path: Path, configuration: str) -> None:
    """What else a process writes to its output goes to the same file, or pipe."""
    code = "import numpy, airloom.pandas as pd; pd.DataFrame({'a': numpy.arange(30_000)}).to_csv('/dev/stdout', index=False); print('end')"
    expected = pandas.DataFrame({"a": np.arange(30_000)}).to_csv(index=False) + "end\n"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=300)
    assert found.stdout.decode() == expected
    with open(tmp_path / "out", "ab") as output:
        subprocess.run([sys.executable, "-c", code], stdout=output, check=True, timeout=300)
    assert (tmp_path / "out").read_text() == expected


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk is needed")
def test_a_full_disk(tmp_path: Path, configuration: str) -> None:
    with pytest.raises(OSError) as found:
        ours(50_000).to_csv("/dev/full")
    assert found.value.errno == 28
    with pytest.raises(OSError) as found:
        ours(50)[["i", "f"]].to_parquet("/dev/full")
    assert found.value.errno == 28


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configuration: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("airloom._native.write_lines", full)
    for mode in ("w", "a"):
        with pytest.raises(OSError, match="No space left"):
            ours().to_csv(path, mode=mode)
        assert path.read_text() == "old" and os.listdir(tmp_path) == ["x.csv"]

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("airloom._native.write_lines", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ours().to_csv(path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["x.csv"]


def test_checked_writes_happen_once(tmp_path: Path, configuration: str) -> None:
    path = tmp_path / "x.csv"
    with airloom.check():
        ours().to_csv(path, mode="a")
        assert ours().to_csv() == path.read_text() == mixed(50).to_csv()


def test_strict_tells_what_is_left(configuration: str) -> None:
    with airloom.strict(), pytest.raises(airloom.RefusedError, match="`float_format="):
        ours().to_csv(float_format="%g")


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(
    "write",
    [
        lambda frame, path: frame.to_parquet(path),
        lambda frame, path: frame.to_parquet(path, storage_options={}),
        lambda frame, path: frame.to_feather(path=str(path)),
        lambda frame, path: frame.to_json(path, orient="table"),
        lambda frame, path: frame.to_csv(path, float_format="%g"),
    ],
)
def test_what_is_still_to_be_read_is_read_before(write: Any, few: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configuration: str) -> None:
    """Whoever writes the file, and however few rows are written."""
    path = tmp_path / "x.parquet"
    before = pandas.DataFrame({"a": np.arange(100), "b": np.arange(100) * 0.5})
    before.to_parquet(path)
    reader = airloom.pandas.read_parquet(path)
    later = reader[reader["a"] > 10]
    if few:
        monkeypatch.setattr(choice.settings, "threshold", 1_000)
    write(airloom.pandas.DataFrame({"a": [1], "b": [2.0]}), path)
    pandas.testing.assert_frame_equal(pandas.DataFrame(later), before[before["a"] > 10])
    pandas.testing.assert_frame_equal(pandas.DataFrame(reader), before)
