"""Places for uploads: each takes a connection, a file and threads for as long as its client likes to send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from api.http.errors import Overloaded
from mapping.errors import RateLimited

RETRY_AFTER = 1.0
"""Seconds."""


class UploadPlaces:
    """The uploads under way, by organization, so that slow ones of one organization leave room for the others."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, organization_id: str, *, uploads: int, organization_uploads: int) -> Iterator[None]:
        """Take a place. Raises RateLimited where the organization has all of its own, Overloaded where there is none."""
        if self._taken[organization_id] >= organization_uploads:
            raise RateLimited("the organization has too many uploads under way", retry_after=RETRY_AFTER)
        if self._taken.total() >= uploads:
            raise Overloaded("too many uploads are under way", retry_after=RETRY_AFTER)
        self._taken[organization_id] += 1
        try:
            yield
        finally:
            self._taken[organization_id] -= 1
            self._taken += Counter()  # without those that have none
