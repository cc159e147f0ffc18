"""Key moments = truth at every step of every recording; the truth is read off the provider's rows, not by our mapping."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.view.key_moments import moments_of, result_of
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.references import References
from mapping.posts.key_moments import KeyMoment
from mapping.posts.posts import wanted_posts
from providers.fault_collector import RowCache
from providers.heim.translate import translate
from providers.replay.demo import demo_files
from tests.kit.recordings import course, others, soccer_recordings
from tests.kit.sampling import is_twin, sampled
from tests.kit.scripted import BERLIN, NAMES, OWNER, Bodies

NOBODY = References(owner_id=OWNER)


def liveblog(bodies: Bodies, match_id: str, rows: RowCache[Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The liveblog's document and its posts, as they follow from the bodies."""
    answer = translate(match_id, {"match-event": b"[]", **bodies}, names=NAMES, zone=BERLIN, rows=rows)
    match = confirm_answer(None, answer, good=frozenset()).match
    terms = ImportOptions(sport=match.sport, auto_post=True)
    posts = wanted_posts(match, terms, NOBODY, block_id=lambda key, name: f"{key} {name}")
    return game_document(match, terms, NOBODY), [{**post.document, "local_id": post.key} for post in posts]


pytestmark = pytest.mark.proof

BREAKS = {"first-half-end": 45, "second-half-end": 90, "first-extra-end": 105, "second-extra-end": 120}
"""A whistle → the minute up to which goals count before it."""
GOES_ON = {"second-half-end": {"first-extra-start", "penalty-start"}, "second-extra-end": {"penalty-start"}}
"""The last whistle of play → those after which the match was not over."""
BEFORE = {
    "second-half-start": "first-half-end",
    "first-extra-start": "second-half-end",
    "second-extra-start": "first-extra-end",
}
"""A whistle → the one that must have been before it."""
BRANCHES = ("match", "round", "season")
SENT_OFF = {("card", "red"), ("card", "yellow-red")}
SIGNS = {"yellow-flag", "red-flag", "safety-car", "virtual-safety-car"}
OVER = {"in", "ending", "restart", "clear"}
"""What the provider writes where a sign is lifted."""
CROATIA = next(path for path in demo_files("en") if path.name.startswith("croatia"))
Seen = tuple[str, str, str]
"""Type, minute where it is no whistle, score after it where it is the score's."""


def truth_of_soccer(match: dict[str, Any], rows: list[dict[str, Any]]) -> list[Seen]:
    """What a person finds in the rows who looks for goals, cards, penalties and whistles; `match` has the last whistle first.

    All kicks of a shoot-out are in the one line of its start.
    """
    goals = [(int(row["minute"]), row["content"]) for row in rows if row["action"] == "goal"]
    whistles = {row["kind"] for row in rows if row["action"] == "match"} | {match["current_period"]}
    whistles |= {BEFORE[each] for each in whistles if each in BEFORE}
    board = {row["place"][-4:]: row["match_result"] for row in match["match_result"] if row["match_result_at"] == "0"}
    found = [*map(_seen, rows), *(_whistle(each, goals, whistles) for each in whistles)]
    if "game-end" in whistles:
        on_the_pitch = _score(goals, 120) if "penalty-start" in whistles else f"{board['home']}:{board['away']}"
        found.append(("result", "", on_the_pitch))
    return sorted(each for each in found if each is not None)


def _seen(row: dict[str, Any]) -> Seen | None:
    what, minute = (row["action"], row["kind"]), f"{row['minute']}'"
    if row["action"] == "goal":
        return "goal", minute, row["content"]
    if what in SENT_OFF:
        return "sent-off", minute, ""
    if what == ("special", "missed-penalty"):
        return "penalty-missed", minute, ""
    return None


def _whistle(kind: str, goals: list[tuple[int, str]], whistles: set[str]) -> Seen | None:
    if kind in BREAKS:
        over = kind in GOES_ON and "game-end" in whistles and not whistles & GOES_ON[kind]
        return None if over else ("break", "", _score(goals, BREAKS[kind]))
    return ("shoot-out", "", "") if kind == "penalty-start" else None


def _score(goals: list[tuple[int, str]], until: int) -> str:
    """The score after the goals up to a minute."""
    scores = [score for minute, score in goals if minute <= until]
    return max(scores, key=lambda score: sum(map(int, score.split(":"))), default="0:0")


def truth_of_tennis(row: dict[str, Any]) -> list[Seen]:
    """A set for each that the sets won count, or after which another began, and the result once it is over."""
    found = {(each["match_result_at"], each["place"][-4:]): int(each["match_result"]) for each in row["match_result"]}
    sets = [(found[at, "home"], found[at, "away"]) for at in "12345" if (at, "home") in found and (at, "away") in found]
    played = [each for each in sets if any(each)]
    won = sum(found.get(("0", side), 0) for side in ("home", "away"))
    ended = [f"{home}:{away}" for at, (home, away) in enumerate(played, 1) if at <= won or at < len(played)]
    over = row["finished"] == "yes" or "match_incident" in row
    result = [("result", "", f"{found['0', 'home']}:{found['0', 'away']}")] if over else []
    return sorted([*(("set", "", score) for score in ended), *result])


