"""One page of a search's results."""

from typing import Generic, Literal, TypeVar

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Count

ItemT = TypeVar("ItemT", bound=Document)


class Collection(Document, Generic[ItemT]):
    """The objects of page `page`, `total` in all; `more` tells whether a further page exists."""

    type_: Literal["Svc::Model::Collection"] = "Svc::Model::Collection"
    objects: tuple[ItemT, ...] = ()
    total: Count = 0
    page: Count = 1
    limit: Count = 0
    more: Bool = False
