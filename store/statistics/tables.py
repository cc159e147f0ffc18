"""The tables of readers' statistics. None of them holds an address, a browser's name or anything that outlives its salt."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Table, insert, literal, select

from store.engine.columns import integer, metadata, partial_index, text
from store.engine.portable_table import GAMES, StoredCapability, of_games


def _sums(name: str, *more: Index) -> Table:
    """Sums by liveblog, slot and page; empty texts: nobody knows where.

    `sampled`: the loads whose reader is in a sketch; `retention_views`: the views that `retention_ms` is of.
    """
    return Table(
        name,
        metadata,
        text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        integer("slot", primary_key=True, autoincrement=False),
        text("origin", primary_key=True),
        text("location", primary_key=True),
        integer("loads"),
        integer("more"),
        integer("sampled"),
        integer("retention_ms"),
        integer("retention_views"),
        Index(None, "slot"),
        *more,
    )


load_counts = _sums("load_counts", partial_index("ix_load_counts_minutes", "slot", only="slot % 900 <> 0"))
"""What was counted in the minute that begins at `slot`, later in its quarter of an hour."""

load_days = _sums("load_days")
"""The same by the day (UTC) that begins at `slot`, once that is over for a day: beside the quarters, not in their place."""

load_rollups = Table(
    "load_rollups",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    integer("until"),
    integer("due_at", nullable=True),
    Index(None, "due_at", "until"),
)
"""How far a liveblog is rolled up: what was counted before `until`, the start of a day, is in `load_days`.

`due_at`: when the next of its days may follow; None where nothing was counted since. Whoever adds to it locks the row.
"""

reader_sketches = Table(
    "reader_sketches",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("salt", primary_key=True),
    integer("slot", primary_key=True, autoincrement=False),
    text("origin", primary_key=True),
    text("location", primary_key=True),
    Column("sketch", LargeBinary, nullable=False),
    Index(None, "slot"),
)
"""The readers of a slot under a salt (`mapping.statistics.periods`); `location` is empty under the salts of days."""

reader_salts = Table(
    "reader_salts",
    metadata,
    text("name", primary_key=True),
    Column("value", LargeBinary, nullable=False),
    integer("last_use"),
)
"""Random keys of the hashes of readers, each deleted once it is not used any more."""

beacon_intakes = Table(
    "beacon_intakes",
    metadata,
    text("id", primary_key=True),
    integer("written_at"),
    integer("batches"),
    integer("counted"),
    integer("dropped"),
    integer("lost"),
)
"""Each run of a process: its last batch that is written, its beacons that are counted, dropped, and lost with the process."""

STATISTICS = StoredCapability(
    portable=(of_games(load_counts), of_games(reader_sketches)),
    stays={
        "reader_salts": "secrets that each installation makes for itself",
        "beacon_intakes": "runs of processes",
        "load_days": "made of the counts, anew at the new place",
        "load_rollups": "how far they are made",
    },
    after_import=(
        insert(load_rollups).from_select(
            ["game_id", "until", "due_at"],
            select(load_counts.c.game_id, literal(0), literal(0)).where(load_counts.c.game_id.in_(GAMES)).distinct(),
        ),
    ),
)
