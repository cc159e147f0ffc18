"""The ASGI application of a replay: provider addresses, and `/__replay/` to watch and control it.

It logs its requests, so that a test can say how a client behaves, and gives the tokens of Stats Perform's sign-in.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import json
import re
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha512
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from providers.replay import gn_gsd, heim, match_lists, recording
from providers.replay.control import control_routes
from providers.replay.faults import HTML, JSON, Fault, Spoilt, distort, spoil
from providers.replay.recorded_failure import Cut, Hanging, pad_body, response_of
from providers.replay.timeline import TimelineEntry

if TYPE_CHECKING:
    from providers.replay.replay import Replay

DRIPS = 50
Address = recording.Address | heim.Address | gn_gsd.Address


SIGN_IN = re.compile(r"(?:/[^/]+)*?/oauth/token/(?P<outlet>[^/]+)/?")
LIFE = 3600
"""Seconds for which a token is good by its answer; here it is good until it is revoked."""


def create_app(replay: Replay) -> Starlette:
    """The application that answers as the provider does, and obeys `/__replay/`."""

    async def provider(request: Request) -> Response:
        entry, response = _answer(replay, request)
        replay.log.add(entry)
        return response

    async def sign_in(request: Request) -> Response:
        status, body = replay.sign_in.answer(request.url.path, request.headers) or (404, heim.NOT_FOUND)
        return Response(body, status, media_type=JSON)

    routes = [Route("/{path:path}", provider, methods=["GET"]), Route("/{path:path}", sign_in, methods=["POST"])]
    return Starlette(routes=[*control_routes(replay), *routes])


def _answer(replay: Replay, request: Request) -> tuple[LoggedRequest, Response]:
    """The response to one request and what the log says about it."""
    path = request.url.path
    address = replay.paths.address(path, request.url.query) or heim.address(path) or gn_gsd.address(path)
    listed = match_lists.find(path, request.query_params) if address is None else None
    given = credentials(request.headers.get("authorization"))
    entry = LoggedRequest(
        at=replay.now().timestamp(),
        elapsed=replay.clock.now(),
        method=request.method,
        path=path,
        status=200,
        kind=address.kind if address else None,
        match_id=address.match_id if address else None,
        user=given[0] if given else None,
    )
    keyed = isinstance(address, gn_gsd.Address) or (listed is not None and listed.provider == "gn-gsd")
    refusal = _refusal(replay, request, given, keyed=keyed)
    if refusal is not None:
        return replace(entry, status=401), refusal
    if listed is not None:
        return _of_list(replay, request, listed, entry)
    if address is None or not replay.timeline.knows(address.match_id):
        return replace(entry, status=404), Response(heim.NOT_FOUND, 404, media_type=JSON)
    fault = replay.faults.take(*address)
    return _of_resource(replay, request, address, replace(entry, fault=fault.mode if fault else None), fault)


def _refusal(replay: Replay, request: Request, given: tuple[str, str] | None, *, keyed: bool) -> Response | None:
    """The response to wrong credentials, None to right ones. `keyed`: they are a key in the query."""
    if keyed:
        known = gn_gsd.is_admitted(replay.settings.api_key, request.query_params.get("api_key"))
        return None if known else Response(b"", 401)
    if not replay.sign_in.admits(request.headers.get("authorization")):
        return Response(b"", 401, headers={"www-authenticate": "Bearer"})
    return (
        None
        if _is_admitted(replay, given)
        else Response(b"", 401, headers={"www-authenticate": 'Basic realm="replay"'})
    )


def _of_resource(
    replay: Replay, request: Request, address: Address, entry: LoggedRequest, fault: Fault | None
) -> tuple[LoggedRequest, Response]:
    shown = replay.shown(address.match_id, address.kind)
    body = _before_first(address) if shown is None else replay.body(shown)
    entry = replace(entry, index=shown.place if shown else None)
    if fault is not None and (spoilt := spoil(fault, body or b"")) is not None:
        return replace(entry, status=spoilt.status), _spoilt_response(replay, spoilt)
    if body is None:
        missing = gn_gsd.NOT_FOUND if isinstance(address, gn_gsd.Address) else heim.NOT_FOUND
        return replace(entry, status=404), Response(missing, 404, media_type=JSON)
    if shown is not None and not shown.line.is_json:
        return _as_recorded(replay, shown, entry, body)
    return _good(replay, request, entry, fault, _distort(fault, body))


def _of_list(
    replay: Replay, request: Request, listed: match_lists.List, entry: LoggedRequest
) -> tuple[LoggedRequest, Response]:
    """The response to a list of matches."""
    fault, body = replay.faults.take(match_lists.KIND, listed.name), listed.body(replay.match_documents())
    entry = replace(entry, kind=match_lists.KIND, fault=fault.mode if fault else None)
    if fault is not None and (spoilt := spoil(fault, body)) is not None:
        return replace(entry, status=spoilt.status), _spoilt_response(replay, spoilt)
    return _good(replay, request, entry, fault, body)


def _as_recorded(
    replay: Replay, shown: TimelineEntry, entry: LoggedRequest, body: bytes
) -> tuple[LoggedRequest, Response]:
    """A recorded response that was no JSON, or could not be used."""
    failure = shown.line.failure
    if failure is None:
        return entry, Response(body, 200, media_type=HTML)
    return replace(entry, status=failure.status), response_of(failure, replay.settings.hang)


def _before_first(address: Address) -> bytes | None:
    """What a resource of a known match answers before it exists; None = 404."""
    match address:
        case gn_gsd.Address():
            return gn_gsd.BEFORE_FIRST[address.kind]
        case heim.Address():
            return heim.BEFORE_FIRST[address.kind]
    return None


def _good(
    replay: Replay, request: Request, entry: LoggedRequest, fault: Fault | None, body: bytes
) -> tuple[LoggedRequest, Response]:
    tag = heim.etag(body)
    speed = float("inf") if replay.settings.step else replay.clock.speed
    headers = heim.headers(tag, speed=speed, now=entry.at)
    if heim.matches(request.headers.get("if-none-match"), tag):
        return replace(entry, status=304, etag_match=True), Response(None, 304, headers=headers)
    if fault is not None and fault.mode in {"drip", "oversized", "cut"}:
        return entry, _paced_response(fault, body, headers)
    if heim.accepts_gzip(request.headers.get("accept-encoding")):
        body, headers["content-encoding"] = heim.compress_body(body), "gzip"
    return entry, Response(body, 200, headers=headers)


def _distort(fault: Fault | None, body: bytes) -> bytes:
    if fault is None:
        return body
    document = json.loads(body)
    spoilt = distort(fault, document)
    return body if spoilt is document else json.dumps(spoilt, ensure_ascii=False).encode()


def _spoilt_response(replay: Replay, spoilt: Spoilt) -> Response:
    if spoilt.status == 0:
        return Hanging(replay.settings.hang)
    headers = {"retry-after": spoilt.retry_after} if spoilt.retry_after is not None else {}
    if spoilt.status == 401:
        headers["www-authenticate"] = 'Basic realm="replay"'
    return Response(spoilt.body, spoilt.status, headers=headers, media_type=spoilt.content_type)


def _paced_response(fault: Fault, body: bytes, headers: dict[str, str]) -> Response:
    if fault.mode == "cut":
        return Cut(body[: len(body) // 2], headers=headers)
    stream = _drip(body, fault.seconds) if fault.mode == "drip" else pad_body(body, fault.size)
    return StreamingResponse(stream, headers=headers)


async def _drip(body: bytes, seconds: float) -> AsyncIterator[bytes]:
    """The whole body, a little at a time."""
    size = max(1, -(-len(body) // DRIPS))
    for start in range(0, len(body), size):
        await asyncio.sleep(seconds / DRIPS)
        yield body[start : start + size]


def credentials(authorization: str | None) -> tuple[str, str] | None:
    """User and password of HTTP Basic, None where the header is missing or something else."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, colon, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return (user, password) if colon else None


