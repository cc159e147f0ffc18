"""The OpenAPI document itself: links that can be followed, examples that keep to their schemas, every refusal described."""

import re
from typing import Any

import jsonschema_rs
import pytest

from api.http.openapi import SECURITY, DocumentLimits
from api.routes import ROUTES, openapi
from tests.kit.described import document, operations

OPERATIONS = operations()
COMPONENTS = document()["components"]
FILES = {"media.upload"}
"""Operations whose body is a file."""
BODIES = {
    name: each["requestBody"]
    for name, (_, _, each) in OPERATIONS.items()
    if "requestBody" in each and name not in FILES
}
ANSWERED = {name: each["responses"]["200"] for name, (_, _, each) in OPERATIONS.items() if "200" in each["responses"]}
LINKS = [
    (name, label, link)
    for name, response in ANSWERED.items()
    for label, link in sorted(response.get("links", {}).items())
]
"""Operation, name and content of every link."""


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to beside it, so that it stands alone."""
    return {**schema, "components": COMPONENTS}


def properties(schema: dict[str, Any]) -> set[str]:
    """The names of the fields of a document."""
    if "$ref" in schema:
        return properties(COMPONENTS["schemas"][schema["$ref"].rpartition("/")[2]])
    return set(schema.get("properties", {})).union(*(properties(part) for part in schema.get("allOf", ())))


def content(body: dict[str, Any]) -> dict[str, Any]:
    return body["content"]["application/json"]


@pytest.mark.parametrize(("name", "label", "link"), LINKS, ids=[f"{name}-{label}" for name, label, _ in LINKS])
def test_a_link_can_be_followed(name, label, link):
    """Its operation exists and has those parameters, and the response has those fields; a body is described where one is due."""
    _, _, target = OPERATIONS[link["operationId"]]
    named = {each["name"] for each in target["parameters"]} if "parameters" in target else set()
    required = {each["name"] for each in target.get("parameters", ()) if each["required"] and each["in"] == "query"}

    assert set(link["parameters"]) <= named
    assert required <= set(link["parameters"])
    for expression in link["parameters"].values():
        field = re.fullmatch(r"\$response\.body#/(\w+)", expression)[1]
        assert field in properties(content(ANSWERED[name])["schema"])
    assert link.get("requestBody") in {None, "$request.body", "$response.body"}
    assert ("requestBody" in link) == (link["operationId"] in BODIES and link["operationId"] != "event.create")


def test_what_is_created_leads_to_all_that_takes_its_name():
    """From a liveblog to each read and to its posts, from a post to its change and deletion, and so on."""
    led = {name: {link["operationId"] for source, _, link in LINKS if source == name} for name in OPERATIONS}
    reads = {"ticker.show", "ticker.delta", "ticker.stream", "liveblog.page", "feed.rss", "feed.atom", "feed.json"}
    reads |= {"prefetch.liveblog", "prefetch.teaser", "liveblog.frame", "liveblog.snippets"}

    assert led["ticker.create"] == {*reads, "event.create"}
    assert led["liveblog.createFromExternal"] == reads
    assert led["event.create"] == led["event.update"] == {"event.update", "event.delete"}
    assert led["webhooks.subscribe"] == {f"webhooks.{each}" for each in ("unsubscribe", "rotate", "ping")}
    for noun in ("player", "team", "tournament"):
        assert led[f"{noun}.create"] == led[f"{noun}.update"] == {f"{noun}.show", f"{noun}.update"}


@pytest.mark.parametrize("name", BODIES)
def test_every_body_has_a_schema_and_an_example_that_keeps_to_it(name):
    """The example can be sent as it is; only the older addresses of webhooks take it from the query instead."""
    shown = content(BODIES[name])

    assert BODIES[name]["required"] == (not name.startswith("webhooks.v5."))
    jsonschema_rs.validate(resolved(shown["schema"]), shown["example"])


@pytest.mark.parametrize("name", ANSWERED)
def test_every_answer_has_a_schema_which_its_example_keeps_to(name):
    """An operation that answers says what."""
    for kind, shown in ANSWERED[name]["content"].items():
        assert shown["schema"], kind
        if "example" in shown:
            jsonschema_rs.validate(resolved(shown["schema"]), shown["example"])
    assert ANSWERED[name]["description"]


LONG = "a" * 2100
PATTERNS = (
    ("stats.periods", "date", ["2026", "2026-09", "2026-09-30"], ["1999", "2026-9", "2026-13", "2026-09-00", "today"]),
    (
        "stats.periods",
        "origin",
        ["", "https://www.example.org", "HTTP://a:80/b?c"],
        ["example.org", "https://", "ftp://a"],
    ),
    ("stats.locations", "origin", ["https://www.example.org"], ["", "www.example.org", f"https://{LONG}"]),
    ("media.link", "url", ["https://a.example/b.jpg", "imageservice://o/k"], ["", "a.jpg", "ftp://a", "https://a b"]),
)


@pytest.mark.parametrize(
    ("name", "parameter", "taken", "refused"), PATTERNS, ids=[f"{each[0]}-{each[1]}" for each in PATTERNS]
)
def test_a_parameter_says_what_it_takes(name, parameter, taken, refused):
    """By a pattern, so that whoever makes a client of the document hears of it sooner than from us."""
    (schema,) = [each["schema"] for each in OPERATIONS[name][2]["parameters"] if each["name"] == parameter]

    assert [each for each in taken if not jsonschema_rs.is_valid(schema, each)] == []
    assert [each for each in refused if jsonschema_rs.is_valid(schema, each)] == []


def test_security_is_declared_as_credentials_are_taken():
    """HTTP Basic, a bearer token, or both parameters of the query; open operations say so with an empty choice."""
    schemes = COMPONENTS["securitySchemes"]
    assert {name: (each["type"], each.get("scheme", each.get("name"))) for name, each in schemes.items()} == {
        "basic": ("http", "basic"),
        "bearer": ("http", "bearer"),
        "query_id": ("apiKey", "client_id"),
        "query_secret": ("apiKey", "client_secret"),
        "session": ("apiKey", "__Host-matchwire-desk"),
        "account": ("apiKey", "X-Account"),
    }
    for name, (_, _, operation) in OPERATIONS.items():
        assert name in {"livez", "media.image", "media.video", "readyz"} or all(
            each in operation["security"] for each in SECURITY
        ), name


def test_a_session_is_declared_where_the_routes_take_one():
    """With whom the page was made for, for a write; nowhere else, and not where nobody can sign in."""
    taking = {row.operation["operationId"]: row.method for row in ROUTES if row.operation and row.takes_sessions}
    wanted = {"GET": {"session": []}, "POST": {"session": [], "account": []}}
    declared = {
        name: each
        for name, (_, _, operation) in OPERATIONS.items()
        for each in operation["security"]
        if "session" in each
    }

    free = {"media.image", "media.video"}
    assert declared == {name: wanted[method] for name, method in taking.items() if name not in free}
    assert len(declared) > 20
    limits = DocumentLimits(delay_max=900, feed_limit_max=1000)
    for closed in (openapi("https://x.example", limits, desk=False), openapi("http://x.example", limits, desk=True)):
        assert "session" not in closed["components"]["securitySchemes"]
        assert "'session'" not in str([each["security"] for path in closed["paths"].values() for each in path.values()])
    local = openapi("http://127.0.0.1:8080", limits, desk=True)
    assert local["components"]["securitySchemes"]["session"]["name"] == "matchwire-desk"


@pytest.mark.parametrize("name", OPERATIONS)
def test_refusals_are_documented_with_their_headers(name):
    """401 wherever credentials are looked at, 403 where a scope is needed, 413 and 422 where a body is read."""
    method, _, operation = OPERATIONS[name]
    refusals = {int(status) for status in operation["responses"] if status[0] in "45"}

    assert {400, 414, 415, 500} <= refusals
    if operation["security"]:
        assert {401, 429, 503} <= refusals
        assert "WWW-Authenticate" in operation["responses"]["401"]["headers"]
    if operation["security"] and {"query_id": []} not in operation["security"]:
        assert 403 in refusals
    if method == "POST":
        assert {413, 422} <= refusals
        assert 404 in refusals or name == "stats.collect"  # which does not look whether there is such a liveblog
    for status in refusals & {429, 503} - ({503} if name == "readyz" else set()):
        assert "Retry-After" in operation["responses"][str(status)]["headers"]
