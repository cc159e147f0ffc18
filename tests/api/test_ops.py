"""Probes, and the OpenAPI document that must be true to what is served."""

import re

import pytest

from api.routes import ROUTES
from mapping.errors import StoreUnavailable
from tests.api.conftest import serving
from tests.kit import described, matchday


@pytest.fixture
def document():
    return described.document()


def operations(document):
    return {(path, method): each for path, item in document["paths"].items() for method, each in item.items()}


async def test_livez_is_always_200(server):
    """As long as the loop turns."""
    assert (await server.http.get("/livez")).json() == {"status": "alive"}


async def test_readyz_asks_store_and_process(server, monkeypatch):
    """503 with the reasons when either is not ready."""
    assert (await server.http.get("/readyz")).json() == {"ready": True, "store": "ok"}

    server.ready = {"ready": False, "scheduler": "stopped"}
    response = await server.http.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"ready": False, "store": "ok", "scheduler": "stopped"})

    async def fails():
        raise StoreUnavailable("gone")

    server.ready = {"ready": True}
    monkeypatch.setattr(server.store, "ping", fails)
    response = await server.http.get("/readyz")
    said = response.json()
    assert (response.status_code, said["store"], said["ready"]) == (503, "unavailable", False)

    monkeypatch.undo()
    monkeypatch.setattr(server.store, "check_writes", fails)
    response = await server.http.get("/readyz")
    said = response.json()
    assert (response.status_code, said["store"], said["ready"], "cause" in said) == (503, "unwritable", False, True)


async def test_the_document_lists_what_is_served_and_nothing_else(server):
    """Rows with an operation are the document's paths and methods."""
    document = (await server.http.get("/openapi.json")).json()
    assert set(operations(document)) == {(route.path, route.method.lower()) for route in ROUTES if route.operation}
    assert document["openapi"].startswith("3.1")


async def test_each_documented_path_is_answered(server, document, auth):
    """None of them is the 404 of an unknown route, nor a 405."""
    await server.add(matchday.derby())
    for path, method in operations(document):
        address = path.replace("{organizationId}", matchday.ORGANIZATION).replace("{liveblogId}", "gderby")
        response = await server.http.request(
            "head" if path.endswith("/stream") else method,
            address,
            params={**auth, "liveblogId": "gderby", "local_id": "gderby"},
        )
        assert response.status_code < 500, (path, response.text)
        assert response.status_code != 405, path
        assert "there is no such route" not in response.text, path


async def test_every_operation_declares_its_errors_with_the_error_schema(document):
    """Each 4xx and 5xx of the interface, one schema for all."""
    for (path, _), operation in operations(document).items():
        if path in {"/livez", "/readyz"}:
            continue
        refusals = {status: each for status, each in operation["responses"].items() if status[0] in "45"}
        assert {"400", "401", "404", "429", "500", "503"} <= refusals.keys()
        for each in refusals.values():
            assert each["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
    external = document["paths"]["/apigw/sports/v2/{organizationId}/liveblog/createFromExternal"]["post"]
    assert {"403", "413", "415", "422"} <= external["responses"].keys()
    assert external["requestBody"]["content"]["application/json"]["example"]["provider"] == "heim"


async def test_every_reference_in_the_document_leads_somewhere(document):
    """And every operation has an id, unique in the document, and security."""
    for name in set(re.findall(r"#/components/schemas/([^'\"]+)", str(document))):
        assert name in document["components"]["schemas"], name
    found = operations(document).values()
    assert len({operation["operationId"] for operation in found}) == len(found)
    for operation in found:
        for requirement in operation["security"]:
            assert requirement.keys() <= document["components"]["securitySchemes"].keys()


async def test_the_docs_page_loads_nothing_from_elsewhere(server):
    """All that it refers to ships with it."""
    page = await server.http.get("/docs")
    assert page.status_code == 200
    assert "unsafe-eval" not in page.headers["content-security-policy"]
    found = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(found) == 5
    for name in found:
        assert (await server.http.get(f"/{name}")).status_code == 200, name
    assert "http" not in page.text


async def test_the_licence_of_the_viewer_ships_with_it(server):
    """Apache-2.0 asks for it."""
    assert "Apache License" in (await server.http.get("/docs/LICENSE.txt")).text


async def test_the_document_has_the_limits_of_the_configuration(store):
    """What a parameter may be is what the server takes."""
    async with serving(store, delay_max=120, feed_limit_max=50, public_feeds=True) as server:
        await server.add(matchday.derby())
        server.now += 1000
        paths = (await server.http.get("/openapi.json")).json()["paths"]
        path = "/api/embed/v4/feed/liveblog.json"
        most = {each["name"]: each["schema"].get("maximum") for each in paths[path]["get"]["parameters"]}
        assert (most["delay"], most["limit"]) == (120, 50)
        for name in ("delay", "limit"):
            for value, status in ((most[name], 200), (most[name] + 1, 400)):
                response = await server.http.get(path, params={"liveblogId": "gderby", "sort": "asc", name: value})
                assert response.status_code == status
