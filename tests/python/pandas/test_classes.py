"""Our classes stand for pandas' own: to `isinstance`, to pandas' functions for tests, and in pickles."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas
import pandas.testing
import pytest

import airloom.pandas


class Sub(airloom.pandas.DataFrame):
    """A class of a user's."""


def _pair() -> tuple[Any, Any]:
    data = {"a": np.arange(30_000), "b": np.arange(30_000) * 0.5, "s": ["x", "y", None] * 10_000}
    return pandas.DataFrame(data), airloom.pandas.DataFrame(data)


def test_plain_objects_are_instances() -> None:
    plain, ours = _pair()
    for value in (plain, ours, Sub({"a": [1]})):
        assert isinstance(value, airloom.pandas.DataFrame) and isinstance(value, pandas.DataFrame)
        assert not isinstance(value, airloom.pandas.Series)
        assert isinstance(value["a"], airloom.pandas.Series)
    assert issubclass(pandas.DataFrame, airloom.pandas.DataFrame) and not issubclass(pandas.DataFrame, airloom.pandas.Series)
    assert not isinstance(1, airloom.pandas.DataFrame)


def test_subclasses_are_what_they_are() -> None:
    plain, ours = _pair()
    assert not isinstance(plain, Sub) and not isinstance(ours, Sub) and isinstance(Sub({"a": [1]}), Sub)
    assert issubclass(Sub, airloom.pandas.DataFrame) and not issubclass(pandas.DataFrame, Sub) and not issubclass(airloom.pandas.DataFrame, Sub)


def test_pandas_functions_for_tests() -> None:
    plain, ours = _pair()
    for one, other in ((plain, ours), (ours, plain), (ours, ours), (plain[plain.a > 5], ours[ours.a > 5])):
        pandas.testing.assert_frame_equal(one, other)
        pandas.testing.assert_series_equal(one["b"] + 1, other["b"] + 1)
        pandas.testing.assert_index_equal(one.index, other.index)
        pandas.testing.assert_index_equal(one.columns, other.columns)
    with pytest.raises(AssertionError):
        pandas.testing.assert_frame_equal(plain, ours.assign(a=1))
    with pytest.raises(AssertionError):
        pandas.testing.assert_series_equal(plain["a"], ours["b"])
    with pytest.raises(AssertionError):
        pandas.testing.assert_frame_equal(plain, Sub(plain))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_classes_are_pickled_as_those_of_pandas(protocol: int) -> None:
    for cls in (airloom.pandas.DataFrame, airloom.pandas.Series):
        assert pickle.loads(pickle.dumps([cls], protocol)) == [getattr(pandas, cls.__name__)]
    assert pickle.loads(pickle.dumps(Sub, protocol)) is Sub
    assert copy.deepcopy(airloom.pandas.DataFrame) is airloom.pandas.DataFrame


def test_pickles_need_no_more_than_pandas() -> None:
    _, ours = _pair()
    code = "import pickle, sys; found = pickle.load(sys.stdin.buffer); assert 'airloom' not in sys.modules; print([getattr(one, '__name__', type(one).__name__) for one in found])"
    pickled = pickle.dumps([airloom.pandas.DataFrame, airloom.pandas.Series, ours, ours[ours.a > 3]["b"]])
    done = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['DataFrame', 'Series', 'DataFrame', 'Series']"
