"""Who is who at several providers, by an operator's table: a CSV file with a column a provider and a row a person."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path

from config import Settings
from config.errors import StartError

MOST = 500_000
"""People in one file."""

Names = dict[str, str]
Crosswalk = dict[tuple[str, str], Names]
"""(provider, provider of the standby) → id of a person at the second → the same person's id at the first."""


def crosswalks_of(settings: Settings) -> Mapping[tuple[str, str, str], Names]:
    """The tables of all organizations: (organization, provider, provider of the standby) → ids. Raises StartError."""
    return {
        (owner, *providers): names
        for owner, organization in settings.organizations.items()
        if organization.crosswalk is not None
        for providers, names in read_crosswalk(Path(organization.crosswalk)).items()
    }


def read_crosswalk(path: Path) -> Crosswalk:
    """The file's people for each two of its providers. Raises StartError, naming the line, for what is no such table."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return _read(path, csv.reader(lines, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StartError(f"{path}: cannot be read: {error}") from error


def _read(path: Path, rows: Iterator[list[str]]) -> Crosswalk:
    providers = next(rows, [])
    if len(providers) < 2 or len(set(providers)) < len(providers) or not all(providers):
        raise StartError(f"{path}: the first line should name two providers or more, each once")
    found: Crosswalk = {pair: {} for pair in permutations(providers, 2)}
    for number, row in enumerate(rows, start=2):
        if number > MOST:
            raise StartError(f"{path}: has more than {MOST} lines")
        if row and len(row) != len(providers):
            raise StartError(f"{path}, line {number}: {len(providers)} ids expected, separated by commas")
        twice = _add(found, dict(zip(providers, map(str.strip, row), strict=False)))
        if twice is not None:
            raise StartError(f"{path}, line {number}: {twice} stands in another line with another id")
    return found


def _add(found: Crosswalk, person: Mapping[str, str]) -> str | None:
    """Add a person by the ids that are given; the id that is somebody else's already, None where none is."""
    known = {provider: ident for provider, ident in person.items() if ident}
    for first, second in permutations(known, 2):
        if found[first, second].setdefault(known[second], known[first]) != known[first]:
            return known[second]
    return None
