"""The behaviour of Global Sports Data, Lookup v1, as far as public material shows it; the shapes of most responses are assumed.

Addresses, the language of dates and the key in the query are documented, what answers hold is what
`providers/gn_gsd/names.py` assumes.
"""

import hmac
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from providers.replay.moved_dates import Move

PATH = re.compile(r"(?:/[^/]+)*?/(?P<key>(?P<family>matches|phases|overalls)/[^/]+)(?:/(?P<part>lineups|actions))?/?")
KINDS = {"matches": "match", "phases": "phase", "overalls": "overall"}
"""Family of addresses → name of the resource; `lineups` and `actions` are called as their last segment."""

BEFORE_FIRST: Mapping[str, bytes | None] = {
    "match": None,
    "phase": None,
    "overall": None,
    "lineups": None,
    "actions": b'{"actions":[]}',
}
"""What a resource of a known match answers before it exists; None = 404."""

NOT_FOUND = b'{"status":404,"error":"Not Found"}'
RUNNING = frozenset({"startTimeUTC", "currentPeriodStartTimeUTC"})
"""Where consumers count from: the start of the running period."""

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)


class Address(NamedTuple):
    """The resource that a path names; `match_id` is the path of what the recording is about (`matches/123`, `phases/9`)."""

    kind: str
    match_id: str


def address(path: str) -> Address | None:
    """The resource that a path names, below any prefix and with or without a trailing slash."""
    found = PATH.fullmatch(path)
    return None if found is None else Address(found["part"] or KINDS[found["family"]], found["key"])


def speaks(match_id: str) -> bool:
    """Whether a recording with this id is one of this provider's."""
    return address(f"/{match_id}") is not None


def is_admitted(wanted: str | None, given: str | None) -> bool:
    """Whether the key in the query opens the door; without a wanted one every door is open."""
    return wanted is None or (given is not None and hmac.compare_digest(given.encode(), wanted.encode()))


def kickoff_of(body: Any) -> datetime | None:
    """The scheduled start in a response, in an envelope or without."""
    if not isinstance(body, dict):
        return None
    inner = next((body[kind] for kind in KINDS.values() if isinstance(body.get(kind), dict)), body)
    info = inner.get("dateAndTimeInfo")
    start = info.get("scheduledStartTimeUTC") if isinstance(info, dict) else None
    return _instant(start) if isinstance(start, str) else None


def schedule(bodies: Iterable[Any], begin: str, end: str) -> dict[str, Any]:
    """The matches that begin from one instant to another, both as the query writes them; all where it does not."""
    first, last = _instant(begin), _instant(end)
    found = [body for body in bodies if isinstance(body, dict)]
    rows = [body["match"] if isinstance(body.get("match"), dict) else body for body in found]
    starts = [kickoff_of(row) for row in rows]
    within = [
        start is None or ((first is None or first <= start) and (last is None or start < last)) for start in starts
    ]
    return {"matches": [row for row, is_within in zip(rows, within, strict=True) if is_within]}


def move_dates(body: Any, move: Move, running: Move) -> Any:
    """A copy of `body` with every moment of the play moved; days without a time (birthdays) stay what they are."""
    if isinstance(body, list):
        return [move_dates(item, move, running) for item in body]
    if isinstance(body, dict):
        return {key: move_dates(value, running if key in RUNNING else move, running) for key, value in body.items()}
    instant = _instant(body) if isinstance(body, str) else None
    return body if instant is None else write_instant(move(instant))


def write_instant(instant: datetime) -> str:
    """An instant as the provider writes it."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _instant(text: str) -> datetime | None:
    """ISO 8601, in UTC where no zone is given; None for any other text."""
    if MOMENT.fullmatch(text) is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
