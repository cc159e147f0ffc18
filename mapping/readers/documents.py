"""What readers who take part send and are given."""

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Text


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
