"""The provider of OpenID Connect: its addresses and keys, a code exchanged for a token, and what the token says of a person.

The address is the operator's, as those of sports data providers are, so that it may lie in a network of ours. Everything
else is bounded: one time-out covers an answer as a whole, its size has an end, redirects are not followed, and no answer
is logged.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

import httpx
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from mapping.errors import UpstreamUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from joserfc.jwk import KeySetSerialization

    from config.sections import OpenId

ANSWER_BYTES = 1_048_576
KEPT = 3600.0
"""Seconds for which addresses and keys of the provider are kept; keys are read anew when one is not among them."""
KEYS_AGAIN = 60.0
"""Seconds before which they are not read anew for a token whose key is unknown: anybody can make one up."""
LEEWAY = 60
"""Seconds by which the provider's clock may be wrong."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that only the provider can make; none by a secret that is shared, and never `none`."""
FAILED = "the provider of OpenID Connect could not be used"


class OpenIdRefused(Exception):
    """What the provider has given back is not what it has to be; the message says what, never a value."""


class CodeRequest(NamedTuple):
    """What binds a code to the browser that has begun: random texts that nobody else knows."""

    state: str
    nonce: str
    verifier: str


class OpenIdProvider:
    """One provider; `monotonic` counts seconds, `clock` gives Unix seconds."""

    def __init__(self, settings: OpenId, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._settings, self._clock, self._monotonic = settings, clock, monotonic
        self._metadata: tuple[float, Mapping[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def address(self, begun: CodeRequest, back: str) -> str:
        """Where the browser is led to sign in; `back`: our own address to come back to. Raises UpstreamUnavailable."""
        metadata = await self._known()
        address: str = prepare_grant_uri(
            metadata["authorization_endpoint"],
            client_id=self._settings.client_id,
            response_type="code",
            redirect_uri=back,
            scope=" ".join(self._settings.scopes),
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
        )
        return address

    async def claims(self, code: str, begun: CodeRequest, back: str) -> Mapping[str, Any]:
        """What the provider says of who has signed in. Raises OpenIdRefused, UpstreamUnavailable."""
        metadata = await self._known()
        body = prepare_token_request("authorization_code", "", back, code=code, code_verifier=begun.verifier)
        secret = self._settings.client_secret
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        method = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
        prove = ClientAuth(
            self._settings.client_id,
            None if secret is None else secret.get_secret_value(),
            method if secret else "none",
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        address, headers, body = prove.prepare("POST", metadata["token_endpoint"], headers, body)
        token = await self._fetch("POST", address, headers=headers, body=body)
        if not isinstance(token.get("id_token"), str):
            raise OpenIdRefused("there is no ID token")
        return await self._verify(token["id_token"], str(token.get("access_token", "")), begun.nonce)

    async def _verify(self, id_token: str, access_token: str, nonce: str) -> Mapping[str, Any]:
        found = await self._signed(id_token)
        claims = CodeIDToken(
            found.claims,
            found.header,
            {
                "iss": {"essential": True, "value": str((await self._known())["issuer"])},
                "aud": {"essential": True, "value": str(self._settings.client_id)},
                "sub": {"essential": True},
            },
            {"nonce": nonce, "client_id": self._settings.client_id, "access_token": access_token},
        )
        try:
            claims.validate(now=int(self._clock()), leeway=LEEWAY)
        except (JoseError, OAuth2Error) as error:
            raise OpenIdRefused(f"a claim is refused: {type(error).__name__}") from None
        known: Mapping[str, Any] = claims
        return known

    async def _signed(self, id_token: str) -> jwt.Token:
        """The token, signed by one of the provider's keys; one that is not among those we know is perhaps a new one."""
        for again in (False, True):
            try:
                return jwt.decode(id_token, await self._key_set(again=again), algorithms=list(ALGORITHMS))
            except (JoseError, ValueError) as error:
                refused = type(error).__name__
        raise OpenIdRefused(f"the ID token is refused: {refused}")

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
        kept, now = self._keys, self._monotonic()
        if kept is not None and now < kept[0] + (KEYS_AGAIN if again else KEPT):
            return kept[1]
        found = await self._fetch("GET", (await self._known())["jwks_uri"])
        try:
            keys = KeySet.import_key_set(cast("KeySetSerialization", found))  # which checks it
        except (JoseError, ValueError, KeyError, TypeError):
            raise UpstreamUnavailable(f"{FAILED}: its keys cannot be read") from None
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
