"""Writes docs/reference/wording.md, what the posts of every event type say in every language: `python -m tools.wording`.

Each sentence of each row of `mapping/sports/` is made by an incident that knows just what the sentence asks for, so a new
row appears by itself; a test compares the file with what this writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from api.view.post_content import headline, plain_text
from mapping.documents.import_options import ImportOptions
from mapping.documents.scalars import Locale
from mapping.match.match import Clock, Decided, Incident, Involved, Match, PeriodScore, Person, Score, Side, Status
from mapping.match.references import References
from mapping.posts.posts import wanted_posts
from mapping.posts.wording import EXTRA_HALF, FULL_TIME, placeholders
from mapping.sports import SPORTS, Kind, Sport
from mapping.sports.base import STEP

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "wording.md"
LOCALES = tuple(locale for locale in get_args(Locale) if locale)

HEAD = """\
# Wording

Written by `python -m tools.wording` from the rows of `mapping/sports/` and the catalogues of `mapping/locales/`; a test
compares. It lists every post without text of the provider: its title in a feed and its sentence, from the most detailed
sentence of an event type to the least. Brackets say how the event came about. Locales with the same words share a line.
"""

SURNAMES = ("van der Hoorn", "Zambrano", "Ćaleta-Car")
HOME = Side(ext_id="1", name="Eintracht Frankfurt", short_name="Frankfurt")
AWAY = Side(ext_id="2", name="SV Werder Bremen", short_name="Bremen")
PAIR = (Side(ext_id="1", name="Botic van de Zandschulp"), Side(ext_id="2", name="Belinda Bencic"))
PAIRS = (Side(ext_id="1", name="B. Krejcikova / K. Siniakova"), Side(ext_id="2", name="L. Kichenok / J. Ostapenko"))
SCORES = {"half-time": Score(1, 0), "full-time": Score(1, 1), "extra-time": Score(2, 2), "final": Score(2, 1)}
DETAILS = {
    "motorsports.overtake": "3",
    "motorsports.pit-stop": "2.4",
    "motorsports.fastest-lap": "1:15.650",
    "motorsports.penalty": "5s",
    "motorsports.team-radio": "Box, box",
    "motorsports.weather-info": "18 °C",
}
ENGLISH = ImportOptions(sport="", auto_post=True)


class Case(NamedTuple):
    """A match with one incident, and how the incident came about."""

    kind: Kind
    how: str
    match: Match


def cases(sport: Sport) -> Iterator[Case]:
    """One match for each sentence of each event type."""
    for kind in sport.kinds:
        for how, sentences in (("", kind.sentences), *kind.variants.items()):
            for sentence in sentences:
                yield Case(kind, how, _match(sport, kind, how, placeholders(sentence)))


def _match(sport: Sport, kind: Kind, how: str, known: frozenset[str]) -> Match:
    """A match of which nothing is known but what the sentence asks for."""
    home, away = PAIRS if "winners" in known else _sides(sport)
    finished = kind.score_of == "final"
    return Match(
        provider="heim",
        match_id="1",
        sport=sport.id,
        status=Status.FINISHED if finished else Status.LIVE,
        clock=Clock(),
        home=home,
        away=away,
        score=SCORES["final" if finished else "full-time"] if "score" in known else None,
        shootout=Score(4, 3) if "shootout" in known else None,
        periods=tuple(PeriodScore(title=title, score=score) for title, score in _periods(kind, known).items()),
        winner="home" if known & {"winner", "winners"} else None,
        decided=Decided(how) if finished and how in set(Decided) else None,
        incidents=(_incident(sport, kind, how, known),),
    )


def _sides(sport: Sport) -> tuple[Side | None, Side | None]:
    if sport.ranked:
        return None, None
    return PAIR if sport.sets else (HOME, AWAY)


def _periods(kind: Kind, known: frozenset[str]) -> dict[str, Score]:
    """The scores of parts of the match, by their titles."""
    part = {EXTRA_HALF: FULL_TIME}.get(kind.score_of or "", kind.score_of)
    wanted = part if part != "final" and "score" in known else None
    parts = {title: score for title, score in SCORES.items() if title == wanted}
    return {**parts, **({"1": Score(6, 4), "2": Score(7, 5)} if "sets" in known else {})}


def _incident(sport: Sport, kind: Kind, how: str, known: frozenset[str]) -> Incident:
    shootout = _shootout_phase(sport, kind, how)
    return Incident(
        key="incident:1",
        kind=kind.id,
        order=1,
        people=_people(sport, known),
        score=_score(known, scores=kind.scores or how == STEP or shootout is not None),
        method=how or None,
        detail=DETAILS.get(kind.id, "2") if known & {"detail", "seconds"} else None,
        **_when(sport, known, shootout),
        **_whose(sport, known),
    )


def _shootout_phase(sport: Sport, kind: Kind, how: str) -> int | None:
    """The phase in which the shoot-out is, for an incident in it."""
    in_shootout = how == "shootout" and kind.score_of is None
    return sport.timing.phases + 1 if in_shootout and sport.timing is not None else None


def _when(sport: Sport, known: frozenset[str], shootout: int | None) -> dict[str, Any]:
    """Minute, lap and phase; somebody's deed has a minute, but not in a shoot-out."""
    acting = not known.isdisjoint({"team", "opponent", *sport.roles})
    return {
        "minute": 36 if sport.timing is not None and acting and shootout is None else None,
        "lap": 12 if sport.ranked else None,
        "phase": 2 if shootout is None and "set" in known else shootout,
    }


