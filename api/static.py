"""Files that ship inside the package: read once, served with a strong ETag."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from api.conditional import conditional
from api.rendered import Rendering
from mapping.errors import NotFound

if TYPE_CHECKING:
    from starlette.responses import Response

    from api.request import ApiRequest
    from api.routing import Handler

TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
CACHE = "public, max-age=300"


@cache
def file(package: str, name: str) -> bytes | None:
    """The bytes of a file that ships in a package's folder, None where there is none of that name."""
    listed = {each.name: each for each in resources.files(package).iterdir() if each.is_file()}
    return listed[name].read_bytes() if name in listed and name.rpartition(".")[2] in TYPES else None


def folder(package: str) -> Handler:
    """A handler that serves the files of a folder by the parameter `name`."""

    async def respond(request: ApiRequest) -> Response:
        name = request.path_params["name"]
        body = file(package, name) if len(name) <= 64 and not name.endswith(".py") else None
        if body is None:
            raise NotFound("there is no such file")
        return conditional(request.headers, Rendering.of(body), TYPES[name.rpartition(".")[2]], cache_control=CACHE)

    return respond
