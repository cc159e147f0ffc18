"""A body of Stats Perform, read from the fixtures."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "statsperform" / "soccer"


def body(name="derby"):
    return json.loads((FOLDER / f"{name}.match.json").read_text(encoding="utf-8"))
