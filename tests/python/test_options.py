"""Options: validated, for the process, for a block, and from the environment."""

import subprocess
import sys
import threading

import airloom
import pytest
from airloom import ir


def test_options_are_set_and_set_back() -> None:
    assert airloom.options.threads is None
    airloom.options.threads = 4
    try:
        assert airloom.options.threads == 4
    finally:
        del airloom.options.threads
    assert airloom.options.threads is None


def test_options_of_a_block() -> None:
    with airloom.options(threads=1, memory_limit="2GB") as options:
        assert options.threads == 1 and options.memory_limit == 2 * 10**9
        with airloom.options(threads=2):
            assert options.threads == 2 and options.memory_limit == 2 * 10**9
        assert options.threads == 1
        seen: list[object] = []
        thread = threading.Thread(target=lambda: seen.append(airloom.options.threads))
        thread.start()
        thread.join()
        assert seen == [None], "a block is of its own thread"
    assert airloom.options.threads is None


@pytest.mark.parametrize(("text", "count"), [("512MiB", 2**29), ("1.5 GB", 15 * 10**8), ("2g", 2 * 10**9), ("100", 100), (4096, 4096)])
def test_sizes(text: object, count: int) -> None:
    with airloom.options(memory_limit=text):
        assert airloom.options.memory_limit == count


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"thread": 1}, "there is no option `thread`; hint: `threads`"),
        ({"threads": 0}, "`threads` takes an integer from 1, found 0"),
        ({"threads": True}, "integer"),
        ({"memory_limit": "much"}, "`2GB`"),
        ({"strict": 3}, "`True` or `False`"),
        ({"spill_directory": "/nowhere/at/all"}, "a folder that exists"),
        ({"without_rules": ["merge-filter"]}, "no rule `merge-filter`; hint: `merge-filters`"),
    ],
)
def test_what_is_no_option_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(airloom.OptionError, match=message):
        airloom.options(**change)
    ((name, value),) = change.items()
    with pytest.raises(airloom.OptionError):
        setattr(airloom.options, name, value)


def test_options_are_described() -> None:
    text = airloom.options.describe()
    assert all(name in text for name in airloom.options.as_dict())
    with pytest.raises(AttributeError, match="hint: `threads`"):
        airloom.options.treads  # noqa: B018


def from_environment(**variables: str) -> str:
    code = "import airloom; print(airloom.options.threads, airloom.options.strict)"
    ran = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False, timeout=300)
    return ran.stdout.strip() or ran.stderr.strip().splitlines()[-1]


def test_options_from_the_environment() -> None:
    assert from_environment(AIRLOOM_THREADS="3", AIRLOOM_STRICT="1") == "3 True"
    assert "(from the environment, `AIRLOOM_THREADS`)" in from_environment(AIRLOOM_THREADS="many")


def test_sessions_have_options_of_their_own() -> None:
    session = airloom.Session(optimize=False)
    f = ir.function(x=ir.i64)(lambda x: x + 0)
    assert session.optimize(f).same_as(f)
    assert not airloom.optimize(f).same_as(f)
    with pytest.raises(airloom.OptionError, match="no option"):
        airloom.Session(fast=True)
