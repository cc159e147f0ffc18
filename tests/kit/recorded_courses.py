"""Recorded matches as courses of answers."""

import json
from pathlib import Path

from providers.replay.demo import demo_files
from tests.kit.recordings import recordings, required, soccer_recordings
from tests.kit.scripted import Bodies, timeline
from tests.kit.sport_fixtures import FOLDER


def matches() -> list[Path]:
    return [*required(soccer_recordings()), *others(), *demo_files("en")]


def others() -> list[Path]:
    """Recorded matches of other sports that have a course, and our own."""
    recorded = [path for sport in ("tennis", "icehockey", "basketball") for path in recordings(f"heim/{sport}/*.jsonl")]
    return [path for path in (*recorded, *sorted(FOLDER.glob("*/*.jsonl"))) if len(timeline(path)[1]) > 1]


def course(path: Path) -> tuple[str, list[Bodies]]:
    """The recorded course; basketball, the nearest relative that was recorded, is played as american football."""
    match_id, snapshots = timeline(path)
    if path.parent.name != "basketball":
        return match_id, snapshots
    return match_id, [{**bodies, "match": as_football(bodies["match"])} for bodies in snapshots]


def as_football(body: bytes) -> bytes:
    (competition,) = json.loads(body)
    return json.dumps([{**competition, "sport_id": "7"}]).encode()
