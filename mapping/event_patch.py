"""A post as a client sends it, made into the post that is stored: absent fields kept, null and empty ones cleared.

What a client sends back unchanged stays exactly as it is stored, so that a tool which always sends whole posts takes over
nothing but what its user changed (see `mapping.merge`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mapping.documents.base import dump, parse
from mapping.documents.event import Event
from mapping.documents.scalars import LocalStatus
from mapping.errors import Unprocessable
from mapping.event_media import NewId, Stamp, entries, show
from mapping.legacy_event import CONVERTED, RICH_TEXT, blocks_of, info_of
from mapping.merge import adopt_block_ids
from mapping.rich_text import sanitise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Document = dict[str, Any]

EVENT = "Svc::Model::Event"
ASKING = frozenset({"Svc::Model::Content::PollContentBlock", "Svc::Model::Content::QuizContentBlock"})
PLAIN = ("headline", "tag_ids", "state_info")
STICKY = frozenset({"sticky", "stickyNoHighlight"})
EMPTY: Document = {"_type": EVENT, "headline": "", "highlight": "", "contents": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A post as it stands: its stored document and columns, and the document as readers of the API are shown it."""

    document: Document
    shown: Document
    local_status: int
    created_at: int
    publish_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A post as it shall be stored; `sent` is what the client said, for checking what it refers to."""

    document: Document
    local_status: int
    created_at: int
    updated_at: int
    publish_at: int | None
    sent: Document = field(default_factory=dict)


def new_post(event: Event, stamp: Stamp, *, drafts: bool, new_id: NewId) -> Posted:
    """A new post; `drafts` hides it where the client does not say otherwise. Raises Unprocessable with the field."""
    if event.local_status == LocalStatus.DELETED:
        raise Unprocessable("a new post cannot be deleted already", field="local_status")
    usual = LocalStatus.UNPUBLISHED if drafts else LocalStatus.PUBLISHED
    sent = sent_fields(event)
    return Posted(
        document=_content(sent, EMPTY, {}, stamp, new_id),
        local_status=usual if event.local_status is None else event.local_status,
        created_at=stamp.now if event.created_at is None else event.created_at,
        updated_at=stamp.now if event.updated_at is None else event.updated_at,
        publish_at=event.publish_at,
        sent=sent,
    )


def changed_post(event: Event, before: Standing, stamp: Stamp, *, new_id: NewId) -> Posted:
    """The stored post with what the client sent; raises Unprocessable with the field."""
    sent = sent_fields(event)
    publish_at = event.publish_at if "publish_at" in sent else before.publish_at
    return Posted(
        document={**_content(sent, before.document, _as_sent(sent, before.shown), stamp, new_id), "editor": stamp.by},
        local_status=before.local_status if event.local_status is None else event.local_status,
        created_at=_created_at(event, before, publish_at, stamp.now),
        updated_at=stamp.now if event.updated_at is None else event.updated_at,
        publish_at=publish_at,
        sent=sent,
    )


def sent_fields(event: Event) -> Document:
    """The fields that were in the request, as JSON under the names of the wire; cleared ones are None."""
    said, there = dump(event), event.model_fields_set - {"type_"}
    sent = {name: said.get(name) for name in type(event).model_fields if name in there}
    if event.sport_event is not None:
        sent["sport_event"] = _nested(event.sport_event, said["sport_event"])
    return sent


def shown(document: Mapping[str, Any], *, older: bool = True) -> Document:
    """An event's document as the API gives it: in both forms, `contents` and `media` always there."""
    info = info_of(document) if older else None
    highlight = document.get("highlight") or ""
    return {
        **document,
        "headline": document.get("headline") or "",
        "highlight": highlight,
        "is_sticky": highlight in STICKY,
        "contents": document.get("contents") or [],
        "media": document.get("media") or [],
        **({} if info is None else {"event_info": info}),
    }


def _nested(part: Any, said: Document) -> Document:
    there = part.model_fields_set - {"type_"}
    return {name: said.get(name) for name in type(part).model_fields if name in there}


def _as_sent(sent: Mapping[str, Any], shown: Mapping[str, Any]) -> Document:
    """Of what a reader of the API is shown, the fields that came back, spelt as `sent_fields` spells them."""
    try:
        return dump(parse(Event, {name: shown[name] for name in sent if name in shown}))
    except ValidationError:
        return {}  # a stored document that is none: nothing of it can have come back unchanged


def _created_at(event: Event, before: Standing, publish_at: int | None, now: int) -> int:
    if event.created_at is not None:
        return event.created_at
    waited = before.publish_at is not None
    if waited and (publish_at is None or publish_at <= now):
        return now if publish_at is None else publish_at
    return before.created_at


def _content(sent: Document, before: Document, seen: Document, stamp: Stamp, new_id: NewId) -> Document:
    """The stored document with what was sent laid over it; `seen`: what the client was shown of it before."""
    document = {**before, **{name: sent[name] for name in PLAIN if name in sent and sent[name] != seen.get(name)}}
    document["highlight"] = _highlight(sent, before, seen)
    if "sport_event" in sent:
        document["sport_event"] = _sport_event(sent["sport_event"], before, seen, new_id)
    if "event_info" in sent:
        kept = {name: value for name, value in (sent["event_info"] or {}).items() if name not in CONVERTED}
        document["event_info"] = kept if kept.keys() - {"_type"} else None
    document |= _blocks_and_media(sent, before, seen, stamp, new_id)
    emptied = {name for name, value in document.items() if value is None or (value == [] and name not in EMPTY)}
    return {name: value for name, value in document.items() if name not in emptied} | {
        name: EMPTY[name] for name in emptied & EMPTY.keys()
    }


