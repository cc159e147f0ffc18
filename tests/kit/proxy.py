"""What an origin of images answers."""

from dataclasses import dataclass


@dataclass
class Answer:
    status: str = "new"
    body: bytes = b""
    etag: str | None = None
    max_age: float | None = None
