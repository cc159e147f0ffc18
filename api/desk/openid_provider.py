"""The provider of OpenID Connect: its addresses and keys, a code exchanged for a token, and what it says of a person.

The address is the operator's, as those of sports data providers are, so that it may lie in a network of ours. Everything
else is bounded: one time-out covers an answer as a whole, its size has an end, redirects are not followed, and no answer
is logged.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from config.sections import OpenId
from mapping.desk.openid_claims import complete_claims, is_complete
from mapping.errors import UpstreamUnavailable

if TYPE_CHECKING:
    from joserfc.jwk import Key
    from joserfc.jwt import Token

    from api.desk.openid_tokens import CodeRequest

ANSWER_BYTES = 1_048_576
KEPT = 3600.0
"""Seconds for which addresses and keys of the provider are kept; keys are read anew when one is not among them."""
KEYS_AGAIN = 10.0
"""Seconds before which they are not read anew once more for a token whose key is unknown: anybody can make one up."""
FAILED = "the provider of OpenID Connect could not be used"
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_CODE = re.compile(r"[a-z_]{1,40}")


class OpenIdRefused(Exception):
    """What the provider has given back is not what it has to be; the message says what, never a value."""


class ClientRefused(OpenIdRefused):
    """The provider does not take our secret in the way in which it was sent."""


class OpenIdProvider:
    """One provider; `monotonic` counts seconds, `clock` gives Unix seconds."""

    def __init__(self, settings: OpenId, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._settings, self._clock, self._monotonic = settings, clock, monotonic
        self._metadata: tuple[float, Mapping[str, Any]] | None = None
        self._keys: tuple[float, tuple[Key, ...]] | None = None
        self._keys_again = -KEYS_AGAIN
        self._reading_keys = asyncio.Lock()
        self._refused_ways: set[str] = set()

    @property
    def groups_claim(self) -> str | None:
        """The claim that lists the groups of a person, None where these mean nothing."""
        return self._settings.groups_claim if self._settings.roles else None

    async def address(self, begun: CodeRequest, back: str) -> str:
        """Where the browser is led to sign in; `back`: our own address to come back to. Raises UpstreamUnavailable."""
        from api.desk.openid_tokens import authorization_address  # a start that signs nobody in needs none of it

        return authorization_address(self._settings, await self._known(), begun, back)

    async def claims(self, code: str, begun: CodeRequest, back: str) -> Mapping[str, Any]:
        """What the provider says of who has signed in. Raises OpenIdRefused, UpstreamUnavailable."""
        from api.desk.openid_tokens import TokenRefused, checked_claims

        metadata = await self._known()
        answer = await self._exchange(metadata, code, begun, back)
        id_token, access_token = answer.get("id_token"), str(answer.get("access_token", ""))
        if not isinstance(id_token, str):
            raise OpenIdRefused("there is no ID token: does desk.openid.scopes have openid?")
        try:
            token = await self._signed(id_token)
            claims = checked_claims(
                self._settings,
                token,
                issuer=str(metadata["issuer"]),
                nonce=begun.nonce,
                access_token=access_token,
                now=self._clock(),
            )
        except TokenRefused as error:
            raise OpenIdRefused(str(error)) from None
        if is_complete(claims, groups_claim=self.groups_claim, trust_email=self._settings.trust_email):
            return claims
        return complete_claims(claims, await self._user_info(metadata, access_token, str(claims["sub"])))

    async def _exchange(
        self, metadata: Mapping[str, Any], code: str, begun: CodeRequest, back: str
    ) -> Mapping[str, Any]:
        """The answer to the code. A provider may take our secret in one way alone and offer two: then the other is tried."""
        from api.desk.openid_tokens import token_request, ways_of_secret

        ways = sorted(ways_of_secret(self._settings, metadata), key=self._refused_ways.__contains__)
        for way in ways:
            address, headers, body = token_request(
                self._settings, metadata["token_endpoint"], code, begun, back, way=way
            )
            try:
                return await self._fetch("token_endpoint", address, headers=headers, body=body)
            except ClientRefused:
                self._refused_ways.add(way)
        raise OpenIdRefused(
            f"the provider does not know us by desk.openid.client_id and client_secret, sent by {' or '.join(ways)}"
        )

    async def _user_info(self, metadata: Mapping[str, Any], access_token: str, subject: str) -> Mapping[str, Any]:
        """What UserInfo says of the person: nothing where there is none."""
        address = metadata.get("userinfo_endpoint")
        if address is None:
            return {}
        if not access_token or not access_token.isascii() or not access_token.isprintable():
            raise OpenIdRefused("there is no access token to ask UserInfo with")
        found = await self._fetch("userinfo_endpoint", address, headers={"Authorization": f"Bearer {access_token}"})
        if found.get("sub") != subject:  # OpenID Connect Core, 5.3.2
            raise OpenIdRefused("UserInfo speaks of somebody else than the ID token (sub)")
        return found

    async def _signed(self, id_token: str) -> Token:
        """The token, signed by one of the provider's keys; one that is not among those we know is perhaps a new one."""
        from api.desk.openid_tokens import TokenRefused, signed_token

        keys = await self._key_set()
        try:
            return signed_token(id_token, keys)
        except TokenRefused:
            return signed_token(id_token, await self._key_set(but=keys))

    async def _known(self) -> Mapping[str, Any]:
        kept, issuer = self._metadata, str(self._settings.issuer)
        if kept is not None and self._monotonic() < kept[0]:
            return kept[1]
        found = await self._fetch("discovery", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if str(found.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
            raise UpstreamUnavailable(f"{FAILED}: it calls itself otherwise than desk.openid.issuer")
        for name in (*ENDPOINTS, *(["userinfo_endpoint"] if "userinfo_endpoint" in found else [])):
            address = found.get(name)
            if not isinstance(address, str) or not _as_safe(address, issuer):
                raise UpstreamUnavailable(f"{FAILED}: its {name} is not as safe as its address")
        self._metadata = (self._monotonic() + KEPT, found)
        return found

    async def _key_set(self, *, but: tuple[Key, ...] | None = None) -> tuple[Key, ...]:
        """The provider's keys; others than those of `but`, where there are newer ones."""
        from api.desk.openid_tokens import readable_keys

        async with self._reading_keys:  # whoever comes meanwhile gets what this one has read
            kept, now = self._keys, self._monotonic()
            if kept is not None and now < kept[0] + KEPT and kept[1] is not but:
                return kept[1]
            if kept is not None and but is not None:
                if now < self._keys_again + KEYS_AGAIN:
                    return but
                self._keys_again = now
            keys = readable_keys(await self._fetch("jwks_uri", (await self._known())["jwks_uri"]))
            self._keys = (now, keys)
            return keys

    async def _fetch(
        self, what: str, address: str, *, headers: Mapping[str, str] | None = None, body: str | None = None
    ) -> Mapping[str, Any]:
        """The JSON object that it answers with. Raises UpstreamUnavailable; OpenIdRefused for what it refuses of a body."""
        method, sent = "GET" if body is None else "POST", {"Accept": "application/json", "Accept-Encoding": "identity"}
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                httpx.AsyncClient(trust_env=False, verify=_tls_context(), timeout=self._settings.timeout) as client,
                client.stream(method, address, headers={**sent, **(headers or {})}, content=body) as response,
            ):
                content = await _read(what, response)
                status = response.status_code
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise UpstreamUnavailable(f"{FAILED}: {what}: {type(error).__name__}") from None
        found = _object(content)
        if body is not None and 400 <= status < 500:
            said = error_code((found or {}).get("error"))
            if said == "invalid_client" or (status == 401 and not said):
                raise ClientRefused
            raise OpenIdRefused(f"the code is refused with the status {status} {said}".rstrip())
        if status != 200 or found is None:
            answered = "no JSON object" if status == 200 else f"the status {status}"
            raise UpstreamUnavailable(f"{FAILED}: {what} answers with {answered}")
        return found


def error_code(said: object) -> str:
    """The name of an error as OAuth gives them, nothing for any other text: a stranger may have written it."""
    return said if isinstance(said, str) and _CODE.fullmatch(said) else ""


@cache
def _tls_context() -> ssl.SSLContext:
    """Read once: it takes the event loop forty milliseconds."""
    return httpx.create_ssl_context(trust_env=False)


async def _read(what: str, response: httpx.Response) -> bytes:
    """The bytes as they come, uncompressed, as requested."""
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > ANSWER_BYTES:
            raise UpstreamUnavailable(f"{FAILED}: {what} answers with more than {ANSWER_BYTES} bytes")
    return bytes(content)


def _object(content: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _as_safe(address: str, issuer: str) -> bool:
    """Whether it is https, or http as the issuer's own address is, on the same host."""
    parts, own = urlsplit(address), urlsplit(issuer)
    return parts.scheme == "https" or (parts.scheme == own.scheme == "http" and parts.hostname == own.hostname)
