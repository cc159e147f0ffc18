"""How many examples a property draws that needs more than the profile's."""

from hypothesis import settings

IN_SOAK = 100
"""Examples of a property that says nothing else, in `make soak`."""


def examples(in_soak: int) -> int:
    """`in_soak` there, and the profile's part of it in a bounded run."""
    return in_soak * settings.default.max_examples // IN_SOAK
