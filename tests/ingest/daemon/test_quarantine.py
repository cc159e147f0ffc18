"""Rows of another version in our own tables: each is quarantined to what it belongs to, said once, and everything else goes on."""

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from config import Settings
from ingest.cli.explain import explain
from ingest.sync import match_failures
from tests.kit.day import CREATE
from tests.kit.opening import look
from tests.kit.quarantine import Day, Upstream, daemon, database, poison, settings, upstream

__all__ = ["database", "settings", "upstream"]

pytestmark = pytest.mark.proof

HEALTHY = "9000001"


@dataclass(frozen=True)
class Poison:
    """What another version writes into the rows of one match; `on` names what is said to be left out, None for nothing."""

    sql: str
    on: str | None
    running: bool = True
    """Whether a process that follows the match already meets it."""
    heals: bool = False
    """Whether it is written anew at the next answer."""
    sqlite_only: bool = False


OF_FOLLOW = "WHERE follow_id = (SELECT id FROM follows WHERE match_id = :match)"
OF_GAME = "WHERE game_id = (SELECT game_id FROM attachments WHERE match_id = :match)"
POISONS = {
    "a status of a newer version": Poison(
        "UPDATE follows SET status = 'paused' WHERE match_id = :match", "match", running=False
    ),
    "hints that are no JSON": Poison("UPDATE follows SET hints = '{' WHERE match_id = :match", "match", running=False),
    "a kick-off that is no time": Poison(
        "UPDATE follows SET kickoff = 'soon' WHERE match_id = :match", "match", running=False, sqlite_only=True
    ),
    "faults that are no JSON": Poison(
        f"UPDATE resources SET faults = '[' {OF_FOLLOW}", "match", running=False, heals=True
    ),
    "a body that cannot be unpacked": Poison(f"UPDATE resources SET body = :bytes {OF_FOLLOW}", "match", heals=True),
    "a belief that cannot be unpacked": Poison(f"UPDATE beliefs SET belief = :bytes {OF_FOLLOW}", None, heals=True),
    "a belief of a newer version": Poison(f"UPDATE beliefs SET belief = :newer {OF_FOLLOW}", None, heals=True),
    "terms that are no JSON": Poison(f"UPDATE attachments SET terms = '{{' {OF_FOLLOW}", "liveblog"),
    "terms of a newer version": Poison(f"""UPDATE attachments SET terms = '{{"sport": 5}}' {OF_FOLLOW}""", "liveblog"),
    "a ledger that is no JSON": Poison(f"UPDATE ledger SET written = '{{' {OF_GAME}", "liveblog"),
    "a state of a newer version": Poison(f"UPDATE ledger SET state = 'frozen' {OF_GAME} AND key <> 'game'", "liveblog"),
    "a liveblog that is no JSON": Poison(
        "UPDATE games SET doc = '[' WHERE id = (SELECT game_id FROM attachments WHERE match_id = :match)", "liveblog"
    ),
    "an event that is no JSON": Poison(f"UPDATE events SET doc = '{{' {OF_GAME}", "liveblog"),
    "a team that is no JSON": Poison("UPDATE teams SET doc = '{' WHERE ext_id = :match", "liveblog"),
    "a selector that is no JSON": Poison(f"UPDATE attachments SET selector = '{{' {OF_FOLLOW}", None, heals=True),
}


async def seeded(settings: Settings, chosen: dict[str, Poison]) -> tuple[dict[str, str], dict[str, str]]:
    """A liveblog for the healthy match and one for each poison: (poison → match id, match id → liveblog)."""
    matches = {name: str(9000100 + number) for number, name in enumerate(chosen)}
    async with daemon(settings) as day:
        made = {}
        for match in (HEALTHY, *matches.values()):
            answer = await day.http.post(CREATE, json={"provider": "heim", "matchId": match, "autoPostEnabled": True})
            assert answer.status_code == 200, answer.text
            made[match] = answer.json()["local_id"]
    return matches, made


def chosen_of(settings: Settings, *, while_running: bool) -> dict[str, Poison]:
    return {
        name: each
        for name, each in POISONS.items()
        if (each.running or not while_running) and (settings.database.is_sqlite or not each.sqlite_only)
    }


async def checked(
    settings: Settings, upstream: Upstream, day: Day, chosen: dict[str, Poison], matches: Any, made: Any
) -> None:
    """Every match changes twice: the healthy one shows it, each poisoned one is named exactly once."""
    expected = {(each.on, matches[name]) for name, each in chosen.items() if each.on is not None}
    for cards in (2, 3):
        upstream.number = dict.fromkeys(made, cards)

        async def followed(cards: int = cards) -> bool:
            return await day.cards(made[HEALTHY]) == cards

        async def named() -> bool:
            return {(kind, match) for kind, match, _ in day.quarantined()} >= expected

        await day.until(followed)
        await day.until(named)
    await asyncio.sleep(1)
    said = [(kind, match) for kind, match, _ in day.quarantined()]
    assert sorted(said) == sorted(expected)
    assert (await day.http.get("/readyz")).status_code == 200
    for name in (name for name, each in chosen.items() if each.heals):
        assert await day.cards(made[matches[name]]) == 3, name
    standing = {(each.on, name) for name, each in chosen.items() if each.on and not each.heals}

    async def alarmed() -> bool:
        return await day.metric("frozen", "matchwire_alarms") == len(standing)

    await day.until(alarmed)
    assert await day.metric("liveblog") == sum(each.on == "liveblog" for each in chosen.values())
    assert await day.metric("match") == sum(each.on == "match" and not each.heals for each in chosen.values())


async def test_rows_that_cannot_be_read_at_start_are_contained(settings, upstream, monkeypatch):
    """The daemon starts; the healthy match is followed; each poisoned one is named once, explained, and heals when mended."""
    monkeypatch.setattr(match_failures, "AGAIN", 0.5)
    chosen = chosen_of(settings, while_running=False)
    matches, made = await seeded(settings, chosen)
    for name, each in chosen.items():
        await asyncio.to_thread(poison, settings, each.sql, match=matches[name])
    async with daemon(settings) as day:
        await checked(settings, upstream, day, chosen, matches, made)
        for name, each in chosen.items():
            if each.heals:
                continue
            found = await look(settings.database.url.get_secret_value(), partial(explain, name=made[matches[name]]))
            assert json.dumps(found)
            assert found["unreadable"] or found["match"]["failure"], name
        for name in ("a status of a newer version", "a kick-off that is no time"):
            mended = "UPDATE follows SET status = 'live', kickoff = NULL WHERE match_id = :match"
            if name in chosen:
                await asyncio.to_thread(poison, settings, mended, match=matches[name])

                async def healed(local_id: str = made[matches[name]]) -> bool:
                    return await day.cards(local_id) == 3

                await day.until(healed)


async def test_rows_that_become_unreadable_are_contained(settings, upstream):
    """The same, written while the daemon runs: no loop ends, nothing is said twice, the healthy match goes on."""
    chosen = chosen_of(settings, while_running=True)
    matches, made = await seeded(settings, chosen)
    async with daemon(settings) as day:

        async def followed() -> bool:
            return await day.cards(made[HEALTHY]) == 1

        await day.until(followed)
        for name, each in chosen.items():
            await asyncio.to_thread(poison, settings, each.sql, match=matches[name])
        await checked(settings, upstream, day, chosen, matches, made)
