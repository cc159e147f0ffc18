"""The image proxy over HTTP, and the operation that gives clients its addresses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, with_config
from starlette.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.http import openapi
from api.http.caching import conditional
from api.http.param import Integer, OneOf, Text, words
from api.http.request import ApiRequest, RequestHeaders
from api.media.proxy import ImageProxy, ShownImage, placeholder
from mapping.documents.scalars import UPLOADED
from mapping.errors import InvalidRequest, NotFound
from mapping.rules.media_address import DENSITIES, FITS, LARGEST, ImageOptions, ImageRequest, image_path, read_path

IMAGE_PATH: Final = "/media/{signature}/{options}/{media}"
LINK_PATH: Final = "/api/mediaservice/v3/organization/{organizationId}/image.json"
NO_IMAGE: Final = "there is no such image"
NEWER: Final = {"image/avif": "avif", "image/webp": "webp"}
"""Media types of formats that only a reader gets who names them."""
ACCEPTED: Final = 64
"""Values of `Accept` that stay read: browsers have a few."""
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Content-Disposition": 'inline; filename="image"',
}
FOR_ALL: Final = {"Vary": "Accept", **HEADERS}
NOT_FOR_ALL: Final = {"Vary": "Accept, Sec-Fetch-Dest, Authorization, Cookie", **HEADERS}
IMAGE_URL: Final = re.compile(rf"(https?|{UPLOADED})://[!-~]{{1,2000}}")
ADDRESS: Final = {"type": "string", "pattern": f"^{IMAGE_URL.pattern}$"}

_FILE = {"schema": {"type": "string", "format": "binary"}}
IMAGE = openapi.operation(
    "media.image",
    "An image as it fits its place",
    "Media",
    {
        200: {
            "description": "The image, or for pages a placeholder where there is none",
            "content": dict.fromkeys(("image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"), _FILE),
        },
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.in_path("signature", "Signs the other two; the service alone makes it"),
        openapi.in_path("options", "Box, fit and density, such as `w640h360-cover@2`"),
        openapi.in_path("media", "The image, and the organization on whose behalf it is fetched"),
    ],
    security=(),
)


async def image(request: ApiRequest) -> Response:
    """The variant that the address names, a placeholder for pages where there is none, else 404."""
    proxy = request.services.find(ImageProxy)
    if proxy is None:
        raise NotFound(NO_IMAGE)
    named, keys = request.path_params, request.services.keys
    wanted = read_path((keys.media, *keys.media_before), named["signature"], named["options"], named["media"])
    logo = request.services.settings.organization(wanted.organization_id).logo
    private = wanted.url != logo and not await proxy.is_shown(wanted.organization_id, wanted.url)
    readable = not private or _owns(request, wanted)
    shown = await proxy.find(wanted, accepted_formats(request.headers)) if readable else None
    if shown is None and not wants_image(request.headers):
        raise NotFound(NO_IMAGE)
    return _response(request.headers, shown, proxy, private=private)


def accepted_formats(headers: RequestHeaders) -> frozenset[str]:
    """The newer formats that the reader names; a wildcard names none, as those who send it cannot all show them."""
    return _newer_formats(headers.get("accept", ""))


@lru_cache(ACCEPTED)
def _newer_formats(accept: str) -> frozenset[str]:
    named = set()
    for each in accept.split(","):
        content_type, *parameters = (part.strip().casefold() for part in each.split(";"))
        weights = [value for name, _, value in (each.partition("=") for each in parameters) if name.strip() == "q"]
        if content_type in NEWER and not any(not weight.strip(" 0.") for weight in weights):
            named.add(NEWER[content_type])
    return frozenset(named)


def wants_image(headers: RequestHeaders) -> bool:
    """Whether a page asks, which shows what it gets; the API's clients hear that there is none."""
    return headers.get("sec-fetch-dest") == "image" or "image/" in headers.get("accept", "").casefold()


def _owns(request: ApiRequest, wanted: ImageRequest) -> bool:
    """Whether the caller has credentials of the organization that the image is of."""
    caller, parts = request.context.caller, urlsplit(wanted.url)
    owner = parts.netloc if parts.scheme == UPLOADED else wanted.organization_id
    return caller is not None and caller.proven and owner in caller.organizations


def _response(headers: RequestHeaders, shown: ShownImage | None, proxy: ImageProxy, *, private: bool) -> Response:
    found = shown or placeholder()
    age = proxy.settings.max_age if shown else round(min(proxy.settings.retry, proxy.settings.max_age))
    return conditional(
        headers,
        found.rendering,
        found.content_type,
        cache_control=f"{'private' if private else 'public'}, max-age={age}",
        more=NOT_FOR_ALL if private or shown is None else FOR_ALL,
    )


@with_config(ConfigDict(extra="forbid"))
class ImageLink(TypedDict):
    """Where readers get an image."""

    url: Annotated[str, Field(json_schema_extra={"format": "uri"})]


WIDTH = Integer("width", "Of the box in CSS pixels; 0: follows from the height", high=LARGEST)
HEIGHT = Integer("height", "Of the box in CSS pixels; 0: follows from the width", high=LARGEST)
FIT = OneOf("fit", "How it fits its box", choices={**words(FITS), "": FITS[0]}, default=FITS[0])
DPR = Integer("dpr", "Pixels to one of CSS", low=1, high=max(DENSITIES), default=1)
LINK = openapi.operation(
    "media.link",
    "The address under which readers get an image",
    "Media",
    {
        200: openapi.document_answer(ImageLink, "The address"),
        **openapi.READ_ERRORS,
    },
    parameters=[
        openapi.in_path("organizationId"),
        Text("url", "The image: `http(s)`, or an upload of the organization", ADDRESS, required=True),
        WIDTH,
        HEIGHT,
        FIT,
        DPR,
    ],
)


async def link(request: ApiRequest) -> Response:
    """The signed address of an image, `http(s)` or an upload of the organization, in a box."""
    query = request.query
    url = query.get("url", "")
    _check(url, request.organization_id)
    width, height = (side.of(query) or None for side in (WIDTH, HEIGHT))
    dpr, fit = DPR.of(query), FIT.of(query)
    if max(width or 0, height or 0) * dpr > LARGEST:
        raise InvalidRequest(f"a side of an image has at most {LARGEST} pixels", field="dpr")
    options = ImageOptions(width, height, "cover" if fit == "cover" else "contain", dpr)
    path = image_path(request.services.keys.media, ImageRequest(request.organization_id, url, options))
    return JSONResponse({"url": request.services.settings.public_url.rstrip("/") + path})


def _check(url: str, organization_id: str) -> None:
    """Raise InvalidRequest for what is no address of an image; whether it may be called is decided when it is fetched."""
    try:
        parts = urlsplit(url) if IMAGE_URL.fullmatch(url) else None
    except ValueError:
        parts = None
    if parts is None or not parts.hostname or "@" in parts.netloc:
        raise InvalidRequest("url is http, https or imageservice, without user and password", field="url")
    if parts.scheme == UPLOADED and parts.netloc != organization_id:
        raise NotFound(NO_IMAGE)
