"""Random whole programs on pandas and on airloom: the same in all that can be seen. `make fuzz-pandas` runs more of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest
from conftest import CONFIGURATIONS
from programs import campaign, check, execute, shrink
from programs.accepted import WAITING
from programs.check import shown
from programs.differences import Difference
from programs.faults import FAULTS
from programs.generate import program, written
from programs.keep import Kept, kept
from programs.worker import Worker

#: How many programs each test runs, and how many such tests there are.
MANY, TESTS = 40, 8


@pytest.fixture(scope="module")
def workers() -> Iterator[dict[str, Worker]]:
    """A process for each configuration, there from the first program that needs it."""
    made = {name: Worker(configuration=options) for name, options in CONFIGURATIONS.items()}
    yield made
    for one in made.values():
        one.end()


@pytest.fixture
def worker(workers: dict[str, Worker]) -> Worker:
    return workers["plain"]


@pytest.fixture(scope="module")
def failing() -> Iterator[Worker]:
    """A process whose engine fails at random."""
    with Worker(engine_fails=True) as made:
        yield made


def told(differences: list[Difference], text: str) -> str:
    """What is said of a program that differs."""
    return "\n".join([*(f"{one.sort}, looking {one.looks}, statement {one.statement}, `{one.variable}`: {one.detail}" for one in differences[:3]), shown(text)])


@pytest.mark.parametrize("part", range(TESTS))
def test_random_programs(part: int, worker: Worker) -> None:
    for seed in range(part * MANY, (part + 1) * MANY):
        text, found = worker.of_seed(seed)
        assert not found, f"seed {seed}: {told(found, text)}"


@pytest.mark.parametrize("part", range(2))
def test_programs_where_the_engine_fails(part: int, failing: Worker) -> None:
    """Whatever node fails while a plan is computed, pandas answers in its place."""
    for seed in range(part * MANY, (part + 1) * MANY):
        text, found = failing.of_seed(seed)
        assert not found, f"seed {seed}: {told(found, text)}"


@pytest.mark.parametrize("one", [pytest.param(one, id=one.path.stem) for one in kept()])
def test_kept_programs(one: Kept, configuration: str, workers: dict[str, Worker]) -> None:
    found = workers[configuration].differences(one.text, waiting=False)
    if one.fails is None:
        assert not found, told(found, one.text)
    else:
        assert found, f"shows no difference any more, though it is said to: {one.fails}"


def test_what_waits_is_kept() -> None:
    """Each defect that random programs pass over has a program that shows it."""
    failing = {one.path.stem.partition("-")[2] for one in kept() if one.fails is not None}
    assert {one.name for one in WAITING} <= failing


@pytest.mark.parametrize(("text", "sort"), [("while True:\n    pass\n", "hang"), ("os.abort()\n", "crash")])
def test_programs_that_do_not_end_well(text: str, sort: str) -> None:
    with Worker() as worker:
        (found,) = worker.differences(text, limit=1.5)
        assert found.sort == sort
        assert worker.differences("n = 1\n") == []


def test_a_seed_is_a_program() -> None:
    assert program(7) == program(7)
    assert program(7) != program(8)


def test_what_pandas_made_while_writing_is_what_it_makes() -> None:
    statements, outcome = written(7)
    assert outcome is not None
    assert not check.between(outcome, execute.run("\n".join(statements) + "\n", "each", pandas), "each", 0.0)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    seeds: list[int] = []

    class Noting(Worker):
        def of_seed(self, seed: int) -> tuple[str, list[Difference]]:
            seeds.append(seed)
            return "", [Difference("values", "end", 0, "", "")] if seed == 13 else []

    def go_on(programs: int) -> campaign.State:
        state = campaign.State.read(path, 10)
        campaign.run(state, path, programs, 60.0, 2, Noting, lambda *_: None)
        return state

    go_on(5)
    assert str(go_on(9)) == "programs: 9, seeds 10 to 18; with differences: 1 (1 in values)"
    assert sorted(seeds) == list(range(10, 19))
    path.write_text(path.read_text().replace(campaign.templates(), "others"))
    assert campaign.State.read(path, 10).next == 10


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name: str, worker: Worker) -> None:
    with Worker(fault=name) as faulty:
        text, found = faulty.of_seed(FAULTS[name].seed)
    # Where templates have changed, seeds stand for other programs: `make fuzz-pandas ARGS="--faults"` finds new ones.
    assert found, f"not found: {FAULTS[name].what}"
    assert not worker.differences(text)


def test_programs_are_made_small() -> None:
    text = "n = 12\nf1 = pd.DataFrame({'a': np.arange(n), 'b': np.arange(n) * 2})\ns2 = f1['a'] + 1\nf3 = f1.sort_values('b').head(3)\ns4 = f3['b'] * 2\n"
    assert shrink.shrunk(text, lambda smaller: "sort_values" in smaller) == "n = 6\nf1 = pd.DataFrame({'b': np.arange(n)})\nf3 = f1.sort_values('b')\n"
