"""The ledger: what the sync has written into a liveblog, one row for each post and one for the liveblog itself.

It is the ledger of liveblog and match: a liveblog that is taken off its match keeps it, and goes on with it when it is put
on the same match again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Select, Text, bindparam, delete, func, select, update

from mapping.posts.merge import Document
from mapping.posts.reconcile import Entry, State
from store.engine.liveblog_records import reading
from store.engine.statements import Among, CompiledQuery, TableWrite, upsert, write_batch
from store.engine.unit import Unit
from store.tables import attachments, ledger

GAME_KEY = "game"
"""The key of the row of the liveblog itself: scoreboard, state, squads, names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """What became of one wanted post. `state`: a `State`; `written`: what the sync needs to know of it."""

    key: str
    kind: str
    state: str
    local_id: str | None = None
    reason: str = ""
    written: Mapping[str, Any] = field(default_factory=dict)


_COLUMNS = [column for column in ledger.c if column.name not in {"game_id", "follow_id"}]
_HERE = select(attachments.c.follow_id).where(attachments.c.game_id == bindparam("game_id"))
_SCOPE = (
    ledger.c.game_id == bindparam("game_id"),
    ledger.c.follow_id == func.coalesce(bindparam("follow_id", type_=Text), _HERE.scalar_subquery(), ""),
)
"""The rows of a liveblog and one match: by default the one that it is on."""
_ALL = CompiledQuery(select(*_COLUMNS).where(*_SCOPE))
_SOME = CompiledQuery(select(*_COLUMNS).where(*_SCOPE, Among(ledger.c.key, "keys")))
_OF_POSTS = CompiledQuery(select(*_COLUMNS).where(*_SCOPE, Among(ledger.c.local_id, "local_ids")))
_MATCH = CompiledQuery(_HERE)
_KEYS = CompiledQuery(select(ledger.c.key).where(*_SCOPE).order_by(ledger.c.key))


def rows(
    conn: Connection, game_id: str, *, only: Collection[str] | None = None, follow_id: str | None = None
) -> dict[str, LedgerRow]:
    """The liveblog's ledger by key, or the rows of these keys: of the match that it is on, or of `follow_id`."""
    scope = {"game_id": game_id, "follow_id": follow_id}
    if only is None:
        return {row["key"]: LedgerRow(**row) for row in _ALL.mappings(conn, **scope)}
    found = _SOME.mappings(conn, **scope, keys=sorted(only)) if only else []
    return {row["key"]: LedgerRow(**row) for row in found}


def rows_of_posts(
    conn: Connection, game_id: str, local_ids: Collection[str], *, follow_id: str | None = None
) -> list[LedgerRow]:
    """The rows of these posts, by their `local_id`s."""
    scope = {"game_id": game_id, "follow_id": follow_id}
    found = _OF_POSTS.mappings(conn, **scope, local_ids=sorted(local_ids)) if local_ids else []
    return [LedgerRow(**row) for row in found]


def keys(conn: Connection, game_id: str) -> tuple[str, ...]:
    """The keys of the liveblog's ledger of the match that it is on, sorted."""
    return tuple(key for (key,) in _KEYS.all(conn, game_id=game_id, follow_id=None))


def matches_of(game_id: str) -> Select[tuple[str]]:
    """The follows of the matches of which the liveblog has a ledger, those too that it is on no more."""
    return select(ledger.c.follow_id).where(ledger.c.game_id == game_id)


def save(
    unit: Unit,
    game_id: str,
    changed: Iterable[LedgerRow],
    *,
    follow_id: str | None = None,
    beside: Sequence[TableWrite] = (),
) -> None:
    """Insert or replace these rows of the match that the liveblog is on, or of `follow_id`; all others stay.

    `beside`: rows of other tables that are written with them.
    """
    by_key = {row.key: row for row in changed}
    values = [{name: getattr(row, name) for name in LedgerRow.__slots__} for row in by_key.values()]
    if values or beside:
        of_match = {"game_id": game_id, "follow_id": _here(unit.conn, game_id) if follow_id is None else follow_id}
        write_batch(unit.conn, upsert(ledger, [{**of_match, **each} for each in values]), list(beside))


