"""`matchwire explain`: why a post is there, hidden, or not as the provider says, and when one came about, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from mapping.errors import NotFound
from mapping.posts.merge import owners
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import StoredEvent, check_document, reading
from store.following import follow_rows, ledger
from store.liveblogs import liveblogs, media_probes
from store.liveblogs.event_rows import events_named
from store.timeline.timeline import timeline_of

T = TypeVar("T")

STATUS = {0: "published", 60: "hidden", 100: "deleted"}


STEPS = (
    ("said", "the provider says it happened"),
    ("unsaid", "the last answer that did not say it yet"),
    ("answered", "the answer came that said it first"),
    ("believed", "it counted"),
    ("committed", "it was committed: readers could have it"),
    ("delivered", "the first frame of a stream with it was sent"),
    ("webhook", "the first webhook receiver took it"),
)


class TolerantReader:
    """Reads rows one by one: a row in a form that this version cannot read is noted, and hides itself alone."""

    def __init__(self) -> None:
        self.unreadable: list[str] = []

    def read(self, what: str, look: Callable[[], T]) -> T | None:
        """The result of `look`; None where a row cannot be read, which is noted under `what`."""
        try:
            with reading(what):
                return look()
        except UnreadableRow as error:
            self.unreadable.append(str(error))
            return None


def explain(conn: Connection, name: str) -> dict[str, Any]:
    """The liveblog's match, the health of its resources, and for each post its state, the reason and who owns which field.

    `name` is a `ticker_id` or `local_id`; `media` are the files of posts that could not be probed, or are still to be. What
    this version cannot read is named under `unreadable`. Raises NotFound for an unknown liveblog.
    """
    game = liveblogs.require_game(conn, name)
    reader = TolerantReader()
    reader.read(f"games.doc of {game.local_id}", partial(check_document, game))
    attachment = follow_rows.attachment(conn, game.id)
    head = {
        "liveblog": game.local_id,
        "title": game.title,
        "version": game.version,
        "media": media_probes.health(conn, game.id),
    }
    if attachment is None:
        return {**head, "match": None, "posts": [], "unreadable": reader.unreadable}
    rows = ledger.rows(conn, game.id)
    said = reader.read(f"ledger of {ledger.GAME_KEY}", partial(ledger.game_of, rows.pop(ledger.GAME_KEY, None)))
    terms = reader.read("attachments.terms", partial(follow_rows.terms_of, attachment))
    return {
        **head,
        "match": _match(conn, attachment, reader),
        "terms": None if terms is None else terms.as_dict(),
        "edited": reader.read("games.doc", partial(_edited_parts, said or {}, game.document)) or [],
        "posts": _posts(conn, rows, reader),
        "unreadable": reader.unreadable,
    }


def _posts(conn: Connection, rows: Mapping[str, ledger.LedgerRow], reader: TolerantReader) -> list[dict[str, Any]]:
    events = events_named(conn, [row.local_id for row in rows.values() if row.local_id])
    posts = (
        reader.read(f"ledger of {row.key}", partial(_post, row, events.get(row.local_id or "")))
        for row in rows.values()
    )
    return [post for post in posts if post is not None]


def _match(conn: Connection, attachment: follow_rows.Attachment, reader: TolerantReader) -> dict[str, Any]:
    follow = follow_rows.follow(conn, attachment.follow_id)
    if follow is not None:
        reader.read(f"follows of {follow.id}", partial(follow_rows.status_of, follow))
    failing = follow is not None and follow.last_error is not None
    return {
        "provider": attachment.provider,
        "id": attachment.match_id,
        "status": None if follow is None else follow.status,
        "pending": follow is not None and bool(follow.pending),
        "closed_at": None if follow is None else follow.closed_at,
        "failure": {"since": follow.failing_since, "cause": follow.last_error} if failing and follow else None,
        "resources": _resources(conn, attachment.follow_id, reader),
    }


def _resources(conn: Connection, follow_id: str, reader: TolerantReader) -> dict[str, Any]:
    resources = follow_rows.resources(conn, follow_id)
    for row in resources.values():
        reader.read(f"resources of {row.name}", partial(follow_rows.check_resource, row))
    bodies, belief = follow_rows.packed_match(conn, follow_id)
    for name, body in bodies.items():
        reader.read(f"resources.body of {name}", partial(follow_rows.unpack_bodies, {name: body}))
    if belief is not None:
        reader.read("beliefs.belief", partial(follow_rows.unpacked_belief, belief))
    return {
        name: {
            "last_good": row.good_at,
            "last_change": row.changed_at,
            "failures": row.failures,
            "last_error": row.last_error,
            "skipped": list(row.faults) if isinstance(row.faults, list | tuple) else [],
        }
        for name, row in resources.items()
    }


def _edited_parts(said: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """Units that the provider speaks of and an editor owns; the rest was never the sync's business."""
    found = owners(said, {name: document.get(name) for name in said})
    return [part for part, owner in found.items() if owner == "editor"]


def _post(row: ledger.LedgerRow, event: StoredEvent | None) -> dict[str, Any]:
    ledger.entry_of(row)
    status = "deleted" if event is None else STATUS[event.local_status]
    edited: list[str] = []
    if event is not None:
        check_document(event)
        said = {name: value for name, value in row.written["document"].items() if name not in {"_type", "created_at"}}
        edited = [unit for unit, owner in owners(said, event.document).items() if owner == "editor"]
        edited += ["created_at"] if event.created_at != row.written["placed"] else []
        edited += ["local_status"] if event.local_status != row.written["status"] else []
    return {
        "key": row.key,
        "type": row.kind,
        "event": row.local_id,
        "state": row.state,
        "status": status,
        "reason": row.reason,
        "edited": edited,
    }


def explain_post(conn: Connection, liveblog: str, post: str) -> dict[str, Any]:
    """The timeline of one post. Raises NotFound for a liveblog or post that is not there."""
    game = liveblogs.require_game(conn, liveblog)
    event = liveblogs.event(conn, post)
    if event is None or event.game_id != game.id:
        raise NotFound(f"the liveblog {game.local_id} has no post {post}")
    found = timeline_of(conn, game, post)
    return {"liveblog": game.local_id, "title": game.title, **found}


def lines_of(found: Mapping[str, Any]) -> Iterator[str]:
    """Write a timeline for people: a line for each instant, with the seconds since the one before."""
    yield f"{found['title']} ({found['liveblog']})"
    for post in found["posts"]:
        yield f"{post['eventId']}: {post['late']}"
        for step in post["steps"]:
            yield f"  {step['what']} in version {step['version']}"
            yield from _instants(step)
    if not found["posts"]:
        yield "No timeline: a person wrote the post, or the sync did so more than 30 days ago."


def _instants(step: Mapping[str, Any]) -> Iterator[str]:
    before: datetime | None = None
    for name, meaning in STEPS:
        at = step["at"].get(name)
        instant = None if at is None else datetime.fromisoformat(at)
        since = "" if before is None or instant is None else f"{(instant - before).total_seconds():+.3f} s"
        yield f"    {at or '–':<24}  {since:>12}  {meaning}"
        before = instant or before
    answers = ", ".join(f"{resource} {digest}" for resource, digest in sorted(step["answers"].items()))
    yield f"    on these answers: {answers or 'none known'}"
