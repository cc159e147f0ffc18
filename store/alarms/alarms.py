"""Alarms: what is wrong is one row from its beginning to its end, whichever processes see it; a row waits to be announced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Index,
    Row,
    Select,
    Table,
    UniqueConstraint,
    or_,
    select,
    update,
)

from store.engine.columns import integer, json, metadata, text
from store.engine.liveblog_records import new_local_id
from store.engine.statements import delete_some, insert_new
from store.engine.unit import Unit

alarms = Table(
    "alarms",
    metadata,
    text("id", primary_key=True),
    text("kind"),
    text("name"),  # what it is about, among those of its kind
    text("open_name", nullable=True),  # the name as long as it lasts, then null
    text("message"),
    json("details"),
    Column("began_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("ended_at", Double),
    text("announced", nullable=True),  # the state that the configured address has taken: began or ended
    Column("try_at", Double, nullable=False),
    integer("tries"),
    Index(None, "ended_at"),
    UniqueConstraint("kind", "open_name"),  # what is wrong is wrong once, whichever processes see it
)


State = Literal["began", "ended"]

REFRESH = 10.0
"""Seconds between two notes that an alarm is still seen."""
STALE = 30.0
"""Seconds after which an alarm that nobody sees any more has ended."""
UNKNOWN = 600.0
"""Seconds after which an alarm ends that nobody sees any more, though nobody knows whether it is over."""
SHOWN = 200
"""Alarms that are read at once, of those that are open and of those that have ended."""
ANNOUNCED = 20
"""Announcements that one process takes up at once."""
FIRST_PAUSE, LONGEST_PAUSE = 15.0, 600.0
"""Seconds between tries of an announcement: each pause is twice the last one, up to the longest."""
GIVEN_UP = 86_400.0
"""Seconds after which an announcement that nobody has taken is left alone."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Something that is wrong now. `name` is the same as long as it is the same trouble; `message` is for people."""

    kind: str
    name: str
    message: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An alarm as it stands. Times are Unix seconds; `ended_at` is None while it lasts."""

    id: str
    kind: str
    name: str
    message: str
    details: Mapping[str, Any]
    began_at: float
    ended_at: float | None
    announced: str | None

    @property
    def unannounced(self) -> State:
        """What is to be announced next: the beginning before the end."""
        return "ended" if self.announced == "began" else "began"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an alarm ended: whether something is well again, and what there is to say of it, for people."""

    recovered: bool
    text: str


HowEnded = Callable[[Connection, Alarm], Ending | None]
"""How an alarm ended that this process does not see any more; None where that is not known."""


def not_said(_conn: Connection, _alarm: Alarm) -> Ending:
    """Stands for a function that says how an alarm ended, where there is none."""
    return Ending(recovered=True, text="")


@dataclass(frozen=True, slots=True)
class AlarmChanges:
    """What a note has changed, in all processes together."""

    began: tuple[Alarm, ...]
    ended: tuple[Alarm, ...]


def record(
    unit: Unit, observed: Collection[Observed], *, patience: float, how_ended: HowEnded = not_said
) -> AlarmChanges:
    """Note what this process sees now: what is new begins, and what no process has seen for `patience` seconds ends.

    One of which `how_ended` knows nothing goes on, until nobody has seen it for `UNKNOWN`.
    """
    known = {(row.kind, row.name): row for row in unit.conn.execute(_open())}
    seen = {(each.kind, each.name) for each in observed}
    began = [_begin(unit, each) for each in observed if (each.kind, each.name) not in known]
    for key in seen & known.keys():
        if known[key].seen_at < unit.now - REFRESH:
            _set(unit, known[key].id, seen_at=unit.now)
    ended = [_end(unit, known[key], how_ended, patience) for key in known.keys() - seen]
    return AlarmChanges(tuple(filter(None, began)), tuple(filter(None, ended)))


def is_quiet(conn: Connection) -> bool:
    """Whether no alarm is open, so that a process that sees nothing wrong has nothing to note."""
    return conn.execute(_open().limit(1)).first() is None


