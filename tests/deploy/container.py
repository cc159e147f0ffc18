"""What Containerfile and compose.yaml say, read by libraries for their formats."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTAINERFILE = ROOT / "Containerfile"
COMPOSE = ROOT / "deploy" / "compose.yaml"
CONFIGURATION = ROOT / "deploy" / "container" / "matchwire.toml"


def without(tool):
    """Skips for want of a tool; fails in CI."""
    reason = f"there is no {tool} here"
    return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def program(name):
    """A program of this environment or of the machine."""
    beside = str(Path(sys.prefix) / "bin")
    return shutil.which(name, path=beside + os.pathsep + os.environ["PATH"]) or without(name)


def instructions(stage=None):
    """The instructions of Containerfile as pairs, of all stages or of one by its place."""
    try:
        from dockerfile_parse import DockerfileParser
    except ImportError:
        return without("dockerfile-parse")
    with CONTAINERFILE.open("rb") as file:
        steps = [(each["instruction"], each["value"]) for each in DockerfileParser(fileobj=file).structure]
    stages = [[]]
    for name, value in steps:
        if name == "FROM":
            stages.append([])
        if name != "COMMENT":
            stages[-1].append((name, value))
    return [pair for each in stages for pair in each] if stage is None else stages[stage]


def values(stage, instruction):
    return [value for name, value in instructions(stage) if name == instruction]


def command_of_image():
    return [*json.loads(values(-1, "ENTRYPOINT")[0]), *json.loads(values(-1, "CMD")[0])]


def composed():
    """compose.yaml with its anchors resolved."""
    return yaml.safe_load(COMPOSE.read_text())
