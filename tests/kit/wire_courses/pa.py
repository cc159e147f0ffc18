"""A football match as PA Media sends it: a word for its state, a score, events by the clock; all of it XML."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from tests.kit.wire_courses.soccer import KICK_OFF, SQUADS, TEAMS, Moment

NOTHING = b"<errors><error>No data available</error></errors>"
STATUS = {
    "planned": "Fixture", "suspended": "Suspended", "abandoned": "Abandoned", "cancelled": "Cancelled", "postponed": "Postponed",
}  # fmt: skip
RUNNING = {1: "KO", 2: "SHS", 3: "ETS", 4: "ETSHS", 5: "PT"}
PAUSES = {1: "HT", 2: "FTET", 3: "ETHT", 4: "ETFTPT"}
OVER = {2: "FT", 4: "ETFT", 5: "PTFT"}


def pa_bodies(moment: Moment, match_id: str) -> dict[str, bytes]:
    """The bodies of all resources."""
    return {
        "match": _info(moment, match_id).encode(),
        "events": _events(moment).encode() if moment.part else NOTHING,
        "lineups": _lineups(match_id).encode() if moment.part else NOTHING,
    }


def _status(moment: Moment) -> str:
    words = OVER if moment.over else PAUSES if moment.pause else RUNNING
    return STATUS.get(moment.word) or words[moment.part]


def _info(moment: Moment, match_id: str) -> str:
    local = KICK_OFF.astimezone(ZoneInfo("Europe/London"))
    scores = zip(moment.total, moment.score(1), strict=True)
    teams = "".join(
        f'<{side}Team teamID="{ident}"><teamName>{name}</teamName>{_score(moment, *each)}</{side}Team>'
        for (side, (ident, name)), each in zip(TEAMS.items(), scores, strict=True)
    )
    return (
        f'<matches><match matchID="{match_id}" date="{local:%d/%m/%Y}" koTime="{local:%H:%M}">'
        f"<liveMatch>{'Yes' if moment.word == 'running' else 'No'}</liveMatch><result>{'Yes' if moment.over else 'No'}</result>"
        f"<matchStatus>{_status(moment)}</matchStatus>{teams}</match></matches>"
    )


def _score(moment: Moment, total: int, half: int) -> str:
    if not moment.part or moment.results == "none":
        return "<score></score><htScore></htScore>"
    shown = "" if moment.results == "half" else total
    return f"<score>{shown}</score><htScore>{half if moment.ended >= 1 else ''}</htScore>"


def _events(moment: Moment) -> str:
    named = "".join(f'<{side}Team teamID="{ident}">{name}</{side}Team>' for side, (ident, name) in TEAMS.items())
    return f"<matchEvents><teams>{named}</teams><events>{''.join(_rows(moment))}</events></matchEvents>"


def _rows(moment: Moment) -> Iterator[str]:
    yield _event("timeline", "", "", "0:00")
    for at, goal in enumerate(moment.goals):
        for again in range(2 if moment.results == "twice" else 1):
            yield _event(
                "goal", str(7100 + at + 50 * again), goal.side, f"{goal.minute - 1}:2{at}", (goal.by, goal.name)
            )
    for at, (side, went_in) in enumerate(moment.kicks):
        yield _event(
            "shootoutGoal" if went_in else "shootoutMiss", str(7200 + at), side, f"{121 + at}:00", (at + 1, "Kick")
        )


def _lineups(match_id: str) -> str:
    teams = "".join(
        f'<{side}Team teamID="{TEAMS[side][0]}"><players>{"".join(map(_player, numbers))}</players></{side}Team>'
        for side, numbers in SQUADS.items()
    )
    return f'<match matchID="{match_id}"><teams>{teams}</teams></match>'


def _player(number: int) -> str:
    return (
        f'<player playerID="{number}"><lastName>Muster{number}</lastName><fullName>Muster{number}</fullName>'
        f"<shirtNumber>{number % 50}</shirtNumber><position>Striker</position><substitute>No</substitute></player>"
    )


def _event(word: str, ident: str, side: str, clock: str, player: tuple[int, str] | None = None) -> str:
    team = TEAMS[side][0] if side else ""
    who = "" if player is None else f'<player1 playerID="{player[0]}" teamID="{team}">{player[1]}</player1>'
    return (
        f'<event teamID="{team}" eventID="{ident}"><eventType>{word}</eventType><normalTime>{clock}</normalTime>'
        f"<addedTime>0:00</addedTime><players>{who}</players></event>"
    )
