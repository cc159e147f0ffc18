"""Uploads of images: streamed into the storage of files, recognised by their content, named by an address that nobody can guess."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from api.errors import UnsupportedMedia, json_response
from api.media.form import AROUND_BYTES, FILE, FORM, TEXT_BYTES, TEXT_FIELDS, UploadForm, is_form
from api.media.formats import CONTENT_TYPES, HEAD
from api.openapi import WRITE_ERRORS, documented, in_path, operation
from mapping.documents.media import Media
from mapping.documents.scalars import LocalStatus
from store import uploads
from store.files.port import new_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.responses import Response

    from api.json_path import Json
    from api.request import ApiRequest

IMAGE = "i"
BINARY: Json = {"schema": {"type": "string", "format": "binary"}}
TEXT: Json = {"type": "string", "maxLength": TEXT_BYTES}
UPLOAD = operation(
    "media.upload",
    "Upload an image",
    "Media",
    {
        200: documented(Media, "The file; as an entry of `media` in a new post it is shown there"),
        **WRITE_ERRORS,
    },
    parameters=[in_path("organizationId")],
    body={
        "required": True,
        "content": {
            **dict.fromkeys((*CONTENT_TYPES.values(), "application/octet-stream"), BINARY),
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


async def upload(request: ApiRequest) -> Response:
    """Store the image in the body or its form, whose kind is known by its content whatever its Content-Type says."""
    services, settings, organization_id = request.services, request.services.settings, request.organization_id
    form = _form(request)
    request.context.body_bytes = settings.image_bytes + (0 if form is None else AROUND_BYTES)
    with services.upload_places.taken(
        organization_id, uploads=settings.uploads, organization_uploads=settings.organization_uploads
    ):
        body = request.stream() if form is None else form.file(request.stream())
        head = await _head(body)
        from api.media.images import identify  # with Pillow, which no start waits for

        facts = await asyncio.to_thread(identify, head)
        if facts is None:
            raise UnsupportedMedia(f"the body should be an image: {', '.join(CONTENT_TYPES)}")
        key = new_key()
        stored = await services.files.put(key, _joined(head, body))
    made = uploads.Upload(
        key=key,
        organization_id=organization_id,
        client_id=request.caller.client_id,
        subtype=IMAGE,
        content_type=facts.content_type,
        digest=stored.digest,
        bytes=stored.bytes,
        width=facts.width,
        height=facts.height,
        created_at=int(services.clock()),
    )
    # Where the outcome is not known the file stays: the row may be there. Without one the purge finds it.
    await services.store.write(partial(uploads.create, upload=made))
    request.audit("media.upload")
    return json_response(_shown(made) | ({} if form is None else form.texts()))


def _form(request: ApiRequest) -> UploadForm | None:
    """The form that the body is, where it says so."""
    content_type = request.headers.get("Content-Type", "")
    return UploadForm(content_type, request.services.settings.image_bytes) if is_form(content_type) else None


async def _head(body: AsyncIterator[bytes]) -> bytes:
    """The beginning of the body, long enough to say what it is."""
    head = bytearray()
    async for chunk in body:
        head += chunk
        if len(head) >= HEAD:
            break
    return bytes(head)


async def _joined(head: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield head
    async for chunk in rest:
        if chunk:
            yield chunk


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
