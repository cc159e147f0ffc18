"""What OpenID Connect sends and checks, by authlib and joserfc: loaded once somebody signs in with a provider."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote_plus

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken, UserInfo
from joserfc import jws, jwt
from joserfc.errors import ClaimError, JoseError
from joserfc.jwk import import_key

from config.sections import OpenId

if TYPE_CHECKING:
    from joserfc.jwk import Key


LEEWAY = 60
"""Seconds by which the provider's clock may be wrong."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures that only the provider can make; none by a secret that is shared, and never `none`."""
BASIC, POST = "client_secret_basic", "client_secret_post"


class TokenRefused(Exception):
    """A token, or the keys, are not what they have to be; the message says what, never a value."""


class CodeRequest(NamedTuple):
    """What binds a code to the browser that has begun: random texts that nobody else knows."""

    state: str
    nonce: str
    verifier: str


def authorization_address(settings: OpenId, metadata: Mapping[str, Any], begun: CodeRequest, back: str) -> str:
    """Where a browser is led to sign in; `back`: the address to come back to."""
    address: str = prepare_grant_uri(
        metadata["authorization_endpoint"],
        client_id=settings.client_id,
        response_type="code",
        redirect_uri=back,
        scope=" ".join(settings.scopes),
        state=begun.state,
        nonce=begun.nonce,
        code_challenge=create_s256_code_challenge(begun.verifier),
        code_challenge_method="S256",
        claims=_wanted(settings) if metadata.get("claims_parameter_supported") is True else None,
    )
    return address


def _wanted(settings: OpenId) -> str:
    """What is read of a person, in the token if it can be; only what the scopes stand for, as Authelia refuses the rest."""
    requested = [name for scope in settings.scopes for name in UserInfo.SCOPES_CLAIMS_MAPPING.get(scope, [scope])]
    names = [name for name in ("email", "email_verified", "name", settings.groups_claim) if name in requested]
    return json.dumps(dict.fromkeys(("id_token", "userinfo"), dict.fromkeys(names)))


def ways_of_secret(settings: OpenId, metadata: Mapping[str, Any]) -> list[str]:
    """The ways in which our secret may be sent, in the order in which they are tried: the configured one, or those offered."""
    if settings.client_secret is None:
        return ["none"]
    if settings.token_endpoint_auth_method is not None:
        return [settings.token_endpoint_auth_method]
    offered = metadata.get("token_endpoint_auth_methods_supported")
    return [way for way in (BASIC, POST) if isinstance(offered, list) and way in offered] or [BASIC]


def token_request(
    settings: OpenId, endpoint: str, code: str, begun: CodeRequest, back: str, *, way: str
) -> tuple[str, dict[str, str], str]:
    """Address, headers and body of the request that exchanges a code; `way`: how our secret is sent."""
    body = prepare_token_request("authorization_code", "", back, code=code, code_verifier=begun.verifier)
    named, secret = settings.client_id or "", settings.client_secret
    clear = "" if secret is None else secret.get_secret_value()
    if way == BASIC:  # RFC 6749, 2.3.1: encoded as in a form, then joined
        named, clear = quote_plus(named), quote_plus(clear)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    address, headers, body = ClientAuth(named, clear, way).prepare("POST", endpoint, headers, body)
    return str(address), headers, str(body)


def readable_keys(document: Mapping[str, Any]) -> tuple[Key, ...]:
    """The provider's keys; RFC 7517, 5: one that cannot be understood is passed over. Raises TokenRefused without any."""
    listed = document.get("keys")
    keys = tuple(_importable(listed if isinstance(listed, list) else []))
    if not keys:
        raise TokenRefused("the provider's keys cannot be read")
    return keys


def _importable(listed: Iterable[Any]) -> Iterator[Key]:
    for each in listed:
        try:
            yield import_key(each)
        except (JoseError, ValueError, KeyError, TypeError):
            continue


def signed_token(id_token: str, keys: Iterable[Key]) -> jwt.Token:
    """The token, signed by one of the keys: by the one that it names, or any that signs so. Raises TokenRefused."""
    registry = jws.JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
    reason = "no key of the provider is the one of the ID token"
    try:
        named = jws.extract_compact(id_token.encode(), registry=registry).headers().get("kid")
    except (JoseError, ValueError) as error:
        raise TokenRefused(f"the ID token cannot be read: {type(error).__name__}") from None
    for key in keys:
        if named is not None and key.kid not in {None, named}:
            continue
        try:
            return jwt.decode(id_token, key, registry=registry)  # which looks at what the key is for
        except (JoseError, ValueError) as error:
            reason = f"the ID token is refused: {type(error).__name__}"
    raise TokenRefused(reason)


def checked_claims(
    settings: OpenId, token: jwt.Token, *, issuer: str, nonce: str, access_token: str, now: float
) -> Mapping[str, Any]:
    """What the token says, where it is for us, for this browser and of now (Unix seconds). Raises TokenRefused."""
    claims = CodeIDToken(
        token.claims,
        token.header,
        {
            "iss": {"essential": True, "value": issuer},
            "aud": {"essential": True, "value": str(settings.client_id)},
            "sub": {"essential": True},
        },
        {"nonce": nonce, "client_id": settings.client_id, "access_token": access_token},
    )
    try:
        claims.validate(now=int(now), leeway=LEEWAY)
    except (JoseError, OAuth2Error) as error:
        about = error.claim if isinstance(error, ClaimError) else ""
        raise TokenRefused(f"the ID token is refused: {error.error} {about}".rstrip()) from None
    known: Mapping[str, Any] = claims
    return known
