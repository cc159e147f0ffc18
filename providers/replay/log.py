"""The requests to a replay, so that a test can say how a client behaves and a person can see that it polls."""

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request that was answered, or left hanging (status 0)."""

    at: float
    """Unix seconds."""
    elapsed: float
    """Virtual seconds since the start of the replay."""
    method: str
    path: str
    status: int
    kind: str | None = None
    match_id: str | None = None
    etag_match: bool = False
    """The client knew the answer already."""
    user: str | None = None
    """The name given with HTTP Basic; the password is never kept."""
    fault: str | None = None
    index: int | None = None
    """Which recorded answer was shown, counted over all matches."""


class Log:
    """The latest requests, oldest first; what no longer fits is forgotten but stays counted."""

    def __init__(self, size: int = 1000) -> None:
        self._kept: deque[Request] = deque(maxlen=size)
        self.total = 0

    def add(self, request: Request) -> None:
        self._kept.append(request)
        self.total += 1

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        self._kept.clear()
        self.total = 0
