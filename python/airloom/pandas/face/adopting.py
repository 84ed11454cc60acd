"""Taking what pandas made as an object of ours."""

from __future__ import annotations

from typing import Any

from airloom.pandas.face import dispatch


def adopted(result: Any) -> Any:
    """What pandas made, as an object of ours, sharing its data."""
    from airloom.pandas.face.frame import DataFrame, from_manager
    from airloom.pandas.face.series import Series

    if type(result) is dispatch.BaseDataFrame:
        return from_manager(DataFrame, result._mgr).__finalize__(result)
    if type(result) is dispatch.BaseSeries:
        made = from_manager(Series, result._mgr)
        made.__dict__["_name"] = result.name
        return made.__finalize__(result)
    return result
