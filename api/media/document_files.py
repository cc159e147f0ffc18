"""Files that documents name: addresses of others are checked, and images that a post brings itself are stored as uploads.

Others' are checked before the unit that stores them, so that no transaction waits for a network. Images that a post brings
itself, as `data:` addresses, become uploads, whose addresses take their places. Each upload takes one of the organization's places.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from base64 import b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from sqlalchemy import Connection

from api.http.errors import Overloaded
from api.http.json_path import Json, nodes, text
from api.http.request import ApiRequest
from api.http.routing import check_organization
from api.media.disk_cache import RefusedImage
from config import Settings
from config.sections import MediaConfig
from mapping.documents.base import Document, dump
from mapping.documents.scalars import UPLOADED
from mapping.errors import Forbidden, NotFound, RateLimited, Unprocessable
from mapping.match.references import addresses_in, replace_addresses
from mapping.rules import callable_addresses
from mapping.rules.callable_addresses import NotAllowed
from store.engine.liveblog_records import KEY_BYTES
from store.files.storage import CONTENT_TYPES, HEAD
from store.media import uploads
from store.media.uploads import Upload

if TYPE_CHECKING:
    from store.files.image_facts import ImageFacts

WEB = ("http:", "https:")
DATA = "data:"
BASE64 = ";base64"
REFUSED = f"a data address should hold an image: {', '.join(CONTENT_TYPES)}"


RETRY_AFTER = 1.0
"""Seconds."""


class WrittenRecord(NamedTuple):
    """The record that a request writes: whose it is, and how the caller is shown it before, None for a new one."""

    organization_id: str
    before: Json | None = None


async def check_addresses(
    request: ApiRequest, document: Document, target: WrittenRecord | Callable[[Connection], WrittenRecord | None]
) -> None:
    """Raise Unprocessable, with the path, for the first address in the document that may not be fetched for a client.

    `target`: finds the record, None where the caller may not write it: then nothing is looked up, and the unit refuses the
    request. An address that the record had before is not checked. A name that does not resolve now passes: whoever fetches
    the file checks its address again.
    """
    found = [each for each in addresses_in(dump(document)) if each[1].lower().startswith(WEB)]
    if not found:
        return
    record = target if isinstance(target, WrittenRecord) else await request.services.store.read(target)
    if record is None:
        return
    old = {url for _, url in addresses_in(record.before)}
    hosts: dict[callable_addresses.Target, tuple[str, str]] = {}
    for path, url in found:
        if url not in old:
            try:
                hosts.setdefault(callable_addresses.target(url), (path, url))
            except NotAllowed:
                raise Unprocessable(callable_addresses.REFUSED, field=path) from None
    most = request.services.settings.media.new_hosts
    for path, _ in list(hosts.values())[most:]:
        raise Unprocessable(f"a request names files of at most {most} new hosts", field=path)
    if (
        check := request.services.check_file_address
    ) is not None:  # takes places of the organization whose record it is
        kept = await asyncio.gather(*(check(url, record.organization_id) for _, url in hosts.values()))
        for (path, _), passes in zip(hosts.values(), kept, strict=True):
            if not passes:
                raise Unprocessable(callable_addresses.REFUSED, field=path)


def check_uploads(conn: Connection, organization_id: str, sent: Json, before: Any) -> None:
    """Raise Unprocessable, with the path, for an address that is new to the record and no upload of its organization.

    An unknown upload, one of somebody else and an address of another form are the same to the client.
    """
    known = {url for _, url in addresses_in(before)}
    for path, url in addresses_in(sent, named=False):
        if url.lower().startswith(UPLOADED) and url not in known and _upload(conn, organization_id, url) is None:
            raise Unprocessable("there is no such upload", field=path)


def with_sizes(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The post with width and height of each uploaded file whose entry does not say them."""
    media = nodes(document, "media")
    if not any(text(file, "url").startswith(uploads.PREFIX) for file in media):
        return document
    return {**document, "media": [_with_size(conn, organization_id, file) for file in media]}


def _with_size(conn: Connection, organization_id: str, file: Json) -> Json:
    if file.get("width") and file.get("height"):
        return file
    upload = _upload(conn, organization_id, text(file, "url"))
    if upload is None or not upload.width or not upload.height:
        return file
    return {**file, "width": upload.width, "height": upload.height}


def _upload(conn: Connection, organization_id: str, url: str) -> Upload | None:
    found = uploads.find(conn, url)
    return found if found is not None and found.organization_id == organization_id else None


@dataclass(frozen=True, slots=True)
class DataImage:
    """An image and the upload that it becomes, neither of them stored yet."""

    upload: Upload
    content: bytes