def _highlight(sent: Document, before: Document, seen: Document) -> str:
    """The present form says more and goes first, unless it only came back as it was."""
    old = before.get("highlight") or ""
    word = sent.get("highlight") or ""
    if "highlight" in sent and word != (seen.get("highlight") or ""):
        return str(word)
    if "is_sticky" in sent and bool(sent["is_sticky"]) != (old in STICKY):
        return "sticky" if sent["is_sticky"] else ""
    return str(old)


def _sport_event(sent: Document | None, before: Document, seen: Document, new_id: NewId) -> Document | None:
    """The incident with the fields that were sent; the others stay, and so does its `local_id`."""
    if sent is None:
        return None
    old, known = before.get("sport_event") or {}, seen.get("sport_event") or {}
    changed = {name: value for name, value in sent.items() if not old or value != known.get(name)}
    merged = {**old, **changed, "local_id": old.get("local_id") or sent.get("local_id") or new_id("b")}
    kept = {name: value for name, value in merged.items() if value is not None and name != "_type"}
    return {"_type": "Svc::Model::Content::SportEventContentBlock", **kept}


def _blocks_and_media(sent: Document, before: Document, seen: Document, stamp: Stamp, new_id: NewId) -> Document:
    old_blocks, old_media = _stored(before, "contents"), _stored(before, "media")
    blocks = _sent_blocks(sent, seen)
    if blocks is None and "media" not in sent:
        return {}
    media = entries(sent["media"] or [], old_media, stamp, new_id) if "media" in sent else old_media
    older = _older_entries(sent, media) if not before.get("media") else ()
    wanted = old_blocks if blocks is None else _adopted(old_blocks, seen, blocks)
    made = show(wanted, media, stamp, new_id, older=older)
    named = [block if block.get("local_id") else {**block, "local_id": new_id("b")} for block in made.blocks]
    return {"contents": [_safe(block, old_blocks) for block in named], "media": made.media}


def _older_entries(sent: Document, media: Sequence[Document]) -> list[str]:
    """Entries of the older form: nobody can show what has no id, so they are shown by themselves."""
    pairs = zip(sent.get("media") or (), media, strict=False)
    return [entry["local_id"] for said, entry in pairs if not said.get("local_id")]


def _sent_blocks(sent: Document, seen: Document) -> list[Document] | None:
    """The blocks that a client means, in whichever form it wrote them; None where it leaves them as they are."""
    info = sent.get("event_info")
    texts = _converted(info) if info is not None else {}
    wrote_older = bool(texts) and texts != _converted(seen.get("event_info") or {})
    untouched = "contents" not in sent or (sent["contents"] or []) == (seen.get("contents") or [])
    if wrote_older and untouched:
        rest = [block for block in _stored(seen, "contents") if block.get("_type") not in _older_types()]
        return [*_from_older(texts), *rest]
    return (sent["contents"] or []) if "contents" in sent else None


def _from_older(info: Document) -> list[Document]:
    try:
        return blocks_of(info)
    except ValueError as error:
        raise Unprocessable(str(error), field="event_info.attributes_json") from None


def _older_types() -> frozenset[str]:
    return frozenset({RICH_TEXT, "Svc::Model::Content::WebEmbedContentBlock"})


def _converted(info: Mapping[str, Any]) -> Document:
    return {name: value for name, value in info.items() if name in CONVERTED and value}


def _adopted(stored: Sequence[Document], seen: Document, sent: Sequence[Document]) -> list[Document]:
    """The sent blocks with their ids; one that came back as it was shown is the stored one."""
    as_shown = {block.get("local_id"): block for block in seen.get("contents") or ()}
    as_stored = {block.get("local_id"): block for block in stored}
    return [
        as_stored[name]
        if (name := block.get("local_id")) in as_stored and block == as_shown.get(name)
        else _with_choices(block)
        for block in adopt_block_ids(stored, sent)
    ]


def _with_choices(block: Document) -> Document:
    """A poll or quiz whose answers all have an id; what other blocks call options is theirs."""
    options = block.get("options") if block.get("_type") in ASKING else None
    if not isinstance(options, list) or all(choice.get("id") for choice in options):
        return block
    free = (str(number) for number in range(1, 2 * len(options) + 1))
    taken = {choice.get("id") for choice in options}
    return {
        **block,
        "options": [
            choice if choice.get("id") else {**choice, "id": next(name for name in free if name not in taken)}
            for choice in options
        ],
    }


def _safe(block: Document, stored: Sequence[Document]) -> Document:
    """Rich text without anything that could run; what is stored has been through it."""
    if block.get("_type") != RICH_TEXT or not block.get("text") or any(block is each for each in stored):
        return block
    return {**block, "text": sanitise(block["text"])}


def _stored(document: Mapping[str, Any], name: str) -> list[Document]:
    found = document.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
