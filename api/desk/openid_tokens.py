"""What OpenID Connect sends and checks, by authlib and joserfc: loaded once somebody signs in with a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from joserfc.jwk import KeySetSerialization

    from config.sections import OpenId

LEEWAY = 60
"""Seconds by which the provider's clock may be wrong."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that only the provider can make; none by a secret that is shared, and never `none`."""


class TokenRefused(Exception):
    """A token, or the keys, are not what they have to be; the message says what, never a value."""


class CodeRequest(NamedTuple):
    """What binds a code to the browser that has begun: random texts that nobody else knows."""

    state: str
    nonce: str
    verifier: str


def authorization_address(settings: OpenId, endpoint: str, begun: CodeRequest, back: str) -> str:
    """Where a browser is led to sign in; `back`: the address to come back to."""
    address: str = prepare_grant_uri(
        endpoint,
        client_id=settings.client_id,
        response_type="code",
        redirect_uri=back,
        scope=" ".join(settings.scopes),
        state=begun.state,
        nonce=begun.nonce,
        code_challenge=create_s256_code_challenge(begun.verifier),
        code_challenge_method="S256",
    )
    return address


def token_request(
    settings: OpenId, metadata: Mapping[str, Any], code: str, begun: CodeRequest, back: str
) -> tuple[str, dict[str, str], str]:
    """Address, headers and body of the request that exchanges a code; our secret is sent as the provider wants it."""
    body = prepare_token_request("authorization_code", "", back, code=code, code_verifier=begun.verifier)
    secret = settings.client_secret
    methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    method = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
    prove = ClientAuth(
        settings.client_id, None if secret is None else secret.get_secret_value(), method if secret else "none"
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    address, headers, body = prove.prepare("POST", metadata["token_endpoint"], headers, body)
    return str(address), headers, str(body)


def key_set(document: Mapping[str, Any]) -> KeySet:
    """The provider's keys. Raises TokenRefused."""
    try:
        return KeySet.import_key_set(cast("KeySetSerialization", document))  # which checks it
    except (JoseError, ValueError, KeyError, TypeError):
        raise TokenRefused("the keys cannot be read") from None


def signed_token(id_token: str, keys: KeySet) -> jwt.Token:
    """The token, signed by one of the keys. Raises TokenRefused."""
    try:
        return jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
    except (JoseError, ValueError) as error:
        raise TokenRefused(f"the ID token is refused: {type(error).__name__}") from None


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
        raise TokenRefused(f"a claim is refused: {type(error).__name__}") from None
    known: Mapping[str, Any] = claims
    return known
