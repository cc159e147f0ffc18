"""Liveblogs and posts as the tables hold them, what is written of them, and the ids and keys that new records get."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mapping.documents.scalars import LocalStatus, liveblog_is_public, post_is_public
from mapping.rules.rich_text import isolate
from store.engine.errors import UnreadableRow

GAME_COLUMNS = frozenset(
    {
        "_type",
        "local_id",
        "ticker_id",
        "organization_id",
        "external_id",
        "version",
        "local_status",
        "sportstype",
        "template_id",
        "created_at",
        "updated_at",
        "events",
    }
)
"""Fields of a game's JSON that are not part of its stored document."""

EVENT_COLUMNS = frozenset(
    {"_type", "local_id", "version", "local_status", "sort", "user_id", "created_at", "updated_at", "publish_at"}
)
"""Fields of an event's JSON that are not part of its stored document."""


ALPHABET = string.ascii_lowercase + string.digits
LOCAL_LENGTH = 20
KEY_BYTES = 24
LETTERS = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
UNFAIR = bytes(range(256 - 256 % len(ALPHABET), 256))
"""Bytes beyond the last whole round of the alphabet; with them its first letters would come more often."""


class StoredGame(NamedTuple):
    """A liveblog without its events, in the order of its table's columns.

    `serial`: of the event created last; `title`: what lists and pages show. `previous_starts_at`: the planned start that
    readers knew first, where it was moved before the match began.
    """

    id: str
    local_id: str
    organization_id: str
    external_id: str | None
    version: int
    local_status: int
    sportstype: str
    template_id: str
    title: str
    starts_at: int | None
    created_at: int
    updated_at: int
    serial: int
    document: dict[str, Any]
    previous_starts_at: int | None = None

    @property
    def public(self) -> bool:
        """Whether readers see it."""
        return liveblog_is_public(self.local_status)

    def as_document(self) -> dict[str, Any]:
        """The `Svc::Model::Game` JSON, references as they are stored."""
        external = {} if self.external_id is None else {"external_id": self.external_id}
        return {
            "_type": "Svc::Model::Game",
            "local_id": self.local_id,
            "ticker_id": self.id,
            "organization_id": self.organization_id,
            **external,
            "version": self.version,
            "local_status": self.local_status,
            "sportstype": self.sportstype,
            "template_id": self.template_id,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            **self.document,
        }


