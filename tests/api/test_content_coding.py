"""Bodies that are kept are given compressed to those who accept them so, each coding with a validator of its own."""

import pytest

from api.http import caching
from api.http.caching import CODINGS, accepted_coding
from tests.kit import matchday

PATHS = [
    *(f"/api/embed/v4/feed/liveblog.{each}?liveblogId=gderby" for each in ("rss", "atom", "json")),
    "/liveblogs/gderby",
    "/liveblogs/gderby?fragment=1&refresh=0",
    "/api/embed/v4/prefetch/liveblog.json?liveblogId=gderby",
    "/api/v6/ticker/show.json?id=gderby",
]


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


async def read(server, path, accepted, **headers):
    return await server.http.get(path, headers={"Accept-Encoding": accepted, **headers})


@pytest.mark.parametrize("path", PATHS)
async def test_each_coding_is_the_same_body_with_its_own_validator(derby, path):
    """Strong ETags differ, `Vary` names the header, and a reader who has one coding is not given 304 for another."""
    plain = await read(derby, path, "identity")
    coded = {coding: await read(derby, path, coding) for coding in CODINGS}

    assert "content-encoding" not in plain.headers
    assert [each.headers["content-encoding"] for each in coded.values()] == list(coded)
    assert all(each.content == plain.content for each in coded.values())  # the client has decoded it
    assert all(int(each.headers["content-length"]) < len(plain.content) for each in coded.values())
    assert all("Accept-Encoding" in each.headers["vary"] for each in (plain, *coded.values()))
    tags = [each.headers["etag"] for each in (plain, *coded.values())]
    assert len(set(tags)) == len(tags)
    assert all(tag.startswith('"') for tag in tags)
    for coding, response in coded.items():
        same = await read(derby, path, coding, **{"If-None-Match": response.headers["etag"]})
        other = await read(derby, path, coding, **{"If-None-Match": plain.headers["etag"]})
        assert (same.status_code, same.content, "content-encoding" in same.headers) == (304, b"", False)
        assert other.status_code == 200


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("", ""), ("gzip", "gzip"), ("GZIP;q=0.5", "gzip"), ("deflate, gzip;q=1.0, *;q=0", "gzip"), ("gzip;q=0", ""),
        ("identity", ""), ("*;q=0", ""), ("gzip;q=nan", ""), ("gzip;q=2", ""), ("zstd", ""), ("gzip;" * 9000, ""),
    ],
)  # fmt: skip
def test_the_header_is_read_as_the_standard_says(header, coding):
    """Weights count, nought forbids, and what cannot be read accepts nothing."""
    assert accepted_coding(header) == coding


async def test_a_change_is_seen_in_every_coding(derby):
    """A coded body is never older than the plain one, also where only master data has changed."""
    before = await read(derby, PATHS[2], "gzip")
    derby.ticks += 5.1  # what is kept is made anew
    again = await read(derby, PATHS[2], "gzip")

    assert before.headers["etag"] == again.headers["etag"]
    assert caching.compress(b"x" * 99, "gzip") == caching.compress(b"x" * 99, "gzip")
