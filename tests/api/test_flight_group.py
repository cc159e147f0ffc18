"""What is kept of work that is done once for many, and for how long."""

import asyncio

import pytest

from api.http.caching import SingleFlightCache


def giving(value):
    async def make():
        return value

    return make


@pytest.mark.parametrize(("since", "until"), [(None, 5.0), (lambda value: value, 4.0)])
async def test_a_value_is_kept_for_a_while(since, until):
    """Until it is too old, since it was ready or since the moment that it says itself."""
    now = 0.0
    cache = SingleFlightCache(9, seconds=5.0, since=since, monotonic=lambda: now)
    await cache.get("a", giving(-1.0))
    now = until - 0.1
    assert await cache.get("a", giving(0.0)) == -1.0
    now = until
    assert await cache.get("a", giving(0.0)) == 0.0


async def test_room_is_bounded():
    """What was wanted least recently goes first; what alone is too large is given and not kept."""
    for largest in (None, 8):
        cache = SingleFlightCache(10, size=len, largest=largest)
        for name in "abc":
            await cache.get(name, giving(b"12345"))
        assert [name in cache for name in "abc"] == [False, True, True]
        too_large = bytes((largest or 10) + 1)
        assert await cache.get("d", giving(too_large)) == too_large
        assert ("d" in cache, "c" in cache) == (False, True)
        assert await cache.get("e", giving(too_large[1:])) == too_large[1:]
        assert "e" in cache


async def test_what_is_wanted_meanwhile_is_made_once_unless_it_was_forgotten():
    """All who wait get it, also None; what fails fails for all of them, and is made again; what was forgotten is not kept."""
    cache, ready, made = SingleFlightCache(9), asyncio.Event(), []

    async def slow():
        made.append(len(made))
        await ready.wait()
        if made == [0]:
            raise KeyError

    both = [asyncio.ensure_future(cache.get("a", slow)) for _ in range(2)]
    await asyncio.sleep(0)
    ready.set()
    assert [type(each) for each in await asyncio.gather(*both, return_exceptions=True)] == [KeyError, KeyError]
    assert (await cache.get("a", slow), await cache.get("a", slow), made) == (None, None, [0, 1])

    ready.clear()
    cache.forget()
    before = asyncio.ensure_future(cache.get("a", slow))
    while len(made) < 3:
        await asyncio.sleep(0)
    cache.forget()
    assert await cache.get("a", giving("new")) == "new"
    ready.set()
    assert (await before, await cache.get("a", slow)) == (None, "new")