class StoredEvent(NamedTuple):
    """A post, in the order of its table's columns.

    `publish_at` is set while it waits for its time, and only writers see it then. `written_at`: when it was written last,
    also where `updated_at` says something else.
    """

    local_id: str
    game_id: str
    serial: int
    sort: str
    local_status: int
    created_at: int
    updated_at: int
    publish_at: int | None
    version: int
    user_id: str
    document: dict[str, Any]
    written_at: int = 0

    @property
    def public(self) -> bool:
        """Whether readers of its liveblog see it."""
        return post_is_public(self.local_status, self.publish_at)

    def rewritten(self, **changes: Any) -> EventWrite:
        """The event as it stands, with these fields of `EventWrite` changed: whoever rewrites one goes this way."""
        as_it_stands = EventWrite(
            local_id=self.local_id,
            document=self.document,
            created_at=self.created_at,
            local_status=self.local_status,
            updated_at=None,
            publish_at=self.publish_at,
            user_id=self.user_id or "",
        )
        return replace(as_it_stands, **changes)

    def as_document(self) -> dict[str, Any]:
        """The `Svc::Model::Event` JSON."""
        waiting = {} if self.publish_at is None else {"publish_at": self.publish_at}
        return {
            "_type": "Svc::Model::Event",
            "local_id": self.local_id,
            "version": self.version,
            "local_status": self.local_status,
            "sort": self.sort,
            "user_id": self.user_id,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            **waiting,
            **self.document,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWrite:
    """An event as it shall be: the whole document, of which the columns' fields are ignored in favour of those here.

    `updated_at` None means the instant of the unit. Nothing has a default, so that nothing of a stored event is forgotten:
    one that is there is `StoredEvent.rewritten`.
    """

    local_id: str
    document: Mapping[str, Any]
    created_at: int
    local_status: int
    updated_at: int | None
    publish_at: int | None
    user_id: str

    @classmethod
    def new(
        cls,
        *,
        local_id: str,
        document: Mapping[str, Any],
        created_at: int,
        local_status: int = LocalStatus.PUBLISHED,
        publish_at: int | None = None,
        user_id: str = "",
    ) -> EventWrite:
        """An event that is not there yet, public at once where nothing else is said."""
        return cls(
            local_id=local_id,
            document=document,
            created_at=created_at,
            local_status=local_status,
            updated_at=None,
            publish_at=publish_at,
            user_id=user_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a liveblog: `game` and `local_status` where they change, `events` created or replaced, in order.

    A new `sportstype` is that of the template too, where the template is a sport.
    """

    game: Mapping[str, Any] | None = None
    events: tuple[EventWrite, ...] = ()
    local_status: int | None = None
    sportstype: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """A liveblog to be created, with its first events. `local_status` of a new game is 0 (published)."""

    id: str
    local_id: str
    organization_id: str
    sportstype: str
    template_id: str
    document: Mapping[str, Any] = field(default_factory=dict)
    external_id: str | None = None
    events: tuple[EventWrite, ...] = ()


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Raise what goes wrong in reading stored values as UnreadableRow; `what` names table, column and key."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        cause = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UnreadableRow(f"{what}: {cause}") from error


def check_document(record: StoredGame | StoredEvent) -> None:
    """Raise UnreadableRow for a liveblog or event whose document is no JSON object."""
    table = "games" if isinstance(record, StoredGame) else "events"
    if not isinstance(record.document, dict):
        raise UnreadableRow(f"{table}.doc of {record.local_id}: no object")


def without(document: Mapping[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    """The part of `document` that is stored as one."""
    return {key: value for key, value in document.items() if key not in columns}


def sort_key(created_at: int, serial: int) -> str:
    """`created_at` as 16 hex digits and the serial as eight, so that the order by bytes is total.

    A time before 1970 begins with a minus sign and counts up from 2^60 seconds before it.
    """
    time = f"{created_at:016x}" if created_at >= 0 else f"-{created_at + (1 << 60):015x}"
    return f"{time}{serial:08x}"


def title_of(document: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """`meta_info.title`, else home and away with a dash. `names`: by `_id`, for teams that are bare references."""
    meta = document.get("meta_info") or {}
    if meta.get("title"):
        return str(meta["title"])
    teams = [str(team.get("name") or names.get(str(team.get("_id"))) or "") for team in teams_of(document)]
    return " – ".join(map(isolate, teams)) if all(teams) else next(filter(None, teams), "")


def teams_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The home and the away team as the meta info names them, else as the scoreboard does."""
    meta, board = document.get("meta_info") or {}, document.get("scoreboard") or {}
    pairs = ((meta.get(side) or board.get(side)) for side in ("home_team", "away_team"))
    return [team if isinstance(team, dict) else {} for team in pairs]


def stamp_media(document: dict[str, Any], before: Mapping[str, Any], version: int) -> dict[str, Any]:
    """`document` with `version` on each of its media that is new or other than in `before`."""
    media = document.get("media")
    if not media:
        return document
    known = {item.get("local_id"): item for item in before.get("media") or ()}

    def stamped(item: Mapping[str, Any]) -> dict[str, Any]:
        stood = known.get(item.get("local_id"), {})
        same = {**stood, "version": None} == {**item, "version": None}
        return {**item, "version": stood.get("version", version) if same else version}

    return {**document, "media": [stamped(item) for item in media]}


def new_object_id(now: float) -> str:
    """24 lower-case hex digits: the second in the first eight, 64 random bits behind. `now` in Unix seconds."""
    return f"{int(now) & 0xFFFFFFFF:08x}{secrets.token_hex(8)}"


def new_key() -> str:
    """A key that nobody can guess, as files are named by one (`store.files.storage`)."""
    return secrets.token_urlsafe(KEY_BYTES)


def new_local_id(letter: str) -> str:
    """`letter` (g game, e event, m media, b block) and 20 random lower-case letters or digits."""
    letters = b""
    while len(letters) < LOCAL_LENGTH:  # once, as good as always
        letters = secrets.token_bytes(2 * LOCAL_LENGTH).translate(LETTERS, UNFAIR)
    return letter + letters[:LOCAL_LENGTH].decode("ascii")
