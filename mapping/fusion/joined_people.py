"""Finds the same person in two sources of one match, where each has other ids and other spellings of names.

Names of people and teams are compared by their words, never by their order or spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from mapping.match.match import Match, Person, Side, SideName
from mapping.rules.plain_text import words

People = tuple[Person, ...]


ACTING = frozenset({"scorer", "own-goal", "player", "in", "out"})
"""Roles of people who are of the incident's side."""
Joined = dict[str, str]
"""Id of a person in the other source → id of the same person in the leading one."""


SHORTEST = 3
"""Letters of a word that may identify somebody; initials do not, nor does `de` or `FC`."""
LONG, ALIKE = 6, 0.7
"""Letters of a word from which on another spelling of it is known, and how alike the two are then, of 1."""
PARTICLES = frozenset({"das", "del", "den", "der", "dos", "les", "van", "vom", "von"})
LEGAL_FORMS = frozenset({"afc", "bsc", "club", "fsv", "ssc", "tsg", "tsv", "vfb", "vfl"})
"""Words that say what a team is and not which one."""
KINDS = {
    "women": "dames damen donne femenil femenina femenino feminin feminina feminine feminines feminino femminile frauen girls "
    "juniorinnen ladies mulheres vrouwen wfc women womens",
    "young": "academy canteras infantil jong jugend junioren juniors juvenil juveniles primavera youth",
    "second": "amateure castilla ii reserve reserves",
    "third": "iii",
}
"""What a team of a club is → the words that say so."""
_ALIKE = {word: kind for kind, said in KINDS.items() for word in said.split()}
OTHER_TEAMS = frozenset(_ALIKE)
"""Words that make the name of a club that of another team of it: its women, its young, its second."""
_AGE = re.compile(r"(?:u|under|sub)[ -]?(\d\d)\b", re.IGNORECASE)
_ENDING = re.compile(r"[\s(](b|2|3|w|c)\)?$", re.IGNORECASE)
_ENDINGS = {"2": "second", "3": "third", "b": "second", "w": "women"}


def join_people(lead: Match, other: Match, known: Mapping[str, str] | None = None) -> Joined:
    """The people of both sides that are certainly the same; whoever is in doubt is left out.

    The same are, of one side, two with the same shirt number and a word of their names in common, or a word that nobody else
    of that side has in either source and no other number. A name alone never joins people of different sides, and a number
    alone joins nobody: feeds give one number to two. `known`: pairs that a person has named, which stand.
    """
    joined = dict(known or {})
    for ours, theirs in ((lead.home, _side_with_squad(other, "home")), (lead.away, _side_with_squad(other, "away"))):
        if ours is not None and theirs is not None:
            joined |= dict(_of_side(ours, theirs, joined))
    return joined


def _side_with_squad(match: Match, name: SideName) -> Side | None:
    """A side with its squad; where the source names none, with those of the side who did something."""
    side = match.side(name)
    if side is None or squad(side):
        return side
    acting = (each for incident in match.incidents if incident.side == name for each in incident.people)
    people = {each.person.ext_id: each.person for each in acting if each.role in ACTING}
    return replace(side, lineup=tuple(people.values()))


def squad(side: Side) -> tuple[Person, ...]:
    """Everybody who is named for a side."""
    return (*side.lineup, *side.bench)


def people_of(match: Match) -> Iterator[Person]:
    """Everybody whom a match names, in its squads and incidents; some of them twice."""
    for side in match.sides:
        yield from squad(side)
    for incident in match.incidents:
        yield from (each.person for each in incident.people)


