"""Bodies of the write API: JSON whatever the Content-Type says, then the document, with the field at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from api.external import read_body
from mapping.documents.base import Document, describe, field_path, parse
from mapping.errors import Unprocessable

if TYPE_CHECKING:
    from starlette.requests import Request

DocumentT = TypeVar("DocumentT", bound=Document)


async def read_document(request: Request, model: type[DocumentT]) -> DocumentT:
    """The document in the request's body; raises InvalidRequest or Unprocessable."""
    return checked(model, read_body(await request.body()))


def checked(model: type[DocumentT], body: dict[str, Any]) -> DocumentT:
    """The body as a document; raises Unprocessable with the path of the first field at fault."""
    try:
        return parse(model, body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Unprocessable(describe(first), field=field_path(first) or None) from None
