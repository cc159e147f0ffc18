"""How large a match may be: what is larger is a fault of the provider's, and the last good snapshot stands."""

from __future__ import annotations

from dataclasses import replace

from config.sections import Limits
from mapping.errors import BadBody, DownstreamRejected
from mapping.match.match import Match
from providers.base import Answer, Fetched, Outcome


def within(limits: Limits, fetched: Fetched) -> Fetched:
    """The answers; those with too many rows have failed."""
    if all(answer.rows <= limits.provider_rows for answer in fetched.changed):
        return fetched
    return replace(fetched, answers=tuple(_checked(limits, answer) for answer in fetched.answers))


def _checked(limits: Limits, answer: Answer) -> Answer:
    if answer.outcome is not Outcome.CHANGED or answer.rows <= limits.provider_rows:
        return answer
    error = BadBody(
        f"{answer.resource}: {answer.rows} rows are more than limits.provider_rows = {limits.provider_rows} allows"
    )
    return replace(answer, outcome=Outcome.FAILED, error=error, body=None)


def check(limits: Limits, match: Match) -> None:
    """Raise DownstreamRejected for a match that is larger than it may be."""
    for name, size, most in (
        ("match_rows", rows_of(match), limits.match_rows),
        ("match_people", people_of(match), limits.match_people),
    ):
        if size > most:
            raise DownstreamRejected(f"the match has {size} {SAID[name]}, more than limits.{name} = {most} allows")


SAID = {"match_rows": "incidents, comments and results", "match_people": "people"}


def rows_of(match: Match) -> int:
    """Incidents, comments and results."""
    return len(match.incidents) + len(match.comments) + len(match.periods)


def people_of(match: Match) -> int:
    """Everybody in squads and rankings, who is both counted twice."""
    placed = () if match.race is None else match.race.ranking
    return sum(len(side.lineup) + len(side.bench) for side in match.sides) + len(placed)
