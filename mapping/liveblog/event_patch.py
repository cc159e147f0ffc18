"""Makes the stored post of what a client sends: absent fields are kept, null and empty ones cleared.

An update in the older form, with `event_info` and no `contents`, is a whole post: it leaves out what it takes away.

What a client sends back unchanged stays exactly as it is stored, so that a tool which always sends whole posts takes over
nothing but what its user changed (see `mapping.posts.merge`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError

from mapping.documents.base import dump, parse
from mapping.documents.event import PINNED, Event
from mapping.documents.scalars import LocalStatus
from mapping.errors import Unprocessable
from mapping.liveblog.legacy_event import CONVERTED, RICH_TEXT, WEB_EMBED, blocks_of, info_of, unconverted_part
from mapping.polls.reader_polls import with_option_ids
from mapping.posts.event_media import (
    NewId,
    Stamp,
    legacy_entries,
    media_entries,
    show_media,
    without_gone,
    without_hidden,
)
from mapping.posts.merge import adopt_block_ids
from mapping.rules.rich_text import sanitise

Document = dict[str, Any]
EVENT = "Svc::Model::Event"
LEGACY_BLOCKS = frozenset({RICH_TEXT, WEB_EMBED})
"""Kinds of blocks that the older form of a post has too."""
PLAIN = ("headline", "tag_ids", "state_info")
SPORT_EVENT = "Svc::Model::Content::SportEventContentBlock"
NO_NAMES: Mapping[str, str] = MappingProxyType({})
EMPTY: Document = {"_type": EVENT, "headline": "", "highlight": "", "contents": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBefore:
    """A post before the update: its stored document and columns, and the document as the API shows it."""

    document: Document
    shown: Document
    local_status: int
    created_at: int
    publish_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedEvent:
    """A post as it shall be stored; `sent` holds the fields of the request, for checking what they refer to."""

    document: Document
    local_status: int
    created_at: int
    updated_at: int
    publish_at: int | None
    sent: Document = field(default_factory=dict)


def new_post(event: Event, stamp: Stamp, *, drafts: bool) -> PatchedEvent:
    """A new post; `drafts` hides it where the client does not say otherwise. Raises Unprocessable with the field."""
    if event.local_status == LocalStatus.DELETED:
        raise Unprocessable("a new post cannot be deleted already", field="local_status")
    usual = LocalStatus.UNPUBLISHED if drafts else LocalStatus.PUBLISHED
    sent = sent_fields(event)
    return PatchedEvent(
        document=_content(sent, EMPTY, {}, stamp),
        local_status=usual if event.local_status is None else event.local_status,
        created_at=stamp.now if event.created_at is None else event.created_at,
        updated_at=stamp.now if event.updated_at is None else event.updated_at,
        publish_at=event.publish_at,
        sent=sent,
    )


def changed_post(event: Event, before: EventBefore, stamp: Stamp) -> PatchedEvent:
    """The stored post with what the client sent; raises Unprocessable with the field."""
    sent = _whole(sent_fields(event), before.document)
    publish_at = event.publish_at if "publish_at" in sent else before.publish_at
    return PatchedEvent(
        document={**_content(sent, before.document, _as_sent(sent, before.shown), stamp), "editor": stamp.by},
        local_status=before.local_status if event.local_status is None else event.local_status,
        created_at=_created_at(event, before, publish_at, stamp.now),
        updated_at=stamp.now if event.updated_at is None else event.updated_at,
        publish_at=publish_at,
        sent=sent,
    )


def sent_fields(event: Event) -> Document:
    """The fields that were in the request, as JSON under the names of the wire; cleared ones are None."""
    values = dump(event)
    sent = _set_fields(event, values)
    if event.sport_event is not None:
        sent["sport_event"] = _set_fields(event.sport_event, values["sport_event"])
    if event.media:
        sent["media"] = [_set_fields(*pair) for pair in zip(event.media, values["media"], strict=True)]
    return sent


def event_document(
    document: Mapping[str, Any], *, older: bool = True, called: Mapping[str, str] = NO_NAMES
) -> Document:
    """An event's document as the API gives it: in both forms, `contents` and `media` always there.

    `called`: what people who have written are called, by their ids.
    """
    info = info_of(document) if older else None
    highlight = document.get("highlight") or ""
    return {
        **document,
        "headline": document.get("headline") or "",
        "highlight": highlight,
        "is_sticky": highlight in PINNED,
        "contents": document.get("contents") or [],
        "media": document.get("media") or [],
        **({} if info is None else {"event_info": info}),
        **({"editor": editor_document(by, called)} if isinstance(by := document.get("editor"), str) and by else {}),
    }


def editor_document(writer_id: str, called: Mapping[str, str] = NO_NAMES) -> Document:
    """Who wrote, as documents name them: a person by its name, a client by its id. No reader is shown any."""
    return {"_type": "Svc::Model::Editor", "_id": writer_id, "name": called.get(writer_id, writer_id)}


def _in_older_form(sent: Mapping[str, Any]) -> bool:
    return bool(sent.get("event_info")) and "contents" not in sent


def _whole(sent: Document, before: Mapping[str, Any]) -> Document:
    """What was sent and, in the older form, that it leaves out the highlight and the files where they are absent."""
    if not _in_older_form(sent):
        return sent
    old = before.get("highlight") or ""
    sticky = old if old in PINNED else "sticky"
    return {"highlight": sticky if sent.get("is_sticky") else "", "media": [], **sent}


def _set_fields(part: BaseModel, values: Document) -> Document:
    there = part.model_fields_set - {"type_"}
    return {name: values.get(name) for name in type(part).model_fields if name in there}


def _as_sent(sent: Mapping[str, Any], shown: Mapping[str, Any]) -> Document:
    """Of what a reader of the API is shown, the fields that came back, spelt as `sent_fields` spells them."""
    try:
        return dump(parse(Event, {name: shown[name] for name in sent if name in shown}))
    except ValidationError:
        return {}  # a stored document that is none: nothing of it can have come back unchanged


def _created_at(event: Event, before: EventBefore, publish_at: int | None, now: int) -> int:
    if event.created_at is not None:
        return event.created_at
    waited = before.publish_at is not None
    if waited and (publish_at is None or publish_at <= now):
        return now if publish_at is None else publish_at
    return before.created_at


def _content(sent: Document, before: Document, seen: Document, stamp: Stamp) -> Document:
    """The stored document with what was sent laid over it; `seen`: what the client was shown of it before."""
    changed = {name: sent[name] for name in PLAIN if name in sent and sent[name] != seen.get(name)}
    document = {**before, **changed, "highlight": _highlight(sent, before, seen)}
    if "sport_event" in sent:
        document["sport_event"] = _sport_event(sent["sport_event"], before, seen, stamp.new_id)
    if "event_info" in sent:
        document["event_info"] = unconverted_part(sent["event_info"] or {})
    return _without_empty(document | _blocks_and_media(sent, before, seen, stamp))


def _without_empty(document: Document) -> Document:
    """The document without empty fields, but for those that every event has."""
    emptied = {name for name, value in document.items() if value is None or (value == [] and name not in EMPTY)}
    return {name: value for name, value in document.items() if name not in emptied} | {
        name: EMPTY[name] for name in emptied & EMPTY.keys()
    }


def _highlight(sent: Document, before: Document, seen: Document) -> str:
    """The present form says more and goes first, unless it only came back as it was."""
    old = before.get("highlight") or ""
    new = sent.get("highlight") or ""
    if "highlight" in sent and new != (seen.get("highlight") or ""):
        return str(new)
    if "is_sticky" in sent and bool(sent["is_sticky"]) != (old in PINNED):
        return "sticky" if sent["is_sticky"] else ""
    return str(old)


def _sport_event(sent: Document | None, before: Document, seen: Document, new_id: NewId) -> Document | None:
    """The incident with the fields that were sent; the others stay, and so does its `local_id`."""
    if sent is None:
        return None
    old, known = before.get("sport_event") or {}, seen.get("sport_event") or {}
    changed = {name: value for name, value in sent.items() if not old or value != known.get(name)}
    merged = {**old, **changed, "local_id": old.get("local_id") or sent.get("local_id") or new_id("b")}
    return {"_type": SPORT_EVENT, **_present(merged)}


def _present(fields: Document) -> Document:
    return {name: value for name, value in fields.items() if value is not None and name != "_type"}


def _blocks_and_media(sent: Document, before: Document, seen: Document, stamp: Stamp) -> Document:
    old_blocks, old_media = _stored_rows(before, "contents"), _stored_rows(before, "media")
    blocks = _sent_blocks(sent, seen, old_blocks)
    if blocks is None and "media" not in sent:
        return {}
    media = media_entries(sent["media"] or [], old_media, stamp) if "media" in sent else old_media
    whole = _in_older_form(sent)
    older = legacy_entries(sent, media) if whole or not old_media else ()
    wanted = old_blocks if blocks is None else _adopt_blocks(old_blocks, seen, blocks, stamp.new_id)
    wanted = without_gone(wanted, media) if whole else wanted
    made = show_media(wanted, media, stamp, older=older)
    if "media" not in sent:
        made = made._replace(media=without_hidden(made, old_blocks))
    return {
        "contents": [_safe(_with_id(block, stamp.new_id), old_blocks) for block in made.blocks],
        "media": made.media,
    }


def _with_id(block: Document, new_id: NewId) -> Document:
    return block if block.get("local_id") else {**block, "local_id": new_id("b")}


def _sent_blocks(sent: Document, seen: Document, stored: Sequence[Document]) -> list[Document] | None:
    """The blocks that a client means, in whichever form it wrote them; None where it leaves them as they are."""
    blocks = (sent["contents"] or []) if "contents" in sent else None
    if blocks is None or blocks == (seen.get("contents") or []):
        info, known = _convert_blocks(sent), _convert_blocks(seen)
        if info != known and (info or _in_older_form(sent)):
            return _legacy_blocks(_newest_text(info, known), stored)
    return blocks


def _newest_text(info: Document, known: Document) -> Document:
    """The older form without the formatting that came back as it was beside a title of other words."""
    stale = info.get("title") != known.get("title") and info.get("attributes_json") == known.get("attributes_json")
    return info | {"attributes_json": None} if stale and info.get("title") else info


def _legacy_blocks(info: Document, stored: Sequence[Document]) -> list[Document]:
    """The blocks of the older form before those that it does not know."""
    try:
        blocks = blocks_of(info)
    except ValueError as error:
        raise Unprocessable(str(error), field="event_info.attributes_json") from None
    return [*blocks, *(block for block in stored if block.get("_type") not in LEGACY_BLOCKS)]


def _convert_blocks(event: Mapping[str, Any]) -> Document:
    """The older form of the event, as far as blocks are made of it."""
    info = event.get("event_info") or {}
    return {name: value for name, value in info.items() if name in CONVERTED and value}


def _adopt_blocks(
    stored: Sequence[Document], seen: Document, sent: Sequence[Document], new_id: NewId
) -> list[Document]:
    """The sent blocks with their ids; one that came back as it was shown is the stored one."""
    as_shown = {block.get("local_id"): block for block in seen.get("contents") or ()}
    as_stored = {block.get("local_id"): block for block in stored}
    return [
        as_stored[name]
        if (name := block.get("local_id")) in as_stored and block == as_shown.get(name)
        else with_option_ids(block, as_stored.get(name) or {}, f"contents.{index}", new_id)
        for index, block in enumerate(adopt_block_ids(stored, sent))
    ]


def _safe(block: Document, stored: Sequence[Document]) -> Document:
    """Rich text without anything that could run; what is stored has been through it."""
    if block.get("_type") != RICH_TEXT or not block.get("text") or any(block is each for each in stored):
        return block
    return {**block, "text": sanitise(block["text"])}


def _stored_rows(document: Mapping[str, Any], name: str) -> list[Document]:
    found = document.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
