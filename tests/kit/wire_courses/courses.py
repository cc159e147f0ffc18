"""Every course of every provider and sport: how a match comes to an ending, as steps of what the provider answers."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.kit.wire_courses.gn_gsd import RACE_STATUS, gn_gsd_bodies, stage_bodies
from tests.kit.wire_courses.heim import NAMES, heim_bodies
from tests.kit.wire_courses.heim_sports import SPORTS, sport_bodies
from tests.kit.wire_courses.openligadb import openligadb_bodies
from tests.kit.wire_courses.pa import pa_bodies
from tests.kit.wire_courses.soccer import ENDINGS, KICK_OFF, Moment
from tests.kit.wire_courses.statsperform import statsperform_bodies

Steps = list[tuple[float, dict[str, bytes]]]

REQUIRED = (
    "before-start", "live", "regular-time", "extra-time", "shoot-out", "abandoned", "cancelled", "postponed", "awarded",
    "result-missing", "flag-first", "entered-twice",
)  # fmt: skip
"""The endings to which every provider has a course in every sport, or a reason why not; a sport may have more."""
CORRECTED: Mapping[str, Mapping[str, str]] = {"heim": NAMES}
"""What an endpoint's configuration corrects of a provider's names."""
SOCCER: Mapping[str, Callable[[Moment, str], dict[str, bytes]]] = {
    "heim": heim_bodies,
    "gn-gsd": gn_gsd_bodies,
    "openligadb": openligadb_bodies,
    "pa": pa_bodies,
    "statsperform": statsperform_bodies,
}


def endings(provider: str, sport: str) -> tuple[str, ...]:
    """The endings that there are courses to."""
    if sport == "soccer" and provider in SOCCER:
        return tuple(ENDINGS)
    if provider == "heim" and sport in SPORTS:
        return tuple(SPORTS[sport])
    return tuple(RACE_STATUS) if (provider, sport) == ("gn-gsd", "cycling") else ()


def id_of(provider: str, number: int) -> str:
    """The id of a match in the provider's form."""
    forms = {"gn-gsd": f"GN{number:013}", "statsperform": f"z{number:024}"}
    return forms.get(provider, str(number))


def course(provider: str, sport: str, ending: str, number: int) -> tuple[dict[str, str], Steps]:
    """What a client names the match by, and what the provider answers when. `number`: of the match, its own."""
    ident = id_of(provider, number)
    if sport == "soccer":
        steps = [(each.at, SOCCER[provider](each, ident)) for each in ENDINGS[ending]]
    elif sport == "cycling":
        until = ("before-start",) if ending == "before-start" else ("before-start", ending)
        steps = [(60 * at - 30, stage_bodies(each, ident)) for at, each in enumerate(until)]
    else:
        steps = [(at, sport_bodies(sport, ending, said, ident)) for at, said in SPORTS[sport][ending]]
    selector: dict[str, Any] = {"phaseId" if sport == "cycling" else "matchId": ident}
    return selector, [(KICK_OFF.timestamp() + 60 * at, bodies) for at, bodies in steps]