def rename(unit: Unit, game_id: str, keys: Mapping[str, str]) -> None:
    """Have rows of the match that the liveblog is on stand under other keys: `keys` is new key → old key.

    Under none of the new keys is there a row. The blocks of a post are named by its first key for good.
    """
    known = rows(unit.conn, game_id, only=set(keys.values()))
    moved = [
        replace(known[old], key=new, written={"block_key": old, **known[old].written})
        for new, old in keys.items()
        if old in known
    ]
    follow_id = _here(unit.conn, game_id)
    of_match = (ledger.c.game_id == game_id, ledger.c.follow_id == follow_id)
    unit.conn.execute(delete(ledger).where(*of_match, ledger.c.key.in_(known)))
    save(unit, game_id, moved, follow_id=follow_id)


def _here(conn: Connection, game_id: str) -> str:
    row = _MATCH.first(conn, game_id=game_id)
    return "" if row is None else str(row[0])


def move(unit: Unit, game_id: str, before: str, after: str) -> None:
    """Have the rows of one match count for the same match of another endpoint, where those go before what is there."""
    of_liveblog = ledger.c.game_id == game_id
    moving = select(ledger.c.key).where(of_liveblog, ledger.c.follow_id == before)
    unit.conn.execute(delete(ledger).where(of_liveblog, ledger.c.follow_id == after, ledger.c.key.in_(moving)))
    unit.conn.execute(update(ledger).where(of_liveblog, ledger.c.follow_id == before).values(follow_id=after))


def begin(unit: Unit, game_id: str, document: Document) -> None:
    """Begin the ledger of the match that the liveblog is on: the sync counts as who wrote these parts of its document.

    The provider's last word on them is that of this match alone, whatever matches the liveblog was on before.
    """
    unit.conn.execute(delete(ledger).where(ledger.c.game_id == game_id, ledger.c.key == GAME_KEY))
    save(unit, game_id, [row_of_game(document)])


def row_of(entry: Entry, placed: int) -> LedgerRow:
    """The row of a post that the sync placed at `placed` (Unix seconds)."""
    restore = {} if entry.restore_status is None else {"restore": entry.restore_status}
    return LedgerRow(
        key=entry.key,
        kind=entry.kind,
        local_id=entry.local_id,
        state=entry.state.value,
        reason=entry.reason,
        written={
            "source": entry.source,
            "document": entry.said,
            "status": entry.said_status,
            "placed": placed,
            **restore,
            **({"by_person": True} if entry.by_person else {}),
            **({"block_key": entry.block_key} if entry.block_key else {}),
            **({} if entry.public_since is None else {"public_since": entry.public_since}),
        },
    )


def entry_of(row: LedgerRow) -> Entry:
    """The post of a row. Raises UnreadableRow."""
    with reading(f"ledger of {row.key}"):
        return Entry(
            key=row.key,
            kind=row.kind,
            source=row.written["source"],
            local_id=row.local_id or "",
            state=State(row.state),
            reason=row.reason,
            said={**row.written["document"]},
            said_status=row.written["status"],
            restore_status=row.written.get("restore"),
            by_person=row.written.get("by_person", False),
            block_key=row.written.get("block_key", ""),
            public_since=row.written.get("public_since"),
        )


def placed_of(row: LedgerRow) -> int:
    """The time at which the sync placed the post (Unix seconds). Raises UnreadableRow."""
    with reading(f"ledger of {row.key}"):
        return int(row.written["placed"])


def row_of_game(said: Document) -> LedgerRow:
    """The row of the liveblog itself; `said`: the provider's last word on its document."""
    return LedgerRow(key=GAME_KEY, kind=GAME_KEY, state=State.POSTED.value, written={"document": said})


def game_of(row: LedgerRow | None) -> Document:
    """The provider's last word on the liveblog's own document, nothing without a row. Raises UnreadableRow."""
    if row is None:
        return {}
    with reading(f"ledger of {row.key}"):
        return {**row.written["document"]}
