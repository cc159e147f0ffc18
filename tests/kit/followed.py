"""Liveblogs on matches as a sync leaves them, without a provider."""

from dataclasses import replace
from functools import partial
from typing import Any

from mapping.fusion.source_pair import PairState
from store.engine.liveblog_records import Change
from store.engine.unit import Unit
from store.following import follow_rows, rule_matches, rule_standbys, standbys
from store.following.follow_rows import NewFollow
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.store.conftest import ORGANIZATION

TERMS = {"sport": "soccer", "auto_post": True}


MATCH = NewFollow(
    endpoint="heim:abc",
    provider="heim",
    organization_id=ORGANIZATION,
    match_id="8315073",
    sport="soccer",
    status="scheduled",
    kickoff=1_700_003_600,
    next_poll_at=1_700_000_000.25,
    hints={"competition": "co12"},
)


async def add_followed(server: Any, number: int, *, status: str = "live", **more: Any) -> str:
    """Add a liveblog on a match, and give the id of its follow.

    `terms`, `document`, `events`, `provider`, `sport` and `title` replace ours.
    """
    local_id, ticker_id = f"gmatch{number}", f"{number:024x}"
    title = more.pop("title", f"Home {number} – Away {number}")
    document = more.pop("document", None) or matchday.document()
    meta = {**document["meta_info"], "title": title, "starts_at": matchday.KICK_OFF + number}
    game = replace(
        matchday.derby(),
        local_id=local_id,
        ticker_id=ticker_id,
        sportstype=more.pop("sport", "soccer"),
        organization_id=more.pop("organization_id", matchday.ORGANIZATION),
        document={**document, "meta_info": meta},
        events=more.pop("events", ()),
    )
    await server.add(game)
    attach = partial(_attach, game=game, status=status, number=number, more=more)
    follow_id: str = await server.store.write(attach)
    return follow_id


def _attach(unit: Unit, game: matchday.Liveblog, status: str, number: int, more: dict[str, Any]) -> str:
    match = {"provider": more.pop("provider", "heim"), "organization_id": game.organization_id, "match_id": f"{number}"}
    terms = {**TERMS, **more.pop("terms", {})}
    new = follow_rows.NewFollow(
        endpoint=more.pop("endpoint", "heim:x"),
        sport="soccer",
        status=status,
        kickoff=matchday.KICK_OFF + number,
        **match,
    )
    follow = follow_rows.follow_for(unit, new)
    attachment = follow_rows.Attachment(
        game_id=game.ticker_id, follow_id=follow.id, selector={"kind": "match", "id": f"{number}"}, terms=terms, **match
    )
    follow_rows.attach(unit, attachment)
    if more:
        follow_rows.save_follow(unit, follow.id, **more)
    return follow.id


CANDIDATE = {
    "matchId": "900", "competition": {"id": "7", "name": "Liga"}, "home": {"id": "h", "name": "Hafenstadt"},
    "away": {"id": "a", "name": "Bergheim"}, "kickoff": matchday.KICK_OFF, "gender": None, "ageClass": None,
}  # fmt: skip
QUESTION = {
    "match": {**CANDIDATE, "matchId": "1", "home": {"id": "9", "name": "SV Hafenstadt"}},
    "candidates": [CANDIDATE],
}


def ask_for_standby(unit: Unit, game_id: str, *providers: str) -> None:
    """Have a rule's liveblog, which is on no match yet, wait for a person to choose who stands by of these providers."""
    match = {"provider": "heim", "organization_id": matchday.ORGANIZATION, "match_id": "1"}
    follow = follow_rows.follow_for(
        unit,
        follow_rows.NewFollow(
            endpoint="heim:x", sport="soccer", status="scheduled", kickoff=matchday.KICK_OFF, **match
        ),
    )
    selector = {"kind": "match", "id": "1"}
    attachment = follow_rows.Attachment(game_id=game_id, follow_id=follow.id, selector=selector, terms=TERMS, **match)
    follow_rows.attach(unit, attachment)
    rule_matches.claim(unit, attachment, rule="league", covering=lambda _: None)
    for provider in providers:
        key = rule_standbys.SearchKey(matchday.ORGANIZATION, game_id, provider)
        rule_standbys.note(unit, key, "open", matchday.KICK_OFF, QUESTION)


async def add_pair(server: Any, state: PairState, **more: Any) -> tuple[str, str]:
    """Have the provider of the second match stand by for the first liveblog; gives the follows of both."""
    first = await add_followed(server, 1, title="SV Hafenstadt – AV Bergheim", **more)
    second = await add_followed(server, 2, provider="gn-gsd", title="Hafenstadt – Bergheim")

    def write(unit: Unit) -> None:
        standbys.save_sources(unit, f"{1:024x}", [second])
        (standby,) = standbys.of_liveblog(unit.conn, f"{1:024x}")
        standbys.save_states(unit, [(standby, state)])

    await server.store.write(write)
    return first, second


async def set_score(server: Any, number: int, home: int, away: int) -> None:
    """As a goal does."""

    def write(unit: Unit) -> None:
        game = liveblogs.require_game(unit.conn, f"gmatch{number}")
        board = {**game.document["scoreboard"], "score": matchday.pair(home, away)}
        liveblogs.record(unit, game.id, Change(game={**game.document, "scoreboard": board}))

    await server.store.write(write)


def draft(name: str) -> Any:
    """A post that waits for a person."""
    return matchday.event(name, matchday.KICK_OFF + 60, status=60, headline="A draft")
