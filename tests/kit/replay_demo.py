"""The real data of which the demo is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.recordings import ROOT


def realdata():
    named = os.environ.get("MATCHWIRE_REALDATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "realdata"
    if folder.is_dir():
        return folder
    reason = f"no match data in {folder}; MATCHWIRE_REALDATA names its folder"
    if os.environ.get("CI"):
        pytest.fail(reason)
    return pytest.skip(reason)
