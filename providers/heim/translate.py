"""Makes the canonical match of HEIM:SPIEL's last good bodies; the same bodies give the same match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown
from mapping.match.match import Match
from providers.fault_collector import FaultCollector, RowCache
from providers.heim.payload import EVENTS, MATCH, TEXT, embedded_rows, find_match, list_rows, sport_of
from providers.heim.read import Event, Row
from providers.heim.sports.base import Source
from providers.heim.sports.motorsports import motorsports
from providers.heim.sports.phased import AMERICAN_FOOTBALL, ICEHOCKEY, translate_phases
from providers.heim.sports.soccer import soccer
from providers.heim.sports.tennis import tennis

TRANSLATORS: Mapping[str, Callable[[Source], Match]] = {
    "soccer": soccer,
    "tennis": tennis,
    "american_football": partial(translate_phases, AMERICAN_FOOTBALL),
    "motorsports": motorsports,
    "icehockey": partial(translate_phases, ICEHOCKEY),
}
"""Sport → its translator: a sport is a file of `sports` and a row here."""


def translate(
    match_id: str,
    bodies: Mapping[str, bytes],
    *,
    names: Mapping[str, str],
    zone: tzinfo,
    rows: RowCache[Event] | None = None,
) -> Match:
    """The match that these bodies describe.

    `bodies`: resource name → body; `zone`: time zone of the feed's times; `rows`: the cache of translated rows, which makes
    no difference but in time. Rows that cannot be understood become faults.
    Raises DownstreamRejected where there is no match in the bodies, InvalidRequest for a sport that is not translated.
    """
    try:
        found = find_match(bodies[MATCH], match_id)
        event_rows, text_rows = _rows(found.match, EVENTS, bodies, match_id), _rows(found.match, TEXT, bodies, match_id)
    except (BadBody, MatchUnknown, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    sport = sport_of(found, names)
    translator = TRANSLATORS.get(sport)
    if translator is None:
        raise InvalidRequest(f"unsupported sport: {sport}", field="matchId")
    return translator(
        Source(
            match_id=match_id,
            found=found,
            event_rows=event_rows,
            text_rows=text_rows,
            names=names,
            zone=zone,
            faults=FaultCollector(MATCH, match_id),
            rows=RowCache(0) if rows is None else rows,
        )
    )


def _rows(match: Row, resource: str, bodies: Mapping[str, bytes], match_id: str) -> tuple[Any, ...]:
    embedded = embedded_rows(match) if resource == EVENTS else None
    if embedded is not None:
        return embedded
    return list_rows(resource, bodies[resource], match_id) if resource in bodies else ()
