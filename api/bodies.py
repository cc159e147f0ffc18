"""Bodies of the write API: JSON whatever the Content-Type says, then the document, with the field at fault."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from mapping import strict_json
from mapping.documents.base import Document, describe, field_path, parse
from mapping.errors import InvalidRequest, Unprocessable

DocumentT = TypeVar("DocumentT", bound=Document)


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object in a body, whatever its Content-Type says; raises InvalidRequest or Unprocessable."""
    try:
        value = strict_json.loads(body)
    except ValueError as error:
        raise InvalidRequest(f"the body is refused: {error}") from None
    if not isinstance(value, dict):
        raise Unprocessable("the body should be a JSON object")
    return value


def checked(model: type[DocumentT], body: dict[str, Any]) -> DocumentT:
    """The body as a document; raises Unprocessable with the path of the first field at fault."""
    try:
        return parse(model, body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Unprocessable(describe(first), field=field_path(first) or None) from None
