"""The requests that the sync takes from whoever creates a liveblog from a match, or puts one on a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from mapping.documents.import_options import ImportOptions
from store.engine.unit import Unit
from store.following.follow_rows import Attachment

SelectorKind = Literal["match", "phase", "overall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A checked createFromExternal request; what to leave out only counts where posting is automatic."""

    organization_id: str
    client_id: str
    provider: str
    selector_kind: SelectorKind
    selector_id: str
    terms: ImportOptions
    """What is wished for; of which sport nobody knows before the match is fetched."""
    idempotency_key: str | None = None
    idempotency_digest: str = ""
    """SHA-256 in hex of the body's meaning: equal for bodies that differ in spaces or the order of names alone."""
    declared_key: str | None = None
    """The key of a liveblog that the operator declared; there is at most one liveblog for it."""
    attach_to: str | None = None
    """The liveblog that the match is for, by `local_id` or `ticker_id`; without one it is created."""
    editorial: bool = False
    """Whether the posts of a new liveblog wait until somebody publishes them."""
    tags: tuple[str, ...] = ()
    """Labels of a new liveblog."""
    claim: Callable[[Unit, Attachment], None] | None = None
    """Notes in the unit for whom the liveblog is created. Raises Conflict where it must not be."""
    sources: Callable[[Unit, Attachment], bool] | None = None
    """Changes the sources of the match that a liveblog is put on, in the unit that does so; whether anything changed."""


class StandbyRequest(NamedTuple):
    """A match at another provider, which is to stand by for a liveblog's own."""

    organization_id: str
    provider: str
    match_id: str


class FoundStandby(Protocol):
    """A match that is to stand by, once it was found."""

    def follow(self, unit: Unit, attachment: Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable and Conflict."""