def _is_admitted(replay: Replay, given: tuple[str, str] | None) -> bool:
    wanted = (replay.settings.user, replay.settings.password)
    if wanted[0] is None or wanted[1] is None:
        return True
    if given is None:
        return False
    user, password = (
        hmac.compare_digest(a.encode(), b.encode()) for a, b in zip(given, (wanted[0], wanted[1]), strict=True)
    )
    return user and password


@dataclass(frozen=True, kw_only=True)
class LoggedRequest:
    """One request that was answered, or left hanging (status 0)."""

    at: float
    """Unix seconds."""
    elapsed: float
    """Virtual seconds since the start of the replay."""
    method: str
    path: str
    status: int
    kind: str | None = None
    match_id: str | None = None
    etag_match: bool = False
    """The client knew the answer already."""
    user: str | None = None
    """The name given with HTTP Basic; the password is never kept."""
    fault: str | None = None
    index: int | None = None
    """Which recorded answer was shown, counted over all matches."""


class Log:
    """The latest requests, oldest first; what no longer fits is forgotten but stays counted."""

    def __init__(self, size: int = 1000) -> None:
        self._kept: deque[LoggedRequest] = deque(maxlen=size)
        self.total = 0

    def add(self, request: LoggedRequest) -> None:
        self._kept.append(request)
        self.total += 1

    @property
    def requests(self) -> tuple[LoggedRequest, ...]:
        return tuple(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        self._kept.clear()
        self.total = 0


@dataclass(slots=True)
class SignIn:
    """The tokens that are good. `secret`: the outlet's; without it nobody needs a token. `given`: how many there were."""

    secret: str | None
    given: int = 0
    tokens: set[str] = field(default_factory=set)

    def answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes] | None:
        """Status and body for a request of a token; None where the path is another one."""
        found = SIGN_IN.fullmatch(path)
        if found is None or self.secret is None:
            return None
        proof = sha512(f"{found['outlet']}{headers.get('timestamp', '')}{self.secret}".encode()).hexdigest()
        if not hmac.compare_digest(headers.get("authorization", "").encode(), f"Basic {proof}".encode()):
            return 401, b'{"error":"invalid_client"}'
        token = secrets.token_urlsafe()
        self.tokens.add(token)
        self.given += 1
        return 200, json.dumps({"access_token": token, "token_type": "bearer", "expires_in": LIFE}).encode()

    def admits(self, authorization: str | None) -> bool:
        """Whether a request has a token that is good."""
        return self.secret is None or (authorization or "").removeprefix("Bearer ") in self.tokens

    def revoke(self) -> None:
        """From now on no token is good that was given before."""
        self.tokens.clear()
