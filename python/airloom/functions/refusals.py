"""Why a part of a function is not compiled."""

from __future__ import annotations

import ast


class NotCompiled(Exception):
    """A part of a function that Python runs: the reason, where it stands, and what would be compiled."""

    def __init__(self, reason: str, node: ast.AST | None = None, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node
        self.hint = hint

    def at(self, node: ast.AST) -> NotCompiled:
        """The same, at a node, where it has none yet."""
        if self.node is None and hasattr(node, "lineno"):
            self.node = node
        return self


#: What people call the forms of statements and expressions.
_WORDS: dict[str, str] = {
    "List": "a list", "Dict": "a dictionary", "Set": "a set", "ListComp": "a list comprehension", "DictComp": "a dictionary comprehension",
    "SetComp": "a set comprehension", "GeneratorExp": "a generator expression", "JoinedStr": "an f-string", "Lambda": "`lambda`", "NamedExpr": "`:=`", "Starred": "`*`",
    "For": "a `for` loop", "While": "a `while` loop", "If": "`if`", "IfExp": "a conditional expression", "Call": "a call", "Tuple": "a tuple", "BoolOp": "`and` or `or`", "Compare": "a comparison",
    "Assign": "an assignment", "AnnAssign": "an annotation", "AugAssign": "`+=` or its like", "Return": "`return`", "Raise": "`raise`", "Assert": "`assert`", "Pass": "`pass`", "Expr": "an expression as a statement",
    "Slice": "a slice", "Attribute": "an attribute", "Subscript": "a subscript", "Await": "`await`", "Yield": "`yield`", "YieldFrom": "`yield from`",
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "Delete": "`del`", "Global": "`global`", "Nonlocal": "`nonlocal`", "Import": "`import`", "ImportFrom": "`import`",
    "FunctionDef": "a function defined inside", "ClassDef": "a class defined inside", "Match": "`match`", "In": "`in`", "NotIn": "`not in`", "Is": "`is`", "IsNot": "`is not`",
}


def form_of(node: ast.AST) -> str:
    """What people call a form of Python's."""
    name = type(node).__name__
    return _WORDS.get(name, f"`{name}`")
