"""Files are fetched within a time and a number of bytes, nothing is followed, and the guard sees every connection."""

import asyncio

import pytest

from config.sections import MediaConfig, Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.media.fetch import UNREACHABLE, MediaFetcher
from tests.kit.pictures import picture

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
LOOPBACK = Webhooks(allow_hosts=("127.0.0.1",))


def fetcher_of(guard=None, **changes):
    return MediaFetcher(guard or SsrfGuard(LOOPBACK), MediaConfig(**{"fetch_timeout": 3.0, **changes}))


async def test_a_file_comes_whole_with_what_caches_need(origin):
    """Body, validator and freshness are those of the origin; no secret of ours and no encoding is offered."""
    fetched = await fetcher_of().fetch(ORGANIZATION, origin.url("a.jpg"), most=1_000_000)

    assert (fetched.status, fetched.body, fetched.etag, fetched.max_age) == ("new", picture(), '"1"', 60.0)
    assert origin.requests[0][1]["accept-encoding"] == "identity"
    assert not {"authorization", "cookie", "referer"} & origin.requests[0][1].keys()


async def test_what_is_known_is_not_sent_again(origin):
    """A copy with its ETag is unchanged; another ETag brings the new file."""
    fetcher = fetcher_of()
    assert (await fetcher.fetch(ORGANIZATION, origin.url("a.jpg"), etag='"1"', most=1_000_000)).status == "unchanged"

    origin.etag, origin.files["/a.jpg"] = '"2"', picture(width=320)
    fetched = await fetcher.fetch(ORGANIZATION, origin.url("a.jpg"), etag='"1"', most=1_000_000)

    assert (fetched.status, fetched.etag, fetched.body) == ("new", '"2"', picture(width=320))


@pytest.mark.parametrize(
    ("how", "status", "cause"),
    [
        ("missing", "gone", "the file is gone"),
        ("gone", "gone", "the file is gone"),
        ("fails", "failed", "the origin answered with status 500"),
        ("private", "failed", "the origin answered with status 302"),
        ("hangs", "failed", UNREACHABLE),
        ("drips", "failed", UNREACHABLE),
        ("cut", "failed", UNREACHABLE),
        ("endless", "failed", "the file is too large"),
        ("huge", "failed", "the file is too large"),
        ("packed", "failed", "the origin sent the file in an encoding that was not accepted"),
    ],
)
async def test_each_fault_of_an_origin_is_a_bounded_failure(origin, how, status, cause):
    """No fault raises, hangs as its origin does, or has more read than is wanted; a redirect is not followed."""
    patience = 0.5 if how in {"hangs", "drips"} else 10.0
    fetched = await fetcher_of(fetch_timeout=patience).fetch(ORGANIZATION, origin.url(how), most=200_000)

    assert (fetched.status, fetched.cause, fetched.body) == (status, cause, b"")
    assert origin.sent < 16_000_000  # what fits into the buffers of the connection
    assert origin.paths() == [f"/{how}"]


async def test_of_a_huge_file_only_the_head_is_read(origin):
    """Where an origin ignores that a part is wanted, the connection is closed after it."""
    fetched = await fetcher_of().fetch(ORGANIZATION, origin.url("huge"), most=100_000, part=range(100_000))

    assert (fetched.status, len(fetched.body), fetched.total) == ("new", 100_000, 4 << 30)
    assert origin.sent < 16_000_000


async def test_a_part_is_what_the_origin_says_it_is(origin):
    """The length of the whole file is known from its part."""
    fetched = await fetcher_of().fetch(ORGANIZATION, origin.url("a.jpg"), most=100, part=range(50, 150))

    assert (fetched.body, fetched.total) == (picture()[50:150], len(picture()))


async def test_a_name_that_leads_inside_later_is_not_called(origin):
    """The address that is connected to is checked, whatever the same name was when it was given."""
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])

    async def resolve(host, port):
        return next(answers)

    guard = SsrfGuard(Webhooks(), resolve=resolve)
    port = origin.address.rpartition(":")[2]
    await guard.check(f"http://pictures.example:{port}/a.jpg")
    fetched = await fetcher_of(guard).fetch(ORGANIZATION, f"http://pictures.example:{port}/a.jpg", most=1_000_000)

    assert (fetched.status, fetched.cause) == ("failed", UNREACHABLE)
    assert origin.requests == []


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/a.jpg", "http://nowhere.invalid/a.jpg", "http://127.0.0.1:1/a.jpg", "ftp://a.example/"]
)
async def test_refused_unknown_and_closed_are_one_outcome(url):
    """A client cannot distinguish a host of ours from one that is not there."""
    fetched = await fetcher_of().fetch(ORGANIZATION, url, most=1_000_000)

    assert (fetched.status, fetched.cause) == ("failed", UNREACHABLE)


async def test_slow_origins_of_one_organization_leave_the_others_room(origin):
    """Twenty files that hang hold up those of their organization alone."""
    fetcher = fetcher_of(fetch_timeout=6.0, fetches=8, organization_fetches=4)
    slow = [asyncio.create_task(fetcher.fetch("other", origin.url("hangs"), most=1000)) for _ in range(20)]
    await asyncio.sleep(0.2)

    fetched = await asyncio.wait_for(fetcher.fetch(ORGANIZATION, origin.url("a.jpg"), most=1_000_000), 5)

    assert fetched.status == "new"
    assert origin.paths().count("/hangs") <= 4
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
