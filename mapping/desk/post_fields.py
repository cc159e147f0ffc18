"""Whose words the fields of a post are, the provider's or a person's, and what either says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mapping.locales import msgid
from mapping.posts.merge import owners
from mapping.rules.rich_text import plain

LONGEST = 160
"""Characters of a value that are shown."""
LABELS: Mapping[str, str] = {
    "headline": msgid("Headline"),
    "highlight": msgid("Emphasis"),
    "sport_event": msgid("Incident"),
    "sport_event.event_type": msgid("Kind of event"),
    "sport_event.title": msgid("Incident"),
    "sport_event.time_of_play": msgid("Minute"),
    "sport_event.team": msgid("Team"),
    "sport_event.players": msgid("Players"),
    "sport_event.score": msgid("Score"),
    "sport_event.score.home_score": msgid("Score, home"),
    "sport_event.score.away_score": msgid("Score, away"),
    "sport_event.phase": msgid("Phase of play"),
    "contents": msgid("Text"),
    "media": msgid("Pictures and videos"),
    "scoreboard.score": msgid("Score"),
    "scoreboard.score.home_score": msgid("Score, home"),
    "scoreboard.score.away_score": msgid("Score, away"),
    "scoreboard.scores": msgid("Score of a part"),
    "scoreboard": msgid("Score"),
    "state_info": msgid("State of play"),
}
"""Path of a field, or of what holds it → how it is called."""
BESIDE = frozenset({"_type", "created_at"})
"""What the provider says of a post that its document does not hold."""
RESULT = frozenset({"scoreboard.score.home_score", "scoreboard.score.away_score"})
"""The fields of a liveblog that are named whoever has written them."""
CALLED = ("name", "question", "url", "title")
"""What a document is called by, the best first."""
NOTHING = "\N{EN DASH}"
NAMELESS = frozenset({"editor", "user_id"})
SAID_TWICE = frozenset({"_id", "short_name"})
"""Parts of a record whose name says the same: of no interest unless a person has changed them."""


class FieldOwner(NamedTuple):
    """A field: its path for handing it back, its name, whether a person has changed it, what stands, what the provider says."""

    path: str
    label: str
    of_person: bool
    current: str
    said: str

    @property
    def is_returnable(self) -> bool:
        """Whether it can be handed back: a person has changed it, and of blocks the provider has written it."""
        return self.of_person and (bool(self.said) or not self.path.startswith("contents."))


def post_fields(
    said: Mapping[str, Any], document: Mapping[str, Any], shown: Mapping[str, Any] | None = None
) -> list[FieldOwner]:
    """The fields of a post that the provider speaks of or a person has changed; `said`: the provider's last word.

    `shown`: the document with the names of the records that it refers to by their ids.
    """
    from_provider = {name: value for name, value in said.items() if name not in BESIDE}
    return _fields(from_provider, document, shown or document)


def match_fields(said: Mapping[str, Any], document: Mapping[str, Any]) -> list[FieldOwner]:
    """The fields of the liveblog itself, its score and state of play; `said` holds the parts that are kept up to date.

    Of what is the provider's the score alone is named, and a state that a person has set is one field.
    """
    names = ("scoreboard", "state_info")
    found = _fields(
        {name: said[name] for name in names if name in said},
        current := {name: document[name] for name in names if name in document and name in said},
        current,
    )
    scores = [each for each in found if _is_named(each)]
    return [*scores, *_state(of_person(found))]


def _is_named(field: FieldOwner) -> bool:
    """Whether a field of the liveblog is named by itself."""
    return field.path in RESULT or (field.of_person and field.path.startswith("scoreboard"))


def _state(taken: Iterable[FieldOwner]) -> list[FieldOwner]:
    """The state of play as one field, where one of these is a part of it."""
    if not any(each.path.startswith("state_info") for each in taken):
        return []
    return [FieldOwner("state_info", LABELS["state_info"], True, NOTHING, NOTHING)]


def of_person(fields: Iterable[FieldOwner]) -> list[FieldOwner]:
    """The fields that a person has changed."""
    return [each for each in fields if each.of_person]


def returnable(fields: Iterable[FieldOwner]) -> list[FieldOwner]:
    """The fields that can be handed back to the provider."""
    return [each for each in fields if each.is_returnable]


def _fields(said: Mapping[str, Any], document: Mapping[str, Any], shown: Mapping[str, Any]) -> list[FieldOwner]:
    found = []
    for path, owner in owners(said, dict(document)).items():
        label = _label(path)
        if label is None or (owner != "editor" and path.rpartition(".")[2] in SAID_TWICE):
            continue
        current = value_text(_at(shown, path)) or value_text(_at(document, path))
        before = value_text(_at(said, path))
        if current or before or owner == "editor":
            found.append(FieldOwner(path, label, owner == "editor", current, before))
    return found


def _label(path: str) -> str | None:
    """The name of the field, or of the nearest thing that holds it; None for what nobody changes by hand."""
    if path in NAMELESS or path.rpartition(".")[2] in {"_type", "local_id", "sportstype"}:
        return None
    parts = path.split(".")
    held = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((LABELS[each] for each in held if each in LABELS), None)


def _at(document: Any, path: str) -> Any:
    """What stands at a path of `owners`; rows are found by their names, which may have dots in them."""
    value, rest = document, path
    while rest:
        if isinstance(value, list):
            return next(
                (_at(row, rest[len(name) + 1 :]) for row, name in _rows_with_names(value) if _begins(rest, name)), None
            )
        if not isinstance(value, dict):
            return None
        name, _, rest = rest.partition(".")
        value = value.get(name)
    return value


def _rows_with_names(rows: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    return ((row, row.get("local_id") or row.get("title") or "") for row in rows if isinstance(row, dict))


def _begins(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")


def value_text(value: Any) -> str:
    """The value in a few words, empty for none."""
    shown = " ".join(_words(value).split())
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value)))
    if isinstance(value, dict):
        return _words_of(value)
    if value is None or isinstance(value, bool):
        return "" if not value else "\N{CHECK MARK}"
    return str(value)


def _words_of(value: Mapping[str, Any]) -> str:
    """What a document says: its text, a score, who took part, its name; else the values in it."""
    if isinstance(value.get("text"), str):
        return plain(value["text"])
    if "home_score" in value or "away_score" in value:
        return ":".join(str(value.get(name) or NOTHING) for name in ("home_score", "away_score"))
    if isinstance(value.get("player"), dict):
        return _acting(value, value["player"])
    return _name_of(value) or _inner(value)


def _acting(value: Mapping[str, Any], player: Mapping[str, Any]) -> str:
    role, name = value.get("event_player_title") or value.get("event_player_type"), _words(player.get("name"))
    return f"{name} ({role})" if role else name


def _name_of(value: Mapping[str, Any]) -> str:
    return next((str(value[name]) for name in CALLED if isinstance(value.get(name), str) and value[name]), "")


def _inner(value: Mapping[str, Any]) -> str:
    inner = {name: _words(each) for name, each in value.items() if name not in {"_type", "local_id"}}
    return ", ".join(f"{name}: {words}" for name, words in inner.items() if words)