def truth_of_race(match: dict[str, Any], rows: list[dict[str, Any]]) -> list[Seen]:
    """A flag for every sign of the race control, yellow ones of one lap taken together, and crashes, start and end."""
    found: set[Seen] = set()
    for row in rows:
        kind, lap = row["kind"], row.get("lap", "")
        if kind == "crash":
            found.add(("incident", f"Lap {lap} {row['person']['name'].rpartition(' ')[2]}", ""))
        elif kind in SIGNS:
            content = "" if kind == "yellow-flag" else row["content"]
            found.add(("flag", f"Lap {lap} {kind} {content in OVER}", ""))
        elif kind in {"game-start", "game-end"}:
            found.add(("start" if kind == "game-start" else "result", "", ""))
    if match["current_period"]:
        found.add(("start", "", ""))
    if match["finished"] == "yes":
        found.add(("result", "", ""))
    return sorted(found)


def truth(bodies: Bodies, sport: str) -> list[Seen]:
    """What the provider's answer says, of the sports of which it has moments."""
    found = json.loads(bodies["match"])
    while "finished" not in found:  # at the end of a tree of competition, season and round
        found = found[0] if isinstance(found, list) else next(found[name] for name in BRANCHES if name in found)
    if sport == "soccer":
        return truth_of_soccer(found, json.loads(bodies["match-event"]))
    if sport == "motorsports":
        return truth_of_race(found, json.loads(bodies["match-event"]))
    return truth_of_tennis(found)


def seen(moment: KeyMoment) -> Seen:
    """A key moment of ours, as the truth is written."""
    if moment.event_type.startswith("motorsports."):
        return seen_in_race(moment)
    whistle = moment.type in {"break", "shoot-out", "result", "set"}
    scored = moment.type in {"goal", "break", "result", "set"} and moment.phase != "Penalty shoot-out"
    result = moment.type == "result"
    return moment.type, "" if whistle else moment.minute, str(moment.score) if scored or result else ""


def seen_in_race(moment: KeyMoment) -> Seen:
    """A key moment of a race: of flags whether they are lifted, as the sentence says it, of crashes the end of the name."""
    if moment.type == "flag":
        lifted = any(word in moment.text for word in ("comes in", "is over", "restarted", "clear again"))
        return "flag", f"{moment.minute} {moment.event_type.removeprefix('motorsports.')} {lifted}", ""
    if moment.type == "incident":
        return "incident", f"{moment.minute} {moment.player.rpartition(' ')[2]}", ""
    return moment.type, "", ""


def paths() -> list[Path]:
    """Every recording with goals, sets or whistles, and those of our own matches that show what no recording has."""
    own = [path for path in demo_files("en") if path.name.startswith(("croatia", "sao-paulo", "wimbledon"))]
    return [
        path for path in (*soccer_recordings(), *others(), *own) if path.parent.name in {"soccer", "tennis", "demo"}
    ]


@pytest.mark.parametrize("path", sampled(paths(), is_twin), ids=lambda path: path.name.partition(".jsonl")[0])
def test_the_key_moments_are_the_truth_at_every_step(path):
    """After each recorded answer they are exactly what its rows say, goals that were taken back and corrected scores included."""
    match_id, snapshots = course(path)
    rows: RowCache[Any] = RowCache(2**25)
    steps = list(dict.fromkeys((each["match"], each.get("match-event", b"[]")) for each in snapshots))
    for match, events in steps:
        bodies = {"match": match, "match-event": events}
        game, posts = liveblog(bodies, match_id, rows)
        moments, recap, *_ = moments_of(game, posts)
        assert sorted(map(seen, moments)) == truth(bodies, game["sportstype"])
        assert all(each.text and "{" not in each.text for each in moments)
        assert "{" not in recap


def test_the_marks_are_the_kicks_at_every_step():
    """Those of the answer, in their order, also while the shoot-out goes on; none of them is a goal."""
    match_id, snapshots = course(CROATIA)
    rows, most = RowCache(2**25), 0
    for match, events in dict.fromkeys((each["match"], each.get("match-event", b"[]")) for each in snapshots):
        game, posts = liveblog({"match": match, "match-event": events}, match_id, rows)
        found = moments_of(game, posts)
        taken = sorted((row for row in json.loads(events) if row["action"] == "pso"), key=lambda row: int(row["id"]))
        truth = [(row["person"]["surname"], row["kind"] == "goal") for row in taken]
        assert [(kick.player.rpartition(" ")[2], kick.scored) for kick in found.kicks] == truth
        assert [str(each.type) for each in found.moments].count("shoot-out") <= 1
        most = max(most, len(truth))

    assert most == 10
    assert result_of(game) == "Croatia win 3-2 on penalties"
