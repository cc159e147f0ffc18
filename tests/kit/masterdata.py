"""People and teams of an import."""

from functools import partial

from mapping.match.match import Match, Named, Person, Side, Status
from store.masterdata.masterdata import import_match

OWNER = "5f0c1de2a1b2c3d4e5f60718"


def person(index, **fields):
    return Person(ext_id=f"p{index}", **{"name": f"Player {index}", "number": str(index), **fields})


PLAYERS = [person(index) for index in range(12)]


def match(home=PLAYERS[1:3], bench=PLAYERS[3:4], away=PLAYERS[11:], **fields):
    return Match(
        provider="heim",
        match_id="m1",
        sport="soccer",
        status=Status.SCHEDULED,
        home=Side(ext_id="t1", name="Ajax", short_name="AJX", lineup=tuple(home), bench=tuple(bench)),
        away=Side(ext_id="t2", name="PSV", lineup=tuple(away)),
        **{
            "tournament": Named(ext_id="c1", name="Cup"),
            "location": Named(ext_id="l1", name="Arena", town="Kiel", country="DE"),
            **fields,
        },
    )


def importing(value, owner_id=OWNER, source="heim"):
    return partial(import_match, owner_id=owner_id, source=source, match=value)
