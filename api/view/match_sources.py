"""The sources of a liveblog's match, as people and clients are shown them: which leads, and what they disagree about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from mapping.fusion.leading_source import SourceHealth
from mapping.fusion.source_chain import Leading, does_answer, lasting_differences, pinned_place, who_leads
from mapping.fusion.source_pair import PairState
from store.following import standbys
from store.following.sources import Source
from store.following.standbys import StandbySource

AUTOMATIC = "auto"
"""Stands for whichever source is well, where a person may choose one."""


def match_sources(conn: Connection, source: Source) -> dict[str, Any]:
    """`leads`, `sources` and `disagreements` of external.json; without a standby nothing is in them."""
    beside = standbys.of_liveblog(conn, source.game_id)
    if not beside:
        return {"leads": AUTOMATIC, "sources": [], "disagreements": []}
    states = [each.known() for each in beside]
    health = standbys.health_of(conn, [source.follow_id, *(each.follow_id for each in beside)])
    every: list[Source | StandbySource] = [source, *beside]
    led, pinned = who_leads(states), pinned_place([each.pinned for each in beside])
    return {
        "leads": AUTOMATIC if pinned is None else every[pinned].provider,
        "sources": [
            {
                "provider": each.provider,
                "matchId": each.match_id,
                "status": each.status,
                **_lead(led, place),
                **_answers(health.get(each.follow_id), answers=does_answer(states, place)),
            }
            for place, each in enumerate(every)
        ],
        "disagreements": disagreements(states, [each.provider for each in every]),
    }


def disagreements(states: Sequence[PairState], providers: Sequence[str]) -> list[dict[str, Any]]:
    """What sources contradict each other in for longer than one of them is late; `providers`: of all sources, by their places."""
    return [
        {
            "about": each.what.about,
            "since": int(each.since),
            "said": {providers[each.before]: each.what.first, providers[each.standby]: each.what.second},
        }
        for each in lasting_differences(states)
    ]


def _lead(led: Leading, place: int) -> dict[str, Any]:
    """Whether the source leads; of the one that does also why, and since when where it has not done so from the beginning."""
    if led.place != place:
        return {"leads": False}
    return {"leads": True, "reason": led.lead.reason.value, "since": int(led.lead.since) or None}


def _answers(health: SourceHealth | None, *, answers: bool) -> dict[str, Any]:
    if health is None:
        return {}
    at = health.answered_at
    trouble = "refused" if health.refused else "failing" if health.failing else None if answers else "silent"
    return {"lastGood": None if at is None else int(at), "trouble": trouble}


def place_of(provider: str, providers: Sequence[str]) -> int | None:
    """The place of the provider's source; None where it has none."""
    return providers.index(provider) if provider in providers else None
