"""Which parameters of a long table a bounded run takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def sampled(values: Iterable[Any], long: Callable[[Any], bool]) -> list[Any]:
    """All values as parameters; `make soak` alone takes the `long` ones, whose kind the others represent."""
    return [pytest.param(value, marks=pytest.mark.soak) if long(value) else value for value in values]
