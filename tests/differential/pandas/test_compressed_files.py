"""Sources that are no plain files: compressed ones, other encodings, open handles, buffers and addresses read as pandas reads them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pandas
import pytest
from compare import check

import airloom
import airloom.pandas
from airloom.pandas.dispatch import choice

CSV: dict[str, str] = {
    "plain": "a,b,c\n1,x,2.5\n2,,-0.0\n",
    "one-row": "a\n1\n",
    "no-end": "a,b\n1,x\n2,y",
    "lines-in-quotes": 'a,b\n"one\ntwo",1\n"three\r\nfour",2\n',
    "mark": "\ufeffa,b\n1,x\n",
    "windows": "a,b\r\n1,x\r\n2,y\r\n",
    "unicode": "größe,b\nä,日本\n€,\U0001f600\n",
    "many": "a,b\n" + "".join(f"{at},x{at % 7}\n" for at in range(60_000)),
}
#: pandas complains about these.
WRONG: dict[str, str] = {"nothing": "", "blank": "\n\n", "long-line": "a,b\n1,2\n3,4,5\n", "open-quote": 'a,b\n1,"x\n2,3\n'}
JSON: dict[str, str] = {
    "lines": '{"a":1,"b":"x"}\n{"a":2,"b":null}\n',
    "no-end": '{"a":1,"b":"ä"}',
    "many": "".join(f'{{"a":{at},"b":"x{at % 7}"}}\n' for at in range(20_000)),
}


def _zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("größe.csv", content)
    return buffer.getvalue()


def _tarred(content: bytes, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as file:  # type: ignore[call-overload]
        known = tarfile.TarInfo("x.csv")
        known.size = len(content)
        file.addfile(known, io.BytesIO(content))
    return buffer.getvalue()


#: By the end of a name: what pandas calls it, and how it is made.
COMPRESSIONS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    ".gz": ("gzip", gzip.compress),
    ".bz2": ("bz2", bz2.compress),
    ".xz": ("xz", lzma.compress),
    ".zip": ("zip", _zipped),
    ".tar": ("tar", _tarred),
    ".tar.gz": ("tar", lambda content: _tarred(content, "w:gz")),
}


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("name", {**CSV, **WRONG})
def test_csv(name: str, ending: str, tmp_path: Path) -> None:
    word, compress = COMPRESSIONS[ending]
    content = compress({**CSV, **WRONG}[name].encode())
    path = tmp_path / f"größe 1.csv{ending.upper()}"
    path.write_bytes(content)
    (tmp_path / "plain").write_bytes(content)
    check(lambda pd: pd.read_csv(path))
    check(lambda pd: pd.read_csv(str(tmp_path / "plain"), compression=word))
    check(lambda pd: pd.read_csv(tmp_path / "plain", compression={"method": word}, usecols=[0]))
    check(lambda pd: _then_position(pd.read_csv, io.BytesIO(content), compression=word))
    check(lambda pd: pd.read_csv(path, nrows=1), native=False)
    check(lambda pd: list(pd.read_csv(path, chunksize=1000)), native=False)


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("name", JSON)
def test_json(name: str, ending: str, tmp_path: Path) -> None:
    word, compress = COMPRESSIONS[ending]
    content = compress(JSON[name].encode())
    path = tmp_path / f"x.json{ending}"
    path.write_bytes(content)
    check(lambda pd: pd.read_json(path, lines=True))
    check(lambda pd: pd.read_json(path, lines=True, compression={"method": word}))
    check(lambda pd: _then_position(pd.read_json, io.BytesIO(content), lines=True, compression=word))
    check(lambda pd: list(pd.read_json(path, lines=True, chunksize=1000)), native=False)


def _then_position(read: Any, source: Any, **options: Any) -> Any:
    """What is read, where the source stands then, and what is left in it. What goes wrong is part of the answer."""
    try:
        made = read(source, **options)
    except Exception as error:
        made = (type(error).__name__, str(error))
    if source.closed:
        return made, "closed"
    position = source.tell()
    return made, position, source.read()


@pytest.mark.parametrize("name", ["zero", "wrong", "truncated", "behind", "two", "none", "bomb"])
@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zip", ".tar"])
def test_broken_files(ending: str, name: str, tmp_path: Path) -> None:
    _, compress = COMPRESSIONS[ending]
    whole = compress(CSV["many"].encode())
    content = {
        "zero": b"",
        "wrong": CSV["plain"].encode(),
        "truncated": whole[: len(whole) // 2],
        "behind": whole + b"something else",
        "two": whole + compress(b"1,x\n2,y\n"),
        "none": whole[:3],
        "bomb": whole[: len(whole) // 2] + bytes(len(whole) // 4) + whole[-(len(whole) // 4) :],
    }[name]
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(content)
    check(lambda pd: pd.read_csv(path), native=False)
    check(lambda pd: pd.read_csv(path, nrows=1), native=False)
    check(lambda pd: pd.read_json(path), native=False)


def test_archives_of_other_than_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("one.csv", "a\n1\n")
        file.writestr("two.csv", "a\n2\n")
    check(lambda pd: pd.read_csv(path), native=False)
    check(lambda pd: pd.read_json(path), native=False)
    with zipfile.ZipFile(path, "w"):
        pass
    check(lambda pd: pd.read_csv(path), native=False)
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        archive.add(path, "one")
        archive.add(path, "two")
    check(lambda pd: pd.read_csv(tmp_path / "x.tar"), native=False)


def test_arguments(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(CSV["plain"].encode()))
    for compression in ("none", "GZIP", 1, {"method": "what"}, {}, {"method": "gzip", "what": 1}, {"method": None}, None, "zstd"):
        check(lambda pd, compression=compression: pd.read_csv(path, compression=compression), native=False)
        check(lambda pd, compression=compression: pd.read_json(path, compression=compression), native=False)
    check(lambda pd: pd.read_csv(tmp_path / "nothing.gz"), native=False)
    check(lambda pd: pd.read_csv(path, storage_options={"a": 1}), native=False)
    check(lambda pd: pd.read_csv(path, memory_map=True))
    check(lambda pd: pd.read_table(path, sep=","))
    if os.geteuid():
        path.chmod(0)
        check(lambda pd: pd.read_csv(path), native=False)


#: What an encoding can have.
ENCODED: dict[str, str] = {
    "latin-1": "größe,b\nä,1\nÿ,2\n",
    "cp1252": "größe,b\n€,1\n“x”,2\n",
    "utf-16": 'größe,b\n"日本\nx",1\n\U0001f600,2\n',
    "utf-16-le": "a,b\n日本,1\n",
    "utf-32": "a,b\n日本,1\n",
    "utf-8-sig": "a,b\n日本,1\n",
    "UTF8": "a,b\n日本,1\n",
    "shift_jis": "a,b\n日本,1\n",
    "ascii": "a,b\nx,1\n",
    "latin-1 many": "".join(f"ä{at},ö\n" for at in range(100_000)),
    "utf-16 many": "".join(f"ä{at},ö\n" for at in range(100_000)),
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings(name: str, tmp_path: Path) -> None:
    encoding = name.split()[0]
    content = ENCODED[name].encode(encoding)
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    for errors in ("strict", "replace", "ignore"):
        check(lambda pd, errors=errors: pd.read_csv(path, encoding=encoding, encoding_errors=errors))
        check(lambda pd, errors=errors: pd.read_csv(path.with_suffix(".csv.gz"), encoding=encoding, encoding_errors=errors))
    check(lambda pd: _then_position(pd.read_csv, io.BytesIO(content), encoding=encoding))
    check(lambda pd: pd.read_csv(path), native=False)
    with open(path, encoding=encoding, newline="") as file:
        check(lambda pd: _again(pd.read_csv, file, encoding=encoding))
        check(lambda pd: _again(pd.read_csv, file))
        check(lambda pd: _again(pd.read_csv, file, encoding="utf-7"))


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "backslashreplace", "surrogateescape", "surrogatepass", "xmlcharrefreplace", "nothing", 1])
@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF-8", "ascii", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    "content",
    [b"a,b\n\xff,1\nx,\xc3\n", b"a,\xffb\n1,2\n", b'a,b\n"\xe4",1\n\xed\xa0\x80,2\n', b"a,b\n1,2\n\x81\n", b"a,b\n1,2,\xff", b"\xff\xfea\x00,\x00b\x00\n\x001\x00"],
)
def test_what_cannot_be_decoded(content: bytes, encoding: str | None, errors: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    check(lambda pd: pd.read_csv(path, encoding=encoding, encoding_errors=errors), native=False)
    check(lambda pd: pd.read_csv(path, encoding=encoding, encoding_errors=errors, usecols=[0]), native=False)
    check(lambda pd: _then_position(pd.read_csv, io.BytesIO(content), encoding=encoding, encoding_errors=errors), native=False)
    path.write_bytes(b'{"a":"' + content.replace(b"\n", b"").replace(b'"', b"") + b'"}')
    check(lambda pd: pd.read_json(path, lines=True, encoding=encoding, encoding_errors=errors), native=False)


def test_json_encodings(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-8-sig"):
        path.write_bytes('{"größe":"ä"}\n{"größe":"ö"}\n'.encode(encoding))
        check(lambda pd, encoding=encoding: pd.read_json(path, lines=True, encoding=encoding))
        check(lambda pd, encoding=encoding: pd.read_json(path, lines=True, encoding=encoding, encoding_errors="replace"))
        check(lambda pd, encoding=encoding: pd.read_json(io.BytesIO(path.read_bytes()), lines=True, encoding=encoding))


def _again(read: Any, file: Any, start: int = 0, **options: Any) -> Any:
    file.seek(start)
    return _then_position(read, file, **options)


@pytest.mark.parametrize("name", {**CSV, **WRONG})
def test_streams(name: str, tmp_path: Path) -> None:
    text = {**CSV, **WRONG}[name]
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    check(lambda pd: _then_position(pd.read_csv, io.StringIO(text, newline="")))
    check(lambda pd: _then_position(pd.read_csv, io.BytesIO(text.encode())))
    openings: list[Callable[[], Any]] = [
        lambda: open(path, encoding="utf-8"),
        lambda: open(path, encoding="utf-8", newline=""),
        lambda: open(path, "rb"),
        lambda: open(path, "r+b"),
        lambda: open(path, "rb", buffering=0),
        lambda: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(text.encode()))),
    ]
    for opening in openings:
        with opening() as file:
            check(lambda pd, file=file: _again(pd.read_csv, file))
            check(lambda pd, file=file: _again(pd.read_csv, file, 2, header=None))
            check(lambda pd, file=file: _again(pd.read_csv, file, nrows=1), native=False)
            check(lambda pd, file=file: _again(pd.read_csv, file, dtype="int8"), native=False)


def test_positions_in_the_middle(tmp_path: Path) -> None:
    text = "first line\n" + CSV["plain"]
    for source in (io.StringIO(text), io.BytesIO(text.encode())):

        def after_a_line(pd: Any, source: Any = source) -> Any:
            source.seek(0)
            source.readline()
            return _then_position(pd.read_csv, source)

        check(after_a_line)
    (tmp_path / "x").write_text(text)

    def after_iterating(pd: Any) -> Any:
        with open(tmp_path / "x") as file:
            next(file)
            return pd.read_csv(file)

    check(after_iterating, native=False)


def test_json_streams(tmp_path: Path) -> None:
    for text in (*JSON.values(), "", "[]", "{", '{"a":{"b":1}}'):
        check(lambda pd, text=text: _then_position(pd.read_json, io.StringIO(text), lines=True), native=text in JSON.values())
        check(lambda pd, text=text: _then_position(pd.read_json, io.BytesIO(text.encode()), lines=True), native=text in JSON.values())
        (tmp_path / "x").write_text(text, encoding="utf-8")
        for mode in ("r", "rb"):
            with open(tmp_path / "x", mode, encoding="utf-8" if mode == "r" else None) as file:
                check(lambda pd, file=file: _again(pd.read_json, file, lines=True), native=text in JSON.values())


def test_other_streams(tmp_path: Path) -> None:
    class Own:
        def __init__(self) -> None:
            self.buffer = io.BytesIO(CSV["plain"].encode())

        def read(self, size: int = -1) -> bytes:
            return self.buffer.read(size)

        def __iter__(self) -> Iterator[bytes]:
            return iter(self.buffer)

    check(lambda pd: pd.read_csv(Own()), native=False)
    assert [entry.where for entry in airloom.report()] == ["pandas"]

    class WithoutPosition(io.StringIO):
        def tell(self) -> int:
            raise AttributeError("no position")

        def seek(self, offset: int, whence: int = 0) -> int:
            raise AttributeError("no position")

    check(lambda pd: pd.read_csv(WithoutPosition(CSV["plain"])), native=False)
    check(lambda pd: pd.read_json(WithoutPosition(JSON["lines"]), lines=True), native=False)

    def temporary(pd: Any) -> Any:
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write(CSV["plain"])
            file.seek(0)
            return _then_position(pd.read_csv, file)

    check(temporary)

    def closed(pd: Any) -> Any:
        buffer = io.StringIO(CSV["plain"])
        buffer.close()
        return pd.read_csv(buffer)

    check(closed, native=False)

    def piped(pd: Any) -> Any:
        read, write = os.pipe()
        os.write(write, CSV["plain"].encode())
        os.close(write)
        with open(read, "rb") as file:
            return pd.read_csv(file)

    check(piped, native=False)
    with open(tmp_path / "x", "w") as file:
        check(lambda pd: pd.read_csv(file), native=False)


def test_pieces(tmp_path: Path) -> None:
    """pandas finds out the dtypes of each piece by itself; the pieces are ours."""
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n2.5,\nz,3\n,\n"))
    for options in ({"chunksize": 2}, {"iterator": True, "chunksize": 2}):
        check(lambda pd, options=options: list(pd.read_csv(path, **options)), native=False)
        assert all(type(piece) is airloom.pandas.DataFrame for piece in airloom.pandas.read_csv(path, **options))

    def by_hand(pd: Any) -> Any:
        with pd.read_csv(path, iterator=True) as reader:
            assert isinstance(reader, pandas.io.parsers.TextFileReader)
            return [reader.get_chunk(1), reader.get_chunk(3), reader.read()]

    check(by_hand, native=False)

    def too_far(pd: Any) -> Any:
        reader = pd.read_csv(path, iterator=True)
        reader.read()
        return reader.get_chunk(1)

    check(too_far, native=False)
    check(lambda pd: pd.read_csv(path, chunksize=0), native=False)
    check(lambda pd: pd.read_csv(path, chunksize=2.5), native=False)


def test_file_addresses(tmp_path: Path) -> None:
    path = tmp_path / "größe 1.csv"
    path.write_text(CSV["plain"])
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(CSV["plain"].encode()))
    check(lambda pd: pd.read_csv(path.as_uri()))
    check(lambda pd: pd.read_csv(path.as_uri().replace("file://", "file://localhost")))
    check(lambda pd: pd.read_csv((tmp_path / "x.csv.gz").as_uri()))
    check(lambda pd: pd.read_csv((tmp_path / "nothing.csv").as_uri()), native=False)
    check(lambda pd: pd.read_csv(tmp_path.as_uri()), native=False)
    check(lambda pd: pd.read_csv(f"file://elsewhere{tmp_path}/x.csv.gz"), native=False)
    check(lambda pd: pd.read_csv(f"{path.as_uri()}?a=1"), native=False)
    path.write_text(JSON["lines"])
    check(lambda pd: pd.read_json(path.as_uri(), lines=True))


def test_addresses_are_asked_once() -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/none.csv":
                self.send_error(404)
                return
            content = (JSON["lines"] if "json" in self.path else CSV["plain"]).encode()
            self.send_response(200)
            if self.path.endswith((".gz", "encoded")):
                content = gzip.compress(content)
            if self.path.endswith("encoded"):
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        base = f"http://127.0.0.1:{server.server_port}/"
        check(lambda pd: pd.read_csv(base + "x.csv"))
        check(lambda pd: pd.read_csv(base + "x.csv.gz"))
        check(lambda pd: pd.read_csv(base + "encoded"))
        check(lambda pd: pd.read_json(base + "x.json", lines=True))
        check(lambda pd: pd.read_csv(base + "x.csv", storage_options={"User-Agent": "x"}))
        check(lambda pd: pd.read_csv(base + "x.csv", converters={"a": int}), native=False)
        check(lambda pd: list(pd.read_csv(base + "x.csv.gz", chunksize=1)), native=False)
        check(lambda pd: pd.read_csv(base + "none.csv"), native=False)
        check(lambda pd: pd.read_json(base + "x.csv", lines=True), native=False)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert len(asked) == 2 * 9


def test_checked_streams() -> None:
    with airloom.check():
        for source in (io.StringIO(CSV["plain"]), io.BytesIO(CSV["plain"].encode())):
            assert airloom.pandas.read_csv(source)["a"].tolist() == [1, 2]
            assert source.read() in ("", b"")


def test_small_sources_stay(tmp_path: Path) -> None:
    choice.settings.threshold = 20_000
    content = gzip.compress(CSV["plain"].encode())
    (tmp_path / "x.csv.gz").write_bytes(content)
    (tmp_path / "x.csv").write_bytes(gzip.decompress(content))
    sources: list[Any] = [tmp_path / "x.csv.gz", io.StringIO(CSV["plain"]), io.BytesIO(CSV["plain"].encode()), open(tmp_path / "x.csv")]
    with airloom.strict():
        for source in sources:
            assert airloom.pandas.read_csv(source, converters={"a": int})["a"].tolist() == [1, 2]
    assert not list(airloom.report())
    sources[-1].close()
    # One row, whose text is smaller than it is.
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(os.urandom(40_000).hex().encode() + b"\n1\n"))
    airloom.pandas.read_csv(tmp_path / "x.csv.gz")
    assert not list(airloom.report())