async def take_data_images(
    request: ApiRequest, body: Json, target: Callable[[Connection], WrittenRecord | None], name: str
) -> tuple[DataImage, ...]:
    """Put addresses of uploads into the body of a post, in place of its `data:` addresses; gives the images behind them.

    `target` as with `check_addresses`; `name`: of the post. The same image of the same post has the same address, which
    nobody else can guess. Raises NotFound for a post that the caller may not write, Forbidden for a client that may not
    upload for its organization, Unprocessable, with the path, for what is no image, or too large, or too many.
    """
    found = [(path, url) for path, url in addresses_in(body) if url[: len(DATA)].lower() == DATA]
    if not found:
        return ()
    organization_id = await _organization(request, target, found[0][0])
    most = request.services.settings.media.data_images
    for path, _ in found[most:]:
        raise Unprocessable(f"a post brings at most {most} images itself", field=path)
    made: dict[str, DataImage] = {}
    addresses: dict[str, str] = {}
    for path, url in found:
        content, facts = await asyncio.to_thread(_read, path, url, request.services.settings)
        digest = hashlib.sha256(content).hexdigest()
        if digest not in made:
            key = _key(request.services.keys.media, organization_id, name, digest)
            upload = uploads.Upload(
                key=key,
                organization_id=organization_id,
                client_id=request.caller.client_id,
                subtype="i",
                content_type=facts.content_type,
                digest=digest,
                bytes=len(content),
                width=facts.width,
                height=facts.height,
                created_at=int(request.services.clock()),
            )
            made[digest] = DataImage(upload, content)
        addresses[url] = made[digest].upload.url
    replace_addresses(body, addresses)
    return tuple(made.values())


async def store_files(request: ApiRequest, images: Sequence[DataImage]) -> None:
    """Store the files, in one place for uploads of their organization. Those that get no row are purged after a while."""
    services = request.services
    with services[UploadPlaces].taken(images[0].upload.organization_id):
        for image in images:
            await services.files.put(image.upload.key, _once(image.content))


async def take_and_store(request: ApiRequest, body: Json, organization_id: str, name: str) -> tuple[Upload, ...]:
    """The same for a new record of an organization, with the files stored; gives the uploads."""
    images = await take_data_images(request, body, lambda _: WrittenRecord(organization_id), name)
    if images:
        await store_files(request, images)
    return tuple(each.upload for each in images)


async def _organization(request: ApiRequest, target: Callable[[Connection], WrittenRecord | None], path: str) -> str:
    """The organization that the uploads will belong to; raises NotFound and Forbidden."""
    record = await request.services.store.read(target)
    if record is None:
        raise NotFound("there is no such liveblog or event")
    try:
        check_organization(request, record.organization_id)
    except Forbidden as error:
        raise Forbidden(error.message, field=path) from None
    return record.organization_id


def _read(path: str, url: str, settings: Settings) -> tuple[bytes, ImageFacts]:
    """The image in a `data:` address (RFC 2397), whatever type it gives itself; raises Unprocessable."""
    from api.media.variants import check_size
    from store.files.image_facts import identify  # with Pillow, which no start waits for

    head, comma, data = url[len(DATA) :].partition(",")
    content = unquote_to_bytes(data)
    if head.strip().lower().endswith(BASE64):
        try:
            content = b64decode(content, validate=True)
        except ValueError:
            raise Unprocessable("a data address should hold whole base64", field=path) from None
    if len(content) > settings.media.image_bytes:
        raise Unprocessable(f"the image is larger than {settings.media.image_bytes} bytes", field=path)
    facts = identify(content[:HEAD]) if comma else None
    if facts is None:
        raise Unprocessable(REFUSED, field=path)
    try:
        check_size(facts, settings.media)
    except RefusedImage as refused:
        raise Unprocessable(f"the image can never be shown: {refused}", field=path) from None
    return content, facts


def _key(secret: bytes, *parts: str) -> str:
    made = hmac.new(secret, "\0".join(("upload", *parts)).encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(made[:KEY_BYTES]).decode().rstrip("=")


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


class UploadPlaces:
    """The uploads under way, by organization, so that slow ones of one organization leave room for the others."""

    def __init__(self, settings: MediaConfig) -> None:
        self._settings = settings
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, organization_id: str) -> Iterator[None]:
        """Take a place. Raises RateLimited where the organization has all of its own, Overloaded where there is none."""
        if self._taken[organization_id] >= self._settings.organization_uploads:
            raise RateLimited("the organization has too many uploads under way", retry_after=RETRY_AFTER)
        if self._taken.total() >= self._settings.uploads:
            raise Overloaded("too many uploads are under way", retry_after=RETRY_AFTER)
        self._taken[organization_id] += 1
        try:
            yield
        finally:
            self._taken[organization_id] -= 1
            self._taken += Counter()  # without those that have none
