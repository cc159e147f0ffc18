"""What the sync is requested to do by whoever creates a liveblog from a match, or puts one on a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from mapping.documents.import_options import Confirm, ImportOptions, Withdrawn
from store.engine.unit import Unit
from store.following.sync import Attachment

SelectorKind = Literal["match", "phase", "overall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A checked createFromExternal request; what to leave out is empty unless posting is automatic."""

    organization_id: str
    client_id: str
    provider: str
    selector_kind: SelectorKind
    selector_id: str
    title: str | None
    locale: str
    text: bool
    auto_post: bool
    exclude_scoreboard: bool
    exclude_events: tuple[str, ...]
    idempotency_key: str | None = None
    idempotency_digest: str = ""
    """SHA-256 in hex of the body's meaning: equal for bodies that differ in spaces or the order of names alone."""
    declared_key: str | None = None
    """The key of a liveblog that the operator declared; there is at most one liveblog for it."""
    attach_to: str | None = None
    """The liveblog that the match is for, by `local_id` or `ticker_id`; without one it is created."""
    paused: bool = False
    withdrawn: Withdrawn | None = None
    """What goals that are taken back leave behind; None: as the organization has it."""
    editorial: bool = False
    """Whether the posts of a new liveblog wait until somebody publishes them."""
    confirm: Confirm | None = None
    """By how many sources a goal is confirmed; None: by one."""
    sources: Callable[[Unit, Attachment], bool] | None = None
    """Changes the sources of the match that a liveblog is put on, in the unit that does so; whether anything changed."""

    @classmethod
    def of_terms(
        cls,
        terms: ImportOptions,
        *,
        organization_id: str,
        client_id: str,
        provider: str,
        selector_kind: SelectorKind,
        selector_id: str,
        attach_to: str | None = None,
        paused: bool = False,
        sources: Callable[[Unit, Attachment], bool] | None = None,
    ) -> ImportRequest:
        """For a liveblog with these terms, without an `Idempotency-Key`; whether it is paused does not come from them."""
        return cls(
            organization_id=organization_id,
            client_id=client_id,
            provider=provider,
            selector_kind=selector_kind,
            selector_id=selector_id,
            attach_to=attach_to,
            paused=paused,
            sources=sources,
            title=terms.title,
            locale=terms.locale,
            text=terms.text,
            auto_post=terms.auto_post,
            exclude_scoreboard=terms.exclude_scoreboard,
            exclude_events=tuple(sorted(terms.exclude_events)),
            withdrawn=terms.withdrawn,
            confirm=terms.confirm,
        )


class StandbyRequest(NamedTuple):
    """A match at another provider, which is to stand by for a liveblog's own."""

    organization_id: str
    provider: str
    match_id: str


class FoundStandby(Protocol):
    """A match that is to stand by, once it was found."""

    def follow(self, unit: Unit, attachment: Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable and Conflict."""
