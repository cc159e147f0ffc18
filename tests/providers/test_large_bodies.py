"""Large answers are worked on beside the event loop, which goes on all the while."""

import asyncio
import gc
import threading
import zlib

from providers.fetch import LARGE, VERY_LARGE, ResourceRequest, beside, decode, fetch_rows
from providers.responses import GZIP, gunzip
from tests.kit.opening import client_at
from tests.providers.heim.feed import encoded, row
from tests.providers.loopback import answered, upstream


async def meanwhile(work):
    """The result of `work`, and how many turns the loop took in the meantime."""
    turns = 0

    async def count():
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    result = await work
    counting.cancel()
    return result, turns


async def test_small_things_are_done_at_once_and_large_ones_in_another_thread():
    """A thread for each answer would cost more than the answer."""
    here = threading.get_ident()

    assert await beside(LARGE, threading.get_ident) == here
    assert await beside(LARGE + 1, threading.get_ident) != here


async def test_the_loop_turns_many_times_while_a_large_body_is_decoded():
    """The decoder gives way after each object; without that it would keep the interpreter to the end."""
    body = encoded([row(1000 + number, "card/yellow", 1, "home", 5) for number in range(6000)])
    value, turns = await meanwhile(beside(len(body), decode, "match-event", body))

    assert len(value) == 6000
    assert turns >= 3


async def test_a_small_packed_body_that_holds_very_much_is_unpacked_in_turns():
    """Sixteen megabytes out of sixteen kilobytes: at most a megabyte a turn."""
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP)
    packed = packer.compress(bytes(16 * 1024 * 1024)) + packer.flush()

    async def raw():
        yield packed

    body, turns = await meanwhile(gunzip(raw(), 17 * 1024 * 1024, bytearray()))

    assert len(body) == 16 * 1024 * 1024
    assert turns >= 15


class Content(list):
    """What was read of a body; notes which thread frees it."""

    freed = None

    def __del__(self):
        type(self).freed = threading.get_ident()


async def test_the_rows_of_a_large_answer_are_freed_where_they_were_read():
    """To free 20,000 rows takes 40 ms, which the event loop would spend on nothing else."""
    body = encoded([row(1000 + number, "card/yellow", 1, "home", 5) for number in range(200)])
    assert len(body) > LARGE
    async with upstream({"/match/ma1": answered(body)}) as provider:
        client = client_at(provider.url)
        request = ResourceRequest("event", "match/ma1", lambda read: Content(decode("event", read)), len)
        answer = await fetch_rows(client, request, {})
        await client.aclose()

    assert answer.rows == 200
    assert Content.freed not in {None, threading.get_ident()}


async def test_what_a_very_large_body_has_made_is_not_looked_through_for_garbage():
    """The next collection of the youngest objects would stop every thread for 100 ms; what is garbage is found later."""
    made = await beside(VERY_LARGE + 1, lambda: [[number] for number in range(50_000)])
    young = sum(map(len, (gc.get_objects(generation) for generation in (0, 1))))

    assert len(made) == 50_000
    assert gc.isenabled()
    assert young < 20_000
