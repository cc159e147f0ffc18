"""The files of a post: what is known of each of them, and the blocks of content that show them.

Three ways to post a file are understood: an entry in `media` that a block shows by its id; the shortcut `source_url` in a
block, for which the entry is made; and the older form, an entry without id, for which the block is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mapping.documents.scalars import LocalStatus, file_is_public
from mapping.errors import Unprocessable

Document = dict[str, Any]
NewId = Callable[[str], str]
"""letter (`b` block, `m` media) → a `local_id` that nobody has."""

MEDIA = "Svc::Model::Media"
MULTI_MEDIA = "Svc::Model::Content::MultiMediaContentBlock"
CONTENTS = {"i": "Svc::Model::Content::ImageMediaContent", "v": "Svc::Model::Content::VideoMediaContent"}
OURS = frozenset({"_type", "created_at", "updated_at", "user_id", "version"})
"""What the service alone says about a file."""
ALWAYS = frozenset({"local_id", "subtype", "url", "local_status"})
"""What every file has, so that nothing can clear it."""
MEASURED = frozenset({"width", "height", "duration_ms"})
"""What belongs to the file behind an address, not to the entry."""
VIDEOS = (".mp4", ".m4v", ".mov", ".webm", ".m3u8")


class Stamp(NamedTuple):
    """Who changes a post, and when (Unix seconds); `new_id`: the `local_id` of what is new, by its letter."""

    by: str
    now: int
    new_id: NewId


class ShownMedia(NamedTuple):
    """A post's blocks and files; every file that a block shows is among the files."""

    blocks: list[Document]
    media: list[Document]


def without_gone(blocks: Sequence[Document], media: Sequence[Document]) -> list[Document]:
    """The blocks without items of files that the post has no longer, and without those that show nothing then."""
    there = {file["local_id"] for file in media}
    kept = [
        {**block, "items": [item for item in block.get("items") or () if item.get("media_local_id") in there]}
        if _shows_media(block)
        else block
        for block in blocks
    ]
    return [block for block in kept if not _shows_media(block) or block["items"]]


def lost_files(then: Mapping[str, Any], now: Mapping[str, Any]) -> set[str]:
    """The addresses of the files that readers of a post saw then and see no longer."""
    was, shown = (
        {file.get("url", "") for file in post.get("media") or () if file_is_public(file)} for post in (then, now)
    )
    return was - shown


def without_files(post: Mapping[str, Any], gone: Collection[str]) -> Document:
    """The post without the files of these addresses, and without the blocks that show nothing then."""
    media = [file for file in post["media"] if file.get("url", "") not in gone]
    return {**post, "contents": without_gone(post.get("contents") or (), media), "media": media}


def without_hidden(now: ShownMedia, before: Sequence[Document]) -> list[Document]:
    """The files without those that a block showed before and none shows now: they go with their blocks."""
    gone = shown_files(before) - shown_files(now.blocks)
    return [file for file in now.media if file["local_id"] not in gone]


def shown_files(blocks: Iterable[Document]) -> set[str]:
    """The ids of the files that the blocks show."""
    return {item["media_local_id"] for block in blocks if _shows_media(block) for item in block.get("items") or ()}


def legacy_entries(sent: Document, media: Sequence[Document]) -> list[str]:
    """Entries of the older form: nobody can show what has no id, so they are shown by themselves."""
    pairs = zip(sent.get("media") or (), media, strict=False)
    return [entry["local_id"] for given, entry in pairs if not given.get("local_id")]


def media_entries(
    sent: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]], stamp: Stamp
) -> list[Document]:
    """The sent entries as full ones: new ones with an id, known ones with what was sent laid over what is stored."""
    by_id = {entry.get("local_id"): entry for entry in known}
    named = {entry.get("local_id") for entry in sent}
    by_url = {entry.get("url"): entry for entry in known if entry.get("local_id") not in named}
    made: list[Document] = []
    for index, entry in enumerate(sent):
        before = by_id.get(entry["local_id"]) if entry.get("local_id") else by_url.pop(entry.get("url"), None)
        if before is not None:
            made.append(_updated_media(before, entry, stamp, f"media.{index}"))
        elif not entry.get("url"):
            raise Unprocessable("a new media entry should have a url", field=f"media.{index}.url")
        else:
            made.append(_new_media(entry, stamp))
    return made


