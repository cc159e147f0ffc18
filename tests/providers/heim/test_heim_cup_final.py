"""A made-up cup final with everything in it: the shipped fixture, translated as a whole."""

from pathlib import Path

import pytest

from mapping.match import Score, Status
from providers.heim.catalog import CATALOG
from providers.heim.translate import translate
from tests.kit.sport_fixtures import posted
from tests.providers.heim.feed import BERLIN, MATCH_ID, NAMES

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "heim" / "soccer"
MISSED = "penalty-kick-missed"
INCIDENTS = [
    ("soccer.start", 1, 1),
    ("soccer.yellow-card", 17, 1),
    ("soccer.goal", 31, 1),
    ("soccer.pause-halves", 45, 1),
    ("soccer.resume-halves", 46, 2),
    ("soccer.own-goal", 58, 2),
    ("soccer.substitution", 64, 2),
    ("soccer.yellow-red-card", 77, 2),
    ("soccer.end-of-regular-play", 90, 2),
    ("soccer.start-overtime", 91, 3),
    ("soccer.goal", 98, 3),
    ("soccer.pause-overtime", 105, 3),
    ("soccer.resume-overtime", 106, 4),
    ("soccer.penalty-kick-missed", 109, 4),
    ("soccer.goal", 118, 4),
    ("soccer.red-card", 120, 4),
    ("soccer.end-of-overtime", 120, 4),
    ("soccer.start-shootout", 120, 5),
    *((f"soccer.{kick}", 120, 5) for kick in ("goal", "goal", "goal", MISSED, "goal", "goal", "goal", MISSED)),
    ("soccer.end", 120, 5),
]


@pytest.fixture(scope="module")
def final():
    bodies = {name: (FOLDER / f"cup-final.{name}.json").read_bytes() for name in ("match", "match-event", "liveticker")}
    return translate(MATCH_ID, bodies, names=NAMES, zone=BERLIN)


def test_every_event_type_occurs_in_its_phase(final):
    """All seventeen types, with minute and phase, in the order of play."""
    assert [(i.kind, i.minute, i.phase) for i in final.incidents] == INCIDENTS
    assert {kind for kind, *_ in INCIDENTS} == set(CATALOG["soccer"])
    assert not any(incident.synthesised for incident in final.incidents)


def test_the_result_separates_play_and_shoot_out(final):
    """2:2 on the pitch, 4:2 from the spot."""
    assert (final.status, final.score, final.shootout, final.winner) == (
        Status.FINISHED,
        Score(2, 2),
        Score(4, 2),
        "home",
    )
    assert [(part.title, str(part.score)) for part in final.periods] == [
        ("half-time", "1:0"),
        ("full-time", "1:1"),
        ("extra-time", "2:2"),
    ]


def test_half_time_of_extra_time_has_the_score_of_its_goals(final):
    """No row of the feed has it: full-time and the goal of the first half of extra time make it."""
    post = posted(final)["period:soccer.pause-overtime"]

    assert post.document["contents"][0]["text"].endswith(f" 1-2 {final.away.short_name}.")


def test_every_kick_of_the_shoot_out_has_its_tally(final):
    """Eight kicks, each with the player and how many had gone in until then."""
    kicks = [(each.people[0].person.name, str(each.score)) for each in final.incidents if each.method == "shootout"]

    assert kicks == [
        ("Ivo Iversen", "1:0"),
        ("Hauke Illner", "1:1"),
        ("Jost Jansing", "2:1"),
        ("Gero Jirsa", "2:1"),
        ("Nils Nissing", "3:1"),
        ("Kai Fink", "3:2"),
        ("Carl Claasen", "4:2"),
        ("Fiete Kogler", "4:2"),
    ]


def test_people_play_their_parts(final):
    """Scorer and assist, the fouled player, who came for whom, and the own goal on its scorer's side."""
    parts = {i.key: [(p.role, p.person.name) for p in i.people] for i in final.incidents if i.people}

    assert parts["incident:9003"] == [("scorer", "Ivo Iversen"), ("assist", "Jost Jansing")]
    assert [role for role, _ in parts["incident:9012"]] == ["scorer", "fouled"]
    assert parts["incident:9008"] == [("in", "Nils Nissing"), ("out", "Gero Grote")]
    assert next(i.side for i in final.incidents if i.kind == "soccer.own-goal") == "home"


def test_squads_are_complete_and_without_coaches(final):
    """Eleven and five on each side, goalkeeper first."""
    assert [(len(side.lineup), len(side.bench), side.lineup[0].position) for side in final.sides] == [
        (11, 5, "keeper")
    ] * 2


def test_the_text_finds_its_incidents(final):
    """Narratives are bound, that of the kick in the shoot-out too, the rest stands alone, mere headlines are silent."""
    bound = {comment.key: comment.incident_key for comment in final.comments}

    assert bound == {
        "text:501": None,
        "text:502": "period:soccer.start",
        "text:503": None,
        "text:504": "incident:9003",
        "text:507": "incident:9008",
        "text:508": "incident:9012",
        "text:509": "incident:9023",
        "text:510": "period:soccer.end",
    }
    assert final.tournament.name == "Hansepokal"
    assert final.faults == ()
