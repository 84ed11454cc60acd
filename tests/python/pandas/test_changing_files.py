"""Files that are removed, replaced or written to after they were opened: the answer is that of the read, or an error, and never another."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.internals import descriptors, state

ROWS = 5000
FORMS = ["parquet", "feather"]


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    gc.collect()
    before = descriptors._held
    yield
    gc.collect()
    assert descriptors._held == before


def frame(factor: int = 1) -> pandas.DataFrame:
    at = np.arange(ROWS)
    return pandas.DataFrame({"a": at * factor, "b": at * 0.5 * factor, "s": [f"{one * factor % 9}" for one in at]})


def write(form: str, path: Path, factor: int = 1) -> None:
    getattr(frame(factor), f"to_{form}")(path)


def read(form: str, path: Path) -> Any:
    found = getattr(pd, f"read_{form}")(path)
    assert state.is_lazy(found)
    return found


def removed(form: str, path: Path) -> None:
    path.unlink()


def replaced(form: str, path: Path) -> None:
    other = path.with_name("other")
    write(form, other, 7)
    os.replace(other, path)


def replaced_by_another_kind(form: str, path: Path) -> None:
    other = path.with_name("other")
    other.write_text("something else")
    os.replace(other, path)


def renamed(form: str, path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def written_anew(form: str, path: Path) -> None:
    path.unlink()
    write(form, path, 7)


def folder_renamed(form: str, path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))


def folder_removed(form: str, path: Path) -> None:
    shutil.rmtree(path.parent)


#: What happens to a file that leaves what it held as it was.
CHANGES: list[Callable[[str, Path], None]] = [removed, replaced, replaced_by_another_kind, renamed, written_anew, folder_renamed, folder_removed]

#: What is asked of a frame afterwards.
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "all": lambda df: df,
    "rows": lambda df: df[df["a"] % 1000 == 3],
    "sum": lambda df: df[["a", "b"]].sum(),
    "groups": lambda df: df.groupby("s")["b"].sum(),
    "joined": lambda df: df.merge(df[df["a"] < 5], on="a"),
    "labels": lambda df: df.set_index("s").loc[["3"]],
}


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, pandas.DataFrame):
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected)
    else:
        pandas.testing.assert_series_equal(pandas.Series(found), expected)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("form", FORMS)
def test_the_answer_is_that_of_the_read(form: str, change: Callable[[str, Path], None], tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    write(form, path)
    found = read(form, path)
    planned = {name: question(found) for name, question in QUESTIONS.items()}
    change(form, path)
    for name, question in QUESTIONS.items():
        same(planned[name], question(frame()))
        same(question(found), question(frame()))


@pytest.mark.parametrize("change", [folder_removed, folder_renamed, replaced], ids=lambda change: change.__name__)
def test_a_folder_of_files(change: Callable[[str, Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for at in range(3):
        write("parquet", folder / f"{at}.parquet", at + 1)
    found = read("parquet", folder)
    change("parquet", folder / "1.parquet")
    expected = pandas.concat([frame(1), frame(2), frame(3)], ignore_index=True)
    same(found[found["a"] % 100 == 6].reset_index(drop=True), expected[expected["a"] % 100 == 6].reset_index(drop=True))
    assert found["a"].sum() == expected["a"].sum()


def rewritten(form: str, path: Path) -> None:
    other = path.with_name("other")
    write(form, other, 7)
    content = other.read_bytes()
    other.unlink()
    with open(path, "r+b") as file:
        file.truncate()
        file.write(content)


def truncated(form: str, path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(form: str, path: Path) -> None:
    path.write_bytes(b"")


def patched(form: str, path: Path) -> None:
    """As many bytes, some of them others."""
    with open(path, "r+b") as file:
        file.seek(100)
        file.write(b"\0" * 64)


@pytest.mark.parametrize("change", [rewritten, truncated, emptied, patched], ids=lambda change: change.__name__)
@pytest.mark.parametrize("form", FORMS)
def test_a_file_written_to_in_place_is_an_error(form: str, change: Callable[[str, Path], None], tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(form, path)
    found = read(form, path)
    planned = found[found["a"] > 3]["b"]
    early = found["a"].sum()
    change(form, path)
    assert early == frame()["a"].sum()
    for question in (lambda: planned.sum(), lambda: found["a"].max(), lambda: found.head().to_dict(), lambda: repr(found), lambda: found.apply(lambda c: [1])):
        with pytest.raises(airloom.ChangedFileError, match="written to"):
            question()
    assert isinstance(airloom.ChangedFileError(""), OSError)


@pytest.mark.parametrize("form", FORMS)
def test_what_was_computed_is_not_read_again(form: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(form, path)
    found = read(form, path)
    expected = repr(found)
    rewritten(form, path)
    assert repr(found) == expected
    assert found["a"].sum() == frame()["a"].sum()


@pytest.mark.parametrize("form", FORMS)
def test_a_frame_is_written_over_its_own_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(form, path)
    found = read(form, path)
    changed = found.assign(a=found["a"] * 2)
    getattr(changed, f"to_{form}")(path)
    assert found["a"].sum() == frame()["a"].sum()
    assert read(form, path)["a"].sum() == 2 * frame()["a"].sum()


def test_pandas_own_writers_are_told_of_readers(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write("parquet", path)
    found = read("parquet", path)
    found[["a"]].head(2).to_csv(path, sep=";", quoting=2, decimal=",")
    assert found["a"].sum() == frame()["a"].sum()


def test_many_files_are_read_at_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "MOST", descriptors._held + 3)
    paths = [tmp_path / f"{at}" for at in range(5)]
    for at, path in enumerate(paths):
        write("parquet", path, at + 1)
    found = [pd.read_parquet(path) for path in paths]
    assert [state.is_lazy(one) for one in found] == [True, True, True, False, False]
    assert descriptors._held == descriptors.MOST
    for path in paths:
        path.unlink()
    assert [one["a"].sum() for one in found] == [frame(at + 1)["a"].sum() for at in range(5)]


def test_without_names_of_descriptors_a_lost_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "_FOLDER", "/nowhere")
    path = tmp_path / "file"
    write("parquet", path)
    kept, lost, other = (read("parquet", path) for _ in range(3))
    assert kept["a"].sum() == frame()["a"].sum()
    replaced("parquet", path)
    with pytest.raises(airloom.ChangedFileError):
        other["a"].sum()
    path.unlink()
    with pytest.raises(airloom.ChangedFileError, match="gone"):
        lost["a"].sum()