def _whose(sport: Sport, known: frozenset[str]) -> dict[str, Any]:
    """The side of the incident, in races the team."""
    if sport.ranked:
        return {"team": HOME if "team" in known else None}
    return {"side": "home" if known & {"team", "opponent"} else None}


def _people(sport: Sport, known: frozenset[str]) -> tuple[Involved, ...]:
    roles = [role for role in sport.roles if role in known]
    return tuple(
        Involved(
            role=role,
            person=Person(ext_id=str(at), name=name, short_name=name),
            team=AWAY if role == "own-goal" else None,
        )
        for at, (role, name) in enumerate(zip(roles, SURNAMES, strict=False))
    )


def _score(known: frozenset[str], *, scores: bool) -> Score | None:
    if "won" in known:
        return Score(6, 4)
    return SCORES["final"] if "score" in known and scores else None


def event_of(case: Case, locale: str) -> dict[str, Any]:
    """The case's post as an event document."""
    terms = replace(ENGLISH, sport=case.match.sport, locale=locale)
    (post,) = wanted_posts(case.match, terms, References(owner_id=""), block_id=lambda key, name: f"{key}-{name}")
    return {"local_id": "1", **post.document}


def published(case: Case, locale: str) -> tuple[str, str]:
    """The post's title in a feed, and its text."""
    event = event_of(case, locale)
    return headline(event, locale), plain_text(event)


def table(sport: Sport) -> Iterator[str]:
    """The lines of one sport."""
    yield f"\n## {sport.name}\n"
    if not sport.reported:
        yield "No event types of providers: its posts are the provider's own text, and what people post."
        return
    yield "| event type | locale | title | sentence |\n|---|---|---|---|"
    for case in cases(sport):
        by_post: dict[tuple[str, str], list[str]] = {}
        for locale in LOCALES:
            by_post.setdefault(published(case, locale), []).append(locale)
        name = f"`{case.kind.id}`" + (f" ({case.how})" if case.how else "")
        for (title, text), locales in by_post.items():
            yield f"| {name} | {', '.join(locales)} | {title} | {text} |"
            name = ""


def document() -> str:
    """The whole file."""
    return "\n".join([HEAD.rstrip(), *(line for sport in SPORTS.values() for line in table(sport))]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
