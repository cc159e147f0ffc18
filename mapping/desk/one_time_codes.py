"""Codes of a second factor: those that an app makes of a secret and the time, and those for when the app is lost.

Pure rules; the caller gives random bytes, and the time in Unix seconds.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

import pyotp

STEP_SECONDS = 30
DIGITS = 6
STEPS_BACK = 1
"""Steps of before whose code still counts, so that one may be typed while it changes (RFC 6238, 5.2)."""
SECRET_BYTES = 20
"""160 bits, as RFC 4226 recommends."""
RECOVERY_CODES = 10
RECOVERY_BYTES = 15
"""Of each: 120 bits, so that a hash without salt is enough, and 24 characters in base 32."""
GROUP = 4
LONGEST = 100
"""Characters of what is entered."""
ISSUER = "matchwire"


def as_base32(random: bytes) -> str:
    """Random bytes as apps take a secret; five bytes are eight characters."""
    return base64.b32encode(random).decode()


def app_address(secret: str, email: str) -> str:
    """The secret as an address that apps for codes open: `otpauth://totp/…`."""
    return pyotp.TOTP(secret, digits=DIGITS, interval=STEP_SECONDS).provisioning_uri(name=email, issuer_name=ISSUER)


def in_groups(text: str) -> str:
    """A long text in groups of four characters, as people copy it."""
    return " ".join(text[start : start + GROUP] for start in range(0, len(text), GROUP))


def step_of(secret: str, entered: str, now: float) -> int | None:
    """The time step whose code was entered, None for a code of no step that counts now."""
    code = _plain(entered)
    if not re.fullmatch(rf"[0-9]{{{DIGITS}}}", code):
        return None
    app, current = pyotp.TOTP(secret, digits=DIGITS, interval=STEP_SECONDS), int(now) // STEP_SECONDS
    known = [
        step
        for step in range(max(0, current - STEPS_BACK), current + 1)
        if hmac.compare_digest(app.generate_otp(step), code)
    ]
    return known[-1] if known else None


def recovery_code(random: bytes) -> str:
    """Random bytes as a recovery code is shown."""
    return in_groups(as_base32(random).lower())


def is_recovery_code(entered: str) -> bool:
    """Whether what was entered is as long as a recovery code, and so no code of an app."""
    return len(_plain(entered)) > DIGITS


def recovery_digest(entered: str) -> str:
    """What is stored of a recovery code, and what one that is entered is compared by: its SHA-256 as 64 hex digits."""
    return hashlib.sha256(_plain(entered).encode("utf-8", "surrogatepass")).hexdigest()


def _plain(entered: str) -> str:
    return re.sub(r"[\s-]", "", entered[:LONGEST]).lower()
