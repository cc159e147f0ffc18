"""The OpenAPI document at collection time, so that tests can be made from it."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from api.http.openapi import DocumentLimits, SchemaOf
from api.http.routing import Route
from api.routes import openapi

Json = dict[str, Any]


@cache
def document() -> Json:
    """The document as it is served, of a service that has nothing behind it."""
    return openapi("https://live.example.org", DocumentLimits(delay_max=900, feed_limit_max=1000), desk=True)


def operations() -> dict[str, tuple[str, str, Json]]:
    """Method, path and description of each operation, by its id."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }


def models_of(routes: Iterable[Route]) -> set[Any]:
    """The documents that operations of these routes refer to."""
    return {model for route in routes for model in _models(route.operation)}


def _models(value: Any) -> Iterator[Any]:
    if isinstance(value, SchemaOf):
        yield value.model
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        yield from _models(part)
