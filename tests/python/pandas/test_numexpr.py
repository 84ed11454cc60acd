"""`eval` and `query` where numexpr is installed: pandas computes by it then, and ours are its answers.

pandas itself computes otherwise beside numexpr, so that it stands in a folder of its own, which only the process of this test looks into.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "numexpr"
PROGRAM = """
import warnings
import numexpr, numpy, pandas
import airloom.pandas
from airloom.pandas.dispatch.choice import settings

assert pandas.get_option("compute.use_numexpr")
warnings.simplefilter("ignore")
DTYPES = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool", "Int64", "Float64", "str", "datetime64[ns]")
VALUES = ("a - b", "a + 1", "a * 2.5", "a / b", "a ** 2", "a % b", "a // b", "a % -2", "-a", "~a", "c = a + b", "a * b - a / 3", "sin(a)", "sqrt(a) + b")
FILTERS = ("a > b", "a + 250 > 252", "a == 3 and b < 2", "not a > 2", "a in [1, 3]", "a != a", "1 < a <= 3", "index > 0 and a > b")

def column(module, values, dtype):
    if dtype == "str":
        return module.Series([str(value) for value in values])
    made = module.Series(values)
    return made.astype("int64").astype(dtype) if dtype.startswith("datetime") else made.astype(dtype)

def answered(module, rows, dtypes, ask, text, options):
    frame = module.DataFrame({name: column(module, numpy.resize(values, rows), dtype) for (name, values), dtype in zip({"a": [-1, 2, 3, 0], "b": [3, -2, 1, 5]}.items(), dtypes)})
    try:
        made = getattr(frame, ask)(text, **options)
    except Exception as error:
        return type(error).__name__, str(error)
    return made

def same(found, expected):
    if isinstance(expected, tuple) or isinstance(found, tuple):
        return isinstance(found, tuple) and isinstance(expected, tuple) and found == expected
    if isinstance(expected, pandas.DataFrame):
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected, check_exact=True)
    elif isinstance(expected, pandas.Series):
        pandas.testing.assert_series_equal(pandas.Series(found), expected, check_exact=True)
    else:
        return type(found) is type(expected) and (found == expected or found != found)
    return True

settings.threshold = 0
count, wrong = 0, []
for dtypes in [(one, one) for one in DTYPES] + [("int32", "int64"), ("int64", "float32"), ("float32", "float64"), ("bool", "int64")]:
    for ask, text in [("eval", text) for text in VALUES + FILTERS] + [("query", text) for text in FILTERS]:
        for rows, options in ((4, {}), (30_000, {}), (4, {"engine": "python"}), (4, {"parser": "python"})):
            if rows > 4 and dtypes not in (("int32", "int32"), ("int64", "int64"), ("float64", "float64"), ("float32", "float32")):
                continue
            asked = rows, dtypes, ask, text, options
            expected, found = (answered(module, *asked) for module in (pandas, airloom.pandas))
            count += 1
            try:
                if not same(found, expected):
                    wrong.append((*asked, str(found), str(expected)))
            except AssertionError as error:
                wrong.append((*asked, str(error)))
for one in wrong[:20]:
    print(*one)
print(count, "programs,", len(wrong), "differ")
raise SystemExit(bool(wrong) or count < 1000)
"""


@pytest.mark.skipif(not FOLDER.is_dir(), reason="numexpr is not in the environment's folder `numexpr`: remove `.venv/.ready`, and run `make build`")
def test_answers_are_those_of_pandas_beside_numexpr() -> None:
    path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
