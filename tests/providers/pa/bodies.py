"""Bodies of PA's that tests edit: fixtures as plain values, and written again as XML."""

from pathlib import Path

from providers.contract import xml
from providers.naming import correct_names
from providers.pa.catalog import NAMES
from providers.pa.translate import translate
from tests.kit.contracts import TIE

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "pa" / "soccer"
NOTATION = xml("match", "event", "player", "error")
ROOTS = {"match": "matches", "events": "matchEvents", "lineups": "match"}


class Bodies:
    """The three bodies of a match as documents. `row`: the match; `events`: its events."""

    def __init__(self, name="cup-tie"):
        self.documents = {kind: NOTATION.read((FOLDER / f"{name}.{kind}.xml").read_bytes()) for kind in ROOTS}

    @property
    def row(self):
        return self.documents["match"]["matches"]["match"][0]

    @property
    def events(self):
        return self.documents["events"]["matchEvents"]["events"]["event"]

    def event(self, ident):
        return next(each for each in self.events if each["eventID"] == ident)

    def add(self, ident, what, clock, added="0:00", like="4400003", **more):
        """Another event, as a copy of one that is there."""
        times = {"eventType": what, "normalTime": clock, "addedTime": added}
        self.events.append({**self.event(like), "eventID": ident, **times, **more})

    def remove(self, *idents):
        self.events[:] = [each for each in self.events if each["eventID"] not in idents]

    def written(self):
        return {kind: NOTATION.write(document) for kind, document in self.documents.items()}

    def read(self, match_id=TIE, **names):
        """The match that they become."""
        return translate(match_id, self.written(), names=correct_names(NAMES, {"names": names}))


def rows_of(match):
    return [(each.kind.partition(".")[2], each.minute, each.added, each.phase, each.side) for each in match.incidents]


def find(match, ident):
    """The incident of an event, None where it is none."""
    return next((each for each in match.incidents if each.key == f"incident:{ident}"), None)


def people(incident):
    return [(who.role, who.person.name) for who in incident.people]
