"""Images that a post holds in its document, as `data:` addresses of its `media`: they become uploads of the liveblog's owner."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NoBase64
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from api.media.formats import CONTENT_TYPES, HEAD
from api.media.upload import IMAGE
from api.request import checked, read_body
from mapping.documents.event import Event
from mapping.documents.scalars import INLINE
from mapping.errors import PayloadTooLarge, Unprocessable
from mapping.file_addresses import addresses_in
from store import uploads
from store.files.port import KEY_BYTES, new_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from sqlalchemy import Connection

    from api.json_path import Json
    from api.media.addresses import Target
    from api.request import ApiRequest
    from store.unit import Unit
    from store.uploads import Upload

MARK = re.compile(r";[ \t\r\n]*base64[ \t\r\n]*$", re.IGNORECASE)
BLANKS = b" \t\r\n\f"
NO_IMAGE = f"should hold an image: {', '.join(CONTENT_TYPES)}"


class InlineImage(NamedTuple):
    """An image in a document: its upload, and its bytes."""

    upload: Upload
    content: bytes


class PostedEvent(NamedTuple):
    """An event whose images have the addresses of the uploads that they become when it is written."""

    event: Event
    images: tuple[InlineImage, ...] = ()

    @property
    def made(self) -> tuple[Upload, ...]:
        return tuple(image.upload for image in self.images)


async def read_event(
    request: ApiRequest, find: Callable[[Connection], Target | None], local_id: str | None
) -> PostedEvent:
    """The event in the body. `find`: the post, None where the caller may not write it, whose images are not looked at.

    `local_id`: of a new event that does not say its own. An image of a post that the client named gets the same address
    each time, so that a repeated request makes no other upload.
    """
    body = read_body(await request.body())
    entries = _inline(body)
    if not entries:
        return PostedEvent(checked(Event, body))
    target, known = await request.services.store.read(partial(_post, find))
    if target is None:
        return PostedEvent(checked(Event, {each: value for each, value in body.items() if each != "media"}))
    chosen = (body.get("local_id") or local_id) if target.before is None else None
    name = str(chosen or new_key()).encode()
    images: dict[str, InlineImage] = {}
    for index, entry in entries.items():
        image = await asyncio.to_thread(
            _image, request, target.organization_id, name, entry["url"], f"media.{index}.url"
        )
        upload = image.upload
        entry["url"] = known.get(upload.digest, upload.url)
        if upload.digest not in known:
            images[upload.key] = image
    return PostedEvent(checked(Event, body), tuple(images.values()))


async def store_images(request: ApiRequest, posted: PostedEvent) -> None:
    """Store the files, before the unit that notes them: those of a unit that fails are strays, which the purge deletes."""
    services, settings = request.services, request.services.settings
    for upload, content in posted.images:
        with services.upload_places.taken(
            upload.organization_id, uploads=settings.uploads, organization_uploads=settings.organization_uploads
        ):
            await services.files.put(upload.key, _chunks(content))


def note_images(unit: Unit, made: Sequence[Upload]) -> None:
    """Note the uploads that are not yet: a repeated request has the same ones."""
    for upload in made:
        if uploads.find(unit.conn, upload.url) is None:
            uploads.create(unit, upload)


def _inline(body: Json) -> dict[int, Json]:
    """Entries of `media` whose address holds the file, by their places."""
    media = body.get("media")
    return {
        index: entry
        for index, entry in enumerate(media if isinstance(media, list) else ())
        if isinstance(entry, dict) and str(entry.get("url"))[: len(INLINE)].lower() == INLINE
    }


def _post(find: Callable[[Connection], Target | None], conn: Connection) -> tuple[Target | None, dict[str, str]]:
    """The post, and the addresses of uploads that it has, by their digests."""
    target = find(conn)
    if target is None:
        return None, {}
    found = (uploads.find(conn, url) for _, url in addresses_in(target.before, named=False))
    ours = (each for each in found if each is not None and each.organization_id == target.organization_id)
    return target, {each.digest: each.url for each in ours}


def _image(request: ApiRequest, organization_id: str, name: bytes, url: str, path: str) -> InlineImage:
    """The image that an address holds, whatever it says of its type. Raises Unprocessable and PayloadTooLarge."""
    from api.media.images import identify  # with Pillow, which no start waits for

    services = request.services
    content = _content(url, path)
    if len(content) > services.settings.image_bytes:
        raise PayloadTooLarge(f"the file is larger than {services.settings.image_bytes} bytes", field=path)
    facts = identify(content[:HEAD])
    if facts is None:
        raise Unprocessable(NO_IMAGE, field=path)
    digest = hashlib.sha256(content)
    secret = hmac.digest(services.media_key, b" ".join((organization_id.encode(), name, digest.digest())), "sha256")
    upload = uploads.Upload(
        key=urlsafe_b64encode(secret[:KEY_BYTES]).decode(),
        organization_id=organization_id,
        client_id=request.caller.client_id,
        subtype=IMAGE,
        content_type=facts.content_type,
        digest=digest.hexdigest(),
        bytes=len(content),
        width=facts.width,
        height=facts.height,
        created_at=int(services.clock()),
    )
    return InlineImage(upload, content)


def _content(url: str, path: str) -> bytes:
    """The bytes that the address holds, read as browsers do: base64 may be without padding and hold blanks."""
    kind, comma, text = url[len(INLINE) :].partition(",")
    content = unquote_to_bytes(text)
    if not comma:
        raise Unprocessable(NO_IMAGE, field=path)
    if MARK.search(kind) is None:
        return content
    digits = content.translate(None, BLANKS).rstrip(b"=")
    try:
        return b64decode(digits + b"=" * (-len(digits) % 4), validate=True)
    except NoBase64:
        raise Unprocessable("should hold base64 after its comma", field=path) from None


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    yield content
