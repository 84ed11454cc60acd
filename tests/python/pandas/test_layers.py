"""The packages of the pandas front end: which may import which, and what stands in one of them alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pandas

import airloom.pandas

ROOT = Path(airloom.pandas.__file__).parent
PAGE = Path(__file__).resolve().parents[3] / "ARCHITECTURE.md"

#: The packages from the bottom: each imports only itself and what stands above it here.
PACKAGES = (
    "refusals",
    "dtypes",
    "plan",
    "execution",
    "internals",
    "dispatch",
    "algorithms",
    "ops",
    "categorical",
    "strings",
    "indexing",
    "casting",
    "indexes",
    "datetimes",
    "udf",
    "reshape",
    "apply",
    "reductions",
    "methods",
    "groupby",
    "resample",
    "window",
    "files",
    "interface",
)
#: The package that compares dtypes for all others: pandas' `==` takes unordered categories in another order, whose codes differ, for the same.
HOME = "dtypes"
#: What is made of dtypes is a dtype.
MAKERS = frozenset(("find_common_type", "result_type", "maybe_promote", "pandas_dtype", "decided_dtype", "dtype"))


def test_every_package_has_its_layer() -> None:
    found = {package_of(path) for path in sources()}
    assert found == set(PACKAGES)
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", PAGE.read_text(encoding="utf-8").partition("## Packages")[2].partition("\n## ")[0], re.MULTILINE)
    assert rows == list(PACKAGES), "ARCHITECTURE.md has the same table"


def test_no_package_hides_a_module_of_pandas() -> None:
    hidden = [name for name in PACKAGES if hasattr(pandas, name)]
    assert not hidden, f"`airloom.pandas.{hidden}` is what users expect pandas' own module to be"


def test_packages_import_only_what_is_below_them() -> None:
    layers = {name: layer for layer, name in enumerate(PACKAGES)}
    upwards = []
    for path in sources():
        own = package_of(path)
        for line, module in imports(ast.parse(path.read_text())):
            other = module.removeprefix("airloom.pandas").strip(".").partition(".")[0]
            if other not in layers:
                # The package as a whole is what is on top.
                other = PACKAGES[-1]
            if layers[other] > layers[own]:
                upwards.append(f"{path.relative_to(ROOT)}:{line}: `{own}` imports `{module}`, which is above it")
    assert not upwards, "\n".join(upwards)


def test_the_search_finds_imports() -> None:
    for wrong in (
        "from airloom.pandas.interface.frame import DataFrame",
        "from airloom.pandas.interface import frame",
        "from airloom.pandas import interface",
        "import airloom.pandas.interface.frame",
        "def f():\n    from airloom.pandas.interface import frame",
        "if TYPE_CHECKING:\n    from airloom.pandas.interface import frame",
        "importlib.import_module('airloom.pandas.interface.frame')",
    ):
        assert any(module.startswith("airloom.pandas.interface") for _, module in imports(ast.parse(wrong))), wrong


def sources() -> list[Path]:
    """The modules that are in packages."""
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The modules of the front end that are imported anywhere in a file, or named in it as text, and the lines."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"airloom\.pandas\.[\w.]+", node.value):
            names = [node.value]
        yield from ((node.lineno, name) for name in names if name.startswith("airloom.pandas"))  # type: ignore[attr-defined]


def test_dtypes_are_compared_in_one_place() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}" for path in sources() if package_of(path) != HOME for line in _comparisons(ast.parse(path.read_text()))]
    assert not found, f"compared by `==`, or as members of a set, in place of `kinds.same`: {found}"


def test_the_search_finds_comparisons() -> None:
    for wrong in (
        "a.dtype == b.dtype",
        "a.dtype != dtype",
        "have = a.dtype\nhave == want",
        "have, want = a.dtype, b\nwant == have",
        "a.dtype in (b.dtype, types.INT64)",
        "{c.dtype for c in columns}",
        "{a.dtype, b.dtype}",
        "set(dtypes)",
        "{c.dtype: 1 for c in columns}",
        "common = find_common_type(x)\ncommon != y",
    ):
        assert list(_comparisons(ast.parse(wrong))), wrong
    for fine in ("a.dtype == types.INT64", "a.dtype in (types.INT64, np.float32)", "a.dtype.kind == b.dtype.kind", "a.dtype == object", "{c.dtype.kind for c in columns}"):
        assert not list(_comparisons(ast.parse(fine))), fine


def _comparisons(tree: ast.Module) -> Iterator[int]:
    """The lines on which dtypes are compared with others than constants, which have no categories, or are members of sets and keys of dicts."""
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda)))]:
        names = _names(scope)
        for node in ast.walk(scope):
            if _is_wrong(node, names):
                yield node.lineno  # type: ignore[attr-defined]


def _is_wrong(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return (_is_dtype(left, names) or _is_dtype(right, names)) and not _is_constant(left) and not _is_constant(right)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return _is_dtype(left, names) and not _is_constant(right)
    if isinstance(node, ast.SetComp):
        return _is_dtype(node.elt, names)
    if isinstance(node, ast.DictComp):
        return _is_dtype(node.key, names)
    if isinstance(node, ast.Set):
        return any(_is_dtype(item, names) for item in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset"):
        return any(isinstance(argument, ast.Name) and argument.id == "dtypes" for argument in node.args)
    return False


def _names(scope: ast.AST) -> set[str]:
    """Names that stand for dtypes within a function."""
    names = {"dtype"}
    while True:
        before = len(names)
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                    pairs = zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]  # type: ignore[attr-defined]
                    names.update(name.id for name, value in pairs if isinstance(name, ast.Name) and _is_dtype(value, names))
        if len(names) == before:
            return names


def _is_dtype(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "dtype"
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.IfExp):
        return _is_dtype(node.body, names) or _is_dtype(node.orelse, names)
    if isinstance(node, ast.Call):
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
        return name in MAKERS
    return False


def _is_constant(node: ast.AST) -> bool:
    """Whether this is a dtype of NumPy's or one without parameters, by its name."""
    if isinstance(node, ast.Attribute):
        return node.attr.isupper() or (isinstance(node.value, ast.Name) and node.value.id == "np")
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id in ("bool", "object")
    if isinstance(node, (ast.Tuple, ast.Set, ast.List)):
        return all(_is_constant(item) for item in node.elts)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and all(isinstance(argument, ast.Constant) for argument in node.args) and isinstance(node.func, ast.Attribute) and node.func.attr == "dtype")
