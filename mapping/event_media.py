"""The files of a post: entries that a client sends, leaves out or means by `source_url`, made into full ones.

Three ways to post a file are understood: an entry in `media` that a block shows by its id; the shortcut `source_url` in a
block, for which the entry is made; and the older form, an entry without id, for which the block is made.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mapping.documents.scalars import LocalStatus
from mapping.errors import Unprocessable

Document = dict[str, Any]
NewId = Callable[[str], str]
"""letter (`b` block, `m` media) → a `local_id` that nobody has."""

MEDIA = "Svc::Model::Media"
MULTI_MEDIA = "Svc::Model::Content::MultiMediaContentBlock"
CONTENTS = {"i": "Svc::Model::Content::ImageMediaContent", "v": "Svc::Model::Content::VideoMediaContent"}
OURS = frozenset({"created_at", "updated_at", "user_id", "version"})
"""Facts about a file that the service alone decides."""
VIDEOS = (".mp4", ".m4v", ".mov", ".webm", ".m3u8")


class Stamp(NamedTuple):
    """Who changes a post, and when (Unix seconds)."""

    by: str
    now: int


class Shown(NamedTuple):
    """A post's blocks and files; every file that a block shows is among the files."""

    blocks: list[Document]
    media: list[Document]


def entries(
    sent: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]], stamp: Stamp, new_id: NewId
) -> list[Document]:
    """The sent entries as full ones: new ones with an id, known ones with what was sent laid over what is stored."""
    by_id = {entry.get("local_id"): entry for entry in known}
    named = {entry.get("local_id") for entry in sent}
    by_url = {entry.get("url"): entry for entry in known if entry.get("local_id") not in named}
    made: list[Document] = []
    for index, entry in enumerate(sent):
        before = by_id.get(entry["local_id"]) if entry.get("local_id") else by_url.pop(entry.get("url"), None)
        if before is not None:
            made.append(_laid_over(before, entry, stamp, f"media.{index}"))
        elif not entry.get("url"):
            raise Unprocessable("a new media entry should have a url", field=f"media.{index}.url")
        else:
            made.append(_new(entry, stamp, new_id))
    return made


def show(
    blocks: Sequence[Document], media: Sequence[Document], stamp: Stamp, new_id: NewId, *, older: Iterable[str] = ()
) -> Shown:
    """The blocks with every item showing an entry; `older` names entries for which a block is made.

    Raises Unprocessable, with the path, for an item that shows no file.
    """
    files = list(media)
    shown = [
        {**block, "items": _items(block, files, stamp, new_id, f"contents.{index}")}
        if block.get("_type") == MULTI_MEDIA
        else block
        for index, block in enumerate(blocks)
    ]
    used = {item["media_local_id"] for block in shown if block.get("_type") == MULTI_MEDIA for item in block["items"]}
    wanted = set(older) - used
    visible = [file for file in files if file.get("local_status") == LocalStatus.PUBLISHED]
    items = [_item_for(file) for file in visible if file["local_id"] in wanted]
    return Shown([*shown, *([{"_type": MULTI_MEDIA, "items": items}] if items else [])], files)


def _items(block: Document, files: list[Document], stamp: Stamp, new_id: NewId, path: str) -> list[Document]:
    """The block's items; entries that they mean by `source_url` are added to `files`."""
    items = []
    for index, item in enumerate(block.get("items") or ()):
        name, url = item.get("media_local_id"), item.get("source_url")
        known = next((file for file in files if (file["local_id"] == name if name else file.get("url") == url)), None)
        if known is None and not url:
            words = "there is no such entry in media" if name else "either media_local_id or source_url is needed"
            raise Unprocessable(words, field=f"{path}.items.{index}.media_local_id")
        if known is None:
            subtype = next((short for short, kind in CONTENTS.items() if kind == item.get("_type")), "i")
            known = _new({"local_id": name, "url": url, "subtype": subtype}, stamp, new_id)
            files.append(known)
        items.append({**item, "media_local_id": known["local_id"]})
    return items


def _new(entry: Mapping[str, Any], stamp: Stamp, new_id: NewId) -> Document:
    subtype = entry.get("subtype") or ("v" if str(entry["url"]).lower().endswith(VIDEOS) else "i")
    facts = {name: entry[name] for name in ("width", "height", "title", "credit") if entry.get(name) is not None}
    length = entry.get("duration_ms")
    return {
        "_type": MEDIA,
        "local_id": entry.get("local_id") or new_id("m"),
        "subtype": subtype,
        "url": entry["url"],
        "local_status": entry.get("local_status") or LocalStatus.PUBLISHED,
        **({"duration_ms": 0} if subtype == "i" else {} if length is None else {"duration_ms": length}),
        **facts,
        "created_at": stamp.now,
        "updated_at": stamp.now,
        "user_id": stamp.by,
    }


def _laid_over(before: Mapping[str, Any], sent: Mapping[str, Any], stamp: Stamp, path: str) -> Document:
    said = {name: value for name, value in sent.items() if name not in OURS}
    deleted = LocalStatus.DELETED
    if before.get("local_status") == deleted and said.get("local_status", deleted) != deleted:
        raise Unprocessable("a deleted file stays deleted", field=f"{path}.local_status")
    after = {**before, **said}
    return after if after == dict(before) else {**after, "updated_at": stamp.now}


def _item_for(file: Mapping[str, Any]) -> Document:
    words = {name: file[name] for name in ("title", "credit") if file.get(name)}
    kind = CONTENTS.get(str(file.get("subtype")), CONTENTS["i"])
    return {"_type": kind, "media_local_id": file["local_id"], **words}
