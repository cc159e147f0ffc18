"""The provider of OpenID Connect: its addresses and keys, a code exchanged for a token, and what the token says of a person.

The address is the operator's, as those of sports data providers are, so that it may lie in a network of ours. Everything
else is bounded: one time-out covers an answer as a whole, its size has an end, redirects are not followed, and no answer
is logged.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from mapping.errors import UpstreamUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from joserfc.jwk import KeySet
    from joserfc.jwt import Token

    from api.desk.openid_tokens import CodeRequest
    from config.sections import OpenId

ANSWER_BYTES = 1_048_576
KEPT = 3600.0
"""Seconds for which addresses and keys of the provider are kept; keys are read anew when one is not among them."""
KEYS_AGAIN = 60.0
"""Seconds before which they are not read anew for a token whose key is unknown: anybody can make one up."""
FAILED = "the provider of OpenID Connect could not be used"


class OpenIdRefused(Exception):
    """What the provider has given back is not what it has to be; the message says what, never a value."""


class OpenIdProvider:
    """One provider; `monotonic` counts seconds, `clock` gives Unix seconds."""

    def __init__(self, settings: OpenId, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._settings, self._clock, self._monotonic = settings, clock, monotonic
        self._metadata: tuple[float, Mapping[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def address(self, begun: CodeRequest, back: str) -> str:
        """Where the browser is led to sign in; `back`: our own address to come back to. Raises UpstreamUnavailable."""
        from api.desk.openid_tokens import authorization_address  # a start that signs nobody in needs none of it

        return authorization_address(self._settings, (await self._known())["authorization_endpoint"], begun, back)

    async def claims(self, code: str, begun: CodeRequest, back: str) -> Mapping[str, Any]:
        """What the provider says of who has signed in. Raises OpenIdRefused, UpstreamUnavailable."""
        from api.desk.openid_tokens import TokenRefused, checked_claims, token_request

        metadata = await self._known()
        address, headers, body = token_request(self._settings, metadata, code, begun, back)
        answer = await self._fetch("POST", address, headers=headers, body=body)
        if not isinstance(answer.get("id_token"), str):
            raise OpenIdRefused("there is no ID token")
        access_token = str(answer.get("access_token", ""))
        try:
            token = await self._signed(answer["id_token"])
            return checked_claims(
                self._settings,
                token,
                issuer=str(metadata["issuer"]),
                nonce=begun.nonce,
                access_token=access_token,
                now=self._clock(),
            )
        except TokenRefused as error:
            raise OpenIdRefused(str(error)) from None

    async def _signed(self, id_token: str) -> Token:
        """The token, signed by one of the provider's keys; one that is not among those we know is perhaps a new one."""
        from api.desk.openid_tokens import TokenRefused, signed_token

        try:
            return signed_token(id_token, await self._key_set())
        except TokenRefused:
            return signed_token(id_token, await self._key_set(again=True))

    async def _known(self) -> Mapping[str, Any]:
        kept, issuer = self._metadata, str(self._settings.issuer)
        if kept is not None and self._monotonic() < kept[0]:
            return kept[1]
        found = await self._fetch("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if str(found.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
            raise UpstreamUnavailable(f"{FAILED}: it calls itself otherwise than desk.openid.issuer")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            address = found.get(name)
            if not isinstance(address, str) or not _as_safe(address, issuer):
                raise UpstreamUnavailable(f"{FAILED}: its {name} is not as safe as its address")
        self._metadata = (self._monotonic() + KEPT, found)
        return found

    async def _key_set(self, *, again: bool = False) -> KeySet:
        from api.desk.openid_tokens import key_set

        kept, now = self._keys, self._monotonic()
        if kept is not None and now < kept[0] + (KEYS_AGAIN if again else KEPT):
            return kept[1]
        found = await self._fetch("GET", (await self._known())["jwks_uri"])
        keys = key_set(found)
        self._keys = (now, keys)
        return keys

    async def _fetch(
        self, method: str, address: str, *, headers: Mapping[str, str] | None = None, body: str | None = None
    ) -> Mapping[str, Any]:
        """The JSON object that it answers with. Raises UpstreamUnavailable, OpenIdRefused for what the provider refuses."""
        sent = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                httpx.AsyncClient(trust_env=False, timeout=self._settings.timeout, follow_redirects=False) as client,
                client.stream(method, address, headers=sent, content=body) as response,
            ):
                content = await _read(response)
                status = response.status_code
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise UpstreamUnavailable(f"{FAILED}: {type(error).__name__}") from None
        if method == "POST" and 400 <= status < 500:
            raise OpenIdRefused(f"the code is refused with the status {status}")
        return _object(status, content)


async def _read(response: httpx.Response) -> bytes:
    """The bytes as they come, uncompressed, as requested."""
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > ANSWER_BYTES:
            raise UpstreamUnavailable(f"{FAILED}: its answer is larger than {ANSWER_BYTES} bytes")
    return bytes(content)


def _object(status: int, content: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(content) if status == 200 else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UpstreamUnavailable(f"{FAILED}: it answers with the status {status} and no JSON object")
    return found


def _as_safe(address: str, issuer: str) -> bool:
    """Whether it is https, or http as the issuer's own address is, on the same host."""
    parts, own = urlsplit(address), urlsplit(issuer)
    return parts.scheme == "https" or (parts.scheme == own.scheme == "http" and parts.hostname == own.hostname)
