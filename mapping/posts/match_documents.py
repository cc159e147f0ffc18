"""The people, teams and scores of a match as documents of the interface, to stand inside liveblogs and posts.

Who is in master data is named by `_id`, anybody else by the provider's id as `local_id` (interface: Player, rule 1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mapping.documents.countries import COUNTRIES
from mapping.documents.scalars import UPLOADED
from mapping.match.match import Named, Person, RankingEntry, Score, Side
from mapping.match.references import References

Document = dict[str, Any]

_IMAGE = re.compile(rf"(?:https|{UPLOADED})://[^\s\x00-\x20\x7f]+", re.IGNORECASE)
_GENDERS = frozenset({"m", "f", "o"})


def team(side: Side, references: References) -> Document:
    """A reference to a team that can be shown without looking it up."""
    return {
        "_type": "Svc::Model::Team",
        **_identity(references.teams.get(side.ext_id), side.ext_id),
        **_drop_none(name=side.name, short_name=side.short_name, image=_image(side.image)),
    }


def player(person: Person, side: Side | None, references: References) -> Document:
    """A player in an event: what is needed to name and show them, so that squad corrections do not touch old posts."""
    return {
        "_type": "Svc::Model::Player",
        **_identity(references.players.get(person.ext_id), person.ext_id),
        **(_member_of(side, references) if side is not None else {}),
        **_drop_none(
            name=person.name,
            short_name=person.short_name,
            number=person.number,
            image=_image(person.image),
        ),
    }


def squad_player(person: Person, side: Side, references: References) -> Document:
    """A player in a squad, with everything that the provider gives. `height` in centimetres, `weight` in grams."""
    return {
        **player(person, side, references),
        **_drop_none(
            position=person.position,
            country=_country(person.country),
            gender=person.gender if person.gender in _GENDERS else None,
            birthdate=person.birthdate,
            height=person.height,
            weight=person.weight,
        ),
    }


def squad(side: Side, references: References) -> Document:
    """The squad of one side; empty lists as long as the provider names nobody."""
    return {
        "_type": "Svc::Model::Squad",
        "team": team(side, references),
        "lineup": [squad_player(person, side, references) for person in side.lineup],
        "bench": [squad_player(person, side, references) for person in side.bench],
    }


def tournament(named: Named, references: References) -> Document:
    return {
        "_type": "Svc::Model::Tournament",
        **_identity(references.tournament, named.ext_id),
        "name": named.name,
    }


def location(named: Named, references: References) -> Document:
    return {
        "_type": "Svc::Model::Location",
        **_identity(references.location, named.ext_id),
        "name": named.name,
        **_drop_none(city=named.town, country=_country(named.country)),
    }


def score(value: Score | None, title: str | None = None) -> Document:
    """A pair of scores as text, empty where nothing is known; with a title where one is given."""
    home, away = ("", "") if value is None else (str(value.home), str(value.away))
    return {
        "_type": "Svc::Model::Content::Scoreboard::ScoreboardScore",
        "home_score": home,
        "away_score": away,
        **_drop_none(title=title),
    }


def points(value: tuple[str, str]) -> Document:
    """The points of a running game, which are letters as often as numbers (`40`, `A`)."""
    home, away = value
    return {"_type": "Svc::Model::Content::Scoreboard::ScoreboardScore", "home_score": home, "away_score": away}


def placing(value: RankingEntry, references: References) -> Document:
    """One place of a ranking."""
    return _drop_none(
        position=value.position,
        player=None if value.person is None else player(value.person, value.team, references),
        team=None if value.team is None else team(value.team, references),
        time=value.time,
        gap=value.gap,
        status=value.status,
        laps=value.laps,
    )


def _identity(object_id: str | None, ext_id: str) -> Mapping[str, str]:
    return {"local_id": ext_id} if object_id is None else {"_id": object_id}


def _member_of(side: Side, references: References) -> Mapping[str, str]:
    object_id = references.teams.get(side.ext_id)
    return {"team_local_id": side.ext_id} if object_id is None else {"team_id": object_id}


def _drop_none(**fields: object) -> Document:
    return {name: value for name, value in fields.items() if value is not None}


def _image(url: str | None) -> str | None:
    return url if url and _IMAGE.fullmatch(url) else None


def _country(code: str | None) -> str | None:
    return code if code in COUNTRIES else None
