"""Uploads of images and videos, as a body or in a form: streamed into the storage, known by their content.

Each is named by an address that nobody can guess. A file in a form goes on as it comes, and nothing else in it may be large.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, NamedTuple, NotRequired

from pydantic import ConfigDict, Field, with_config
from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.responses import Response
from typing_extensions import TypedDict

from api.http.errors import UnsupportedMedia, json_response
from api.http.json_path import Json
from api.http.openapi import WRITE_ERRORS, document_answer, in_path, operation, request_schema
from api.http.request import ApiRequest, parse_document
from api.media.disk_cache import RefusedImage
from api.media.document_files import UploadPlaces
from config import Settings
from mapping.documents.blocks import Media
from mapping.documents.scalars import LocalStatus
from mapping.errors import InvalidRequest, PayloadTooLarge, Unprocessable
from store.engine.liveblog_records import new_key
from store.files.storage import CONTENT_TYPES, HEAD
from store.files.video_facts import VIDEO_TYPES, content_type, facts_of
from store.media import uploads

FORM = "multipart/form-data"
FILE = "file"
TEXT_FIELDS = ("title", "credit")
TEXT_BYTES = 1000
"""Longest title or credit. No setting, as the lengths of other texts are none: clients read it in the OpenAPI document."""
BOUNDARY_BYTES = 70
"""Longest boundary that RFC 2046 allows."""
AROUND_BYTES = 65_536
"""What may stand around the file: more than the largest headers and texts, which bound it; so there is nothing to set."""
IMAGE, VIDEO = "i", "v"
BINARY: Json = {"schema": {"type": "string", "format": "binary"}}


@with_config(ConfigDict(extra="forbid"))
class UploadFields(TypedDict):
    """The form of an upload."""

    file: Annotated[str, Field(json_schema_extra={"format": "binary"})]
    title: NotRequired[Annotated[str, Field(max_length=TEXT_BYTES)]]
    credit: NotRequired[Annotated[str, Field(max_length=TEXT_BYTES)]]


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
            FORM: {"schema": request_schema(UploadFields)},
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
    said, most = request.headers.get("Content-Type", ""), max(settings.media.image_bytes, settings.media.video_bytes)
    form = UploadForm(said, most) if is_form(said) else None
    request.context.body_bytes = most + (0 if form is None else AROUND_BYTES)
    with services[UploadPlaces].taken(organization_id):
        body = request.stream() if form is None else form.file(request.stream())
        head = await _head(body)
        kind = await asyncio.to_thread(_kind, head, settings)
        key = new_key()
        stored = await services.files.put(key, _join(head, body, kind.most))
        measured: Json = {}
        if kind.subtype == VIDEO:  # as far as it can be found out; its index may stand at its end
            end = await services.files.read(key, HEAD, max(stored.bytes - HEAD, 0))
            measured = await facts_of(head[:HEAD], end, stored.bytes)
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
    return json_response(_media_document(made) | measured | ({} if form is None else form.texts()))


async def _head(body: AsyncIterator[bytes]) -> bytes:
    """The beginning of the body, long enough to say what it is."""
    head = bytearray()
    async for chunk in body:
        head += chunk
        if len(head) >= HEAD:
            break
    return bytes(head)


async def _join(head: bytes, rest: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """The body again; raises PayloadTooLarge where it grows beyond `most` bytes."""
    too_large = PayloadTooLarge(f"the file is larger than {most} bytes")
    if (size := len(head)) > most:
        raise too_large
    yield head
    async for chunk in rest:
        if (size := size + len(chunk)) > most:
            raise too_large
        if chunk:
            yield chunk


def _kind(head: bytes, settings: Settings) -> FileKind:
    """What the file is by its content; raises UnsupportedMedia, PayloadTooLarge for an image that can never be shown."""
    from api.media.variants import check_size
    from store.files.image_facts import identify  # with Pillow, which no start waits for

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


def _media_document(made: uploads.Upload) -> Json:
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


def is_form(content_type: str) -> bool:
    """Whether the body says that it is a form."""
    return parse_options_header(content_type)[0] == FORM.encode()


class UploadForm:
    """A form of one `file` of at most `most` bytes and perhaps a `title` and a `credit`, in any order."""

    def __init__(self, content_type: str, most: int) -> None:
        """Raise InvalidRequest where the Content-Type names no boundary that can be one."""
        boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
        if not 0 < len(boundary) <= BOUNDARY_BYTES:
            raise InvalidRequest(f"the Content-Type should name a boundary of 1 to {BOUNDARY_BYTES} bytes")
        self._most = most
        self._file = bytearray()
        """Bytes of the file that came with the chunk of the body that is being read."""
        self._file_bytes = 0
        self._fields: dict[str, bytearray] = {}
        self._field = ""
        self._header = bytearray()
        self._header_value = bytearray()
        self._name = b""
        self._ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._header_name_part,
                "on_header_value": self._header_value_part,
                "on_header_end": self._end_header,
                "on_headers_finished": self._begin_data,
                "on_part_data": self._data,
                "on_end": self._end,
            },
        )

    async def file(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The file in chunks, then a look at what follows it.

        Raises InvalidRequest where this is no whole form, Unprocessable for a field that should not be there or is missing,
        PayloadTooLarge for a file that is too large.
        """
        async for chunk in body:
            self._parse(chunk)
            if self._file:
                yield bytes(self._file)
                self._file.clear()
        if not self._ended:
            raise InvalidRequest("the form ends before its last boundary")
        if FILE not in self._fields:
            raise Unprocessable("the form should have a file", field=FILE)
        self.texts()

    def texts(self) -> dict[str, str]:
        """Title and credit where the form has them, once the file was read to its end; raises Unprocessable."""
        texts: dict[str, str] = {}
        for name in TEXT_FIELDS:
            if name in self._fields:
                try:
                    texts[name] = self._fields[name].decode()
                except UnicodeDecodeError:
                    raise Unprocessable("should be text in UTF-8", field=name) from None
        parse_document(Media, {"_type": "Svc::Model::Media", **texts})
        return texts

    def _parse(self, chunk: bytes) -> None:
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InvalidRequest(f"the body should be {FORM} with the boundary that its Content-Type names") from None

    def _begin_part(self) -> None:
        self._name = b""

    def _header_name_part(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value_part(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._name = parse_options_header(bytes(self._header_value))[1].get(b"name", b"")
        self._header.clear()
        self._header_value.clear()

    def _begin_data(self) -> None:
        name = self._name.decode("utf-8", "replace")
        if name != FILE and name not in TEXT_FIELDS:
            raise Unprocessable(f"a part of the form should be {FILE}, {' or '.join(TEXT_FIELDS)}")
        if name in self._fields:
            raise Unprocessable("should be in the form once", field=name)
        self._field = name
        self._fields[name] = bytearray()

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._field == FILE:
            self._file_bytes += end - start
            if self._file_bytes > self._most:
                raise PayloadTooLarge(f"the file is larger than {self._most} bytes")
            self._file += data[start:end]
            return
        text = self._fields[self._field]
        text += data[start:end]
        if len(text) > TEXT_BYTES:
            raise Unprocessable(f"should have at most {TEXT_BYTES} bytes", field=self._field)

    def _end(self) -> None:
        self._ended = True
