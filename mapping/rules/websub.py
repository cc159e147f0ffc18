"""The rules of WebSub that need nothing else: addresses that a hub calls, signatures, pauses between deliveries."""

from __future__ import annotations

import hmac
from urllib.parse import urlencode

SECRET_BYTES = 200
"""A subscriber's secret has less."""
CHALLENGE_BYTES = 32
FIRST_PAUSE = 10.0
LONGEST_PAUSE = 900.0


def longest_intent(callback: str, topic: str) -> str:
    """As long as the address of `intent` can be."""
    return intent(callback, topic, "unsubscribe", "0" * 2 * CHALLENGE_BYTES, 10**11)


def intent(callback: str, topic: str, mode: str, challenge: str, lease: int | None) -> str:
    """The address by which a subscriber confirms that it sent a request; `lease` in seconds, to subscribe."""
    parameters = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
    return _with_parameters(callback, parameters if lease is None else {**parameters, "hub.lease_seconds": str(lease)})


def denial(callback: str, topic: str, reason: str) -> str:
    """The address that says that a subscription does not come to be, or has ended."""
    return _with_parameters(callback, {"hub.mode": "denied", "hub.topic": topic, "hub.reason": reason})


def signature(secret: str, body: bytes) -> str:
    """`X-Hub-Signature` of a body."""
    return f"sha256={hmac.new(secret.encode('utf-8', 'surrogatepass'), body, 'sha256').hexdigest()}"


def pause_after(failures: int) -> float:
    """Seconds until the next try after so many that failed in a row."""
    return min(FIRST_PAUSE * 2.0 ** min(failures - 1, 16), LONGEST_PAUSE)


def _with_parameters(callback: str, parameters: dict[str, str]) -> str:
    joint = "&" if "?" in callback else "?"
    return f"{callback}{joint}{urlencode(parameters)}"
