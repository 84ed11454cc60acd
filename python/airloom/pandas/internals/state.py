"""What an object of ours holds: a manager, a plan, or both.

Both live in the object's dict under names that pandas does not use. The manager is pandas' data. The plan is the same as something to be computed or, once it is
computed, as something to go on from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pandas.core.flags import Flags

from airloom.errors import BrokenError
from airloom.pandas.execution import run, sharing
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import ManagerStamp, captured_frame, captured_vector
from airloom.pandas.internals.foreign import FOREIGN, apart, has_foreign_blocks
from airloom.pandas.plan.frame import Frame, Vector, shallow, together
from airloom.pandas.plan.index import Relation, relation

MANAGER = "_airloom_manager"
PLAN = "_airloom_plan"
STAMP = "_airloom_stamp"
INDEX = "_airloom_index"
COLUMNS = "_airloom_columns"
READ = "_airloom_read"

#: All of them: pandas takes them for no columns.
NAMES = frozenset((MANAGER, PLAN, STAMP, INDEX, COLUMNS, READ))

#: Our classes, without subclasses of users.
OURS: set[type] = set()


class Fallback:
    """Who makes the data of a plan that the engine fails to compute, or is not worth the while of: the package above says so."""

    recovered: Callable[[Any, Exception], Any]
    #: The manager of what pandas makes in less time than the engine; none of all else.
    sooner: Callable[[Any], Any]


fallback = Fallback()

#: From this many rows on, what the engine made of an object's data is kept with it. Below, pandas writes to the data in place, as nobody else holds them.
WORTH_KEEPING = 20_000


def get_manager(object: Any) -> Any:
    """What pandas asks every object for. An object without data computes them now: whatever is not overridden comes through here."""
    manager = object.__dict__.get(MANAGER)
    return manager if manager is not None else force(object)


def set_manager(object: Any, manager: Any) -> None:
    own = object.__dict__
    own[MANAGER] = manager
    for name in (PLAN, STAMP, INDEX, COLUMNS, READ):
        own.pop(name, None)


def forget_plan(object: Any) -> None:
    """Lets go of the plan of an object whose data are there, before they are written to: pandas copies what a plan shares."""
    own = object.__dict__
    if MANAGER in own and PLAN in own:
        del own[PLAN], own[STAMP]


def is_read_by_cell(object: Any) -> bool:
    """Whether single values are best read from an object's data: they are there, or this is not the first that is read."""
    own = object.__dict__
    if MANAGER in own or READ in own:
        return True
    own[READ] = True
    return False


def is_lazy(object: Any) -> bool:
    """Whether its data have still to be computed."""
    return MANAGER not in object.__dict__


def force(object: Any) -> Any:
    """Computes an object's data."""
    own = object.__dict__
    if PLAN not in own:
        raise AttributeError("_mgr")
    plan = plan_of(object)
    foreign = [held for held in run.arrays_read(plan) if held.foreign] if FOREIGN else []
    sharing.LAZY.discard(object)
    try:
        manager, kept = _computed(plan)
    except AttributeError as error:
        # Python takes this error, from a property, for the absence of the property.
        raise BrokenError(f"a plan could not be computed: {error}") from error
    return _set_computed(object, manager, kept, foreign)


def _computed(plan: Any) -> tuple[Any, Any]:
    """The manager of a plan, and the plan over what is now in memory: made by the engine, or by pandas where that fails, or takes longer."""
    try:
        manager = fallback.sooner(plan)
        if manager is None:
            return materialize.restored_frame(plan) if isinstance(plan, Frame) else materialize.restored_vector(plan)
    except Exception as error:
        manager = fallback.recovered(plan, error)
    return manager, captured_frame(manager) if manager.ndim == 2 else captured_vector(manager, plan.name)


def force_together(objects: Iterable[Any]) -> None:
    """Computes the data of several objects: those over the same rows, with the same labels, by one program."""
    waiting = {id(object): object for object in objects if is_lazy(object)}
    groups: list[list[tuple[Any, Any]]] = []
    for object in waiting.values():
        plan = plan_of(object)
        for group in groups:
            first = group[0][1]
            if relation(first.rows, first.index, plan.rows, plan.index) is Relation.SAME and first.index.names == plan.index.names:
                group.append((object, plan))
                break
        else:
            groups.append([(object, plan)])
    for group in groups:
        if len(group) == 1 or (FOREIGN and any(reads_foreign(plan) for _, plan in group)):
            for object, _ in group:
                get_manager(object)
            continue
        rows = group[0][1].rows
        for object, plan in group:
            both = together(rows, plan.rows)
            assert both is not None
            rows = both
            sharing.LAZY.discard(object)
        try:
            computed = materialize.restored_together(rows, [plan for _, plan in group])
        except Exception:
            # Each by itself may have a way that all of them have not.
            computed = [_computed(plan) for _, plan in group]
        for (object, _), (manager, kept) in zip(group, computed, strict=True):
            _set_computed(object, manager, kept, [])


def _set_computed(object: Any, manager: Any, kept: Any, foreign: list[Any]) -> Any:
    """Gives an object its data, which were just computed, and what is planned over them."""
    own = object.__dict__
    if INDEX in own:
        # It was given out already: who has it sees the same object again.
        manager.axes[-1] = own[INDEX]
    if COLUMNS in own:
        manager.axes[0] = own[COLUMNS]
    copied = bool(foreign) and apart(manager, [held.array for held in foreign])
    set_manager(object, manager)
    if len(manager.axes[-1]) >= WORTH_KEEPING and not copied and not has_foreign_blocks(manager):
        own[PLAN] = kept
        own[STAMP] = ManagerStamp(manager)
    return manager


