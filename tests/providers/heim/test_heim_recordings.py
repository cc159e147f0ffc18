"""The recorded matches, line by line, against a second and much simpler reading of the same bodies."""

import gzip
import json
from collections import Counter
from dataclasses import dataclass

import pytest

from providers.heim.translate import translate
from tests.kit.recordings import recorded
from tests.kit.sampling import is_twin, sampled
from tests.providers.heim.feed import BERLIN, NAMES

pytestmark = pytest.mark.proof

MATCHES = ("2226833", "2226958", "2309737", "2415975", "2415987", "2416108", "8305396", "8315073")
CARDS = {"yellow": "yellow-card", "red": "red-card", "yellow-red": "yellow-red-card"}


@dataclass
class Snapshot:
    """The last good body of each resource so far, as it is read and as it was sent."""

    at: str
    bodies: dict
    sent: dict

    @property
    def match(self):
        return self.bodies["match"]["match"]

    @property
    def events(self):
        return [row for row in self.bodies.get("match-event", []) if row["action"] != "coaching"]

    def translated(self, match_id):
        return translate(match_id, self.sent, names=NAMES, zone=BERLIN)


def snapshots(match_id):
    """Every state that a client of this match could have seen."""
    bodies: dict = {}
    sent: dict = {}
    with gzip.open(recorded(f"heim/soccer/ma{match_id}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            answer = json.loads(line)
            name, body = answer["resource"].split("/")[0], answer.get("body")
            if body is None or (name == "match" and not isinstance(body, dict)):
                continue
            bodies, sent = {**bodies, name: body}, {**sent, name: json.dumps(body, ensure_ascii=False).encode()}
            if "match" in bodies:
                yield Snapshot(answer["at"], bodies, sent)


def expected(snapshot):
    """(type, minute, side, first player's id) of what must be reported, read as naively as possible."""
    sides = {snapshot.match["home"]["id"]: "home", snapshot.match["away"]["id"]: "away"}
    for row in snapshot.events:
        side = sides.get(row.get("team", {}).get("id"))
        player, minute = row.get("person", {}).get("id"), int(row["minute"])
        match row["action"], row["kind"]:
            case "goal", "own-goal":
                yield "own-goal", minute, side, player
            case "goal", _:
                yield "goal", minute, side, player
            case "card", kind:
                yield CARDS[kind], minute, side, player
            case "special", "missed-penalty":
                yield "penalty-kick-missed", minute, side, player
            case "playing", "substitute-in":
                yield "substitution", minute, side, player


def actual(found):
    for incident in found.incidents:
        if not incident.marks_period:
            first = incident.people[0].person.ext_id if incident.people else None
            yield incident.kind.removeprefix("soccer."), incident.minute, incident.side, first


@pytest.fixture(scope="module", params=sampled(MATCHES, is_twin))
def states(request):
    """(snapshot, translated match) of every state of one recording."""
    return [(snapshot, snapshot.translated(request.param)) for snapshot in snapshots(request.param)]


def test_every_recorded_state_gives_the_incidents_of_its_rows(states):
    """Goals, cards, missed penalties and substitutions are those of the rows: type, minute, side, player."""
    assert len(states) > 40
    for snapshot, found in states:
        assert Counter(expected(snapshot)) == Counter(actual(found)), snapshot.at


def test_every_recorded_state_has_its_score_clock_and_squads(states):
    """Score, half-time score, status, kick-off and squads of each state are the match's own."""
    for snapshot, found in states:
        rows = snapshot.match["match_result"]
        score = {(row["match_result_at"], row["place"]): int(row["match_result"]) for row in rows}
        periods = {part.title: (part.score.home, part.score.away) for part in found.periods}
        squads = Counter(row["kind"] for row in snapshot.events if row["kind"] in ("lineup", "bench"))

        assert (found.score.home, found.score.away) == (score["0", "home"], score["0", "away"])
        assert periods.get("half-time") == (
            (score["1", "home"], score["1", "away"]) if ("1", "home") in score else None
        )
        assert found.shootout is None
        assert (snapshot.match["finished"] == "yes") == found.status.over
        assert found.status.running == (snapshot.match["current_period"] not in ("", "game-end"))
        assert found.clock.in_break == snapshot.match["current_period"].endswith(("half-end", "extra-end"))
        assert sum(len(side.lineup) for side in found.sides) == squads["lineup"]
        assert sum(len(side.bench) for side in found.sides) == squads["bench"]
        assert found.text == (snapshot.match["live_status"] == "full")


def test_recorded_traffic_has_no_faults(states):
    """Real traffic is understood to the last field."""
    for _, found in states:
        assert found.faults == ()
        assert [incident.order for incident in found.incidents] == sorted({i.order for i in found.incidents})


def test_recorded_text_is_posted_in_order_and_without_headlines(states):
    """Each standalone item is a comment of its own; a bound one has lost its headline and names its incident."""
    for snapshot, found in states:
        items = snapshot.bodies.get("liveticker", [])
        alone = {f"text:{item['id']}" for item in items if "event" not in item and item["content"].strip()}

        assert {comment.key for comment in found.comments if comment.incident_key is None} == alone
        assert not any("Tooor" in comment.html[:12] or 'text">' in comment.html for comment in found.comments)
        assert [c.order for c in found.comments] == list(range(len(found.comments)))
        assert [c.minute for c in found.comments] == sorted(c.minute for c in found.comments)
