"""A match as PA's soccer feed sends it: state and score, events by the clock without scores, squads; all of it XML."""

from collections.abc import Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from mapping.match.match import Incident, Match, Person, Side, Status
from providers.pa.clock import LONDON
from tests.kit.wire_forms.other_words import digits, extra_time_comes, half_time, has_begun, plain

CAPS = {1: 45, 2: 90, 3: 105, 4: 120}
WORDS = {
    "soccer.goal": "goal", "soccer.own-goal": "own goal", "soccer.yellow-card": "booking", "soccer.red-card": "dismissal",
    "soccer.yellow-red-card": "dismissal", "soccer.substitution": "substitution",
    "soccer.penalty-kick-missed": "penalty missed",
}  # fmt: skip
LIVE = {1: "KO", 2: "SHS", 3: "ETS", 4: "ETSHS"}
BREAK = {0: "KO", 1: "HT", 3: "ETHT", 4: "ETFTPT"}
POSITIONS = {"keeper": "Goal Keeper", "defense": "Defender", "midfield": "Midfielder", "offense": "Striker"}
NOTHING = b"<errors><error>No data available</error></errors>"


def pa_bodies(match: Match) -> dict[str, bytes]:
    """The bodies of the match's resources."""
    squads = any(side.lineup or side.bench for side in match.sides)
    return {
        "match": _info(match).encode(),
        "events": _events(match).encode() if has_begun(match) else NOTHING,
        "lineups": _lineups(match).encode() if squads else NOTHING,
    }


def _status(match: Match) -> tuple[str, bool]:
    """(matchStatus, result)."""
    phase = match.clock.phase
    over = "PTFT" if match.shootout else "ETFT" if phase > 2 else "FT"
    breaks = {**BREAK, 2: "FTET" if extra_time_comes(match) else "FT"}
    words = {
        Status.SCHEDULED: "Fixture", Status.POSTPONED: "Postponed", Status.CANCELLED: "Cancelled",
        Status.ABANDONED: "Abandoned", Status.LIVE: LIVE.get(phase, "KO"), Status.BREAK: breaks.get(phase, "PT"),
        Status.SHOOTOUT: "PT", Status.FINISHED: over,
    }  # fmt: skip
    return words[match.status], match.status is Status.FINISHED


def _info(match: Match) -> str:
    status, result = _status(match)
    kickoff = datetime.fromtimestamp(match.kickoff or 0, UTC).astimezone(LONDON)
    yes = {True: "Yes", False: "No"}
    half, score = half_time(match), match.score
    teams = [
        f'<{field} teamID="{_team(side)}"><teamName>{escape(plain(side.short_name or side.name))}</teamName>'
        + (f"<score>{total}</score><htScore>{half[at]}</htScore>" if has_begun(match) else "")
        + f"</{field}>"
        for at, (field, side, total) in enumerate(
            (("homeTeam", match.home, score and score.home), ("awayTeam", match.away, score and score.away))
        )
        if side is not None
    ]
    return (
        f'<matches><match matchID="{digits("match", match.match_id)}" date="{kickoff:%d/%m/%Y}" koTime="{kickoff:%H:%M}">'
        f"<liveMatch>{yes[match.status.running]}</liveMatch><result>{yes[result]}</result>"
        f"<matchStatus>{status}</matchStatus>{''.join(teams)}</match></matches>"
    )


def _events(match: Match) -> str:
    named = [
        f'<{field} teamID="{_team(side)}">{escape(plain(side.name))}</{field}>'
        for field, side in (("homeTeam", match.home), ("awayTeam", match.away))
        if side is not None
    ]
    rows = "".join(row for at, each in enumerate(match.incidents) for row in _rows(match, each, at))
    return f"<matchEvents><teams>{''.join(named)}</teams><events>{rows}</events></matchEvents>"


def _rows(match: Match, incident: Incident, at: int) -> Iterator[str]:
    if incident.phase == 5 and not incident.marks_period and incident.kind != "soccer.substitution":
        yield _event(match, incident, "shootoutGoal" if incident.kind == "soccer.goal" else "shootoutMiss", at)
    elif incident.kind in WORDS:
        penalty = incident.method == "penalty" and incident.kind == "soccer.goal"
        yield _event(match, incident, "goal from penalty" if penalty else WORDS[incident.kind], at)
        if penalty:
            yield _event(match, incident, "penalty goal", at, ident="twin")
        makers = [each.person for each in incident.people if each.role == "assist"]
        if makers:
            yield _event(match, incident, "assist", at, ident="assist", people=makers)


def _event(
    match: Match, incident: Incident, word: str, at: int, *, ident: str = "", people: list[Person] | None = None
) -> str:
    side = match.side(incident.side)
    named = [each.person for each in incident.people if each.role != "assist"] if people is None else people
    players = "".join(
        f'<player{n} playerID="{digits("person", each.ext_id)}" teamID="{_team(side)}">{escape(_name(each))}</player{n}>'
        for n, each in enumerate(named[:2], 1)
    )
    normal, added = _clock(incident, at)
    return (
        f'<event teamID="{_team(side)}" eventID="{digits("event" + ident, incident.key)}"><eventType>{word}</eventType>'
        f"<normalTime>{normal}</normalTime><addedTime>{added}</addedTime><players>{players}</players></event>"
    )


def _clock(incident: Incident, at: int) -> tuple[str, str]:
    """The running clock, which stands still at the end of a part; the place in the match is the second."""
    minute, second = incident.minute or 1, 1 + at % 58
    cap = CAPS.get(incident.phase or 0)
    if cap is not None and (incident.added or minute > cap):
        over = (incident.added or 0) + max(0, minute - cap)
        return f"{cap}:00", f"{over - 1}:{second:02}"
    return f"{minute - 1}:{second:02}", "0:00"


def _lineups(match: Match) -> str:
    teams = [
        f'<{field} teamID="{_team(side)}"><players>'
        + "".join(_player(each, starts=starts) for group, starts in ((side.lineup, True), (side.bench, False)) for each in group)
        + f"</players></{field}>"
        for field, side in (("homeTeam", match.home), ("awayTeam", match.away))
        if side is not None
    ]  # fmt: skip
    return f'<match matchID="{digits("match", match.match_id)}"><teams>{"".join(teams)}</teams></match>'


def _player(person: Person, *, starts: bool) -> str:
    last = plain(person.short_name or person.name)
    return (
        f"<player playerID={quoteattr(digits('person', person.ext_id))}><lastName>{escape(last)}</lastName>"
        f"<fullName>{escape(_name(person))}</fullName><shirtNumber>{escape(person.number or '')}</shirtNumber>"
        f"<position>{POSITIONS.get(person.position or '', '')}</position>"
        f"<substitute>{'No' if starts else 'Yes'}</substitute></player>"
    )


def _name(person: Person) -> str:
    """Without marks; of some the surname comes first."""
    words = plain(person.name).split()
    turned = len(words) > 1 and int(digits("person", person.ext_id)) % 5 == 0
    return " ".join([words[-1], *words[:-1]] if turned else words)


def _team(side: Side | None) -> str:
    return "" if side is None else digits("team", side.ext_id)
