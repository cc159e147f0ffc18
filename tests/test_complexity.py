"""No function branches so much that nobody can say what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from radon.complexity import cc_visit
from radon.visitors import Function

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ingest", "providers", "mapping", "store", "api", "config", "tools", "bench")
MOST = 10
"""Radon's grade B ends here. It counts `and`, `or` and comprehensions too, which ruff's C901 does not."""
CALM = ("mapping/confirm.py", "ingest/sync/apply_match.py", "ingest/sync/apply_snapshot.py", "ingest/sync/follower.py")
"""What a match's answers go through: here a function has fewer branches still."""
MOST_CALM = 7


def complexities(source):
    """Cyclomatic complexity of each function, those within functions and classes too."""
    found = [block for block in cc_visit(source) if isinstance(block, Function)]
    return {f"{each.fullname}:{each.lineno}": each.complexity for each in found}


def too_complex(*paths, most):
    return {
        f"{path.relative_to(ROOT)}:{name}": complexity
        for path in paths
        for name, complexity in complexities(path.read_text(encoding="utf-8")).items()
        if complexity > most
    }


def test_no_function_is_above_ten():
    """Every function of the product, its tools and benchmarks stays within radon's grade B."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]

    assert len(paths) > 300
    assert too_complex(*paths, most=MOST) == {}


def test_the_path_of_an_answer_is_simpler_still():
    """What is believed of a match, and how it gets into liveblogs, is made of small functions."""
    assert too_complex(*(ROOT / name for name in CALM), most=MOST_CALM) == {}


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n" + "".join(f"    if x == {n}: return {n}\n" for n in range(10)),
        "class C:\n    def f(self, x):\n        return " + " or ".join(["x"] * 11),
        "async def f(x):\n    return " + " + ".join(["[y for y in x]"] * 10),
    ],
)
def test_a_function_of_eleven_would_be_found(source):
    """Branches, boolean operators and comprehensions count, in functions, methods and coroutines."""
    assert [11] == list(complexities(source).values())
