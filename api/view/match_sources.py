"""Both sources of a liveblog's match as people and clients are shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping.fusion.source_pair import lasting
from store.following import standbys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from mapping.fusion.fused_match import SourceName
    from mapping.fusion.leading_source import SourceHealth
    from mapping.fusion.source_pair import PairState
    from store.following.sources import Source

AUTOMATIC = "auto"
"""Stands for whichever source is well, where a person may choose one."""


def match_sources(conn: Connection, source: Source) -> dict[str, Any]:
    """`leads`, `sources` and `disagreements` of external.json; without a standby nothing is in them."""
    standby = standbys.of_liveblog(conn, source.game_id)
    if standby is None:
        return {"leads": AUTOMATIC, "sources": [], "disagreements": []}
    state = standby.known()
    health = standbys.health_of(conn, [source.follow_id, standby.follow_id])
    providers: Mapping[SourceName, str] = {"first": source.provider, "second": standby.provider}
    first = {"provider": source.provider, "matchId": source.match_id, "status": source.status}
    second = {"provider": standby.provider, "matchId": standby.match_id, "status": standby.status}
    return {
        "leads": providers[standby.pinned] if standby.pinned else AUTOMATIC,
        "sources": [
            {**first, **_lead("first", state), **_answers(health.get(source.follow_id))},
            {**second, **_lead("second", state), **_answers(health.get(standby.follow_id))},
        ],
        "disagreements": disagreements(state, source.provider, standby.provider),
    }


def disagreements(state: PairState, first: str, second: str) -> list[dict[str, Any]]:
    """What both sources contradict each other in for longer than one of them is late; `first`, `second`: their providers."""
    return [
        {
            "about": each.what.about,
            "since": int(each.since),
            "said": {first: each.what.first, second: each.what.second},
        }
        for each in lasting(state)
    ]


def _lead(name: SourceName, state: PairState) -> dict[str, Any]:
    """Whether the source leads; of the one that does also why, and since when where it has not done so from the beginning."""
    lead = state.lead
    if lead.source != name:
        return {"leads": False}
    return {"leads": True, "reason": lead.reason.value, "since": int(lead.since) or None}


def _answers(health: SourceHealth | None) -> dict[str, Any]:
    if health is None:
        return {}
    at = health.answered_at
    trouble = "refused" if health.refused else "failing" if health.failing else None
    return {"lastGood": None if at is None else int(at), "trouble": trouble}


def source_named(provider: str, standby: standbys.StandbySource, first: str) -> SourceName | None:
    """The source of this provider; None where it is neither."""
    return "first" if provider == first else "second" if provider == standby.provider else None
