"""Who a reader is: signed tokens of this service, and the tokens by which an organization signs its readers in.

Pure rules over JSON Web Tokens (HS256): the caller gives keys, random ids and the time in Unix seconds.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import jwt

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Text
from mapping.documents.strict_json import ForbiddenText, check_text
from mapping.errors import Unauthorized
from mapping.rules.callable_addresses import plausible
from mapping.rules.plain_text import plain_line

ALGORITHM = "HS256"
NAME_LENGTH = 60
"""Characters of a reader's name; the rest is cut off."""
LONGEST = 4096
"""Characters of a token."""
ID_BYTES = 16
AHEAD = 60
"""Seconds that the clock of an organization may be ahead of ours."""
REFUSED = "the reader's token is missing or not valid"
SIGN_IN_REFUSED = "the sign-in token is not valid"
"""One message for whatever is wrong, so that nobody learns from it."""
_UNTIMED = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
"""Times are compared here, by the caller's clock."""


@dataclass(frozen=True, slots=True)
class VerifiedReader:
    """A reader of an organization. `image`: https address of a picture; both that and the name may be missing."""

    organization_id: str
    id: str
    name: str | None = None
    image: str | None = None
    signed_in: bool = False


@dataclass(frozen=True, slots=True)
class SignIn:
    """What a valid sign-in token says. `jti` names the token, which counts once until `expires` (Unix seconds)."""

    subject: str
    name: str | None
    image: str | None
    jti: str
    expires: int


def issue(key: bytes, reader: VerifiedReader, now: int) -> str:
    """A token that proves to this service who the reader is."""
    claims = {
        "aud": reader.organization_id,
        "sub": reader.id,
        "name": reader.name,
        "image": reader.image,
        "signed_in": reader.signed_in,
        "iat": now,
    }
    return jwt.encode(claims, key, ALGORITHM)


def read_token(
    keys: Sequence[bytes], token: str, organization_id: str, *, now: float, token_age: float
) -> VerifiedReader:
    """The reader of a token that is at most `token_age` seconds old, signed by one of the keys.

    Raises Unauthorized, also for other organizations.
    """
    claims = _claims(keys, token, REFUSED, required=["aud", "sub", "iat"], audience=organization_id)
    if not now - token_age < claims["iat"] <= now + AHEAD:
        raise Unauthorized(REFUSED)
    return VerifiedReader(
        organization_id, claims["sub"], claims.get("name"), claims.get("image"), claims.get("signed_in") is True
    )


def read_sign_in(secret: str, token: str, *, now: float, sign_in_age: float) -> SignIn:
    """What an organization says of its reader. Raises Unauthorized.

    `sign_in_age`: seconds that the token may be valid for, from now on.
    """
    claims = _claims([secret.encode()], token, SIGN_IN_REFUSED, required=["sub", "iat", "exp", "jti"])
    subject, jti, issued, expires = (claims[name] for name in ("sub", "jti", "iat", "exp"))
    texts = all(isinstance(each, str) and 0 < len(each) <= 255 for each in (subject, jti))
    times = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (issued, expires))
    if not (texts and times and issued <= now + AHEAD and now < expires <= now + sign_in_age):
        raise Unauthorized(SIGN_IN_REFUSED)
    return SignIn(subject, reader_name(claims.get("name")), reader_image(claims.get("image")), jti, int(expires) + 1)


def person_id(key: bytes, organization_id: str, subject: str) -> str:
    """The reader's id of a person of the organization: always the same, and not to be guessed from the subject."""
    person = f"{len(organization_id)}:{organization_id}:{subject}".encode()
    return f"p{hmac.digest(key, person, hashlib.sha256)[:ID_BYTES].hex()}"


def network_id(key: bytes, comment_id: str, address: str) -> str:
    """What stands for a reader's network in the reports of one comment: not to be traced back, nor to another comment."""
    return hmac.digest(key, f"{comment_id}:{address}".encode(), hashlib.sha256)[:ID_BYTES].hex()


def reader_name(value: Any) -> str | None:
    """The name as others see it; None where nothing is left of it."""
    return (
        (plain_line(plain_line(value)[:NAME_LENGTH]) or None) if isinstance(value, str) else None
    )  # a cut flag is none


def reader_image(value: Any) -> str | None:
    """The address of a picture, where it is one of https that anybody may have fetched."""
    return value if isinstance(value, str) and value.startswith("https://") and plausible(value) else None


def _key_of(token: str, keys: Sequence[bytes]) -> bytes:
    """The key that has signed the token, the first one where none has."""
    unchecked: Any = {**_UNTIMED, "verify_aud": False}
    for key in keys[1:]:
        with suppress(jwt.PyJWTError):
            jwt.decode(token, key, algorithms=[ALGORITHM], options=unchecked)
            return key
    return keys[0]


def _claims(
    keys: Sequence[bytes], token: str, refused: str, *, required: list[str], audience: str | None = None
) -> dict[str, Any]:
    options: Any = {**_UNTIMED, "require": required, "verify_aud": audience is not None, "strict_aud": True}
    if len(token) > LONGEST:
        raise Unauthorized(refused)
    try:
        claims = jwt.decode(token, _key_of(token, keys), algorithms=[ALGORITHM], audience=audience, options=options)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise Unauthorized(refused) from None
    if not isinstance(claims.get("iat"), int | float) or isinstance(claims.get("iat"), bool):
        raise Unauthorized(refused)
    try:
        for text in (each for each in claims.values() if isinstance(each, str)):
            check_text(text)
    except ForbiddenText:  # half an emoji, which nothing that is stored or sent can hold
        raise Unauthorized(refused) from None
    return claims


class ReaderTokenRequest(Document):
    """A reader who wants to take part: by a name of the reader's own choice, or signed in by the organization."""

    name: Text | None = None
    sign_in: Text | None = None


class ShownReader(Document):
    """A reader as others see it; the id says nothing about who it is."""

    id: Text
    name: Text | None = None
    image: Text | None = None
    signed_in: Bool


class ReaderTokenResponse(Document):
    """A token, and whose it is."""

    token: Text
    reader: ShownReader
