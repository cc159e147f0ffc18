"""What somebody has shown to be who it is."""

from __future__ import annotations

from enum import StrEnum


class SignInProof(StrEnum):
    """By what a session was begun: a password alone, a password and a code, or a provider of OpenID Connect."""

    PASSWORD = "password"  # noqa: S105 -- names the proof
    CODE = "code"
    PROVIDER = "provider"
