"""A setting keeps its name from `config/default.toml` to the code that uses it, so that a search for it finds its way."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from config.shape import FILE_SUFFIX
from tests.config.test_default_file import documented, known_as

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("ingest", "providers", "mapping", "store", "api")
HANDING_ON = {"ingest/daemon/build.py", "ingest/daemon/run.py", "ingest/daemon/endpoints.py"}
"""Modules that hand settings on: a name that ends there is lost."""
JOINED = {"previous_secret": "config/parties.py joins it with `secret` in `Client.secrets`"}


def keys():
    """The last part of each key that the file documents; what names a secret's file ends in config/."""
    found = {next(part for part in reversed(path) if part != "*") for path, _ in known_as(documented())}
    return sorted(key for key in found - JOINED.keys() if not key.endswith(FILE_SUFFIX))


@functools.cache
def identifiers():
    """Names, attributes, arguments and keywords of the product's code that uses settings."""
    found = set()
    for folder in PRODUCT:
        for path in (ROOT / folder).rglob("*.py"):
            if str(path.relative_to(ROOT)) not in HANDING_ON:
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    found |= {getattr(node, field, None) for field in ("id", "attr", "arg")}
    return {name for name in found if isinstance(name, str)}


@pytest.mark.parametrize("key", keys())
def test_a_setting_keeps_its_name_to_the_place_that_uses_it(key):
    """Some identifier beyond config/ and the composition root is the key, or ends with it (`webhooks_per_organization`)."""
    assert any(name == key or name.endswith(f"_{key}") for name in identifiers()), f"{key} is used under another name"
