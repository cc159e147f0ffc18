"""What the owner of a subscription is told of its receiver, so that nobody can read an inner service through it."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from ingest.webhooks.ssrf_guard import SsrfGuard
from store.tables import metadata
from tests.store.conftest import ORGANIZATION

INSIDE = "inner-9d1f"


async def stored(house):
    """All that is stored, as text."""
    return await house.store.read(
        lambda conn: str([conn.execute(select(table)).all() for table in metadata.tables.values()])
    )


@pytest.mark.parametrize("how", ["telling", "telling-ok"])
async def test_nothing_of_an_answer_but_its_status_is_kept(house, receiver, how):
    """Neither body nor headers nor reason of an answer stand in the log, in the subscription or anywhere else."""
    url = receiver.url(how)
    await house.subscribe(url)
    async with house.deliver():
        await house.change()
        await receiver.until(lambda: receiver.requests(how))
        async with asyncio.timeout(30):
            while not await house.log(url):
                await asyncio.sleep(0.02)
    (row, *_) = await house.log(url)

    assert row.status_code == (500 if how == "telling" else 200)
    assert INSIDE not in await stored(house)
    assert INSIDE not in str(row)


async def test_names_that_lead_inside_look_alike(house):
    """To which address inside a name leads stands in no message: all of them have the same words."""

    async def resolve(host, _):
        if host == "inside.example":
            return ["10.0.0.7"]
        if host == "loopback.example":
            return ["127.0.0.1"]
        return ["169.254.169.254"]

    urls = [f"https://{name}.example/hook" for name in ("inside", "loopback", "metadata")]
    for url in urls:
        await house.subscribe(url)
    async with house.deliver(guard=SsrfGuard(resolve=resolve)):
        await house.change()
        async with asyncio.timeout(30):
            while not all([await house.log(url) for url in urls]):
                await asyncio.sleep(0.02)
    rows = [(await house.log(url))[0] for url in urls]
    messages = {(row.message, row.status_code) for row in rows}

    assert len(messages) == 1
    assert not any(word in str(messages) for word in ("10.0.0.7", "127.0.0.1", "169.254", ".example"))
    assert (await house.subscription(urls[0], ORGANIZATION)).url == urls[0]
