"""Files that ship inside the package: read once, served with a strong ETag."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

from starlette.responses import Response

from api.http.caching import Rendering, conditional
from api.http.request import ApiRequest
from api.http.routing import Handler
from mapping.errors import NotFound

TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
CACHE = "public, max-age=300"
IMMUTABLE = "public, max-age=31536000, immutable"
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}
"""Browsers load a module of another site only where that site lets them."""


def file(package: str, name: str) -> bytes | None:
    """The bytes of a file that ships in a package's folder, None where there is none of that name."""
    return _files(package).get(name)


@cache
def version(package: str) -> str:
    """Changes with the bytes of any file of the folder, so that files which load each other come from the same one."""
    digest = hashlib.sha256()
    for name, body in sorted(_files(package).items()):
        digest.update(name.encode() + b"\0" + body)
    return digest.hexdigest()[:16]


@cache
def _files(package: str) -> Mapping[str, bytes]:
    """Every file of the folder: read as a whole, so that a name which a stranger asks for is never kept."""
    found = (each for each in resources.files(package).iterdir() if each.is_file())
    return {each.name: each.read_bytes() for each in found if each.name.rpartition(".")[2] in TYPES}


def folder(package: str, made: Mapping[str, Callable[[], bytes]] | None = None) -> Handler:
    """A handler that serves the files of a folder by the parameter `name`; `made`: what stands for some of them.

    With the parameter `version`, where it is the folder's, they may be kept forever. Those of another version are served as
    they are now: a page that was kept since before an upgrade still needs them.
    """

    async def respond(request: ApiRequest) -> Response:
        name = request.path_params["name"]
        if made is not None and name in made:
            body: bytes | None = made[name]()
        else:
            body = file(package, name) if len(name) <= 64 and not name.endswith(".py") else None
        if body is None:
            raise NotFound("there is no such file")
        forever = request.path_params.get("version") == version(package)
        return conditional(
            request.headers,
            Rendering.of(body),
            TYPES[name.rpartition(".")[2]],
            cache_control=IMMUTABLE if forever else CACHE,
            more=ANY_ORIGIN,
        )

    return respond
