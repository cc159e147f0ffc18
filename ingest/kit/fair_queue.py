"""A queue in which organizations take turns, and the keys of one organization among themselves."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def anybody(_: str) -> bool:
    """Every organization may be served."""
    return True


class FairQueue(Generic[T]):
    """Round robin: the next item is one of the organization, and there of the key, that was served longest ago.

    However much one organization has queued, another one waits for one item of each organization before it. Adding and
    taking are O(1); only organizations that may not be served at the moment are passed over one by one.
    """

    def __init__(self) -> None:
        self._organizations: OrderedDict[str, OrderedDict[str, deque[T]]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._organizations)

    def add(self, organization: str, key: str, item: T) -> None:
        """Queue `item`. Items of the same key are taken in the order in which they were added."""
        self._organizations.setdefault(organization, OrderedDict()).setdefault(key, deque()).append(item)

    def take(self, may: Callable[[str], bool] = anybody) -> T | None:
        """The next item of an organization that `may` be served; None where nothing is queued for any of them."""
        organization = next(filter(may, self._organizations), None)
        if organization is None:
            return None
        keys = self._organizations[organization]
        key = next(iter(keys))
        item = keys[key].popleft()
        keys.move_to_end(key)
        self._organizations.move_to_end(organization)
        self._forget(organization, key)
        return item

    def remove(self, organization: str, key: str, item: T) -> None:
        """Take `item` out, if it is still there."""
        keys = self._organizations.get(organization)
        items = keys.get(key) if keys else None
        if items and item in items:
            items.remove(item)
            self._forget(organization, key)

    def _forget(self, organization: str, key: str) -> None:
        """Keep nothing of a key, or of an organization, that has nothing queued."""
        keys = self._organizations[organization]
        if not keys[key]:
            del keys[key]
        if not keys:
            del self._organizations[organization]
