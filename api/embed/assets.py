"""The script and the style sheets for a liveblog in somebody else's page, put together from the files of its own page.

The sheets have the rules of that page, whatever size the other one's root has. Articles that were written for another service
name the script, and a sheet, at further paths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache

from starlette.responses import Response

from api.http.caching import Rendering, conditional
from api.http.request import ApiRequest
from api.http.routing import Route
from api.http.static import ANY_ORIGIN, CACHE, TYPES, file, version
from config import Settings

STATIC = "api.page.static"
ROOT = 16
"""Pixels of the root's font on the liveblog's own page."""
_REM = re.compile(r"(\d*\.?\d+)rem\b")
_OWN_HOST = re.compile(r":host\(([^)]*)\)")
_KEYFRAMES = re.compile(r"^@keyframes [^\n]*$", re.MULTILINE)
_WITHIN = "matchwire-liveblog, matchwire-liveblog-teaser, .matchwire"
"""What an article holds of the service, before a script has put it into a shadow root."""


@cache
def embed_css() -> bytes:
    """The rules of the page, then those of the element, with lengths in pixels: for a shadow root."""
    return _pixels("page.css", "embed.css").encode()


@cache
def article_css() -> bytes:
    """The same for what stands in the article itself: no rule of it reaches anything else of the article."""
    rules = _OWN_HOST.sub(r":scope\1", _pixels("page.css", "embed.css"))
    rules = rules.replace(":root, :host", ":scope").replace(":host", ":scope")
    moves = "\n".join(_KEYFRAMES.findall(rules))
    return f"{moves}\n@scope ({_WITHIN}) {{\n{_KEYFRAMES.sub('', rules)}}}\n".encode()


MADE_STYLES: Mapping[str, Callable[[], bytes]] = {"embed.css": embed_css, "article.css": article_css}
"""Style sheets that are put together of those in the folder."""


def _pixels(*names: str) -> str:
    rules = "".join(str(file(STATIC, name) or b"", "utf-8") for name in names)
    return _REM.sub(lambda found: f"{float(found[1]) * ROOT:g}px", rules)


def script_routes(settings: Settings) -> tuple[Route, ...]:
    """The rows of the configured paths: the script, and with `.css` instead of `.js` the style sheet."""
    scripts = (Route("GET", path, _script, "open") for path in settings.embed.script_paths)
    styles = (Route("GET", f"{path.removesuffix('.js')}.css", _style, "open") for path in settings.embed.script_paths)
    return (*scripts, *styles)


async def _script(request: ApiRequest) -> Response:
    settings = request.services.settings
    return _respond(request, elements_script(settings.public_url, settings.embed.element_names), "js")


async def _style(request: ApiRequest) -> Response:
    return _respond(request, article_css(), "css")


def _respond(request: ApiRequest, body: bytes, kind: str) -> Response:
    return conditional(request.headers, Rendering.of(body), TYPES[kind], cache_control=CACHE, more=ANY_ORIGIN)


@cache
def elements_script(public_url: str, names: tuple[str, ...]) -> bytes:
    """A script, be it loaded as a module or not, that defines our elements and those of these names."""
    module = json.dumps(f"{public_url.rstrip('/')}/static/{version(STATIC)}/embed.js")
    return f"import({module}).then(({{ define }}) => {json.dumps(names)}.forEach((name) => define(name)));\n".encode()
