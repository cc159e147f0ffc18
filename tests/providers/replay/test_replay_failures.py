"""A recorded failure fails again in the same way, for whoever asks at that moment."""

import pytest

from mapping.errors import ServiceError
from providers import http_client, responses
from providers.replay import Line
from providers.replay.failure import Failure
from tests.kit.opening import client_at
from tests.providers.replay.samples import at, lines, replaying

LIMIT = 100_000
BODY = b'{"half": '


async def heard(failure):
    """The error that our own client makes of this failure, and what it heard."""
    recorded = [Line.of_failure(at(0), "match/ma1", failure)]
    async with replaying(recorded, step=True, hang=5) as (replay, _):
        replay.step()
        soon = 0.5 if failure.ending == "late" else 30.0  # nobody else may be late on a busy machine
        client = client_at(replay.url, timeout=soon, provider_bytes=LIMIT)
        try:
            with pytest.raises(ServiceError) as caught:
                await http_client.get(client, "match/ma1")
        finally:
            await client.aclose()
    return caught.value


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Failure(0, ending="late"), http_client.LATE),
        (Failure(0, ending="broken"), http_client.BROKEN),
        (Failure(200, BODY, "broken"), http_client.BROKEN),
        (Failure(200, BODY, "large", size=LIMIT + 1), responses.TOO_LARGE),
        (Failure(200, BODY, "cut"), responses.CUT_OFF),
        (Failure(200, BODY, "garbled"), responses.GARBLED),
        (Failure(200, BODY, "strange"), responses.STRANGE),
        (Failure(401, BODY), "the provider refuses the credentials"),
        (Failure(302, b""), "the provider redirects: refused"),
        (Failure(418, b""), "the provider rejects the request (418)"),
        (Failure(204, b"x"), "the provider's answer cannot be used (204)"),
    ],
    ids=lambda value: f"{value.status}-{value.ending}" if isinstance(value, Failure) else "",
)
async def test_it_is_taken_for_the_same(failure, message):
    """Whatever went wrong on the wire, the words for it are those of the recorded day."""
    assert (await heard(failure)).message == message


async def test_the_last_good_answer_stands_again():
    """The same body with the same ETag, so that nobody takes it for a change."""
    begin, match = lines()[:2]
    recorded = [
        begin,
        match,
        Line.of_failure(at(5), match.resource, Failure(503)),
        Line.of_raw(at(9), match.resource, "")._replace(again=True),
    ]
    async with replaying(recorded, step=True) as (replay, client):
        replay.step()
        replay.step()
        before = await client.get("/match/ma1")
        replay.step()
        assert (await client.get("/match/ma1")).status_code == 503
        replay.step()
        after = await client.get("/match/ma1", headers={"If-None-Match": before.headers["etag"]})

    assert after.status_code == 304
    assert replay.log.requests[-2].status == 503


async def test_again_before_anything_good_is_nothing():
    """As of a match that was followed before the recording began."""
    again = Line.of_raw(at(0), "match/ma1", "")._replace(again=True)
    async with replaying([again], step=True) as (replay, client):
        replay.step()

        assert (await client.get("/match/ma1")).status_code == 404