def list_alarms(conn: Connection, *, ended_since: float) -> list[Alarm]:
    """Open alarms, then those that have ended since, the newest first; at most `SHOWN` of each."""
    still = _open().order_by(alarms.c.began_at.desc()).limit(SHOWN)
    over = select(alarms).where(alarms.c.ended_at >= ended_since).order_by(alarms.c.ended_at.desc()).limit(SHOWN)
    return [_alarm(row) for query in (still, over) for row in conn.execute(query)]


def is_due(conn: Connection, *, now: float) -> bool:
    """Whether an announcement is due, so that a process that finds none writes nothing."""
    return conn.execute(_due(now).limit(1)).first() is not None


def to_announce(unit: Unit) -> list[Alarm]:
    """Take up announcements that are due; no other process takes them before their next try."""
    due = _due(unit.now).order_by(alarms.c.began_at).limit(ANNOUNCED).with_for_update(skip_locked=True)
    taken = unit.conn.execute(due).all()
    for row in taken:
        pause = min(FIRST_PAUSE * 2**row.tries, LONGEST_PAUSE)
        _set(unit, row.id, try_at=unit.now + pause, tries=min(row.tries + 1, 10))
    return [_alarm(row) for row in taken]


def note_announced(unit: Unit, alarm: Alarm) -> None:
    """Note that the address has taken what was `unannounced` of it."""
    _set(unit, alarm.id, announced=alarm.unannounced, try_at=unit.now, tries=0)


def purge(unit: Unit, *, before: float, limit: int = 500) -> int:
    """Forget alarms that ended before this, `limit` of them; how many there were."""
    return delete_some(unit.conn, alarms, alarms.c.ended_at < before, limit=limit)


def _open() -> Select[Any]:
    return select(alarms).where(alarms.c.ended_at.is_(None))


def _due(now: float) -> Select[Any]:
    waiting = or_(alarms.c.announced.is_(None), (alarms.c.announced == "began") & alarms.c.ended_at.is_not(None))
    recent = or_(alarms.c.ended_at.is_(None), alarms.c.ended_at > now - GIVEN_UP)
    return select(alarms).where(waiting, recent, alarms.c.try_at <= now)


def _end(unit: Unit, row: Row[Any], how_ended: HowEnded, patience: float) -> Alarm | None:
    """End what is over; of several processes one does. It was seen last within `REFRESH` of the note of it."""
    if row.seen_at > unit.now - patience:
        return None
    ending = how_ended(unit.conn, _alarm(row))
    if ending is None and row.seen_at > unit.now - UNKNOWN:
        return None
    ending = ending or Ending(recovered=False, text="nobody sees it any more")
    ended_at = min(unit.now, row.seen_at + REFRESH) if patience else unit.now
    details = {**row.details, "recovered": ending.recovered, **({"end": ending.text} if ending.text else {})}
    over = {"ended_at": ended_at, "open_name": None, "try_at": unit.now, "details": details}
    return _alarm(row, ended_at=ended_at, details=details) if _set(unit, row.id, **over) else None


def _begin(unit: Unit, observed: Observed) -> Alarm | None:
    """The alarm, or None where another process was first."""
    said = {name: getattr(observed, name) for name in Observed.__slots__}
    begun: dict[str, Any] = {"id": new_local_id("a"), "began_at": unit.now, "ended_at": None, "announced": None}
    more = {"open_name": observed.name, "seen_at": unit.now, "try_at": unit.now, "tries": 0}
    return Alarm(**said, **begun) if insert_new(unit.conn, alarms, **said, **begun, **more) else None


def _set(unit: Unit, alarm_id: str, **values: Any) -> bool:
    """Change an alarm; one that is ended is ended once."""
    where = alarms.c.id == alarm_id
    if "ended_at" in values:
        where &= alarms.c.open_name.is_not(None)
    return bool(unit.conn.execute(update(alarms).where(where).values(values)).rowcount)


def _alarm(row: Row[Any], **changes: Any) -> Alarm:
    values = {name: getattr(row, name) for name in Alarm.__dataclass_fields__}
    return Alarm(**values | changes)
