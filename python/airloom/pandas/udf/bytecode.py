"""Functions without a text: from the instructions of their code to the same syntax that a text gives.

The code of a function is run on names in place of values, along every path: a conditional jump is an `if` with two branches, and no branch is joined again. So `and`, `or`,
chained comparisons and conditional expressions all become `if`. Code with loops, exceptions or generators is refused, as is every instruction that is not known here.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import sys
import types
import warnings
from typing import Any

from airloom.pandas.refusals import Refused
from airloom.pandas.udf.opcodes import TABLES, Meaning
from airloom.pandas.udf.paths import Code, Path, Unknown

#: A function of more paths than this is not written out.
MOST_PATHS = 64
#: As many instructions are followed at most, over all paths.
MOST_STEPS = 10_000
_REFUSED_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE | inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


@functools.lru_cache(maxsize=256)
def definition(code: types.CodeType) -> ast.FunctionDef:
    """The definition of a function, read from its code.

    What was read is compiled and read again, and must be the same: so an instruction that means something else in this Python is a refusal, and no wrong answer.
    """
    table = TABLES.get(sys.version_info[:2])
    if table is None:
        raise Refused(f"a function without source on Python {sys.version_info[0]}.{sys.version_info[1]}")
    try:
        with warnings.catch_warnings():
            # What Python says of the text of a function was said when it was first compiled.
            warnings.simplefilter("ignore")
            made = read(code, table)
            module = compile(ast.Module([made], []), "<again>", "exec", dont_inherit=True)
            (again,) = (constant for constant in module.co_consts if isinstance(constant, types.CodeType))
            same = ast.dump(read(again, table)) == ast.dump(made)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("a function without source that Python does not compile again") from error
    if not same:
        raise Refused("a function without source, of instructions that mean something else here")
    return made


def read(code: types.CodeType, table: dict[str, Meaning]) -> ast.FunctionDef:
    """The syntax of a code, by the meanings of instructions."""
    if code.co_flags & _REFUSED_FLAGS or code.co_kwonlyargcount or code.co_cellvars or code.co_exceptiontable:
        raise Refused("a function without source that has `*args`, keyword-only arguments, inner functions, `yield`, `try` or `with`")
    instructions = list(dis.get_instructions(code))
    positions = {instruction.offset: at for at, instruction in enumerate(instructions)}
    given = code.co_varnames[: code.co_argcount]
    body: list[ast.stmt] = []
    waiting = [Path(0, [], {name: name for name in given}, body, 0)]
    source = Code(code)
    paths = steps = 0
    while waiting:
        path = waiting.pop()
        while not path.ended:
            steps += 1
            if steps > MOST_STEPS or path.at >= len(instructions):
                raise Refused(f"a function without source, of more than {MOST_STEPS} instructions")
            instruction = instructions[path.at]
            meaning = table.get(instruction.opname)
            if meaning is None:
                raise Refused(f"a function without source, with the instruction `{instruction.opname}`")
            path.at += 1
            try:
                meaning(source, path, instruction)
            except (IndexError, Unknown) as error:
                raise Refused(f"a function without source, with the instruction `{instruction.opname}`") from error
            if path.jump is not None:
                path.at, path.jump = _forward(positions, path), None
            if path.fork is not None:
                waiting.extend(_branches(positions, path))
                break
        else:
            paths += 1
            if paths > MOST_PATHS:
                raise Refused(f"a function of more than {MOST_PATHS} paths")
    arguments = [ast.arg(name) for name in given]
    only = code.co_posonlyargcount
    made = ast.FunctionDef("function", ast.arguments(arguments[:only], arguments[only:], None, [], [], None, []), body, [], None, None, **_NO_PARAMETERS)
    return ast.fix_missing_locations(made)


#: Parameters of types, which definitions have since Python 3.12.
_NO_PARAMETERS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}


def _forward(positions: dict[int, int], path: Path) -> int:
    """Where a jump goes to; refused where it goes back."""
    assert path.jump is not None
    target = positions[path.jump]
    if target < path.at:
        raise Refused("a function without source that has a loop")
    return target


def _branches(positions: dict[int, int], path: Path) -> list[Path]:
    """The two paths of a conditional jump, under an `if` of what it asks. Of a constant there is but one."""
    assert path.fork is not None
    fork = path.fork
    test, jumps_if, dropped = fork.test, fork.jumps_if, fork.dropped
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, jumps_if = test.operand, not jumps_if
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) and isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None:
        test, jumps_if = ast.Compare(test.left, [ast.Is()], test.comparators), not jumps_if
    path.jump = fork.target
    target = _forward(positions, path)
    going = path.stack if not dropped else path.stack[:-1]
    both = ((jumps_if, target, path.stack), (not jumps_if, path.at, going))
    if isinstance(test, ast.Constant):
        return [Path(at, list(stack), dict(path.names), path.statements, path.made) for truth, at, stack in both if truth == bool(test.value)]
    then: list[ast.stmt] = []
    otherwise: list[ast.stmt] = []
    path.statements.append(ast.If(test, then, otherwise))
    return [Path(at, list(stack), dict(path.names), then if truth else otherwise, path.made) for truth, at, stack in both]

