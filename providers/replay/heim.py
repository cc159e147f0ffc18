"""The behaviour of a HEIM:SPIEL host: its addresses, envelopes and headers."""

import gzip
import json
import re
from collections.abc import Iterable, Mapping
from email.utils import formatdate
from hashlib import md5
from typing import Any, NamedTuple

from providers.replay.faults import JSON
from providers.replay.moved_dates import match_in_tree
from providers.replay.settings import Envelope

PATH = re.compile(
    r"(?:/[^/]+)*?/(?:(?P<plain>match|match-event)|(?P<text>liveticker)/co[^/]*)/ma(?P<match>\w+)/?",
    re.ASCII,
)
MAX_AGE = 30
"""Seconds for which the provider lets an answer be cached."""
BEFORE_FIRST: Mapping[str, bytes | None] = {"match": None, "match-event": b"[]", "liveticker": b"[]"}
"""What a resource of a known match answers before it exists; None = 404."""
NOT_FOUND = b'{"error":"not found"}'

SPORT = {"id": "1", "name": "Fußball"}
SEASON_ABOVE = {"name": "", "current_round_id": "0"}
COMPETITION_ABOVE = {"id": "0", "name": "", "shortname": "", "microname": "", "type": "club", "gender": "male"}


class Address(NamedTuple):
    """The resource that a path names."""

    kind: str
    match_id: str


def address(path: str) -> Address | None:
    """The resource that a path names, below any prefix and with or without a trailing slash."""
    found = PATH.fullmatch(path)
    return Address(found["plain"] or found["text"], found["match"]) if found else None


def wrap_body(body: Any, envelope: Envelope) -> Any:
    """The answer of `match` in the envelope that an organization's endpoint uses."""
    match = body.get("match") if isinstance(body, dict) else None
    return _tree(match, body) if envelope == "tree" and isinstance(match, dict) else body


def day_list(bodies: Iterable[Any], day: str) -> list[Any]:
    """The matches of a day (`DD.MM.YYYY`) in their competitions, each of which comes as often as it has matches."""
    nodes: list[Any] = []
    for body in bodies:
        match = body.get("match") if isinstance(body, dict) else None
        nodes += [_competition(match)] if isinstance(match, dict) else body if isinstance(body, list) else []
    return [node for node in nodes if (match_in_tree([node]) or {}).get("match_date") == day]


def _tree(match: dict[str, Any], body: dict[str, Any]) -> list[Any]:
    """The match at the bottom of sport, competition, season and round, the period catalogue beside the competitions."""
    nested = _competition(match)
    sport = SPORT if nested["sport_id"] == SPORT["id"] else {"id": nested["sport_id"], "name": ""}
    return [sport | {"competition": [nested], "match_result_at": body.get("match_result_at", [])}]


def _competition(match: dict[str, Any]) -> dict[str, Any]:
    """The competition with the match at its bottom."""
    round_ = dict(match.get("round") or {"id": match.get("round_id", "0")})
    season = dict(round_.pop("season", None) or {"id": round_.get("season_id", "0"), **SEASON_ABOVE})
    competition = dict(season.pop("competition", None) or COMPETITION_ABOVE)
    leaf = {key: value for key, value in match.items() if key not in {"round", "round_id"}}
    sport_id = str(competition.get("sport_id") or SPORT["id"])
    return competition | {"sport_id": sport_id, "season": [season | {"round": [round_ | {"match": [leaf]}]}]}


def encode_json(document: Any) -> bytes:
    """JSON in UTF-8, letters unescaped."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def etag(body: bytes) -> str:
    """The strong tag of an answer: its MD5 in quotes, as the provider sends it."""
    return f'"{md5(body, usedforsecurity=False).hexdigest()}"'


def matches(if_none_match: str | None, tag: str) -> bool:
    """Whether a conditional request knows this answer already; weak tags and lists of tags are compared too."""
    if not if_none_match:
        return False
    known = {known.strip().removeprefix("W/") for known in if_none_match.split(",")}
    return "*" in known or tag in known


def headers(tag: str, *, speed: float, now: float) -> dict[str, str]:
    """The headers of a good answer; `max-age` is the provider's on the virtual clock, `now` in Unix seconds."""
    max_age = int(MAX_AGE / speed)
    return {
        "content-type": JSON,
        "etag": tag,
        "cache-control": f"public, max-age={max_age}",
        "expires": formatdate(now + max_age, usegmt=True),
        "access-control-allow-origin": "*",
        "vary": "Accept-Encoding",
    }


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Whether the client takes gzip, which it may refuse with `q=0`."""
    for choice in (accept_encoding or "").split(","):
        name, _, quality = choice.replace(" ", "").partition(";q=")
        if name in {"gzip", "*"}:
            return quality.strip("0.") != "" if quality else True
    return False


def compress_body(body: bytes) -> bytes:
    """The body as gzip, the same bytes each time."""
    return gzip.compress(body, compresslevel=6, mtime=0)
