"""The script of the elements, and their style sheet, at further paths: articles that were written for another service name them."""

from __future__ import annotations

import json
from functools import cache

from starlette.responses import Response

from api.embed.styles import STATIC, article_css
from api.http.caching import Rendering, conditional
from api.http.request import ApiRequest
from api.http.routing import Route
from api.http.static import ANY_ORIGIN, CACHE, TYPES, version
from config import Settings


def script_routes(settings: Settings) -> tuple[Route, ...]:
    """The rows of the configured paths: the script, and with `.css` instead of `.js` the style sheet."""
    scripts = (Route("GET", path, _script, "open") for path in settings.embed.script_paths)
    styles = (Route("GET", f"{path.removesuffix('.js')}.css", _style, "open") for path in settings.embed.script_paths)
    return (*scripts, *styles)


async def _script(request: ApiRequest) -> Response:
    settings = request.services.settings
    return _found(request, elements_script(settings.public_url, settings.embed.element_names), "js")


async def _style(request: ApiRequest) -> Response:
    return _found(request, article_css(), "css")


def _found(request: ApiRequest, body: bytes, kind: str) -> Response:
    return conditional(request.headers, Rendering.of(body), TYPES[kind], cache_control=CACHE, more=ANY_ORIGIN)


@cache
def elements_script(public_url: str, names: tuple[str, ...]) -> bytes:
    """A script, be it loaded as a module or not, that defines our elements and those of these names."""
    module = json.dumps(f"{public_url.rstrip('/')}/static/{version(STATIC)}/embed.js")
    return f"import({module}).then(({{ define }}) => {json.dumps(names)}.forEach((name) => define(name)));\n".encode()
