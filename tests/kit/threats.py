"""How the table of threats names its tests."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.kit.repository import ROOT

NODE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[[^\]`]*\])?`")


@cache
def names_in(path):
    """Names of the tests in a file, without those of classes."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8")) if (ROOT / path).is_file() else ast.Module([], [])
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
