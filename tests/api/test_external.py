"""createFromExternal: every rule of the request, and every error with its status, code and field."""

import json

import pytest

from mapping import errors
from tests.kit import matchday

PATH = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal"
GOOD = {"provider": "heim", "matchId": "8315073"}
AUTO = "autoPostConfiguration"


def auto(**given):
    return {**GOOD, AUTO: given}


async def send(server, body, *, auth=None, path=PATH, headers=None):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    params = {"client_id": "desk", "client_secret": matchday.SECRET} if auth is None else auth
    return await server.http.post(path, params=params, content=content, headers=headers)


async def test_everything_that_is_said_arrives(server):
    """Title, locale, text and the configuration of automatic posting reach the importer."""
    body = {
        "provider": "gn-gsd",
        "phaseId": "12",
        "title": "The derby",
        "locale": "de",
        "includeTextContent": True,
        "autoPostEnabled": True,
        "autoPostConfiguration": {"excludeScoreboard": True, "excludeEvents": ["soccer.yellow-card", "tennis.start"]},
    }

    assert (await send(server, body, headers={"Idempotency-Key": "try-1"})).status_code == 200

    (requested,) = server.requested
    assert (requested.provider, requested.selector_kind, requested.selector_id) == ("gn-gsd", "phase", "12")
    terms = requested.terms
    assert (terms.title, terms.locale, terms.text, terms.auto_post) == ("The derby", "de", True, True)
    assert terms.exclude_scoreboard
    assert terms.exclude_events == {"soccer.yellow-card", "tennis.start"}
    assert requested.idempotency_key == "try-1"


@pytest.mark.parametrize(
    ("ids", "chosen"),
    [
        ({"matchId": "1", "phaseId": "2", "overallId": "3"}, ("match", "1")),
        ({"phaseId": "2", "overallId": "3"}, ("phase", "2")),
        ({"overallId": "3"}, ("overall", "3")),
        ({"matchId": None, "phaseId": "", "overallId": "3"}, ("overall", "3")),
    ],
)
async def test_the_first_of_match_phase_and_overall_counts(server, ids, chosen):
    """`matchId` outranks `phaseId`, which outranks `overallId`; null and empty count as not given."""
    await send(server, {"provider": "heim", **ids})

    assert (server.requested[0].selector_kind, server.requested[0].selector_id) == chosen


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        (b"", 400, "invalid_request", None),
        (b"{", 400, "invalid_request", None),
        (b"provider=heim&matchId=1", 400, "invalid_request", None),
        (b'{"provider": "heim", "matchId": "\xff"}', 400, "invalid_request", None),
        (b'{"provider": "heim", "matchId": "\\u0000"}', 400, "invalid_request", None),
        (b'{"provider": "heim", "matchId": "\\ud800"}', 400, "invalid_request", None),
        (b'{"provider": "heim", "matchId": 9223372036854775808}', 400, "invalid_request", None),
        (b'{"provider": "heim", "matchId": NaN}', 400, "invalid_request", None),
        (b"[" * 200 + b"]" * 200, 400, "invalid_request", None),
        ([], 422, "invalid_request", None),
        ("heim", 422, "invalid_request", None),
        (None, 422, "invalid_request", None),
        ({}, 400, "invalid_request", "provider"),
        ({"matchId": "1"}, 400, "invalid_request", "provider"),
        ({"provider": None, "matchId": "1"}, 400, "invalid_request", "provider"),
        ({"provider": "", "matchId": "1"}, 400, "invalid_request", "provider"),
        ({"provider": 7, "matchId": "1"}, 422, "invalid_request", "provider"),
        ({"provider": "opta", "matchId": "1"}, 404, "not_found", "provider"),
        ({"provider": "HEIM", "matchId": "1"}, 404, "not_found", "provider"),
        ({"provider": "heim"}, 422, "invalid_request", "matchId"),
        ({"provider": "heim", "matchId": ""}, 422, "invalid_request", "matchId"),
        ({"provider": "heim", "matchId": 8315073}, 422, "invalid_request", "matchId"),
        ({"provider": "heim", "matchId": "../8315073 "}, 422, "invalid_request", "matchId"),
        ({"provider": "heim", "matchId": "1" * 256}, 422, "invalid_request", "matchId"),
        ({"provider": "heim", "phaseId": ["1"]}, 422, "invalid_request", "phaseId"),
        ({**GOOD, "title": 5}, 422, "invalid_request", "title"),
        ({**GOOD, "locale": "xx"}, 422, "invalid_request", "locale"),
        ({**GOOD, "locale": "DE"}, 422, "invalid_request", "locale"),
        ({**GOOD, "includeTextContent": "true"}, 422, "invalid_request", "includeTextContent"),
        ({**GOOD, "autoPostEnabled": 1}, 422, "invalid_request", "autoPostEnabled"),
        ({**GOOD, "autoPostConfiguration": []}, 422, "invalid_request", "autoPostConfiguration"),
        (auto(excludeScoreboard="no"), 422, "invalid_request", f"{AUTO}.excludeScoreboard"),
        (auto(excludeEvents="soccer.goal"), 422, "invalid_request", f"{AUTO}.excludeEvents"),
        (auto(excludeEvents=[1]), 422, "invalid_request", f"{AUTO}.excludeEvents.0"),
        (auto(excludeEvents=["soccer.goal", "soccer.goul"]), 422, "invalid_request", f"{AUTO}.excludeEvents.1"),
    ],
)
async def test_a_wrong_request_is_refused_with_the_field_at_fault(server, body, status, code, field):
    """Status, code and field say what to change; nothing reaches the importer."""
    response = await send(server, body if isinstance(body, bytes) else json.dumps(body).encode())

    shown = response.json()
    assert (response.status_code, shown["code"], shown.get("field")) == (status, code, field)
    assert shown["message"]
    assert shown["retryable"] is False
    assert not server.requested


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json", "multipart/form-data", "nonsense"],
)
async def test_json_is_read_whatever_the_content_type_says(server, content_type):
    """Real clients send JSON as text."""
    response = await send(server, GOOD, headers={"Content-Type": content_type})

    assert response.status_code == 200


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "x" * 256])
async def test_an_idempotency_key_is_visible_ascii(server, key):
    """1 to 255 visible ASCII characters."""
    response = await send(server, GOOD, headers={"Idempotency-Key": key.encode()})

    assert (response.status_code, response.json()["field"]) == (400, "Idempotency-Key")


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [
        (errors.InvalidRequest("no text here", field="includeTextContent"), 400, "invalid_request"),
        (errors.Forbidden("not booked"), 403, "forbidden"),
        (errors.ProviderRefused("the provider refuses the credentials"), 403, "forbidden"),
        (errors.MatchUnknown("no such match", field="matchId"), 404, "not_found"),
        (errors.Conflict("the key belongs to another body"), 409, "conflict"),
        (errors.DownstreamRejected("no away team"), 422, "downstream_rejected"),
        (errors.UpstreamUnavailable("the provider does not answer"), 503, "upstream_unavailable"),
        (errors.BadBody("not JSON"), 503, "upstream_unavailable"),
        (errors.StoreUnavailable("the database does not answer"), 503, "internal"),
    ],
)
async def test_what_the_importer_says_is_shown(server, error, status, shown):
    """Each error of the importer has its status, code and, where another try may help, `Retry-After`."""
    server.fails = error

    response = await send(server, GOOD)

    assert (response.status_code, response.json()["code"]) == (status, shown)
    assert response.json()["retryable"] is (status == 503)
    assert ("retry-after" in response.headers) is (status == 503)
    assert response.json().get("field") == error.field
