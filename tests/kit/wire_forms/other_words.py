"""A match as another newsroom's feed has it: names in other spellings, minutes one off, rows missing, ids of its own."""

import random
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from mapping.match.match import Incident, Match, Person, Side, Status

FIRST_MINUTES = {1: 1, 2: 46, 3: 91, 4: 106, 5: 120}
LAST_MINUTES = {1: 45, 2: 90, 3: 105, 4: 120, 5: 130}
YELLOW, SECOND_YELLOW = "soccer.yellow-card", "soccer.yellow-red-card"
BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often two feeds differ: in a minute, in the spelling of a name, and by a substitution that one of them lacks."""

    minutes: float = 0.016
    spelling: float = 0.032
    missing: float = 0.1


EXACT = Rates(minutes=0.0, spelling=0.0, missing=0.0)


def chance(seed: int, *what: str) -> float:
    """A number below 1 that is the same for the same seed and words."""
    return random.Random(f"{seed} {what}").random()


def digits(kind: str, ident: str) -> str:
    """The id that a feed of numbers has for what another one calls `ident`."""
    return str(1 + int(sha256(f"{kind} {ident}".encode()).hexdigest()[:12], 16) % 99_999_999)


def base_36(kind: str, ident: str) -> str:
    """The id that a feed of letters and digits has for what another one calls `ident`."""
    number, found = int(sha256(f"{kind} {ident}".encode()).hexdigest(), 16), []
    for _ in range(25):
        number, digit = divmod(number, 36)
        found.append(BASE_36[digit])
    return "".join(found)


def plain(name: str) -> str:
    """A name without marks."""
    return "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))


def in_other_words(match: Match, seed: int, rates: Rates) -> Match:
    """The match in other words, still in its own ids. One seed says each incident and name in the same way at every version."""
    return replace(
        match,
        home=_side(match.home, seed, rates),
        away=_side(match.away, seed, rates),
        incidents=tuple(_with_other_minutes(list(_there(match.incidents, seed, rates)), seed, rates)),
        comments=(),
    )


def with_first_yellows(versions: Iterable[Match]) -> list[Match]:
    """The versions with the first yellow card of whoever is sent off by a second one: some feeds delete it, others keep it."""
    kept: dict[str, Incident] = {}
    found = []
    for match in versions:
        kept.update((each.key, each) for each in match.incidents if each.kind == YELLOW)
        sent_off = {player_of(each) for each in match.incidents if each.kind == SECOND_YELLOW}
        there = {each.key for each in match.incidents}
        more = [each for each in kept.values() if each.key not in there and player_of(each) in sent_off]
        both = sorted((*match.incidents, *more), key=lambda each: (each.phase or 0, each.minute or 0))
        found.append(replace(match, incidents=tuple(both)) if more else match)
    return found


def player_of(incident: Incident) -> str | None:
    """The id of the first person who is named."""
    return incident.people[0].person.ext_id if incident.people else None


def extra_time_comes(match: Match) -> bool:
    """Whether a break after the second half is one before extra time, as far as the match says so itself."""
    return any(each.kind == "soccer.end-of-regular-play" for each in match.incidents)


def has_begun(match: Match) -> bool:
    """Whether the match is played or over."""
    return match.status not in {Status.SCHEDULED, Status.POSTPONED, Status.CANCELLED}


def half_time(match: Match) -> tuple[int, int]:
    """The score at half-time, by the goals."""
    scores = [(each.score.home, each.score.away) for each in match.incidents if each.score and each.phase == 1]
    return max(scores, default=(0, 0), key=sum)


def full_time(match: Match) -> tuple[int, int]:
    """The score after ninety minutes, by the goals."""
    scores = [(each.score.home, each.score.away) for each in match.incidents if each.score and (each.phase or 0) <= 2]
    return max(scores, default=(0, 0), key=sum)


def _there(incidents: Sequence[Incident], seed: int, rates: Rates) -> Iterable[Incident]:
    for each in incidents:
        if each.kind != "soccer.substitution" or chance(seed, "missing", each.key) >= rates.missing:
            people = tuple(replace(who, person=_person(who.person, seed, rates)) for who in each.people)
            yield replace(each, people=people)


def _with_other_minutes(incidents: list[Incident], seed: int, rates: Rates) -> list[Incident]:
    """Minutes one off now and then, never so that two goals change their places."""
    for at, each in enumerate(incidents):
        if each.minute is None or each.marks_period or chance(seed, "minute", each.key) >= rates.minutes:
            continue
        minute = each.minute + (1 if chance(seed, "sign", each.key) < 0.5 else -1)
        first, last = FIRST_MINUTES[each.phase or 1], LAST_MINUTES[each.phase or 1]
        goals = [other.minute for other in incidents if other.score and other.key != each.key and other.minute]
        if first <= minute <= last and not (each.score and any(abs(minute - goal) < 2 for goal in goals)):
            incidents[at] = replace(each, minute=minute)
    return incidents


def _side(side: Side | None, seed: int, rates: Rates) -> Side | None:
    if side is None:
        return None
    lineup, bench = (tuple(_person(each, seed, rates) for each in group) for group in (side.lineup, side.bench))
    return replace(side, lineup=lineup, bench=bench)


def _person(person: Person, seed: int, rates: Rates) -> Person:
    """Now and then spelt apart: an initial, a surname alone, another first name, or another letter."""
    *first, last = person.name.split() or ["?"]
    if not first or chance(seed, "spelling", person.ext_id) >= rates.spelling:
        return replace(person, short_name=last)
    way = int(4 * chance(seed, "way", person.ext_id))
    name, surname = (
        (f"{first[0][0]}. {last}", last),
        (last, last),
        (f"{first[0][:2]}o {last}", last),
        (f"{' '.join(first)} {last}h", f"{last}h"),
    )[way]
    return replace(person, name=name, short_name=surname)
