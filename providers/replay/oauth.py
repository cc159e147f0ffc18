"""The sign-in of Stats Perform's feeds, as public clients speak to it: a token for the outlet's secret, needed by each request."""

import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha512

PATH = re.compile(r"(?:/[^/]+)*?/oauth/token/(?P<outlet>[^/]+)/?")
LIFE = 3600
"""Seconds for which a token is good by its answer; here it is good until it is revoked."""


@dataclass(slots=True)
class SignIn:
    """The tokens that are good. `secret`: the outlet's; without it nobody needs a token. `given`: how many there were."""

    secret: str | None
    given: int = 0
    tokens: set[str] = field(default_factory=set)

    def answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes] | None:
        """Status and body for a request of a token; None where the path is another one."""
        found = PATH.fullmatch(path)
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
