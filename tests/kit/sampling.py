"""Which parameters of a long table a bounded run takes."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

TWINS = ("2226833", "2415987", "2416108")
"""Recorded soccer matches in which nothing happens that no other one has."""


IN_SOAK = 100
"""Examples of a property that says nothing else, in `make soak`."""


def is_twin(name: Any) -> bool:
    """Whether the path or name is that of a match whose like a proof plays anyway."""
    return any(each in str(name) for each in TWINS)


def in_proof(name: Any) -> Any:
    """The mark of a recording that is not played in every run."""
    return pytest.mark.soak if is_twin(name) else pytest.mark.proof


def sampled(values: Iterable[Any], long: Callable[[Any], bool]) -> list[Any]:
    """All values as parameters; `make soak` alone takes the `long` ones, whose kind the others represent."""
    return [pytest.param(value, marks=pytest.mark.soak) if long(value) else value for value in values]


def examples(in_soak: int) -> int:
    """`in_soak` there, and the profile's part of it in a bounded run."""
    return in_soak * settings.default.max_examples // IN_SOAK
