"""Ctrl-C stops a running program, and the session stays usable."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import airloom
import pytest
from airloom import ir

ENDLESS = ir.function(n=ir.i64)(lambda n: ir.while_(n, lambda s: s > 0, lambda s: s + 1 - 1))
SIMPLE = ir.function(n=ir.i64)(lambda n: n + 1)


@pytest.fixture(autouse=True)
def interrupts_are_heard() -> Iterator[None]:
    """Where the process was started with Ctrl-C ignored, in the background of a shell or by nohup, nothing would ever end these tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_loop_without_end_is_interrupted() -> None:
    session = airloom.Session(optimize=False)
    timer = interrupt_after(0.3)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.run(ENDLESS, 1)
    waited = time.monotonic() - began - 0.3
    timer.join()
    # It looks whether to stop every few milliseconds; the machine may be busy with other work.
    assert waited < 1.0, f"stopped {waited:.3f} s after the signal"
    assert session.run(SIMPLE, 1) == 2


def test_handlers_of_the_users_own_are_called() -> None:
    class Stop(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGINT, handler)
    try:
        timer = interrupt_after(0.2)
        with pytest.raises(Stop):
            airloom.run(ENDLESS, 1)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert airloom.run(SIMPLE, 1) == 2


def test_python_functions_are_interrupted_too() -> None:
    def slow(x: int) -> int:
        time.sleep(0.01)
        return x

    f = ir.function(n=ir.i64)(lambda n: ir.reduce(0, n, lambda i: ir.host_call(slow, i, ty=ir.i64), lambda a, b: a + b))
    timer = interrupt_after(0.2)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        airloom.run(f, 1_000_000)
    timer.join()
    assert time.monotonic() - began < 1.0
    assert airloom.run(f, 3) == 3
