"""What a provider sent instead of a good answer."""

from __future__ import annotations

KEPT_BYTES = 256 * 1024
"""Bytes that are kept of an answer that could not be used."""


class FailedResponse(Exception):
    """What came instead of a good answer, as far as it was read: the cause of the error that is raised, for recordings.

    `status` is 0 where no response came. Its text shows nothing of the body, so that a traceback does not either. Each poll
    makes one, so it has no initialiser.
    """

    status: int = 0
    body: bytes | bytearray = b""
    retry_after: str | None = None

    def __str__(self) -> str:
        return f"status {self.status}, {len(self.body)} bytes"

    @classmethod
    def of(cls, status: int, body: bytes | bytearray, retry_after: str | None = None) -> FailedResponse:
        """What was heard, without what is too much to be kept."""
        heard = cls()
        heard.status, heard.body, heard.retry_after = status, bytes(body[:KEPT_BYTES]), retry_after
        return heard

    def shortened(self) -> FailedResponse:
        return FailedResponse.of(self.status, self.body, self.retry_after)
