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
