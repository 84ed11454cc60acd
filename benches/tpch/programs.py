"""The data, and the text of the 22 queries: SQL for the engines that read it, and airloom's own programs."""

import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

TPCH = Path(__file__).resolve().parents[2] / "tests" / "tpch"
QUERIES = [f"q{number:02}" for number in range(1, 23)]
TABLES = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"]


def fraction(scale: str) -> str:
    """The least share of the whole stock that q11 asks for: a ten-thousandth at scale 1, and less where there is more.

    >>> fraction("1"), fraction("0.1"), fraction("30")
    ('0.0001', '0.001', '0.0000033333')
    """
    digits = format(round(Decimal("0.0001") / Decimal(scale), 10), "f")
    return digits.rstrip("0") if "." in digits else digits


def sql(query: str, scale: str) -> str:
    """The text of a query in SQL."""
    text = (TPCH / "sql" / f"{query}.sql").read_text(encoding="utf-8").rstrip().rstrip(";")
    return _replaced(text, {"* 0.01\n": f"* {fraction(scale)}\n"}) if query == "q11" else text


def air(query: str, scale: str) -> str:
    """The text of a query as a program of airloom's."""
    text = (TPCH / "air" / f"{query}.air").read_text(encoding="utf-8")
    if query != "q11":
        return text
    share = fraction(scale)
    digits = len(share.partition(".")[2])
    # The product has the digits of both factors, and what it is compared with has as many.
    return _replaced(text, {
        '"0.01": decimal(2, 2)': f'"{share}": decimal({digits}, {digits})',
        "cast{to: decimal(38, 4)}": f"cast{{to: decimal(38, {digits + 2})}}",
    })


def _replaced(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"`{old.strip()}` stands {text.count(old)} times in the text of q11, expected once")
        text = text.replace(old, new)
    return text


def data(scale: str) -> Path:
    """The folder with the eight tables at a scale, as Parquet files; made where it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "airloom" / "data" / f"tpch-{scale}"
    if all((folder / f"{table}.parquet").exists() for table in TABLES):
        return folder
    tool = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if tool is None:
        raise FileNotFoundError(f"there is no data in {folder}, and no tpchgen-cli to make it; hint: `pip install tpchgen-cli`")
    # Beside its place first: what is interrupted leaves nothing that looks whole.
    made = folder.with_name(f"{folder.name}.{os.getpid()}")
    made.mkdir(parents=True)
    print(f"making TPC-H data at scale {scale} in {folder}", file=sys.stderr, flush=True)
    subprocess.run([tool, "parquet", "-s", scale, f"--output-dir={made}"], check=True, stdout=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
    return folder
