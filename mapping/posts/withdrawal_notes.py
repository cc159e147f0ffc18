"""What becomes of the post of a goal or a sending-off that the provider takes back: a note that says so, or nothing.

A reader who saw it would look for it. A yellow card or a substitution that is taken back was mostly entered wrongly, and a kick
of the shoot-out that is taken again comes back at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mapping.documents.import_options import ImportOptions
from mapping.locales import translator
from mapping.posts.merge import Document
from mapping.posts.wording import filled_sentences, is_of_shootout, spoken_name
from mapping.rules.rich_text import escape
from mapping.sports import SPORTS

PLAYER = "player"
"""The role of whom a note names: nobody has scored, and nobody has given an assist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalRules:
    """Which organizations want no notes, and for how many seconds a post has to be public so that it leaves one."""

    silent: frozenset[str] = frozenset()
    note_after: float

    def notes(self, organization_id: str, terms: ImportOptions) -> Notes:
        """How notes are made in a liveblog on these terms."""
        default = "silent" if organization_id in self.silent else "note"
        return Notes(terms, self.note_after, silent=(terms.withdrawn or default) == "silent")


@dataclass(frozen=True, slots=True)
class Notes:
    """Makes the notes of one liveblog, for posts that were public for at least `after` seconds; `silent`: it wants none."""

    terms: ImportOptions
    after: float
    silent: bool = False

    def hides(self, kind: str, note: Document) -> bool:
        """Whether a note that stands is a draft now: its liveblog wants none, or nothing of the `kind` it was made of."""
        return self.terms.drafts(kind) or self.makes_none(note)

    def makes_none(self, note: Document) -> bool:
        """Whether the liveblog wants no new note of this type, whatever it was made of."""
        return self.silent or note["sport_event"]["event_type"] in self.terms.exclude_events

    def note(self, kind: str, said: Document) -> Document | None:
        """The post from now on, from what the provider said of it last: the goal, or the note itself.

        None for a post of which nothing is left, of a type that leaves no note.
        """
        sport = SPORTS.get(self.terms.sport)
        event = said.get("sport_event")
        if sport is None or not isinstance(event, dict):
            return None
        name, texts = sport.kind(kind).withdrawn_as, translator(self.terms.locale)
        if name is None or is_of_shootout(sport, str((event.get("phase") or {}).get("name") or ""), texts):
            return None
        note = sport.kind(name)
        values = {"title": texts.text(note.title), **_values(event)}
        sentence = next(filled_sentences(note.sentences, values, texts), values["title"])
        kept = {field: value for field, value in event.items() if field != "score"}
        role = {"event_player_type": PLAYER, "event_player_title": texts.text(sport.role(PLAYER))}
        players = [{**each, **role} for each in (event.get("players") or ())[:1]]
        return {
            **said,
            "contents": [{**block, "text": escape(sentence)} for block in (said.get("contents") or ())[:1]],
            "sport_event": {
                **kept,
                "event_type": name,
                "title": values["title"],
                **({"players": players} if players else {}),
            },
        }


def stands_as_note(document: Mapping[str, Any], note: Mapping[str, Any]) -> bool:
    """Whether what a person has made of the post leaves it a note: no goal, and without a score."""
    event, wanted = document.get("sport_event") or {}, note["sport_event"]
    return event.get("event_type") == wanted["event_type"] and not event.get("score")


def _values(event: Mapping[str, Any]) -> dict[str, str]:
    """Who and which team, as far as the post says it."""
    people = [each.get("player") or {} for each in event.get("players") or ()]
    named = {"player": _name(people[0]) if people else "", "team": _name(event.get("team") or {})}
    return {name: value for name, value in named.items() if value}


def _name(named: Mapping[str, Any]) -> str:
    return spoken_name(str(named.get("short_name") or ""), str(named.get("name") or ""))