def _of_side(ours: Side, theirs: Side, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of (id in the other source, id in the leading one), those of the numbers first."""
    taken = frozenset(known.values())
    left = {each.ext_id: each for each in squad(ours) if each.ext_id not in taken}
    right = {each.ext_id: each for each in squad(theirs) if each.ext_id not in known}
    for rule in (_by_number, _by_word):
        for one, other in _one_to_one(rule(tuple(left.values()), tuple(right.values()))):
            del left[one.ext_id], right[other.ext_id]
            yield other.ext_id, one.ext_id


def _by_number(left: People, right: People) -> Iterator[tuple[Person, Person]]:
    """The same shirt number, and a word of the names in common."""
    numbered: dict[str, list[Person]] = {}
    for other in right:
        numbered.setdefault(other.number or "", []).append(other)
    for one in left:
        if one.number:
            yield from ((one, other) for other in numbered.get(one.number, ()) if _words(one) & _words(other))


def _by_word(left: People, right: People) -> Iterator[tuple[Person, Person]]:
    """A word that only these two have, and no two numbers: one of two brothers may be missing in either source."""
    ours, theirs = _alone(left), _alone(right)
    pairs = {
        (ours[word].ext_id, theirs[word].ext_id): (ours[word], theirs[word]) for word in ours.keys() & theirs.keys()
    }
    for one, other in pairs.values():
        if not (one.number and other.number) or one.number == other.number:
            yield one, other


def _alone(people: People) -> dict[str, Person]:
    """The words that one person alone has."""
    having: dict[str, list[Person]] = {}
    for each in people:
        for word in _words(each):
            having.setdefault(word, []).append(each)
    return {word: each[0] for word, each in having.items() if len(each) == 1}


def _one_to_one(pairs: Iterable[tuple[Person, Person]]) -> list[tuple[Person, Person]]:
    """The pairs of which neither is in another pair: the others are in doubt."""
    found = list(pairs)
    lefts, rights = (Counter(each[place].ext_id for each in found) for place in (0, 1))
    return [(one, other) for one, other in found if lefts[one.ext_id] == 1 == rights[other.ext_id]]


def _words(person: Person) -> frozenset[str]:
    return name_tokens(person.name, person.short_name)


def in_ids_of(match: Match, lead: Match, joined: Mapping[str, str]) -> Match:
    """The match with the leading source's people and teams in the place of its own.

    Whoever the leading source does not name keeps a name and gets an id that says whose it is, as ids of two providers may
    be equal.
    """
    people = {each.ext_id: each for each in people_of(lead)}

    def known(person: Person) -> Person:
        same = people.get(joined.get(person.ext_id, ""))
        return same or replace(person, ext_id=f"{match.provider}/{person.ext_id}")

    def of_side(side: Side | None, ours: Side | None) -> Side | None:
        if side is None:
            return None
        itself = ours or replace(side, ext_id=f"{match.provider}/{side.ext_id}")
        return replace(itself, lineup=tuple(map(known, side.lineup)), bench=tuple(map(known, side.bench)))

    incidents = tuple(
        replace(each, people=tuple(replace(who, person=known(who.person)) for who in each.people))
        for each in match.incidents
    )
    home, away = of_side(match.home, lead.home), of_side(match.away, lead.away)
    return replace(match, home=home, away=away, incidents=incidents)


@lru_cache(8192)
def name_tokens(*names: str | None) -> frozenset[str]:
    """The words of a name that may identify whom it names, in every spelling: `Müller` is `muller` and `mueller`."""
    return frozenset(word for word in words(*names) if len(word) >= SHORTEST and word not in PARTICLES)


@lru_cache(8192)
def spelt_alike(one: str, other: str) -> bool:
    """Whether two words may be one name in two scripts: `sintschenko` and `zinchenko`."""
    return min(len(one), len(other)) >= LONG and SequenceMatcher(None, one, other).ratio() >= ALIKE


def team_tokens(*names: str | None) -> frozenset[str]:
    """The words of a team's names that may identify its club. `FC Schalke 04` is known by `schalke` alone."""
    return frozenset(
        word
        for word in name_tokens(*names)
        if word not in LEGAL_FORMS and word not in OTHER_TEAMS and not _AGE.fullmatch(word)
    )


def which_team(*names: str | None) -> frozenset[str]:
    """What a team's names say of which of its club's teams it is: `{"u19", "women"}`, nothing for the first men's."""
    found = {_ALIKE[word] for word in words(*names) if word in OTHER_TEAMS}
    for name in filter(None, names):
        found.update(f"u{age}" for age in _AGE.findall(name))
        found.update(_ENDINGS.get(last.lower(), last.lower()) for last in _ENDING.findall(name.strip()))
    return frozenset(found)


def share_beginning(these: AbstractSet[str], those: AbstractSet[str]) -> bool:
    """Whether a word of one begins a word of the other: `man` and `manchester`."""
    return any(one.startswith(other) or other.startswith(one) for one in these for other in those)
