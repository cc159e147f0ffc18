"""The texts of the demo's matches of other sports than soccer, from `texts.toml`."""

import tomllib
from pathlib import Path
from typing import Any

ALL: dict[str, Any] = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
