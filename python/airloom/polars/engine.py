"""The engine that users hand to Polars."""

from __future__ import annotations

import asyncio
import contextvars
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal

import polars as pl

from airloom import _report as report
from airloom._options import _checked, options
from airloom.errors import Error, OptionError, RaisedError, RefusedError
from airloom.polars import running
from airloom.polars.reading import UnknownVersion, read
from airloom.polars.refusals import PerformanceWarning, Refusal
from airloom.polars.streaming import Rows, can_be_handed_out, can_be_written
from airloom.polars.subtrees import callback_for, supported, writes
from airloom.polars.translation import Translation
from airloom.polars.translation import translate as translate_plan
from airloom.polars.verbose import tell
from airloom.polars.working import at_work, uncollected


class Engine(pl.StreamingEngine):
    """Runs queries of Polars on airloom's engine: ``lf.collect(engine=airloom.polars.Engine())``.

    What is not translated runs on Polars' streaming engine, and `airloom.report` says so, with every reason. ``raise_on_fail`` makes that an
    `airloom.RefusedError`, ``warn`` a `PerformanceWarning`. ``threads``, ``memory_limit``, ``spill_directory`` and ``target_partition_size`` are the options of airloom of these
    names, for queries of this engine alone. ``device`` is where queries run: `"cpu"` is all there is.
    """

    def __init__(
        self,
        *,
        raise_on_fail: bool = False,
        warn: bool = False,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        spill_directory: str | os.PathLike[str] | None = None,
        target_partition_size: int | str | None = None,
        device: Literal["cpu"] = "cpu",
        monitoring: bool | None = None,
    ) -> None:
        super().__init__(monitoring=monitoring)
        self.raise_on_fail = _truth("raise_on_fail", raise_on_fail)
        self.warn = _truth("warn", warn)
        if device != "cpu":
            raise OptionError(f"the option `device` of `Engine` takes `cpu`, found {device!r}")
        self.device = device
        given = {"threads": threads, "memory_limit": memory_limit, "spill_directory": spill_directory, "target_partition_size": target_partition_size}
        self._options = {name: _checked(name, value, " of `Engine`") for name, value in given.items() if value is not None}
        if self._options.get("memory_limit", _LEAST) < _LEAST:
            raise OptionError(f"the option `memory_limit` of `Engine` takes at least a mebibyte, found {memory_limit!r}")

    def __repr__(self) -> str:
        given = {"raise_on_fail": self.raise_on_fail, "warn": self.warn, "monitoring": self.monitoring}
        shown = {**{name: value for name, value in given.items() if value}, **self._options}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def collect(self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags, background: bool = False, post_opt_callback: Any = None) -> Any:
        """The frame of a query; by Polars, where something of it is refused."""
        if background or post_opt_callback is not None:
            word = "background" if background else "post_opt_callback"
            self._leave([Refusal("collect", f"`{word}` is Polars' own way of running")])
            return super().collect(lf, optimizations=optimizations, background=background, post_opt_callback=post_opt_callback)
        translation = translate(lf, optimizations=optimizations)
        if translation.function is None:
            self._leave(translation.refusals)
            return self._collect_parts(lf, translation, optimizations)
        try:
            return running.run(translation, self._options)
        except Error as error:
            self._failed(error)
        return super().collect(lf, optimizations=optimizations)

    def collect_all(self, lfs: Iterable[pl.LazyFrame], *, optimizations: pl.QueryOptFlags) -> list[pl.DataFrame]:
        """The frames of several queries: one after the other, those that are refused together on Polars."""
        given = list(lfs)
        translations = [translate(lf, optimizations=optimizations) for lf in given]
        made: dict[int, pl.DataFrame] = {}
        for at, translation in enumerate(translations):
            if translation.function is None:
                self._leave(translation.refusals)
                continue
            try:
                made[at] = running.run(translation, self._options)
            except Error as error:
                self._failed(error)
        left = [at for at in range(len(given)) if at not in made]
        if left:
            made.update(zip(left, super().collect_all([given[at] for at in left], optimizations=optimizations), strict=True))
        return [made[at] for at in range(len(given))]

    def collect_async(self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags, gevent: bool = False) -> Any:
        """As `collect`, in another thread."""
        if gevent:
            self._leave([Refusal("collect_async", "`gevent` is Polars' own way of running")])
            return super().collect_async(lf, optimizations=optimizations, gevent=True)
        return _in_a_thread(partial(self.collect, lf, optimizations=optimizations))

    def collect_all_async(self, lfs: Iterable[pl.LazyFrame], *, optimizations: pl.QueryOptFlags, gevent: bool = False) -> Any:
        """As `collect_all`, in another thread."""
        if gevent:
            self._leave([Refusal("collect_all_async", "`gevent` is Polars' own way of running")])
            return super().collect_all_async(lfs, optimizations=optimizations, gevent=True)
        return _in_a_thread(partial(self.collect_all, list(lfs), optimizations=optimizations))

    def collect_batches(self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags, maintain_order: bool = True, chunk_size: int | None = None, lazy: bool = False) -> Any:
        """The frame of a query in batches, which are handed out while the engine goes on. Where the data may stop it, it makes all of them before the first: Polars could not begin anew behind rows that somebody has."""
        if lazy:
            self._leave([Refusal("collect_batches", "`lazy` batches are made by Polars, as they are asked for")])
            source = lf
        else:
            source = self._handed_out(lf, optimizations)
        return super().collect_batches(source, optimizations=optimizations, maintain_order=maintain_order, chunk_size=chunk_size, lazy=lazy)

    def sink_parquet(self, lf: pl.LazyFrame, path: Any, **given: Any) -> None:
        """Polars writes a query as the engine computes it."""
        self._write(_POLARS.sink_parquet, lf, path, given)

    def sink_ipc(self, lf: pl.LazyFrame, path: Any, **given: Any) -> None:
        """Polars writes a query as the engine computes it."""
        self._write(_POLARS.sink_ipc, lf, path, given)

    def sink_csv(self, lf: pl.LazyFrame, path: Any, **given: Any) -> None:
        """Polars writes a query as the engine computes it."""
        self._write(_POLARS.sink_csv, lf, path, given)

    def sink_ndjson(self, lf: pl.LazyFrame, path: Any, **given: Any) -> None:
        """Polars writes a query as the engine computes it."""
        self._write(_POLARS.sink_ndjson, lf, path, given)

    def sink_batches(self, lf: pl.LazyFrame, function: Any, **given: Any) -> None:
        """Polars hands out a query as the engine computes it; as of `collect_batches`."""
        _POLARS.sink_batches(self._handed_out(lf, given["optimizations"]), function, **given)

    def _write(self, sink: Callable[..., None], lf: pl.LazyFrame, path: Any, given: dict[str, Any]) -> None:
        """Lets Polars write a query to files, as its rows are computed where that can be. Where the engine stops before the last row, Polars runs the query anew and writes the file from its beginning."""
        rows = self._rows(translate(lf, optimizations=given["optimizations"]), lambda translation: can_be_written(translation, path))
        if not isinstance(rows, Rows):
            return sink(lf if rows is None else rows.lazy(), path, **given)
        try:
            return sink(rows.lazy(), path, **given)
        except Exception:
            # A disk that is full is Polars' to tell.
            if not isinstance(rows.failed, Error):
                raise
            self._failed(rows.failed)
        return sink(lf, path, **given)

    def _handed_out(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> pl.LazyFrame:
        """What Polars reads to hand out the rows of a query: those that the engine makes, or the query itself where they are left to Polars."""
        rows = self._rows(translate(lf, optimizations=optimizations), can_be_handed_out)
        return lf if rows is None else rows.lazy()

    def _rows(self, translation: Translation, streams: Callable[[Translation], bool]) -> Rows | pl.DataFrame | None:
        """The rows of a query: as they are computed, all of them, or none where they are left to Polars, which need not hold all of them at once."""
        if translation.function is None or not streams(translation):
            return self._run_whole(translation)
        try:
            return Rows(translation, self._options)
        except Error as error:
            self._failed(error)
        return None

    def collect_operation(self, lf: pl.LazyFrame, least: int, *, optimizations: pl.QueryOptFlags | None = None) -> pl.DataFrame | None:
        """The frame of an operation of a `DataFrame`; none where Polars is to do it: where its frames have fewer rows than the least number, or something is refused."""
        translation = translate(lf, optimizations=optimizations)
        if translation.height < least:
            return None
        return self._run_whole(translation)

    def _run_whole(self, translation: Translation) -> pl.DataFrame | None:
        """The frame of a query; None where it is left to Polars, which need not hold all of it at once."""
        if translation.function is None:
            self._leave(translation.refusals)
            return None
        try:
            return running.run(translation, self._options)
        except Error as error:
            self._failed(error)
        return None

    def _collect_parts(self, lf: pl.LazyFrame, translation: Translation, optimizations: pl.QueryOptFlags) -> Any:
        """The frame of a query of which a part is refused: what the engine can run of it is run there, and Polars goes on with that."""
        if translation.plan is not None and not writes(translation.plan) and supported(translation.plan, translation.refused):
            try:
                # The alias for such callbacks in Polars' types takes one argument more than Polars gives.
                callback: Any = callback_for(self._options)
                return super().collect(lf, optimizations=optimizations, post_opt_callback=callback)
            except Error as error:
                self._failed(error)
        return super().collect(lf, optimizations=optimizations)

    def _leave(self, refusals: Sequence[Refusal]) -> None:
        """Notes what is left to Polars, or raises where that is not allowed."""
        if self.raise_on_fail or options.strict:
            raise RefusedError(_told(refusals))
        for refusal in refusals:
            report.LOG.add(refusal.node, "polars", refusal.reason)
        tell("left to Polars", [str(refusal) for refusal in refusals])
        if self.warn:
            warnings.warn(_told(refusals), PerformanceWarning, stacklevel=1 + report.user_depth())

    def _failed(self, error: Error) -> None:
        """Notes that the engine failed, so that Polars runs the query anew; or raises, where that is not allowed."""
        if self.raise_on_fail or options.strict:
            raise error
        # Where in a file the program was written is told by the report itself.
        what = re.sub(r" \([^()]*:[0-9]+\)$", "", str(error).partition("\n")[0])
        self._leave([Refusal("run", f"the engine stopped at {what}" if isinstance(error, RaisedError) else f"the engine failed with `{type(error).__name__}`: {what}")])


#: With less memory no program runs.
_LEAST = 2**20
#: What writes frames, and runs what is refused.
_POLARS = pl.StreamingEngine()


def translate(lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags | None = None) -> Translation:
    """What the engine makes of a query, without running it: its program, or every reason why it is left to Polars."""
    flags = (pl.QueryOptFlags() if optimizations is None else optimizations).__copy__()
    # What is computed twice is one node of the graph anyway, and Polars' own nodes for it may hold columns that are shorter than others.
    flags.comm_subexpr_elim = False
    traverser = lf._ldf.with_optimizations(flags._pyoptflags).visit()
    try:
        with at_work(), uncollected():
            return translate_plan(read(traverser))
    except UnknownVersion as error:
        return Translation(None, {}, {}, (Refusal("plan", str(error)),))
    except Exception as error:  # A mistake of ours must not stop a query that Polars can run: it is told, and where nothing may be left to Polars it is an error.
        return Translation(None, {}, {}, (Refusal("plan", f"the translation failed with `{type(error).__name__}`: {str(error).splitlines()[0] if str(error) else ''}"),))


def _told(refusals: Sequence[Refusal]) -> str:
    lines = "\n".join(f"  {refusal}" for refusal in refusals)
    return f"the query is left to Polars:\n{lines}\n\nhint: `airloom.polars.translate(lf)` tells the same without running it"


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"the option `{name}` of `Engine` takes `True` or `False`, found {value!r}")
    return value


def _in_a_thread(call: Any) -> Any:
    context = contextvars.copy_context()
    return asyncio.get_event_loop().run_in_executor(None, partial(context.run, call))
