"""The table of the words for a match's state, `tests/tables/statuses.toml`, and the bodies of a match with each of them."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from providers.contract import StateTable
from tests.kit.wire_courses.courses import SOCCER, id_of
from tests.kit.wire_courses.soccer import OVER, PLANNED, SECOND_HALF

FILE = Path(__file__).resolve().parents[1] / "tables" / "statuses.toml"
HEIM_INCIDENTS = {"nach Verlängerung": "1", "im Elfmeterschießen": "2", "verlegt": "3", "abgebrochen": "5"}
MOMENTS = {"before": PLANNED, "during": SECOND_HALF, "after": OVER}


def _pa(bodies: dict[str, bytes], word: str) -> None:
    bodies["match"] = re.sub(rb"(?<=<matchStatus>)[^<]*", word.encode(), bodies["match"])


def _statsperform(bodies: dict[str, bytes], word: str) -> None:
    _set(bodies, word, "liveData", "matchDetails", "matchStatus")


def _gn_gsd(bodies: dict[str, bytes], word: str) -> None:
    _set(bodies, word, "match", "status")


def _openligadb(bodies: dict[str, bytes], word: str) -> None:
    _set(bodies, word == "finished", "matchIsFinished")


def _heim(bodies: dict[str, bytes], word: str) -> None:
    """A period, an incident, or that it is finished; a period before the end says that it is not."""
    if word in HEIM_INCIDENTS:
        _set(bodies, {"id": HEIM_INCIDENTS[word], "name": word}, "match", "match_incident")
        return
    _set(bodies, "yes" if word in ("finished", "game-end") else "no", "match", "finished")
    if word != "finished":
        _set(bodies, "" if word == "no period" else word, "match", "current_period")


def _set(bodies: dict[str, bytes], value: object, *way: str) -> None:
    """Another value in the match's own body."""
    body = node = json.loads(bodies["match"])
    for step in way[:-1]:
        node = node[step]
    node[way[-1]] = value
    bodies["match"] = json.dumps(body, ensure_ascii=False).encode()


SAYING: Mapping[str, Callable[[dict[str, bytes], str], None]] = {
    "heim": _heim, "pa": _pa, "statsperform": _statsperform, "gn-gsd": _gn_gsd, "openligadb": _openligadb,
}  # fmt: skip
"""Provider → how a word for the state gets into the bodies of a match."""


@cache
def rows(provider: str) -> dict[str, dict[str, str]]:
    """Word → its row: a state and a sentence for each moment, and what is assumed."""
    found: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {word: row for word, row in found.get(provider, {}).items() if word != "usual"}


def cell(row: Mapping[str, str], moment: str) -> tuple[str, str]:
    """(state, the sentence that readers see)."""
    state, _, sentence = row[moment].partition(" | ")
    return state, sentence


def bodies_of(provider: str, word: str, moment: str) -> dict[str, bytes]:
    """What the provider answers of a match that has come to this moment, with this word."""
    bodies = SOCCER[provider](MOMENTS[moment], id_of(provider, 1))
    SAYING[provider](bodies, word)
    return bodies


def state_table(provider: str) -> StateTable:
    """The table in the form of the contract."""
    return StateTable(
        match_id=id_of(provider, 1),
        usual=tomllib.loads(FILE.read_text(encoding="utf-8"))[provider]["usual"],
        states={word: {at: cell(row, at)[0] for at in MOMENTS} for word, row in rows(provider).items()},
        bodies=partial(bodies_of, provider),
    )
