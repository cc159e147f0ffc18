"""The secret with which a site signs its readers."""

from __future__ import annotations

SECRET = "a-secret-of-the-newsroom-of-32-bytes"