def show_media(
    blocks: Sequence[Document], media: Sequence[Document], stamp: Stamp, *, older: Iterable[str] = ()
) -> ShownMedia:
    """The blocks with every item showing an entry; `older` names entries for which a block is made.

    Raises Unprocessable, with the path, for an item that shows no file.
    """
    files = list(media)
    shown = [_with_media(block, files, stamp, f"contents.{index}") for index, block in enumerate(blocks)]
    alone = [file for file in files if file["local_id"] in set(older) - shown_files(shown)]
    items = [_item_for(file) for file in alone if file_is_public(file)]
    made = [{"_type": MULTI_MEDIA, "items": items}] if items else []
    return ShownMedia([*shown, *made], files)


def _shows_media(block: Document) -> bool:
    return block.get("_type") == MULTI_MEDIA


def _with_media(block: Document, files: list[Document], stamp: Stamp, path: str) -> Document:
    """The block with each item showing an entry; entries that items mean by `source_url` are added to `files`."""
    if not _shows_media(block):
        return block
    items = []
    for index, item in enumerate(block.get("items") or ()):
        file = _shown_by(item, files)
        if file is None:
            file = _from_source(item, stamp, f"{path}.items.{index}")
            files.append(file)
        items.append({**item, "media_local_id": file["local_id"]})
    return {**block, "items": items}


def _shown_by(item: Document, files: Iterable[Document]) -> Document | None:
    name, url = item.get("media_local_id"), item.get("source_url")
    return next((file for file in files if (file["local_id"] == name if name else file.get("url") == url)), None)


def _from_source(item: Document, stamp: Stamp, path: str) -> Document:
    """The entry for an item that shows a new file by its `source_url`."""
    name, url = item.get("media_local_id"), item.get("source_url")
    if not url:
        reason = "there is no such entry in media" if name else "either media_local_id or source_url is needed"
        raise Unprocessable(reason, field=f"{path}.media_local_id")
    subtype = next((short for short, kind in CONTENTS.items() if kind == item.get("_type")), "i")
    return _new_media({"local_id": name, "url": url, "subtype": subtype}, stamp)


def _new_media(entry: Mapping[str, Any], stamp: Stamp) -> Document:
    subtype = entry.get("subtype") or ("v" if str(entry["url"]).lower().endswith(VIDEOS) else "i")
    facts = {name: entry[name] for name in ("width", "height", "title", "credit") if entry.get(name) not in {None, ""}}
    length = entry.get("duration_ms")
    return {
        "_type": MEDIA,
        "local_id": entry.get("local_id") or stamp.new_id("m"),
        "subtype": subtype,
        "url": entry["url"],
        "local_status": entry.get("local_status") or LocalStatus.PUBLISHED,
        **({"duration_ms": 0} if subtype == "i" else {} if length is None else {"duration_ms": length}),
        **facts,
        "created_at": stamp.now,
        "updated_at": stamp.now,
        "user_id": stamp.by,
    }


def _updated_media(before: Mapping[str, Any], sent: Mapping[str, Any], stamp: Stamp, path: str) -> Document:
    nothing = {name for name in ALWAYS if sent.get(name) in {None, ""}}
    changed = {name: value for name, value in sent.items() if name not in OURS | nothing}
    deleted = LocalStatus.DELETED
    if before.get("local_status") == deleted and changed.get("local_status", deleted) != deleted:
        raise Unprocessable("a deleted file stays deleted", field=f"{path}.local_status")
    after = _keep_measures({**before, **changed}, before)
    return after if after == dict(before) else {**after, "updated_at": stamp.now}


def _keep_measures(after: Document, before: Mapping[str, Any]) -> Document:
    """The entry without its empty fields, and without what was measured of another file than the one it names now."""
    if after.get("url") != before.get("url"):  # what came back with the entry was not measured again
        after |= {name: None for name in MEASURED if after.get(name) == before.get(name)}
    if after.get("subtype") == "i":
        after["duration_ms"] = 0
    elif before.get("subtype") == "i":
        after["duration_ms"] = after.get("duration_ms") or None
    return {name: value for name, value in after.items() if value is not None and value != ""}


def _item_for(file: Mapping[str, Any]) -> Document:
    texts = {name: file[name] for name in ("title", "credit") if file.get(name)}
    kind = CONTENTS.get(str(file.get("subtype")), CONTENTS["i"])
    return {"_type": kind, "media_local_id": file["local_id"], **texts}
