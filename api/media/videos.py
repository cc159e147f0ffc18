"""Uploaded videos as players read them: whole or a range at a time, while somebody may see them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Final

from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from api.http import openapi
from api.http.errors import RangeNotSatisfiable, error_response
from api.http.request import ApiRequest
from api.media.upload import VIDEO
from mapping.errors import NotFound
from mapping.rules.media_address import read_video_path
from store.files.storage import FileStore
from store.files.video_facts import VIDEO_TYPES
from store.media import uploads
from store.media.uploads import Upload
from store.published_files import file_is_shown

VIDEO_PATH: Final = "/media/{signature}/video/{media}/play"
NO_VIDEO: Final = "there is no such video"
PIECE: Final = 1 << 20
"""Bytes that are read of a file at a time."""
RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
MAX_AGE: Final = 60
"""Seconds for which a browser plays a video that was withdrawn. No setting: players ask for every range anyway."""
HEADERS: Final = {
    "Accept-Ranges": "bytes",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    "Content-Disposition": 'inline; filename="video"',
}
_FILE = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in VIDEO_TYPES}
PLAY = openapi.operation(
    "media.video",
    "An uploaded video, or the range of it that `Range` names",
    "Media",
    {
        200: {"description": "The video", "content": _FILE},
        206: {"description": "The range of it", "content": _FILE},
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
        **openapi.refusals(416),
    },
    parameters=[
        openapi.in_path("signature", "Signs the other; the service alone makes it"),
        openapi.in_path("media", "The video"),
    ],
    security=(),
)


async def play(request: ApiRequest) -> Response:
    """The uploaded video that the address names, else 404."""
    services, named = request.services, request.path_params
    url = read_video_path((services.keys.media, *services.keys.media_before), named["signature"], named["media"])

    def look_up(conn: Connection) -> tuple[Upload | None, bool]:
        found = uploads.find(conn, url)
        return found, found is not None and file_is_shown(conn, found.organization_id, found.url)

    upload, shown = await services.store.read(look_up)
    caller = request.context.caller
    if upload is None or upload.subtype != VIDEO:
        raise NotFound(NO_VIDEO)
    if not shown and (caller is None or not caller.proven or upload.organization_id not in caller.organizations):
        raise NotFound(NO_VIDEO)
    etag = f'"{upload.digest}"'
    headers = {
        **HEADERS,
        "ETag": etag,
        "Cache-Control": f"{'public' if shown else 'private'}, max-age={MAX_AGE}",
        "Vary": "Authorization" if shown else "Authorization, Cookie",
    }
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return await _send_range(request, services.files, upload, headers)


async def _send_range(request: ApiRequest, files: FileStore, upload: Upload, more: dict[str, str]) -> Response:
    headers, start, end = request.headers, 0, upload.bytes
    wanted = (
        RANGE.fullmatch(headers.get("range", "")) if headers.get("if-range", more["ETag"]) == more["ETag"] else None
    )
    if wanted is not None and (wanted[1] or wanted[2]):
        start, end = _range(wanted[1], wanted[2], upload.bytes)
        if start >= end:
            refused = error_response(RangeNotSatisfiable("the video ends before the range", field="Range"))
            refused.headers["Content-Range"] = f"bytes */{upload.bytes}"
            return refused
        more = more | {"Content-Range": f"bytes {start}-{end - 1}/{upload.bytes}"}
    else:
        wanted = None
    piece = 1 if request.method == "HEAD" else min(PIECE, end - start)
    first = await files.read(upload.key, piece, start)  # what is missing is 404, not half an answer
    return StreamingResponse(
        _pieces(files, upload.key, first, start, end),
        status_code=206 if wanted else 200,
        media_type=upload.content_type,
        headers=more | {"Content-Length": str(end - start)},
    )


def _range(first: str, last: str, size: int) -> tuple[int, int]:
    """Start and end of a range; the last bytes where it names no first one. Its end is its start where there is none."""
    if not first:
        return max(size - int(last), 0), size
    return int(first), min(int(last) + 1 if last else size, size)


async def _pieces(files: FileStore, key: str, piece: bytes, start: int, end: int) -> AsyncIterator[bytes]:
    while piece:
        yield piece
        start += len(piece)
        piece = await files.read(key, min(PIECE, end - start), start) if start < end else b""
