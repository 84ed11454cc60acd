"""What each instruction of Python's does to a path through a function, for each version: a table by the names that the module `dis` has for them."""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable

from airloom.pandas.udf.paths import NULL, Code, Fork, Path, Unknown


Meaning = Callable[[Code, Path, dis.Instruction], None]


def _nothing(code: Code, path: Path, instruction: dis.Instruction) -> None:
    """What only the interpreter needs."""


def _load_fast(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.load(instruction.argval)


def _load_two(code: Code, path: Path, instruction: dis.Instruction) -> None:
    for local in instruction.argval:
        path.load(local)


def _store_fast(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.store(instruction.argval, path.pop())


def _store_two(code: Code, path: Path, instruction: dis.Instruction) -> None:
    for local in instruction.argval:
        path.store(local, path.pop())


def _store_and_load(code: Code, path: Path, instruction: dis.Instruction) -> None:
    stored, loaded = instruction.argval
    path.store(stored, path.pop())
    path.load(loaded)


def _load_const(code: Code, path: Path, instruction: dis.Instruction) -> None:
    if not _is_plain(instruction.argval):
        raise Unknown
    path.stack.append(ast.Constant(instruction.argval))


def _is_plain(value: object) -> bool:
    """Whether a constant is one that the text of a function may hold."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (tuple, frozenset)):
            waiting.extend(one)
        elif one is not None and type(one) not in (bool, int, float, str):
            return False
    return True


def _load_global(code: Code, path: Path, instruction: dis.Instruction) -> None:
    if instruction.arg is None or instruction.argval in code.locals or instruction.argval in code.outer:
        raise Unknown
    path.stack.append(ast.Name(instruction.argval, ast.Load()))
    if instruction.arg & 1:
        path.stack.append(NULL)


def _load_outer(code: Code, path: Path, instruction: dis.Instruction) -> None:
    if instruction.argval not in code.outer or instruction.argval in code.locals:
        raise Unknown
    path.stack.append(ast.Name(instruction.argval, ast.Load()))


def _load_attribute(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(ast.Attribute(path.pop(), instruction.argval, ast.Load()))


def _load_method(code: Code, path: Path, instruction: dis.Instruction) -> None:
    _load_attribute(code, path, instruction)
    path.stack.append(NULL)


def _load_attribute_or_method(code: Code, path: Path, instruction: dis.Instruction) -> None:
    assert instruction.arg is not None
    (_load_method if instruction.arg & 1 else _load_attribute)(code, path, instruction)


def _push_null(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(NULL)


def _pop_top(code: Code, path: Path, instruction: dis.Instruction) -> None:
    # What is computed for nothing may do something.
    if not isinstance(path.pop(), (ast.Name, ast.Constant)):
        raise Unknown


def _copy(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(path.name_of(instruction.argval))


def _swap(code: Code, path: Path, instruction: dis.Instruction) -> None:
    depth = instruction.argval
    if not 1 < depth <= len(path.stack):
        raise Unknown
    path.stack[-1], path.stack[-depth] = path.stack[-depth], path.stack[-1]


_BINARY: dict[str, ast.operator] = {
    "+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "/": ast.Div(), "//": ast.FloorDiv(), "%": ast.Mod(), "**": ast.Pow(),
    "&": ast.BitAnd(), "|": ast.BitOr(), "^": ast.BitXor(), "<<": ast.LShift(), ">>": ast.RShift(), "@": ast.MatMult(),
}  # fmt: skip


def _binary(code: Code, path: Path, instruction: dis.Instruction) -> None:
    symbol = instruction.argrepr
    if symbol == "[]":
        _subscript(code, path, instruction)
        return
    left, right = path.take(2)
    if symbol in _BINARY:
        path.stack.append(_computed(ast.BinOp(left, _BINARY[symbol], right), left, right))
        return
    if not symbol.endswith("=") or symbol[:-1] not in _BINARY:
        raise Unknown
    # It may change what stands there in place, and so stays a statement.
    name = path.assign(left if isinstance(left, ast.Name) else path.assign(left))
    path.statements.append(ast.AugAssign(ast.Name(name.id, ast.Store()), _BINARY[symbol[:-1]], right))
    path.stack.append(name)


def _unary(op: ast.unaryop) -> Meaning:
    def meaning(code: Code, path: Path, instruction: dis.Instruction) -> None:
        operand = path.pop()
        path.stack.append(_computed(ast.UnaryOp(op, operand), operand))

    return meaning


def _computed(made: ast.expr, *operands: ast.expr) -> ast.expr:
    """An expression; or its value, where Python computes that of constants while it compiles. Constants of several paths meet only here."""
    if not all(isinstance(operand, ast.Constant) for operand in operands):
        return made
    code = compile(ast.fix_missing_locations(ast.Expression(made)), "<constants>", "eval", dont_inherit=True)
    loaded = [instruction for instruction in dis.get_instructions(code) if instruction.opname not in ("RESUME", "RETURN_VALUE")]
    if len(loaded) == 1 and loaded[0].opname in ("LOAD_CONST", "RETURN_CONST", "LOAD_SMALL_INT") and _is_plain(loaded[0].argval):
        return ast.Constant(loaded[0].argval)
    return made


_COMPARED: dict[str, ast.cmpop] = {"<": ast.Lt(), "<=": ast.LtE(), "==": ast.Eq(), "!=": ast.NotEq(), ">": ast.Gt(), ">=": ast.GtE()}


def _compare(code: Code, path: Path, instruction: dis.Instruction) -> None:
    if instruction.argval not in _COMPARED:
        raise Unknown
    left, right = path.take(2)
    path.stack.append(ast.Compare(left, [_COMPARED[instruction.argval]], [right]))


def _either(plain: ast.cmpop, negated: ast.cmpop) -> Meaning:
    def meaning(code: Code, path: Path, instruction: dis.Instruction) -> None:
        left, right = path.take(2)
        path.stack.append(ast.Compare(left, [negated if instruction.arg else plain], [right]))

    return meaning


def _subscript(code: Code, path: Path, instruction: dis.Instruction) -> None:
    container, key = path.take(2)
    path.stack.append(_computed(ast.Subscript(container, key, ast.Load()), container, key))


def _slice(code: Code, path: Path, instruction: dis.Instruction) -> None:
    bounds = [None if isinstance(bound, ast.Constant) and bound.value is None else bound for bound in path.take(instruction.argval)]
    path.stack.append(ast.Slice(*bounds))


def _subscript_by_slice(code: Code, path: Path, instruction: dis.Instruction) -> None:
    container, *bounds = path.take(3)
    lower, upper = (None if isinstance(bound, ast.Constant) and bound.value is None else bound for bound in bounds)
    path.stack.append(ast.Subscript(container, ast.Slice(lower, upper), ast.Load()))


def _tuple(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(ast.Tuple(path.take(instruction.argval), ast.Load()))


def _list(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(ast.List(path.take(instruction.argval), ast.Load()))


def _extend(code: Code, path: Path, instruction: dis.Instruction) -> None:
    items, more = path.take(2)
    if instruction.argval != 1 or not isinstance(items, ast.List) or items.elts or not isinstance(more, ast.Constant) or not isinstance(more.value, tuple):
        raise Unknown
    path.stack.append(ast.List([ast.Constant(item) for item in more.value], ast.Load()))


def _map(code: Code, path: Path, instruction: dis.Instruction) -> None:
    both = path.take(2 * instruction.argval)
    path.stack.append(ast.Dict(list(both[::2]), both[1::2]))


def _map_of_keys(code: Code, path: Path, instruction: dis.Instruction) -> None:
    *values, keys = path.take(instruction.argval + 1)
    if not isinstance(keys, ast.Constant) or not isinstance(keys.value, tuple):
        raise Unknown
    path.stack.append(ast.Dict([ast.Constant(key) for key in keys.value], values))


#: How `dis` counts the conversions of a format: none, `!s`, `!r` and `!a`.
_CONVERSIONS = (-1, 115, 114, 97)


def _format(code: Code, path: Path, instruction: dis.Instruction) -> None:
    assert instruction.arg is not None
    spec = path.pop() if instruction.arg & 4 else None
    path.stack.append(_formatted(path.pop(), _CONVERSIONS[instruction.arg & 3], spec))


def _format_simple(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.stack.append(_formatted(path.pop(), -1, None))


def _format_with(code: Code, path: Path, instruction: dis.Instruction) -> None:
    value, spec = path.take(2)
    path.stack.append(_formatted(value, -1, spec))


def _formatted(value: ast.expr, conversion: int, spec: ast.expr | None) -> ast.JoinedStr:
    if spec is not None and not isinstance(spec, ast.Constant):
        raise Unknown
    return ast.JoinedStr([ast.FormattedValue(value, conversion, None if spec is None else ast.JoinedStr([spec]))])


def _build_string(code: Code, path: Path, instruction: dis.Instruction) -> None:
    parts: list[ast.expr] = []
    for part in path.take(instruction.argval):
        parts.extend(part.values if isinstance(part, ast.JoinedStr) else [part])
    if not all(isinstance(part, ast.FormattedValue) or (isinstance(part, ast.Constant) and isinstance(part.value, str)) for part in parts):
        raise Unknown
    path.stack.append(ast.JoinedStr(parts))


def _keyword_names(code: Code, path: Path, instruction: dis.Instruction) -> None:
    assert instruction.arg is not None
    path.keywords = code.constants[instruction.arg]


def _call(code: Code, path: Path, instruction: dis.Instruction) -> None:
    arguments = path.take(instruction.argval)
    names, path.keywords = path.keywords, ()
    # The one of both that is no function is before it, or after it.
    functions = [one for one in (path.stack.pop(), path.stack.pop()) if one is not NULL]
    if len(functions) != 1 or len(names) > len(arguments):
        raise Unknown
    first = len(arguments) - len(names)
    path.stack.append(ast.Call(functions[0], arguments[:first], [ast.keyword(name, value) for name, value in zip(names, arguments[first:], strict=True)]))


def _call_with_names(code: Code, path: Path, instruction: dis.Instruction) -> None:
    names = path.pop()
    if not isinstance(names, ast.Constant) or not isinstance(names.value, tuple):
        raise Unknown
    path.keywords = names.value
    _call(code, path, instruction)


def _jump(code: Code, path: Path, instruction: dis.Instruction) -> None:
    path.jump = instruction.argval


def _fork(jumps_if: bool) -> Meaning:
    def meaning(code: Code, path: Path, instruction: dis.Instruction) -> None:
        path.fork = Fork(path.pop(), instruction.argval, jumps_if, False)

    return meaning


def _fork_or_pop(jumps_if: bool) -> Meaning:
    def meaning(code: Code, path: Path, instruction: dis.Instruction) -> None:
        path.fork = Fork(path.name_of(1), instruction.argval, jumps_if, True)

    return meaning


def _fork_none(jumps_if: bool) -> Meaning:
    def meaning(code: Code, path: Path, instruction: dis.Instruction) -> None:
        path.fork = Fork(ast.Compare(path.pop(), [ast.Is()], [ast.Constant(None)]), instruction.argval, jumps_if, False)

    return meaning


def _return(code: Code, path: Path, instruction: dis.Instruction) -> None:
    _leave(path, path.pop())


def _return_const(code: Code, path: Path, instruction: dis.Instruction) -> None:
    _load_const(code, path, instruction)
    _leave(path, path.pop())


def _leave(path: Path, value: ast.expr) -> None:
    path.ended = True
    if not isinstance(value, ast.Constant) or value.value is not None:
        path.statements.append(ast.Return(value))
    elif not path.statements:
        # The end of a function without a `return` is the same code as `return None`.
        path.statements.append(ast.Pass())


_COMMON: dict[str, Meaning] = {
    "RESUME": _nothing, "NOP": _nothing, "EXTENDED_ARG": _nothing, "COPY_FREE_VARS": _nothing,
    "LOAD_FAST": _load_fast, "STORE_FAST": _store_fast, "LOAD_CONST": _load_const, "LOAD_GLOBAL": _load_global, "LOAD_DEREF": _load_outer,
    "PUSH_NULL": _push_null, "POP_TOP": _pop_top, "COPY": _copy, "SWAP": _swap,
    "BINARY_OP": _binary, "UNARY_NEGATIVE": _unary(ast.USub()), "UNARY_NOT": _unary(ast.Not()), "UNARY_INVERT": _unary(ast.Invert()),
    "COMPARE_OP": _compare, "IS_OP": _either(ast.Is(), ast.IsNot()), "CONTAINS_OP": _either(ast.In(), ast.NotIn()),
    "BUILD_SLICE": _slice, "BUILD_TUPLE": _tuple, "BUILD_LIST": _list, "LIST_EXTEND": _extend, "BUILD_MAP": _map, "BUILD_STRING": _build_string,
    "CALL": _call, "JUMP_FORWARD": _jump, "RETURN_VALUE": _return,
}  # fmt: skip
_SUBSCRIPT: dict[str, Meaning] = {"BINARY_SUBSCR": _subscript}
_KEYS: dict[str, Meaning] = {"BUILD_CONST_KEY_MAP": _map_of_keys}
_FORMATS: dict[str, Meaning] = {"FORMAT_VALUE": _format, "KW_NAMES": _keyword_names}
_JUMPS: dict[str, Meaning] = {
    "POP_JUMP_IF_TRUE": _fork(True), "POP_JUMP_IF_FALSE": _fork(False), "POP_JUMP_IF_NONE": _fork_none(True), "POP_JUMP_IF_NOT_NONE": _fork_none(False),
    "LOAD_ATTR": _load_attribute_or_method, "LOAD_FAST_CHECK": _load_fast, "BINARY_SLICE": _subscript_by_slice,
}  # fmt: skip
_PAIRS: dict[str, Meaning] = {
    "LOAD_FAST_LOAD_FAST": _load_two, "STORE_FAST_STORE_FAST": _store_two, "STORE_FAST_LOAD_FAST": _store_and_load, "CALL_KW": _call_with_names,
    "FORMAT_SIMPLE": _format_simple, "FORMAT_WITH_SPEC": _format_with,
    # What is decided by it is the truth of the value all the same, and what is negated too.
    "TO_BOOL": _nothing,
}  # fmt: skip

#: The instructions of each version of Python.
TABLES: dict[tuple[int, int], dict[str, Meaning]] = {
    (3, 11): {
        **_COMMON, **_SUBSCRIPT, **_KEYS, **_FORMATS,
        "PRECALL": _nothing, "LOAD_ATTR": _load_attribute, "LOAD_METHOD": _load_method, "UNARY_POSITIVE": _unary(ast.UAdd()),
        "POP_JUMP_FORWARD_IF_TRUE": _fork(True), "POP_JUMP_FORWARD_IF_FALSE": _fork(False),
        "POP_JUMP_FORWARD_IF_NONE": _fork_none(True), "POP_JUMP_FORWARD_IF_NOT_NONE": _fork_none(False),
        "JUMP_IF_TRUE_OR_POP": _fork_or_pop(True), "JUMP_IF_FALSE_OR_POP": _fork_or_pop(False),
    },
    (3, 12): {**_COMMON, **_SUBSCRIPT, **_KEYS, **_FORMATS, **_JUMPS, "RETURN_CONST": _return_const},
    (3, 13): {**_COMMON, **_SUBSCRIPT, **_KEYS, **_JUMPS, **_PAIRS, "RETURN_CONST": _return_const},
    (3, 14): {
        **_COMMON, **_JUMPS, **_PAIRS,
        "LOAD_SMALL_INT": _load_const, "LOAD_FAST_BORROW": _load_fast, "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _load_two, "NOT_TAKEN": _nothing,
    },
}  # fmt: skip
