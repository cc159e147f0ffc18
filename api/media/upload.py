"""Uploads of images and videos: streamed into the storage, known by their content, named by an address that nobody can guess."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import NamedTuple

from starlette.responses import Response

from api.http.errors import UnsupportedMedia, json_response
from api.http.json_path import Json
from api.http.openapi import WRITE_ERRORS, document_answer, in_path, operation
from api.http.request import ApiRequest
from api.media.form import AROUND_BYTES, FILE, FORM, TEXT_BYTES, TEXT_FIELDS, UploadForm, is_form
from api.media.upload_places import UploadPlaces
from api.media.variant import RefusedImage
from config import Settings
from mapping.documents.media import Media
from mapping.documents.scalars import LocalStatus
from mapping.errors import PayloadTooLarge
from store.files.formats import CONTENT_TYPES, HEAD
from store.files.port import FileStore, new_key
from store.files.video_facts import VIDEO_TYPES, content_type, facts_of
from store.media import uploads

IMAGE, VIDEO = "i", "v"
BINARY: Json = {"schema": {"type": "string", "format": "binary"}}
TEXT: Json = {"type": "string", "maxLength": TEXT_BYTES}
UPLOAD = operation(
    "media.upload",
    "Upload an image or a video",
    "Media",
    {
        200: document_answer(Media, "The file; as an entry of `media` in a new post it is shown there"),
        **WRITE_ERRORS,
    },
    parameters=[in_path("organizationId")],
    body={
        "required": True,
        "content": {
            # Any other type is taken too. A third one that generators of clients know beside the form breaks what one makes.
            **dict.fromkeys((*CONTENT_TYPES.values(), *VIDEO_TYPES), BINARY),
            FORM: {
                "schema": {
                    "type": "object",
                    "properties": {FILE: BINARY["schema"], **dict.fromkeys(TEXT_FIELDS, TEXT)},
                    "required": [FILE],
                    "additionalProperties": False,
                }
            },
        },
    },
)


class FileKind(NamedTuple):
    """What a file is, and how many bytes it may have; width and height are known of images."""

    subtype: str
    content_type: str
    most: int
    width: int | None = None
    height: int | None = None


async def upload(request: ApiRequest) -> Response:
    """Store the file in the body or its form, whose kind is known by its content whatever its Content-Type says."""
    services, settings, organization_id = request.services, request.services.settings, request.organization_id
    form = _form(request)
    request.context.body_bytes = max(settings.media.image_bytes, settings.media.video_bytes) + (
        0 if form is None else AROUND_BYTES
    )
    with services[UploadPlaces].taken(
        organization_id, uploads=settings.media.uploads, organization_uploads=settings.media.organization_uploads
    ):
        body = request.stream() if form is None else form.file(request.stream())
        head = await _head(body)
        kind = await asyncio.to_thread(_kind, head, settings)
        key = new_key()
        stored = await services.files.put(key, _joined(head, body, kind.most))
        measured = await _measured(services.files, key, head, stored.bytes) if kind.subtype == VIDEO else {}
    made = uploads.Upload(
        key=key,
        organization_id=organization_id,
        client_id=request.caller.client_id,
        subtype=kind.subtype,
        content_type=kind.content_type,
        digest=stored.digest,
        bytes=stored.bytes,
        width=kind.width or measured.get("width"),
        height=kind.height or measured.get("height"),
        created_at=int(services.clock()),
    )
    # Where the outcome is not known the file stays: the row may be there. Without one the purge finds it.
    await services.store.write(partial(uploads.create, upload=made))
    request.audit("media.upload")
    return json_response(_shown(made) | measured | ({} if form is None else form.texts()))


def _form(request: ApiRequest) -> UploadForm | None:
    """The form that the body is, where it says so."""
    said, settings = request.headers.get("Content-Type", ""), request.services.settings
    return UploadForm(said, max(settings.media.image_bytes, settings.media.video_bytes)) if is_form(said) else None


async def _head(body: AsyncIterator[bytes]) -> bytes:
    """The beginning of the body, long enough to say what it is."""
    head = bytearray()
    async for chunk in body:
        head += chunk
        if len(head) >= HEAD:
            break
    return bytes(head)


async def _joined(head: bytes, rest: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """The body again; raises PayloadTooLarge where it grows beyond `most` bytes."""
    size = 0
    async for chunk in _chain(head, rest):
        size += len(chunk)
        if size > most:
            raise PayloadTooLarge(f"the file is larger than {most} bytes")
        yield chunk


async def _chain(head: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield head
    async for chunk in rest:
        if chunk:
            yield chunk


def _kind(head: bytes, settings: Settings) -> FileKind:
    """What the file is by its content; raises UnsupportedMedia, PayloadTooLarge for an image that can never be shown."""
    from api.media.variants import check_size
    from store.files.images import identify  # with Pillow, which no start waits for

    facts = identify(head)
    if facts is not None:
        try:
            check_size(facts, settings.media)
        except RefusedImage as refused:
            raise PayloadTooLarge(f"the image can never be shown: {refused}") from None
        return FileKind(IMAGE, facts.content_type, settings.media.image_bytes, facts.width, facts.height)
    video = content_type(head)
    if video is None:
        raise UnsupportedMedia(f"the body should be an image or a video: {', '.join(CONTENT_TYPES)}, mp4, webm, mov")
    return FileKind(VIDEO, video, settings.media.video_bytes)


async def _measured(files: FileStore, key: str, head: bytes, size: int) -> Json:
    """Width, height and length of a stored video as far as they can be found out; its index may stand at its end."""
    start = max(size - HEAD, 0)
    return await facts_of(head[:HEAD], await files.read(key, HEAD, start), size)


def _shown(made: uploads.Upload) -> Json:
    """The upload as an entry of `media`, which has no `local_id` until it is posted."""
    return {
        "_type": "Svc::Model::Media",
        "subtype": made.subtype,
        "url": made.url,
        "local_status": LocalStatus.PUBLISHED,
        "duration_ms": 0,
        "width": made.width,
        "height": made.height,
        "created_at": made.created_at,
        "updated_at": made.created_at,
        "user_id": made.client_id,
    }
