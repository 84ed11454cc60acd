"""Programs that showed a difference once: small files, which a test runs in every configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "kept"
#: What a file begins with.
IMPORTS = "import os\n\nimport numpy as np\nimport pandas as pd\n\n"
#: What says that a program still shows its difference, and why.
FAILS = "# fails: "


@dataclass(frozen=True)
class Kept:
    """A program that is kept."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def fails(self) -> str | None:
        """Why the program is expected to show a difference; nothing where it must not."""
        found = re.search(f"^{FAILS}(.*)$", self.text, re.MULTILINE)
        return found[1] if found else None


def kept() -> list[Kept]:
    return [Kept(path) for path in sorted(FOLDER.glob("*.py"))]


def keep(text: str, sort: str, seed: int) -> Path:
    """Writes a program that is small by now to a file of its own."""
    numbers = [int(one.path.name[:4]) for one in kept()]
    path = FOLDER / f"{max(numbers, default=0) + 1:04}-{sort.replace(' ', '-')}.py"
    path.write_text(f'"""Shows a difference in {sort}."""\n\n{IMPORTS}{text}')
    return path
