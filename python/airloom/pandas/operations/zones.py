"""Labels that are instants, in other zones."""

from __future__ import annotations

from typing import Any

import pandas

from airloom.pandas.data import restore
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations.gather import relabelled
from airloom.pandas.plan.frame import Refused

NO_DEFAULT = pandas.api.extensions.no_default


def _labels(plan: Any, axis: Any, level: Any) -> pandas.DatetimeIndex:
    if axis not in (0, "index") or level is not None:
        raise Refused("the labels of columns, or a level")
    labels = restore.restored_index(plan.rows, plan.index)
    if not isinstance(labels, pandas.DatetimeIndex):
        raise Refused("labels that are no instants")
    return labels


@operation("Series.tz_localize", "DataFrame.tz_localize")
def tz_localize(plan: Any, tz: Any, axis: Any = 0, level: Any = None, copy: Any = NO_DEFAULT, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Any:
    labels = _labels(plan, axis, level)
    if copy is not NO_DEFAULT:
        raise Refused("a `copy`, of which pandas warns")
    try:
        return relabelled(plan, labels.tz_localize(tz, ambiguous=ambiguous, nonexistent=nonexistent))
    except (TypeError, ValueError) as error:
        raise Refused("labels that the zone has not") from error


@operation("Series.tz_convert", "DataFrame.tz_convert")
def tz_convert(plan: Any, tz: Any, axis: Any = 0, level: Any = None, copy: Any = NO_DEFAULT) -> Any:
    labels = _labels(plan, axis, level)
    if copy is not NO_DEFAULT:
        raise Refused("a `copy`, of which pandas warns")
    try:
        return relabelled(plan, labels.tz_convert(tz))
    except (TypeError, ValueError) as error:
        raise Refused("labels without a zone") from error
