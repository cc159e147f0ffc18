"""The editorial text: standalone items, and narratives of incidents without the headline that the feed adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

from mapping.match.match import Comment
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim.catalog import PERIODS, SILENT, event_type
from providers.heim.events import IN, OUT, Context
from providers.heim.payload import TEXT
from providers.heim.read import Row, read_row

HEADLINE = re.compile(
    r"\s*(?P<p><p>)?\s*(?:<b>[^<]*</b>|<span class=\"(?:rot|gruen)text\">[^<]*</span>)\s*"
    r"(?P<after></p>|<br\s*/?>|$)\s*"
)
"""`<b>Goal for …</b> <br/>` or `<p><b>…</b></p>` at the beginning of an item that is bound to an event."""

NOTHING = re.compile(r"(?:\s|&nbsp;|</?p>|<br\s*/?>)*")


Binding = Callable[[Row], tuple[str | None, bool]]
"""The event of an item → key of the incident that it is about, and whether it is the first choice of text for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A comment with what it is sorted and chosen by; `main` is False for the lesser of two texts on one incident."""

    comment: Comment
    main: bool = True


def comments(rows: Iterable[Any], binding: Binding, context: Context, faults: FaultCollector) -> tuple[Comment, ...]:
    """The items by minute and time; `binding` finds the incident that an event belongs to. One text for each incident."""
    rows_faults, found = faults.for_row(TEXT, ""), dict[str, Item]()
    for place, row in enumerate(rows):
        item = read_row(row, place, rows_faults, partial(_read, binding=binding, context=context))
        if item is not None:
            found[item.comment.key] = item
    chosen: dict[str, Item] = {}
    for item in sorted(found.values(), key=lambda item: (item.main, _rank(item.comment))):
        chosen[item.comment.incident_key or item.comment.key] = item
    return in_order(item.comment for item in chosen.values())


def in_order(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """The texts by minute and time."""
    return tuple(replace(each, order=order) for order, each in enumerate(sorted(comments, key=_rank)))


def number_of(comment: Comment) -> int:
    """Its id, which rises in the order in which texts are entered."""
    return int(comment.key.partition(":")[2])


def _rank(comment: Comment) -> tuple[int, int, int]:
    return (comment.minute or 0, comment.created_at or 0, number_of(comment))


def _read(row: Row, item_id: str, faults: FaultCollector, *, binding: Binding, context: Context) -> Item | None:
    if row.data.get("content") is None:
        raise ValueMismatch("content", "missing")
    content, headline = row.text("content") or "", row.text("headline")
    event = row.part("event")
    incident, main = (None, True) if event is None else binding(event)
    html = content if incident is None else strip_headline(content)
    if headline is not None and incident is None:
        html = f"<b>{escape(headline, quote=False)}</b><br/>{html}"
    if NOTHING.fullmatch(html):
        return None
    comment = Comment(
        key=f"text:{item_id}",
        order=0,
        html=html,
        incident_key=incident,
        minute=row.number("minute"),
        created_at=faults.try_read(row.moment, "tickertime", context.zone),
        credit=faults.try_read(row.text, "syndicate"),
    )
    return Item(comment=comment, main=main)


def incident_of_comment(event: Row, *, keys: Mapping[str, str]) -> tuple[str | None, bool]:
    """The incident that an item of soccer is about (`keys`: see `incident_keys`), and whether this is its first choice of text.

    What never becomes an incident (a line-up, an unknown kind) has an item that stands for itself.
    """
    event_id, keyword = event.ident("id"), (event.text("action") or "", event.text("kind") or "")
    if event_id is None:
        raise ValueMismatch("event.id", "missing")
    if event_id in keys:
        return keys[event_id], keyword != OUT
    if keyword[0] == "match" and keyword[1] in PERIODS:
        return PERIODS[keyword[1]].key, False
    if keyword in (IN, OUT) or (keyword not in SILENT and event_type(*keyword) is not None):
        return f"incident:{event_id}", True
    return None, True


def strip_headline(content: str) -> str:
    """The narrative without the automatic headline."""
    found = HEADLINE.match(content)
    if found is None:
        return content
    keep = "<p>" if found["p"] and found["after"] != "</p>" else ""
    return keep + content[found.end() :]
