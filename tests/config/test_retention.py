"""What docs/running.md says of how long things are kept is what the settings say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.kit.default_file import documented

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "running.md").read_text(encoding="utf-8")


def test_the_table_of_retention_names_settings_with_their_defaults():
    """Each setting of the table exists, and one that bounds a row has the default that the row says."""
    rows = re.search(r"## What is kept for how long\n\n(.*?)\n\n", TEXT, re.DOTALL)[1].splitlines()[2:]
    settings, found = documented(), 0
    for row in rows:
        _, _, kept, named, _, _ = row.split("|")
        for section, key in re.findall(r"`(\w+)\.(\w+)`", named):
            found += 1
            if key != "max_bytes":
                assert str(settings[section][key]) in f"{kept} {named}", row

    assert found >= 9
