"""The course of each soccer match that was recorded or is in the demo: what its feed said after each answer, and when."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.match.match import ALL_PARTS, Match
from providers.fault_collector import RowCache
from providers.heim.read import Event
from providers.heim.translate import translate
from providers.replay.demo import demo_files
from tests.kit.scripted import BERLIN, NAMES, Bodies, timeline
from tests.kit.wire_forms.other_words import with_first_yellows


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The versions of a match. `believed`: what is believed at each; `kept`: the same with first yellow cards that feeds delete."""

    match_id: str
    bodies: list[Bodies]
    truth: list[Match]
    believed: list[Match]
    kept: list[Match]
    running: int
    """The first version in which the match runs."""


def course_files() -> list[Path]:
    """The files of all soccer matches."""
    from tests.kit.recordings import soccer_recordings  # a benchmark reads a course without pytest

    return [*soccer_recordings(), *(each for each in demo_files("en") if each.stem.split(".")[0] in DEMO)]


DEMO = ("croatia-denmark", "uruguay-russia", "colombia-japan")
ROW_CACHE_BYTES = 100_000_000


@cache
def course(path: Path) -> Course:
    """The course in a file, each version once."""
    match_id, versions = timeline(path)
    bodies = [each for at, each in enumerate(versions) if at == 0 or each != versions[at - 1]]
    rows: RowCache[Event] = RowCache(ROW_CACHE_BYTES)
    truth = [translate(match_id, each, zone=BERLIN, names=NAMES, rows=rows) for each in bodies]
    beliefs: list[ConfirmedMatch] = []
    for match in truth:
        beliefs.append(confirm_answer(beliefs[-1] if beliefs else None, match, good=ALL_PARTS))
    believed = [each.match for each in beliefs]
    running = next(at for at, each in enumerate(truth) if each.status.running)
    kept = with_first_yellows(believed)
    return Course(match_id=match_id, bodies=bodies, truth=truth, believed=believed, kept=kept, running=running)


@cache
def final_match(path: Path) -> Match:
    """What the feed of a file says in the end."""
    match_id, versions = timeline(path)
    return translate(match_id, versions[-1], zone=BERLIN, names=NAMES)