def plan_of(object: Any) -> Any:
    """The plan of an object; one of its data, where it has data."""
    own = object.__dict__
    plan = own.get(PLAN)
    manager = own.get(MANAGER)
    if manager is None:
        plan = _renamed(own, plan)
    elif plan is None or not own[STAMP].agrees(manager) or has_foreign_blocks(manager):
        # The old one holds arrays, by which they would seem to be somebody else's.
        del plan
        own.pop(PLAN, None)
        keeps = len(manager.axes[-1]) >= WORTH_KEEPING and not has_foreign_blocks(manager)
        plan = captured_frame(manager) if manager.ndim == 2 else captured_vector(manager, object._name)
        if keeps:
            own[PLAN] = plan
            own[STAMP] = ManagerStamp(manager)
    if isinstance(plan, Vector):
        name = own.get("_name")
        if plan.name is not name:
            plan = plan.named(name)
    return plan


def _renamed(own: dict[str, Any], plan: Any) -> Any:
    """The plan with the names that its index has now: it may have been given out, and names be set on it in place."""
    index = own.get(INDEX)
    if index is not None and tuple(index.names) != tuple(plan.index.names):
        renamed = plan.index.renamed(tuple(index.names))
        recipe = plan.recipe
        plan = Frame(plan.rows, plan.columns, plan.labels, renamed) if isinstance(plan, Frame) else Vector(plan.rows, plan.column, plan.name, renamed)
        plan.recipe = recipe
        own[PLAN] = plan
    labels = own.get(COLUMNS)
    if labels is not None and labels is not plan.labels:
        recipe = plan.recipe
        plan = own[PLAN] = Frame(plan.rows, plan.columns, labels, plan.index)
        plan.recipe = recipe
    return plan


def index_of(object: Any) -> Any:
    """The labels of an object's rows, computed by themselves where its data are not there yet."""
    own = object.__dict__
    manager = own.get(MANAGER)
    if manager is not None:
        return manager.axes[-1]
    index = own.get(INDEX)
    if index is None:
        plan = plan_of(object)
        try:
            found = materialize.restored_index(plan.rows, plan.index)
        except Exception:
            return force(object).axes[-1]
        # A view, as pandas has it: a name set here is not set on whoever else has these labels.
        index = own[INDEX] = found.view()
    return index


def columns_of(object: Any) -> Any:
    """The labels of an object's columns."""
    own = object.__dict__
    manager = own.get(MANAGER)
    if manager is not None:
        return manager.axes[0]
    labels = own.get(COLUMNS)
    if labels is None:
        labels = own[COLUMNS] = own[PLAN].labels.view()
    return labels


def set_plan(object: Any, plan: Any) -> None:
    """Makes an object something else in place: who was made of it before goes on from what it was."""
    own = object.__dict__
    plan = shallow(plan)
    for name in (MANAGER, STAMP, INDEX, COLUMNS, READ):
        own.pop(name, None)
    own[PLAN] = plan
    if isinstance(plan, Vector):
        own["_name"] = plan.name
    sharing.LAZY.add(object)
    if FOREIGN and reads_foreign(plan):
        force(object)


def make(cls: Any, plan: Any) -> Any:
    """A new object of a plan."""
    made = cls.__new__(cls)
    own = made.__dict__
    plan = own[PLAN] = shallow(plan)
    own["_attrs"] = {}
    own["_flags"] = Flags(made, allows_duplicate_labels=True)
    if isinstance(plan, Vector):
        own["_name"] = plan.name
    sharing.LAZY.add(made)
    if FOREIGN and reads_foreign(plan):
        force(made)
    return made


def reads_foreign(plan: Any) -> bool:
    """Whether a plan reads memory that somebody else may write to."""
    return bool(FOREIGN) and any(held.foreign for held in run.arrays_read(plan))


def hand_out(object: Any) -> None:
    """Sees to it that a series may be written to by its array: what is planned over it is computed first, and what is planned over it from now on at once."""
    if is_lazy(object):
        _show_in_frame(object)
    manager = get_manager(object)
    (block,) = manager.blocks
    if block.refs in FOREIGN:
        return
    release(object)
    FOREIGN.add(manager.blocks[0].refs)


def release(object: Any) -> None:
    """Lets go of an object's data, which are there: what is planned over them is computed first."""
    # What is kept of it holds its arrays.
    forget_plan(object)
    blocks = {id(block.refs) for block in object.__dict__[MANAGER].blocks}
    for value in list(sharing.LAZY):
        plan = value.__dict__.get(PLAN)
        if plan is not None and any(id(held.refs) in blocks for held in run.arrays_read(plan)):
            force(value)


def _show_in_frame(object: Any) -> None:
    """Computes the frame of which a lazy series is a column, where there is one: the series is a view of its memory, as it is in pandas."""
    plan = plan_of(object)
    if plan.recipe is None and materialize.is_in_memory(plan):
        # It was taken from a frame in memory: lazy ones with the same column have memory of their own.
        return
    for value in sharing.LAZY:
        whole = value.__dict__.get(PLAN)
        if isinstance(whole, Frame) and whole.rows is plan.rows and any(column is plan.column for column in whole.columns):
            position = next(at for at, column in enumerate(whole.columns) if column is plan.column)
            # The frame may have other labels, as `s.reset_index()` has.
            labels = index_of(object)
            manager = get_manager(value).iget(position)
            manager.axes = [labels]
            name = object.__dict__.get("_name")
            sharing.LAZY.discard(object)
            set_manager(object, manager)
            object.__dict__["_name"] = name
            forget_plan(value)
            return


def row_count(object: Any) -> int | None:
    """How many rows an object has, where that is known without computing anything."""
    own = object.__dict__
    manager = own.get(MANAGER)
    if manager is not None:
        return len(manager.axes[-1])
    count: int | None = own[PLAN].rows.count
    return count
