"""What holds at the end of a day: liveblogs equal their provider's last answers, and no table has rows beyond its retention."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapping.confirm import confirm_answer
from mapping.games import GAME
from mapping.import_options import ImportOptions
from mapping.posts import wanted_posts
from mapping.references import References
from providers.gn_gsd import names as gn_gsd_names
from providers.gn_gsd import translate as gn_gsd
from providers.heim import names as heim_names
from providers.heim import translate as heim
from tests.providers.heim.feed import BERLIN
from tests.simulation.invariants import keyed_posts, said

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from mapping.match import Match
    from tests.simulation.recorded_provider import RecordedMatch, RecordedProvider
    from tests.simulation.saturday import DayLog

KEPT = frozenset({
    "alarms", "alembic_version", "attachments", "beacon_intakes", "beliefs", "clients", "decisions", "declarations", "events",
    "follows",
    "game_links", "game_records", "games", "image_uses", "leaders", "ledger", "load_counts", "load_days",
    "load_rollups", "locations", "outbox_sequence",
    "parts", "players", "poll_tallies", "post_times", "reader_salts", "reader_sketches", "resources", "service_keys",
    "source_health", "standbys", "teams", "tokens",
    "tournaments", "webhooks", "workers",
})  # fmt: skip
"""Tables whose rows stay with the liveblogs, with what they show, or for longer than two days. All others are empty at night."""
PER_LIVEBLOG = 400
"""Rows that a liveblog leaves in all these tables together, at most."""


@dataclass(frozen=True)
class Retention:
    """A column of instants, and the seconds after which its row is to be gone, the pauses of the purge included."""

    table: str
    column: str
    seconds: float


def overdue(raw: sqlite3.Connection, retentions: tuple[Retention, ...], now: float) -> Iterator[str]:
    """The tables with rows that should have been purged."""
    for each in retentions:
        query = f"SELECT min({each.column}) FROM {each.table}"
        oldest = raw.execute(query).fetchone()[0]
        if oldest is not None and now - oldest > each.seconds:
            yield f"{each.table}: a row is {now - oldest:.0f} s old, {each.seconds:.0f} s at most are allowed"


def beyond_retention(rows: Mapping[str, int]) -> Iterator[str]:
    """The tables that should be empty when nothing has happened for longer than their retention."""
    for table, number in rows.items():
        if table not in KEPT and number:
            yield f"{table}: {number} rows are left"


def differences(raw: sqlite3.Connection, log: DayLog, provider: RecordedProvider) -> Iterator[str]:
    """How the day's liveblogs differ from what their providers said last: incidents, but for those that the editor touched."""
    demands: dict[RecordedMatch, tuple[dict[str, str], Match]] = {}
    for local_id, match in log.liveblogs.items():
        if match.recorded not in demands:
            demands[match.recorded] = _demand(match.recorded, provider.last_bodies(match.match_id))
        demanded, believed_match = demands[match.recorded]
        game_id, document = raw.execute("SELECT id, doc FROM games WHERE local_id = ?", (local_id,)).fetchone()
        found = {
            key: said(post)
            for key, post in keyed_posts(raw, game_id).items()
            if post.get("sport_event") and post["local_id"] not in log.touched
        }
        touched = _keys_of(raw, game_id, log.touched)
        wrong = {
            key for key in demanded.keys() - touched if not key.startswith(GAME) and demanded[key] != found.get(key)
        }
        more = {
            key for key in found.keys() - demanded.keys() if not key.startswith(GAME) and not _first_yellow(found[key])
        }
        if wrong or more:
            yield f"{local_id} ({match.recorded.own_id}): {sorted(wrong)} are not as they should be, {sorted(more)} should not be"
        score = ((json.loads(document).get("scoreboard") or {}).get("score")) or {}
        yield from _score_differs(local_id, believed_match, score)


def _demand(recorded: RecordedMatch, bodies: Mapping[str, bytes]) -> tuple[dict[str, str], Match]:
    """Key → what its post says, of each incident in the last answer; and the match."""
    if recorded.provider == "heim":
        bodies = {"match-event": b"[]", **bodies}
        answer = heim.translate(recorded.own_id, bodies, names=heim_names.names_of({}), zone=BERLIN)
    else:
        answer = gn_gsd.translate(recorded.own_id, bodies, names=gn_gsd_names.names_of({}))
    match = confirm_answer(None, answer, good=frozenset()).match
    terms = ImportOptions(sport=match.sport, auto_post=True, text=True)
    posts = wanted_posts(match, terms, References(owner_id="0" * 24), block_id=lambda key, name: f"{key} {name}")
    return {post.key: said(post.document) for post in posts if post.document.get("sport_event")}, match


def _first_yellow(post: str) -> bool:
    """One provider withdraws it after the second; the post stays."""
    return "yellow-card" in post


def _keys_of(raw: sqlite3.Connection, game_id: str, local_ids: set[str]) -> set[str]:
    found = raw.execute("SELECT key, local_id FROM ledger WHERE game_id = ?", (game_id,)).fetchall()
    return {key for key, local_id in found if local_id in local_ids}


def _score_differs(local_id: str, match: Match, score: Mapping[str, str]) -> Iterator[str]:
    if match.score is None or not score:
        return
    wanted_score = (str(match.score.home), str(match.score.away))
    found = (str(score.get("home_score")), str(score.get("away_score")))
    if wanted_score != found:
        yield f"{local_id}: the score is {found}, and not {wanted_score}"
