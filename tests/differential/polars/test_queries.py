"""Random queries: whole plans beside Polars. `python -m fuzzing` runs more of them."""

from __future__ import annotations

import fuzzing
import pytest
import queries


@pytest.mark.parametrize("block", range(8))
def test_random_queries_give_the_answers_of_polars(block: int) -> None:
    found = list(fuzzing.wrong(fuzzing.seeds(block * 50, 50, None)))
    assert not found, "\n".join(found)


def test_a_wrong_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, steps = queries.written(4)
    monkeypatch.setattr(fuzzing.compare, "same", lambda query, close: (_ for _ in ()).throw(AssertionError("differs")))
    assert fuzzing.difference(frame, steps) == "AssertionError: differs"
    small, fewer = fuzzing.shrunk(frame, steps)
    assert small.height == 0 and fewer == []
