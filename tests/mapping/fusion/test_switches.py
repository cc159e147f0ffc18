"""A match of two sources whose lead changes at any moment: nothing stands twice, nothing is lost, nothing comes and goes."""

from __future__ import annotations

import random

import pytest

from mapping.fusion.fused_match import FusedMatch, fuse
from providers.replay.demo import demo_files
from tests.kit.recordings import required, soccer_recordings
from tests.kit.second_source import first_key
from tests.kit.switches import beliefs

SEEDS, PROOF_SEEDS, SOAK_SEEDS = 1, 1, 40
SETTLED = 12
"""Versions for which a source leads before its word alone counts: more than the other one may be ahead."""


DEMOS = [each for each in demo_files("en") if "-" in each.stem and "prix" not in each.stem]


def play(path, seed, every):
    """A course with up to six switches: (version, who leads, fused match) after each version.

    A source that does not lead because it failed stands still; the second one is late by some versions.
    """
    rng = random.Random(seed)
    first, second = beliefs(path, every=every), beliefs(path, seed % 5, every)
    late = rng.randrange(SETTLED)
    switches = sorted(rng.sample(range(1, len(first)), min(6, len(first) - 1)))
    leads, since, stood, fused = "first", -SETTLED, 0, FusedMatch(first[0])
    for at in range(len(first)):
        if at in switches:
            leads, since = "second" if leads == "first" else "first", at
        if leads == "first":
            stood = at
        fused = fuse(first[stood], second[max(0, at - late)], fused.keys, leads=leads, settled=at - since >= SETTLED)
        yield at, leads, fused
    for more in range(SETTLED + 1):
        fused = fuse(first[-1], second[-1], fused.keys, leads="first", settled=more == SETTLED)
    yield len(first), "first", fused


def shown_keys(fused):
    """What stands in the match: key → the key that the first source has for it, whoever reports it."""
    there = {each.key for each in fused.match.incidents}
    return {row.key: row.first or first_key(row.second) for row in fused.keys if row.key in there}


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_switches_of_a_match_in_few_steps_post_nothing_twice_and_lose_nothing(path):
    check_switches(path, range(SEEDS), every=12)


@pytest.mark.proof
@pytest.mark.parametrize(
    "seeds", [range(PROOF_SEEDS), pytest.param(range(PROOF_SEEDS, SOAK_SEEDS), marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("path", [*soccer_recordings(), *DEMOS], ids=lambda path: path.stem)
def test_switches_of_a_match_version_by_version_post_nothing_twice_and_lose_nothing(path, seeds):
    required([path])
    check_switches(path, seeds)


def check_switches(path, seeds, every=1):
    first = beliefs(path, every=every)
    ever = [{each.key for each in match.incidents} for match in first]
    for seed in seeds:
        keys: dict[str, str] = {}
        there, gone = set(), set()
        for at, leads, fused in play(path, seed, every):
            now = shown_keys(fused)
            assert [each.key for each in fused.match.incidents if each.key not in now] == []
            assert len(now) == len(fused.match.incidents)
            assert len(set(now.values())) == len(now), (seed, at, leads)  # nothing twice
            for key, truth in now.items():
                assert keys.setdefault(truth, key) == key, (seed, at, leads)  # under one key all the time
            came_back = set(now.values()) & gone
            assert not {each for each in came_back if steady(each, ever)}, (seed, at, leads)
            gone = (gone | there) - set(now.values())
            there = set(now.values())
        assert there == ever[-1], seed
        assert fused.match.score == first[-1].score


def steady(key, ever):
    """Whether the recording itself never takes the incident back."""
    having = [key in each for each in ever]
    return having[having.index(True) :].count(False) == 0
