"""The code in the guide, and on the first page, works as it stands there."""

import linecache
import re
from pathlib import Path

import airloom
import pytest

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "python").glob("*.md"))


def blocks(page: Path) -> str:
    """The code of a page, each line where it stands, so that errors name the page's line."""
    lines: list[str] = []
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines)


def test_there_are_pages() -> None:
    assert {page.stem for page in PAGES} >= {"backends", "options", "programs", "rules", "running"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_the_guide_works(page: Path) -> None:
    text = blocks(page)
    # Functions that are compiled are read as they stand, which is in no file of Python's.
    name = f"<{page.name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    code = compile(text, name, "exec")
    exec(code, {"__name__": f"guide_{page.stem}"})


def test_the_examples_of_the_first_page_work(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGES[0].parents[2] / "README.md"
    test_code_of_the_guide_works(page)
    said = capsys.readouterr().out
    # The oracle makes what it computes of values of its own.
    if not airloom.options.oracle:
        assert "3 parts, 2 arrays pass between them without a copy" in said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_the_guide_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"
