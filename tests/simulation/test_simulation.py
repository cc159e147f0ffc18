"""Several processes in virtual time, with every fault that chance finds: what must hold holds in each play."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.simulation.plants import PLANTS
from tests.sqlite import migrated_url

ROOT = Path(__file__).resolve().parents[2]
QUICKLY_FOUND = ("cursor_ahead", "numbers_skipped")
WITHIN = 60
"""Seeds within which each planted fault has to be found."""


@pytest.fixture
def schema(tmp_path):
    file = tmp_path / "schema.db"
    migrated_url(file)
    return file


def plays(schema, *arguments, seconds=600):
    """Exit status and lines of a run of its own: the clocks are put in place before the product is loaded."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--schema", str(schema), *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_nothing_is_lost_doubled_or_left_over_whatever_befalls(schema):
    """Five plays: every liveblog ends as its provider says, every version was delivered; and one seed is one play."""
    status, lines = plays(schema, "--seeds", 0, 5)

    assert status == 0, lines
    assert len(lines) == 5
    assert plays(schema, "--seed", 4) == (0, [lines[4]])


@pytest.mark.parametrize("name", QUICKLY_FOUND)
def test_a_planted_fault_is_found(schema, name):
    """What cannot fail shows nothing."""
    status, lines = plays(schema, "--seeds", 0, 1, "--plant", name)

    assert status == 1
    assert lines[0].startswith("seed 0: at "), lines


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(PLANTS.keys() - {*QUICKLY_FOUND}))
def test_every_planted_fault_is_found(schema, name):
    """The same for those that take longer, or a rare coincidence."""
    status, lines = plays(schema, "--seeds", 0, WITHIN, "--plant", name)

    assert status == 1, lines


@pytest.mark.soak
def test_ten_thousand_plays(schema):
    """MATCHWIRE_SEED names the first one; two processes share them."""
    first, count = int(os.environ.get("MATCHWIRE_SEED", "0")), 10_000
    parts = [(at, at + 250) for at in range(first, first + count, 250)]
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda part: plays(schema, "--seeds", *part, seconds=3600), parts))

    broken = [line for status, lines in found if status for line in lines if "commits=" not in line]
    assert broken == []
