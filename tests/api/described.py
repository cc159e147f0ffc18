"""The OpenAPI document at collection time, so that tests can be made from it."""

from __future__ import annotations

from functools import cache
from typing import Any

from api.framework import create_framework, openapi
from api.services import ApiSettings, Services

Json = dict[str, Any]


@cache
def document() -> Json:
    """The document as it is served, of a service that has nothing behind it."""
    services = Services(
        store=None,  # type: ignore[arg-type]
        settings=ApiSettings(public_url="https://live.example.org"),
        import_match=None,  # type: ignore[arg-type]
        organizations={}.get,
        ready=None,  # type: ignore[arg-type]
        clock=lambda: 0.0,
        providers=frozenset(),
        event_types=frozenset(),
    )
    return openapi(create_framework(services), services)


def operations() -> dict[str, tuple[str, str, Json]]:
    """Method, path and description of each operation, by its id."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }
