"""Where recorded provider traffic is found. It is not part of the repository: the commentary in it is copyrighted."""

import os
from pathlib import Path

import pytest

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
