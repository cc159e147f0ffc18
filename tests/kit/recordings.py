"""Where recorded provider traffic is found. It is not part of the repository: the commentary in it is copyrighted."""

import json
import os
from pathlib import Path

import pytest

from providers.replay.demo import demo_files
from tests.kit.scripted import Bodies, timeline
from tests.kit.sport_fixtures import FOLDER

ROOT = Path(__file__).resolve().parents[2]


def recordings_folder() -> Path:
    """The folder that MATCHWIRE_RECORDINGS names, `../shared/recordings` beside the repository where it does not."""
    named = os.environ.get("MATCHWIRE_RECORDINGS")
    return Path(named) if named else ROOT.parent / "shared" / "recordings"


def recordings(pattern: str) -> list[Path]:
    """The recorded files that match `pattern` below the folder, sorted; none where there is no folder."""
    return sorted(recordings_folder().glob(pattern))


def soccer_recordings() -> list[Path]:
    """The recorded soccer matches of heim; for parametrizing, together with `required`."""
    return recordings("heim/soccer/ma*.jsonl.gz")


def required(found: list[Path]) -> list[Path]:
    """`found`, or a skip with the reason where nothing is found; in CI that is a failure. To be called in a test."""
    if found:
        return found
    reason = f"no recordings in {recordings_folder()}; MATCHWIRE_RECORDINGS names their folder"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def recorded(name: str) -> Path:
    """One recording by its path, such as `heim/soccer/ma8315073.jsonl.gz`; skips or fails like `required`."""
    return required(recordings(name))[0]


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
