"""The lists of matches that a replay answers: what its recordings show now, as each provider writes such a list."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from providers.replay import gn_gsd, heim
from providers.replay.recording import Line

KIND = "fixtures"
"""What a fault calls a list."""
Shown = list[tuple[Line, Any]]
Query = Mapping[str, str]


class List(NamedTuple):
    """A list that was requested: whose it is, its name in the log, and how it is made of what the recordings show."""

    provider: str
    name: str
    write: Callable[[Shown], bytes]

    def body(self, shown: Shown) -> bytes:
        """The list, of all matches of the replay those of its provider."""
        return self.write([(line, document) for line, document in shown if _provider(line) == self.provider])


def find(path: str, query: Query) -> List | None:
    """The list that a request names, below any prefix; None where it names none."""
    for provider, (form, write) in LISTS.items():
        found = form.fullmatch(path)
        if found is not None and NEEDED.get(provider, "") in {"", *query}:
            return List(provider, path, partial(write, found, query))
    return None


def _provider(line: Line) -> str:
    """The provider that a recorded answer is of."""
    if line.source is not None:
        return line.source.provider
    return "gn-gsd" if gn_gsd.speaks(line.match_id) else "heim"


def _heim(named: re.Match[str], _: Query, shown: Shown) -> bytes:
    return heim.encode_json(heim.day_list((document for _, document in shown), ".".join(named.group(3, 2, 1))))


def _gn_gsd(_: re.Match[str], query: Query, shown: Shown) -> bytes:
    matches = (document for line, document in shown if line.match_id.startswith("matches/"))
    return heim.encode_json(gn_gsd.schedule(matches, query["timeFrom"], query.get("timeTo", "")))


def _openligadb(named: re.Match[str], _: Query, shown: Shown) -> bytes:
    league, season = named[1].casefold(), named[2]
    rows = [document for _, document in shown if isinstance(document, dict)]
    of_league = [row for row in rows if str(row.get("leagueShortcut")).casefold() == league]
    return heim.encode_json([row for row in of_league if season in {None, str(row.get("leagueSeason"))}])


def _pa(named: re.Match[str], _: Query, shown: Shown) -> bytes:
    day = f'date="{named[3]}/{named[2]}/{named[1]}"'
    found = [ELEMENT.search(document) for _, document in shown if isinstance(document, str)]
    rows = [each[0] for each in found if each is not None and day in each[1]]
    return f'<?xml version="1.0" encoding="utf-8"?><matches>{"".join(rows)}</matches>'.encode()


def _statsperform(_: re.Match[str], query: Query, shown: Shown) -> bytes:
    first, _to, last = query["mt.mDt"].strip("[]").partition(" TO ")
    rows = [each for _, document in shown if isinstance(document, dict) for each in document.get("match", [document])]
    info = [row.get("matchInfo", {}) for row in rows]
    starts = [f"{str(each.get('date')).removesuffix('Z')}T{each.get('time') or '00:00:00Z'}" for each in info]
    page = [row for row, start in zip(rows, starts, strict=True) if first <= start <= last]
    return heim.encode_json({"match": page if query.get("_pgNm", "1") == "1" else []})


ELEMENT = re.compile(r"<match\b([^>]*)>.*</match>", re.DOTALL)
"""A match of PA's, and its attributes."""
NEEDED = {"gn-gsd": "timeFrom", "statsperform": "mt.mDt"}
"""Provider → what the query of its list names; without it the path is that of something else."""
LISTS: Mapping[str, tuple[re.Pattern[str], Callable[[re.Match[str], Query, Shown], bytes]]] = {
    "heim": (re.compile(r".*/matches-by-date/da([0-9]{4})-([0-9]{2})-([0-9]{2})/?", re.ASCII), _heim),
    "openligadb": (re.compile(r".*/getmatchdata/([^/]*[^/0-9][^/]*)(?:/([0-9]{4}))?/?", re.ASCII), _openligadb),
    "pa": (re.compile(r".*/competitions/matchDay/[^/]+/([0-9]{4})([0-9]{2})([0-9]{2})/?", re.ASCII), _pa),
    "statsperform": (re.compile(r".*/match/[^/]+/?", re.ASCII), _statsperform),
    "gn-gsd": (re.compile(r".*/schedule-results/?", re.ASCII), _gn_gsd),
}
"""Provider → the form of its path, and the writer of its list."""
